"""schema --format spec, pbtxt and tf: what is inferred, as others read it."""

import ast
import json

from program import CliTest, example, feature, sequence
from wire_bytes import entry, field

VARIED = [
    example(one=[1], three=[0.5] * 3, varying=["a"], some=[1], never=None,
            empty=[]),
    example(one=[2], three=[1.5] * 3, varying=["a", "b"], never=None,
            empty=[])]

STEPS = [
    sequence({"ids": [[1], [2]], "emb": [[0.5, 1.5]], "v": [["a"]]}, u=[7]),
    sequence({"ids": [], "v": [["a", "b"]]}, u=[8])]

# Every character that some syntax minds, and some that terminals obey.
ODD = "q\"'\\\n\t\r\x00\x1b\x7f\u009b\u202e\u2028{}#é李\U0001f600"


class PbtxtTest(CliTest):
    def pbtxt(self, *args):
        return self.run_ok("schema", "--format", "pbtxt", *args).out

    def test_an_example(self):
        self.write_records("x", [example(box=[0.5, 1.5], tags=["a"]),
                                 example(box=[2.5, 3.5], tags=["b", "c"]),
                                 example(box=[4.5, 5.5])])
        self.assertEqual(self.pbtxt("x"), """\
feature {
  name: "box"
  type: FLOAT
  presence {
    min_fraction: 1.0
    min_count: 1
  }
  shape {
    dim {
      size: 2
    }
  }
}
feature {
  name: "tags"
  value_count {
    min: 1
    max: 2
  }
  type: BYTES
  presence {
    min_count: 1
  }
}
""")

    def test_a_sequence(self):
        self.write_records("x", STEPS)
        always = "presence { min_fraction: 1.0 min_count: 1 }"
        self.assertEqual(self.pbtxt("x").split(), f"""
            feature {{ name: "u" type: INT {always}
              shape {{ dim {{ size: 1 }} }} }}
            feature {{ name: "##SEQUENCE##" type: STRUCT struct_domain {{
              feature {{ name: "emb" type: FLOAT presence {{ min_count: 1 }}
                value_counts {{ value_count {{ min: 1 max: 1 }}
                  value_count {{ min: 2 max: 2 }} }} }}
              feature {{ name: "ids" type: INT {always}
                value_counts {{ value_count {{ min: 0 max: 2 }}
                  value_count {{ min: 1 max: 1 }} }} }}
              feature {{ name: "v" type: BYTES {always}
                value_counts {{ value_count {{ min: 1 max: 1 }}
                  value_count {{ min: 1 max: 2 }} }} }} }} }}""".split())

    def test_names_are_escaped(self):
        self.write_records("x", [example(**{ODD: [1]}),
                                 field(1, entry("", feature([2])))])
        names = [line for line in self.pbtxt("x").split("\n")
                 if line.startswith("  name: ")]
        self.assertEqual(names, [
            '  name: ""',
            r'  name: "q\"\'\\\n\t\r\000\033\177\302\233' +
            '\u202e\u2028{}#é李\U0001f600"'])

    def test_a_sample(self):
        self.write_records("x", [example(a=[1]), example()])
        self.assertIn("min_fraction: 1.0", self.pbtxt("--sample", "1", "x"))
        self.assertNotIn("min_fraction", self.pbtxt("x"))


class SpecTest(CliTest):
    def spec(self):
        return json.loads(self.run_ok("schema", "--format", "spec", "x").out)

    def test_examples(self):
        self.write_records("x", VARIED)
        self.assertEqual(self.spec(), {"message": "example", "features": [
            {"name": "empty", "kind": "var_len", "dtype": "int64"},
            {"name": "one", "kind": "fixed_len", "dtype": "int64", "shape": []},
            {"name": "some", "kind": "var_len", "dtype": "int64"},
            {"name": "three", "kind": "fixed_len", "dtype": "float",
             "shape": [3]},
            {"name": "varying", "kind": "var_len", "dtype": "bytes"}]})

    def test_sequences(self):
        self.write_records("x", STEPS)
        self.assertEqual(self.spec(), {
            "message": "sequence_example",
            "features": [{"name": "u", "kind": "fixed_len", "dtype": "int64",
                          "shape": []}],
            "sequence_features": [
                {"name": "emb", "kind": "fixed_len_sequence",
                 "dtype": "float", "shape": [2], "allow_missing": True},
                {"name": "ids", "kind": "fixed_len_sequence",
                 "dtype": "int64", "shape": [], "allow_missing": False},
                {"name": "v", "kind": "var_len", "dtype": "bytes"}]})


