"""index: where each record of a file lies."""

import gzip
import json
import os
import random

from program import CliTest, example
from wire_bytes import frame, framed

PAYLOADS = [example(a=[i], text=["some text" * (i % 7)]) for i in range(300)]


def dali(payloads):
    """The index that DALI's tools write."""
    lines, at = [], 0
    for payload in payloads:
        size = len(frame(payload))
        lines.append(f"{at} {size}\n")
        at += size
    return "".join(lines)


class IndexTest(CliTest):
    def test_beside_the_data(self):
        self.write_records("x", PAYLOADS)
        self.write_records("empty", [])
        result = self.run_ok("index", "x", "empty")
        self.assertEqual(result.lines, ["300\tx.hri", "0\tempty.hri"])
        self.assertEqual(self.names(), ["empty", "empty.hri", "x", "x.hri"])
        self.assertEqual(self.read("x.hri")[:4], b"HRI1")
        self.assertLess(len(self.read("x.hri")), 3 * len(PAYLOADS))

    def test_in_another_folder(self):
        (self.folder / "data").mkdir()
        (self.folder / "indexes").mkdir()
        self.write_records("data/x", PAYLOADS)
        result = self.run_ok("index", "data/x", "-o", "indexes")
        self.assertEqual(result.lines, ["300\tindexes/x.hri"])
        self.assertEqual(os.listdir(self.folder / "data"), ["x"])
        self.assertEqual(os.listdir(self.folder / "indexes"), ["x.hri"])
        self.run_bad(3, "index", "data/x", "-o", "missing")

    def test_the_text_of_dali(self):
        self.write_records("x", PAYLOADS)
        (entry,) = self.run_ok("index", "x", "--format", "dali",
                               "--json").json[0]["files"]
        self.assertEqual(self.read("x.idx").decode(), dali(PAYLOADS))
        self.assertEqual(entry["index_bytes"], len(dali(PAYLOADS)))

    def test_json(self):
        self.write_records("x", PAYLOADS)
        self.write("bad", framed(PAYLOADS)[:-2])
        result = self.run_bad(1, "index", "--json", "bad", "x")
        bad, good = result.json[0]["files"]
        self.assertEqual(good, {
            "path": "x", "index": "x.hri", "records": 300,
            "bytes": len(framed(PAYLOADS)), "compression": "none",
            "index_bytes": len(self.read("x.hri"))})
        self.assertEqual(bad["error"]["class"], "truncated_footer")
        self.assertEqual(bad["error"]["record"], 299)
        self.assertEqual(self.names(), ["bad", "x", "x.hri"])

    def test_the_others_are_indexed_after_an_error(self):
        self.write("bad", framed(PAYLOADS)[:-2])
        self.write("x.gz", gzip.compress(framed(PAYLOADS)))
        self.write_records("x", PAYLOADS)
        self.run_ok("convert", "--from", "tfrecord", "x.gz", "-o", "x.snappy",
                    "--to", "tfrecord")
        result = self.run_bad(2, "index", "bad", "x.snappy", "x.gz", "x")
        self.assertEqual(result.lines, ["300\tx.gz.hri", "300\tx.hri"])
        self.assertIn("bad: record 299 at offset", result.err)
        self.assertIn("headrace: x.snappy: finding records by number ", result.err)
        self.assertIn("compressed with snappy", result.err)

    def test_compressed_files(self):
        payloads = [random.Random(i).randbytes(3000) for i in range(400)]
        self.write("x.gz", gzip.compress(framed(payloads)))
        self.run_ok("index", "x.gz", "--checkpoint", "64K", "--threads", "3")
        small = self.read("x.gz.hri")
        result = self.run_ok("index", "x.gz", "--json")
        file = json.loads(result.out)["files"][0]
        self.assertEqual(file["compression"], "gzip")
        self.assertEqual(file["bytes"], len(framed(payloads)))
        self.assertLess(file["index_bytes"], len(small))
        self.assertIn("--checkpoint", self.run_bad(
            2, "index", "x.gz", "--checkpoint", "63K").err)
        self.assertIn("cannot store", self.run_bad(
            2, "index", "x.gz", "--format", "dali").err)

    def test_verify_looks_at_payloads(self):
        data = bytearray(framed(PAYLOADS))
        data[len(frame(PAYLOADS[0])) + 14] ^= 1
        self.write("x", bytes(data))
        self.run_ok("index", "x")
        result = self.run_bad(1, "index", "--verify", "x")
        self.assertIn("x: record 1 at offset", result.err)
        self.assertIn("payload_crc", result.err)

    def test_any_number_of_threads(self):
        names = [self.write_records(f"x{i}", PAYLOADS[:i]) for i in range(40)]
        for threads in (0, 1, 3, 100):
            result = self.run_ok("index", *names, "--threads", threads)
            self.assertEqual(result.lines,
                             [f"{i}\tx{i}.hri" for i in range(40)])

    def test_an_old_index_is_replaced(self):
        self.write_records("x", PAYLOADS[:1])
        self.run_ok("index", "x")
        old = self.read("x.hri")
        self.write_records("x", PAYLOADS)
        self.run_ok("index", "x")
        self.assertNotEqual(self.read("x.hri"), old)
        self.assertEqual(self.names(), ["x", "x.hri"])

    def test_contradictions(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        for name in ("a/x", "b/x", "y", "y.hri"):
            self.write_records(name, PAYLOADS)
        result = self.run_bad(2, "index", "-o", ".", "a/x", "b/x")
        self.assertIn("two files would have the index ./x.hri", result.err)
        result = self.run_bad(2, "index", "y", "y.hri")
        self.assertIn("would replace an input", result.err)
        self.assertEqual(self.read("y.hri"), framed(PAYLOADS))
        result = self.run_bad(2, "index", "-")
        self.assertIn("standard input", result.err)
