# SPDX-License-Identifier: Apache-2.0
"""Prediction and scoring, the same for all learners."""
from __future__ import annotations

import copy
import os
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from colla import _core
from colla._alone import NewTaskWarning, RecipeWarning, warn, warn_if_worse
from colla._prepared import Prepares, tasks_of_labels
from colla._rows import (Batch, Floats, Form, as_array, as_labels, as_numbers, as_signs, as_targets, check_lengths,
                         check_same_kind, classes_of, column, default_features, feature_columns, frame_rows,
                         has_column, is_frame, path_text, task_name, with_intercept)
from colla._settings import choice, first_dictionary, flag, has_labels, not_fitted
from colla._streams import Tasks
from colla._tables import cells_of, classes_of_labels, label_positions, target_numbers


class Predicted(NamedTuple):
    """Of rows: scores, and the deviations of new observations if they are known."""

    scores: Floats
    deviations: Floats | None


class Predictor(Prepares):
    """Takes rows in all their forms; the first learned rows fix the features.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the rows as given, without the intercept.
    feature_names_in_ : ndarray of str
        Their names, if the rows were a data frame.
    classes_ : ndarray
        The labels, in classification.
    recipe_ : Recipe
        How data frames become features; only if one is used.
    """

    fit_intercept: bool
    compare: bool
    _algorithm: str  # the program's name
    _learned_with_names: tuple[str, ...] = ("problem", "fit_intercept")

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    classes_: NDArray[Any]
    _learned_with: tuple[Any, ...]
    _others: list[Self]  # with three labels or more, the learners of all but the first

    def __sklearn_is_fitted__(self) -> bool:
        raise NotImplementedError

    @abstractmethod
    def _keys(self) -> list[Hashable]:
        """What this learner has models of."""

    @abstractmethod
    def _theta_of(self, key: Any) -> Floats:
        """A model; raises ValueError for an unknown key."""

    def _predicted(self, key: Any, rows: Floats) -> Predicted:
        return Predicted(_core.scores(rows, self._theta_of(key)), None)

    def _predicts_new(self) -> bool:
        """Whether `_predicted` takes unknown keys."""
        return False

    def _if_alone_is_better(self) -> str:
        """What to do then."""
        return "try more atoms (n_atoms), a smaller mu, or other values of lam and gamma"

    def _algorithm_name(self) -> str:
        return self._algorithm

    def _first_dictionary(self, features: int) -> Any:
        """None: a random one."""
        return first_dictionary(getattr(self, "init", None), features, self.n_atoms)

    def _linear(self, form: Form) -> list[int] | None:
        """Of a recipe: the features that are not hinges of splines, if there are any."""
        return None if form.recipe is None else form.recipe.linear_features(self.fit_intercept)

    def _gives_refresh(self) -> bool:
        return getattr(self, "refresh", None) is not None

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # two learners never share what they learn

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _is_classifier(self) -> bool:
        return has_labels(self.problem)

    def _new_form(self) -> Form:
        """Of rows about which nothing is known."""
        choice("problem", self.problem, _core.Problem)
        flag("fit_intercept", self.fit_intercept)
        flag("compare", self.compare)
        self._columns()
        learned_with = tuple(getattr(self, name) for name in self._learned_with_names)
        return Form(learned_with=learned_with, recipe=self._checked_recipe())

    def _form(self) -> Form:
        """Of the rows learned from so far."""
        if not self.__sklearn_is_fitted__():
            return self._new_form()
        for name, value in zip(self._learned_with_names, self._learned_with):
            if getattr(self, name) != value:
                raise ValueError(f"{name} has changed since learning; call fit, or set it back")
        names = getattr(self, "feature_names_in_", None)
        classes = np.asarray(self.classes_) if hasattr(self, "classes_") else None
        return Form(self.n_features_in_, None if names is None else list(names), classes, self._learned_with,
                    getattr(self, "recipe_", None))

    def _form_of(self, file: _core.Model) -> Form:
        """Of the rows that a model file was learned from."""
        form = self._new_form()
        form.recipe = file.recipe
        features = file.features[:-1] if self.fit_intercept else file.features
        form.names = features if form.recipe is None else form.recipe.columns
        form.features = len(form.names)
        if self._is_classifier():  # without a recipe as `colla predict` prints them
            form.classes = np.array([0, 1]) if form.recipe is None else classes_of_labels(form.recipe.labels)
        return form

    def _note(self, form: Form, **learned: Any) -> None:
        """Remembers what was learned and the form of its rows, all at once for other threads."""
        noted: dict[str, Any] = {"n_features_in_": form.features, "_learned_with": form.learned_with} | learned
        if form.names is not None:
            noted["feature_names_in_"] = np.array(form.names, dtype=object)
        if form.classes is not None:
            noted["classes_"] = form.classes
        if form.recipe is not None:
            noted["recipe_"] = form.recipe
        for name in {"feature_names_in_", "classes_", "recipe_"} - noted.keys():
            vars(self).pop(name, None)
        vars(self).update(noted)

    def _batch(self, X: Any, y: Any, task: Any, form: Form, more_elsewhere: bool = False) -> Batch:
        """Rows of one task to learn, converted to this form if needed."""
        name = task_name(task)
        rows, targets = X, y
        if form.recipe is None:
            targets = self._targets(y, form)
            rows = self._raw_rows(X, form)
        check_lengths(rows, targets)
        _core.check_row_count(name, len(rows), more_elsewhere, "")
        return Batch(with_intercept(rows) if self.fit_intercept else rows, targets, name)

    def _raw_rows(self, X: Any, form: Form) -> Floats:
        """The features' numbers, in the order in which they were learned."""
        names = form.names
        if is_frame(X):
            if names is None:
                names = feature_columns(X, self._columns())
            rows = frame_rows(X, names)
        else:
            rows = as_array(X)
        if form.features is None:
            if rows.shape[1] == 0:
                raise ValueError("X has no columns; give at least one feature")
            form.features, form.names = rows.shape[1], names
        _core.check_features(rows.shape[1], form.features, "")
        return rows

    def _rows(self, X: Any) -> Floats:
        """Rows to predict."""
        form = self._form()
        rows = self._raw_rows(X, form) if form.recipe is None else self._table_rows(X, form)
        return with_intercept(rows) if self.fit_intercept else rows

    def _targets(self, y: Any, form: Form) -> Floats:
        targets = as_targets(y)
        if not self._is_classifier():
            return as_numbers(targets)
        labels = as_labels(targets)
        signs = as_signs(labels)
        if form.classes is None:
            form.classes = classes_of(labels)
        check_same_kind(labels, form.classes)
        return signs

    def _given_targets(self, X: Any, y: Any) -> Any:
        return column(X, self.target_column, "add it, or give y") if y is None and is_frame(X) else y

    def _given(self, X: Any, names: Any, of: str) -> Any:
        """Names as given, or else a data frame's column of names, or None."""
        return column(X, of, "") if names is None and has_column(X, of) else names

    def _of_labels(self) -> list[Self]:
        """The learners of all labels, or this one alone."""
        return [self, *getattr(self, "_others", [])]

    def _learn_labels(self, read: Tasks, form: Form, learn: Callable[[Self, Tasks], object], anew: bool) -> Self:
        """Learns the model of every label by `learn`; this learner has the first label's."""
        if form.recipe is None:
            learn(self, read)
            vars(self).pop("_others", None)
            return self
        reads = tasks_of_labels(read, form.recipe, anew, self._learns_any_class())
        others = [] if anew else getattr(self, "_others", [])
        if len(others) != len(reads) - 1:
            others = [type(self)(**self.get_params() | {"recipe": None, "compare": False}) for _ in reads[1:]]
        for learner, own in zip([*others, self], [*reads[1:], reads[0]]):
            if own.steps or not learner.__sklearn_is_fitted__():
                learn(learner, own)
        self._others = others
        return self

    def _learns_any_class(self) -> bool:
        """Whether a task's rows may all be of one class."""
        return False

    def _compare(self, names: list[str], streams: list[list[Batch]], options: _core.Options,
                 edges: list[tuple[int, int]], form: Form) -> None:
        """Warns if each task for itself is better. What has been learned does not depend on it."""
        if self.compare:
            init = self._first_dictionary(features_in(streams))
            scores = _core.held_out_scores(self._algorithm_name(), options, edges, init, self._linear(form),
                                           self._gives_refresh(), self._data(names, streams))
            warn_if_worse(scores, self.problem, self._if_alone_is_better())

    def _data(self, names: list[str], streams: list[list[Batch]]) -> _core.DataSet:
        return _core.data_set(choice("problem", self.problem, _core.Problem),
                              default_features(features_in(streams)),
                              [(name, [(batch.task, batch.X, batch.y) for batch in stream])
                               for name, stream in zip(names, streams)])

    def _scores_by_key(self, rows: Floats, keys: list[Hashable]) -> Floats:
        """Each row's score by the model of its key; with three labels or more, one for each label."""
        return self._predicted_by_key(rows, keys)[0]

    def _predicted_by_key(self, rows: Floats, keys: list[Hashable]) -> tuple[Floats, Floats]:
        """And the deviations of the first label's, NaN where they are not known."""
        groups = _members(keys)
        learners = self._of_labels()
        known = [set(learner._keys()) for learner in learners]
        self._name_new_tasks(groups.keys() - set().union(*known))
        scores = np.full((len(rows), len(learners)), -np.inf)
        deviations = np.full(len(rows), np.nan)
        for key, members in groups.items():
            of_label = [k for k in range(len(learners)) if key in known[k]]
            for k in of_label or (range(len(learners)) if self._predicts_new() else [0]):
                predicted = learners[k]._predicted(key, rows[members])
                scores[members, k] = predicted.scores
                if k == 0 and predicted.deviations is not None:
                    deviations[members] = predicted.deviations
        return scores[:, 0] if len(learners) == 1 else scores, deviations

    def _name_new_tasks(self, keys: set[Hashable]) -> None:
        if keys and self._predicts_new():
            names = sorted({str(key[1] if isinstance(key, tuple) else key) for key in keys})
            warn(f"no rows of {_core.listed(names)} in training: predicted by what tasks have in common",
                 NewTaskWarning)

    def _mean_scores(self, rows: Floats) -> Floats:
        """Scores by the mean of all models."""
        columns = [_core.scores(rows, np.mean([learner._theta_of(key) for key in learner._keys()], axis=0))
                   for learner in self._of_labels()]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def _answers(self, scores: Floats) -> NDArray[Any]:
        """Labels, or numbers in the targets' units."""
        if self._is_classifier():
            return self._labels(scores)
        recipe = getattr(self, "recipe_", None)
        return scores if recipe is None else recipe.in_units(scores)

    def _write(self, file: _core.Model, path: str | os.PathLike[str]) -> None:
        form = self._form()
        assert form.features is not None
        columns = self._columns()
        if form.recipe is not None:
            file.recipe = form.recipe
            file.task_column, file.agent_column, file.target_column = form.recipe.roles
            features = form.recipe.features
        else:
            features = default_features(form.features) if form.names is None else form.names
            file.task_column = columns.task
            file.target_column = columns.target
            if columns.agent is not None:
                file.agent_column = columns.agent
            while columns.agent is None and file.agent_column in features:
                file.agent_column += "_"  # of the only agent, which has no name
            for name in (file.task_column, file.target_column, file.agent_column):
                if name in features:
                    raise ValueError(f"column '{name}' is a feature, and cannot be the task's, target's or agent's "
                                     "too; rename one")
        file.features = features + ([_core.intercept_name] if self.fit_intercept else [])
        file.save(path_text(path))

    def _labels(self, scores: Floats) -> NDArray[Any]:
        places = scores.argmax(axis=1) if scores.ndim == 2 else (_core.probabilities(scores) >= 0.5).astype(np.intp)
        labels: NDArray[Any] = np.asarray(self.classes_)[places]
        return labels

    def _probabilities(self, scores: Floats) -> Floats:
        if scores.ndim == 2:
            return _core.label_probabilities(scores)
        second = _core.probabilities(scores)
        return np.column_stack([1.0 - second, second])

    def _true_values(self, y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Targets as predictions are, and which rows have one."""
        form = self._form()
        if form.recipe is None:
            targets = self._targets(y, form)
            if self._is_classifier():
                targets = np.asarray(self.classes_)[(targets > 0).astype(np.intp)]
            return targets, np.full(len(targets), True)
        cells = cells_of([] if y is None else y, "y")
        if not self._is_classifier():
            numbers = target_numbers(cells)
            return numbers, ~np.isnan(numbers)
        places = label_positions(cells, form.recipe.labels)
        return np.asarray(self.classes_)[places], places >= 0

    def _mean_score(self, rows: Floats, keys: list[Hashable], y: Any) -> float:
        """scikit-learn's measure of each known task, averaged over the tasks."""
        try:
            from sklearn.metrics import accuracy_score, r2_score
        except ImportError:
            raise ImportError("score needs scikit-learn; install the package scikit-learn") from None
        targets, present = self._true_values(y)
        check_lengths(rows, targets)
        if not present.all():
            warn(f"{(~present).sum()} rows without a target left out", RecipeWarning)
            rows, targets = rows[present], targets[present]
            keys = [key for key, is_present in zip(keys, present.tolist()) if is_present]
        chosen = self._scored_keys(keys)
        if chosen:
            of_chosen = np.array([key in chosen for key in keys])
            rows, targets = rows[of_chosen], targets[of_chosen]
            keys = [key for key in keys if key in chosen]
        predicted = self._answers(self._scores_by_key(rows, keys) if chosen else self._mean_scores(rows))
        measure = accuracy_score if self._is_classifier() else r2_score
        values = [measure(targets[members], predicted[members]) for members in _members(keys).values()
                  if self._is_classifier() or len(targets[members]) > 1]
        return float(np.mean(values)) if values else float("nan")

    def _scored_keys(self, keys: list[Hashable]) -> set[Hashable]:
        """Those known; none if their rows do not give a score: R^2 needs two."""
        counts = Counter(keys)
        if self._predicts_new():
            return set(counts)
        known = {key for learner in self._of_labels() for key in learner._keys()}
        chosen = known & counts.keys()
        if not self._is_classifier() and all(counts[key] < 2 for key in chosen):
            chosen = set()
        lost = len(counts.keys() - known)
        if lost:
            how = "left out of the score" if chosen else "scored by the mean of the known tasks' models"
            warn(f"{lost} of {len(counts)} tasks of these rows are not known: {how}; learn them first, or shuffle the "
                 "rows of folds: cv=KFold(3, shuffle=True)", RecipeWarning)
        return chosen


def features_in(streams: list[list[Batch]]) -> int:
    """With the intercept, if there is one."""
    return int(next(batch for stream in streams for batch in stream).X.shape[1])


def _members(keys: list[Hashable]) -> dict[Hashable, Any]:
    """The places of every key."""
    if len(set(keys)) == 1:
        return {keys[0]: slice(None)}
    places: dict[Hashable, list[int]] = {}
    for k, key in enumerate(keys):
        places.setdefault(key, []).append(k)
    return dict(places)
