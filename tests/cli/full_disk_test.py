"""Disks that are full before an output is whole."""

import random
import resource

from program import CliTest, example

MOST = 200_000


def with_small_files():
    """In the program's process: no file may grow beyond MOST."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))


class FullDiskTest(CliTest):
    def setUp(self):
        super().setUp()
        # Larger than MOST in every form, and nothing that compresses.
        noise = random.Random(1)
        self.write_records("big", [example(a=[noise.randbytes(1000)])
                                   for _ in range(400)])

    def run_full(self, *args):
        result = self.run_program(*args, preexec_fn=with_small_files)
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("File too large", result.err)
        self.assertLessEqual(len(result.err.splitlines()), 2)

    def test_convert_leaves_nothing(self):
        for to in ("arrow", "arrow-stream", "jsonl", "tfrecord"):
            self.run_full("convert", "big", "-o", "out", "--to", to)
            self.assertEqual(self.names(), ["big"])
        for compression in ("gzip", "zlib", "snappy", "zstd"):
            self.run_full("convert", "big", "-o", "out.tfrecord",
                          "--compression", compression)
            self.assertEqual(self.names(), ["big"])

    def test_convert_keeps_what_was_there(self):
        self.write("out", b"old")
        self.run_full("convert", "big", "-o", "out", "--to", "jsonl")
        self.assertEqual(self.read("out"), b"old")
        self.assertEqual(self.names(), ["big", "out"])

    def test_gen_leaves_nothing(self):
        self.run_full("gen", "--shape", "people", "-o", "out.tfrecord",
                      "--records", "100000")
        self.assertEqual(self.names(), ["big"])
