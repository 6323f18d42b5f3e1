# SPDX-License-Identifier: Apache-2.0
"""The page of `colla show` in Chromium: it needs no scripts, runs none, fetches nothing, and names stay names."""
import os
import pathlib
import random
import subprocess
import tempfile
import xml.etree.ElementTree as xml

import pages

HOSTILE = "</svg><script>injected=1</script><img src=x onerror=injected=1>\"\"'&amp;]]>"
PROGRAM = os.environ["COLLA_PROGRAM"]


def setUpModule():
    global browser
    browser = pages.start_browser()


def table(name):
    """Ten tasks of related models; `name` begins every name in the file."""
    generator = random.Random(1)
    lines = [f'task,"{name}x","{name}word","{name}y"']
    for task in range(10):
        slope = generator.gauss(2, 0.5)
        for _ in range(12):
            x, word = generator.gauss(0, 1), generator.choice("ab")
            y = slope * x + (word == "a") + generator.gauss(0, 1)
            lines.append(f'"{name}{task}",{x},"{name}{word}",{y}')
    return "\n".join(lines) + "\n"


class LearnedPage(pages.Layout, pages.PageTest):
    name = ""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="colla-learned-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.page = cls.folder / "page.html"
        (cls.folder / "rows.csv").write_text(table(cls.name))
        target = (cls.name + "y").replace('""', '"')
        for command in [["train", "rows.csv", "--algorithm", "bayes", "--model", "m.colla",
                         "--target-column", target],
                        ["show", "m.colla", "--output", "page.html"],
                        ["show", "m.colla", "--output", "picture.svg"]]:
            subprocess.run([PROGRAM, *command], cwd=cls.folder, check=True, capture_output=True)
        cls.target = target

    def test_it_has_a_picture_of_all_tasks_and_one_per_unusual_task(self):
        self.assertEqual(browser.run("document.querySelectorAll('svg.chart').length"), 1 + 5)
        self.assertEqual(browser.run("document.querySelectorAll('#effects-1-plot').length"), 1)
        rows = browser.run("document.querySelectorAll('svg.chart')[0].querySelectorAll('g.row').length")
        self.assertEqual(rows, 3)
        headings = browser.run("[...document.querySelectorAll('h2')].map(h => h.textContent)")
        self.assertEqual(headings, ["What tasks have in common", "Unusual tasks", "Tasks"])

    def test_names_are_shown_and_never_obeyed(self):
        self.assertEqual(browser.run("typeof injected"), "undefined")
        self.assertEqual(browser.run("document.querySelectorAll('img, script').length"), 0)
        self.assertEqual(browser.run("document.title"), "Effects on " + self.target)
        self.assertEqual(browser.run("document.querySelector('tbody th').textContent"),
                         self.target[:-1] + "x")

    def test_nothing_is_fetched_and_nothing_runs(self):
        self.assert_only_the_page_was_fetched()
        browser.run("document.body.append(Object.assign(document.createElement('script'),"
                    " {textContent: 'ran = 1'}))")
        self.assertEqual(browser.run("typeof ran"), "undefined")
        self.assert_all_was_refused()

    def test_dark_screens_get_dark_paper_and_printers_do_not(self):
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        for media, paper in [("screen", "rgb(22, 25, 29)"), ("print", "rgb(255, 255, 255)")]:
            browser.call("Emulation.setEmulatedMedia", media=media, features=dark)
            self.assertEqual(browser.run(
                "[...document.querySelectorAll('svg.chart .paper')].map(p => getComputedStyle(p).fill)"),
                [paper] * 6)

    def test_the_picture_is_xml(self):
        xml.parse(self.folder / "picture.svg")


class HostileNames(LearnedPage):
    name = HOSTILE


if __name__ == "__main__":
    pages.main()
