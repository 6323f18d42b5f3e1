# SPDX-License-Identifier: Apache-2.0
"""MAT files, version 5, with cell arrays of double matrices."""
import struct

INT8, INT32, UINT32, DOUBLE, MATRIX = 1, 5, 6, 9, 14
CELL_CLASS, DOUBLE_CLASS = 1, 6


def element(kind, payload):
    padding = b"\0" * (-len(payload) % 8)
    return struct.pack("<II", kind, len(payload)) + payload + padding


def array(name, array_class, rows, columns, content):
    return element(MATRIX, element(UINT32, struct.pack("<II", array_class, 0))
                   + element(INT32, struct.pack("<ii", rows, columns))
                   + element(INT8, name.encode()) + content)


def matrix(values):
    """A matrix given by its rows."""
    rows, columns = len(values), len(values[0])
    entries = [values[i][j] for j in range(columns) for i in range(rows)]
    data = element(DOUBLE, struct.pack(f"<{len(entries)}d", *entries))
    return array("", DOUBLE_CLASS, rows, columns, data)


def cells(name, matrices):
    return array(name, CELL_CLASS, 1, len(matrices), b"".join(map(matrix, matrices)))


def mat_file(X, Y):
    """The bytes of a file with cell arrays X and Y, one matrix per task."""
    header = b"MATLAB 5.0 MAT-file".ljust(116) + b"\0" * 8 + struct.pack("<H", 0x0100) + b"IM"
    return header + cells("X", X) + cells("Y", Y)
