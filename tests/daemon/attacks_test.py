# SPDX-License-Identifier: Apache-2.0
"""Strangers and members attack an agent: it survives, stays small and quiet, and keeps learning."""
import unittest
from concurrent.futures import ThreadPoolExecutor

import attacks
from attacks import Costs, close_all, wait_for_descriptors
from network import IS_SANITIZED, NetworkTest, random_task, wait_until
from raw_http2 import FLOODS, RawCalled

OPTIONS = ["--atoms", "3", "--exchanges", "6"]
MANY = 300 if IS_SANITIZED else 1000
# What an agent's limits add up to: gRPC's buffers, and a quarter of a mebibyte for each connection of strangers and
# of the attacker's address. A sanitizer keeps 256 MiB that were freed, and more.
MEBIBYTES = 1000 if IS_SANITIZED else 48 + (128 + 72) / 4
LINES, LINES_A_MINUTE = 20, 10  # that others can cause in the log: at once, and then


class AttacksTest(NetworkTest):
    """'north' calls 'south', 'south' calls 'west'. South is attacked while north and south learn."""

    def setUp(self):
        super().setUp()
        self.net = self.network(["north", "south", "west"], *OPTIONS, joins=True)
        self.net.start()
        self.north, self.south, self.west = self.net.agents
        self.address = self.net.addresses[1]
        self.tasks = 0
        self.check_that_all_learn()
        self.costs = Costs(self.south)

    def check_that_all_learn(self):
        self.tasks += 1
        for agent in [self.north, self.south]:
            agent.learn(random_task(f"{agent.name} {self.tasks}"), "--wait")

    def check_memory(self):
        self.assertLess(self.costs.mebibytes(), MEBIBYTES)

    def check_costs(self):
        self.check_that_all_learn()
        self.check_memory()
        # However long it took: a slow machine allows for more, and a fast one is held to the first lines.
        self.assertLessEqual(self.costs.log_lines(), LINES + LINES_A_MINUTE * self.costs.minutes() + 2 * self.tasks)
        wait_for_descriptors(self.costs, 4)
        self.assertEqual(self.south.status()["disagreements"], 0)


class Strangers(AttacksTest):
    def test_strangers_with_names_that_grpc_logs(self):
        texts = attacks.log_texts()
        self.assertGreater(len(texts), 1000)
        few = [*texts[:2], *texts[2::len(texts) // 200]]
        attacks.stranger_handshakes(self.address, few, len(few))
        self.check_costs()

    def test_strangers_in_great_numbers(self):
        attacks.stranger_handshakes(self.address, [""], MANY)
        silent = attacks.stranger_connections(self.address, MANY)
        self.check_that_all_learn()
        close_all(silent)
        self.check_costs()

    def test_strangers_whose_greeting_never_ends(self):
        connections = attacks.stranger_hellos(self.address, 400)
        self.check_that_all_learn()
        self.check_memory()
        close_all(connections)
        self.check_costs()


class Members(AttacksTest):
    def test_a_member_with_headers_that_grpc_logs(self):
        texts = attacks.log_texts()
        few = [*texts[:2], *texts[2::5]]
        attacks.member_headers(self.address, self.west.home, few)
        self.check_costs()

    def test_a_member_with_messages_that_never_end(self):
        for size, sent in [(2**20, 2**19), (2**28, 2**20), (1024, 1000)]:
            open_calls = attacks.member_unfinished_messages(self.address, self.west.home, 8, size,
                                                            sent)
            self.check_that_all_learn()
            self.check_memory()
            close_all(open_calls)
        self.check_costs()

    def test_idle_connections_of_a_member_are_closed(self):
        connections = attacks.member_connections(self.address, self.west.home, MANY)
        self.assertGreater(len(connections), 5)
        wait_until(lambda: not any(connection.is_open() for connection in connections),
                   "an idle connection stays")
        self.check_costs()

    def test_silent_calls_of_one_member_do_not_shut_out_another(self):
        silent = attacks.member_silent_calls(self.address, self.west.home, 12)
        self.addCleanup(close_all, silent)
        self.north.kill()
        self.north.start()
        self.north.wait_for_log("connected to south", 2)
        self.check_that_all_learn()

    def test_a_member_that_makes_noise(self):
        attacks.member_noise(self.address, self.west.home, 60)
        attacks.member_frames(self.address, self.net, "west", 30)
        self.check_costs()


class Floods(AttacksTest):
    def test_a_member_that_calls_and_floods(self):
        for kind in list(FLOODS)[::3 if IS_SANITIZED else 1]:
            with self.subTest(kind), ThreadPoolExecutor(1) as pool:
                flood = pool.submit(attacks.member_floods, self.address, self.west.home, kind, 1)
                while True:
                    self.check_that_all_learn()
                    self.check_memory()
                    if flood.done():
                        break
                flood.result()
        self.assertIn("it sends too much besides messages", self.south.log())
        self.check_costs()

    def test_a_member_that_is_called_and_floods(self):
        self.west.stop()
        called = RawCalled(self.net.addresses[2], self.west.home,
                           ["resets", "a header without end", "windows"])
        because = "it sends too much besides messages"
        wait_until(lambda: called.count > 3 and because in self.south.log(),
                   "south does not cut the connection, or does not call again")
        self.check_memory()
        called.close()
        self.west.start()
        self.check_costs()


if __name__ == "__main__":
    unittest.main()
