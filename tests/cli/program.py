# SPDX-License-Identifier: Apache-2.0
"""Runs the program as a user does, in a folder of its own, and reads what it wrote."""
import csv
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["COLLA_PROGRAM"]
TESTS = pathlib.Path(os.environ["COLLA_TESTS_DIR"])
DICTIONARIES = ["--algorithm", "colla"]  # for what bayes, the default, does not have
PATIENCE = 120  # seconds, the only limit in tests: a guard against hanging, which no test reaches
TOO_BUSY = "does not answer within 5 s"  # says `colla doctor` of agents without time too


def wait_until(is_so, what, patience=PATIENCE):
    """The first true answer; on failure shows `what`, a text or a function that returns one."""
    end = time.monotonic() + patience
    while True:
        answer = is_so()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience} s: {what() if callable(what) else what}")
        time.sleep(0.02)


def pause(seconds):
    """Paces something that goes on meanwhile. No assertion may depend on how long it is."""
    time.sleep(seconds)


def run(*arguments, cwd=None, environment=None, **options):
    """The finished process; its output is text. `environment` has variables to set; None unsets."""
    variables = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1", "LC_ALL": "C.UTF-8",
                 "no_proxy": "*", **(environment or {})}
    variables = {name: value for name, value in variables.items() if value is not None}
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([PROGRAM, *map(os.fspath, arguments)], cwd=cwd, env=variables,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE, text=True, **options)


def limit_file_size(size):
    """Makes a file that grows beyond `size` bytes fail in the child, as on a full disk."""
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return prepare


class ProgramTest(unittest.TestCase):
    """A test with a temporary folder, in which the program runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="colla-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, newline="")
        return path

    def colla(self, *arguments):
        """Standard output of a run that must succeed and print nothing on standard error."""
        process = run(*arguments, cwd=self.folder)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return process.stdout

    def colla_json(self, *arguments):
        return json.loads(self.colla(*arguments, "--json"))

    def refused(self, *arguments, naming, code=2, **options):
        """The message of a run that must end with an exit code, one line on standard error that
        holds every text of `naming`, nothing on standard output, and no file changed."""
        before = self.files()
        process = run(*arguments, cwd=self.folder, **options)
        self.assertEqual(process.returncode, code, process)
        self.assertEqual(process.stdout, "")
        self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")
        for text in naming:
            self.assertIn(text, process.stderr)
        self.assertEqual(self.files(), before)
        return process.stderr

    def take_away_permission(self):
        """Nobody may write to the folder. Returns the options of `run` that make this hold for root's tests too."""
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o700)
        try:
            run("--version", cwd=self.folder, **nobody)
        except PermissionError:
            self.skipTest("another user cannot run the program here")
        return nobody

    def files(self):
        """Every file below the folder with its bytes."""
        return {str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else None
                for path in self.folder.rglob("*")}


def number_text(value):
    return value if isinstance(value, str) else repr(value)


def table(header, rows):
    """CSV text; floats keep all their digits."""
    lines = [",".join(header)] + [",".join(map(number_text, row)) for row in rows]
    return "\n".join(lines) + "\n"


def matrix_text(matrix):
    return "".join(",".join(map(repr, row)) + "\n" for row in matrix)


def records(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def read_matrix(path):
    return [[float(field) for field in record] for record in records(path)]


def read_codes(path):
    """{(agent, task): code} of a codes.csv."""
    header, *rows = records(path)
    assert header == ["agent", "task"] + [f"s_{k}" for k in range(len(header) - 2)], header
    return {(int(row[0]), row[1]): [float(field) for field in row[2:]] for row in rows}


def read_table(text):
    """The rows of CSV text with a header, as dictionaries of floats."""
    return [{name: float(field) for name, field in row.items()}
            for row in csv.DictReader(text.splitlines())]


def oracle(name):
    return json.loads((TESTS / "oracle" / f"{name}.json").read_text())


def oracle_options(problem, algorithm="colla"):
    """The options that make the program solve an oracle's problem, apart from --init."""
    return ["--algorithm", algorithm, "--recipe", "none", "--no-intercept", "--test-fraction", "0",
            "--atoms", str(problem["u"]), "--lambda", repr(problem["lambda"]), "--mu", repr(problem["mu"]),
            "--gamma", repr(problem["gamma"])]


def oracle_rows(arrivals, with_agents):
    """A long CSV of arrivals of tasks."""
    features = len(arrivals[0]["X"][0])
    header = (["agent"] if with_agents else []) + ["task", "y"] + [f"x{k}" for k in range(features)]
    rows = [([f"agent {arrival['agent']}"] if with_agents else []) + [arrival["task"], y, *x]
            for arrival in arrivals for x, y in zip(arrival["X"], arrival["y"])]
    return table(header, rows)
