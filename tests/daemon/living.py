# SPDX-License-Identifier: Apache-2.0
"""Networks whose agents live: changed while they run, and compared with the optimum of their tasks."""
import shutil
import struct
import tomllib

import algebra
from bayes import BayesNetwork, BayesTest, learned
from network import PATIENCE, Agent, Network, NetworkTest, free_address, random_task, wait_until
from program import read_codes, read_matrix, run

NAMES = ["north", "south", "west"]
AGREEMENT = 1e-6  # how far from the optimum agents may be once they have settled, relative


class LivingNetwork(Network):
    """Every agent's home is on a machine of its own: no command changes it but its agent's."""

    def __init__(self, folder, names, *options, **more):
        super().__init__(folder, names, *options, mode="living", **more)
        self.sites = folder.with_name(folder.name + "-sites")
        self.tasks = {name: {} for name in names}  # those that each agent has, by name
        for agent in self.agents:
            self.take_home(agent)

    def take_home(self, agent):
        agent.home = shutil.copytree(self.folder / agent.name, self.sites / agent.name)
        agent.log_file = agent.home / "test.log"
        shutil.rmtree(self.folder / agent.name)

    @property
    def roster(self):
        return self.folder / "network.toml"

    def settings(self):
        return tomllib.loads(self.roster.read_text())

    def change(self, command, *arguments):
        """A command of the authority; no agent has heard of it yet."""
        process = run("network", command, self.folder, *arguments)
        assert process.returncode == 0, process.stderr
        return process.stdout

    def tell(self, name):
        """Hands the newest roster to one running agent."""
        return self[name].ask("update", self.roster).stdout

    def add(self, name, neighbours):
        """The new agent, which does not run yet."""
        address = free_address()
        self.change("add", f"{name}={address}", "--neighbours", ",".join(neighbours))
        agent = Agent(self.folder / name)
        self.take_home(agent)
        self.agents.append(agent)
        self.addresses.append(address)
        self.tasks[name] = {}
        return agent

    def drop(self, name):
        """No longer one of the network's."""
        agent = self[name]
        self.addresses.pop(self.agents.index(agent))
        self.agents.remove(agent)
        del self.tasks[name]
        return agent

    def learn(self, name, task, *options):
        process = self[name].learn(task, *options)
        self.tasks[name][task.name] = task
        return process

    def forget(self, name, task):
        self[name].ask("forget", task)
        del self.tasks[name][task]

    def statuses(self):
        return [agent.status() for agent in self.agents if agent.is_running()]

    def wait_for_version(self, version, names=None):
        names = names or [agent.name for agent in self.agents]
        wait_until(lambda: all(self[name].status()["version"] == version for name in names),
                   lambda: f"not all have roster {version}: {self.statuses()}")

    def settle(self):
        """Waits until all that run are connected, agree, and have nothing more to say."""
        before = None

        def is_quiet():
            nonlocal before
            found = self.statuses()
            last, before = before, [[n["bytes_sent"] for n in status["neighbours"]] for status in found]
            return last == before and all(
                status["settled"] and all(n["connected"] for n in status["neighbours"]) for status in found)
        wait_until(is_quiet, lambda: f"no agreement: {self.statuses()}", 3 * PATIENCE)

    def dictionaries(self):
        """x of every agent as it was last kept, with its codes; all have stopped."""
        found = {}
        for position, agent in enumerate(self.agents):
            folder = agent.home / "state"
            shutil.rmtree(folder, ignore_errors=True)
            agent.ask("export", "--state", folder)
            codes = read_codes(folder / "codes.csv")
            found[agent.name] = (read_matrix(folder / f"L_{position}.csv"),
                                 {task: code for (_, task), code in codes.items()})
        return found

    def optimum(self, found):
        """Of sum_i (sum_t |alpha - L s|^2_Gamma / T_i + lambda |L|^2) over agents with tasks, from the tasks' rows and codes."""
        settings = self.settings()
        d, u = self.features + 1, settings["atoms"]
        with_tasks = sum(1 for _, codes in found.values() if codes)
        A = [[with_tasks * settings["lambda"] * (i == j) for j in range(d * u)] for i in range(d * u)]
        b = [0.0] * (d * u)
        for name, (_, codes) in found.items():
            for task, s in codes.items():
                given = self.tasks[name][task]
                alpha, gamma = algebra.ridge([[*x, 1.0] for x in given.X], given.y, settings["gamma"])
                add_quadratic(A, b, s, alpha, gamma, 1.0 / len(codes))
        vec = algebra.solve(A, b)
        return [[vec[p * d + i] for p in range(u)] for i in range(d)]

    def check_optimum(self):
        """All agents are at the optimum of all tasks, of which none is missing."""
        self.settle()
        self.stop()
        found = self.dictionaries()
        for name, (_, codes) in found.items():
            assert codes.keys() == self.tasks[name].keys(), f"{name}: {codes.keys()}, {self.tasks[name].keys()}"
        expected = self.optimum(found)
        far = {name: algebra.distance(x, expected) for name, (x, _) in found.items()}
        assert max(far.values()) <= AGREEMENT, far
        return expected


