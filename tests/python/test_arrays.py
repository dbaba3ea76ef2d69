"""Tensors do what numpy's arrays do; what is no array says so, and what to use."""

import operator
import pickle
import sys

import headrace as hr
import numpy as np
import pytest
import records
from records import blobs, floats, ints

ROWS = 5
SPEC = {
    "i": hr.FixedLenFeature([], int),
    "small": hr.FixedLenFeature([2, 3], int, as_="uint8"),
    "f": hr.FixedLenFeature([3], float),
    "b": hr.FixedLenFeature([], bytes),
    "padded": hr.VarLenFeature(int, pad_to=4),
}
OTHERS = {
    "sparse": hr.VarLenFeature(int, column="v"),
    "indexed": hr.SparseFeature(["at"], "w", float, [6]),
    "ragged": hr.RaggedFeature(int, "r", row_splits_dtype="int64"),
    "deep": hr.RaggedFeature(int, "u", [
        hr.RaggedFeature.RowLengths("n"), hr.RaggedFeature.UniformRowLength(2)]),
}


def record(i):
    return records.example({
        "i": ints(i), "small": ints(*range(i, i + 6)), "f": floats(i, -i, i / 4),
        "b": blobs(b"%d" % (i % 3)), "padded": ints(*range(i % 4)),
        "v": ints(*range(2 * (i % 3))), "r": ints(*range(2 * (i % 3))),
        "u": ints(*range(2 * (i % 3))), "n": ints(i % 3), "at": ints(*range(i)), "w": floats(*range(i)),
    })


SERIALIZED = [record(i) for i in range(ROWS)]
DENSE = hr.parse_example(SERIALIZED, SPEC)
FIELDS = hr.parse_example(SERIALIZED, OTHERS)
COLUMNS = hr.decode(SERIALIZED)
# Dense tensors, and what others consist of.
TENSORS = DENSE | {
    "values": COLUMNS["v"].values, "offsets": COLUMNS["v"].offsets,
    "blobs": COLUMNS["b"].values, "indices": FIELDS["sparse"].indices,
    "splits": FIELDS["ragged"].row_splits[0],
    "dense_shape": FIELDS["indexed"].dense_shape,
    "one": hr.parse_example(SERIALIZED[3:4], SPEC)["i"],
    "none": hr.parse_example([], SPEC)["f"],
}
NO_ARRAYS = FIELDS | {"column": COLUMNS["v"]}


def outcome(operation, *arguments):
    """What comes of it: type, dtype and values, or the class of the error."""
    try:
        result = operation(*arguments)
    except Exception as error:
        return type(error)
    return described(result)


def described(result):
    if isinstance(result, (np.ndarray, np.generic)):
        # The letter, too: long and long long are both called int64.
        return type(result), result.dtype.char, result.shape, repr(result.tolist())
    if isinstance(result, (list, tuple)):
        return type(result), [described(part) for part in result]
    return type(result), "an iterator" if hasattr(result, "__next__") else result


BINARY = [
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
    operator.mod, operator.pow, operator.matmul, operator.lshift, operator.rshift,
    operator.and_, operator.or_, operator.xor, divmod, operator.contains,
    np.add, np.equal, np.maximum, np.array_equal,
]
OPERANDS = [3, 2.5, b"1", "1", None, [0, 1, 2, 3, 4], np.arange(5), np.float32(2),
            np.ones((5, 3)), (), object]


@pytest.mark.parametrize("name", TENSORS)
@pytest.mark.filterwarnings("ignore")
def test_operators(name):
    tensor = TENSORS[name]
    array = tensor.numpy()
    for operation in BINARY:
        for other in OPERANDS:
            wanted = outcome(operation, array, other)
            assert outcome(operation, tensor, other) == wanted, (operation, other)
            if operation is operator.contains and isinstance(other, (bytes, str)):
                continue  # numpy hands out the addresses of objects as bytes
            wanted = outcome(operation, other, array)
            assert outcome(operation, other, tensor) == wanted, (other, operation)
        wanted = outcome(operation, array, array)
        assert outcome(operation, tensor, tensor) == wanted, operation
        assert outcome(operation, tensor, array) == wanted, operation
        assert outcome(operation, array, tensor) == wanted, operation


UNARY = [
    operator.neg, operator.pos, operator.abs, operator.invert, operator.truth, int,
    float, complex, operator.index, len, list, hash, np.asarray, np.array, np.sum,
    np.mean, np.sort, np.any, np.unique, np.ravel, np.shape, sorted, iter,
    lambda x: list(reversed(x)), lambda x: x.tolist(), lambda x: bool(x == 3),
    lambda x: np.asarray(x, dtype="f8"),
    lambda x: np.array(x, copy=True).flags.writeable, lambda x: x.dtype,
    lambda x: (x.shape, x.ndim, x.size),
    lambda x: np.asarray(x, dtype="f8", copy=None), lambda x: np.zeros(5)[x == 3],
    lambda x: np.where(x, 1, 0), lambda x: np.concatenate([x, x]),
    lambda x: x in [None, "a"], lambda x: np.isin(2, x),
]


