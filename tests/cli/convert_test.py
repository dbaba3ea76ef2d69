"""convert to JSON lines, CSV and TFRecord."""

import csv
import gzip
import io
import json
import os
import random
import struct
import subprocess

import program
from program import CliTest, example, feature, sequence
from wire_bytes import entry, field, frame, unframe


def random_feature(rng):
    """A Feature's bytes: any kind, any values, NaN payloads included."""
    kind = rng.randrange(5)
    count = rng.randrange(4)
    if kind == 0:
        return b""
    if kind == 1:
        values = b"".join(field(1, rng.randbytes(rng.randrange(6)))
                          for _ in range(count))
        return field(1, values)
    if kind == 2:
        packed = rng.randbytes(4 * count)
        return field(2, field(1, packed) if packed else b"")
    if kind == 3:
        special = [0x7FC00000, 0x7FC00001, 0xFFC00000, 0x7F800000, 0xFF800000,
                   0x80000000, 1, 0x7F7FFFFF, 0x3F800000]
        packed = b"".join(struct.pack("<I", rng.choice(special))
                          for _ in range(count + 1))
        return field(2, field(1, packed))
    return feature([rng.randrange(-2**63, 2**63) >> rng.randrange(64)
                    for _ in range(count)])


KEYS = ["", "a", "b\n", "é", "feature_lists", "\u009b", "x" * 300, "\0"]


def random_features(rng):
    keys = sorted(rng.sample(KEYS, rng.randrange(len(KEYS))),
                  key=lambda k: k.encode())
    return b"".join(entry(k, random_feature(rng)) for k in keys)


