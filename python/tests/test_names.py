# SPDX-License-Identifier: Apache-2.0
"""Agents, tasks, features and labels keep the names that they are given."""
import networkx
import numpy as np
import pandas
import pytest

from colla import GoMTL, LifelongLearner, Network, OfflineCoLLA, datasets
from conftest import knowledge, sample_tasks

ONE, TWO, THREE = sample_tasks(3)
X, Y, _ = ONE
LABELS = (Y > np.median(Y)).astype(int)
NETWORKS = [Network, lambda **settings: OfflineCoLLA(rho=1.0, **settings)]
ALL = [*NETWORKS, lambda **settings: GoMTL(**{key: value for key, value in settings.items() if key != "graph"})]


def frame_of(tasks, agents, columns="abc"):
    """A row per task's row, with an agent for each task."""
    parts = [pandas.DataFrame(rows, columns=list(columns)).assign(task=task, y=y, agent=agent)
             for (rows, y, task), agent in zip(tasks, agents)]
    return pandas.concat(parts, ignore_index=True)


def test_whole_numbers_in_a_frames_agent_column_are_names(program):
    frame = frame_of([ONE, ONE, TWO, THREE], [2, 1, 1, 2])
    frame.to_csv(program.folder / "rows.csv", index=False, float_format="%.17g")
    network = Network(recipe=None).fit(frame)
    assert network.agents_ == ["2", "1"]
    network.save(program.folder / "m.colla")
    expected = program.column(program("predict", "m.colla", "rows.csv"), "prediction")
    assert np.array_equal(network.predict(frame), expected)
    assert np.array_equal(network.predict(frame, agent=frame["agent"].tolist()), expected)
    assert network.tasks_ == {"2": ["task-0", "task-2"], "1": ["task-0", "task-1"]}
    assert np.array_equal(network.model("task-0", agent=1), network.model("task-0", agent="1"))
    with pytest.raises(ValueError, match="agent: there is no '0'; give one of 2, 1$"):
        network.predict(X, agent=0, task="task-0")


@pytest.mark.parametrize("learner", NETWORKS)
@pytest.mark.parametrize("nodes", [[1, 2, 3], [0, 5, 2], ["1", "2", "3"], [10, "b", 0]])
def test_tasks_arrive_at_the_nodes_that_are_named(learner, nodes):
    streams = {node: [task] for node, task in zip(nodes, [ONE, TWO, THREE])}
    network = learner(graph=networkx.path_graph(nodes)).fit(streams)
    assert network.tasks_ == {str(node): [f"task-{k}"] for k, node in enumerate(nodes)}


@pytest.mark.parametrize("learner", NETWORKS)
def test_tasks_are_dealt_to_the_nodes_of_a_graph_in_turn(learner):
    network = learner(graph=networkx.path_graph([3, 2, 1])).fit([ONE, TWO, THREE])
    assert network.tasks_ == {"3": ["task-0"], "2": ["task-1"], "1": ["task-2"]}


def test_a_frames_numbers_are_the_nodes_of_a_numbered_graph():
    graph = networkx.Graph([(2, 0), (0, 1)])
    network = Network(graph=graph, recipe=None).fit(frame_of([ONE, TWO, THREE], [2, 1, 0]))
    assert network.tasks_ == {"0": ["task-2"], "1": ["task-1"], "2": ["task-0"]}
    by_number = Network(graph=graph).fit({0: [THREE], 1: [TWO], 2: [ONE]})
    assert set(network.duals_) == {(0, 1), (0, 2)}
    assert np.array_equal(knowledge(network), knowledge(by_number))


@pytest.mark.parametrize("keys, agents", [([1, 0], ["agent-0", "agent-1"]), ([5, 7], ["5", "7"]),
                                          (["b", "a"], ["b", "a"])])
def test_go_mtl_gives_tasks_to_their_owners(keys, agents):
    learner = GoMTL().fit({keys[0]: [ONE], keys[1]: [TWO]})
    assert learner.agents_ == agents
    assert np.array_equal(learner.predict(X, agent=keys[0], task="task-0"), learner.predict(X, task="task-0"))
    assert np.array_equal(learner.predict(X, agent=keys[1], task="task-1"), learner.predict(X, task="task-1"))