@pytest.mark.parametrize("name", TENSORS)
@pytest.mark.filterwarnings("ignore")
def test_functions(name):
    tensor = TENSORS[name]
    for number, function in enumerate(UNARY):
        wanted = outcome(function, tensor.numpy())
        assert outcome(function, tensor) == wanted, number


def test_without_a_copy():
    assert np.asarray(DENSE["i"], copy=False).base is not None
    for name, dtype in [("i", "f8"), ("b", None)]:  # bytes become new objects
        for batch in (DENSE, COLUMNS):
            with pytest.raises(ValueError, match="copy"):
                np.asarray(batch[name], dtype, copy=False)


KEYS = [
    0, -1, np.int64(1), 99, slice(1, 3), slice(None, None, -2), ..., None, True,
    [0, 2], np.array([1, 1]), np.array([True, False, True, False, True]), (), (0, 0),
    (slice(None), 0), "x", 1.5, [], (..., np.newaxis),
]


@pytest.mark.parametrize("name", TENSORS)
def test_indexing(name):
    tensor = TENSORS[name]
    array = tensor.numpy()
    for key in [*KEYS, array == 1, array != 1]:
        wanted = outcome(operator.getitem, array, key)
        assert outcome(operator.getitem, tensor, key) == wanted, key
    # A tensor as a mask and as an index.
    if name == "i":
        assert np.arange(5)[tensor == 3].tolist() == [3]
        assert (np.arange(5) * 2)[tensor].tolist() == [0, 2, 4, 6, 8]


def test_tensors_do_not_change():
    tensor = DENSE["i"]
    before = tensor
    with pytest.raises(TypeError):
        tensor[0] = 1
    tensor += 1
    assert tensor.tolist() == [1, 2, 3, 4, 5] and before.tolist() == [0, 1, 2, 3, 4]
    assert before is DENSE["i"]
    with pytest.raises(TypeError):
        np.add(1, 1, out=DENSE["i"])


# What is no array.


@pytest.mark.parametrize("name", NO_ARRAYS)
def test_no_array_says_what_to_use(name):
    field = NO_ARRAYS[name]
    for operation in (*BINARY[:6], lambda x, y: bool(x), lambda x, y: not x):
        for other in (3, None, field, [1]):
            with pytest.raises(TypeError, match=r"use .*\.values"):
                operation(field, other)
    for operation in (operator.add, operator.sub, operator.mul, operator.and_):
        with pytest.raises(TypeError):
            operation(field, 1)
    for make in (hash, abs, int, float):
        with pytest.raises(TypeError):
            make(field)


@pytest.mark.parametrize("name", FIELDS)
def test_numpy_is_told_that_there_is_no_array(name):
    field = FIELDS[name]
    for make in (np.asarray, np.array, lambda x: np.arange(5) + x, np.sum,
                 lambda x: np.arange(5) == x, lambda x: np.zeros(5)[x]):
        with pytest.raises((TypeError, IndexError), match="not an array|only integers"):
            make(field)


def test_a_batch_is_no_array():
    for operation in (np.asarray, lambda x: x == COLUMNS, lambda x: x == {}, hash,
                      lambda x: x < 3, lambda x: x + 1):
        with pytest.raises(TypeError):
            operation(COLUMNS)
    assert COLUMNS != "end" and COLUMNS != None  # noqa: E711


# Rows of ragged, sparse and list columns.


def test_ragged_rows():
    ragged, wanted = FIELDS["ragged"], [[], [0, 1], [0, 1, 2, 3], [], [0, 1]]
    assert ragged.tolist() == [row.tolist() for row in ragged] == wanted
    assert [ragged[i].tolist() for i in range(-5, 0)] == wanted
    assert [row.tolist() for row in ragged[3:0:-1]] == wanted[3:0:-1]
    row = ragged[np.int64(2)]
    assert row.base is not None and not row.flags.writeable and row.dtype == np.int64
    assert ragged.to_dense().tolist() == [r + [0] * (4 - len(r)) for r in wanted]
    assert ragged.to_dense(-1)[0].tolist() == [-1] * 4
    for key, error in [(5, IndexError), (-6, IndexError), ("a", TypeError),
                       ([0], TypeError), (1.0, TypeError)]:
        with pytest.raises(error):
            ragged[key]


