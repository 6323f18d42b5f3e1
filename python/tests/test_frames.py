# SPDX-License-Identifier: Apache-2.0
"""Data frames as people have them: words, categories, truth values, dates and missing cells."""
import copy
import csv
import functools
import pickle

import numpy as np
import pandas
import polars
import pytest

from colla import (CollaborationWarning, GoMTL, LifelongLearner, Network, OfflineCoLLA, RecipeWarning, datasets)
from conftest import distance

WithDictionary = functools.partial(LifelongLearner, method="colla")
WithDictionaries = functools.partial(Network, method="colla")
ONE_AGENT = [LifelongLearner, WithDictionary]
LEARNERS = [*ONE_AGENT, Network, WithDictionaries, OfflineCoLLA, GoMTL]
CITIES = ["Bonn", "Oslo", "Rome", None]


def clinic_columns(rows=240, seed=1):
    """Plain lists, with None where a cell is missing."""
    random = np.random.default_rng(seed)
    age = random.normal(50, 10, rows)
    smoker = random.random(rows) < 0.4
    city = random.integers(0, 4, rows)
    days = random.integers(0, 300, rows)
    y = 900 + 12 * age + 150 * smoker + 80 * (city == 2) + 10 * random.normal(size=rows)
    return {
        "clinic": [f"clinic-{k}" for k in random.integers(0, 6, rows)],
        "age": [None if k % 7 == 0 else float(a) for k, a in enumerate(age)],
        "smoker": smoker.tolist(),
        "city": [CITIES[c] for c in city],
        "stage": [str(1 + d % 3) for d in days],
        "seen": (np.datetime64("2024-01-01") + days).astype(object).tolist(),
        "cost": y.tolist(),
    }


def clinics(**settings):
    columns = clinic_columns(**settings)
    frame = pandas.DataFrame(columns)
    frame["age"] = frame["age"].astype(float)
    frame["stage"] = pandas.Categorical(frame["stage"].astype(int))
    frame["seen"] = pandas.to_datetime(frame["seen"])
    return frame


FRAME = clinics()
COLUMNS = dict(task_column="clinic", target_column="cost")
LABELLED = FRAME.assign(cost=np.where(FRAME["cost"] > np.median(FRAME["cost"]), "yes", "no"))
THREE = FRAME.assign(cost=pandas.cut(FRAME["cost"], [0, 1450, 1600, 1e9], labels=["low", "mid", "top"]))


def task_lists(labels, frame=FRAME):
    return [(rows.drop(columns=["clinic", "cost"]), labels[rows.index], name)
            for name, rows in frame.groupby("clinic", sort=True)]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_frame_with_everything_in_it_is_learned_in_the_targets_units(learner):
    learned = learner(**COLUMNS).fit(FRAME)
    has_curves = learner in [LifelongLearner, Network]
    assert str(learned.recipe_).splitlines() == [
        "target cost: a number, mean 1575, spread 130.8",
        f"{13 if has_curves else 10} features from 4 columns of 240 rows",
        "numbers: age" + (", with 3 hinges" if has_curves else ""),
        "words: smoker (False, True), city (Bonn, Oslo, Rome), stage (1, 2, 3)",
        "missing values, each with an indicator: age (14.58 %), city (24.58 %)",
        "left out: seen (a date)",
    ]
    assert learned.feature_names_in_.tolist() == ["age", "smoker", "city", "stage", "seen"]
    assert learned.n_features_in_ == 5
    assert learned.score(FRAME) > 0.8
    assert abs(learned.predict(FRAME) - FRAME["cost"]).mean() < 60
    tasks = learned.tasks_ if learner in ONE_AGENT else learned.tasks_["agent-0"]
    assert tasks == [f"clinic-{k}" for k in range(6)]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("frame, settings", [(FRAME, {}), (LABELLED, {"problem": "classification"}),
                                             (THREE, {"problem": "classification"})])
