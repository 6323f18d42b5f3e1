# SPDX-License-Identifier: Apache-2.0
"""What passes between agents, byte by byte: dictionaries, and no number or name of a task in the
clear. docs/privacy.md says what dictionaries reveal nonetheless."""
import sqlite3
import struct
import unittest

from network import NetworkTest, learn_all, random_task
from program import read_codes, read_matrix

FEATURES, ATOMS, STEPS, EXCHANGES = 27, 10, 3, 10


def patterns(values):
    """The eight bytes of each distinctive value, in both byte orders."""
    numbers = [struct.pack("<d", value) for value in values if value not in (0.0, 1.0, -1.0)]
    return {*numbers, *(number[::-1] for number in numbers)}


def windows(content):
    return {content[k:k + 8] for k in range(len(content) - 7)}


class Privacy(NetworkTest):
    def setUp(self):
        super().setUp()
        self.tasks = [[random_task(f"secret of {name} {k}", FEATURES, rows=20)
                       for k in range(STEPS)] for name in ["north", "south", "west"]]
        self.net = self.network(
            ["north", "south", "west"], "--atoms", str(ATOMS),
            "--exchanges", str(EXCHANGES), features=FEATURES,
            agent_options=["--insecure-loopback"])
        self.net.put_proxies(is_recording=True)
        self.net.start()
        learn_all(self.net, self.tasks)
        self.net.wait_for_steps(STEPS)
        self.net.stop()
        self.captured = [part for proxy in self.net.proxies for part in proxy.directions()]
        self.net.state()
        self.seen = set().union(*map(windows, self.captured))

    def learned_values(self):
        """Of all agents' codes, single-task models and curvatures."""
        for agent in self.net.agents:
            for code in read_codes(agent.home / "state/codes.csv").values():
                yield from code
            store = sqlite3.connect(f"file:{agent.home / 'agent.db'}?mode=ro", uri=True)
            self.addCleanup(store.close)
            for blobs in store.execute("SELECT alpha, gamma FROM models"):
                for blob in blobs:
                    yield from struct.unpack(f"<{len(blob) // 8}d", blob)

    def test_rows_models_codes_and_names_stay_at_home(self):
        rows = patterns(value for own in self.tasks for task in own
                        for x, y in zip(task.X, task.y) for value in [*x, y])
        learned = patterns(self.learned_values())
        self.assertGreater(len(rows), 3 * STEPS * 20 * FEATURES)
        self.assertGreater(len(learned), 3 * STEPS * FEATURES * 20)
        self.assertFalse(self.seen & rows)
        self.assertFalse(self.seen & learned)
        for part in self.captured:
            self.assertNotIn(b"secret", part)
        # The search works: it finds every agent's last dictionary and its name.
        for position, agent in enumerate(self.net.agents):
            L = read_matrix(agent.home / f"state/L_{position}.csv")
            sent = [struct.pack("<d", value) for row in L for value in row]
            self.assertGreater(sum(value in self.seen for value in sent), 0.95 * len(sent))
            self.assertTrue(any(agent.name.encode() in part for part in self.captured))

    def test_an_exchange_costs_little_more_than_its_dictionary(self):
        most = 1.05 * 8 * (FEATURES + 1) * ATOMS + 1024
        for proxy in self.net.proxies[1:]:  # one edge each, of one or more connections
            for said in proxy.said_by_callers_and_called():
                self.assertGreater(said, STEPS * EXCHANGES * 8 * (FEATURES + 1) * ATOMS)
                self.assertLessEqual(said / (STEPS * EXCHANGES), most)
        self.assertEqual(self.net.proxies[0].directions(), [])


if __name__ == "__main__":
    unittest.main()
