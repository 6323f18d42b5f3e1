# SPDX-License-Identifier: Apache-2.0
"""What `colla train` prints: the JSON object that other programs rely on, and the table."""
import json
import unittest

from program import DICTIONARIES, ProgramTest
from samples import sample_table

KEYS = ["algorithm", "metric", "agents", "tasks", "curve", "final", "stl", "consensus_gap",
        "exchanges", "bytes_exchanged", "seconds", "numerics",
        "rows", "rows_per_task", "test_fraction", "better_alone", "recipe"]


class JsonReport(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", sample_table())
        self.write("labels.csv", sample_table(labels=(0, 1), rows=20))

    def bytes_without_seconds(self, *options):
        lines = self.colla("train", "rows.csv", "--json", *options).splitlines()
        kept = [line for line in lines if not line.lstrip().startswith('"seconds"')]
        self.assertEqual(len(lines), len(kept) + 1)
        return kept

    def test_the_object_has_the_keys_of_the_contract_with_their_types(self):
        for algorithm in ["ella", "stl"]:
            report = self.colla_json("train", "rows.csv", "--algorithm", algorithm)
            self.assertEqual(list(report), KEYS)
            self.assertEqual(report["algorithm"], algorithm)
            self.assertEqual(report["metric"], "rmse")
            for key in ["agents", "tasks", "exchanges", "bytes_exchanged"]:
                self.assertIsInstance(report[key], int, key)
            for key in ["final", "stl", "consensus_gap", "seconds"]:
                self.assertIsInstance(report[key], float, key)
            self.assertGreaterEqual(report["seconds"], 0.0)

    def test_the_curve_has_one_score_per_step_and_ends_at_the_final_score(self):
        report = self.colla_json("train", "rows.csv")
        self.assertEqual((report["agents"], report["tasks"]), (1, 3))
        self.assertEqual(len(report["curve"]), 3)
        self.assertEqual(report["curve"][-1], report["final"])

    def test_agents_share_the_steps(self):
        report = self.colla_json("train", "rows.csv", "--agents", "2")
        self.assertEqual((report["agents"], report["tasks"], len(report["curve"])), (2, 3, 2))

    def test_agents_without_edges_exchange_nothing(self):
        report = self.colla_json("train", "rows.csv", "--agents", "3", "--graph", "none")
        self.assertEqual((report["exchanges"], report["bytes_exchanged"]), (0, 0))

    def test_labels_are_measured_by_auc(self):
        report = self.colla_json("train", "labels.csv")
        self.assertEqual(report["metric"], "auc")
        for score in [*report["curve"], report["stl"]]:
            self.assertTrue(0.0 <= score <= 1.0)

    def test_scores_are_null_without_test_rows(self):
        report = self.colla_json("train", "rows.csv", "--test-fraction", "0")
        self.assertEqual(report["curve"], [None, None, None])
        self.assertIsNone(report["final"])
        self.assertIsNone(report["stl"])

    def test_single_task_learning_scores_as_the_stl_of_ella(self):
        alone = self.colla_json("train", "rows.csv", "--algorithm", "stl")
        shared = self.colla_json("train", "rows.csv", "--algorithm", "ella")
        self.assertEqual(alone["final"], alone["stl"])
        self.assertEqual(alone["stl"], shared["stl"])

    def test_the_same_seed_gives_the_same_bytes_apart_from_seconds(self):
        for options in [[], ["--seed", "5"], ["--agents", "3"]]:
            self.assertEqual(self.bytes_without_seconds(*options),
                             self.bytes_without_seconds(*options))

    def test_another_seed_gives_other_scores(self):
        self.assertNotEqual(self.bytes_without_seconds("--seed", "1"),
                            self.bytes_without_seconds("--seed", "2"))

    def test_the_same_seed_gives_the_same_model_file(self):
        for name in ["one", "two"]:
            self.colla("train", "rows.csv", "--model", name)
        self.assertEqual((self.folder / "one").read_bytes(), (self.folder / "two").read_bytes())

    def test_every_seed_of_64_bits_is_accepted(self):
        first = self.bytes_without_seconds("--seed", "18446744073709551615")
        second = self.bytes_without_seconds("--seed", "18446744073709551614")
        self.assertNotEqual(first, second)

    def test_built_in_data_need_no_file(self):
        for name in ["synthetic-regression", "synthetic-classification"]:
            report = self.colla_json("train", name)
            self.assertEqual(report["tasks"], 40)
            better = report["final"] < report["stl"] if report["metric"] == "rmse" else \
                report["final"] > report["stl"]
            self.assertTrue(better, report)
            self.assertIn(name, self.colla("data", "list"))


class TableReport(ProgramTest):
    def test_the_table_ends_with_the_scores_and_the_files_written(self):
        self.write("rows.csv", sample_table())
        text = self.colla("train", "rows.csv", *DICTIONARIES, "--model", "m.colla", "--state", "state")
        report = json.loads(self.colla("train", "rows.csv", *DICTIONARIES, "--json"))
        self.assertIn(f"{report['final']:#.4g}", text)
        self.assertIn("m.colla", text)
        self.assertIn("state", text)

    def test_a_long_stream_has_a_short_table(self):
        self.write("rows.csv", sample_table(tasks=[f"t{k}" for k in range(300)], rows=4))
        self.assertLess(len(self.colla("train", "rows.csv").splitlines()), 40)

    def test_help_is_there_for_the_program_and_each_command(self):
        self.assertIn("train", self.colla("--help"))
        self.assertEqual(self.colla("--help"), self.colla())
        for command in [["train"], ["predict"], ["evaluate"], ["data"], ["data", "describe"]]:
            self.assertIn("Usage:", self.colla(*command, "--help"))
        for option in ["--algorithm", "--agents", "--graph", "--atoms", "--lambda", "--mu", "--rho",
                       "--gamma", "--exchanges", "--init", "--seed", "--problem", "--task-column",
                       "--agent-column", "--target-column", "--no-intercept", "--test-fraction",
                       "--codes", "--model", "--state", "--json"]:
            self.assertIn(option, self.colla("train", "--help"))


if __name__ == "__main__":
    unittest.main()
