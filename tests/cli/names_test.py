# SPDX-License-Identifier: Apache-2.0
"""Names of tasks that nobody can see are refused, other odd ones shown safely; tables too large for an agent are not read."""
import unittest

from program import DICTIONARIES, ProgramTest, run, table
from samples import FEATURES, sample_rows

BLANK = [" ", "\u00a0", "\u200b"]


class Names(ProgramTest):
    def named(self, name):
        """Rows whose third task has this name, in quotes."""
        rows = [list(row) for row in sample_rows()]
        third = list(dict.fromkeys(row[0] for row in rows))[2]
        rows = [[f'"{name}"' if row[0] == third else row[0], *row[1:]] for row in rows]
        return table(["task", "y", *FEATURES], rows)

    def test_train_refuses_blank_names(self):
        for options in [["--recipe", "none"], []]:
            for name in BLANK:
                self.write("rows.csv", self.named(name))
                self.refused("train", "rows.csv", *DICTIONARIES, *options, naming=["rows.csv, line", "'task'", "name"])

    def test_any_other_name_is_learned_and_shown_safely(self):
        self.write("rows.csv", self.named("a\u202eb\u2028"))
        self.colla("train", "rows.csv", "--model", "m")
        said = self.colla("show", "m", "--task", "a\u202eb\u2028") + self.colla("show", "m")
        self.assertIn(r"a\u202eb\u2028", said)
        self.assertNotRegex(said, "[\u202e\u2028]")

    def test_what_is_unseen_is_shown_by_its_number(self):
        process = run("train", "no\u202esuch.csv", cwd=self.folder)
        self.assertIn(r"no\u202esuch.csv", process.stderr)


class AgentsTables(ProgramTest):
    def setUp(self):
        super().setUp()
        self.colla("network", "init", "net", "--algorithm", "colla", "--features", "30", "--trust-neighbours",
                   "--agents", "north=127.0.0.1:7401,south=127.0.0.1:7402")

    def learn(self, *options, naming):
        self.refused("agent", "learn", "rows.csv", "--home", "net/north", *options, naming=naming)

    def test_a_task_option_is_a_name(self):
        self.write("rows.csv", "x,y\n1,2\n")
        for name in BLANK:
            self.learn("--task", name, naming=["--task: the name is empty; name it"])
        self.learn("--task", "a\u202eb", naming=["--task: the name holds the invisible character U+202E; remove it"])

    def test_a_table_that_cannot_fit_is_refused_before_it_is_read(self):
        self.write("rows.csv", "x,y\n" + "not a number\n" * 1_200_000)
        self.learn("--task", "a", naming=["rows.csv: its 1200000 rows are 293 MiB of numbers",
                                          "an agent takes 256 MiB at a time; give them in parts"])


if __name__ == "__main__":
    unittest.main()
