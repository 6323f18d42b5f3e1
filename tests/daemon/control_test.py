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
from program import PATIENCE, PROGRAM

CONTROL = load_protocol("control")


class Asker:
    """Asks an agent without the program."""

    def __init__(self, home):
        self.channel = grpc.secure_channel(
            f"unix:{home / 'control.sock'}",
            grpc.local_channel_credentials(grpc.LocalConnectionType.UDS))

    def ask(self, method, request):
        """The answer to come."""
        call = self.channel.unary_unary(f"/colla.control.v1.Control/{method}")
        return call.future(request.SerializeToString(), timeout=PATIENCE)


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

        def wait_in_vain(count):
            calls = [asker.ask("Wait", CONTROL.WaitRequest(task=1)) for _ in range(count)]
            wait_until(lambda: north.status()["clients_waiting"] == count, north.status)
            for call in calls:
                call.cancel()
            wait_until(lambda: north.status()["clients_waiting"] == 0, north.status)
        wait_in_vain(100)
        wait_in_vain(100)  # memory use has settled
        costs = Costs(north)
        for _ in range(20):
            wait_in_vain(100)
        self.assertLess(costs.mebibytes() * 1024, 20 * 100 * 4)  # KiB; each took more
        south.start()
        north.wait_for_steps(1)


class Tasks(NetworkTest):
    def refusal(self, asker, **changes):
        """Why the agent will not learn four rows of two features and the intercept."""
        fields = {"name": "a", "rows": 4, "cols": 3, "targets": struct.pack("<4d", 1, 2, 3, 5),
                  "samples": struct.pack("<12d", *[1, 4, 1, 2, 5, 1, 3, 7, 1, 4, 9, 1])}
        try:
            task = CONTROL.Task(**{**fields, **changes})
            asker.ask("Learn", CONTROL.LearnRequest(tasks=[task])).result()
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
        self.assertIn("the name holds the invisible character U+0000", self.refusal(asker, name="a\0b"))
        self.assertIn("the intercept, the last feature, is not 1",
                      self.refusal(asker, samples=struct.pack("<12d", *range(12))))
        self.assertIn("not have the size", self.refusal(asker, rows=5))
        self.assertEqual(self.refusal(asker), "")
        net.wait_for_steps(1)


class Status(NetworkTest):
    def test_it_is_told_while_the_agent_computes(self):
        """A step that takes long enough for that, on any machine."""
        for features in [1000, 2000, 4000, 8000]:
            net = self.network(["alone"], "--atoms", "60", features=features, folder=f"net {features}")
            alone = net.agents[0]
            net.start()
            alone.learn(random_task("a", features=features, rows=400))
            status = wait_until(lambda: self.seen_computing_or_done(alone), "the step does not end")
            if not status["current"]:
                break
        self.assertEqual(status["steps"], 0)
        self.assertGreater(status["computing_seconds"], 0)
        self.assertRegex(status["waiting"][0], r"computing for \d+\.\d s")
        alone.wait_for_steps(1)

    def seen_computing_or_done(self, agent):
        status = agent.status_or_none()
        return (not status["current"] or status["steps"] > 0) and status

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
