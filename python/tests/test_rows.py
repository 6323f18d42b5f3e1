# SPDX-License-Identifier: Apache-2.0
"""Rows of every kind give the bits of C-contiguous float64 rows, which are not copied."""
import numpy as np
import pandas
import pytest

from colla import LifelongLearner, Network
from colla._rows import as_array
from conftest import knowledge, sample_tasks

WHOLE = np.random.default_rng(3).integers(-9, 9, size=(20, 4))
TARGETS = (WHOLE @ [1, -2, 3, 1] + 1).astype(float)


def learned(X, y, **settings):
    return knowledge(LifelongLearner(recipe=None, **settings).fit(X, y))


def misaligned(X):
    memory = np.empty(X.nbytes + 1, dtype=np.uint8)[1:]
    array = np.frombuffer(memory, dtype=np.float64).reshape(X.shape)
    array[:] = X
    assert not array.flags.aligned
    return array


VARIANTS = {
    "integers": WHOLE,
    "int8": WHOLE.astype(np.int8),
    "float32": WHOLE.astype(np.float32),
    "other bytes": WHOLE.astype(">f8"),
    "Fortran": np.asfortranarray(WHOLE.astype(float)),
    "every other column": np.repeat(WHOLE.astype(float), 2, axis=1)[:, ::2],
    "every other row": np.repeat(WHOLE.astype(float), 2, axis=0)[::2],
    "backwards": np.ascontiguousarray(WHOLE.astype(float)[::-1])[::-1],
    "misaligned": misaligned(WHOLE.astype(float)),
    "lists": WHOLE.tolist(),
    "objects": WHOLE.astype(object),
    "frame": pandas.DataFrame(WHOLE),
}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", VARIANTS)
def test_other_kinds_of_rows_give_the_same_bits(kind, intercept):
    expected = learned(WHOLE.astype(float), TARGETS, fit_intercept=intercept)
    assert np.array_equal(learned(VARIANTS[kind], TARGETS, fit_intercept=intercept), expected)


@pytest.mark.parametrize("targets", [TARGETS.astype(np.float32), TARGETS.astype(int), TARGETS.tolist(),
                                     np.repeat(TARGETS, 2)[::2], TARGETS[:, None], pandas.Series(TARGETS)])
def test_other_kinds_of_targets_give_the_same_bits(targets):
    assert np.array_equal(learned(WHOLE, targets), learned(WHOLE.astype(float), TARGETS))


def test_a_row_repeated_without_memory_of_its_own_is_learned():
    X = np.broadcast_to(np.array([1.0, 2.0]), (6, 2))
    assert np.array_equal(learned(X, TARGETS[:6], fit_intercept=False),
                          learned(X.copy(), TARGETS[:6], fit_intercept=False))


def test_rows_of_the_cores_kind_are_not_copied():
    X = WHOLE.astype(float)
    assert as_array(X) is X
    assert np.shares_memory(as_array(X[5:9]), X)
    assert not np.shares_memory(as_array(np.asfortranarray(X)), X)


def test_rows_may_be_read_only_and_stay_as_they_are():
    X, y = WHOLE.astype(float), TARGETS.copy()
    X.flags.writeable = y.flags.writeable = False
    expected = learned(X.copy(), y.copy(), fit_intercept=False)
    assert np.array_equal(learned(X, y, fit_intercept=False), expected)
    assert np.array_equal(X, WHOLE)


def frame_of(tasks, **columns):
    parts = [pandas.DataFrame(X, columns=["a", "b", "c"]).assign(task=task, y=y) for X, y, task in tasks]
    return pandas.concat(parts, ignore_index=True).assign(**columns)


def test_a_frame_with_a_task_column_is_its_tasks_one_after_another():
    tasks = sample_tasks(3)
    by_hand = LifelongLearner(method="colla")
    for X, y, task in tasks:
        by_hand.partial_fit(X, y, task=task)
    frame = frame_of(tasks)
    learner = LifelongLearner(method="colla", recipe=None).fit(frame)
    assert learner.tasks_ == by_hand.tasks_
    assert np.array_equal(knowledge(learner), knowledge(by_hand))
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    apart = LifelongLearner(method="colla", recipe=None).fit(frame.drop(columns="y"), frame["y"])
    assert np.array_equal(knowledge(apart), knowledge(by_hand))


def test_rows_to_predict_are_found_by_name_in_any_order():
    frame = frame_of(sample_tasks(3))
    learner = LifelongLearner().fit(frame)
    shuffled = frame.sample(frac=1, random_state=1)[["c", "y", "task", "a", "b"]].assign(more="text")
    assert np.array_equal(learner.predict(shuffled), learner.predict(frame)[shuffled.index])
    assert learner.score(shuffled) == pytest.approx(learner.score(frame), rel=1e-12)


def test_a_frames_other_column_names_can_be_said():
    frame = frame_of(sample_tasks(2))
    renamed = frame.rename(columns={"task": "subject", "y": "rating"})
    learner = LifelongLearner(task_column="subject", target_column="rating").fit(renamed)
    assert np.array_equal(knowledge(learner), knowledge(LifelongLearner().fit(frame)))


def test_a_frame_with_agents_is_a_network():
    streams = {"north": sample_tasks(3, seed=1), "south": sample_tasks(2, seed=2)}
    frame = pandas.concat([frame_of(tasks, agent=agent) for agent, tasks in streams.items()], ignore_index=True)
    network, by_hand = Network(recipe=None).fit(frame), Network().fit(streams)
    assert network.agents_ == ["north", "south"]
    assert np.array_equal(knowledge(network), knowledge(by_hand))
    assert np.array_equal(network.predict(frame.sample(frac=1, random_state=2)),
                          network.predict(frame)[frame.sample(frac=1, random_state=2).index])
