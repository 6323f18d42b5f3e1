# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of estimators, and its tools around a learner."""
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from colla import LifelongLearner, datasets

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
    return FOR_BOTH | (FOR_CLASSES if estimator.problem == "classification" else {})


@parametrize_with_checks([LifelongLearner(), LifelongLearner(problem="classification")],
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
    assert cross_val_score(LifelongLearner(), X, y, cv=folds).min() > 0.8
    search = GridSearchCV(LifelongLearner(), {"n_atoms": [1, 4], "gamma": [1e-2, 1e2]}, cv=folds).fit(X, y)
    assert search.best_params_ == {"gamma": 1e-2, "n_atoms": 4}
    assert search.best_estimator_.tasks_ == ["task-0", "task-1", "task-2", "task-3"]


class WithMore(LifelongLearner):
    """As people write subclasses."""

    def __init__(self, *args, note="", **kwargs):
        super().__init__(*args, **kwargs)
        self.note = note


def test_a_subclass_that_takes_any_parameters_has_those_of_its_class():
    learner = WithMore(n_atoms=2, note="mine")
    assert repr(learner) == "WithMore(n_atoms=2, note='mine')"
    X, y, _ = datasets.make_tasks().streams["agent-0"][0]
    assert learner.fit(X, y).dictionary_.shape == (11, 2)
    assert clone(learner).get_params() == learner.get_params()


def test_a_learner_ends_a_pipeline():
    X, y, _ = datasets.make_tasks(noise=0.1).streams["agent-0"][0]
    assert make_pipeline(StandardScaler(), LifelongLearner()).fit(1000 * X, y).score(1000 * X, y) > 0.9
