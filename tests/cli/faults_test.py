"""Calls of the operating system that go wrong while `convert` runs, each in
turn: its output is whole, or is not there, and the program says why.

HEADRACE_FAULT_SHIM names the library that makes them go wrong."""

import errno
import itertools
import os
import pathlib
import signal
import subprocess
import tempfile

import program
from program import CliTest, example
from wire_bytes import framed

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


class FaultsTest(CliTest):
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

    def convert_all(self, args, old, faults):
        self.old = old
        self.discard()
        self.run_ok("convert", "in", "-o", "out", *args, "--quiet")
        whole = self.outputs()
        self.discard()
        for call, action, codes in actions(faults):
            for fault, result, before in self.runs(
                    call, action, ["convert", "in", "-o", "out", *args]):
                with self.subTest(fault, args=args):
                    self.expect(result, codes, before, whole)

    def test_outputs_are_whole_or_absent(self):
        for args in FORMS:
            self.convert_all(args, {}, FAULTS.keys() - {"fchmod"})

    def test_what_was_there_is_replaced_or_untouched(self):
        self.convert_all(["--to", "tfrecord"], {"out": b"old"}, FAULTS)

    def test_a_shard_set_is_replaced_or_untouched(self):
        old = {f"out-{i:05}-of-00003": b"old" for i in range(3)}
        # A name that is refused when others have been given is all that is left.
        self.convert_all(["--to", "tfrecord", "--shards", "3"], old,
                         FAULTS.keys() - {"rename"})

    def test_shuffle(self):
        for output, old in (("out", {"out": b"old"}), ("out@3", {})):
            self.old = old
            self.discard()
            args = ["shuffle", "in", "-o", output]
            self.run_ok(*args, "--quiet")
            whole = self.outputs()
            self.discard()
            for call, action, codes in actions(FAULTS.keys() - {"fchmod"}):
                for fault, result, before in self.runs(call, action, args):
                    with self.subTest(fault, output=output):
                        self.expect(result, codes, before, whole)

    def test_standard_input_and_output(self):
        self.old = {}
        records = self.read("in")
        lines = self.run_ok("convert", "in", "-o", "-", "--to", "jsonl",
                            "--quiet").bytes
        args = ["convert", "-", "-o", "-", "--to", "jsonl"]
        for call, action, codes in actions(["read", "write", "fstat"]):
            for fault, result, _ in self.runs(call, action, args,
                                              stdin=records):
                with self.subTest(fault):
                    self.assertIn(result.code, codes, result.err)
                    self.assertTrue(lines.startswith(result.bytes))
                    if result.code == 0:
                        self.assertEqual(result.bytes, lines)
                    self.expect_message(result)
                    self.assertEqual(self.names(), ["in"])

    def test_json_lines_in(self):
        self.old = {}
        lines = self.run_ok("cat", "in", "--quiet").bytes
        self.write("in", lines)
        self.convert_all(["--from", "jsonl", "--to", "tfrecord"], {},
                         ["open", "read"])

    def test_signals_at_every_call(self):
        ending = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
        for args in FORMS:
            self.old = {"out": b"old"} if "--shards" not in args else {}
            self.discard()
            self.run_ok("convert", "in", "-o", "out", *args, "--quiet")
            whole = self.outputs()
            self.discard()
            for index, number in enumerate(ending):
                self.signal_all(args, whole, number, index, len(ending))

    def signal_all(self, args, whole, number, first, step):
        """The signal before every `step`-th call, beginning with `first`."""
        for at in itertools.count(first, step):
            before = self.outputs()
            result = self.run_with(f"any:{at}:signal={int(number)}",
                                   ["convert", "in", "-o", "out", *args])
            if result is None:
                self.assertGreater(at, 10)
                return
            with self.subTest(signal=number, at=at, args=args):
                # The last calls come when all has its name.
                self.assertEqual(result.code, -number, result.err)
                self.assertIn(self.outputs(), [before, whole])
            self.discard()

    def test_a_broken_pipe_elsewhere_is_nothing(self):
        self.old = {}
        whole = {"out": self.read("in")}
        for at in itertools.count():
            result = self.run_with(
                f"any:{at}:signal={int(signal.SIGPIPE)}",
                ["convert", "in", "-o", "out", "--to", "tfrecord"])
            if result is None:
                self.assertGreater(at, 10)
                return
            self.assertEqual((result.code, self.outputs()), (0, whole))
            self.discard()


class ShrinkingTest(CliTest):
    """Inputs that are cut at the end of a record while they are read."""

    def shrink(self, name, data, size, *args):
        self.write(name, data)
        process = subprocess.Popen(
            [program.PROGRAM, "convert", name, "-o", "-", "--to", "jsonl",
             "--quiet", *args], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        # Nobody reads on, so the program has to wait.
        self.assertEqual(process.stdout.read(1), b"{")
        os.truncate(self.folder / name, size)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, err)
        self.assertTrue(out.endswith(b"\n"))
        self.assertEqual(len(err.splitlines()), 1)
        self.assertIn(f"headrace: {name}: ".encode(), err)
        self.assertIn(f"shrank while it was read, expected {len(data)} bytes, "
                      f"found {size}".encode(), err)

    def test_records(self):
        half = framed(RECORDS * 3)
        for threads in ("1", "3"):
            self.shrink("in", half + half, len(half), "--threads", threads)

    def test_json_lines(self):
        half = b'{"a":[1]}\n' * 200_000
        self.shrink("in.jsonl", half + half, len(half))
