# SPDX-License-Identifier: Apache-2.0
"""Agents that live: a task is learned at once and safe, whoever is away; whoever comes gets the knowledge."""
import unittest

from bayes import related_task
from living import NAMES, LivingBayesTest, LivingTest
from network import random_task, wait_until
from program import read_table, run


class Learning(LivingTest):
    def setUp(self):
        super().setUp()
        self.net = self.network(NAMES)
        self.north, self.south, self.west = self.net.agents

    def test_a_task_is_learned_while_all_others_are_away_and_outlives_a_kill(self):
        self.north.start()
        self.north.wait_until_ready()
        for k in range(3):
            task = random_task(f"task {k}")
            output = self.net.learn("north", task, "--wait").stdout
            self.assertIn(f"learned: task {k} (8 rows)", output)
            self.north.kill()
            # Its model predicts, and says the same after the restart.
            before = self.predictions(self.north, task)
            self.north.start()
            self.north.wait_until_ready()
            self.assertEqual(self.predictions(self.north, task), before)
            self.assertEqual([name for name, _ in self.north.tasks()], [f"task {j}" for j in range(k + 1)])
        self.north.wait_for_text("south is away for")
        # Those that come later get it all.
        for agent in self.net.agents[1:]:
            agent.start()
            agent.wait_until_ready()
        self.net.check_optimum()

    def predictions(self, agent, task):
        rows = agent.home / "new.csv"
        rows.write_text(task.csv())
        return [row["prediction"] for row in read_table(
            agent.ask("predict", "--task", task.name, rows).stdout)]

    def test_waiting_until_settled_means_that_the_neighbours_agree(self):
        self.net.start()
        for number, agent in enumerate(self.net.agents):
            output = self.net.learn(agent.name, random_task(f"task {number}"), "--wait", "settled").stdout
            self.assertIn("settled: the neighbours agree", output)
        self.net.check_optimum()

    def test_waiting_until_settled_names_who_is_away(self):
        for agent in [self.north, self.south]:
            agent.start()
            agent.wait_until_ready()
        rows = self.south.home / "rows.csv"
        rows.write_text(random_task("task").csv())
        self.south.ask("learn", "--task", "task", rows)
        self.net.tasks["south"]["task"] = random_task("task")
        wait_until(lambda: any(line.startswith("west is away") for line in self.south.status()["waiting"]),
                   "south does not say whom it misses")
        self.assertFalse(self.south.status()["settled"])
        self.west.start()
        self.west.wait_until_ready()
        self.net.check_optimum()

    def test_a_task_is_learned_again_with_other_or_with_more_rows(self):
        self.net.start()
        first, second = random_task("task"), random_task("task", seed=2)
        self.net.learn("south", first)
        self.net.learn("south", second)
        self.net.settle()  # what north tells of the network then holds nothing of the first rows
        self.net.learn("north", random_task("other"))
        self.net.check_optimum()
        self.net.start()
        self.net.learn("south", first, "--append")
        self.net.tasks["south"]["task"].X = second.X + first.X
        self.net.tasks["south"]["task"].y = second.y + first.y
        self.net.check_optimum()
        self.assertEqual(len(self.south.tasks()), 3)

    def test_several_tasks_of_one_table_are_learned_together_or_not_at_all(self):
        self.north.start()
        self.north.wait_until_ready()
        tasks = [random_task(f"task {k}") for k in range(3)]
        lines = ["task," + tasks[0].csv().splitlines()[0]]
        for task in tasks:
            lines += [f"{task.name},{line}" for line in task.csv().splitlines()[1:]]
        table = self.write("table.csv", "\n".join(lines) + "\n")
        self.north.ask("learn", table)
        self.assertEqual(len(self.north.tasks()), 3)
        bad = self.write("bad.csv", "\n".join([*lines, "lonely,1,2,3,4,5,6"]) + "\n")
        process = self.north.ask("learn", bad, check=False)
        self.assertEqual(process.returncode, 2, process)
        self.assertIn("lonely", process.stderr)
        self.assertEqual(len(self.north.tasks()), 3)

    def test_a_forgotten_task_leaves_everybodys_knowledge(self):
        self.net.start()
        for number, agent in enumerate(self.net.agents):
            for k in range(2):
                self.net.learn(agent.name, random_task(f"task {2 * number + k}"))
        self.net.settle()
        self.net.forget("north", "task 1")
        process = self.north.ask("forget", "task 1", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("unknown to this agent", process.stderr)
        self.north.kill()
        self.north.start()
        self.north.wait_until_ready()
        self.net.check_optimum()
        # The last task of an agent too.
        self.net.start()
        self.net.forget("north", "task 0")
        self.net.check_optimum()

    def test_closing_is_for_networks_that_take_steps(self):
        self.north.start()
        self.north.wait_until_ready()
        process = self.north.ask("close", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("nothing to close", process.stderr)


class Knowledge(LivingBayesTest):
    """A collective prior: what the network knows predicts tasks that nobody has seen."""

    def setUp(self):
        super().setUp()
        self.net = self.network(NAMES)
        self.unknown = self.write("unknown.csv", related_task("unknown", 30).csv())

    def predictions(self, agent):
        """Of a task that it does not know."""
        process = run("agent", "predict", "--home", agent.home, "--task", "unknown", self.unknown)
        self.assertEqual(process.returncode, 0, process.stderr)
        return [row["prediction"] for row in read_table(process.stdout)]

    def learn_some(self, each=4):
        for number, agent in enumerate(self.net.agents):
            for k in range(each):
                task = related_task(f"task {each * number + k}", 12)
                self.net.learn(agent.name, task)
        self.net.settle()

    def spread(self, values):
        mean = sum(values) / len(values)
        return (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5

    def assert_near(self, found, expected, share):
        far = max(abs(a - b) for a, b in zip(found, expected, strict=True)) / self.spread(expected)
        self.assertLess(far, share)

    def test_all_agree_whoever_learned_what(self):
        self.net.start()
        self.learn_some()
        self.net.learn("west", related_task("last", 12), "--wait", "settled")
        self.net.check_optimum()
        predictions = [self.predictions(agent) for agent in self.net.agents]
        for other in predictions[1:]:
            self.assert_near(other, predictions[0], 0.3)  # each has its own prior too

    def test_the_first_prediction_of_an_agent_that_is_added_is_the_networks(self):
        self.net.start()
        self.learn_some()
        east = self.net.add("east", ["west"])
        self.net.tell("north")
        self.net.wait_for_version(2, NAMES)
        east.start()
        east.wait_until_ready()
        wait_until(lambda: all(n["connected"] for n in east.status()["neighbours"]), "no connection")
        self.net.settle()
        shared = self.predictions(east)
        self.net.check_optimum()
        self.assertEqual(self.predictions(east), shared)

    def test_a_forgotten_task_predicts_nothing_any_more(self):
        self.net.start()
        self.learn_some()
        self.net.settle()
        never = [self.predictions(agent) for agent in self.net.agents]
        strange = related_task("strange", 40)
        strange.y = [100 - 3 * y for y in strange.y]
        self.net.learn("south", strange)
        self.net.settle()
        self.net.forget("south", "strange")
        self.net.check_optimum()
        for agent, expected in zip(self.net.agents, never):
            self.assert_near(self.predictions(agent), expected, 1e-3)


if __name__ == "__main__":
    unittest.main()
