# SPDX-License-Identifier: Apache-2.0
"""Held-out rows never reach what is measured. Which rows they are is not visible, so each row is poisoned in turn: a
training row changes the recipe, a test row changes the score alone. What is written is trained on all rows."""
import unittest

from program import DICTIONARIES, ProgramTest, table
from samples import FEATURES, sample_rows

ROWS = 6
POISON = 1000.0


class TestRows(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = sample_rows(tasks=("a", "b"), rows=ROWS)

    def train(self, poisoned, *options):
        """The recipe of what is measured, and its score."""
        rows = [[task, y + POISON if k in poisoned else y, *x]
                for k, (task, y, *x) in enumerate(self.rows)]
        self.write("rows.csv", table(["task", "y", *FEATURES], rows))
        report = self.colla_json("train", "rows.csv", *options)
        return report["recipe"], report["final"]

    def find_test_rows(self, *options):
        clean, _ = self.train([], *options)
        return [k for k in range(len(self.rows)) if self.train([k], *options)[0] == clean]

    def test_poisoned_test_rows_change_the_score_and_not_the_recipe(self):
        test_rows = self.find_test_rows()
        recipe, score = self.train([])
        poisoned_recipe, poisoned_score = self.train(test_rows)
        self.assertEqual(poisoned_recipe, recipe)
        self.assertGreater(poisoned_score, 10.0 * score)

    def test_each_task_gives_its_share_of_rows_to_the_test(self):
        for fraction, share in [("0.5", 3), ("0.34", 2), ("0.8", ROWS - 1), ("0", 0)]:
            test_rows = self.find_test_rows("--test-fraction", fraction)
            self.assertEqual(sum(k < ROWS for k in test_rows), share)
            self.assertEqual(sum(k >= ROWS for k in test_rows), share)

    def test_what_is_written_is_trained_on_all_rows(self):
        dictionaries = [*DICTIONARIES, "--atoms", "2", "--state", "state"]
        for options in [[], ["--recipe", "none"], dictionaries, [*dictionaries, "--recipe", "none"]]:
            files = []
            for fraction in ["0", "0.5"]:
                self.train([])
                printed = self.colla("train", "rows.csv", "--test-fraction", fraction, *options, "--model", "m")
                self.assertIn("model: m, trained on all 12 rows\n", printed)
                self.assertEqual("measured on held-out rows (50 %)" in printed, fraction == "0.5")
                predictions = self.colla("predict", "m", "rows.csv")
                files.append((predictions, {path.name: path.read_bytes() for path in self.folder.glob("state/*")}))
            self.assertEqual(files[0], files[1])

    def test_another_seed_keeps_other_rows_for_the_test(self):
        self.assertNotEqual(self.find_test_rows("--seed", "1"), self.find_test_rows("--seed", "2"))

    def test_the_methods_settings_do_not_choose_the_test_rows(self):
        self.assertEqual(self.find_test_rows(*DICTIONARIES, "--lambda", "0.1", "--gamma", "1"),
                         self.find_test_rows())


if __name__ == "__main__":
    unittest.main()
