# SPDX-License-Identifier: Apache-2.0
"""Data that cannot be learned from: one line says what, where and what to do."""
import unittest

import mat_writer
from program import DICTIONARIES, ProgramTest, table
from samples import FEATURES, sample_rows, sample_table

HEADER = ["task", "y", *FEATURES]


class CsvTest(ProgramTest):
    def refused_rows(self, text, naming, *options):
        self.write("rows.csv", text)
        outputs = ["--model", "m.colla", "--state", "state", "--json"]
        self.refused("train", "rows.csv", *DICTIONARIES, *outputs, *options, naming=naming)

    def with_cell(self, line, column, value):
        """Good rows with one field changed; the header is line 1."""
        rows = [HEADER, *sample_rows()]
        rows[line - 1] = list(rows[line - 1])
        rows[line - 1][column] = value
        return table(rows[0], rows[1:])


class BadCsv(CsvTest):
    def test_a_missing_file_is_named(self):
        self.refused("train", "nothing.csv", naming=["nothing.csv", "no such file"])

    def test_a_directory_is_no_file(self):
        (self.folder / "folder").mkdir()
        self.refused("train", "folder", naming=["folder", "is a directory"])

    def test_an_empty_file_is_refused(self):
        for text in ["", "\n", "\ufeff"]:
            self.refused_rows(text, ["rows.csv", "is empty"])

    def test_a_header_without_rows_is_refused(self):
        self.refused_rows(",".join(HEADER) + "\n", ["rows.csv", "no rows"])

    def test_a_ragged_row_is_named_by_its_line(self):
        lines = sample_table().splitlines()
        self.refused_rows("\n".join([*lines[:4], lines[4] + ",1", *lines[5:]]), ["rows.csv, line 5"])
        self.refused_rows("\n".join([*lines, "a,1"]), ["rows.csv, line 26", "2 fields"])

    def test_text_in_a_numeric_column_is_named_by_line_and_column(self):
        self.refused_rows(self.with_cell(3, 2, "tall"), ["rows.csv, line 3", "height", "'tall'"])
        self.refused_rows(self.with_cell(7, 1, "much"), ["rows.csv, line 7", "y", "'much'"])
        for value in ["inf", "-Infinity", "1e999", "-1e200"]:
            self.refused_rows(self.with_cell(4, 3, value), ["rows.csv, line 4", "width"])
            self.refused_rows(self.with_cell(4, 1, value), ["rows.csv, line 4", "'y'"])

    def test_numbers_out_of_range_in_few_rows_are_no_words(self):
        rows = sample_rows(rows=3)
        for value in ["1e31", "-inf", "1e400"]:
            for column, name in [(1, "'y'"), (3, "'width'")]:
                rows_with = [list(row) for row in rows]
                rows_with[4][column] = value
                self.refused_rows(table(HEADER, rows_with), ["rows.csv, line 6", name, f"'{value}'", "1e30"])

    def test_a_missing_task_or_target_column_is_named(self):
        self.refused_rows(self.with_cell(1, 0, "who"), ["rows.csv", "'task'", "'who'"])
        self.refused_rows(self.with_cell(1, 1, "price"), ["rows.csv", "'y'", "'price'"])
        self.refused_rows(sample_table(), ["'who'"], "--task-column", "who")
        self.refused_rows(sample_table(), ["'price'"], "--target-column", "price")
        self.refused_rows(sample_table(), ["'clinic'"], "--agent-column", "clinic")

    def test_one_column_for_two_purposes_is_refused(self):
        for options in [["--target-column", "task"], ["--target-column", "width", "--task-column", "width"]]:
            self.refused_rows(sample_table(), ["two of the task, agent and target columns"], *options)

    def test_a_duplicate_column_is_named(self):
        self.refused_rows(self.with_cell(1, 3, "height"), ["rows.csv, line 1", "'height'", "twice"])

    def test_the_intercepts_name_is_reserved(self):
        for options in [[], ["--no-intercept"]]:
            self.refused_rows(self.with_cell(1, 3, "(intercept)"), ["rows.csv, line 1", "(intercept)"],
                              *options)

    def test_a_file_without_features_is_refused(self):
        self.refused_rows("task,y\n" + "a,1\na,2\na,3\n" * 4, ["rows.csv", "no column is left as a feature"])

    def test_a_task_with_one_row_is_named(self):
        rows = [*sample_rows(), ["lonely", 1.0, 2.0, 3.0, 4.0]]
        self.refused_rows(table(HEADER, rows), ["rows.csv, line 26", "'lonely'", "1 row"])

    def test_a_classification_task_with_one_class_is_named_with_its_place(self):
        rows = [*sample_rows(labels=(0, 1)), *([name, 1, *x] for name, _, *x in
                                               sample_rows(tasks=["sure"]))]
        self.refused_rows(table(HEADER, rows), ["rows.csv, line 26", "'sure'", "class"])

    def test_several_tasks_with_one_class_are_named_together(self):
        rows = [*sample_rows(labels=("no", "yes")), *([name, "yes", *x] for name, _, *x in
                                                      sample_rows(tasks=["sure", "certain"]))]
        self.refused_rows(table(HEADER, rows), ["rows.csv", "2 tasks", "'sure'", "'certain'", "one class"])

    def test_several_tasks_with_one_row_are_named_together(self):
        rows = [*sample_rows(), ["lonely", 1.0, 2.0, 3.0, 4.0], ["single", 1.0, 2.0, 3.0, 4.0]]
        self.refused_rows(table(HEADER, rows), ["rows.csv", "2 tasks", "'lonely'", "'single'", "1 row"])

    def test_targets_that_are_all_the_same_are_refused(self):
        rows = [[task, 1, *x] for task, _, *x in sample_rows()]
        for options in [[], ["--problem", "classification"], ["--problem", "regression"]]:
            self.refused_rows(table(HEADER, rows), ["rows.csv", "'y'", "all targets are"], *options)

    def test_binary_files_are_no_csv(self):
        self.write("rows.csv", bytes(range(256)))
        self.refused("train", "rows.csv", naming=["rows.csv"])
        self.write("rows.csv", b"task,y,x\na,1,\xff\n")
        self.refused("train", "rows.csv", naming=["rows.csv, line 2", "UTF-8"])

    def test_describe_refuses_what_train_refuses(self):
        self.write("rows.csv", self.with_cell(3, 2, "tall"))
        self.refused("data", "describe", "rows.csv", naming=["rows.csv, line 3", "'tall'"])
        self.refused("data", "describe", "nothing.csv", naming=["nothing.csv"])

    def test_more_agents_than_tasks_are_refused(self):
        self.refused_rows(sample_table(), ["3 tasks", "4 agents"], "--agents", "4")

    def test_a_number_of_agents_that_the_file_contradicts_is_refused(self):
        text = table(["agent", *HEADER], [[f"agent {row[0]}", *row] for row in sample_rows()])
        self.refused_rows(text, ["--agents", "2", "3"], "--agents", "2")


