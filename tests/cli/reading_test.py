"""head, cat, count and schema on intact files."""

import gzip
import json
import zlib

from program import CliTest, example, feature, sequence
from wire_bytes import entry, field, frame, framed

PEOPLE = [
    example(age=[29], name=["Zoë"], score=[4.5, 1.0]),
    example(age=[31], img=[b"\xff\xd8\xff"], unset=None),
    example(),
    example(age=[], name=["a\tb", ""]),
]


class CatTest(CliTest):
    def test_one_line_a_record(self):
        self.write_records("x", PEOPLE)
        self.assertEqual(self.run_ok("cat", "--quiet", "x").lines, [
            '{"age":[29],"name":["Zoë"],"score":[4.5,1.0]}',
            '{"age":[31],"img":[{"b64":"/9j/"}],"unset":null}',
            "{}",
            '{"age":{"int64":[]},"name":["a\\tb",""]}',
        ])

    def test_the_last_of_two_equal_keys_counts(self):
        twice = field(1, entry("a", feature([1])) + entry("a", feature([2])))
        self.write_records("x", [twice])
        self.assertEqual(self.run_ok("cat", "--quiet", "x").json, [{"a": [2]}])

    def test_sequence_examples(self):
        self.write_records("x", [
            sequence({"k": [[1, 2], [], None], "e": []}, user=["u"]),
            sequence({}),
            field(1, entry("a", feature([1]))),
        ])
        result = self.run_ok("cat", "x")
        self.assertIn("--message sequence", result.err)
        self.assertEqual(result.lines, [
            '{"context":{"user":["u"]},"feature_lists":'
            '{"e":[],"k":[[1,2],{"int64":[]},null]}}',
            '{"context":{},"feature_lists":{}}',
            '{"context":{"a":[1]}}',
        ])

    def test_auto_looks_at_a_hundred_records(self):
        plain = example(a=[1])
        lists = sequence({"k": [[1]]})
        self.write_records("early", [plain] * 99 + [lists])
        self.write_records("late", [plain] * 100 + [lists])
        self.assertIn("sequence", self.run_ok("cat", "early").err)
        self.assertIn("left out the feature lists of 1 record",
                      self.run_ok("cat", "late").err)
        result = self.run_ok("cat", "--message", "sequence", "late")
        self.assertIn('"k":[[1]]', result.lines[-1])

    def test_raw_records(self):
        """Each is one JSON value; the raw format is the payloads alone."""
        payloads = [b"text", b"\xff\x00", b"", "é\n".encode()]
        self.write_records("x", payloads)
        values = self.run_ok("cat", "--message", "raw", "x")
        alone = self.run_ok("cat", "--format", "raw", "x")
        self.assertEqual(values.json, ["text", {"b64": "/wA="}, "", "é\n"])
        self.assertEqual(alone.bytes, b"".join(payloads))
        self.assertEqual(values.err + alone.err, "")

    def test_what_is_no_message_hints_at_raw(self):
        self.write_records("x", [b"\xff\xff"])
        result = self.run_bad(1, "cat", "x")
        self.assertIn("malformed", result.err)
        self.assertIn("record 0", result.err)
        self.assertIn("--message raw", result.err)

    def test_rows_before_an_error_come_first(self):
        self.write_records("x", [example(a=[1]), b"\xff", example(a=[2])])
        result = self.run_bad(1, "cat", "--quiet", "x")
        self.assertEqual(result.json, [{"a": [1]}])
        self.assertIn("x: record 1 at offset", result.err)
        result = self.run_ok("cat", "--on-row-error", "skip", "x")
        self.assertEqual(result.json, [{"a": [1]}, {"a": [2]}])
        self.assertIn("skipped x: record 1 at offset", result.err)
        self.assertIn("0 damaged regions, 1 bad row", result.err)
        self.run_ok("cat", "--on-row-error", "skip", "--max-bad", "1", "x")
        result = self.run_bad(1, "cat", "--on-row-error", "skip", "--max-bad",
                              "0", "x")
        self.assertIn("too_many_bad", result.err)
        self.assertEqual(result.json, [{"a": [1]}])

    def test_compression_is_found_from_the_bytes(self):
        data = framed(PEOPLE)
        lines = None
        for name, stored in {
            "plain.gz": data,
            "gzip": gzip.compress(data),
            "members": gzip.compress(data[:40]) + gzip.compress(data[40:]),
            "zlib": zlib.compress(data),
        }.items():
            self.write(name, stored)
            result = self.run_ok("cat", "--quiet", name)
            lines = lines or result.lines
            self.assertEqual(result.lines, lines, name)
        self.run_ok("cat", "--compression", "gzip", "gzip")
        self.run_bad(1, "cat", "--compression", "zlib", "gzip")
        self.run_bad(1, "cat", "--compression", "none", "gzip")

    def test_a_record_of_many_megabytes(self):
        self.write_records("x", [example(a=["y" * 20_000_000])])
        (line,) = self.run_ok("cat", "--quiet", "x").lines
        self.assertEqual(len(json.loads(line)["a"][0]), 20_000_000)


