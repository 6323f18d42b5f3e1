# SPDX-License-Identifier: Apache-2.0
"""A dictionary of 1,100 x 1,100: messages of 9.7 MB."""
import unittest

from network import NetworkTest, learn_all, random_task

OPTIONS = ["--no-intercept", "--atoms", "1100", "--mu", "1", "--exchanges", "2"]


class Large(NetworkTest):
    def test_large_dictionaries_travel(self):
        tasks = [[random_task(name, features=1100, rows=6)] for name in ["north", "south"]]
        network = self.network(["north", "south"], *OPTIONS, features=1100)
        network.start()
        learn_all(network, tasks)
        network.wait_for_steps(1)
        sent = network["north"].status()["neighbours"][0]["bytes_sent"]
        self.assertGreaterEqual(sent, 2 * 8 * 1100 * 1100)
        network.stop()
        self.assert_same_state(network.state(), self.trained(tasks, *OPTIONS))


if __name__ == "__main__":
    unittest.main()
