# SPDX-License-Identifier: Apache-2.0
"""`colla doctor`: what it finds in sound and unsound homes and networks, and what it says to do."""
import json
import os
import shutil
import signal
import socket
import subprocess
import unittest

from network import free_address
from program import PATIENCE, PROGRAM, TOO_BUSY, ProgramTest, run, wait_until
from proxy import socket_address

NAMES = ["north", "south", "west"]


class DoctorTest(ProgramTest):
    """A line of three agents; south is examined."""
    mode = "lockstep"
    options = []

    def setUp(self):
        super().setUp()
        self.addresses = {name: free_address() for name in NAMES}
        self.make_network("net")
        self.home = self.folder / "net" / "south"

    def make_network(self, folder, **addresses):
        agents = ",".join(f"{name}={addresses.get(name, self.addresses[name])}" for name in NAMES)
        self.colla("network", "init", folder, "--mode", self.mode, "--algorithm", "colla", "--features", "2",
                   "--trust-neighbours", "--atoms", "2", "--agents", agents, *self.options)

    def start(self, name, *options):
        home = self.folder / "net" / name
        log = (home / "test.log").open("wb")
        self.addCleanup(log.close)
        agent = subprocess.Popen([PROGRAM, "agent", "run", "--home", home, *options],
                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)

        def is_ready():
            self.assertIsNone(agent.poll(), (home / "test.log").read_text())
            return run("agent", "status", "--home", home).returncode == 0
        wait_until(is_ready, "the agent does not start")
        return agent

    def stop(self, agent):
        agent.send_signal(signal.SIGTERM)
        agent.wait(PATIENCE)

    def start_others(self):
        self.start("north")
        self.start("west")

    def start_all_closed(self):
        """Steps need no tasks of theirs. Returns south."""
        self.start_others()
        south = self.start("south")
        for name in ["north", "west"]:
            self.colla("agent", "close", "--home", self.folder / "net" / name)
        return south

    def learn(self, task, *until):
        """At south. While it waits, the command may say for whom."""
        rows = self.write("rows.csv", "x1,x2,y\n1,2,3\n2,1,0\n0,1,1\n")
        process = run("agent", "learn", rows, "--home", self.home, "--task", task, "--wait", *until)
        self.assertEqual(process.returncode, 0, process.stderr)

    def examine(self, *options, home=None):
        """(exit code, {subject: (verdict, text)}), once all neighbours have the time to answer."""
        return wait_until(lambda: (found := self.examine_once(*options, home=home)) and TOO_BUSY not in str(found) and found,
                          "a neighbour never answers")

    def examine_once(self, *options, home=None):
        process = run("doctor", "--home", home or self.home, "--json", *options)
        report = json.loads(process.stdout)
        self.assertEqual(report["healthy"], process.returncode == 0)
        self.assertRegex(process.stderr, r"\A(colla: \d+ checks? failed\n)?\Z")
        return process.returncode, {finding["subject"]: (finding["verdict"], finding["text"])
                                    for finding in report["findings"]}

    def examine_until(self, text, count=1):
        """The first examination in which this text occurs that many times."""
        found = None

        def is_so():
            nonlocal found
            found = self.examine()
            return str(found[1]).count(text) >= count and found
        return wait_until(is_so, lambda: found)

    def expect(self, findings, subject, verdict, *texts):
        self.assertEqual(findings[subject][0], verdict, findings)
        for text in texts:
            self.assertIn(text, findings[subject][1])

    def expect_of_neighbour(self, findings, name, verdict, *texts):
        self.expect(findings, f"{name} ({self.addresses[name]})", verdict, *texts)


class SoundNetworks(DoctorTest):
    def test_everything_is_well_where_all_agents_run(self):
        self.start_others()
        self.start("south")
        code, findings = self.examine_until("belongs to the same network", 2)
        self.assertEqual(code, 0)
        self.assertEqual(list(findings), ["configuration", "certificate", "clock", "disk", "store",
                                          "agent", *(f"{name} ({self.addresses[name]})"
                                                     for name in ["north", "west"])])
        self.assertEqual({verdict for verdict, _ in findings.values()}, {"ok"}, findings)
        self.expect(findings, "agent", "ok", "runs (process ")
        lines = self.colla("doctor", "--home", self.home).splitlines()
        expected = [f"ok    {subject}: {text}" for subject, (_, text) in findings.items()]
        disk = list(findings).index("disk")  # others use it too: how much is free changes
        self.assertRegex(lines[disk], r"\Aok    disk: ")
        self.assertEqual(lines[:disk] + lines[disk + 1:], expected[:disk] + expected[disk + 1:])

    def test_an_agent_that_never_ran_is_told_how_to_start(self):
        self.start_others()
        before = {path: path.read_bytes() for path in self.home.iterdir()}
        code, findings = self.examine()
        self.assertEqual(code, 0)
        self.expect(findings, "store", "ok", "none yet")
        self.expect(findings, "agent", "warning", "colla agent run --home")
        self.assertEqual({path: path.read_bytes() for path in self.home.iterdir()}, before)

    def test_what_was_learned_is_counted(self):
        south = self.start_all_closed()
        self.learn("monday")
        self.stop(south)
        self.expect(self.examine()[1], "store", "ok", "1 task learned in 1 step, 0 queued")

    def test_agents_without_tls_are_examined_without_it(self):
        self.start("north", "--insecure-loopback")
        self.start("west", "--insecure-loopback")
        code, findings = self.examine("--insecure-loopback")
        self.assertEqual(code, 0, findings)
        self.assertNotIn("certificate", findings)
        code, findings = self.examine()
        self.assertEqual(code, 1)
        self.expect_of_neighbour(findings, "west", "failure", "speaks no TLS")


