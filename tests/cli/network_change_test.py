# SPDX-License-Identifier: Apache-2.0
"""A living network is changed: members, links, settings and certificates."""
import shutil
import subprocess
import tomllib
import unittest

import dying
from program import PROGRAM, ProgramTest, limit_file_size

CLINICS = {"north": "localhost:7401", "south": "localhost:7402", "west": "localhost:7403"}
ANY_ROWS = "age,dose,y\n1,2,3\n2,4,5\n4,1,4\n"


class ChangeTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.make("--mode", "living", "--algorithm", "colla", "--features", "3")

    def make(self, *options, folder="net", agents=CLINICS):
        listed = ",".join(f"{name}={address}" for name, address in agents.items())
        trust = ["--trust-neighbours"] if {"colla", "lockstep"} & set(options) else []
        return self.colla("network", "init", folder, "--agents", listed, *trust, *options)

    def change(self, command, *arguments, folder="net"):
        return self.colla("network", command, folder, *arguments)

    def refused_change(self, command, *arguments, naming, folder="net"):
        with self.subTest(command=command, arguments=arguments):
            return self.refused("network", command, folder, *arguments, naming=naming)

    def text(self, name="network.toml", folder="net"):
        return (self.folder / folder / name).read_text()

    def network(self, folder="net"):
        return tomllib.loads(self.text(folder=folder))

    def agents(self):
        return {agent["name"]: agent["address"] for agent in self.network()["agent"]}

    def links(self):
        return {frozenset(edge) for edge in self.network()["edges"]}

    def assert_sound(self, version, folder="net"):
        """Every home has the same roster, and nothing unfinished is left."""
        network = self.network(folder)
        self.assertEqual(network["version"], version)
        for agent in network["agent"]:
            self.assertEqual(self.text(f"{agent['name']}/network.toml", folder), self.text(folder=folder))
        self.assertFalse([name for name in self.files() if "unfinished" in name])


def pairs(*links):
    return {frozenset(link) for link in links}


