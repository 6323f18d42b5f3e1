# SPDX-License-Identifier: Apache-2.0
"""`colla show`: effects are what predictions change by, and a task alone is a plain ridge regression."""
import csv
import json
import math
import random
import re
import statistics
import unittest

import algebra
from program import ProgramTest, run

def pupils(seed=1, tasks=12, rows=16):
    """Tasks of related models with a number in a large unit and a word; the last one is odd."""
    generator = random.Random(seed)
    lines = []
    for task in range(tasks):
        odd = task == tasks - 1
        level = 50 + generator.gauss(0, 2)
        slope = -0.04 if odd else 0.02 + generator.gauss(0, 0.004)
        for _ in range(rows):
            grams = generator.gauss(3000, 400)
            sex = generator.choice(["boy", "girl"])
            y = level + slope * (grams - 3000) + 3 * (sex == "girl") + generator.gauss(0, 2)
            lines.append((f"t{task}", grams, sex, y))
    return lines


def text(lines):
    return "task,grams,sex,y\n" + "".join(f"{t},{g},{s},{y}\n" for t, g, s, y in lines)


class ShowTest(ProgramTest):
    def train(self, content, *options, algorithm="bayes"):
        self.write("rows.csv", content)
        self.colla("train", "rows.csv", "--algorithm", algorithm, "--model", "m.colla",
                   "--test-fraction", "0", *options)
        return self.colla_json("show", "m.colla")

    def predict(self, lines, *options):
        self.write("new.csv", "task,grams,sex\n" + "".join(f"{t},{g!r},{s}\n" for t, g, s in lines))
        process = run("predict", "m.colla", "new.csv", *options, cwd=self.folder)
        self.assertEqual(process.returncode, 0, process.stderr)
        return [{key: float(value) for key, value in row.items()}
                for row in csv.DictReader(process.stdout.splitlines())]

    def features(self, learned):
        return {feature["feature"]: (k, feature)
                for k, feature in enumerate(learned["parts"][0]["features"])}

    def task(self, learned, name):
        return next(task for task in learned["parts"][0]["tasks"] if task["task"] == name)


