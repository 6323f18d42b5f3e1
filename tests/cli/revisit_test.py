# SPDX-License-Identifier: Apache-2.0
"""A task whose rows appear again later in the file: the new rows stand alone."""
import unittest

from algebra import coding_violation, dictionary, distance, ridge
from program import (ProgramTest, matrix_text, oracle, oracle_options, oracle_rows, read_codes,
                     read_matrix)


class Revisit(ProgramTest):
    def setUp(self):
        super().setUp()
        self.problem = oracle("colla-revisit")
        # The last arrival of agent 0 is its first task again, with other rows.
        self.arrivals = [arrival for step in self.problem["steps"] for arrival in step
                         if arrival["agent"] == 0]
        self.write("L0.csv", matrix_text(self.problem["initial_dictionary"]))

    def state(self, name, arrivals):
        self.write(f"{name}.csv", oracle_rows(arrivals, with_agents=False))
        self.colla("train", f"{name}.csv", *oracle_options(self.problem), "--init", "L0.csv",
                   "--state", name)
        return (read_matrix(self.folder / name / "L_0.csv"),
                read_codes(self.folder / name / "codes.csv"))

    def fit(self, arrival):
        return ridge(arrival["X"], arrival["y"], self.problem["gamma"])

    def test_the_dictionary_is_that_of_the_new_rows_and_the_other_tasks(self):
        L, codes = self.state("all", self.arrivals)
        newest = {arrival["task"]: arrival for arrival in self.arrivals}
        self.assertEqual(len(newest), len(self.arrivals) - 1)
        tasks = [(codes[0, name], *self.fit(arrival)) for name, arrival in newest.items()]
        self.assertLess(distance(L, dictionary(tasks, self.problem["lambda"])), 1e-8)

    def test_the_new_code_is_the_new_rows_code_on_the_dictionary_before(self):
        L_before, codes_before = self.state("before", self.arrivals[:-1])
        _, codes = self.state("all", self.arrivals)
        task = self.arrivals[-1]["task"]
        violation = coding_violation(codes[0, task], L_before, *self.fit(self.arrivals[-1]),
                                     self.problem["mu"])
        self.assertLess(violation, 1e-8)
        self.assertNotEqual(codes[0, task], codes_before[0, task])
        del codes[0, task], codes_before[0, task]
        self.assertEqual(codes, codes_before)

    def test_the_same_rows_again_change_nothing_but_rounding(self):
        L, codes = self.state("once", self.arrivals[:3])
        again, codes_again = self.state("again", [*self.arrivals[:3], self.arrivals[0]])
        self.assertEqual(codes_again, codes)
        self.assertLess(distance(again, L), 1e-12)

    def test_a_revisit_counts_no_task_and_takes_a_step(self):
        self.write("rows.csv", oracle_rows(self.arrivals, with_agents=False))
        report = self.colla_json("train", "rows.csv", "--batches", "runs")
        self.assertEqual(report["tasks"], 3)
        self.assertEqual(len(report["curve"]), 4)
        description = self.colla_json("data", "describe", "rows.csv", "--batches", "runs")
        self.assertEqual((description["tasks"], description["revisits"]), (3, 1))

    def test_predictions_come_from_the_new_rows(self):
        self.write("rows.csv", oracle_rows(self.arrivals, with_agents=False))
        self.colla("train", "rows.csv", *oracle_options(self.problem, "stl"),
                   "--model", "m")
        self.write("new.csv", oracle_rows(self.arrivals[-1:], with_agents=False))
        alpha, _ = self.fit(self.arrivals[-1])
        predictions = [float(line) for line in self.colla("predict", "m", "new.csv").split()[1:]]
        expected = [sum(a * x for a, x in zip(alpha, row)) for row in self.arrivals[-1]["X"]]
        self.assertLess(distance([predictions], [expected]), 1e-10)


if __name__ == "__main__":
    unittest.main()
