# SPDX-License-Identifier: Apache-2.0
"""CoLLA in NumPy and SciPy, as one would write it for speed: Cholesky factors reused over a step's exchanges, sparse
codes by an active-set method on the Gram matrix, no loop over rows or atoms. `numpy_colla.py DIR` reads the tasks that
colla_shapes wrote to DIR, learns them as it did, and writes the times and the last dictionaries to DIR/numpy.json."""
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy loads it

import json
import statistics
import sys
import time

import numpy as np
from scipy.linalg import cho_factor, cho_solve

REPEATS = 7


def fit_ridge(X, y, gamma):
    Gamma = X.T @ X / len(y)
    Gamma.flat[:: len(Gamma) + 1] += gamma
    return cho_solve(cho_factor(Gamma, check_finite=False), X.T @ y / len(y), check_finite=False), Gamma


def logistic_value(margins, theta, y, gamma):
    return np.logaddexp(0.0, -y * margins).mean() + gamma * theta @ theta


def fit_logistic(X, y, gamma):
    """Damped Newton from 0, to a gradient of 1e-10."""
    M, d = X.shape
    theta, margins = np.zeros(d), np.zeros(M)
    value = logistic_value(margins, theta, y, gamma)
    while True:
        p = 1.0 / (1.0 + np.exp(-y * margins))
        Gamma = X.T @ (X * (p * (1.0 - p) / (2 * M))[:, None])
        Gamma.flat[:: d + 1] += gamma
        gradient = 2.0 * gamma * theta - X.T @ (y * (1.0 - p)) / M
        if np.abs(gradient).max() < 1e-10:
            return theta, Gamma
        step = cho_solve(cho_factor(Gamma, check_finite=False), -0.5 * gradient, check_finite=False)
        slope, t = X @ step, 1.0
        while True:
            reached = logistic_value(margins + t * slope, theta + t * step, y, gamma)
            if reached <= value * (1.0 + 1e-11) or t < 1e-12:
                break
            t *= 0.5
        theta, margins, value = theta + t * step, margins + t * slope, reached


def sparse_code(G, c, mu):
    """argmin s'Gs - 2c's + mu|s|_1: from the solution without penalty (or 0, if atoms depend on each other), Newton
    steps on the atoms in use, cut at the first coefficient that reaches 0; then the atom that violates its condition
    most enters."""
    independent = np.linalg.slogdet(G * (len(c) / np.trace(G)))[1] > -25.0
    s = np.linalg.solve(G, c) if independent else np.zeros_like(c)
    sign = np.sign(s)
    use = np.flatnonzero(sign)
    while True:
        target = np.linalg.solve(G[np.ix_(use, use)], c[use] - 0.5 * mu * sign[use])
        crossing = target * sign[use] < 0.0
        if crossing.any():
            lengths = np.where(crossing, s[use] / np.where(crossing, s[use] - target, 1.0), np.inf)
            first = lengths.argmin()
            s[use] += lengths[first] * (target - s[use])
            s[use[first]] = 0.0
            use = np.delete(use, first)
            continue
        s[use] = target
        gradient = G @ s - c
        excess = np.abs(gradient) - 0.5 * mu
        excess[use] = 0.0
        atom = excess.argmax()
        if excess[atom] <= 1e-10 * mu:
            return s
        sign[atom] = -np.sign(gradient[atom])
        use = np.append(use, atom)


class Agent:
    """vec L stacks the columns: A = sum (ss') kron Gamma."""

    def __init__(self, L, neighbours, index, settings):
        self.settings, self.index = settings, index
        self.d, self.u = L.shape
        self.L = L.T.ravel()
        self.A = np.zeros((self.L.size, self.L.size), order="F")
        self.b = np.zeros(self.L.size)
        self.tasks = 0
        self.known = []
        self.neighbours = neighbours
        self.duals = {j: np.zeros(self.L.size) for j in neighbours}

    def absorb(self, X, y):
        fit = fit_logistic if self.settings["classification"] else fit_ridge
        alpha, Gamma = fit(X, y, self.settings["gamma"])
        s = self.code((alpha, Gamma))
        self.known.append((alpha, Gamma))
        self.A += np.kron(np.outer(s, s), Gamma)
        self.b += np.kron(s, Gamma @ alpha)
        self.tasks += 1

    def prepare(self):
        system = self.A / self.tasks
        system.flat[:: len(system) + 1] += 0.5 * self.settings["rho"] * len(self.neighbours) + self.settings["lambda"]
        self.factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        self.mean_b = self.b / self.tasks

    def code(self, task):
        """Of a task (alpha, Gamma), on the newest dictionary."""
        L = self.L.reshape(self.u, self.d).T
        weighted = task[1] @ L
        return sparse_code(L.T @ weighted, weighted.T @ task[0], self.settings["mu"])

    def exchange(self, agents):
        rho = self.settings["rho"]
        right_side = self.mean_b.copy()
        for j in self.neighbours:
            right_side += (0.5 * rho) * agents[j].L + (-0.5 if j > self.index else 0.5) * self.duals[j]
        self.L = cho_solve(self.factor, right_side, overwrite_b=True, check_finite=False)
        # The dual of an edge, once both ends have moved: one copy serves both.
        for j in self.neighbours:
            if j < self.index:
                dual = self.duals[j]
                dual += rho * (agents[j].L - self.L)


