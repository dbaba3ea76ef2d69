"""What is left out, or is another message than was thought, is said."""

import json

from program import CliTest, example, sequence
import wire_bytes

# As an event file of TensorBoard has them.
EVENT = b"\x09" + bytes(8) + b"\x1a\x0dbrain.Event:2"
OTHER = (f"none of the first 3 records has a feature, though they have "
         f"{3 * len(EVENT)} bytes: they seem to hold another message (an event "
         f"file of TensorBoard?); --message raw reads payloads")
LISTS = ("left out the feature lists of 3 records, which are read as "
         "Examples; --message sequence_example reads them")

# Each reads the records of x; "-o" asks for an output.
VERBS = [["head", "x"], ["head", "--format", "jsonl", "x"], ["cat", "x"],
         ["schema", "x"], ["schema", "--format", "spec", "x"], ["stats", "x"],
         ["get", "x", "0:3"], ["convert", "x", "-o", "y.jsonl"],
         ["convert", "x", "-o", "y.arrow"],
         ["convert", "x", "-o", "y.tfrecord", "--features", "a"]]


def lookalike(data):
    """An Example with an unknown field where feature lists would be."""
    return example(a=[1]) + b"\x12" + bytes([len(data)]) + data


class NoticesTest(CliTest):
    def spec(self, key, default=None):
        feature = {"name": key, "kind": "fixed_len", "dtype": "int64", "shape": []}
        if default is not None:
            feature["default"] = [default]
        self.write("s.json", json.dumps({"features": [feature]}))
        return ["--spec", "s.json"]

    def test_every_verb_says_that_records_hold_another_message(self):
        self.write_records("x", [EVENT] * 3)
        for verb in VERBS:
            for message in [], ["--message", "example"], ["--message", "sequence_example"]:
                with self.subTest(verb=verb, message=message):
                    result = self.run_program(*verb, *message)
                    self.assertEqual(result.err.count(OTHER), 1, result.err)
                    for name in "y.jsonl", "y.arrow", "y.tfrecord":
                        (self.folder / name).unlink(missing_ok=True)

    def test_under_quiet_too(self):
        self.write_records("x", [EVENT] * 3)
        self.assertIn(OTHER, self.run_ok("cat", "--quiet", "x").err)

    def test_standard_input(self):
        self.write_records("x", [EVENT] * 3)
        for verb in ["head"], ["cat"], ["schema"], ["convert", "-o", "y.jsonl"]:
            result = self.run_ok(*verb, "-", stdin=self.read("x"))
            self.assertIn(OTHER, result.err)

    def test_no_verb_says_it_of_others(self):
        for records in [[b""] * 3, [b"\x0a\x00"] * 3, [EVENT, example(a=[1]), EVENT]]:
            self.write_records("x", records)
            for verb in VERBS[:-1]:
                result = self.run_ok(*verb)
                self.assertNotIn("another message", result.err, verb)
        self.write_records("x", [EVENT] * 3)
        for verb in ["head", "x"], ["cat", "--format", "raw", "x"], ["convert", "x", "-o", "z.arrow"]:
            args = [] if "raw" in verb else ["--message", "raw"]
            self.assertNotIn("another", self.run_ok(*verb, *args).err)

    def test_validate_finds_it(self):
        self.write_records("x", [EVENT] * 3)
        result = self.run_program("validate", "x")
        self.assertEqual(result.code, 1)
        self.assertIn("x: malformed: " + OTHER, result.out)
        self.assertIn("1 finding", result.out)
        finding, summary = self.run_program("validate", "--json", "x").json
        self.assertEqual(finding["message"], OTHER)
        self.assertEqual(summary["findings"], 1)
        self.run_ok("validate", "--message", "raw", "x")

    def test_a_spec_fails(self):
        self.write_records("x", [EVENT] * 3)
        result = self.run_bad(1, "convert", "x", "-o", "y.arrow", *self.spec("a", 0))
        self.assertIn("x: malformed: none of the first 3 records has a feature",
                      result.err)
        self.assertEqual(self.names(), ["s.json", "x"])

    def test_convert_reports_it(self):
        self.write_records("x", [EVENT] * 3)
        for output in "y.arrow", "y.jsonl":
            (summary,) = self.run_ok("convert", "x", "-o", output, "--json").json
            self.assertEqual(summary["notices"],
                             [{"kind": "other_message", "text": OTHER}])

    def test_misspelt_features(self):
        self.write_records("x", [example(age=[1])] * 3)
        text = 'none of the first 3 records has "ages"; did you mean "age"?'
        result = self.run_ok("convert", "x", "-o", "y.arrow", "--json",
                             *self.spec("ages", 0))
        self.assertEqual(result.err.count('"ages"'), 1)
        self.assertIn("warning: " + text, result.err)
        self.assertEqual(result.json[0]["notices"],
                         [{"kind": "misspelt", "text": text}])
        for verb in ["validate", "x"], ["get", "x", "0:3"]:
            result = self.run_ok(*verb, *self.spec("ages", 0))
            self.assertIn('"ages"; did you mean "age"?', result.err)

    def test_features_that_no_record_has_may_be_errors(self):
        self.write_records("x", [example(age=[1])] * 3)
        args = ["convert", "x", "-o", "y.arrow", "--on-absent"]
        for key in "ages", "zebra":
            result = self.run_bad(1, *args, "error", *self.spec(key, 0))
            self.assertIn(f'missing_feature: none of the first 3 records has "{key}"',
                          result.err)
            self.assertEqual(self.names(), ["s.json", "x"])
        result = self.run_ok(*args, "ignore", "--quiet", *self.spec("ages", 0))
        self.assertEqual(result.err, "")
        self.run_ok(*args, "error", *self.spec("age", 0))
        self.assertIn("--on-absent goes with --spec",
                      self.run_bad(2, *args, "error").err)

    def test_feature_lists_that_only_look_like_some(self):
        for data in b"song.mid", b"\x19" + bytes(8), b"":
            self.write_records("x", [lookalike(data)] * 3)
            for verb in VERBS:
                result = self.run_ok(*verb)
                self.assertEqual(result.err.replace("reading them", "").count(
                    "feature lists"), 0, result.err)
            self.assertEqual(self.run_ok("cat", "x").json, [{"a": [1]}] * 3)
        self.write_records("x", [sequence({"": []})])
        self.assertIn("reading them as --message sequence_example",
                      self.run_ok("head", "x").err)

    def test_feature_lists_left_out(self):
        """Whoever chose Examples."""
        lists = sequence({"l": [[1]]}, a=[1])
        for records, message in [
            ([example(a=[1])] * 100 + [lists] * 3, []),
            ([lists] * 3, ["--message", "example"]),
        ]:
            self.write_records("x", records)
            for verb in [*VERBS, ["validate", "x"]]:
                if verb[0] == "head":
                    verb = [*verb, "-n", "200"]
                if verb[0] == "get":
                    verb = ["get", "x", ":"]
                if "y.arrow" in verb:
                    verb = [*verb, "--sample", "50"]
                with self.subTest(verb=verb, message=message):
                    result = self.run_ok(*verb, *message)
                    self.assertEqual(result.err.count(LISTS), 1, result.err)
            for output in "y.arrow", "y.jsonl":
                (summary,) = self.run_ok("convert", "x", "-o", output, "--json",
                                         *message).json[-1:]
                self.assertEqual(summary["left_out_lists"], 3)

    def test_wire_of_a_spec(self):
        lists = wire_bytes.sequence_example({}, {"tokens": [wire_bytes.ints(1)]})
        self.write_records("x", [lists] * 3)
        result = self.run_ok("convert", "x", "-o", "y.arrow", *self.spec("tokens", 0))
        self.assertIn('has "tokens"; did you mean the feature list "tokens", '
                      "which a spec for SequenceExamples reads?", result.err)
