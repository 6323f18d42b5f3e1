# SPDX-License-Identifier: Apache-2.0
"""Speaks the agents' protocol by hand, as an agent would or as none would."""
import hashlib
import importlib
import queue
import struct
import subprocess
import sys
import tempfile
import zlib
from concurrent import futures

import grpc

from network import PATIENCE
from program import TESTS

METHOD = "/colla.agents.v1.Agents/Exchange"
END = object()


def load_protocol(name):
    """The module that protoc generates from proto/NAME.proto."""
    proto = TESTS.parent / "proto"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={proto}", f"--python_out={folder}",
                        f"{name}.proto"], check=True, timeout=PATIENCE)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module(f"{name}_pb2")
        finally:
            sys.path.remove(folder)


PROTOCOL = load_protocol("agents")


def hello(network, agent, received=(0, 0), /, **changes):
    """The greeting of an agent of this network."""
    settings = (network.folder / "network.toml").read_bytes()
    identity = settings.split(b'id = "')[1][:32].decode()
    fields = {"protocol": 4, "network": identity, "network_sha256": hashlib.sha256(settings).digest(),
              "agent": agent, "received": position(*received)}
    return PROTOCOL.Frame(hello=PROTOCOL.Hello(**{**fields, **changes}))


def position(step, exchange):
    return PROTOCOL.Position(step=step, exchange=exchange)


def dictionary(step, exchange, values, rows, cols, /, **changes):
    """The message at a position; without values at exchange 0."""
    content = struct.pack(f"<{len(values)}d", *values)
    fields = {"position": position(step, exchange), "rows": rows, "cols": cols, "values": content,
              "checksum": zlib.crc32(content)}
    return PROTOCOL.Frame(dictionary=PROTOCOL.Dictionary(**{**fields, **changes}))


def as_bytes(frame):
    return frame if isinstance(frame, bytes) else frame.SerializeToString()


class Caller:
    """A call to an agent, with the certificate of a home."""

    def __init__(self, address, home):
        self.outgoing = queue.Queue()
        self.channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(
            (home / "ca.crt").read_bytes(), (home / "agent.key").read_bytes(),
            (home / "agent.crt").read_bytes()),
            options=[("grpc.enable_http_proxy", 0), ("grpc.max_send_message_length", -1)])
        self.call = self.channel.stream_stream(METHOD)(iter(self.outgoing.get, END),
                                                       timeout=PATIENCE)

    def send(self, *frames):
        for frame in frames:
            self.outgoing.put(as_bytes(frame))

    def receive(self):
        return PROTOCOL.Frame.FromString(next(self.call))

    def refusal(self):
        """Why the agent ended the call."""
        return self.ending()[1]

    def ending(self):
        """(status code, words); the words of a connection that was lost depend on when and how it was."""
        try:
            for _ in self.call:
                pass
        except grpc.RpcError as error:
            return error.code(), error.details()
        return grpc.StatusCode.OK, ""

    def close(self):
        self.outgoing.put(END)
        self.call.cancel()
        self.channel.close()


class Called:
    """Answers every call of an agent with the same frames, with the certificate of a home."""

    def __init__(self, address, home, *frames):
        self.frames = [as_bytes(frame) for frame in frames]
        self.server = grpc.server(futures.ThreadPoolExecutor(4))
        handler = grpc.stream_stream_rpc_method_handler(self.answer)
        service, method = METHOD.strip("/").split("/")
        self.server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(service, {method: handler})])
        self.server.add_secure_port(address, grpc.ssl_server_credentials(
            [((home / "agent.key").read_bytes(), (home / "agent.crt").read_bytes())],
            (home / "ca.crt").read_bytes(), require_client_auth=True))
        self.server.start()

    def answer(self, requests, _context):
        next(requests)
        yield from self.frames
        for _ in requests:
            pass

    def close(self):
        self.server.stop(0).wait(PATIENCE)
