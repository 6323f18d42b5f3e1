# SPDX-License-Identifier: Apache-2.0
"""Dictionaries, codes and duals against an independent implementation, to 1e-8."""
import numpy as np
import pytest

from colla import LifelongLearner, Network
from conftest import distance, oracle

TOLERANCE = 1e-8


def settings(problem):
    return dict(n_atoms=problem["u"], problem=problem["problem"], lam=problem["lambda"], mu=problem["mu"],
                gamma=problem["gamma"], init=problem["initial_dictionary"], fit_intercept=False, method="colla")


@pytest.mark.parametrize("solver", ["automatic", "dense", "matrix-free"])
def test_one_agent_learns_what_the_oracle_says_step_by_step(solver):
    problem = oracle("ella-regression")
    learner = LifelongLearner(solver=solver, **settings(problem))
    for arrivals, expected in zip(problem["steps"], problem["expect"]):
        for arrival in arrivals:
            learner.partial_fit(arrival["X"], arrival["y"], task=arrival["task"])
            assert distance(learner.codes_[arrival["task"]], expected["s"][arrival["task"]]) < TOLERANCE
        assert distance(learner.dictionary_, expected["L"][0]) < TOLERANCE


def network_of(problem, **more):
    exchanges = problem["iterations"]
    if isinstance(exchanges, list):
        exchanges = ",".join(map(str, exchanges))
    return Network(problem["agents"], [tuple(edge) for edge in problem["edges"]], rho=problem["rho"],
                   exchanges=exchanges, **settings(problem), **more)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["colla-line-regression", "colla-star-classification", "colla-revisit",
                                  "colla-uneven-random", "converged-line"])
def test_a_network_has_the_oracles_dictionaries_and_duals_after_each_step(name, threads):
    problem = oracle(name)
    network = network_of(problem, threads=threads)
    for arrivals, expected in zip(problem["steps"], problem["expect"]):
        network.partial_fit({arrival["agent"]: (arrival["X"], arrival["y"], arrival["task"]) for arrival in arrivals})
        for found, L in zip(network.dictionaries_, expected["L"], strict=True):
            assert distance(found, L) < TOLERANCE
        for edge, Z in zip(problem["edges"], expected["Z"], strict=True):
            assert distance(network.duals_[tuple(edge)], Z) < TOLERANCE


def test_one_agent_of_a_network_is_a_lifelong_learner_bit_for_bit():
    problem = oracle("ella-regression")
    learner, network = LifelongLearner(**settings(problem)), Network(1, "none", **settings(problem))
    for arrivals in problem["steps"]:
        for arrival in arrivals:
            rows = arrival["X"], arrival["y"], arrival["task"]
            learner.partial_fit(*rows)
            network.partial_fit({0: rows})
    assert np.array_equal(learner.dictionary_, network.dictionaries_[0])
