# SPDX-License-Identifier: Apache-2.0
"""Networks whose agents learn a collective prior, of random tasks that a recipe prepares."""
import random
import sqlite3

from network import Network, NetworkTest, Task
from program import table

FEATURES = 5


def related_task(name, rows=8, labels=False, seed=1):
    """Rows of a linear model near the same one, the same for the same arguments."""
    numbers = random.Random(f"{name} {seed}")
    theta = [2 - k + numbers.gauss(0, 0.4) for k in range(FEATURES)]
    X = [[numbers.gauss(k, 1 + k) for k in range(FEATURES)] for _ in range(rows)]
    y = [sum(a * b for a, b in zip(theta, x)) + numbers.gauss(0, 0.5) for x in X]
    return Task(name, X, ["yes" if value > 0 else "no" for value in y] if labels else y)


def learned(model):
    """All that a model file has of each agent: step, means, and every task with its contribution."""
    database = sqlite3.connect(model)
    agents = database.execute("SELECT step, dictionary FROM agents ORDER BY position").fetchall()
    tasks = [database.execute("SELECT name, rows, alpha, gamma_rows, gamma_ridge, gamma, code FROM tasks "
                              "WHERE agent = ? ORDER BY position", [k]).fetchall()
             for k in range(len(agents))]
    database.close()
    return list(zip(agents, tasks))


class BayesNetwork(Network):
    algorithm = "bayes"

    def state(self):
        """What each agent has learned."""
        files = self.each(lambda agent: agent.home / "exported")
        self.each(lambda agent: agent.ask("export", "--model", agent.home / "exported"))
        return {f"agent {k}": learned(file)[0] for k, file in enumerate(files)}


class BayesTest(NetworkTest):
    kind = BayesNetwork

    def write_recipe(self, labels=False, expand="none"):
        tasks = [related_task(f"sample {k}", 20, labels) for k in range(4)]
        rows = [[task.name, *x, y] for task in tasks for x, y in zip(task.X, task.y)]
        self.write("sample.csv", table(["task", *(f"x{k}" for k in range(FEATURES)), "y"], rows))
        self.colla("data", "prepare", "sample.csv", "--recipe", "recipe.toml", "--expand", expand)

    def network(self, names, *options, **more):
        return super().network(names, "--recipe", self.folder / "recipe.toml", *options, **more)

    def trained(self, tasks, *options):
        self.write_rows(tasks)
        self.colla("train", "all.csv", "--algorithm", "bayes", "--recipe", "recipe.toml", "--batches",
                   "runs", "--test-fraction", "0", "--model", "trained.colla", *options)
        return {f"agent {k}": agent for k, agent in enumerate(learned(self.folder / "trained.colla"))}
