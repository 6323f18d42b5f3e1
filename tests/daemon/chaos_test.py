# SPDX-License-Identifier: Apache-2.0
"""Agents are killed and links are cut, and in the end it makes no difference."""
import unittest

from chaos import check_disturbed
from network import IS_SANITIZED, NetworkTest


class Disturbances(NetworkTest):
    def test_kills_and_cuts_leave_no_trace(self):
        count = 5 if IS_SANITIZED else 20
        chaos = check_disturbed(self, kills=count, cuts=count, seed=2018)
        self.assertGreaterEqual((chaos.kills, chaos.cuts), (count, count))


if __name__ == "__main__":
    unittest.main()
