# SPDX-License-Identifier: Apache-2.0
"""Networks with a recipe: tables as sites have them, tasks that are learned, shown and forgotten."""
import csv
import hashlib
import io
import json
import random
import tomllib
import unittest

from network import NetworkTest, random_task, run, table

NAMES = ["north", "south", "west"]
OPTIONS = ["--task-column", "ward", "--target-column", "stay", "--atoms", "2"]
HEADER = ["ward", "age", "unit", "stay"]


def stays(tasks, seed, rows=12):
    """Rows with words and missing cells."""
    numbers = random.Random(seed)
    lines = []
    for k in range(rows):
        for task in tasks:
            age, unit = numbers.randint(20, 90), numbers.choice(["icu", "er", "day"])
            stay = 0.1 * age + {"icu": 5, "er": 1, "day": 0}[unit] + numbers.gauss(0, 0.3)
            lines.append([task, "" if k == 3 else age, "NA" if k == 5 else unit, round(stay, 3)])
    return lines


def text_of(lines, separator=","):
    return table(HEADER, lines).replace(",", separator)


class RecipeNetwork(NetworkTest):
    def setUp(self):
        super().setUp()
        self.sample = self.write("sample.csv", text_of(stays(["a", "b", "c"], 1)))

    def recipe_network(self, *options, names=NAMES, mode="living", **more):
        metric = ["--metric", "kronecker"] if mode == "living" else []  # by it even few tasks settle soon
        return self.network(names, "--like", self.sample, *OPTIONS, *metric, *options, features=None, mode=mode, **more)

    def refused_learn(self, agent, text, *options, because):
        rows = self.write("refused.csv", text)
        process = agent.ask("learn", rows, *options, check=False)
        self.assertEqual((process.returncode, process.stdout), (2, ""), process)
        self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")
        self.assertIn(because, process.stderr)

    def csv_of(self, agent, *arguments):
        return list(csv.DictReader(io.StringIO(agent.ask(*arguments).stdout)))


