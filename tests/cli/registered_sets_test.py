# SPDX-License-Identifier: Apache-2.0
"""`colla data list, describe, check` and training by name: the registered data sets."""
import os
import pathlib
import shutil
import unittest

import mat_writer
from program import DICTIONARIES, ProgramTest, run
from samples import sample_table
from writing_test import limit_file_size

FILES = {"landmine": "LandmineData.mat", "london-schools": "school.mat",
         "computer-survey": "conjointAnalysisComputerBuyers.mat"}
SYNTHETIC = ["facial-expression-synthetic", "synthetic-regression", "synthetic-classification"]


def real_data():
    """The folder with the paper's files. The test is skipped where there is none."""
    folder = os.environ.get("COLLA_DATA", "")
    if not all(os.path.exists(os.path.join(folder, name)) for name in FILES.values()):
        raise unittest.SkipTest("COLLA_DATA names no folder with the paper's data")
    return folder


class List(ProgramTest):
    def listed(self, *options):
        return {entry["name"]: entry for entry in self.colla_json("data", "list", *options)}

    def test_every_set_is_there_with_its_file(self):
        sets = self.listed("--data-dir", ".")
        self.assertEqual(set(sets), {*FILES, *SYNTHETIC})
        for name, file in FILES.items():
            self.assertEqual((sets[name]["file"], sets[name]["state"]), (file, "missing"))
            self.assertEqual(len(sets[name]["sha256"]), 64)
        for name in SYNTHETIC:
            self.assertTrue(sets[name]["synthetic"])
        text = self.colla("data", "list", "--data-dir", ".")
        for part in [*FILES, *FILES.values(), *SYNTHETIC, "missing"]:
            self.assertIn(part, text)

    def test_a_file_that_is_there_is_found(self):
        self.write("school.mat", b"")
        self.assertEqual(self.listed("--data-dir", ".")["london-schools"]["state"], "found")

    def test_a_folder_in_a_files_place_is_not_found(self):
        (self.folder / "school.mat").mkdir()
        self.assertEqual(self.listed("--data-dir", ".")["london-schools"]["state"], "missing")


class MissingFiles(ProgramTest):
    def test_train_and_describe_say_how_to_place_the_file(self):
        for name, file in FILES.items():
            for command in [["train", name], ["data", "describe", name]]:
                self.refused(*command, "--data-dir", ".", naming=[file, "is not there", "published"])

    def test_without_a_folder_the_message_says_how_to_name_one(self):
        process = run("train", "landmine", cwd=self.folder, environment={"COLLA_DATA": None})
        self.assertEqual((process.returncode, process.stdout), (2, ""))
        for part in ["LandmineData.mat", "--data-dir", "COLLA_DATA", "Duke University"]:
            self.assertIn(part, process.stderr)

    def test_an_unknown_name_is_answered_with_the_known_ones(self):
        self.refused("train", "london", naming=["london", "no such file or data set", *FILES])
        self.refused("data", "describe", "london", naming=["london-schools"])

    def test_a_wrong_file_is_not_read(self):
        self.write("school.mat", b"x" * 44759)
        self.refused("train", "london-schools", "--data-dir", ".", naming=["school.mat", "SHA-256"])


