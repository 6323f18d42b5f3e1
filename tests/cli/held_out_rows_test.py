# SPDX-License-Identifier: Apache-2.0
"""Rows kept for the test never reach training. Which rows they are is not visible, so each row is
poisoned in turn: a training row changes the model, a test row changes the score alone."""
import unittest

from program import ProgramTest, table
from samples import FEATURES, sample_rows

ROWS = 6
POISON = 1000.0


class TestRows(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = sample_rows(tasks=("a", "b"), rows=ROWS)

    def train(self, poisoned, *options):
        """The bytes of the state, and the final score."""
        rows = [[task, y + POISON if k in poisoned else y, *x]
                for k, (task, y, *x) in enumerate(self.rows)]
        self.write("rows.csv", table(["task", "y", *FEATURES], rows))
        report = self.colla_json("train", "rows.csv", "--atoms", "2", "--state", "state", *options)
        state = {path.name: path.read_bytes() for path in (self.folder / "state").iterdir()}
        return state, report["final"]

    def find_test_rows(self, *options):
        clean, _ = self.train([], *options)
        return [k for k in range(len(self.rows)) if self.train([k], *options)[0] == clean]

    def test_poisoned_test_rows_change_the_score_and_not_the_model(self):
        test_rows = self.find_test_rows()
        state, score = self.train([])
        poisoned_state, poisoned_score = self.train(test_rows)
        self.assertEqual(poisoned_state, state)
        self.assertGreater(poisoned_score, 10.0 * score)

    def test_each_task_gives_its_share_of_rows_to_the_test(self):
        for fraction, share in [("0.5", 3), ("0.34", 2), ("0.99", ROWS - 1), ("0", 0)]:
            test_rows = self.find_test_rows("--test-fraction", fraction)
            self.assertEqual(sum(k < ROWS for k in test_rows), share)
            self.assertEqual(sum(k >= ROWS for k in test_rows), share)

    def test_another_seed_keeps_other_rows_for_the_test(self):
        self.assertNotEqual(self.find_test_rows("--seed", "1"), self.find_test_rows("--seed", "2"))

    def test_the_methods_settings_do_not_choose_the_test_rows(self):
        self.assertEqual(self.find_test_rows("--lambda", "0.1", "--gamma", "1"),
                         self.find_test_rows())


if __name__ == "__main__":
    unittest.main()
