# SPDX-License-Identifier: Apache-2.0
"""Agents as separate programs, on loopback over TLS: speed, processor time and memory.

agents_bench.py BUILD DIR: takes `colla` and `colla_pingpong` from BUILD, works in DIR and leaves
agents.json there."""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

TICK = 1.0 / os.sysconf("SC_CLK_TCK")


def free_ports(count):
    """Ports that were free a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def write_rows(path, features, rows, seed):
    generator = random.Random(seed)
    with open(path, "w") as file:
        file.write(",".join(f"x{k}" for k in range(features)) + ",y\n")
        for _ in range(rows):
            file.write(",".join(repr(generator.gauss(0, 1)) for _ in range(features + 1)) + "\n")


class Agents:
    """A line of agents in lockstep, each a process."""

    def __init__(self, build, folder, count, features, atoms, exchanges):
        self.program = os.path.join(build, "colla")
        self.folder = folder
        self.features = features - 1  # and the intercept
        self.names = [f"agent-{k}" for k in range(count)]
        shutil.rmtree(folder, ignore_errors=True)
        roster = ",".join(f"{name}=127.0.0.1:{port}" for name, port in zip(self.names, free_ports(count)))
        self.run("network", "init", folder, "--algorithm", "colla", "--agents", roster, "--features", str(self.features),
                 "--atoms", str(atoms), "--exchanges", str(exchanges), "--mode", "lockstep", "--trust-neighbours")
        self.processes = []

    def home(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def is_up(self, name):
        return os.path.exists(os.path.join(self.home(name), "control.sock"))

    def status(self, name):
        return json.loads(self.run("agent", "status", "--home", self.home(name), "--json"))

    def start(self):
        for name in self.names:
            log = open(os.path.join(self.folder, name + ".log"), "w")
            self.processes.append(
                subprocess.Popen([self.program, "agent", "run", "--home", self.home(name)], stderr=log))
        self.wait(lambda status: all(n["connected"] for n in status["neighbours"]))

    def wait(self, reached):
        """Waits until it holds for every agent."""
        deadline = time.monotonic() + 300
        for name in self.names:
            while not (self.is_up(name) and reached(self.status(name))):
                if time.monotonic() > deadline:
                    raise SystemExit(f"agents_bench: {name} took too long")
                time.sleep(0.1)

    def learn(self, name, step):
        rows = os.path.join(self.folder, "rows.csv")
        write_rows(rows, self.features, 3 * self.features, 1000 * step + self.names.index(name))
        self.run("agent", "learn", "--home", self.home(name), "--task", f"task-{step}", rows)

    def processor_seconds(self):
        total = 0
        for process in self.processes:
            with open(f"/proc/{process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total * TICK

    def resident_mib(self):
        largest = 0
        for process in self.processes:
            with open(f"/proc/{process.pid}/status") as file:
                kib = [int(line.split()[1]) for line in file if line.startswith("VmHWM")][0]
            largest = max(largest, kib / 1024)
        return largest

    def stop(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(timeout=30)


def pingpong(build, agents, payload, rounds=20000):
    """The best of three: a bare round trip's seconds, and processor seconds."""
    homes = [agents.home(name) for name in agents.names[:2]]
    runs = [json.loads(subprocess.run([os.path.join(build, "colla_pingpong"), *homes, str(payload), str(rounds)],
                                      check=True, stdout=subprocess.PIPE, text=True).stdout) for _ in range(3)]
    return {key: min(run[key] for run in runs) for key in runs[0]}


def two_agents(build, folder):
    """An exchange of two agents is one round trip and two updates."""
    features, atoms, exchanges = 28, 10, 1000
    agents = Agents(build, os.path.join(folder, "two"), 2, features, atoms, exchanges)
    bare = pingpong(build, agents, 8 * features * atoms)
    agents.start()
    try:
        seconds = []
        for step in range(1, 13):  # the last ones have full systems
            for name in agents.names:
                agents.learn(name, step)
            agents.wait(lambda status: status["steps"] == step)
            seconds.append(agents.status(agents.names[0])["last_step_seconds"] / exchanges)
        idle = agents.processor_seconds()
        time.sleep(20)
        idle = (agents.processor_seconds() - idle) / 20 / len(agents.names)
        return {"exchange_seconds": min(seconds[-2:]), "bare_seconds": bare["seconds"],
                "resident_MiB": agents.resident_mib(), "idle_share": idle}
    finally:
        agents.stop()


def nineteen_agents(build, folder):
    count, features, atoms, exchanges, steps = 19, 14, 4, 20, 10
    agents = Agents(build, os.path.join(folder, "nineteen"), count, features, atoms, exchanges)
    bare = pingpong(build, agents, 8 * features * atoms)
    agents.start()
    try:
        # All tasks but the last agent's are queued: the others wait for it in the first step.
        for name in agents.names[:-1]:
            for step in range(1, steps + 1):
                agents.learn(name, step)
        before = agents.processor_seconds()
        for step in range(1, steps + 1):
            agents.learn(agents.names[-1], step)
        agents.wait(lambda status: status["steps"] == steps)
        spent = agents.processor_seconds() - before
    finally:
        agents.stop()
    # A message each way is a round trip.
    trips = (count - 1) * exchanges * steps
    return {"processor_seconds": spent, "bare": trips * bare["processor_seconds"],
            "one_process": one_process(agents, steps)}


def one_process(agents, steps):
    """Seconds of `colla train` on one thread with the same tasks, without startup and reading."""
    rows = os.path.join(agents.folder, "all.csv")
    with open(rows, "w") as file:
        file.write("agent,task," + ",".join(f"x{k}" for k in range(agents.features)) + ",y\n")
        for k, name in enumerate(agents.names):
            for step in range(1, steps + 1):
                one = os.path.join(agents.folder, "rows.csv")
                write_rows(one, agents.features, 3 * agents.features, 1000 * step + k)
                with open(one) as task:
                    file.writelines(f"{name},task-{step},{line}" for line in task.readlines()[1:])
    result = json.loads(agents.run("train", rows, "--algorithm", "colla", "--recipe", "none", "--graph", "line", "--atoms", "4",
                                   "--exchanges", "20", "--test-fraction", "0", "--threads", "1", "--json"))
    return result["seconds"]


def main(build, folder):
    os.makedirs(folder, exist_ok=True)
    result = {"two": two_agents(build, folder), "nineteen": nineteen_agents(build, folder)}
    with open(os.path.join(folder, "agents.json"), "w") as file:
        json.dump(result, file, indent=2)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:3])
