# SPDX-License-Identifier: Apache-2.0
"""The same rows and seed give the program's numbers, bit for bit."""
import json
import sqlite3

import numpy as np
import pytest
import scipy.stats

from colla import GoMTL, LifelongLearner, Network, NewTaskWarning, OfflineCoLLA, datasets
from conftest import knowledge, sample_tasks

OPTIONS = ["--recipe", "none", "--atoms", 3, "--lambda", 0.01, "--mu", 0.002, "--gamma", 0.02, "--seed", 9,
           "--test-fraction", 0]
SETTINGS = dict(n_atoms=3, lam=0.01, mu=0.002, gamma=0.02, seed=9)


def contents(path):
    """A model file's tables, as SQL."""
    with sqlite3.connect(path) as database:
        return list(database.iterdump())


def streams(agents, labels):
    return {f"agent-{i}": sample_tasks(4 - i % 2, labels=labels, seed=i) for i in range(agents)}


def arrivals(streams):
    return [(agent, *rows) for agent, stream in streams.items() for rows in stream]


def problem_of(labels):
    return "classification" if labels else "regression"


@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("codes", ["fresh", "stored"])
def test_one_agent(program, labels, codes):
    tasks = sample_tasks(5, labels=labels)
    rows = program.write_rows("rows.csv", [(None, *task) for task in tasks])
    program("train", rows, "--algorithm", "ella", "--codes", codes, *OPTIONS, "--state", "state", "--model", "m.colla")
    learner = LifelongLearner(method="colla", problem=problem_of(labels), codes=codes, **SETTINGS)
    for X, y, task in tasks:
        learner.partial_fit(X, y, task=task)
    assert np.array_equal(learner.dictionary_, program.matrix("state/L_0.csv"))
    for (_, task), code in program.codes("state/codes.csv").items():
        assert np.array_equal(learner.codes_[task], code)
    learner.save(program.folder / "ours.colla")
    assert contents(program.folder / "ours.colla") == contents(program.folder / "m.colla")


@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("graph", ["line", "random", "none"])
@pytest.mark.parametrize("rule", [{"rho": 0.3}, {"rule": "healing"}, {"rule": "healing", "metric": "scale"}])
def test_a_network(program, labels, graph, rule):
    tasks = streams(4, labels)
    rows = program.write_rows("rows.csv", arrivals(tasks))
    options = [word for name, value in rule.items() for word in (f"--{name}", value)]
    program("train", rows, "--algorithm", "colla", "--graph", graph, "--exchanges", "3+4/t", *options,
            "--refresh", 1, *OPTIONS, "--state", "state", "--model", "m.colla")
    network = Network(graph=graph, method="colla", problem=problem_of(labels), exchanges="3+4/t", refresh=1,
                      **rule, **SETTINGS)
    network.fit(tasks)
    for i, L in enumerate(network.dictionaries_):
        assert np.array_equal(L, program.matrix(f"state/L_{i}.csv"))
    for (i, j), Z in network.duals_.items():
        assert np.array_equal(Z, program.matrix(f"state/Z_{i}_{j}.csv"))
    for (i, task), code in program.codes("state/codes.csv").items():
        assert np.array_equal(network.codes_[f"agent-{i}"][task], code)
    network.save(program.folder / "ours.colla")
    assert contents(program.folder / "ours.colla") == contents(program.folder / "m.colla")


BAYES = ["--algorithm", "bayes", "--recipe", "none", "--seed", 9, "--test-fraction", 0]


@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("features", [3, 70])  # with correlations, and too many for them
def test_one_agent_with_a_collective_prior(program, labels, features):
    tasks = sample_tasks(5, features=features, labels=labels)
    rows = program.write_rows("rows.csv", [(None, *task) for task in tasks])
    program("train", rows, *BAYES, "--model", "m.colla")
    learner = LifelongLearner(problem=problem_of(labels), compare=False, seed=9)
    learner.fit(np.concatenate([X for X, _, _ in tasks]), np.concatenate([y for _, y, _ in tasks]),
                np.repeat([task for _, _, task in tasks], 12))
    learner.save(program.folder / "ours.colla")
    assert contents(program.folder / "ours.colla") == contents(program.folder / "m.colla")


