"""What the verbs do with compressed files that can be read at any place."""

import gzip
import os
import random
import struct
import threading
import zlib

from program import CliTest, example
from wire_bytes import framed

RNG = random.Random(5)
PAYLOADS = [example(id=[i], text=[RNG.randbytes(RNG.randrange(300))])
            for i in range(1000)]


def member(payloads, records=None):
    """A member of blocked gzip; `records` is what it says, if that is not true."""
    plain = framed(payloads)
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = deflate.compress(plain) + deflate.flush()
    claim = struct.pack("<III", 28 + len(body) + 8, len(plain),
                        len(payloads) if records is None else records)
    return (b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x10\0HR\x0c\0" + claim + body
            + struct.pack("<II", zlib.crc32(plain), len(plain)))


def blocked(payloads, of=100):
    return b"".join(member(payloads[i:i + of]) for i in range(0, len(payloads), of))


def bgzf_member(plain, end=None, level=6):
    """A member of BGZF; `end` is the size that it says it has, if not its own."""
    deflate = zlib.compressobj(level, zlib.DEFLATED, -15)
    body = deflate.compress(plain) + deflate.flush()
    size = 18 + len(body) + 8 if end is None else end
    return (b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", size - 1)
            + body + struct.pack("<II", zlib.crc32(plain), len(plain)))


def lying_bgzf():
    """A file whose first member leads into a payload, and what it holds."""
    evil = framed([example(id=[666], text=[b"e" * 800])] * 3)
    hidden = bgzf_member(evil, end=0x1000)

    def outer(end):
        text = (b"g" * 50 + bytes(8) + hidden).ljust(800, b"g")
        return framed([example(id=[1], text=[text])] + [example(id=[1], text=[b"g" * 800])] * 2)

    begin = bgzf_member(outer(0), 0x1000, level=0).index(hidden)
    whole = bgzf_member(outer(0), 0x1000, level=0)
    hidden = bgzf_member(evil, end=len(whole) - begin)
    good = outer(0)
    return bgzf_member(good, begin, level=0) + bgzf_member(framed(PAYLOADS[:5])), good


