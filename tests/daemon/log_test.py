# SPDX-License-Identifier: Apache-2.0
"""Logs that nobody reads: the agent goes on, and ends when it is told to."""
import fcntl
import os
import signal
import subprocess
import termios
import unittest

from network import PATIENCE, NetworkTest, random_task
from program import PROGRAM

OPTIONS = ["--atoms", "3", "--exchanges", "2"]
FULL = b"x" * 4096


class UnreadLog(NetworkTest):
    def start(self, log):
        """An agent alone whose log goes to that descriptor."""
        net = self.network(["north"], *OPTIONS, folder="net")
        self.north = net["north"]
        self.north.process = subprocess.Popen([PROGRAM, "agent", "run", "--home", self.north.home],
                                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        self.north.wait_until_ready()

    def learn(self, tasks):
        for k in range(tasks):
            self.north.learn(random_task(f"task {k}"))
        self.north.wait_for_steps(tasks)

    def pipe(self):
        """The end to write of a full one of 4 KiB."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.addCleanup(os.close, writing)
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, len(FULL))
        self.assertEqual(os.write(writing, FULL), len(FULL))
        return writing

    def end(self):
        self.north.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.north.process.wait(PATIENCE), 0)

    def test_an_agent_whose_log_is_a_full_pipe_learns_and_ends(self):
        self.start(self.pipe())
        self.learn(3)
        self.end()

    def test_an_agent_on_a_terminal_that_is_held_learns_and_ends(self):
        ours, terminal = os.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, terminal)
        termios.tcflow(terminal, termios.TCOOFF)  # as Ctrl-S does
        flags = fcntl.fcntl(terminal, fcntl.F_GETFL)
        self.start(terminal)
        self.learn(3)
        self.assertEqual(fcntl.fcntl(terminal, fcntl.F_GETFL), flags)  # which the shell shares
        self.end()


if __name__ == "__main__":
    unittest.main()
