# SPDX-License-Identifier: Apache-2.0
"""The collective prior: its uncertainty, tasks without rows, and what was learned."""
import pickle
import warnings

import numpy as np
import pandas
import pytest

from colla import LifelongLearner, Network, NewTaskWarning
from conftest import distance, sample_tasks

MEAN, SPREAD, NOISE = np.array([3.0, -2.0, 0.0, 5.0]), np.array([1.0, 0.2, 0.5, 2.0]), 0.7


def random_tasks(count=60, rows=20, seed=1, unit=1.0):
    """Tasks whose coefficients (the last is the intercept) vary around a mean."""
    random = np.random.default_rng(seed)
    tasks = []
    for k in range(count):
        X = random.normal(size=(rows, 3))
        theta = MEAN + SPREAD * random.normal(size=4)
        y = X @ theta[:3] + theta[3] + NOISE * random.normal(size=rows)
        tasks.append((X, unit * y, f"task-{k}"))
    return tasks


def joined(tasks):
    return [np.concatenate([task[k] for task in tasks]) for k in (0, 1)] + [
        np.repeat([task for _, _, task in tasks], [len(y) for _, y, _ in tasks])]


def frame_of(tasks):
    X, y, names = joined(tasks)
    return pandas.DataFrame(X, columns=["a", "b", "c"]).assign(y=y, task=names)


def learned(tasks, **settings):
    return LifelongLearner(compare=False, **settings).fit(*joined(tasks))


def test_mean_spread_and_noise_are_those_of_the_tasks():
    learner = learned(random_tasks(count=300))
    assert np.allclose(learner.mean_, MEAN, atol=3.5 * np.hypot(SPREAD, 0.16) / np.sqrt(300))
    assert np.allclose(learner.spread_, SPREAD, atol=0.2)
    assert learner.noise_ == pytest.approx(NOISE, rel=0.05)


def test_model_is_the_mean_that_predicts():
    tasks = random_tasks(count=5)
    learner = learned(tasks)
    X, _, task = tasks[2]
    theta = learner.model(task)
    assert distance(learner.predict(X, task=task), X @ theta[:3] + theta[3]) < 1e-12
    network = Network(2, compare=False).fit(tasks)
    theta = network.model(task)
    assert distance(network.predict(X, task=task), X @ theta[:3] + theta[3]) < 1e-12


@pytest.mark.parametrize("form", ["array", "frame", "network"])
@pytest.mark.parametrize("unit", [1.0, 250.0])
def test_the_deviation_is_of_a_new_observation_in_the_targets_unit(form, unit):
    tasks = random_tasks(count=100, rows=40, unit=unit)
    train = [(X[::2], y[::2], task) for X, y, task in tasks]
    X, y, names = joined([(X[1::2], y[1::2], task) for X, y, task in tasks])
    if form == "frame":
        rows = frame_of([(X, y, "")]).drop(columns=["task", "y"])
        mean, std = LifelongLearner(compare=False).fit(frame_of(train)).predict(rows, names, return_std=True)
    elif form == "array":
        mean, std = learned(train).predict(X, names, return_std=True)
    else:
        mean, std = Network(4, compare=False).fit(train).predict(X, task=names, return_std=True)
    assert (std > NOISE * unit * 0.9).all()
    covered = np.mean(abs(y - mean) < 1.645 * std)
    assert 0.88 < covered < 0.92


def test_means_are_the_predictions_without_deviations():
    tasks = random_tasks(count=4)
    X, _, names = joined(tasks)
    learner = learned(tasks)
    mean, std = learner.predict(X, names, return_std=True)
    assert np.array_equal(mean, learner.predict(X, names)) and mean.shape == std.shape == (len(X),)
    assert np.array_equal(mean, learner.predict(X, names, return_std=False))


