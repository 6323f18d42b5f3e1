# SPDX-License-Identifier: Apache-2.0
"""Tables as people have them: the answer that a user expects."""
import csv
import itertools
import os
import pathlib
import random
import statistics
import unittest

from program import DICTIONARIES, ProgramTest, run
from tables import HEADER, column, csv_text, pupils

ROLES = ["--task-column", "school", "--target-column", "score"]
SCORE = len(HEADER) - 1


class TableTest(ProgramTest):
    def table(self, rows, header=HEADER, name="rows.csv", separator=","):
        self.write(name, csv_text(header, rows, separator))
        return name

    def measure(self, rows, *options, header=HEADER):
        return self.colla_json("train", self.table(rows, header), *ROLES, *options)

    def predictions(self, model, rows_file, *options):
        """Predicted numbers, whatever is on standard error."""
        process = run("predict", model, rows_file, *options, cwd=self.folder)
        self.assertEqual(process.returncode, 0, process.stderr)
        return [float(row["prediction"]) for row in csv.DictReader(process.stdout.splitlines())]

    def fitted(self, rows, *options, header=HEADER):
        """Fitted values of a model of all rows."""
        self.colla("train", self.table(rows, header), *ROLES, "--model", "m", "--test-fraction", "0", *options)
        return self.predictions("m", "rows.csv")

    def assert_close(self, found, expected, share):
        spread = statistics.pstdev(expected)
        for a, b in zip(found, expected, strict=True):
            self.assertAlmostEqual(a, b, delta=share * spread)


class Scales(TableTest):
    def test_units_do_not_matter(self):
        rows = pupils()
        expected = self.fitted(rows)
        for position, factor, shift in [(1, 1e-3, 0), (2, 1e6, 0), (1, 1, 1e6), (2, 3, -5)]:
            with self.subTest(column=HEADER[position], factor=factor, shift=shift):
                changed = column(rows, position, lambda x, f=factor, s=shift: f * x + s)
                self.assert_close(self.fitted(changed), expected, 1e-6)

    def test_the_targets_unit_is_that_of_predictions_and_scores(self):
        rows = pupils()
        expected = self.fitted(rows)
        score = self.measure(rows)["final"]
        changed = column(rows, SCORE, lambda y: 1000 * y - 7e4)
        self.assert_close([(p + 7e4) / 1000 for p in self.fitted(changed)], expected, 1e-6)
        self.assertAlmostEqual(self.measure(changed)["final"] / 1000, score, delta=1e-6 * score)

    def test_columns_between_a_thousandth_and_a_million_score_as_standardised_ones(self):
        rows = pupils()
        wild = column(column(rows, 1, lambda x: 1e-3 * x), 2, lambda x: 1e6 * x)
        self.assertAlmostEqual(self.measure(wild)["final"], self.measure(rows)["final"], delta=1e-6)
        for options in [[], [*DICTIONARIES, "--atoms", "2"]]:
            self.assertLess(self.measure(wild, "--agents", "3", *options)["final"], 0.8)


class Order(TableTest):
    def test_rows_of_a_task_belong_together_in_any_order(self):
        rows = pupils()
        expected = dict(zip(map(tuple, rows), self.fitted(rows)))
        random.Random(2).shuffle(rows)
        report = self.measure(rows)
        self.assertEqual((report["tasks"], len(report["curve"])), (6, 6))
        shuffled = self.fitted(rows)
        self.assert_close(shuffled, [expected[tuple(row)] for row in rows], 1e-9)

    def test_a_file_sorted_by_date_is_no_stream_unless_asked(self):
        dated = [[*row, f"2024-0{1 + k % 3}-01"] for k, row in enumerate(pupils())]
        by_date = sorted(dated, key=lambda row: row[-1])
        header = [*HEADER, "date"]
        plain = self.measure(by_date, header=header)
        self.assertEqual(len(plain["curve"]), 6)
        self.assertIn("left out: date (a date)", plain["recipe"])
        for batches in ["date", "runs"]:
            report = self.measure(by_date, "--batches", batches, header=header)
            self.assertEqual((report["tasks"], len(report["curve"])), (6, 18))
        backwards = self.measure(by_date[::-1], "--batches", "date", "--test-fraction", "0.5", header=header)
        self.assertEqual(len(backwards["curve"]), 18)

    def test_appended_arrivals_end_with_the_model_of_all_rows(self):
        dated = sorted([[*row, 1 + k % 3] for k, row in enumerate(pupils())], key=lambda row: row[-1])
        header = [*HEADER, "week"]
        options = ["--algorithm", "stl"]
        appended = self.fitted(dated, *options, "--batches", "week", "--revisit", "append", header=header)
        together = self.fitted(dated, *options, "--drop", "week", header=header)
        self.assert_close(appended, together, 1e-9)
        replaced = self.fitted(dated, *options, "--batches", "week", header=header)
        self.assertNotEqual(replaced, appended)

    def test_what_does_not_fit_is_refused(self):
        self.table(pupils())
        self.refused("train", "rows.csv", *ROLES, "--batches", "month", naming=["--batches", "'month'", "'town'"])
        self.refused("train", "rows.csv", *ROLES, "--revisit", "append", naming=["--revisit", "--batches"])
        self.refused("train", "rows.csv", *ROLES, "--recipe", "none", "--batches", "runs", naming=["--batches"])
        self.refused("train", "synthetic-regression", "--drop", "x1", naming=["--drop", "CSV"])


