# SPDX-License-Identifier: Apache-2.0
"""What learners with several agents share."""
from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Hashable
from typing import Any

from numpy.typing import NDArray

from colla import _core
from colla._predictor import Predictor
from colla._rows import (Batch, Floats, Form, check_feature_names, column, is_frame, is_one_name, is_whole, items_per_row, name_of,
                         names_per_row, task_name)
from colla._settings import OnlyForClasses
from colla._streams import Tasks, read_tasks
from colla.datasets import Dataset


class AgentNames:
    """Finds agents by name, or by number where no name is a number."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._positions = {name: k for k, name in enumerate(names)}
        self._are_counted = not any(name.lstrip("-").isdigit() for name in names)

    def position(self, agent: Any) -> int:
        found = self._positions.get(str(agent))
        if found is not None:
            return found
        if is_whole(agent) and self._are_counted and 0 <= agent < len(self.names):
            return int(agent)
        name_of(agent, "agent")
        or_number = ", or a number from 0" if self._are_counted else ""
        raise ValueError(f"agent: there is no '{agent}'; give one of {_core.listed(self.names)}{or_number}")


def default_names(count: int) -> list[str]:
    """The program's names for unnamed agents."""
    return [f"agent-{i}" for i in range(count)]


def names_of_keys(keys: list[Any]) -> list[str] | None:
    """The names of the agents that get tasks; None if they are numbers."""
    numbers = [key for key in keys if is_whole(key)]
    if len(numbers) == len(keys):
        return None
    names = [name_of(key, "agent") for key in keys]
    if numbers:
        raise ValueError(f"agent: {numbers[0]} is a number, and others are names; give numbers or names")
    return names


