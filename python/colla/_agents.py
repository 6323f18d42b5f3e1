# SPDX-License-Identifier: Apache-2.0
"""What learners with several agents share."""
from __future__ import annotations

import os
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colla import _core
from colla._predictor import Predictor
from colla._rows import Floats, is_frame, is_one_name, names_per_row, require_column, task_name
from colla._settings import OnlyForClasses


def position(agent: Any, names: list[str]) -> int:
    """The number of an agent that is given by its number or name."""
    if isinstance(agent, (int, np.integer)) and not isinstance(agent, bool) and 0 <= agent < len(names):
        return int(agent)
    if str(agent) not in names:
        raise ValueError(f"agent: there is no '{agent}'; give one of {', '.join(names)}, or a number from 0")
    return names.index(str(agent))


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
    def _codes_of(self, agent: int) -> list[Floats]: ...

    @abstractmethod
    def _theta(self, agent: int, task: str) -> Floats: ...

    @abstractmethod
    def _file(self) -> _core.Model: ...

    @property
    def tasks_(self) -> dict[str, list[str]]:
        """Every agent's tasks, in order of first arrival."""
        return {name: self._tasks_of(i) for i, name in enumerate(self.agents_)}

    @property
    def codes_(self) -> dict[str, dict[str, Floats]]:
        """Per agent and task: the codes that the dictionaries were computed from."""
        return {name: dict(zip(self._tasks_of(i), self._codes_of(i))) for i, name in enumerate(self.agents_)}

    def predict(self, X: Any, agent: Any = None, task: Any = None) -> NDArray[Any]:
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
        scores = self._scores(X, agent, task)
        return self._labels(scores) if self._is_classifier() else scores

    @OnlyForClasses
    def decision_function(self, X: Any, agent: Any = None, task: Any = None) -> Floats:
        """The log-odds of the second class.

        Parameters
        ----------
        X, agent, task
            See `predict`.

        Returns
        -------
        ndarray of rows
        """
        return self._scores(X, agent, task)

    @OnlyForClasses
    def predict_proba(self, X: Any, agent: Any = None, task: Any = None) -> Floats:
        """The probabilities of both classes, in the order of ``classes_``.

        Parameters
        ----------
        X, agent, task
            See `predict`.

        Returns
        -------
        ndarray of (rows, 2)
        """
        return self._probabilities(self._scores(X, agent, task))

    def score(self, X: Any, y: Any = None, agent: Any = None, task: Any = None) -> float:
        """R^2 or, in classification, accuracy: scikit-learn's measure of each task, averaged over tasks.

        Parameters
        ----------
        X, agent, task
            See `predict`.
        y : array of rows, optional
            Targets; from the data frame's target column if left out.

        Returns
        -------
        float
        """
        if y is None and is_frame(X):
            require_column(X, self.target_column, "add it, or give y")
            y = X[self.target_column]
        predicted = self.predict(X, agent, task)
        owners, names = self._owners(X, agent, task, len(predicted))
        keys = np.array([f"{owner}/{name}" for owner, name in zip(owners, names)], dtype=np.str_)
        return self._mean_score(keys, y, predicted)

    def model(self, task: Any, agent: Any = None) -> Floats:
        """theta of a task: predictions are ``X @ theta``; the intercept's entry is the last.

        Parameters
        ----------
        task : str or int
        agent : int or str, optional
            May be left out where one agent alone has the task.

        Returns
        -------
        ndarray of features and intercept
        """
        name = task_name(task)
        return self._theta(self._only_owner(name) if agent is None else position(agent, self.agents_), name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file with all agents, as ``colla train --model`` does.

        Parameters
        ----------
        path : str or path
            An older model file there is replaced, and no other file is.
        """
        self._check_fitted()
        file = self._file()
        file.features = self._feature_names()
        file.task_column = self.task_column
        file.agent_column = self.agent_column
        file.target_column = self.target_column
        file.save(os.fspath(path))

    def _only_owner(self, task: str) -> int:
        owners = [i for i in range(len(self.agents_)) if task in self._tasks_of(i)]
        if not owners:
            raise ValueError(f"task '{task}': unknown to every agent; learn it first")
        if len(owners) > 1:
            raise ValueError(f"several agents have a task '{task}'; say which with agent")
        return owners[0]

    def _only_task(self) -> str:
        known = [task for tasks in self.tasks_.values() for task in tasks]
        if len(known) != 1:
            raise ValueError(f"task: not given, and there are {len(known)}; say whose model is meant")
        return known[0]

    def _owners(self, X: Any, agent: Any, task: Any, rows: int) -> tuple[list[int], NDArray[np.str_]]:
        """Agent and task of every row."""
        if task is None and is_frame(X) and self.task_column in X.columns:
            task = X[self.task_column]
        if agent is None and is_frame(X) and self.agent_column in X.columns:
            agent = X[self.agent_column]
        names = names_per_row(self._only_task() if task is None else task, rows)
        if agent is None:
            owner = {name: self._only_owner(name) for name in dict.fromkeys(names.tolist())}
            return [owner[name] for name in names.tolist()], names
        if is_one_name(agent):
            return [position(agent, self.agents_)] * rows, names
        given = np.asarray(agent).tolist()
        if len(given) != rows:
            raise ValueError(f"agent: has {len(given)} names, and there are {rows} rows; give one or one per row")
        return [position(each, self.agents_) for each in given], names

    def _scores(self, X: Any, agent: Any, task: Any) -> Floats:
        self._check_fitted()
        rows = self._rows(X)
        owners, names = self._owners(X, agent, task, len(rows))
        scores = np.empty(len(rows))
        numbers = np.array(owners)
        for owner, name in dict.fromkeys(zip(owners, names.tolist())):
            members = (numbers == owner) & (names == name)
            scores[members] = _core.scores(rows[members], self._theta(owner, name))
        return scores
