# SPDX-License-Identifier: Apache-2.0
"""Networks whose agents tell of rows only what is differentially private."""
import copy
import pickle

import numpy as np
import pandas
import pytest

from colla import Network

PRIVACY = "epsilon=1,delta=1e-6,bound=4"


def related_tasks(seed=1, count=8, rows=60):
    random = np.random.default_rng(seed)
    tasks = []
    for k in range(count):
        X = random.normal(size=(rows, 2))
        theta = np.array([0.6, -0.4]) + 0.1 * random.normal(size=2)
        tasks.append((X, X @ theta + 0.3 * random.normal(size=rows), f"task-{k}"))
    return tasks


def network(**settings):
    return Network(2, compare=False, **settings)


def test_noise_is_another_one_each_time_whatever_the_seed():
    tasks = related_tasks()
    one, two = (network(privacy=PRIVACY, seed=1).fit(tasks) for _ in range(2))
    assert not np.array_equal(one.means_[0], two.means_[0])
    assert np.array_equal(network().fit(tasks).means_[0], network(privacy=None).fit(tasks).means_[0])


def test_noise_is_the_smaller_the_larger_epsilon():
    tasks = related_tasks(count=12, rows=400)
    mean = network().fit(tasks).means_[0]
    away = [np.abs(network(privacy=f"epsilon={epsilon},delta=1e-6,bound=4").fit(tasks).means_[0] - mean).max()
            for epsilon in (0.01, 100)]
    assert away[1] < 0.1 < away[0]


def test_tasks_are_predicted_from_their_own_rows():
    tasks = related_tasks(rows=400)
    private, exact = network(privacy=PRIVACY).fit(tasks), network().fit(tasks)
    for X, _, task in tasks:
        assert np.allclose(private.predict(X, task=task), exact.predict(X, task=task), atol=0.2)


def test_longer_rows_are_counted():
    tasks = related_tasks()
    rows = np.concatenate([np.column_stack([X, np.ones(len(y)), y]) for X, y, _ in tasks])
    longer = int((np.linalg.norm(rows, axis=1) > 2).sum())
    learned = network(privacy="epsilon=1,delta=1e-6,bound=2").fit(tasks)
    assert learned.released_ == {"rows": 480, "shortened": longer}
    with pytest.raises(AttributeError, match="privacy"):
        network().fit(tasks).released_


@pytest.mark.parametrize("privacy, reason", [
    ("epsilon=0,delta=1e-6,bound=4", "epsilon is 0"), ("epsilon=-1,delta=1e-6,bound=4", "epsilon is -1"),
    ("epsilon=1,delta=1,bound=4", "delta is 1"), ("epsilon=1,delta=1e-6", "no bound"),
    ("epsilon=1,delta=1e-6,bound=4,rows_per_person=0", "rows_per_person")])
def test_values_that_promise_nothing_are_refused(privacy, reason):
    with pytest.raises(ValueError, match=reason) as refusal:
        network(privacy=privacy).fit(related_tasks())
    assert str(refusal.value).startswith("privacy: ") and "\n" not in str(refusal.value)


def test_dictionaries_have_none():
    with pytest.raises(ValueError, match="privacy: is for method='bayes'"):
        network(privacy=PRIVACY, method="colla").fit(related_tasks())


def test_three_labels_are_refused():
    random = np.random.default_rng(2)
    frame = pandas.DataFrame({"a": random.normal(size=90), "task": np.repeat(["s", "t"], 45),
                              "y": np.tile(["red", "green", "blue"], 30)})
    with pytest.raises(ValueError, match="two labels"):
        network(privacy=PRIVACY, problem="classification").fit(frame)


def test_it_is_not_copied():
    learned = network(privacy=PRIVACY).fit(related_tasks())
    for copied in (pickle.dumps, copy.deepcopy):
        with pytest.raises(ValueError, match="privacy"):
            copied(learned)