class HeadTest(CliTest):
    def test_a_table(self):
        self.write_records("x", PEOPLE)
        lines = self.run_ok("head", "x").lines
        self.assertEqual(lines[0].split(),
                         ["record", "age", "img", "name", "score", "unset"])
        self.assertEqual(len(lines), 5)
        self.assertRegex(lines[1], r"^ +0  29   -  +\"Zoë\" +\[4.5, 1.0\]  -$")
        self.assertRegex(lines[2], r"<3 B: ff d8 ff>.*null$")
        self.assertRegex(lines[4], r'^ +3  \[\]   -  +\["a\\tb", ""\]')
        # The column after a wide one starts at the same place in all lines.
        self.assertEqual({line.index(mark) for line, mark in
                          zip(lines, ("img", "-", "<"))}, {13})

    def test_many_features_are_shown_one_below_the_other(self):
        wide = example(**{f"feature_number_{i:03}": [i] for i in range(30)})
        self.write_records("x", [wide, wide])
        lines = self.run_ok("head", "x").lines
        self.assertEqual(len(lines), 2 * 31)
        self.assertTrue(lines[0].startswith("record 0, "))
        self.assertEqual(lines[1].split(),
                         ["feature_number_000", "int64", "1", "0"])

    def test_long_values_are_shortened(self):
        self.write_records("x", [example(
            blob=[b"\xff" * 100_000], text=["y" * 5000], ids=list(range(5000)),
            floats=[0.5] * 5000, strings=["word"] * 5000)])
        result = self.run_ok("head", "x")
        for line in result.lines:
            self.assertLessEqual(len(line), 120)
        for word in ("97.7 KiB: ff", "4.9 KiB", "5,000 values"):
            self.assertIn(word, result.out)

    def test_no_control_characters_reach_the_terminal(self):
        evil = "\x1b]0;title\x07\u009b31m\u202e\r\b"
        self.write_records("x", [example(**{evil: [evil, evil]})])
        for args in (["head"], ["schema"], ["head", "--format", "jsonl"],
                     ["cat"], ["schema", "--json"],
                     ["schema", "--format", "arrow"],
                     ["schema", "--format", "spec"],
                     ["schema", "--format", "pbtxt"],
                     ["schema", "--format", "tf"]):
            result = self.run_ok(*args, "x")
            for c in result.out:
                self.assertTrue(c == "\n" or c >= " ", repr(result.out))
                self.assertFalse("\x7f" <= c <= "\x9f", repr(result.out))
        self.assertNotIn("\u202e", self.run_ok("head", "x").out)
        result = self.run_bad(3, "head", evil)
        self.assertNotIn("\x1b", result.err)

    def test_which_records(self):
        self.write_records("x", [example(a=[i]) for i in range(30)])
        def numbers(*args):
            result = self.run_ok("head", "--format", "jsonl", *args, "x")
            return [record["a"][0] for record in result.json]
        self.assertEqual(numbers(), list(range(10)))
        self.assertEqual(numbers("-n", "3"), [0, 1, 2])
        self.assertEqual(numbers("-n", "3", "--skip", "28"), [28, 29])
        self.assertEqual(numbers("--skip", "30"), [])
        self.assertEqual(numbers("-n", "0"), [])
        self.assertIn("record", self.run_ok("head", "--skip", "3", "x").lines[0])
        self.assertEqual(self.run_ok("head", "-n", "2000", "x").lines[0],
                         "record 0, 14 B")

    def test_records_of_a_range_have_true_numbers_or_none(self):
        payloads = [example(a=[i]) for i in range(100)]
        payloads[60] += b"\xff"
        offset = len(b"".join(map(frame, payloads[:60])))
        self.write("x.tfrecord", b"".join(map(frame, payloads)))
        part = ["x.tfrecord", "--range", f"{offset // 2}:"]
        convert = ["convert", *part, "-o", "y.csv"]
        for command in (["cat", *part], convert, [*convert, "--threads", "2"]):
            error = self.run_bad(1, *command).err
            self.assertIn(f"x.tfrecord: at offset {offset}: malformed", error)
        whole = self.run_bad(1, "cat", "x.tfrecord", "--range", "0:").err
        self.assertIn(f"record 60 at offset {offset}: malformed", whole)
        lines = self.run_ok("cat", *part, "--on-row-error", "skip").lines
        self.assertEqual(lines[-1], '{"a":[99]}')
        self.run_ok("index", "x.tfrecord")
        self.assertIn(f"record 60 at offset {offset}", self.run_bad(1, *convert).err)

    def test_records_after_those_shown_are_not_read(self):
        data = b"".join(frame(example(a=[i])) for i in range(200))
        self.write("x", data + b"garbage" * 100)
        result = self.run_ok("head", "-n", "150", "--format", "jsonl", "x")
        self.assertEqual(len(result.lines), 150)

    def test_features(self):
        self.write_records("x", PEOPLE)
        result = self.run_bad(2, "head", "--format", "jsonl", "--features",
                              "age,unset,nope", "x")
        self.assertEqual(result.lines[:2],
                         ['{"age":[29]}', '{"age":[31],"unset":null}'])
        self.assertIn('"nope"', result.err)
        lines = self.run_ok("head", "--features", "name", "x").lines
        self.assertEqual(lines[0].split(), ["record", "name"])

    def test_sequences_and_raw(self):
        self.write_records("x", [sequence({"k": [[1, 2], [3], None]}, u=["a"])])
        text = self.run_ok("head", "x").out
        self.assertIn("k[]", text)
        self.assertIn("[[1, 2], [3], null]", text)
        result = self.run_ok("head", "--message", "raw", "x")
        self.assertIn("record 0, ", result.out)
        self.assertIn('1 len: "k"', result.out)

    def test_several_files_are_named(self):
        payload = example(**{f"long_feature_name_{i}": [i] for i in range(20)})
        self.write_records("one", [payload])
        self.write_records("two", [payload])
        text = self.run_ok("head", "one", "two").out
        self.assertRegex(text, r"(?m)^record 0, .*, two$")