class Check(ProgramTest):
    def checked(self, *arguments):
        """The lines of a check, and whether all are fine."""
        process = run("data", "check", *arguments, cwd=self.folder)
        lines = process.stdout.splitlines()
        wrong = [line for line in lines if ": wrong: " in line]
        self.assertEqual(process.returncode, 2 if wrong else 0)
        if wrong:
            self.assertRegex(process.stderr, rf"\Acolla: {len(wrong)} of {len(lines)} [^\n]*\n\Z")
        else:
            self.assertEqual(process.stderr, "")
        return lines, not wrong

    def test_every_registered_set_has_a_line(self):
        lines, fine = self.checked("--data-dir", ".")
        self.assertFalse(fine)
        self.assertEqual([line.split(":")[0] for line in lines], [*FILES, *SYNTHETIC])
        self.assertEqual([": wrong: " in line for line in lines], [True] * 3 + [False] * 3)

    def test_good_and_bad_files_are_told_apart(self):
        self.write("good.csv", sample_table())
        self.write("good.mat", mat_writer.mat_file([[[1.0, 2.0], [3.0, 5.0]]], [[[1.5], [2.0]]]))
        self.write("ragged.csv", sample_table() + "a,1\n")
        lines, fine = self.checked("good.csv", "good.mat")
        self.assertTrue(fine)
        self.assertIn("3 tasks, 24 rows, 3 features", lines[0])
        self.assertIn("1 task, 2 rows, 2 features", lines[1])
        lines, fine = self.checked("good.csv", "ragged.csv", "none.csv", "unknown")
        self.assertEqual([": wrong: " in line for line in lines], [False, True, True, True])
        self.assertIn("ragged.csv, line 26", lines[1])

    def test_a_cut_and_a_changed_file_are_wrong(self):
        content = pathlib.Path(real_data(), "school.mat").read_bytes()
        self.write("school.mat", content)
        self.assertTrue(self.checked("london-schools", "school.mat", "--data-dir", ".")[1])
        for other, part in [(content[:-1], "44758 bytes"), (b"x" + content[1:], "SHA-256")]:
            self.write("school.mat", other)
            lines, fine = self.checked("london-schools", "--data-dir", ".")
            self.assertFalse(fine)
            self.assertIn(part, lines[0])

    def test_the_real_files_are_fine(self):
        folder = real_data()
        lines, fine = self.checked(*FILES, "--data-dir", folder)
        self.assertTrue(fine, lines)
        for line, shape in zip(lines, ["29 tasks, 14820 rows, 9 features",
                                       "139 tasks, 15362 rows, 27 features",
                                       "190 tasks, 3800 rows, 13 features"]):
            self.assertIn(shape, line)
        lines, fine = self.checked(os.path.join(folder, FILES["computer-survey"]))
        self.assertTrue(fine)
        self.assertIn("the file of computer-survey", lines[0])


class ByName(ProgramTest):
    def test_describe_says_how_a_set_is_prepared(self):
        report = self.colla_json("data", "describe", "facial-expression-synthetic")
        self.assertEqual((report["agents"], report["tasks"], report["steps"]), (3, 21, 7))
        self.assertEqual((len(report["features"]), report["features"][-1]), (101, "(intercept)"))
        self.assertTrue(report["synthetic"])
        self.assertIn("not public", report["preparation"])
        self.assertIn("not public", self.colla("data", "describe", "facial-expression-synthetic"))

    def test_tasks_of_the_facial_set_help_each_other(self):
        report = self.colla_json("train", "facial-expression-synthetic", "--algorithm", "go-mtl",
                                 "--atoms", "6", "--mu", "1e-3", "--lambda", "1e-4",
                                 "--gamma", "1e-2")
        self.assertGreater(report["final"], report["stl"] + 0.02)

    def test_the_intercept_is_there_once_or_not_at_all(self):
        one = self.colla("train", "synthetic-regression")
        self.assertIn("12 features and an intercept", one)
        none = self.colla("train", "synthetic-regression", "--no-intercept")
        self.assertIn("12 features\n", none)

    def test_agents_are_the_declared_ones_or_as_many_as_are_asked_for(self):
        name = "facial-expression-synthetic"
        command = ["train", name, "--algorithm", "stl"]
        self.assertEqual(self.colla_json(*command)["agents"], 3)
        self.assertEqual(self.colla_json(*command, "--agents", "7")["agents"], 7)
        self.refused(*command, "--agents", "22", naming=["21 tasks", "22 agents"])

    def test_the_real_sets_are_learned_by_name(self):
        folder = real_data()
        for name, agents, tasks, metric in [("landmine", 2, 29, "auc"),
                                            ("london-schools", 6, 139, "rmse"),
                                            ("computer-survey", 19, 190, "rmse")]:
            report = self.colla_json("train", name, "--data-dir", folder, "--algorithm", "stl")
            self.assertEqual((report["agents"], report["tasks"], report["metric"]),
                             (agents, tasks, metric))
        self.refused("train", "landmine", "--data-dir", folder, "--agents", "1",
                     naming=["2 kinds", "2 agents"])

    def test_a_model_of_a_real_set_predicts_rows_without_its_intercept(self):
        folder = real_data()
        self.colla("train", "london-schools", "--data-dir", folder, "--model", "m",
                   "--test-fraction", "0")
        self.colla("data", "convert", "london-schools", "rows.csv", "--data-dir", folder)
        report = self.colla_json("evaluate", "m", "rows.csv")
        self.assertEqual((report["rows"], len(report["tasks"])), (15362, 139))
        self.assertLess(report["rmse"], 11.0)