class Tables(RecipeNetwork):
    def test_three_sites_learn_theirs_as_they_are(self):
        net = self.recipe_network()
        net.start()
        tables = [self.write("north.csv", text_of(stays(["10", "9"], 2))),
                  self.write("south.csv", text_of(stays(["a"], 3), ";")),
                  self.write("west.csv", text_of(stays(["a", "c"], 4), "\t"))]
        for agent, rows in zip(net.agents, tables):
            agent.ask("learn", rows, "--wait", "settled")
        north = net["north"]
        self.assertEqual(north.tasks(), [("9", 1), ("10", 2)])
        predicted = [float(row["prediction"]) for row in self.csv_of(north, "predict", tables[0])]
        true = [line[3] for line in stays(["10", "9"], 2)]
        rmse = (sum((p - y) ** 2 for p, y in zip(predicted, true)) / len(true)) ** 0.5
        self.assertLess(rmse, 1.5)  # in days; their spread is about 3
        evaluated = json.loads(north.ask("evaluate", tables[0], "--json").stdout)
        self.assertEqual([task["task"] for task in evaluated["tasks"]], ["10", "9"])
        self.assertIn("rmse", evaluated["alone"])
        self.assertLess(evaluated["alone"]["rmse"], evaluated["rmse"])  # they were learned from
        compared = north.ask("evaluate", tables[0])
        self.assertIn("each task for itself", compared.stdout)
        self.assertRegex(compared.stderr,
                         r"\Acolla: warning: each task for itself is better on these rows [^\n]+\n\Z")
        net.stop()
        model = self.folder / "model"
        north.ask("export", "--model", model)
        self.assertEqual(run("predict", model, tables[0]).stdout,
                         north.ask("predict", tables[0]).stdout)

    def test_labels_keep_their_names(self):
        rows = [[task, age, unit, "long" if stay > 7 else "brief"]
                for task, age, unit, stay in stays(["a"], 1, rows=40)]
        self.sample = self.write("sample.csv", text_of(rows))
        net = self.recipe_network(names=["alone"])
        self.assertEqual(tomllib.loads((net.folder / "network.toml").read_text())["problem"],
                         "classification")
        net.start()
        alone = net.agents[0]
        alone.ask("learn", self.sample, "--wait")
        predicted = [row["label"] for row in self.csv_of(alone, "predict", self.sample)]
        right = sum(label == row[3] for label, row in zip(predicted, rows))
        self.assertGreater(right, 34)

    def test_what_does_not_fit_is_refused_by_name_and_nothing_is_learned(self):
        net = self.recipe_network(names=["alone"])
        net.start()
        alone = net.agents[0]
        good = stays(["a", "b"], 2)
        for text, options, because in [
                (text_of(good).replace("age", "Age"), [], "there is no column 'age'"),
                (text_of(good).replace("ward", "room"), [], "no column 'ward' that names the tasks"),
                (text_of(good).replace("stay", "days"), [], "there is no column 'stay'"),
                (text_of([["a", "old", "er", 3], *good]), [], "column 'age'"),
                (text_of([["", 30, "er", 3], *good]), [], "the name is missing"),
                (text_of(good), ["--task", "a"], "column 'ward' names a, b, and --task names 'a'"),
                (text_of([*good, ["c", 30, "er", 3]]), [], "task 'c': has 1 row(s)"),
                (text_of([["a", 30, "er", ""]]), [], "no row has a target")]:
            with self.subTest(because=because):
                self.refused_learn(alone, text, *options, because=because)
        self.assertEqual(alone.tasks(), [])

    def test_a_table_without_tasks_needs_a_name(self):
        net = self.recipe_network(names=["alone"])
        net.start()
        alone = net.agents[0]
        rows = self.write("rows.csv", table(HEADER[1:], [line[1:] for line in stays(["a"], 2)]))
        output = alone.ask("learn", rows, "--task", "only", "--wait").stdout
        self.assertIn("learned: only (12 rows)", output)
        agreeing = self.write("agreeing.csv", text_of(stays(["only"], 2)))
        self.assertIn("learned: only", alone.ask("learn", agreeing, "--task", "only").stdout)

    def test_unknown_words_are_counted(self):
        net = self.recipe_network(names=["alone"])
        net.start()
        rows = self.write("rows.csv", text_of([["a", 30, "roof", 3], *stays(["a"], 2)]))
        self.assertIn("unit", net.agents[0].ask("learn", rows).stderr)


