"""--schema of convert, validate and plan."""

import os

import pyarrow as pa
from program import CliTest, example, sequence

PEOPLE = """
feature { name: "tags" type: BYTES }
feature { name: "age" type: INT shape {} presence { min_fraction: 1 } }
"""
LISTS = """
feature {
  name: "##SEQUENCE##" type: STRUCT
  struct_domain {
    feature { name: "x" type: INT }
    feature { name: "y" type: FLOAT }
  }
}
feature { name: "id" type: INT }
"""


class SchemaTest(CliTest):
    def convert(self, *args, schema=PEOPLE):
        self.write("s.pbtxt", schema)
        self.run_ok("convert", "x", "-o", "y.arrow", "--schema", "s.pbtxt",
                    *args)
        return self.table("y.arrow")


class ConvertTest(SchemaTest):
    def setUp(self):
        super().setUp()
        self.write_records("x", [example(age=[29], tags=["a", "b"], more=[1]),
                                 example(age=[31])])

    def test_columns_in_the_order_of_the_schema(self):
        table = self.convert()
        self.assertEqual(table.column_names, ["tags", "age"])
        self.assertEqual(table.to_pylist(), [
            {"tags": [b"a", b"b"], "age": [29]}, {"tags": None, "age": [31]}])
        self.assertEqual(table.schema.field("age").type.value_type, pa.int64())

    def test_tensors(self):
        table = self.convert("--tensors")
        self.assertEqual(table.to_pylist(), [
            {"tags": [b"a", b"b"], "age": 29}, {"tags": [], "age": 31}])

    def test_features_leave_columns_and_tensors(self):
        self.assertEqual(self.convert("--features", "age").column_names,
                         ["age"])
        table = self.convert("--features", "age", "--tensors")
        self.assertEqual(table.to_pylist(), [{"age": 29}, {"age": 31}])
        for extra in ([], ["--tensors"]):
            result = self.run_bad(2, "convert", "x", "-o", "z.arrow",
                                  "--schema", "s.pbtxt", "--features", "agee",
                                  *extra)
            self.assertIn("agee", result.err)

    # What is left out need not even be of the right kind.
    def test_a_projection_is_not_decoded(self):
        self.write_records("x", [example(age=[29], tags=[1])])
        self.assertEqual(self.convert("--features", "age").to_pylist(),
                         [{"age": [29]}])
        self.assertEqual(
            self.convert("--features", "age", "--tensors").to_pylist(),
            [{"age": 29}])
        self.run_bad(1, "convert", "x", "-o", "z.arrow", "--schema", "s.pbtxt")

    def test_csv(self):
        self.write("s.pbtxt", PEOPLE)
        result = self.run_ok("convert", "x", "-o", "-", "--to", "csv",
                             "--schema", "s.pbtxt", "--features", "age")
        self.assertEqual(result.out.splitlines(), ["age", "29", "31"])
        result = self.run_bad(2, "convert", "x", "-o", "-", "--to", "csv",
                              "--schema", "s.pbtxt", "--tensors")
        self.assertIn("--schema: tensors go", result.err)

    def test_a_record_that_does_not_fit(self):
        self.write_records("x", [example(age=[1]), example(age=[1, 2])])
        self.assertEqual(len(self.convert()), 2)
        result = self.run_bad(1, "convert", "x", "-o", "z.arrow", "--schema",
                              "s.pbtxt", "--tensors")
        self.assertIn("record 1", result.err)
        self.assertIn("wrong_count", result.err)
        self.assertFalse(os.path.exists(self.folder / "z.arrow"))

    def test_a_serialized_schema(self):
        self.write("s.pb", b"\x0a\x07\x0a\x03age\x30\x02")
        result = self.run_ok("plan", "--schema", "s.pb")
        self.assertIn('"age": list<int64>', result.out)

    def test_features_defined_twice_are_mentioned(self):
        self.write("s.pbtxt", PEOPLE + 'feature { name: "age" type: INT }')
        result = self.run_ok("plan", "--schema", "s.pbtxt")
        self.assertIn('feature "age" is defined more than once', result.err)


class SequenceTest(SchemaTest):
    def setUp(self):
        super().setUp()
        self.write_records("x", [sequence({"x": [[1], [2, 3]]}, id=[7]),
                                 sequence({"y": [[0.5]]})])

    def test_columns(self):
        self.assertEqual(self.convert(schema=LISTS).to_pylist(), [
            {"id": [7], "##SEQUENCE##": {"x": [[1], [2, 3]], "y": None}},
            {"id": None, "##SEQUENCE##": {"x": None, "y": [[0.5]]}}])

    def test_tensors(self):
        table = self.convert("--tensors", schema=LISTS)
        self.assertEqual(table.to_pylist()[0]["##SEQUENCE##"], {
            "##SEQUENCE##.x": [[1], [2, 3]], "##SEQUENCE##.y": []})

    def test_the_schema_decides_the_message(self):
        self.write("s.pbtxt", LISTS)
        result = self.run_bad(2, "convert", "x", "-o", "z.arrow", "--schema",
                              "s.pbtxt", "--message", "example")
        self.assertIn("##SEQUENCE##", result.err)
        table = self.convert("--message", "sequence",
                             schema='feature { name: "id" type: INT }')
        self.assertEqual(table.to_pylist(), [{"id": [7]}, {"id": None}])


