# SPDX-License-Identifier: Apache-2.0
"""The README's "Your own data" runs as it is written there, and prints what it says, up to the numbers."""
import re
import shutil
import subprocess
import unittest

from program import PATIENCE, PROGRAM, TESTS, ProgramTest


def blocks():
    """The section's blocks of commands and of output."""
    text = (TESTS.parent / "README.md").read_text()
    section = text.split("## Your own data")[1].split("\n## ")[0]
    return re.findall(r"```(?:sh)?\n(.*?)```", section, re.DOTALL)


def without_numbers(text):
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]\d+)?", "#", re.sub(r" +", " ", text)).splitlines()


class Readme(ProgramTest):
    def test_its_commands_print_what_it_shows(self):
        shutil.copytree(TESTS.parent / "examples/tables", self.folder / "examples/tables")
        commands, shown = blocks()[0::2], blocks()[1::2]
        self.assertEqual(len(commands), 2)
        for command, output in zip(commands, shown, strict=True):
            process = subprocess.run(["bash", "-c", command.replace("build/release/colla", PROGRAM)], cwd=self.folder,
                                     capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertEqual(without_numbers(process.stderr + process.stdout), without_numbers(output))


if __name__ == "__main__":
    unittest.main()
