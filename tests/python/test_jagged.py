"""Tensors of matrix and jagged groups. Their specs are read by the core."""

import json
import pickle

import numpy as np
import pytest

import headrace as hr
from headrace import _core

ID = {"kind": "ragged", "dtype": "int64", "column": "ids"}
GROUPS = {"features": [
    {"name": "m", "kind": "matrix", "as": "float", "features": [
        {"name": "x", "dtype": "int64", "shape": [], "default": [9],
         "present": True}]},
    {"name": "j", "kind": "jagged", "as": "int32", "weights": True, "features": [
        {"name": "a", "weight_key": "w", **ID},
        {"name": "b", "last_n": 1, **ID}]},
]}


@pytest.fixture
def plan():
    spec = _core.FeatureSpec.from_json(json.dumps(GROUPS).encode())
    return _core.Plan.of_spec(spec)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.tfrecord"
    with hr.Writer(path) as writer:
        writer.write({"ids": [1, 2, 3], "w": [0.5, 0.25, 0.125], "x": [7]})
        writer.write({"ids": [4], "w": [1.5]})
    return path


@pytest.fixture
def batch(plan, path):
    return next(iter(hr.open(path, spec=plan)))


def test_a_matrix_is_a_tensor(batch):
    assert batch["m"].numpy().tolist() == [[7, 1], [9, 0]]
    assert batch["m"].dtype == np.float32


def test_the_arrays_of_a_jagged_tensor(batch):
    jagged = batch["j"]
    assert jagged.name == "j" and len(jagged) == 2
    assert jagged.keys == ["a", "b"]
    assert jagged.dtype == np.int32
    assert jagged.values.tolist() == [1, 2, 3, 4, 3, 4]
    assert jagged.lengths.tolist() == [3, 1, 1, 1]
    assert jagged.offsets.tolist() == [0, 3, 4, 5, 6]
    assert jagged.offsets.dtype == np.int32
    assert jagged.weights.tolist() == [0.5, 0.25, 0.125, 1.5, 1, 1]
    assert jagged.length_per_key == [4, 2]


def test_how_a_jagged_tensor_looks(batch):
    assert repr(batch["j"]) == (
        "JaggedTensor('j', keys=['a', 'b'], rows=2, values=6, dtype=int32)")
    assert "<table" in batch["j"]._repr_html_()
    assert "<table" in batch._repr_html_()


def test_a_jagged_tensor_is_no_array(batch):
    with pytest.raises(TypeError, match="not an array"):
        np.asarray(batch["j"])
    with pytest.raises(TypeError, match="cannot be compared"):
        bool(batch["j"])


def test_a_pickled_batch_has_the_groups(batch):
    loaded = pickle.loads(pickle.dumps(batch))
    assert loaded["j"].keys == ["a", "b"]
    assert loaded["j"].offsets.tolist() == batch["j"].offsets.tolist()


def test_a_row_of_a_dataset(plan, path):
    row = hr.Dataset(path, spec=plan)[0]
    assert row["m"].tolist() == [7, 1]
    values, weights = row["j"]["a"]
    assert values.tolist() == [1, 2, 3]
    assert weights.tolist() == [0.5, 0.25, 0.125]
    assert row["j"]["b"][0].tolist() == [3]


def test_arrow(batch):
    pa = pytest.importorskip("pyarrow")
    table = pa.record_batch(batch)
    assert table.column("j").to_pylist()[1] == {
        "a": [{"value": 4, "weight": 1.5}], "b": [{"value": 4, "weight": 1.0}]}