def test_go_mtl_takes_a_frames_agents_with_targets_apart():
    frame = frame_of([ONE, TWO], ["b", "a"])
    learner = GoMTL().fit(frame.drop(columns="y"), frame["y"])
    assert learner.tasks_ == {"b": ["task-0"], "a": ["task-1"]}
    assert np.array_equal(learner.predict(frame), GoMTL().fit(frame).predict(frame))


@pytest.mark.parametrize("learner", ALL)
@pytest.mark.parametrize("tasks, message", [
    ({0: [ONE], "agent-0": [TWO]}, "agent: 0 is a number, and others are names; give numbers or names"),
    ({None: [ONE]}, "agent: a name is missing"),
    ({1.5: [ONE]}, "agent: 1.5 is not a name; give text or a whole number"),
    ({"": [ONE]}, "agent: the name is empty"),
    ({" a": [ONE]}, "agent: the name ' a' has spaces around it; remove them"),
    (frame_of([ONE, TWO], [1.5, "b"]), "agent: 1.5 is not a name"),
    (frame_of([ONE, TWO], [None, "b"]), "agent: a name is missing"),
])
def test_agents_need_names_of_one_kind(learner, tasks, message):
    with pytest.raises(ValueError, match=message):
        learner().fit(tasks)


def test_one_agent_has_one_task_in_a_step():
    network = Network(2).partial_fit({0: ONE})
    with pytest.raises(ValueError, match="agent 'agent-0' is named twice in one step; give it one task"):
        network.partial_fit({0: ONE, "agent-0": TWO})


@pytest.mark.parametrize("learner", NETWORKS)
def test_two_nodes_with_one_name_are_refused(learner):
    with pytest.raises(ValueError, match="graph: two nodes have the name '1'; rename one"):
        learner(graph=networkx.path_graph([1, "1"])).fit([ONE, TWO])


def test_agents_per_row_may_be_numbers_and_names():
    network = Network().fit({0: [ONE], 1: [ONE]})
    owners = ["agent-1", 0] * 6
    by_hand = [network.predict(X, agent=agent, task="task-0") for agent in (0, 1)]
    expected = np.where(np.arange(12) % 2, *by_hand)
    assert np.array_equal(network.predict(X, agent=owners, task="task-0"), expected)


FRAMES = [pandas.DataFrame(rows, columns=list("abc")) for rows, _, _ in (ONE, TWO)]
OTHER_ORDER = FRAMES[1][["c", "a", "b"]]


@pytest.mark.parametrize("fit", [
    lambda: Network().fit({0: [(FRAMES[0], Y, "a")], 1: [(OTHER_ORDER, TWO[1], "b")]}),
    lambda: Network(2).partial_fit({0: (FRAMES[0], Y, "a")}).partial_fit({1: (OTHER_ORDER, TWO[1], "b")}),
    lambda: OfflineCoLLA(rho=1.0).fit({0: [(FRAMES[0], Y, "a")], 1: [(OTHER_ORDER, TWO[1], "b")]}),
    lambda: GoMTL().fit([(FRAMES[0], Y, "a"), (OTHER_ORDER, TWO[1], "b")]),
    lambda: GoMTL().fit(FRAMES[0], Y, task="a"),
    lambda: LifelongLearner().partial_fit(FRAMES[0], Y, task="a").partial_fit(OTHER_ORDER, TWO[1], task="b"),
])
def test_columns_are_found_by_name_wherever_frames_are_given(fit, tmp_path):
    learner = fit()
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    assert np.array_equal(learner.predict(FRAMES[0][["b", "c", "a"]], task="a"), learner.predict(X, task="a"))
    if not isinstance(learner, GoMTL) or len(learner.tasks_["agent-0"]) > 1:
        assert np.array_equal(learner.predict(OTHER_ORDER, task="b"), learner.predict(TWO[0], task="b"))
    learner.save(tmp_path / "m.colla")
    agent = "agent-0" if hasattr(learner, "agents_") else None
    assert LifelongLearner.load(tmp_path / "m.colla", agent).feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("fit", [lambda frame: LifelongLearner().fit(frame, Y), lambda frame: GoMTL().fit(frame, Y),
                                 lambda frame: Network().fit({0: [(frame, Y, "a")]})])
