# SPDX-License-Identifier: Apache-2.0
"""A network is made, renewed and tried out."""
import hashlib
import re
import shutil
import stat
import subprocess
import tomllib
import unittest

import dying
from program import ProgramTest, limit_file_size, run

CLINICS = "north=localhost:7401,south=localhost:7402,west=localhost:7403"
LOCKSTEP = ["--mode", "lockstep", "--trust-neighbours"]


class NetworkTest(ProgramTest):
    def init(self, *options, agents=CLINICS, features="3"):
        return self.colla("network", "init", "net", *LOCKSTEP, "--algorithm", "colla", "--agents", agents,
                          "--features", features, *options)

    def refused_init(self, *options, naming, agents=CLINICS, features="3", **run_options):
        with self.subTest(options=options, agents=agents, features=features):
            return self.refused("network", "init", "net", *LOCKSTEP, "--algorithm", "colla", "--agents", agents,
                                "--features", features, *options, naming=naming, **run_options)

    def network(self):
        return tomllib.loads((self.folder / "net/network.toml").read_text())

    def mode(self, name):
        return stat.S_IMODE((self.folder / name).stat().st_mode)


class Init(NetworkTest):
    def test_the_folder_holds_what_each_agent_needs(self):
        output = self.init()
        self.assertEqual(
            sorted(self.files()),
            sorted(["net", "net/network.toml", "net/authority", "net/authority/ca.crt",
                    "net/authority/ca.key"]
                   + [f"net/{name}" for name in ["north", "south", "west"]]
                   + [f"net/{name}/{file}" for name in ["north", "south", "west"]
                      for file in ["agent.crt", "agent.key", "agent.toml", "ca.crt",
                                   "network.toml"]]))
        for name in ["north", "south", "west"]:
            self.assertIn(f"net/{name}", output)
            self.assertEqual(tomllib.loads((self.folder / f"net/{name}/agent.toml").read_text()),
                             {"name": name, "log": "text"})
        files = self.files()
        self.assertEqual({files[f"net/{name}network.toml"] for name in
                          ["", "north/", "south/", "west/"]}, {files["net/network.toml"]})

    def test_secrets_are_private(self):
        self.init()
        for name in ["net/north", "net/authority"]:
            self.assertEqual(self.mode(name), 0o700)
        for name in ["net/north/agent.key", "net/authority/ca.key"]:
            self.assertEqual(self.mode(name), 0o600)

    def test_defaults_are_those_of_train(self):
        self.init()
        network = self.network()
        self.assertRegex(network.pop("id"), r"\A[0-9a-f]{32}\Z")
        self.assertEqual(network, {
            "format": 7, "mode": "lockstep", "algorithm": "colla", "problem": "regression", "features": 3,
            "intercept": True, "target_column": "y", "minimum_rows": 3, "recipe": "none", "atoms": 4,
            "lambda": 0.001, "mu": 0.001, "gamma": 0.01, "rho": 0.1, "exchanges": "20", "refresh": 0, "codes": "fresh",
            "seed": 1, "first_dictionary": "seed", "edges": [["north", "south"], ["south", "west"]],
            "agent": [{"name": "north", "address": "localhost:7401"},
                      {"name": "south", "address": "localhost:7402"},
                      {"name": "west", "address": "localhost:7403"}]})
        helps = {command: run(*command, "--help").stdout
                 for command in [("train",), ("network", "init")]}
        for option in ["--graph", "--rho", "--exchanges", "--refresh", "--atoms", "--lambda",
                       "--mu", "--gamma", "--codes", "--seed", "--init",
                       "--target-column"]:
            lines = {line for text in helps.values() for line in text.splitlines()
                     if line.strip().startswith(option + " ")}
            self.assertEqual(len(lines), 1, lines)

    def test_every_option_is_written(self):
        self.init("--problem", "classification", "--no-intercept",
                  "--target-column", "ill", "--atoms", "6", "--lambda", "0.5", "--mu", "0",
                  "--gamma", "2", "--rho", "1e-7", "--exchanges", "20+100/t", "--refresh", "2",
                  "--codes", "stored", "--seed", "18446744073709551615", "--graph", "complete",
                  "--minimum-rows", "7", features="age, dose,weight")
        network = self.network()
        self.assertEqual(
            {key: network[key] for key in network if key not in ["id", "format", "agent"]},
            {"mode": "lockstep", "algorithm": "colla", "problem": "classification", "intercept": False,
             "target_column": "ill", "minimum_rows": 7, "features": ["age", "dose", "weight"],
             "recipe": "none", "atoms": 6,
             "lambda": 0.5, "mu": 0, "gamma": 2, "rho": 1e-7, "exchanges": "20+100/t",
             "refresh": 2, "codes": "stored", "seed": "18446744073709551615",
             "first_dictionary": "seed",
             "edges": [["north", "south"], ["north", "west"], ["south", "west"]]})

    def test_exchanges_may_have_their_former_name(self):
        self.init("--iterations", "7")
        self.assertEqual(self.network()["exchanges"], "7")
        self.assertNotIn("--iterations", run("network", "init", "--help").stdout)

    def test_a_first_dictionary_is_copied_to_every_agent_and_gives_the_number_of_atoms(self):
        content = "1,2\n3,4\n5,6\n7,8\n"
        self.write("L0.csv", content)
        self.init("--init", "L0.csv")
        network = self.network()
        self.assertEqual(network["atoms"], 2)
        self.assertEqual(network["first_dictionary"], hashlib.sha256(content.encode()).hexdigest())
        for name in ["north", "south", "west"]:
            self.assertEqual(self.files()[f"net/{name}/first-dictionary.csv"], content.encode())

    def test_a_first_dictionary_of_another_size_is_refused(self):
        self.write("L0.csv", "1,2\n3,4\n")
        self.refused_init("--init", "L0.csv", naming=["L0.csv", "2 x 2", "4 x 2"])

    def test_a_graph_may_come_from_a_file(self):
        self.write("edges", "0,2\n2,1\n")
        self.init("--graph", "edges")
        self.assertEqual(self.network()["edges"], [["north", "west"], ["south", "west"]])

    def test_one_agent_and_agents_without_edges_are_networks(self):
        self.init(agents="alone=[::1]:7400")
        self.assertEqual(self.network()["edges"], [])
        self.folder = self.folder / "net"
        self.init("--graph", "none", "--rho", "0", agents="a=h:1,b=h:2")
        self.assertEqual(self.network()["edges"], [])

    def test_an_empty_folder_is_taken(self):
        (self.folder / "net").mkdir()
        self.init()
        self.assertIn("net/network.toml", self.files())

    def test_the_folder_one_is_in_is_not_replaced(self):
        self.refused("network", "init", ".", "--algorithm", "colla", "--trust-neighbours", "--agents", CLINICS, "--features", "3",
                     naming=["the folder you are in", "a new one"])

    def test_a_kill_leaves_the_whole_network_or_none_and_the_next_init_tidies_up(self):
        agents = {f"a{k}": f"h:{7000 + k}" for k in range(6)}
        options = ["--agents", ",".join(f"{name}={address}" for name, address in agents.items()),
                   "--algorithm", "colla", "--trust-neighbours", "--features", "3"]
        nothing = dying.all_calls("--version", folder=self.folder)
        everything = dying.all_calls("network", "init", "other", *options, folder=self.folder)
        states = set()
        for k in range(40):
            moment = nothing + (everything - nothing) * k // 40
            dying.kill_at_call(moment, "network", "init", "net", *options, folder=self.folder)
            states.add(tuple(sorted(re.sub(r"\.\w{6}\b", "", name) for name in self.files() if not name.startswith("other"))))
            if (self.folder / "net").exists():
                made = {path.name for path in (self.folder / "net").iterdir()}
                self.assertEqual(made, {*agents, "authority", "network.toml"})
                shutil.rmtree(self.folder / "net")
        self.assertGreater(len(states), 10)
        self.colla("network", "init", "net", *options)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"net", "other"})