class ValidateTest(SchemaTest):
    def test_rows_that_do_not_fit_are_findings(self):
        self.write("s.pbtxt", PEOPLE)
        self.write_records("x", [example(age=[1]), example(age=[1, 2]),
                                 example(tags=["a"]), example(age=["b"])])
        result = self.run_program("validate", "x", "--schema", "s.pbtxt",
                                  "--quiet")
        self.assertEqual(result.code, 1)
        for text in ("record 1", "wrong_count", "record 2", "missing_feature",
                     "record 3", "wrong_kind", "3 findings"):
            self.assertIn(text, result.out)


class RefusalTest(SchemaTest):
    def test_schemas(self):
        for schema, args, words in (
                ('feature {\n  name "a"\n}', [], ["line 2, column 8"]),
                ("baseline { feature {} }", [], ["Anomalies"]),
                ('feature { name: "a" type: INT shape {} }', ["--tensors"],
                 ['feature "a"', "(I3)"]),
                ('feature { name: "a" }', [], ["TYPE_UNKNOWN"])):
            self.write("s.pbtxt", schema)
            result = self.run_bad(2, "plan", "--schema", "s.pbtxt", *args)
            self.assertEqual(result.err.count("\n"), 1, result.err)
            for word in ["s.pbtxt", *words]:
                self.assertIn(word, result.err)

    def test_options(self):
        self.write("s.pbtxt", PEOPLE)
        self.write("s.json", '{"features": []}')
        self.write_records("x", [example(age=[1])])
        for args in (["--tensors"],
                     ["--spec", "s.json", "--tensors"],
                     ["--spec", "s.json", "--schema", "s.pbtxt"],
                     ["--schema", "-"],
                     ["--schema", "s.pbtxt", "--sample", "3"],
                     ["--schema", "s.pbtxt", "--to", "jsonl"]):
            result = self.run_bad(2, "convert", "x", "-o", "z.arrow", *args)
            self.assertTrue(result.err)
        self.run_bad(2, "plan")
        self.run_bad(3, "plan", "--schema", "nowhere")
        self.run_bad(2, "convert", "x", "-o", "s.pbtxt", "--to", "arrow",
                     "--schema", "s.pbtxt")


class RoundTripTest(SchemaTest):
    # What `schema` infers reads what it was inferred from.
    def test_inferred_schemas_read_their_data(self):
        for shape in ("people", "movie", "criteo", "ragged", "sequence"):
            with self.subTest(shape):
                self.run_ok("gen", "-o", "x", "--shape", shape, "--records",
                            "300", "--quiet")
                schema = self.run_ok("schema", "x", "--format", "pbtxt",
                                     "--quiet").out
                self.assertEqual(len(self.convert(schema=schema)), 300)
                self.assertEqual(len(self.convert("--tensors",
                                                  schema=schema)), 300)

    def test_inferred_domains_fit_their_data(self):
        for shape in ("people", "movie", "criteo", "ragged", "sequence"):
            with self.subTest(shape):
                self.run_ok("gen", "-o", "x", "--shape", shape, "--records",
                            "300", "--quiet")
                schema = self.run_ok("schema", "x", "--format", "pbtxt",
                                     "--domains", "--quiet").out
                self.assertIn("_domain {", schema)
                self.assertEqual(len(self.convert(schema=schema)), 300)
                self.run_ok("stats", "x", "--schema", "s.pbtxt")

    def test_domains_are_findings_in_other_data(self):
        self.write_records("x", [example(age=[1], name=[b"a"]),
                                 example(age=[9], name=[b"bc"]), example()])
        schema = self.run_ok("schema", "x", "--format", "pbtxt",
                             "--domains").out
        self.assertIn("    min: 1\n    max: 9\n", schema)
        self.assertIn('  value: "bc"\n', schema)
        self.write("s.pbtxt", schema)
        self.write_records("y", [example(age=[10], name=[b"c"])])
        result = self.run_bad(1, "stats", "y", "--schema", "s.pbtxt",
                              "--format", "json")
        self.assertIn('feature "age": INT_TYPE_BIG_INT', result.err)
        self.assertIn('the domain lacks "c"', result.err)
        self.run_bad(2, "schema", "x", "--domains")
