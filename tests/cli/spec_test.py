"""--spec of convert and validate, the verb plan, schema --format spec."""

import io
import json
import os

import pyarrow as pa
from program import CliTest, example, sequence
from wire_bytes import entry, field, frame, framed, unframe

AGE = {"name": "age", "kind": "fixed_len", "dtype": "int64", "shape": []}
TAGS = {"name": "tags", "kind": "var_len", "dtype": "bytes"}
BOX = {"name": "box", "kind": "fixed_len", "dtype": "float", "shape": [2]}


class SpecTest(CliTest):
    def write_spec(self, *features, name="s.json", **rest):
        return self.write(name, json.dumps({"features": features} | rest))

    def convert(self, *args):
        self.run_ok("convert", "x", "-o", "y.arrow", "--spec", "s.json", *args)
        return self.table("y.arrow").to_pylist()


class ConvertTest(SpecTest):
    def test_tensors(self):
        self.write_records("x", [
            example(age=[29], box=[0.5, 1.5], tags=["a", "b"], more=[1]),
            example(age=[31], box=[2.5, 3.5])])
        self.write_spec(TAGS, AGE, BOX)
        self.assertEqual(self.convert(), [
            {"tags": [b"a", b"b"], "age": 29, "box": [0.5, 1.5]},
            {"tags": [], "age": 31, "box": [2.5, 3.5]}])
        self.assertEqual(self.table("y.arrow").schema.field("age").type, pa.int64())

    def test_defaults_types_and_keys(self):
        self.write_records("x", [example(a=[7], b=[1, 2, 3]), example()])
        self.write_spec(
            {"name": "n", "kind": "fixed_len", "dtype": "int64", "shape": [],
             "default": [-1], "column": "a", "as": "int32"},
            {"name": "b", "kind": "var_len", "dtype": "int64", "pad_to": 2,
             "truncate": True})
        self.assertEqual(self.convert(), [{"n": 7, "b": [1, 2]},
                                          {"n": -1, "b": [0, 0]}])
        self.assertEqual(self.table("y.arrow").schema.field("n").type, pa.int32())

    def test_bfloat16_is_bits_in_arrow_and_it_says_so(self):
        self.write_records("x", [example(box=[0.5, 1.5])])
        self.write_spec(BOX | {"as": "bfloat16"})
        result = self.run_ok("convert", "x", "-o", "y.arrow", "--spec", "s.json",
                             "--quiet")
        self.assertIn("bfloat16", result.err)
        self.assertEqual(self.table("y.arrow").to_pylist(), [{"box": [16128, 16320]}])

    def test_streams_and_types_of_bytes(self):
        self.write_records("x", [example(tags=["é"])])
        self.write_spec(TAGS)
        result = self.run_ok(
            "convert", "-", "-o", "-", "--to", "arrow-stream", "--spec",
            "s.json", "--bytes-as", "string", stdin=self.read("x"))
        table = pa.ipc.open_stream(io.BytesIO(result.bytes)).read_all()
        self.assertEqual(table.to_pylist(), [{"tags": ["é"]}])

    def test_many_batches(self):
        self.write_records("x", [example(age=[i]) for i in range(2500)])
        self.write_spec(AGE)
        rows = self.convert("--batch", "1000")
        self.assertEqual([r["age"] for r in rows], list(range(2500)))
        self.assertEqual([b.num_rows for b in self.table("y.arrow").to_batches()],
                         [1000, 1000, 500])

    def test_the_spec_decides_the_message(self):
        self.write_records("x", [sequence({"k": [[1], [2]]}, age=[3])])
        self.write_spec(AGE)
        self.assertEqual(self.convert(), [{"age": 3}])
        self.assertEqual(self.convert("--message", "example"), [{"age": 3}])
        result = self.run_ok("convert", "x", "-o", "y.arrow", "--spec",
                             "s.json")
        self.assertNotIn("reading the records as", result.err)
        self.write_spec(AGE, message="sequence_example", sequence_features=[
            {"name": "k", "kind": "fixed_len_sequence", "dtype": "int64",
             "shape": []}])
        self.assertEqual(self.convert(),
                         [{"age": 3, "##SEQUENCE##": {"k": [1, 2]}}])

    def test_a_clash_of_messages(self):
        self.write_records("x", [example(age=[1])])
        self.write_spec(AGE)
        for message in ("sequence", "raw"):
            for args in (["convert", "x", "-o", "y.arrow"], ["validate", "x"]):
                result = self.run_bad(2, *args, "--spec", "s.json",
                                      "--message", message)
                self.assertEqual(len(result.err.splitlines()), 1)
                for word in ("--message " + message, "s.json", "example"):
                    self.assertIn(word, result.err)
        self.assertEqual(self.names(), ["s.json", "x"])

    def test_options_that_do_not_go_with_it(self):
        self.write_records("x", [example(age=[1])])
        self.write("x.jsonl", '{"age":[1]}\n')
        self.write_spec(AGE)
        arrow = ["x", "-o", "y.arrow"]
        for option, args in (
                ("--to", ["x", "-o", "y.csv"]),
                ("--to", ["x", "-o", "y.jsonl"]),
                ("--to", ["x", "-o", "y.tfrecord"]),
                ("--to", ["x", "-o", "-", "--to", "csv"]),
                ("TFRecord", ["x.jsonl", "-o", "y.arrow"]),
                ("TFRecord", ["x", "--from", "jsonl", "-o", "y.arrow"]),
                ("--features", arrow + ["--features", "age"]),
                ("--sample", arrow + ["--sample", "10000"]),
                ("--sample", arrow + ["--sample", "0"]),
                ("--strict-columns", arrow + ["--strict-columns"])):
            result = self.run_bad(2, "convert", *args, "--spec", "s.json")
            first, hint = result.err.splitlines()
            self.assertIn("--spec", first)
            self.assertIn(option, first)
            self.assertIn("headrace convert --help", hint)
        for verb in ("head", "cat", "count", "schema"):
            self.run_bad(2, verb, "x", "--spec", "s.json")
        self.assertEqual(self.names(), ["s.json", "x", "x.jsonl"])

    def test_the_spec_is_not_overwritten(self):
        self.write_records("x", [example(age=[1])])
        spec = self.read(self.write_spec(AGE))
        os.link(self.folder / "s.json", self.folder / "t.json")
        for out in ("s.json", "./s.json", "t.json"):
            self.run_bad(2, "convert", "x", "--to", "arrow", "-o", out,
                         "--spec", "s.json")
            self.run_bad(2, "validate", "x", "--spec", "s.json", "--rejects",
                         out)
        self.assertEqual(self.read("t.json"), spec)

    def test_rows_that_do_not_fit(self):
        self.write_records("x", [
            example(age=[1]), example(ages=[2]), example(age=[3, 4]),
            example(age=[0.5]), example(age=[5])])
        self.write_spec(AGE)
        args = ("convert", "x", "-o", "y.arrow", "--spec", "s.json")
        result = self.run_bad(1, *args)
        for word in ("x: record 1 at offset", "missing_feature", '"age"',
                     'the record has "ages"'):
            self.assertIn(word, result.err)
        self.assertEqual(self.names(), ["s.json", "x"])
        result = self.run_ok(*args, "--on-row-error", "skip", "--json")
        self.assertEqual(self.table("y.arrow").to_pylist(), [{"age": 1}, {"age": 5}])
        for word in ("skipped x: record 1 at offset", "missing_feature",
                     "skipped x: record 2 at offset", "wrong_count",
                     "skipped x: record 3 at offset", "wrong_kind",
                     "0 damaged regions, 3 bad rows"):
            self.assertIn(word, result.err)
        (summary,) = result.json
        self.assertEqual((summary["records"], summary["rows"],
                          summary["skipped_rows"]), (5, 2, 3))
        self.assertEqual(summary["late_features"], [])
        self.run_ok(*args, "--on-row-error", "skip", "--max-bad", "3")
        self.run_bad(1, *args, "--on-row-error", "skip", "--max-bad", "2")

    def test_features_that_no_record_has(self):
        self.write_records("x", [example(age=[1])])
        self.write_spec(AGE, TAGS, BOX | {"default": [1, 2]})
        result = self.run_ok("convert", "x", "-o", "y.arrow", "--spec",
                             "s.json", "--json")
        self.assertEqual(result.json[0]["absent_features"], ["tags", "box"])
        self.assertIn('no record has feature "box": all rows have', result.err)
        self.assertIn('no record has feature "tags"\n', result.err)

    def test_a_stream_keeps_the_rows_before_the_error(self):
        self.write_records("x", [example(age=[1]), example()])
        self.write_spec(AGE)
        result = self.run_bad(1, "convert", "x", "-o", "-", "--to",
                              "arrow-stream", "--spec", "s.json")
        table = pa.ipc.open_stream(io.BytesIO(result.bytes)).read_all()
        self.assertEqual(table.to_pylist(), [{"age": 1}])


