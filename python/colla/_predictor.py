# SPDX-License-Identifier: Apache-2.0
"""What learned models are used for, whoever learned them."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from colla import _core
from colla._rows import (Batch, Columns, Floats, as_array, as_numbers, as_signs, as_targets, check_features, classes_of,
                         default_features, feature_columns, frame_rows, is_frame, task_name, with_intercept)
from colla._settings import Estimator, not_fitted


class Predictor(Estimator):
    """Takes rows in all their forms; its features are those of the first rows that it has learned from.

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

    def __sklearn_is_fitted__(self) -> bool:
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _columns(self) -> Columns:
        return Columns(self.task_column, self.target_column, getattr(self, "agent_column", None))

    def _is_classifier(self) -> bool:
        return self.problem == "classification"

    def _forget_features(self) -> None:
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            vars(self).pop(name, None)

    def _batch(self, X: Any, y: Any, task: Any, features: int | None, more_elsewhere: bool = False) -> Batch:
        """Rows of one task to learn; `features` says how many there were before."""
        name = task_name(task)
        targets = self._targets(y)
        rows = self._raw_rows(X)
        check_some_features(rows)
        if features is not None:
            check_features(rows.shape[1], features)
        check_lengths(rows, targets)
        _core.check_row_count(name, len(rows), more_elsewhere, "")
        return Batch(with_intercept(rows) if self.fit_intercept else rows, targets, name)

    def _feature_count(self, batch: Batch) -> int:
        """Without the intercept."""
        return int(batch.X.shape[1]) - bool(self.fit_intercept)

    def _raw_rows(self, X: Any) -> Floats:
        """The features' numbers, in the order in which they were learned."""
        if is_frame(X):
            known = getattr(self, "feature_names_in_", None)
            return frame_rows(X, feature_columns(X, self._columns()) if known is None else list(known))
        return as_array(X)

    def _rows(self, X: Any) -> Floats:
        """Rows to predict."""
        rows = self._raw_rows(X)
        check_features(rows.shape[1], self.n_features_in_)
        return with_intercept(rows) if self.fit_intercept else rows

    def _targets(self, y: Any) -> Floats:
        targets = as_targets(y)
        return as_signs(targets) if self._is_classifier() else as_numbers(targets)

    def _note_features(self, names: list[str] | None, count: int) -> None:
        """Remembers the features of the first rows."""
        if hasattr(self, "n_features_in_"):
            return
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = count

    def _note_classes(self, y: Any) -> None:
        if self._is_classifier() and not hasattr(self, "classes_"):
            self.classes_ = classes_of(as_targets(y))

    def _feature_names(self) -> list[str]:
        """As a model file has them."""
        known = getattr(self, "feature_names_in_", None)
        names = default_features(self.n_features_in_) if known is None else [str(name) for name in known]
        return names + ([_core.intercept_name] if self.fit_intercept else [])

    def _labels(self, scores: Floats) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[(_core.probabilities(scores) >= 0.5).astype(np.intp)]
        return labels

    def _probabilities(self, scores: Floats) -> Floats:
        second = _core.probabilities(scores)
        return np.column_stack([1.0 - second, second])

    def _mean_score(self, names: NDArray[np.str_], y: Any, predicted: NDArray[Any]) -> float:
        """scikit-learn's measure of each task, averaged over the tasks."""
        from sklearn.metrics import accuracy_score, r2_score

        measure = accuracy_score if self._is_classifier() else r2_score
        targets = as_targets(y)
        return float(np.mean([measure(targets[names == name], predicted[names == name])
                              for name in dict.fromkeys(names.tolist())]))


def check_lengths(X: Floats, y: NDArray[Any]) -> None:
    if X.shape[0] != y.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and y has {y.shape[0]}; give one target per row")


def check_some_features(X: Floats) -> None:
    if X.shape[1] == 0:
        raise ValueError("X has no columns; give at least one feature")
