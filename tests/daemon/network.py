# SPDX-License-Identifier: Apache-2.0
"""Networks whose agents are processes on this machine: made, run, disturbed and read."""
import json
import os
import random
import re
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

from program import PATIENCE, PROGRAM, ProgramTest, run, table, wait_until
from proxy import Proxy

IS_SANITIZED = bool(os.environ.get("COLLA_SANITIZED"))  # one case of each kind is enough then
# Otherwise an agent's memory grows with the number of cores.
ENVIRONMENT = {**os.environ, "MALLOC_ARENA_MAX": "2"}

# Loopback addresses of this process alone: its ports cannot be another's.
HOST = f"127.{64 + (os.getpid() >> 16)}.{os.getpid() >> 8 & 255}.{os.getpid() & 255}"
PORTS = iter(range(20000, 30000))


def free_address():
    return f"{HOST}:{next(PORTS)}"


def end_process(process):
    """Kills it if it still runs."""
    if process.poll() is None:
        process.kill()
    process.wait(PATIENCE)


class Agent:
    """One agent's home and the process that runs on it. If it `joins`, it is closed between its tasks: the
    others need not wait for it."""

    def __init__(self, home, *options, prefix=(), joins=False):
        self.home = home
        self.joins = joins
        self.name = home.name
        self.options = options
        self.prefix = list(prefix)
        self.process = None
        self.log_file = home / "test.log"

    def set(self, line):
        """For its next start, in agent.toml."""
        with (self.home / "agent.toml").open("a") as settings:
            settings.write(line + "\n")

    def start(self):
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, PROGRAM, "agent", "run", "--home", self.home, *self.options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        end_process(self.process)

    def stop(self):
        """Ends it with SIGTERM, which must succeed."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, self.log()

    def log(self):
        return self.log_file.read_text() if self.log_file.exists() else ""

    def wait_for_log(self, text, count=1):
        """Waits until the log has the text that many times."""
        wait_until(lambda: self.log().count(text) >= count,
                   lambda: f"{self.name} did not say {text!r}:\n{self.log()}")

    def ask(self, command, *arguments, check=True):
        """The finished process of `colla agent COMMAND`, which must succeed if `check`."""
        process = run("agent", command, "--home", self.home, *arguments)
        if check:
            assert process.returncode == 0, f"{self.name}: {process.stderr}\n{self.log()}"
        return process

    def status(self):
        """As the agent is now: while it computes, the answer is an old one."""
        def current():
            status = json.loads(self.ask("status", "--json").stdout)
            return status["current"] and status
        return wait_until(current, lambda: f"{self.name} computes without end:\n{self.log()}")

    def wait_for_text(self, pattern):
        """What `colla agent status` prints once it matches."""
        def matching():
            text = self.ask("status").stdout
            return re.search(pattern, text) and text
        return wait_until(matching, lambda: f"{self.name} does not say {pattern!r}:\n"
                          f"{self.ask('status', check=False).stdout}{self.log()}")

    def status_or_none(self):
        """None while the agent is starting; may be an old one."""
        process = self.ask("status", "--json", check=False)
        return json.loads(process.stdout) if process.returncode == 0 else None

    def tasks(self):
        """[(task, step)] of all that it was ever given."""
        return [(task["task"], task["step"])
                for task in json.loads(self.ask("tasks", "--json").stdout)["tasks"]]

    def steps(self):
        return json.loads(self.ask("tasks", "--json").stdout)["steps"]

    def wait_until_ready(self):
        wait_until(self.status_or_none, lambda: f"{self.name} did not start:\n{self.log()}")
        if self.joins:
            self.close()

    def learn(self, task, *options):
        rows = self.home / "rows.csv"
        rows.write_text(task.csv())
        if self.joins:
            self.ask("reopen")
        process = self.ask("learn", "--task", task.name, *options, rows)
        if self.joins:
            self.close()
        return process

    def close(self):
        self.ask("close")

    def close_once(self):
        """Whenever it runs from now on, the others' steps wait for no task of its own."""
        self.start()
        self.wait_until_ready()
        self.close()
        self.stop()

    def wait_for_steps(self, steps):
        def is_there():
            status = self.status_or_none()
            return status and status["steps"] == steps and status["queued"] == 0
        wait_until(is_there, lambda: f"{self.name} is not at the end of step {steps}:\n"
                   f"{self.ask('status', check=False).stdout}{self.log()}")

    def state(self):
        """The bytes of what the agent has learned, by file."""
        folder = self.home / "state"
        self.ask("export", "--state", folder)
        return {path.name: path.read_bytes() for path in folder.iterdir()}


class Task:
    """A name with rows."""

    def __init__(self, name, X, y):
        self.name, self.X, self.y = name, X, y

    def csv(self):
        return table([*(f"x{k}" for k in range(len(self.X[0]))), "y"],
                     [[*x, y] for x, y in zip(self.X, self.y)])


def random_task(name, features=5, rows=8, labels=False, seed=1):
    """Rows of a random linear model, the same for the same arguments."""
    numbers = random.Random(f"{name} {seed}")
    theta = [numbers.gauss(0, 1) for _ in range(features)]
    X = [[numbers.gauss(0, 1) for _ in range(features)] for _ in range(rows)]
    y = [sum(a * b for a, b in zip(theta, x)) + numbers.gauss(0, 0.3) for x in X]
    return Task(name, X, [float(value > 0) for value in y] if labels else y)


