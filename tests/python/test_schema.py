"""Schemas: read, written, turned into plans; and what is inferred from data."""

import copy
import pickle

import headrace as hr
import numpy as np
import pytest
import records
from records import blobs, floats, ints

TEXT = """
feature { name: "age" type: INT presence { min_fraction: 1 } shape { } }
feature { name: "box" type: FLOAT presence { min_fraction: 1 }
  shape { dim { size: 2 } dim { size: 2 } } }
feature { name: "tags" type: BYTES }
feature { name: "at" type: INT int_domain { min: 0 max: 9 } }
feature { name: "weight" type: FLOAT }
sparse_feature { name: "weights" index_feature { name: "at" }
  value_feature { name: "weight" } }
"""
ROWS = [
    {"age": [37], "box": [1.0, 2.0, 3.0, 4.0], "tags": [b"x", b"y"], "at": [7, 3],
     "weight": [0.5, 1.5]},
    {"age": [41], "box": [5.0, 6.0, 7.0, 8.0], "tags": None, "at": [], "weight": []},
]
MAKERS = {"age": ints, "box": floats, "tags": blobs, "at": ints, "weight": floats}


@pytest.fixture
def schema():
    return hr.Schema.from_text(TEXT)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(records.framed(
        records.example({
            name: None if values is None else MAKERS[name](*values)
            for name, values in row.items()})
        for row in ROWS))
    return path


# Reading and writing schemas.


def test_sources(schema, tmp_path):
    (tmp_path / "s.pbtxt").write_text(TEXT)
    binary = b"\x0a\x07\x0a\x03age\x30\x02"  # feature { name: "age" type: INT }
    (tmp_path / "s.pb").write_bytes(binary)
    assert hr.Schema.from_file(tmp_path / "s.pbtxt") == schema
    assert hr.Schema.from_file(str(tmp_path / "s.pbtxt")) == schema
    assert hr.Schema.from_bytes(TEXT.encode()) == schema
    short = hr.Schema.from_text('feature { name: "age" type: INT }')
    assert hr.Schema.from_bytes(binary) == hr.Schema.from_file(tmp_path / "s.pb")
    assert hr.Schema.from_bytes(binary) == short != schema
    assert hr.Schema.from_bytes(b"").names == []


def test_copies(schema):
    for same in (pickle.loads(pickle.dumps(schema)), copy.copy(schema),
                 copy.deepcopy(schema), hr.Schema.from_text(schema.to_pbtxt())):
        assert same == schema
        assert same.to_pbtxt() == schema.to_pbtxt()
    assert schema != 3 and schema is not None
    assert schema.names == ["age", "box", "tags", "at", "weight"]
    assert repr(schema) == (
        "Schema(features={'age': INT, 'box': FLOAT, 'tags': BYTES, 'at': INT, "
        "'weight': FLOAT})")


def test_equal_schemas_are_not_told_apart_by_their_hash(schema):
    same = hr.Schema.from_text(TEXT)
    try:
        hashes = hash(schema), hash(same)
    except TypeError:  # as the stub says
        return
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("text, words", [
    ("feature {\n  name: 3\n}", "line 2, column 9: expected a string"),
    ("feature {\n  nam: 'x'\n}", 'line 2, column 3: unknown field "nam".*"name"'),
])
def test_errors_have_line_and_column(tmp_path, text, words):
    (tmp_path / "s.pbtxt").write_text(text)
    for read in (
        lambda: hr.Schema.from_text(text), lambda: hr.Schema.from_bytes(text.encode()),
        lambda: hr.Schema.from_file(tmp_path / "s.pbtxt"),
    ):
        with pytest.raises(hr.BadSpecError, match=words):
            read()


