"""Shapes of ragged rows, encoded arrays and bools, as Python sees them."""

import pickle
import zlib

import headrace as hr
import numpy as np
import pyarrow as pa
import pytest
import records
from records import blobs, floats, ints


def example(lists):
    def feature(values):
        if not values or isinstance(values[0], int):
            return ints(*values)
        return blobs(*values) if isinstance(values[0], bytes) else floats(*values)

    return records.example({key: feature(values) for key, values in lists.items()})


def parse(feature, *records):
    return hr.parse_example(list(records), {"x": feature})["x"]


def test_bools():
    x = parse(hr.FixedLenFeature([2], int, as_=bool), example({"x": [0, -7]}))
    assert x.numpy().dtype == np.bool_
    assert x.tolist() == [[False, True]]
    assert np.from_dlpack(x).tolist() == [[False, True]]
    batch = hr.decode([example({"x": [0, 5]})], spec={"x": hr.VarLenFeature(
        int, as_=hr.bool_)})
    array = pa.record_batch(batch).column(0)
    assert array.type == pa.list_(pa.bool_())
    assert array.to_pylist() == [[False, True]]
    assert pickle.loads(pickle.dumps(batch))["x"].values.tolist() == [False, True]


def test_bits():
    bits = hr.FixedLenFeature([], int, as_="uint64", as_bits=True)
    assert parse(bits, example({"x": [-1]})).tolist() == [2**64 - 1]
    with pytest.raises(hr.WrongKindError):
        parse(hr.FixedLenFeature([], int, as_="uint64"), example({"x": [-1]}))


def test_lengths_of_sequences():
    feature = hr.FixedLenSequenceFeature([2], int, True)
    x = parse(feature, example({"x": [1, 2, 3, 4]}), example({}))
    assert x.lengths.tolist() == [2, 0]
    assert x.shape == (2, 2, 2)
    assert parse(hr.FixedLenFeature([], int), example({"x": [1]})).lengths is None
    assert parse(hr.VarLenFeature(int, pad_to=2), example({"x": [1]})).lengths is None


def test_shapes_of_rows():
    x = parse(hr.RaggedFeature(float, shape=[None, 2]),
              example({"x": [1.0, 2.0, 3.0, 4.0]}), example({}))
    assert [s.tolist() for s in x.row_splits] == [[0, 2, 2]]
    assert x.values.shape == (2, 2)
    assert np.asarray(x[0]).tolist() == [[1, 2], [3, 4]]
    assert np.asarray(x[1]).shape == (0, 2)
    with pytest.raises(hr.WrongCountError, match="a multiple of 2 values, found 1"):
        parse(hr.RaggedFeature(float, shape=[None, 2]), example({"x": [1.0]}))


@pytest.mark.parametrize("encoding", ["raw", "zlib"])
def test_arrays(encoding):
    pack = zlib.compress if encoding == "zlib" else bytes
    feature = hr.RaggedFeature(
        bytes, "x/value", shape=[None], as_=np.uint8, encoding=encoding,
        item_shape=[None, None], item_shape_key="x/shape")
    x = parse(feature, example({"x/value": [pack(b"abcdef"), pack(b"z")],
                                "x/shape": [2, 3, 1, 1]}))
    assert [np.asarray(row).tolist() for row in x[0][0]] == [
        [97, 98, 99], [100, 101, 102]]
    assert [np.asarray(row).tolist() for row in x[0][1]] == [[122]]
    with pytest.raises(hr.WrongCountError, match="value 0"):
        parse(feature, example({"x/value": [pack(b"abc")], "x/shape": [2, 2]}))


def test_arrow_has_a_list_for_each_level():
    spec = {
        "a": hr.RaggedFeature(int, shape=[2, None]),
        "b": hr.RaggedFeature(int, shape=[None, 2, 1]),
        "c": hr.RaggedFeature(bytes, as_="uint8", item_shape=[None, 2]),
    }
    record = example({"a": [1, 2, 3, 4], "b": [1, 2], "c": [b"abcd"]})
    batch = hr.decode([record], spec=spec)
    table = pa.record_batch(batch)
    assert table.schema.field("a").type == pa.list_(pa.list_(pa.int64()))
    assert table.column(0).to_pylist() == [[[1, 2], [3, 4]]]
    assert table.column(1).to_pylist() == [[[[1], [2]]]]
    assert table.column(2).to_pylist() == [[[97, 98], [99, 100]]]
    again = pickle.loads(pickle.dumps(batch))
    assert pa.record_batch(again).equals(table)


def test_groups():
    spec = {key: hr.RaggedFeature(int, group="steps") for key in "ab"}
    hr.parse_example([example({"a": [1, 2], "b": [3, 4]}), example({})], spec)
    with pytest.raises(hr.WrongCountError) as error:
        hr.parse_example([example({"a": [1, 2], "b": [3]})], spec)
    assert error.value.feature == "b"
    assert 'feature "a"' in str(error.value)


def test_specs_are_written_and_read():
    spec = hr.Spec({
        "x": hr.RaggedFeature(bytes, shape=[3, None], as_=bool, encoding="zlib",
                              item_shape=[2, None], group="g"),
        "y": hr.FixedLenFeature([2], bytes, as_=float, encoding="zlib"),
        "z": hr.VarLenFeature(int, as_="uint64", as_bits=True),
    })
    assert hr.Spec.from_json(spec.to_json()) == spec


def test_rows_of_a_dataset(tmp_path):
    path = tmp_path / "a.tfrecord"
    with hr.Writer(path) as writer:
        writer.write({"x": [1, 2, 3, 4], "y": [b"ab"]})
    dataset = hr.Dataset(path, spec={
        "x": hr.RaggedFeature(int, shape=[None, 2], as_=bool),
        "y": hr.RaggedFeature(bytes, as_="uint8", item_shape=[1, None])})
    row = dataset[0]
    assert row["x"].tolist() == [[True, True], [True, True]]
    assert [part.tolist() for part in row["y"]] == [[97, 98]]