@pytest.mark.parametrize("labels, refresh", [(False, 2), (True, 2), (False, 0)])
@pytest.mark.parametrize("graph", ["line", "random", "none"])
def test_a_network_with_a_collective_prior(program, labels, graph, refresh):
    tasks = streams(4, labels)
    rows = program.write_rows("rows.csv", arrivals(tasks))
    program("train", rows, *BAYES, "--graph", graph, "--exchanges", "3+4/t", "--refresh", refresh, "--model", "m.colla")
    network = Network(graph=graph, problem=problem_of(labels), exchanges="3+4/t", refresh=refresh, compare=False, seed=9)
    network.fit(tasks)
    network.save(program.folder / "ours.colla")
    assert contents(program.folder / "ours.colla") == contents(program.folder / "m.colla")


@pytest.mark.parametrize("labels", [False, True])
def test_predictions_by_the_prior_from_either_sides_file(program, labels):
    tasks = streams(3, labels)
    rows = program.write_rows("rows.csv", arrivals(tasks))
    program("train", rows, *BAYES, "--graph", "ring", "--model", "theirs.colla")
    network = Network(graph="ring", problem=problem_of(labels), compare=False, seed=9).fit(tasks)
    network.save(program.folder / "ours.colla")
    X = np.concatenate([X for _, X, _, _ in arrivals(tasks)])
    names = dict(agent=[agent for agent, X, _, _ in arrivals(tasks) for _ in X],
                 task=[task for _, X, _, task in arrivals(tasks) for _ in X])
    for file in ["theirs.colla", "ours.colla"]:
        if labels:
            printed = program("predict", file, rows)
            assert np.array_equal(network.decision_function(X, **names), program.column(printed, "score"))
            assert np.array_equal(network.predict_proba(X, **names)[:, 1], program.column(printed, "probability"))
            continue
        printed = program("predict", file, rows, "--interval", 0.9)
        mean, std = network.predict(X, **names, return_std=True)
        assert np.array_equal(mean, program.column(printed, "prediction"))
        assert np.allclose(mean + scipy.stats.norm.ppf(0.95) * std, program.column(printed, "high"), rtol=1e-12)


@pytest.mark.parametrize("labels", [False, True])
def test_a_task_without_rows_is_predicted_as_by_the_program(program, labels):
    tasks = streams(3, labels)
    rows = program.write_rows("rows.csv", [(None, X, y, "new") for X, y, _ in tasks["agent-0"]])
    network = Network(graph="ring", problem=problem_of(labels), compare=False).fit(dict(reversed(tasks.items())))
    network.save(program.folder / "m.colla")
    X = np.concatenate([X for X, _, _ in tasks["agent-0"]])
    for named in [[], ["--agent", "agent-1"]]:
        process = program.run("predict", "m.colla", rows, *named)
        assert "no rows of new in training: predicted by what tasks have in common" in process.stderr
        with pytest.warns(NewTaskWarning, match="^no rows of new in training: predicted by what tasks have in common$"):
            found = network.predict(X, agent=named[1] if named else None, task="new")
        assert np.array_equal(found, program.column(process.stdout, "label" if labels else "prediction"))


@pytest.mark.parametrize("labels", [False, True])
def test_offline_colla(program, labels):
    tasks = streams(3, labels)
    rows = program.write_rows("rows.csv", arrivals(tasks))
    program("train", rows, "--algorithm", "offline-colla", "--graph", "ring", "--rho", 1, "--tolerance", 1e-4, *OPTIONS,
            "--model", "m.colla")
    network = OfflineCoLLA(graph="ring", problem=problem_of(labels), rho=1, tolerance=1e-4, **SETTINGS).fit(tasks)
    network.save(program.folder / "ours.colla")
    assert contents(program.folder / "ours.colla") == contents(program.folder / "m.colla")


@pytest.mark.parametrize("labels", [False, True])
def test_go_mtl(program, labels):
    tasks = sample_tasks(5, labels=labels)
    rows = program.write_rows("rows.csv", [(None, *task) for task in tasks])
    program("train", rows, "--algorithm", "go-mtl", *OPTIONS, "--model", "m.colla")
    learner = GoMTL(problem=problem_of(labels), **SETTINGS).fit(tasks)
    learner.save(program.folder / "ours.colla")
    assert contents(program.folder / "ours.colla") == contents(program.folder / "m.colla")


