# SPDX-License-Identifier: Apache-2.0
"""A member sends garbage for a while and is removed: the others end at the optimum without it."""
import unittest

from bad_member import check_bad_member
from bayes import related_task
from living import LivingBayesTest, LivingTest
from network import random_task

NAMES = ["north", "south", "east", "west"]
TASKS = 15


class Dictionaries(LivingTest):
    def test_of_a_line_leaves_no_trace(self):
        found, _ = check_bad_member(self.network(NAMES), random_task, TASKS)
        self.assertGreater(max(abs(value) for row in found for value in row), 1e-3)

    def test_of_a_ring_leaves_no_trace(self):
        check_bad_member(self.network(NAMES, "--graph", "ring"), random_task, TASKS)


class Priors(LivingBayesTest):
    def test_of_a_ring_leaves_no_trace(self):
        check_bad_member(self.network(NAMES, "--graph", "ring"), related_task, TASKS)


if __name__ == "__main__":
    unittest.main()
