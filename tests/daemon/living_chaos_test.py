# SPDX-License-Identifier: Apache-2.0
"""Agents are killed and cut off, and in the end all have learned all, and forgotten what they should."""
import unittest

from bayes import related_task
from living import LivingBayesTest, LivingTest
from living_chaos import NAMES, check_disturbed
from network import IS_SANITIZED

TASKS, DISTURBANCES = (5, 6) if IS_SANITIZED else (20, 40)


class Dictionaries(LivingTest):
    def test_nothing_acknowledged_is_lost_and_all_reach_the_optimum(self):
        network = self.network(NAMES, "--graph", "random")
        chaos = check_disturbed(self, network, TASKS, DISTURBANCES, seed=2018)
        self.assertGreaterEqual((chaos.given, chaos.disturbances), (TASKS, DISTURBANCES))


class Priors(LivingBayesTest):
    def test_nothing_acknowledged_is_lost_and_all_agree(self):
        network = self.network(NAMES, "--graph", "random")
        check_disturbed(self, network, TASKS // 2, DISTURBANCES // 2, seed=2018, task_of=related_task)


if __name__ == "__main__":
    unittest.main()
