# SPDX-License-Identifier: Apache-2.0
"""Training writes a model file; predict and evaluate use it."""
import math
import unittest

from algebra import apply, distance, dot
from program import DICTIONARIES, ProgramTest, read_codes, read_matrix, read_table, table
from samples import FEATURES, sample_rows

HEADER = ["task", "y", *FEATURES]


def auc(y, scores):
    wins = [(p > n) + 0.5 * (p == n) for a, p in zip(y, scores) if a > 0
            for b, n in zip(y, scores) if b <= 0]
    return sum(wins) / len(wins)


def mean(values):
    return sum(values) / len(values)


class ModelUse(ProgramTest):
    def train(self, rows, *options, algorithm="colla"):
        self.write("train.csv", table(HEADER, rows))
        self.colla("train", "train.csv", "--algorithm", algorithm, "--model", "m.colla", "--state", "state", *options)

    def predict(self, rows, *options):
        self.write("rows.csv", table(HEADER, rows))
        return read_table(self.colla("predict", "m.colla", "rows.csv", *options))

    def thetas(self):
        """L s of every task, from the state files."""
        return {(agent, task): apply(read_matrix(self.folder / f"state/L_{agent}.csv"), code)
                for (agent, task), code in read_codes(self.folder / "state/codes.csv").items()}


