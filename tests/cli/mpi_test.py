# SPDX-License-Identifier: Apache-2.0
"""`--engine mpi`: the same bytes over any number of ranks, errors once, and nothing that hangs."""
import json
import os
import shutil
import subprocess
import unittest

import mat_writer
from experiment_test import SPECIFICATION, reports, results
from program import DICTIONARIES, PATIENCE, PROGRAM, ProgramTest, run

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # MPI does not free all its memory.
    "ASAN_OPTIONS": "detect_leaks=0",
}
HAS_MPI = "has no MPI" not in run("train", "--engine", "mpi", environment=ENVIRONMENT).stderr


class WithoutMpi(ProgramTest):
    @unittest.skipIf(HAS_MPI, "this build has MPI")
    def test_the_engine_is_refused(self):
        self.refused("train", "synthetic-regression", "--engine", "mpi",
                     naming=["--engine mpi", "no MPI", "COLLA_MPI"])


@unittest.skipUnless(HAS_MPI and shutil.which("mpirun"), "no MPI")
class MpiTest(ProgramTest):
    def mpirun(self, *parts):
        """A run of `count` ranks for each (count, arguments), with everything they print."""
        command = ["mpirun", "--oversubscribe"]
        for number, (count, arguments) in enumerate(parts):
            command += [":"] if number > 0 else []
            command += ["-n", str(count), PROGRAM, *arguments, "--engine", "mpi"]
        return subprocess.run(command, cwd=self.folder, env={**os.environ, **ENVIRONMENT}, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)

    def ranks(self, count, *arguments):
        """Standard output of a run that must go well."""
        process = self.mpirun((count, arguments))
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout

    def refused_once(self, *parts, naming, code=2):
        before = self.files()
        process = self.mpirun(*parts)
        self.assertEqual(process.returncode, code, process)
        self.assertEqual(process.stdout, "")
        lines = [line for line in process.stderr.splitlines() if line.startswith("colla: ")]
        self.assertEqual(len(lines), 1, process.stderr)
        for text in naming:
            self.assertIn(text, lines[0])
        self.assertEqual(self.files(), before)


class Train(MpiTest):
    def check(self, *options, ranks, algorithm="colla"):
        """The report, the state and the model of one process, from any number of ranks."""
        expected = None
        state = [] if algorithm == "bayes" else ["--state", "state"]
        for count in [0, *ranks]:
            arguments = ["train", *options, "--algorithm", algorithm, "--json", *state, "--model", "model"]
            text = self.colla(*arguments) if count == 0 else self.ranks(count, *arguments)
            report = json.loads(text)
            self.assertGreaterEqual(report.pop("seconds"), 0)
            found = (report, {name: content for name, content in self.files().items()
                              if name.startswith(("state", "model"))})
            expected = expected or found
            self.assertEqual(found, expected, f"{count} ranks")

    def test_every_algorithm_gives_the_same_bytes(self):
        for algorithm in ["bayes", "colla", "ella", "offline-colla", "stl", "go-mtl"]:
            options = ["--tolerance", "0.01"] if algorithm == "offline-colla" else []  # hundreds of exchanges are enough
            with self.subTest(algorithm=algorithm):
                self.check("synthetic-regression", "--agents", "5", *options, ranks=(2,), algorithm=algorithm)

    def test_options_of_the_network_give_the_same_bytes(self):
        self.check("synthetic-regression", "--agents", "8", "--graph", "random",
                   "--order-by-colour", "--refresh", "1", "--diagnose", ranks=(2, 3))
        self.check("synthetic-regression", "--agents", "4", "--exchanges", "500",
                   "--tolerance", "0.001", "--test-fraction", "0", ranks=(2,))

    def test_a_mat_file_gives_the_same_bytes(self):
        X = [[[k * (t + 2) % 7, k, 1] for k in range(9)] for t in range(6)]
        Y = [[[k * (t + 1) % 4] for k in range(9)] for t in range(6)]
        self.write("rows.mat", mat_writer.mat_file(X, Y))
        self.check("rows.mat", "--agents", "3", "--no-intercept", "--atoms", "2", ranks=(2,))

    def test_a_revisit_gives_the_same_bytes(self):
        rows = "agent,task,y,x\n" + "".join(f"{a},{t},{k * (1 + a) % 5},{k}\n" for t in "aba"
                                            for a in range(3) for k in range(6))
        self.write("rows.csv", rows)
        self.check("rows.csv", "--atoms", "2", ranks=(2,))

    def test_a_table_gives_the_same_bytes(self):
        labels = ["low", "mid", "top"]
        rows = "".join(f"{'abcd'[k % 4]},{k * k % 31},{['red', 'blue', ''][k % 3]},{labels[k * 7 % 11 % 3]},{k % 13}\n"
                       for k in range(120))
        self.write("rows.csv", "task,size,colour,grade,y\n" + rows)
        for target in ["y", "grade"]:
            self.check("rows.csv", "--agents", "2", "--atoms", "2", "--target-column", target, ranks=(2,))
            self.check("rows.csv", "--agents", "2", "--target-column", target, ranks=(2,), algorithm="bayes")

    def test_there_may_be_more_ranks_than_agents(self):
        self.check("synthetic-regression", "--agents", "2", ranks=(3,))

    def test_it_works_without_mpirun(self):
        process = run("train", "synthetic-regression", "--engine", "mpi", cwd=self.folder,
                      environment=ENVIRONMENT)
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_results_alone_do_not_bring_the_state_together(self):
        text = self.ranks(2, "train", "synthetic-regression", "--agents", "3")
        self.assertEqual(text.count("over all tasks"), 1)

    def test_help_is_printed_once(self):
        self.assertEqual(self.ranks(2, "train", "--help").count("Usage:"), 1)


