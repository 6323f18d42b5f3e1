# SPDX-License-Identifier: Apache-2.0
"""Graphs in all forms, steps, history, callback and progress."""
import pickle

import networkx
import numpy as np
import pandas
import pytest

from colla import Network, OfflineCoLLA, datasets
from conftest import sample_tasks

TASKS = datasets.make_tasks(n_agents=4, tasks_per_agent=3, n_features=5)


def bits(network):
    learned = zip(network.means_, network.spreads_) if network.method == "bayes" else network.dictionaries_
    return [np.array(each).tobytes() for each in learned]


RING = bits(Network(4, "ring").fit(TASKS))
METHODS = ["bayes", "colla"]


@pytest.mark.parametrize("graph", [[(0, 1), (2, 1), (2, 3), (3, 0)], np.array([[0, 1], [1, 2], [2, 3], [0, 3]]),
                                   networkx.cycle_graph(4)])
def test_a_graph_may_be_edges_or_of_networkx(graph):
    assert bits(Network(4, graph).fit(TASKS)) == RING
    assert bits(Network(graph=graph).fit(TASKS)) == RING


def test_nodes_with_names_are_the_agents_names():
    graph = networkx.cycle_graph(["north", "east", "south", "west"])
    streams = dict(zip(graph.nodes, TASKS.streams.values()))
    backwards = dict(reversed(streams.items()))
    network = Network(graph=graph).fit(backwards)
    assert network.agents_ == ["north", "east", "south", "west"]
    assert bits(network) == RING


def test_every_form_of_tasks_gives_the_same_network():
    streams = list(TASKS.streams.values())
    steps = [{i: stream[t] for i, stream in enumerate(streams)} for t in range(3)]
    by_step = Network(4, "ring", method="colla")
    for step in steps:
        by_step.partial_fit(step)
    assert bits(by_step) == bits(Network(4, "ring", method="colla").fit(steps))
    assert bits(Network(4, "ring").fit(steps)) == RING
    assert bits(Network(4, "ring").fit(dict(enumerate(streams)))) == RING
    assert bits(Network(4, "ring", recipe=None).fit(TASKS.frame())) == RING


def test_one_stream_is_dealt_to_the_agents_in_turn():
    tasks = sample_tasks(7)
    dealt = Network(3).fit(tasks)
    assert dealt.tasks_ == {"agent-0": ["task-0", "task-3", "task-6"], "agent-1": ["task-1", "task-4"],
                            "agent-2": ["task-2", "task-5"]}
    assert bits(dealt) == bits(Network().fit({i: tasks[i::3] for i in range(3)}))


@pytest.mark.parametrize("method", METHODS)
def test_an_agent_without_a_task_only_exchanges(method):
    network = Network(3, method=method).partial_fit({0: sample_tasks(1)[0]})
    assert network.tasks_ == {"agent-0": ["task-0"], "agent-1": [], "agent-2": []}
    before = bits(network)
    network.partial_fit({})
    assert bits(network)[1] != before[1]


@pytest.mark.parametrize("method", METHODS)
def test_threads_change_no_bit(method):
    one, two = [Network(4, "ring", method=method, threads=threads).fit(TASKS) for threads in (1, 2)]
    assert bits(one) == bits(two)


def test_exchanges_may_have_their_former_name():
    network = Network(4, "ring", iterations="2+6/t").fit(TASKS)
    assert bits(network) == bits(Network(4, "ring", exchanges="2+6/t").fit(TASKS))
    assert bits(pickle.loads(pickle.dumps(network))) == bits(network)


def test_history_is_ready_for_pandas():
    network = Network(4, "ring", method="colla", exchanges="2+6/t").fit(TASKS)
    table = pandas.DataFrame(network.history_).set_index("step")
    assert table.index.tolist() == [1, 2, 3]
    assert table["tasks"].tolist() == [4, 8, 12]
    assert table["exchanges"].tolist() == [8, 5, 4]
    entries = 6 * 4  # five features and the intercept, four atoms
    assert table["bytes"].tolist() == [2 * 4 * k * entries * 8 for k in [8, 5, 4]]
    L = network.dictionaries_
    gap = max(np.linalg.norm(L[i] - L[j]) for i, j in network.duals_) / max(map(np.linalg.norm, L))
    assert table["gap"].iloc[-1] == pytest.approx(gap, rel=1e-12)