def add_quadratic(A, b, s, alpha, gamma, weight):
    """Adds one task's part of (A, b) of vec L."""
    d, weighted = len(alpha), algebra.apply(gamma, alpha)
    for p, s_p in enumerate(s):
        for i in range(d):
            b[p * d + i] += weight * s_p * weighted[i]
            for q, s_q in enumerate(s):
                for j in range(d):
                    A[p * d + i][q * d + j] += weight * s_p * s_q * gamma[i][j]


def reals(blob):
    return struct.unpack(f"<{len(blob) // 8}d", blob)


class LivingBayesNetwork(LivingNetwork, BayesNetwork):
    """Its agents agree on sums over all tasks."""

    def check_optimum(self):
        self.settle()
        self.stop()
        sums, totals, sizes = [], 0, 0
        for agent in self.agents:
            file = agent.home / "exported"
            agent.ask("export", "--model", file)
            (_, average), tasks = learned(file)[0]
            assert {task[0] for task in tasks} == self.tasks[agent.name].keys(), agent.name
            sums.append([len(self.agents) * value for value in reals(average)])
            for task in tasks:
                part = reals(task[-1])[:len(sums[-1])]
                totals = [a + b for a, b in zip(totals or [0] * len(part), part)]
                sizes = [a + abs(b) for a, b in zip(sizes or [0] * len(part), part)]
        far = max(abs(a - b) / size for found in sums
                  for a, b, size in zip(found, totals, sizes) if size > 0)
        assert far <= AGREEMENT, far
        return sums[0]


class LivingTest(NetworkTest):
    """Networks of dictionaries. By this metric even few tasks settle in seconds."""
    kind = LivingNetwork

    def network(self, names, *options, **more):
        return super().network(names, "--atoms", "3", "--metric", "kronecker", *options, **more)


class MembershipTest(LivingTest):
    """A line of three that have learned a task each."""

    def setUp(self):
        super().setUp()
        self.net = self.network(NAMES)
        self.north, self.south, self.west = self.net.agents
        for agent in self.net.agents:
            agent.set("look_every = 2")
        self.net.start()
        for name in NAMES:
            self.net.learn(name, random_task(f"task of {name}"))
        self.processes = {agent.name: agent.process.pid for agent in self.net.agents}

    def check_optimum(self):
        """And nobody was restarted."""
        for agent in self.net.agents:
            if agent.name in self.processes:
                self.assertEqual(agent.process.pid, self.processes[agent.name])
                self.assertTrue(agent.is_running(), agent.log())
        self.net.check_optimum()

    def neighbours(self, name):
        return {n["name"] for n in self.net[name].status()["neighbours"] if n["connected"]}


class LivingBayesTest(BayesTest):
    """Networks of a collective prior. Trusted neighbours are told exactly what each task adds."""
    kind = LivingBayesNetwork

    def network(self, names, *options, **more):
        return super().network(names, "--trust-neighbours", *options, **more)

    def setUp(self):
        super().setUp()
        self.write_recipe()
