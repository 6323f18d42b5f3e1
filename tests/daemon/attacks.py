# SPDX-License-Identifier: Apache-2.0
"""Attacks of strangers and members on an agent, and what they may cost."""
import itertools
import pathlib
import random
import re
import socket
import struct
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import grpc

from network import PATIENCE, wait_until
from peer import Caller, dictionary, hello, position
from raw_http2 import RawCaller, connect, flood, frame, tls_context

SOURCES = (f"127.{a}.{b}.{c}" for a, b, c in itertools.product(range(200, 250), range(250), range(1, 250)))
GRPC = next(pathlib.Path("/usr/lib").glob("*/libgrpc.so.*"), None)


def log_texts():
    """Every text in gRPC's library that it may write to its log."""
    found = subprocess.run(["strings", "-n", "8", GRPC], check=True, text=True, errors="replace",
                           stdout=subprocess.PIPE, timeout=PATIENCE).stdout
    return ["Failed accept", "Failed accept4: Too many open files",
            *(line[:200] for line in found.splitlines() if " " in line and re.search("[%:]", line))]


class Costs:
    """What an agent has used since this was made."""

    def __init__(self, agent):
        self.agent = agent
        self.process = pathlib.Path(f"/proc/{agent.process.pid}")
        self.started = time.monotonic()
        self.memory, self.descriptors, self.lines = self.now()

    def now(self):
        memory = re.search(r"VmRSS:\s+(\d+)", (self.process / "status").read_text())
        return (int(memory[1]) / 1024, len(list((self.process / "fd").iterdir())),
                self.agent.log().count("\n"))

    def mebibytes(self):
        return self.now()[0] - self.memory

    def open_descriptors(self):
        return self.now()[1] - self.descriptors

    def log_lines(self):
        return self.now()[2] - self.lines

    def minutes(self):
        return (time.monotonic() - self.started) / 60

    def lines_a_minute(self):
        """The first minute counts as a whole."""
        return self.log_lines() / max(1.0, self.minutes())


def attempt(action, *arguments, **options):
    """The result, or None if the other end refuses."""
    try:
        return action(*arguments, **options)
    except (OSError, ValueError, grpc.RpcError, StopIteration):
        return None


def in_parallel(action, items, workers=8):
    with ThreadPoolExecutor(workers) as pool:
        return [result for result in pool.map(lambda item: attempt(action, item), items)
                if result is not None]


def stranger_handshakes(address, names, count):
    """Handshakes without a certificate, each from another address, with these server names."""
    context = tls_context()

    def handshake(name):
        connect(address, context, name or None, next(SOURCES)).close()
    in_parallel(handshake, itertools.islice(itertools.cycle(names), count))


def stranger_connections(address, count):
    """Open connections that say nothing at all, from one address."""
    host, port = address.rsplit(":", 1)
    return in_parallel(lambda _: socket.create_connection((host, int(port)), timeout=PATIENCE),
                       range(count))


def member_connections(address, home, count):
    """Open connections without a call."""
    context = tls_context(home)
    return in_parallel(lambda _: RawCaller(address, context), range(count))


def member_headers(address, home, texts):
    """Calls with every text in every header that gRPC reads."""
    context = tls_context(home)
    caller = None
    for text in texts:
        caller = caller or attempt(RawCaller, address, context)
        headers = ["grpc-timeout", "user-agent", "content-type", "te", "grpc-encoding", "host",
                   "grpc-accept-encoding", "grpc-status", "x-any", ":path", ":scheme"]
        for name in headers:
            if caller and attempt(caller.call, **{name: text}) is None:
                caller = None
    if caller:
        caller.close()


def member_unfinished_messages(address, home, connections, size, sent):
    """Eight calls a connection, each with a message that never ends."""
    context = tls_context(home)

    def begin(_):
        caller = RawCaller(address, context)
        for _ in range(8):
            caller.begin_message(caller.call(), size, sent)
        return caller
    return in_parallel(begin, range(connections))


def member_silent_calls(address, home, connections):
    context = tls_context(home)

    def call(_):
        caller = RawCaller(address, context)
        for _ in range(8):
            caller.call("/colla.agents.v1.Agents/Exchange")
        return caller
    return in_parallel(call, range(connections))


def stranger_hellos(address, count):
    """Open connections from a dozen addresses, each with most of a ClientHello that never ends."""
    host, port = address.rsplit(":", 1)
    hello = b"\x01" + struct.pack(">I", 131000)[1:] + b"\x03\x03" + b"R" * 120000
    records = b"".join(b"\x16\x03\x01" + struct.pack(">H", len(part)) + part
                       for part in (hello[k:k + 16000] for k in range(0, len(hello), 16000)))
    sources = list(itertools.islice(SOURCES, 12))

    def begin(number):
        connection = socket.create_connection((host, int(port)), timeout=PATIENCE,
                                              source_address=(sources[number % 12], 0))
        attempt(connection.sendall, records)
        return connection
    return in_parallel(begin, range(count))


def member_floods(address, home, kind, floods, connections=4):
    """HTTP/2 frames of one kind on several connections, each of which is let in and cut that many times."""
    context = tls_context(home)

    def keep_flooding(_):
        def was_let_in():
            caller = attempt(RawCaller, address, context)
            if caller is None:
                return False
            is_in = caller.is_let_in()
            if is_in:
                flood(caller.socket, kind)
            caller.close()
            return is_in
        for _ in range(floods):
            wait_until(was_let_in, f"{kind}: no connection is let in")
    in_parallel(keep_flooding, range(connections))


def member_noise(address, home, count, seed=1):
    """Connections with random frames of HTTP/2."""
    context = tls_context(home)

    def noise(number):
        numbers = random.Random(f"{seed} {number}")
        caller = RawCaller(address, context)
        for _ in range(20):
            payload = numbers.randbytes(numbers.choice([0, 4, 8, 64, 4096]))
            caller.socket.sendall(frame(numbers.randrange(12), numbers.randrange(256),
                                        numbers.randrange(8), payload))
        caller.close()
    in_parallel(noise, range(count))


def member_frames(address, network, name, count, seed=1):
    """Greetings and dictionaries with wrong positions, names and sizes, and bytes that are neither."""
    numbers = random.Random(seed)
    home = network[name].home
    for _ in range(count):
        step, exchange = numbers.choice([0, 1, 2, 3, 2**63]), numbers.choice([0, 1, 5, 2**32 - 1])
        values = [numbers.choice([0.0, 1e149, float("nan"), 1e300]) for _ in range(6)]
        frames = [hello(network, numbers.choice([name, "nobody", ""]), (step, exchange)),
                  hello(network, name, (0, 0)),
                  dictionary(step, exchange, values, 3, 2),
                  dictionary(step, 0, [], 0, 0, position=position(step, exchange)),
                  numbers.randbytes(numbers.randrange(200))]
        caller = Caller(address, home)
        caller.send(*numbers.sample(frames, 3))
        attempt(caller.refusal)
        caller.close()


def close_all(connections):
    for connection in connections:
        attempt(connection.close)


def wait_for_descriptors(costs, most):
    wait_until(lambda: costs.open_descriptors() <= most,
               lambda: f"{costs.open_descriptors()} descriptors more than before")