class TfTest(CliTest):
    def tf(self, *args):
        return self.run_ok("schema", "--format", "tf", *args).out

    def test_examples(self):
        self.write_records("x", VARIED)
        self.assertEqual(self.tf("x"), """\
import tensorflow as tf

features = {
    "empty": tf.io.VarLenFeature(tf.int64),
    "one": tf.io.FixedLenFeature([], tf.int64),
    "some": tf.io.VarLenFeature(tf.int64),
    "three": tf.io.FixedLenFeature([3], tf.float32),
    "varying": tf.io.VarLenFeature(tf.string),
}
""")

    def test_sequences(self):
        self.write_records("x", STEPS)
        self.assertEqual(self.tf("x"), """\
import tensorflow as tf

context_features = {
    "u": tf.io.FixedLenFeature([], tf.int64),
}

sequence_features = {
    "emb": tf.io.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
    "ids": tf.io.FixedLenSequenceFeature([], tf.int64),
    "v": tf.io.VarLenFeature(tf.string),
}
""")

    def test_names_are_literals(self):
        self.write_records("x", [example(**{ODD: [1], "": [2]})])
        module = ast.parse(self.tf("x"))
        keys = [ast.literal_eval(key) for key in module.body[1].value.keys]
        self.assertEqual(keys, ["", ODD])
        for c in self.tf("x"):
            self.assertTrue(c == "\n" or c.isprintable(), repr(c))


class BothTest(CliTest):
    def test_tensors_in_bytes_are_named(self):
        tensor = bytes.fromhex("080112041202080222080000c03f00002040")
        self.write_records("x", [example(t=[tensor], b=[b"\x08\x01"])])
        result = self.run_ok("schema", "--format", "spec", "x")
        self.assertIn('feature "t" holds TensorProtos, the first of float [2]: '
                      '"encoding": "tensor_proto"', result.err)
        self.assertNotIn('"b"', result.err)
        self.assertNotIn("TensorProto", self.run_ok("schema", "x").err)

    def test_untyped_features_are_left_out_and_named(self):
        self.write_records("x", VARIED)
        result = self.run_ok("schema", "--format", "pbtxt", "x")
        self.assertIn('name: "never"\n  type: BYTES', result.out)
        self.assertIn('feature "never" never has a kind: BYTES is a guess', result.err)
        for name in ("spec", "tf"):
            result = self.run_ok("schema", "--format", name, "x")
            self.assertNotIn("never", result.out)
            self.assertIn('left out feature "never": it never has a kind',
                          result.err)

    def test_nothing_is_valid_too(self):
        self.write_records("none", [])
        self.write_records("empty", [b"", b""])
        for name in ("none", "empty"):
            args = ["schema", "--message", "example", name]
            self.assertEqual(
                self.run_ok(*args, "--format", "pbtxt").out, "")
            self.assertEqual(
                self.run_ok(*args, "--format", "tf").out,
                "import tensorflow as tf\n\nfeatures = {}\n")
            args[2] = "sequence"
            self.assertEqual(
                self.run_ok(*args, "--format", "tf").out,
                "import tensorflow as tf\n\ncontext_features = {}\n\n"
                "sequence_features = {}\n")

    def test_two_kinds_are_a_finding(self):
        self.write_records("x", [example(a=[1]), example(a=[0.5])])
        for name in ("pbtxt", "tf"):
            result = self.run_bad(1, "schema", "--format", name, "x")
            self.assertIn('feature "a" has two kinds', result.err)
            self.assertIn('"a"', result.out)

    def test_they_are_no_json(self):
        self.write_records("x", [example(a=[1])])
        for name in ("pbtxt", "tf", "arrow"):
            result = self.run_bad(2, "schema", "--json", "--format", name, "x")
            self.assertIn("--json", result.err)
            self.assertEqual(result.out, "")
