"""headrace bench: what it says about files, not how fast they are."""

import gzip
import json
import os

from program import CliTest, example, sequence
from wire_bytes import frame, framed

STAGES = ["read", "frame_crc", "decode", "all"]
PAYLOADS = [example(a=[i], b=[f"text {i}"], c=[0.5, 1.5]) for i in range(700)]


class BenchTest(CliTest):
    def bench(self, *args):
        """The result of three passes, every field of it looked at."""
        run = self.run_ok("bench", "--json", "--seconds", "0", *args)
        (result,) = run.json
        self.assertEqual(list(result), [
            "files", "bytes", "records", "features", "target", "threads",
            "clock_ghz", "stages", "ns_per_feature", "cycles_per_feature",
            "late_features"])
        self.assertIn(result["target"], self.run_ok("--version").out)
        self.assertGreater(result["clock_ghz"], 0)
        self.assertEqual(list(result["stages"]), STAGES)
        for stage in result["stages"].values():
            self.assertEqual(list(stage), ["seconds", "gb_per_s"])
            self.assertEqual(len(stage["seconds"]), 3)
            for seconds in stage["seconds"]:
                if result["records"]:
                    self.assertGreater(seconds, 0)
            self.check(stage["gb_per_s"], result["bytes"] / 1e9 /
                       sorted(stage["seconds"])[1])
        ns = sorted(result["stages"]["all"]["seconds"])[1] * 1e9
        features = result["features"]
        self.check(result["ns_per_feature"], features and ns / features)
        self.check(result["cycles_per_feature"],
                   features and ns * result["clock_ghz"] / features)
        return result

    def check(self, number, wanted):
        """Null stands for what would divide by zero."""
        if not wanted:
            self.assertIsNone(number)
        else:
            self.assertAlmostEqual(number / wanted, 1, delta=1e-4)

    def check_counts(self, result, *files):
        (count,) = self.run_ok("count", "--json", *files).json
        self.assertEqual(result["files"], list(files))
        for name in ("bytes", "records"):
            self.assertEqual(result[name], count[name])


class JsonTest(BenchTest):
    def test_plain_and_compressed(self):
        data = framed(PAYLOADS)
        self.write("x", data)
        self.write("y.gz", gzip.compress(data))
        for files in (["x"], ["y.gz"], ["x", "y.gz"]):
            result = self.bench(*files)
            self.check_counts(result, *files)
            self.assertEqual(result["records"], len(files) * 700)
            self.assertEqual(result["features"], len(files) * 2100)
            self.assertEqual(result["threads"], 1)

    def test_globs_and_shards_are_named_one_by_one(self):
        names = [f"s-0000{i}-of-00002" for i in range(2)]
        for name in names:
            self.write_records(name, PAYLOADS[:10])
        for pattern in ("s@2", "s-*"):
            self.assertEqual(self.bench(pattern)["files"], names)

    def test_sequence_examples(self):
        self.write_records("x", [sequence({"k": [[1], [2, 3]]}, a=[i])
                                 for i in range(20)])
        result = self.bench("x")
        self.check_counts(result, "x")
        self.assertEqual(result["features"], 40)
        self.assertEqual(self.bench("x", "--message", "sequence")["features"],
                         40)
        self.assertEqual(self.bench("x", "--message", "example")["features"],
                         20)

    def test_features_batches_and_threads(self):
        self.write_records("x", PAYLOADS)
        self.assertEqual(self.bench("x", "--features", "a,c")["features"],
                         1400)
        for batch in ("1", "700", "18446744073709551615", "auto"):
            self.assertEqual(self.bench("x", "--batch", batch)["features"],
                             2100)
        self.assertEqual(self.bench("x", "--threads", "2")["threads"], 2)

    def test_compression_can_be_forced(self):
        self.write("y", gzip.compress(frame(PAYLOADS[0])))
        self.assertEqual(self.bench("--compression", "gzip", "y")["records"],
                         1)
        self.run_bad(1, "bench", "--compression", "none", "y")

    def test_more_seconds_are_more_passes(self):
        self.write_records("x", PAYLOADS)
        (result,) = self.run_ok("bench", "x", "--json", "--seconds",
                                "0.8").json
        for stage in result["stages"].values():
            self.assertGreater(len(stage["seconds"]), 3)

    def test_nothing_to_measure(self):
        self.write("empty", b"")
        result = self.bench("empty")
        self.check_counts(result, "empty")
        self.assertEqual(result["features"], 0)
        self.write_records("bare", [b"", b""])
        result = self.bench("bare")
        self.check_counts(result, "bare")
        self.assertEqual(result["records"], 2)
        self.assertEqual(result["features"], 0)
        self.assertIsNotNone(result["stages"]["all"]["gb_per_s"])