class TrainErrors(MpiTest):
    def test_wrong_input_is_refused_once(self):
        for arguments, naming in [(["missing.csv"], ["missing.csv"]),
                                  (["synthetic-regression", "--atomz", "3"], ["--atomz"]),
                                  (["synthetic-regression", "--threads", "2"], ["--threads", "ranks"])]:
            with self.subTest(arguments=arguments):
                self.refused_once((2, ["train", *arguments]), naming=naming)

    def test_a_state_that_cannot_be_written_is_one_error(self):
        self.refused_once((2, ["train", "synthetic-regression", *DICTIONARIES, "--state", "/proc/colla"]),
                          naming=["/proc/colla"])

    def test_a_rank_that_fails_alone_ends_the_others(self):
        good = ["train", "synthetic-regression", "--agents", "4"]
        bad = ["train", "missing.csv", "--agents", "4"]
        self.refused_once((1, good), (1, bad), naming=["missing.csv"])
        self.refused_once((1, bad), (1, good), naming=["missing.csv"])


    def test_ranks_with_other_rows_are_refused(self):
        for name, value in [("a", 5), ("b", 6)]:
            self.write(f"{name}.csv", "agent,task,y,x\n"
                       + "".join(f"{a},t,{k},{k * a % value}\n" for a in range(2) for k in range(8)))
        self.refused_once((1, ["train", "a.csv"]), (1, ["train", "b.csv"]),
                          naming=["rank 1", "different data", "same files"])
        self.write("one", "0,1\n1,2\n")
        self.write("other", "0,2\n1,2\n")
        train = ["train", "synthetic-regression", "--agents", "3"]
        self.refused_once((1, [*train, "--graph", "one"]), (1, [*train, "--graph", "other"]),
                          naming=["rank 1", "different data"])


class Experiment(MpiTest):
    def setUp(self):
        super().setUp()
        self.write("spec.toml", SPECIFICATION)

    def test_ranks_give_the_results_and_the_report_of_one_process(self):
        self.colla("experiment", "spec.toml", "--output", "alone")
        for count in [2, 3]:
            output = f"ranks-{count}"
            printed = self.ranks(count, "experiment", "spec.toml", "--output", output)
            self.assertEqual(printed.count("report:"), 1)
            self.assertEqual(results(self.folder / output), results(self.folder / "alone"))
            self.assertEqual(reports(self.folder / output), reports(self.folder / "alone"))

    def test_it_goes_on_with_what_is_there(self):
        self.colla("experiment", "spec.toml", "--output", "parts", "--trials", "1")
        self.ranks(2, "experiment", "spec.toml", "--output", "parts", "--trials", "3")
        self.colla("experiment", "spec.toml", "--output", "whole", "--trials", "3")
        self.assertEqual(results(self.folder / "parts"), results(self.folder / "whole"))
        self.assertEqual(reports(self.folder / "parts"), reports(self.folder / "whole"))

    def test_ranks_with_another_specification_are_refused(self):
        self.write("other.toml", SPECIFICATION.replace("candidates = 6", "candidates = 7"))
        self.refused_once((1, ["experiment", "spec.toml"]), (1, ["experiment", "other.toml"]),
                          naming=["rank 1"])

    def test_wrong_input_is_refused_once(self):
        self.refused_once((2, ["experiment", "missing.toml"]), naming=["missing.toml"])
        self.refused_once((2, ["experiment", "spec.toml", "--output", "/proc/colla"]),
                          naming=["/proc/colla"])
        (self.folder / "taken").mkdir()
        self.write("taken/results.sqlite", "no database")
        self.refused_once((2, ["experiment", "spec.toml", "--output", "taken"]),
                          naming=["results.sqlite"])


if __name__ == "__main__":
    unittest.main()