def test_shuffled_rows_give_the_same_predictions(learner, frame, settings):
    shuffled = frame.sample(frac=1, random_state=3)
    ask = "predict_proba" if settings else "predict"
    expected = getattr(learner(**COLUMNS, **settings).fit(frame), ask)(frame)
    found = getattr(learner(**COLUMNS, **settings).fit(shuffled), ask)(frame)
    assert distance(found, expected) < 1e-9


@pytest.mark.parametrize("learner", LEARNERS)
def test_units_of_columns_and_target_do_not_matter(learner):
    expected = learner(**COLUMNS).fit(FRAME).predict(FRAME)
    changed = FRAME.assign(age=1e6 * FRAME["age"] - 3, cost=1e-3 * FRAME["cost"] + 7)
    found = (learner(**COLUMNS).fit(changed).predict(changed) - 7) / 1e-3
    assert abs(found - expected).max() < 1e-6 * FRAME["cost"].std()


def test_every_way_to_write_a_missing_cell_is_the_same():
    ages = FRAME["age"].round()
    names = FRAME["city"]
    expected = LifelongLearner(**COLUMNS).fit(FRAME.assign(age=ages))
    for other in [dict(age=ages.astype("Int64")), dict(age=ages.astype(object).where(ages.notna(), None)),
                  dict(age=[pandas.NA if a != a else a for a in ages]), dict(age=[f"{a:g}" for a in ages]),
                  dict(city=names.fillna("?")), dict(city=names.astype("category")), dict(city=names.astype("string")),
                  dict(smoker=FRAME["smoker"].astype("boolean")), dict(smoker=FRAME["smoker"].astype(object)),
                  dict(seen=FRAME["seen"].where(FRAME.index % 5 > 0)), dict(seen=FRAME["seen"].astype(str))]:
        frame = FRAME.assign(**{"age": ages} | other)
        learner = LifelongLearner(**COLUMNS).fit(frame)
        assert learner.recipe_.toml() == expected.recipe_.toml()
        assert np.array_equal(learner.predict(frame), expected.predict(FRAME.assign(age=ages)))


def test_polars_gives_the_bits_of_pandas():
    columns = clinic_columns()
    frame = polars.DataFrame(columns).with_columns(polars.col("stage").cast(polars.Categorical))
    expected = LifelongLearner(**COLUMNS).fit(FRAME)
    learner = LifelongLearner(**COLUMNS).fit(frame)
    assert learner.recipe_.toml() == expected.recipe_.toml()
    assert np.array_equal(learner.predict(frame), expected.predict(FRAME))
    assert learner.score(frame) == expected.score(FRAME)
    assert np.array_equal(Network(**COLUMNS).fit(frame).predict(frame), Network(**COLUMNS).fit(FRAME).predict(FRAME))


TWO_LABELS = {"words": ["no", "yes"], "1/2": [1, 2], "bool": [False, True], "-1/1": [-1, 1], "0/1": [0.0, 1.0],
              "mixed case": ["a", "B"], "denied": ["low", "high"]}


@pytest.mark.parametrize("kind", TWO_LABELS)
def test_any_two_values_are_labels_and_come_back_as_they_were_given(kind):
    is_second = (LABELLED["cost"] == "yes").to_numpy()
    labels = np.array(TWO_LABELS[kind])
    y = labels[is_second.astype(int)]
    X = LABELLED.drop(columns="cost")
    learner = LifelongLearner(problem="classification", **COLUMNS).fit(X, y)
    assert learner.classes_.tolist() == labels.tolist() and learner.classes_.dtype.kind == labels.dtype.kind
    assert learner.score(X, y) > 0.8
    assert np.array_equal(learner.predict(X) == labels[1], learner.predict_proba(X)[:, 1] >= 0.5)
    plain = LifelongLearner(problem="classification", **COLUMNS).fit(LABELLED)
    assert np.array_equal(learner.decision_function(X), plain.decision_function(X))
    categories = LifelongLearner(problem="classification", **COLUMNS).fit(X, pandas.Series(y).astype("category"))
    assert np.array_equal(categories.predict(X), learner.predict(X))