class LyingTest(CliTest):
    def test_every_way_gives_what_is_there(self):
        stored, _ = lying_bgzf()
        self.write("x", stored)
        plain = gzip.decompress(stored)
        self.write("plain", plain)
        expected = self.run_ok("cat", "plain").out
        self.assertNotIn("666", expected)
        self.assertEqual(self.run_ok("cat", "x").out, expected)
        self.run_ok("convert", "x", "-o", "y.jsonl", "--threads", "3")
        self.assertEqual(self.read("y.jsonl").decode(), expected)
        rows = expected.splitlines()
        for i, row in enumerate(rows):
            self.assertEqual(self.run_ok("get", "x", str(i)).out.strip(), row)
        finding, summary = self.run_program("validate", "--json", "x").json
        self.assertEqual((finding["file"], finding["class"]), ("x", "decompress"))
        self.assertEqual((summary["records"], summary["findings"]), (8, 1))
        # A part of it is an error, or right.
        for begin in range(0, len(plain), 97):
            part = self.run_program("cat", "--range", f"{begin}:{len(plain)}", "x")
            self.assertIn(part.code, (0, 1))
            self.assertNotIn("666", part.out)

    def test_rescan_goes_on_with_the_next_file(self):
        stored = gzip.compress(framed(PAYLOADS), mtime=0)
        self.write("cut.gz", stored[:len(stored) // 2])
        self.write("next", framed(PAYLOADS[:7]))
        error = self.run_bad(1, "cat", "cut.gz", "next").err
        self.assertIn("headrace convert --repair", error)
        error = self.run_bad(1, "stats", "cut.gz").err
        self.assertIn("--on-corrupt rescan", error)
        for verb in ("cat", "stats", "count"):
            result = self.run_ok(verb, "--on-corrupt", "rescan", "cut.gz", "next")
            self.assertIn("end of file): decompress", result.err, verb)
        finding = self.run_program("validate", "--json", "cut.gz", "next").json[0]
        self.assertEqual(finding["class"], "decompress")
        self.assertIn("unexpected end", finding["message"])
        self.assertNotIn("end", finding)


class CountTest(CliTest):
    def count(self, *arguments):
        return self.run_ok("count", *arguments).out.split()

    def test_the_headers_are_believed(self):
        self.write("x", blocked(PAYLOADS))
        self.write("lies", member(PAYLOADS[:3], 7) + member(PAYLOADS[3:5]))
        file = self.run_ok("count", "--json", "x").json[0]["files"][0]
        self.assertEqual(file, {
            "path": "x", "records": 1000, "bytes": len(framed(PAYLOADS)),
            "compression": "gzip"})
        self.assertEqual(self.count("lies"), ["9"])
        for arguments in (
            ["--verify"], ["--range", "0:99999"], ["--on-corrupt", "skip"],
            ["--on-corrupt", "rescan"],
        ):
            self.assertEqual(self.count("lies", *arguments), ["5"])
        with open(self.folder / "lies", "rb") as file:
            self.assertEqual(self.run_program("count", "-", stdin=file.read()).out, "5\n")

    def test_nothing_is_inflated(self):
        data = bytearray(blocked(PAYLOADS))
        data[-20] ^= 1  # deflated bytes of the last member
        self.write("x", data)
        self.assertEqual(self.count("x"), ["1000"])
        self.run_bad(1, "count", "--verify", "x")

    def test_other_files_are_counted(self):
        one = member(PAYLOADS[:10])
        self.write("mixed", one + gzip.compress(framed(PAYLOADS[10:15])))
        self.assertEqual(self.count("mixed"), ["15"])
        for name, data in [
            ("cut", (one + one)[:-1]), ("rest", one + b"\0"),
            ("size", one[:20] + bytes([one[20] ^ 1]) + one[21:]),
            ("plain-size", one[:-1] + b"\1"),
        ]:
            self.write(name, data)
            error = self.run_bad(1, "count", name).err
            self.assertIn("decompress", error, name)
        self.run_bad(3, "count", "missing")
        self.write("empty", b"")
        self.assertEqual(self.count("empty"), ["0"])
        self.write("no-records", member([]))
        self.assertEqual(self.count("no-records"), ["0"])

    def test_a_pipe_is_opened_once(self):
        os.mkfifo(self.folder / "pipe")

        def write():
            with open(self.folder / "pipe", "wb") as pipe:
                pipe.write(blocked(PAYLOADS))

        writer = threading.Thread(target=write)
        writer.start()
        self.assertEqual(self.count("pipe"), ["1000"])
        writer.join()

    def test_standard_input_is_no_file_of_that_name(self):
        self.write("-", member(PAYLOADS[:3]))
        result = self.run_program("count", "-", stdin=member(PAYLOADS[:5]))
        self.assertEqual(result.out, "5\n")


class ValidateTest(CliTest):
    def test_records_of_members_are_compared(self):
        self.write("x", blocked(PAYLOADS))
        self.write("lies", member(PAYLOADS[:3], 7) + member(PAYLOADS[3:5]))
        self.run_ok("validate", "x")
        result = self.run_program("validate", "--json", "x", "lies")
        self.assertEqual(result.code, 1)
        finding, summary = result.json
        self.assertEqual((finding["file"], finding["class"]), ("lies", "decompress"))
        self.assertIn("has 9 records, and it has 5", finding["message"])
        self.assertEqual((summary["records"], summary["findings"]), (1005, 1))

    def test_damage_is_reported_once(self):
        plain = bytearray(framed(PAYLOADS[:5]))
        plain[-1] ^= 1
        deflated = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = deflated.compress(plain) + deflated.flush()
        claim = struct.pack("<III", 36 + len(body), len(plain), 5)
        self.write("x", member([])[:16] + claim + body
                   + struct.pack("<II", zlib.crc32(plain), len(plain)))
        result = self.run_program("validate", "x")
        self.assertEqual((result.code, len(result.lines)), (1, 2))
        self.assertIn("payload_crc", result.out)


class SplitTest(CliTest):
    def check_split(self, name, parts):
        """All parts together are the file; gives their ranges."""
        ranges = [line.split("\t")[0]
                  for line in self.run_ok("split", name, "-n", parts).lines]
        lines = []
        for part in ranges:
            lines += self.run_ok("cat", name, "--range", part).lines
            self.run_ok("convert", name, "--range", part, "-o", "part.csv",
                        "--features", "id")
            rows = self.read("part.csv").split()[1:]
            self.rows += [int(row) for row in rows]
        self.assertEqual(lines, self.run_ok("cat", name).lines)
        return ranges

    def setUp(self):
        super().setUp()
        self.rows = []

    def test_blocked_files(self):
        size = len(framed(PAYLOADS))
        for suffix in ("gz", "zst"):
            self.rows = []
            self.write_records("plain", PAYLOADS)
            name = f"x.{suffix}"
            self.run_ok("convert", "plain", "-o", name, "--to", "tfrecord",
                        "--block-size", "8K")
            ranges = self.check_split(name, 7)
            self.assertEqual(len(ranges), 7)
            self.assertEqual(ranges[-1].split(":")[1], str(size))
            self.assertEqual(self.rows, list(range(1000)))

    def test_others_need_an_index(self):
        self.write("x.gz", gzip.compress(framed(PAYLOADS)))
        self.assertEqual(self.check_split("x.gz", 3), ["0:"])
        self.run_ok("index", "x.gz", "--checkpoint", "64K")
        self.rows = []
        self.assertEqual(len(self.check_split("x.gz", 3)), 3)
        self.assertEqual(self.rows, list(range(1000)))
        # A stale index is as good as none.
        self.write("x.gz", gzip.compress(framed(PAYLOADS[:-1])))
        self.assertEqual(self.check_split("x.gz", 3), ["0:"])


class IndexOptionsTest(CliTest):
    """--index and --write-index of convert and bench."""

    def setUp(self):
        super().setUp()
        self.write("x.gz", gzip.compress(framed(PAYLOADS)))

    def convert(self, *arguments):
        self.run_ok("convert", "x.gz", "-o", "x.csv", "--features", "id", *arguments)
        return [int(row) for row in self.read("x.csv").split()[1:]]

    def test_an_index_is_written_by_reading(self):
        for threads in (1, 3):
            self.assertEqual(
                self.convert("--write-index", "--threads", threads),
                list(range(1000)))
            written = self.read("x.gz.hri")
            self.run_ok("index", "x.gz")
            self.assertEqual(self.read("x.gz.hri"), written)
            os.remove(self.folder / "x.gz.hri")
        self.run_ok("bench", "x.gz", "--seconds", "0", "--write-index")
        self.assertEqual(self.read("x.gz.hri"), written)

    def test_none_is_written_of_a_damaged_file_or_a_pipe(self):
        self.write("x.gz", gzip.compress(framed(PAYLOADS))[:-1])
        self.run_bad(1, "convert", "x.gz", "-o", "x.csv", "--write-index")
        self.write("x.gz", gzip.compress(framed(PAYLOADS)[:-1]))
        self.run_ok("convert", "x.gz", "-o", "x.csv", "--write-index",
                    "--on-corrupt", "skip")
        self.run_ok("convert", "-", "-o", "x.csv", "--write-index",
                    stdin=framed(PAYLOADS))
        self.assertEqual(self.names(), ["x.csv", "x.gz"])

    def test_which_index_is_used(self):
        for threads in (1, 3):
            error = self.run_bad(3, "convert", "x.gz", "-o", "x.csv", "--index",
                                 "required", "--threads", threads).err
            self.assertIn("x.gz: not_found: has no index", error)
        self.run_ok("index", "x.gz", "--checkpoint", "64K")
        for use in ("auto", "required", "none"):
            self.assertEqual(
                self.convert("--index", use, "--threads", 3), list(range(1000)))
        self.write("x.gz", gzip.compress(framed(PAYLOADS[:-1])))
        for use in ("auto", "none"):
            self.assertEqual(
                self.convert("--index", use, "--threads", 3), list(range(999)))
        error = self.run_bad(1, "convert", "x.gz", "-o", "x.csv", "--index",
                             "required").err
        self.assertIn("bad_index", error)

    def test_wrong_options(self):
        for arguments, text in [
            (["-o", "y.tfrecord", "--write-index"], "--to arrow"),
            (["-o", "y.jsonl", "--index", "none"], "--to arrow"),
            (["-o", "y.csv", "--write-index", "--range", "0:9"], "--range"),
            (["-o", "y.csv", "--index", "perhaps"], "perhaps"),
        ]:
            self.assertIn(text, self.run_bad(2, "convert", "x.gz", *arguments).err)
        self.assertEqual(self.names(), ["x.gz"])


class GetTest(CliTest):
    def test_a_stale_index_is_refused(self):
        self.write("x.gz", gzip.compress(framed(PAYLOADS)))
        self.run_ok("index", "x.gz")
        self.write("x.gz", gzip.compress(framed(PAYLOADS[1:])))
        self.assertIn("bad_index", self.run_bad(1, "get", "x.gz", "1").err)

    def test_pipes_have_no_places(self):
        error = self.run_program("get", "-", "1", stdin=blocked(PAYLOADS))
        self.assertEqual(error.code, 2)
        self.assertIn("standard input", error.err)

    def test_blocked_files(self):
        self.write_records("plain", PAYLOADS)
        rows = ["999", "0", "17:20"]
        expected = self.run_ok("get", "plain", *rows).out
        for data in (blocked(PAYLOADS), blocked(PAYLOADS, 1), gzip.compress(b"")
                     + gzip.compress(framed(PAYLOADS)) + blocked([])):
            self.write("x", data)
            self.assertEqual(self.run_ok("get", "x", *rows).out, expected)
