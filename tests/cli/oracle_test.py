# SPDX-License-Identifier: Apache-2.0
"""The program's dictionaries and codes against an independent implementation, to 1e-8."""
import unittest

import mat_writer
from algebra import distance
from program import (ProgramTest, matrix_text, oracle, oracle_options, oracle_rows, read_codes,
                     read_matrix)

TOLERANCE = 1e-8


class EllaOracle(ProgramTest):
    def setUp(self):
        super().setUp()
        self.problem = oracle("ella-regression")
        self.arrivals = [arrival for step in self.problem["steps"] for arrival in step]
        self.write("L0.csv", matrix_text(self.problem["initial_dictionary"]))

    def train(self, data, *options):
        self.colla("train", data, *oracle_options(self.problem, "ella"),
                   "--init", "L0.csv", "--state", "state", *options)

    def check_state(self, task_names=None):
        expected = self.problem["expect"]
        self.assertLess(distance(read_matrix(self.folder / "state/L_0.csv"), expected[-1]["L"][0]),
                        TOLERANCE)
        codes = read_codes(self.folder / "state/codes.csv")
        self.assertEqual(len(codes), len(self.arrivals))
        for number, (step, arrival) in enumerate(zip(expected, self.arrivals)):
            name = task_names[number] if task_names else arrival["task"]
            code = step["s"][arrival["task"]]
            self.assertLess(distance([codes[0, name]], [code]), TOLERANCE)

    def test_a_file_without_agents_gives_the_oracles_dictionary_and_codes(self):
        self.write("rows.csv", oracle_rows(self.arrivals, with_agents=False))
        self.train("rows.csv")
        self.check_state()

    def test_an_agent_column_with_one_agent_changes_nothing(self):
        self.write("rows.csv", oracle_rows(self.arrivals, with_agents=True))
        self.train("rows.csv", "--graph", "none")
        self.check_state()

    def test_every_solver_gives_the_oracles_answer(self):
        self.write("rows.csv", oracle_rows(self.arrivals, with_agents=False))
        for solver in ["automatic", "dense", "matrix-free"]:
            with self.subTest(solver=solver):
                self.train("rows.csv", "--solver", solver)
                self.check_state()

    def test_a_mat_file_gives_the_oracles_answer(self):
        X = [arrival["X"] for arrival in self.arrivals]
        Y = [[[y] for y in arrival["y"]] for arrival in self.arrivals]
        self.write("rows.mat", mat_writer.mat_file(X, Y))
        self.train("rows.mat")
        self.check_state([str(number + 1) for number in range(len(X))])

    def test_the_columns_may_have_other_names_and_orders(self):
        text = oracle_rows(self.arrivals, with_agents=False)
        rows = [line.split(",") for line in text.splitlines()]
        rows[0][:2] = ["subject", "rating"]
        self.write("rows.csv", "".join(",".join([*row[2:], row[1], row[0]]) + "\r\n" for row in rows))
        self.train("rows.csv", "--task-column", "subject", "--target-column", "rating")
        self.check_state()

    def test_the_state_has_seventeen_digits_and_no_header(self):
        self.write("rows.csv", oracle_rows(self.arrivals, with_agents=False))
        self.train("rows.csv")
        text = (self.folder / "state/L_0.csv").read_text()
        values = [float(field) for line in text.splitlines() for field in line.split(",")]
        self.assertEqual(len(values), self.problem["d"] * self.problem["u"])
        self.assertEqual(text.split(), [",".join(f"{value:.17g}" for value in row)
                                        for row in read_matrix(self.folder / "state/L_0.csv")])


class SeparateAgents(ProgramTest):
    def setUp(self):
        super().setUp()
        self.problem = oracle("colla-line-regression")
        self.arrivals = [arrival for step in self.problem["steps"] for arrival in step]
        self.write("L0.csv", matrix_text(self.problem["initial_dictionary"]))

    def state(self, name, arrivals, *options):
        self.write(f"{name}.csv", oracle_rows(arrivals, with_agents=True))
        self.colla("train", f"{name}.csv", "--graph", "none", *oracle_options(self.problem),
                   "--state", name, *options)
        return self.folder / name

    def check_like_three_runs(self, *options):
        together = self.state("together", self.arrivals, *options)
        all_codes = read_codes(together / "codes.csv")
        for agent in range(3):
            own = [arrival for arrival in self.arrivals if arrival["agent"] == agent]
            alone = self.state(f"alone{agent}", own, *options)
            self.assertEqual((together / f"L_{agent}.csv").read_bytes(),
                             (alone / "L_0.csv").read_bytes())
            self.assertEqual({task: code for (i, task), code in all_codes.items() if i == agent},
                             {task: code for (_, task), code in
                              read_codes(alone / "codes.csv").items()})

    def test_agents_without_edges_learn_as_if_alone_from_a_given_dictionary(self):
        self.check_like_three_runs("--init", "L0.csv")

    def test_agents_without_edges_learn_as_if_alone_from_a_random_dictionary(self):
        self.check_like_three_runs("--seed", "7")

    def test_dealing_tasks_in_turn_gives_each_agent_its_own(self):
        names = [f"t{number}" for number in range(len(self.arrivals))]
        arrivals = [dict(arrival, task=name) for arrival, name in zip(self.arrivals, names)]
        self.write("rows.csv", oracle_rows(arrivals, with_agents=False))
        self.colla("train", "rows.csv", "--agents", "3", *oracle_options(self.problem),
                   "--state", "dealt")
        codes = read_codes(self.folder / "dealt/codes.csv")
        self.assertEqual(sorted(codes), sorted((number % 3, name)
                                               for number, name in enumerate(names)))


if __name__ == "__main__":
    unittest.main()