class JsonlTest(CliTest):
    def test_lines_have_one_kind(self):
        self.write("x.jsonl", '{"a":[0.5]}\n{"a":null}\n{"a":[1]}\n{"a":[2.0]}\n')
        result = self.run_bad(1, "convert", "x.jsonl", "-o", "y.tfrecord")
        for word in ("x.jsonl", "line 3", "wrong_kind", '"a"', "1.0 for 1"):
            self.assertIn(word, result.err)
        self.assertEqual(self.names(), ["x.jsonl"])
        self.run_ok("convert", "x.jsonl", "-o", "y.tfrecord",
                    "--on-row-error", "skip")
        self.assertEqual(len(unframe(self.read("y.tfrecord"))), 3)
        self.run_ok("convert", "x.jsonl", "-o", "y.tfrecord", "--mixed-kinds")
        self.assertEqual(len(unframe(self.read("y.tfrecord"))), 4)
        self.write("x.jsonl", '{"a":[1],"b":["x"]}\n{"a":["x"]}\n')
        result = self.run_bad(1, "convert", "x.jsonl", "-o", "z.tfrecord")
        self.assertIn("--mixed-kinds allows it", result.err)
        self.run_ok("convert", "x.jsonl", "-o", "z.tfrecord", "--features", "b")
        self.run_ok("convert", "x.jsonl", "-o", "z.jsonl")
        for arguments in (("y.tfrecord", "-o", "z.tfrecord"),
                          ("x.jsonl", "-o", "z.arrow")):
            self.run_bad(2, "convert", *arguments, "--mixed-kinds")

    def round_trip(self, payloads, *args):
        self.write_records("x", payloads)
        self.write("x.jsonl", self.run_ok("cat", "--quiet", *args, "x").bytes)
        self.run_ok("convert", *args, "--from", "jsonl", "--to", "tfrecord",
                    "--mixed-kinds", "x.jsonl", "-o", "y")
        self.assertEqual(unframe(self.read("y")), payloads)

    def test_cat_and_back_is_equal(self):
        # Canonical bytes, so that equal messages are equal bytes.
        rng = random.Random(1)
        payloads = []
        for _ in range(2000):
            features = random_features(rng)
            payloads.append(field(1, features) if features else b"")
        payloads[0] = example(a=[1])
        self.round_trip(payloads)
        self.round_trip(payloads, "--message", "example")

    def test_sequences_and_back(self):
        rng = random.Random(2)
        payloads = [sequence({"k": [[1], []]}, user=["u"])]
        for _ in range(500):
            context = random_features(rng)
            message = field(1, context) if context else b""
            if rng.randrange(4):
                lists = b"".join(
                    entry(k, b"".join(field(1, random_feature(rng))
                                      for _ in range(rng.randrange(4))))
                    for k in sorted(rng.sample(KEYS, rng.randrange(4)),
                                    key=lambda k: k.encode()))
                message += field(2, lists)
            payloads.append(message)
        self.round_trip(payloads)

    def test_raw_and_back(self):
        rng = random.Random(3)
        self.round_trip([rng.randbytes(rng.randrange(9)) for _ in range(500)],
                        "--message", "raw")

    def test_convert_writes_what_cat_writes(self):
        self.write_records("x", [example(a=[i], b=["é"]) for i in range(9)])
        expected = self.run_ok("cat", "x").bytes
        self.run_ok("convert", "x", "-o", "x.jsonl")
        self.assertEqual(self.read("x.jsonl"), expected)
        result = self.run_ok("convert", "x", "--to", "jsonl", "-o", "-")
        self.assertEqual(result.bytes, expected)
        self.run_ok("convert", "x.jsonl", "-o", "again.ndjson")
        self.assertEqual(self.read("again.ndjson"), expected)

    def test_no_records_in_every_compression(self):
        self.write("nothing", b"")
        for compression in ("none", "gzip", "zlib", "snappy", "zstd"):
            self.run_ok("convert", "nothing", "-o", "out", "--to", "tfrecord",
                        "--compression", compression)
            for asked in ("auto", compression):
                result = self.run_ok("count", "out", "--verify",
                                     "--compression", asked)
                self.assertEqual(result.out.split()[0], "0")

    def test_odd_files(self):
        expected = [example(a=[1]), example(a=[2])]
        for text in ('{"a":[1]}\n{"a":[2]}\n', '{"a":[1]}\n{"a":[2]}',
                     '\ufeff{"a":[1]}\r\n\r\n  \n{"a": [2] }\r\n\n',
                     ' {"a":\t[1]}\n{"a":[2]}'):
            self.write("x.jsonl", text)
            self.run_ok("convert", "x.jsonl", "-o", "y.tfrecord")
            self.assertEqual(unframe(self.read("y.tfrecord")), expected)
        self.write("x.jsonl", "\n\n")
        self.run_ok("convert", "x.jsonl", "-o", "y.tfrecord")
        self.assertEqual(self.read("y.tfrecord"), b"")

    def test_long_lines(self):
        text = json.dumps({"a": ["y" * 30_000_000], "b": [1] * 1_000_000})
        self.write("x.jsonl", text + "\n" + '{"b":[1]}')
        self.run_ok("convert", "x.jsonl", "-o", "y.tfrecord")
        # Lengths alone: the CRC of megabytes is slow here.
        data = self.read("y.tfrecord")
        (length,) = struct.unpack_from("<Q", data)
        self.assertGreater(length, 31_000_000)
        self.assertEqual(data[16 + length:], frame(example(b=[1])))

    # What a line may hold, json_line_parser_test.cc knows.
    def test_errors_name_line_and_feature(self):
        for line, words in {
            '{"age":[1, 2.5]}': ["age", "write 1.0"],
            '{"age":[1],"age":[2]}': ["age", "twice"],
            '{"age":[1]': ["column"],
            '{"age":["\\ud800"]}': ["column"],
        }.items():
            self.write("x.jsonl", '{"ok":[1]}\n\n' + line + '\n{"ok":[2]}\n')
            for to in ("tfrecord", "jsonl", "arrow", "csv"):
                result = self.run_bad(1, "convert", "--quiet", "x.jsonl", "-o",
                                      "y", "--to", to)
                for word in ["x.jsonl: ", "line 3", *words]:
                    self.assertIn(word, result.err, line)
                self.assertEqual(self.names(), ["x.jsonl"])
            result = self.run_ok("convert", "x.jsonl", "-o", "y.tfrecord",
                                 "--on-row-error", "skip")
            self.assertIn("skipped x.jsonl: ", result.err)
            self.assertEqual(unframe(self.read("y.tfrecord")),
                             [example(ok=[1]), example(ok=[2])])
            (self.folder / "y.tfrecord").unlink()
            self.run_bad(1, "convert", "x.jsonl", "-o", "y.tfrecord",
                         "--on-row-error", "skip", "--max-bad", "0")

    def test_the_input_is_recognised(self):
        self.write("lines", '{"a":[1]}\n')
        # As long as it takes for its length to begin like JSON.
        record = example(a=["x" * 8810])
        record = example(a=["x" * (8810 + 0x227B - len(record))])
        self.write_records("records", [record])
        self.assertTrue(self.read("records").startswith(b'{"'))
        self.run_ok("convert", "lines", "-o", "y.tfrecord")
        self.assertEqual(unframe(self.read("y.tfrecord")), [example(a=[1])])
        self.run_ok("convert", "records", "-o", "y.tfrecord")
        self.assertEqual(unframe(self.read("y.tfrecord")), [record])
        self.run_bad(2, "convert", "lines", "records", "-o", "z.tfrecord")
        result = self.run_ok("convert", "--from", "jsonl", "-", "-o", "-",
                             "--to", "tfrecord", stdin=b'{"a":[1]}')
        self.assertEqual(unframe(result.bytes), [example(a=[1])])
        result = self.run_bad(1, "convert", "-", "-o", "z.tfrecord",
                              stdin=b'{"a":[1]}\n' * 3)
        self.assertIn("--from jsonl", result.err)
        self.write("x.jsonl", gzip.compress(b'{"a":[1]}'))
        result = self.run_bad(1, "convert", "x.jsonl", "-o", "z.tfrecord")
        self.assertIn("compressed", result.err)


