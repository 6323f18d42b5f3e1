# SPDX-License-Identifier: Apache-2.0
"""What `colla agent status` and `colla doctor` say of networks that live: who is away, how far agreement is, which roster."""
import json
import shutil
import unittest

from bayes import BayesTest, related_task
from certificates import issue
from network import HOST, wait_until
from program import TOO_BUSY, run

NAMES = ["north", "south", "west"]


class Living(BayesTest):
    """A line of three agents."""

    def setUp(self):
        super().setUp()
        self.write_recipe()
        self.net = self.network(NAMES, mode="living")
        self.north, self.south, self.west = self.net.agents

    def start(self):
        self.net.start()
        self.wait_for_neighbours(self.south, "north", "west")

    def wait_for_neighbours(self, agent, *names):
        wait_until(lambda: {entry["name"] for entry in agent.status()["neighbours"] if entry["connected"]} == set(names),
                   agent.status)

    def text(self, agent):
        return agent.ask("status").stdout

    def examine(self, agent):
        """(exit code, {neighbour's name or subject: (verdict, text)}), once all have the time to answer."""
        process = wait_until(lambda: (found := run("doctor", "--home", agent.home, "--json"))
                             and TOO_BUSY not in found.stdout and found, "a neighbour never answers")
        return process.returncode, {finding["subject"].split(" (")[0]: (finding["verdict"], finding["text"])
                                    for finding in json.loads(process.stdout)["findings"]}

    def change(self, *arguments, folder=None):
        process = run("network", arguments[0], folder or self.net.folder, *arguments[1:])
        self.assertEqual(process.returncode, 0, process.stderr)


class Status(Living):
    def test_neighbours_that_agree_are_here(self):
        self.start()
        text = self.south.wait_for_text("\n  the neighbours agree\n")
        for words in ["roster 1, tasks 0\n", "north is connected for", "west is connected for"]:
            self.assertIn(words, text)
        self.assertNotIn("doctor", text)
        status = wait_until(lambda: (found := self.south.status())["settled"] and found, self.south.status)
        self.assertEqual(status["agreement"], "the neighbours agree")
        self.assertLess(status["apart"], 1e-6)

    def test_who_is_away_has_yet_to_hear_the_newest(self):
        self.start()
        self.west.stop()
        self.wait_for_neighbours(self.south, "north")
        self.south.learn(related_task("monday"))
        text = self.south.wait_for_text("yet to hear the newest: west\n")
        self.assertRegex(text, r"\n  west is away for \d+ s: \S")
        self.assertIn(f"`colla doctor --home {self.south.home}` says what would help", text)
        self.assertFalse(self.south.status()["settled"])
        self.west.start()
        self.wait_for_neighbours(self.south, "north", "west")
        wait_until(lambda: "newest: west\n" not in self.text(self.south), lambda: self.text(self.south))

    def test_an_agent_that_nobody_hears_says_so(self):
        self.south.start()
        self.south.wait_until_ready()
        self.south.learn(related_task("monday"))
        text = self.south.wait_for_text("no neighbour is connected: what is learned here does not spread")
        self.assertRegex(text, r"north is away for \d+ s, since this agent started: ")
        self.assertFalse(any(entry["was_connected"] for entry in self.south.status()["neighbours"]))

    def test_a_neighbours_roster_is_known_while_it_is_away(self):
        self.start()
        self.west.stop()
        self.change("set", "minimum_rows=4")
        self.south.wait_for_text("has roster 1, here is 2")
        self.assertEqual({entry["name"]: entry["version"] for entry in self.south.status()["neighbours"]},
                         {"north": 2, "west": 1})


class Doctor(Living):
    def test_what_is_learned_does_not_spread_where_nobody_is_connected(self):
        self.south.start()
        self.south.wait_until_ready()
        code, findings = self.examine(self.south)
        self.assertEqual(code, 1)
        self.assertEqual([findings[name][0] for name in ["north", "west"]], ["failure", "failure"])
        self.west.start()
        self.west.wait_until_ready()
        self.wait_for_neighbours(self.south, "west")
        code, findings = self.examine(self.south)
        self.assertEqual(code, 0, findings)
        self.assertEqual([findings[name][0] for name in ["north", "west"]], ["warning", "ok"])

    def test_two_rosters_of_one_version_are_noticed_by_agents_and_by_doctor(self):
        self.start()
        copy = self.folder / "copy"
        shutil.copytree(self.net.folder / "authority", copy / "authority")
        shutil.copy(self.net.folder / "network.toml", copy)
        self.change("set", "minimum_rows=4")
        for agent in self.net.agents[:2]:
            wait_until(lambda: agent.status()["version"] == 2, agent.status)
        self.west.stop()
        self.change("set", "minimum_rows=5", folder=copy)
        shutil.copy(copy / "network.toml", self.west.home)
        self.west.start()
        for agent, other in [(self.south, "west"), (self.west, "south")]:
            agent.wait_for_log(f"not taken: the roster of {other} differs from the known one of the same version 2")
            agent.wait_for_text("refused: the roster of " + other)
        # West may have had enough greetings for a while.
        wait_until(lambda: "another roster 2" in self.examine(self.south)[1]["west"][1], self.south.status)
        code, findings = self.examine(self.south)
        self.assertEqual((findings["west"][0], findings["north"][0]), ("failure", "ok"), findings)
        self.assertEqual(code, 1)
        # The next version counts for both.
        shutil.copy(self.net.folder / "network.toml", self.west.home)
        self.change("set", "minimum_rows=6")
        self.wait_for_neighbours(self.south, "north", "west")
        self.assertEqual(self.west.status()["version"], 3)
        wait_until(lambda: "refused" not in self.text(self.south), lambda: self.text(self.south))

    def test_an_expired_certificate_is_a_failure_at_its_agent_and_a_warning_where_others_are_left(self):
        expired = issue(self.folder / "expired", self.net.folder / "authority", "west", HOST, first_day=-2, last_day=-1)
        self.start()
        for name in ["agent.key", "agent.crt"]:
            shutil.copy(expired / name, self.west.home)
        code, findings = self.examine(self.west)
        self.assertEqual((code, findings["certificate"][0]), (1, "failure"), findings)
        self.assertIn("expired", findings["certificate"][1])
        self.west.stop()
        self.assertEqual(self.examine(self.south)[0], 0)
        process = run("agent", "run", "--home", self.west.home)
        self.assertEqual(process.returncode, 2)
        self.assertIn("expired", process.stderr)


if __name__ == "__main__":
    unittest.main()