class BadNumbers(CsvTest):
    """Files that are read without a recipe: numbers only."""

    def refused_rows(self, text, naming, *options):
        super().refused_rows(text, naming, "--recipe", "none", *options)

    def test_text_and_gaps_are_named_by_line_and_column(self):
        self.refused_rows(self.with_cell(3, 2, "tall"), ["rows.csv, line 3", "height", "'tall'"])
        self.refused_rows(self.with_cell(7, 1, "much"), ["rows.csv, line 7", "y", "'much'"])
        self.refused_rows(self.with_cell(7, 4, ""), ["rows.csv, line 7", "depth"])

    def test_a_missing_column_is_named(self):
        self.refused_rows(self.with_cell(1, 0, "who"), ["rows.csv, line 1", "'task'"])
        self.refused_rows(self.with_cell(1, 1, "price"), ["rows.csv, line 1", "'y'"])

    def test_a_file_without_features_is_refused(self):
        self.refused_rows("task,y\na,1\na,2\n", ["rows.csv", "no feature columns"])

    def test_nan_and_infinity_are_named_by_line_and_column(self):
        for value in ["nan", "NaN", "inf", "-Infinity", "1e999"]:
            self.refused_rows(self.with_cell(4, 3, value), ["rows.csv, line 4", "width"])
            self.refused_rows(self.with_cell(4, 1, value), ["rows.csv, line 4", "'y'"])

    def test_numbers_beyond_the_bound_are_named_by_line_and_column_for_every_algorithm(self):
        for algorithm in ["bayes", "colla", "ella", "stl", "go-mtl", "offline-colla"]:
            with self.subTest(algorithm=algorithm):
                for column, name in [(1, "'y'"), (3, "'width'")]:
                    self.write("rows.csv", self.with_cell(4, column, "-1e200"))
                    self.refused("train", "rows.csv", "--recipe", "none", "--algorithm", algorithm, "--model", "m.colla",
                                 naming=["rows.csv, line 4", name, "-1e+200 is beyond 1e30", "scale"])

    def test_labels_that_are_all_the_same_are_refused(self):
        rows = [[task, 1, *x] for task, _, *x in sample_rows()]
        self.refused_rows(table(HEADER, rows), ["class"], "--problem", "classification")

    def test_three_labels_are_no_classification(self):
        rows = [[task, k % 3, *x] for k, (task, _, *x) in enumerate(sample_rows())]
        self.refused_rows(table(HEADER, rows), ["rows.csv", "'y'"], "--problem", "classification")
        words = [[task, ["red", "green", "blue"][k % 3], *x]
                 for k, (task, _, *x) in enumerate(sample_rows())]
        self.refused_rows(table(HEADER, words), ["rows.csv", "'y'"], "--problem", "classification")


