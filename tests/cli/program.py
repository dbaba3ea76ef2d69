"""Runs the headrace program for tests, and makes files for it to read.

Each test file is a program: FILE_test.py HEADRACE. TFRecord and protobuf are
written here by hand, so that the tests do not lean on what they test.
"""

import contextlib
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None


# ------------------------------------------------------------------- TFRecord

def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frame(payload):
    length = struct.pack("<Q", len(payload))
    return (length + struct.pack("<I", masked_crc(length)) + payload +
            struct.pack("<I", masked_crc(payload)))


def unframe(data):
    """The payloads of an intact TFRecord."""
    payloads = []
    while data:
        (length,) = struct.unpack_from("<Q", data)
        payloads.append(data[12:12 + length])
        assert frame(payloads[-1]) == data[:16 + length]
        data = data[16 + length:]
    return payloads


# ------------------------------------------------------------------- Messages

def varint(number):
    number &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def feature(values):
    """None, or a list of one kind; [] is an empty list of int64."""
    if values is None:
        return b""
    if values and isinstance(values[0], (bytes, str)):
        return field(1, b"".join(
            field(1, v.encode() if isinstance(v, str) else v) for v in values))
    if values and isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    packed = b"".join(varint(v) for v in values)
    return field(3, field(1, packed) if packed else b"")


def entry(key, value):
    return field(1, field(1, key.encode()) + field(2, value))


def example(**features):
    entries = b"".join(entry(k, feature(v)) for k, v in features.items())
    return field(1, entries) if entries else b""


def sequence(lists, **context):
    steps = b"".join(
        entry(k, b"".join(field(1, feature(v)) for v in values))
        for k, values in lists.items())
    return example(**context) + field(2, steps)


# -------------------------------------------------------------------- Running

class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.bytes = process.stdout or b""
        self.out = self.bytes.decode("utf-8", "surrogateescape")
        self.err = process.stderr.decode("utf-8", "surrogateescape")

    @property
    def lines(self):
        return self.out.splitlines()

    @property
    def json(self):
        return [json.loads(line) for line in self.lines]


class CliTest(unittest.TestCase):
    """A test in a folder of its own, which is the working folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.maxDiff = None

    def run_program(self, *args, stdin=None, **kwargs):
        kwargs.setdefault("stdout", subprocess.PIPE)
        return Result(subprocess.run(
            [PROGRAM, *map(str, args)], cwd=self.folder, input=stdin,
            stderr=subprocess.PIPE, timeout=120, check=False, **kwargs))

    def run_ok(self, *args, stdin=None):
        result = self.run_program(*args, stdin=stdin)
        self.assertEqual(result.code, 0, result.err)
        return result

    def run_bad(self, code, *args, stdin=None):
        """Fails with `code`; every line on stderr is the program's own."""
        result = self.run_program(*args, stdin=stdin)
        self.assertEqual(result.code, code, result.err + result.out)
        self.assertTrue(result.err)
        for line in result.err.splitlines():
            self.assertTrue(line.startswith("headrace: "), line)
        return result

    def make_socket(self, name):
        """What not even root can open as a file."""
        with socket.socket(socket.AF_UNIX) as server:
            here = os.getcwd()
            os.chdir(self.folder)  # names of sockets are short
            try:
                server.bind(name)
            finally:
                os.chdir(here)

    def write(self, name, data):
        if isinstance(data, str):
            data = data.encode()
        (self.folder / name).write_bytes(data)
        return name

    def write_records(self, name, payloads):
        return self.write(name, b"".join(map(frame, payloads)))

    def read(self, name):
        return (self.folder / name).read_bytes()

    def names(self):
        """All files of the folder, hidden ones too."""
        return sorted(os.listdir(self.folder))


@contextlib.contextmanager
def closed_pipe():
    """The writing end of a pipe that nobody reads."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        yield write_end
    finally:
        os.close(write_end)


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    # The importing file is __main__; its tests are the ones to run, and this
    # module is not loaded a second time.
    unittest.main(module="__main__")