@pytest.mark.parametrize("learner", LEARNERS)
def test_three_labels_have_a_model_each(learner):
    learned = learner(problem="classification", **COLUMNS).fit(THREE)
    assert learned.classes_.tolist() == ["low", "mid", "top"]
    probabilities = learned.predict_proba(THREE)
    assert probabilities.shape == learned.decision_function(THREE).shape == (len(THREE), 3)
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    assert np.array_equal(learned.predict(THREE), learned.classes_[probabilities.argmax(axis=1)])
    assert learned.score(THREE) > 0.75
    one = learner(problem="classification", compare=False, **COLUMNS).fit(
        THREE.assign(cost=np.where(THREE["cost"] == "low", "low", "no low")))
    log_odds = one.decision_function(THREE)
    sign = 1 if one.classes_[1] == "low" else -1
    assert distance(learned.decision_function(THREE)[:, 0], sign * log_odds) < 1e-6


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_label_that_a_task_never_had_has_probability_0_there_without_a_prior(learner, tmp_path):
    frame = THREE[(THREE["clinic"] != "clinic-2") | (THREE["cost"] != "low")]
    learned = learner(problem="classification", **COLUMNS).fit(frame)
    has_prior = getattr(learned, "method", "colla") == "bayes"
    there = (THREE["clinic"] == "clinic-2").to_numpy()
    probabilities = learned.predict_proba(THREE)
    assert (probabilities[there, 0] == 0).all() != has_prior and (probabilities[~there] > 0).all()
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    tasks = learned.tasks_ if learner in ONE_AGENT else learned.tasks_["agent-0"]
    assert set(tasks) == {f"clinic-{k}" for k in range(6)}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("frame, problem", [(FRAME, "regression"), (LABELLED, "classification"),
                                            (THREE, "classification")])
def test_pickles_copies_and_files_predict_the_same(learner, frame, problem, tmp_path):
    learned = learner(problem=problem, **COLUMNS).fit(frame)
    learned.save(tmp_path / "m.colla")
    loaded = LifelongLearner.load(tmp_path / "m.colla")
    for other in [pickle.loads(pickle.dumps(learned)), copy.copy(learned), loaded]:
        assert np.array_equal(other.predict(frame), learned.predict(frame))
        assert other.recipe_.toml() == learned.recipe_.toml()
        if problem == "classification":
            assert np.array_equal(other.predict_proba(frame), learned.predict_proba(frame))
            assert other.classes_.tolist() == learned.classes_.tolist()
    assert set(loaded.feature_names_in_) == set(learned.feature_names_in_)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("frame, problem", [(FRAME, "regression"), (LABELLED, "classification"),
                                            (THREE[(THREE["clinic"] != "clinic-2") | (THREE["cost"] != "low")],
                                             "classification")])
def test_the_program_predicts_raw_tables_with_the_same_digits(learner, frame, problem, program):
    learned = learner(problem=problem, **COLUMNS).fit(frame)
    learned.save(program.folder / "m.colla")
    raw = frame.drop(columns="cost")
    raw.to_csv(program.folder / "raw.csv", index=False)
    rows = list(csv.DictReader(program("predict", "m.colla", "raw.csv").splitlines()))
    if problem == "regression":
        assert [float(row["prediction"]) for row in rows] == learned.predict(raw).tolist()
        return
    assert [row["label"] for row in rows] == learned.predict(raw).tolist()
    probabilities = learned.predict_proba(raw)
    if probabilities.shape[1] == 2:
        assert [float(row["probability"]) for row in rows] == probabilities[:, 1].tolist()
    else:
        for k, label in enumerate(learned.classes_):
            assert [float(row[f"probability of {label}"]) for row in rows] == probabilities[:, k].tolist()


@pytest.mark.parametrize("algorithm, learner", [("bayes", LifelongLearner), ("bayes", Network),
                                                ("ella", WithDictionary), ("colla", WithDictionaries),
                                                ("go-mtl", GoMTL)])
