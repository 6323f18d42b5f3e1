# SPDX-License-Identifier: Apache-2.0
"""Copies, memory, and learners that stay as they were."""
import copy
import os
import pickle

import numpy as np
import pandas
import pytest
import sklearn.base

from colla import GoMTL, LifelongLearner, Network, OfflineCoLLA, datasets
from conftest import knowledge, sample_tasks

TASKS = datasets.make_tasks(n_agents=3, tasks_per_agent=4, n_features=5)


def again(learner):
    return pickle.loads(pickle.dumps(learner))


@pytest.mark.parametrize("duplicate", [again, copy.deepcopy])
@pytest.mark.parametrize("settings", [{}, dict(n_atoms=3, method="colla", solver="dense"),
                                      dict(n_atoms=3, method="colla", solver="matrix-free")])
def test_a_copy_goes_on_to_the_same_bits_after_revisits(duplicate, settings):
    tasks = sample_tasks(8, rows=3, features=6)
    learner = LifelongLearner(**settings)
    for X, y, task in tasks[:5] + [(tasks[0][0], -tasks[0][1], "task-1")]:
        learner.partial_fit(X, y, task=task)
    learner.forget("task-3")
    copied = duplicate(learner)
    assert copied.get_params() == learner.get_params()
    for X, y, task in tasks[5:]:
        learner.partial_fit(X, y, task=task)
        copied.partial_fit(X, y, task=task)
    assert np.array_equal(knowledge(copied), knowledge(learner))
    assert np.array_equal(copied.predict(X, task="task-0"), learner.predict(X, task="task-0"))


def test_a_copy_estimates_tasks_again_in_the_same_order():
    tasks = sample_tasks(50, labels=True)  # more than are estimated again at once
    learner = LifelongLearner(problem="classification")
    for X, y, task in tasks[:45]:
        learner.partial_fit(X, y, task=task)
    copied = again(learner)
    for X, y, task in tasks[45:]:
        learner.partial_fit(X, y, task=task)
        copied.partial_fit(X, y, task=task)
    assert np.array_equal(knowledge(copied), knowledge(learner))


@pytest.mark.parametrize("duplicate", [again, copy.deepcopy])
@pytest.mark.parametrize("method", ["bayes", "colla"])
def test_a_copied_network_goes_on_to_the_same_bits(duplicate, method):
    network = Network(graph="ring", method=method, exchanges="3+4/t")
    steps = [{agent: stream[t] for agent, stream in TASKS.streams.items()} for t in range(4)]
    for step in steps[:2]:
        network.partial_fit(step)
    copied = duplicate(network)
    for step in steps[2:]:
        network.partial_fit(step)
        copied.partial_fit(step)
    assert np.array_equal(knowledge(copied), knowledge(network))
    assert copied.history_ == network.history_


@pytest.mark.parametrize("learner", [GoMTL(), OfflineCoLLA(rho=1.0)])
def test_a_copy_of_an_offline_learner_predicts_the_same_bits(learner):
    learner.fit(TASKS)
    X = TASKS.streams["agent-1"][0].X
    assert np.array_equal(again(learner).predict(X, agent=1, task="task-2"), learner.predict(X, agent=1, task="task-2"))


@pytest.mark.parametrize("learner", [LifelongLearner(7, lam=0.5), Network(3, "star", rho=2.0), GoMTL(3),
                                     OfflineCoLLA(2)])
def test_a_clone_has_the_parameters_and_no_knowledge(learner):
    clone = sklearn.base.clone(learner.set_params(seed=5))
    assert clone.get_params() == learner.get_params()
    assert repr(clone) == repr(learner)
    with pytest.raises(ValueError, match="has not learned"):
        clone.tasks_


def test_an_appended_task_has_the_model_of_all_its_rows():
    X, y, _ = sample_tasks(1, rows=20)[0]
    learner = LifelongLearner(method="colla", revisit="append").partial_fit(X[:8], y[:8]).partial_fit(X[8:], y[8:])
    assert np.allclose(learner.model("task"), learner.dictionary_ @ learner.encode(X, y), rtol=1e-9)
    assert not np.allclose(learner.model("task"), learner.dictionary_ @ learner.encode(X[8:], y[8:]), rtol=1e-3)


@pytest.mark.parametrize("method", ["bayes", "colla"])
def test_a_forgotten_task_leaves_what_was_there_before(method):
    tasks = sample_tasks(3)
    learner = LifelongLearner(method=method)
    for X, y, task in tasks:
        learner.partial_fit(X, y, task=task)
    learner.forget("task-2")
    assert learner.tasks_ == ["task-0", "task-1"]
    with pytest.raises(ValueError, match="task 'task-2': unknown to this agent"):
        learner.model("task-2")


def test_encoding_learns_nothing_and_gives_the_code_that_learning_would():
    *known, (X, y, _) = sample_tasks(4)
    learner = LifelongLearner(method="colla", codes="stored")
    for rows in known:
        learner.partial_fit(*rows[:2], task=rows[2])
    before = learner.dictionary_
    code = learner.encode(X, y)
    assert np.array_equal(learner.dictionary_, before)
    assert np.array_equal(learner.partial_fit(X, y, task="new").codes_["new"], code)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.parametrize("method", ["bayes", "colla"])
