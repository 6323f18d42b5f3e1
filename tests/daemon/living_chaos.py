# SPDX-License-Identifier: Apache-2.0
"""Living agents that are killed or cut off 30 % of the time while they are given tasks."""
import contextlib
import os
import pathlib
import random
import threading
import time

from network import random_task, wait_until
from program import pause

NAMES = ["north", "south", "west", "east", "centre", "island"]
UP, DOWN = 1.4, 0.6  # seconds, on average; a slow machine may need more, and does not fail then


def has_connection(process, port):
    """Whether one of its sockets has this local port."""
    inodes = set()
    for file in ["tcp", "tcp6"]:
        for line in pathlib.Path(f"/proc/net/{file}").read_text().splitlines()[1:]:
            fields = line.split()
            if int(fields[1].rsplit(":", 1)[1], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    with contextlib.suppress(OSError):
        folder = f"/proc/{process.pid}/fd"
        for entry in os.listdir(folder):
            with contextlib.suppress(OSError):
                if os.readlink(f"{folder}/{entry}") in inodes:
                    return True
    return False


class Patient:
    """An agent that is disturbed by a thread of its own."""

    def __init__(self, chaos, agent, proxy, seed):
        self.chaos, self.agent, self.proxy = chaos, agent, proxy
        self.random = random.Random(f"{seed} {agent.name}")
        self.lock = threading.Lock()  # held while it is not up
        self.is_cut_off = False
        self.down = 0.0
        self.thread = threading.Thread(target=self.live, daemon=True)

    def live(self):
        while not self.chaos.is_over:
            pause(self.random.expovariate(1 / UP))
            start = time.monotonic()
            self.random.choice([self.die, self.be_cut_off])()
            self.down += time.monotonic() - start
            self.chaos.count()

    def stay_away(self):
        pause(self.random.expovariate(1 / DOWN))

    def die(self):
        with self.lock:
            self.agent.kill()
            self.stay_away()
            self.agent.start()
            self.agent.wait_until_ready()

    def be_cut_off(self):
        """From all others, whichever side calls; tasks can still be given to it."""
        self.is_cut_off = True
        self.proxy.block()
        for proxy in self.chaos.network.proxies:
            for passage in proxy.open_passages():
                if has_connection(self.agent.process, passage.caller_port):
                    passage.cut()
        self.stay_away()
        self.is_cut_off = False
        self.proxy.unblock()


class LivingChaos:
    """Disturbs a network of LivingNetwork, all of whose agents run behind proxies."""

    def __init__(self, network, seed):
        self.network = network
        self.random = random.Random(seed)
        self.is_over = False
        self.disturbances = 0
        self.given = 0
        self.slowest = 0.0  # task of an agent that was up
        self.lock = threading.Lock()
        self.patients = [Patient(self, agent, proxy, seed)
                         for agent, proxy in zip(network.agents, network.proxies)]
        for proxy in network.proxies:
            proxy.admits = self.admits

    def admits(self, port):
        """Whether the caller is not cut off."""
        return not any(patient.is_cut_off and has_connection(patient.agent.process, port)
                       for patient in self.patients)

    def count(self):
        with self.lock:
            self.disturbances += 1

    def give(self, task_of):
        """One more task to an agent that is up; every fifth one has been learned before or is forgotten."""
        patient = self.random.choice(self.patients)
        agent, known = patient.agent, self.network.tasks[patient.agent.name]
        with patient.lock:
            if known and self.random.random() < 0.1:
                return self.network.forget(agent.name, self.random.choice(sorted(known)))
            again = known and self.random.random() < 0.1
            name = self.random.choice(sorted(known)) if again else f"task {self.given}"
            start = time.monotonic()
            self.network.learn(agent.name, task_of(name, self.given))
            self.slowest = max(self.slowest, time.monotonic() - start)
            self.given += 1

    def run(self, tasks, disturbances, task_of, progress):
        """At least this many of each."""
        start = time.monotonic()
        for patient in self.patients:
            patient.thread.start()
        while self.given < tasks or self.disturbances < disturbances:
            wait_until(lambda: self.given * disturbances <= self.disturbances * tasks,
                       lambda: f"nobody is disturbed: {[agent.log() for agent in self.network.agents]}")
            self.give(task_of)
            progress(self)
        self.is_over = True
        self.seconds = time.monotonic() - start
        for patient in self.patients:
            patient.thread.join()


def check_disturbed(test, network, tasks, disturbances, seed, task_of=random_task, progress=lambda chaos: None):
    """All tasks that were acknowledged are there in the end, and all agents at their optimum."""
    network.put_proxies()
    network.start()
    chaos = LivingChaos(network, seed)
    chaos.run(tasks, disturbances, lambda name, number: task_of(name, seed=number), progress)
    for agent in network.agents:
        wait_until(agent.status_or_none, agent.log)
    start = time.monotonic()
    network.settle()
    chaos.settled = time.monotonic() - start
    network.check_optimum()
    for agent in network.agents:
        for words in ["two copies", "an older copy", "no agent of this network sends"]:
            test.assertNotIn(words, agent.log())
    return chaos