class Changes(ChangeTest):
    def test_a_roster_has_a_version_and_ends_with_its_signature(self):
        network = self.network()
        self.assertEqual((network["version"], network["revoked"]), (1, []))
        for key in ["rho", "exchanges", "refresh"]:
            self.assertNotIn(key, network)
        self.assertRegex(self.text(), r"\n# signed by the network's authority: [A-Za-z0-9+/]+=*\n\Z")
        self.assert_sound(1)

    def test_an_agent_is_added_with_its_home(self):
        output = self.change("add", "east=East.example.org:7404", "--neighbours", "south,west")
        for words in ["version 2", "east (east.example.org:7404) added", "south, west", "Copy net/east",
                      "Hand net/network.toml to any one agent",
                      "colla agent update net/network.toml --home HOME"]:
            self.assertIn(words, output)
        self.assertEqual(self.agents(), {**CLINICS, "east": "east.example.org:7404"})
        self.assertEqual(self.links(), pairs("north south".split(), "south west".split(),
                                             "south east".split(), "west east".split()))
        self.assertEqual(sorted(path.name for path in (self.folder / "net/east").iterdir()),
                         ["agent.crt", "agent.key", "agent.toml", "ca.crt", "network.toml"])
        self.assert_sound(2)

    def test_a_home_gets_the_recipe_and_the_first_dictionary_too(self):
        self.write("sample.csv", ANY_ROWS)
        self.write("L0.csv", "1,2\n3,4\n5,6\n")
        self.make("--mode", "living", "--like", "sample.csv", "--algorithm", "colla", "--init", "L0.csv",
                  folder="other")
        shutil.rmtree(self.folder / "other/north")
        self.change("add", "east=e:1", "--neighbours", "north", folder="other")
        for name in ["recipe.toml", "first-dictionary.csv"]:
            self.assertEqual(self.text(f"east/{name}", "other"), self.text(f"south/{name}", "other"))
        self.write("other/recipe.toml", "x")
        self.refused_change("add", "far=f:1", "--neighbours", "north", folder="other",
                            naming=["other/recipe.toml", "not the one", "an agent's home"])

    def test_one_agent_grows_to_a_network_and_shrinks_again(self):
        self.make("--mode", "living", "--algorithm", "colla", "--features", "3", folder="one",
                  agents={"a0": "localhost:7000"})
        for k in range(1, 6):
            self.change("add", f"a{k}=localhost:{7000 + k}", "--neighbours", f"a{k - 1}", folder="one")
        self.assert_sound(6, folder="one")
        for k in range(5):
            self.change("remove", f"a{k}", folder="one")
        self.refused_change("remove", "a5", folder="one", naming=["'a5' is the only agent"])
        self.assertEqual(self.network("one")["edges"], [])
        self.assert_sound(11, folder="one")

    def test_an_agent_is_removed_and_its_certificate_revoked(self):
        before = self.files()
        output = self.change("remove", "west")
        for words in ["version 2", "west removed", "revoked", "Delete net/west once", "agent update"]:
            self.assertIn(words, output)
        self.assertEqual(self.links(), pairs(["north", "south"]))
        self.assertEqual(len(self.network()["revoked"]), 1)
        after = self.files()
        self.assertEqual({name for name in before if before[name] != after[name]},
                         {f"net/{name}network.toml" for name in ["", "north/", "south/"]})

    def test_an_agent_in_the_middle_is_removed_with_a_link_in_its_place(self):
        message = self.refused_change("remove", "south", naming=["'west'", "no path", "--link north,west"])
        self.assertNotIn("version", message)
        for link in ["north-west", "west,north"]:
            self.assertIn("linked", self.change("remove", "south", "--link", link))
            self.assertEqual(self.links(), pairs(["north", "west"]))
            shutil.rmtree(self.folder / "net/south")
            self.change("add", "south=localhost:7402", "--neighbours", "west")
            self.change("link", "north-south")
            self.change("unlink", "north-west")

    def test_several_links_replace_a_centre(self):
        self.change("add", "east=localhost:7404", "--neighbours", "south")
        self.change("remove", "south", "--link", "north-west", "--link", "west-east")
        self.assertEqual(self.links(), pairs(["north", "west"], ["west", "east"]))

    def test_an_agent_moves(self):
        self.assertIn("south is at [::1]:7500", self.change("move", "south=[0:0::1]:7500"))
        self.assertEqual(self.agents(), {**CLINICS, "south": "[::1]:7500"})
        self.assert_sound(2)

    def test_links_come_and_go(self):
        self.change("link", "north-west")
        self.change("unlink", "south,north")
        self.assertEqual(self.links(), pairs(["north", "west"], ["south", "west"]))
        self.assert_sound(3)

    def test_names_with_hyphens_are_told_apart(self):
        names = ["a", "b", "a-b", "b-a", "clinic-north", "clinic-south"]
        self.make("--mode", "living", "--algorithm", "colla", "--features", "3", folder="other",
                  agents={name: f"localhost:{7000 + k}" for k, name in enumerate(names)})
        self.change("link", "clinic-north-a", folder="other")
        self.refused_change("link", "a-b-a", folder="other", naming=["'a-b-a'", "several ways", "A,B"])
        self.change("link", "a,b-a", folder="other")

    def test_settings_change_together(self):
        output = self.change("set", "minimum_rows=7", "lambda=0.5", "mu=0", "gamma=1e-3")
        self.assertIn("version 2: minimum_rows=7, lambda=0.5, mu=0, gamma=1e-3\n", output)
        network = self.network()
        self.assertEqual([network[key] for key in ["minimum_rows", "lambda", "mu", "gamma"]], [7, 0.5, 0, 0.001])
        self.assert_sound(2)

    def test_a_revoked_certificate_gets_a_successor(self):
        self.change("renew", "south")
        before = self.files()
        output = self.change("revoke", "south", "--days", "7")
        for words in ["version 2", "certificates that south had", "net/south  (valid until", "agent update"]:
            self.assertIn(words, output)
        self.assertEqual(len(self.network()["revoked"]), 2)
        after = self.files()
        self.assertEqual({name for name in before if before[name] != after[name]},
                         {"net/authority/issued", "net/south/agent.crt", "net/south/agent.key",
                          *(f"net/{name}network.toml" for name in ["", "north/", "south/", "west/"])})
        self.assert_sound(2)

    def test_renewing_makes_no_new_version(self):
        self.change("renew")
        self.assert_sound(1)


