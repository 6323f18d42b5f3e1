# SPDX-License-Identifier: Apache-2.0
"""Arrays and data frames as rows that the core can take."""
from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
    """The columns of a data frame that are not features."""

    task: str
    target: str
    agent: str | None = None


@dataclass
class Form:
    """What the rows of all tasks have in common, as far as the rows read so far show it."""

    features: int | None = None
    names: list[str] | None = None
    classes: NDArray[Any] | None = None
    learned_with: tuple[Any, ...] = ()  # settings as they were when learning began
    recipe: _core.Recipe | None = None  # rows that are learned have been prepared by it


def in_one_line(text: str) -> str:
    """For a message, cut to a readable length."""
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def shown(value: Any) -> str:
    return in_one_line(repr(value))


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def checked_text(text: str, what: str) -> str:
    """Text that a file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what}: {shown(text)} is not Unicode text; correct it") from None
    if "\0" in text:
        raise ValueError(f"{what}: {shown(text)} holds a NUL character; remove it")
    return text


def path_text(path: str | bytes | os.PathLike[str]) -> str:
    text = checked_text(os.fsdecode(path), "path")
    if not text:
        raise ValueError("path: is empty; name a file")
    return text


def name_of(value: Any, what: str) -> str:
    """A task's or an agent's name: text or a whole number."""
    if isinstance(value, str):
        name = checked_text(str(value), what)
    elif is_whole(value):
        name = str(int(value))
    elif is_missing(value):
        raise ValueError(f"{what}: a name is missing; name it or remove the row")
    else:
        raise ValueError(f"{what}: {shown(value)} is not a name; give text or a whole number")
    _core.check_not_blank(name, what)
    if name != name.strip():
        raise ValueError(f"{what}: the name {shown(name)} has spaces around it; remove them")
    return name


def is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float)
                                                                               and value != value)


def task_name(task: Any) -> str:
    return name_of(task, "task")


def is_one_name(names: Any) -> bool:
    return (isinstance(names, (str, bytes)) or not isinstance(names, Iterable)
            or (isinstance(names, np.ndarray) and names.ndim == 0))


def items_per_row(given: Any, rows: int, what: str) -> list[Any]:
    """One per row, each of its original type."""
    if isinstance(given, (list, tuple)):
        items = list(given)
    elif hasattr(given, "tolist") and not isinstance(given, np.ndarray):  # a column of a data frame
        items = given.tolist()
    else:
        array = _plain_array(given, what)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise ValueError(f"{what}: has the shape {array.shape}, and there are {rows} rows; give one or one per row")
        items = array.tolist()
    if len(items) != rows:
        raise ValueError(f"{what}: has {len(items)} names, and there are {rows} rows; give one or one per row")
    return items


def names_per_row(names: Any, rows: int, what: str = "task") -> NDArray[np.str_]:
    """One name per row, from one name or a list with one per row."""
    if is_one_name(names):
        return np.full(rows, name_of(names, what))
    return np.array([name_of(name, what) for name in items_per_row(names, rows, what)], dtype=np.str_)


def runs(names: NDArray[np.str_]) -> list[tuple[str, int, int, bool]]:
    """Consecutive rows of one name: (name, first, one past the last, whether it has rows elsewhere)."""
    if names.size == 0:
        raise ValueError("no rows; give at least one")
    borders = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1).tolist(), names.size]
    found = [str(names[first]) for first in borders[:-1]]
    counts = Counter(found)
    return [(name, first, end, counts[name] > 1) for name, first, end in zip(found, borders[:-1], borders[1:])]


def _plain_array(values: Any, what: str) -> NDArray[Any]:
    """Refuses what would silently become other numbers."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{what} has masked entries; remove or fill them")
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"{what} is complex: Complex data not supported; give real numbers")
    if array.dtype.kind in "mM":
        raise ValueError(f"{what} holds dates or times; turn them into numbers or text")
    if array.dtype.names is not None:
        raise ValueError(f"{what} has named fields; give a plain array or a data frame")
    return array


