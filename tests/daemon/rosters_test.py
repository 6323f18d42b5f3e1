# SPDX-License-Identifier: Apache-2.0
"""The newest valid roster counts, wherever it comes from; all others are refused, said and counted."""
import shutil
import unittest

from living import NAMES, MembershipTest
from network import wait_until
from program import run


class Rosters(MembershipTest):
    def refuse(self, text, *naming):
        """A roster that no agent takes; it is said and counted."""
        before = self.north.status()
        file = self.write("refused.toml", text)
        process = self.north.ask("update", file, check=False)
        self.assertEqual(process.returncode, 2, process)
        self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")
        after = self.north.status()
        self.assertEqual(after["rosters_refused"], before["rosters_refused"] + 1)
        self.assertEqual(after["version"], before["version"])
        for words in naming:
            self.assertIn(words, process.stderr)
            self.assertIn(words, after["roster_refusal"])
        self.north.wait_for_text("refused: the roster from you")

    def test_lower_versions_are_refused(self):
        first = self.net.roster.read_text()
        self.net.change("set", "lambda=0.5")
        self.net.tell("north")
        self.refuse(first, "is of version 1, and version 2 is known")

    def test_what_the_authority_has_not_signed_is_refused(self):
        self.net.change("set", "lambda=0.5")
        text = self.net.roster.read_text()
        self.refuse(text.replace("lambda = 0.5", "lambda = 0.25"), "sign")
        self.refuse(text[:len(text) // 2], "sign")
        self.refuse("", "")
        self.refuse(text.rsplit("#", 1)[0], "sign")
        self.net.tell("north")
        self.assertEqual(self.north.status()["version"], 2)

    def test_rosters_of_other_networks_are_refused(self):
        other = self.network(NAMES, folder="other")
        self.refuse(other.roster.read_text(), "sign")

    def test_two_rosters_of_one_version_are_told_apart(self):
        backup = shutil.copytree(self.net.folder, self.folder / "backup")
        self.net.change("set", "lambda=0.5")
        self.net.tell("north")
        self.net.wait_for_version(2)
        process = run("network", "set", backup, "lambda=0.25")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.refuse((backup / "network.toml").read_text(), "same version 2", "exists twice")
        self.assertEqual(self.settings_in(self.north), 0.5)

    def test_neighbours_with_two_rosters_of_one_version_say_so_until_the_next_version(self):
        self.net.settle()
        backup = shutil.copytree(self.net.folder, self.folder / "backup")
        self.net.change("link", "north,west")
        self.assertEqual(run("network", "set", backup, "lambda=0.25").returncode, 0)
        for agent in self.net.agents:
            agent.stop()
        shutil.copy(backup / "network.toml", self.west.home / "network.toml")
        for agent in self.net.agents[:2]:
            shutil.copy(self.net.roster, agent.home / "network.toml")
        self.net.start()
        self.processes = {agent.name: agent.process.pid for agent in self.net.agents}
        for agent in [self.south, self.west]:
            agent.wait_for_log("of the same version 2")
            wait_until(lambda: agent.status()["rosters_refused"] > 0, agent.log)
        self.net.change("set", "lambda=0.5")
        self.net.tell("north")
        self.net.wait_for_version(3)
        wait_until(lambda: self.neighbours("north") == {"south", "west"}, self.north.log)
        self.check_optimum()

    def settings_in(self, agent):
        text = (agent.home / "network.toml").read_text()
        return float(next(line.split("=")[1] for line in text.splitlines() if line.startswith("lambda")))

    def test_a_newer_file_in_the_home_is_taken_up(self):
        self.net.change("set", "lambda=0.5")
        shutil.copy(self.net.roster, self.west.home / "network.toml")
        self.net.wait_for_version(2)
        self.check_optimum()

    def test_a_file_that_was_edited_by_hand_is_refused_and_restored_by_the_next_one(self):
        file = self.west.home / "network.toml"
        right = file.read_text()
        file.write_text(right.replace("lambda = ", "lambda = 1"))
        self.west.wait_for_log("not taken: the roster from")
        self.assertEqual(self.west.status()["rosters_refused"], 1)
        # A restart names the file.
        self.west.kill()
        process = self.west.ask("run", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")
        self.assertIn("network.toml", process.stderr)
        file.write_text(right)
        self.west.start()
        self.west.wait_until_ready()
        del self.processes["west"]
        self.net.settle()
        # While it runs, the next roster takes the file's place.
        file.write_text("nothing")
        self.west.wait_for_log("not taken: the roster from", 2)
        file.unlink()
        self.net.change("set", "lambda=0.5")
        self.net.tell("north")
        self.net.wait_for_version(2)
        self.assertEqual(file.read_text(), self.net.roster.read_text())
        self.check_optimum()


if __name__ == "__main__":
    unittest.main()
