# SPDX-License-Identifier: Apache-2.0
"""Limits under which an agent cannot run: it says so in one line and fails, so that systemd starts it again."""
import os
import resource
import unittest

from network import NetworkTest
from program import run

MIB = 1 << 20


def limited(kind, limit):
    """As `ulimit` does."""
    return lambda: resource.setrlimit(kind, (limit, limit))


class Limits(NetworkTest):
    def refused_to_run(self, limit, naming, **options):
        process = run("agent", "run", "--home", self.home, preexec_fn=limit, **options)
        self.assertEqual(process.returncode, 1, process)
        self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")
        for text in naming:
            self.assertIn(text, process.stderr)

    def setUp(self):
        super().setUp()
        self.home = self.network(["north", "south"], "--atoms", "3")["north"].home

    def test_too_few_descriptors(self):
        for limit in (12, 16, 40):
            with self.subTest(limit=limit):
                self.refused_to_run(limited(resource.RLIMIT_NOFILE, limit), ["file descriptors", "LimitNOFILE="])

    def test_too_little_memory(self):
        for limit in (150, 200, 700):
            with self.subTest(limit=limit):
                self.refused_to_run(limited(resource.RLIMIT_AS, limit * MIB), ["addresses", "`ulimit -v`"])

    def test_too_few_threads(self):
        nobody = self.give_to_nobody()
        for limit in (8, 12, 20):
            with self.subTest(limit=limit):
                self.refused_to_run(limited(resource.RLIMIT_NPROC, limit), ["threads", "LimitNPROC="], **nobody)

    def give_to_nobody(self):
        """The limit on threads does not hold for root."""
        if os.geteuid() != 0:
            return {}
        self.folder.chmod(0o755)
        for path in [self.home.parent, self.home, *self.home.rglob("*")]:
            os.chown(path, 65534, 65534)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            run("--version", cwd=self.folder, **nobody)
        except PermissionError:
            self.skipTest("another user cannot run the program here")
        return nobody


if __name__ == "__main__":
    unittest.main()
