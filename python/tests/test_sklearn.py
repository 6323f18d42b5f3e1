# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of estimators, and its tools around a learner."""
import warnings

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from colla import GoMTL, LifelongLearner, NewTaskWarning, RecipeWarning, datasets

# Why a check does not apply. `Network` and `OfflineCoLLA` take tasks and not rows, and `GoMTL` takes either: their
# interface is not the one that is checked.
TEXT = "the error is raised; its text is the program's, not scikit-learn's"
LABELS = "labels are 0/1, -1/1 or False/True: a model file knows no others"
FOR_BOTH = {
    "check_n_features_in_after_fitting": TEXT,
    "check_estimators_empty_data_messages": TEXT,
    "check_fit2d_1sample": TEXT,
    "check_supervised_y_2d": "a column of targets is taken as it is, without a warning",
}
FOR_NUMBERS = {
    "check_regressor_data_not_an_array": "a data frame is prepared by a recipe, and an array is taken as it is: "
                                         "dictionaries depend on the scale",
}
FOR_CLASSES = {
    "check_estimators_dtypes": LABELS,
    "check_classifier_data_not_an_array": LABELS,
    "check_classifiers_classes": LABELS,
    "check_fit2d_1feature": LABELS,
    "check_classifiers_regression_target": TEXT,
    "check_classifier_not_supporting_multiclass": TEXT,
    "check_estimators_partial_fit_n_features": "partial_fit takes no classes: every task has both",
}


def expected_failures(estimator):
    if estimator.problem == "classification":
        return FOR_BOTH | FOR_CLASSES
    return FOR_BOTH | (FOR_NUMBERS if estimator.method == "colla" else {})


@parametrize_with_checks([LifelongLearner(method=method, problem=problem) for method in ["bayes", "colla"]
                          for problem in ["regression", "classification"]],
                         expected_failed_checks=expected_failures, xfail_strict=True)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("problem, measure", [("regression", r2_score), ("classification", accuracy_score)])
def test_score_is_scikit_learns_measure_averaged_over_tasks(problem, measure):
    tasks = datasets.make_tasks(problem=problem, tasks_per_agent=3, rows=60)
    learner = LifelongLearner(problem=problem).fit(tasks.frame().drop(columns="agent"))
    by_hand = [measure(y, learner.predict(X, task=task)) for X, y, task in tasks.streams["agent-0"]]
    assert learner.score(tasks.frame().drop(columns="agent")) == pytest.approx(np.mean(by_hand), rel=1e-12)


def test_frames_with_tasks_go_through_cross_validation_and_search():
    frame = datasets.make_tasks(tasks_per_agent=4, rows=30, noise=0.1).frame().drop(columns="agent")
    X, y = frame.drop(columns="y"), frame["y"]
    folds = KFold(3, shuffle=True, random_state=1)  # keeps the order of rows
    assert cross_val_score(LifelongLearner(method="colla"), X, y, cv=folds).min() > 0.8
    search = GridSearchCV(LifelongLearner(method="colla"), {"n_atoms": [1, 4], "gamma": [1e-2, 1e2]}, cv=folds).fit(X, y)
    assert search.best_params_ == {"gamma": 1e-2, "n_atoms": 4}
    assert search.best_estimator_.tasks_ == ["task-0", "task-1", "task-2", "task-3"]


def test_a_search_chooses_between_the_methods():
    random = np.random.default_rng(5)
    rows = random.normal(size=(20, 15, 6))
    frame = pandas.concat([pandas.DataFrame(X).assign(y=X @ (np.arange(6) + 0.5 * random.normal(size=6))
                                                      + random.normal(size=15), task=k) for k, X in enumerate(rows)])
    folds = KFold(3, shuffle=True, random_state=1)
    search = GridSearchCV(LifelongLearner(), {"method": ["bayes", "colla"]}, cv=folds)
    search.fit(frame.drop(columns="y"), frame["y"])
    assert search.best_params_ == {"method": "bayes"} and search.best_score_ > 0.5
    assert search.best_estimator_.get_params()["method"] == "bayes"


class WithMore(LifelongLearner):
    """As people write subclasses."""

    def __init__(self, *args, note="", **kwargs):
        super().__init__(*args, **kwargs)
        self.note = note


def test_a_subclass_that_takes_any_parameters_has_those_of_its_class():
    learner = WithMore(n_atoms=2, method="colla", note="mine")
    assert repr(learner) == "WithMore(method='colla', n_atoms=2, note='mine')"
    X, y, _ = datasets.make_tasks().streams["agent-0"][0]
    assert learner.fit(X, y).dictionary_.shape == (11, 2)
    assert clone(learner).get_params() == learner.get_params()


