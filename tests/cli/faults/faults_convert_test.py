"""Calls that go wrong while `convert` runs, and inputs that shrink."""

import os
import subprocess

import program
from fault_runs import FAULTS, FORMS, RECORDS, FaultsCase, actions
from program import CliTest
from wire_bytes import framed


class FaultsTest(FaultsCase):
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
