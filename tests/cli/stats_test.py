"""headrace stats: its outputs, findings, and inputs that are odd."""

import json

from program import CliTest, example, sequence
import wire_bytes

SCHEMA = """
feature {
  name: "age" type: INT presence { min_fraction: 1 } int_domain { min: 0 max: 50 }
}
feature { name: "name" type: BYTES }
"""


def people(count, first=0):
    return [example(age=[i % 60], name=[f"name {i % 7}"], score=[i / 4])
            for i in range(first, first + count)]


class StatsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write_records("x", people(300))

    def stats(self, *args):
        return json.loads(self.run_ok("stats", "--json", *args).out)

    def feature(self, name, *args):
        found = self.stats(*args)["features"]
        return next(f for f in found if f["name"] == name)

    def test_table(self):
        lines = self.run_ok("stats", "x").lines
        self.assertEqual([line.split()[0] for line in lines[1:4]],
                         ["age", "name", "score"])
        self.assertIn("300 records, 3 features", lines[5])

    def test_json(self):
        age = self.feature("age", "x")
        self.assertEqual((age["kind"], age["present"], age["missing"]),
                         ("int64", 300, 0))
        self.assertEqual((age["int64"]["min"], age["int64"]["max"]), (0, 59))
        self.assertEqual(age["int64"]["mean"], 29.5)
        self.assertEqual(dict(age["int64"]["quantiles"])[0.5], 29)
        self.assertEqual(age["int64"]["rank_error"], 0)
        name = self.feature("name", "x")["bytes"]
        self.assertEqual(name["distinct"],
                         {"value": 7, "exact": True, "error": 0})
        self.assertEqual(name["top"][0], ["name 0", 43])
        self.assertEqual(name["utf8"], 300)

    def test_any_number_of_threads_counts_the_same(self):
        self.write_records("y", people(5000, 300))
        one = self.stats("x", "y")
        for threads in (2, 3, 0):
            many = self.stats("x", "y", "--threads", threads)
            for f in one["features"] + many["features"]:
                for kind in ("int64", "float"):
                    f.get(kind, {}).pop("quantiles", None)
            self.assertEqual(many, one)

    def test_files(self):
        self.write_records("y", people(10))
        found = self.stats("y", "x")
        self.assertEqual([(f["name"], f["records"]) for f in found["files"]],
                         [("x", 300), ("y", 10)])
        self.assertEqual(found["files"][1]["bytes"],
                         (self.folder / "y").stat().st_size)

    def test_sequence_examples(self):
        self.write_records("s", [sequence({"l": [[1, 2], [3]]}, id=[7])] * 3)
        found = self.stats("s")
        self.assertEqual(found["message"], "sequence_example")
        lists = found["features"][1]
        self.assertTrue(lists["in_sequence"])
        self.assertEqual(lists["steps"]["total"], 6)
        self.assertEqual(lists["values"]["total"], 9)

    def test_kinds_that_disagree_are_all_counted(self):
        self.write_records("k", [example(a=[1]), example(a=["x"]),
                                 example(a=[0.5])])
        found = self.feature("a", "k")
        self.assertEqual(found["kinds"], {"bytes": 1, "float": 1, "int64": 1})
        self.assertEqual(found["kind"], "int64")
        self.assertIn("kind", self.run_ok("stats", "k").out)

    def test_by_a_feature(self):
        self.write_records("b", [example(label=[i % 2], v=[float(i % 2)])
                                 for i in range(10)])
        found = self.stats("b", "--by", "label")
        self.assertEqual(found["classes"], [["0", 5], ["1", 5]])
        values = found["features"][1]["classes"]
        self.assertEqual([c["mean"] for c in values], [0, 1])
        self.assertIn("feature by label",
                      self.run_ok("stats", "b", "--by", "label").out)
        result = self.run_bad(2, "stats", "x", "--by", "score")
        self.assertIn("which has floats", result.err)
        result = self.run_program("stats", "x", "--by", "nme")
        self.assertIn('no record has feature "nme"', result.err)

    def test_features_and_sample(self):
        found = self.stats("x", "--features", "age", "--sample", 10)
        self.assertEqual(found["records"], 10)
        self.assertEqual([f["name"] for f in found["features"]], ["age"])
        self.write_records("many", people(3000))
        for threads in (1, 2, 3):
            for sample in (1, 256, 257, 2999, 5000):
                found = self.stats("many", "--sample", sample,
                                   "--threads", threads)
                self.assertEqual(found["records"], min(sample, 3000))
        result = self.run_program("stats", "x", "--features", "agee")
        self.assertIn('no record has feature "agee"', result.err)

    def test_saved_statistics_are_those_of_the_files(self):
        self.run_ok("stats", "x", "--format", "state", "-o", "s")
        self.assertEqual(self.stats("s"), self.stats("x"))
        state = (self.folder / "s").read_bytes()
        (self.folder / "s").write_bytes(state[:-1])
        result = self.run_bad(2, "stats", "s")
        self.assertIn("s: these bytes are not statistics",
                      result.err)
        self.write("s", state.replace(b"HRSTATS2", b"HRSTATS3", 1))
        result = self.run_bad(2, "stats", "s")
        self.assertIn("s: the saved statistics have version 3", result.err)

    def test_compare(self):
        self.write_records("same", list(reversed(people(300))))
        result = self.run_ok("stats", "x", "--compare", "same",
                             "--max-distance", "0.5")
        self.assertIn("Jensen-Shannon", result.out)
        self.write_records("other", [example(age=[1000 + i], name=["z"])
                                     for i in range(100)])
        self.run_ok("stats", "other", "--format", "state", "-o", "saved")
        for other in ("other", "saved"):
            result = self.run_bad(1, "stats", "x", "--compare", other,
                                  "--max-distance", "0.5")
            self.assertIn('feature "age" differs by', result.err)
            self.assertIn('feature "score" differs by 1', result.err)
        for bad in ("2", "-1", "nan", "x"):
            self.run_bad(2, "stats", "x", "--compare", "same",
                         f"--max-distance={bad}")
        self.run_bad(2, "stats", "x", "--max-distance", "0.1")

    def test_anomalies(self):
        self.write("s.pbtxt", SCHEMA)
        result = self.run_bad(1, "stats", "x", "--schema", "s.pbtxt")
        self.assertIn("INT_TYPE_BIG_INT", result.out)
        self.assertIn("SCHEMA_NEW_COLUMN", result.out)
        result = self.run_bad(1, "stats", "x", "--schema", "s.pbtxt", "--json")
        self.assertIn("INT_TYPE_BIG_INT", result.err)
        json.loads(result.out)
        self.write("s.pbtxt", SCHEMA.replace("50", "59")
                   + 'feature { name: "score" type: FLOAT }')
        self.run_ok("stats", "x", "--schema", "s.pbtxt")
        self.run_bad(2, "stats", "x", "--schema", "s.pbtxt",
                     "--environment", "SERVING")
        self.write("s.pbtxt", "feature {")
        self.assertIn("s.pbtxt", self.run_bad(2, "stats", "x", "--schema",
                                              "s.pbtxt").err)

    def test_page(self):
        result = self.run_ok("stats", "x", "--html", "page.html")
        self.assertIn("wrote page.html", result.err)
        page = (self.folder / "page.html").read_text()
        self.assertTrue(page.startswith("<!doctype html>"))
        for name in ("age", "name", "score"):
            self.assertIn(name, page)
        self.run_ok("stats", "x", "--html", "two.html", "--compare", "x")
        self.run_bad(3, "stats", "x", "--html", "no/folder.html")

    def test_tfdv(self):
        self.run_ok("stats", "x", "--format", "tfdv", "-o", "stats.pb")
        # datasets, field 1, begins the message.
        self.assertEqual((self.folder / "stats.pb").read_bytes()[0], 0x0a)
        text = self.run_ok("stats", "x", "--format", "tfdv-text").out
        self.assertIn("num_examples: 300", text)

    def test_bad_records(self):
        self.write_records("bad", [*people(5), b"\xff\xff", *people(5)])
        result = self.run_bad(1, "stats", "bad")
        self.assertIn("bad: record 5 at offset", result.err)
        found = self.stats("bad", "--on-row-error", "skip")
        self.assertEqual((found["records"], found["bad_records"]), (10, 1))
        self.run_bad(1, "stats", "bad", "--on-row-error", "skip",
                     "--max-bad", "0")

    def test_damage(self):
        data = bytearray((self.folder / "x").read_bytes())
        data[len(data) // 2] ^= 1
        (self.folder / "damaged").write_bytes(data)
        self.run_bad(1, "stats", "damaged")
        found = self.stats("damaged", "--on-corrupt", "rescan")
        self.assertEqual((found["records"], found["regions"]), (299, 1))

    def test_inputs_of_all_sorts(self):
        whole = self.stats("x")
        piped = json.loads(self.run_ok(
            "stats", "--json", "-",
            stdin=(self.folder / "x").read_bytes()).out)
        self.assertEqual(piped["features"][0]["int64"],
                         whole["features"][0]["int64"])
        self.run_ok("convert", "x", "-o", "x.gz", "--to", "tfrecord")
        self.assertEqual(self.stats("x.gz")["records"], 300)
        self.write("empty", b"")
        self.assertEqual(self.stats("empty")["features"], [])
        self.run_ok("stats", "empty", "--html", "empty.html")
        self.run_bad(3, "stats", "missing")
        self.run_bad(2, "stats", "x", "--message", "raw")
        self.run_bad(2, "stats", "x", "--json", "--format", "tfdv")

    def test_names_and_values_never_drive_the_terminal(self):
        name = "\x1b[31m\u202e<script>"
        self.write_records("odd", [wire_bytes.example(
            {name: wire_bytes.blobs(b"\x1b[2J\xff")})] * 5)
        out = self.run_ok("stats", "odd").bytes
        self.assertNotIn(b"\x1b", out)
        self.run_ok("stats", "odd", "--html", "odd.html")
        self.assertNotIn("<script>\"",
                         (self.folder / "odd.html").read_text())

    def test_numbers_that_are_none(self):
        numbers = [float("nan"), float("inf"), float("-inf"), 1.0, -0.0]
        self.write_records("n", [wire_bytes.example(
            {"f": wire_bytes.floats(*numbers)})])
        found = self.feature("f", "n")["float"]
        self.assertEqual(
            [found[k] for k in ("count", "zeros", "nan", "positive_inf",
                                "negative_inf", "min", "max", "mean")],
            [5, 1, 1, 1, 1, 0, 1, 0.5])