class ValidateTest(SpecTest):
    PAYLOADS = [
        example(age=[1]), example(agee=[2]), example(age=["x"]), b"\xff",
        example(age=[1, 2]), field(1, entry("other", b"\x0a\x01\xff")),
        example(age=[3])]

    def test_each_row_that_does_not_fit_is_a_finding(self):
        self.write_records("x", self.PAYLOADS)
        self.write_spec(AGE)
        result = self.run_program("validate", "--json", "--spec", "s.json",
                                  "--rejects", "bad", "x")
        self.assertEqual(result.code, 1)
        *findings, summary = result.json
        self.assertEqual([f["record"] for f in findings], [1, 2, 3, 4, 5])
        self.assertEqual(
            [f["class"] for f in findings],
            ["missing_feature", "wrong_kind", "malformed", "wrong_count",
             "malformed"])
        offsets = [0]
        for payload in self.PAYLOADS:
            offsets.append(offsets[-1] + len(frame(payload)))
        self.assertEqual([f["offset"] for f in findings], offsets[1:6])
        missing, kind, _, count, _ = findings
        self.assertEqual(
            [(f["file"], f["feature"], f["expected"], f["found"])
             for f in (missing, kind, count)],
            [("x", "age", "int64", "no such feature"),
             ("x", "age", "int64", "bytes"), ("x", "age", "1 value", "2")])
        self.assertIn('the record has "agee"', missing["message"])
        self.assertEqual(summary["findings"], 5)
        self.assertEqual(summary["notes"], 0)
        self.assertEqual(unframe(self.read("bad")), self.PAYLOADS[1:6])

    def test_as_text(self):
        self.write_records("x", self.PAYLOADS)
        self.write_spec(AGE)
        result = self.run_program("validate", "--spec", "s.json", "x")
        self.assertEqual(result.code, 1)
        self.assertIn(': wrong_kind: feature "age": expected int64, found '
                      "bytes", result.out)
        self.assertEqual(result.lines[-1], "1 file, 7 records, 5 findings")
        # Without a spec kinds are notes, and no feature is required.
        result = self.run_program("validate", "x")
        self.assertEqual(result.lines[-1], "1 file, 7 records, 2 findings")

    def test_damage_is_found_too(self):
        data = bytearray(framed([example(age=[1])] * 3))
        data[14] ^= 1
        self.write_spec(AGE)
        self.write("x", data)
        result = self.run_program("validate", "--json", "--spec", "s.json",
                                  "-", stdin=bytes(data))
        self.assertEqual(result.code, 1)
        finding, summary = result.json
        self.assertEqual(finding["class"], "payload_crc")
        self.assertEqual(summary["findings"], 1)

    def test_a_batch_too_large_is_no_finding(self):
        """Records are decoded together, but each is judged alone."""
        self.write_records("x", [
            example(a=[1]), example(a=[0] * 1_000_000),
            *[example(a=[i]) for i in range(200)], example(a=["b"])])
        self.write_spec({"name": "a", "kind": "fixed_len_sequence",
                         "dtype": "int64", "shape": [],
                         "allow_missing": True})
        result = self.run_program("validate", "--json", "--spec", "s.json",
                                  "x")
        finding, summary = result.json
        self.assertEqual((finding["record"], finding["class"]),
                         (202, "wrong_kind"))
        self.assertEqual(summary["findings"], 1)

    def test_all_fit(self):
        self.write_records("x", [example(age=[1], other=["b"])] * 3)
        self.write_spec(AGE)
        result = self.run_ok("validate", "--spec", "s.json", "x")
        self.assertEqual(result.out, "1 file, 3 records, 0 findings\n")