class Bayes(NetworkTest):
    def setUp(self):
        super().setUp()
        self.write("sample.csv", "age,dose,y\n1,2,3\n2,4,5\n4,1,4\n")

    def init_bayes(self, *options):
        return self.colla("network", "init", "net", *LOCKSTEP, "--agents", CLINICS, "--like", "sample.csv",
                          *options)

    def test_it_is_the_default_and_the_graph_gives_rho(self):
        self.assertIn("bayes, 3 agents", self.init_bayes("--expand", "none"))
        network = self.network()
        self.assertRegex(network.pop("id"), r"\A[0-9a-f]{32}\Z")
        self.assertRegex(network.pop("recipe"), r"\A[0-9a-f]{64}\Z")
        self.assertEqual(network, {
            "format": 7, "mode": "lockstep", "algorithm": "bayes", "problem": "regression", "features": 2,
            "intercept": True, "target_column": "y", "minimum_rows": 3, "seed": 1, "rho": 2.0,
            "exchanges": "20", "refresh": 5, "edges": [["north", "south"], ["south", "west"]],
            "agent": [{"name": "north", "address": "localhost:7401"},
                      {"name": "south", "address": "localhost:7402"},
                      {"name": "west", "address": "localhost:7403"}]})

    def test_numbers_of_many_rows_have_curves_unless_they_are_not_wanted(self):
        rows = "".join(f"t{k % 4},{k * k},{k % 7}\n" for k in range(100))
        self.write("sample.csv", "task,age,y\n" + rows)
        for options, has_knots in (([], True), (["--expand", "none"], False)):
            self.init_bayes(*options)
            text = (self.folder / "net/north/recipe.toml").read_text()
            self.assertEqual("knots" in text, has_knots)
            shutil.rmtree(self.folder / "net")

    def test_agents_without_edges_are_a_network(self):
        self.init_bayes("--graph", "none", "--refresh", "2", "--exchanges", "7")
        self.assertEqual((self.network()["edges"], self.network()["refresh"]), ([], 2))

    def test_no_refresh_is_a_choice_too(self):
        self.init_bayes("--refresh", "0")
        self.assertEqual(self.network()["refresh"], 0)

    def test_options_of_dictionaries_are_refused_by_name(self):
        self.write("L0.csv", "1,2\n3,4\n5,6\n")
        for option, value in {"--atoms": "2", "--lambda": "0.1", "--mu": "0.1", "--gamma": "0.1",
                              "--rho": "1", "--codes": "stored", "--init": "L0.csv"}.items():
            self.refused("network", "init", "net", *LOCKSTEP, "--agents", CLINICS, "--like", "sample.csv", option,
                         value, naming=[option, "bayes", "--algorithm colla"])

    def test_features_need_a_recipe(self):
        for features in ["3", "age,dose"]:
            self.refused("network", "init", "net", "--agents", CLINICS, "--features", features,
                         naming=["--features", "--like", "--algorithm colla"])


