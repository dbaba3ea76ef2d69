"""vocabulary: the values of a feature as lines, most frequent first."""

import gzip
import json

import program
from program import CliTest, example, sequence
from wire_bytes import blobs, elwc, framed


class VocabularyTest(CliTest):
    def write_words(self, name, *words, feature="w"):
        return self.write_records(name, [example(**{feature: [w]}) for w in words])

    def vocabulary(self, *args, feature="w", **kwargs):
        """The file, and what standard error said."""
        err = self.run_ok("vocabulary", "--feature", feature, "-o", "out", *args,
                          **kwargs).err
        return self.read("out"), err

    def test_lines_are_ordered_by_count_then_by_bytes(self):
        self.write_words("x", "b", "a", b"\xff", "b", "Z", "a", "aa", "b")
        lines, err = self.vocabulary("x")
        self.assertEqual(lines, b"b\na\nZ\naa\n\xff\n")
        self.assertIn("8 records read, 8 values, 5 distinct, 5 lines written for "
                      "100% of the values in ", err)
        self.assertEqual(self.vocabulary("x", "--quiet")[1], "")
        out = self.run_ok("vocabulary", "--feature", "w", "x", "--quiet")
        self.assertEqual((out.bytes, out.err), (lines, ""))

    def test_min_count_and_size(self):
        self.write_words("x", *"cbacbc")
        self.assertEqual(self.vocabulary("x", "--min-count", "2")[0], b"c\nb\n")
        lines, err = self.vocabulary("x", "--size", "1")
        self.assertEqual(lines, b"c\n")
        self.assertIn("1 line written for 50.0% of the values", err)
        self.assertIn("of 3 distinct values, none occurs 4 times or more",
                      self.run_bad(2, "vocabulary", "--feature", "w", "x",
                                   "--min-count", "4").err)
        self.assertIn("--size is at least 1",
                      self.run_bad(2, "vocabulary", "--feature", "w", "x", "--size",
                                   "0").err)

    def test_integers_are_decimal_and_ordered_as_numbers(self):
        self.write_records("x", [example(w=[10, 9, -1]), example(),
                                 example(w=[9, 2**63 - 1, -2**63])])
        self.assertEqual(self.vocabulary("x")[0],
                         b"9\n-9223372036854775808\n-1\n10\n9223372036854775807\n")

    def test_all_records_of_all_files_count(self):
        self.write_words("x-0", *"aab")
        self.write("x-1", gzip.compress(framed([example(w=["b", "b", "b", "c"])])))
        for threads in ("1", "3"):
            lines, err = self.vocabulary("x-*", "--threads", threads)
            self.assertEqual(lines, b"b\na\nc\n")
            self.assertIn("4 records read, 7 values, 3 distinct", err)
        lines, _ = self.vocabulary("-", stdin=self.read("x-1"))
        self.assertEqual(lines, b"b\nc\n")

    def test_values_after_the_sample_count(self):
        self.write_words("x", "a", *["b"] * 300)
        self.assertEqual(self.vocabulary("x", "--sample", "1")[0], b"b\na\n")

    def test_the_report_as_json(self):
        self.write_words("x", "", "a", "a", "b", "c\n", "d\r", "d\r")
        result = self.run_ok("vocabulary", "--feature", "w", "-o", "out", "--json",
                             "--size", "1", "x")
        (report,) = result.json
        self.assertGreater(report.pop("seconds"), 0)
        self.assertGreater(report.pop("mb_per_s"), 0)
        self.assertEqual(report, {
            "path": "out", "feature": "w", "kind": "bytes", "records": 7,
            "bytes": len(self.read("x")), "values": 7, "distinct": 5, "lines": 1,
            "line_values": 2, "left_out": [
                {"reason": "empty", "distinct": 1, "values": 1},
                {"reason": "line_feed", "distinct": 1, "values": 1},
                {"reason": "carriage_return", "distinct": 1, "values": 2}],
            "output_bytes": 2, "skipped_regions": 0, "skipped_rows": 0,
            "left_out_lists": 0, "notices": []})
        self.assertEqual(self.read("out"), b"a\n")
        self.assertIn("--json and -o - both want standard output",
                      self.run_bad(2, "vocabulary", "--feature", "w", "x",
                                   "--json").err)

    def test_what_cannot_be_a_line_is_named(self):
        self.write_words("x", "", "a", "a\nb", "c\r", "c\r", b"\x1f\x8b\x08",
                         b"\x1f\x8b\x08")
        lines, err = self.vocabulary("x", "--quiet")
        self.assertEqual(lines, b"a\n")
        self.assertEqual(
            err, "headrace: warning: left out distinct values that cannot be lines: "
            "1 empty (1 time), 1 with a line feed (1 time), 1 ending with a carriage "
            "return (2 times), 1 making the file begin like compressed data (2 times)\n")

    def test_features_that_make_none(self):
        self.write_records("x", [example(word=["a"], score=[0.5], unset=None)])
        for feature, code, text in (
                ("wrod", 2, 'no column "wrod"; did you mean "word"?'),
                ("score", 1, 'a vocabulary is of bytes or int64, and feature "score" '
                             "is float"),
                ("unset", 1, 'no record of the sample has a value of feature "unset"'),
                ("##SEQUENCE##.word", 2, 'no feature list "word"')):
            self.write("out", "before")
            err = self.run_bad(code, "vocabulary", "--feature", feature, "-o", "out",
                               "x").err
            self.assertIn(text, err)
            self.assertEqual("--sample N looks for it in more records" in err,
                             feature != "score", err)
            self.assertEqual(self.read("out"), b"before")
        self.assertIn("--feature is required",
                      self.run_bad(2, "vocabulary", "x").err)

    def test_a_kind_that_the_sample_lacks_is_an_error(self):
        self.write_records("x", [example(w=["a"]), example(v=[1]), example(w=[1])])
        err = self.run_bad(1, "vocabulary", "--feature", "w", "--sample", "1", "x").err
        self.assertIn("record 2", err)
        self.assertIn("wrong_kind", err)
        lines, err = self.vocabulary("x", "--sample", "1", "--on-row-error", "skip")
        self.assertEqual(lines, b"a\n")
        self.assertIn("record 2", err)

    def test_feature_lists(self):
        self.write_records("x", [
            sequence({"s": [["a", "b"], None, ["b"]], "w": [["list"]]}, w=["context"])])
        self.assertEqual(self.vocabulary("x", feature="s")[0], b"b\na\n")
        self.assertEqual(self.vocabulary("x", feature="w")[0], b"context\n")
        self.assertEqual(self.vocabulary("x", feature="##SEQUENCE##.w")[0], b"list\n")

    def test_lists_of_examples(self):
        self.write_records("x", [elwc([{"w": blobs(b"b")}, {"w": blobs(b"b", b"a")}],
                                      {"q": blobs(b"query")})])
        for feature, expected in ("w", b"b\na\n"), ("q", b"query\n"):
            self.assertEqual(
                self.vocabulary("x", "--message", "elwc", feature=feature)[0], expected)
        self.assertIn("raw records have no features",
                      self.run_bad(2, "vocabulary", "--feature", "w", "x", "--message",
                                   "raw").err)

    def test_damage(self):
        good = framed([example(w=["a"])])
        self.write("x", good + good[:-1] + b"?" + good)
        self.write("out", "before")
        err = self.run_bad(1, "vocabulary", "--feature", "w", "-o", "out", "x").err
        self.assertIn("payload_crc", err)
        self.assertIn("--on-corrupt rescan", err)
        self.assertEqual(self.read("out"), b"before")
        self.assertEqual(self.names(), ["out", "x"])
        lines, err = self.vocabulary("x", "--on-corrupt", "skip")
        self.assertEqual(lines, b"a\n")
        self.assertIn("payload_crc", err)
        self.assertIn("3 records read, 2 values", err)
        self.run_bad(1, "vocabulary", "--feature", "w", "--on-corrupt", "skip",
                     "--max-bad", "0", "x")

    def test_memory_is_bounded(self):
        self.write_words("x", *(f"value {i}, too long to be small" for i in range(9000)))
        self.assertEqual(self.vocabulary("x", "--memory", "2M")[0].count(b"\n"), 9000)
        err = self.run_bad(1, "vocabulary", "--feature", "w", "x", "--memory", "1M").err
        self.assertIn("need more memory than 1.0 MiB", err)
        self.assertIn("--memory allows more", err)

    def test_an_input_is_never_the_output(self):
        self.write_words("x", "a")
        before = self.read("x")
        self.assertIn("x is one of the inputs",
                      self.run_bad(2, "vocabulary", "--feature", "w", "-o", "x",
                                   "./x").err)
        self.assertEqual(self.read("x"), before)
        self.run_bad(3, "vocabulary", "--feature", "w", "-o", "none/out", "x")

    def test_a_reader_that_has_gone_is_no_error(self):
        self.write_words("x", *map(str, range(100000)))
        with program.closed_pipe() as pipe:
            result = self.run_program("vocabulary", "--feature", "w", "x", "--quiet",
                                      stdout=pipe)
        self.assertEqual((result.code, result.err), (0, ""))

    def test_a_schema_reads_the_same_values(self):
        self.write_words("x", *"abcab")
        lines, _ = self.vocabulary("x")
        stats = json.loads(self.run_ok("stats", "--json", "x").out)
        top = stats["features"][0]["bytes"]["top"]
        self.assertEqual(lines.decode().split(), [value for value, _ in top])
