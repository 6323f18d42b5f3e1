# SPDX-License-Identifier: Apache-2.0
"""Prediction and scoring, the same for all learners."""
from __future__ import annotations

import copy
import os
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from colla import _core
from colla._rows import (Batch, Columns, Floats, Form, as_array, as_labels, as_numbers, as_signs, as_targets,
                         check_lengths, check_same_kind, classes_of, column, default_features,
                         feature_columns, frame_rows, has_column, is_frame, path_text, task_name, with_intercept)
from colla._settings import Estimator, choice, flag, has_labels, not_fitted, text

LEARNED_WITH = ("problem", "fit_intercept")


class Predictor(Estimator):
    """Takes rows in all their forms; the first learned rows fix the features.

    Attributes
    ----------
    n_features_in_ : int
        Features of a row, without the intercept.
    feature_names_in_ : ndarray of str
        Their names, if the rows were a data frame.
    classes_ : ndarray
        The two labels, in classification.
    """

    fit_intercept: bool
    task_column: str
    target_column: str

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    classes_: NDArray[Any]
    _learned_with: tuple[Any, ...]

    def __sklearn_is_fitted__(self) -> bool:
        raise NotImplementedError

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # two learners never share what they learn

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _columns(self) -> Columns:
        names = [text(name, getattr(self, name)) for name in ("task_column", "target_column", "agent_column")
                 if hasattr(self, name)]
        if len(set(names)) < len(names):
            raise ValueError(f"columns {', '.join(names)}: two of them have the same name; name different columns")
        return Columns(*names)

    def _is_classifier(self) -> bool:
        return has_labels(self.problem)

    def _new_form(self) -> Form:
        """Of rows about which nothing is known."""
        choice("problem", self.problem, _core.Problem)
        flag("fit_intercept", self.fit_intercept)
        self._columns()
        return Form(learned_with=tuple(getattr(self, name) for name in LEARNED_WITH))

    def _form(self) -> Form:
        """Of the rows learned from so far."""
        if not self.__sklearn_is_fitted__():
            return self._new_form()
        for name, value in zip(LEARNED_WITH, self._learned_with):
            if getattr(self, name) != value:
                raise ValueError(f"{name} has changed since learning; call fit, or set it back")
        names = getattr(self, "feature_names_in_", None)
        classes = np.asarray(self.classes_) if hasattr(self, "classes_") else None
        return Form(self.n_features_in_, None if names is None else list(names), classes, self._learned_with)

    def _note(self, form: Form, **learned: Any) -> None:
        """Remembers what was learned and the form of its rows, all at once for other threads."""
        noted: dict[str, Any] = {"n_features_in_": form.features, "_learned_with": form.learned_with} | learned
        if form.names is not None:
            noted["feature_names_in_"] = np.array(form.names, dtype=object)
        if form.classes is not None:
            noted["classes_"] = form.classes
        for name in {"feature_names_in_", "classes_"} - noted.keys():
            vars(self).pop(name, None)
        vars(self).update(noted)

    def _batch(self, X: Any, y: Any, task: Any, form: Form, more_elsewhere: bool = False) -> Batch:
        """Rows of one task to learn, converted to this form if needed."""
        name = task_name(task)
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
        rows = self._raw_rows(X, self._form())
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

    def _write(self, file: _core.Model, path: str | os.PathLike[str]) -> None:
        form = self._form()
        assert form.features is not None
        features = default_features(form.features) if form.names is None else form.names
        columns = self._columns()
        file.task_column = columns.task
        file.target_column = columns.target
        if columns.agent is not None:
            file.agent_column = columns.agent
        while columns.agent is None and file.agent_column in features:
            file.agent_column += "_"  # of the only agent, which has no name
        for name in (file.task_column, file.target_column, file.agent_column):
            if name in features:
                raise ValueError(f"column '{name}' is a feature, and cannot be the task's, target's or agent's too; "
                                 "rename one")
        file.features = features + ([_core.intercept_name] if self.fit_intercept else [])
        file.save(path_text(path))

    def _labels(self, scores: Floats) -> NDArray[Any]:
        labels: NDArray[Any] = np.asarray(self.classes_)[(_core.probabilities(scores) >= 0.5).astype(np.intp)]
        return labels

    def _probabilities(self, scores: Floats) -> Floats:
        second = _core.probabilities(scores)
        return np.column_stack([1.0 - second, second])

    def _mean_score(self, names: NDArray[np.str_], y: Any, predicted: NDArray[Any]) -> float:
        """scikit-learn's measure of each task, averaged over the tasks."""
        try:
            from sklearn.metrics import accuracy_score, r2_score
        except ImportError:
            raise ImportError("score needs scikit-learn; install the package scikit-learn") from None
        measure = accuracy_score if self._is_classifier() else r2_score
        targets = self._targets(y, self._form())
        check_lengths(predicted, targets)
        if self._is_classifier():
            targets = np.asarray(self.classes_)[(targets > 0).astype(np.intp)]
        return float(np.mean([measure(targets[names == name], predicted[names == name])
                              for name in dict.fromkeys(names.tolist())]))