class Trust(NetworkTest):
    """Whether neighbours may find out models and rows is said."""

    def setUp(self):
        super().setUp()
        self.write("sample.csv", "age,dose,y\n1,2,3\n2,4,5\n4,1,4\n")

    def bayes(self, *options):
        return ["network", "init", "net", "--agents", CLINICS, "--like", "sample.csv", *options]

    def test_dictionaries_and_common_steps_are_refused_unless_neighbours_are_trusted(self):
        self.refused(*self.bayes("--algorithm", "colla"), naming=["--algorithm colla", "--trust-neighbours", "task models"])
        self.refused(*self.bayes("--mode", "lockstep"), naming=["--mode lockstep", "--trust-neighbours", "task models"])
        output = self.colla(*self.bayes("--algorithm", "colla", "--trust-neighbours"))
        self.assertIn("for parties who may know each other's task models", output)
        self.assertNotIn("release_batch", self.network())

    def test_bayes_releases_batches_of_the_size_that_is_asked_for(self):
        for options, batch, said in (([], 1, "sums over 1 task,"), (["--release-batch", "3"], 3, "sums over 3 tasks,"),
                                     (["--trust-neighbours"], 0, "for parties who may know")):
            self.assertIn(said, self.colla(*self.bayes(*options)))
            self.assertEqual(self.network()["release_batch"], batch)
            shutil.rmtree(self.folder / "net")

    def test_batches_are_refused_where_none_are_released(self):
        for options in (["--trust-neighbours"], ["--mode", "lockstep", "--trust-neighbours"],
                        ["--algorithm", "colla", "--trust-neighbours"]):
            self.refused(*self.bayes("--release-batch", "3", *options), naming=["--release-batch"])
        for batch in ["0", "-1", "1001", "x"]:
            self.refused(*self.bayes("--release-batch", batch), naming=["--release-batch"])