class Values(ShowTest):
    def setUp(self):
        super().setUp()
        self.lines = pupils()
        self.learned = self.train(text(self.lines))

    def test_an_effect_is_the_change_of_the_prediction(self):
        features = self.features(self.learned)
        grams = features["grams"][1]["size"]
        self.assertAlmostEqual(grams, statistics.pstdev([line[1] for line in self.lines]), delta=1e-6)
        for task in ["t0", "t11", "unseen"]:
            rows = [(task, 3000, "boy"), (task, 3000 + grams, "boy"), (task, 3000, "girl")]
            start, heavier, girl = (row["prediction"] for row in self.predict(rows))
            for name, change in [("grams", heavier - start), ("sex=girl", girl - start)]:
                position, feature = features[name]
                effect = (feature["mean"] if task == "unseen"
                          else self.task(self.learned, task)["estimate"][position])
                self.assertAlmostEqual(effect, change, delta=1e-9)

    def test_spread_and_noise_are_those_of_intervals(self):
        mean = statistics.fmean(line[1] for line in self.lines)
        (average,) = self.predict([("unseen", mean, "neither")], "--interval", "0.9")
        position, feature = self.features(self.learned)["(intercept)"]
        self.assertAlmostEqual(feature["mean"], average["prediction"], delta=1e-6)
        # A task without rows: (n D + D_0)/(n + 1) (1 + 1/n), where D_0 is half of the targets' variance.
        n = len({line[0] for line in self.lines})
        first = 0.5 * statistics.pvariance(line[3] for line in self.lines)
        spread = math.sqrt((n * feature["spread"] ** 2 + first) / (n + 1) * (1 + 1 / n))
        deviation = math.hypot(spread, self.learned["parts"][0]["noise"])
        half = 0.5 * (average["high"] - average["low"])
        self.assertAlmostEqual(half / deviation, 1.6448536, delta=1e-4)

    def test_alone_is_a_ridge_regression_whose_intercept_is_free(self):
        features = self.features(self.learned)
        grams = [line[1] for line in self.lines]
        share = statistics.fmean(line[2] == "girl" for line in self.lines)
        mean, spread = statistics.fmean(grams), statistics.pstdev(grams)
        own = [line for line in self.lines if line[0] == "t3"]
        X = [[(g - mean) / spread, ((s == "girl") - share) / math.sqrt(share * (1 - share)), 1]
             for _, g, s, _ in own]
        y = [line[3] for line in own]
        system = algebra.times(algebra.transpose(X), X)
        for k in range(2):
            system[k][k] += 0.01 * len(own)  # gamma M
        theta = algebra.solve(system, algebra.apply(algebra.transpose(X), y))
        expected = [theta[0], theta[1] / math.sqrt(share * (1 - share)), theta[2]]
        for value, name in zip(expected, ["grams", "sex=girl", "(intercept)"]):
            alone = self.task(self.learned, "t3")["alone"][features[name][0]]
            self.assertAlmostEqual(alone / value, 1, delta=1e-6, msg=name)

    def test_what_the_own_rows_do_not_tell_is_left_out_of_alone(self):
        level = {f"t{k}": k % 3 for k in range(12)}  # constant in a task
        rows = "".join(f"{t},{g},{level[t]},{y}\n" for t, g, s, y in self.lines)
        learned = self.train("task,grams,level,y\n" + rows)
        features = self.features(learned)
        for task in learned["parts"][0]["tasks"]:
            self.assertIsNone(task["alone"][features["level"][0]])
            self.assertIsNotNone(task["alone"][features["grams"][0]])
            self.assertIsNotNone(task["estimate"][features["level"][0]])

    def test_the_odd_task_is_the_most_unusual_and_of_the_other_sign(self):
        part = self.learned["parts"][0]
        self.assertEqual(part["tasks"][0]["task"], "t11")
        self.assertLess(part["tasks"][0]["chance"], 0.05)
        self.assertEqual(self.features(self.learned)["grams"][1]["opposite"], 1)
        table = self.colla("show", "m.colla", "--unusual", "1")
        self.assertRegex(table, r"(?m)^grams .* 1 of 12 ")
        self.assertRegex(table, r"(?m)^t11 +16 .*grams -\d.* instead of ")

    def test_chances_are_right_where_tasks_come_from_the_prior(self):
        generator = random.Random(5)
        lines = ["task,x,y"]
        for task in range(400):
            slope = generator.gauss(1, 0.5)
            for _ in range(6):
                x = generator.gauss(0, 1)
                lines.append(f"t{task},{x!r},{slope * x + generator.gauss(0, 1)!r}")
        chances = [task["chance"] for task in self.train("\n".join(lines))["parts"][0]["tasks"]]
        self.assertEqual(chances, sorted(chances))
        for share in (0.05, 0.25, 0.5, 0.75):
            below = sum(chance < share for chance in chances) / len(chances)
            self.assertAlmostEqual(below, share, delta=0.08)

    def test_one_task(self):
        table = self.colla("show", "m.colla", "--task", "t3")
        self.assertIn("t3: 16 rows", table)
        self.assertRegex(table, r"(?m)^average row ")
        self.assertNotIn("t4", table)
        (one,) = self.colla_json("show", "m.colla", "--task", "t3")["parts"][0]["tasks"]
        self.assertEqual(one, self.task(self.learned, "t3"))


