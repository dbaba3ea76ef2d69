"""Runs the headrace program for tests, and makes files for it to read."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "bytes"))

import wire_bytes  # noqa: E402

PROGRAM = None  # run_tests.py says which


# ------------------------------------------------------------------- Messages

def feature(values):
    """A Feature of a list of one kind; None is UNSET, [] a list of int64."""
    if values is None:
        return wire_bytes.UNSET
    if values and isinstance(values[0], (bytes, str)):
        return wire_bytes.blobs(*(
            v.encode() if isinstance(v, str) else v for v in values))
    if values and isinstance(values[0], float):
        return wire_bytes.floats(*values)
    return wire_bytes.ints(*values)


def example(**features):
    return wire_bytes.example({k: feature(v) for k, v in features.items()})


def sequence(lists, **context):
    return wire_bytes.sequence_example(
        {k: feature(v) for k, v in context.items()},
        {k: list(map(feature, values)) for k, values in lists.items()})


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
        return self.write(name, wire_bytes.framed(payloads))

    def read(self, name):
        return (self.folder / name).read_bytes()

    def table(self, name):
        """A file of Arrow's, for tests that need pyarrow."""
        import pyarrow

        with pyarrow.ipc.open_file(self.folder / name) as reader:
            return reader.read_all()

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
