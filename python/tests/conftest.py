# SPDX-License-Identifier: Apache-2.0
"""The program beside the package, the oracles, and small tasks to learn."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest

from colla import Network

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 120  # seconds: a guard against hanging, the same for everything


def wait_until(is_so, what):
    """The first true answer."""
    end = time.monotonic() + PATIENCE
    while not (answer := is_so()):
        assert time.monotonic() < end, f"waited {PATIENCE} s: {what}"
        time.sleep(0.002)
    return answer


def run_python(code):
    """The finished process of a program of its own, which may import this file too."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python" / "tests")})


def oracle(name):
    return json.loads((ROOT / "tests" / "oracle" / f"{name}.json").read_text())


def distance(found, expected):
    """Largest difference, relative to the largest entry."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    return np.abs(found - expected).max() / np.abs(expected).max()


def knowledge(learner):
    """What a learner has learned from all tasks together, as one array."""
    if isinstance(learner, Network):
        return np.array([*learner.means_, *learner.spreads_] if learner.method == "bayes" else learner.dictionaries_)
    return np.array([learner.mean_, learner.spread_]) if learner.method == "bayes" else learner.dictionary_


def sample_tasks(count, rows=12, features=3, labels=False, seed=1):
    """(X, y, task) of tasks whose models have two directions in common."""
    random = np.random.default_rng(seed)
    shared = random.normal(size=(features, 2))
    tasks = []
    for k in range(count):
        X = random.normal(size=(rows, features))
        y = X @ (shared @ random.normal(size=2)) + 0.3 * random.normal(size=rows) + 0.5
        if labels:
            y = (y > np.median(y)).astype(float)
        tasks.append((X, y, f"task-{k}"))
    return tasks


class Program:
    """Runs `colla` in a folder, on rows that it reads bit for bit."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], cwd=self.folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)

    def __call__(self, *arguments):
        process = self.run(*arguments)
        assert (process.returncode, process.stderr) == (0, ""), process
        return process.stdout

    def message(self, *arguments):
        """Its message for wrong input."""
        process = self.run(*arguments)
        assert process.returncode == 2, process
        return process.stderr.removeprefix("colla: ").rstrip("\n")

    def write_rows(self, name, arrivals, target="y"):
        """arrivals: (agent or None, X, y, task)"""
        features = arrivals[0][1].shape[1]
        with_agents = arrivals[0][0] is not None
        with open(self.folder / name, "w", newline="") as file:
            table = csv.writer(file)
            names = [f"x{k + 1}" for k in range(features)]
            table.writerow((["agent"] if with_agents else []) + ["task", target, *names])
            for agent, X, y, task in arrivals:
                for x, value in zip(X.tolist(), y.tolist()):
                    table.writerow(([agent] if with_agents else []) + [task, repr(value), *map(repr, x)])
        return name

    def matrix(self, name):
        return np.loadtxt(self.folder / name, delimiter=",", ndmin=2)

    def codes(self, name):
        with open(self.folder / name, newline="") as file:
            return {(int(row[0]), row[1]): np.array(row[2:], dtype=float) for row in list(csv.reader(file))[1:]}

    def column(self, text, name):
        return np.array([float(row[name]) for row in csv.DictReader(text.splitlines())])


@pytest.fixture
def program(tmp_path):
    if "COLLA_PROGRAM" not in os.environ:
        pytest.skip("COLLA_PROGRAM does not name the program to compare with")
    return Program(os.environ["COLLA_PROGRAM"], tmp_path)


@pytest.fixture
def data_dir():
    folder = os.environ.get("COLLA_DATA", "")
    if not os.path.isdir(folder):
        pytest.skip("COLLA_DATA names no folder with the paper's data")
    return folder
