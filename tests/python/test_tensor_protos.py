"""Values that are serialized TensorProtos, as Python reads and writes them."""

import gzip
import json
import pathlib
import pickle

import headrace as hr
import numpy as np
import pytest
import records
from records import blobs

VECTORS = pathlib.Path(__file__).parents[1] / "vectors/tensor_proto.jsonl.gz"
# [1.5, 2.5] as tf.io.serialize_tensor writes it.
HALVES = bytes.fromhex("0801120412020802220800" "00c03f00002040")


def cases():
    with gzip.open(VECTORS, "rt") as lines:
        return [json.loads(line) for line in lines]


def row(*values):
    return records.example({"x": blobs(*values)})


def any_shape(rank, as_):
    return hr.RaggedFeature(
        bytes, as_=as_, encoding="tensor_proto", item_shape=[None] * rank,
        shape=None if rank else [None])


def array_of(case):
    """The array of a case, or None where numpy has no such type."""
    if case["out_type"] == "bytes":
        array = np.empty(len(case["strings"]), object)
        array[:] = [bytes.fromhex(text) for text in case["strings"]]
        return array.reshape(case["shape"])
    if case["out_type"] == "bfloat16":
        return None
    dtype = np.dtype(hr.DType.of(case["out_type"]).name.rstrip("_"))
    return np.frombuffer(bytes.fromhex(case["bytes"]), dtype).reshape(case["shape"])


def test_tensors_of_tensorflow():
    read = 0
    for case in cases():
        shape = case.get("shape")
        if shape is None or len(shape) > 32 or max([0, *shape]) > 1000:
            continue
        array = array_of(case)
        if array is None:
            continue
        x = hr.parse_example([row(bytes.fromhex(case["in"]))], {"x": hr.FixedLenFeature(
            case["shape"], bytes, as_=case["out_type"], encoding="tensor_proto")})["x"]
        found = x.numpy()[0]
        assert np.shape(found) == array.shape
        if array.dtype == object:
            assert np.asarray(found, object).tolist() == array.tolist()
        else:
            assert np.asarray(found).tobytes() == array.tobytes()
        read += 1
    assert read > 700


def test_no_tensors_of_tensorflow():
    refused = 0
    for case in cases():
        if "error" not in case:
            continue
        errors = (hr.WrongKindError if case["error"] == "dtype" else hr.WrongCountError
                  if case["error"] == "parse" else (hr.WrongCountError, hr.WrongKindError))
        with pytest.raises(errors):
            hr.parse_example([row(bytes.fromhex(case["in"]))],
                             {"x": any_shape(1, case["out_type"])})
        refused += 1
    assert refused > 700


def test_any_shape():
    x = hr.parse_example([row(HALVES), row(HALVES)], {"x": any_shape(1, np.float32)})["x"]
    assert x.row_splits[0].tolist() == [0, 2, 4]
    assert x.values.tolist() == [1.5, 2.5, 1.5, 2.5]
    lists = hr.RaggedFeature(bytes, as_=float, encoding="tensor_proto", shape=[None],
                             item_shape=[2])
    x = hr.parse_example([row(HALVES, HALVES), row()], {"x": lists})["x"]
    assert x.row_splits[0].tolist() == [0, 2, 2]
    assert x.values.shape == (2, 2)


def test_errors():
    spec = {"x": hr.FixedLenFeature([2], bytes, as_=float, encoding="tensor_proto")}
    with pytest.raises(hr.WrongCountError) as error:
        hr.parse_example([row(HALVES[:-1])], spec)
    assert "the value is not a tensor: a field runs past the end" in str(error.value)
    assert error.value.expected == "a tensor of float"
    spec = {"x": hr.FixedLenFeature([3], bytes, as_=float, encoding="tensor_proto")}
    with pytest.raises(hr.WrongCountError, match=r"shape \[3\], found shape \[2\]"):
        hr.parse_example([row(HALVES)], spec)
    with pytest.raises(hr.WrongKindError, match="of int32, found one of float"):
        hr.parse_example([row(HALVES)], {"x": any_shape(1, np.int32)})


def test_a_bomb_is_a_limit():
    bomb = next(case for case in cases() if "elements" in case)
    with pytest.raises(hr.LimitError):
        hr.parse_example([row(bytes.fromhex(bomb["in"]))],
                         {"x": any_shape(1, bomb["out_type"])},
                         limits={"max_batch_bytes": 1 << 20})