class Convert(ProgramTest):
    def test_a_registered_set_as_csv_is_learned_to_the_same_bits(self):
        for name in ["synthetic-classification", "synthetic-regression"]:
            self.colla("data", "convert", name, f"{name}.csv", "--seed", "1")
            self.same_training([name, "--agents", "4"], [f"{name}.csv", "--agents", "4", "--recipe", "none"])

    def test_the_real_sets_as_csv_are_learned_to_the_same_bits(self):
        folder = real_data()
        for name in FILES:
            self.colla("data", "convert", name, f"{name}.csv", "--data-dir", folder)
            self.same_training([name, "--data-dir", folder], [f"{name}.csv", "--recipe", "none"])

    def same_training(self, first, second):
        for state, arguments in [("one", first), ("two", second)]:
            self.colla("train", *arguments, *DICTIONARIES, "--state", state, "--atoms", "3")
        one, two = ({path.name: path.read_bytes() for path in (self.folder / state).iterdir()}
                    for state in ["one", "two"])
        self.assertEqual(one, two)
        for state in ["one", "two"]:
            shutil.rmtree(self.folder / state)

    def test_csv_to_mat_and_back_keeps_every_row(self):
        self.write("rows.csv", sample_table())
        self.colla("data", "convert", "rows.csv", "rows.mat")
        self.colla("data", "convert", "rows.mat", "back.csv")
        self.same_numbers("rows.csv", "back.csv")

    def same_numbers(self, first, second):
        first, second = (self.colla_json("data", "describe", name) for name in [first, second])
        for key in ["problem", "agents", "tasks", "rows", "target_mean", "target_deviation"]:
            self.assertEqual(first[key], second[key])

    def test_nothing_is_overwritten_unless_that_is_asked_for(self):
        self.write("rows.csv", sample_table())
        for name in ["out.csv", "out.mat"]:
            self.write(name, "ten years of work")
            self.refused("data", "convert", "rows.csv", name, naming=[name, "exists", "--force"])
            self.colla("data", "convert", "rows.csv", name, "--force")
            self.colla("train", name)

    def test_a_file_may_replace_itself(self):
        self.write("rows.csv", sample_table())
        self.colla("data", "convert", "rows.csv", "rows.csv", "--force")
        self.colla("train", "rows.csv")

    def test_other_endings_and_missing_folders_are_refused(self):
        self.write("rows.csv", sample_table())
        self.refused("data", "convert", "rows.csv", "rows.xlsx", naming=["rows.xlsx", ".csv"])
        self.refused("data", "convert", "rows.csv", "no/r.csv", naming=["no such folder"])
        self.refused("data", "convert", "none.csv", "r.csv", naming=["none.csv"])

    def test_a_full_disk_leaves_nothing(self):
        self.write("rows.csv", sample_table(tasks=[f"t{k}" for k in range(40)]))
        for name in ["out.csv", "out.mat"]:
            self.refused("data", "convert", "rows.csv", name, naming=[name, "disk full"],
                         preexec_fn=limit_file_size(2000, True))


if __name__ == "__main__":
    unittest.main()
