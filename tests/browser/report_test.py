# SPDX-License-Identifier: Apache-2.0
"""The report's page in Chromium: all curves are there, the pointer shows values, panels can be
saved, and nothing is fetched."""
import json
import os
import pathlib
import subprocess
import tempfile
import xml.etree.ElementTree as xml

import pages

HOSTILE = "</script><script>injected=1</script><img src=x onerror=injected=1>\"'&amp;]]>"


def setUpModule():
    global browser
    browser = pages.start_browser()


class ReportPage(pages.PageTest):
    texts = []

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="colla-report-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.page = cls.folder / "report.html"
        subprocess.run([os.environ["COLLA_SAMPLE_WRITER"], folder.name, *cls.texts], check=True)
        cls.report = json.loads((cls.folder / "report.json").read_text())

    def studies(self):
        """(figure, study) as in the page's data attributes, with the study."""
        for f, figure in enumerate(self.report["figures"]):
            for s, study in enumerate(figure["studies"]):
                yield f, s, study

    def panel(self, f, s, quantity="curve"):
        return (f"document.querySelector('figure.panel[data-figure=\"{f}\"][data-study=\"{s}\"]"
                f"[data-quantity=\"{quantity}\"]')")


class Content(pages.Layout, ReportPage):
    def expect_all_curves(self):
        for f, s, study in self.studies():
            drawn = browser.run(f"[...{self.panel(f, s)}.querySelectorAll('svg.chart g.series')]"
                                ".map(g => [g.dataset.key, g.querySelectorAll('polyline').length])")
            self.assertEqual([key for key, _ in drawn], [m["key"] for m in study["methods"]])
            self.assertTrue(all(lines >= 1 for _, lines in drawn), drawn)

    def test_every_panel_has_all_its_curves(self):
        self.expect_all_curves()
        self.assertEqual(browser.run("document.querySelectorAll('svg.graphs').length"), 3)

    def test_without_scripts_everything_is_there_but_no_buttons(self):
        browser.call("Emulation.setScriptExecutionDisabled", value=True)
        browser.open(self.folder / "report.html")
        self.expect_all_curves()
        self.assertEqual(browser.run("document.querySelectorAll('button').length"), 0)
        self.assertEqual(browser.run("document.querySelectorAll('#tests table').length"), 7)

    def test_nothing_is_fetched(self):
        browser.run("document.querySelector('.save button').title")
        self.assert_only_the_page_was_fetched()

    def test_nothing_can_be_fetched(self):
        for attempt in ["fetch('http://localhost:1/')", "fetch('report.json')"]:
            self.assertEqual(browser.run(f"{attempt}.then(() => 'came', () => 'refused')"),
                             "refused")
        self.assert_all_was_refused()

    def test_dark_screens_get_dark_paper_and_printers_do_not(self):
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        colours = {}
        for media, features in [("screen", []), ("screen", dark), ("print", dark)]:
            browser.call("Emulation.setEmulatedMedia", media=media, features=features)
            colours[media, bool(features)] = browser.run(
                "[document.body, document.querySelector('svg.chart .paper')].map(part =>"
                " getComputedStyle(part)[part === document.body ? 'backgroundColor' : 'fill'])")
        self.assertEqual(colours["screen", False], ["rgb(255, 255, 255)"] * 2)
        self.assertEqual(colours["screen", True], ["rgb(22, 25, 29)"] * 2)
        self.assertEqual(colours["print", True], ["rgb(255, 255, 255)"] * 2)