def test_a_step_with_a_collective_prior_has_five_more_rounds_of_exchanges():
    def column(name, **settings):
        network = Network(4, "ring", exchanges=3, **settings).fit(TASKS)
        return [record[name] for record in network.history_]

    assert column("exchanges") == [18, 18, 18]
    assert column("exchanges", refresh=2) == [9, 9, 9]
    assert column("exchanges", refresh=0) == [3, 3, 3]
    assert column("exchanges", method="colla") == [3, 3, 3]
    numbers = 4 + 2 * 6 + 6 * 7 // 2  # of 5 features and the intercept, for each of two candidates
    assert column("bytes") == [2 * 4 * 18 * 2 * numbers * 8 for _ in range(3)]


def test_the_callback_hears_of_every_step_and_may_add_to_its_record():
    seen = []

    def callback(network, record):
        seen.append((record["step"], bits(network)))
        record["score"] = network.score(*TASKS.streams["agent-0"][0][:2], agent=0, task="task-0")

    network = Network(4, "ring", callback=callback).fit(TASKS)
    assert [step for step, _ in seen] == [1, 2, 3]
    assert len({tuple(state) for _, state in seen}) == 3
    assert [record["score"] > 0 for record in network.history_] == [True] * 3


def test_settings_that_a_callback_changes_are_not_those_learned_with(tmp_path):
    network = Network(4, "ring", callback=lambda network, record: network.set_params(fit_intercept=False)).fit(TASKS)
    for call in [lambda: network.save(tmp_path / "m.colla"), lambda: network.partial_fit({})]:
        with pytest.raises(ValueError, match="fit_intercept has changed since learning; call fit, or set it back"):
            call()
    assert bits(network.set_params(fit_intercept=True)) == RING


def test_an_error_in_the_callback_reaches_the_caller():
    def callback(network, record):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        Network(4, "ring", callback=callback).fit(TASKS)


def test_a_progress_bar_only_where_it_is_wanted(capfd):
    Network(4, "ring").fit(TASKS)  # no terminal here
    assert capfd.readouterr().err == ""
    Network(4, "ring", progress=True).fit(TASKS)
    assert "learning" in capfd.readouterr().err


@pytest.mark.parametrize("settings", [dict(), dict(method="colla", refresh=1)])
def test_agents_on_a_graph_learn_from_each_other(settings):
    tasks = datasets.make_tasks(n_agents=6, tasks_per_agent=6, rows=30, n_features=12, seed=3)
    train, test = tasks.split(0.5)

    def score(graph):
        return Network(graph=graph, compare=False, **settings).fit(train).score(test.frame())

    assert score("complete") > score("none")


@pytest.mark.parametrize("learner", [Network, OfflineCoLLA])
@pytest.mark.parametrize("graph, message", [
    ([(0, 9)], "joins an agent that does not exist"), ([(0, 0)], "joins an agent to itself"),
    ([(0, 1), (1, 0)], "appears twice"), ([(0, 1)], "without a path to the others"),
    ("circle", "no graph has the name 'circle'"), (7, "graph: is not a name"),
    ([(0, 1.5)], "graph: invalid value '1.5'"),
    (networkx.DiGraph([(0, 1), (1, 2), (2, 3)]), "is directed"),
    (networkx.path_graph(3), "n_agents: 4 given, and the graph has 3"),
])
def test_bad_graphs_are_refused(learner, graph, message):
    with pytest.raises(ValueError, match=message):
        learner(4, graph).fit(TASKS)


@pytest.mark.parametrize("network, message", [
    (Network(), "agent: invalid value '100000000'; give a whole number from 0 to 999999"),
    (Network(10**6, "complete"), "graph: 5e.11 edges would take about .* GB, and this machine has .*; give fewer"),
    (Network(10**6, "random"), "graph: 2.5e.11 edges would take about .* GB"),
    (OfflineCoLLA(10**6, "complete"), "graph: 5e.11 edges would take about .* GB"),
])
def test_networks_that_no_machine_can_hold_are_refused_at_once(network, message):
    with pytest.raises(ValueError, match=message):
        network.fit({10**8 if network.n_agents is None else 0: sample_tasks(1)})


def test_no_more_agents_than_were_declared():
    with pytest.raises(ValueError, match="agent: there is no '3'"):
        Network(3).fit(dict(enumerate(TASKS.streams.values())))
    with pytest.raises(ValueError, match="cannot deal 2 tasks to 3 agents; ask for 1 to 2 agents"):
        Network(3).fit(sample_tasks(2))
    with pytest.raises(ValueError, match="n_agents: 3 given, and the data has 2 agents; leave it out"):
        Network(3).fit({"north": sample_tasks(1), "south": sample_tasks(1)})