def test_what_is_no_schema(tmp_path):
    for call in (
        lambda: hr.Schema.from_text(TEXT.encode()), lambda: hr.Schema.from_bytes(TEXT),
        lambda: hr.Schema.from_text(None), hr.Schema,
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(hr.BadSpecError):
        hr.Schema.from_bytes(b"\x0a\xff")
    with pytest.raises(FileNotFoundError):
        hr.Schema.from_file(tmp_path / "nope")
    with pytest.raises(OSError):
        hr.Schema.from_file(tmp_path)


# What it asks for.


def test_representations_and_spec(schema):
    assert schema.representations() == {
        "weights": {
            "kind": "sparse_tensor", "dense_shape": [10], "index_column_names": ["at"],
            "value_column_name": "weight", "already_sorted": False},
        "age": {"kind": "dense_tensor", "column_name": "age", "shape": [],
                "default_value": None},
        "box": {"kind": "dense_tensor", "column_name": "box", "shape": [2, 2],
                "default_value": None},
        "tags": {"kind": "varlen_sparse_tensor", "column_name": "tags"},
    }
    assert schema.spec() == hr.Spec({
        "weights": hr.SparseFeature(["at"], "weight", float, [10]),
        "age": hr.FixedLenFeature([], int),
        "box": hr.FixedLenFeature([2, 2], float),
        "tags": hr.VarLenFeature(bytes),
    })


def test_groups():
    schema = hr.Schema.from_text("""
        feature { name: "v" type: INT } feature { name: "n" type: INT }
        tensor_representation_group { key: "g" value {
          tensor_representation { key: "r" value { ragged_tensor {
            feature_path { step: "v" } partition { row_length: "n" } } } }
          tensor_representation { key: "d" value { dense_tensor {
            column_name: "n" shape { dim { size: 2 } }
            default_value { int_value: 7 } } } } } }""")
    assert list(schema.representations()) == ["v", "n"]
    assert schema.representations("g") == {
        "r": {"kind": "ragged_tensor", "feature_path": ["v"], "partitions": ["n"]},
        "d": {"kind": "dense_tensor", "column_name": "n", "shape": [2],
              "default_value": 7},
    }
    schema.validate("g")
    with pytest.raises(hr.BadSpecError, match='"nope" does not exist'):
        schema.validate("nope")


def test_project(schema):
    assert schema.project(["age"]).names == ["age"]
    small = schema.project(["weights", "tags"])
    assert small.names == ["tags", "at", "weight"]
    assert set(small.representations()) == {"weights", "tags"}
    with pytest.raises(hr.BadSpecError, match='"nope"'):
        schema.project(["nope"])
    with pytest.raises(TypeError):
        schema.project("age")
    assert schema.warnings() == []
    assert hr.Schema.from_text(TEXT + 'feature { name: "age" type: INT }').warnings()


# Reading with it.


def test_columns_of_a_schema(path, schema):
    (batch,) = hr.open(path, schema=schema)
    assert list(batch) == schema.names
    assert records.rows_of([batch]) == ROWS
    (batch,) = hr.open(path, schema=schema, columns=["tags", "age"])
    assert list(batch) == ["tags", "age"]
    assert batch["age"].to_list() == [[37], [41]]
    with pytest.raises(hr.InvalidArgumentError) as caught:
        hr.open(path, schema=schema, columns=["nope"])
    assert caught.value.feature == "nope"
    wrong = hr.Schema.from_text('feature { name: "age" type: FLOAT }')
    with pytest.raises(hr.WrongKindError) as caught:
        list(hr.open(path, schema=wrong))
    assert (caught.value.record, caught.value.feature) == (0, "age")
    absent = hr.Schema.from_text('feature { name: "zip" type: BYTES }')
    assert records.rows_of(hr.open(path, schema=absent)) == [{"zip": None}] * 2


def test_tensors_of_a_schema(path, schema):
    for spec in (schema, hr.Plan(schema), schema.spec()):
        (batch,) = hr.open(path, spec=spec)
        assert set(batch) == {"weights", "age", "box", "tags"}
        assert batch["age"].tolist() == [37, 41]
        assert np.array_equal(
            batch["box"], [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
        weights = batch["weights"]
        assert weights.indices.tolist() == [[0, 3], [0, 7]]  # in order
        assert weights.values.tolist() == [1.5, 0.5]
        assert weights.dense_shape.tolist() == [2, 10]
        assert batch["tags"].values.tolist() == [b"x", b"y"]
        (batch,) = hr.open(path, spec=spec, columns=["weights"])
        assert list(batch) == ["weights"]
        with pytest.raises(hr.BadSpecError, match='"nope"'):
            hr.open(path, spec=spec, columns=["nope"])


def test_sequence_features(tmp_path):
    schema = hr.Schema.from_text("""
        feature { name: "c" type: INT }
        feature { name: "##SEQUENCE##" type: STRUCT
          struct_domain { feature { name: "l" type: FLOAT } } }""")
    path = tmp_path / "x"
    path.write_bytes(records.framed([
        records.sequence_example({"c": ints(1)}, {"l": [floats(0.5), floats()]})]))
    reader = hr.open(path, schema=schema)
    assert reader.message == "sequence"
    (batch,) = reader
    assert (batch["c"].to_list(), batch["l"].to_list()) == ([[1]], [[[0.5], []]])


# Inferring.


def test_infer(path):
    schema = hr.infer_schema(path)
    assert schema.names == sorted(MAKERS)
    spec = hr.infer_spec(path)
    assert spec.features["age"] == hr.FixedLenFeature([], int)
    assert spec.features["box"] == hr.FixedLenFeature([4], float)
    assert spec.features["tags"] == hr.VarLenFeature(bytes)
    (batch,) = hr.open(path, spec=spec)
    assert batch["box"].numpy()[:, 3].tolist() == [4.0, 8.0]
    (columns,) = hr.open(path, schema=schema)
    assert records.rows_of([columns]) == ROWS
    kinds = {"INT": ["age", "at"], "FLOAT": ["box", "weight"], "BYTES": ["tags"]}
    text = schema.to_pbtxt()
    for kind, names in kinds.items():
        assert text.count(f"type: {kind}") == len(names)


def test_infer_from_a_sample(tmp_path):
    path = tmp_path / "x"
    rows = [{"a": ints(1)}] * 3 + [{"a": ints(1, 2), "b": floats(1)}] * 600
    path.write_bytes(records.framed(map(records.example, rows)))
    assert hr.infer_spec(path, sample=3) == hr.Spec({"a": hr.FixedLenFeature([], int)})
    assert hr.infer_schema(path, sample=4).names == ["a", "b"]
    for sample in (0, 10_000):
        assert hr.infer_spec([path], sample=sample).features["a"] == (
            hr.VarLenFeature(int))
    assert hr.infer_schema(path, message="sequence").names == [
        "a", "b", "##SEQUENCE##"]
    for options in ({"sample": -1}, {"sample": "x"}, {"message": "raw"}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            hr.infer_schema(path, **options)


def test_infer_finds_what_is_bad(tmp_path):
    path = tmp_path / "x"
    good = records.example({"a": ints(1)})
    for bad, cls in [(b"\xff", hr.MalformedError),
                     (records.example({"a": floats(1)}), hr.WrongKindError)]:
        path.write_bytes(records.framed([good] * 300 + [bad]))
        with pytest.raises(cls) as caught:
            hr.infer_schema(path)
        assert (caught.value.file, caught.value.record) == (str(path), 300)
        assert hr.infer_schema(path, sample=300).names == ["a"]


MALFORMED = b"\x0a\x05abc"
OTHER_KIND = hr._core.serialize_example({"a": "text"})


@pytest.mark.parametrize("bad", [MALFORMED, OTHER_KIND])
@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("look", [
    hr.infer_spec, hr.infer_schema, hr.stats,
    lambda paths: list(hr.open(paths, sample=1)),
    lambda paths: list(hr.open(paths, spec={"a": hr.VarLenFeature(hr.int64)})),
])
def test_all_name_the_same_place(tmp_path, bad, end, look):
    if look is hr.stats and bad is OTHER_KIND:
        pytest.skip("statistics count both kinds")
    paths = [tmp_path / f"a{end}", tmp_path / f"b{end}"]
    for path in paths:
        with hr.Writer(path, mixed_kinds=True) as writer:
            for i in range(3):
                writer.write({"a": i})
            if path is paths[1]:
                writer.write(bad)
    with pytest.raises(hr.RowError) as caught:
        look(paths)
    error = caught.value
    # A record has 16 bytes around its payload.
    size = 3 * (16 + len(hr._core.serialize_example({"a": 1})))
    assert (error.file, error.record, error.offset) == (str(paths[1]), 3, size)
    assert f"record 3 at offset {size}: " in str(error)