class PlanTest(SpecTest):
    def test_what_it_prints(self):
        self.write_spec(AGE, TAGS, BOX | {"column": "corners"})
        result = self.run_ok("plan", "--spec", "s.json")
        first, *rest = result.lines
        self.assertIn("tf.train.Example", first)
        for line, feature in zip(rest, (AGE, TAGS, BOX), strict=True):
            self.assertIn(json.dumps(feature["name"]), line)
            self.assertIn(feature["kind"], line)
        self.assertIn('"corners"', rest[2])
        self.assertEqual(result.err, "")

    def test_specs_through_a_pipe(self):
        read_end, write_end = os.pipe()
        os.write(write_end, json.dumps({"features": [AGE]}).encode())
        os.close(write_end)
        try:
            result = self.run_program("plan", "--spec", f"/dev/fd/{read_end}",
                                      pass_fds=[read_end])
        finally:
            os.close(read_end)
        self.assertEqual(result.code, 0, result.err)
        self.assertIn('"age"', result.out)

    def write_words_spec(self, path, words="words.txt"):
        (self.folder / path).parent.mkdir(exist_ok=True)
        self.write(path, json.dumps({"features": [{
            "name": "g", "kind": "jagged", "as": "int32", "features": [{
                "name": "x", "kind": "ragged", "dtype": "bytes",
                "map": [{"vocabulary": words, "default": -1}]}]}]}))

    def test_vocabulary_files_are_beside_the_spec(self):
        self.write_words_spec("specs/s.json")
        result = self.run_bad(3, "plan", "--spec", "specs/s.json")
        self.assertIn("headrace: specs/words.txt: not_found: ", result.err)
        self.write("specs/words.txt", b"cat\ndog\n")
        result = self.run_ok("plan", "--spec", "specs/s.json")
        self.assertIn(", vocabulary of 2 keys ", result.out)
        self.write("specs/words.txt", b"cat\ncat\n")
        result = self.run_bad(2, "plan", "--spec", "specs/s.json")
        self.assertIn("headrace: specs/words.txt: bad_spec: ", result.err)
        self.assertIn("line 2", result.err)

    def test_a_pipe_is_no_vocabulary(self):
        os.mkfifo(self.folder / "words.txt")  # opening it would wait forever
        self.write_words_spec("./s.json")
        result = self.run_bad(2, "plan", "--spec", "s.json")
        self.assertIn("words.txt: jagged \"g\": must be a regular file", result.err)

    def test_vocabulary_files_can_be_forbidden(self):
        self.write("words.txt", b"cat\n")
        self.write_words_spec("./s.json")
        self.run_ok("plan", "--spec", "s.json")
        flags = ["--spec", "s.json", "--no-vocabulary-files"]
        result = self.run_bad(2, "plan", *flags)
        self.assertIn("must not name files", result.err)
        self.write_spec(AGE)
        self.run_ok("plan", *flags)
        self.run_bad(2, "plan", "--schema", "s.json", "--no-vocabulary-files")

    def refused(self, code):
        """The error line of all three verbs, for s.json."""
        self.write_records("x", [example(age=[1])])
        lines = set()
        for args in (["plan"], ["validate", "x"],
                     ["convert", "x", "-o", "y.arrow"]):
            result = self.run_bad(code, *args, "--spec", "s.json")
            self.assertEqual(result.out, "")
            lines |= set(result.err.splitlines())
        self.assertNotIn("y.arrow", self.names())
        (line,) = lines
        self.assertIn("s.json: ", line)
        return line

    def test_files_that_cannot_be_read(self):
        self.assertIn("No such file", self.refused(3))
        (self.folder / "s.json").mkdir()
        self.assertIn("directory", self.refused(3))

    # What the library refuses, tests/spec and tests/plan know.
    def test_what_is_refused(self):
        for text, word in (
                ("{\n \"features\": [\n", "line 3"), ("\xff", "line 1"),
                (json.dumps({"features": [AGE | {"shpe": [1]}]}),
                 'did you mean "shape"?'),
                (json.dumps({"features": [AGE, AGE]}), '"age"'),
                (json.dumps({"features": [
                    AGE | {"kind": "fixed_len_sequence"}]}), '"age"')):
            self.write("s.json", text.encode("latin-1"))
            self.assertIn(word, self.refused(2))


