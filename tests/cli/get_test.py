"""headrace get."""

import json

from program import CliTest


class GetTest(CliTest):
    def setUp(self):
        super().setUp()
        self.run_ok("gen", "a.tfrecord", "--records", "100")
        self.run_ok("gen", "b.tfrecord", "--records", "50", "--seed", "1")
        self.lines = self.run_ok("cat", "a.tfrecord", "b.tfrecord").lines

    def get(self, *arguments):
        return self.run_ok("get", "a.tfrecord", "b.tfrecord", *arguments)

    def test_rows_in_the_order_asked_for(self):
        for rows, expected in [
            (["0"], [0]), (["149", "3", "3"], [149, 3, 3]),
            (["98:103"], range(98, 103)), (["147:"], range(147, 150)),
            ([":40", "7"], [*range(40), 7]), (["5:5"], []),
        ]:
            lines = self.get(*rows).lines
            self.assertEqual(lines, [self.lines[row] for row in expected])

    def test_an_index_changes_nothing(self):
        before = self.get("99:102").lines
        self.run_ok("index", "a.tfrecord", "b.tfrecord")
        self.assertEqual(self.get("99:102").lines, before)
        self.write("a.tfrecord", self.read("a.tfrecord") + b"x")
        error = self.run_bad(1, "get", "a.tfrecord", "0")
        self.assertIn("bad_index", error.err)

    def test_features_and_specs(self):
        line = self.get("2", "--features", "age,id")
        self.assertEqual(sorted(line.json[0]), ["age", "id"])
        spec = {"features": [{"name": "age", "kind": "fixed_len", "dtype": "float", "shape": []}]}
        self.write("spec.json", json.dumps(spec))
        error = self.run_bad(1, "get", "a.tfrecord", "2", "--spec", "spec.json")
        self.assertIn("wrong_kind", error.err)
        self.assertIn("record 2", error.err)
        error = self.run_bad(2, "get", "a.tfrecord", "2", "--features", "agee")
        self.assertIn('did you mean "age"?', error.err)

    def test_raw_records(self):
        raw = self.run_ok("get", "a.tfrecord", "7", "9", "--raw").bytes
        lines = self.run_ok("cat", self.write("c.tfrecord", raw)).lines
        self.assertEqual(lines, [self.lines[7], self.lines[9]])

    def test_what_there_is_not(self):
        for arguments, code, text in [
            (["a.tfrecord", "100"], 2,
             "there is no row 100: there are 100 rows, counted from 0"),
            (["a.tfrecord", str(2**64 - 2)], 2, f"there is no row {2**64 - 2}: "),
            (["a.tfrecord", str(2**64 - 1)], 2, f"there is no row {2**64 - 1}: "),
            (["a.tfrecord", f"{2**64 - 1}:"], 2,
             f"there are no rows {2**64 - 1} to 100"),
            (["a.tfrecord", "5:4"], 2, "there are no rows 5 to 4"),
            (["a.tfrecord", "0:101"], 2, "there are 100 rows"),
            (["a.tfrecord"], 2, "needs a row"),
            (["17"], 2, "needs a file"),
            (["nothing.tfrecord", "1"], 3, "nothing.tfrecord"),
            (["a.tfrecord", "1", "--raw", "--features", "age"], 2, "--raw"),
        ]:
            self.assertIn(text, self.run_bad(code, "get", *arguments).err)
        self.run_ok("convert", "a.tfrecord", "-o", "a.tfrecord.snappy")
        error = self.run_bad(2, "get", "a.tfrecord.snappy", "1")
        self.assertIn("compressed with snappy", error.err)

    def test_compressed_files(self):
        rows = ["99", "0", "17:20"]
        expected = self.run_ok("get", "a.tfrecord", *rows).out
        for name in ("a.tfrecord.gz", "a.tfrecord.zst", "a.tfrecord.zz"):
            self.run_ok("convert", "a.tfrecord", "-o", name)
            self.assertEqual(self.run_ok("get", name, *rows).out, expected)
            self.run_ok("index", name)
            self.assertEqual(self.run_ok("get", name, *rows).out, expected)
            self.run_ok("convert", "a.tfrecord", "-o", name, "--shards", "1")