class BadInput(NetworkTest):
    def test_agents_are_named_and_reachable(self):
        for agents, naming in {
                "": [], "north": ["'north'"], "north=": ["north"], "=h:1": ["name"],
                "North=h:1": ["'North'"], "a_b=h:1": ["'a_b'"], "../a=h:1": ["'../a'"],
                "authority=h:1": ["authority"], "a" * 64 + "=h:1": ["63"], "a=h": ["'h'"],
                "a=h:0": ["h:0"], "a=h:65536": ["65535"], "a=::1:7400": ["::1:7400", "[IPv6]"],
                "a=0.0.0.0:7400": ["0.0.0.0"], "a=h:1,": [], "a=h:1,a=h:2": ["'a'", "duplicate"],
                "a=h:1,b=H:01": ["'h:1'", "duplicate"], "a=b:1,b=c:1": ["'a'", "'b'"]}.items():
            self.refused_init(agents=agents, naming=["--agents", *naming])

    def test_features_are_a_number_or_names(self):
        for features in ["", "0", "-1", "1000001", "99999999999999999999", "a,", "a,,b", "a,a",
                         "a,y", "a,(intercept)"]:
            self.refused_init(features=features, naming=["--features"])

    def test_features_have_one_source(self):
        self.write("like.csv", "a,y\n1,2\n2,3\n4,4\n")
        agents = ["network", "init", "net", "--algorithm", "colla", "--trust-neighbours", "--agents", CLINICS]
        self.refused(*agents, "--like", "like.csv", "--features", "1",
                     naming=["--like, --recipe, --features", "more than once"])
        self.refused(*agents, "--features", "1", "--expand", "splines",
                     naming=["--expand", "needs --like"])
        self.refused(*agents, "--recipe", "r.toml", "--problem", "regression",
                     naming=["--problem", "the recipe says it"])
        self.refused(*agents, "--like", "missing.csv", naming=["missing.csv"])
        self.refused(*agents, "--recipe", "like.csv", naming=["like.csv"])
        self.refused(*agents, "--like", "like.csv", "--columns", "b", naming=["--columns", "'b'"])
        self.refused(*agents, "--like", "like.csv", "--drop", "a,", naming=["--drop", "empty"])
        self.refused(*agents, "--like", "like.csv", "--drop", "a", naming=["no column is left"])
        self.refused(*agents, "--like", "like.csv", "--expand", "trees",
                     naming=["--expand", "splines"])
        self.refused(*agents, "--like", "like.csv", "--target-column", "z", naming=["'z'"])

    def test_three_labels_are_refused(self):
        rows = "".join(f"{k},{'abc'[k % 3]}\n" for k in range(30))
        self.write("three.csv", "x,y\n" + rows)
        self.refused("network", "init", "net", "--agents", CLINICS, "--like", "three.csv",
                     naming=["three.csv", "'y' has 3 labels", "one network per label"])

    def test_graphs_fit_the_agents(self):
        self.write("edges", "0,1\n")
        self.write("far", "0,7\n")
        self.refused_init("--graph", "edges", naming=["edges", "path"])
        self.refused_init("--graph", "far", naming=["far"])
        self.refused_init("--graph", "missing", naming=["missing"])
        self.refused_init("--rho", "0", naming=["--rho"])

    def test_other_options_are_as_strict_as_those_of_train(self):
        for option, value in {"--mode": "closed", "--days": "0", "--atoms": "0", "--lambda": "0",
                              "--mu": "-1", "--gamma": "nan", "--exchanges": "0",
                              "--refresh": "-1", "--codes": "old", "--problem": "ranking",
                              "--seed": "-1", "--target-column": "",
                              "--minimum-rows": "0"}.items():
            self.refused_init(option, value, naming=[option])
        self.refused_init("--days", "3651", naming=["--days"])
        self.refused_init("--target-column", b"\xff", naming=["UTF-8"])

    def test_what_is_missing_is_named(self):
        self.refused("network", "init", naming=["DIR"])
        self.refused("network", "init", "net", "--features", "3", naming=["--agents"])
        self.refused("network", "init", "net", "--agents", "a=h:1", naming=["--features"])
        self.refused("network", naming=["colla network --help"])
        self.refused("network", "make", naming=["make"])

    def test_nothing_is_written_over(self):
        self.init()
        self.refused_init(naming=["net", "not an empty folder"])
        self.write("file", "")
        self.refused("network", "init", "file", "--algorithm", "colla", "--trust-neighbours", "--agents", CLINICS, "--features", "3",
                     naming=["file", "not a folder"])
        self.refused("network", "init", "none/net", "--algorithm", "colla", "--trust-neighbours", "--agents", CLINICS, "--features", "3",
                     naming=["none", "no such folder"])

    def test_a_full_disk_leaves_nothing(self):
        # Certificates fit into 1000 bytes, the network of many agents does not: some are written.
        many = ",".join(f"a{k}=h:{7000 + k}" for k in range(30))
        for size in [0, 100, 1000]:
            self.refused_init(agents=many, naming=["net"], preexec_fn=limit_file_size(size))
        (self.folder / "net").mkdir()
        self.refused_init(agents=many, naming=["net"], preexec_fn=limit_file_size(1000))


