# SPDX-License-Identifier: Apache-2.0
"""Three agents grow to eight and shrink to three again while all of them learn."""
import unittest

from bayes import related_task
from growth import check_growth
from living import NAMES, LivingBayesTest, LivingTest
from network import random_task

MOST = 8


class Dictionaries(LivingTest):
    def test_nobody_restarts_and_no_task_is_lost(self):
        self.assertGreater(check_growth(self.network(NAMES), MOST, random_task), 0)


class Priors(LivingBayesTest):
    def test_nobody_restarts_and_no_task_is_lost(self):
        self.assertGreater(check_growth(self.network(NAMES), MOST, related_task), 0)


if __name__ == "__main__":
    unittest.main()