class Refusals(ChangeTest):
    def test_only_living_networks_change(self):
        self.write("sample.csv", ANY_ROWS)
        self.make("--mode", "lockstep", "--like", "sample.csv", folder="steps")
        for command in [["add", "east=e:1", "--neighbours", "north"], ["remove", "west"],
                        ["move", "west=e:1"], ["link", "north-west"], ["unlink", "x"],
                        ["set", "lambda=1"], ["revoke", "north"]]:
            self.refused_change(*command, folder="steps",
                                naming=["steps: is of mode lockstep", "cannot change", "--mode living"])

    def test_what_is_no_folder_with_an_authority_is_refused(self):
        self.refused_change("remove", "west", folder="none", naming=["none", "colla network init"])
        self.refused_change("remove", "west", folder="net/north", naming=["net/north: is the folder of one agent"])
        (self.folder / "net/authority/ca.key").unlink()
        self.refused_change("remove", "west", naming=["net/authority/ca.key", "no such file"])

    def test_another_networks_key_is_refused(self):
        self.make("--mode", "living", "--algorithm", "colla", "--features", "3", folder="other")
        for name in ["ca.key", "ca.crt"]:
            self.write(f"net/authority/{name}", self.text(f"authority/{name}", "other"))
            self.refused_change("remove", "west", naming=["authority" if name == "ca.key" else "sign"])

    def test_agents_are_as_strictly_named_as_by_init(self):
        for agent, naming in {"east": ["'east'", "NAME=HOST:PORT"], "East=h:1": ["'East'"],
                              "north=h:1": ["'north'", "duplicate"], "east=h": ["'h'"],
                              "authority=h:1": ["authority"], "../east=h:1": ["'../east'"],
                              "east=localhost:7401": ["localhost:7401", "duplicate"],
                              "east=north:1": ["'east'", "'north'"], "east=0.0.0.0:1": ["0.0.0.0"]}.items():
            self.refused_change("add", agent, "--neighbours", "north", naming=naming)
        self.refused_change("add", "east=h:1", naming=["--neighbours"])
        self.refused_change("add", "east=h:1", "--neighbours", "far", naming=["'far'", "north, south, west"])
        self.refused_change("add", "east=h:1", "--neighbours", "east", naming=["itself"])
        self.refused_change("add", "east=h:1", "--neighbours", "west,west", naming=["linked already"])
        for neighbours in ["west,", ",west", "west north", "north;west"]:
            self.refused_change("add", "east=h:1", "--neighbours", neighbours, naming=["no agent"])
        self.refused_change("move", "east=h:1", naming=["'east'", "north, south, west"])
        self.refused_change("move", "west=localhost:7401", naming=["localhost:7401", "duplicate"])
        self.refused_change("move", "west=localhost:7403", naming=["nothing would change"])
        self.refused_change("remove", "east", naming=["'east'"])
        self.refused_change("revoke", "east", naming=["'east'"])

    def test_a_home_that_is_in_the_way_is_left_alone(self):
        self.change("remove", "west")
        self.refused_change("add", "west=h:1", "--neighbours", "north",
                            naming=["net/west", "exists already", "move it away"])

    def test_the_network_stays_in_one_piece(self):
        self.refused_change("unlink", "south-west", naming=["'west'", "no path", "another way first"])
        self.refused_change("unlink", "north-west", naming=["not linked"])
        self.refused_change("link", "north-south", naming=["linked already"])
        self.refused_change("remove", "south", "--link", "north-south", naming=["'south'"])
        for link in ["north", "north-", "-", "north,", ",", "north-far", "north,north"]:
            self.refused_change("link", "--", link, naming=[])
        self.refused("network", "init", "other", "--mode", "living", "--algorithm", "colla", "--features", "3",
                     "--trust-neighbours", "--agents", "a=h:1,b=h:2", "--graph", "none", naming=["--graph", "joins all"])
        self.write("edges", "0,1\n")
        self.refused("network", "init", "other", "--mode", "living", "--algorithm", "colla", "--features", "3",
                     "--trust-neighbours", "--agents", "a=h:1,b=h:2,c=h:3", "--graph", "edges", naming=["edges", "path"])

    def test_settings_that_can_never_change_are_refused(self):
        for setting, naming in {"atoms=5": ["'atoms'", "minimum_rows, lambda, mu, gamma", "new network"],
                                "lambda": ["'lambda'", "KEY=VALUE"], "lambda=0": ["lambda", "above 0"],
                                "lambda=": ["lambda"], "mu=-1": ["mu"], "gamma=x": ["gamma", "'x'"],
                                "minimum_rows=0": ["minimum_rows"], "=1": [], "seed=2": ["'seed'"],
                                "version=9": ["'version'"], "lambda=0.001": ["nothing would change"]}.items():
            self.refused_change("set", setting, naming=naming)
        self.refused_change("set", "lambda=5", "atoms=5", naming=["'atoms'"])
        self.refused_change("set", "mu=5", "mu=6", naming=["'mu'", "twice"])
        self.refused_change("set", naming=["SETTING"])

    def test_a_living_network_has_nothing_to_set_for_exchanges(self):
        for option, value in {"--rho": "1", "--exchanges": "7", "--refresh": "2"}.items():
            self.refused("network", "init", "other", "--mode", "living", "--algorithm", "colla",
                         "--trust-neighbours", "--features", "3", "--agents", "a=h:1", option, value, naming=[option, "living"])

    def test_a_roster_changed_by_hand_is_refused(self):
        good = self.text()
        for bad in [good.replace("7402", "7409"), good.replace("version = 1", "version = 9"), good + "\n",
                    good.replace("\n", "\r\n"), good[:good.rindex("#")]]:
            self.write("net/network.toml", bad)
            self.refused_change("remove", "west", naming=["net/network.toml", "sign"])
        self.write("net/network.toml", "")
        self.refused_change("remove", "west", naming=["net/network.toml", "format", "is missing"])

    def test_homes_with_a_bad_roster_are_refused_by_their_agents(self):
        good = self.text()
        for home in CLINICS:
            self.write(f"net/{home}/network.toml", good.replace("minimum_rows = 3", "minimum_rows = 1"))
        self.write("net/network.toml", good.replace("minimum_rows = 3", "minimum_rows = 1"))
        self.refused("network", "run", "net", naming=["net/north/network.toml", "sign"])

    def test_a_full_disk_changes_nothing(self):
        for command in [["remove", "west"], ["set", "mu=1"], ["add", "east=e:1", "--neighbours", "west"],
                        ["revoke", "north"]]:
            self.refused("network", command[0], "net", *command[1:], naming=["net"],
                         preexec_fn=limit_file_size(300))
        self.assert_sound(1)


