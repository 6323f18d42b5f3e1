# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven by its DevTools protocol over a pair of pipes."""
import json
import os
import select
import shutil
import subprocess
import tempfile

from program import PATIENCE, wait_until

NAMES = ["chromium", "chromium-browser", "google-chrome"]
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
           "--disable-background-networking", "--no-first-run", "--hide-scrollbars",
           "--window-size=1280,1000",
           "--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"]

MESSAGES_IN, MESSAGES_OUT = 3, 4  # Chromium's file descriptors for the protocol


class Chromium:
    """A browser with one page of 1280 x 1000 pixels."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="colla-browser-",
                                                   ignore_cleanup_errors=True)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        self.start()
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target,
                                     flatten=True)["sessionId"]
            for domain in ["Page", "Network", "Runtime", "Log"]:
                self.call(f"{domain}.enable")
        except BaseException:
            self.close()
            raise

    def start(self):
        for_chromium, self.to = os.pipe()
        self.answers, from_chromium = os.pipe()
        # Above 4 first, so that one duplicate does not close the other.
        ends = [os.dup2(end, 50 + end) for end in (for_chromium, from_chromium)]

        def connect():
            os.dup2(ends[0], MESSAGES_IN)
            os.dup2(ends[1], MESSAGES_OUT)

        self.process = subprocess.Popen(
            [PROGRAM, f"--user-data-dir={self.profile.name}", *OPTIONS], preexec_fn=connect,
            pass_fds=(MESSAGES_IN, MESSAGES_OUT), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in [for_chromium, from_chromium, *ends]:
            os.close(end)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, TimeoutError):
            pass  # it has ended, or is killed
        finally:
            self.process.kill()
            self.process.wait()
            os.close(self.to)
            os.close(self.answers)
            self.profile.cleanup()

    def read(self):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], PATIENCE)[0]:
                raise TimeoutError("Chromium does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise ConnectionError("Chromium has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """The result of a command; events that arrive meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        """Loads a file and forgets all earlier events."""
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.until(lambda: self.events_of("Page.loadEventFired"))

    def events_of(self, method):
        return [event["params"] for event in self.events if event.get("method") == method]

    def until(self, condition):
        """Waits for a condition and returns its value."""
        def look():
            self.call("Runtime.evaluate", expression="0")  # reads the events that have come
            return condition()
        return wait_until(look, "nothing happened")

    def run(self, script):
        """The value of a JavaScript expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key):
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)
