# SPDX-License-Identifier: Apache-2.0
"""Agents in lockstep that are closed between their tasks: these come to any of them, at any time, and all join."""
import unittest

from network import Agent, NetworkTest, random_task, wait_until
from program import read_matrix

NAMES = ["north", "south", "west", "east"]


class Joining(NetworkTest):
    def setUp(self):
        super().setUp()
        self.net = self.network(NAMES, "--graph", "ring", "--atoms", "3", "--exchanges", "8", joins=True)
        self.net.start()

    def wait_for_agreement(self):
        """Everything learned, all agents at the end of the same step."""
        def is_quiet():
            found = self.net.each(Agent.status)
            return (len({status["steps"] for status in found}) == 1
                    and not any(status["in_step"] or status["queued"] for status in found))
        wait_until(is_quiet, lambda: self.net.each(Agent.status))

    def test_tasks_at_different_times_and_places_are_all_learned(self):
        given = {name: [] for name in NAMES}
        for name, task in [("north", "a"), ("east", "b"), ("east", "c"), ("south", "a"),
                           ("north", "d"), ("east", "b")]:
            self.net[name].learn(random_task(f"{name} {task}", seed=len(given[name])))
            given[name].append(f"{name} {task}")
            if task == "c":
                self.wait_for_agreement()
        self.wait_for_agreement()
        steps = self.net["west"].status()["steps"]
        self.assertTrue(3 <= steps <= 6, steps)
        for agent in self.net.agents:
            learned = agent.tasks()
            self.assertEqual([task for task, _ in learned], given[agent.name])
            own_steps = [step for _, step in learned]
            self.assertEqual(sorted(set(own_steps)), own_steps)
            self.assertTrue(all(1 <= step <= steps for step in own_steps))
            self.assertEqual(agent.status()["disagreements"], 0)
        # West had no task; its dictionary is not the one that all began with.
        before = read_matrix(self.state_folder("west") / "L_2.csv")
        self.net["north"].learn(random_task("north e"), "--wait")
        self.wait_for_agreement()
        self.assertEqual(self.net["west"].status()["steps"], steps + 1)
        self.assertNotEqual(read_matrix(self.state_folder("west") / "L_2.csv"), before)

    def state_folder(self, name):
        self.net[name].state()
        return self.net[name].home / "state"

    def test_an_agent_that_was_away_catches_up_later(self):
        self.net["south"].stop()
        self.net["north"].learn(random_task("north a"))
        wait_until(lambda: any("for south" in line for line in self.net["north"].status()["waiting"]),
                   "north does not wait for south")
        self.net["south"].start()
        self.net["south"].wait_until_ready()
        self.wait_for_agreement()
        self.assertEqual(self.net["south"].status()["steps"], 1)

    def test_a_closed_agent_still_joins_steps(self):
        self.net["west"].close()
        self.net["north"].learn(random_task("north a"), "--wait")
        self.wait_for_agreement()
        self.assertEqual(self.net["west"].status()["steps"], 1)
        process = self.net["west"].ask("learn", "--task", "late", self.net["north"].home / "rows.csv",
                                       check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("closed", process.stderr)

    def test_rows_can_join_those_that_a_task_had(self):
        first, second = random_task("a"), random_task("a", seed=2)
        self.net["north"].learn(first, "--wait")
        self.net["north"].learn(second, "--wait", "--append")
        self.wait_for_agreement()
        self.assertEqual(self.net["north"].status()["tasks"], 1)
        self.assertEqual(self.net["north"].tasks(), [("a", 1), ("a", 2)])


if __name__ == "__main__":
    unittest.main()
