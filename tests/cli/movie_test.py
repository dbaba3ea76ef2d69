"""The SequenceExample of TensorFlow's documentation, and its variants.

The comments of example.proto say of each variant whether it conforms.
"""

import copy
import json

import pyarrow  # noqa: F401  (table() needs it)
from program import CliTest
from wire_bytes import unframe

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


def fixed_one(name, dtype):
    return fixed(name, dtype, [1])


def fixed_two(name, dtype):
    return fixed(name, dtype, [2])


def optional(name, dtype):
    return fixed(name, dtype, allow_missing=True)


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
    MIXED = ("--mixed-kinds",)

    def write_movies(self, *messages, args=()):
        self.write("x.jsonl", "".join(json.dumps(m) + "\n" for m in messages))
        self.run_ok("convert", "x.jsonl", "-o", "x.tfrecord", *args)

    def write_spec(self, *lists):
        self.write("s.json", json.dumps({
            "message": "sequence_example", "features": CONTEXT,
            "sequence_features": lists}))

    def rows(self, *args):
        self.run_ok("convert", "x.tfrecord", "-o", "x.arrow", *args)
        return self.table("x.arrow").to_pylist()

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

    def test_variants_of_a_list(self):
        """What each is read as under some specs, or the finding's class, expected
        and found: it is for the code consuming it to care."""
        any_steps = [ragged, var_len]
        longer, uneven = [[4.5], [5.0], [3.5]], [[4.5], [5.0, 1.0]]
        missing = ("missing_feature", "float", "no such feature")
        kind = ("wrong_kind", "float", "int64")
        for ratings, kinds, expected in (
                (longer, any_steps, longer), (longer, [fixed_one], longer),
                (longer, [fixed_two], ("wrong_count", "2 values", "1")),
                (uneven, any_steps, uneven),
                (uneven, [fixed], ("wrong_count", "1 value", "2")),
                ([[4.5], [5]], [fixed, *any_steps], kind),
                (None, [fixed], missing), (None, [optional, *any_steps], []),
                ([], [fixed, fixed_one, *any_steps], [])):
            self.write_movies(movie(movie_ratings=ratings),
                              args=self.MIXED if expected == kind else ())
            for make in kinds:
                spec = make("movie_ratings", "float")
                with self.subTest(ratings=ratings, spec=spec):
                    if isinstance(expected, list):
                        self.assertEqual(self.lists(spec)[0],
                                         {"movie_ratings": expected})
                        continue
                    finding = self.misfit(spec)
                    self.assertEqual(
                        [finding[key] for key in (
                            "class", "expected", "found", "feature", "record")],
                        [*expected, "movie_ratings", 0])
        self.write_movies(MOVIE, movie(movie_ratings=None),
                          movie(movie_ratings=[]))
        self.assertEqual([row["##SEQUENCE##"]["movie_ratings"]
                          for row in self.rows()[1:]], [None, []])

    def test_two_kinds_in_one_list(self):
        movies = MOVIE, movie(movie_ratings=[[4.5], [5]])
        self.write("x.jsonl", "".join(json.dumps(m) + "\n" for m in movies))
        result = self.run_bad(1, "convert", "x.jsonl", "-o", "x.tfrecord")
        self.assertIn('line 2: feature list "movie_ratings": expected float',
                      result.err)
        self.write_movies(*movies, args=self.MIXED)
        result = self.run_bad(1, "convert", "x.tfrecord", "-o", "bad.arrow")
        self.assertIn('"movie_ratings", step 1: expected float, found int64',
                      result.err)
        self.run_bad(1, "schema", "x.tfrecord")

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
