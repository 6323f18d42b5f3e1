# SPDX-License-Identifier: Apache-2.0
"""Only callers with a valid certificate of the network, issued to them, may talk to an agent."""
import subprocess
import unittest

import grpc

from certificates import issue, openssl
from network import HOST, Network, NetworkTest, end_process, random_task, wait_until
from peer import Caller, hello

OPTIONS = ["--atoms", "3", "--exchanges", "4"]


class Certificates(NetworkTest):
    """'north' calls 'south', 'south' calls 'west'; only south runs, unless a test says so."""

    def setUp(self):
        super().setUp()
        self.net = self.network(["north", "south", "west"], *OPTIONS, joins=True)
        self.north, self.south, self.west = self.net.agents
        self.authority = self.net.folder / "authority"
        self.south.start()
        self.south.wait_until_ready()

    def credential(self, name, of="north", authority=None, **times):
        folder = issue(self.folder / name, authority, of, HOST, **times)
        (folder / "ca.crt").write_bytes((self.authority / "ca.crt").read_bytes())
        return folder

    def other_network(self):
        return Network(self.folder / "other", ["north", "south", "west"], *OPTIONS)

    def handshake(self, *arguments):
        """What openssl says of a connection to south."""
        return openssl("s_client", "-connect", self.net.addresses[1], "-alpn", "h2",
                       *arguments, check=False).stdout

    def bad_credentials(self):
        """(folder or None, why it is refused)"""
        return [
            (None, "peer did not return a certificate"),
            (self.credential("old", authority=self.authority, first_day=-9, last_day=-2),
             "its certificate expired on"),
            (self.credential("early", authority=self.authority, first_day=2, last_day=9),
             "its certificate is not valid before"),
            (self.credential("self"), "its certificate is self-signed"),
            (self.other_network()["north"].home, "signed by another network's authority")]

    def check_all_learn(self):
        for agent in self.net.agents:
            if not agent.is_running():
                agent.start()
                agent.wait_until_ready()
        for agent in self.net.agents:
            agent.learn(random_task(agent.name))
        wait_until(lambda: all(agent.tasks()[0][1] > 0 for agent in self.net.agents),
                   "a task is not learned")

    def test_callers_with_bad_certificates_are_refused_with_a_reason(self):
        before = self.south.state()
        for folder, because in self.bad_credentials():
            with self.subTest(because=because):
                shown = ["-cert", folder / "agent.crt", "-key", folder / "agent.key"] if folder else []
                self.handshake(*shown)
                self.south.wait_for_log(because)
                self.south.stop()  # a new one has not logged anything yet
                self.south.start()
                self.south.wait_until_ready()
        self.assertEqual(self.south.state(), before)
        self.assertNotIn("connected to", self.south.log())
        self.check_all_learn()

    def test_the_called_agent_must_be_the_right_one(self):
        credentials = [*self.bad_credentials()[1:],
                       (self.north.home, "its certificate is for north, not west"),
                       (self.credential("ghost", "ghost", authority=self.authority),
                        "its certificate is for ghost, not west")]
        for folder, because in credentials:
            with self.subTest(because=because):
                server = subprocess.Popen(
                    ["openssl", "s_server", "-accept", self.net.addresses[2], "-alpn", "h2",
                     "-cert", folder / "agent.crt", "-key", folder / "agent.key", "-quiet"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.addCleanup(end_process, server)
                # A new one calls again without delay.
                self.south.stop()
                self.south.start()
                self.south.wait_for_log(because)
                end_process(server)
        self.assertNotIn("connected to", self.south.log())
        self.check_all_learn()

    def test_a_certificate_of_the_network_speaks_for_its_agent_alone(self):
        for home, name, because in [
                (self.west.home, "north", "it says it is 'north', its certificate is for 'west'"),
                (self.west.home, "west", "west must not call: this agent calls it")]:
            with self.subTest(because=because):
                caller = Caller(self.net.addresses[1], home)
                self.addCleanup(caller.close)
                caller.send(hello(self.net, name))
                self.assertIn(because, caller.refusal())
                self.south.wait_for_log(because)
        self.check_all_learn()

    def test_a_certificate_of_nobody_in_the_network_is_refused_at_the_door(self):
        ghost = self.credential("ghost", "ghost", authority=self.authority)
        caller = Caller(self.net.addresses[1], ghost)
        self.addCleanup(caller.close)
        caller.send(hello(self.net, "north"))
        self.assertEqual(caller.ending()[0], grpc.StatusCode.UNAVAILABLE)
        self.south.wait_for_log("refused a caller: its certificate is of no neighbour")
        self.check_all_learn()

    def test_an_agent_with_another_network_file_is_refused(self):
        settings = self.north.home / "network.toml"
        right = settings.read_text()
        settings.write_text(right.replace("rho = ", "rho = 1"))
        self.north.start()
        because = "its network.toml differs"
        self.south.wait_for_log(because)
        self.north.wait_for_log(because)
        self.north.stop()
        # It has run with other settings; its store remembers them.
        settings.write_text(right)
        (self.north.home / "agent.db").unlink()
        (self.north.home / "agent.lock").unlink()
        self.check_all_learn()

    def test_an_agent_does_not_start_with_a_certificate_that_others_would_refuse(self):
        for folder, because in self.bad_credentials()[1:]:
            with self.subTest(because=because):
                for file in ["agent.crt", "agent.key"]:
                    (self.north.home / file).write_bytes((folder / file).read_bytes())
                process = self.north.ask("run", check=False)
                self.assertEqual(process.returncode, 2)
                self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")
                self.assertIn(because, process.stderr)

    def test_only_new_versions_of_tls_are_spoken(self):
        shown = ["-cert", self.north.home / "agent.crt", "-key", self.north.home / "agent.key",
                 "-CAfile", self.north.home / "ca.crt"]
        newest = self.handshake(*shown)
        self.assertIn("TLSv1.3", newest)
        self.assertIn("Verify return code: 0 (ok)", newest)
        for version in ["-tls1", "-tls1_1"]:
            # Otherwise openssl itself refuses.
            text = self.handshake(*shown, version, "-cipher", "ALL:@SECLEVEL=0")
            self.assertIn("Cipher is (NONE)", text)
        self.south.wait_for_log("unsupported protocol")
        self.assertIn("Cipher is (NONE)", self.handshake(*shown, "-tls1_2", "-cipher",
                                                         "NULL-SHA256:@SECLEVEL=0"))

    def test_without_tls_only_this_machine_is_spoken_to(self):
        far = Network(self.folder / "far", ["north", "south"], addresses=["10.0.0.1:7400",
                                                                          "10.0.0.2:7400"])
        process = far["north"].ask("run", "--insecure-loopback", check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("10.0.0.1:7400 is not a loopback address", process.stderr)


class Renewal(NetworkTest):
    def test_a_renewed_certificate_is_shown_without_a_restart(self):
        net = self.network(["north", "south"], *OPTIONS, joins=True)
        for agent in net.agents:
            agent.set("look_every = 2")
        net.start()
        old = self.shown_by(net)
        self.colla("network", "renew", net.folder)
        for agent in net.agents:
            agent.wait_for_log("a new certificate")
        wait_until(lambda: self.shown_by(net) != old, "south shows its old certificate")
        net["north"].wait_for_log("connected to south", 2)
        for agent in net.agents:
            agent.learn(random_task(agent.name))
        wait_until(lambda: all(agent.tasks()[0][1] > 0 for agent in net.agents),
                   "a task is not learned")

    def shown_by(self, net):
        home = net["north"].home
        text = openssl("s_client", "-connect", net.addresses[1], "-alpn", "h2", "-cert",
                       home / "agent.crt", "-key", home / "agent.key", check=False).stdout
        self.assertIn("BEGIN CERTIFICATE", text)
        return text.split("BEGIN CERTIFICATE")[1].split("END CERTIFICATE")[0]


if __name__ == "__main__":
    unittest.main()
