"""convert to Arrow, read back by pyarrow."""

import io
import random

import pyarrow as pa
from program import CliTest, example, sequence
from wire_bytes import field

PAYLOADS = [
    example(age=[29], name=["Zoë"], score=[4.5, 1.0]),
    example(age=[31], img=[b"\xff\xd8\xff"], unset=None),
    example(),
    example(age=[], name=["a", ""]),
]
ROWS = [
    {"age": [29], "img": None, "name": [b"Zo\xc3\xab"], "score": [4.5, 1.0],
     "unset": None},
    {"age": [31], "img": [b"\xff\xd8\xff"], "name": None, "score": None,
     "unset": None},
    {"age": None, "img": None, "name": None, "score": None, "unset": None},
    {"age": [], "img": None, "name": [b"a", b""], "score": None,
     "unset": None},
]


class ArrowTest(CliTest):
    def stream(self, data):
        """The complete batches, also of a stream that ends in an error."""
        return pa.ipc.open_stream(io.BytesIO(data)).read_all()

    def write_both(self, payloads):
        """The records as x, and as JSON lines in x.jsonl."""
        self.write_records("x", payloads)
        self.write("x.jsonl", self.run_ok("cat", "x").bytes)

    def test_file_and_stream(self):
        self.write_records("x", PAYLOADS)
        for name in ("y.arrow", "y.feather", "y.ipc"):
            self.run_ok("convert", "x", "-o", name)
            table = self.table(name)
            self.assertEqual(table.to_pylist(), ROWS)
            self.assertEqual(table.schema, pa.schema({
                "age": pa.list_(pa.int64()), "img": pa.list_(pa.binary()),
                "name": pa.list_(pa.binary()),
                "score": pa.list_(pa.float32()), "unset": pa.null()}))
        self.run_ok("convert", "x", "-o", "y.arrows")
        self.assertEqual(self.stream(self.read("y.arrows")).to_pylist(), ROWS)
        result = self.run_ok("convert", "-", "--to", "arrow-stream", "-o", "-",
                             stdin=self.read("x"))
        self.assertEqual(self.stream(result.bytes).to_pylist(), ROWS)
        result = self.run_ok("convert", "x", "--to", "arrow", "-o", "-")
        self.assertEqual(pa.ipc.open_file(io.BytesIO(result.bytes)).read_all()
                         .to_pylist(), ROWS)

    def test_the_schema_verb_says_the_same(self):
        self.write_records("x", PAYLOADS)
        schema = self.convert_both().schema
        self.assertEqual(
            [f"{f.name}: {f.type}" for f in schema],
            self.run_ok("schema", "--format", "arrow", "x").lines)

    def test_raw_records_are_one_plain_column(self):
        payloads = [b"", b"\xff\xfe\x00", example(age=[29]), b"longer" * 9]
        self.write_records("x", payloads)
        self.write("x.jsonl", self.run_ok("cat", "--message", "raw", "x").bytes)
        for name in ("x", "x.jsonl"):
            for to, kind in ((), pa.binary()), (("--bytes-as", "large"),
                                                pa.large_binary()):
                self.run_ok("convert", name, "-o", "y.arrow", "--message",
                            "raw", *to)
                table = self.table("y.arrow")
                self.assertEqual(
                    table.schema,
                    pa.schema([pa.field("payload", kind, nullable=False)]))
                self.assertEqual(table["payload"].to_pylist(), payloads)
            self.run_bad(2, "convert", name, "-o", "y.arrow", "--message",
                         "raw", "--features", "payload")
        self.run_bad(1, "convert", "x", "-o", "z.arrow", "--message", "raw",
                     "--bytes-as", "string")

    def test_bytes_as(self):
        self.write_records("x", PAYLOADS)
        types = {"binary": pa.binary(), "large": pa.large_binary(),
                 "view": pa.binary_view()}
        for name, kind in types.items():
            self.run_ok("convert", "x", "-o", "y.arrow", "--bytes-as", name)
            table = self.table("y.arrow")
            self.assertEqual(table.schema.field("img").type, pa.list_(kind))
            self.assertEqual(table.to_pylist(), ROWS)
        self.run_ok("convert", "x", "-o", "y.arrow", "--bytes-as", "string",
                    "--features", "name")
        self.assertEqual(self.table("y.arrow")["name"].to_pylist(),
                         [["Zoë"], None, None, ["a", ""]])
        result = self.run_bad(1, "convert", "x", "-o", "z.arrow",
                              "--bytes-as", "string")
        self.assertIn("x: record 1 at offset", result.err)
        self.assertIn("img", result.err)
        self.assertNotIn("z.arrow", self.names())
        self.run_ok("convert", "x", "-o", "x.jsonl")
        result = self.run_bad(1, "convert", "x.jsonl", "-o", "z.arrow",
                              "--bytes-as", "string")
        self.assertIn("x.jsonl: wrong_kind: line 2: ", result.err)

    def test_batches(self):
        self.write_both([example(a=[i]) for i in range(2500)])
        for args, sizes in (([], [1024, 1024, 452]),
                            (["--batch", "auto"], [1024, 1024, 452]),
                            (["--batch", "1000"], [1000, 1000, 500])):
            for source in ("x", "x.jsonl"):
                self.run_ok("convert", source, "-o", "y.arrow", *args)
                batches = self.table("y.arrow").to_batches()
                self.assertEqual([b.num_rows for b in batches], sizes)

    def test_features_in_the_order_asked_for(self):
        self.write_records("x", PAYLOADS)
        self.run_ok("convert", "x", "-o", "y.arrow", "--features", "score,age")
        self.assertEqual(self.table("y.arrow").column_names, ["score", "age"])

    def test_late_features_are_left_out_and_listed(self):
        self.write_records("x", [example(a=[1], n=None)] * 5 +
                           [example(a=[2], b=[0.5], n=[3])] * 2)
        result = self.run_ok("convert", "x", "-o", "y.arrow", "--sample", "5",
                             "--json")
        self.assertEqual(self.table("y.arrow").column_names, ["a", "n"])
        self.assertEqual(self.table("y.arrow").num_rows, 7)
        self.assertIn('"b" (float) of 2 rows', result.err)
        self.assertIn('"n" (int64) of 2 rows', result.err)
        self.assertEqual(result.json[0]["late_features"], [
            {"name": "b", "kind": "float", "rows": 2},
            {"name": "n", "kind": "int64", "rows": 2}])
        self.assertNotIn("more features", result.err)
        self.run_bad(1, "convert", "x", "-o", "z.arrow", "--sample", "5",
                     "--strict-columns")
        self.assertNotIn("z.arrow", self.names())
        self.run_bad(1, "convert", "x", "-o", "z.arrow", "--sample-bytes", "1",
                     "--strict-columns")
        self.run_ok("convert", "x", "-o", "z.arrow", "--sample", "0",
                    "--strict-columns")
        self.assertEqual(self.table("z.arrow").column_names, ["a", "b", "n"])

    def test_another_kind_is_a_row_error(self):
        self.write_records("x", [example(a=[1]), example(a=[0.5]),
                                 example(a=[2])])
        result = self.run_bad(1, "convert", "x", "-o", "y.arrow")
        for word in ("record 1", '"a"', "int64", "float"):
            self.assertIn(word, result.err)
        result = self.run_ok("convert", "x", "-o", "y.arrow", "--on-row-error",
                             "skip")
        self.assertEqual(self.table("y.arrow")["a"].to_pylist(), [[1], [2]])
        self.assertIn("1 bad row", result.err)

    def test_a_stream_keeps_its_complete_batches(self):
        self.write_records("x", [example(a=[i]) for i in range(25)] +
                           [b"\xff"])
        result = self.run_bad(1, "convert", "x", "-o", "-", "--to",
                              "arrow-stream", "--batch", "10")
        self.assertEqual(self.stream(result.bytes)["a"].to_pylist(),
                         [[i] for i in range(25)])

    def test_an_empty_input(self):
        self.write("x", b"")
        self.run_ok("convert", "x", "-o", "y.arrow")
        self.assertEqual(self.table("y.arrow").num_rows, 0)

    def convert_both(self, *args):
        """The table made of TFRecord, which is that made of JSON lines."""
        message = args if "--message" in args else ()
        self.write("x.jsonl", self.run_ok("cat", "x", *message).bytes)
        self.run_ok("convert", "x", "-o", "y.arrow", *args)
        self.run_ok("convert", "x.jsonl", "-o", "z.arrow", *args)
        table = self.table("y.arrow")
        self.assertTrue(table.equals(self.table("z.arrow")))
        return table

    def convert_sequences(self, payloads, *args):
        self.write_records("x", payloads)
        return self.convert_both(*args)

    def test_sequences(self):
        table = self.convert_sequences([
            sequence({"k": [[1, 2], [], None], "n": [None], "u": [["a"]]},
                     u=[0.5]),
            sequence({"k": []}), example(u=[1.5])])
        self.assertEqual(table.schema, pa.schema({
            "u": pa.list_(pa.float32()),
            "##SEQUENCE##": pa.struct({
                "k": pa.list_(pa.list_(pa.int64())),
                "n": pa.list_(pa.null()),
                "u": pa.list_(pa.list_(pa.binary()))})}))
        none = {"k": None, "n": None, "u": None}
        self.assertEqual(table.to_pylist(), [
            {"u": [0.5], "##SEQUENCE##": {"k": [[1, 2], [], None],
                                          "n": [None], "u": [[b"a"]]}},
            {"u": None, "##SEQUENCE##": none | {"k": []}},
            {"u": [1.5], "##SEQUENCE##": none}])
        self.assertEqual(
            [f"{f.name}: {f.type}" for f in table.schema],
            self.run_ok("schema", "--format", "arrow", "x").lines)
        self.run_ok("convert", "x", "-o", "y.arrow", "--message", "example")
        self.assertEqual(self.table("y.arrow").to_pylist(),
                         [{"u": [0.5]}, {"u": None}, {"u": [1.5]}])

    def test_sequences_without_lists(self):
        payload = field(2, b"")
        table = self.convert_sequences([payload], "--message", "sequence")
        self.assertEqual(table.to_pylist(), [{"##SEQUENCE##": {}}])
        self.assertEqual(
            self.run_ok("schema", "--format", "arrow", "x", "--message",
                        "sequence").lines, ["##SEQUENCE##: struct<>"])

    def test_features_of_sequences(self):
        payloads = [sequence({"k": [[1]], "u": [[2]]}, c=[3], u=[4])]
        for names, row in {
                "k": {"##SEQUENCE##": {"k": [[1]]}}, "c": {"c": [3]},
                "k,c": {"c": [3], "##SEQUENCE##": {"k": [[1]]}},
                "u": {"u": [4], "##SEQUENCE##": {"u": [[2]]}}}.items():
            table = self.convert_sequences(payloads, "--features", names)
            self.assertEqual(table.to_pylist(), [row])
        for source in ("x", "x.jsonl"):
            self.run_bad(2, "convert", source, "-o", "z.arrow", "--features",
                         "nope")

    def test_sequences_are_no_csv(self):
        self.write_both([sequence({"k": [[1]]}, u=[7])])
        for source in ("x", "x.jsonl"):
            result = self.run_bad(2, "convert", source, "-o", "y.csv")
            self.assertIn("--message example", result.err)
            self.assertNotIn("y.csv", self.names())
            self.run_ok("convert", source, "-o", "z.csv", "--features", "u")
            self.assertEqual(self.read("z.csv"), b"u\r\n7\r\n")

    def test_late_feature_lists(self):
        payloads = [sequence({"n": [None]}, a=[1])] * 5
        payloads += [sequence({"a": [[0.5]], "n": [["x"]]}, a=[2])] * 2
        self.write_both(payloads)
        for source in ("x", "x.jsonl"):
            result = self.run_ok("convert", source, "-o", "y.arrow",
                                 "--sample", "5", "--json")
            self.assertIn('"##SEQUENCE##.a" (float) of 2 rows', result.err)
            self.assertNotIn("more features", result.err)
            self.assertEqual(result.json[0]["late_features"], [
                {"name": "##SEQUENCE##.a", "kind": "float", "rows": 2},
                {"name": "##SEQUENCE##.n", "kind": "bytes", "rows": 2}])
            self.assertEqual(self.table("y.arrow").to_pylist(), [
                {"a": [1 + (i > 4)], "##SEQUENCE##": {"n": [None]}}
                for i in range(7)])

    def test_steps_of_another_kind_are_row_errors(self):
        payloads = [sequence({"k": [[1]]})] * 3
        payloads.insert(1, sequence({"k": [[1], [0.5]]}))
        self.write_both(payloads)
        for source, place in (("x", "record 1 "), ("x.jsonl", "line 2: ")):
            result = self.run_bad(1, "convert", source, "-o", "y.arrow")
            for word in (place, 'feature list "k", step 1', "expected int64",
                         "found float"):
                self.assertIn(word, result.err)
            result = self.run_bad(1, "convert", source, "-o", "-", "--to",
                                  "arrow-stream")
            self.assertEqual(self.stream(result.bytes).num_rows, 1)
            result = self.run_ok("convert", source, "-o", "y.arrow",
                                 "--on-row-error", "skip")
            self.assertEqual(self.table("y.arrow").num_rows, 3)
            self.assertIn("1 bad row", result.err)
            self.run_bad(1, "convert", source, "-o", "z.arrow",
                         "--on-row-error", "skip", "--max-bad", "0")

    def test_any_sequences_are_the_same_from_both(self):
        def value(rng):
            return rng.choice([None, [], [1], [1, 2], [1, 2], [0.5], ["a"]])
        for seed in range(20):
            rng = random.Random(seed)
            payloads = [sequence({})]
            for _ in range(60):
                context = {k: value(rng) for k in rng.sample("ab", 1)}
                lists = {k: [value(rng) for _ in range(rng.randrange(3))]
                         for k in rng.sample("abcd", rng.randrange(3))}
                payloads.append(sequence(lists, **context)
                                if rng.randrange(9) else example(**context))
            self.write_both(payloads)
            tables, summaries = [], []
            for source in ("x", "x.jsonl"):
                # A small sample may show no entry of a feature list.
                result = self.run_ok(
                    "convert", source, "-o", "y.arrow", "--message",
                    "sequence", "--on-row-error",
                    "skip", "--sample", 1 + seed, "--batch", "7", "--json")
                tables.append(self.table("y.arrow"))
                summaries.append([result.json[0][key] for key in (
                    "records", "rows", "skipped_rows", "late_features")])
            self.assertTrue(tables[0].equals(tables[1]), seed)
            self.assertEqual(*summaries)

    def test_sample_data(self):
        for shape in ("people", "criteo", "ragged", "sequence", "movie"):
            self.run_ok("gen", "--shape", shape, "--records", "300", "-o", "x")
            self.assertEqual(self.convert_both().num_rows, 300)