class Regression(ModelUse):
    def setUp(self):
        super().setUp()
        self.rows = sample_rows()
        self.new_rows = sample_rows(rows=5, seed=2)

    def test_predictions_are_x_theta_with_the_intercept(self):
        self.train(self.rows, "--codes", "stored", "--recipe", "none")
        thetas = self.thetas()
        expected = [dot([*x, 1.0], thetas[0, task]) for task, _, *x in self.new_rows]
        actual = [row["prediction"] for row in self.predict(self.new_rows)]
        self.assertLess(distance([actual], [expected]), 1e-12)

    def test_predictions_are_x_theta_without_intercept(self):
        self.train(self.rows, "--codes", "stored", "--no-intercept", "--recipe", "none")
        thetas = self.thetas()
        expected = [dot(x, thetas[0, task]) for task, _, *x in self.new_rows]
        actual = [row["prediction"] for row in self.predict(self.new_rows)]
        self.assertLess(distance([actual], [expected]), 1e-12)

    def test_rows_beyond_the_bound_are_refused_with_their_place(self):
        self.train(self.rows, "--recipe", "none")
        for column, name, commands in [(1, "'y'", ["evaluate"]),
                                       (2, f"'{FEATURES[0]}'", ["evaluate", "predict"])]:
            rows = [list(row) for row in self.new_rows]
            rows[3][column] = 1e200
            self.write("rows.csv", table(HEADER, rows))
            for command in commands:
                self.refused(command, "m.colla", "rows.csv",
                             naming=["rows.csv, line 5", name, "1e+200 is beyond 1e30"])

    def test_fresh_and_stored_codes_predict_differently(self):
        self.train(self.rows, "--codes", "stored")
        stored = self.predict(self.new_rows)
        self.train(self.rows, "--codes", "fresh")
        self.assertNotEqual(self.predict(self.new_rows), stored)

    def test_evaluate_measures_rmse_and_explained_variance_per_task(self):
        self.train(self.rows)
        predictions = [row["prediction"] for row in self.predict(self.new_rows)]
        report = self.colla_json("evaluate", "m.colla", "rows.csv")
        self.assertEqual(report["rows"], len(self.new_rows))
        for entry, name in zip(report["tasks"], "abc", strict=True):
            pairs = [(y, p) for (task, y, *_), p in zip(self.new_rows, predictions) if task == name]
            squares = [(y - p) ** 2 for y, p in pairs]
            centre = mean([y for y, _ in pairs])
            spread = sum((y - centre) ** 2 for y, _ in pairs)
            self.assertEqual((entry["task"], entry["rows"]), (name, 5))
            self.assertAlmostEqual(entry["rmse"], math.sqrt(mean(squares)), delta=1e-12)
            self.assertAlmostEqual(entry["explained_variance"], 1 - sum(squares) / spread,
                                   delta=1e-12)
        self.assertAlmostEqual(report["rmse"], mean([t["rmse"] for t in report["tasks"]]))

    def test_evaluate_prints_a_table_for_people(self):
        self.train(self.rows)
        self.write("rows.csv", table(HEADER, self.new_rows))
        text = self.colla("evaluate", "m.colla", "rows.csv")
        report = self.colla_json("evaluate", "m.colla", "rows.csv")
        for entry in report["tasks"]:
            self.assertIn(f"{entry['rmse']:#.4g}", text)

    def test_columns_are_found_by_name_in_any_order(self):
        self.train(self.rows)
        expected = self.predict(self.new_rows)
        order = [4, 2, 0, 3, 1]
        shuffled = [[row[k] for k in order] + [f"note {row[0]}"] for row in self.new_rows]
        self.write("shuffled.csv", table([HEADER[k] for k in order] + ["comment"], shuffled))
        self.assertEqual(read_table(self.colla("predict", "m.colla", "shuffled.csv")), expected)

    def test_rows_may_stand_in_any_order(self):
        self.train(self.rows)
        expected = self.predict(self.new_rows)
        self.assertEqual(self.predict(self.new_rows[::-1]), expected[::-1])

    def test_predict_needs_no_targets(self):
        self.train(self.rows)
        expected = self.predict(self.new_rows)
        self.write("rows.csv", table(["task", *FEATURES],
                                     [[row[0], *row[2:]] for row in self.new_rows]))
        self.assertEqual(read_table(self.colla("predict", "m.colla", "rows.csv")), expected)

    def test_the_task_option_stands_for_the_column(self):
        self.train(self.rows)
        rows = [row for row in self.new_rows if row[0] == "b"]
        expected = self.predict(rows)
        self.write("rows.csv", table(FEATURES, [row[2:] for row in rows]))
        self.assertEqual(read_table(self.colla("predict", "m.colla", "rows.csv", "--task", "b")),
                         expected)
        self.write("rows.csv", table(HEADER, [["a", *row[1:]] for row in rows]))
        self.assertEqual(read_table(self.colla("predict", "m.colla", "rows.csv", "--task", "b")),
                         expected)

    def test_single_task_models_are_kept_too(self):
        self.train(self.rows, "--test-fraction", "0", algorithm="stl")
        predictions = [row["prediction"] for row in self.predict(self.rows)]
        error = mean([(row[1] - p) ** 2 for row, p in zip(self.rows, predictions)])
        self.assertLess(error, 0.3)

    def test_the_columns_names_in_training_are_remembered(self):
        renamed = table(["who", "price", *FEATURES], self.rows)
        self.write("train.csv", renamed)
        self.colla("train", "train.csv", "--task-column", "who", "--target-column", "price",
                   "--model", "m.colla")
        remembered = self.colla_json("evaluate", "m.colla", "train.csv")
        self.write("other.csv", table(HEADER, self.rows))
        named = self.colla_json("evaluate", "m.colla", "other.csv", "--task-column", "task",
                                "--target-column", "y")
        self.assertEqual(named, remembered)