@pytest.mark.parametrize("name, message", [("(intercept)", r"a column may not be named '\(intercept\)'; rename it"),
                                           (" b", "column ' b' has no name or one with spaces around it"),
                                           ("\ud800", "column: .* is not Unicode text")])
def test_features_have_names_that_the_program_takes(fit, name, message):
    with pytest.raises(ValueError, match=message):
        fit(FRAMES[0].rename(columns={"b": name}))


def test_columns_that_are_not_used_may_have_any_names():
    learner = LifelongLearner().fit(FRAMES[0], Y)
    assert np.array_equal(learner.predict(FRAMES[0].assign(**{" d ": 1, "(intercept)": 1})), learner.predict(X))


def test_a_data_sets_features_name_every_column():
    tasks = {"agent-0": [ONE]}
    for features, message in [(["a", "b"], "X has 3 features, the agent 2"),
                              (["a", "b", "(intercept)"], "may not be named"),
                              (["a", "b", "b"], "column 'b' appears twice")]:
        with pytest.raises(ValueError, match=message):
            Network().fit(datasets.Dataset("mine", "regression", features, tasks))


@pytest.mark.parametrize("name, message", [
    (np.nan, "task: a name is missing"), (pandas.NA, "task: a name is missing"), (1.5, "task: 1.5 is not a name"),
    (True, "task: True is not a name"), ("a\0b", "task: .* holds a NUL character; remove it"),
    ("\ud800", "task: .* is not Unicode text"), (" a", "task: the name ' a' has spaces around it; remove them"),
    (b"a", "task: b'a' is not a name"),
])
def test_every_name_in_a_list_of_tasks_is_looked_at(name, message):
    learner = LifelongLearner().fit(X, Y, task="a")
    for call in [lambda names: LifelongLearner().fit(X, Y, task=names), lambda names: GoMTL().fit(X, Y, task=names),
                 lambda names: learner.predict(X, task=names)]:
        with pytest.raises(ValueError, match=message):
            call(["a"] * 10 + [name] * 2)
        with pytest.raises(ValueError, match=message):
            call(np.array(["a"] * 10 + [name] * 2, dtype=object))


@pytest.mark.parametrize("names", [np.full((12, 1), "a"), pandas.DataFrame({"names": ["a"] * 12}),
                                   pandas.Series(["a"] * 12, dtype="category"), ("a",) * 12])
def test_names_may_be_a_column(names):
    assert LifelongLearner().fit(X, Y, task=names).tasks_ == ["a"]


LABEL_KINDS = {
    "0/1": [0, 1], "-1/1": [-1, 1], "bool": [False, True], "words": ["false", "true"], "Words": ["False", "True"],
    "WORDS": ["FALSE", "True"], "float": [0.0, 1.0], "objects": np.array([0, 1], dtype=object),
    "bool objects": np.array([False, True], dtype=object), "word objects": np.array(["False", "TRUE"], dtype=object),
}


@pytest.mark.parametrize("kind", LABEL_KINDS)
def test_labels_come_back_as_they_were_given(kind):
    y = np.array(LABEL_KINDS[kind])[LABELS]
    learner = LifelongLearner(problem="classification").fit(X, y)
    plain = LifelongLearner(problem="classification").fit(X, LABELS)
    assert np.array_equal(knowledge(learner), knowledge(plain))
    assert learner.classes_.tolist() == list(LABEL_KINDS[kind])
    assert np.array_equal(learner.predict(X) == learner.classes_[1], plain.predict(X) == 1)
    assert learner.score(X, y) == plain.score(X, LABELS) > 0.8