class CsvTest(CliTest):
    def rows(self, *args):
        result = self.run_ok("convert", *args, "--to", "csv", "-o", "-")
        return list(csv.reader(io.StringIO(result.out, newline="")))

    def test_scalars(self):
        self.write_records("x", [
            example(a=[1], b=[0.5], c=["x"]),
            example(a=[-2**63], c=['say "hi", you\r\n']),
            example(a=None, b=[float("nan")], c=[""]),
            example(a=[], b=[float("-inf")], c=[b"\xff\xd8"]),
        ])
        self.assertEqual(self.rows("x"), [
            ["a", "b", "c"],
            ["1", "0.5", "x"],
            ["-9223372036854775808", "", 'say "hi", you\r\n'],
            ["", "NaN", ""],
            ["", "-Infinity", "b64:/9g="]])
        self.run_ok("convert", "x", "-o", "x.csv")
        self.assertEqual(self.read("x.csv").split(b"\r\n")[:4],
                         [b"a,b,c", b"1,0.5,x",
                          b'-9223372036854775808,,"say ""hi"", you', b'"'])
        # An empty string is not a missing one.
        self.assertIn(b',NaN,""\r\n', self.read("x.csv"))

    def test_the_columns_are_those_of_the_sample(self):
        self.write_records("x", [example(a=[1])] * 5 + [example(a=[2], b=[3])])
        result = self.run_ok("convert", "x", "-o", "x.csv", "--sample", "5")
        self.assertEqual(self.read("x.csv"), b"a\r\n" + b"1\r\n" * 5 + b"2\r\n")
        self.assertIn('"b"', result.err)
        self.assertEqual(self.rows("x")[-1], ["2", "3"])
        self.assertEqual(self.rows("x", "--features", "b,a")[0], ["b", "a"])

    def test_more_than_one_value_names_row_and_column(self):
        self.write_records("x", [example(a=[1]), example(a=[1, 2]),
                                 example(a=[3])])
        result = self.run_bad(1, "convert", "x", "-o", "x.csv")
        for word in ("x: record 1 ", '"a"', "2 values"):
            self.assertIn(word, result.err)
        self.assertEqual(self.names(), ["x"])
        result = self.run_ok("convert", "x", "-o", "x.csv", "--on-row-error",
                             "skip")
        self.assertEqual(self.read("x.csv"), b"a\r\n1\r\n3\r\n")
        self.assertIn("skipped x: record 1 ", result.err)
        self.run_bad(1, "convert", "x", "-o", "y.csv", "--on-row-error",
                     "skip", "--max-bad", "0")
        result = self.run_bad(1, "convert", "x", "-o", "-", "--to", "csv")
        self.assertEqual(result.out.splitlines(), ["a", "1"])

    def test_from_json_lines(self):
        self.write("x.jsonl", '{"a":[1],"b":["é"]}\n{"a":[2.5]}\n{"a":[3]}\n')
        result = self.run_bad(1, "convert", "x.jsonl", "-o", "x.csv")
        self.assertIn("line 2", result.err)
        self.assertIn("expected int64, found float", result.err)
        self.assertEqual(self.rows("x.jsonl", "--on-row-error", "skip"),
                         [["a", "b"], ["1", "é"], ["3", ""]])
        self.write("y.jsonl", '{"a":[1]}\n{"a":[1,2]}\n')
        result = self.run_bad(1, "convert", "y.jsonl", "-o", "y.csv")
        self.assertIn("line 2", result.err)

    def test_json_lines_find_columns_like_records(self):
        lines = ['{"a":[%d]}' % i for i in range(3000)]
        self.write("x.jsonl", "\n".join(lines) + '\n{"b":[1],"a":[7]}\n')
        result = self.run_ok("convert", "x.jsonl", "-o", "x.csv", "--sample",
                             "10")
        self.assertEqual(len(self.read("x.csv").splitlines()), 3002)
        self.assertIn('left out feature "b" (int64) of 1 row', result.err)
        self.run_bad(1, "convert", "x.jsonl", "-o", "y.csv", "--sample", "10",
                     "--strict-columns")
        self.run_ok("convert", "x.jsonl", "-o", "y.csv", "--sample", "0",
                    "--strict-columns")
        self.assertTrue(self.read("y.csv").startswith(b"a,b\r\n"))
        self.run_bad(2, "convert", "x.jsonl", "-o", "z.csv", "--features", "q")