class Words(TableTest):
    def test_words_gaps_and_separators_are_read(self):
        rows = pupils()
        rows[3][3], rows[7][1], rows[9][2] = "NA", "", "null"
        expected = self.fitted(rows)
        report = self.measure(rows)
        self.assertIn("words: town (Bonn, Trier, Ulm)", report["recipe"])
        german = [[str(cell).replace(".", ",") for cell in row] for row in rows]
        self.table(german, separator=";")
        self.colla("train", "rows.csv", *ROLES, "--model", "m", "--test-fraction", "0")
        self.assertEqual(self.predictions("m", "rows.csv"), expected)
        self.assertIn("semicolons, decimal commas", self.colla("data", "describe", "rows.csv", *ROLES))

    def test_rows_without_a_target_are_left_out_and_counted(self):
        rows = pupils()
        rows[3][SCORE] = rows[30][SCORE] = "NA"
        report = self.measure(rows)
        self.assertEqual(report["rows"], len(rows) - 2)
        self.assertTrue(any("2 rows without a target left out" in line for line in report["recipe"]), report["recipe"])
        self.assertEqual(len(self.fitted(rows)), len(rows))

    def test_identifiers_and_constants_are_left_out_with_a_line(self):
        rows = [[k + 1000, "x", *row] for k, row in enumerate(pupils())]
        report = self.measure(rows, header=["number", "same", *HEADER])
        self.assertIn("left out: number (an identifier: different in every row), same (always 'x')", report["recipe"])


class Labels(TableTest):
    def rows_with(self, labels):
        """Equally frequent labels, by the score."""
        rows = pupils(rows=30)
        borders = statistics.quantiles([row[SCORE] for row in rows], n=len(labels))
        return column(rows, SCORE, lambda y: labels[sum(y > border for border in borders)])

    def train(self, labels, *options):
        self.rows = self.rows_with(labels)
        report = self.colla_json("train", self.table(self.rows), *ROLES, "--model", "m", *options)
        text = self.colla("predict", "m", "rows.csv")
        return report, list(csv.DictReader(text.splitlines()))

    def test_two_labels_of_any_kind_are_classes(self):
        first = None
        for labels in [("no", "yes"), ("1", "2"), ("healthy", "ill"), ("0", "1")]:
            report, predictions = self.train(labels)
            self.assertEqual(report["metric"], "auc")
            self.assertEqual(list(report["classes"]), list(labels))
            self.assertLessEqual({row["label"] for row in predictions}, set(labels))
            right = sum(row["label"] == mine[SCORE] for row, mine in zip(predictions, self.rows, strict=True))
            self.assertGreater(right, 0.85 * len(self.rows))
            first = first or [row["score"] for row in predictions]
            self.assertEqual([row["score"] for row in predictions], first)

    def test_three_labels_are_a_classification_with_a_model_for_each(self):
        for labels, options in itertools.product([("bad", "fair", "good"), ("0", "1", "2")],
                                                 [[], [*DICTIONARIES, "--atoms", "3"]]):
            report, predictions = self.train(labels, *options)
            self.assertEqual(report["metric"], "auc")
            self.assertEqual(list(report["classes"]), list(labels))
            self.assertGreater(report["final"], 0.7)
            self.assertGreater(report["accuracy"], 0.5)
            names = [f"probability of {label}" for label in labels]
            self.assertEqual(list(predictions[0]), ["label", *names])
            for row in predictions:
                chances = [float(row[name]) for name in names]
                self.assertAlmostEqual(sum(chances), 1.0, delta=1e-12)
                self.assertEqual(row["label"], labels[chances.index(max(chances))])
            evaluation = self.colla_json("evaluate", "m", "rows.csv")
            right = sum(row["label"] == mine[SCORE] for row, mine in zip(predictions, self.rows, strict=True))
            self.assertGreater(evaluation["accuracy"], 0.6)
            total = sum(task["accuracy"] * task["rows"] for task in evaluation["tasks"])
            self.assertAlmostEqual(total, right, delta=1e-6)

    def test_a_label_that_a_task_never_had_has_the_priors_probability_or_zero_without_one(self):
        rows = self.rows_with(("bad", "fair", "good"))
        rows = [row for row in rows if row[0] != "s0" or row[SCORE] != "fair"]
        self.table(rows)
        for agents, algorithm in itertools.product(["1", "6"], ["bayes", "colla"]):
            self.colla("train", "rows.csv", *ROLES, "--model", "m", "--agents", agents, "--algorithm", algorithm)
            text = self.colla("predict", "m", "rows.csv")
            for row, mine in zip(csv.DictReader(text.splitlines()), rows, strict=True):
                is_excluded = algorithm == "colla" and mine[0] == "s0"
                self.assertEqual(row["probability of fair"] == "0", is_excluded)

    def test_whole_numbers_with_many_values_stay_a_regression_and_problem_overrules(self):
        rows = column(pupils(), SCORE, lambda y: round(5 * y))
        self.assertEqual(self.measure(rows)["metric"], "rmse")
        two = column(pupils(), SCORE, lambda y: int(y > 0.8))
        self.assertEqual(self.measure(two)["metric"], "auc")
        self.assertEqual(self.measure(two, "--problem", "regression")["metric"], "rmse")


