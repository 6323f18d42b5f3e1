# SPDX-License-Identifier: Apache-2.0
"""The paper's data sets, and synthetic tasks.

The files of the paper's sets are read from ``data_dir`` or from the folder that the environment variable
``COLLA_DATA`` names, and verified by their SHA-256; docs/data.md says who published them.
"""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from colla import _core
from colla._rows import (Batch, Floats, as_array, as_labels, as_numbers, as_signs, as_targets, check_lengths,
                         frame_rows, is_frame, name_of, path_text, task_name)
from colla._settings import LARGEST_SEED, choice, has_labels, not_negative, number, whole_number

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Dataset", "load_computer_survey", "load_landmine", "load_london_schools", "make_tasks"]

LARGEST = 2**31


@dataclass(frozen=True, eq=False)
class Dataset:
    """Agents, each with a stream of tasks.

    Attributes
    ----------
    name : str
    problem : {"regression", "classification"}
    features : list of str
        Names of the columns of every X. Without an intercept, which the learners append.
    streams : dict of str to list of (X, y, task)
        By agent; tasks in the order in which they arrive. Labels are -1 and +1.
    dictionary : ndarray of (features, atoms), optional
        What synthetic tasks were made from.
    codes : dict of str to list of ndarray, optional
        And their codes, by agent.
    """

    name: str
    problem: str
    features: list[str]
    streams: dict[str, list[Batch]]
    dictionary: Floats | None = field(default=None, repr=False)
    codes: dict[str, list[Floats]] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        tasks = sum(len(stream) for stream in self.streams.values())
        return (f"Dataset(name={self.name!r}, problem={self.problem!r}, agents={len(self.streams)}, tasks={tasks}, "
                f"features={len(self.features)})")

    def split(self, test_fraction: float = 0.5, seed: int = 1) -> tuple[Dataset, Dataset]:
        """Rows to learn from and rows to test on, as ``colla train --test-fraction`` draws them.

        Parameters
        ----------
        test_fraction : float
            Share of each task's rows, at least 0 and below 1; classes are split alike.
        seed : int

        Returns
        -------
        (Dataset, Dataset)
        """
        if not 0 <= number("test_fraction", test_fraction) < 1:
            raise ValueError(f"test_fraction: invalid value '{test_fraction}'; give a number of 0 or above and below 1")
        problem = choice("problem", self.problem, _core.Problem)
        data = _core.data_set(problem, self.features, [(name_of(agent, "agent"), [self._checked(*of) for of in stream])
                                                       for agent, stream in self.streams.items()])
        train, test = _core.split(data, float(test_fraction), whole_number("seed", seed, 0, LARGEST_SEED))
        return _from_core(self.name, train), _from_core(self.name, test)

    def _checked(self, X: Any, y: Any, task: Any) -> tuple[str, Floats, Floats]:
        rows, targets = frame_rows(X, self.features) if is_frame(X) else as_array(X), as_targets(y)
        numbers = as_signs(as_labels(targets)) if has_labels(self.problem) else as_numbers(targets)
        check_lengths(rows, numbers)
        _core.check_features(rows.shape[1], len(self.features), f"task '{task_name(task)}'")
        return task_name(task), rows, numbers

    def frame(self) -> DataFrame:
        """All rows as one pandas data frame, with columns agent, task and y behind the features.

        Returns
        -------
        pandas.DataFrame
        """
        try:
            import pandas
        except ImportError:
            raise ImportError("frame needs pandas; install the package pandas") from None
        parts = []
        for agent, stream in self.streams.items():
            for X, y, task in stream:
                rows = frame_rows(X, self.features) if is_frame(X) else X
                parts.append(pandas.DataFrame(rows, columns=self.features).assign(agent=agent, task=task,
                                                                                  y=as_targets(y)))
        if not parts:
            raise ValueError("the data has no tasks; give at least one")
        return pandas.concat(parts, ignore_index=True)


def _from_core(name: str, data: _core.DataSet) -> Dataset:
    streams = {agent: [Batch(X, y, task) for task, X, y in stream] for agent, stream in data.streams()}
    return Dataset(name, data.problem.name, list(data.features), streams)


def _load(name: str, data_dir: str | os.PathLike[str] | None, n_agents: int | None) -> Dataset:
    agents = None if n_agents is None else whole_number("n_agents", n_agents, 1, LARGEST)
    return _from_core(name, _core.load(name, "" if data_dir is None else path_text(data_dir), agents))


def load_landmine(data_dir: str | os.PathLike[str] | None = None, n_agents: int | None = None) -> Dataset:
    """Land Mine: 29 fields, 14,820 radar images, 9 features; is there a mine?

    Parameters
    ----------
    data_dir : str or path, optional
        Where the file LandmineData.mat is; by default the folder that COLLA_DATA names.
    n_agents : int, optional
        By default two: one with the foliated fields, one with those of bare earth.

    Returns
    -------
    Dataset
    """
    return _load("landmine", data_dir, n_agents)


def load_london_schools(data_dir: str | os.PathLike[str] | None = None, n_agents: int | None = None) -> Dataset:
    """London Schools: 139 schools, 15,362 pupils, 27 features; the examination score.

    Parameters
    ----------
    data_dir : str or path, optional
        Where the file school.mat is; by default the folder that COLLA_DATA names.
    n_agents : int, optional
        By default six.

    Returns
    -------
    Dataset
    """
    return _load("london-schools", data_dir, n_agents)


def load_computer_survey(data_dir: str | os.PathLike[str] | None = None, n_agents: int | None = None) -> Dataset:
    """Computer Survey: 190 subjects, 20 computers each, 13 features; how likely is it bought?

    Parameters
    ----------
    data_dir : str or path, optional
        Where the file conjointAnalysisComputerBuyers.mat is; by default the folder that COLLA_DATA names.
    n_agents : int, optional
        By default nineteen.

    Returns
    -------
    Dataset
    """
    return _load("computer-survey", data_dir, n_agents)


def make_tasks(*, problem: str = "regression", n_agents: int = 1, tasks_per_agent: int = 20, rows: int = 40,
               n_features: int = 10, n_atoms: int = 4, active: int = 2, noise: float = 0.5, seed: int = 1) -> Dataset:
    """Tasks whose true models are sparse combinations of a known dictionary.

    Parameters
    ----------
    problem : {"regression", "classification"}
    n_agents, tasks_per_agent, rows, n_features : int
        How many; rows are those of each task.
    n_atoms : int
        Columns of the true dictionary.
    active : int
        Atoms that each task combines.
    noise : float
        Standard deviation of the noise added to x.theta; in classification the sign of the sum is the label.
    seed : int

    Returns
    -------
    Dataset
        With the true dictionary and codes.
    """
    def count(name: str, value: int) -> int:
        return whole_number(name, value, 1, LARGEST)

    made = _core.make_tasks(
        problem=choice("problem", problem, _core.Problem), agents=count("n_agents", n_agents),
        tasks_per_agent=count("tasks_per_agent", tasks_per_agent), rows=count("rows", rows),
        features=count("n_features", n_features), atoms=count("n_atoms", n_atoms), active=count("active", active),
        noise=not_negative("noise", noise), seed=whole_number("seed", seed, 0, LARGEST_SEED))
    data = _from_core("synthetic", made.data)
    codes = {agent: [np.array(code) for code in own] for agent, own in zip(data.streams, made.codes)}
    return Dataset(data.name, data.problem, data.features, data.streams, np.array(made.dictionary), codes)
