# SPDX-License-Identifier: Apache-2.0
"""`colla data get`, from a server on this machine."""
import http.server
import os
import pathlib
import threading
import unittest

from program import ProgramTest, run

SIZE = 44759  # of school.mat


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `content` at every path, ranges included; ends after `cut_after` bytes of the body."""
    content = b""
    cut_after = None
    status = 200
    ranges = []

    def do_GET(self):
        asked = self.headers.get("Range", "")
        type(self).ranges.append(asked)
        body, status = self.content, self.status
        if asked and status == 200:
            body, status = body[int(asked.removeprefix("bytes=").removesuffix("-")):], 206
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.cut_after is None else body[:self.cut_after])

    def log_message(self, *_):
        pass


class Get(ProgramTest):
    def serve(self, **behaviour):
        """The address of a server; its class keeps the ranges that were asked for."""
        self.handler = type("Handler", (Handler,), dict(behaviour, ranges=[]))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}/school.mat"

    def get(self, *options, name="london-schools"):
        return ["data", "get", name, "--data-dir", ".", *options]

    def interrupted(self, *options, naming):
        """A run that must fail and leave nothing but a part; the part's bytes."""
        process = run(*self.get(*options), cwd=self.folder)
        self.assertEqual((process.returncode, process.stdout), (1, ""), process)
        self.assertRegex(process.stderr, r"\Acolla: [^\n]+\n\Z")
        for text in naming:
            self.assertIn(text, process.stderr)
        self.assertEqual(set(self.files()), {"school.mat.part"})
        return self.files()["school.mat.part"]

    def real_content(self):
        path = pathlib.Path(os.environ.get("COLLA_DATA", ""), "school.mat")
        if not os.environ.get("COLLA_DATA") or not path.exists():
            self.skipTest("COLLA_DATA names no folder with the paper's data")
        return path.read_bytes()

    def test_a_file_is_downloaded_verified_and_learned_from(self):
        content = self.real_content()
        address = self.serve(content=content)
        self.assertIn("school.mat", self.colla(*self.get("--address", address)))
        self.assertEqual(self.files(), {"school.mat": content})
        self.assertIn("already", self.colla(*self.get("--address", address)))
        self.assertEqual(len(self.handler.ranges), 1)
        self.colla("data", "check", "london-schools", "--data-dir", ".")

    def test_a_download_that_was_cut_goes_on_where_it_ended(self):
        content = self.real_content()
        address = self.serve(content=content, cut_after=20000)
        part = self.interrupted("--address", address, naming=["20000 of 44759 bytes", "again"])
        self.assertEqual(part, content[:20000])
        self.colla(*self.get("--address", self.serve(content=content)))
        self.assertEqual(self.handler.ranges, ["bytes=20000-"])
        self.assertEqual(self.files(), {"school.mat": content})

    def test_a_cut_download_leaves_its_part_and_no_file(self):
        address = self.serve(content=bytes(SIZE), cut_after=10000)
        part = self.interrupted("--address", address, naming=["10000 of 44759 bytes"])
        self.assertEqual(part, bytes(10000))

    def test_a_file_with_another_hash_is_refused(self):
        address = self.serve(content=bytes(SIZE))
        self.refused(*self.get("--address", address), naming=[address, "not the published file"])

    def test_a_file_of_another_size_is_refused(self):
        for content in [bytes(SIZE + 1), b"<html>sorry</html>"]:
            address = self.serve(content=content)
            self.refused(*self.get("--address", address), naming=[address, "44759"])

    def test_an_answer_that_is_no_file_is_reported(self):
        for status in [404, 403, 500]:
            address = self.serve(content=b"sorry", status=status)
            self.refused(*self.get("--address", address), naming=[address, f"answers {status}"],
                         code=1)

    def test_a_server_that_is_not_there_is_reported(self):
        self.refused(*self.get("--address", "http://127.0.0.1:1/school.mat"),
                     naming=["127.0.0.1:1", "cannot be reached"], code=1)

    def test_no_message_has_the_password_of_an_address(self):
        server = self.serve(content=bytes(SIZE)).removeprefix("http://")
        for address, code in [(f"http://me:secret@{server}", 2), (f"https://me:secret@{server}", 1),
                              ("http://me:secret@127.0.0.1:1/f", 1), ("ftp://me:secret@host/f", 2),
                              ("https://me:secr@et@host:x/f", 2), ("me:secret@host", 2)]:
            with self.subTest(address):
                message = self.refused(*self.get("--address", address), naming=["address"],
                                       code=code)
                self.assertNotRegex(message, "secr|me:")

    def test_only_http_addresses_are_taken(self):
        for address in ["file:///etc/passwd", "ftp://127.0.0.1/school.mat", "school.mat"]:
            self.refused(*self.get("--address", address), naming=[address, "https://"])

    def test_another_file_in_its_place_is_kept_unless_it_shall_be_replaced(self):
        self.write("school.mat", "mine")
        address = self.serve(content=bytes(SIZE))
        self.refused(*self.get("--address", address), naming=["school.mat", "exists", "--force"])
        self.refused(*self.get("--address", address, "--force"), naming=["not the published file"])
        content = self.real_content()
        self.colla(*self.get("--address", self.serve(content=content), "--force"))
        self.assertEqual(self.files(), {"school.mat": content})

    def test_a_set_without_an_address_says_where_it_was_published(self):
        self.refused(*self.get(name="landmine"), naming=["Duke University", "LandmineData.mat"])
        self.refused(*self.get(name="computer-survey"), naming=["Lenk", "by hand", "--address"])

    def test_sets_without_a_file_and_unknown_names_are_refused(self):
        self.refused(*self.get(name="synthetic-regression"), naming=["needs no file"])
        self.refused(*self.get(name="schools"), naming=["schools", "london-schools"])

    def test_a_missing_folder_is_named(self):
        self.refused("data", "get", "london-schools", "--data-dir", "none",
                     naming=["none", "no such folder"])

    def test_a_folder_without_permission_is_named(self):
        address = self.serve(content=bytes(SIZE))
        self.refused(*self.get("--address", address), naming=["school.mat.part", "permissions"],
                     **self.take_away_permission())


if __name__ == "__main__":
    unittest.main()
