# SPDX-License-Identifier: Apache-2.0
"""Files and streams that cannot be written: nothing is lost, nothing half-written is left."""
import os
import resource
import signal
import subprocess
import unittest

from program import DICTIONARIES, ProgramTest, run
from samples import sample_table


def limit_file_size(size, ignore_signal):
    """Makes a file that grows beyond `size` bytes fail in the child, as on a full disk."""
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN if ignore_signal else signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return prepare


class ModelFile(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", sample_table())

    def refused_train(self, *options, naming, **run_options):
        self.refused("train", "rows.csv", *options, naming=naming, **run_options)

    def test_a_full_disk_leaves_neither_a_model_nor_a_rest(self):
        for size in [0, 512, 4096, 8192, 16384]:
            for ignore_signal in [True, False]:
                with self.subTest(size=size, ignore_signal=ignore_signal):
                    self.refused_train("--model", "m.colla", naming=["m.colla", "disk full"],
                                       preexec_fn=limit_file_size(size, ignore_signal))

    def test_a_full_disk_leaves_the_old_model(self):
        self.colla("train", "rows.csv", "--model", "m.colla")
        self.refused_train("--model", "m.colla", "--seed", "2", naming=["m.colla", "disk full"],
                           preexec_fn=limit_file_size(8192, True))
        self.colla("predict", "m.colla", "rows.csv")

    def test_a_full_file_system_leaves_the_old_model(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", disk]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
            self.skipTest("a small file system needs root")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.colla("train", "rows.csv", *DICTIONARIES, "--model", "disk/m.colla")
        self.refused_train("--model", "disk/m.colla", "--seed", "2", *DICTIONARIES, "--atoms", "9",
                           naming=["disk/m.colla", "disk full"])
        self.refused_train("--state", "disk/state", *DICTIONARIES, "--atoms", "600", naming=["disk/state"])

    def test_a_full_disk_at_the_state_leaves_the_state_before(self):
        # The codes of 40 tasks are a larger file than the dictionary.
        self.write("rows.csv", sample_table(tasks=[f"t{k}" for k in range(40)]))
        command = ["--algorithm", "ella", "--atoms", "2", "--state", "state"]
        full = limit_file_size(1000, True)
        self.refused_train(*command, naming=["state", "disk full"], preexec_fn=full)
        self.colla("train", "rows.csv", *command)
        self.refused_train(*command, "--seed", "2", naming=["state", "disk full"], preexec_fn=full)

    def test_a_state_that_cannot_be_written_leaves_no_model(self):
        self.refused_train(*DICTIONARIES, "--model", "m.colla", "--state", "/proc/state", naming=["/proc/state"])

    def test_a_file_of_another_kind_is_not_overwritten(self):
        self.write("thesis.txt", "ten years of work\n")
        for name in ["thesis.txt", "rows.csv"]:
            self.refused_train("--model", name, naming=[name, "not a colla model file"])

    def test_a_folder_cannot_be_replaced_by_a_model(self):
        (self.folder / "folder").mkdir()
        self.refused_train("--model", "folder", naming=["folder"])
        self.refused_train("--model", "none/m.colla", naming=["none", "no such folder"])

    def test_a_file_cannot_be_replaced_by_a_state_folder(self):
        self.refused_train(*DICTIONARIES, "--state", "rows.csv", naming=["rows.csv", "not a folder"])
        self.refused_train(*DICTIONARIES, "--state", "none/deep/state", naming=["none/deep", "no such folder"])

    def test_a_folder_without_permission_is_named(self):
        nobody = self.take_away_permission()
        self.refused_train("--model", "m.colla", naming=["permissions"], **nobody)
        self.refused_train(*DICTIONARIES, "--state", "state", naming=["colla: state"], **nobody)

    def test_a_model_is_replaced_whole(self):
        self.colla("train", "rows.csv", "--model", "m.colla")
        self.colla("train", "rows.csv", "--model", "m.colla", *DICTIONARIES, "--atoms", "2")
        self.colla("train", "rows.csv", "--model", "other.colla", *DICTIONARIES, "--atoms", "2")
        files = self.files()
        self.assertEqual(set(files), {"rows.csv", "m.colla", "other.colla"})
        self.assertEqual(files["m.colla"], files["other.colla"])


class StandardError(ProgramTest):
    def test_a_closed_standard_error_does_not_crash_the_program(self):
        process = run("train", "nothing.csv", cwd=self.folder, stderr=None,
                      preexec_fn=lambda: os.close(2))
        self.assertEqual(process.returncode, 2)


class StandardOutput(ProgramTest):
    COMMANDS = [["train", "rows.csv"], ["train", "rows.csv", "--json"], ["data", "list"],
                ["data", "describe", "rows.csv"], ["predict", "m.colla", "rows.csv"],
                ["evaluate", "m.colla", "rows.csv"], ["predict", "m.colla", "many.csv"],
                ["--help"], ["--version"], ["train", "--help"], []]

    def setUp(self):
        super().setUp()
        self.write("rows.csv", sample_table())
        self.write("many.csv", sample_table(rows=2000))  # more than a buffer of output
        self.colla("train", "rows.csv", "--model", "m.colla")

    def check_said_so(self, command, **options):
        with self.subTest(command=command):
            process = run(*command, cwd=self.folder, **options)
            self.assertIn(process.returncode, [1, 2])
            self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")

    def test_a_full_disk_behind_standard_output_is_said(self):
        for command in self.COMMANDS:
            with open("/dev/full", "w") as full:
                self.check_said_so(command, stdout=full)

    def test_a_closed_standard_output_is_said(self):
        for command in self.COMMANDS:
            self.check_said_so(command, stdout=None, preexec_fn=lambda: os.close(1))


if __name__ == "__main__":
    unittest.main()