@pytest.mark.parametrize("frame, problem", [(FRAME, "regression"), (LABELLED, "classification"),
                                            (THREE, "classification")])
def test_the_programs_training_gives_the_same_model(algorithm, learner, frame, problem, program):
    frame = frame.drop(columns="stage")  # numbers in a file, and a category in a frame
    frame.to_csv(program.folder / "raw.csv", index=False)
    process = program.run("train", "raw.csv", "--task-column", "clinic", "--target-column", "cost", "--algorithm",
                          algorithm, "--test-fraction", 0, "--model", "m.colla")
    assert process.returncode == 0, process
    loaded = LifelongLearner.load(program.folder / "m.colla")
    learned = learner(problem=problem, **COLUMNS).fit(frame)
    assert loaded.recipe_.toml() == learned.recipe_.toml()
    ask = "predict" if problem == "regression" else "predict_proba"
    assert np.array_equal(getattr(loaded, ask)(frame), getattr(learned, ask)(frame))
    rows = csv.DictReader(program("predict", "m.colla", "raw.csv").splitlines())
    printed = [float(row["prediction"]) if problem == "regression" else row["label"] for row in rows]
    assert printed == loaded.predict(frame).tolist()


def test_the_program_reads_the_truth_values_that_polars_writes(program):
    frame = polars.DataFrame(clinic_columns())
    learned = LifelongLearner(**COLUMNS).fit(frame)
    learned.save(program.folder / "m.colla")
    frame.write_csv(program.folder / "raw.csv")
    assert ",true," in (program.folder / "raw.csv").read_text()
    printed = program.column(program("predict", "m.colla", "raw.csv"), "prediction")
    assert np.array_equal(printed, learned.predict(frame))


def test_what_training_did_not_have_is_counted_in_warnings():
    learner = LifelongLearner(**COLUMNS).fit(FRAME)
    other = FRAME.copy()
    other.loc[3:5, "city"] = "Bern"
    with pytest.warns(RecipeWarning, match="^column 'city': 3 rows with words that training did not have, such as "
                                           "'Bern'; taken as average$") as caught:
        learner.predict(other)
    assert caught[0].filename == __file__
    with pytest.warns(RecipeWarning, match="column 'smoker': 240 missing values, and training had none"):
        learner.predict(FRAME.assign(smoker=None))
    with pytest.raises(ValueError, match="there is no column 'city', only .*; give every column that the recipe has"):
        learner.predict(FRAME.drop(columns="city"))
    with pytest.raises(ValueError, match="row 3, column 'age': .*'old'"):
        learner.predict(FRAME.assign(age=["old" if k == 3 else 7 for k in range(240)]))
    expected = learner.predict(FRAME)
    assert np.array_equal(learner.predict(FRAME[FRAME.columns[::-1]].assign(more=1)), expected)
    assert np.array_equal(learner.predict(FRAME.drop(columns="seen")), expected)
    assert np.array_equal(learner.predict(FRAME.assign(stage=FRAME["stage"].astype(float))), expected)
    assert np.array_equal(learner.predict(FRAME[learner.feature_names_in_].to_numpy(), FRAME["clinic"]), expected)


def test_rows_without_a_target_and_tasks_without_enough_rows_are_left_out_with_a_warning():
    frame = pandas.concat([FRAME, FRAME[:1].assign(clinic="tiny"), FRAME[:2].assign(cost=np.nan)])
    with pytest.warns(RecipeWarning) as caught:
        learner = LifelongLearner(**COLUMNS).fit(frame)
    assert [str(each.message) for each in caught] == ["2 rows without a target left out",
                                                      "1 of 7 tasks are left out, such as 'tiny': they have one row"]
    assert "tiny" not in learner.tasks_
    with pytest.raises(ValueError, match="task 'tiny' has 1 row, and two are needed"):
        learner.partial_fit(FRAME[:1].assign(clinic="tiny"))
    with pytest.warns(RecipeWarning, match="^2 rows without a target left out$"):
        assert np.isfinite(learner.score(FRAME.assign(cost=FRAME["cost"].where(FRAME.index > 1))))


