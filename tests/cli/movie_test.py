"""The SequenceExample of TensorFlow's documentation, and its variants.

usage: movie_test.py HEADRACE

The comments of example.proto say of each variant whether it conforms.
Without pyarrow the test is skipped (exit 77).
"""

import copy
import json
import sys

import program
from program import CliTest, unframe

try:
    import pyarrow as pa
except ImportError:
    print("pyarrow is not installed: run ./dev setup")
    sys.exit(77)

MOVIE = {
    "context": {
        "age": [19.0],
        "favorites": ["Majesty Rose", "Savannah Outen", "One Direction"],
        "locale": ["pt_BR"]},
    "feature_lists": {
        "actors": [["Tim Robbins", "Morgan Freeman"],
                   ["Brad Pitt", "Edward Norton", "Helena Bonham Carter"]],
        "movie_names": [["The Shawshank Redemption"], ["Fight Club"]],
        "movie_ratings": [[4.5], [5.0]]}}

CONTEXT = [
    {"name": "age", "kind": "fixed_len", "dtype": "float", "shape": []},
    {"name": "favorites", "kind": "var_len", "dtype": "bytes"},
    {"name": "locale", "kind": "fixed_len", "dtype": "bytes", "shape": []}]


def fixed(name, dtype, shape=(), allow_missing=False):
    return {"name": name, "kind": "fixed_len_sequence", "dtype": dtype,
            "shape": list(shape), "allow_missing": allow_missing}


def ragged(name, dtype):
    return {"name": name, "kind": "ragged", "dtype": dtype}


def var_len(name, dtype):
    return {"name": name, "kind": "var_len", "dtype": dtype}


LISTS = [ragged("actors", "bytes"), fixed("movie_names", "bytes"),
         fixed("movie_ratings", "float")]


def movie(**lists):
    """The movie with other feature lists; None takes one away."""
    message = copy.deepcopy(MOVIE)
    for name, steps in lists.items():
        if steps is None:
            del message["feature_lists"][name]
        else:
            message["feature_lists"][name] = steps
    return message