def _floats(array: NDArray[Any], what: str) -> Floats:
    try:
        return np.asarray(array, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{what} holds numbers beyond 1e30; scale such values down, or remove the row") from None


def _as_core_views_it(array: Floats) -> Floats:
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    return np.require(array, requirements=["C", "ALIGNED"])


def as_array(X: Any) -> Floats:
    """M x d float64, C-contiguous: X itself if it is that already, otherwise one copy."""
    if hasattr(X, "toarray") and not isinstance(X, np.ndarray):
        raise TypeError("X is sparse, and dense rows are needed; Sparse data was passed: use X.toarray()")
    given = _plain_array(X, "X")
    try:
        rows = _floats(given, "X")
    except ValueError:
        check_numbers(given.flat, "X", "features are numbers; encode or remove such columns")
        raise
    if rows.ndim != 2:
        raise ValueError(f"X has {rows.ndim}, not 2 dimensions; Reshape your data to one row per sample")
    return _as_core_views_it(rows)


def as_matrix(values: Any, what: str) -> Floats:
    """A matrix of numbers that a setting gives."""
    try:
        matrix = _floats(_plain_array(values, what), what)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2:
        raise ValueError(f"{what}: {shown(values)} is not a matrix of real numbers; give a 2-D array")
    return matrix


def as_targets(y: Any) -> NDArray[Any]:
    """y in one dimension, of its own type."""
    if y is None:
        raise ValueError("y should be a 1d array, and is None; give the targets")
    targets = _plain_array(y, "y")
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if targets.ndim != 1:
        raise ValueError(f"y should be a 1d array, and has {targets.ndim} dimensions; give one target per row")
    return targets


def as_numbers(y: NDArray[Any]) -> Floats:
    try:
        return _as_core_views_it(_floats(y, "y"))
    except (TypeError, ValueError):
        check_numbers(y, "y", "give numbers, or problem='classification' for labels")
        raise


def check_numbers(values: Iterable[Any], what: str, remedy: str) -> None:
    """Names the first that is not a number."""
    for value in values:
        try:
            float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{what}: '{value}' is not a number; {remedy}") from None
        except OverflowError:
            return


def as_labels(y: NDArray[Any]) -> NDArray[Any]:
    """Labels in an array of objects as an array of their own type."""
    if y.dtype.kind != "O":
        return y
    if any(isinstance(label, str) for label in y):
        return np.array([str(label) for label in y])
    return np.array(y.tolist()) if y.size > 0 else y


def as_signs(labels: NDArray[Any]) -> Floats:
    """-1 and +1, of labels that the program knows."""
    if labels.dtype.kind in "US":
        return _core.signs_of_words([checked_text(str(label), "y") for label in labels], "y")
    return _core.signs_of_numbers(as_numbers(labels), "y")


def classes_of(labels: NDArray[Any]) -> NDArray[Any]:
    """The two labels as written; the second is predicted as +1."""
    if labels.dtype.kind == "b":
        return np.array([False, True])
    if labels.dtype.kind in "US":
        spelling = {str(word).strip().lower(): str(word) for word in labels[::-1]}
        return np.array([spelling.get(word, word) for word in ("false", "true")])
    numbers = np.array([-1, 1]) if (labels < 0).any() else np.array([0, 1])
    return numbers.astype(labels.dtype) if labels.dtype.kind in "iuf" else numbers


def kind_of(labels: NDArray[Any]) -> str | None:
    """How labels are written; None if they do not say."""
    if labels.dtype.kind == "b":
        return "False and True"
    if labels.dtype.kind in "US":
        return "words"
    if (labels < 0).any():
        return "-1 and 1"
    return "0 and 1" if (labels == 0).any() else None


def check_same_kind(labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Checks that labels are written as before."""
    found, before = kind_of(labels), kind_of(classes)
    if found is not None and found != before:
        raise ValueError(f"y: the labels are {found}, and those before were {before}; write them as before")


def with_intercept(X: Floats) -> Floats:
    rows = np.empty((X.shape[0], X.shape[1] + 1))
    rows[:, :-1] = X
    rows[:, -1] = 1.0
    return rows


def check_lengths(X: Floats, y: NDArray[Any]) -> None:
    if X.shape[0] != y.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and y has {y.shape[0]}; give one target per row")


def is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def check_feature_names(names: list[str]) -> None:
    """By the program's rules for a file's columns."""
    _check_differ(names)
    for name in names:
        checked_text(name, "column")
        if name != name.strip() or not name:
            raise ValueError(f"column {shown(name)} has no name or one with spaces around it; rename it")
        if name == _core.intercept_name:
            raise ValueError(f"a column may not be named '{name}'; rename it, or remove it: "
                             "an intercept is added to the features")


def _check_differ(names: list[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"column '{name}' appears twice; rename or remove one")


def columns_by_name(frame: Any) -> dict[str, Any]:
    """Column names need not be text; they are found by their text form."""
    names = [str(name) for name in frame.columns]
    _check_differ(names)
    return dict(zip(names, frame.columns))


def _found(name: str, given: dict[str, Any], remedy: str) -> Any:
    if name not in given:
        raise ValueError(f"no column '{name}' (there are {_core.listed(list(given))}); {remedy}")
    return given[name]


def has_column(X: Any, name: str) -> bool:
    return is_frame(X) and any(str(each) == name for each in X.columns)


def column(frame: Any, name: str, remedy: str) -> Any:
    return frame[_found(name, columns_by_name(frame), remedy)]


def feature_columns(frame: Any, columns: Columns) -> list[str]:
    """A frame's columns that are features."""
    names = [name for name in columns_by_name(frame) if name not in columns]
    check_feature_names(names)
    return names


def frame_rows(frame: Any, features: Sequence[str]) -> Floats:
    """The features' columns, found by their names."""
    given = columns_by_name(frame)
    labels = [_found(name, given, "give every feature the model was trained on") for name in features]
    try:
        return as_array(frame[labels].to_numpy())
    except (TypeError, ValueError):
        for name, label in zip(features, labels):
            check_numbers(frame[label], f"column '{name}'", "features are numbers; encode or remove the column")
        raise


def default_features(count: int) -> list[str]:
    """The names that the program gives to features without names."""
    return [f"x{k + 1}" for k in range(count)]
