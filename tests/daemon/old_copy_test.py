# SPDX-License-Identifier: Apache-2.0
"""A home restored from a copy of the step before: never admitted, whatever tasks it is given."""
import shutil
import unittest

from network import NetworkTest, random_task

OPTIONS = ["--atoms", "3", "--exchanges", "5"]


class OldCopy(NetworkTest):
    """Step 1 is in the copy, step 2 is lost."""

    def learn(self, step):
        for agent, own in zip(self.net.agents, self.tasks):
            agent.learn(own[step - 1])
        self.net.wait_for_steps(step)

    def put_back(self, name):
        """The agents, that of the old copy first; both run."""
        names = ["north", "south"]
        self.tasks = [[random_task(f"{name} {k}") for k in range(3)] for name in names]
        self.net = self.network(names, *OPTIONS)
        agent = self.net[name]
        self.net.start()
        self.learn(1)
        self.net.stop()
        shutil.copytree(agent.home, self.folder / "old")
        self.net.start()
        self.learn(2)
        self.net.stop()
        shutil.copytree(agent.home, self.folder / "newest")
        self.replace_home(agent, "old")
        self.net.start()
        return agent, next(other for other in self.net.agents if other is not agent)

    def replace_home(self, agent, copy):
        shutil.rmtree(agent.home)
        shutil.copytree(self.folder / copy, agent.home)

    def check_refused(self, agent):
        agent.wait_for_text("whose store ends at step 1")
        self.assertIn("put the newest store back; an older copy cannot continue", agent.log())
        status = agent.status()
        self.assertFalse(status["neighbours"][0]["connected"])
        self.assertEqual([status["steps"], status["in_step"]], [1, False])

    def check_never_let_in(self, name):
        old, other = self.put_back(name)
        before = other.state()
        self.check_refused(old)
        old.learn(random_task("another"))
        self.check_refused(old)
        # If it began a step now, that would look like one interrupted by a crash.
        for _ in range(2):
            self.net.stop()
            self.net.start()
            self.check_refused(old)
        self.assertEqual(old.status()["queued"], 1)
        self.assertEqual(other.state(), before)
        self.assertEqual([agent.status()["disagreements"] for agent in (old, other)], [0, 0])
        return old, other

    def check_the_newest_goes_on(self, old):
        self.net.stop()
        self.replace_home(old, "newest")
        self.net.start()
        self.learn(3)
        self.net.stop()
        self.assert_same_state(self.net.state(), self.trained(self.tasks, *OPTIONS))

    def test_of_an_agent_that_calls(self):
        old, _ = self.check_never_let_in("north")
        self.check_the_newest_goes_on(old)

    def test_of_an_agent_that_is_called_and_tells_the_caller_why(self):
        old, other = self.check_never_let_in("south")
        other.wait_for_text("an older copy cannot continue")
        self.check_the_newest_goes_on(old)


if __name__ == "__main__":
    unittest.main()