class CountTest(CliTest):
    def test_plain_and_json(self):
        self.write_records("a", PEOPLE)
        data = framed(PEOPLE[:2])
        self.write("b.gz", gzip.compress(data))
        self.assertEqual(self.run_ok("count", "a").out, "4\n")
        self.assertEqual(self.run_ok("count", "a", "b.gz").lines,
                         ["4\ta", "2\tb.gz", "6"])
        size = len(self.read("a"))
        self.assertEqual(self.run_ok("count", "--json", "a", "b.gz").json, [{
            "files": [
                {"path": "a", "records": 4, "bytes": size,
                 "compression": "none"},
                {"path": "b.gz", "records": 2, "bytes": len(data),
                 "compression": "gzip"}],
            "records": 6, "bytes": size + len(data)}])

    def test_payloads_are_checked_on_request(self):
        data = bytearray(framed(PEOPLE))
        data[14] ^= 1
        self.write("x", data)
        self.assertEqual(self.run_ok("count", "x").out, "4\n")
        self.assertIn("payload_crc", self.run_bad(1, "count", "--verify",
                                                  "x").err)
        result = self.run_ok("count", "--verify", "--on-corrupt", "skip", "x")
        self.assertEqual(result.out, "3\n")
        self.assertIn("skipped x [0, ", result.err)
        self.run_bad(1, "count", "--verify", "--on-corrupt", "skip",
                     "--max-bad", "0", "x")

    def test_paths_that_are_no_text(self):
        name = b"bad\xff\x1b"
        with open(bytes(self.folder) + b"/" + name, "wb") as out:
            out.write(frame(b""))
        result = self.run_ok("count", "--json", "bad*")
        self.assertEqual(result.json[0]["files"][0]["path"], "bad\ufffd\x1b")