class UnsoundHomes(DoctorTest):
    def test_a_home_that_is_none_is_a_wrong_option(self):
        self.refused("doctor", "--home", "nowhere", naming=["nowhere", "no such folder"])
        self.refused("doctor", naming=["--home"])

    def test_a_missing_file_is_named(self):
        (self.home / "ca.crt").unlink()
        process = run("doctor", "--home", self.home)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stdout, r"\AFAIL  configuration: [^\n]*ca.crt[^\n]*\n\Z")

    def test_a_key_that_others_may_read_is_named(self):
        (self.home / "agent.key").chmod(0o644)
        self.expect(self.examine()[1], "configuration", "failure", "agent.key", "chmod 600")

    def test_a_certificate_that_ends_soon_is_a_warning(self):
        self.colla("network", "renew", "net", "south", "--days", "3")
        self.expect(self.examine()[1], "certificate", "warning", "until", "colla network renew")

    def test_the_key_of_another_certificate_is_noticed_and_nobody_is_greeted_with_it(self):
        self.start_others()
        shutil.copy(self.folder / "net/west/agent.key", self.home / "agent.key")
        code, findings = self.examine()
        self.assertEqual(code, 1)
        self.expect(findings, "certificate", "failure", "does not match", "renew")
        self.expect_of_neighbour(findings, "west", "warning", "can be reached")

    def test_the_certificate_of_another_agent_is_noticed(self):
        for name in ["agent.key", "agent.crt"]:
            shutil.copy(self.folder / "net/west" / name, self.home / name)
        self.expect(self.examine()[1], "certificate", "failure", "for west, not south")

    def test_a_certificate_that_is_no_text_is_a_finding_like_any_other(self):
        (self.home / "agent.crt").write_bytes(b"-----BEGIN\0CERTIFICATE")
        code, findings = self.examine()
        self.assertEqual(code, 1)
        self.expect(findings, "certificate", "failure", "agent.crt")
        self.assertNotIn("CSV", findings["certificate"][1])
        self.expect(findings, "store", "ok")

    def test_files_from_the_future_cast_doubt_on_the_clock(self):
        later = (self.home / "agent.crt").stat().st_mtime + 7200
        os.utime(self.home / "network.toml", (later, later))
        self.expect(self.examine()[1], "clock", "warning", "network.toml", "set-ntp")

    def test_a_port_in_use_is_named(self):
        with socket.create_server(socket_address(self.addresses["south"])):
            code, findings = self.examine()
        self.assertEqual(code, 1)
        self.expect(findings, "listen", "failure", self.addresses["south"], "in use", "agent.toml")

    def test_an_address_of_another_machine_is_named(self):
        (self.home / "agent.toml").write_text('name = "south"\nlisten = "192.0.2.1:7402"\n')
        self.expect(self.examine()[1], "listen", "failure", "192.0.2.1", "not an address")

    def test_damage_to_the_store_is_found(self):
        self.stop(self.start("south"))
        store = self.home / "agent.db"
        good = store.read_bytes()
        place = good.rindex(b"south")
        store.write_bytes(good[:place] + b"m" + good[place + 1:])
        code, findings = self.examine()
        self.assertEqual(code, 1)
        self.expect(findings, "store", "failure", "agent.db", "damaged", "newest copy")
        store.write_bytes(good)
        self.expect(self.examine()[1], "store", "ok")

    def test_a_store_that_is_gone_is_missed(self):
        self.stop(self.start("south"))
        for path in self.home.glob("agent.db*"):
            path.unlink()
        self.expect(self.examine()[1], "store", "failure", "missing", "newest copy")