def test_labels_after_load_are_0_and_1_until_they_are_assigned(tmp_path):
    y = 2 * LABELS - 1
    learner = LifelongLearner(problem="classification").fit(X, y)
    learner.save(tmp_path / "m.colla")
    loaded = LifelongLearner.load(tmp_path / "m.colla")
    assert np.array_equal(loaded.predict(X), learner.predict(X) > 0)
    loaded.classes_ = [-1, 1]
    assert np.array_equal(loaded.partial_fit(X, y, task="b").predict(X, task="task"), learner.predict(X))


@pytest.mark.parametrize("other", ["-1/1", "bool", "words"])
def test_labels_of_another_kind_are_refused(other):
    y = np.array(LABEL_KINDS[other])[LABELS]
    message = "y: the labels are .*, and those before were 0 and 1; write them as before"
    learner = LifelongLearner(method="colla", problem="classification").fit(X, LABELS)
    for call in [lambda: learner.partial_fit(X, y), lambda: learner.encode(X, y), lambda: learner.score(X, y),
                 lambda: Network(2, problem="classification").fit({0: [(X, LABELS, "a")], 1: [(X, y, "a")]}),
                 lambda: GoMTL(problem="classification").fit([(X, LABELS, "a"), (X, y, "b")])]:
        with pytest.raises(ValueError, match=message):
            call()


def test_later_steps_find_columns_by_name_in_frames_of_all_agents():
    first, later = frame_of([ONE, TWO], "pq"), frame_of([TWO, ONE], "pq").assign(task="later")
    expected = knowledge(Network().fit(first).partial_fit(later))
    for other in [later[["c", "agent", "y", "b", "task", "a"]], later.assign(more=1.0)]:
        assert np.array_equal(knowledge(Network().fit(first).partial_fit(other)), expected)
    with pytest.raises(ValueError, match="there is no column 'a', only 'b', 'c', 'y'; give every column"):
        Network().fit(first).partial_fit(later.rename(columns={"a": "z"}))
    backwards = datasets.Dataset("mine", "regression", ["c", "b", "a"], {"p": [ONE]})
    with pytest.raises(ValueError, match="the features are c, b, a, and those learned were a, b, c; give the same in"):
        Network().fit(first).partial_fit(backwards)


def test_a_step_without_agents_is_refused_where_there_are_several():
    network = Network().fit(frame_of([ONE, TWO], "pq"))
    for step in [frame_of([THREE], "q").drop(columns="agent"), [THREE]]:
        with pytest.raises(ValueError, match="the step does not say which agents get its tasks"):
            network.partial_fit(step)
    assert network.tasks_ == {"p": ["task-0"], "q": ["task-1"]}


def test_numbers_of_edges_are_the_numbers_in_a_frames_agent_column():
    hub = [(0, 1), (0, 2)]
    frame = frame_of([THREE, TWO, ONE], [2, 1, 0])
    by_number = Network(graph=hub).fit({0: [ONE], 1: [TWO], 2: [THREE]})
    assert np.array_equal(knowledge(Network(graph=hub, recipe=None).fit(frame)), knowledge(by_number))


def test_an_agents_number_is_a_name_in_a_file_too(tmp_path):
    Network().fit(frame_of([ONE, TWO], [1, 2])).save(tmp_path / "m.colla")
    assert LifelongLearner.load(tmp_path / "m.colla", agent=2).tasks_ == ["task-1"]


def test_a_learner_without_agents_may_have_a_feature_called_agent(program):
    frame = pandas.DataFrame(X, columns=["agent", "b", "c"])
    learner = LifelongLearner().fit(frame, Y)
    learner.save(program.folder / "m.colla")
    frame.assign(task="task").to_csv(program.folder / "rows.csv", index=False, float_format="%.17g")
    assert np.array_equal(program.column(program("predict", "m.colla", "rows.csv"), "prediction"), learner.predict(frame))


@pytest.mark.parametrize("name", ["\u200b", "\u00a0", " "])
def test_blank_names_are_refused(name):
    with pytest.raises(ValueError, match="the name is empty; name it or remove the row$"):
        Network().fit([(X, Y, name), TWO])
