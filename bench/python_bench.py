# SPDX-License-Identifier: Apache-2.0
"""The Python package beside the C++ call it makes and beside ELLA in NumPy, on one thread.

python_bench.py DIR: reads what colla_shapes left there, writes python.json. The London Schools rows are used if
COLLA_DATA names their folder, otherwise colla_shapes' tasks of that shape."""
import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported

import json
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np

import colla
from numpy_ella import Ella

ATOMS = 10
REPEATS = 5


def load(*path):
    with open(os.path.join(*path)) as file:
        return json.load(file)


def streams_of(path):
    """{agent: [(X, y, task), ...]} of a table with agent, step, y, x..."""
    table = np.loadtxt(path, delimiter=",")
    streams = {}
    for agent in np.unique(table[:, 0]).astype(int).tolist():
        own = table[table[:, 0] == agent]
        streams[agent] = [(np.ascontiguousarray(own[own[:, 1] == step][:, 3:]), own[own[:, 1] == step][:, 2].copy(),
                           f"task-{int(step)}") for step in np.unique(own[:, 1])]
    return streams


def thread_seconds(work):
    start = time.thread_time()
    work()
    return time.thread_time() - start


def partial_fit_overhead(directory):
    """Median time of a partial_fit, as a multiple of the median time of LifelongAgent::learn."""
    theirs = load(directory, "learner.json")
    tasks = streams_of(os.path.join(directory, "learner.csv"))[0]
    first = np.array(theirs["first_dictionary"])
    seconds = []
    for _ in range(theirs["lives"]):
        learner = colla.LifelongLearner(first.shape[1], method="colla", init=first, lam=theirs["lambda"], mu=theirs["mu"],
                                        gamma=theirs["gamma"], fit_intercept=False)
        for X, y, task in tasks:
            seconds.append(thread_seconds(lambda: learner.partial_fit(X, y, task=task)))
    assert np.array_equal(learner.dictionary_, theirs["dictionary"])
    return statistics.median(seconds) / theirs["seconds"]


def schools(directory):
    """The name of the rows, and streams whose X has its bias."""
    if not os.path.exists(os.path.join(os.environ.get("COLLA_DATA", ""), "school.mat")):
        return "synthetic", streams_of(os.path.join(directory, "schools.csv"))
    data = colla.datasets.load_london_schools()
    return "London Schools", {agent: [(np.column_stack([X, np.ones(len(y))]), y, task) for X, y, task in stream]
                              for agent, stream in data.streams.items()}


def ella_pass(streams, dictionary):
    for stream in streams.values():
        agent = Ella(dictionary, mu=1e-3, lam=1e-3)
        for X, y, _ in stream:
            agent.learn(X, y)


def colla_pass(streams, dictionary, graph):
    colla.Network(graph=graph, method="colla", n_atoms=ATOMS, init=dictionary, fit_intercept=False, progress=False,
                  compare=False).fit(streams)


def against_ella(directory):
    name, streams = schools(directory)
    features = next(iter(streams.values()))[0][0].shape[1]
    dictionary = np.random.default_rng(1).normal(size=(features, ATOMS))
    tasks = sum(map(len, streams.values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the Lasso's, where it does not converge
        ella = min(thread_seconds(lambda: ella_pass(streams, dictionary)) for _ in range(2)) / tasks
    ours = {graph: min(thread_seconds(lambda: colla_pass(streams, dictionary, graph)) for _ in range(REPEATS)) / tasks
            for graph in ("none", "line")}
    return {"rows": name, "features": features, "atoms": ATOMS, "ella_seconds": ella, "colla_seconds": ours}


def import_seconds():
    """In processor time, which other programs do not affect."""
    def once():
        before = os.times()
        subprocess.run([sys.executable, "-c", "import colla"], check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return min(once() for _ in range(REPEATS))


def main(directory):
    results = {"overhead": partial_fit_overhead(directory), "schools": against_ella(directory),
               "import_seconds": import_seconds()}
    with open(os.path.join(directory, "python.json"), "w") as file:
        json.dump(results, file, indent=2)


if __name__ == "__main__":
    main(sys.argv[1])