class SchemaTest(SpecTest):
    def test_what_it_prints_reads_the_data(self):
        for shape in ("people", "movie", "ids", "sequence", "criteo", "ragged"):
            self.run_ok("gen", "--shape", shape, "--records", "300", "-o", "x")
            self.write("s.json", self.run_ok("schema", "--format", "spec",
                                             "x").bytes)
            self.run_ok("plan", "--spec", "s.json")
            self.run_ok("validate", "--spec", "s.json", "x")
            rows = self.convert()
            records = self.run_ok("cat", "x").json
            self.assertEqual(len(rows), 300)
            spec = json.loads(self.read("s.json"))
            for record, row in zip(records, rows, strict=True):
                features = record.get("context", record)
                for described in spec["features"]:
                    if described["kind"] != "fixed_len":
                        continue
                    name = described["name"]
                    expected = features[name]
                    if not described["shape"]:
                        (expected,) = expected
                    if described["dtype"] == "int64":
                        self.assertEqual(row[name], expected)
                lists = row.get("##SEQUENCE##", {})
                for name, steps in record.get("feature_lists", {}).items():
                    self.assertEqual(len(lists[name]), len(steps))

    def test_groups(self):
        self.write_records("x", [
            example(I1=[1], C1=["a"], y=[0.5]), example(I1=[2], C1=["b", "c"])])
        flags = ["schema", "--format", "spec", "x"]
        spec = self.run_ok(*flags, "--matrix", "I*", "--jagged", "ids=C*").bytes
        self.assertEqual(json.loads(spec), {"message": "example", "features": [
            {"name": "dense", "kind": "matrix", "as": "int64", "features": [
                {"name": "I1", "kind": "fixed_len", "dtype": "int64", "shape": []}]},
            {"name": "ids", "kind": "jagged", "as": "int32", "features": [
                {"name": "C1", "kind": "ragged", "dtype": "bytes",
                 "map": [{"hash_bucket": 1024}]}]},
            {"name": "y", "kind": "var_len", "dtype": "float"}]})
        self.write("s.json", spec)
        self.run_ok("validate", "--spec", "s.json", "x")

    def test_groups_that_are_refused(self):
        self.write_records("x", [example(I1=[1], C1=["a"])])
        for args, text in (
                (["--format", "spec", "--matrix", "C1"],
                 'feature "C1" cannot join matrix "dense": it holds bytes'),
                (["--format", "spec", "--jagged", "D*"],
                 'no feature that has values matches "D*"'),
                (["--format", "tf", "--matrix", "I*"],
                 "tf.io has no groups of features"),
                (["--jagged", "C*"], "go with --format spec only")):
            result = self.run_bad(2, "schema", "x", *args)
            self.assertIn(text, result.err)
            self.assertEqual(result.out, "")

    def test_features_without_kind_are_left_out(self):
        self.write_records("x", [
            sequence({"k": [[1]], "n": [None]}, u=None, v=[1])])
        result = self.run_ok("schema", "--format", "spec", "x")
        self.assertIn('"u": it never has a kind', result.err)
        self.assertIn('"##SEQUENCE##.n": it never has a kind', result.err)
        spec = json.loads(result.out)
        self.assertEqual([f["name"] for f in spec["features"]], ["v"])
        self.assertEqual([f["name"] for f in spec["sequence_features"]], ["k"])
        self.write("s.json", result.bytes)
        self.assertEqual(self.convert(), [{"v": 1, "##SEQUENCE##": {"k": [1]}}])

    def test_odd_names_and_no_features(self):
        for payload in (example(), sequence({}), field(1, entry("", b"")),
                        example(**{"": [1], 'a"\n\x7f\\é': [0.5], "\0": ["x"]}),
                        sequence({"": [[1]]})):
            self.write_records("x", [payload])
            self.write("s.json", self.run_ok("schema", "--format", "spec",
                                             "x").bytes)
            self.run_ok("validate", "--spec", "s.json", "x")
            self.assertEqual(len(self.convert()), 1)