class SchemaTest(CliTest):
    def test_table(self):
        self.write_records("x", PEOPLE)
        lines = self.run_ok("schema", "x").lines
        rows = {line.split()[0]: line.split() for line in lines[:-2]}
        self.assertEqual(rows["age"][:3], ["age", "int64", "75.0%"])
        self.assertEqual(rows["score"][:4], ["score", "float", "25.0%", "2"])
        self.assertEqual(rows["unset"][:3], ["unset", "null", "25.0%"])
        self.assertIn("1 without kind", " ".join(rows["unset"]))
        self.assertIn("4 records", lines[-1])

    def test_json(self):
        self.write_records("x", PEOPLE)
        (schema,) = self.run_ok("schema", "--json", "x").json
        self.assertEqual(schema["message"], "example")
        self.assertEqual(schema["records"], 4)
        features = {f["name"]: f for f in schema["features"]}
        self.assertEqual(list(features),
                         ["age", "img", "name", "score", "unset"])
        self.assertEqual(
            {k: features["age"][k] for k in
             ("kind", "present", "presence", "unset", "empty", "values",
              "min_length", "max_length", "example")},
            {"kind": "int64", "present": 3, "presence": 0.75, "unset": 0,
             "empty": 1, "values": 2, "min_length": 0, "max_length": 1,
             "example": "29"})
        self.assertEqual(schema["conflicts"], [])

    def test_two_kinds_are_a_finding_with_both_records(self):
        self.write_records("one", [example(b=[1]), example(a=[1])])
        self.write_records("two", [example(a=[2]), example(a=[0.5])])
        result = self.run_bad(1, "schema", "--quiet", "one", "two")
        self.assertIn('"a"', result.err)
        self.assertIn("int64 in one record 1", result.err)
        self.assertIn("float in two record 1", result.err)
        self.assertIn("int64", result.out)
        result = self.run_bad(1, "schema", "--json", "one", "two")
        self.assertEqual(result.json[0]["conflicts"], [{
            "feature": "a",
            "first": {"file": "one", "record": 1, "kind": "int64"},
            "second": {"file": "two", "record": 1, "kind": "float"}}])
        self.run_ok("schema", "--sample", "3", "one", "two")

    def test_sample(self):
        self.write_records("x", [example(a=[1])] * 5 + [example(b=[1])] * 5)
        self.assertNotIn("b  ", self.run_ok("schema", "--sample", "5", "x").out)
        self.assertIn("5 records",
                      self.run_ok("schema", "--sample", "5", "x").out)
        self.assertIn("b  ", self.run_ok("schema", "--sample", "6", "x").out)

    def test_what_was_found_before_an_error_is_shown(self):
        self.write_records("x", [example(a=[1]), b"\xff"])
        result = self.run_bad(1, "schema", "x")
        self.assertIn("1 record,", result.out)
        good = [example(a=[i], b="text" * 20) for i in range(2000)]
        self.write_records("y", good[:1200] + [b"\xff"] + good[1200:])
        result = self.run_bad(1, "schema", "y")
        self.assertIn("1,200 records,", result.out)
        self.assertIn("record 1200", result.err)
        result = self.run_ok("schema", "y", "--on-row-error", "skip")
        self.assertIn("2,000 records,", result.out)
        result = self.run_ok("schema", "y", "--sample", "1100")
        self.assertIn("1,100 records,", result.out)

    def test_usage(self):
        self.write_records("x", PEOPLE)
        self.run_bad(2, "schema", "--message", "raw", "x")
        self.run_bad(2, "schema", "--json", "--format", "arrow", "x")
