# SPDX-License-Identifier: Apache-2.0
"""What agents that live cost when nothing happens, as programs that talk over TLS.

living_bench.py DIR: works in a temporary folder and leaves living.json in DIR."""
import json
import pathlib
import re
import sys
import tempfile
import time

from living import LivingNetwork
from network import random_task

FEATURES, ATOMS, TASKS = 27, 10, 12  # and the intercept: d 28
CALM = 60  # seconds


def passed(network):
    """Bytes on all links so far, in both directions."""
    return sum(len(part) for proxy in network.proxies for part in proxy.directions())


def resident_mib(agent):
    status = pathlib.Path(f"/proc/{agent.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def main(folder):
    with tempfile.TemporaryDirectory(prefix="colla-bench-") as place:
        names = ["north", "south", "west"]
        network = LivingNetwork(pathlib.Path(place) / "net", names, "--atoms", str(ATOMS), features=FEATURES)
        try:
            network.put_proxies(is_recording=True)
            network.start()
            for k in range(TASKS):
                for name in names:
                    network.learn(name, random_task(f"task {k}", FEATURES, 3 * FEATURES, seed=name))
            start = time.monotonic()
            network.settle()
            settling = time.monotonic() - start
            before = passed(network)
            time.sleep(CALM)
            idle = (passed(network) - before) / CALM / (len(names) - 1)
            found = {"idle_bytes": idle, "settling_seconds": settling,
                     "resident_MiB": max(resident_mib(agent) for agent in network.agents)}
        finally:
            network.end()
    (pathlib.Path(folder) / "living.json").write_text(json.dumps(found, indent=2))
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main(sys.argv[1])