class Agents(Predictor):
    """Predictions by the models of several agents' tasks."""

    agent_column: str

    @property
    @abstractmethod
    def agents_(self) -> list[str]:
        """The agents' names."""

    @abstractmethod
    def _tasks_of(self, agent: int) -> list[str]: ...

    @abstractmethod
    def _codes_of(self, agent: int) -> list[tuple[str, Floats]]: ...

    @abstractmethod
    def _theta(self, agent: int, task: str) -> Floats: ...

    @abstractmethod
    def _file(self) -> _core.Model: ...

    @property
    def tasks_(self) -> dict[str, list[str]]:
        """Every agent's tasks, in order of first arrival."""
        return {name: self._all_tasks_of(i) for i, name in enumerate(self.agents_)}

    @property
    def codes_(self) -> dict[str, dict[str, Floats]]:
        """Per agent and task: the codes that the dictionaries were computed from."""
        return {name: dict(self._codes_of(i)) for i, name in enumerate(self.agents_)}

    def predict(self, X: Any, *, agent: Any = None, task: Any = None) -> NDArray[Any]:
        """Numbers, or labels in classification.

        Parameters
        ----------
        X : array or data frame of (rows, features)
        agent : int, str or one of them per row, optional
            Otherwise a data frame's agent column, or the only agent that has the task.
        task : str, int or one of them per row, optional
            Otherwise a data frame's task column, or the only task there is.

        Returns
        -------
        ndarray of rows
        """
        return self._answers(self._scores(X, agent, task))

    @OnlyForClasses
    def decision_function(self, X: Any, *, agent: Any = None, task: Any = None) -> Floats:
        """The log-odds of the second class; of every class if there are three or more.

        Parameters
        ----------
        X, agent, task : as in `predict`

        Returns
        -------
        ndarray of rows, or of (rows, classes)
        """
        return self._scores(X, agent, task)

    @OnlyForClasses
    def predict_proba(self, X: Any, *, agent: Any = None, task: Any = None) -> Floats:
        """The probabilities of the classes, in the order of ``classes_``.

        Parameters
        ----------
        X, agent, task : as in `predict`

        Returns
        -------
        ndarray of (rows, classes)
        """
        return self._probabilities(self._scores(X, agent, task))

    def score(self, X: Any, y: Any = None, *, agent: Any = None, task: Any = None) -> float:
        """R^2 or, in classification, accuracy: scikit-learn's measure of each task, averaged over tasks.

        Parameters
        ----------
        X, agent, task : as in `predict`
        y : array of rows, optional
            Targets; from the data frame's target column if left out. Tasks that are not known are left out with a
            warning; if none is known, they are scored by the mean of the known tasks' models.

        Returns
        -------
        float
        """
        self._check_fitted()
        rows = self._rows(X)
        return self._mean_score(rows, self._owners(X, agent, task, len(rows), may_be_unknown=True),
                                self._given_targets(X, y))

    def model(self, task: Any, agent: Any = None) -> Floats:
        """theta of a task; the intercept's entry is the last.

        Predictions, in classification log-odds, are ``X @ theta``, where X has a column of ones behind the features
        unless ``fit_intercept`` is False.

        Parameters
        ----------
        task : str or int
        agent : int or str, optional
            May be left out if only one agent has the task.

        Returns
        -------
        ndarray of features and intercept
        """
        name = task_name(task)
        names = AgentNames(self.agents_)
        return self._theta(self._known_owner(name) if agent is None else names.position(agent), name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file with all agents, as ``colla train --model`` does, for ``colla predict``.

        `LifelongLearner.load` continues with one of its agents. The graph and the duals are not in it; ``pickle`` keeps
        everything.

        Parameters
        ----------
        path : str or path
            An existing model file is replaced; a file of any other kind is refused.
        """
        self._check_fitted()
        self._write(_core.Model.joined([learner._file() for learner in self._of_labels()]), path)

    def _steps(self, read: Tasks, agents: AgentNames, form: Form) -> list[dict[int, Batch]]:
        """Checked rows of every step, by the agents' numbers."""
        if form.features is None and read.features is not None:
            check_feature_names(read.features)
            form.features, form.names = len(read.features), read.features
        self._check_names(read, form)
        steps = []
        for step in read.steps:
            batches: dict[int, Batch] = {}
            for agent, of in step.items():
                number = agent if read.are_dealt else agents.position(agent)
                if number in batches:
                    raise ValueError(f"agent '{agents.names[number]}' is named twice in one step; give it one task")
                batches[number] = self._batch(of.X, of.y, of.task, form, of.more_elsewhere)
            steps.append(dict(sorted(batches.items())))
        return steps

    def _prepared_tasks(self, tasks: Any, n_agents: int | None, form: Form) -> Tasks:
        """Tasks in any form; data frames are prepared by the recipe, if one is used."""
        columns = self._columns()
        if is_frame(tasks) and self._uses_recipe(True, form):
            return self._table_tasks(tasks, column(tasks, columns.target, "every row needs its target"),
                                     column(tasks, columns.task, "every row needs its task"),
                                     self._given(tasks, None, self.agent_column), n_agents, form)
        read = read_tasks(tasks, columns, n_agents, form.names)
        if self._uses_recipe(read.has_frames() and not isinstance(tasks, Dataset), form):
            self._check_names(read, form)
            return self._arrival_tasks(read, form)
        return read

    def _check_names(self, read: Tasks, form: Form) -> None:
        """Where columns without names are told apart by their places."""
        if form.names is not None and read.features is not None and form.names != read.features:
            raise ValueError(f"the features are {_core.listed(read.features)}, and those learned were "
                             f"{_core.listed(form.names)}; give the same in the same order")

    def _all_tasks_of(self, agent: int) -> list[str]:
        """With three labels or more, a label's model may lack some of the agent's tasks."""
        return list(dict.fromkeys(task for learner in self._of_labels() for task in learner._tasks_of(agent)))

    def _only_owner(self, task: str) -> int | None:
        """None if no agent has the task."""
        owners = [i for i in range(len(self.agents_)) if task in self._all_tasks_of(i)]
        if len(owners) > 1:
            raise ValueError(f"several agents have a task '{task}'; say which with agent")
        return owners[0] if owners else None

    def _known_owner(self, task: str) -> int:
        owner = self._only_owner(task)
        if owner is None:
            raise ValueError(f"task '{task}': unknown to every agent; learn it first")
        return owner

    def _only_task(self) -> str:
        known = [task for tasks in self.tasks_.values() for task in tasks]
        if len(known) != 1:
            raise ValueError(f"task: not given, and there are {len(known)}; say which one")
        return known[0]

    def _owners(self, X: Any, agent: Any, task: Any, rows: int, may_be_unknown: bool = False) -> list[Hashable]:
        """Agent and task of every row."""
        task = self._given(X, task, self.task_column)
        agent = self._given(X, agent, self.agent_column)
        names = names_per_row(self._only_task() if task is None else task, rows).tolist()
        if agent is None:
            find = self._only_owner if may_be_unknown else self._known_owner
            owner = {name: find(name) for name in dict.fromkeys(names)}
            return [(owner[name], name) for name in names]
        agents = AgentNames(self.agents_)
        if is_one_name(agent):
            return [(agents.position(agent), name) for name in names]
        return [(agents.position(each), name) for each, name in zip(items_per_row(agent, rows, "agent"), names)]

    def _keyed_rows(self, X: Any, agent: Any, task: Any) -> tuple[Floats, list[Hashable]]:
        self._check_fitted()
        rows = self._rows(X)
        return rows, self._owners(X, agent, task, len(rows))

    def _scores(self, X: Any, agent: Any, task: Any) -> Floats:
        return self._scores_by_key(*self._keyed_rows(X, agent, task))

    def _keys(self) -> list[Hashable]:
        return [(i, task) for i in range(len(self.agents_)) for task in self._tasks_of(i)]

    def _theta_of(self, key: Any) -> Floats:
        return self._theta(*key)
