# SPDX-License-Identifier: Apache-2.0
"""Kills agents and cuts their connections at random moments while they learn."""
import random

from network import Agent, random_task, wait_until
from program import pause

NAMES = ["north", "south", "west", "east", "centre", "island"]
OPTIONS = ["--graph", "random", "--exchanges", "12", "--refresh", "1", "--atoms", "4"]
MOST = 60_000  # bytes between all agents from one disturbance to the next; a step takes twice as many
AHEAD = 2  # tasks that wait at every agent, so that nearly always all are in a step


class Chaos:
    """A network with proxies whose agents are fed with tasks, and disturbed."""

    def __init__(self, network, seed):
        self.network = network
        self.random = random.Random(seed)
        self.tasks = [[] for _ in network.agents]
        self.kills = 0
        self.cuts = 0

    def give(self, agent):
        """One more task. A failed `learn` may or may not have been stored: only the agent knows."""
        given = self.tasks[self.network.agents.index(agent)]
        # Every fourth repeats an earlier task with other rows.
        number = len(given)
        name = f"task {number // 2 if number % 4 == 3 else number}"
        task = random_task(name, self.network.features, seed=number)
        rows = agent.home / "rows.csv"
        rows.write_text(task.csv())
        while agent.ask("learn", "--task", task.name, rows, check=False).returncode != 0:
            agent.wait_until_ready()
            if len(agent.tasks()) > number:
                break
        given.append(task)

    def feed(self):
        """Until all agents have enough to do."""
        steps = min(agent.steps() for agent in self.network.agents)
        while len(self.tasks[0]) < steps + AHEAD:
            self.network.each(self.give)

    def kill(self):
        agent = self.random.choice(self.network.agents)
        agent.kill()
        pause(self.random.choice([0, 0, self.random.uniform(0, 0.15)]))  # the others wait for it
        agent.start()
        self.kills += 1

    def peace(self):
        """Until the agents have said some more to each other."""
        goal, last, still = self.passed() + self.random.randrange(MOST), None, 0

        def is_over():
            nonlocal last, still
            now = self.passed()
            still = still + 1 if now == last else 0
            last = now
            if still > 20:  # perhaps they have nothing to do
                self.feed()
                still = 0
            return now >= goal
        wait_until(is_over, lambda: f"nothing passes: {[agent.log() for agent in self.network.agents]}")

    def passed(self):
        return sum(proxy.passed() for proxy in self.network.proxies)

    def cut(self):
        passages = [passage for proxy in self.network.proxies
                    for passage in proxy.open_passages()]
        if passages:
            self.random.choice(passages).cut()
            self.cuts += 1

    def disturb(self, kills, cuts, progress=lambda chaos: None):
        """At least this many of each."""
        while self.kills < kills or self.cuts < cuts:
            self.feed()
            for _ in range(self.random.randint(1, 4)):
                self.peace()
                remaining = [self.kill] * (kills - self.kills) + [self.cut] * (cuts - self.cuts)
                if remaining:
                    self.random.choice(remaining)()
            progress(self)

    def finish(self):
        """The network's state when everything is learned, and each agent's tasks with steps."""
        self.network.each(Agent.wait_until_ready)
        self.network.each(Agent.close)
        self.network.wait_for_steps(len(self.tasks[0]))
        self.network.stop()
        return self.network.state(), self.network.each(Agent.tasks)


def check_disturbed(test, kills, cuts, seed, progress=lambda chaos: None, options=OPTIONS):
    """Checks that a disturbed network has learned what an undisturbed one learns."""
    network = test.network(NAMES, *options)
    network.put_proxies()
    network.start()
    chaos = Chaos(network, seed)
    chaos.disturb(kills, cuts, progress)
    state, learned = chaos.finish()
    for given, found in zip(chaos.tasks, learned):
        # Each task once, in the order given, one in a step.
        test.assertEqual(found, [(task.name, k + 1) for k, task in enumerate(given)])
    test.assert_same_state(state, test.trained(chaos.tasks, *options))
    return chaos
