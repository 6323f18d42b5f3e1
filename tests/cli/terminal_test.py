# SPDX-License-Identifier: Apache-2.0
"""A progress bar where a person watches, and nowhere else."""
import os
import pty
import subprocess
import unittest

from program import DICTIONARIES, PROGRAM, ProgramTest
from samples import sample_table


def read_all(descriptor):
    chunks = []
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:  # the other end of the terminal is closed
            chunk = b""
        if not chunk:
            return b"".join(chunks).decode()
        chunks.append(chunk)


class ProgressBar(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", sample_table(tasks=[f"t{k}" for k in range(12)], rows=4))
        self.command = ["train", "rows.csv", *DICTIONARIES, "--atoms", "3"]

    def on_terminal(self, *arguments):
        """Standard output, and what the terminal of standard error got."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
            os.close(theirs)
            screen = read_all(ours)
            output = process.stdout.read()
        os.close(ours)
        return output, screen

    def test_a_terminal_shows_a_bar_and_then_nothing(self):
        output, screen = self.on_terminal(*self.command)
        self.assertRegex(screen, r"\A\r\S[^\r\n]* \[=* *\] 1/12, ")
        self.assertEqual(screen.split("\r")[-1], "\x1b[K")
        self.assertNotIn("\x1b", output)

    def test_a_pipe_shows_no_bar(self):
        output = self.colla(*self.command)
        self.assertNotRegex(output, r"[\r\x1b]|\[=")

    def test_an_error_on_a_terminal_is_one_line(self):
        _, screen = self.on_terminal("train", "nothing.csv")
        self.assertRegex(screen, r"\Acolla: [^\r\n]+\r\n\Z")


if __name__ == "__main__":
    unittest.main()