class PlanTest(BenchTest):
    def setUp(self):
        super().setUp()
        self.write_records("x", PAYLOADS)
        self.write("s.json", json.dumps({"features": [
            {"name": "a", "kind": "fixed_len", "dtype": "int64", "shape": []},
            {"name": "b", "kind": "var_len", "dtype": "bytes"}]}))
        self.write("s.pbtxt", 'feature { name: "a" type: INT }\n'
                              'feature { name: "c" type: FLOAT }\n')

    def test_a_spec(self):
        self.assertEqual(self.bench("x", "--spec", "s.json")["features"], 1400)
        self.run_bad(2, "bench", "x", "--spec", "s.json", "--features", "a")
        self.run_bad(2, "bench", "x", "--spec", "s.json", "--message",
                     "sequence")

    def test_a_schema(self):
        for args in ([], ["--tensors"]):
            schema = ["--schema", "s.pbtxt", *args]
            self.assertEqual(self.bench("x", *schema)["features"], 1400)
            self.assertEqual(
                self.bench("x", *schema, "--features", "c")["features"], 700)

    def test_plans_that_are_refused(self):
        self.write("bad.json", "{")
        self.assertIn("bad.json", self.run_bad(
            2, "bench", "x", "--spec", "bad.json").err)
        self.run_bad(3, "bench", "x", "--schema", "missing")
        self.run_bad(2, "bench", "x", "--schema", "s.pbtxt", "--spec",
                     "s.json")

    def test_records_that_do_not_fit(self):
        self.write_records("y", PAYLOADS[:3] + [example(a=["text"])])
        args = ["bench", "y", "--spec", "s.json"]
        result = self.run_bad(1, *args)
        self.assertIn("y: record 3 ", result.err)
        self.assertEqual(result.out, "")
        run = self.run_ok(*args, "--seconds", "0", "--json",
                          "--on-row-error", "skip")
        self.assertIn("1 bad row", run.err)
        self.assertEqual(run.json[0]["records"], 4)


class TextTest(BenchTest):
    def test_the_table(self):
        self.write_records("x", PAYLOADS)
        run = self.run_ok("bench", "x", "--seconds", "0")
        self.assertEqual([line.split()[0] for line in run.lines[1:5]], STAGES)
        self.assertRegex(run.out, r"\nbound by [a-z ]+: \d+% of the work, ")
        self.assertIn("700 records, 3 columns, ", run.out)
        self.assertIn("; 3 passes of each stage\n", run.out)
        self.assertRegex(
            run.out, r"\n[\d.]+ ns or [\d.]+ cycles a feature; target \w+, "
            r"clock [\d.]+ GHz, 1 thread\n$")
        self.assertEqual(run.err, "")
        run = self.run_ok("bench", "x", "--seconds", "0", "--quiet")
        self.assertEqual(run.err, "")

    def test_nothing_to_measure(self):
        self.write("empty", b"")
        out = self.run_ok("bench", "empty", "--seconds", "0").out
        self.assertIn("there are no records", out)
        self.assertNotIn("nan", out)
        self.assertNotIn("inf", out)

    def test_raw_records(self):
        self.write_records("x", [b"anything"] * 100)
        out = self.run_ok("bench", "x", "--message", "raw", "--seconds", "0").out
        self.assertIn("100 records, 1 column", out)


class RefusalTest(BenchTest):
    def test_options(self):
        self.write_records("x", PAYLOADS[:1])
        for args in (["--seconds", "x"], ["--seconds", "-1"],
                     ["--seconds", "nan"], ["--seconds", ""],
                     ["--batch", "x"], ["--batch", "0"], ["--threads", "x"],
                     ["--nope"], ["--tensors"], ["--message", "x"]):
            result = self.run_bad(2, "bench", "x", *args)
            self.assertEqual(result.out, "")
        self.run_bad(2, "bench")
        self.run_bad(2, "bench", "x", "--features", "nope")

    def test_what_can_be_read_only_once(self):
        self.write_records("x", PAYLOADS[:1])
        os.mkfifo(self.folder / "pipe")
        for name in ("-", "pipe", "/dev/stdin", "/dev/null"):
            result = self.run_bad(2, "bench", "x", name,
                                  stdin=self.read("x"))
            self.assertEqual(len(result.err.splitlines()), 1)
            self.assertIn(name, result.err)
            self.assertEqual(result.out, "")

    def test_damage(self):
        data = bytearray(framed(PAYLOADS))
        size = len(frame(PAYLOADS[0]))
        data[size + 14] ^= 1
        self.write("x", data)
        result = self.run_bad(1, "bench", "x")
        self.assertIn(f"x: record 1 at offset {size}: payload_crc",
                      result.err)
        self.assertEqual(result.out, "")
        for policy in ("skip", "rescan"):
            run = self.run_ok("bench", "x", "--seconds", "0", "--json",
                              "--on-corrupt", policy)
            self.assertEqual(run.json[0]["bytes"], len(data))
            self.assertEqual(run.json[0]["records"], 699)
            self.assertEqual(run.json[0]["features"], 3 * 699)
            self.assertIn("1 damaged region", run.err)
            self.run_bad(1, "bench", "x", "--on-corrupt", policy, "--max-bad",
                         "0")
        self.write("cut.gz", gzip.compress(data)[:-100])
        self.run_bad(1, "bench", "cut.gz")
        self.write("text", "hello, this is no TFRecord file\n")
        self.assertIn("not_tfrecord", self.run_bad(1, "bench", "text").err)
