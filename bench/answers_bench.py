# SPDX-License-Identifier: Apache-2.0
"""How good the answers of `colla train` are with nothing set, beside what a statistician would take.

answers_bench.py COLLA DIR: writes DIR/answers.json. Tables with known truth are made here; the tables of COLLA_DATA/raw
are measured if they are there. Half of each task's rows train, the others test, over several splits; RMSE is the mean
over tasks."""
import csv
import json
import math
import os
import subprocess
import sys

import numpy as np

SPLITS = 10
INTERVAL = 0.9
RAW = {"Hsb82": ("school", "mAch"), "Exam": ("school", "normexam")}


class Table:
    """Rows as text, with their tasks and targets."""

    def __init__(self, header, rows, task, target, noise=None):
        self.header, self.rows, self.noise = header, rows, noise
        self.task, self.target = task, target
        self.tasks = np.array([row[header.index(task)] for row in rows])
        self.y = np.array([float(row[header.index(target)]) for row in rows])

    def write(self, path, chosen):
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([self.header] + [self.rows[k] for k in chosen])


def made(thetas, rows, seed, noise=1.0, curve=None):
    """Tasks y = f(x) + noise: linear in standard normal x, or `curve(x, theta)`."""
    random = np.random.default_rng(seed)
    d = thetas.shape[1] - 1 if curve is None else 2
    lines = []
    for t, theta in enumerate(thetas):
        X = random.normal(size=(rows, d)) if curve is None else random.uniform(-2, 2, size=(rows, d))
        mean = theta[0] + X @ theta[1:] if curve is None else curve(X, theta)
        y = mean + noise * random.normal(size=rows)
        lines += [[f"t{t}", *map(repr, map(float, x)), repr(float(v))] for x, v in zip(X, y)]
    return Table(["task"] + [f"x{j}" for j in range(d)] + ["y"], lines, "task", "y", noise)


def raw(folder, name):
    task, target = RAW[name]
    with open(os.path.join(folder, "raw", name + ".csv"), newline="") as file:
        header, *rows = csv.reader(file)
    return Table(header, rows, task, target)


