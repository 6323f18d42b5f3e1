# SPDX-License-Identifier: Apache-2.0
"""Machines whose clock is set: agents answer, take steps, connect and end as if it had not been."""
import mmap
import os
import signal
import struct
import subprocess
import unittest

from network import PATIENCE, NetworkTest, random_task, wait_until
from program import PROGRAM, pause

HOUR = 3600
DAY = 24 * HOUR
AHEAD = 3 * HOUR  # at first, so that certificates are valid wherever the clock is set back to
OPTIONS = ["--atoms", "3", "--exchanges", "5"]


class Clock:
    """What the processes that have this environment take for the machine's clock."""

    def __init__(self, file):
        file.write_bytes(struct.pack("q", AHEAD * 10**9))
        with file.open("r+b") as opened:
            self.memory = mmap.mmap(opened.fileno(), 8)
        self.environment = [f"LD_PRELOAD={os.environ['COLLA_STEPPING_CLOCK']}", f"COLLA_CLOCK={file}"]

    def step(self, seconds):
        """Sets it that much later than it is now. Returns when what the agent was waiting for is due."""
        before, = struct.unpack("q", self.memory[:8])
        self.memory[:8] = struct.pack("q", before + seconds * 10**9)
        pause(0.5)


class SteppedClock(NetworkTest):
    def setUp(self):
        super().setUp()
        self.clock = Clock(self.folder / "clock")

    def network(self, names, *options, **more):
        network = super().network(names, *OPTIONS, *options, **more)
        for agent in network.agents:
            agent.prefix = ["env", *self.clock.environment]
        return network

    def start_command(self, agent, *words):
        """`colla agent` with the same clock."""
        process = subprocess.Popen(
            ["env", *self.clock.environment, PROGRAM, "agent", *words[:1], "--home", agent.home, *words[1:]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def tasks(self, names, count):
        return [[random_task(f"{name} {k}") for k in range(count)] for name in names]

    def learn(self, net, tasks, step):
        for agent, own in zip(net.agents, tasks):
            agent.status()
            agent.learn(own[step - 1])
        net.wait_for_steps(step)

    def test_every_step_of_the_network_comes_out_as_without_steps_of_the_clock(self):
        names = ["north", "south"]
        tasks = self.tasks(names, 5)
        net = self.network(names)
        net.start()
        self.learn(net, tasks, 1)
        for step, seconds in enumerate([-HOUR, -120, 400 * DAY, -400 * DAY], start=2):
            self.clock.step(seconds)
            self.learn(net, tasks, step)
        self.clock.step(-HOUR)
        net.stop()
        self.assert_same_state(net.state(), self.trained(tasks, *OPTIONS))

    def test_an_agent_that_calls_another_goes_on_calling(self):
        names = ["north", "south"]
        tasks = self.tasks(names, 2)
        net = self.network(names)
        north, south = net.agents
        north.start()
        north.wait_until_ready()
        wait_until(lambda: "connection refused" in north.log().lower(), north.log)
        self.clock.step(-HOUR)
        north.status()
        south.start()
        south.wait_until_ready()
        self.learn(net, tasks, 1)
        south.stop()
        wait_until(lambda: not north.status()["neighbours"][0]["connected"], north.log)
        self.clock.step(-120)
        south.start()
        south.wait_until_ready()
        self.learn(net, tasks, 2)
        net.stop()
        self.assert_same_state(net.state(), self.trained(tasks, *OPTIONS))

    def test_an_agent_that_waits_answers_and_ends(self):
        net = self.network(["north", "south"])
        north, south = net.agents
        north.start()
        north.wait_until_ready()
        rows = self.write("rows.csv", random_task("one").csv())
        waiting = self.start_command(north, "learn", "--task", "one", "--wait", rows)
        wait_until(lambda: north.status()["queued"] == 1, north.log)
        for seconds in (-HOUR, 400 * DAY, -400 * DAY):
            self.clock.step(seconds)
            self.assertEqual(north.status()["queued"], 1)
        south.start()
        south.wait_until_ready()
        south.learn(random_task("two"))
        output, errors = waiting.communicate(timeout=PATIENCE)
        self.assertEqual(waiting.returncode, 0, errors)
        self.assertIn("learned: one in step 1", output)
        self.clock.step(-HOUR)
        net.stop()

    def test_an_agent_ends_when_it_is_told_to_with_its_clock_anywhere(self):
        for seconds in (-HOUR, -120, 400 * DAY):
            with self.subTest(step=seconds):
                net = self.network(["alone", "away"], folder=f"ends {seconds}")
                agent = net["alone"]
                agent.start()
                agent.wait_until_ready()
                self.clock.step(seconds)
                agent.process.send_signal(signal.SIGTERM)
                self.assertEqual(agent.process.wait(PATIENCE), 0, agent.log())
                self.clock.step(-seconds)


if __name__ == "__main__":
    unittest.main()