class Interaction(ReportPage):
    def hover(self, f, s, step, quantity="curve"):
        """The rows of the tooltip, as lists of cells."""
        x, y = browser.run(f"""(() => {{
            const svg = {self.panel(f, s, quantity)}.querySelector('svg.chart');
            svg.scrollIntoView({{block: 'center'}});
            const [left, top, right, bottom] = svg.dataset.plot.split(' ').map(Number);
            const inset = Number(svg.dataset.inset), steps = Number(svg.dataset.steps);
            const point = svg.createSVGPoint();
            point.x = left + inset + (right - left - 2 * inset) * ({step} - 1) / (steps - 1);
            point.y = (top + bottom) / 2;
            const place = point.matrixTransform(svg.getScreenCTM());
            return [place.x, place.y];
        }})()""")
        browser.move(x, y)
        return self.tooltip(f, s, quantity)

    def tooltip(self, f, s, quantity="curve"):
        return browser.run(f"[...{self.panel(f, s, quantity)}.querySelectorAll('.tooltip tr')]"
                           ".map(row => [...row.cells].map(cell => cell.textContent).slice(1))")

    def test_the_pointer_shows_the_values_of_all_methods_at_its_step(self):
        for f, s, study in self.studies():
            for step in [1, 4, study["steps"]]:
                shown = dict(self.hover(f, s, step))
                for method in study["methods"]:
                    value = (method["final_score"]["mean"] if method["is_offline"]
                             else method["curve"]["mean"][step - 1])
                    if value is None:
                        self.assertNotIn(method["label"], shown)
                        continue
                    text = shown.pop(method["label"])
                    self.assertAlmostEqual(float(text.split(" ± ")[0]), value, delta=0.006)
                self.assertEqual(shown, {})
                self.assertEqual(browser.run("document.querySelectorAll('.crosshair').length"), 1)

    def test_tooltips_stay_inside_their_panels(self):
        for step in [1, 10]:
            self.hover(0, 2, step)
            self.assertTrue(browser.run("""(() => {
                const tip = document.querySelector('.tooltip');
                const [a, b] = [tip, tip.parentNode].map(part => part.getBoundingClientRect());
                return a.left >= b.left && a.right <= b.right + 1;
            })()"""))

    def test_the_pointer_leaves_nothing_behind(self):
        self.hover(0, 0, 3)
        browser.move(1, 1)
        self.assertEqual(browser.run("document.querySelectorAll('.tooltip, .marks').length"), 0)

    def test_exchanges_and_gaps_show_their_values_too(self):
        self.assertEqual(len(self.hover(0, 3, 5, "gap")), 2)
        self.assertEqual(len(self.hover(1, 2, 5, "exchanges")), 4)

    def test_arrow_keys_move_from_step_to_step(self):
        browser.run(f"{self.panel(0, 1)}.querySelector('.plot').focus()")
        for _ in range(3):
            browser.press("ArrowRight")
        self.assertEqual(browser.run("document.querySelector('.tooltip caption').textContent"),
                         "step 3")
        browser.press("Escape")
        self.assertEqual(browser.run("document.querySelectorAll('.tooltip').length"), 0)

    def test_the_legend_switches_a_method_off_and_on_in_its_figure(self):
        hidden = "[...document.querySelectorAll('g.series[data-key=ella]')].filter(" \
                 "g => getComputedStyle(g).display === 'none').length"
        click = "document.querySelector('#figure-1 .legend li[data-key=ella] button').click()"
        browser.run(click)
        self.assertEqual(browser.run(hidden), 4)
        self.assertNotIn("ELLA", dict(self.hover(0, 0, 3)))
        browser.run(click)
        self.assertEqual(browser.run(hidden), 0)
        self.assertIn("ELLA", dict(self.hover(0, 0, 3)))

    def save_button(self, f, s, number):
        return f"{self.panel(f, s)}.querySelectorAll('.save button')[{number}].click()"

    def saved(self, name, click):
        browser.call("Browser.setDownloadBehavior", behavior="allow",
                     downloadPath=str(self.folder / "saved"))
        browser.run(click)
        path = self.folder / "saved" / name
        browser.until(lambda: path.exists() and path.stat().st_size > 0)
        return path

    def test_a_panel_is_saved_as_the_svg_that_was_drawn(self):
        self.hover(0, 0, 3)
        path = self.saved("figure-1_land-mine.svg", self.save_button(0, 0, 0))
        texts = [xml.canonicalize(file.read_text(), strip_text=True)
                 for file in (path, self.folder / "figures" / path.name)]
        self.assertEqual(*texts)

    def test_a_panel_is_saved_as_a_sharp_png(self):
        path = self.saved("figure-2_london-schools.png", self.save_button(1, 2, 1))
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual((int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")),
                         (3 * 560, 3 * 340))
        self.assertGreater(len(data), 10000)

    def test_all_numbers_are_saved_as_json(self):
        path = self.saved("report.json", "document.querySelector('.downloads button').click()")
        self.assertEqual(json.loads(path.read_text()), self.report)


class HostileTexts(ReportPage):
    texts = [HOSTILE]

    def test_they_are_shown_and_never_obeyed(self):
        self.assertEqual(browser.run("typeof injected"), "undefined")
        self.assertEqual(browser.run("document.querySelectorAll('img').length"), 0)
        self.assertEqual(browser.run("document.title"), HOSTILE)
        self.assertEqual(browser.run("document.querySelector('h1').textContent"), HOSTILE)
        self.assertEqual(browser.run("document.querySelector('.legend li').textContent.trim()"),
                         HOSTILE)

    def test_the_pictures_are_still_xml(self):
        files = list((self.folder / "figures").glob("*.svg"))
        self.assertGreater(len(files), 10)
        for file in files:
            xml.parse(file)


if __name__ == "__main__":
    pages.main()