class Forms(ShowTest):
    def test_three_labels_have_a_block_each(self):
        generator = random.Random(3)
        lines = ["task,x,y"]
        for row in range(300):
            x = generator.gauss(0, 1)
            label = ["low", "middle", "high"][(x + generator.gauss(0, 0.5) > -0.5) + (x > 0.5)]
            lines.append(f"t{row % 6},{x!r},{label}")
        learned = self.train("\n".join(lines))
        self.assertEqual([part["label"] for part in learned["parts"]], ["high", "low", "middle"])
        slopes = {part["label"]: part["features"][0]["mean"] for part in learned["parts"]}
        self.assertTrue(slopes["low"] < 0 < slopes["high"], slopes)
        self.assertIn("log-odds", learned["effects_on"])
        self.assertEqual(self.colla("show", "m.colla").count("\nlabel "), 3)

    def test_two_labels_are_log_odds_of_the_second(self):
        lines = pupils(2)
        learned = self.train(text([(t, g, s, ["no", "yes"][y > 51]) for t, g, s, y in lines]))
        self.assertEqual(learned["effects_on"], "log-odds of yes")
        self.assertIsNone(learned["parts"][0]["noise"])

    def test_agents_share_a_prior_or_have_one_each_without_neighbours(self):
        lines = pupils(4)
        one = self.train(text(lines), "--agents", "3", "--graph", "complete")
        self.assertEqual((len(one["parts"]), one["agents"], one["tasks"]), (1, 3, 12))
        each = self.train(text(lines), "--agents", "3", "--graph", "none")
        self.assertEqual([part["agent"] for part in each["parts"]],
                         ["agent-0", "agent-1", "agent-2"])

    def test_other_methods_have_means_and_spreads_over_their_tasks(self):
        lines = pupils(6)
        for algorithm in ("colla", "ella", "go-mtl", "stl"):
            learned = self.train(text(lines), algorithm=algorithm)
            position, grams = self.features(learned)["grams"]
            effects = [task["estimate"][position] for task in learned["parts"][0]["tasks"]]
            self.assertAlmostEqual(grams["mean"], statistics.fmean(effects), delta=1e-9)
            self.assertAlmostEqual(grams["spread"], statistics.stdev(effects), delta=1e-9)
            self.assertIsNone(learned["parts"][0]["tasks"][0]["chance"])
            self.assertNotIn("unusual", self.colla("show", "m.colla", "--output", "m.html"))

    def test_splines_without_use_and_columns_as_they_are(self):
        alike = [line for line in pupils(7) if line[0] != "t11"]  # curves would fit the odd one better
        learned = self.train(text(alike))
        self.assertEqual(learned["parts"][0]["unused_features"], 3)
        numbers = "task,x,y\n" + "".join(f"{t},{g!r},{y!r}\n" for t, g, _, y in pupils(8))
        learned = self.train(numbers, "--recipe", "none")
        self.assertEqual(self.features(learned)["x"][1]["size"], 1)
        self.assertIn("(intercept)", self.colla("show", "m.colla"))

    def test_pages_and_pictures_are_written(self):
        self.train(text(pupils(9)))
        self.colla("show", "m.colla", "--output", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertNotIn("<script", page)
        self.colla("show", "m.colla", "--output", "picture.svg")
        self.assertTrue((self.folder / "picture.svg").read_text().startswith("<svg "))
        self.assertTrue(self.colla("show", "m.colla", "--output", "m.json").endswith("\nwritten: m.json\n"))
        printed = self.colla("show", "m.colla", "--json", "--output", "m.json")
        self.assertEqual((self.folder / "m.json").read_text(), printed)

    def test_every_listed_difference_can_be_seen(self):
        lines = [(t, g, s, 1e6 + y / 100) for t, g, s, y in pupils()]
        self.train(text(lines))
        table = self.colla("show", "m.colla", "--unusual", "1000")
        shown = re.findall(r"(\S+) instead of (\S+?)[,\n]", table)
        self.assertGreater(len(shown), 5)
        for task, mean in shown:
            self.assertNotEqual(task, mean)

    def test_tasks_that_are_alike_have_no_differences(self):
        lines = [(f"t{k}", g, s, y) for k in range(6) for _, g, s, y in pupils(tasks=1)]
        self.train(text(lines))
        table = self.colla("show", "m.colla").partition("most unusual tasks")[2]
        self.assertNotIn("instead of", table)

    def test_foreign_names_do_not_reach_the_terminal_as_they_are(self):
        self.train(text(pupils(10)).replace("t0,", "<b>\u009b31m&,"))
        self.assertNotIn("\u009b", self.colla("show", "m.colla", "--unusual", "1000"))


class Refusals(ShowTest):
    def setUp(self):
        super().setUp()
        self.train(text(pupils()), "--agents", "2")

    def test_files(self):
        self.refused("show", "gone.colla", naming=["gone.colla", "no such file"])
        self.refused("show", "rows.csv", naming=["rows.csv", "not a colla model"])
        self.refused("show", "m.colla", "--output", "gone/page.html", naming=["gone"])
        self.refused("show", "m.colla", "--output", "page.txt", naming=["--output", "'page.txt'", ".html, .svg or .json"])

    def test_tasks(self):
        self.refused("show", "m.colla", "--task", "t99", naming=["no task 't99'"])
        self.refused("show", "m.colla", "--task", "t1", "--agent", "x",
                     naming=["agent 'x' has no task 't1'"])
        self.refused("show", "m.colla", "--agent", "agent-0", naming=["--agent", "--task"])
        rows = "agent,task,x,y\n" + "".join(f"{a},same,{x},{x * x}\n" for a in "ab" for x in range(5))
        self.train(rows)
        self.refused("show", "m.colla", "--task", "same", naming=["several agents", "--agent"])
        self.assertIn("a/same", self.colla("show", "m.colla", "--task", "same", "--agent", "a"))


if __name__ == "__main__":
    unittest.main()
