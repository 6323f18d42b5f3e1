# SPDX-License-Identifier: Apache-2.0
"""A living network whose agents tell of rows only what is differentially private."""
import json
import shutil
import unittest

from bayes import BayesTest, learned, related_task
from network import wait_until

PRIVACY = "epsilon=1,delta=1e-6,bound=3"


class PrivateRows(BayesTest):
    def setUp(self):
        super().setUp()
        self.write_recipe()
        self.net = self.network(["north", "south"], "--privacy", PRIVACY, "--rows-per-person", "2", mode="living")
        self.net.start()
        self.north = self.net["north"]

    def released(self):
        """Of each task its name, rows and what noise has made of them; not its code, which moves as agents agree."""
        self.north.ask("export", "--model", self.folder / "exported")
        return [task[:-1] for task in learned(self.folder / "exported")[0][1]]

    def refused(self, task, *options):
        (self.north.home / "rows.csv").write_text(task.csv())
        process = self.north.ask("learn", "--task", task.name, self.north.home / "rows.csv", *options, check=False)
        self.assertEqual((process.returncode, process.stdout), (2, ""))
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        return process.stderr

    def releases(self):
        return [(each["task"], each["rows"], each["again"])
                for each in json.loads(self.north.ask("privacy", "--json").stdout)["releases"]]

    def test_rows_are_released_once_through_a_kill(self):
        said = self.north.learn(related_task("a", rows=40), "--wait", "settled").stdout
        self.assertIn("epsilon 1 and delta 1e-06 are spent", said)
        self.assertRegex(said, r"\d+ of 40 rows were longer than the bound 3 and were shortened")
        before = self.released()
        self.assertEqual([task[0] for task in before], ["a"])
        self.assertIn("its privacy is spent", self.refused(related_task("a", rows=40, seed=2)))
        self.north.kill()
        self.north.start()
        self.north.wait_until_ready()
        self.assertEqual(self.released(), before)
        self.assertIn("its privacy is spent", self.refused(related_task("a", rows=40, seed=2)))
        self.assertEqual(self.releases(), [("a", 40, False)])
        self.north.learn(related_task("a", rows=10, seed=3), "--append")
        self.north.learn(related_task("a", rows=20, seed=2), "--release-again")
        self.assertEqual(self.releases(), [("a", 40, False), ("a", 10, False), ("a", 20, True)])
        text = self.north.ask("privacy").stdout
        self.assertIn("rows_per_person=2", text)
        self.assertIn("a: epsilon 3 and delta 3e-06 for somebody with rows in every release", text)

    def test_a_home_restored_from_before_a_release_refuses_until_told(self):
        self.north.learn(related_task("a", rows=40), "--wait", "settled")
        self.net.stop()
        shutil.copytree(self.north.home, self.folder / "old")
        self.net.start()
        self.north.learn(related_task("b", rows=40), "--wait", "settled")
        self.net.stop()
        shutil.rmtree(self.north.home)
        shutil.copytree(self.folder / "old", self.north.home)
        self.net.start()
        wait_until(lambda: self.north.status()["lost_requests"] == "2", self.north.log)
        self.assertIn("older copy", self.refused(related_task("b", rows=40)))
        self.assertIn("older copy", self.refused(related_task("c", rows=40)))
        self.north.learn(related_task("b", rows=40), "--release-again")
        self.north.learn(related_task("c", rows=40))
        self.assertEqual(self.releases(), [("a", 40, False), ("b", 40, True), ("c", 40, False)])


if __name__ == "__main__":
    unittest.main()
