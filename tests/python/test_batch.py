"""Batches, columns and tensors: what they hold, and that they are views."""

import ctypes
import importlib
import importlib.util
import struct
import sys
from collections.abc import Mapping

import headrace as hr
import numpy as np
import pytest
import records
from records import blobs, floats, ints

arrow = pytest.importorskip("pyarrow", reason="compares addresses with Arrow's")


def address(array):
    """Where an object with a buffer keeps its data; numpy's views included."""
    return np.asarray(array).__array_interface__["data"][0]


def dl_tensor(tensor):
    """Address, (type code, bits, lanes) of the DLTensor that is handed out."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = tensor.__dlpack__()
    fields = ctypes.string_at(get(capsule, b"dltensor"), 48)
    data, offset = struct.unpack_from("<Q", fields)[0], struct.unpack_from(
        "<Q", fields, 40)[0]
    return data + offset, struct.unpack_from("<BBH", fields, 20)


# Batches.


def test_mapping():
    batch = hr.decode([records.person(row) for row in records.people(9)])
    assert (batch.num_rows, len(batch), batch.message) == (9, 3, "example")
    assert list(batch) == list(batch.keys()) == ["id", "score", "tags"]
    assert [(k, v.name) for k, v in batch.items()] == [(k, k) for k in batch]
    assert [v.name for v in batch.values()] == list(dict(batch)) == list(batch)
    assert isinstance(batch, Mapping) and batch._ipython_key_completions_() == [*batch]
    assert batch.keys() == dict.fromkeys(batch).keys()
    match batch:
        case {"id": column, **rest}:
            assert column.name == "id" and list(rest) == ["score", "tags"]
    assert "id" in batch and "nope" not in batch and 3 not in batch
    with pytest.raises(hr.NoSuchFeatureError) as caught:
        batch["ids"]
    assert isinstance(caught.value, KeyError) and caught.value.feature == "ids"
    with pytest.raises(hr.NoSuchFeatureError):
        batch[3]
    with pytest.raises(TypeError, match="payloads"):
        batch.payloads()
    assert repr(batch) == (
        "Batch(rows=9, features={'id': int64, 'score': float, 'tags': bytes})")
    assert (batch.sequence, list(batch.context)) == ({}, list(batch))
    for cls in (hr.Batch, hr.Column, hr.Tensor, hr.SparseTensor, hr.RaggedTensor):
        with pytest.raises(TypeError):
            cls()


def test_origins(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    offsets = []
    for path in paths:
        people = records.write_people(path, 10)
        frames = [records.frame(records.person(row)) for row in people]
        offsets += [sum(map(len, frames[:i])) for i in range(10)]
    (batch,) = hr.open(paths)
    origins = batch.origins
    assert origins["file"].tolist() == [0] * 10 + [1] * 10
    assert origins["record"].tolist() == [*range(10), *range(10)]
    assert origins["offset"].tolist() == offsets
    assert not any(array.flags.writeable for array in origins.values())


def test_raw():
    payloads = [b"", b"\xff\x00", b"x" * 100]
    batch = hr.decode(payloads, message="raw")
    assert batch.payloads() == payloads
    assert batch["payload"].tolist() == [[payload] for payload in payloads]


def test_names_are_of_context_first():
    record = records.sequence_example({"x": ints(7)}, {"x": [ints(1)], "y": []})
    batch = hr.decode([record], message="sequence")
    assert batch["x"].tolist() == batch.context["x"].tolist() == [[7]]
    assert batch.sequence["x"].tolist() == [[[1]]]
    assert (list(batch), len(batch), list(batch.items())[0][1].in_sequence) == (
        ["x", "y"], 2, False)
    # Nothing is left out without a word.
    for method in (batch.to_pydict, batch.to_pylist, batch.to_pandas):
        with pytest.raises(ValueError, match='"x" is the name of a feature and of'):
            method()


# Columns.


def test_columns_against_what_was_written():
    rows = records.people(300)
    batch = hr.decode([records.person(row) for row in rows])
    for name, kind in [("id", "int64"), ("score", "float"), ("tags", "bytes")]:
        wanted = [row[name] for row in rows]
        column = batch[name]
        assert (column.kind, column.in_sequence, len(column)) == (kind, False, 300)
        assert column.tolist() == [column[i] for i in range(300)] == wanted
        assert column[-1] == wanted[-1]
        assert column.null_count == wanted.count(None)
        flat = [value for row in wanted for value in row or []]
        assert column.values.tolist() == flat
        lengths = [len(row or []) for row in wanted]
        assert column.offsets.tolist() == [0, *np.cumsum(lengths)]
        there = column.validity
        if None in wanted:
            assert there.tolist() == [row is not None for row in wanted]
        else:
            assert there is None
        assert arrow.array(column).to_pylist() == wanted
        assert column.step_offsets is column.step_validity is None
        for row in (300, -301):
            with pytest.raises(IndexError):
                column[row]
    assert repr(batch["id"]).endswith(", kind=int64, rows=300)")


def test_steps():
    lists = [
        [ints(1, 2), records.UNSET, ints(), ints(3)], [], None, [ints(4)],
    ]
    wanted = [[[1, 2], None, [], [3]], [], None, [[4]]]
    batch = hr.decode(
        [records.sequence_example({}, {"l": steps}) for steps in lists],
        message="sequence")
    column = batch.sequence["l"]
    assert column.tolist() == [column[i] for i in range(4)] == wanted
    assert (column.kind, column.in_sequence, column.null_count) == ("int64", True, 1)
    assert column.offsets.tolist() == [0, 4, 4, 4, 5]
    assert column.step_offsets.tolist() == [0, 2, 2, 2, 3, 4]
    assert column.step_validity.tolist() == [True, False, True, True, True]
    assert column.validity.tolist() == [True, True, False, True]
    assert arrow.array(column).to_pylist() == wanted


def test_null_columns():
    batch = hr.decode([records.example({"a": records.UNSET})] * 3)
    column = batch["a"]
    assert (column.kind, column.values, column.null_count) == ("null", None, 3)
    assert column.tolist() == [None] * 3
    assert column.validity.tolist() == [False] * 3
    assert arrow.array(column).type == arrow.null()
    batch = hr.decode(
        [records.sequence_example({}, {"l": [records.UNSET] * 2})], message="sequence")
    column = batch["l"]
    assert (column.tolist(), column.step_validity.tolist()) == (
        [[None, None]], [False, False])


def test_numpy_of_single_values():
    batch = hr.decode([
        records.example({"i": ints(i), "b": blobs(b"%d" % i), "v": ints(*range(i))})
        for i in range(4)])
    array = np.asarray(batch["i"])
    assert array.tolist() == [0, 1, 2, 3] and array.dtype == np.int64
    assert address(array) == address(batch["i"].numpy()) == address(batch["i"].values)
    assert not array.flags.writeable
    assert np.array(batch["i"], "f8").tolist() == [0.0, 1.0, 2.0, 3.0]
    assert np.array(batch["i"], copy=True).flags.writeable
    assert batch["b"].numpy().tolist() == [b"0", b"1", b"2", b"3"]
    with pytest.raises(ValueError, match="'v' do not have one value each"):
        batch["v"].numpy()


# Dense tensors.

# `as_`, and what it is made of: values of int64, floats, or one value of bytes.
AS = {
    **{f"{sign}int{bits}": ints for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float16": floats, "float32": floats, "float64": None,
}


def tensor_as(name, shape=(2, 3), rows=4):
    count = int(np.prod(shape))
    dtype = np.dtype(name)
    wanted = (np.arange(rows * count) % 100).astype(dtype).reshape(rows, *shape)
    make = AS[name] or (lambda *values: blobs(np.array(values, dtype).tobytes()))
    wire = {ints: "int64", floats: "float32", None: "bytes_"}[AS[name]]
    serialized = [
        records.example({"x": make(*row.reshape(-1).tolist())}) for row in wanted]
    feature = hr.FixedLenFeature(
        shape, wire, as_=None if name in ("int64", "float32") else name)
    return hr.parse_example(serialized, {"x": feature})["x"], wanted


@pytest.mark.parametrize("name", AS)
def test_views_have_one_address(name):
    tensor, wanted = tensor_as(name)
    assert (tensor.shape, tensor.ndim, tensor.size) == ((4, 2, 3), 3, 24)
    assert (tensor.dtype, tensor.name, len(tensor)) == (wanted.dtype, "x", 4)
    view = memoryview(tensor)
    assert (view.readonly, view.shape, view.itemsize) == (
        True, (4, 2, 3), wanted.itemsize)
    arrays = [tensor.numpy(), np.asarray(tensor), np.from_dlpack(tensor),
              np.asarray(view), tensor[:]]
    for array in arrays:
        assert array.dtype == wanted.dtype
        assert np.array_equal(array, wanted)
    assert not arrays[0].flags.writeable and not arrays[1].flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        arrays[0][0] = 1
    in_arrow = arrow.array(tensor).storage.values
    assert in_arrow.to_pylist() == wanted.reshape(-1).tolist()
    addresses = [*map(address, arrays), dl_tensor(tensor)[0],
                 in_arrow.buffers()[1].address]
    assert len(set(addresses)) == 1
    assert tensor.__dlpack_device__() == (1, 0)
    assert tensor.tolist() == wanted.tolist() and tensor.lengths is None
    copied = np.array(tensor, copy=True)
    assert address(copied) != addresses[0] and copied.flags.writeable


@pytest.mark.parametrize("wire", ["float32", "bytes_"])
def test_bfloat16(wire):
    values = np.array([0.0, 1.0, -2.5, np.inf], np.float32)
    bits = (values.view(np.uint32) >> 16).astype(np.uint16)
    value = floats(*values) if wire == "float32" else blobs(bits.tobytes())
    spec = {"x": hr.FixedLenFeature([4], wire, as_="bfloat16")}
    tensor = hr.parse_example([records.example({"x": value})] * 2, spec)["x"]
    assert tensor.tolist() == [values.tolist()] * 2
    assert tensor.dtype.itemsize == 2 and "-2.5" in repr(tensor)
    bfloat = 4
    assert dl_tensor(tensor)[1] == (bfloat, 16, 1)
    with pytest.raises(BufferError, match="bfloat16"):
        memoryview(tensor)
    with pytest.warns(hr.Bfloat16Warning, match='"x"'):
        in_arrow = arrow.array(tensor)
    assert in_arrow.storage.values.to_pylist() == bits.tolist() * 2


BFLOAT16 = {
    "d": hr.FixedLenFeature([2], hr.float32, as_=hr.bfloat16),
    "v": hr.VarLenFeature(hr.float32, as_=hr.bfloat16),
    "r": hr.RaggedFeature(hr.float32, as_=hr.bfloat16),
}


def bfloat16_file(path):
    with hr.Writer(path) as writer:
        for i in range(3):
            writer.write({name: [float(i), 0.5] for name in BFLOAT16})
    return path


def ways_to_numpy(path):
    """What gives numpy's arrays of bfloat16, of each kind of tensor."""
    (batch,) = hr.open(path, spec=BFLOAT16)
    yield batch["d"].numpy
    yield lambda: np.asarray(batch["d"])
    yield lambda: batch["d"][0]
    yield batch["v"].values.numpy
    yield batch["r"].values.numpy
    yield lambda: batch["r"][0]
    yield lambda: hr.Dataset(path, spec=BFLOAT16)[0]["d"]
    yield lambda: hr.Dataset(path, spec={"r": BFLOAT16["r"]})[0]["r"]
    yield lambda: hr.Dataset(path, spec={"v": BFLOAT16["v"]})[0]["v"]