def test_deep_ragged_rows():
    R = hr.RaggedFeature
    spec = {"x": R(bytes, "v", [R.RowLengths("n"), R.UniformRowLength(2)])}
    rows = [[[[b"a", b"b"]], [[b"c", b"d"], [b"e", b"f"]]], [], [[], [[b"g", b"h"]]]]
    serialized = [records.example({
        "v": blobs(*[value for inner in row for pair in inner for value in pair]),
        "n": ints(*map(len, row))}) for row in rows]
    field = hr.parse_example(serialized, spec)["x"]
    assert field.tolist() == rows
    assert [part.tolist() for part in field[0]] == rows[0]
    assert [[part.tolist() for part in row] for row in field] == rows
    dense = field.to_dense(b"-")
    assert dense.shape == (3, 2, 2, 2)
    assert dense[2].tolist() == [[[b"-"] * 2] * 2, [[b"g", b"h"], [b"-"] * 2]]


def test_ragged_against_arrow():
    arrow = pytest.importorskip("pyarrow", reason="has the same rows")
    for field in [*FIELDS.values(), COLUMNS["v"], COLUMNS["b"]]:
        assert field.tolist() == arrow.array(field).to_pylist()
        assert len(field) == ROWS


def test_sparse():
    field = FIELDS["indexed"]
    assert field.tolist()[2] == {"at": [0, 1], "values": [0.0, 1.0]}
    assert field.to_dense()[4].tolist() == [0.0, 1.0, 2.0, 3.0, 0.0, 0.0]
    assert field.to_dense(np.nan)[0].tolist() == pytest.approx([np.nan] * 6, nan_ok=True)
    assert field.to_dense().dtype == np.float32
    assert FIELDS["sparse"].to_dense(7)[0].tolist() == [7] * 4
    spec = {"x": hr.SparseFeature(["at"], "w", float, [3])}
    for at, error in [([0, 3], hr.BadSparseIndexError), ([-1, 0], ValueError),
                      ([1, 1], ValueError)]:
        message = records.example({"at": ints(*at), "w": floats(1, 2)})
        try:
            field = hr.parse_example([message], spec)["x"]
        except hr.BadSparseIndexError:
            continue  # found while decoding
        with pytest.raises(error):
            field.to_dense()


def test_lists_of_steps():
    spec = hr.Spec({}, {"v": hr.VarLenFeature(int), "r": hr.RaggedFeature(bytes)})
    lists = [[[1, 2], [], [3]], [], [[], []]]
    serialized = [records.sequence_example({}, {
        "v": [ints(*step) for step in steps],
        "r": [blobs(*[b"%d" % value for value in step]) for step in steps],
    }) for steps in lists]
    batch = hr.decode(serialized, spec=spec)
    assert batch["v"].tolist() == lists
    assert batch["r"].tolist() == [
        [[b"%d" % value for value in step] for step in steps] for steps in lists]
    assert batch.to_pylist()[0]["v"] == lists[0]
    columns = hr.decode(serialized, message="sequence")
    assert columns["v"].tolist() == lists and columns["v"][2] == [[], []]


def test_a_sparse_key_called_values():
    spec = {"x": hr.SparseFeature(["values"], "w", float, [3])}
    message = records.example({"values": ints(0), "w": floats(1)})
    field = hr.parse_example([message], spec)["x"]
    with pytest.raises(ValueError, match='index key has the name "values"'):
        field.tolist()


def test_rows_of_columns():
    column = COLUMNS["v"]
    rows = column.tolist()
    assert column[1:4] == rows[1:4] and column[::-2] == rows[::-2]
    assert list(column) == rows and [0, 1] in column
    for key in ("x", [0], np.array([0, 1]), None, 1.0):
        with pytest.raises(TypeError):
            column[key]


# Batches as Python objects.


def test_batch_as_python_objects():
    batch = hr.decode(SERIALIZED, spec=SPEC | OTHERS)
    fields = batch.to_pydict()
    assert list(fields) == list(batch)
    assert all(fields[name] == batch[name].tolist() for name in batch)
    rows = batch.to_pylist()
    assert rows == [
        {name: fields[name][i] for name in fields} for i in range(ROWS)]
    empty = hr.decode([b"", b""])
    assert (empty.to_pydict(), empty.to_pylist()) == ({}, [{}, {}])
    raw = hr.decode([b"x", b""], message="raw")
    assert raw.to_pydict() == {"payload": [b"x", b""]}
    assert raw.to_pylist() == [{"payload": b"x"}, {"payload": b""}]


def test_columns_as_arrow_has_them():
    arrow = pytest.importorskip("pyarrow", reason="has the same rows")
    for batch in (COLUMNS, hr.decode([b"x"], message="raw"), hr.decode([b""])):
        in_arrow = arrow.record_batch(batch)
        assert batch.to_pydict() == in_arrow.to_pydict()
        assert batch.to_pylist() == in_arrow.to_pylist()


