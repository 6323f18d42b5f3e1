# SPDX-License-Identifier: Apache-2.0
"""The socket in an agent's home: who may use it, what it answers, and what requests cost."""
import os
import struct
import subprocess
import unittest

import grpc

from attacks import Costs
from network import NetworkTest, random_task, wait_until
from peer import load_protocol
from program import PROGRAM

CONTROL = load_protocol("control")


class Asker:
    """Asks an agent without the program."""

    def __init__(self, home):
        self.channel = grpc.secure_channel(
            f"unix:{home / 'control.sock'}",
            grpc.local_channel_credentials(grpc.LocalConnectionType.UDS))

    def ask(self, method, request, timeout):
        call = self.channel.unary_unary(f"/colla.control.v1.Control/{method}")
        return call(request.SerializeToString(), timeout=timeout)


class Waiting(NetworkTest):
    def test_a_client_that_no_longer_waits_is_forgotten(self):
        net = self.network(["north", "south"])
        north, south = net.agents
        south.close_once()
        north.start()
        north.wait_until_ready()
        north.learn(random_task("a"))
        asker = Asker(north.home)
        self.addCleanup(asker.channel.close)

        def wait_in_vain():
            with self.assertRaises(grpc.RpcError):
                asker.ask("Wait", CONTROL.WaitRequest(task=1), timeout=0.005)
        for _ in range(300):  # until memory use has settled
            wait_in_vain()
        costs = Costs(north)
        for _ in range(2000):
            wait_in_vain()
        self.assertLess(costs.mebibytes(), 8)
        south.start()
        north.wait_for_steps(1)


class Tasks(NetworkTest):
    def refusal(self, asker, **changes):
        """Why the agent will not learn four rows of two features and the intercept."""
        fields = {"name": "a", "rows": 4, "cols": 3, "targets": struct.pack("<4d", 1, 2, 3, 5),
                  "samples": struct.pack("<12d", *[1, 4, 1, 2, 5, 1, 3, 7, 1, 4, 9, 1])}
        try:
            task = CONTROL.Task(**{**fields, **changes})
            asker.ask("Learn", CONTROL.LearnRequest(tasks=[task]), timeout=20)
        except grpc.RpcError as error:
            return error.details()
        return ""

    def test_those_that_the_command_line_would_refuse_are_refused(self):
        net = self.network(["alone"], features=2)
        net.start()
        asker = Asker(net.agents[0].home)
        self.addCleanup(asker.channel.close)
        name = "a task's name has 1 to 1000 bytes"
        self.assertIn(name, self.refusal(asker, name=""))
        self.assertIn(name, self.refusal(asker, name="n" * 1_000_000))
        self.assertIn("the task's name", self.refusal(asker, name="a\0b"))
        self.assertIn("the intercept, the last feature, is not 1",
                      self.refusal(asker, samples=struct.pack("<12d", *range(12))))
        self.assertIn("not have the size", self.refusal(asker, rows=5))
        self.assertEqual(self.refusal(asker), "")
        net.wait_for_steps(1)


class Status(NetworkTest):
    def test_it_is_told_while_the_agent_computes(self):
        net = self.network(["alone"], "--atoms", "60", features=2000)
        alone = net.agents[0]
        net.start()
        alone.learn(random_task("a", features=2000, rows=400))
        status = wait_until(lambda: next(
            (status for status in [alone.status()] if status["computing_seconds"] > 0), None),
                            "the agent is never seen computing")
        self.assertEqual(status["steps"], 0)
        self.assertRegex(status["waiting"][0], r"computing for \d+\.\d s")
        alone.wait_for_steps(1)

    def test_another_user_is_told_whose_the_agent_is(self):
        if os.geteuid() != 0:
            self.skipTest("only root can ask as another user")
        net = self.network(["alone"])
        net.start()
        self.folder.chmod(0o755)
        net.folder.chmod(0o755)
        home = net.agents[0].home
        home.chmod(0o755)
        asked = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", PROGRAM, "agent",
             "status", "--home", home], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(asked.returncode, 2)
        self.assertIn("its agent belongs to another user; run this as that user", asked.stderr)


class Paths(NetworkTest):
    def test_a_home_may_have_any_name(self):
        net = self.network(["alone"], folder="50% of ? #1 %41")
        net.start()
        net.agents[0].learn(random_task("a"), "--wait")
        self.assertEqual(net.agents[0].steps(), 1)


if __name__ == "__main__":
    unittest.main()