@pytest.mark.parametrize("frame, settings, message", [
    (LABELLED, {}, "y: '(yes|no)' is not a number; give numbers, or problem='classification' for labels"),
    (FRAME.assign(wait=pandas.to_timedelta(FRAME["age"], "D")), {}, "column 'wait' holds durations; turn them into"),
    (FRAME.assign(parts=[[1]] * 240), {}, "column 'parts' holds values that are neither numbers nor words"),
    (FRAME.assign(age=np.inf), {}, "row 0, column 'age': "),
    (FRAME, {"recipe": 5}, "recipe: 5 is not a recipe; give 'auto', None, a file or its text"),
    (FRAME, {"recipe": "nowhere.toml"}, "nowhere.toml"),
    (FRAME, {"recipe": "format = 1\n"}, "recipe"),
    (FRAME, {"expand": "trees"}, "expand: invalid value 'trees'; give auto.none.splines"),
    (FRAME, {"compare": 1}, "compare: invalid value 1; give True or False"),
    (FRAME.assign(cost=5), {}, "all targets are 5"),
])
@pytest.mark.parametrize("learner", LEARNERS)
def test_what_cannot_be_prepared_is_refused_in_one_line(learner, frame, settings, message):
    with pytest.raises(ValueError, match=message) as caught:
        learner(**COLUMNS, **settings).fit(frame)
    assert "\n" not in str(caught.value)


def test_recipes_are_for_frames():
    X, y = FRAME[["age"]].fillna(0).to_numpy(), FRAME["cost"]
    recipe = LifelongLearner(**COLUMNS).fit(FRAME).recipe_
    with pytest.raises(ValueError, match="recipe: is for data frames, whose columns have names, and the rows are an"):
        LifelongLearner(recipe=recipe).fit(X, y)
    with pytest.raises(ValueError, match="expand: is for data frames"):
        Network(expand="splines").fit([(X, y, "a")])
    with pytest.raises(ValueError, match="recipe: is one for regression; give problem='regression'"):
        LifelongLearner(recipe=recipe, problem="classification").fit(FRAME)
    assert not hasattr(LifelongLearner().fit(X, y), "recipe_")


def test_a_recipe_may_be_given(tmp_path):
    first = LifelongLearner(**COLUMNS).fit(FRAME[:120])
    text = first.recipe_.toml()
    (tmp_path / "recipe.toml").write_text(text)
    for recipe in [first.recipe_, text, tmp_path / "recipe.toml", str(tmp_path / "recipe.toml")]:
        for learner in LEARNERS:
            learned = learner(recipe=recipe, compare=False, **COLUMNS).fit(FRAME)
            assert learned.recipe_.toml() == text
    renamed = LifelongLearner(recipe=text).fit(FRAME.rename(columns={"clinic": "task", "cost": "y"}))
    assert np.array_equal(renamed.predict(FRAME, FRAME["clinic"]),
                          LifelongLearner(recipe=text, **COLUMNS).fit(FRAME).predict(FRAME))


def test_the_first_call_fixes_the_recipe():
    learner = WithDictionary(**COLUMNS).partial_fit(FRAME[FRAME["clinic"] == "clinic-0"])
    text = learner.recipe_.toml()
    for name in ["clinic-1", "clinic-2"]:
        learner.partial_fit(FRAME[FRAME["clinic"] == name])
    assert learner.recipe_.toml() == text and learner.tasks_ == ["clinic-0", "clinic-1", "clinic-2"]
    learner.forget("clinic-1")
    assert learner.encode(FRAME[FRAME["clinic"] == "clinic-1"]).shape == (4,)
    assert learner.fit(FRAME).recipe_.toml() != text


def test_three_labels_arrive_task_after_task():
    learner = LifelongLearner(problem="classification", **COLUMNS)
    for name in sorted(THREE["clinic"].unique()):
        learner.partial_fit(THREE[THREE["clinic"] == name])
    assert learner.score(THREE) > 0.7
    learner.forget("clinic-0")
    assert learner.tasks_ == [f"clinic-{k}" for k in range(1, 6)]


