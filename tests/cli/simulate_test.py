# SPDX-License-Identifier: Apache-2.0
"""`colla simulate`: networks of living agents in virtual time, as files describe them."""
import pathlib
import re
import unittest
import xml.etree.ElementTree

from program import TESTS, ProgramTest, run

EXAMPLE = TESTS.parent / "examples" / "simulate.toml"

CALM = """graph = "ring"
agents = 4
atoms = 2
[synthetic]
tasks = 2
rows = 10
features = 3
atoms = 2
"""


def distance(text):
    return float(re.search(r"farthest agent (\S+) from the optimum", text).group(1))


class Simulate(ProgramTest):
    def test_the_example_comes_to_the_optimum_and_is_drawn(self):
        text = self.colla("simulate", EXAMPLE, "--output", "storm.svg")
        self.assertIn("settled at", text)
        self.assertNotIn("never", text)
        self.assertLess(distance(text), 1e-6)
        for fault in ["pause", "restart", "join", "leave", "partition"]:
            self.assertIn(fault, text)
        picture = xml.etree.ElementTree.parse(self.folder / "storm.svg").getroot()
        lines = picture.findall(".//{*}polyline")
        self.assertEqual(len(lines), 2, "one for the farthest agent, one for the median")

    def test_a_file_gives_the_same_again_and_another_seed_something_else(self):
        self.write("calm.toml", CALM)
        self.write("other.toml", "seed = 2\n" + CALM)
        first = self.colla("simulate", "calm.toml")
        self.assertEqual(self.colla("simulate", "calm.toml"), first)
        self.assertNotEqual(self.colla("simulate", "other.toml"), first)

    def test_a_network_without_a_storm_loses_nothing(self):
        self.write("calm.toml", CALM)
        text = self.colla("simulate", "calm.toml")
        self.assertRegex(text, r"faults: +none")
        self.assertRegex(text, r"messages: +\d+ sent, 0 lost")

    def test_the_collective_prior_comes_to_the_mean_of_its_tasks(self):
        self.write("calm.toml", 'algorithm = "bayes"\nrefresh = 1\n' + CALM.replace("atoms = 2\n", "", 1))
        self.assertLess(distance(self.colla("simulate", "calm.toml")), 1e-6)

    def test_rows_of_a_file_beside_it_are_dealt(self):
        rows = [f"t{t},{t * x - 1},{x},{x * x}" for t in range(6) for x in range(5)]
        folder = self.folder / "inner"
        folder.mkdir()
        (folder / "rows.csv").write_text("task,y,a,b\n" + "\n".join(rows) + "\n")
        (folder / "f.toml").write_text('data = "rows.csv"\nagents = 3\n')
        text = self.colla("simulate", "inner/f.toml")
        self.assertIn("3 agents on a line graph, 6 tasks", text)

    def test_agents_that_do_not_settle_in_time_are_a_failure(self):
        self.write("short.toml", "most_time = 3\n" + CALM)
        process = run("simulate", "short.toml", cwd=self.folder)
        self.assertEqual(process.returncode, 1)
        self.assertIn("not settled", process.stdout)
        self.assertIn("by 3", process.stderr)

    def refused_file(self, text, *naming):
        self.write("f.toml", text)
        self.refused("simulate", "f.toml", naming=["f.toml", *naming])

    def test_files_that_say_something_else_are_refused(self):
        self.refused_file("seed = ", "line 1")
        self.refused_file(CALM.replace("ring", "wheel"), "line 1", "'graph'", "wheel")
        self.refused_file(CALM.replace("ring", "none"), "'graph'")
        self.refused_file(CALM.replace("agents = 4", "agents = 1"), "line 2", "'agents'")
        self.refused_file(CALM.replace("agents = 4\n", ""), "'agents'")
        self.refused_file(CALM + "colour = 1\n", "line 9", "colour")
        self.refused_file("colour = 1\n" + CALM, "line 1", "colour")
        self.refused_file('algorithm = "stl"\n' + CALM, "line 1", "'algorithm'", "bayes")
        self.refused_file('algorithm = "bayes"\n' + CALM, "atoms")
        self.refused_file("tolerance = 0\n" + CALM, "'tolerance'")
        self.refused_file('data = "x.csv"\n' + CALM, "synthetic", "data")
        self.refused_file("agents = 3\n", "'data'")
        self.refused_file(CALM + "[storm]\nloss = 0.3\n", "until")
        self.refused_file(CALM + "[storm]\nuntil = 9\nloss = 1.0\n", "line 11", "'storm.loss'")
        self.refused_file(CALM + "[storm]\nuntil = 9\njoins = -0.1\n", "line 11", "'storm.joins'")
        self.refused_file(CALM + "[storm]\nuntil = 9\nhail = 1\n", "line 11", "hail")

    def test_what_is_not_there_is_refused(self):
        self.refused("simulate", "f.toml", naming=["f.toml"])
        self.write("f.toml", 'agents = 2\ndata = "nothing.csv"\n')
        self.refused("simulate", "f.toml", naming=["nothing.csv"])
        self.write("calm.toml", CALM)
        self.refused("simulate", "calm.toml", "--output", "f.png", naming=["--output", ".svg"])
        self.refused("simulate", "calm.toml", "--output", pathlib.Path("no") / "f.svg", naming=["no"])


if __name__ == "__main__":
    unittest.main()
