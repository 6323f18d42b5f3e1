# SPDX-License-Identifier: Apache-2.0
"""What did not reach its accuracy is counted and warned of. Everywhere else in the tests a warning of the package is an
error."""
import math
import warnings

import numpy as np
import pytest

import colla
from colla import GoMTL, LifelongLearner, Network, NumericsWarning, OfflineCoLLA
from conftest import sample_tasks

COUNTS = ["fits_stalled", "codes_unconverged", "solves_unconverged"]
FEATURES = 8
GAMMA = 1024
EASY = sample_tasks(1, features=FEATURES, labels=True)[0]


def stalling_task(task="tiny"):
    """With gamma=GAMMA, the best coefficients, x / (4 gamma), are a quarter of the smallest double: they are 0 instead,
    and the fit's gradient stays what it was."""
    y = np.arange(8) % 2
    return np.outer(2 * y - 1, np.full(FEATURES, GAMMA * math.ulp(0.0))), y, task


def test_every_warning_of_the_package_is_an_error_in_tests():
    kinds = [kind for kind in vars(colla).values() if isinstance(kind, type) and issubclass(kind, Warning)]
    assert NumericsWarning in kinds
    for kind in kinds:
        with pytest.raises(kind):
            warnings.warn("nobody expects it", kind, stacklevel=1)
    with pytest.raises(DeprecationWarning):
        warnings.warn_explicit("it is old", DeprecationWarning, "_learner.py", 1, module="colla._learner")


def test_history_counts_every_steps_numerics():
    network = Network(2, method="colla", problem="classification", gamma=GAMMA, fit_intercept=False)
    with pytest.warns(NumericsWarning, match="^step 1: 1 fit stalled") as warned:
        network.partial_fit({0: EASY, 1: stalling_task()})
    assert warned[0].filename == __file__
    network.partial_fit({0: EASY})
    counts = [[record[name] for name in COUNTS] for record in network.history_]
    assert counts[0][0] == 1 and counts[1] == [0, 0, 0]


def test_a_learner_names_the_task():
    learner = LifelongLearner(method="colla", problem="classification", gamma=GAMMA, fit_intercept=False).partial_fit(*EASY)
    with pytest.warns(NumericsWarning, match="^task 'tiny': 1 fit stalled") as warned:
        learner.partial_fit(*stalling_task())
    assert warned[0].filename == __file__


def test_a_warning_that_is_an_error_takes_nothing_back():
    learner = LifelongLearner(method="colla", problem="classification", gamma=GAMMA, fit_intercept=False)
    with pytest.raises(NumericsWarning):
        learner.fit(*stalling_task())
    assert learner.tasks_ == ["tiny"]
    network = Network(2, method="colla", problem="classification", gamma=GAMMA, fit_intercept=False)
    with pytest.raises(NumericsWarning):
        network.fit({"a": [stalling_task()], "b": [EASY]})
    assert [record["fits_stalled"] for record in network.history_] == [1]


@pytest.mark.parametrize("method", [OfflineCoLLA, GoMTL])
def test_offline_methods_warn(method):
    learner = method(problem="classification", gamma=GAMMA, fit_intercept=False)
    with pytest.warns(NumericsWarning, match="1 fit stalled") as warned:
        learner.fit({"a": [stalling_task(), EASY], "b": [EASY]})
    assert warned[0].filename == __file__


def test_codes_and_solves_count_too():
    collinear = np.array([[1, 1], [0, 1e-8]])
    learner = LifelongLearner(2, method="colla", mu=0.0, init=collinear, fit_intercept=False)
    with pytest.warns(NumericsWarning, match="1 code did not converge"):
        learner.fit(np.eye(2), np.ones(2))
