# SPDX-License-Identifier: Apache-2.0
"""What attacks by strangers and members cost an agent that learns meanwhile.

attacks_bench.py DIR: works in DIR and leaves attacks.json there. The attacks are those of
tests/daemon/attacks.py, in full."""
import json
import multiprocessing
import os
import pathlib
import shutil
import statistics
import sys
import time

import attacks
from network import Network, random_task
from raw_http2 import FLOODS

SECONDS = 15  # the longest that an attack may take; it is ended then


class Victim:
    """South of a line of three, which learns with north while others attack it."""

    def __init__(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        self.net = Network(folder, ["north", "south", "west"], "--atoms", "5", "--exchanges", "100",
                           features=10, joins=True)
        self.net.start()
        self.south = self.net["south"]
        self.address = self.net.addresses[1]
        self.tasks = 0

    def learn(self):
        """Seconds from the request to the answer that a task is learned."""
        self.tasks += 1
        task = random_task(f"task {self.tasks}", features=10, rows=30)
        start = time.monotonic()
        self.south.learn(task, "--wait")
        return time.monotonic() - start


def attacks_on(victim):
    """(name, function, arguments)"""
    west, address = victim.net["west"].home, victim.address
    texts = attacks.log_texts()
    return [
        ("nobody", time.sleep, (5,)),
        ("10,000 handshakes of strangers", attacks.stranger_handshakes, (address, texts, 10_000)),
        ("10,000 silent connections of strangers", attacks.stranger_connections, (address, 10_000)),
        ("10,000 connections of a member", attacks.member_connections, (address, west, 10_000)),
        ("headers of a member", attacks.member_headers, (address, west, texts)),
        ("unfinished messages of a member", attacks.member_unfinished_messages, (address, west, 400, 2**28, 2**16)),
        ("silent calls of a member", attacks.member_silent_calls, (address, west, 400)),
        ("noise of a member", attacks.member_noise, (address, west, 2_000)),
        ("hellos of strangers without end", attacks.stranger_hellos, (address, 2_000)),
        *((f"{kind} of a member", attacks.member_floods, (address, west, kind, sys.maxsize, 8)) for kind in FLOODS),
        ("wrong frames of a member", attacks.member_frames, (address, victim.net, "west", 500)),
    ]


def from_elsewhere(attack, arguments):
    """An attacker computes on a machine of its own; here it gets what the agents leave of this one."""
    os.nice(19)
    attack(*arguments)


def measured(victim, attack, arguments):
    """Learning times during an attack, which runs in a separate process, and its cost."""
    costs = attacks.Costs(victim.south)
    attacker = multiprocessing.Process(target=from_elsewhere, args=(attack, arguments), daemon=True)
    attacker.start()
    seconds, most = [], 0.0
    while len(seconds) < 5 or (attacker.is_alive() and time.monotonic() < costs.started + SECONDS):
        seconds.append(victim.learn())
        most = max(most, costs.mebibytes())
    attacker.kill()
    attacker.join()
    lines = costs.lines_a_minute() - len(seconds) / max(1.0, (time.monotonic() - costs.started) / 60)
    return {"learning_seconds": statistics.median(seconds), "MiB": most, "lines_a_minute": lines}


def main(folder):
    victim = Victim(pathlib.Path(folder) / "attacked")
    try:
        for _ in range(5):
            victim.learn()
        result = {name: measured(victim, attack, arguments) for name, attack, arguments in attacks_on(victim)}
    finally:
        victim.net.end()
    (pathlib.Path(folder) / "attacks.json").write_text(json.dumps(result, indent=2))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main(sys.argv[1])
