# SPDX-License-Identifier: Apache-2.0
"""Agents as processes against an independent implementation, to 1e-8, after every step."""
import unittest

from algebra import distance
from network import NetworkTest, Task
from program import matrix_text, oracle, read_codes, read_matrix

TOLERANCE = 1e-8
NAMES = ["north", "south", "west", "east", "centre"]


class Oracles(NetworkTest):
    def make(self, problem):
        self.write("L0.csv", matrix_text(problem["initial_dictionary"]))
        self.write("edges", "".join(f"{i},{j}\n" for i, j in problem["edges"]))
        return self.network(
            NAMES[:problem["agents"]], "--init", self.folder / "L0.csv", "--no-intercept",
            "--problem", problem["problem"], "--graph", self.folder / "edges" if problem["edges"] else "none",
            "--exchanges", ",".join(map(str, problem["iterations"])),
            *(part for name in ["lambda", "mu", "gamma", "rho"]
              for part in [f"--{name}", repr(problem[name])]),
            features=problem["d"], joins=True)

    def queue(self, network, arrivals):
        """The agents get their tasks before any has met a neighbour: all begin one step."""
        for arrival in arrivals:
            agent = network.agents[arrival["agent"]]
            agent.start()
            agent.wait_until_ready()
            agent.learn(Task(arrival["task"], arrival["X"], arrival["y"]))
            agent.stop()

    def check_state(self, network, problem, expected, arrivals):
        for position, agent in enumerate(network.agents):
            folder = agent.home / "state"
            agent.ask("export", "--state", folder)
            found = read_matrix(folder / f"L_{position}.csv")
            self.assertLess(distance(found, expected["L"][position]), TOLERANCE)
            for edge, dual in zip(problem["edges"], expected["Z"]):
                if position in edge:
                    found = read_matrix(folder / "Z_{}_{}.csv".format(*edge))
                    self.assertLess(distance(found, dual), TOLERANCE)
            codes = read_codes(folder / "codes.csv")
            for arrival in arrivals:
                if arrival["agent"] == position:
                    code = expected["s"][arrival["task"]]
                    self.assertLess(distance([codes[0, arrival["task"]]], [code]), TOLERANCE)

    def check(self, name):
        problem = oracle(name)
        network = self.make(problem)
        for step, (arrivals, expected) in enumerate(zip(problem["steps"], problem["expect"]), 1):
            self.queue(network, arrivals)
            network.start()
            network.wait_for_steps(step)
            network.stop()
            self.check_state(network, problem, expected, arrivals)

    def test_one_agent(self):
        self.check("ella-regression")

    def test_a_line(self):
        self.check("colla-line-regression")

    def test_labels_on_a_star(self):
        self.check("colla-star-classification")

    def test_steps_without_tasks_for_some(self):
        self.check("colla-uneven-random")

    def test_a_task_that_comes_again(self):
        self.check("colla-revisit")

    def test_exchanges_until_all_have_the_optimum(self):
        self.check("converged-line")


if __name__ == "__main__":
    unittest.main()