def test_ten_thousand_partial_fits_leak_nothing(method):
    tasks = sample_tasks(10)
    learner = LifelongLearner(method=method)
    other = sample_tasks(10, seed=2)

    def learn(times):
        for k in range(times):
            X, y, task = (tasks if k % 20 < 10 else other)[k % 10]
            learner.partial_fit(X, y, task=task)
            learner.predict(X, task=task)

    learn(1000)
    before = resident_bytes()
    learn(10_000)
    assert resident_bytes() - before < 2 * 2**20


def test_errors_leak_nothing():
    X, y, _ = sample_tasks(1, rows=2000, features=50)[0]
    X[5, 5] = np.nan
    learner = LifelongLearner()

    def fail(times):
        for _ in range(times):
            with pytest.raises(ValueError):
                learner.partial_fit(X, y)

    fail(20)
    before = resident_bytes()
    fail(200)
    assert resident_bytes() - before < 20 * X.nbytes


def test_a_shallow_copy_learns_for_itself():
    first, second = sample_tasks(2)
    learner = LifelongLearner().fit(*first[:2], task="first")
    copy.copy(learner).partial_fit(*second[:2], task="second")
    assert learner.tasks_ == ["first"]


FIRST, SECOND = sample_tasks(2)
BAD = FIRST[0].copy()
BAD[3, 1] = np.nan


@pytest.mark.parametrize("tasks, settings, message", [
    ({0: [FIRST], 1: [SECOND, (BAD, FIRST[1], "z")]}, {}, "task 'z': X holds NaN"),
    ({0: [FIRST], 1: [SECOND, (1e200 * FIRST[0], FIRST[1], "z")]}, {}, "task 'z', row 1, column 1: .* is beyond"),
    ({0: [FIRST]}, dict(revisit="often"), "revisit: invalid value 'often'"),
    ({0: [FIRST]}, dict(callback=5), "callback: 5 is not callable"),
    ({0: [FIRST]}, dict(exchanges="often"), "exchanges"),
])
def test_a_network_whose_fit_is_refused_stays_as_it_was(tasks, settings, message):
    network = Network().fit({0: [(*FIRST[:2], "old")], 1: [SECOND]})
    before = network.predict(FIRST[0], task="old")
    with pytest.raises(ValueError, match=message):
        network.set_params(**settings).fit(tasks)
    assert np.array_equal(network.predict(FIRST[0], task="old"), before)
    assert len(network.history_) == 1


def test_a_network_of_dictionaries_with_one_class_in_the_last_step_stays_as_it_was():
    *_, (X, y, _) = sample_tasks(1, labels=True)
    network = Network(problem="classification", method="colla").fit({0: [(X, y, "a")]})
    with pytest.raises(ValueError, match="task 'b': only one class"):
        network.fit({0: [(X, y, "c"), (X, 0 * y, "b")]})
    assert network.tasks_ == {"agent-0": ["a"]}


def test_a_prior_learns_a_task_of_one_class():
    *_, (X, y, _) = sample_tasks(1, labels=True)
    network = Network(problem="classification").fit({0: [(X, y, "a"), (X, 0 * y, "b")]})
    assert (network.predict_proba(X, task="b")[:, 1] < 0.5).all()


@pytest.mark.parametrize("learner", [GoMTL(), OfflineCoLLA(rho=1.0), Network()])
def test_a_fit_may_have_other_features_than_the_one_before(learner):
    for columns in (["a", "b", "c"], ["d", "e", "f"]):
        learner.fit([(pandas.DataFrame(FIRST[0], columns=columns), FIRST[1], "t")])
        assert learner.feature_names_in_.tolist() == columns
    assert learner.fit([(FIRST[0][:, :2], *FIRST[1:])]).n_features_in_ == 2
    assert not hasattr(learner.fit([FIRST]), "feature_names_in_")


@pytest.mark.parametrize("name, value", [("fit_intercept", False), ("problem", "classification"), ("method", "bayes")])
def test_what_was_learned_with_other_settings_is_not_used(name, value, tmp_path):
    X, y, _ = FIRST
    y = (y > np.median(y)).astype(int)
    learner = LifelongLearner(method="colla").fit(X, y)
    network = Network(method="colla").fit([FIRST])
    message = f"{name} has changed since learning; call fit, or set it back"
    before = learner.predict(X)
    learner.set_params(**{name: value})
    network.set_params(**{name: value})
    for call in [lambda: learner.predict(X), lambda: learner.partial_fit(X, y), lambda: learner.encode(X, y),
                 lambda: learner.save(tmp_path / "m.colla"), lambda: network.predict(X),
                 lambda: network.partial_fit({0: FIRST}), lambda: network.save(tmp_path / "m.colla")]:
        with pytest.raises(ValueError, match=message):
            call()
    assert not (tmp_path / "m.colla").exists()
    assert np.array_equal(learner.set_params(fit_intercept=True, problem="regression", method="colla").predict(X), before)
    learner.set_params(**{name: value}).fit(X, y)


@pytest.mark.parametrize("learner", [LifelongLearner().fit(*FIRST[:2]), Network().fit([FIRST])])
@pytest.mark.parametrize("column", ["task_column", "target_column"])
def test_a_model_file_has_no_feature_that_is_another_column_too(learner, column, tmp_path):
    learner = copy.deepcopy(learner).set_params(**{column: "x2"})
    with pytest.raises(ValueError, match="column 'x2' is a feature, and cannot be the task's"):
        learner.save(tmp_path / "m.colla")
    assert not (tmp_path / "m.colla").exists()
