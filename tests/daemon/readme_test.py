# SPDX-License-Identifier: Apache-2.0
"""The network in the README works as it is written there."""
import re
import signal
import subprocess
import unittest

from network import free_address
from program import PATIENCE, PROGRAM, TESTS, TOO_BUSY, ProgramTest, read_table, run, wait_until


def commands():
    """The commands of the README's section, per terminal, with continued lines joined."""
    text = (TESTS.parent / "README.md").read_text()
    section = text.split("## Agents on their own machines")[1].split("\n## ")[0]
    section = section.replace("build/release/colla", PROGRAM)
    section = re.sub(r"localhost:\d+", lambda _: free_address(), section)
    return [block.replace("\\\n", " ").strip().splitlines()
            for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL)]


def widths(predictions):
    """Of each row's interval."""
    return [row["high"] - row["low"] for row in read_table(predictions)]


class Readme(ProgramTest):
    def shell(self, command):
        process = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True,
                                 text=True, timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, f"{command}\n{process.stderr}")
        if "--wait" not in command:  # then it may say for whom it waits
            self.assertEqual(process.stderr, "", command)
        return process.stdout

    def healthy(self, doctor):
        """What it finds, once all agents have the time to answer."""
        shown = subprocess.run(["bash", "-c", doctor], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                               timeout=PATIENCE).stdout
        return TOO_BUSY not in shown and shown

    def wait_until_connected(self, home, neighbours):
        def is_so():
            return run("agent", "status", "--home", self.folder / home).stdout.count(" connected") >= neighbours
        wait_until(is_so, f"{home} is not connected")

    def test_its_network_learns_and_is_healthy(self):
        (sample, init, start), (rows, learn, predict, show, status, doctor) = commands()
        self.shell(sample)
        self.assertIn("3 agents", self.shell(init))
        network = subprocess.Popen(["bash", "-c", "exec " + start], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        self.addCleanup(network.wait)
        self.addCleanup(network.kill)
        self.wait_until_connected("clinics/north", 1)  # the end of a line
        self.wait_until_connected("clinics/south", 2)
        self.shell(rows)
        self.assertIn("learned: monday (4 rows)", self.shell(learn))
        known = self.shell(predict)
        self.assertEqual(len(known.splitlines()), 1 + 4)
        unknown = run(*predict.replace("--task monday", "--task tuesday").split()[1:], cwd=self.folder)
        self.assertIn("no rows of tuesday", unknown.stderr)
        for near, far in zip(widths(known), widths(unknown.stdout), strict=True):
            self.assertGreater(far, 2 * near)
        self.assertIn("weight", self.shell(show))
        self.assertIn("connected", self.shell(status))
        self.assertNotIn("FAIL", wait_until(lambda: self.healthy(doctor), "an agent never answers"))
        network.send_signal(signal.SIGINT)
        self.assertEqual(network.wait(PATIENCE), 0)


if __name__ == "__main__":
    unittest.main()
