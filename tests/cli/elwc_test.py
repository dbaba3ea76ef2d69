"""Lists of Examples with a context: --message elwc."""

import json

import program
from program import CliTest
from wire_bytes import blobs, elwc, floats, ints, unframe

LISTS = [
    elwc([{"n": ints(1), "t": blobs(b"x")}, {"n": ints(2)}], {"q": ints(7)}),
    elwc([], None),
    elwc([{"f": floats(0.5), "n": ints(3)}, {}], {}),
]
LINES = [
    {"context": {"q": [7]}, "examples": [{"n": [1], "t": ["x"]}, {"n": [2]}]},
    {"examples": []},
    {"context": {}, "examples": [{"f": [0.5], "n": [3]}, {}]},
]


class ElwcTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write_records("x", LISTS)

    def test_cat_and_back(self):
        lines = self.run_ok("cat", "--message", "elwc", "x").out
        self.assertEqual([json.loads(line) for line in lines.splitlines()], LINES)
        self.write("x.jsonl", lines.encode())
        for message in (["--message", "elwc"], []):
            self.run_ok("convert", *message, "--from", "jsonl", "--to", "tfrecord",
                        "x.jsonl", "-o", "y")
            self.assertEqual(unframe(self.read("y")), LISTS)

    def test_jsonl_of_convert_and_head_are_those_of_cat(self):
        lines = self.run_ok("cat", "--message", "elwc", "x").out
        self.run_ok("convert", "--message", "elwc", "--to", "jsonl", "x", "-o", "y")
        self.assertEqual(self.read("y").decode(), lines)
        head = self.run_ok("head", "--message", "elwc", "--format", "jsonl", "x")
        self.assertEqual(head.out, lines)

    def test_features_are_chosen_in_context_and_examples(self):
        head = self.run_ok("head", "--message", "elwc", "--format", "jsonl",
                           "--features", "n", "x")
        self.assertEqual(json.loads(head.out.splitlines()[0]),
                         {"context": {}, "examples": [{"n": [1]}, {"n": [2]}]})

    def test_head_counts_examples(self):
        self.write_records("long", [elwc([{"n": ints(i)} for i in range(99)], {})])
        table = self.run_ok("head", "long").out
        self.assertIn("99 Examples]", table)
        self.assertNotIn("step", table)

    def test_head_shows_features_over_the_list(self):
        self.assertIn("[[1], [2]]",
                      self.run_ok("head", "--message", "elwc", "-n", "1", "x").out)

    def test_schema(self):
        table = self.run_ok("schema", "--message", "elwc", "x").out
        for name in ("q", "n", "t", "f"):
            self.assertIn(name, table)
        spec = json.loads(
            self.run_ok("schema", "--message", "elwc", "--format", "spec", "x").out)
        self.assertEqual(spec["message"], "elwc")
        self.assertEqual([f["name"] for f in spec["example_features"]],
                         ["f", "n", "t"])
        self.write("spec.json", json.dumps(spec).encode())
        self.run_ok("validate", "--spec", "spec.json", "x")
        found = self.run_ok("schema", "--message", "elwc", "--json", "x").json[0]
        self.assertEqual(found["message"], "elwc")
        self.assertEqual([f["name"] for f in found["example_features"]],
                         ["f", "n", "t"])
        source = self.run_ok("schema", "--message", "elwc", "--format", "tf", "x").out
        self.assertIn("example_spec = {", source)
        self.assertIn('"n": tf.io.VarLenFeature(tf.int64)', source)
        self.assertEqual(
            self.run_program("schema", "--message", "elwc", "--format", "pbtxt",
                         "x").code, 2)

    def test_tensorflow_source_has_the_defaults_of_the_spec(self):
        self.write_records("full", [
            elwc([{"n": ints(1), "p": floats(1, 2), "t": blobs(b"x")}], {})])
        source = self.run_ok("schema", "--format", "tf", "full").out
        for line in ('"n": tf.io.FixedLenFeature([], tf.int64, 0)',
                     '"p": tf.io.FixedLenFeature([2], tf.float32, [0.0] * 2)',
                     '"t": tf.io.FixedLenFeature([], tf.string, b"")'):
            self.assertIn(line, source)

    def test_validate_finds_bad_examples(self):
        self.write_records("bad", [LISTS[0], b"\x0a\x01\xff", LISTS[2]])
        bad = self.run_program("validate", "--message", "elwc", "--json", "bad")
        self.assertEqual(bad.code, 1)
        self.assertEqual(json.loads(bad.out.splitlines()[0])["record"], 1)
        self.run_ok("validate", "--message", "elwc", "x")

    def test_validate_with_a_spec(self):
        spec = {"message": "elwc", "example_features": [
            {"name": "n", "kind": "fixed_len", "dtype": "float", "shape": []}]}
        self.write("spec.json", json.dumps(spec).encode())
        bad = self.run_program("validate", "--spec", "spec.json", "x")
        self.assertEqual(bad.code, 1)
        self.assertIn("Example 0 of the list", bad.out)

    def test_convert_to_arrow(self):
        self.run_ok("convert", "--message", "elwc", "x", "-o", "x.arrow")
        self.assertIn(b"examples", self.read("x.arrow"))

    def test_auto_reads_what_looks_like_lists_and_says_so(self):
        for verb in (["cat"], ["head"], ["head", "--format", "jsonl"], ["schema"],
                     ["schema", "--format", "spec"], ["validate"],
                     ["convert", "--to", "jsonl", "-o", "-"]):
            said = self.run_ok(*verb, "x")
            self.assertEqual(said.err.count("--message elwc"), 1, said.err)
            explicit = self.run_ok(*verb, "--message", "elwc", "x")
            self.assertEqual(said.out, explicit.out, verb)
        said = self.run_ok("get", "x", "0")
        self.assertEqual(said.err.count("--message elwc"), 1, said.err)
        self.assertEqual(json.loads(said.out), LINES[0])
        self.run_ok("convert", "x", "-o", "auto.arrow")
        self.run_ok("convert", "--message", "elwc", "x", "-o", "elwc.arrow")
        self.assertEqual(self.read("auto.arrow"), self.read("elwc.arrow"))

    def test_what_has_no_lists_refuses_what_looks_like_them(self):
        for verb in (["stats"], ["schema", "--format", "pbtxt"]):
            said = self.run_program(*verb, "x")
            self.assertEqual(said.code, 2)
            self.assertIn("Examples", said.err)

    def test_another_message_is_told_what_the_records_look_like(self):
        # Its bytes are not UTF-8, which keys must be.
        self.write_records("bytes", [elwc([{"t": blobs(b"\xff")}], None)])
        for verb in (["cat"], ["head"], ["schema"], ["stats"], ["validate"],
                     ["convert", "--to", "jsonl", "-o", "-"],
                     ["convert", "--to", "arrow", "-o", "y.arrow"]):
            said = self.run_program(*verb, "--message", "example", "bytes")
            self.assertEqual(said.code, 1, verb)
            self.assertIn("looks like an ExampleListWithContext",
                          said.err + said.out)
            self.assertNotIn("raw", said.err)

    def test_gen(self):
        self.run_ok("gen", "--shape", "elwc", "--records", "3", "-o", "g")
        lines = self.run_ok("cat", "--message", "elwc", "g").out.splitlines()
        self.assertEqual([len(json.loads(line)["examples"]) for line in lines],
                         [100] * 3)
        self.assertEqual(len(json.loads(lines[0])["examples"][0]), 20)

    def test_statistics_are_refused(self):
        self.assertEqual(self.run_program("stats", "--message", "elwc", "x").code, 2)


if __name__ == "__main__":
    program.main()
