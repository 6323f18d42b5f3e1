# SPDX-License-Identifier: Apache-2.0
"""What every page of colla promises in Chromium."""
import sys
import unittest

import chromium


class PageTest(unittest.TestCase):
    """A page, opened before each test, that neither throws nor logs."""
    page = None  # its path
    browser = None

    def setUp(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        self.browser.call("Emulation.setEmulatedMedia", media="", features=[])
        self.browser.call("Emulation.clearDeviceMetricsOverride")
        self.browser.open(self.page)

    def tearDown(self):
        self.assertEqual(self.browser.events_of("Runtime.exceptionThrown"), [])
        self.assertEqual(self.browser.events_of("Log.entryAdded"), [])

    def assert_only_the_page_was_fetched(self):
        addresses = [event["request"]["url"]
                     for event in self.browser.events_of("Network.requestWillBeSent")]
        self.assertEqual(addresses, [self.page.resolve().as_uri()])

    def assert_all_was_refused(self):
        """By the page's policy, which logs every attempt."""
        for event in self.browser.events_of("Log.entryAdded"):
            self.assertIn("Content Security Policy", event["entry"]["text"])
        self.browser.events.clear()


class Layout:
    """Tests of a page's layout, beside PageTest."""

    def test_a_narrow_page_does_not_scroll_sideways(self):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=420, height=800,
                          deviceScaleFactor=1, mobile=True)
        self.assertLessEqual(self.browser.run("document.scrollingElement.scrollWidth"), 420)

    def test_texts_stay_inside_their_pictures(self):
        outside = self.browser.run("""[...document.querySelectorAll('svg.chart')].flatMap(svg => {
            const box = svg.getBoundingClientRect();
            return [...svg.querySelectorAll('text')].filter(text => {
                const {left, right, top, bottom} = text.getBoundingClientRect();
                return left < box.left - 1 || right > box.right + 1 ||
                       top < box.top - 1 || bottom > box.bottom + 1;
            }).map(text => text.textContent);
        })""")
        self.assertEqual(outside, [])


def start_browser():
    """The browser of all pages of a test, until its end."""
    PageTest.browser = chromium.Chromium()
    unittest.addModuleCleanup(PageTest.browser.close)
    return PageTest.browser


def main():
    if chromium.PROGRAM is None:
        print("skipped: there is no Chromium")
        sys.exit(77)
    unittest.main()