@pytest.mark.parametrize("labels", [False, True])
def test_predictions_of_either_side_from_either_sides_file(program, labels):
    tasks = sample_tasks(3, rows=11, features=7, labels=labels)
    rows = program.write_rows("rows.csv", [(None, *task) for task in tasks])
    program("train", rows, "--algorithm", "ella", *OPTIONS, "--model", "theirs.colla")
    ours = LifelongLearner(method="colla", problem=problem_of(labels), **SETTINGS)
    for X, y, task in tasks:
        ours.partial_fit(X, y, task=task)
    ours.save(program.folder / "ours.colla")
    loaded = LifelongLearner.load(program.folder / "theirs.colla")
    X = np.concatenate([X for X, _, _ in tasks])
    names = np.repeat([task for _, _, task in tasks], 11)
    score, label = ("score", "label") if labels else ("prediction", "prediction")
    for file in ["theirs.colla", "ours.colla"]:
        printed = program("predict", file, rows)
        for learner in [ours, loaded]:
            assert np.array_equal(learner.predict(X, task=names), program.column(printed, label))
            if labels:
                assert np.array_equal(learner.decision_function(X, task=names), program.column(printed, score))
                assert np.array_equal(learner.predict_proba(X, task=names)[:, 1],
                                      program.column(printed, "probability"))


@pytest.mark.parametrize("settings", [dict(method="colla", **SETTINGS), {}])
def test_a_learner_from_a_file_goes_on_as_the_one_that_wrote_it(settings, tmp_path):
    first, second = sample_tasks(6)[:3], sample_tasks(6)[3:]
    learner = LifelongLearner(**settings)
    for X, y, task in first:
        learner.partial_fit(X, y, task=task)
    learner.save(tmp_path / "m.colla")
    loaded = LifelongLearner.load(tmp_path / "m.colla")
    for X, y, task in second:
        learner.partial_fit(X, y, task=task)
        loaded.partial_fit(X, y, task=task)
    assert loaded.method == learner.method
    assert np.array_equal(knowledge(loaded), knowledge(learner))


@pytest.mark.parametrize("method", ["bayes", "colla"])
def test_an_agent_of_a_networks_file_is_a_learner(method, program):
    tasks = streams(3, False)
    network = Network(method=method).fit(tasks)
    network.save(program.folder / "net.colla")
    X = tasks["agent-1"][0][0]
    loaded = LifelongLearner.load(program.folder / "net.colla", agent="agent-1")
    assert np.array_equal(loaded.predict(X, task="task-0"), network.predict(X, agent="agent-1", task="task-0"))
    with pytest.raises(ValueError, match="no agent is named; give one of agent-0, agent-1, agent-2"):
        LifelongLearner.load(program.folder / "net.colla")


def test_synthetic_tasks_and_splits_are_the_programs(program):
    made = datasets.make_tasks(n_agents=2, tasks_per_agent=3, rows=15, seed=4)
    rows = program.write_rows("rows.csv", arrivals(made.streams))
    options = ["--algorithm", "colla", "--seed", 9, "--recipe", "none"]
    program("train", rows, *options, "--state", "state")  # trained on all rows
    assert np.array_equal(Network(method="colla", seed=9).fit(made).dictionaries_[1], program.matrix("state/L_1.csv"))
    report = json.loads(program("train", rows, *options, "--test-fraction", 0.4, "--json"))
    train, test = made.split(0.4, seed=9)
    network = Network(method="colla", seed=9).fit(train)
    scores = [np.sqrt(np.mean((network.predict(X, agent=agent, task=task) - y) ** 2))
              for agent, stream in test.streams.items() for X, y, task in stream]
    assert np.isclose(report["final"], np.mean(scores), rtol=1e-12)
    assert [len(batch.y) for batch in test.streams["agent-0"]] == [6, 6, 6]


def test_london_schools_by_name(program, data_dir):
    program("train", "london-schools", "--data-dir", data_dir, "--algorithm", "colla", "--atoms", 3, "--state", "state")
    network = Network(n_atoms=3, method="colla").fit(datasets.load_london_schools(data_dir))
    for i, L in enumerate(network.dictionaries_):
        assert np.array_equal(L, program.matrix(f"state/L_{i}.csv"))