class BadMat(ProgramTest):
    def refused_bytes(self, content, naming):
        self.write("tasks.mat", content)
        self.refused("train", "tasks.mat", *DICTIONARIES, "--model", "m.colla", "--state", "state", naming=naming)

    def setUp(self):
        super().setUp()
        self.X = [[[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]], [[2.0, 1.0], [0.0, 5.0]]]
        self.Y = [[[1.5], [2.0], [3.0]], [[2.5], [1.0]]]
        self.good = mat_writer.mat_file(self.X, self.Y)

    def test_a_good_file_is_read(self):
        self.write("tasks.mat", self.good)
        self.assertEqual(self.colla_json("train", "tasks.mat")["tasks"], 2)

    def test_different_feature_counts_are_refused(self):
        self.X[1] = [[2.0, 1.0, 1.0], [0.0, 5.0, 1.0]]
        self.refused_bytes(mat_writer.mat_file(self.X, self.Y), ["tasks.mat", "X{2}", "3 features"])

    def test_different_numbers_of_rows_and_targets_are_refused(self):
        self.Y[1].append([1.0])
        self.refused_bytes(mat_writer.mat_file(self.X, self.Y), ["tasks.mat", "X{2}"])

    def test_different_numbers_of_cells_are_refused(self):
        self.refused_bytes(mat_writer.mat_file(self.X, self.Y[:1]), ["tasks.mat"])

    def test_nan_is_named_by_its_cell(self):
        self.X[1][0][1] = float("nan")
        self.refused_bytes(mat_writer.mat_file(self.X, self.Y), ["tasks.mat", "X{2}"])

    def test_a_task_with_one_row_is_named_by_its_cell(self):
        self.X[1], self.Y[1] = self.X[1][:1], self.Y[1][:1]
        self.refused_bytes(mat_writer.mat_file(self.X, self.Y), ["tasks.mat", "{2}", "1 row"])

    def test_a_file_that_was_cut_anywhere_is_refused(self):
        for size in [0, 1, 100, 127, 128, 136, 200, 300, len(self.good) // 2, len(self.good) - 9]:
            with self.subTest(size=size):
                self.refused_bytes(self.good[:size], ["tasks.mat"])

    def test_a_text_file_is_no_mat_file(self):
        self.refused_bytes(sample_table().encode(), ["tasks.mat"])

    def test_sizes_that_the_file_only_claims_are_not_believed(self):
        huge = mat_writer.array("X", mat_writer.CELL_CLASS, 1, 2 ** 31 - 1, b"")
        self.refused_bytes(self.good[:128] + huge, ["tasks.mat"])
        wide = mat_writer.array("", mat_writer.DOUBLE_CLASS, 2 ** 31 - 1, 2 ** 31 - 1,
                                mat_writer.element(mat_writer.DOUBLE, b"\0" * 8))
        both = b"".join(mat_writer.array(name, mat_writer.CELL_CLASS, 1, 1, wide) for name in "XY")
        self.refused_bytes(self.good[:128] + both, ["tasks.mat"])

    def test_a_directory_named_as_a_mat_file_is_refused(self):
        (self.folder / "folder.mat").mkdir()
        self.refused("train", "folder.mat", naming=["folder.mat"])


if __name__ == "__main__":
    unittest.main()
