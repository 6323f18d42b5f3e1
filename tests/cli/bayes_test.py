# SPDX-License-Identifier: Apache-2.0
"""The collective prior from outside: nothing to set, intervals, tasks without rows."""
import csv
import json
import random
import unittest

from program import ProgramTest, run


def table(seed, tasks=12, rows=14):
    """Rows of related tasks: y = 3 + x (2 + task) + noise of deviation 0.5."""
    generator = random.Random(seed)
    lines = []
    for task in range(tasks):
        slope = 2 + generator.gauss(0, 0.4)
        for _ in range(rows):
            x = generator.gauss(0, 1)
            lines.append((f"t{task}", x, 3 + slope * x + generator.gauss(0, 0.5)))
    return lines


def text(lines):
    return "task,x,y\n" + "".join(f"{task},{x!r},{y!r}\n" for task, x, y in lines)


class BayesTest(ProgramTest):
    def train(self, lines, *options):
        self.write("rows.csv", text(lines))
        return self.colla("train", "rows.csv", "--algorithm", "bayes", *options)

    def predict(self, *options):
        process = run("predict", "m.colla", *options, cwd=self.folder)
        self.assertEqual(process.returncode, 0, process.stderr)
        rows = [{key: float(value) for key, value in row.items()}
                for row in csv.DictReader(process.stdout.splitlines())]
        return rows, process.stderr

    def refused(self, *arguments):
        process = run(*arguments, cwd=self.folder)
        self.assertEqual(process.returncode, 2)
        self.assertEqual(process.stderr.count("\n"), 1)
        return process.stderr

    def test_intervals_hold_about_nine_in_ten_new_rows(self):
        lines = table(1, rows=60)
        self.train(lines[::2], "--model", "m.colla", "--test-fraction", "0")
        self.write("new.csv", text(lines[1::2]))
        rows, _ = self.predict("new.csv", "--interval", "0.9")
        inside = sum(row["low"] <= y <= row["high"] for row, (_, _, y) in zip(rows, lines[1::2]))
        self.assertTrue(0.84 < inside / len(rows) < 0.96, inside / len(rows))

    def test_a_task_without_rows_is_predicted_by_the_prior_and_said(self):
        self.train(table(2), "--model", "m.colla", "--test-fraction", "0")
        self.write("new.csv", "task,x\nunseen,0\nunseen,1\nt0,1\n")
        (at_0, at_1, known), message = self.predict("new.csv", "--interval", "0.9")
        self.assertIn("no rows of unseen", message)
        self.assertAlmostEqual(at_0["prediction"], 3, delta=0.3)
        self.assertAlmostEqual(at_1["prediction"], 5, delta=0.5)
        self.assertGreater(at_1["high"] - at_1["low"], known["high"] - known["low"])

    def test_evaluate_says_and_counts_what_the_prior_predicts(self):
        self.train(table(2), "--model", "m.colla", "--test-fraction", "0")
        lines = table(7, tasks=3)
        self.write("new.csv", text([(f"new {task}" if task != "t0" else task, x, y) for task, x, y in lines]))
        process = run("evaluate", "m.colla", "new.csv", "--json", cwd=self.folder)
        self.assertEqual(process.stderr, "colla: warning: no rows of new t1, new t2 in training: "
                                         "predicted by what tasks have in common\n")
        self.assertEqual(json.loads(process.stdout)["new_tasks"], 2)
        self.write("new.csv", text(table(2)))
        self.assertEqual(self.colla_json("evaluate", "m.colla", "new.csv")["new_tasks"], 0)

    def test_one_agent_and_several_that_exchange_predict_nearly_the_same(self):
        lines = table(3, tasks=40)  # enough for agents to agree in spite of their own priors
        answers = []
        for options in ([], ["--agents", "4", "--graph", "complete", "--refresh", "40"]):
            self.train(lines, "--model", "m.colla", "--test-fraction", "0", *options)
            self.write("new.csv", "task,x\nunseen,0\nunseen,1\n")
            answers.append([row["prediction"] for row in self.predict("new.csv")[0]])
        for one, several in zip(*answers):
            self.assertAlmostEqual(one, several, delta=0.15)

    def test_old_tasks_are_estimated_again_as_often_as_is_asked_for(self):
        self.write("rows.csv", text(table(3)))
        for options, rounds in [([], 6), (["--refresh", "2"], 3), (["--refresh", "0"], 1)]:
            report = self.colla_json("train", "rows.csv", "--agents", "4", "--exchanges", "2", *options)
            self.assertEqual(report["exchanges"], 3 * 2 * rounds)

    def test_a_bent_world_is_learned_with_splines_and_a_straight_one_loses_nothing(self):
        bent = [(task, x, abs(x) * 4 + y / 20) for task, x, y in table(4, rows=40)]
        scores = {}
        for expand in ("none", "splines"):
            self.write("rows.csv", text(bent))
            scores[expand] = self.colla_json("train", "rows.csv", "--algorithm", "bayes", "--expand", expand)["final"]
        self.assertLess(scores["splines"], 0.5 * scores["none"])
        straight = table(5, rows=40)
        for expand in ("none", "splines"):
            self.write("rows.csv", text(straight))
            scores[expand] = self.colla_json("train", "rows.csv", "--algorithm", "bayes", "--expand", expand)["final"]
        self.assertLess(scores["splines"], 1.01 * scores["none"])

    def test_what_it_does_not_have_is_refused(self):
        self.write("rows.csv", text(table(6)))
        for option in (["--diagnose"], ["--state", "s"], ["--select"]):
            self.assertIn(option[0], self.refused("train", "rows.csv", "--algorithm", "bayes", *option))
        for option, value, reason in [("--rho", "3", "takes it from the graph"), ("--atoms", "3", "no dictionary"),
                                      ("--codes", "fresh", "no dictionary"), ("--solver", "dense", "no dictionary")]:
            message = self.refused("train", "rows.csv", option, value)
            self.assertIn(f"{option}: bayes ", message)
            self.assertIn(reason, message)
        self.colla("train", "rows.csv", "--gamma", "1")  # of each task on its own
        self.colla("train", "rows.csv", "--algorithm", "colla", "--model", "m.colla")
        self.assertIn("no intervals", self.refused("predict", "m.colla", "rows.csv", "--interval", "0.9"))


if __name__ == "__main__":
    unittest.main()
