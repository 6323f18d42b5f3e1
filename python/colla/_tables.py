# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames as numbers and words, with missing cells."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colla import _core
from colla._rows import Columns, Floats, check_feature_names, checked_text, columns_by_name, is_frame, is_missing

CATEGORIES = ("CategoricalDtype", "Categorical", "Enum")  # types of pandas' and polars' columns
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Cells:
    """A column: numbers, NaN where missing; or codes of words, -1 where missing."""

    numbers: Floats | None = None
    codes: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    words: list[str] = field(default_factory=list)  # all different
    values: list[Any] = field(default_factory=list)  # the words as they were given
    is_category: bool = False  # words, even if they are numbers
    is_whole: bool = False  # numbers of a type that has only whole ones

    def __len__(self) -> int:
        return len(self.codes if self.numbers is None else self.numbers)

    def column(self, name: str) -> _core.Column:
        if self.numbers is not None:
            return _core.Column.numbers(name, np.ascontiguousarray(self.numbers))
        return _core.Column.words(name, self.codes, self.words)

    def as_words(self) -> Cells:
        if self.numbers is None:
            return self
        different, codes = np.unique(self.numbers, return_inverse=True)
        return _words(codes, different.tolist(), "", False)


def cells_of(values: Any, what: str) -> Cells:
    """The cells of a data frame's column or of an array; `what` names it in messages."""
    if is_frame(values) and len(values.columns) == 1:
        values = values[values.columns[0]]
    is_category = type(getattr(values, "dtype", None)).__name__ in CATEGORIES
    if hasattr(values, "factorize"):  # pandas
        return _pandas_cells(values, what, is_category)
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{what} should be a 1d array, and has {array.ndim} dimensions; give one value per row")
    return _array_cells(array, what, is_category)


def _pandas_cells(values: Any, what: str, is_category: bool) -> Cells:
    kind = values.dtype.kind
    if kind in "iuf" and not is_category:
        return Cells(values.to_numpy(dtype=np.float64, na_value=np.nan), is_whole=kind != "f")
    if kind in "M":
        return _array_cells(values.to_numpy(dtype="datetime64[us]"), what, False)
    _refuse(kind, what)
    try:
        codes, found = values.factorize()
    except TypeError:
        raise ValueError(f"{what} holds values that are neither numbers nor words; convert them") from None
    return _words(codes, list(found), what, is_category)


def _array_cells(array: NDArray[Any], what: str, is_category: bool) -> Cells:
    kind = array.dtype.kind
    _refuse(kind, what)
    if kind in "iuf":
        return Cells(np.ascontiguousarray(array, dtype=np.float64), is_whole=kind != "f")
    if kind == "M":
        different, codes = np.unique(array.astype("datetime64[us]"), return_inverse=True)
        texts = np.where(np.isnat(different), "", np.datetime_as_string(different))
        return _words(codes, texts.tolist(), what, False)
    if kind == "O":
        places: dict[Any, int] = {}
        try:
            codes = np.array([places.setdefault(value, len(places)) for value in array.tolist()], dtype=np.int64)
        except TypeError:
            raise ValueError(f"{what} holds values that are neither numbers nor words; convert them") from None
        return _words(codes, list(places), what, is_category)
    found, codes = np.unique(array, return_inverse=True)
    return _words(codes, found.tolist(), what, is_category)


def _refuse(kind: str, what: str) -> None:
    if kind == "m":
        raise ValueError(f"{what} holds durations; turn them into numbers")
    if kind == "c":
        raise ValueError(f"{what} is complex: Complex data not supported; give real numbers")


def _words(codes: NDArray[Any], found: list[Any], what: str, is_category: bool) -> Cells:
    """Of values that may have the same text, or stand for missing cells, as in a CSV file."""
    places: dict[str, int] = {}
    values: list[Any] = []
    place_of = np.full(len(found) + 1, -1, dtype=np.int32)  # the last is that of code -1
    for k, value in enumerate(found):
        text = _text(value, what)
        if _core.is_missing(text):
            continue
        if text not in places:
            places[text] = len(places)
            values.append(value)
        place_of[k] = places[text]
    return Cells(None, place_of[codes], list(places), values, is_category)