class OtherTables(TableTest):
    """What another table may have at the time of prediction."""

    def setUp(self):
        super().setUp()
        self.rows = pupils()
        self.expected = self.fitted(self.rows)

    def test_predictions_of_the_training_table_are_the_fitted_values(self):
        again = self.colla_json("evaluate", "m", "rows.csv")
        errors = [(p - row[SCORE]) ** 2 for p, row in zip(self.expected, self.rows) if row[0] == "s0"]
        self.assertAlmostEqual(again["tasks"][0]["rmse"], (sum(errors) / len(errors)) ** 0.5, delta=1e-9)

    def test_columns_may_have_another_order_and_more_of_them(self):
        turned = [["note", *row[::-1]] for row in self.rows]
        self.table(turned, ["more", *HEADER[::-1]], "other.csv")
        self.assertEqual(self.predictions("m", "other.csv"), self.expected)

    def test_a_missing_column_is_named(self):
        self.table([row[:1] + row[2:] for row in self.rows], [HEADER[0], *HEADER[2:]], "other.csv")
        self.refused("predict", "m", "other.csv", naming=["other.csv", "'age'"])

    def test_unknown_words_are_average_and_counted(self):
        self.table(column(self.rows, 3, lambda town: "Rom" if town == "Ulm" else town), name="other.csv")
        process = run("predict", "m", "other.csv", cwd=self.folder)
        self.assertEqual(process.returncode, 0)
        count = sum(row[3] == "Ulm" for row in self.rows)
        self.assertRegex(process.stderr, rf"\Acolla: warning: other.csv: .*'town'.*{count} rows.*'Rom'[^\n]*\n\Z")
        found = self.predictions("m", "other.csv")
        for row, a, b in zip(self.rows, found, self.expected, strict=True):
            self.assertEqual(a == b, row[3] != "Ulm")

    def test_missing_cells_where_training_had_none_are_average_and_counted(self):
        gap = [list(row) for row in self.rows]
        gap[4][1] = ""
        self.table(gap, name="other.csv")
        process = run("predict", "m", "other.csv", cwd=self.folder)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(process.stderr, r"\Acolla: warning: other.csv: .*'age'.*1 [^\n]*\n\Z")

    def test_words_in_a_column_of_numbers_are_refused_with_their_line(self):
        wrong = [list(row) for row in self.rows]
        wrong[4][1] = "old"
        self.table(wrong, name="other.csv")
        self.refused("predict", "m", "other.csv", naming=["other.csv, line 6", "'age'", "'old'"])

    def test_numbers_in_a_column_of_words_are_unknown_words(self):
        self.table(column(self.rows, 3, lambda town: 5), name="other.csv")
        process = run("predict", "m", "other.csv", cwd=self.folder)
        self.assertEqual(process.returncode, 0)
        self.assertIn("'5'", process.stderr)

    def test_a_missing_target_leaves_the_row_out_of_an_evaluation(self):
        gap = [list(row) for row in self.rows]
        gap[4][SCORE] = ""
        self.table(gap, name="other.csv")
        process = run("evaluate", "m", "other.csv", cwd=self.folder)
        self.assertIn("1 row without a target left out", process.stderr)
        self.assertIn(str(len(gap) - 1), process.stdout.splitlines()[-1])

    def test_without_any_target_there_is_nothing_to_measure(self):
        self.table(column(self.rows, SCORE, lambda y: ""), name="other.csv")
        for options in [[], ["--json"]]:
            self.refused("evaluate", "m", "other.csv", *options,
                         naming=["other.csv", "'score'", "no row has a target"])

    def test_a_label_that_training_did_not_have_is_refused_with_its_line(self):
        rows = column(self.rows, SCORE, lambda y: "yes" if y > 0.8 else "no")
        self.colla("train", self.table(rows), *ROLES, "--model", "m")
        rows[2][SCORE] = "perhaps"
        self.table(rows, name="other.csv")
        self.refused("evaluate", "m", "other.csv", naming=["other.csv, line 4", "'perhaps'", "no, yes"])