class Classification(ModelUse):
    def setUp(self):
        super().setUp()
        self.rows = sample_rows(labels=(0, 1), rows=20)
        self.train(self.rows, "--recipe", "none")

    def test_probability_and_label_follow_from_the_score(self):
        for row in self.predict(self.rows):
            self.assertAlmostEqual(row["probability"], 1 / (1 + math.exp(-row["score"])),
                                   delta=1e-15)
            self.assertEqual(row["label"], 1 if row["probability"] >= 0.5 else 0)

    def test_probability_and_label_agree_at_the_border(self):
        zeros = [["a", 0, 0.0, 0.0, 0.0]]
        intercept = self.predict(zeros)[0]["score"]
        slope = self.predict([["a", 0, 1.0, 0.0, 0.0]])[0]["score"] - intercept
        border = -intercept / slope
        near = [border * (1 + k * 2 ** -52) for k in range(-20, 21)]
        for row in self.predict([["a", 0, x, 0.0, 0.0] for x in [*near, 1e30, -1e30]]):
            self.assertEqual(row["label"], 1 if row["probability"] >= 0.5 else 0, row)

    def test_evaluate_measures_auc_and_accuracy_per_task(self):
        predicted = self.predict(self.rows)
        report = self.colla_json("evaluate", "m.colla", "rows.csv")
        for entry in report["tasks"]:
            own = [(row[1], p) for row, p in zip(self.rows, predicted) if row[0] == entry["task"]]
            expected = auc([y for y, _ in own], [p["score"] for _, p in own])
            self.assertAlmostEqual(entry["auc"], expected, delta=1e-12)
            self.assertAlmostEqual(entry["accuracy"], mean([y == p["label"] for y, p in own]))

    def test_every_pair_of_labels_trains_the_same_model(self):
        expected = self.predict(self.rows)
        for labels in [(-1, 1), ("false", "true"), ("False", "TRUE")]:
            self.train(sample_rows(labels=labels, rows=20), "--recipe", "none")
            self.assertEqual(self.predict(self.rows), expected)

    def test_auc_is_null_for_rows_of_one_class(self):
        self.write("rows.csv", table(HEADER, [row for row in self.rows if row[1] == 1]))
        report = self.colla_json("evaluate", "m.colla", "rows.csv")
        self.assertIsNone(report["auc"])
        self.assertIsInstance(report["accuracy"], float)
        self.assertIn("all targets of these rows are the same", self.colla("evaluate", "m.colla", "rows.csv"))

    def test_a_training_whose_held_out_rows_have_one_class_says_so(self):
        rows = [[task, float(k % 6 == 0), *x] for k, (task, _, *x) in enumerate(sample_rows(rows=6))]
        self.write("rare.csv", table(HEADER, rows))
        self.assertIn("no AUC: no task has held-out rows (50 %) of two classes", self.colla("train", "rare.csv"))
        self.assertIn("no test rows", self.colla("train", "rare.csv", "--test-fraction", "0"))


class SeveralAgents(ModelUse):
    def setUp(self):
        super().setUp()
        self.rows = [["north", *row] for row in sample_rows(tasks="ab")] + \
                    [["south", *row] for row in sample_rows(tasks="bc", seed=3)]
        self.write("train.csv", table(["agent", *HEADER], self.rows))
        self.colla("train", "train.csv", *DICTIONARIES, "--model", "m.colla", "--state", "state",
                   "--codes", "stored", "--recipe", "none")

    def test_each_agents_task_has_its_own_model(self):
        thetas = self.thetas()
        expected = [dot([*x, 1.0], thetas[["north", "south"].index(agent), task])
                    for agent, task, _, *x in self.rows]
        actual = [row["prediction"]
                  for row in read_table(self.colla("predict", "m.colla", "train.csv"))]
        self.assertLess(distance([actual], [expected]), 1e-12)
        report = self.colla_json("evaluate", "m.colla", "train.csv")
        self.assertEqual([(entry["agent"], entry["task"]) for entry in report["tasks"]],
                         [("north", "a"), ("north", "b"), ("south", "b"), ("south", "c")])

    def test_the_agent_option_stands_for_the_column(self):
        south = [row for row in self.rows if row[0] == "south"]
        self.write("rows.csv", table(["agent", *HEADER], south))
        expected = self.colla("predict", "m.colla", "rows.csv")
        self.write("rows.csv", table(HEADER, [row[1:] for row in south]))
        self.assertEqual(self.colla("predict", "m.colla", "rows.csv", "--agent", "south"), expected)

    def test_the_agent_may_be_left_out_where_the_task_is_unique(self):
        unique = [row[1:] for row in self.rows if row[1] != "b"]
        self.write("rows.csv", table(HEADER, unique))
        self.colla("predict", "m.colla", "rows.csv")

    def test_a_task_of_several_agents_needs_the_agent(self):
        self.write("rows.csv", table(HEADER, [row[1:] for row in self.rows]))
        self.refused("predict", "m.colla", "rows.csv", naming=["rows.csv, line 10", "'b'", "--agent"])


if __name__ == "__main__":
    unittest.main()
