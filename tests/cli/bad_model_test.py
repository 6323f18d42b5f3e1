# SPDX-License-Identifier: Apache-2.0
"""Model files and rows that predict and evaluate must refuse."""
import sqlite3
import unittest

from program import DICTIONARIES, ProgramTest, table
from samples import FEATURES, sample_rows, sample_table

HEADER = ["task", "y", *FEATURES]


class BadModel(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", sample_table())
        self.colla("train", "rows.csv", "--model", "m.colla")

    def refused_by_both(self, model, naming):
        for command in ["predict", "evaluate"]:
            self.refused(command, model, "rows.csv", naming=[model, *naming])

    def change(self, sql):
        with sqlite3.connect(self.folder / "m.colla") as database:
            database.executescript(sql)
        database.close()

    def test_a_file_that_is_no_model_is_refused(self):
        (self.folder / "folder").mkdir()
        self.write("empty", "")
        for name in ["rows.csv", "folder", "empty"]:
            self.refused_by_both(name, ["is not a colla model file"])
        self.refused_by_both("nothing.colla", ["no such file"])

    def test_a_database_of_another_kind_is_refused(self):
        self.change("PRAGMA application_id = 1")
        self.refused_by_both("m.colla", ["is not a colla model file"])

    def test_a_newer_model_says_so(self):
        self.change("PRAGMA user_version = 99")
        self.refused_by_both("m.colla", ["newer version", "update colla"])

    def test_a_damaged_model_says_so(self):
        good = (self.folder / "m.colla").read_bytes()
        self.change("UPDATE tasks SET gamma_rows = 0")
        self.refused_by_both("m.colla", ["is damaged"])
        self.write("m.colla", good[:len(good) // 2])
        self.refused_by_both("m.colla", ["is damaged"])
        self.write("m.colla", good[:100] + bytes(len(good) - 100))
        self.refused_by_both("m.colla", ["is damaged"])

    def test_a_hostile_view_is_not_run(self):
        self.change("DROP TABLE features; CREATE VIEW features AS WITH RECURSIVE n(i) AS "
                    "(SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i AS position, 'x' AS name FROM n")
        self.refused_by_both("m.colla", ["is damaged"])


class BadRows(ProgramTest):
    recipe = []
    header = "rows.csv: "
    bad_lines = [("a,1,tall,2,3", "height"), ("a,1,2,3,inf", "depth")]

    def setUp(self):
        super().setUp()
        self.write("train.csv", sample_table())
        self.colla("train", "train.csv", "--model", "m.colla", *DICTIONARIES, *self.recipe)

    def refused_rows(self, text, naming, *options, commands=("predict", "evaluate")):
        self.write("rows.csv", text)
        for command in commands:
            self.refused(command, "m.colla", "rows.csv", *options, naming=naming)

    def test_an_unknown_task_is_named_by_its_line(self):
        rows = [*sample_rows(), ["zebra", 1.0, 2.0, 3.0, 4.0]]
        self.refused_rows(table(HEADER, rows), ["rows.csv, line 26", "'zebra'"])
        self.refused_rows(sample_table(), ["'zebra'"], "--task", "zebra")

    def test_an_unknown_agent_is_named(self):
        self.refused_rows(sample_table(), ["'zebra'", "agent"], "--agent", "zebra")
        rows = [["zebra", *row] for row in sample_rows()]
        self.refused_rows(table(["agent", *HEADER], rows), ["rows.csv, line 2", "'zebra'"])

    def test_a_missing_feature_is_named(self):
        rows = [row[:-1] for row in sample_rows()]
        self.refused_rows(table(HEADER[:-1], rows), [self.header, "'depth'"])

    def test_a_missing_task_column_is_named(self):
        rows = [row[1:] for row in sample_rows()]
        self.refused_rows(table(HEADER[1:], rows), [self.header, "'task'", "--task"])

    def test_evaluate_needs_targets(self):
        rows = [[row[0], *row[2:]] for row in sample_rows()]
        self.refused_rows(table(["task", *FEATURES], rows), [self.header, "'y'"],
                          commands=["evaluate"])

    def test_bad_rows_are_named_by_line_and_column(self):
        lines = sample_table().splitlines()
        head, tail = lines[:3], lines[4:]
        for line, column in self.bad_lines:
            self.refused_rows("\n".join([*head, line, *tail]), ["rows.csv, line 4", column])
        self.refused_rows("\n".join([*head, "a,1,2", *tail]), ["rows.csv, line 4", "3 fields"])
        self.refused_rows("\n".join([*head, "a,x,1,2,3"]), ["rows.csv, line 4", "'y'"],
                          commands=["evaluate"])

    def test_files_without_rows_are_refused(self):
        self.refused_rows("", ["rows.csv", "empty"])
        self.refused_rows(",".join(HEADER), ["rows.csv", "no rows"])
        self.refused("predict", "m.colla", "nothing.csv", naming=["nothing.csv"])
        self.refused("predict", "m.colla", ".", naming=["directory"])

    def test_a_duplicate_column_is_named(self):
        rows = [[*row, 1.0] for row in sample_rows()]
        self.refused_rows(table([*HEADER, "height"], rows), ["rows.csv, line 1", "'height'"])

    def test_labels_are_checked_in_classification(self):
        self.write("train.csv", sample_table(labels=(0, 1)))
        self.colla("train", "train.csv", "--model", "m.colla", *DICTIONARIES, *self.recipe)
        rows = [["a", 2, 1.0, 2.0, 3.0]]
        self.refused_rows(table(HEADER, rows), ["rows.csv, line 2", "'2'"], commands=["evaluate"])


class BadNumbers(BadRows):
    """A model of numbers as they are."""
    recipe = ["--recipe", "none"]
    header = "rows.csv, line 1: "
    bad_lines = [*BadRows.bad_lines, ("a,1,2,nan,3", "width"), ("a,1,2,3,", "depth")]


if __name__ == "__main__":
    unittest.main()
