# SPDX-License-Identifier: Apache-2.0
"""Bad input is a ValueError of one line, and nothing is learned or written."""
import itertools
import resource
import sqlite3

import numpy as np
import pandas
import pytest

from colla import GoMTL, LifelongLearner, Network, OfflineCoLLA, datasets
from conftest import knowledge, sample_tasks

X, Y, _ = sample_tasks(1)[0]
LABELS = (Y > np.median(Y)).astype(int)


def with_value(array, value):
    changed = array.copy()
    changed.flat[len(changed) // 2] = value
    return changed


def fit_learner(rows, targets, **settings):
    LifelongLearner(**settings).partial_fit(rows, targets, task="a")


def fit_dictionary(rows, targets, **settings):
    LifelongLearner(method="colla", **settings).partial_fit(rows, targets, task="a")


def fit_network(rows, targets, **settings):
    Network(1, "none", **settings).partial_fit({0: (rows, targets, "a")})


def fit_dictionaries(rows, targets, **settings):
    Network(1, "none", method="colla", **settings).partial_fit({0: (rows, targets, "a")})


def fit_offline(rows, targets, **settings):
    OfflineCoLLA(1, "none", **settings).fit([(rows, targets, "a")])


def fit_go_mtl(rows, targets, **settings):
    GoMTL(**settings).fit(rows, targets, task="a")


WITH_DICTIONARIES = [fit_dictionary, fit_dictionaries, fit_offline, fit_go_mtl]
LEARNERS = [fit_learner, fit_network, *WITH_DICTIONARIES]

BAD_ROWS = {
    "NaN": (with_value(X, np.nan), Y, {}, "X holds NaN or infinity; remove or fill such values"),
    "infinity": (with_value(X, -np.inf), Y, {}, "X holds NaN or infinity"),
    "too large": (with_value(X, 1e200), Y, {}, "row 3, column 1: 1e\\+200 is beyond 1e30; scale"),
    "target NaN": (X, with_value(Y, np.nan), {}, "y holds NaN or infinity"),
    "one row": (X[:1], Y[:1], {}, "task 'a' has 1 row, and two are needed; add rows or remove the task"),
    "no rows": (X[:0], Y[:0], {}, "task 'a' has 0 rows, and two are needed"),
    "no features": (X[:, :0], Y, {}, "X has no columns; give at least one feature"),
    "more rows than targets": (X, Y[:-1], {}, "X has 12 rows and y has 11; give one target per row"),
    "one dimension": (X[0], Y[:3], {}, "X has 1, not 2 dimensions"),
    "three dimensions": (X[None], Y, {}, "X has 3, not 2 dimensions"),
    "matrix of targets": (X, np.column_stack([Y, Y]), {}, "y should be a 1d array, and has 2 dimensions"),
    "ragged": ([[1.0, 2.0], [3.0], [4.0, 5.0]], Y[:3], {}, "inhomogeneous"),
    "text": ([["1", "b"]] * 3, Y[:3], {}, "X: 'b' is not a number; features are numbers; encode or remove"),
    "complex": (X * 1j, Y, {}, "X is complex"),
    "complex targets": (X, Y * 1j, {}, "y is complex"),
    "masked": (np.ma.masked_greater(X, 1), Y, {}, "X has masked entries; remove or fill them"),
    "masked targets": (X, np.ma.masked_greater(Y, 0), {}, "y has masked entries; remove or fill them"),
    "dates": (X.astype("datetime64[D]"), Y, {}, "X holds dates or times; turn them into numbers or text"),
    "durations as targets": (X, Y.astype("timedelta64[s]"), {}, "y holds dates or times"),
    "fields": (np.zeros(12, dtype=[("a", float)]), Y, {}, "X has named fields; give a plain array"),
    "beyond float": ([[10**400], [1]], Y[:2], {}, "X holds numbers beyond 1e30; scale"),
    "targets beyond float": (X, [10**400] * 12, {}, "y holds numbers beyond 1e30"),
    "words in regression": (X, np.where(LABELS, "good", "bad"), {},
                            "y: '(good|bad)' is not a number; give numbers, or problem='classification' for labels"),
    "missing target": (X, pandas.array([pandas.NA] * 12), {}, "y: '<NA>' is not a number"),
    "no targets": (X, [None] * 12, {}, "y holds NaN or infinity"),
    "intercept in words": (X, Y, dict(fit_intercept="False"),
                           "fit_intercept: invalid value 'False'; give True or False"),
    "three labels": (X, np.arange(12) % 3, dict(problem="classification"),
                     "y: classification takes two labels, and the targets are 0, 1, 2; "
                     "write them as 0 and 1, -1 and 1, or true and false"),
    "unknown labels": (X, LABELS + 1, dict(problem="classification"), "y: the targets .* are not labels that are"),
    "words": (X, np.where(LABELS, "good", "bad"), dict(problem="classification"), "are not labels that are understood"),
    "negative seed": (X, Y, dict(seed=-1), "seed: invalid value '-1'"),
    "another problem": (X, Y, dict(problem="ranking"),
                        "problem: invalid value 'ranking'; give regression.classification"),
}
BAD_FOR_DICTIONARIES = {
    "one class": (X, np.ones(12), dict(problem="classification"), "task 'a': only one class among the labels"),
    "no atoms": (X, Y, dict(n_atoms=0), "n_atoms: invalid value '0'; give a whole number from 1 to 1000000"),
    "too many atoms": (X, Y, dict(n_atoms=1_000_000), "n_atoms: 1e.06 atoms would take about 2.4e.04 GB, and this"),
    "half an atom": (X, Y, dict(n_atoms=1.5), "n_atoms: invalid value '1.5'"),
    "lambda 0": (X, Y, dict(lam=0), "lam: invalid value '0'; give a number above 0"),
    "negative lambda": (X, Y, dict(lam=-1), "lam: invalid value '-1'; give a number above 0"),
    "negative mu": (X, Y, dict(mu=-1e-9), "mu: invalid value '-1e-09'; give a number of 0 or above"),
    "gamma NaN": (X, Y, dict(gamma=np.nan), "gamma: invalid value 'nan'; give a number above 0"),
    "lambda in words": (X, Y, dict(lam="small"), "lam: invalid value 'small'; give a number above 0"),
    "another solver": (X, Y, dict(solver="fast"), "solver: invalid value 'fast'; "
                                                  "give automatic.dense.matrix-free"),
}


@pytest.mark.parametrize("fit, kind", [*itertools.product(LEARNERS, BAD_ROWS),
                                       *itertools.product(WITH_DICTIONARIES, BAD_FOR_DICTIONARIES)])
def test_bad_rows_and_settings_are_refused(fit, kind):
    rows, targets, settings, message = (BAD_ROWS | BAD_FOR_DICTIONARIES)[kind]
    with pytest.raises(ValueError, match=message) as caught:
        fit(rows, targets, **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("learner, settings", [(LifelongLearner, dict(n_atoms=5)), (LifelongLearner, dict(lam=0)),
                                               (LifelongLearner, dict(codes="stored")),
                                               (LifelongLearner, dict(init=np.ones((4, 4)))), (Network, dict(mu=0.1)),
                                               (Network, dict(gamma=1)), (Network, dict(rho=1.0)), (Network, dict(metric="scale")),
                                               (Network, dict(solver="dense"))])
def test_a_setting_of_dictionaries_is_refused_with_the_collective_prior(learner, settings):
    name, = settings
    for fit in [lambda one: one.fit([(X, Y, "a")]) if learner is Network else one.fit(X, Y),
                lambda one: one.partial_fit(*([{0: (X, Y, "a")}] if learner is Network else [X, Y]))]:
        with pytest.raises(ValueError, match=f"^{name}: is for dictionaries, which method='bayes' does not have; give "):
            fit(learner(**settings))
        fit(learner(**{name: learner().get_params()[name]}))
        with pytest.raises(ValueError, match="^method: invalid value 'em'; give bayes.colla"):
            fit(learner(method="em"))


def test_go_mtl_takes_rows_with_y_or_tasks():
    with pytest.raises(ValueError, match="y: is not given; give the targets of the rows"):
        GoMTL().fit(X)
    with pytest.raises(ValueError, match="task: is only for rows with y; tasks have their own names; leave it out"):
        GoMTL().fit([(X, Y, "a")], task="b")


FRAME = pandas.DataFrame(X, columns=list("abc")).assign(task="a", y=Y)
LEARNER = LifelongLearner(method="colla").fit(X, Y, task="a")
NETWORK = Network(12).fit({0: [(X, Y, "a")], 1: [(X, Y, "a")]})


@pytest.mark.parametrize("call, message", [
    (lambda: LEARNER.predict(X, task="\ud800"), "task: .* is not Unicode text"),
    (lambda: LEARNER.score(X, Y[:3]), "X has 12 rows and y has 3; give one target per row"),
    (lambda: LEARNER.encode(X[:1], Y[:1]), "has 1 row, and two are needed"),
    (lambda: LEARNER.save(""), "path: is empty; name a file"),
    (lambda: datasets.load_landmine("a\0b"), "path: .* holds a NUL character"),
    (lambda: LifelongLearner(method="colla", lam=10**400).fit(X, Y), "lam: invalid value '10+...'; give a number above 0"),
    (lambda: LifelongLearner(target_column=3).fit(FRAME), "target_column: 3 is not text; give a name"),
    (lambda: LifelongLearner(task_column=None).fit(FRAME), "task_column: None is not text"),
    (lambda: LifelongLearner(task_column="y").fit(FRAME), "columns y, y: two of them have the same name"),
    (lambda: LifelongLearner(method="colla", init="abc").fit(X, Y), "init: 'abc' is not a matrix of real numbers;"),
    (lambda: LifelongLearner(method="colla", init={}).fit(X, Y), "init: {} is not a matrix"),
    (lambda: LifelongLearner(method="colla", init=3).fit(X, Y), "init: 3 is not a matrix"),
    (lambda: LifelongLearner(method="colla", init=[[1], [1, 2]]).fit(X, Y), "init: .* is not a matrix"),
    (lambda: LifelongLearner(method="colla", init=np.full((4, 4), 1j)).fit(X, Y), "init: .* is not a matrix of real"),
    (lambda: LifelongLearner().fit(X, Y, task=np.full((6, 2), "a")), r"task: has the shape \(6, 2\), and there are 12"),
    (lambda: LifelongLearner().fit(X, Y, task=X[:, 0].astype("datetime64[D]")), "task holds dates or times"),
    (lambda: LifelongLearner().fit(FRAME.assign(task=pandas.array([1, None] * 6, dtype="Int64"))), "task: a name is"),
    (lambda: Network(2.0).fit([(X, Y, "a")]), "n_agents: invalid value '2.0'; give a whole number"),
    (lambda: Network("x").fit([(X, Y, "a")]), "n_agents: invalid value 'x'"),
    (lambda: Network().fit(5), "tasks: 5 is not a Dataset, data frame, dictionary or list of tasks; give one"),
    (lambda: OfflineCoLLA().fit(None), "tasks: None is not a Dataset"),
    (lambda: OfflineCoLLA().fit(X), "tasks: array.* is not a Dataset"),
    (lambda: Network().fit({0: None}), "tasks of agent 0: None is not a list"),
    (lambda: Network().fit([]), "the data has no tasks; give at least one"),
    (lambda: GoMTL().fit({0: []}), "the data has no tasks; give at least one"),
    (lambda: Network().fit({-1: [(X, Y, "a")]}), "agent: invalid value '-1'; give a whole number from 0"),
    (lambda: Network(callback=5).partial_fit({0: (X, Y, "a")}), "callback: 5 is not callable; give a function"),
    (lambda: Network(3, [(0, 1)]).fit({0: [(X, Y, "a")]}), "graph: leaves .*; add edges, or choose the graph 'none'"),
    (lambda: NETWORK.predict(X, agent="b", task="a"), "agent: there is no 'b'; give one of agent-0, .* and 4 more, or"),
])
def test_messages_say_what_is_wrong_and_what_to_do(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_columns_may_have_numbers_for_names():
    frame = pandas.DataFrame(X).assign(**{"3": "a"}).rename(columns={"3": 3})
    learner = LifelongLearner(task_column="3").fit(frame, Y)
    assert learner.tasks_ == ["a"] and learner.feature_names_in_.tolist() == ["0", "1", "2"]
    assert np.array_equal(learner.predict(frame), learner.predict(X))


@pytest.mark.parametrize("path, message", [("x\0y", "path: .* holds a NUL character"),
                                           ("\ud800", "is not Unicode text"), (b"a\xff", "is not Unicode text")])
def test_a_path_that_no_file_can_have_is_refused(path, message):
    with pytest.raises(ValueError, match=message):
        LifelongLearner().fit(X, Y).save(path)
    with pytest.raises(ValueError, match=message):
        LifelongLearner.load(path)


@pytest.mark.parametrize("settings, message", [
    (dict(exchanges=0), "exchanges: invalid value '0'; give K, K1.K2/t or K,K,... with at least 1"),
    (dict(exchanges="many"), "exchanges: invalid value 'many'"),
    (dict(method="colla", rho=0), "rho: must be above 0 where agents exchange; try 1"),
    (dict(method="colla", rho=-1), "rho: invalid value '-1'; give a number of 0 or above"),
    (dict(tolerance=-1), "tolerance: invalid value '-1'; give a number of 0 or above"),
    (dict(refresh=-1), "refresh: invalid value '-1'"),
    (dict(threads=-1), "threads: invalid value '-1'"),
    (dict(n_agents=0), "n_agents: invalid value '0'"),
])
def test_bad_settings_of_a_network_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Network(**settings).fit({0: sample_tasks(1), 1: sample_tasks(1)})


def test_a_first_dictionary_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="init: has 3 x 2 numbers, and 4 x 2 are needed"):
        LifelongLearner(2, method="colla", init=np.ones((3, 2))).fit(X, Y)
    with pytest.raises(ValueError, match="init: holds NaN"):
        LifelongLearner(2, method="colla", init=np.full((4, 2), np.nan)).fit(X, Y)


def test_other_feature_counts_are_refused_with_the_users_numbers():
    learner, other = LifelongLearner().fit(X, Y), LifelongLearner(method="colla").fit(X, Y)
    message = "X has 2 features, the agent 3; give rows with the same features"
    for call in [lambda: learner.partial_fit(X[:, :2], Y, task="b"), lambda: learner.predict(X[:, :2]),
                 lambda: other.predict(X[:, :2]), lambda: other.encode(X[:, :2], Y)]:
        with pytest.raises(ValueError, match=message):
            call()


def test_rows_to_predict_are_checked():
    learner = LifelongLearner().fit(X, Y)
    with pytest.raises(ValueError, match="X holds NaN or infinity"):
        learner.predict(with_value(X, np.nan))
    with pytest.raises(ValueError, match="task 'b': unknown to this agent; learn it first"):
        LEARNER.predict(X, task="b")
    with pytest.raises(ValueError, match="task: has 3 names, and there are 12 rows"):
        learner.predict(X, task=["a", "b", "c"])
    learner.partial_fit(X, Y, task="b")
    with pytest.raises(ValueError, match="task: not given, and there are 2"):
        learner.predict(X)


@pytest.mark.parametrize("name", ["", "  ", 1.5, True, None])
def test_a_task_needs_a_name(name):
    with pytest.raises(ValueError, match="task: "):
        Network(1).partial_fit({0: (X, Y, name)})


def test_nothing_is_learned_from_a_call_with_one_bad_task():
    learner = LifelongLearner().fit(X, Y, task="a")
    before = knowledge(learner)
    rows = np.concatenate([X, with_value(X, np.nan)])
    with pytest.raises(ValueError, match="task 'c': X holds NaN"):
        learner.partial_fit(rows, np.tile(Y, 2), task=["b"] * 12 + ["c"] * 12)
    assert learner.tasks_ == ["a"]
    assert np.array_equal(knowledge(learner), before)


def test_nothing_is_forgotten_by_a_fit_that_fails():
    network = Network().fit({0: sample_tasks(2), 1: sample_tasks(2)})
    before = knowledge(network)
    with pytest.raises(ValueError, match="X holds NaN"):
        network.partial_fit({0: (X, Y, "z"), 1: (with_value(X, np.nan), Y, "z")})
    with pytest.raises(ValueError, match="two are needed"):
        network.fit({0: [(X[:1], Y[:1], "a")]})
    assert len(network.history_) == 2
    assert np.array_equal(knowledge(network), before)


def test_rows_of_a_task_must_stand_together(program):
    rows = pandas.DataFrame(X, columns=["x1", "x2", "x3"]).assign(y=Y, task=["a", "b"] * 6)
    rows.to_csv(program.folder / "rows.csv", index=False)
    theirs = program.message("train", "rows.csv", "--algorithm", "ella", "--recipe", "none")
    with pytest.raises(ValueError) as caught:
        LifelongLearner(recipe=None).fit(rows)
    assert str(caught.value) == theirs.removeprefix("rows.csv, line 2: ")


def test_three_labels_are_refused_in_the_programs_words(program):
    rows = pandas.DataFrame(X, columns=["x1", "x2", "x3"]).assign(y=np.arange(12) % 3, task="a")
    rows.to_csv(program.folder / "rows.csv", index=False)
    theirs = program.message("train", "rows.csv", "--problem", "classification", "--recipe", "none")
    with pytest.raises(ValueError) as caught:
        LifelongLearner(problem="classification", recipe=None).fit(rows)
    assert str(caught.value).removeprefix("y: ") == theirs.removeprefix("rows.csv, column 'y': ")


@pytest.mark.parametrize("frame, message", [
    (pandas.DataFrame({"task": ["a"] * 3, "x": [1, 2, 3]}), r"no column 'y' \(there are task, x\)"),
    (pandas.DataFrame({"task": ["a"] * 3, "x": [1, "b", 3], "y": [1, 2, 3]}), "column 'x': 'b' is not a number"),
    (pandas.DataFrame({"task": ["a"] * 3, "x": [1, None, 3], "y": [1, 2, 3]}), "X holds NaN"),
    (pandas.DataFrame([["a", 1, 2, 3]] * 3, columns=["task", "x", "x", "y"]), "column 'x' appears twice"),
    (pandas.DataFrame({"task": ["a", "", "a"], "x": [1, 2, 3], "y": [1, 2, 3]}), "the name is empty"),
    (pandas.DataFrame({"task": ["a"] * 3, "y": [1, 2, 3]}), "X has no columns"),
])
def test_bad_frames_are_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        LifelongLearner(recipe=None).fit(frame)


def test_a_networks_frame_needs_tasks():
    with pytest.raises(ValueError, match=r"no column 'task' \(there are x, y\); every row needs its task"):
        Network().fit(pandas.DataFrame({"x": [1, 2, 3], "y": [1, 2, 3]}))


def test_a_missing_column_is_named_when_predicting():
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    learner = LifelongLearner().fit(frame, Y)
    with pytest.raises(ValueError, match="there is no column 'b', only 'a', 'c'; give every column that the recipe"):
        learner.predict(frame.drop(columns="b"))
    learner = LifelongLearner(recipe=None).fit(frame, Y)
    with pytest.raises(ValueError, match="no column 'b' .*give every feature the model was trained on"):
        learner.predict(frame.drop(columns="b"))


@pytest.mark.parametrize("write", [lambda path: None, lambda path: path.mkdir(), lambda path: path.write_text("no"),
                                   lambda path: path.write_bytes(b"")])
def test_what_is_no_model_file_is_refused_as_the_program_does(program, write):
    path = program.folder / "m.colla"
    write(path)
    program.write_rows("rows.csv", [(None, X, Y, "a")])
    with pytest.raises(ValueError) as caught:
        LifelongLearner.load(path)
    assert str(caught.value) == program.message("predict", path, "rows.csv")


def test_a_newer_model_file_is_refused_by_name(program):
    path = program.folder / "m.colla"
    LifelongLearner().fit(X, Y).save(path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    program.write_rows("rows.csv", [(None, X, Y, "a")])
    with pytest.raises(ValueError, match="newer") as caught:
        LifelongLearner.load(path)
    assert str(caught.value) == program.message("predict", path, "rows.csv")


def test_a_full_disk_leaves_the_older_model_file(tmp_path):
    path = tmp_path / "m.colla"
    LifelongLearner().fit(X, Y, task="old").save(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(ValueError, match="m.colla"):
            LifelongLearner().fit(X, Y, task="new").save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert LifelongLearner.load(path).tasks_ == ["old"]
    assert [each.name for each in tmp_path.iterdir()] == ["m.colla"]


def test_a_file_of_another_kind_is_never_overwritten(tmp_path):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(ValueError, match="exists and is not a colla model file; choose another name"):
        LifelongLearner().fit(X, Y).save(tmp_path / "notes")
    assert (tmp_path / "notes").read_text() == "mine"
    with pytest.raises(ValueError, match="no such folder"):
        LifelongLearner().fit(X, Y).save(tmp_path / "nowhere" / "m.colla")


def test_a_missing_data_folder_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("COLLA_DATA", raising=False)
    with pytest.raises(ValueError, match="data_dir: no data folder is named, .*; name its folder here or in the "
                                         "variable COLLA_DATA"):
        datasets.load_landmine()
    with pytest.raises(ValueError, match="school.mat: is not there"):
        datasets.load_london_schools(tmp_path)
    (tmp_path / "school.mat").write_bytes(b"\0" * 44759)
    with pytest.raises(ValueError, match="is not the published file"):
        datasets.load_london_schools(tmp_path)


@pytest.mark.parametrize("settings", [dict(rows=1), dict(n_features=0), dict(active=5), dict(noise=-1)])
def test_synthetic_tasks_that_cannot_be_made_are_refused(settings):
    with pytest.raises(ValueError, match=list(settings)[0].removeprefix("n_")):
        datasets.make_tasks(**settings)


@pytest.mark.parametrize("name", ["n_agents", "tasks_per_agent", "rows", "n_features", "n_atoms"])
def test_synthetic_tasks_that_no_machine_can_hold_are_refused(name):
    with pytest.raises(ValueError, match="make_tasks: .* numbers would take about .* GB, .*; give fewer"):
        datasets.make_tasks(**{name: 2**31, "n_features" if name == "n_atoms" else "n_atoms": 10**4})


def test_sparse_rows_are_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="X is sparse"):
        LifelongLearner().fit(sparse.csr_matrix(X), Y)


def test_unknown_parameters_are_refused():
    with pytest.raises(ValueError, match="no parameter 'atoms' of LifelongLearner"):
        LifelongLearner().set_params(atoms=3)


@pytest.mark.parametrize("use", [lambda learner: learner.predict(X), lambda learner: learner.mean_,
                                 lambda learner: learner.set_params(method="colla").dictionary_,
                                 lambda learner: learner.forget("a"), lambda learner: learner.save("m.colla")])
def test_nothing_can_be_asked_of_a_learner_that_knows_nothing(use):
    with pytest.raises(ValueError, match="has not learned a task yet"):
        use(LifelongLearner())
