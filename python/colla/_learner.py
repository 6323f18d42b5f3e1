# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from collections.abc import Hashable
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray

from colla import _core
from colla._method import OnlyForDictionaries, parameters_of
from colla._numerics import warn_of
from colla._one_agent import ONLY_AGENT, OneAgent
from colla._rows import (Batch, Floats, Form, as_targets, check_lengths, is_frame, is_one_name, names_per_row, path_text,
                         runs, task_name)
from colla._settings import OnlyForClasses, choice, core_options
from colla._streams import ONLY_TASK, Arrival, Tasks, from_streams


class LifelongLearner(OneAgent):
    """One agent that learns task after task.

    With the method "bayes", what the tasks' coefficients have in common is learned as a prior: their mean, and how
    much they differ between tasks. There is nothing to set, and predictions have standard deviations. With "colla", a
    task's model is ``theta = L s``: the dictionary ``L`` is shared by all tasks, the code ``s`` is sparse and the
    task's own (ELLA). Learning a task costs the same however many were learned before.

    Parameters
    ----------
    n_atoms : int
        Columns of the dictionary. This, `lam`, `mu`, `gamma`, `codes`, `solver` and `init` are for "colla".
    method : {"bayes", "colla"}
        The collective prior, or dictionaries.
    problem : {"regression", "classification"}
        What the targets are: numbers, or labels. With data frames, labels are any values, two or more; with arrays
        they are 0/1, -1/1 or False/True, also as the words.
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
    recipe : "auto", None, path, str or Recipe
        How data frames become features. "auto": numbers, words, truth values, categories and missing cells are
        prepared by a recipe that the first data frames give (docs/recipes.md), and arrays are taken as they are. A
        file, its text or a learner's ``recipe_``: by this one. None: data frames hold numbers, taken as they are.
    expand : {"auto", "none", "splines"}
        With "splines", numbers of data frames have hinges at their quartiles (octiles of 400 rows and more) beside
        them, for curves. "auto": with "bayes", which uses them only where the evidence of the tasks is for them, and
        for 100 rows and more.
    compare : bool
        In `fit`, hold out a quarter of the rows, learn once more from the others, and warn (`CollaborationWarning`) if
        each task for itself predicts them better. What is learned does not depend on it.

    Attributes
    ----------
    recipe_ : Recipe
        How data frames become features; ``print`` shows it, ``recipe_.toml()`` is its file.
    tasks_ : list of str
        The known tasks, in order of first arrival.
    mean_, spread_ : ndarray of features and intercept
        With "bayes": the mean of the tasks' coefficients, and their standard deviation between tasks, in the scale of
        the features and the target as they are learned (`model`).
    noise_ : float
        With "bayes", in regression: the standard deviation of the targets around the tasks' models, in this scale.
    dictionary_ : ndarray of (features and intercept, n_atoms)
        With "colla": L.
    codes_ : dict of str to ndarray
        With "colla": the codes that the dictionary was computed from.
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
    >>> learner = LifelongLearner()
    >>> learner.partial_fit(X, X @ [1, 2, 3], task="monday").partial_fit(X, X @ [2, 4, 6], task="tuesday")
    LifelongLearner()
    >>> learner.tasks_
    ['monday', 'tuesday']
    >>> mean, std = learner.predict(X, task="monday", return_std=True)
    >>> bool(abs(mean - X @ [1, 2, 3]).max() < 0.2)
    True
    """

    codes: str
    revisit: str
    init: Any

    def __init__(self, n_atoms: int = 4, *, method: str = "bayes", problem: str = "regression", lam: float = 1e-3,
                 mu: float = 1e-3, gamma: float = 1e-2, codes: str = "fresh", revisit: str = "replace",
                 solver: str = "automatic", fit_intercept: bool = True, init: Any = None, seed: int = 1,
                 task_column: str = "task", target_column: str = "y", recipe: Any = "auto", expand: str = "auto",
                 compare: bool = True) -> None:
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
            form = self._new_form()
            read = self._read(X, y, task, form)
            return self._learn_labels(read, form, lambda learner, own: learner._fit_tasks(own, form), anew=True)

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
            If left out, the data frame's task column, or else one task named "task". The rows of a task in a data
            frame belong together. Those in an array must be consecutive: a task that comes again is a revisit.

        Returns
        -------
        self
        """
        with self._turn():
            form = self._form()
            read = self._read(X, y, task, form)
            return self._learn_labels(read, form, lambda learner, own: learner._learn(
                own, form, getattr(learner, "_agent", None)), anew=False)

    @overload
    def predict(self, X: Any, task: Any = None, return_std: Literal[False] = False) -> NDArray[Any]: ...

    @overload
    def predict(self, X: Any, task: Any = None, *, return_std: Literal[True]) -> tuple[Floats, Floats]: ...

    def predict(self, X: Any, task: Any = None, return_std: bool = False) -> NDArray[Any] | tuple[Floats, Floats]:
        """Numbers, or labels in classification.

        With the method "bayes", a task that is not known is predicted by what the known ones have in common, with a
        `NewTaskWarning`.

        Parameters
        ----------
        X : array or data frame of (rows, features)
        task : str, int or one of them per row, optional
            Otherwise a data frame's task column, or the only task there is.
        return_std : bool
            With "bayes", in regression: also the standard deviation of a new observation, in the target's units.

        Returns
        -------
        ndarray of rows, or two: means and standard deviations
        """
        if return_std:
            return self._answers_with_std(*self._keyed_rows(X, task))
        return self._answers(self._scores(X, task))

    @OnlyForClasses
    def decision_function(self, X: Any, task: Any = None) -> Floats:
        """The log-odds of the second class; of every class if there are three or more.

        Parameters
        ----------
        X, task : as in `predict`

        Returns
        -------
        ndarray of rows, or of (rows, classes)
        """
        return self._scores(X, task)

    @OnlyForClasses
    def predict_proba(self, X: Any, task: Any = None) -> Floats:
        """The probabilities of the classes, in the order of ``classes_``.

        Parameters
        ----------
        X, task : as in `predict`

        Returns
        -------
        ndarray of (rows, classes)
        """
        return self._probabilities(self._scores(X, task))

    def score(self, X: Any, y: Any = None, task: Any = None) -> float:
        """R^2 or, in classification, accuracy: scikit-learn's measure of each task, averaged over tasks.

        Parameters
        ----------
        X, y, task
            See `partial_fit`. Rows may be in any order. Tasks that are not known are predicted as in `predict`;
            with "colla" they are left out with a warning or, if none is known, scored by the mean of the known tasks'
            models.

        Returns
        -------
        float
        """
        self._check_fitted()
        rows = self._rows(X)
        return self._mean_score(rows, self._names(X, task, len(rows)), self._given_targets(X, y))

    @OnlyForDictionaries
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
        form = self._form()
        of = next(iter(self._read(X, y, ONLY_TASK, form).steps[0].values()))
        batch = self._batch(of.X, of.y if form.recipe is None else np.ascontiguousarray(of.y[:, 0]), ONLY_TASK, form)
        return agent.encode(batch.X, batch.y)

    def forget(self, task: Any) -> Self:
        """Takes a task out of the sums over tasks, and updates the prior or the dictionary.

        Parameters
        ----------
        task : str or int

        Returns
        -------
        self
        """
        self._check_fitted()
        name = task_name(task)
        for learner in [each for each in self._of_labels() if name in each._keys()] or [self]:
            learner._agent.forget(name)
        return self

    def model(self, task: Any) -> Floats:
        """theta of a known task, with "bayes" its mean; the intercept's entry is the last.

        Predictions are ``X @ theta``, where X has a column of ones behind the features unless ``fit_intercept`` is
        False. In classification these are log-odds, which "bayes" draws in as far as theta is uncertain.

        Parameters
        ----------
        task : str or int

        Returns
        -------
        ndarray of features and intercept
        """
        self._check_fitted()
        return self._theta_of(task_name(task))

    @classmethod
    def load(cls, path: str | os.PathLike[str], agent: str | int | None = None) -> Self:
        """A learner that continues from a model file.

        A file holds the tasks, and the prior or the dictionary. The sums over tasks are computed again: after
        revisits, the next dictionaries may differ in the last digits. ``pickle`` keeps every bit. ``solver``,
        ``revisit`` and ``init`` are not in a file and have their defaults. A file with a recipe has its labels;
        otherwise they are 0 and 1, however they were written before; assign ``classes_`` to change them.

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
        groups = 1 if file.recipe is None else file.recipe.models()
        agents = file.agents()[:len(file.agents()) // groups]
        position = _position(agents, agent, name)
        states = [file.agent_state(label * len(agents) + position) for label in range(groups)]
        learners = [cls(**parameters_of(state.options, cls), fit_intercept=file.features[-1] == _core.intercept_name,
                        task_column=file.task_column, target_column=file.target_column) for state in states]
        for learner, state in zip(learners, states):
            learner._note(learner._form_of(file), _agent=_core.Learner(state))
        learners[0]._others = learners[1:]
        return learners[0]

    def _fit_tasks(self, read: Tasks, form: Form) -> None:
        batches = self._learn(read, form, None)
        self._compare([ONLY_AGENT], [batches], core_options(self, batches[0].X.shape[1]), [], form)

    def _learn(self, read: Tasks, form: Form, agent: _core.Learner | None) -> list[Batch]:
        batches = [self._batch(of.X, of.y, of.task, form, of.more_elsewhere)
                   for step in read.steps for of in step.values()]
        revisit = choice("revisit", self.revisit, _core.Revisit)
        learning = agent or _core.Learner(self._new_options([ONLY_AGENT], [batches], [], form),
                                          self._first_dictionary(batches[0].X.shape[1]))
        if len(batches) > 1:
            for batch in batches:
                learning.check(batch.task, batch.X, batch.y)
        outcomes = [learning.learn(batch.task, batch.X, batch.y, revisit) for batch in batches]
        if agent is None:
            self._note(form, _agent=learning)
        for batch, numerics in zip(batches, outcomes):
            warn_of(numerics, f"task '{batch.task}'")
        return batches

    def _read(self, X: Any, y: Any, task: Any, form: Form) -> Tasks:
        """The tasks of these rows, one after another."""
        y, task = self._given_targets(X, y), self._given(X, task, self.task_column)
        if self._uses_recipe(is_frame(X), form):
            return self._table_tasks(X, y, task, None, None, form)
        if task is None or is_one_name(task):
            return from_streams({ONLY_AGENT: [Arrival(X, y, ONLY_TASK if task is None else task)]}, None)
        rows, targets = self._raw_rows(X, form), as_targets(y)
        check_lengths(rows, targets)
        self._targets(targets, form)  # the labels of all tasks together
        return from_streams({ONLY_AGENT: [Arrival(rows[first:end], targets[first:end], name, again)
                                          for name, first, end, again in runs(names_per_row(task, len(rows)))]}, None)

    def _names(self, X: Any, task: Any, rows: int) -> list[Hashable]:
        """The task of every row to predict."""
        task = self._given(X, task, self.task_column)
        if task is None:
            known = self.tasks_
            if len(known) != 1:
                raise ValueError(f"task: not given, and there are {len(known)}; say which one")
            task = known[0]
        return list(names_per_row(task, rows).tolist())

    def _keyed_rows(self, X: Any, task: Any) -> tuple[Floats, list[Hashable]]:
        self._check_fitted()
        rows = self._rows(X)
        return rows, self._names(X, task, len(rows))

    def _scores(self, X: Any, task: Any) -> Floats:
        return self._scores_by_key(*self._keyed_rows(X, task))


def _position(names: list[str], agent: str | int | None, path: str) -> int:
    if agent is None and len(names) == 1:
        return 0
    if agent is None or str(agent) not in names:
        given = "no agent is named" if agent is None else f"has no agent '{agent}'"
        raise ValueError(f"{path}: {given}; give one of {_core.listed(names)}")
    return names.index(str(agent))