def encoded(value):
    """As Arrow has it: strings are bytes."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return [encoded(v) for v in value]
    if isinstance(value, dict):
        return {key: encoded(v) for key, v in value.items()}
    return value


class MovieTest(CliTest):
    def write_movies(self, *messages):
        self.write("x.jsonl", "".join(json.dumps(m) + "\n" for m in messages))
        self.run_ok("convert", "x.jsonl", "-o", "x.tfrecord")

    def write_spec(self, *lists):
        self.write("s.json", json.dumps({
            "message": "sequence_example", "features": CONTEXT,
            "sequence_features": lists}))

    def rows(self, *args):
        self.run_ok("convert", "x.tfrecord", "-o", "x.arrow", *args)
        with pa.ipc.open_file(self.folder / "x.arrow") as reader:
            return reader.read_all().to_pylist()

    def lists(self, *specs):
        """The feature lists of each row, under a spec of these."""
        self.write_spec(*specs)
        self.run_ok("validate", "--spec", "s.json", "x.tfrecord")
        return [row["##SEQUENCE##"] for row in self.rows("--spec", "s.json")]

    def misfit(self, *specs):
        """The one finding under such a spec; convert finds it too."""
        self.write_spec(*specs)
        result = self.run_program("validate", "--json", "--spec", "s.json",
                                  "x.tfrecord")
        self.assertEqual(result.code, 1, result.err)
        finding, summary = result.json
        self.assertEqual(summary["findings"], 1)
        result = self.run_bad(1, "convert", "--spec", "s.json", "x.tfrecord",
                              "-o", "bad.arrow")
        self.assertIn(finding["message"], result.err)
        self.assertIn(finding["class"], result.err)
        self.assertNotIn("bad.arrow", self.names())
        return finding

    def test_there_and_back(self):
        self.run_ok("gen", "--shape", "movie", "--records", "50", "-o", "x")
        self.write("x.jsonl", self.run_ok("cat", "x").bytes)
        self.run_ok("convert", "--from", "jsonl", "--to", "tfrecord", "x.jsonl",
                    "-o", "y")
        self.assertEqual(unframe(self.read("x")), unframe(self.read("y")))
        self.assertEqual(json.loads(self.read("x.jsonl").splitlines()[0]),
                         MOVIE)
        self.assertEqual(self.run_ok("count", "y").out, "50\n")

    def test_columns(self):
        self.run_ok("gen", "--shape", "movie", "-o", "x.tfrecord")
        (row, *_) = self.rows()
        self.assertEqual(row, encoded(MOVIE["context"] | {
            "##SEQUENCE##": MOVIE["feature_lists"]}))

    def test_conformant(self):
        self.write_movies(MOVIE)
        self.write_spec(*LISTS)
        (row,) = self.rows("--spec", "s.json")
        lists = row.pop("##SEQUENCE##")
        self.assertEqual(row, encoded({
            "age": 19.0, "favorites": MOVIE["context"]["favorites"],
            "locale": "pt_BR"}))
        self.assertEqual(lists, encoded({
            "actors": MOVIE["feature_lists"]["actors"],
            "movie_names": ["The Shawshank Redemption", "Fight Club"],
            "movie_ratings": [4.5, 5.0]}))

    def test_lists_of_other_lengths(self):
        # "Conformant as long as the code consuming it does not care".
        ratings = [[4.5], [5.0], [3.5]]
        self.write_movies(movie(movie_ratings=ratings))
        for kind in (ragged, var_len):
            (lists,) = self.lists(kind("movie_ratings", "float"),
                                  kind("movie_names", "bytes"))
            self.assertEqual(lists["movie_ratings"], ratings)
            self.assertEqual(len(lists["movie_names"]), 2)
        (lists,) = self.lists(fixed("movie_ratings", "float", [1]))
        self.assertEqual(lists["movie_ratings"], ratings)
        finding = self.misfit(fixed("movie_ratings", "float", [2]))
        self.assertEqual(
            {k: finding[k] for k in ("class", "record", "offset", "feature",
                                     "expected", "found")},
            {"class": "wrong_count", "record": 0, "offset": 0,
             "feature": "movie_ratings", "expected": "2 values", "found": "1"})

    def test_steps_of_other_lengths(self):
        self.write_movies(movie(movie_ratings=[[4.5], [5.0, 1.0]]))
        for kind in (ragged, var_len):
            (lists,) = self.lists(kind("movie_ratings", "float"))
            self.assertEqual(lists["movie_ratings"], [[4.5], [5.0, 1.0]])
        finding = self.misfit(fixed("movie_ratings", "float"))
        self.assertIn("step 1", finding["message"])

    def test_two_kinds_in_one_list(self):
        self.write_movies(MOVIE, movie(movie_ratings=[[4.5], [5]]))
        for spec in (fixed, ragged, var_len):
            finding = self.misfit(spec("movie_ratings", "float"))
            self.assertEqual(
                {k: finding[k] for k in ("class", "record", "feature",
                                         "expected", "found")},
                {"class": "wrong_kind", "record": 1,
                 "feature": "movie_ratings", "expected": "float",
                 "found": "int64"})
            self.assertIn('"movie_ratings", step 1', finding["message"])
        result = self.run_bad(1, "convert", "x.tfrecord", "-o", "bad.arrow")
        self.assertIn('"movie_ratings", step 1: expected float, found int64',
                      result.err)
        self.run_bad(1, "schema", "x.tfrecord")

    def test_a_missing_list(self):
        self.write_movies(MOVIE, movie(movie_ratings=None))
        finding = self.misfit(fixed("movie_ratings", "float"))
        self.assertEqual(finding["class"], "missing_feature")
        self.assertEqual(finding["feature"], "movie_ratings")
        for spec in (fixed("movie_ratings", "float", allow_missing=True),
                     ragged("movie_ratings", "float"),
                     var_len("movie_ratings", "float")):
            self.assertEqual(self.lists(spec)[1]["movie_ratings"], [])
        self.assertIsNone(self.rows()[1]["##SEQUENCE##"]["movie_ratings"])

    def test_a_list_of_another_name_is_suggested(self):
        self.write_movies(MOVIE)
        finding = self.misfit(fixed("movie_rating", "float"))
        self.assertEqual(finding["class"], "missing_feature")
        self.assertIn('the record has "movie_ratings"', finding["message"])

    def test_an_empty_list(self):
        self.write_movies(MOVIE, movie(movie_ratings=[]))
        for spec in (fixed("movie_ratings", "float"),
                     fixed("movie_ratings", "float", [1]),
                     ragged("movie_ratings", "float"),
                     var_len("movie_ratings", "float")):
            self.assertEqual(self.lists(spec)[1]["movie_ratings"], [])
        self.assertEqual(self.rows()[1]["##SEQUENCE##"]["movie_ratings"], [])

    def test_the_spec_that_schema_prints(self):
        self.write_movies(MOVIE, movie(movie_ratings=None))
        self.write("s.json", self.run_ok("schema", "--format", "spec",
                                         "x.tfrecord").bytes)
        spec = json.loads(self.read("s.json"))
        self.assertEqual(spec["sequence_features"], [
            var_len("actors", "bytes"), fixed("movie_names", "bytes"),
            fixed("movie_ratings", "float", (), True)])
        rows = self.rows("--spec", "s.json")
        self.assertEqual([r["##SEQUENCE##"]["movie_ratings"] for r in rows],
                         [[4.5, 5.0], []])


if __name__ == "__main__":
    program.main()
