# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from colla import _core
from colla._numerics import warn_of
from colla._predictor import Predictor
from colla._rows import (Batch, Floats, Form, as_targets, check_lengths, is_one_name, names_per_row, path_text, runs,
                         task_name)
from colla._settings import OnlyForClasses, choice, core_options, first_dictionary, parameters_from
from colla._streams import ONLY_TASK

ONLY_AGENT = "agent-0"  # the program's name for an unnamed agent


class LifelongLearner(Predictor):
    """One agent that learns task after task (ELLA).

    A task's model is ``theta = L s``: the dictionary ``L`` is shared by all tasks, the code ``s`` is sparse
    and the task's own. Learning a task costs the same however many were learned before.

    Parameters
    ----------
    n_atoms : int
        Columns of the dictionary.
    problem : {"regression", "classification"}
        What the targets are: numbers, or two labels: 0/1, -1/1 or False/True, also as the words.
    lam : float
        Penalty on the dictionary's size, above 0.
    mu : float
        Penalty on a code's size; larger gives sparser codes; 0 or above.
    gamma : float
        Ridge penalty of the single-task learner, above 0.
    codes : {"fresh", "stored"}
        Models use the code on the newest dictionary, or the one from the task's arrival.
    revisit : {"replace", "append"}
        What new rows of a known task do: stand alone, or join the old ones.
    solver : {"automatic", "dense", "matrix-free"}
        How the dictionary's linear system is solved.
    fit_intercept : bool
        Append a column of ones to the rows, which copies them. Without it, C-contiguous float64 rows
        are learned without a copy.
    init : array of (features and intercept, n_atoms), optional
        The first dictionary; a random one by default.
    seed : int
        Everything random follows from it.
    task_column, target_column : str
        Names of columns of data frames.

    Attributes
    ----------
    tasks_ : list of str
        The known tasks, in order of first arrival.
    dictionary_ : ndarray of (features and intercept, n_atoms)
        L.
    codes_ : dict of str to ndarray
        The codes that the dictionary was computed from.
    n_features_in_, feature_names_in_, classes_
        As in scikit-learn.

    Notes
    -----
    Different threads may use one learner; they take turns. Different learners work at the same time.

    Examples
    --------
    >>> import numpy as np
    >>> from colla import LifelongLearner
    >>> random = np.random.default_rng(1)
    >>> X = random.normal(size=(30, 3))
    >>> learner = LifelongLearner(n_atoms=2)
    >>> learner.partial_fit(X, X @ [1, 2, 3], task="monday").partial_fit(X, X @ [2, 4, 6], task="tuesday")
    LifelongLearner(n_atoms=2)
    >>> learner.tasks_
    ['monday', 'tuesday']
    >>> bool(abs(learner.predict(X, task="monday") - X @ [1, 2, 3]).max() < 0.2)
    True
    """

    codes: str
    revisit: str
    init: Any

    _agent: _core.Learner

    def __init__(self, n_atoms: int = 4, *, problem: str = "regression", lam: float = 1e-3, mu: float = 1e-3,
                 gamma: float = 1e-2, codes: str = "fresh", revisit: str = "replace", solver: str = "automatic",
                 fit_intercept: bool = True, init: Any = None, seed: int = 1, task_column: str = "task",
                 target_column: str = "y") -> None:
        self._keep_parameters(locals())

    def fit(self, X: Any, y: Any = None, task: Any = None) -> Self:
        """Forgets everything, then learns like `partial_fit`.

        Parameters
        ----------
        X, y, task
            See `partial_fit`.

        Returns
        -------
        self
        """
        with self._turn():
            return self._learn(X, y, task, self._new_form(), None)

    def partial_fit(self, X: Any, y: Any = None, task: Any = None) -> Self:
        """Learns a task, or several one after another.

        If something is wrong with the rows, nothing is learned. Ctrl-C ends it between two tasks: a learner that
        already knew tasks keeps those learned by then.

        Parameters
        ----------
        X : array or data frame of (rows, features)
            A data frame may hold the task's and the target's columns too.
        y : array of rows, optional
            Targets; from the data frame's target column if left out.
        task : str, int or one of them per row, optional
            The rows of a task must be consecutive: a task that comes again is a revisit. If left out, the
            data frame's task column, or else one task named "task".

        Returns
        -------
        self
        """
        with self._turn():
            return self._learn(X, y, task, self._form(), getattr(self, "_agent", None))

    def predict(self, X: Any, task: Any = None) -> NDArray[Any]:
        """Numbers, or labels in classification.

        Parameters
        ----------
        X : array or data frame of (rows, features)
        task : str, int or one of them per row, optional
            Otherwise a data frame's task column, or the only task there is.

        Returns
        -------
        ndarray of rows
        """
        scores = self._scores(X, task)
        return self._labels(scores) if self._is_classifier() else scores

    @OnlyForClasses
    def decision_function(self, X: Any, task: Any = None) -> Floats:
        """The log-odds of the second class.

        Parameters
        ----------
        X, task : as in `predict`

        Returns
        -------
        ndarray of rows
        """
        return self._scores(X, task)

    @OnlyForClasses
    def predict_proba(self, X: Any, task: Any = None) -> Floats:
        """The probabilities of both classes, in the order of ``classes_``.

        Parameters
        ----------
        X, task : as in `predict`

        Returns
        -------
        ndarray of (rows, 2)
        """
        return self._probabilities(self._scores(X, task))

    def score(self, X: Any, y: Any = None, task: Any = None) -> float:
        """R^2 or, in classification, accuracy: scikit-learn's measure of each task, averaged over tasks.

        Parameters
        ----------
        X, y, task
            See `partial_fit`. Rows may be in any order.

        Returns
        -------
        float
        """
        predicted = self.predict(X, task)
        return self._mean_score(self._names(X, task, len(predicted)), self._given_targets(X, y), predicted)

    def encode(self, X: Any, y: Any = None) -> Floats:
        """The code that a new task with these rows would get. Nothing is learned.

        Parameters
        ----------
        X, y
            Rows of one task, see `partial_fit`.

        Returns
        -------
        ndarray of n_atoms
        """
        agent = self._fitted()
        batch = self._batch(X, self._given_targets(X, y), ONLY_TASK, self._form())
        return agent.encode(batch.X, batch.y)

    def forget(self, task: Any) -> Self:
        """Takes a task out of the dictionary's statistics, and updates the dictionary.

        Parameters
        ----------
        task : str or int

        Returns
        -------
        self
        """
        self._fitted().forget(task_name(task))
        return self

    def model(self, task: Any) -> Floats:
        """theta of a known task; the intercept's entry is the last.

        Predictions, in classification log-odds, are ``X @ theta``, where X has a column of ones behind the features
        unless ``fit_intercept`` is False.

        Parameters
        ----------
        task : str or int

        Returns
        -------
        ndarray of features and intercept
        """
        return self._fitted().model(task_name(task))

    @property
    def tasks_(self) -> list[str]:
        """The known tasks, in order of first arrival."""
        return self._fitted().tasks()

    @property
    def dictionary_(self) -> Floats:
        """L: (features and intercept) x atoms."""
        return self._fitted().dictionary()

    @property
    def codes_(self) -> dict[str, Floats]:
        """The codes that the dictionary was computed from, by task."""
        return dict(self._fitted().codes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, as ``colla train --model`` does, for ``colla predict`` or `load`.

        Parameters
        ----------
        path : str or path
            An existing model file is replaced; a file of any other kind is refused.
        """
        agent = self._fitted()
        self._write(_core.Model("ella", [ONLY_AGENT], [agent.state()]), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], agent: str | int | None = None) -> Self:
        """A learner that continues from a model file.

        A file holds the tasks and the dictionary. The sums over tasks are computed again: after revisits, the
        next dictionaries may differ in the last digits. ``pickle`` keeps every bit. ``solver``, ``revisit`` and
        ``init`` are not in a file and have their defaults. Labels are 0 and 1, however they were written before;
        assign ``classes_`` to change them.

        Parameters
        ----------
        path : str or path
            Written by `save`, ``colla train --model`` or ``colla agent export``.
        agent : str or int, optional
            Its name, in a file with several.

        Returns
        -------
        LifelongLearner
        """
        name = path_text(path)
        file = _core.Model.load(name)
        state = file.agent_state(_position(file.agents(), agent, name))
        learner = cls(**parameters_from(state.options, cls),
                      fit_intercept=file.features[-1] == _core.intercept_name, task_column=file.task_column,
                      target_column=file.target_column)
        features = file.features[:-1] if learner.fit_intercept else file.features
        classes = np.array([0, 1]) if learner._is_classifier() else None  # as `colla predict` prints them
        form = learner._new_form()
        form.features, form.names, form.classes = len(features), features, classes
        learner._note(form, _agent=_core.Learner(state))
        return learner

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_agent")

    def _fitted(self) -> _core.Learner:
        self._check_fitted()
        return self._agent

    def _new_agent(self, features: int) -> _core.Learner:
        options = core_options(self, features)
        return _core.Learner(options, first_dictionary(self.init, features, self.n_atoms))

    def _learn(self, X: Any, y: Any, task: Any, form: Form, agent: _core.Learner | None) -> Self:
        arrivals = self._arrivals(X, self._given_targets(X, y), self._given(X, task, self.task_column), form)
        revisit = choice("revisit", self.revisit, _core.Revisit)
        learning = agent or self._new_agent(arrivals[0].X.shape[1])
        if len(arrivals) > 1:
            for batch in arrivals:
                learning.check(batch.task, batch.X, batch.y)
        outcomes = [learning.learn(batch.task, batch.X, batch.y, revisit) for batch in arrivals]
        if agent is None:
            self._note(form, _agent=learning)
        for batch, numerics in zip(arrivals, outcomes):
            warn_of(numerics, f"task '{batch.task}'")
        return self

    def _arrivals(self, X: Any, y: Any, task: Any, form: Form) -> list[Batch]:
        if task is None or is_one_name(task):
            return [self._batch(X, y, ONLY_TASK if task is None else task, form)]
        rows, targets = self._raw_rows(X, form), as_targets(y)
        check_lengths(rows, targets)
        self._targets(targets, form)  # the labels of all tasks together
        return [self._batch(rows[first:end], targets[first:end], name, form, again)
                for name, first, end, again in runs(names_per_row(task, len(rows)))]

    def _names(self, X: Any, task: Any, rows: int) -> NDArray[np.str_]:
        """The task of every row to predict."""
        task = self._given(X, task, self.task_column)
        if task is None:
            known = self.tasks_
            if len(known) != 1:
                raise ValueError(f"task: not given, and there are {len(known)}; say which one")
            task = known[0]
        return names_per_row(task, rows)

    def _scores(self, X: Any, task: Any) -> Floats:
        agent = self._fitted()
        rows = self._rows(X)
        if task is not None and is_one_name(task):
            return _core.scores(rows, agent.model(task_name(task)))
        return scores_by_name(rows, self._names(X, task, len(rows)), agent.model)


def scores_by_name(rows: Floats, names: NDArray[np.str_], model: Any) -> Floats:
    """Each row's score by the model of its name."""
    scores = np.empty(len(rows))
    for name in dict.fromkeys(names.tolist()):
        members = names == name
        scores[members] = _core.scores(rows[members], model(name))
    return scores


def _position(names: list[str], agent: str | int | None, path: str) -> int:
    if agent is None and len(names) == 1:
        return 0
    if agent is None or str(agent) not in names:
        given = "no agent is named" if agent is None else f"has no agent '{agent}'"
        raise ValueError(f"{path}: {given}; give one of {_core.listed(names)}")
    return names.index(str(agent))
