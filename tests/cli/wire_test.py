"""Records of other messages: head --message raw, get --payload."""

import codecs
import re
import shutil
import struct
import subprocess
import unittest

import program
from program import CliTest
from wire_bytes import example, field, floats, ints, varint

EVENTS = [
    b"\x09" + struct.pack("<d", 1.5) + field(3, b"brain.Event:2"),
    b"\x09" + struct.pack("<d", 2.5) + b"\x10" + varint(7)
    + field(5, field(1, field(1, b"loss") + b"\x15" + struct.pack("<f", 0.25))),
    example({"a": ints(-1, 300), "b": floats(0.5)}),
    b"\x0b\x10\x05\x0c" + field(2, b"\x08" + varint(-1)),
]


def unescaped(text):
    """Escapes are octal there and hexadecimal here."""
    return codecs.escape_decode(text)[0]


class WireTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write_records("x", EVENTS)

    def test_head_shows_the_wire(self):
        self.assertEqual(self.run_ok("head", "--message", "raw", "-n", "2", "x").out,
                         "record 0, 24 B\n"
                         "  1 fixed64: 0x3ff8000000000000 (1.5)\n"
                         '  3 len: "brain.Event:2"\n'
                         "record 1, 26 B\n"
                         "  1 fixed64: 0x4004000000000000 (2.5)\n"
                         "  2 varint: 7\n"
                         "  5 len {\n"
                         "    1 len {\n"
                         '      1 len: "loss"\n'
                         "      2 fixed32: 0x3e800000 (0.25)\n"
                         "    }\n"
                         "  }\n")

    @unittest.skipUnless(shutil.which("protoc"), "needs protoc")
    def test_head_shows_what_protoc_shows(self):
        shown = self.run_ok("head", "--message", "raw", "x").out
        blocks = re.split(r"record \d+, .*\n", shown)[1:]
        for record, block in zip(EVENTS, blocks, strict=True):
            expected = subprocess.run(["protoc", "--decode_raw"], input=record,
                                      capture_output=True, check=True).stdout
            block = re.sub(r"(?m)^  ( *\d+) (?:varint|fixed32|fixed64|len|group)",
                           r"\1", block)
            block = re.sub(r"(?m)^  ( *})", r"\1", block)
            block = re.sub(r"(?m) \([^\n]*\)$", "", block)
            self.assertEqual(unescaped(block), unescaped(expected.decode()))

    def test_get_writes_payloads(self):
        got = self.run_ok("get", "x", "1", "0", "--payload").bytes
        self.assertEqual(got, EVENTS[1] + EVENTS[0])
        for more in (["--raw"], ["--features", "a"]):
            error = self.run_bad(2, "get", "x", "1", "--payload", *more)
            self.assertIn("--payload", error.err)


if __name__ == "__main__":
    program.main()
