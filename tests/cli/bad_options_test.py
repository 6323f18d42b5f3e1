# SPDX-License-Identifier: Apache-2.0
"""Options with values they must not have: one line names the option, and nothing is written."""
import unittest

from program import DICTIONARIES, ProgramTest, matrix_text
from samples import sample_table


class BadOptions(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", sample_table())

    def refused_option(self, option, value):
        method = [] if option == "--algorithm" else DICTIONARIES
        with self.subTest(option=option, value=value):
            return self.refused("train", "rows.csv", *method, option, value, "--model", "m", "--state", "s",
                                naming=[option])

    def test_numbers_outside_their_range_are_refused(self):
        for option, values in {
                "--atoms": ["0", "-1"],
                "--agents": ["0", "-2"],
                "--lambda": ["0", "-0.1", "nan", "inf", "1e999", "1e-999"],
                "--mu": ["-0.1", "nan", "inf", "1e999"],
                "--gamma": ["0", "-0.1", "nan", "inf"],
                "--rho": ["-1", "nan", "inf"],
                "--exchanges": ["0", "-3", "0+0/t", "99999999999999999999"],
                "--test-fraction": ["1", "1.5", "-0.1", "nan"],
                "--seed": ["-1", "18446744073709551616", "99999999999999999999999"],
        }.items():
            for value in values:
                self.refused_option(option, value)

    def test_text_that_is_no_number_is_refused(self):
        for option, values in {
                "--atoms": ["abc", "", "1.5", "3x", "2 3"],
                "--lambda": ["abc", "", "1,5", "0.1x"],
                "--seed": ["abc", "1.5"],
                "--exchanges": ["abc", "", "3+", "3+t", "3+4/s", "1e3"],
                "--test-fraction": ["half"],
        }.items():
            for value in values:
                self.refused_option(option, value)

    def test_words_that_are_no_choice_are_refused_with_the_choices(self):
        for option, choices in {"--algorithm": ["ella", "stl"], "--codes": ["fresh", "stored"],
                                "--problem": ["regression", "classification"],
                                "--solver": ["dense", "matrix-free"]}.items():
            for value in ["nonsense", "0", ""]:
                message = self.refused_option(option, value)
                for choice in choices:
                    self.assertIn(choice, message)
                self.assertNotIn("->", message)

    def test_a_graph_has_no_meaning_for_separate_learners(self):
        for algorithm in ["ella", "stl", "go-mtl"]:
            self.refused("train", "rows.csv", "--algorithm", algorithm, "--graph", "line",
                         naming=["--graph", algorithm])

    def test_more_atoms_than_memory_are_refused_before_memory_is_taken(self):
        for atoms in ["99999999999", "100000000", "99999999999999999999"]:
            self.refused_option("--atoms", atoms)

    def test_an_option_without_its_value_is_named(self):
        self.refused("train", "rows.csv", "--atoms", naming=["--atoms"])

    def test_an_unknown_option_is_named(self):
        self.refused("train", "rows.csv", "--speed", naming=["--speed"])
        self.refused("--speed", naming=["--speed"])
        self.refused("predict", "m", "rows.csv", "--speed", naming=["--speed"])

    def test_an_unknown_command_is_named(self):
        self.refused("lern", "rows.csv", naming=["lern"])
        self.refused("data", "lst", naming=["lst"])

    def test_a_missing_argument_is_named(self):
        self.refused("train", naming=["DATA"])
        self.refused("predict", naming=["MODEL"])
        self.refused("evaluate", "m", naming=["ROWS"])
        self.refused("data", naming=["colla data --help"])

    def test_one_argument_too_many_is_named(self):
        self.refused("train", "rows.csv", "more.csv", naming=["more.csv"])

    def test_a_file_option_with_an_empty_name_is_refused(self):
        for option in ["--model", "--state", "--init"]:
            with self.subTest(option=option):
                self.refused("train", "rows.csv", *DICTIONARIES, option, "", naming=[option])


    def test_an_empty_name_of_rows_is_refused(self):
        self.colla("train", "rows.csv", "--model", "m.colla")
        for command, options in [("predict", ["--task", "--agent", "--task-column", "--agent-column"]),
                                 ("evaluate", ["--task", "--target-column"])]:
            for option in options:
                self.refused(command, "m.colla", "rows.csv", option, "", naming=[option, "is empty"])


class BadInit(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", sample_table())

    def refused_init(self, text, naming, *options):
        self.write("L0.csv", text)
        self.refused("train", "rows.csv", *DICTIONARIES, "--init", "L0.csv", "--model", "m", *options,
                     naming=["L0.csv", *naming])

    def test_the_wrong_shape_is_refused_with_the_right_one(self):
        self.refused_init(matrix_text([[1.0, 2.0]] * 3), ["3 x 2", "4 x 2"], "--atoms", "2")
        self.refused_init(matrix_text([[1.0, 2.0]] * 4), ["4 x 2", "4 x 3"], "--atoms", "3")
        self.refused_init(matrix_text([[1.0, 2.0]] * 4), ["4 x 2", "3 x 2"], "--no-intercept")

    def test_what_is_no_matrix_is_refused(self):
        self.refused_init("", ["is empty"])
        self.refused_init("a,b\n1,2\n", ["line 1", "'a'"])
        self.refused_init("1,2\n3\n", ["line 2"])
        self.refused_init("1,2\n3,nan\n", ["line 2"])

    def test_a_missing_file_is_named(self):
        self.refused("train", "rows.csv", *DICTIONARIES, "--init", "none.csv", naming=["none.csv"])
        self.refused("train", "rows.csv", *DICTIONARIES, "--init", ".", naming=["."])

    def test_the_matrix_says_how_many_atoms_there_are(self):
        self.write("L0.csv", matrix_text([[1.0, 2.0, 3.0]] * 4))
        self.colla("train", "rows.csv", *DICTIONARIES, "--init", "L0.csv", "--state", "state")
        self.assertEqual(len((self.folder / "state/L_0.csv").read_text().splitlines()[0].split(",")),
                         3)


if __name__ == "__main__":
    unittest.main()
