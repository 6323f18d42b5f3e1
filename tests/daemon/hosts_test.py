# SPDX-License-Identifier: Apache-2.0
"""Agents on separate hosts: network namespaces on a bridge. Skipped where these cannot be made."""
import os
import re
import subprocess
import unittest

from network import Agent, NetworkTest, PATIENCE, learn_all, random_task, wait_until

NAMES = ["north", "south", "west"]
BRIDGE = f"colla{os.getpid()}"
OPTIONS = ["--atoms", "3", "--exchanges", "20"]


def succeeds(*command):
    return subprocess.run(command, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


class Hosts:
    """A host for each name, at 10.77.0.1 and so on."""

    def __init__(self, names):
        self.names = names
        self.spaces = [f"{BRIDGE}-{name}" for name in names]
        self.links = [f"{BRIDGE[5:]}v{k}" for k in range(len(names))]

    def make(self):
        """False if this is not permitted."""
        if not succeeds("ip", "netns", "add", BRIDGE):
            return False
        return all(succeeds("ip", *command) for command in self.commands())

    def commands(self):
        # The bridge is in a namespace too, so the machine sees none of this.
        yield ["-n", BRIDGE, "link", "add", "bridge", "type", "bridge"]
        yield ["-n", BRIDGE, "link", "set", "bridge", "up"]
        for k, (space, link) in enumerate(zip(self.spaces, self.links)):
            yield ["netns", "add", space]
            yield ["-n", space, "link", "add", "eth0", "type", "veth", "peer", "name", link,
                   "netns", BRIDGE]
            yield ["-n", BRIDGE, "link", "set", link, "master", "bridge", "up"]
            yield ["-n", space, "address", "add", f"10.77.0.{k + 1}/24", "dev", "eth0"]
            yield ["-n", space, "link", "set", "eth0", "up"]
            yield ["-n", space, "link", "set", "lo", "up"]

    def set_link(self, name, state):
        assert succeeds("ip", "-n", BRIDGE, "link", "set", self.links[self.names.index(name)],
                        state)

    def delay(self, name, milliseconds):
        """False if the kernel cannot."""
        return succeeds("tc", "-n", self.spaces[self.names.index(name)], "qdisc", "add", "dev",
                        "eth0", "root", "netem", "delay", f"{milliseconds}ms")

    def delayed_packets(self, name):
        """That have left over the slow link."""
        shown = subprocess.run(["tc", "-s", "-n", self.spaces[self.names.index(name)], "qdisc", "show", "dev", "eth0"],
                               timeout=PATIENCE, check=True, text=True, stdout=subprocess.PIPE).stdout
        return int(re.search(r"netem.*?\bSent \d+ bytes (\d+) pkt", shown, re.DOTALL)[1])

    def remove(self):
        for space in [*self.spaces, BRIDGE]:
            succeeds("ip", "netns", "delete", space)


class SeparateHosts(NetworkTest):
    def setUp(self):
        super().setUp()
        self.hosts = Hosts(NAMES)
        self.addCleanup(self.hosts.remove)
        if not self.hosts.make():
            self.skipTest("network namespaces cannot be made here")
        self.net = self.network(NAMES, *OPTIONS,
                                addresses=[f"10.77.0.{k + 1}:7400" for k in range(len(NAMES))])
        for agent, space in zip(self.net.agents, self.hosts.spaces):
            agent.prefix = ["ip", "netns", "exec", space]
        self.tasks = [[random_task(f"{name} {k}") for k in range(3)] for name in NAMES]

    def check_state(self):
        self.net.wait_for_steps(3)
        self.net.stop()
        self.assert_same_state(self.net.state(), self.trained(self.tasks, *OPTIONS))

    def test_a_link_that_goes_down_and_up_again(self):
        self.net.start()
        for agent, own in zip(self.net.agents, self.tasks):
            agent.learn(own[0])
        self.net.wait_for_steps(1)
        self.hosts.set_link("south", "down")
        self.net["north"].learn(self.tasks[0][1])
        wait_until(lambda: any("for south" in line for line in self.net["north"].status()["waiting"]),
                   "north does not wait for south")
        self.assertEqual(self.net["north"].status()["steps"], 1)
        self.hosts.set_link("south", "up")
        self.net["north"].learn(self.tasks[0][2])
        for agent, own in zip(self.net.agents[1:], self.tasks[1:]):
            agent.learn(own[1])
            agent.learn(own[2])
        self.net.each(Agent.close)
        self.check_state()

    def test_a_host_that_vanishes_without_a_word_and_comes_back(self):
        self.net.start()
        for agent, own in zip(self.net.agents, self.tasks):
            agent.learn(own[0])
        self.net.wait_for_steps(1)
        self.hosts.set_link("south", "down")
        self.net["south"].kill()
        self.hosts.set_link("south", "up")
        self.net["south"].start()
        self.net["south"].wait_until_ready()
        learn_all(self.net, [own[1:] for own in self.tasks])
        self.check_state()

    def test_a_slow_link_changes_nothing_but_the_time(self):
        if not self.hosts.delay("west", 10):
            self.skipTest("the kernel has no netem")
        self.net.start()
        learn_all(self.net, self.tasks)
        self.check_state()
        # 3 steps of 20 exchanges: none goes on before the one before has crossed the slow link.
        self.assertGreater(self.hosts.delayed_packets("west"), 3 * 20)


if __name__ == "__main__":
    unittest.main()