def halves(table, seed):
    """Positions to train on and to test on: half of each task's rows."""
    random = np.random.default_rng(1000 + seed)
    train, test = [], []
    for name in dict.fromkeys(table.tasks):
        rows = random.permutation(np.flatnonzero(table.tasks == name))
        most = max(2, len(rows) // 2)  # a task of fewer cannot be learned
        train += list(rows[:most])
        test += list(rows[most:])
    return sorted(train), sorted(test)


def colla(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def predictions(program, folder, table, train, test, *options):
    """(prediction, low, high) of the test rows; without intervals (prediction, None, None)."""
    paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv", "answers.colla")]
    table.write(paths[0], train)
    table.write(paths[1], test)
    colla(program, "train", paths[0], "--task-column", table.task, "--target-column", table.target, "--test-fraction", "0",
          "--model", paths[2], *options)
    has_interval = "--algorithm" not in options
    interval = ["--interval", str(INTERVAL)] if has_interval else []
    answer = list(csv.DictReader(colla(program, "predict", paths[2], paths[1], *interval).splitlines()))
    columns = ("prediction", "low", "high") if has_interval else ("prediction",)
    found = [np.array([float(row[column]) for row in answer]) for column in columns]
    return found if has_interval else [found[0], None, None]


def rmse(table, test, prediction):
    errors = (prediction - table.y[test]) ** 2
    tasks = table.tasks[test]
    return float(np.mean([math.sqrt(errors[tasks == name].mean()) for name in dict.fromkeys(tasks)]))


def pooled(table, train, test):
    """One least-squares fit of all tasks' rows, without an intercept per task: right where all tasks are one."""
    X = np.array([[float(cell) for cell in table.rows[k][1:-1]] + [1.0] for k in range(len(table.rows))])
    theta = np.linalg.lstsq(X[train], table.y[train], rcond=None)[0]
    return X[test] @ theta


def alone(table, train, test):
    """Each task's own ridge regression with a free intercept; one penalty by leave-one-out, over all tasks."""
    X = np.array([[float(cell) for cell in row[1:-1]] for row in table.rows])
    best = None
    for penalty in 10.0 ** np.arange(-3, 3, 0.25):
        loo, predicted = 0.0, np.zeros(len(test))
        for name in dict.fromkeys(table.tasks):
            own = [k for k in train if table.tasks[k] == name]
            new = [n for n, k in enumerate(test) if table.tasks[k] == name]
            middle, level = X[own].mean(0), table.y[own].mean()
            Z, r = X[own] - middle, table.y[own] - level
            inverse = np.linalg.inv(Z.T @ Z + penalty * np.eye(Z.shape[1]))
            theta = inverse @ Z.T @ r
            hat = np.einsum("ij,jk,ik->i", Z, inverse, Z) + 1.0 / len(own)
            loo += (((r - Z @ theta) / (1.0 - hat)) ** 2).sum()
            predicted[new] = level + (X[[test[n] for n in new]] - middle) @ theta
        if best is None or loo < best[0]:
            best = (loo, predicted)
    return best[1]


def measured(program, folder, make, splits, variants, rivals):
    """Mean scores over splits of the default, of other options, and of rivals; and the coverage of the default."""
    scores = {name: [] for name in ["default", *variants, *rivals]}
    inside, noise = [], None
    for seed in range(splits):
        table = make(seed)
        noise = table.noise
        train, test = halves(table, seed)
        found, low, high = predictions(program, folder, table, train, test)
        scores["default"].append(rmse(table, test, found))
        inside.append(float(np.mean((low <= table.y[test]) & (table.y[test] <= high))))
        for name, options in variants.items():
            scores[name].append(rmse(table, test, predictions(program, folder, table, train, test, *options)[0]))
        for name, rival in rivals.items():
            scores[name].append(rmse(table, test, rival(table, train, test)))
    result = {name: float(np.mean(all_scores)) for name, all_scores in scores.items()}
    result["coverage"] = float(np.mean(inside))
    if noise is not None:
        result["noise"] = noise
    return result


def around(tasks, d, spread, seed):
    """Coefficients of tasks around a common mean."""
    random = np.random.default_rng(seed)
    return 2.0 * random.normal(size=d + 1) + spread * random.normal(size=(tasks, d + 1))


def bent(X, theta):
    return (1.0 + 0.3 * theta[0]) * np.sin(2.0 * X[:, 0]) + (1.0 + 0.3 * theta[1]) * X[:, 1] ** 2


def main():
    program, folder = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    expand = {"linear": ["--expand", "none"], "splines": ["--expand", "splines"]}
    unrelated = lambda seed: made(np.random.default_rng(seed).normal(size=(30, 7)) * 3.0, 40, seed)
    one = lambda seed: made(around(30, 6, 0.0, seed), 16, seed)
    curved = lambda seed: made(np.random.default_rng(seed).normal(size=(20, 3)), 120, seed, 0.1, bent)
    results = {
        "nothing in common": measured(program, folder, unrelated, SPLITS, expand, {"alone": alone}),
        "all one model": measured(program, folder, one, SPLITS, expand, {"pooled": pooled}),
        "bent, 60 rows a task": measured(program, folder, curved, SPLITS, expand, {}),
    }
    for rows in (4, 8, 20, 60, 200):
        results[f"{rows // 2} rows a task"] = measured(
            program, folder, lambda seed: made(around(30, 5, 0.5, seed), rows, seed), SPLITS, expand, {"alone": alone} if rows > 4 else {})
    data = os.environ.get("COLLA_DATA", "")
    for name in RAW:
        if os.path.exists(os.path.join(data, "raw", name + ".csv")):
            table = raw(data, name)
            results[name] = measured(program, folder, lambda seed: table, SPLITS, expand, {})
        else:
            print(f"{name}: not measured, COLLA_DATA/raw/{name}.csv is not there")
    with open(os.path.join(folder, "answers.json"), "w") as file:
        json.dump(results, file, indent=1)
    for name, scores in results.items():
        print(f"{name:<22}", "  ".join(f"{key} {value:.4g}" for key, value in scores.items()))


if __name__ == "__main__":
    main()
