# SPDX-License-Identifier: Apache-2.0
"""What did not reach its accuracy is told, and nothing is told otherwise."""
import unittest

from program import DICTIONARIES, ProgramTest, table
from samples import STALLING_FEATURES, STALLING_GAMMA, sample_table, stalling_rows


class Train(ProgramTest):
    def stalling(self):
        easy = [["easy", float(k % 2), *(0.1 * k + j for j in range(STALLING_FEATURES))] for k in range(20)]
        self.write("rows.csv", table(["task", "y", *(f"x{j}" for j in range(STALLING_FEATURES))],
                                     stalling_rows("a") + easy + stalling_rows("b")))
        return ["train", "rows.csv", *DICTIONARIES, "--problem", "classification", "--no-intercept", "--test-fraction", "0",
                "--recipe", "none", "--gamma", str(STALLING_GAMMA)]

    def test_a_line_says_what_and_when(self):
        self.assertRegex(self.colla(*self.stalling()), r"\nnumerics: 2 fits stalled\b.* \(steps 1, 3\)\n")

    def test_codes_are_counted_alone(self):
        """Without a penalty, the second of two nearly collinear atoms cannot enter, although the task needs both."""
        self.write("atoms.csv", "1,1\n0,1e-8\n")
        self.write("rows.csv", table(["task", "y", "a", "b"], [["skew", 2.0, 1.0, 0.0], ["skew", 2.0, 0.0, 1.0]]))
        self.assertIn("\nnumerics: 1 code did not converge (step 1)\n",
                      self.colla("train", "rows.csv", *DICTIONARIES, "--no-intercept", "--test-fraction", "0",
                                 "--mu", "0", "--init", "atoms.csv", "--recipe", "none"))

    def test_json_has_the_counts_and_the_steps(self):
        found = self.colla_json(*self.stalling())["numerics"]
        self.assertEqual(list(found), ["fits_stalled", "codes_unconverged", "solves_unconverged", "steps"])
        self.assertEqual((found["fits_stalled"], found["steps"]), (2, [1, 3]))

    def test_ordinary_rows_give_no_line(self):
        self.write("rows.csv", sample_table())
        for algorithm in ["bayes", "stl", "ella", "colla", "go-mtl", "offline-colla"]:
            command = ["train", "rows.csv", "--algorithm", algorithm]
            self.assertNotIn("numerics", self.colla(*command))
            self.assertEqual(self.colla_json(*command)["numerics"]["steps"], [])


if __name__ == "__main__":
    unittest.main()