def _text(value: Any, what: str) -> str:
    """As it would stand in a CSV file."""
    if is_missing(value):
        return ""
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return _core.shortest_text(float(value))
    return checked_text(str(value), what).strip()


def joined(parts: Sequence[Cells]) -> Cells:
    """The cells of several columns, one below the other."""
    if len(parts) == 1:
        return parts[0]
    if all(part.numbers is not None or not part.words for part in parts):
        return Cells(np.concatenate([np.full(len(part), np.nan) if part.numbers is None else part.numbers
                                     for part in parts]), is_whole=all(part.is_whole for part in parts))
    as_words = [part.as_words() for part in parts]
    values: dict[str, Any] = {}
    for part in as_words:
        values = dict(zip(part.words, part.values)) | values
    places = {word: k for k, word in enumerate(values)}
    codes = [np.array([*(places[word] for word in part.words), -1], dtype=np.int32)[part.codes] for part in as_words]
    return Cells(None, np.concatenate(codes), list(values), list(values.values()),
                 any(part.is_category for part in parts))


def feature_cells(X: Any, columns: Columns, names: list[str] | None) -> dict[str, Cells]:
    """A frame's columns other than the task's, the target's and the agent's; of an array, the columns with these names.
    `names` are the known features: others are left out."""
    if is_frame(X):
        given = columns_by_name(X)
        wanted = [name for name in given if (name not in columns if names is None else name in names)]
        if names is None:
            check_feature_names(wanted)
        return {name: cells_of(X[given[name]], f"column '{name}'") for name in wanted}
    if names is None:
        raise ValueError("the first rows are an array, whose columns have no names; give a data frame first")
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X has {array.ndim}, not 2 dimensions; Reshape your data to one row per sample")
    _core.check_features(array.shape[1], len(names), "")
    return {name: cells_of(array[:, k], f"column '{name}'") for k, name in enumerate(names)}


def table_of(cells: dict[str, Cells]) -> _core.Table:
    return _core.Table([each.column(name) for name, each in cells.items()])


def _same_label(word: str) -> str:
    """1, 1.0 and +1 are one label."""
    return _core.shortest_text(float(word)) if _core.is_number(word) else word


def classes_of_labels(labels: Iterable[str], target: Cells | None = None) -> NDArray[Any]:
    """A recipe's labels as they were given, or else as numbers, truth values or words."""
    names = list(labels)
    if target is not None and target.numbers is None:
        given = {_same_label(word): value for word, value in zip(target.words, target.values)}
        values = [given.get(name, name) for name in names]
        return np.array(values, dtype=None if len({type(value) for value in values}) == 1 else object)
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    if not all(_core.is_number(name) for name in names):
        return np.array(names)
    numbers = np.array([float(name) for name in names])
    is_whole = (numbers == np.floor(numbers)).all() if target is None else target.is_whole
    return numbers.astype(np.int64) if is_whole else numbers


def label_positions(target: Cells, labels: Sequence[str]) -> NDArray[np.intp]:
    """The place of every row's label; -1 where it is missing."""
    cells = target.as_words()
    place_of = np.full(len(cells.words) + 1, -1, dtype=np.intp)
    for k, word in enumerate(cells.words):
        if _same_label(word) not in labels:
            raise ValueError(f"y: '{word}' is no label that training had; labels are {_core.listed(list(labels))}")
        place_of[k] = labels.index(_same_label(word))
    return place_of[cells.codes]


def target_numbers(target: Cells) -> Floats:
    """NaN where missing."""
    if target.numbers is not None:
        return target.numbers
    for word in target.words:
        if not _core.is_number(word):
            raise ValueError(f"y: '{word}' is not a number; give numbers, or problem='classification' for labels")
    return np.array([*(float(word) for word in target.words), np.nan])[target.codes]
