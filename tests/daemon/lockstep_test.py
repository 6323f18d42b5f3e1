# SPDX-License-Identifier: Apache-2.0
"""Agents as processes, in lockstep, against `colla train`: the same bytes."""
import unittest

from network import IS_SANITIZED, NetworkTest, random_task

NAMES = ["north", "south", "west", "east", "centre"]


class AgainstTraining(NetworkTest):
    def check(self, tasks, *options):
        return self.learned_in_lockstep(NAMES[:len(tasks)], tasks, *options)


class Line(AgainstTraining):
    def test_a_line_of_three(self):
        tasks = [[random_task(f"{name} {k}") for k in range(3)] for name in NAMES[:3]]
        found = self.check(tasks, "--graph", "line", "--atoms", "3")
        self.assertEqual(len(found), 3 + 2 + 3)


@unittest.skipIf(IS_SANITIZED, "one network is enough with sanitizers")
class Others(AgainstTraining):
    def test_uneven_numbers_of_tasks_on_a_star(self):
        tasks = [[random_task(f"{name} {k}") for k in range(count)]
                 for name, count in zip(NAMES, [1, 4, 2, 3])]
        self.check(tasks, "--graph", "star", "--exchanges", "5")

    def test_labels_on_a_ring_with_fewer_and_fewer_exchanges(self):
        tasks = [[random_task(f"{name} {k}", labels=True, rows=20) for k in range(3)]
                 for name in NAMES]
        self.check(tasks, "--graph", "ring", "--exchanges", "4+12/t", "--problem",
                   "classification")

    def test_tasks_that_come_again_and_codes_that_are_refreshed_on_a_complete_graph(self):
        again = [[random_task("a"), random_task(f"of {name}"), random_task("a", seed=2)]
                 for name in NAMES[:4]]
        self.check(again, "--graph", "complete", "--refresh", "1", "--exchanges", "6")

    def test_settings_of_every_kind_on_a_random_graph(self):
        tasks = [[random_task(f"{name} {k}") for k in range(count)]
                 for name, count in zip(NAMES, [3, 2, 3, 1, 2])]
        self.check(tasks, "--graph", "random", "--seed", "7", "--rho", "0.3", "--lambda", "0.01",
                   "--mu", "0.02", "--gamma", "0.005", "--no-intercept", "--atoms", "2",
                   "--exchanges", "3,9,5")

    def test_agents_without_neighbours(self):
        tasks = [[random_task(f"{name} {k}") for k in range(2)] for name in NAMES[:2]]
        self.check(tasks, "--graph", "none")


if __name__ == "__main__":
    unittest.main()
