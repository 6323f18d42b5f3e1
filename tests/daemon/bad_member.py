# SPDX-License-Identifier: Apache-2.0
"""A member with a valid certificate that says what it likes to its neighbours."""
import contextlib
import hashlib
import random
import struct
import threading
import zlib

import grpc

from network import wait_until
from peer import PROTOCOL, Caller, hello
from program import pause

MASK = 2**64 - 1


def bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def mixed(number, more):
    """As agents hash shares."""
    number ^= (more + 0x9e3779b97f4a7c15 + (number << 6) + (number >> 2)) & MASK
    number = number * 0xff51afd7ed558ccd & MASK
    return number ^ number >> 33


def share_of(codes, features, size):
    """(a share of multiples of the identity, its hash)"""
    values = [size * (i == j) for order in (codes, features) for i in range(order) for j in range(order)]
    number = 1
    for value in values:
        number = mixed(number, bits(value))
    content = struct.pack(f"<{len(values)}d", *values)
    return PROTOCOL.Share(codes=codes, features=features, values=content), number


def living_hello(network, name, **changes):
    text = network.roster.read_bytes()
    signed = text[:text.rindex(b"# signed")]
    living = {"version": network.settings()["version"], "instance": 1, "requests": 0, "known_requests": 0}
    return hello(network, name, network_sha256=hashlib.sha256(signed).digest(),
                 living=PROTOCOL.Living(**{**living, **changes}))


class BadMember:
    """Calls one agent again and again, and answers each of its words with garbage of all kinds."""

    def __init__(self, network, name, home, called, seed=1):
        self.network, self.name, self.home = network, name, home
        self.address = next(a["address"] for a in network.settings()["agent"] if a["name"] == called)
        self.random = random.Random(f"{seed} {called}")
        self.is_over = False
        self.sent = 0
        self.heard = []  # words, to be said again
        self.thread = threading.Thread(target=self.live, daemon=True)
        self.thread.start()

    def live(self):
        while not self.is_over:
            caller = Caller(self.address, self.home)
            with contextlib.suppress(grpc.RpcError, StopIteration):
                self.talk(caller)
            caller.close()
            pause(0.05)  # it is let in only so often

    def talk(self, caller):
        claims = self.random.choice([0, 5, 2**40, 2**63, 2**64 - 1])
        caller.send(living_hello(self.network, self.name, instance=self.random.getrandbits(64),
                                 requests=claims, known_requests=claims))
        caller.receive()
        number, session = 1, self.random.getrandbits(64)
        while not self.is_over:
            word = caller.receive().word
            self.heard = [*self.heard[-20:], word]
            for _ in range(3):
                caller.send(self.lie(word, session, number))
                number += 1
                self.sent += 1

    def lie(self, word, session, number):
        """In the metric of the receiver's word, with its own share; most are well-formed."""
        kind = self.random.choice(["large", "random", "same", "replayed", "share", "bytes"])
        if kind == "bytes" and self.random.random() < 0.1:
            return self.random.randbytes(50)
        if kind == "replayed":
            old = self.random.choice(self.heard)
            return PROTOCOL.Frame(word=old)
        share, name = share_of(*self.share_orders(word), 10.0 ** self.random.uniform(-6, 50))
        values = self.values(kind, word.rows * word.cols)
        content = struct.pack(f"<{len(values)}d", *values)
        fields = dict(session=session, heard_session=word.session, heard=word.number, metric=word.metric,
                      share=word.heard_share, heard_share=word.share, requests=self.random.getrandbits(64))
        if kind == "share":
            fields.update(share=name, told=share)
        if values:
            fields.update(number=number, rows=word.rows, cols=word.cols, y=content, checksum=zlib.crc32(content))
        return PROTOCOL.Frame(word=PROTOCOL.Word(**fields))

    def share_orders(self, word):
        is_whole = self.network.settings().get("metric") == "kronecker"
        return (max(1, word.cols), max(1, word.rows)) if is_whole else (1, 1)

    def values(self, kind, count):
        decades = {"large": 100, "random": 2, "same": 0}.get(kind, 8)
        size = 10.0 ** self.random.uniform(0, decades)
        if kind == "same":
            return [size] * count
        return [size * self.random.gauss(0, 1) for _ in range(count)]

    def end(self):
        self.is_over = True
        self.thread.join()


def check_bad_member(network, task_of, tasks):
    """`west`, the last agent of a line or ring, is an impostor of itself while the others learn some tasks, and then
    removed. It sends garbage between any two of them."""
    west = network["west"]
    network.start()
    for name in network.tasks:
        network.learn(name, task_of(f"task of {name}"))
    network.settle()
    west.stop()
    liars = [BadMember(network, "west", west.home, other["name"]) for other in west_neighbours(network)]
    honest = [agent for agent in network.agents if agent is not west]
    for number in range(tasks):
        before = [liar.sent for liar in liars]
        agent = honest[number % len(honest)]
        network.learn(agent.name, task_of(f"task {number}"))
        if number % 5 == 4:  # what it has stored can be read again
            agent.kill()
            agent.start()
            agent.wait_until_ready()
        wait_until(lambda: all(liar.sent > sent for liar, sent in zip(liars, before)),
                   lambda: f"nobody hears a liar: {[agent.log() for agent in honest]}")
    for agent in honest:
        assert agent.is_running(), agent.log()
    network.change("remove", "west")
    network.drop("west")
    network.tell(honest[0].name)
    network.wait_for_version(2)
    for liar in liars:
        liar.end()
    found = network.check_optimum()
    network.start()  # once more from what is stored
    network.check_optimum()
    return found, sum(liar.sent for liar in liars)


def west_neighbours(network):
    settings = network.settings()
    names = {name for edge in settings["edges"] if "west" in edge for name in edge} - {"west"}
    return [agent for agent in settings["agent"] if agent["name"] in names]