class Network:
    """A folder that `colla network init` made, and its agents by name and by position."""
    algorithm = "colla"

    def __init__(self, folder, names, *options, features=5, addresses=None, agent_options=(),
                 mode="lockstep", joins=False):
        self.folder = folder
        self.features = features
        self.addresses = addresses or [free_address() for _ in names]
        roster = ",".join(f"{name}={address}" for name, address in zip(names, self.addresses))
        named = ["--features", str(features)] if self.algorithm == "colla" and features else []
        trust = ["--trust-neighbours"] if mode == "lockstep" or self.algorithm == "colla" else []
        process = run("network", "init", folder, "--mode", mode, "--algorithm", self.algorithm, *named, *trust,
                      "--agents", roster, *options)
        assert process.returncode == 0, process.stderr
        self.joins = joins
        self.agents = [Agent(folder / name, *agent_options, joins=joins) for name in names]
        self.proxies = []

    def __getitem__(self, name):
        return next(agent for agent in self.agents if agent.name == name)

    def each(self, action):
        """Does it with all agents at the same time."""
        with ThreadPoolExecutor(len(self.agents)) as pool:
            return list(pool.map(action, self.agents))

    def start(self):
        for agent in self.agents:
            agent.start()
        self.each(Agent.wait_until_ready)

    def stop(self):
        for agent in self.agents:
            if agent.is_running():
                agent.process.send_signal(signal.SIGTERM)
        for agent in self.agents:
            if agent.process is not None:
                assert agent.process.wait(PATIENCE) == 0, agent.log()

    def end(self):
        """In whatever state they are."""
        for proxy in self.proxies:
            proxy.close()
        for agent in self.agents:
            if agent.process is not None:
                end_process(agent.process)

    def put_proxies(self, **options):
        """A proxy at each agent's address; the agents listen elsewhere."""
        for agent, address in zip(self.agents, self.addresses):
            listen = free_address()
            agent.set(f'listen = "{listen}"')
            self.proxies.append(Proxy(address, listen, **options))

    def wait_for_steps(self, steps):
        self.each(lambda agent: agent.wait_for_steps(steps))

    def state(self):
        """As `colla train --state` writes it; the codes by agent, without its number."""
        files = {}
        for position, state in enumerate(self.each(Agent.state)):
            files[f"codes of {position}"] = code_lines(state.pop("codes.csv"), 0)
            for name, content in state.items():
                assert files.setdefault(name, content) == content, f"{name} differs between ends"
        return files


def code_lines(text, position):
    """An agent's lines of a codes.csv, without their first column."""
    start = b"%d," % position
    return [line[len(start):] for line in text.splitlines() if line.startswith(start)]


class NetworkTest(ProgramTest):
    """A test with networks that end with it."""
    kind = Network

    def network(self, names, *options, folder="net", **more):
        network = self.kind(self.folder / folder, names, *options, **more)
        self.addCleanup(network.end)
        return network

    def write_rows(self, tasks):
        """One file of {position: tasks in order} for `colla train`, step by step."""
        features = len(tasks[0][0].X[0])
        rows = []
        for step in range(max(map(len, tasks))):
            for position, own in enumerate(tasks):
                for task in own[step:step + 1]:
                    rows += [[f"agent {position}", task.name, y, *x]
                             for x, y in zip(task.X, task.y)]
        header = ["agent", "task", "y", *(f"x{k}" for k in range(features))]
        self.write("all.csv", table(header, rows))

    def trained(self, tasks, *options):
        """The state after `colla train` of {position: tasks in order}."""
        self.write_rows(tasks)
        self.colla("train", "all.csv", "--algorithm", "colla", "--recipe", "none", "--test-fraction", "0",
                   "--state", "trained", *options)
        files = {path.name: path.read_bytes() for path in (self.folder / "trained").iterdir()}
        codes = files.pop("codes.csv")
        for position in range(len(tasks)):
            files[f"codes of {position}"] = code_lines(codes, position)
        return files

    def learned_in_lockstep(self, names, tasks, *options):
        """The state of a network after its tasks, which must be that of `colla train`."""
        network = self.network(names, *options)
        network.start()
        learn_all(network, tasks)
        network.wait_for_steps(max(map(len, tasks)))
        network.stop()
        found = network.state()
        self.assert_same_state(found, self.trained(tasks, *options))
        return found

    def after_forgetting(self, task_of, *options, kills):
        """A network whose first agent forgets its first task in the third step; with kills, it dies in that step."""
        net = self.network(["north", "south", "west"], *options, folder="killed" if kills else "calm")
        net.start()
        north = net["north"]
        for agent in net.agents:
            agent.learn(task_of(f"{agent.name} 1"))
            agent.learn(task_of(f"{agent.name} 2"))
        net.wait_for_steps(2)
        self.assertIn("queued: forget north 1", north.ask("forget", "north 1").stdout)
        wait_until(lambda: north.status()["in_step"], "the step does not begin")
        if kills:
            north.kill()
            north.start()
            north.wait_until_ready()
        for agent in net.agents[1:]:
            agent.learn(task_of(f"{agent.name} 3"))
        net.wait_for_steps(3)
        return net

    def assert_same_state(self, found, expected):
        self.assertEqual(found.keys(), expected.keys())
        for name in expected:
            self.assertEqual(found[name], expected[name], name)


def learn_all(network, tasks):
    """Gives each agent its tasks in order and closes it."""
    def give(agent):
        for task in tasks[network.agents.index(agent)]:
            agent.learn(task)
        agent.close()
    network.each(give)
