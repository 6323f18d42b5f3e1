# SPDX-License-Identifier: Apache-2.0
"""`colla data`: what a data set holds; and names that are any text."""
import csv
import io
import os
import unittest

from program import DICTIONARIES, ProgramTest, read_codes, run, table
from samples import FEATURES, sample_rows, sample_table

ODD_NAMES = ["a, b", 'the "best"', "two\nlines", "日本語", "%s{}", "'; DROP TABLE tasks; --"]


class Describe(ProgramTest):
    def test_rows_tasks_steps_and_features_are_counted(self):
        rows = [["north", *row] for row in sample_rows(tasks="ab", rows=8)] + \
               [["south", *row] for row in sample_rows(tasks="c", rows=5)]
        self.write("rows.csv", table(["agent", "task", "y", *FEATURES], rows))
        report = self.colla_json("data", "describe", "rows.csv", "--expand", "none")
        targets = [row[2] for row in rows]
        mean = sum(targets) / len(targets)
        self.assertAlmostEqual(report.pop("target_mean"), mean)
        self.assertAlmostEqual(report.pop("target_deviation") ** 2,
                               sum((y - mean) ** 2 for y in targets) / len(targets))
        self.assertIn("numbers: height, width, depth", report.pop("recipe"))
        self.assertEqual(report, {
            "name": "rows", "problem": "regression", "agents": 2, "tasks": 3, "revisits": 0,
            "steps": 2, "rows": 21, "fewest_rows": 5, "median_rows": 8, "most_rows": 8,
            "features": FEATURES})

    def test_labels_make_classes_unless_regression_is_wanted(self):
        self.write("rows.csv", sample_table(labels=(0, 1)))
        report = self.colla_json("data", "describe", "rows.csv")
        self.assertEqual(report["problem"], "classification")
        self.assertEqual(report["positive_rows"],
                         sum(row[1] for row in sample_rows(labels=(0, 1))))
        report = self.colla_json("data", "describe", "rows.csv", "--problem", "regression")
        self.assertEqual(report["problem"], "regression")

    def test_the_text_says_the_same(self):
        self.write("rows.csv", sample_table())
        text = self.colla("data", "describe", "rows.csv", "--expand", "splines")
        for part in ["regression", "24 (8 rows a task)", *FEATURES, "with 9 hinges"]:
            self.assertIn(part, text)

    def test_a_small_spread_around_a_large_mean_is_not_lost(self):
        rows = [[task, 1e9 + k % 2, *x] for k, (task, _, *x) in enumerate(sample_rows())]
        self.write("rows.csv", table(["task", "y", *FEATURES], rows))
        report = self.colla_json("data", "describe", "rows.csv", "--problem", "regression")
        self.assertAlmostEqual(report["target_deviation"], 0.5)

    def test_a_file_name_that_is_not_utf8_is_no_obstacle(self):
        with open(os.path.join(os.fsencode(self.folder), b"\xff.csv"), "w") as file:
            file.write(sample_table())
        process = run("data", "describe", os.fsdecode(b"\xff.csv"), "--json", cwd=self.folder)
        self.assertEqual((process.returncode, process.stderr), (0, ""))


class Names(ProgramTest):
    def test_tasks_and_agents_may_have_any_name(self):
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["agent", "task", "y", *FEATURES])
        writer.writerows([row[0], *row] for row in sample_rows(tasks=ODD_NAMES))
        self.write("rows.csv", text.getvalue())
        self.colla("train", "rows.csv", *DICTIONARIES, "--model", "m", "--state", "state")
        codes = read_codes(self.folder / "state/codes.csv")
        self.assertEqual({name for _, name in codes}, set(ODD_NAMES))
        self.assertEqual([agent for agent, _ in codes], list(range(len(ODD_NAMES))))
        report = self.colla_json("evaluate", "m", "rows.csv")
        self.assertEqual([entry["task"] for entry in report["tasks"]], ODD_NAMES)
        for name in ODD_NAMES:
            self.colla("predict", "m", "rows.csv", "--task", name, "--agent", name)

    def test_names_do_not_command_the_terminal(self):
        name = "wide\n\u009b"
        rows = [f'a,{k},{k * k}' for k in range(6)]
        self.write("rows.csv", "\n".join([f'task,y,"{name}"', *rows]) + "\n")
        printed = self.colla("data", "describe", "rows.csv")
        self.assertIn(r"wide\x0a\u009b", printed)
        self.assertNotIn("\u009b", printed)
        self.assertIn(name, self.colla_json("data", "describe", "rows.csv")["features"])
        self.write("rows.csv", "\n".join([f'"{name}",y,x', *rows]) + "\n")
        self.refused("data", "describe", "rows.csv", naming=["'task'"])


if __name__ == "__main__":
    unittest.main()
