# SPDX-License-Identifier: Apache-2.0
"""Agents are added, removed, moved and linked, and settings change, while all the others go on without a restart."""
import shutil
import unittest

from living import NAMES, MembershipTest
from network import free_address, random_task, wait_until
from peer import Caller


class Membership(MembershipTest):
    def test_an_agent_is_added_and_passes_knowledge_on(self):
        east = self.net.add("east", ["north", "west"])
        self.assertIn("roster 2: taken", self.net.tell("south"))
        self.net.wait_for_version(2, NAMES)
        self.assertIn("roster 2 is known already", self.net.tell("north"))
        east.start()
        east.wait_until_ready()
        self.net.learn("east", random_task("task of east"))
        self.check_optimum()

    def test_an_agent_that_is_started_before_the_others_know_of_it_brings_the_roster(self):
        east = self.net.add("east", ["west"])
        east.start()
        east.wait_until_ready()
        self.net.wait_for_version(2)
        self.net.learn("east", random_task("task of east"))
        self.check_optimum()

    def test_who_was_away_hears_of_the_newest_roster_when_it_comes_back(self):
        self.west.stop()
        del self.processes["west"]
        self.net.change("set", "lambda=0.03")
        self.net.change("link", "north,west")
        self.net.tell("north")
        self.net.wait_for_version(3, ["north", "south"])
        self.west.start()
        self.west.wait_until_ready()
        self.net.wait_for_version(3)
        wait_until(lambda: self.neighbours("north") == {"south", "west"}, "no new link")
        self.check_optimum()

    def test_the_influence_of_an_agent_that_is_removed_fades(self):
        self.net.settle()
        output = self.net.change("remove", "west")
        self.assertIn("west removed, and its certificates revoked", output)
        self.net.tell("north")
        west = self.net.drop("west")
        self.net.wait_for_version(2)
        # It is refused at the door, and goes on alone.
        self.south.wait_for_log("refused a caller: its certificate was revoked")
        wait_until(lambda: not any(n["connected"] for n in west.status()["neighbours"]), "west is still in")
        west.learn(random_task("another"))
        self.check_optimum()
        self.addCleanup(west.kill)

    def test_the_middle_of_a_line_is_removed_with_a_link_in_its_place(self):
        self.net.change("remove", "south", "--link", "north-west")
        south = self.net.drop("south")
        self.addCleanup(south.kill)
        self.net.tell("west")
        self.net.wait_for_version(2)
        wait_until(lambda: self.neighbours("north") == {"west"}, "no new link")
        self.check_optimum()

    def test_a_removed_agent_says_so_when_it_is_told(self):
        self.net.change("remove", "west")
        process = self.west.ask("update", self.net.roster, check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("this agent was removed from the network (roster 2)", process.stderr)

    def test_a_revoked_certificate_is_refused_and_the_new_one_is_let_in(self):
        self.net.settle()
        self.net.change("revoke", "west")
        self.net.tell("north")
        self.net.wait_for_version(2, ["north", "south"])
        self.south.wait_for_log("its certificate was revoked")
        wait_until(lambda: not self.west.status()["neighbours"][0]["connected"], "west is still in")
        stolen = self.folder / "stolen"
        stolen.mkdir()
        for file in ["agent.key", "agent.crt", "ca.crt"]:
            shutil.copy(self.west.home / file, stolen)
        for file in ["agent.key", "agent.crt"]:
            shutil.copy(self.net.folder / "west" / file, self.west.home / file)
        wait_until(lambda: self.neighbours("west") == {"south"}, self.west.log)
        caller = Caller(self.net.addresses[1], stolen)
        self.addCleanup(caller.close)
        self.assertTrue(caller.refusal())
        self.net.wait_for_version(2)
        self.check_optimum()

    def test_an_agent_moves(self):
        self.south.stop()
        del self.processes["south"]
        address = free_address()
        self.net.change("move", f"south={address}")
        shutil.copy(self.net.roster, self.south.home / "network.toml")
        self.south.start()
        self.south.wait_until_ready()
        self.net.wait_for_version(2)
        self.net.learn("north", random_task("another"))
        for agent in [self.north, self.west]:
            shown = next(n for n in agent.status()["neighbours"] if n["name"] == "south")
            self.assertEqual(shown["address"], address)
        # They call the new address too.
        self.north.stop()
        self.north.start()
        self.north.wait_until_ready()
        del self.processes["north"]
        self.check_optimum()

    def test_links_begin_and_end(self):
        self.net.change("link", "north,west")
        self.net.tell("west")
        self.net.wait_for_version(2)
        wait_until(lambda: self.neighbours("north") == {"south", "west"}, "no new link")
        self.net.learn("north", random_task("with a ring"))
        self.net.settle()
        self.net.change("unlink", "north,south")
        self.net.tell("north")
        self.net.wait_for_version(3)
        wait_until(lambda: self.neighbours("north") == {"west"} and self.neighbours("south") == {"west"},
                   "the old link remains")
        self.check_optimum()

    def test_settings_change(self):
        self.net.settle()
        self.net.change("set", "lambda=0.5", "minimum_rows=4")
        self.net.tell("south")
        self.net.wait_for_version(2)
        rows = self.write("few.csv", random_task("few", rows=3).csv())
        process = self.north.ask("learn", "--task", "few", rows, check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("agents of this network take 4 or more", process.stderr)
        self.check_optimum()

    def test_all_certificates_are_renewed(self):
        self.net.change("renew")
        for agent in self.net.agents:
            for file in ["agent.key", "agent.crt"]:
                shutil.copy(self.net.folder / agent.name / file, agent.home / file)
        for agent in self.net.agents:
            agent.wait_for_log("a new certificate")
        self.net.learn("north", random_task("another"))
        self.check_optimum()

    def test_who_lost_everything_gets_a_new_home_under_its_name(self):
        self.net.settle()
        self.west.kill()
        shutil.rmtree(self.west.home)
        address = self.net.addresses[2]
        self.net.change("remove", "west")
        self.net.drop("west")
        self.net.change("add", f"west={address}", "--neighbours", "south")
        self.net.addresses.append(address)
        self.net.agents.append(self.west)
        self.net.tasks["west"] = {}
        self.net.take_home(self.west)
        del self.processes["west"]
        self.net.tell("south")
        self.west.start()
        self.west.wait_until_ready()
        self.net.wait_for_version(3)
        self.west.wait_for_log("number 1 are lost here, give them again")
        self.net.learn("west", random_task("task of west"))
        self.check_optimum()


if __name__ == "__main__":
    unittest.main()
