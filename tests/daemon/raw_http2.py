# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 by hand: what no gRPC library would send."""
import socket
import ssl
import struct

DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def text(value):
    """A string as HPACK has it, without Huffman's code."""
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
    """Trusts anybody; shows the certificate of a home, if there is one."""
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
    bare = socket.create_connection((host, int(port)), timeout=20, source_address=(source, 0))
    try:
        return context.wrap_socket(bare, server_hostname=name)
    except BaseException:
        bare.close()
        raise


class RawCaller:
    """One connection with as many calls as one likes."""

    def __init__(self, address, context):
        self.socket = connect(address, context)
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0))
        self.next_stream = 1

    def call(self, path="/colla.agents.v1.Agents/Greet", **headers):
        """Begins a call; the number of its stream."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        fields = {":method": "POST", ":scheme": "https", ":path": path, ":authority": "agent",
                  "te": "trailers", "content-type": "application/grpc",
                  **{name.replace("_", "-"): value for name, value in headers.items()}}
        self.socket.sendall(frame(HEADERS, END_HEADERS, stream, header_block(fields)))
        return stream

    def begin_message(self, stream, size, sent):
        """Says that a message of a size comes, and sends so many bytes of it."""
        content = struct.pack(">BI", 0, size) + b"x" * sent
        for start in range(0, len(content), 16384):
            self.socket.sendall(frame(DATA, 0, stream, content[start:start + 16384]))

    def is_open(self, patience=0.0):
        """Reads what has come; false once the other end has closed the connection."""
        self.socket.settimeout(patience or 0.001)
        try:
            while self.socket.recv(65536):
                pass
            return False
        except TimeoutError:
            return True
        except OSError:
            return False

    def close(self):
        self.socket.close()