class Recipes(RecipeNetwork):
    def test_they_are_shown_and_come_back_from_a_file(self):
        net = self.recipe_network(names=["alone"])
        recipe = net.agents[0].home / "recipe.toml"
        process = run("network", "init", self.folder / "again", "--recipe", recipe, "--agents",
                      "a=localhost:7401")
        self.assertEqual(process.returncode, 0, process.stderr)
        for text in ["It tells every agent about the 36 rows", "age: mean ", "spread",
                     "unit: day ", "missing in 8.333 % of the rows"]:
            self.assertIn(text, process.stdout)
        self.assertEqual((self.folder / "again/a/recipe.toml").read_bytes(), recipe.read_bytes())

    def test_an_edited_one_is_refused(self):
        net = self.recipe_network(names=["north", "south"], mode="lockstep")
        north, south = net.agents
        recipe = north.home / "recipe.toml"
        recipe.write_text(recipe.read_text().replace('"icu"', '"ICU"'))
        process = north.ask("run", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("recipe.toml: is not the one that network.toml names", process.stderr)
        # A site that edits network.toml too is refused by the others.
        network = north.home / "network.toml"
        old = tomllib.loads(network.read_text())["recipe"]
        network.write_text(network.read_text().replace(
            old, hashlib.sha256(recipe.read_bytes()).hexdigest()))
        north.start()
        south.start()
        south.wait_for_log("its network.toml differs")


class PlainNetworks(NetworkTest):
    def test_a_task_column_makes_several_tasks(self):
        net = self.network(["alone"], features=2)
        net.start()
        alone = net.agents[0]
        tasks = [random_task(name, features=2) for name in ["b", "a"]]
        rows = [[task.name, *x, y] for task in tasks for x, y in zip(task.X, task.y)]
        both = self.write("both.csv", table(["task", "x0", "x1", "y"], rows))
        alone.ask("learn", both, "--wait")
        self.assertEqual(alone.tasks(), [("a", 1), ("b", 2)])
        together = {name: self.shown(alone, name)["features"] for name in "ab"}
        other = self.network(["alone"], features=2, folder="other")
        other.start()
        for task in reversed(tasks):
            other.agents[0].learn(task, "--wait")
        self.assertEqual(together, {name: self.shown(other.agents[0], name)["features"]
                                    for name in "ab"})

    def shown(self, agent, task):
        return json.loads(agent.ask("show", task, "--json").stdout)

    def test_a_task_is_shown_with_its_features_and_rows(self):
        net = self.network(["alone"], "--atoms", "2", features="age,dose")
        net.start()
        alone = net.agents[0]
        task = random_task("a", features=2)
        rows = self.write("rows.csv", task.csv().replace("x0,x1", "age,dose"))
        alone.ask("learn", rows, "--task", "a", "--wait")
        alone.ask("learn", rows, "--task", "a", "--append", "--wait")
        shown = self.shown(alone, "a")
        self.assertEqual((shown["rows"], shown["step"], len(shown["code"])), (16, 2, 2))
        self.assertEqual([entry["feature"] for entry in shown["features"]],
                         ["age", "dose", "(intercept)"])
        predicted = alone.ask("predict", rows, "--task", "a").stdout.splitlines()[1]
        theta = [entry["model"] for entry in shown["features"]]
        self.assertAlmostEqual(float(predicted),
                               theta[0] * task.X[0][0] + theta[1] * task.X[0][1] + theta[2])
        self.assertIn("a: 16 rows, learned in step 2", alone.ask("show", "a").stdout)
        process = alone.ask("show", "b", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("task 'b': unknown to this agent", process.stderr)


class Forgetting(NetworkTest):
    def test_in_lockstep_it_takes_a_step_and_survives_a_kill(self):
        """North forgets its first task; the same, with kills, gives the same bits."""
        states = []
        for kills in [False, True]:
            net = self.after_forgetting(random_task, "--atoms", "2", "--exchanges", "6", kills=kills)
            north = net["north"]
            self.assertEqual(north.tasks(), [("north 1", 1), ("north 2", 2), ("north 1", 3)])
            self.assertIn("forgot 'north 1'", north.log())
            self.assertIn("forget, step 3", north.ask("tasks").stdout)
            process = north.ask("predict", north.home / "rows.csv", "--task", "north 1",
                                check=False)
            self.assertEqual(process.returncode, 2)
            net.stop()
            states.append(net.state())
        self.assert_same_state(states[1], states[0])

    def test_unknown_tasks_and_closed_agents(self):
        net = self.network(["alone"])
        net.start()
        alone = net.agents[0]
        process = alone.ask("forget", "a", check=False)
        self.assertEqual((process.returncode, process.stdout), (2, ""))
        self.assertRegex(process.stderr, r"\Acolla: task 'a': unknown to this agent; [^\n]+\n\Z")
        alone.learn(random_task("a"), "--wait")
        self.assertIn("`colla agent reopen` undoes it", alone.ask("close").stdout)
        self.assertIn("forgotten: a in step 2", alone.ask("forget", "a", "--wait").stdout)
        refused = alone.ask("learn", alone.home / "rows.csv", "--task", "a", check=False)
        self.assertIn("closed", refused.stderr)
        alone.ask("reopen")
        alone.learn(random_task("a"), "--wait")
        self.assertEqual(alone.steps(), 3)


if __name__ == "__main__":
    unittest.main()
