# SPDX-License-Identifier: Apache-2.0
"""Between agents: a TCP proxy that can cut connections, hold them off and record what passes."""
import contextlib
import socket
import struct
import threading

from program import PATIENCE

CHUNK = 4096  # a cut connection has passed only part of a large dictionary


def socket_address(address):
    host, _, port = address.rpartition(":")
    return host, int(port)


def reset(connection):
    """Ends it at once; what was not sent is thrown away."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


class Passage:
    """One connection through the proxy, with the bytes of both directions if recorded."""

    def __init__(self, caller, called, is_recorded):
        self.ends = (caller, called)
        self.caller_port = caller.getpeername()[1]
        self.passed = {caller: 0, called: 0}  # bytes that each end has said
        self.recorded = {caller: bytearray(), called: bytearray()} if is_recorded else None
        for source, target in [(caller, called), (called, caller)]:
            threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    def carry(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                if self.recorded is not None:
                    self.recorded[source] += data
                target.sendall(data)
                self.passed[source] += len(data)
        self.cut()

    def cut(self):
        for end in self.ends:
            reset(end)

    def is_open(self):
        return all(end.fileno() >= 0 for end in self.ends)


class Proxy:
    """Listens on one address and passes connections on to another."""

    def __init__(self, address, target, is_recording=False):
        self.target = socket_address(target)
        self.is_recording = is_recording
        self.is_blocked = False
        self.admits = lambda port: True  # callers by their ports
        self.passages = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(socket_address(address))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                caller, _ = self.listener.accept()
                self.connect(caller)

    def connect(self, caller):
        try:
            if self.is_blocked or not self.admits(caller.getpeername()[1]):
                raise OSError
            called = socket.create_connection(self.target, timeout=PATIENCE)
        except OSError:
            reset(caller)
            return
        called.settimeout(None)
        for end in (caller, called):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.lock:
            self.passages.append(Passage(caller, called, self.is_recording))

    def open_passages(self):
        with self.lock:
            return [passage for passage in self.passages if passage.is_open()]

    def passed(self):
        """Bytes in both directions, ever."""
        with self.lock:
            return sum(sum(passage.passed.values()) for passage in self.passages)

    def block(self):
        """Cuts everything and lets nothing through until `unblock`."""
        self.is_blocked = True
        for passage in self.open_passages():
            passage.cut()

    def unblock(self):
        self.is_blocked = False

    def directions(self):
        """The recorded bytes of each direction of each connection."""
        with self.lock:
            return [bytes(part) for passage in self.passages for part in passage.recorded.values()]

    def said_by_callers_and_called(self):
        """Bytes, of all connections together."""
        with self.lock:
            return [sum(passage.passed[passage.ends[k]] for passage in self.passages) for k in range(2)]

    def close(self):
        self.block()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