@pytest.mark.parametrize("learner", [LifelongLearner(), Network(2)])
def test_a_task_without_rows_has_the_prior_a_wider_deviation_and_a_warning(learner):
    tasks = random_tasks(count=30)
    learner.set_params(compare=False).fit(*(joined(tasks) if isinstance(learner, LifelongLearner) else [tasks]))
    X, _, task = tasks[0]
    known = learner.predict(X, task=task, return_std=True)[1]
    names = ["never", task, "nor this"] * 6 + ["never", task]
    with pytest.warns(NewTaskWarning, match="^no rows of never, nor this in training: predicted by what tasks have in "
                                            "common$") as caught:
        mean, std = learner.predict(X, task=names, return_std=True)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert np.array_equal(std[1::3], known[1::3])
    assert (std[::3] > known[::3]).all() and (std[2::3] > known[2::3]).all()
    prior = learner.mean_ if isinstance(learner, LifelongLearner) else learner.means_[0]
    assert np.allclose(mean[::3], (X @ prior[:3] + prior[3])[::3], atol=0.3)


def test_three_labels_of_a_task_without_rows():
    random = np.random.default_rng(3)
    frame = frame_of(random_tasks(count=8, rows=30))
    frame["y"] = pandas.cut(frame["y"] + random.normal(size=len(frame)), [-1e9, 2, 7, 1e9], labels=["a", "b", "c"])
    learner = LifelongLearner(problem="classification", compare=False).fit(frame)
    with pytest.warns(NewTaskWarning):
        probabilities = learner.predict_proba(frame.assign(task="new"))
    assert probabilities.shape == (240, 3) and np.allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    with pytest.warns(NewTaskWarning):
        right = learner.predict(frame.assign(task="new")) == frame["y"]
    assert right.mean() > 0.6


def test_probabilities_are_averaged_over_the_posterior():
    tasks = sample_tasks(8, rows=6, labels=True)
    learner = learned(tasks, problem="classification")
    X, _, task = tasks[0]
    theta = learner.model(task)
    plugged_in = 1 / (1 + np.exp(-(X @ theta[:3] + theta[3])))
    averaged = learner.predict_proba(X, task)[:, 1]
    assert (abs(averaged - 0.5) < abs(plugged_in - 0.5)).all()
    assert np.array_equal(averaged > 0.5, plugged_in > 0.5)


@pytest.mark.parametrize("settings, message", [(dict(problem="classification"), "return_std: is for regression; classes"),
                                               (dict(method="colla"), "return_std: is for method='bayes'; dictionaries")])
def test_deviations_are_for_numbers_by_the_prior(settings, message):
    tasks = sample_tasks(3, labels=True)
    for learner in [learned(tasks, **settings), Network(1, compare=False, **settings).fit(tasks)]:
        with pytest.raises(ValueError, match=message):
            learner.predict(tasks[0][0], task="task-0", return_std=True)


@pytest.mark.parametrize("method, other, names", [
    ("bayes", "colla", ["dictionary_", "codes_", "encode"]), ("colla", "bayes", ["mean_", "spread_", "noise_"]),
])
def test_what_the_other_method_has_is_not_there(method, other, names):
    tasks = sample_tasks(3)
    for learner in [learned(tasks, method=method), LifelongLearner(method=method)]:
        for name in names:
            assert not hasattr(learner, name)
    with pytest.raises(AttributeError, match=f"^{names[0]} is for method='{other}', and this learner's is '{method}'$"):
        getattr(learned(tasks, method=method), names[0])
    network = Network(1, method=method, compare=False).fit(tasks)
    for name in ["dictionaries_", "codes_"] if method == "bayes" else ["means_", "spreads_", "noises_"]:
        with pytest.raises(AttributeError, match=f"^{name} is for method='{other}'"):
            getattr(network, name)


def test_there_is_no_noise_among_labels():
    learner = learned(sample_tasks(3, labels=True), problem="classification")
    assert learner.mean_.shape == learner.spread_.shape == (4,) and not hasattr(learner, "noise_")


def settled(learner, tasks):
    """After the tasks have come again and again, their estimates change no more."""
    for _ in range(40):
        for X, y, task in tasks:
            learner.partial_fit(X, y, task=task)
    return learner


def test_a_task_that_comes_and_goes_leaves_no_trace():
    *tasks, (X, y, task) = random_tasks(count=12)
    expected = settled(learned(tasks), tasks)
    found = settled(learned(tasks).partial_fit(X, 10 * y, task=task).forget(task), tasks)
    assert found.tasks_ == expected.tasks_
    assert distance(found.predict(X, "task-0"), expected.predict(X, "task-0")) < 1e-9