class Files(TableTest):
    def test_a_recipe_is_written_edited_and_used(self):
        rows = pupils()
        self.table(rows)
        printed = self.colla("data", "prepare", "rows.csv", *ROLES, "--recipe", "r.toml")
        self.assertIn("words: town", printed)
        learned = self.fitted(rows)
        self.colla("train", "rows.csv", "--recipe", "r.toml", "--test-fraction", "0", "--model", "m")
        self.assertEqual(self.predictions("m", "rows.csv"), learned)
        text = (self.folder / "r.toml").read_text()
        first, age, *others = text.split("[[column]]")
        self.assertIn('"age"', age)
        self.write("without_age.toml", "[[column]]".join([first, *others]))
        report = self.colla_json("train", "rows.csv", "--recipe", "without_age.toml")
        self.assertIn("numbers: income, with 3 hinges", report["recipe"])
        self.refused("data", "prepare", "rows.csv", *ROLES, "--recipe", "r.toml", naming=["r.toml", "exists"])
        self.refused("train", "rows.csv", "--recipe", "r.toml", "--drop", "age", naming=["--drop", "r.toml"])

    def test_columns_and_drop_choose_features(self):
        rows = pupils()
        self.assertIn("numbers: age", self.measure(rows, "--columns", "age,town")["recipe"])
        self.assertIn("numbers: age, income, with 6 hinges",
                      self.measure(rows, "--drop", "town", "--expand", "splines")["recipe"])
        report = self.colla_json("train", *ROLES, "--drop", "town,age", "rows.csv")
        self.assertIn("numbers: income", report["recipe"])
        self.refused("train", "rows.csv", *ROLES, "--drop", "weight", naming=["--drop", "'weight'"])

    def test_splines_follow_curves(self):
        numbers = random.Random(5)
        rows = []
        for school in range(8):
            for _ in range(60):
                age = numbers.uniform(0, 10)
                rows.append([f"s{school}", age, abs(age - 5) + max(0, age - 7) + 0.1 * school + 0.05 * numbers.gauss(0, 1)])
        header = ["school", "age", "score"]
        for method in [[], DICTIONARIES]:
            straight = self.measure(rows, *method, "--expand", "none", header=header)
            bent = self.measure(rows, *method, "--expand", "splines", header=header)
            self.assertLess(bent["final"], 0.5 * straight["final"])
            unasked = self.measure(rows, *method, header=header)
            self.assertEqual(unasked["recipe"], (straight if method else bent)["recipe"])


class Honesty(TableTest):
    def test_where_collaboration_loses_a_line_says_so(self):
        self.table(pupils())
        losing = ["train", "rows.csv", *ROLES, *DICTIONARIES, "--atoms", "1", "--mu", "10"]
        self.assertIn("\neach task on its own is better here: try --select", self.colla(*losing))
        self.assertTrue(self.colla_json(*losing)["better_alone"])
        self.assertNotIn("better here", self.colla("train", "rows.csv", *ROLES, "--algorithm", "stl"))

    def test_train_and_describe_say_what_there_is(self):
        rows = [row for k, row in enumerate(pupils()) if k >= 10]
        printed = self.colla("train", self.table(rows), *ROLES)
        self.assertIn("140 rows, 15 to 25 rows a task, median 25\n", printed)
        described = self.colla("data", "describe", "rows.csv", *ROLES)
        self.assertIn("140 (15 to 25 rows a task, median 25)", described)
        for options, features in [([], 11), (["--expand", "none"], 5)]:
            self.assertIn(f"6 tasks, 140 rows, {features} features",
                          self.colla("data", "check", "rows.csv", *ROLES, *options))


class RawFiles(ProgramTest):
    def test_files_as_they_are_need_the_names_of_two_columns(self):
        folder = os.environ.get("COLLA_DATA")
        if not folder:
            self.skipTest("COLLA_DATA does not say where the files are")
        for name, target, tasks, rows in [("Hsb82", "mAch", 160, 7185), ("Exam", "normexam", 65, 4059)]:
            path = pathlib.Path(folder) / "raw" / f"{name}.csv"
            if not path.is_file():
                self.skipTest(f"there is no {path}")
            report = self.colla_json("train", path, "--task-column", "school", "--target-column", target)
            self.assertEqual((report["tasks"], report["rows"]), (tasks, rows))


if __name__ == "__main__":
    unittest.main()
