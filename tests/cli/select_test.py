# SPDX-License-Identifier: Apache-2.0
"""`colla train --select`: settings by validation splits of the training rows, and never a method that loses to
single-task learning with its own best penalty."""
import os
import pathlib
import re
import sqlite3
import statistics
import unittest

from program import ProgramTest
from tables import HEADER, column, csv_text, pupils

ROLES = ["--task-column", "school", "--target-column", "score"]
SCORE = len(HEADER) - 1
POISON = 1e5


class SelectTest(ProgramTest):
    def select(self, *options, data="rows.csv"):
        return self.colla_json("train", data, *options, "--select", "--candidates", "12")


class Selection(SelectTest):
    def setUp(self):
        super().setUp()
        self.rows = pupils(rows=12)
        self.write("rows.csv", csv_text(HEADER, self.rows))

    def settings_of(self, model):
        with sqlite3.connect(self.folder / model) as database:
            return dict(database.execute("SELECT name, value FROM settings"))

    def test_what_was_chosen_is_printed_and_stored(self):
        for algorithm, keys in [("stl", ["gamma"]), ("colla", ["gamma", "lambda", "mu", "atoms"])]:
            command = ["rows.csv", *ROLES, "--algorithm", algorithm]
            selected = self.select(*command[1:])["selected"]
            printed = self.colla("train", *command, "--select", "--candidates", "12", "--model", "m.colla")
            for key in keys:
                shown = f"{selected[key]:g} atoms" if key == "atoms" else f"{key} {selected[key]:g}"
                self.assertRegex(printed, rf"\n{algorithm}: .*\b{re.escape(shown)},")
                self.assertEqual(self.settings_of("m.colla")[key], selected[key])
            self.assertRegex(printed, rf"\nselected by {selected['evaluations']} runs on validation splits of the training"
                                      rf" rows: RMSE {selected['validation']:#.4g} there\n")

    def test_what_was_chosen_gives_the_same_when_it_is_given(self):
        selected = self.select(*ROLES, "--algorithm", "colla")
        options = [part for key in ["gamma", "lambda", "mu", "atoms"]
                   for part in (f"--{key}", repr(selected["selected"][key]))]
        given = self.colla_json("train", "rows.csv", *ROLES, "--algorithm", "colla", *options)
        self.assertEqual(given["curve"], selected["curve"])

    def test_it_does_not_depend_on_test_rows(self):
        def train(poisoned, *options):
            rows = [column(column([row], 1, lambda x: x - POISON), SCORE, lambda y: y + POISON)[0] if k in poisoned
                    else row for k, row in enumerate(self.rows)]
            self.write("rows.csv", csv_text(HEADER, rows))
            return self.colla_json("train", "rows.csv", *ROLES, *options)

        clean = train([], "--algorithm", "stl")["recipe"]
        test_rows = [k for k in range(len(self.rows)) if train([k], "--algorithm", "stl")["recipe"] == clean]
        self.assertEqual(len(test_rows), len(self.rows) / 2)
        for algorithm in ["stl", "colla"]:
            options = ["--algorithm", algorithm, "--select", "--candidates", "12"]
            before, after = train([], *options), train(test_rows, *options)
            self.assertEqual(after["selected"], before["selected"])
            self.assertGreater(after["final"], 100 * before["final"])

    def test_given_settings_stay(self):
        selected = self.select(*ROLES, "--algorithm", "colla", "--gamma", "0.5", "--atoms", "2")["selected"]
        self.assertEqual((selected["gamma"], selected["atoms"]), (0.5, 2))
        free = self.select(*ROLES, "--algorithm", "colla")["selected"]
        self.assertNotEqual((free["gamma"], free["atoms"]), (0.5, 2))
        self.refused("train", "rows.csv", *ROLES, "--algorithm", "stl", "--gamma", "0.5", "--select",
                     naming=["--select", "nothing is left to choose"])

    def test_a_penalty_on_disagreement_is_chosen_where_agents_exchange(self):
        alone = self.select(*ROLES, "--algorithm", "colla")["selected"]
        several = self.select(*ROLES, "--algorithm", "colla", "--agents", "3")["selected"]
        self.assertEqual(alone["rho"], 0.1)
        self.assertNotEqual(several["rho"], 0.1)

    def test_tasks_of_few_rows_can_be_validated_on(self):
        for size in [4, 6]:
            self.write("rows.csv", csv_text(HEADER, pupils(rows=size)))
            for algorithm in ["stl", "colla"]:
                self.assertIsNotNone(self.select(*ROLES, "--algorithm", algorithm)["selected"]["validation"])

    def test_labels_are_selected_for_too(self):
        borders = statistics.quantiles([row[SCORE] for row in self.rows], n=3)
        for labels in [["no", "yes"], ["bad", "fair", "good"]]:
            rows = column(self.rows, SCORE, lambda y, of=labels: of[sum(y > border for border in borders[:len(of) - 1])])
            self.write("rows.csv", csv_text(HEADER, rows))
            report = self.select(*ROLES, "--algorithm", "colla")
            self.assertGreater(report["selected"]["validation"], 0.5)
            self.assertGreater(report["final"], 0.7)

    def test_bayes_has_nothing_to_select(self):
        for algorithm in [[], ["--algorithm", "bayes"]]:
            self.refused("train", "rows.csv", *ROLES, *algorithm, "--select", naming=["--select", "nothing to select"])
        self.refused("train", "rows.csv", *ROLES, "--algorithm", "colla", "--candidates", "9",
                     naming=["--candidates", "--select"])


class Comparison(SelectTest):
    """A method's lead is the share of the score by which it beats single-task learning with its own best penalty. On one
    split its standard deviation is 1 % or more (0.7 to 2.2 % on Hsb82 and Exam, over eight splits), so a mean over
    three splits that is 1 % behind is within two standard errors of none."""
    NOISE = 0.01
    METHODS = [["ella"], ["colla", "--agents", "4"], ["offline-colla", "--agents", "4"]]

    def final(self, algorithm, seed, *data):
        return self.select("--algorithm", algorithm, "--seed", seed, *data[1:], data=data[0])["final"]

    def check(self, methods, seeds, *data, higher_is_better=False):
        alone = [self.final("stl", seed, *data) for seed in seeds]
        for algorithm, *options in methods:
            with self.subTest(algorithm=algorithm, options=options):
                ours = [self.final(algorithm, seed, *data, *options) for seed in seeds]
                leads = [(a - b if higher_is_better else b - a) / b for a, b in zip(ours, alone)]
                self.assertGreater(statistics.fmean(leads), -self.NOISE, leads)

    def test_no_method_loses_on_synthetic_tasks(self):
        self.check([*self.METHODS, ["go-mtl"]], "12", "synthetic-regression")
        self.check(self.METHODS, "12", "synthetic-classification", higher_is_better=True)

    def test_no_method_loses_on_schools(self):
        for name, target in [("Hsb82", "mAch"), ("Exam", "normexam")]:
            path = pathlib.Path(os.environ.get("COLLA_DATA", ""), "raw", f"{name}.csv")
            if not path.is_file():
                self.skipTest(f"COLLA_DATA has no raw/{name}.csv")
            self.check([*self.METHODS, ["go-mtl"]], "123", path, "--task-column", "school", "--target-column", target)


if __name__ == "__main__":
    unittest.main()