class TfrecordTest(CliTest):
    PAYLOADS = [example(a=[i], b=["x"]) for i in range(10)]

    def test_bytes_are_copied(self):
        # Neither canonical nor messages at all.
        odd = [field(1, entry("b", feature([1])) + entry("a", feature([2]))),
               b"\xff\xff", b""]
        self.write_records("x", odd)
        result = self.run_ok("convert", "x", "-o", "y.tfrecord")
        self.assertEqual(self.read("y.tfrecord"), self.read("x"))
        self.assertNotIn("--message", result.err)

    def test_compression(self):
        self.write_records("x", self.PAYLOADS)
        for name in ("y.tfrecord", "y.tfrecord.gz", "y.tfrecord.zst", "y.tfr"):
            self.run_ok("convert", "x", "-o", name)
            result = self.run_ok("cat", "--format", "raw", name)
            self.assertEqual(result.bytes, b"".join(self.PAYLOADS))
        self.assertEqual(gzip.decompress(self.read("y.tfrecord.gz")),
                         self.read("x"))
        for kind in ("none", "gzip", "zlib", "snappy", "zstd"):
            # Of the output: the input is found out.
            self.run_ok("convert", "y.tfrecord.gz", "-o", "z", "--to",
                        "tfrecord", "--compression", kind)
            (count,) = self.run_ok("count", "--json", "z").json
            self.assertEqual(count["files"][0]["compression"], kind)
            self.assertEqual(count["records"], 10)

    def test_levels_and_blocks(self):
        self.write_records("x", self.PAYLOADS * 500)
        plain = self.read("x")
        sizes = []
        for args in (["--level", "1"], ["--level", "9"],
                     ["--level", "9", "--block-size", "4K"]):
            self.run_ok("convert", "x", "-o", "y.tfrecord.gz", *args)
            stored = self.read("y.tfrecord.gz")
            self.assertEqual(gzip.decompress(stored), plain)
            sizes.append(len(stored))
            self.run_ok("convert", "x", "-o", "y.tfrecord.gz", *args,
                        "--threads", "4")
            self.assertEqual(self.read("y.tfrecord.gz"), stored)
        self.assertLess(sizes[1], sizes[0])
        self.assertGreater(sizes[2], sizes[1])
        self.run_ok("convert", "x", "-o", "z.gz", "--to", "tfrecord",
                    "--shards", "3", "--threads", "5", "--block-size", "4K")
        for i in range(3):
            shard = self.read(f"z-{i:05}-of-00003.gz")
            self.assertEqual(unframe(gzip.decompress(shard)),
                             (self.PAYLOADS * 500)[i::3])

    def test_shards_take_the_records_in_turn(self):
        self.write_records("x", self.PAYLOADS)
        self.run_ok("convert", "x", "-o", "y.tfrecord", "--shards", "3")
        names = [f"y.tfrecord-0000{i}-of-00003" for i in range(3)]
        self.assertEqual(self.names(), ["x", *names])
        for i, name in enumerate(names):
            self.assertEqual(unframe(self.read(name)), self.PAYLOADS[i::3])
        self.assertEqual(self.run_ok("count", "y.tfrecord@3").lines[-1], "10")
        self.run_ok("convert", "x", "-o", "z.gz", "--to", "tfrecord",
                    "--shards", "1")
        self.assertEqual(gzip.decompress(self.read("z-00000-of-00001.gz")),
                         self.read("x"))

    def test_features(self):
        self.write_records("x", self.PAYLOADS)
        self.run_ok("convert", "x", "-o", "y.tfrecord", "--features", "b")
        self.assertEqual(unframe(self.read("y.tfrecord")),
                         [example(b=["x"])] * 10)
        self.run_ok("convert", "x", "-o", "y.jsonl", "--features", "a")
        self.assertEqual(self.read("y.jsonl").splitlines()[3], b'{"a":[3]}')
        for to in ("arrow", "csv", "jsonl", "tfrecord"):
            result = self.run_bad(2, "convert", "x", "-o", "z", "--to", to,
                                  "--features", "a,nope")
            self.assertIn("nope", result.err)
        self.assertNotIn("z", self.names())