def test_a_learner_ends_a_pipeline():
    X, y, _ = datasets.make_tasks(noise=0.1).streams["agent-0"][0]
    assert make_pipeline(StandardScaler(), LifelongLearner()).fit(1000 * X, y).score(1000 * X, y) > 0.9


def sorted_frame(tasks, rows=30, labels=0, seed=1):
    """Rows sorted by task, with a word and a missing cell."""
    frame = datasets.make_tasks(tasks_per_agent=tasks, rows=rows, n_features=4, noise=0.1, seed=seed).frame()
    frame["group"] = np.where(np.arange(len(frame)) % 3 == 0, "a", "b")
    frame.loc[::9, "x1"] = np.nan
    if labels:
        frame["y"] = pandas.qcut(frame["y"], labels, labels=[f"label-{k}" for k in range(labels)])
    return frame.drop(columns="agent")


@pytest.mark.parametrize("learner, settings", [(LifelongLearner, {}), (LifelongLearner, dict(method="colla")),
                                               (GoMTL, {})])
@pytest.mark.parametrize("labels", [0, 2, 3])
@pytest.mark.parametrize("tasks, rows", [(3, 30), (4, 31), (6, 20), (7, 16), (10, 7)])
def test_a_plain_search_on_rows_sorted_by_task_gives_numbers(learner, settings, labels, tasks, rows):
    frame = sorted_frame(tasks, rows, labels)
    model = learner(problem="classification" if labels else "regression", compare=False, **settings)
    grid = {"gamma": [1e-2, 1e-1]} if settings or learner is GoMTL else {"method": ["bayes", "colla"]}
    with warnings.catch_warnings():
        for category in (RecipeWarning, NewTaskWarning):  # folds lack tasks
            warnings.simplefilter("ignore", category)
        search = GridSearchCV(model, grid, cv=3).fit(frame.drop(columns="y"), frame["y"])
    for k in range(3):
        assert np.isfinite(search.cv_results_[f"split{k}_test_score"]).all()
    assert search.best_estimator_.score(frame) > 0.5


def test_folds_that_lack_tasks_say_so():
    frame = sorted_frame(4)
    learner = LifelongLearner(method="colla").fit(frame[frame["task"] != "task-3"])
    known = frame[frame["task"] != "task-3"]
    with pytest.warns(RecipeWarning, match="1 of 4 tasks of these rows are not known: left out of the score; learn"):
        assert learner.score(frame) == learner.score(known)
    with pytest.warns(RecipeWarning, match="1 of 1 tasks .*: scored by the mean of the known tasks' models"):
        assert np.isfinite(learner.score(frame[frame["task"] == "task-3"]))
    with pytest.warns(RecipeWarning, match="1 of 2 tasks .*: scored by the mean"):  # one row has no R^2
        assert np.isfinite(learner.score(frame[-31:]))
    with pytest.raises(ValueError, match="task 'task-3': unknown to this agent; learn it first"):
        learner.predict(frame)


def test_folds_that_lack_tasks_are_scored_by_the_prior():
    frame = sorted_frame(12)
    new = frame["task"].isin(["task-10", "task-11"])
    learner = LifelongLearner().fit(frame[~new])
    with pytest.warns(NewTaskWarning, match="^no rows of task-10, task-11 in training") as caught:
        found = learner.score(frame[new])
    assert caught[0].filename == __file__ and len(caught) == 1
    with pytest.warns(NewTaskWarning):
        by_hand = [r2_score(rows["y"], learner.predict(rows)) for _, rows in frame[new].groupby("task")]
    assert found == pytest.approx(np.mean(by_hand), rel=1e-12)


def test_frames_and_arrays_come_out_of_pipelines():
    frame = sorted_frame(4)
    X, y = frame.drop(columns="y"), frame["y"]
    older = FunctionTransformer(lambda rows: rows.assign(x2=np.tanh(rows["x2"])))
    piped = make_pipeline(older, LifelongLearner()).fit(X, y)
    assert np.array_equal(piped.predict(X), LifelongLearner().fit(older.transform(X), y).predict(older.transform(X)))
    plain = X[["x2", "x3", "x4"]]
    scaled = make_pipeline(StandardScaler().set_output(transform="pandas"), LifelongLearner()).fit(plain, y)
    assert np.allclose(scaled.predict(plain), LifelongLearner().fit(plain, y).predict(plain), rtol=1e-9)
