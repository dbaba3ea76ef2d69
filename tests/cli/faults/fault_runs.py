"""Runs of the program in which one call of the operating system goes wrong, each
in turn: its output is whole, or is not there, and the program says why.

HEADRACE_FAULT_SHIM names the library that makes them go wrong."""

import errno
import itertools
import os
import pathlib
import tempfile

from program import CliTest, example

# Read and written in some calls each, and nothing that compresses much.
RECORDS = [example(a=[i], b=[str(i * i) * 40], c=[0.5 * i])
           for i in range(2500)]

# What may happen to a call, and the exit codes that may follow. What is
# transient costs nothing; a failure need not matter, as of a close of what was
# only read.
OK, FAILED, EITHER = {0}, {3}, {0, 3}
FAULTS = {
    "open": [("EINTR", OK), ("EMFILE", FAILED)],
    "read": [("EINTR", OK), ("EAGAIN", OK), ("short", OK), ("EIO", EITHER)],
    "write": [("EINTR", OK), ("EAGAIN", OK), ("short", OK), ("ENOSPC", FAILED)],
    "close": [("EINTR", OK), ("EIO", EITHER)],
    "rename": [("EIO", FAILED)],
    "fchmod": [("EINTR", OK), ("EPERM", FAILED)],
    "fstat": [("EIO", EITHER)],
    "stat": [("EIO", EITHER)],
}
FORMS = [
    ["--to", "arrow"], ["--to", "jsonl"], ["--to", "tfrecord"],
    ["--to", "tfrecord", "--compression", "zstd"],
    ["--to", "tfrecord", "--shards", "3"],
]


def actions(calls):
    """(call, what the shim is told, exit codes) of each fault of these calls."""
    for call in sorted(calls):
        for action, codes in FAULTS[call]:
            if action != "short":
                action = f"fail={getattr(errno, action)}"
            yield call, action, codes


class FaultsCase(CliTest):
    def setUp(self):
        super().setUp()
        self.write_records("in", RECORDS)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.seen = pathlib.Path(folder.name) / "seen"

    def run_with(self, fault, args, **kwargs):
        """The result, or None where the call never came."""
        self.seen.unlink(missing_ok=True)
        shim = os.environ["HEADRACE_FAULT_SHIM"]
        result = self.run_program(*args, "--quiet", env={
            **os.environ, "LD_PRELOAD": shim, "HEADRACE_FAULT": fault,
            "HEADRACE_FAULT_SEEN": str(self.seen)}, **kwargs)
        return result if self.seen.exists() else None

    def runs(self, call, action, args, **kwargs):
        """Results with the fault at each call, until all have gone right."""
        for number in itertools.count():
            before = self.outputs()
            fault = f"{call}:{number}:{action}"
            result = self.run_with(fault, args, **kwargs)
            if result is None:
                self.assertGreater(number, 0, f"{call} is never called")
                return
            yield fault, result, before
            self.discard()

    def outputs(self):
        return {name: self.read(name) for name in self.names()
                if name != "in"}

    def discard(self):
        for name in self.outputs():
            os.remove(self.folder / name)
        for name, data in self.old.items():
            self.write(name, data)

    def expect(self, result, codes, before, whole):
        self.assertIn(result.code, codes, result.err)
        # A hidden file would be one too many.
        self.assertEqual(self.outputs(), whole if result.code == 0 else before)
        self.expect_message(result)

    def expect_message(self, result):
        lines = result.err.splitlines()
        if result.code == 0:
            self.assertEqual(lines, [])
            return
        self.assertEqual(len(lines), 1, result.err)
        self.assertRegex(lines[0], r"^headrace: \S*(in|out|<std)")