def test_bfloat16_without_ml_dtypes(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    path = bfloat16_file(tmp_path / "x")
    for number, way in enumerate(ways_to_numpy(path)):
        with pytest.raises(hr.MissingPackageError, match=r"headrace\[bfloat16\]"):
            pytest.fail(f"way {number} gave {way()!r}")
    (batch,) = hr.open(path, spec=BFLOAT16)
    rows = [[float(i), 0.5] for i in range(3)]
    assert [batch[name].tolist() for name in BFLOAT16] == [rows] * 3
    assert all("2.0, 0.5" in repr(batch[name]) or name == "v" for name in BFLOAT16)
    assert all(batch[name].dtype.itemsize == 2 for name in BFLOAT16)
    assert next(hr.Dataset(path, spec=BFLOAT16).batches(3)).num_rows == 3


def test_bfloat16_with_ml_dtypes(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for way in ways_to_numpy(bfloat16_file(tmp_path / "x")):
        array = way()
        assert array.dtype == ml_dtypes.bfloat16
        assert array.reshape(-1).astype(float).tolist()[:2] == [0.0, 0.5]


def test_bfloat16_in_arrow(tmp_path):
    path = bfloat16_file(tmp_path / "x")
    (batch,) = hr.open(path, spec=BFLOAT16)
    for way in (lambda: arrow.record_batch(batch),
                lambda: arrow.table(hr.open(path, spec=BFLOAT16)),
                lambda: arrow.schema(hr.Plan(BFLOAT16)),
                lambda: hr.to_parquet(path, tmp_path / "y", spec=BFLOAT16)):
        with pytest.warns(hr.Bfloat16Warning, match='"d", "v", "r"'):
            way()
    if importlib.util.find_spec("polars"):
        with pytest.warns(hr.Bfloat16Warning):
            importlib.import_module("polars").DataFrame(batch)


@pytest.mark.parametrize("rows, shape", [
    (0, ()), (0, (2, 3)), (3, (0,)), (3, (2, 0)), (0, (0,)), (3, ())])
def test_empty_shapes(rows, shape):
    value = ints(*range(int(np.prod(shape))))
    spec = {"x": hr.FixedLenFeature(shape, int)}
    tensor = hr.parse_example([records.example({"x": value})] * rows, spec)["x"]
    wanted = (rows, *shape)
    assert tensor.shape == np.from_dlpack(tensor).shape == wanted
    assert tensor.numpy().shape == memoryview(tensor).shape == wanted
    assert tensor.numpy().dtype == np.int64
    assert tensor.size == int(np.prod(wanted))
    assert len(arrow.array(tensor)) == rows


def test_bytes():
    words = [b"a", b"", b"\x00\xff", b"d"]
    spec = {"x": hr.FixedLenFeature([2, 2], bytes)}
    tensor = hr.parse_example([records.example({"x": blobs(*words)})], spec)["x"]
    array = tensor.numpy()
    assert (array.dtype, tensor.dtype, array.shape) == (object, object, (1, 2, 2))
    assert array.reshape(-1).tolist() == words
    assert np.asarray(tensor).tolist() == tensor.tolist() == [[words[:2], words[2:]]]
    assert address(array) != address(tensor.numpy())  # new objects each time
    for view in (memoryview, np.from_dlpack):
        with pytest.raises(BufferError, match="bytes"):
            view(tensor)


def test_dlpack_arguments():
    tensor, wanted = tensor_as("int32")
    for arguments in ({}, {"max_version": (1, 0)}, {"copy": False},
                      {"stream": None, "dl_device": (1, 0)}):
        assert "dltensor" in repr(tensor.__dlpack__(**arguments))
    with pytest.raises(BufferError):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError):
        tensor.__dlpack__(nope=1)


# Sparse and ragged tensors.


def test_sparse():
    rows = [[5, 6], None, [], [7]]
    spec = {"v": hr.VarLenFeature(int)}
    tensor = hr.parse_example(
        [records.example({"v": r if r is None else ints(*r)}) for r in rows], spec)["v"]
    assert tensor.indices.tolist() == [[0, 0], [0, 1], [3, 0]]
    assert tensor.values.tolist() == [5, 6, 7]
    assert tensor.dense_shape.tolist() == [4, 2] == list(tensor.shape)
    assert (tensor.name, tensor.dtype) == ("v", np.int64)
    assert (tensor.indices.name, tensor.indices.shape) == (None, (3, 2))
    assert address(tensor.values) == address(np.from_dlpack(tensor.values))
    assert arrow.array(tensor).flatten().buffers()[1].address == address(tensor.values)
    with pytest.raises(AttributeError, match="no Arrow type"):
        tensor.values.__arrow_c_array__()


def test_ragged():
    rows = [[1.5, 2.0, 3.0, 4.0], [], [5.0, 6.0]]
    lengths = [[2], [], [0, 1]]
    R = hr.RaggedFeature
    spec = {
        "flat": R(float, "v"),
        "deep": R(float, "v", [R.RowLengths("n"), R.UniformRowLength(2)], "int64",
                  column="v"),
    }
    serialized = [
        records.example({"v": floats(*v), "n": ints(*n)})
        for v, n in zip(rows, lengths, strict=True)]
    tensors = hr.parse_example(serialized, spec)
    flat, deep = tensors["flat"], tensors["deep"]
    assert flat.row_splits[0].tolist() == [0, 4, 4, 6]
    assert flat.row_splits[0].dtype == np.int32
    assert flat.values.tolist() == sum(rows, [])
    assert (flat.shape, len(flat), flat.dtype) == ((3, None), 3, np.float32)
    assert [splits.tolist() for splits in deep.row_splits] == [
        [0, 1, 1, 3], [0, 2, 2, 3]]
    assert deep.row_splits[0].dtype == np.int64
    assert deep.shape == (3, None, None, 2)
    assert deep.values.tolist() == [[1.5, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert arrow.array(deep).to_pylist() == [
        [[[1.5, 2.0], [3.0, 4.0]]], [], [[], [[5.0, 6.0]]]]


def test_lengths_of_feature_lists():
    spec = hr.Spec({}, {"f": hr.FixedLenSequenceFeature([2], int)})
    serialized = [
        records.sequence_example({}, {"f": [ints(i, i)] * i}) for i in range(3)]
    _, lists, lengths = hr.parse_sequence_example(serialized, spec)
    assert lists["f"].lengths.tolist() == lengths["f"].tolist() == [0, 1, 2]
    assert lists["f"].tolist() == [
        [[0, 0], [0, 0]], [[1, 1], [0, 0]], [[2, 2], [2, 2]]]


# What they show of themselves: one short line, whatever they hold.


@pytest.mark.parametrize("feature, value, text", [
    (hr.FixedLenFeature([], int), ints(7),
     "Tensor('x', [7, 7, 7, ...], shape=(9,), dtype=int64)"),
    (hr.FixedLenFeature([2], float, as_="float16"), floats(0.1, 2),
     "Tensor('x', [[0.1, 2.0], [0.1, 2.0], [0.1, 2.0], ...], shape=(9, 2), "
     "dtype=float16)"),
    (hr.FixedLenFeature([], bytes), blobs(b"a" * 1000),
     "Tensor('x', [b'aaaaaaaaaaaaaaaaa'..., b'aaaaaaaaaaaaaaaaa'..., "
     "b'aaaaaaaaaaaaaaaaa'..., ...], shape=(9,), dtype=bytes)"),
    (hr.VarLenFeature(int), ints(1, 2),
     "SparseTensor('x', values=18, shape=(9, 2), dtype=int64)"),
    (hr.RaggedFeature(bytes), blobs(b"a", b"", b"c", b"d"),
     "RaggedTensor('x', [[b'a', b'', b'c', ...], [b'a', b'', b'c', ...], [b'a', b'', "
     "b'c', ...], ...], shape=(9, None), dtype=bytes)"),
    (None, ints(*range(1000)),
     "Column('x', [[0, 1, 2, ...], [0, 1, 2, ...], [0, 1, 2, ...], ...], kind=int64, "
     "rows=9)"),
])
def test_repr(feature, value, text):
    spec = feature and {"x": feature}
    field = hr.decode([records.example({"x": value})] * 9, spec=spec)["x"]
    assert repr(field) == text
