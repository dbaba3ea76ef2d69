"""shuffle: the same records in another order, whatever fits into memory."""

import gzip
import os
import random
import resource
import signal
import subprocess
import sys
import time
import zlib

import program
from program import CliTest
from wire_bytes import frame, framed, unframe

MEBI = 1 << 20
PAYLOADS = [b"%d" % i + b"x" * (i % 50) for i in range(1000)]

# See signals_test.py.
signal.signal(signal.SIGINT, signal.default_int_handler)


# What a child has as its most resident memory, in KiB, begins with that of its
# parent, so the parent is small.
MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(status, usage.ru_maxrss)
"""


class ShuffleTest(CliTest):
    def shuffled(self, *args, **kwargs):
        self.run_ok("shuffle", *args, "-o", "out", **kwargs)
        data = self.read("out")
        os.remove(self.folder / "out")
        return data

    def test_the_same_records_in_another_order(self):
        self.write_records("in", PAYLOADS)
        records = unframe(self.shuffled("in"))
        self.assertEqual(sorted(records), sorted(PAYLOADS))
        self.assertNotEqual(records, PAYLOADS)
        self.assertEqual(unframe(self.shuffled("in", "--seed", "0")), records)
        other = unframe(self.shuffled("in", "--seed", "1"))
        self.assertEqual(sorted(other), sorted(PAYLOADS))
        self.assertNotEqual(other, records)

    # docs/formats/order.md has this one.
    def test_the_order_is_the_documented_one(self):
        payloads = [b"%d" % i for i in range(10)]
        self.write_records("in", payloads)
        self.assertEqual(unframe(self.shuffled("in")),
                         [payloads[i] for i in (9, 1, 6, 7, 4, 3, 5, 2, 8, 0)])

    def test_how_files_are_cut_and_stored_does_not_matter(self):
        self.write_records("in", PAYLOADS)
        expected = self.shuffled("in")
        self.write_records("a", PAYLOADS[:10])
        self.write("b", b"")
        self.write("c", gzip.compress(framed(PAYLOADS[10:700])))
        self.write("d", zlib.compress(framed(PAYLOADS[700:])))
        self.assertEqual(self.shuffled("a", "b", "c", "d"), expected)
        data = self.read("in")
        self.assertEqual(self.shuffled("-", stdin=data), expected)
        self.assertEqual(
            self.shuffled("a", "b", "-", "d",
                          stdin=framed(PAYLOADS[10:700])), expected)
        self.assertEqual(self.run_ok("shuffle", "in", "-o", "-").bytes,
                         expected)
        self.assertNotEqual(self.shuffled("d", "a", "b", "c"), expected)

    def test_compressed_outputs(self):
        self.write_records("in", PAYLOADS)
        expected = self.shuffled("in")
        self.run_ok("shuffle", "in", "-o", "o.tfrecord.gz")
        self.assertEqual(gzip.decompress(self.read("o.tfrecord.gz")), expected)
        self.run_ok("shuffle", "in", "-o", "o", "--compression", "zlib")
        self.assertEqual(zlib.decompress(self.read("o")), expected)
        self.run_ok("shuffle", "in", "-o", "s@2.gz")
        self.assertEqual(b"".join(
            gzip.decompress(self.read(f"s-{i:05}-of-00002.gz"))
            for i in range(2)), expected)

    def test_levels_and_blocks(self):
        self.write_records("in", PAYLOADS)
        expected = self.shuffled("in")
        stored = []
        for threads in (1, 3):
            self.run_ok("shuffle", "in", "-o", "o.gz", "--level", "3",
                        "--block-size", "4K", "--threads", threads)
            stored.append(self.read("o.gz"))
        self.assertEqual(gzip.decompress(stored[0]), expected)
        self.assertEqual(stored[1], stored[0])
        self.assertGreater(stored[0].count(b"\xff\x10\0HR\x0c\0"), 2)
        result = self.run_bad(2, "shuffle", "in", "-o", "p.gz", "--level", "0")
        self.assertIn("gzip has levels 1 to 9, not 0", result.err)
        self.assertNotIn("p.gz", self.names())

    def test_shards_are_consecutive(self):
        self.write_records("in", PAYLOADS)
        expected = unframe(self.shuffled("in"))
        for shards in (1, 7, 999, 1500):
            self.run_ok("shuffle", "in", "-o", f"s@{shards}")
            for k in range(shards):
                name = f"s-{k:05}-of-{shards:05}"
                begin, end = (1000 * i // shards for i in (k, k + 1))
                self.assertEqual(unframe(self.read(name)), expected[begin:end])
                os.remove(self.folder / name)
        self.assertEqual(self.names(), ["in"])

    def test_no_records(self):
        self.write("in", b"")
        self.assertEqual(self.shuffled("in"), b"")
        self.run_ok("shuffle", "in", "-o", "s@2")
        self.assertEqual(self.read("s-00001-of-00002"), b"")

    def test_a_file_may_be_named_twice(self):
        self.write_records("in", PAYLOADS[:5])
        self.write_records("twice", PAYLOADS[:5] * 2)
        self.assertEqual(self.shuffled("in", "in"), self.shuffled("twice"))

    def test_damage(self):
        data = bytearray(framed(PAYLOADS))
        at = len(framed(PAYLOADS[:500])) + 12
        data[at] ^= 1
        self.write("in", bytes(data))
        result = self.run_bad(1, "shuffle", "in", "-o", "out")
        self.assertIn("record 500", result.err)
        self.assertIn("payload_crc", result.err)
        self.run_bad(1, "shuffle", "in", "-o", "out", "--on-corrupt", "skip",
                     "--max-bad", "0")
        self.assertEqual(self.names(), ["in"])
        self.write_records("rest", PAYLOADS[:500] + PAYLOADS[501:])
        for policy in ("skip", "rescan"):
            result = self.run_ok("shuffle", "in", "-o", "out", "--on-corrupt",
                                 policy)
            self.assertEqual(result.err.count("skipped in "), 2)
            self.assertIn("skipped in all: 1 damaged region", result.err)
            self.assertEqual(self.read("out"), self.shuffled("rest"))
            self.write_records("out", [])
        self.run_ok("shuffle", "in", "-o", "out", "--no-payload-crc")
        self.run_ok("count", "out", "--verify")

    def test_what_is_refused(self):
        self.write_records("in", PAYLOADS)
        self.write_records("s-00001-of-00002", PAYLOADS)
        os.symlink("in", self.folder / "link")
        for words, args in (
                ("in is one of the inputs", ["-o", "in"]),
                ("link is one of the inputs", ["-o", "link"]),
                ("s-00001-of-00002 is one", ["s-00001-of-00002", "-o", "s@2"]),
                ("s@0 is a shard set of 1 to 10000", ["-o", "s@0"]),
                ("is \"15M\"; it takes bytes, like 256M or 2G, at least 16M",
                 ["-o", "o", "--memory", "15M"]),
                ("is \"x\"; it takes bytes, like 256M or 2G, at least 16M",
                 ["-o", "o", "--memory", "x"]),
                ("--output is required", [])):
            result = self.run_bad(2, "shuffle", "in", *args)
            self.assertIn(words, result.err)
        self.run_bad(3, "shuffle", "missing", "-o", "o")
        self.run_bad(3, "shuffle", "in", "-o", "missing/o")
        result = self.run_bad(3, "shuffle", "in", "-o", "o", "--memory",
                              "1000000T")
        self.assertIn("smaller --memory", result.err)
        self.assertEqual(self.names(), ["in", "link", "s-00001-of-00002"])


class SmallMemoryTest(CliTest):
    """More records than fit into 16 MiB."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        noise = random.Random(1)
        # CRCs of megabytes are slow here, so records repeat.
        records = [frame(b"%d " % i + noise.randbytes(1000 + i))
                   for i in range(500)]
        cls.data = b"".join(records) * 64  # 38.7 MiB

    def setUp(self):
        super().setUp()
        self.write("in", self.data)

    ARGS = ["shuffle", "in", "-o", "out", "--memory", "16M"]

    def test_the_same_output(self):
        self.run_ok("shuffle", "in", "-o", "large", "--memory", "256M")
        expected = self.read("large")
        result = self.run_ok(*self.ARGS)
        self.assertRegex(result.err, r"38\.\d MiB of records are more than "
                                     r"--memory 16\.0 MiB: temporary files in "
                                     r"the folder \. take 4\d\.\d MiB")
        self.assertTrue(self.read("out") == expected)
        self.assertEqual(self.run_ok(*self.ARGS, "--quiet").err, "")
        self.assertTrue(self.read("out") == expected)
        result = self.run_ok("shuffle", "-", "-o", "out", "--memory", "16M",
                             stdin=self.data)
        self.assertIn("cannot be read twice", result.err)
        self.assertTrue(self.read("out") == expected)
        self.write("in.gz", gzip.compress(self.data, 1))
        self.run_ok("shuffle", "in.gz", "-o", "out@3.gz", "--memory", "17M",
                    "--temp", "/tmp")
        parts = [self.read(f"out-{i:05}-of-00003.gz") for i in range(3)]
        self.assertTrue(b"".join(map(gzip.decompress, parts)) == expected)

    def test_damage_is_listed_once(self):
        at = len(self.data) // 2
        self.write("in", self.data[:at] + b"?" * 10 + self.data[at + 10:])
        result = self.run_ok(*self.ARGS, "--on-corrupt", "rescan")
        self.assertIn("skipped in all: 1 damaged region", result.err)
        self.run_ok("shuffle", "in", "-o", "large", "--on-corrupt", "rescan",
                    "--quiet")
        self.assertTrue(self.read("out") == self.read("large"))

    def test_memory_is_bounded(self):
        with open(self.folder / "in", "wb") as file:
            for _ in range(5):
                file.write(self.data)
        for args, stdin in ((["in", "-o", "out"], None),
                            (["in", "-o", "out@500"], None),
                            (["-", "-o", "out.gz"], self.folder / "in")):
            command = [program.PROGRAM, "shuffle", *args, "--memory", "16M",
                       "--quiet"]
            with open(stdin or os.devnull, "rb") as stream:
                result = subprocess.run(
                    [sys.executable, "-c", MEASURE, *command], cwd=self.folder,
                    stdin=stream, stdout=subprocess.PIPE, check=True)
            status, most = map(int, result.stdout.split())
            self.assertEqual(status, 0)
            self.assertLess(most, (16 + 64) * 1024)

    def test_full_disk(self):
        def with_small_files(most):
            return lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                              (most, most))
        for most in (100_000, 5 * MEBI, 30 * MEBI):
            result = self.run_program(*self.ARGS, "--quiet",
                                      preexec_fn=with_small_files(most))
            self.assertEqual(result.code, 3, result.err)
            self.assertIn("File too large", result.err)
            self.assertEqual(self.names(), ["in"])

    def test_too_little_space(self):
        small = self.folder / "small"
        small.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=30m", "none", small]
        if subprocess.run(mount, stderr=subprocess.DEVNULL,
                          check=False).returncode != 0:
            self.skipTest("only root mounts a small disk")
        self.addCleanup(subprocess.run, ["umount", small], check=True)
        result = self.run_bad(3, *self.ARGS, "--temp", "small")
        self.assertRegex(result.err, r"^headrace: small: io: temporary files "
                                     r"need 48\.\d MiB, 30\.0 MiB are free; ")
        # What comes from a pipe has no size before.
        result = self.run_bad(3, "shuffle", "-", *self.ARGS[2:], "--temp",
                              "small", stdin=self.data)
        self.assertIn("small: io: cannot write a temporary file: No space",
                      result.err)
        self.assertEqual(self.names(), ["in", "small"])
        self.assertEqual(os.listdir(small), [])

    def test_few_open_files(self):
        def with_few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (34, 34))
        result = self.run_program(*self.ARGS, preexec_fn=with_few)
        self.assertEqual(result.code, 2, result.err)
        self.assertIn("is too little for 38", result.err)
        self.assertEqual(self.names(), ["in"])

    def test_a_folder_for_temporary_files(self):
        for folder in ("missing", "in"):
            result = self.run_bad(3, *self.ARGS, "--quiet", "--temp", folder)
            self.assertIn(f"headrace: {folder}: not_found", result.err)
        self.assertEqual(self.names(), ["in"])

    def test_an_input_that_changes(self):
        for change in (lambda file: file.write(frame(b"more")),
                       lambda file: file.truncate(len(self.data) // 2)):
            self.write("in", self.data)
            process = subprocess.Popen(
                [program.PROGRAM, *self.ARGS], cwd=self.folder,
                stderr=subprocess.PIPE)
            # This is said between the two passes.
            self.assertIn(b"are more than --memory", process.stderr.readline())
            process.send_signal(signal.SIGSTOP)
            with open(self.folder / "in", "ab") as file:
                change(file)
            process.send_signal(signal.SIGCONT)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3, err)
            self.assertRegex(err, b"input changed between|shrank while")
            self.assertEqual(self.names(), ["in"])

    def test_interrupted_at_any_time(self):
        begin = time.monotonic()
        self.run_ok(*self.ARGS, "--quiet")
        seconds = time.monotonic() - begin
        whole = self.read("out")
        os.remove(self.folder / "out")
        moments = random.Random(2)
        ended = 0
        for number in [signal.SIGINT, signal.SIGTERM] * 8:
            process = subprocess.Popen(
                [program.PROGRAM, *self.ARGS, "--quiet"], cwd=self.folder)
            time.sleep(moments.random() * seconds)
            process.send_signal(number)
            self.assertIn(process.wait(timeout=60), (0, -number))
            if "out" in self.names():
                # The signal came when nothing was left to be done.
                self.assertTrue(self.read("out") == whole)
                os.remove(self.folder / "out")
            else:
                ended += 1
            self.assertEqual(self.names(), ["in"])
        self.assertGreater(ended, 0)

    def test_killed_temporary_files_have_no_names(self):
        os.mkdir(self.folder / "temp")
        for _ in range(5):
            process = subprocess.Popen(
                [program.PROGRAM, *self.ARGS, "--quiet", "--temp", "temp"],
                cwd=self.folder)
            time.sleep(0.05)
            process.kill()
            process.wait(timeout=60)
            self.assertEqual(os.listdir(self.folder / "temp"), [])
