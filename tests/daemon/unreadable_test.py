# SPDX-License-Identifier: Apache-2.0
"""Homes whose files cannot be read, are no files at all, or are replaced while the agent runs."""
import os
import shutil
import subprocess
import unittest

from bayes import BayesTest, related_task
from network import PATIENCE, end_process, wait_until
from program import PROGRAM, run

CONFIGURATION = ["agent.toml", "network.toml", "recipe.toml", "ca.crt", "agent.crt", "agent.key"]
STORE = ["agent.db", "agent.db-wal", "agent.lock"]
MOST_READS = 50


class HomeTest(BayesTest):
    """The home of an agent without neighbours, which was killed."""

    def setUp(self):
        super().setUp()
        self.write_recipe()
        self.net = self.network(["north"], mode="living")
        self.north = self.net.agents[0]
        self.home = self.north.home
        self.net.start()
        for k in range(3):
            self.north.learn(related_task(f"task {k}"))

    def copy_after_kill(self):
        """Of the home, to be spoilt."""
        self.north.kill()
        self.copies = iter(range(10**6))
        self.sound = self.home

    def copy(self):
        copy = self.folder / f"copy-{next(self.copies)}"
        shutil.copytree(self.sound, copy, ignore=shutil.ignore_patterns("*.sock"))
        return copy

    def doctor(self, home):
        process = run("doctor", "--home", home)
        self.assertIn(process.returncode, [0, 1], process)
        return process


class UnreadableHomes(HomeTest):
    def setUp(self):
        super().setUp()
        self.copy_after_kill()

    def failing(self, name, reads):
        """The environment in which reads of a file fail after so many."""
        mark = self.folder / "failed"
        mark.unlink(missing_ok=True)
        return mark, {"LD_PRELOAD": os.environ["COLLA_FAILING_READS"], "FAILING_FILE": f"/{name}",
                      "FAILING_AFTER": str(reads), "FAILED_FILE": os.fspath(mark)}

    def check_words(self, words, name):
        self.assertNotIn("damaged", words)
        self.assertRegex(words, rf"{name}[^\n]*: cannot be read \([^\n]*Input/output error\)")

    def for_each_read(self, names, look):
        for name in names:
            for reads in range(MOST_READS):
                with self.subTest(name=name, reads=reads):
                    home = self.copy()
                    mark, environment = self.failing(name, reads)
                    words = look(home, environment)
                    if not mark.exists():
                        break
                    self.assertNotIn("damaged", words)
                    if words:
                        self.check_words(words, "agent.db" if name in STORE[:2] else name)
                    shutil.rmtree(home)
            self.assertGreater(reads, 0, f"no read of {name}")

    def test_who_looks_never_calls_it_damaged(self):
        def look(home, environment):
            process = run("agent", "tasks", "--home", home, environment=environment)
            self.assertEqual(process.returncode, 2 if process.stderr else 0)
            return process.stderr
        self.for_each_read(["agent.toml", "network.toml", "recipe.toml", "ca.crt", *STORE], look)

    def test_doctor_never_calls_it_damaged(self):
        def look(home, environment):
            process = run("doctor", "--home", home, environment=environment)
            failures = [line for line in process.stdout.splitlines() if line.startswith("FAIL")]
            return "\n".join(failures)
        self.for_each_read([*CONFIGURATION, *STORE], look)

    def test_an_agent_that_starts_never_calls_it_damaged(self):
        def look(home, environment):
            log = home / "test.log"
            log.unlink(missing_ok=True)
            with log.open("wb") as out:
                agent = subprocess.Popen([PROGRAM, "agent", "run", "--home", home], stdin=subprocess.DEVNULL,
                                         stdout=out, stderr=out, env={**os.environ, **environment})
            def is_up():
                return agent.poll() is not None or run("agent", "status", "--home", home).returncode == 0
            try:
                wait_until(is_up, log.read_text)
                if agent.poll() is None:  # what it could not do can wait
                    self.assertNotIn("damaged", log.read_text())
                    return ""
                self.assertEqual(agent.wait(PATIENCE), 2)
                return log.read_text()
            finally:
                end_process(agent)
        self.for_each_read([*CONFIGURATION, "agent.lock"], look)


class OddFiles(HomeTest):
    kinds = {
        "a FIFO": os.mkfifo,
        "a folder": lambda path: path.mkdir(),
        "a link to nothing": lambda path: path.symlink_to("nothing"),
        "a device": lambda path: path.symlink_to("/dev/zero"),
    }

    def test_doctor_names_what_is_no_file_and_never_waits_for_it(self):
        self.copy_after_kill()
        for name in [*CONFIGURATION, *STORE, "agent.db-shm"]:
            for kind, make in self.kinds.items():
                with self.subTest(name=name, kind=kind):
                    home = self.copy()
                    (home / name).unlink(missing_ok=True)
                    make(home / name)
                    process = self.doctor(home)
                    self.assertEqual(process.returncode, 1, process.stdout)
                    self.assertRegex(process.stdout, rf"FAIL [^\n]*{name}: is {kind}, not a file; ")

    def test_doctor_names_what_is_no_socket(self):
        self.copy_after_kill()
        for kind, make in {**self.kinds, "a file": lambda path: path.write_text("")}.items():
            with self.subTest(kind=kind):
                home = self.copy()
                make(home / "control.sock")
                process = self.doctor(home)
                self.assertEqual(process.returncode, 1, process.stdout)
                self.assertRegex(process.stdout, rf"FAIL [^\n]*control.sock: is {kind}, not a socket; remove it")

    def test_the_socket_that_a_killed_agent_leaves_is_none_of_them(self):
        self.north.kill()
        self.assertTrue((self.home / "control.sock").is_socket())
        self.assertNotIn("control.sock", self.doctor(self.home).stdout)

    def test_other_commands_do_not_wait_for_them_either(self):
        self.copy_after_kill()
        for name in ["agent.toml", "agent.db", "agent.lock"]:
            home = self.copy()
            (home / name).unlink()
            os.mkfifo(home / name)
            for command in ["run", "tasks"]:
                process = run("agent", command, "--home", home)
                self.assertEqual(process.returncode, 2, process)
                self.assertIn(f"{name}: is a FIFO, not a file", process.stderr)


class ReplacedFiles(HomeTest):
    def replace(self, name):
        copy = self.home / "copy"
        shutil.copy(self.home / name, copy)
        copy.rename(self.home / name)

    def check_one_agent(self):
        process = self.north.ask("run", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("another agent is running on this home (its agent.lock was replaced)", process.stderr)
        process = self.doctor(self.home)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stdout, r"FAIL  agent: runs, but its agent.lock was replaced[^\n]*; stop it")

    def test_a_new_lock_file_lets_no_second_agent_in_and_doctor_finds_it(self):
        self.assertRegex(self.doctor(self.home).stdout, r"ok    agent: runs \(process \d+\)")
        self.replace("agent.lock")
        self.check_one_agent()
        self.replace("agent.db")
        self.check_one_agent()
        self.north.kill()
        self.assertRegex(self.doctor(self.home).stdout, r"WARN  agent: does not run")

    def test_an_agent_whose_lock_file_was_replaced_is_read_and_learns(self):
        self.replace("agent.lock")
        self.north.learn(related_task("more"))
        self.assertEqual(len(self.north.tasks()), 4)
        self.north.ask("export", "--model", self.home / "exported")
        self.north.stop()
        self.north.start()
        self.north.wait_until_ready()
        self.assertEqual(len(self.north.tasks()), 4)


if __name__ == "__main__":
    unittest.main()
