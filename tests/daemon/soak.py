# SPDX-License-Identifier: Apache-2.0
"""`./dev soak [N]`: networks that are disturbed while they learn, compared with undisturbed ones.

In lockstep N kills and N cuts (default 200). Agents that live: 5 N kills and cuts while N tasks come, once with
dictionaries and once with a collective prior; a member that sends garbage while 300 tasks come; 3 agents become 20 and 3."""
import sys
import time
import unittest

from bad_member import check_bad_member
from bayes import related_task
from chaos import check_disturbed
from growth import check_growth
from living import LivingBayesTest, LivingTest
from living_chaos import NAMES, check_disturbed as check_living
from network import NetworkTest, random_task

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 200
TASKS_UNDER_GARBAGE = 300


def say_every(seconds):
    start, last = time.monotonic(), -seconds

    def say(text):
        nonlocal last
        if time.monotonic() - start - last < seconds:
            return
        last = time.monotonic() - start
        print(f"{last:6.0f} s: {text()}", flush=True)
    return say


class Lockstep(NetworkTest):
    def runTest(self):
        say = say_every(0)

        def progress(chaos):
            say(lambda: f"{chaos.kills} kills, {chaos.cuts} cuts, "
                f"{len(chaos.tasks[0])} tasks for each of {len(chaos.tasks)} agents")
        check_disturbed(self, COUNT, COUNT, seed=time.time_ns(), progress=progress)


def check_alive(test, task_of):
    say = say_every(10)

    def state(chaos):
        return f"{chaos.disturbances} kills and cuts, {chaos.given} tasks, the slowest learned in {chaos.slowest:.2f} s"
    network = test.network(NAMES, "--graph", "random")
    chaos = check_living(test, network, COUNT, 5 * COUNT, time.time_ns(), task_of,
                         lambda chaos: say(lambda: state(chaos)))
    down = [patient.down / chaos.seconds for patient in chaos.patients]
    print(f"{state(chaos)}; away {100 * sum(down) / len(down):.0f} % of the time; "
          f"settled {chaos.settled:.1f} s after peace", flush=True)


class LivingDictionaries(LivingTest):
    def test_disturbances(self):
        check_alive(self, random_task)

    def test_bad_member(self):
        _, sent = check_bad_member(self.network(NAMES[:2] + ["east", "west"], "--graph", "ring"), random_task,
                                   TASKS_UNDER_GARBAGE)
        print(f"{sent} messages of garbage left no trace", flush=True)

    def test_growth(self):
        given = check_growth(self.network(NAMES[:3]), 20, random_task)
        print(f"{given} tasks while 3 agents became 20 and 3 again", flush=True)


class LivingPriors(LivingBayesTest):
    def test_disturbances(self):
        check_alive(self, related_task)

    def test_bad_member(self):
        check_bad_member(self.network(NAMES[:2] + ["east", "west"], "--graph", "ring"), related_task, TASKS_UNDER_GARBAGE)


if __name__ == "__main__":
    loader = unittest.defaultTestLoader
    suite = unittest.TestSuite([Lockstep(), *map(loader.loadTestsFromTestCase, [LivingDictionaries, LivingPriors])])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    print("soak: " + ("nothing that was learned is lost, and all agree" if result.wasSuccessful() else "FAILED"))
    sys.exit(not result.wasSuccessful())
