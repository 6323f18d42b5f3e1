# SPDX-License-Identifier: Apache-2.0
"""`colla experiment` and `colla reproduce`: results that can be continued, and errors."""
import contextlib
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import unittest

from program import PATIENCE, PROGRAM, TESTS, ProgramTest, run, wait_until

EXAMPLES = TESTS.parent / "examples"

SPECIFICATION = """
trials = 2
[search]
candidates = 6
splits = [1, 1]
most_atoms = 3
[[figure]]
[[figure.study]]
key = "study"
data = "synthetic-regression"
agents = 8
exchanges = "3"
methods = ["stl-untuned", "stl", "ella", "colla", "colla-refresh"]
"""


def results(folder):
    """Everything but the times."""
    with sqlite3.connect(folder / "results.sqlite") as database:
        return database.execute(
            "SELECT study, method, trial, gamma, lambda, mu, rho, atoms, validation, evaluations,"
            " curve, gap, exchanges, arrivals FROM results JOIN methods USING (unit)"
            " ORDER BY study, method, trial").fetchall()


def reports(folder):
    """What the report consists of, apart from the times."""
    texts = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "results.sqlite":
            texts[str(path.relative_to(folder))] = re.sub(
                rb'("seconds": ?|It took )[0-9.e-]+', rb"\1TIME", path.read_bytes())
    return texts


class ExperimentTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("spec.toml", SPECIFICATION)

    def experiment(self, output, *options):
        return self.colla("experiment", "spec.toml", "--output", output, *options)

    def test_the_same_seed_gives_the_same_results_whatever_the_threads(self):
        printed = self.experiment("one", "--threads", "1")
        self.experiment("two", "--threads", "2")
        self.assertEqual(len(results(self.folder / "one")), 10)
        self.assertEqual(results(self.folder / "one"), results(self.folder / "two"))
        self.assertEqual(reports(self.folder / "one"), reports(self.folder / "two"))
        for text in ("CoLLA with code refresh *", "colla - ella, curve mean", "results.sqlite"):
            self.assertIn(text, printed)
        self.experiment("other", "--seed", "5")
        self.assertNotEqual(results(self.folder / "one"), results(self.folder / "other"))

    def start(self, output):
        return subprocess.Popen(
            [PROGRAM, "experiment", "spec.toml", "--output", output, "--trials", "6",
             "--threads", "2"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def wait_for_results(self, process, output, count):
        """Waits until it has so many results, or has ended."""
        # Read the file as it is: the run has locked it.
        uri = (self.folder / output / "results.sqlite").as_uri() + "?immutable=1"

        def are_there():
            try:
                with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
                    return database.execute("SELECT count(*) FROM results").fetchone()[0] >= count
            except sqlite3.Error:
                return False
        wait_until(lambda: process.poll() is not None or are_there(), "no results")

    def test_a_killed_run_goes_on_and_ends_with_the_same_numbers(self):
        self.experiment("whole", "--trials", "6")
        for count in (1, 9):
            process = self.start("killed")
            self.wait_for_results(process, "killed", count)
            process.kill()
            process.communicate()
        self.experiment("killed", "--trials", "6")
        self.assertEqual(results(self.folder / "killed"), results(self.folder / "whole"))
        self.assertEqual(reports(self.folder / "killed"), reports(self.folder / "whole"))

    def test_an_interrupt_says_how_to_go_on(self):
        process = self.start("interrupted")
        self.wait_for_results(process, "interrupted", 1)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=PATIENCE)[1]
        if process.returncode != 0:  # it may have finished already
            self.assertEqual(process.returncode, 1)
            self.assertRegex(errors, r"\A\ncolla: stopping after this evaluation; again: at once\n"
                             r"colla: interrupted with \d+ of 30 results; "
                             r"run the same command again to continue\n\Z")
        self.experiment("interrupted", "--trials", "6")
        self.assertEqual(len(results(self.folder / "interrupted")), 30)

    def test_more_trials_are_added_to_those_that_are_there(self):
        self.experiment("grown")
        before = results(self.folder / "grown")
        self.experiment("grown", "--trials", "3")
        after = results(self.folder / "grown")
        self.assertEqual(len(after), 15)
        self.assertLessEqual(set(before), set(after))

    def test_a_changed_specification_is_refused(self):
        self.experiment("out", "--trials", "1")
        self.write("spec.toml", SPECIFICATION.replace("candidates = 6", "candidates = 7"))
        self.refused("experiment", "spec.toml", "--output", "out",
                     naming=["results.sqlite", "another specification", "choose another"])

    def test_mistakes_name_file_line_and_key(self):
        self.write("spec.toml", SPECIFICATION.replace("trials = 2", "trails = 2"))
        self.refused("experiment", "spec.toml", naming=["spec.toml, line 2", "'trails'", "no such key"])
        self.write("spec.toml", SPECIFICATION.replace("trials = 2", "trials = ["))
        self.refused("experiment", "spec.toml", naming=["spec.toml, line", "TOML"])
        self.refused("experiment", "missing.toml", naming=["missing.toml"])
        self.write("spec.toml", SPECIFICATION.replace("synthetic-regression", "nowhere.csv"))
        self.refused("experiment", "spec.toml", naming=["nowhere.csv", "no such file"])
        self.write("spec.toml", SPECIFICATION.replace("agents = 8", "agents = 41"))
        self.refused("experiment", "spec.toml", naming=["study", "agents", "fewer"])

    def test_rows_of_a_file_with_agents_stay_with_their_agents(self):
        rows = ["agent,task,y,x"]
        for agent in range(2):
            for task in range(3):
                rows += [f"a{agent},t{task},{k * (agent + 1) + 0.1 * task},{k}" for k in range(8)]
        self.write("rows.csv", "\n".join(rows) + "\n")
        self.write("spec.toml", SPECIFICATION.replace("synthetic-regression", "rows.csv")
                   .replace("agents = 8\n", ""))
        printed = self.experiment("out")
        self.assertIn("2 agents, 6 tasks, 2 trials", printed)

    def test_a_relative_path_starts_in_the_specifications_folder(self):
        (self.folder / "study").mkdir()
        rows = [f"t{task},{k + 0.1 * task},{k}" for task in range(8) for k in range(8)]
        self.write("study/rows.csv", "\n".join(["task,y,x", *rows]) + "\n")
        self.write("study/spec.toml", SPECIFICATION.replace("synthetic-regression", "rows.csv"))
        first = self.colla("experiment", "study/spec.toml", "--output", "out", "--trials", "1")
        self.assertIn("8 tasks, 1 trial", first)
        again = run("experiment", "spec.toml", "--output", "../out", "--trials", "1",
                    cwd=self.folder / "study")
        self.assertEqual(again.returncode, 0, again)  # the same experiment, from another place
        self.write("study/spec.toml", SPECIFICATION.replace("synthetic-regression", "no.csv"))
        self.refused("experiment", "study/spec.toml", naming=["study/no.csv", "no such file"])

    def test_names_do_not_command_the_terminal(self):
        self.write("spec.toml", SPECIFICATION.replace('key = "study"', r'key = "s\n\u001b[2J\u009b"')
                   .replace('"ella"', r'{ method = "ella", label = "E\u001b[31mLLA" }'))
        printed = self.experiment("out", "--trials", "1")
        self.assertNotRegex(printed, "[\x1b\x7f-\x9f]")
        self.assertIn(r"E\x1b[31mLLA", printed)
        self.assertIn(r"s\x0a\x1b[2J\u009b", printed)


def needs_real_data(specification):
    return re.search('data = "(?!synthetic)', specification.read_text()) is not None


class ExamplesTest(ProgramTest):
    def test_every_example_runs(self):
        files = sorted(set(EXAMPLES.glob("*.toml")) - {EXAMPLES / "simulate.toml"})  # simulate_test.py runs it
        self.assertTrue(files)
        for file in files:
            with self.subTest(file.name):
                if needs_real_data(file) and not os.environ.get("COLLA_DATA"):
                    self.skipTest("COLLA_DATA names no folder of real data")
                printed = self.colla("experiment", file, "--trials", "1", "--output", file.stem)
                self.assertIn("1 trial", printed)
                self.assertTrue((self.folder / file.stem / "results.sqlite").exists())


class ReproduceTest(ProgramTest):
    def test_a_missing_data_set_is_named_before_any_work(self):
        self.refused("reproduce", "--data-dir", self.folder, "--only", "london-schools",
                     naming=["school.mat", "--only"])

    def test_only_knows_its_names(self):
        self.refused("reproduce", "--only", "schools",
                     naming=["--only", "'schools'", "london-schools", "figure-1"])
        self.refused("reproduce", "--only", "landmine,figure-2", naming=["--only", "nothing to do"])
        for names in [",", "landmine,,figure-1", ",landmine"]:
            self.refused("reproduce", "--only", names, "--seed", "3",
                         naming=["--only", "data set ''", "landmine"])
        for empty in [["--only", ""], ["--only="]]:
            self.refused("reproduce", *empty, "--seed", "3", naming=["--only", "empty"])

    @unittest.skipUnless(os.environ.get("COLLA_DATA"), "COLLA_DATA names no folder of real data")
    def test_a_real_data_set_runs_from_end_to_end(self):
        pathlib.Path(os.environ["COLLA_DATA"], "LandmineData.mat").stat()
        self.write("spec.toml", SPECIFICATION.replace("synthetic-regression", "landmine")
                   .replace("agents = 8\n", ""))
        printed = self.colla("experiment", "spec.toml", "--output", "out", "--trials", "1")
        self.assertIn("auc, 2 agents, 29 tasks, 1 trial", printed)


if __name__ == "__main__":
    unittest.main()
