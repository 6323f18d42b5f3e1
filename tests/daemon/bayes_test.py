# SPDX-License-Identifier: Apache-2.0
"""Agents that learn a collective prior: the bits of `colla train`, with kills and cuts too, and what each agent answers."""
import csv
import json
import unittest

from bayes import FEATURES, BayesTest, related_task
from chaos import check_disturbed
from program import run, table

NAMES = ["north", "south", "west"]


class AgainstTraining(BayesTest):
    def check(self, tasks, *options):
        self.learned_in_lockstep(NAMES[:len(tasks)], tasks, *options)

    def test_numbers_on_a_line(self):
        self.write_recipe()
        self.check([[related_task(f"{name} {k}") for k in range(3)] for name in NAMES])

    def test_labels_on_a_ring(self):
        self.write_recipe(labels=True)
        self.check([[related_task(f"{name} {k}", 20, labels=True) for k in range(3)]
                    for name in NAMES], "--graph", "ring", "--exchanges", "7")

    def test_splines_few_rows_and_tasks_that_come_again_to_an_uneven_network(self):
        self.write_recipe(expand="splines")
        again = [related_task("a", rows=5), related_task("b", rows=40), related_task("a", seed=2)]
        self.check([again, [related_task("c")], again[:2]], "--refresh", "2", "--no-intercept")

    def test_agents_without_neighbours(self):
        self.write_recipe()
        self.check([[related_task(f"{name} {k}") for k in range(2)] for name in NAMES[:2]],
                   "--graph", "none")


class Disturbances(BayesTest):
    def test_kills_and_cuts_leave_no_trace(self):
        self.write_recipe()
        check_disturbed(self, kills=10, cuts=10, seed=2018,
                        options=["--graph", "random", "--exchanges", "6", "--refresh", "2"])

    def test_a_forgotten_task_stays_forgotten_through_a_kill(self):
        self.write_recipe()
        states = []
        for kills in [False, True]:
            net = self.after_forgetting(related_task, kills=kills)
            net.stop()
            states.append(net.state())
        self.assertEqual([task[0] for task in states[0]["agent 0"][1]], ["north 2"])
        self.assert_same_state(states[1], states[0])


class Answers(BayesTest):
    """Three agents with five tasks each."""

    def setUp(self):
        super().setUp()
        self.write_recipe()
        self.net = self.network(NAMES, joins=True)
        self.net.start()
        for agent in self.net.agents:
            for k in range(5):
                agent.learn(related_task(f"{agent.name} {k}", rows=12), "--wait")
        self.net.wait_for_steps(15)

    def predicted(self, agent, task, rows, *options):
        file = self.write("new.csv", table([f"x{k}" for k in range(FEATURES)], rows))
        process = agent.ask("predict", file, "--task", task, *options)
        return ([{key: float(value) for key, value in row.items()}
                 for row in csv.DictReader(process.stdout.splitlines())], process.stderr)

    def test_intervals_are_wider_for_a_task_without_rows_which_is_said(self):
        north = self.net["north"]
        new = related_task("north 1", rows=60, seed=1)
        known, message = self.predicted(north, "north 1", new.X, "--interval", "0.9")
        self.assertEqual(message, "")
        inside = sum(row["low"] <= y <= row["high"] for row, y in zip(known, new.y))
        self.assertGreater(inside, 48)
        unseen, message = self.predicted(north, "unseen", new.X, "--interval", "0.9")
        self.assertRegex(message, r"\Acolla: warning: no rows of unseen[^\n]+\n\Z")
        width = [sum(row["high"] - row["low"] for row in rows) for rows in (known, unseen)]
        self.assertGreater(width[1], 1.5 * width[0])
        self.assertLess(max(abs(row["prediction"] - y) for row, y in zip(unseen, new.y)), 40)
        others, _ = self.predicted(self.net["south"], "north 1", new.X)
        for row, own in zip(others, unseen):  # the network's prior, near enough
            self.assertAlmostEqual(row["prediction"], own["prediction"], delta=3)

    def test_what_it_exports_predicts_the_same(self):
        north = self.net["north"]
        rows = related_task("north 1").X
        expected = self.predicted(north, "north 1", rows, "--interval", "0.5")
        north.ask("export", "--model", self.folder / "north.colla")
        process = run("predict", self.folder / "north.colla", self.folder / "new.csv", "--task", "north 1",
                      "--interval", "0.5")
        self.assertEqual([[float(value) for value in row] for row in csv.reader(process.stdout.splitlines()[1:])],
                         [list(row.values()) for row in expected[0]])
        process = north.ask("export", "--state", self.folder / "state", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(process.stderr, r"\Acolla: --state: bayes has no dictionary; [^\n]+\n\Z")

    def test_a_task_is_shown_beside_the_network(self):
        north = self.net["north"]
        shown = json.loads(north.ask("show", "north 1", "--json").stdout)
        self.assertEqual((shown["rows"], shown["step"]), (12, 2))
        self.assertEqual([feature["feature"] for feature in shown["features"]],
                         [*(f"x{k}" for k in range(FEATURES)), "(intercept)"])
        for feature in shown["features"]:
            self.assertGreater(feature["spread"], 0)
            # A task of 12 rows lies between its own model and the network's, as far as rows differ.
            self.assertLess(abs(feature["model"] - feature["network"]), 4 * feature["spread"] + 0.1)
        text = north.ask("show", "north 1").stdout
        self.assertRegex(text, r"feature +step +model +alone +network +spread\n")
        self.assertIn("effects on y of one step: a number's standard deviation", text)
        self.assertIn("\naverage row ", text)
        process = north.ask("show", "north 9", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("task 'north 9': unknown to this agent", process.stderr)

    def test_effects_are_those_that_show_has_of_its_model(self):
        north = self.net["north"]
        of_agent = json.loads(north.ask("show", "north 1", "--json").stdout)["features"]
        north.ask("export", "--model", self.folder / "north.colla")
        part = json.loads(run("show", self.folder / "north.colla", "--json").stdout)["parts"][0]
        task = next(task for task in part["tasks"] if task["task"] == "north 1")
        for feature, expected, effect in zip(of_agent, part["features"], task["estimate"], strict=True):
            self.assertEqual((feature["feature"], feature["step"]), (expected["feature"], expected["step"] or ""))
            for value, other in [(feature["model"], effect), (feature["network"], expected["mean"]),
                                 (feature["spread"], expected["spread"])]:
                self.assertAlmostEqual(value, other, delta=1e-9)

    def test_rows_are_evaluated_beside_each_task_for_itself(self):
        north = self.net["north"]
        few = related_task("few", rows=3)
        north.learn(few, "--wait")
        new = related_task("few", rows=100)
        rows = self.write("few.csv", new.csv())
        measured = json.loads(north.ask("evaluate", rows, "--task", "few", "--json").stdout)
        self.assertLess(measured["rmse"], 0.5 * measured["alone"]["rmse"])

    def test_a_forgotten_task_is_predicted_as_one_without_rows(self):
        north = self.net["north"]
        rows = related_task("north 1").X
        north.ask("forget", "north 1", "--wait")
        gone, message = self.predicted(north, "north 1", rows)
        self.assertIn("no rows of north 1", message)
        self.assertEqual(gone, self.predicted(north, "unseen", rows)[0])
        self.assertIn("forget, step 16", north.ask("tasks").stdout)


if __name__ == "__main__":
    unittest.main()