@pytest.mark.parametrize("learner", [Network, OfflineCoLLA, GoMTL])
@pytest.mark.parametrize("frame, problem", [(FRAME, "regression"), (THREE, "classification")])
def test_frames_of_single_tasks_share_one_recipe(learner, frame, problem):
    lists = task_lists(frame["cost"], frame)
    whole = learner(problem=problem, **COLUMNS).fit(frame)
    parts = learner(problem=problem, **COLUMNS).fit(lists)
    assert [str(parts.recipe_).splitlines()[1:], parts.tasks_] == [str(whole.recipe_).splitlines()[1:], whole.tasks_]
    assert np.array_equal(parts.predict(frame), whole.predict(frame))


def test_a_network_learns_frames_step_by_step():
    lists = task_lists(FRAME["cost"])
    network = Network(2, **COLUMNS)
    for k in range(0, 6, 2):
        network.partial_fit({0: lists[k], 1: lists[k + 1]})
    assert network.tasks_ == {"agent-0": ["clinic-0", "clinic-2", "clinic-4"],
                              "agent-1": ["clinic-1", "clinic-3", "clinic-5"]}
    assert network.score(FRAME) > 0.7
    sites = FRAME.assign(agent=np.where(FRAME["clinic"] < "clinic-3", "north", "south"))
    assert Network(**COLUMNS).fit(sites).agents_ == ["north", "south"]


def test_splines_follow_curves():
    random = np.random.default_rng(2)
    x = random.uniform(-2, 2, 800)
    frame = pandas.DataFrame({"x": x, "task": np.arange(800) % 8, "y": x**2 + 0.1 * random.normal(size=800)})
    for method in ["bayes", "colla"]:
        straight = LifelongLearner(method=method, expand="none").fit(frame)
        bent = LifelongLearner(method=method, expand="splines").fit(frame)
        assert straight.score(frame) < 0.3
        assert bent.score(frame) > 0.9
        by_default = LifelongLearner(method=method).fit(frame)
        assert by_default.recipe_.toml() == (bent if method == "bayes" else straight).recipe_.toml()


def unrelated_tasks():
    """Tasks that have nothing in common."""
    random = np.random.default_rng(4)
    X = random.normal(size=(12, 60, 6))
    return [(rows, rows @ random.normal(size=6), f"task-{k}") for k, rows in enumerate(X)]


@pytest.mark.parametrize("learner", [WithDictionary, WithDictionaries, OfflineCoLLA, GoMTL])
def test_a_fit_that_is_worse_than_each_task_for_itself_warns(learner):
    tasks = unrelated_tasks()
    X, y = np.concatenate([rows for rows, _, _ in tasks]), np.concatenate([of for _, of, _ in tasks])
    frame = pandas.DataFrame(X, columns=list("abcdef")).assign(y=y, task=np.repeat([t for _, _, t in tasks], 60))
    with pytest.warns(CollaborationWarning, match="predicted worse than by each task for itself .RMSE .* % larger.; "
                                                  "try more atoms") as caught:
        warned = learner(n_atoms=1).fit(frame)
    assert caught[0].filename == __file__ and len(caught) == 1
    quiet = learner(n_atoms=1, compare=False).fit(frame)
    assert np.array_equal(quiet.predict(frame), warned.predict(frame))
    if learner is WithDictionary:
        learner(n_atoms=1).partial_fit(frame)
        with pytest.warns(CollaborationWarning):
            learner(n_atoms=1).fit(X, y, frame["task"])


def test_a_fit_that_is_better_does_not_warn():
    frame = datasets.make_tasks(tasks_per_agent=12, rows=16, n_features=10, n_atoms=2, active=2).frame()
    WithDictionary(n_atoms=2).fit(frame.drop(columns="agent"))
    LifelongLearner().fit(frame.drop(columns="agent"))
