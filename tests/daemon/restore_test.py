# SPDX-License-Identifier: Apache-2.0
"""Homes that are restored from older copies, and homes that run twice."""
import shutil
import unittest

from living import NAMES, LivingTest
from network import Agent, free_address, random_task, wait_until

TWICE = "two copies of this home run at the same time"


class Restore(LivingTest):
    def setUp(self):
        super().setUp()
        self.net = self.network(NAMES)
        self.north, self.south, self.west = self.net.agents
        self.net.start()
        self.net.learn("south", random_task("monday"))
        for k in range(6):
            self.net.learn(["north", "west"][k % 2], random_task(f"task {k}"))
        self.net.settle()

    def copy(self, agent, name):
        agent.stop()
        copy = shutil.copytree(agent.home, self.folder / name)
        agent.start()
        agent.wait_until_ready()
        return copy

    def put_back(self, agent, copy):
        agent.kill()
        shutil.rmtree(agent.home)
        shutil.copytree(copy, agent.home)
        agent.start()
        agent.wait_until_ready()

    def test_yesterdays_copy_heals_and_says_what_it_has_lost(self):
        old = self.copy(self.south, "old")
        for task in ["tuesday", "wednesday", "thursday"]:
            self.net.learn("south", random_task(task))
        self.net.forget("south", "wednesday")
        self.net.settle()
        self.put_back(self.south, old)
        self.south.wait_for_log("this home is an older copy")
        self.assertEqual(self.south.status()["lost_requests"], "2 to 5")
        self.south.wait_for_text("requests 2 to 5 are missing")
        for task in ["tuesday", "thursday"]:
            del self.net.tasks["south"][task]
        self.net.settle()
        # It goes on, after the numbers that others know of, and still says so after a restart.
        self.net.learn("south", random_task("friday"))
        self.assertEqual(self.south.tasks()[-1], ("friday", 6))
        self.south.kill()
        self.south.start()
        self.south.wait_until_ready()
        self.assertEqual(self.south.status()["lost_requests"], "2 to 5")
        self.net.learn("south", random_task("tuesday"))
        self.net.check_optimum()

    def test_the_copy_of_an_agent_whose_neighbours_were_restarted_is_told_too(self):
        old = self.copy(self.south, "old")
        self.net.learn("south", random_task("tuesday"))
        self.net.settle()
        for agent in [self.north, self.west]:
            agent.stop()
            agent.start()
            agent.wait_until_ready()
        self.put_back(self.south, old)
        self.south.wait_for_log("number 2 are lost here")
        del self.net.tasks["south"]["tuesday"]
        self.net.check_optimum()

    def test_two_copies_at_once_are_noticed_and_both_are_told(self):
        old = self.copy(self.south, "old")
        self.net.settle()
        twin = Agent(old)
        self.addCleanup(lambda: twin.kill())
        twin.set(f'listen = "{free_address()}"')
        twin.start()
        for agent in [self.south, twin]:
            agent.wait_for_log(TWICE)
            agent.wait_for_log("stop one of them, and start the other again")
        wait_until(lambda: any(n["copies"] for n in self.north.status()["neighbours"]), self.north.log)
        self.north.wait_for_text("two copies of its home run at the same time")
        # One is stopped, the other one started again.
        twin.stop()
        self.south.stop()
        self.south.start()
        self.south.wait_until_ready()
        self.net.learn("south", random_task("tuesday"))
        self.net.settle()
        self.assertFalse(any(n["copies"] for n in self.north.status()["neighbours"]))
        self.net.check_optimum()

    def test_a_second_agent_on_the_same_home_does_not_start(self):
        process = self.south.ask("run", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("another agent is running on this home", process.stderr)
        self.net.check_optimum()


if __name__ == "__main__":
    unittest.main()
