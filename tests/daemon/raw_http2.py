# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 by hand: what no gRPC library would send."""
import socket
import ssl
import struct
import threading

from program import PATIENCE

DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, WINDOW, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def text(value):
    """A string in HPACK, without Huffman coding."""
    content = value if isinstance(value, bytes) else value.encode()
    if len(content) < 127:
        return bytes([len(content)]) + content
    rest, length = len(content) - 127, b"\x7f"
    while rest >= 128:
        length += bytes([rest % 128 | 128])
        rest //= 128
    return length + bytes([rest]) + content


def header_block(headers):
    return b"".join(b"\x00" + text(name) + text(value) for name, value in headers.items())


def tls_context(home=None):
    """Trusts every peer; shows the certificate of a home, if there is one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    if home is not None:
        context.load_cert_chain(home / "agent.crt", home / "agent.key")
    return context


def connect(address, context, name=None, source=""):
    """A TLS connection, from an address of this machine."""
    host, port = address.rsplit(":", 1)
    bare = socket.create_connection((host, int(port)), timeout=PATIENCE, source_address=(source, 0))
    try:
        return context.wrap_socket(bare, server_hostname=name)
    except BaseException:
        bare.close()
        raise


def tls_server_context(home):
    """TLS of an agent that is called, with the certificate of a home."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(home / "agent.crt", home / "agent.key")
    context.load_verify_locations(home / "ca.crt")
    context.verify_mode = ssl.CERT_REQUIRED
    context.set_alpn_protocols(["h2"])
    return context


CALL = {":method": "POST", ":scheme": "https", ":path": "/colla.agents.v1.Agents/Exchange",
        ":authority": "agent", "te": "trailers", "content-type": "application/grpc"}


def endless_header():
    """Begins a header of a gibibyte."""
    return frame(HEADERS, 0, 1, b"\x00" + text("x-a") + b"\x7f\x81\xff\xff\xff\x03")


def resets(first, count=100):
    return b"".join(frame(HEADERS, END_HEADERS, stream, header_block(CALL)) +
                    frame(RESET, 0, stream, struct.pack(">I", 8))
                    for stream in range(first, first + 2 * count, 2))


# Endless floods after a connection's first bytes: the opening bytes, and those that repeat.
FLOODS = {
    "resets": (b"", resets),
    "a header without end": (endless_header(), frame(CONTINUATION, 0, 1, b"a" * 16384)),
    "headers without end": (frame(HEADERS, 0, 1, header_block({"x-a": "b"})),
                            frame(CONTINUATION, 0, 1, (b"\x40" + text("x") + text("b")) * 2000)),
    "empty continuations": (frame(HEADERS, 0, 1, header_block({"x-a": "b"})),
                            frame(CONTINUATION, 0, 1) * 1500),
    "empty data": (frame(HEADERS, END_HEADERS, 1, header_block(CALL)), frame(DATA, 0, 1) * 1500),
    "priorities": (b"", frame(PRIORITY, 0, 1, b"\0\0\0\0\1") * 1000),
    "settings": (b"", frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65535) * 2000)),
    "pings": (b"", frame(PING, 0, 0, b"12345678") * 1000),
    "windows": (b"", frame(WINDOW, 0, 0, struct.pack(">I", 1)) * 1000),
    "unknown frames": (b"", frame(200, 0, 0, b"x" * 16000)),
}


class NotCut(Exception):
    """A flood that the other end bears."""


def flood(connection, kind):
    """Frames of one kind until the other end has had enough."""
    first, more = FLOODS[kind]
    stream = 1
    try:
        connection.sendall(first)
        while True:
            connection.sendall(more(stream) if callable(more) else more)
            stream += 200
    except TimeoutError as error:  # neither read nor cut
        raise NotCut(kind) from error
    except OSError:
        pass


class RawCalled:
    """Accepts calls at an address and floods the caller, each time with the next kind."""

    def __init__(self, address, home, kinds):
        host, port = address.rsplit(":", 1)
        self.context, self.kinds = tls_server_context(home), kinds
        self.listener = socket.create_server((host, int(port)))
        self.count = 0
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                bare, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            try:
                bare.settimeout(PATIENCE)
                with self.context.wrap_socket(bare, server_side=True) as connection:
                    connection.sendall(frame(SETTINGS, 0, 0))
                    flood(connection, self.kinds[self.count % len(self.kinds)])
            except OSError:
                bare.close()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(PATIENCE)


class RawCaller:
    """One connection with any number of calls."""

    def __init__(self, address, context, window=65535):
        self.socket = connect(address, context)
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, window)))
        self.next_stream = 1

    def call(self, path="/colla.agents.v1.Agents/Greet", **headers):
        """Begins a call; the number of its stream."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        fields = {**CALL, ":path": path,
                  **{name.replace("_", "-"): value for name, value in headers.items()}}
        self.socket.sendall(frame(HEADERS, END_HEADERS, stream, header_block(fields)))
        return stream

    def send_message(self, stream, content):
        self.socket.sendall(frame(DATA, 0, stream, struct.pack(">BI", 0, len(content)) + content))

    def begin_message(self, stream, size, sent):
        """Announces a message of a size, and sends only some bytes of it."""
        content = struct.pack(">BI", 0, size) + b"x" * sent
        for start in range(0, len(content), 16384):
            self.socket.sendall(frame(DATA, 0, stream, content[start:start + 16384]))

    def is_let_in(self):
        """Waits for the first words of the other end, or for its refusal."""
        try:
            return len(self.socket.recv(1)) > 0
        except OSError:
            return False

    def is_open(self):
        """Reads what has come; false once the other end has closed the connection."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(65536):
                pass
            return False
        except ssl.SSLWantReadError:
            return True
        except OSError:
            return False

    def close(self):
        self.socket.close()
