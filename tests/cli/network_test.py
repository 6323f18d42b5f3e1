# SPDX-License-Identifier: Apache-2.0
"""Networks of agents through the program: oracles, graphs, threads and what is refused."""
import re
import unittest

from algebra import distance
from program import (DICTIONARIES, ProgramTest, matrix_text, oracle, oracle_options, oracle_rows, read_codes,
                     read_matrix)

TOLERANCE = 1e-8
NETWORKS = ["ella-regression", "colla-line-regression", "colla-revisit",
            "colla-star-classification", "colla-uneven-random", "converged-line"]


class NetworkOracle(ProgramTest):
    def solve(self, problem, *options):
        arrivals = [arrival for step in problem["steps"] for arrival in step]
        self.write("rows.csv", oracle_rows(arrivals, with_agents=True))
        self.write("L0.csv", matrix_text(problem["initial_dictionary"]))
        self.write("edges.csv", "".join(f"{i},{j}\n" for i, j in problem["edges"]))
        graph = "edges.csv" if problem["edges"] else "none"
        return self.colla_json(
            "train", "rows.csv", "--graph", graph, "--init", "L0.csv",
            "--problem", problem["problem"], "--rho", repr(problem["rho"]),
            "--exchanges", ",".join(map(str, problem["iterations"])),
            *oracle_options(problem), "--state", "state", *options)

    def check_state(self, problem):
        expected = problem["expect"][-1]
        for i, dictionary in enumerate(expected["L"]):
            found = read_matrix(self.folder / f"state/L_{i}.csv")
            self.assertLess(distance(found, dictionary), TOLERANCE)
        for (i, j), dual in zip(problem["edges"], expected["Z"]):
            found = read_matrix(self.folder / f"state/Z_{i}_{j}.csv")
            self.assertLess(distance(found, dual), TOLERANCE)
        codes = {}
        for step, arrivals in zip(problem["expect"], problem["steps"]):
            for arrival in arrivals:
                codes[arrival["agent"], arrival["task"]] = step["s"][arrival["task"]]
        found = read_codes(self.folder / "state/codes.csv")
        self.assertEqual(set(found), set(codes))
        for key, code in codes.items():
            self.assertLess(distance([found[key]], [code]), TOLERANCE)

    def test_every_oracle_is_reproduced_with_any_number_of_threads(self):
        for name in NETWORKS:
            problem = oracle(name)
            for threads in ["1", "2"]:
                with self.subTest(name=name, threads=threads):
                    report = self.solve(problem, "--threads", threads)
                    self.check_state(problem)
                    self.assertEqual(report["agents"], problem["agents"])
                    if problem["edges"]:
                        self.assertEqual(report["exchanges"], sum(problem["iterations"]))
                        self.assertEqual(report["bytes_exchanged"],
                                         sum(problem["iterations"]) * 2 * len(problem["edges"])
                                         * problem["d"] * problem["u"] * 8)

    def test_a_converged_network_has_no_gap(self):
        self.assertLess(self.solve(oracle("converged-line"))["consensus_gap"], 1e-8)
        self.assertGreater(self.solve(oracle("colla-line-regression"))["consensus_gap"], 1e-6)


