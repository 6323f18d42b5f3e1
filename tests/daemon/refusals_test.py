# SPDX-License-Identifier: Apache-2.0
"""An agent that refuses another says why to it, whichever of the two called."""
import shutil
import unittest

from network import NetworkTest, random_task, wait_until
from program import run

OPTIONS = ["--atoms", "3", "--exchanges", "2", "--graph", "line"]
NAMES = ["a0", "a1", "a2"]


class Refusals(NetworkTest):
    def learn(self, net, step):
        for agent in net.agents:
            agent.learn(random_task(f"{agent.name} {step}"))
        net.wait_for_steps(step)

    def with_an_old_copy(self, name):
        """A line of three, each of which calls the next; that one is as it was a step before."""
        net = self.network(NAMES, *OPTIONS)
        net.start()
        self.learn(net, 1)
        net.stop()
        home = net[name].home
        shutil.copytree(home, self.folder / "old")
        net.start()
        self.learn(net, 2)
        net.stop()
        shutil.rmtree(home)
        shutil.copytree(self.folder / "old", home)
        net.start()
        return net

    def test_doctor_fails_at_both_neighbours_of_an_old_copy(self):
        net = self.with_an_old_copy("a1")
        for agent in net["a0"], net["a2"]:
            def entry():
                return agent.status()["neighbours"][0]
            wait_until(lambda: entry()["refused"] and "older copy cannot continue" in entry()["reason"],
                       lambda: f"{agent.name}: {entry()}\n{agent.log()}")
            said = []

            def fails():
                said[:] = [run("doctor", "--home", agent.home)]
                return said[0].returncode == 1
            wait_until(fails, lambda: said[0].stdout)
            self.assertIn("older copy cannot continue", said[0].stdout)
            self.assertFalse(entry()["connected"])

    def test_the_agent_that_is_called_is_told_that_the_other_one_stops(self):
        net = self.network(NAMES[:2], *OPTIONS)
        net.start()
        caller, called = net.agents
        wait_until(lambda: called.status()["neighbours"][0]["connected"], called.log)
        caller.stop()
        called.wait_for_log('lost a0 (' + net.addresses[0] + '): it ended the connection, saying "it is stopping"')


if __name__ == "__main__":
    unittest.main()