class UnsoundNetworks(DoctorTest):
    def test_neighbours_that_do_not_run_are_named(self):
        code, findings = self.examine()
        self.assertEqual(code, 1)
        for name in ["north", "west"]:
            self.expect_of_neighbour(findings, name, "failure", "refused", "firewall")

    def test_a_neighbour_that_calls_need_not_be_reachable(self):
        north = self.folder / "net/north"
        (north / "agent.toml").write_text(f'name = "north"\nlisten = "{free_address()}"\n')
        self.start("south")
        self.start("north")
        findings = self.examine_until("has called and is connected")[1]
        self.expect_of_neighbour(findings, "north", "ok")
        self.expect_of_neighbour(self.examine(home=north)[1], "south", "ok")

    def test_states_that_do_not_fit_are_told_in_the_running_agents_words(self):
        south = self.start_all_closed()
        self.learn("monday")
        self.learn("tuesday")
        self.stop(south)
        for path in [*self.home.glob("agent.db*"), self.home / "agent.lock"]:
            path.unlink()
        self.start("south")  # as if it had never run
        findings = self.examine_until("older copy")[1]
        self.expect_of_neighbour(findings, "west", "failure", "answers, but", "not connected")

    def test_a_name_that_does_not_resolve_is_named(self):
        self.make_network("named", west="west.invalid:7403")
        findings = self.examine(home=self.folder / "named/south")[1]
        self.expect(findings, "west (west.invalid:7403)", "failure", "does not resolve", "DNS")

    def test_a_program_that_says_nothing_is_given_up(self):
        with socket.create_server(socket_address(self.addresses["west"])):
            findings = self.examine_once()[1]
        self.expect_of_neighbour(findings, "west", "failure", TOO_BUSY)

    def test_another_networks_agent_is_recognised_by_its_certificate(self):
        self.make_network("other")
        for path in (self.folder / "other/west").iterdir():
            shutil.copy(path, self.folder / "net/west")
        self.start("west")
        self.expect_of_neighbour(self.examine()[1], "west", "failure",
                                 "another network's authority", "colla network renew")

    def test_another_agent_at_an_address_is_recognised_by_its_certificate(self):
        north = self.folder / "net/north"
        (north / "agent.toml").write_text(f'name = "north"\nlisten = "{self.addresses["west"]}"\n')
        self.start("north")
        self.expect_of_neighbour(self.examine()[1], "west", "failure", "for north, not west")

    def test_another_network_file_is_told_in_the_neighbours_words(self):
        self.start_others()
        with (self.home / "network.toml").open("a") as file:
            file.write("# a change\n")
        code, findings = self.examine()
        self.assertEqual(code, 1)
        for name in ["north", "west"]:
            self.expect_of_neighbour(findings, name, "failure", "refuses this agent",
                                     "network.toml", "same file")

    def test_a_neighbour_that_does_not_believe_this_agent_ends_the_connection(self):
        self.make_network("other")
        self.start("west")
        shutil.copy(self.folder / "other/west/ca.crt", self.folder / "net/west/ca.crt")
        self.expect_of_neighbour(self.examine()[1], "west", "failure", "ends the connection",
                                 "its log says why")


class LivingNetworks(DoctorTest):
    mode = "living"
    options = ["--metric", "kronecker"]  # by this metric even one task settles soon

    def test_everything_is_well_where_all_agents_run(self):
        self.start_others()
        self.start("south")
        code, findings = self.examine_until("belongs to the same network", 2)
        self.assertEqual(code, 0)
        self.assertEqual({verdict for verdict, _ in findings.values()}, {"ok"}, findings)
        self.expect(findings, "configuration", "ok", "living mode, roster 1")

    def test_one_neighbour_is_enough_to_spread_what_is_learned(self):
        code, findings = self.examine()
        self.assertEqual(code, 1)
        self.expect_of_neighbour(findings, "north", "failure", "refused")
        self.expect_of_neighbour(findings, "west", "failure", "refused")
        self.start("west")
        code, findings = self.examine()
        self.assertEqual(code, 0, findings)
        self.expect_of_neighbour(findings, "north", "warning", "refused")
        self.expect_of_neighbour(findings, "west", "ok")

    def test_the_rosters_of_both_ends_are_compared(self):
        self.start_others()
        self.colla("network", "set", "net", "minimum_rows=4")
        for name in NAMES[:2]:
            home = self.folder / "net" / name
            shutil.copy(self.folder / "net/network.toml", home)
        code, findings = self.examine_until("roster 1")
        self.assertEqual(code, 0, findings)
        self.expect_of_neighbour(findings, "west", "warning", "roster 1, here is 2", "this agent will tell")

    def test_tasks_that_an_older_copy_lacks_are_named(self):
        self.start_others()
        south = self.start("south")
        self.examine_until("belongs to the same network", 2)
        backup = self.folder / "backup"
        for task in ["monday", "tuesday"]:
            self.learn(task, "settled")
            if task == "monday":
                self.stop(south)
                shutil.copytree(self.home, backup)
                south = self.start("south")
                self.examine_until("belongs to the same network", 2)
        self.stop(south)
        shutil.rmtree(self.home)
        shutil.copytree(backup, self.home)
        self.start("south")
        findings = self.examine_until("older copy")[1]
        self.expect(findings, "store", "warning", "1 task learned", "requests 2 are missing")


if __name__ == "__main__":
    unittest.main()
