# SPDX-License-Identifier: Apache-2.0
"""Data sets that users make."""
import numpy as np
import pandas
import pytest

from colla import datasets
from conftest import sample_tasks

X, Y, TASK = sample_tasks(1)[0]


def data_set(X, y, task="1", problem="regression"):
    return datasets.Dataset("mine", problem, ["a", "b", "c"], {"agent-0": [(X, y, task)]})


def rows_of(part):
    return [(X.tolist(), y.tolist(), task) for X, y, task in part.streams["agent-0"]]


WHOLE = np.round(10 * X)


@pytest.mark.parametrize("X, y, task", [(WHOLE.astype(np.float32), np.round(Y), "1"),
                                        (np.asfortranarray(WHOLE), np.round(Y), "1"),
                                        (WHOLE.tolist(), np.round(Y).astype(int).tolist(), 1)])
def test_rows_of_any_kind_are_split(X, y, task):
    expected = data_set(WHOLE, np.round(Y)).split(0.25)
    for found, part in zip(data_set(X, y, task).split(0.25), expected):
        assert rows_of(found) == rows_of(part)


def test_frames_in_a_data_set_are_read_by_its_features():
    backwards = pandas.DataFrame(WHOLE[:, ::-1], columns=["c", "b", "a"])
    mine, expected = data_set(backwards, pandas.Series(Y, index=range(50, 62))), data_set(WHOLE, Y)
    assert rows_of(mine.split(0.0)[0]) == rows_of(expected.split(0.0)[0])
    assert mine.frame().equals(expected.frame())


def test_labels_are_split_as_signs():
    labels = (Y > np.median(Y)).astype(int)
    expected = data_set(X, 2.0 * labels - 1, problem="classification").split()
    for found, part in zip(data_set(X, labels, problem="classification").split(), expected):
        assert rows_of(found) == rows_of(part)


@pytest.mark.parametrize("arguments, message", [((X, Y[:5]), "X has 12 rows and y has 5; give one target per row"),
                                                ((X[:, :2], Y), "task '1': X has 2 features, the agent 3"),
                                                ((X, Y, None), "task: a name is missing")])
def test_rows_that_do_not_fit_together_are_not_split(arguments, message):
    with pytest.raises(ValueError, match=message):
        data_set(*arguments).split()


def test_data_sets_are_compared_by_identity():
    made = datasets.make_tasks()
    assert made == made and made != datasets.make_tasks()
