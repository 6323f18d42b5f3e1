# SPDX-License-Identifier: Apache-2.0
"""One agent and its clients: what it waits for, how it stops, what it refuses."""
import contextlib
import os
import signal
import socket
import stat
import subprocess
import unittest

from network import NetworkTest, Task, random_task, wait_until
from program import PATIENCE, PROGRAM, run
from samples import STALLING_FEATURES, STALLING_GAMMA, stalling_rows


class OneAgent(NetworkTest):
    """'north' runs, 'south' does not."""

    def setUp(self):
        super().setUp()
        self.net = self.network(["north", "south"], "--atoms", "3", "--exchanges", "5")
        self.north, self.south = self.net.agents
        self.south.close_once()
        self.north.start()
        self.north.wait_until_ready()

    def refuse(self, *arguments, because):
        process = self.north.ask(*arguments, check=False)
        self.assertEqual(process.returncode, 2, process)
        self.assertEqual(process.stdout, "")
        self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")
        self.assertIn(because, process.stderr)

    def check_stop(self, agent):
        """Whatever it waits for."""
        agent.stop()
        self.assertIn("stopped;", agent.log())
        self.assertFalse((agent.home / "control.sock").exists())

    def meet_south(self):
        """North begins steps only after it has met its neighbour."""
        self.south.start()
        wait_until(lambda: self.north.status()["neighbours"][0]["connected"], "south does not come")
        self.south.stop()

    def test_it_says_whom_it_waits_for(self):
        self.north.wait_for_text("waiting for a task")
        self.north.learn(random_task("a"))
        self.north.wait_for_text(r"waiting \d+ s for south: step 1, exchange 0 \(not connected: .+\)")
        self.south.start()
        self.net.wait_for_steps(1)
        self.south.stop()
        self.north.learn(random_task("b"))
        self.north.wait_for_text(r"waiting \d+ s for south: step 2, exchange 0 \(not connected: .+\)")

    def test_it_tells_of_fits_that_stalled_since_its_start(self):
        net = self.network(["east"], "--problem", "classification", "--no-intercept", "--gamma",
                           str(STALLING_GAMMA), folder="alone", features=STALLING_FEATURES)
        east = net.agents[0]
        net.start()
        east.learn(random_task("easy", STALLING_FEATURES, rows=20, labels=True), "--wait")
        self.assertNotIn("numerics", east.ask("status").stdout)
        rows = stalling_rows("tiny")
        east.learn(Task("tiny", [row[2:] for row in rows], [row[1] for row in rows]), "--wait")
        self.assertEqual(east.status()["numerics"]["fits_stalled"], 1)
        self.assertIn("numerics since the agent's start: 1 fit stalled", east.ask("status").stdout)
        self.assertRegex(east.log(), r"learned 'tiny', .* s; 1 fit stalled")
        east.stop()
        net.start()
        self.assertEqual(east.status()["numerics"]["fits_stalled"], 0)

    def test_it_stops_between_steps_and_in_one(self):
        self.check_stop(self.north)
        self.north.start()
        self.north.wait_until_ready()
        self.meet_south()
        self.north.learn(random_task("a"))
        wait_until(lambda: self.north.status()["in_step"], "the step does not begin")
        self.check_stop(self.north)
        self.assertEqual(self.north.tasks(), [("a", 0)])
        self.net.start()
        self.net.wait_for_steps(1)
        self.assertEqual(self.north.tasks(), [("a", 1)])
        self.check_stop(self.south)

    def test_it_stops_while_somebody_waits_for_an_answer(self):
        self.meet_south()
        rows = self.north.home / "rows.csv"
        rows.write_text(random_task("a").csv())
        asker = subprocess.Popen([PROGRAM, "agent", "learn", "--home", self.north.home, "--task",
                                  "a", "--wait", rows], stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(asker.communicate)
        self.addCleanup(asker.kill)
        wait_until(lambda: self.north.status()["in_step"], "the step does not begin")
        self.check_stop(self.north)
        output, errors = asker.communicate(timeout=PATIENCE)
        self.assertEqual(asker.returncode, 2)
        self.assertIn("queued: a", output)
        self.assertIn("the task is safe", errors)
        self.assertEqual(self.north.tasks(), [("a", 0)])

    def test_two_signals_end_it_too(self):
        self.north.process.send_signal(signal.SIGINT)
        self.north.process.send_signal(signal.SIGTERM)
        self.north.process.wait(PATIENCE)

    def test_a_second_one_on_the_same_home_is_refused(self):
        self.refuse("run", because="another agent is running on this home")
        self.assertIsNotNone(self.north.status())

    def test_a_port_in_use_is_named(self):
        other = self.network(["north", "south"], folder="other", addresses=self.net.addresses)
        process = other["north"].ask("run", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(process.stderr,
                         rf"\Acolla: listen: {self.net.addresses[0]} is in use [^\n]+\n\Z")

    def test_bad_rows_are_refused_at_once(self):
        good = random_task("a").csv()
        header = good.splitlines()[0]
        for text, because in [
                (header.replace("x0,", "") + "\n1,2,3,4,5\n", "has 4 columns other than y, the network 5 features"),
                (good.replace("y", "z", 1), "has 6 columns other than y"),
                (header + "\n1,2,3,4,nan,6\n", "line 2"),
                (header + "\n1,2,3,4,word,6\n", "word"),
                (header + "\n1,2,3\n", "line 2"),
                (header + "\n", "rows"),
                ("", "rows.csv")]:
            with self.subTest(because=because):
                (self.north.home / "rows.csv").write_text(text)
                self.refuse("learn", "--task", "a", self.north.home / "rows.csv", because=because)
        (self.north.home / "rows.csv").write_text(good)
        self.refuse("learn", "--task", "", self.north.home / "rows.csv", because="--task")
        self.refuse("learn", "--task", "a", self.north.home / "none.csv", because="none.csv")
        self.assertEqual(self.north.tasks(), [])

    def test_few_rows_are_refused_and_why(self):
        few = random_task("a", rows=2).csv()
        (self.north.home / "rows.csv").write_text(few)
        because = "has 2 row(s); agents of this network take 3 or more at a time"
        for option in [[], ["--append"]]:
            self.refuse("learn", "--task", "a", *option, self.north.home / "rows.csv",
                        because=because)
        self.assertEqual(self.north.tasks(), [])
        self.north.learn(random_task("a", rows=3))
        self.assertEqual(self.north.tasks(), [("a", 0)])

    def test_without_an_agent_there_is_nobody_to_learn(self):
        (self.north.home / "rows.csv").write_text(random_task("a").csv())
        learn = ["learn", "--task", "a", self.north.home / "rows.csv"]
        self.north.kill()  # its socket is still there
        self.refuse(*learn, because="no agent runs on this home")
        self.north.start()
        self.north.wait_until_ready()
        self.north.stop()
        self.refuse(*learn, because="no agent runs on this home")
        self.refuse("status", because="no agent runs on this home")
        self.refuse("close", because="no agent runs on this home")
        self.assertEqual(self.north.tasks(), [])


class Export(NetworkTest):
    def test_the_model_predicts_what_the_agent_does_and_is_its_owners(self):
        net = self.network(["alone"], features="x0,x1,x2,x3,x4")
        alone = net.agents[0]
        net.start()
        task = random_task("a")
        alone.learn(task, "--wait")
        model = self.folder / "model"
        alone.ask("export", "--model", model)
        self.assertEqual(stat.S_IMODE(model.stat().st_mode), 0o600)
        rows = ["--task", "a", alone.home / "rows.csv"]
        predictions = alone.ask("predict", *rows).stdout
        self.assertEqual(len(predictions.splitlines()), 1 + len(task.y))
        self.assertEqual(run("predict", model, *rows).stdout, predictions)


class Strangers(NetworkTest):
    def test_they_cannot_close_the_door_by_using_up_the_descriptors(self):
        net = self.network(["north", "south"], joins=True)
        north, south = net.agents
        south.start()
        south.wait_until_ready()
        process = south.process.pid
        few = len(os.listdir(f"/proc/{process}/fd")) + 10
        subprocess.run(["prlimit", "--pid", str(process), f"--nofile={few}"], check=True)
        host, port = net.addresses[1].split(":")
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                with contextlib.suppress(ConnectionResetError):  # turned away
                    stack.enter_context(socket.create_connection((host, port), timeout=PATIENCE))
            south.wait_for_log("Too many open files")
        north.start()
        north.wait_until_ready()
        north.learn(random_task("a"), "--wait")


if __name__ == "__main__":
    unittest.main()
