# SPDX-License-Identifier: Apache-2.0
"""Arrays and data frames as rows that the core can take."""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from colla import _core

Floats = NDArray[np.float64]


class Batch(NamedTuple):
    """The rows of one task, as they arrive."""

    X: Floats
    y: Floats
    task: str


class Columns(NamedTuple):
    """Where a data frame has what is no feature."""

    task: str
    target: str
    agent: str | None = None


def is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def as_array(X: Any) -> Floats:
    """M x d float64 in the order of C: X itself if it is that already, otherwise one copy."""
    if hasattr(X, "toarray") and not isinstance(X, np.ndarray):
        raise TypeError("X is sparse, and dense rows are needed; Sparse data was passed: use X.toarray()")
    rows = np.asarray(X)
    _check_real(rows, "X")
    rows = np.asarray(rows, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"X has {rows.ndim}, not 2 dimensions; Reshape your data to one row per sample")
    if not (rows.flags.c_contiguous and rows.flags.aligned):
        rows = np.require(rows, requirements=["C", "ALIGNED"])
    return rows


def _check_real(array: NDArray[Any], name: str) -> None:
    if array.dtype.kind == "c":
        raise ValueError(f"{name} is complex: Complex data not supported; give real numbers")


def as_targets(y: Any) -> NDArray[Any]:
    """y as one dimension, of the type it has."""
    if y is None:
        raise ValueError("y should be a 1d array, and is None; give the targets")
    targets = np.asarray(y)
    _check_real(targets, "y")
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if targets.ndim != 1:
        raise ValueError(f"y should be a 1d array, and has {targets.ndim} dimensions; give one target per row")
    return targets


def as_numbers(y: NDArray[Any]) -> Floats:
    return np.require(y, dtype=np.float64, requirements=["C", "ALIGNED"])


def _has_words(y: NDArray[Any]) -> bool:
    return y.dtype.kind in "US" or (y.dtype.kind == "O" and any(isinstance(label, str) for label in y))


def as_signs(y: NDArray[Any]) -> Floats:
    """Labels as -1 and +1: those that the program knows."""
    if _has_words(y):
        return _core.signs_of_words([str(label) for label in y], "y")
    return _core.signs_of_numbers(as_numbers(y), "y")


def classes_of(y: NDArray[Any]) -> NDArray[Any]:
    """The two labels, as `y` writes them, the second the one that is predicted as +1."""
    if y.dtype.kind == "b":
        return np.array([False, True])
    if _has_words(y):
        return np.array(["false", "true"])
    numbers = np.array([-1, 1]) if (y < 0).any() else np.array([0, 1])
    return numbers.astype(y.dtype) if y.dtype.kind in "iuf" else numbers


def with_intercept(X: Floats) -> Floats:
    rows = np.empty((X.shape[0], X.shape[1] + 1))
    rows[:, :-1] = X
    rows[:, -1] = 1.0
    return rows


def task_name(task: Any) -> str:
    if isinstance(task, str):
        name = task
    elif isinstance(task, (int, np.integer)) and not isinstance(task, bool):
        name = str(int(task))
    else:
        raise ValueError(f"task: {task!r} is not a name; give text or a whole number")
    if not name.strip():
        raise ValueError("task: the name is empty; name it or remove the row")
    return name


def is_one_name(task: Any) -> bool:
    return isinstance(task, (str, bool, int, float, np.generic)) or np.ndim(task) == 0


def names_per_row(tasks: Any, rows: int, what: str = "task") -> NDArray[np.str_]:
    """One name for every row, from one name or as many as there are rows."""
    if is_one_name(tasks):
        return np.full(rows, task_name(tasks))
    names = np.asarray(tasks)
    if names.shape != (rows,):
        raise ValueError(f"{what}: has {names.size} names, and there are {rows} rows; give one or one per row")
    return np.array([task_name(name) for name in names.tolist()], dtype=np.str_)


def runs(names: NDArray[np.str_]) -> list[tuple[str, int, int, bool]]:
    """Consecutive rows of one name: (name, first, behind the last, whether it has rows elsewhere)."""
    if names.size == 0:
        raise ValueError("no rows; give at least one")
    borders = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1).tolist(), names.size]
    found = [str(names[first]) for first in borders[:-1]]
    counts = Counter(found)
    return [(name, first, end, counts[name] > 1) for name, first, end in zip(found, borders[:-1], borders[1:])]


def column_names(frame: Any) -> list[str]:
    names = [str(name) for name in frame.columns]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"column '{name}' stands twice; rename or remove one")
    return names


def require_column(frame: Any, name: str, remedy: str) -> None:
    names = column_names(frame)
    if name not in names:
        raise ValueError(f"no column '{name}' (there are {', '.join(names)}); {remedy}")


def feature_columns(frame: Any, columns: Columns) -> list[str]:
    """A frame's columns that are features."""
    return [name for name in column_names(frame) if name not in columns]


def frame_rows(frame: Any, features: Sequence[str]) -> Floats:
    """The features' columns, found by their names."""
    for name in features:
        require_column(frame, name, "give every feature the model was trained on")
    names = list(frame.columns)
    positions = {str(name): name for name in names}
    try:
        return as_array(frame[[positions[name] for name in features]].to_numpy())
    except (TypeError, ValueError):
        for name in features:
            _check_numbers(frame[positions[name]], name)
        raise


def _check_numbers(column: Any, name: str) -> None:
    for value in column:
        try:
            float(value)
        except (TypeError, ValueError):
            raise ValueError(f"column '{name}': '{value}' is not a number; "
                             "features are numbers; encode or remove the column") from None


def default_features(count: int) -> list[str]:
    """The names that the program gives to features without names."""
    return [f"x{k + 1}" for k in range(count)]


def check_features(given: int, features: int) -> None:
    _core.check_features(given, features, "")