def test_specs_are_written_and_read():
    spec = hr.Spec({
        "x": hr.RaggedFeature(bytes, as_=bytes, encoding="tensor_proto",
                              item_shape=[2, None, None]),
        "y": hr.FixedLenFeature([2], bytes, as_="bfloat16", encoding="tensor_proto"),
    })
    assert hr.Spec.from_json(spec.to_json()) == spec
    assert "tensor_proto" in repr(spec["y"])
    with pytest.raises(hr.BadSpecError, match="needs `as`"):
        hr.Plan({"x": hr.FixedLenFeature([2], bytes, encoding="tensor_proto")})


def test_batches_are_copied_with_their_strings():
    value = bytes.fromhex("0807120412020802" "42016142026263")
    spec = {"x": hr.FixedLenFeature([2], bytes, as_=bytes, encoding="tensor_proto")}
    batch = hr.decode([row(value)], spec=spec)
    for copy in (batch, pickle.loads(pickle.dumps(batch))):
        assert copy["x"].tolist() == [[b"a", b"bc"]]


def test_arrow():
    pa = pytest.importorskip("pyarrow")
    spec = {"x": any_shape(1, np.float32)}
    table = pa.record_batch(hr.decode([row(HALVES)], spec=spec))
    assert table.column(0).to_pylist() == [[1.5, 2.5]]


def test_a_writer_writes_what_tensorflow_does(tmp_path):
    written = 0
    for case in cases():
        if case["note"] != "serialize_tensor" or "shape" not in case:
            continue
        array = array_of(case)
        if array is None:
            continue
        feature = hr.FixedLenFeature(
            case["shape"], bytes, as_=case["out_type"], encoding="tensor_proto")
        path = tmp_path / "one.tfrecord"
        with hr.Writer(path, spec={"x": feature}) as writer:
            writer.write({"x": array})
        [batch] = hr.open(path, columns=["x"])
        assert batch["x"].values.tolist() == [bytes.fromhex(case["in"])]
        written += 1
    assert written > 60


def write(path, feature, *values):
    with hr.Writer(path, spec={"x": feature}) as writer:
        for value in values:
            writer.write({"x": value})
    return next(hr.open(path, spec={"x": feature}))["x"]


def test_a_writer_takes_arrays_and_lists(tmp_path):
    path = tmp_path / "a.tfrecord"
    fixed = hr.FixedLenFeature([2], bytes, as_=np.int16, encoding="tensor_proto")
    x = write(path, fixed, np.array([1, -2]), [3, 4], (5.0, 6), b"\x08\x05\x12\x04"
              b"\x12\x02\x08\x02\x3a\x01\x09")
    assert x.tolist() == [[1, -2], [3, 4], [5, 6], [9, 9]]
    lists = hr.RaggedFeature(bytes, as_=float, encoding="tensor_proto", shape=[None],
                             item_shape=[None])
    x = write(path, lists, [[1.0], np.float32([2, 3])], [], np.zeros((2, 1)))
    assert [s.tolist() for s in x.row_splits] == [[0, 2, 2, 4], [0, 1, 3, 4, 5]]
    texts = hr.FixedLenFeature([2], bytes, as_=bytes, encoding="tensor_proto")
    assert write(path, texts, ["ä", b"\0"]).tolist() == [["ä".encode(), b"\0"]]


@pytest.mark.parametrize("value, as_, error, text", [
    ([1.5], np.int8, OverflowError, "1.5 is not a value of int8"),
    (np.array([300]), np.int8, OverflowError, "300 is not a value of int8"),
    ([1e300], np.float32, OverflowError, "is not a value of float32"),
    ([2], bool, OverflowError, "2 is not a value of bool"),
    (["a"], np.int8, TypeError, "the spec says arrays of int8"),
    ([1], bytes, TypeError, "the spec says arrays of bytes, found int"),
    (np.array([b"a"]), bytes, TypeError, "use dtype=object"),
    (np.ma.masked_array([1], [True]), np.int8, ValueError, "masked"),
    ([1.0], "bfloat16", TypeError, "ml_dtypes"),
])
def test_a_writer_refuses(tmp_path, value, as_, error, text):
    feature = hr.FixedLenFeature([1], bytes, as_=as_, encoding="tensor_proto")
    with pytest.raises(error, match=text) as raised:
        write(tmp_path / "a.tfrecord", feature, value)
    assert 'feature "x"' in str(raised.value)


def test_a_writer_refuses_another_shape(tmp_path):
    feature = hr.FixedLenFeature([1], bytes, as_=float, encoding="tensor_proto")
    with pytest.raises(hr.WrongCountError, match=r"found shape \[2\]"):
        write(tmp_path / "a.tfrecord", feature, [1.0, 2.0])