def test_a_learner_that_forgets_its_only_task_knows_nothing_more():
    (X, y, task), (other, target, name) = random_tasks(count=2)
    learner = LifelongLearner().fit(X, y, task=task).forget(task)
    assert learner.tasks_ == [] and (learner.mean_[:-1] == 0).all()
    fresh = learned([(other, target, name)])
    assert distance(settled(learner, [(other, target, name)]).mean_, settled(fresh, [(other, target, name)]).mean_) < 0.01


def test_an_agent_of_a_network_goes_on_alone(tmp_path):
    X, y, names = joined(sample_tasks(9, rows=150, features=70))  # too many for correlations
    frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(70)]).assign(y=y, task=names)
    Network(3, compare=False).fit(frame).save(tmp_path / "m.colla")
    agent = LifelongLearner.load(tmp_path / "m.colla", agent="agent-1")
    own = frame[frame["task"].isin(agent.tasks_)]
    alone = LifelongLearner(recipe=agent.recipe_, compare=False).fit(own)
    for _ in range(100):
        agent.partial_fit(own)
        alone.partial_fit(own)
    assert distance(agent.spread_, alone.spread_) < 1e-6
    assert agent.noise_ == pytest.approx(alone.noise_, rel=1e-6)


def test_new_rows_of_a_task_replace_the_old_ones_or_join_them():
    tasks = random_tasks(count=10)
    X, y, task = tasks[0]
    more = (X + 1, y - 1, task)
    both = (np.concatenate([X, more[0]]), np.concatenate([y, more[1]]), task)
    for revisit, expected in [("replace", more), ("append", both)]:
        found = learned(tasks).set_params(revisit=revisit).partial_fit(*more[:2], task=task).set_params(revisit="replace")
        fresh = settled(learned(tasks), [expected, *tasks[1:]])
        assert distance(settled(found, tasks[1:]).predict(X, task), fresh.predict(X, task)) < 1e-9


def test_a_feature_that_the_first_task_does_not_have_is_learned_from_later_ones():
    tasks = random_tasks(count=30)
    learner = LifelongLearner()
    for k, (X, y, task) in enumerate(tasks):
        learner.partial_fit(X * [1, k > 0, 1], y, task=task)
    assert learner.mean_[1] == pytest.approx(MEAN[1], abs=0.3)


def test_an_agent_that_knows_a_task_is_not_asked_for_anothers():
    tasks = random_tasks(count=4)
    network = Network(2, compare=False).fit(tasks)
    with pytest.raises(ValueError, match="^task 'task-1': unknown to this agent; learn it first$"):
        network.predict(tasks[1][0], agent=0, task="task-1")
    with pytest.warns(NewTaskWarning):
        one = network.predict(tasks[1][0], agent=1, task="new")
    with pytest.warns(NewTaskWarning):
        assert distance(network.predict(tasks[1][0], task="new"), one) < 0.1


def test_splines_are_used_where_tasks_have_curves_and_not_elsewhere():
    random = np.random.default_rng(2)
    x, tasks = random.uniform(-2, 2, 1600), np.arange(1600) % 16
    for curve, has_curve in [(x**2, True), (x, False)]:
        frame = pandas.DataFrame({"x": x, "task": tasks, "y": curve + 0.3 * random.normal(size=1600)})
        learner = LifelongLearner(expand="splines").fit(frame)
        hinges = [">" in name for name in learner.recipe_.features] + [False]
        assert (learner.mean_[hinges] != 0).any() == has_curve
        network = Network(2, expand="splines").fit(frame)
        assert network.score(frame) == pytest.approx(learner.score(frame), abs=0.01)


def test_warnings_of_new_tasks_can_be_errors_that_change_nothing():
    tasks = random_tasks(count=4)
    learner = learned(tasks)
    before = pickle.dumps(learner)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NewTaskWarning)
        with pytest.raises(NewTaskWarning):
            learner.predict(tasks[0][0], task="new")
    assert pickle.dumps(learner) == before
