# SPDX-License-Identifier: Apache-2.0
"""A network grows and shrinks while its agents learn."""
import contextlib
import random
import threading

from network import wait_until


TASKS = 4  # for each change of the network


class Learners:
    """Gives the agents of a network tasks in turn while the network changes."""

    def __init__(self, network, task_of):
        self.network, self.task_of = network, task_of
        self.given = self.wanted = 0
        self.failure = None
        self.is_over = False
        self.lock = threading.Lock()  # held while the list of agents changes
        self.thread = threading.Thread(target=self.live, daemon=True)
        self.thread.start()

    def live(self):
        try:
            while not self.is_over:
                wait_until(lambda: self.given < self.wanted or self.is_over, "the network does not change")
                with self.lock:
                    agent = self.network.agents[self.given % len(self.network.agents)]
                    self.network.learn(agent.name, self.task_of(f"task {self.given}"))
                self.given += 1
        except AssertionError as failure:
            self.failure = failure

    @contextlib.contextmanager
    def meanwhile(self):
        """Gives some more tasks from now on; at the end at least one has been learned."""
        begun = self.given
        self.wanted += TASKS
        yield
        wait_until(lambda: self.given > begun or self.failure, "no task is learned")

    def end(self):
        self.is_over = True
        self.thread.join()
        if self.failure:
            raise self.failure


def check_growth(network, most, task_of, seed=1):
    """From its agents to `most` and back. Nobody is restarted; all have the same roster in the end."""
    numbers, least = random.Random(seed), len(network.agents)
    network.start()
    learners = Learners(network, task_of)
    processes = {agent.name: agent.process.pid for agent in network.agents}

    def tell():
        network.tell(numbers.choice(network.agents[:least]).name)

    while len(network.agents) < most:
        names = [agent.name for agent in network.agents]
        with learners.meanwhile():
            with learners.lock:
                agent = network.add(f"agent-{len(names)}", numbers.sample(names, min(2, len(names))))
                agent.start()
                agent.wait_until_ready()
            tell()
        processes[agent.name] = agent.process.pid
    while len(network.agents) > least:
        with learners.meanwhile():
            with learners.lock:  # the newest joins nobody to the others
                name = network.agents[-1].name
                network.change("remove", name)
                gone = network.drop(name)
            tell()
        assert gone.process.pid == processes[name] and gone.is_running(), gone.log()
        gone.stop()
    learners.end()
    version = network.settings()["version"]
    wait_until(lambda: all(agent.status()["version"] == version for agent in network.agents), network.statuses)
    rosters = {(agent.home / "network.toml").read_text() for agent in network.agents}
    assert rosters == {network.roster.read_text()}
    for agent in network.agents:
        assert agent.process.pid == processes[agent.name] and agent.is_running(), agent.log()
    network.check_optimum()
    return learners.given
