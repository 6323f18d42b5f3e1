# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/deploy.md, as they stand there and in that order, where all sites are this machine."""
import json
import os
import re
import signal
import subprocess
import unittest

from network import free_address
from program import PATIENCE, PROGRAM, TESTS, ProgramTest, run, wait_until

NAMES = ["north", "south", "west", "east", "south2"]

# Programs that a site has and a test has not: each does its work on this machine.
STANDINS = {
    "colla": f'exec {PROGRAM} "$@"',
    "sudo": '[ "$1" = -u ] && shift 2\nexec "$@"',
    "ssh": 'shift\nexec bash -ec "$*"',
    "chown": "",
    "systemctl": """
for unit; do :; done
name=${unit#colla-agent@}
case $* in
stop*|disable*)
    read process < $name.pid
    kill $process
    tail --pid=$process -f /dev/null ;;
*)
    colla agent run --home HOMES/$name < /dev/null >> $name.log 2>&1 &
    echo $! > $name.pid
    until colla agent status --home HOMES/$name > /dev/null 2>&1; do
        kill -0 $! || { cat $name.log; exit 1; }
    done ;;
esac
""",
}

ROWS = "ward;age;unit;stay\n" + "".join(
    f"{ward};{30 + 7 * k};{unit};{stay + k},5\n"
    for ward, stay in [("surgery", 4), ("cardiology", 1)]
    for k, unit in enumerate(["icu", "er", "icu", "NA", "er", "icu"]))


class Deploy(ProgramTest):
    def setUp(self):
        super().setUp()
        self.addresses = {name: free_address() for name in NAMES}
        self.homes = self.folder / "homes"
        self.homes.mkdir()
        (self.folder / "bin").mkdir()
        for name, script in STANDINS.items():
            path = self.write(f"bin/{name}", "#!/bin/bash\n" + self.here(script))
            path.chmod(0o755)
        for name in ["sample.csv", "stays.csv", "new.csv", "test.csv"]:
            self.write(name, ROWS)
        self.addCleanup(self.end_agents)

    def end_agents(self):
        for path in self.folder.glob("*.pid"):
            try:
                os.kill(int(path.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def here(self, text):
        """With this machine's folders and addresses."""
        for name, address in self.addresses.items():
            text = text.replace(f"{name}.example.org:7400", address)
        return text.replace("/var/lib/colla", str(self.homes)).replace("HOMES", str(self.homes))

    def shell(self, block):
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        with (self.folder / "output").open("w+") as output:
            code = subprocess.run(["bash", "-ec", block], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=output, stderr=output, timeout=PATIENCE).returncode
            output.seek(0)
            shown = output.read()
        self.assertEqual(code, 0, f"{block}\n{shown}")
        return shown

    def status(self, name):
        return json.loads(run("agent", "status", "--home", self.homes / name, "--json").stdout)

    def wait_for_agreement(self, **neighbours):
        """These agents have these neighbours connected, and all have the newest roster."""
        version = int(re.search(r"\nversion = (\d+)", (self.folder / "clinics/network.toml").read_text())[1])

        def is_there(name):
            status = self.status(name)
            connected = {entry["name"] for entry in status["neighbours"] if entry["connected"]}
            return status["version"] == version and connected == set(neighbours[name].split())
        wait_until(lambda: all(map(is_there, neighbours)), lambda: [self.status(name) for name in neighbours])

    def test_its_commands_do_what_it_says(self):
        blocks = re.findall(r"```sh\n(.*?)```", (TESTS.parent / "docs/deploy.md").read_text(), re.DOTALL)
        after = {
            "enable --now colla-agent@west": lambda _: self.wait_for_agreement(north="south", south="north west"),
            "colla doctor": lambda shown: self.assertNotIn("FAIL", shown),
            "agent learn": lambda shown: self.assertIn("learned: surgery (6 rows)", shown),
            "enable --now colla-agent@east": lambda shown: (
                self.assertIn("prediction", shown), self.wait_for_agreement(east="south west", north="south")),
            "network unlink": lambda _: self.wait_for_agreement(north="south east", west="south"),
            "network move": lambda _: self.wait_for_agreement(north="south east", west="south", south="north west east"),
            "network remove": lambda _: self.wait_for_agreement(north="south east", south="north east"),
            "-xf north.tar": lambda _: self.wait_for_agreement(north="south east"),
        }
        for block in blocks:
            shown = self.shell(self.here(block))
            for words in [words for words in after if words in block]:
                after.pop(words)(shown)
        self.assertEqual(list(after), [])


if __name__ == "__main__":
    unittest.main()
