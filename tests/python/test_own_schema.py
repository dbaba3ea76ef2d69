"""The schema and the spec of some data find nothing in these data."""

import gzip
import itertools
import json
import os
import pathlib
import subprocess
import warnings

import headrace as hr
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("HEADRACE", str(ROOT / "build/src/cli/headrace"))
SHAPES = [
    "people", "movie", "floats", "ids", "hashes", "blobs", "criteo", "scalars", "ragged",
    "sequence",
]
VECTORS = [
    "columns-catalogue", "columns-random", "tensors-catalogue", "tensors-random",
    "tensors-schema",
]
# A schema has no other feature of the name that its feature lists have.
UNSAYABLE = {"S10"}


def schemas_of(path, stats, message):
    yield hr.infer_schema(path, message=message, sample=0)
    yield stats.infer_schema()
    yield stats.infer_schema(domains=True)


def expect_nothing(path, message):
    """Whether there was something to look at."""
    try:
        stats = hr.stats(path, message=message)
        found = list(schemas_of(path, stats, message))
    except (hr.MalformedError, hr.WrongKindError):
        return False  # no schema describes such data
    if stats.num_records == 0:
        return False
    # A schema names these, too, and a reader tells that no record has a value of them.
    kindless = {(f.name, f.in_sequence) for f in stats.features.values()
                if f.kind == "null"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for schema in found:
            again = hr.Schema.from_text(schema.to_pbtxt())
            assert stats.anomalies(schema) == stats.anomalies(again) == []
            if not stats.features:
                continue  # perhaps another message, which no reader takes
            reader = hr.open(path, schema=schema, message=message,
                             on_absent="ignore" if kindless else "warn")
            assert sum(batch.num_rows for batch in reader) == stats.num_records
            assert {(f.name, f.in_sequence) for f in reader.report.absent} <= kindless
        if not stats.features:
            return True  # of another message infer_spec tells, too
        spec = hr.infer_spec(path, message=message, sample=0)
        if spec.features or spec.sequence_features:
            count = sum(batch.num_rows for batch in hr.open(path, spec=spec))
            assert count == stats.num_records
    return True


@pytest.mark.parametrize("shape", SHAPES)
def test_generated_data(tmp_path, shape):
    path = tmp_path / "x.tfrecord"
    subprocess.run([PROGRAM, "gen", "--quiet", "--shape", shape, "--records", "60",
                    "-o", path], check=True)
    assert expect_nothing(path, "auto")


@pytest.mark.parametrize("name", VECTORS)
def test_golden_data(tmp_path, name):
    path = tmp_path / "x.tfrecord"
    checked = 0
    with gzip.open(ROOT / f"tests/vectors/{name}.jsonl.gz", "rt") as lines:
        for case in map(json.loads, lines):
            if case["id"] in UNSAYABLE:
                continue
            with hr.Writer(path) as writer:
                for record in case["records"]:
                    writer.write(bytes.fromhex(record))
            message = case.get("message", "auto")
            checked += expect_nothing(path, message)
    assert checked > 5


VALUES = [
    None, [], 1, [1, 2], 0.5, [float("nan"), float("inf")], b"", "text", b"\xff",
    ["1", "2"], ["true", "false"], "-5",
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_each_value_at_each_place(tmp_path, value):
    """A feature, and a feature list, that all, some or no records have."""
    path = tmp_path / "x.tfrecord"
    kinds = [[value], [value, None], [value, ...], [..., ...]]
    for values, steps in itertools.product(kinds, ([value], [value, []], [], None)):
        with hr.Writer(path) as writer:
            for item in values:
                features = {} if item is ... else {"x": item}
                writer.write(features)
        assert expect_nothing(path, "auto")
        with hr.Writer(path) as writer:
            for item in values:
                features = {} if item is ... else {"x": item}
                writer.write(features, {} if steps is None else {"l": steps, "m": []})
                writer.write(features, {"m": []})
        assert expect_nothing(path, "sequence")


def test_the_program_finds_nothing(tmp_path):
    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        writer.write({"a": 1, "none": None}, {"l": [[1, 2], [3]], "empty": []})
        writer.write({"a": 2}, {"l": []})

    def run(*arguments):
        return subprocess.run([PROGRAM, *map(str, arguments), "--quiet"],
                              capture_output=True, text=True, check=True).stdout

    (tmp_path / "x.pbtxt").write_text(run("schema", "--format", "pbtxt", path))
    run("stats", "--schema", tmp_path / "x.pbtxt", path)  # an anomaly exits with 1
    run("validate", "--schema", tmp_path / "x.pbtxt", path)