def steps(settings, tasks, graph="line"):
    """tasks[step][agent] = (X, y, ...); gives the agents, in a line or without edges, after each step."""
    first = np.array(settings["first_dictionary"])
    count = len(tasks[0])
    neighbours = lambda i: [j for j in (i - 1, i + 1) if 0 <= j < count] if graph == "line" else []
    agents = [Agent(first, neighbours(i), i, settings) for i in range(count)]
    for i in range(1, count) if graph == "line" else []:
        agents[i].duals[i - 1] = agents[i - 1].duals[i]
    for arrivals in tasks:
        for agent, (X, y, *_) in zip(agents, arrivals):
            agent.absorb(X, y)
            agent.prepare()
        for _ in range(settings["exchanges"] if graph == "line" else 1):
            for agent in agents:
                agent.exchange(agents)
        yield agents


def learn(settings, tasks):
    *_, agents = steps(settings, tasks)
    return [agent.L.reshape(agent.u, agent.d).T for agent in agents]


def auc(y, scores):
    ranks = np.empty(len(y))
    ranks[scores.argsort()] = np.arange(1, len(y) + 1)
    positive = y > 0
    count = positive.sum()
    return (ranks[positive].sum() - 0.5 * count * (count + 1)) / (count * (len(y) - count))


def curve(settings, tasks, graph):
    """Mean test AUC over the tasks learned so far, per step."""
    scores = []
    for t, agents in enumerate(steps(settings, tasks, graph)):
        models = [agent.L.reshape(agent.u, agent.d).T @ agent.code(task) for agent in agents for task in agent.known]
        tests = [tasks[k][i][2:] for i in range(len(agents)) for k in range(t + 1)]
        scores.append(np.mean([auc(y, X @ theta) for theta, (X, y) in zip(models, tests)]))
    return scores


def single_curve(settings, tasks):
    scores, curve = [], []
    for arrivals in tasks:
        for X, y, test_X, test_y in arrivals:
            scores.append(auc(test_y, test_X @ fit_logistic(X, y, settings["gamma"])[0]))
        curve.append(np.mean(scores))
    return curve


def trial(settings, tasks):
    return [single_curve(settings, tasks), curve(settings, tasks, "none"), curve(settings, tasks, "line")]


def halved(tasks):
    """The first half of a task's rows trains, the rest tests."""
    half = lambda X, y: (X[: len(y) // 2].copy(), y[: len(y) // 2], X[len(y) // 2 :].copy(), y[len(y) // 2 :])
    return [[half(*rows) for rows in arrivals] for arrivals in tasks]


def read_tasks(path):
    table = np.loadtxt(path, delimiter=",")
    agents, steps = (int(table[:, k].max()) + 1 for k in (0, 1))
    of = lambda i, t: table[(table[:, 0] == i) & (table[:, 1] == t)]
    return [[(np.ascontiguousarray(of(i, t)[:, 3:]), of(i, t)[:, 2].copy()) for i in range(agents)] for t in range(steps)]


def measure(settings, tasks):
    is_trial = "trial" in settings
    work, data = (trial, halved(tasks)) if is_trial else (learn, tasks)
    seconds = []
    for _ in range(REPEATS):
        start = time.thread_time()
        result = work(settings, data)
        seconds.append(time.thread_time() - start)
    result = {"curves": result} if is_trial else {"dictionaries": [L.tolist() for L in result]}
    return {"seconds": statistics.median(seconds), **result}


def main(directory):
    with open(os.path.join(directory, "colla.json")) as file:
        runs = json.load(file)
    results = {name: measure(run, read_tasks(os.path.join(directory, name + ".csv"))) for name, run in runs.items()}
    with open(os.path.join(directory, "numpy.json"), "w") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main(sys.argv[1])
