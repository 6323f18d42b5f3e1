# SPDX-License-Identifier: Apache-2.0
"""A neighbour sends garbage: its link is dropped with a reason, and nothing else happens."""
import math
import unittest

from network import NetworkTest, random_task, wait_until
from peer import METHOD, PROTOCOL, Called, Caller, dictionary, hello, position
from raw_http2 import RawCaller, tls_context

FEATURES = 5
ROWS, ATOMS = FEATURES + 1, 3
VALUES = [0.25 * k for k in range(ROWS * ATOMS)]
OPTIONS = ["--atoms", str(ATOMS), "--exchanges", "6"]


def call_of(step):
    return dictionary(step, 0, [], 0, 0)


def good(step, exchange):
    return dictionary(step, exchange, VALUES, ROWS, ATOMS)


class Messages(NetworkTest):
    """'north' calls 'south'; after one step the test speaks in its place."""

    def setUp(self):
        super().setUp()
        self.tasks = [[random_task(f"{name} {k}") for k in range(2)]
                      for name in ["north", "south"]]
        self.net = self.network(["north", "south"], *OPTIONS)
        self.net.start()
        self.north, self.south = self.net.agents
        for agent, own in zip(self.net.agents, self.tasks):
            agent.learn(own[0])
        self.net.wait_for_steps(1)
        self.north.stop()
        self.checksum = self.checksum_of_souths_last()
        self.before = self.south.state()
        self.sent = self.south.status()["neighbours"][0]["bytes_sent"]

    def caller(self, home=None):
        caller = Caller(self.net.addresses[1], home or self.north.home)
        self.addCleanup(caller.close)
        return caller

    def checksum_of_souths_last(self):
        """A caller that has received nothing is sent everything."""
        caller = self.caller()
        caller.send(hello(self.net, "north"))
        caller.receive()
        frames = [caller.receive() for _ in range(7)]
        caller.close()
        self.assertEqual(frames[-1].dictionary.position, position(1, 6))
        return frames[-1].dictionary.checksum

    def hello(self, **changes):
        """North's."""
        return hello(self.net, "north", (1, 6), **{"received_checksum": self.checksum, **changes})

    def greeted(self):
        """A call after the greetings, with south's first message of step 2 if it has begun it."""
        caller = self.caller()
        caller.send(self.hello())
        self.assertEqual(caller.receive().hello.agent, "south")
        return caller

    def wait_for_reason(self, reason):
        """Until south has lost north because of it."""
        def is_so():
            north = self.south.status()["neighbours"][0]
            return not north["connected"] and reason in north["reason"]
        wait_until(is_so, lambda: f"south does not say {reason!r}:\n{self.south.log()}")

    def check_refused(self, caller, *frames, because):
        caller.send(*frames)
        self.assertIn(because, caller.refusal())
        self.assertTrue(self.south.is_running())
        self.assertEqual(self.south.state(), self.before)

    def check_that_the_right_one_can_go_on(self):
        self.north.start()
        self.north.wait_until_ready()
        for agent, own in zip(self.net.agents, self.tasks):
            agent.learn(own[1])
        self.net.wait_for_steps(2)
        self.net.stop()
        self.assert_same_state(self.net.state(), self.trained(self.tasks, *OPTIONS))

    def forget_the_impostor(self):
        """What was said in north's name is forgotten with south's memory."""
        self.south.kill()
        self.south.start()
        self.south.wait_until_ready()

    def test_what_is_not_a_message(self):
        whole = good(2, 1).SerializeToString()
        unknown = PROTOCOL.Frame.FromString(call_of(2).SerializeToString())
        unknown.dictionary.MergeFromString(b"\x78\x01")  # field 15
        for frame, because in [
                (b"\xff" * 64, "bytes that are not a frame"),
                (whole[:len(whole) // 2], "bytes that are not a frame"),
                (b"", "an empty frame"),
                (unknown, "unknown fields"),
                (call_of(2).SerializeToString() + b"\x78\x01", "unknown fields"),
                (dictionary(2, 1, VALUES, ROWS, ATOMS, values=b"12345678" * 3),
                 f"24 bytes for a dictionary of {ROWS} x {ATOMS}"),
                (dictionary(2, 1, VALUES, 2**32 - 1, 2**32 - 1), "bytes for a dictionary of"),
                (dictionary(2, 1, VALUES, ROWS, ATOMS, checksum=7), "checksum is wrong"),
                (dictionary(2, 0, VALUES, ROWS, ATOMS), "values at exchange 0"),
                (self.hello(), "greeted twice")]:
            with self.subTest(because=because):
                self.check_refused(self.greeted(), frame, because=because)
        self.check_that_the_right_one_can_go_on()

    def test_messages_that_are_not_due(self):
        transposed = dictionary(2, 1, VALUES, ATOMS, ROWS)
        for frames, because in [
                ([good(1, 6)], "step 1, exchange 6 was already received"),
                ([call_of(1)], "step 1, exchange 0 was already received"),
                ([good(2, 1)], "step 2, exchange 1 arrived, but step 2, exchange 0 is due"),
                ([call_of(3)], "step 3, exchange 0 arrived, but step 2, exchange 0 is due"),
                ([good(2**63, 1)], "is due")]:
            with self.subTest(because=because):
                self.check_refused(self.greeted(), *frames, because=because)
        # From here on south knows that step 2 has begun.
        caller = self.greeted()
        caller.send(call_of(2))
        wait_until(lambda: self.south.status()["neighbours"][0]["received"]["step"] == 2,
                   "the message did not arrive")
        bad = {value: dictionary(2, 1, [value, *VALUES[1:]], ROWS, ATOMS)
               for value in [math.nan, math.inf, -1e151]}
        for frames, because in [
                ([call_of(2)], "step 2, exchange 0 was already received"),
                ([transposed], f"holds {ATOMS} x {ROWS} values instead of {ROWS} x {ATOMS}"),
                ([bad[math.nan]], "holds values that are not finite"),
                ([bad[math.inf]], "holds values that are not finite"),
                ([bad[-1e151]], "holds values above 1e150"),
                ([good(2, 2)], "step 2, exchange 2 arrived, but step 2, exchange 1 is due")]:
            with self.subTest(because=because):
                caller = self.caller()
                caller.send(self.hello())
                self.assertEqual(caller.receive().hello.received, position(2, 0))
                self.check_refused(caller, *frames, because=because)
        self.forget_the_impostor()
        self.check_that_the_right_one_can_go_on()

    def test_a_neighbour_that_probes(self):
        """By dictionaries that grow 1e9-fold in every exchange."""
        def probe(exchange):
            return dictionary(2, exchange, [value * 1e9**exchange for value in VALUES], ROWS, ATOMS)

        caller = self.greeted()
        self.south.learn(self.tasks[1][1])
        caller.send(call_of(2), probe(1))
        self.assertEqual(caller.receive().dictionary.position, position(2, 0))
        answer = None
        for exchange in [1, 2]:
            answer = caller.receive().dictionary
            self.assertEqual(answer.position, position(2, exchange))
            caller.send(probe(exchange + 1))
        because = "-fold in one exchange, step 2, exchange 3, more than an honest agent's can"
        self.assertIn(because, caller.refusal())
        self.wait_for_reason(because)
        again = self.caller()
        again.send(self.hello(received=position(2, 2), received_checksum=answer.checksum))
        self.assertEqual(again.receive().hello.received, position(2, 2))
        again.send(probe(3))
        self.assertIn(because, again.refusal())
        self.assertEqual(self.south.status()["neighbours"][0]["probes"], 2)
        self.south.wait_for_text("2 of its dictionaries grew as no honest agent's can; it may be probing")
        self.forget_the_impostor()
        self.north.start()
        self.north.wait_until_ready()
        self.north.learn(self.tasks[0][1])
        self.net.wait_for_steps(2)
        self.net.stop()
        self.assert_same_state(self.net.state(), self.trained(self.tasks, *OPTIONS))

    def test_greetings_that_do_not_belong(self):
        everything = position(2**64 - 1, 2**32 - 1)
        for frame, because in [
                (call_of(2), "it did not greet first"),
                (self.hello(protocol=1), "it speaks protocol 1, this agent 4"),
                (self.hello(network="0" * 32), "another network"),
                (self.hello(network_sha256=b"x" * 32),
                 "its network.toml differs (787878787878..."),
                (self.hello(network_sha256=b"x"), "without a network's hash"),
                (self.hello(agent="south"), "it says it is 'south', its certificate is for 'north'"),
                (self.hello(agent="north\n\x1b[2J"), r"it says it is 'north\x0a\x1b[2J'"),
                (self.hello(received=everything), "it has received step"),
                (self.hello(received=position(9, 9)), "it has received step 9, exchange 9"),
                (self.hello(received_checksum=self.checksum ^ 1),
                 "it has received a step 1, exchange 6 that this agent did not send")]:
            with self.subTest(because=because):
                self.check_refused(self.caller(), frame, because=because)
        # The silent caller times out later than the test can wait; here it only takes a place.
        self.caller()
        self.check_that_the_right_one_can_go_on()

    def test_a_frame_larger_than_any_dictionary(self):
        caller = self.greeted()
        large = dictionary(2, 1, VALUES * 100, ROWS * 100, ATOMS)
        self.assertGreater(large.ByteSize(), ROWS * ATOMS * 8 + 1024)
        caller.send(large)
        self.assertIn("larger", caller.refusal())
        self.wait_for_reason("")
        self.assertEqual(self.south.state(), self.before)
        self.check_that_the_right_one_can_go_on()

    def test_messages_far_ahead_are_not_hoarded(self):
        caller = self.greeted()
        caller.send(call_of(2), good(2, 1), good(2, 2))
        because = "arrived before its sender could have computed it"
        self.assertIn("step 2, exchange 2 " + because, caller.refusal())
        self.wait_for_reason(because)
        self.assertEqual(self.south.state(), self.before)
        self.forget_the_impostor()
        self.check_that_the_right_one_can_go_on()

    def test_a_neighbour_that_does_not_read_keeps_one_message_waiting(self):
        caller = RawCaller(self.net.addresses[1], tls_context(self.north.home), window=0)
        self.addCleanup(caller.close)
        caller.send_message(caller.call(METHOD), hello(self.net, "north").SerializeToString())
        wait_until(lambda: self.south.status()["neighbours"][0]["connected"], "not connected")
        for k in range(10):  # each is a reason to send what there is
            self.south.learn(random_task(f"more {k}"))
        sent = self.south.status()["neighbours"][0]["bytes_sent"]
        self.assertLess(sent - self.sent, 8 * (ROWS * ATOMS + 20))

    def test_a_mad_neighbour_that_is_called(self):
        self.south.stop()
        before = self.north.state()
        greeting = hello(self.net, "south", (1, 6))
        for frames, because in [
                ([b"\xff"], "bytes that are not a frame"),
                ([hello(self.net, "south", (1, 6), network_sha256=b"x" * 32)],
                 "its network.toml differs"),
                ([call_of(2)], "it did not greet first"),
                ([greeting, good(2, 1)], "arrived, but step 2, exchange 0 is due"),
                ([greeting, call_of(2), dictionary(2, 1, [math.nan] * len(VALUES), ROWS, ATOMS)],
                 "arrived before its sender could have computed it")]:
            with self.subTest(because=because):
                called = Called(self.net.addresses[1], self.south.home, *frames)
                self.addCleanup(called.close)
                self.north.start()
                self.north.wait_for_log(because)
                self.north.wait_until_ready()
                self.north.stop()
                called.close()
                self.assertEqual(self.north.state(), before)
        self.south.start()
        self.check_that_the_right_one_can_go_on()


if __name__ == "__main__":
    unittest.main()