def test_a_mapping_is_still_arrow():
    arrow = pytest.importorskip("pyarrow", reason="makes tables")
    message = records.sequence_example({"a": ints(1)}, {"l": [ints(2)]})
    batch = hr.decode([message], message="sequence")
    for make in (arrow.table, arrow.record_batch):
        assert make(batch).to_pylist() == [{"a": [1], "##SEQUENCE##": {"l": [[2]]}}]


def test_to_pandas():
    pytest.importorskip("pandas", reason="makes frames")
    batch = hr.decode(SERIALIZED, spec=SPEC | OTHERS)
    frame = batch.to_pandas()
    assert list(frame) == list(batch) and len(frame) == ROWS
    for name in batch:
        assert frame[name].tolist() == batch[name].tolist()
    assert (frame["i"].dtype, frame["b"].dtype) == (np.int64, object)
    frame.loc[0, "i"] = 99
    assert batch["i"][0] == 0
    assert COLUMNS.to_pandas()["v"].tolist() == COLUMNS["v"].tolist()
    assert hr.decode([b"", b""]).to_pandas().shape == (2, 0)
    assert hr.decode([b"x"], message="raw").to_pandas().to_dict() == {
        "payload": {0: b"x"}}


def test_to_pandas_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(hr.MissingPackageError, match="pip install pandas") as caught:
        COLUMNS.to_pandas()
    assert isinstance(caught.value, ImportError)


# Nothing that a later read believes can be written to.


class Unversioned:
    """Asks for a capsule as consumers of DLPack did before 1.0."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **_):
        return self.tensor.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


STRUCTURE = {
    "offsets": lambda batch: batch.columns["v"].offsets,
    "steps": lambda batch: batch.lists["l"].offsets,
    "step_offsets": lambda batch: batch.lists["l"].step_offsets,
    "row_splits": lambda batch: batch.tensors["ragged"].row_splits[0],
    "deep": lambda batch: batch.tensors["deep"].row_splits[1],
    "dense_shape": lambda batch: batch.tensors["indexed"].dense_shape,
    "lengths": lambda batch: batch.padded["l"].lengths,
}


class Batches:
    """One of each sort."""

    def __init__(self):
        steps = [records.sequence_example({}, {"l": [ints(1, 2), ints(3, 4)]})] * 2
        spec = hr.Spec({}, {"l": hr.FixedLenSequenceFeature([2], int)})
        self.columns = hr.decode(SERIALIZED)
        self.tensors = hr.decode(SERIALIZED, spec=OTHERS)
        self.lists = hr.decode(steps, message="sequence")
        self.padded = hr.decode(steps, spec=spec)

    def content(self):
        return [batch.to_pydict() for batch in vars(self).values()]


@pytest.mark.parametrize("name", STRUCTURE)
def test_structure_cannot_be_written_to(name):
    batches = Batches()
    before = pickle.dumps(batches.content())
    for consume in (np.from_dlpack, lambda x: np.from_dlpack(Unversioned(x))):
        array = consume(STRUCTURE[name](batches))
        assert array.tolist() == STRUCTURE[name](batches).tolist()
        if array.flags.writeable:
            array[:] = 2**31 - 1
    assert pickle.dumps(batches.content()) == before
    tensor = STRUCTURE[name](batches)
    with pytest.raises(BufferError):
        np.from_dlpack(tensor, copy=False)
    assert_read_only(tensor)


def assert_read_only(tensor):
    """Along whatever an array is a view of, too."""
    array = tensor.numpy()
    with pytest.raises(ValueError):
        array.flags.writeable = True
    assert array.__array_interface__["data"][1] is True
    seen = [tensor, array]
    while seen[-1] is not None:
        assert memoryview(seen[-1]).readonly
        seen.append(getattr(seen[-1], "base", getattr(seen[-1], "obj", None)))
    for view in seen[:-1]:
        with pytest.raises((TypeError, BufferError)):
            np.ctypeslib.ctypes.c_char.from_buffer(view)


@pytest.mark.parametrize("name", [*SPEC, *OTHERS, "column"])
def test_values_are_shared_and_read_only(name):
    field = (DENSE | FIELDS | {"column": COLUMNS["v"]})[name]
    tensor = field if isinstance(field, hr.Tensor) else field.values
    if tensor.dtype == object:
        with pytest.raises(BufferError, match="bytes"):
            np.from_dlpack(tensor)
        return
    assert_read_only(tensor)
    address = tensor.numpy().__array_interface__["data"][0]
    shared = np.from_dlpack(tensor)
    assert shared.__array_interface__["data"] == (address, True)
    # As a consumer that knows of no read-only memory is promised it.
    old = np.from_dlpack(Unversioned(tensor))
    assert old.__array_interface__["data"][0] == address
    copied = np.from_dlpack(tensor, copy=True)
    assert copied.tolist() == tensor.tolist()
    assert copied.__array_interface__["data"][0] != address