class Networks(ProgramTest):
    def train(self, *options):
        return self.colla_json("train", "synthetic-regression", *DICTIONARIES, "--agents", "6", *options)

    def test_threads_and_processes_give_the_same_bytes(self):
        for graph in ["line", "star", "ring", "complete", "random"]:
            with self.subTest(graph=graph):
                states = []
                for threads in ["1", "2", "0"]:
                    self.train("--graph", graph, "--threads", threads, "--state", graph + threads)
                    states.append({path.name: path.read_bytes()
                                   for path in (self.folder / (graph + threads)).iterdir()})
                self.assertEqual(states[0], states[1])
                self.assertEqual(states[0], states[2])

    def test_every_algorithm_trains_predicts_and_evaluates(self):
        rows = "task,y," + ",".join(f"x{k}" for k in range(3)) + "\n"
        rows += "".join(f"{t},{(t + 1) * k % 7 - 3},{k % 5},{k * k % 11},{(k + t) % 3}\n"
                        for t in range(6) for k in range(12))
        self.write("rows.csv", rows)
        for algorithm in ["bayes", "colla", "ella", "stl", "go-mtl", "offline-colla"]:
            with self.subTest(algorithm=algorithm):
                atoms = [] if algorithm == "bayes" else ["--atoms", "2"]
                report = self.colla_json("train", "rows.csv", "--agents", "3", *atoms,
                                         "--algorithm", algorithm, "--model", algorithm)
                self.assertEqual(report["algorithm"], algorithm)
                self.assertEqual(report["tasks"], 6)
                self.assertEqual(len(report["curve"]),
                                 1 if algorithm in ["go-mtl", "offline-colla"] else 2)
                lines = self.colla("predict", algorithm, "rows.csv").splitlines()
                self.assertEqual(len(lines), 1 + 6 * 12)
                self.assertEqual(len(self.colla_json("evaluate", algorithm, "rows.csv")["tasks"]), 6)

    def test_the_order_of_a_colouring_agrees_with_the_given_one_in_the_limit(self):
        options = ["--graph", "ring", "--exchanges", "400", "--rho", "1", "--lambda", "0.05"]
        self.train(*options, "--state", "given")
        self.train(*options, "--order-by-colour", "--state", "colour")
        for i in range(6):
            self.assertLess(distance(read_matrix(self.folder / f"given/L_{i}.csv"),
                                     read_matrix(self.folder / f"colour/L_{i}.csv")), 1e-6)
        for i, j in [(0, 1), (0, 5), (3, 4)]:
            self.assertLess(distance(read_matrix(self.folder / f"given/Z_{i}_{j}.csv"),
                                     read_matrix(self.folder / f"colour/Z_{i}_{j}.csv")), 1e-4)

    def test_exchanges_may_have_their_former_name(self):
        self.assertEqual(self.train("--iterations", "3")["curve"], self.train("--exchanges", "3")["curve"])
        self.refused("train", "synthetic-regression", "--iterations", "0", naming=["--exchanges", "'0'"])

    def test_a_tolerance_saves_exchanges(self):
        report = self.train("--exchanges", "500", "--tolerance", "0.001")
        self.assertLess(report["exchanges"], 7 * 500)
        self.assertLess(report["consensus_gap"], 0.002)

    def test_a_diagnosis_names_the_bound_the_changes_and_the_atoms(self):
        diagnosis = self.train("--diagnose")["diagnosis"]
        self.assertGreater(diagnosis["rho_bound"], 0)
        self.assertEqual(len(diagnosis["agents"]), 6)
        self.assertTrue(all(agent["condition"] >= 1 for agent in diagnosis["agents"]))
        self.assertEqual(len(diagnosis["steps"]), 7)
        self.assertEqual([atom["atom"] for atom in diagnosis["atoms"]], [0, 1, 2, 3])
        text = self.colla("train", "synthetic-regression", *DICTIONARIES, "--agents", "3", "--diagnose")
        for words in ["Theorem 1", "condition", "atom 3", "change"]:
            self.assertIn(words, text)

    def test_a_newer_task_replaces_the_older_one_in_offline_methods_too(self):
        rows = "task,y,x\n" + "a,1,1\na,2,2\n" + "b,1,2\nb,3,1\n" + "a,5,1\na,3,2\n"
        self.write("rows.csv", rows)
        for algorithm in ["go-mtl", "offline-colla", "stl"]:
            report = self.colla_json("train", "rows.csv", "--algorithm", algorithm, "--atoms", "1")
            self.assertEqual(report["tasks"], 2)


class BadNetworks(ProgramTest):
    def refused_graph(self, text, naming, *options):
        self.write("edges.csv", text)
        self.refused("train", "synthetic-regression", "--agents", "4", "--graph", "edges.csv",
                     "--model", "m", *options, naming=["edges.csv", *naming])

    def test_impossible_graphs_are_refused_with_the_edge_or_line(self):
        self.refused_graph("0,1\n2,3\n", ["without a path"])
        self.refused_graph("0,1\n1,4\n", ["1,4", "does not exist", "0 to 3"])
        self.refused_graph("0,1\n1,1\n", ["1,1", "itself"])
        self.refused_graph("0,1\n1,0\n", ["0,1", "twice"])
        self.refused_graph("0,1\n1;2\n", ["line 2"])
        self.refused_graph("0,x\n", ["line 1", "x"])
        self.refused_graph("0,-1\n", ["line 1", "-1"])
        self.refused_graph("0,1.5\n", ["line 1", "1.5"])
        self.refused_graph("", ["no edges"])

    def test_a_graph_that_is_neither_a_name_nor_a_file_is_refused(self):
        self.refused("train", "synthetic-regression", "--agents", "4", "--graph", "tree",
                     naming=["tree"])

    def test_edges_need_a_penalty(self):
        self.refused("train", "synthetic-regression", *DICTIONARIES, "--agents", "4", "--rho", "0",
                     naming=["--rho", "above 0"])
        self.colla("train", "synthetic-regression", *DICTIONARIES, "--agents", "4", "--rho", "0", "--graph", "none")

    def test_more_agents_than_tasks_are_refused(self):
        self.refused("train", "synthetic-regression", "--agents", "41",
                     naming=["40 tasks", "41 agents"])


class Demo(ProgramTest):
    def test_it_compares_all_methods_and_draws_their_curves(self):
        text = self.colla("demo", "--output", "curves.svg")
        picture = (self.folder / "curves.svg").read_text()
        for name in ["STL", "ELLA", "CoLLA", "CoLLA, refreshed", "offline CoLLA", "GO-MTL"]:
            self.assertIn(name, text)
            self.assertIn(f"<title>{name}</title>", picture)
        self.assertIn("curves.svg", text)
        self.assertEqual(picture.count("<polyline"), 7)
        self.assertNotIn("href", picture)

    def test_its_last_sentence_is_true_of_its_table(self):
        text = self.colla("demo", "--seed", "2", "--output", "curves.svg")
        rows = [line.split() for line in text.splitlines() if re.match(r" +\d+ +\d+ ", line)]
        ella, curve = float(rows[-1][3]), [float(row[4]) for row in rows]
        final, steps = re.search(r"reach\s+(\S+);.* They\s+need\s+(\d+) steps", text, re.S).groups()
        self.assertEqual(float(final), curve[-1])
        self.assertLessEqual(curve[int(steps) - 1], ella)
        self.assertGreater(curve[int(steps) - 2], ella)

    def test_a_picture_that_cannot_be_written_is_refused_at_once(self):
        self.refused("demo", "--output", "missing/curves.svg", naming=["missing"])


if __name__ == "__main__":
    unittest.main()
