# SPDX-License-Identifier: Apache-2.0
"""Training with agents that tell of rows only what is differentially private."""
import random
import tomllib
import unittest

from program import ProgramTest, table

PRIVACY = "epsilon=1,delta=1e-6,bound=4"


def rows(tasks, count, seed=1):
    """y = slope x + noise; of unit size."""
    generator = random.Random(seed)
    lines = []
    for task in range(tasks):
        slope = generator.gauss(0.8, 0.1)
        for _ in range(count):
            x = generator.gauss(0, 1)
            lines.append((f"t{task}", x, slope * x + generator.gauss(0, 0.5)))
    return lines


class PrivacyTest(ProgramTest):
    def train(self, *options):
        return self.colla_json("train", "rows.csv", "--recipe", "none", "--agents", "3", *options)

    def test_many_rows_bear_the_noise(self):
        self.write("rows.csv", table(("task", "x", "y"), rows(12, 600)))
        exact = self.train()
        private = self.train("--privacy", PRIVACY)
        self.assertLess(private["final"], 1.05 * exact["final"])
        self.assertEqual({name: private["privacy"][name] for name in ("epsilon", "delta", "bound", "rows")},
                         {"epsilon": 1, "delta": 1e-6, "bound": 4, "rows": private["rows"] // 2})
        self.assertNotIn("privacy", exact)

    def test_longer_rows_are_counted_and_said(self):
        self.write("rows.csv", table(("task", "x", "y"), rows(4, 50)))
        shown = self.colla("train", "rows.csv", "--recipe", "none", "--test-fraction", "0", "--privacy",
                           "epsilon=1,delta=1e-6,bound=1.5", "--rows-per-person", "2")
        longer = sum(1 + x * x + y * y > 1.5 ** 2 for _, x, y in rows(4, 50))
        self.assertIn("epsilon=1,delta=1e-06,bound=1.5,rows_per_person=2", shown)
        self.assertIn(f"{longer} of 200 rows were longer than the bound 1.5 and were shortened", shown)

    def test_a_recipe_of_the_rows_is_said_to_be_no_secret(self):
        self.write("rows.csv", table(("task", "x", "y"), rows(4, 50)))
        self.assertIn("not private", self.colla("train", "rows.csv", "--privacy", PRIVACY))

    def test_values_that_promise_nothing_are_refused(self):
        self.write("rows.csv", table(("task", "x", "y"), rows(4, 50)))
        for privacy, reason in [("epsilon=0,delta=1e-6,bound=4", "epsilon is 0"),
                                ("epsilon=-1,delta=1e-6,bound=4", "epsilon is -1"),
                                ("epsilon=1,delta=1,bound=4", "delta is 1"),
                                ("epsilon=1,delta=1e-6", "no bound"),
                                ("epsilon", "NAME=NUMBER")]:
            self.refused("train", "rows.csv", "--privacy", privacy, naming=["--privacy", reason])
        self.refused("train", "rows.csv", "--rows-per-person", "2", naming=["--rows-per-person", "--privacy"])
        for algorithm in ("colla", "stl"):
            self.refused("train", "rows.csv", "--algorithm", algorithm, "--privacy", PRIVACY,
                         naming=["--privacy", "bayes"])


class Init(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("sample.csv", table(("task", "x", "y"), rows(4, 20)))
        self.options = ["--agents", "a=localhost:7401,b=localhost:7402", "--like", "sample.csv"]

    def test_the_network_s_file_has_it_if_it_is_given(self):
        said = self.colla("network", "init", "net", *self.options, "--privacy", PRIVACY, "--rows-per-person", "3")
        self.assertIn("epsilon=1,delta=1e-06,bound=4,rows_per_person=3; the recipe is not", said)
        network = tomllib.loads((self.folder / "net/network.toml").read_text())
        self.assertEqual(network["privacy"], "epsilon=1,delta=1e-06,bound=4,rows_per_person=3")
        self.colla("network", "init", "open", *self.options)
        self.assertNotIn("privacy", (self.folder / "open/network.toml").read_text())

    def test_networks_that_cannot_have_it_are_refused(self):
        for options, reason in [(["--mode", "lockstep"], "living"), (["--algorithm", "colla"], "bayes")]:
            self.refused("network", "init", "net", *self.options, "--privacy", PRIVACY, "--trust-neighbours",
                         *options, naming=["--privacy", reason])
        self.refused("network", "init", "net", *self.options, "--privacy", "epsilon=0,delta=1e-6,bound=4",
                     naming=["--privacy", "epsilon is 0"])


if __name__ == "__main__":
    unittest.main()