class Renew(NetworkTest):
    def changed(self, before):
        return {name for name, content in self.files().items() if before.get(name) != content}

    def test_new_keys_and_certificates_take_the_places_of_the_old(self):
        self.init()
        before = self.files()
        output = self.colla("network", "renew", "net", "south", "--days", "7")
        self.assertIn("net/south", output)
        self.assertNotIn("north", output)
        self.assertEqual(self.changed(before), {"net/south/agent.crt", "net/south/agent.key"})
        self.assertEqual(self.mode("net/south/agent.key"), 0o600)
        before = self.files()
        self.colla("network", "renew", "net")
        self.assertEqual(len(self.changed(before)), 6)

    def test_a_full_disk_leaves_the_old_ones(self):
        self.init()
        self.refused("network", "renew", "net", naming=["agent"],
                     preexec_fn=limit_file_size(300))

    def test_what_is_no_network_is_refused(self):
        self.refused("network", "renew", "none", naming=["none", "colla network init"])
        self.init()
        self.refused("network", "renew", "net", "east", naming=["east", "north, south, west"])
        self.refused("network", "renew", "net/north", naming=["net/north", "the folder of one agent"])
        self.write("net/authority/ca.key", "nonsense")
        self.refused("network", "renew", "net", naming=["authority", "cannot be read"])

    def test_an_authority_that_is_no_text_gets_no_advice_about_tables(self):
        self.init()
        self.write("net/authority/ca.crt", b"\0")
        message = self.refused("network", "renew", "net",
                               naming=["ca.crt: is not a text file", "check that it is the right"])
        self.assertNotIn("comma", message)


class Run(NetworkTest):
    def test_homes_are_looked_at_before_an_agent_starts(self):
        self.refused("network", "run", "none", naming=["none", "colla network init"])
        self.init()
        self.refused("network", "run", "net/north", naming=["net/north", "the folder of one agent", "around it"])
        (self.folder / "net/west/agent.key").chmod(0o644)
        self.refused("network", "run", "net", naming=["net/west/agent.key", "chmod 600"])
        (self.folder / "net/west/agent.key").chmod(0o600)
        self.write("net/south/network.toml", (self.folder / "net/network.toml").read_text() + "\n")
        self.refused("network", "run", "net", naming=["net/south", "'south'"])

    def test_an_agent_with_anothers_certificate_does_not_start(self):
        self.init()
        for file in ["agent.crt", "agent.key"]:
            self.write(f"net/west/{file}", (self.folder / f"net/north/{file}").read_bytes())
        self.refused("network", "run", "net", naming=["is for north, not west"])


@unittest.skipUnless(subprocess.run(["which", "openssl"], capture_output=True).returncode == 0,
                     "openssl is not installed")
class Certificates(NetworkTest):
    def openssl(self, *arguments):
        return subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, text=True,
                              capture_output=True).stdout

    def test_other_programs_accept_them(self):
        self.init("--days", "30", agents="a=a.example.org:1,b=10.0.0.7:1,c=[::1]:1")
        for purpose in ["sslserver", "sslclient"]:
            self.openssl("verify", "-x509_strict", "-purpose", purpose, "-CAfile",
                         "net/authority/ca.crt", *[f"net/{name}/agent.crt" for name in "abc"])
        for name, host in {"a": "DNS:a.example.org", "b": "IP Address:10.0.0.7",
                           "c": "IP Address:0:0:0:0:0:0:0:1"}.items():
            names = self.openssl("x509", "-in", f"net/{name}/agent.crt", "-noout", "-ext",
                                 "subjectAltName").splitlines()[1].strip()
            self.assertEqual(names, f"DNS:{name}, {host}")
        end = ["x509", "-in", "net/a/agent.crt", "-noout", "-checkend"]
        self.openssl(*end, str(30 * 86400 - 600))
        with self.assertRaises(subprocess.CalledProcessError):
            self.openssl(*end, str(30 * 86400 + 600))


if __name__ == "__main__":
    unittest.main()