class OutputTest(CliTest):
    def test_a_row_may_be_larger_or_smaller(self):
        self.write_records("x", [example(a=list(range(50_000)))])
        for verb in (("convert", "x", "-o", "y.csv", "--features", "a"),
                     ("convert", "x", "-o", "y.arrow")):
            result = self.run_bad(1, *verb, "--max-batch-bytes", "65536")
            self.assertIn("limit", result.err)
        self.run_ok("convert", "x", "-o", "y.arrow", "--max-batch-bytes", "8589934592")
        self.write("s.json", json.dumps({"features": [
            {"name": "a", "kind": "var_len", "dtype": "int64"}]}))
        result = self.run_program("validate", "x", "--spec", "s.json",
                                  "--max-batch-bytes", "65536")
        self.assertEqual(result.code, 1, result.err)
        self.assertIn("limit", result.out)
        self.run_ok("validate", "x", "--spec", "s.json")

    def test_an_input_is_not_overwritten(self):
        self.write_records("x.tfrecord", [example(a=[1])])
        self.write_records("s.tfrecord-00001-of-00002", [example(a=[1])])
        os.link(self.folder / "x.tfrecord", self.folder / "hard.tfrecord")
        os.symlink("x.tfrecord", self.folder / "soft.tfrecord")
        before = self.read("x.tfrecord")
        for out in ("x.tfrecord", "./x.tfrecord", "hard.tfrecord",
                    "soft.tfrecord"):
            self.run_bad(2, "convert", "x.tfrecord", "-o", out)
            self.run_bad(2, "convert", "soft.tfrecord", "-o", out)
        self.run_bad(2, "convert", "s.tfrecord-00001-of-00002", "-o",
                     "s.tfrecord", "--shards", "2")
        self.assertEqual(self.read("x.tfrecord"), before)
        self.run_ok("convert", "x.tfrecord", "-o", "/dev/null", "--to", "csv")

    def test_what_was_there_stays_after_a_failure(self):
        self.write_records("x", [example(a=[1]), b"\xff"])
        for name in ("o.arrow", "o.csv", "o.jsonl"):
            self.write(name, "before")
            self.run_bad(1, "convert", "x", "-o", name)
            self.assertEqual(self.read(name), b"before")
        self.assertEqual(self.names(), ["o.arrow", "o.csv", "o.jsonl", "x"])

    def test_half_a_shard_set_is_none(self):
        self.write_records("x", [example(a=[1])] * 10)
        (self.folder / "y-00002-of-00003").mkdir()
        self.run_bad(3, "convert", "x", "-o", "y", "--to", "tfrecord",
                     "--shards", "3")
        self.assertEqual(self.names(), ["x", "y-00002-of-00003"])

    def test_an_output_is_hidden_until_it_is_complete(self):
        self.write_records("x", [example(a=[1])])
        read_end, write_end = os.pipe()
        process = subprocess.Popen(
            [program.PROGRAM, "convert", "--quiet", "-", "-o", "y.tfrecord"],
            cwd=self.folder, stdin=read_end)
        os.close(read_end)
        data = frame(example(a=[1]))
        for _ in range(100):
            os.write(write_end, data)
        self.assertNotIn("y.tfrecord", self.names())
        self.assertIsNone(process.poll())
        os.close(write_end)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(self.names(), ["x", "y.tfrecord"])

    def test_usage(self):
        self.write_records("x", [example(a=[1])])
        for args in (["-o", "y"], ["-o", "y.orc"], ["-o", "-"],
                     ["-o", "y.parquet", "--shards", "2"],
                     ["-o", "y.tar", "--message", "raw"],
                     ["-o", "y.csv", "--shards", "2"],
                     ["-o", "y.csv", "--repair"],
                     ["-o", "y.csv", "--level", "1"],
                     ["-o", "y.arrow", "--block-size", "1M"],
                     ["-o", "y.tfrecord", "--level", "1"],
                     ["-o", "y.tfrecord.zz", "--level", "10"],
                     ["-o", "y.tfrecord.gz", "--block-size", "4095"],
                     ["-o", "y.csv", "--bytes-as", "large"],
                     ["-o", "y.jsonl.gz"],
                     ["-o", "-", "--to", "tfrecord", "--shards", "2"],
                     ["-o", "-", "--to", "jsonl", "--json"],
                     ["-o", "y.arrow", "--batch", "0"],
                     ["-o", "y.tfrecord", "--shards", "100000"],
                     ["-o", "y.tfrecord", "--from", "jsonl", "--repair"],
                     ["-o", "y.arrow", "--message", "raw",
                      "--features", "payload"]):
            self.run_bad(2, "convert", "x", *args)
        self.run_bad(2, "convert", "-", "-o", "y.arrow", "--sample", "0",
                     stdin=b"")
        self.assertEqual(self.names(), ["x"])

    def test_summary(self):
        self.write_records("x", [example(a=[i]) for i in range(1500)])
        size = len(self.read("x"))
        for name in ("y.arrow", "y.csv", "y.jsonl", "y.tfrecord"):
            result = self.run_ok("convert", "x", "-o", name, "--json",
                                 "--threads", "4", "--batch", "auto")
            (summary,) = result.json
            self.assertEqual(
                {k: summary[k] for k in
                 ("path", "records", "rows", "bytes", "output_bytes",
                  "skipped_regions", "skipped_rows", "late_features")},
                {"path": name, "records": 1500, "rows": 1500, "bytes": size,
                 "output_bytes": len(self.read(name)), "skipped_regions": 0,
                 "skipped_rows": 0, "late_features": []})
            self.assertIn("1,500 records read, 1,500 rows written", result.err)
            self.assertGreaterEqual(summary["seconds"], 0)

    def test_outputs_to_no_folder(self):
        self.write_records("x", [example(a=[1])])
        (self.folder / "folder.csv").mkdir()
        for out in ("none/y.arrow", "none/y.csv", "none/y.jsonl",
                    "none/y.tfrecord", "folder.csv"):
            self.run_bad(3, "convert", "x", "-o", out)