class Interruptions(ChangeTest):
    def test_a_kill_at_any_moment_leaves_a_folder_that_the_next_command_finishes(self):
        agents = {f"a{k}": f"localhost:{7000 + k}" for k in range(8)}
        self.make("--mode", "living", "--algorithm", "colla", "--features", "3", folder="big", agents=agents)
        nothing = dying.all_calls("--version", folder=self.folder)
        moments = 12
        for command, *options in [["add", "e1=e:1", "--neighbours", "a3"], ["set", "minimum_rows=5"], ["revoke", "a7"]]:
            versions = set()
            everything = 0
            for k in reversed(range(moments + 1)):
                shutil.copytree(self.folder / "big", self.folder / "copy")
                if k == moments:
                    everything = dying.all_calls("network", command, "copy", *options, folder=self.folder)
                else:
                    moment = nothing + (everything - nothing) * k // moments
                    dying.kill_at_call(moment, "network", command, "copy", *options, folder=self.folder)
                self.change("renew", "a1", folder="copy")
                version = self.network("copy")["version"]
                self.assert_sound(version, folder="copy")
                versions.add(version)
                shutil.rmtree(self.folder / "copy")
            self.assertEqual(versions, {1, 2})

    def test_what_was_finished_is_said(self):
        old = self.text()
        self.change("set", "mu=1")
        self.write("net/network.toml", old)
        output = self.change("set", "mu=2")
        self.assertIn("An interrupted command is finished: net/network.toml", output)
        self.assertIn("version 3", output)
        self.assertNotIn("interrupted", self.change("set", "mu=3"))

    def test_commands_at_once_make_one_version_each(self):
        processes = [subprocess.Popen([PROGRAM, "network", "add", "net", f"e{k}=e:{k + 1}", "--neighbours", "west"],
                                      cwd=self.folder, stdout=subprocess.PIPE, text=True) for k in range(8)]
        outputs = [process.communicate()[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * 8)
        self.assertEqual({output.split("version ")[1].split(":")[0] for output in outputs},
                         {str(version) for version in range(2, 10)})
        self.assert_sound(9)


if __name__ == "__main__":
    unittest.main()
