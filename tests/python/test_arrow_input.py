"""Arrow arrays that contradict themselves: an error from everybody who takes
them, and nothing read outside of their buffers."""

import ctypes
import struct

import headrace as hr
import numpy
import pytest
import records

arrow = pytest.importorskip("pyarrow", reason="makes the arrays")

SPEC = {"id": hr.FixedLenFeature([], hr.int64)}
FORMATS = {
    "z": arrow.binary(), "Z": arrow.large_binary(), "vz": arrow.binary_view(),
    "u": arrow.string(), "U": arrow.large_string(), "vu": arrow.string_view(),
}
MAX, MIN = 2**63 - 1, -(2**63)


class ArrowArray(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p),
    ]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.POINTER(ArrowArray)
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Changed:
    """An array of pyarrow's, of which the structure says something else."""

    def __init__(self, array, **fields):
        self.capsules = array.__arrow_c_array__()
        self.pointer = _pointer_of(self.capsules[1], b"arrow_array")
        self.right = {name: getattr(self.pointer[0], name) for name in fields}
        self._set(fields)

    def _set(self, fields):
        for name, value in fields.items():
            setattr(self.pointer[0], name, value)

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._set(self.right)  # whoever releases it relies on it


def texts():
    serialized = [records.example({"id": records.ints(i), "t": records.blobs(b"t" * 20)})
                  for i in range(3)]
    return [one.decode() for one in serialized]


def made(dtype):
    values = texts()
    if "string" not in str(dtype):
        values = [value.encode() for value in values]
    return arrow.array(values, dtype)


def expect_refused(array):
    for call in (lambda: hr.decode(array), lambda: hr.parse_example(array, SPEC)):
        with pytest.raises(hr.InvalidArgumentError):
            call()


@pytest.fixture(params=FORMATS)
def dtype(request):
    return FORMATS[request.param]


def test_the_array_itself_is_fine(dtype):
    with Changed(made(dtype)) as same:
        assert hr.parse_example(same, SPEC)["id"].numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("fields", [
    {"length": -1}, {"length": MIN}, {"length": MAX},
    {"offset": -1}, {"offset": MIN}, {"offset": MAX}, {"offset": MAX - 2},
    {"null_count": -2}, {"null_count": 4}, {"null_count": MAX}, {"null_count": 1},
    {"n_buffers": -1}, {"n_buffers": 0}, {"n_buffers": 1}, {"n_buffers": 2},
    {"n_buffers": MIN}, {"buffers": None}, {"n_children": 1}, {"n_children": -1},
], ids=str)
def test_structures(dtype, fields):
    with Changed(made(dtype), **fields) as changed:
        expect_refused(changed)


def of_buffers(dtype, length, *buffers):
    return arrow.Array.from_buffers(
        dtype, length, [b and arrow.py_buffer(b) for b in buffers])


def expect_value_refused(array, row):
    for call in (lambda: hr.decode(array), lambda: hr.parse_example(array, SPEC)):
        with pytest.raises(hr.InvalidArgumentError, match=rf"serialized\[{row}\] ") as got:
            call()
        assert got.value.record == row
    with pytest.raises(hr.InvalidArgumentError, match=f"row {row}"):
        hr.encode(arrow.RecordBatch.from_arrays([array], ["x"]))


@pytest.mark.parametrize("offsets, row", [
    ([0, 2**31 - 1, 3, 4], 0), ([0, 3, 2, 4], 1), ([0, 1, 9, 4], 1)])
def test_offsets(dtype, offsets, row):
    if "view" in str(dtype):
        pytest.skip("views have none")
    code = "q" if "large" in str(dtype) else "i"
    expect_value_refused(
        of_buffers(dtype, 3, None, struct.pack(f"<4{code}", *offsets), b"data"), row)


def changeable(dtype):
    """The offsets of an array, and the array: pyarrow looks at them when it is made."""
    wide = "large" in str(dtype)
    offsets = numpy.array([0, 3, 4, 4], numpy.int64 if wide else numpy.int32)
    array = arrow.Array.from_buffers(
        dtype, 3, [None, arrow.py_buffer(offsets), arrow.py_buffer(b"data")])
    return offsets, array


def stream_of(batch):
    """What a file or a pipe of Arrow's own format gives, which nobody checked."""
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def test_offsets_past_the_values(tmp_path, dtype):
    if "view" in str(dtype):
        pytest.skip("views have none")
    offsets, array = changeable(dtype)
    made = []
    for column in (array, array[1:]):
        table = arrow.table({"x": column})
        batch = arrow.RecordBatch.from_arrays([column], ["x"])
        reader = arrow.RecordBatchReader.from_batches(batch.schema, [batch])
        made += [batch, table, reader, table.to_reader()]
    offsets[3] = 1000
    for call in (hr.decode, lambda array: hr.parse_example(array, SPEC)):
        for part in (array, array[2:]):
            with pytest.raises(hr.InvalidArgumentError, match="does not fit its buffers"):
                call(part)
    for data in made:
        with pytest.raises(hr.InvalidArgumentError, match='column "x" does not fit'):
            hr.encode(data)
    with hr.Writer(tmp_path / "a.tfrecord") as writer:
        with pytest.raises(hr.InvalidArgumentError, match='column "x" does not fit'):
            writer.write_batch(batch)


@pytest.mark.parametrize("of_bytes", [True, False])
def test_streams_that_lie(of_bytes):
    values = arrow.array([b"abc", b"", b"d"]) if of_bytes else arrow.array([1, 2, 3])
    batch = arrow.RecordBatch.from_arrays([values], ["x"])
    good = stream_of(batch).to_pybytes()
    assert len(hr.encode(arrow.ipc.open_stream(good))) == 3
    if of_bytes:
        offsets = struct.pack("<4i", 0, 3, 3, 4)
        evil = good.replace(offsets, struct.pack("<4i", 0, 3, 3, 1 << 20))
    else:
        # The length of the array, and of the batch.
        three = struct.pack("<q", 3)
        evil = good.replace(three, struct.pack("<q", 1 << 20))
    assert evil != good
    with pytest.raises((hr.InvalidArgumentError, hr.IoError)):
        hr.encode(arrow.ipc.open_stream(evil))


def test_readers_that_fail():
    batch = arrow.record_batch({"x": [1, 2]})

    def batches():
        yield batch
        raise RuntimeError("no more")

    reader = arrow.RecordBatchReader.from_batches(batch.schema, batches())
    with pytest.raises(hr.IoError, match="the Arrow stream failed: .*no more"):
        hr.encode(reader)


@pytest.mark.parametrize("view", [
    (1 << 20, 0, 0), (17, 0, 0), (2**31 - 1, 0, 0), (16, 0, 1), (16, 0, 1 << 30),
    (16, 0, -1), (16, 1, 0), (16, 2, 0), (16, -1, 0), (16, 2**31 - 1, 0), (-1, 0, 0),
    (-(2**31), 0, 0)], ids=str)
def test_views(dtype, view):
    """A view of 16 bytes says: size, prefix, buffer, offset."""
    if "view" not in str(dtype):
        pytest.skip("has offsets")
    size, buffer, offset = view
    views = b"\0" * 16 + struct.pack("<i4sii", size, b"data", buffer, offset)
    expect_value_refused(of_buffers(dtype, 2, None, views, b"sixteen bytes!!!"), 1)


def test_sizes_of_the_buffers_of_views():
    """The last buffer has the sizes of those before it."""
    array = arrow.array([b"longer than a view holds"], arrow.binary_view())
    with Changed(array) as changed:
        sizes = ctypes.cast(changed.pointer[0].buffers[3], ctypes.POINTER(ctypes.c_int64))
        right = sizes[0]
        for wrong in (23, 0, -1, MIN):
            sizes[0] = wrong
            with pytest.raises(hr.InvalidArgumentError, match=r"serialized\[0\]"):
                hr.decode(changed)
        sizes[0] = right
    with Changed(array) as changed:
        buffers = changed.pointer[0].buffers
        for gone in (1, 2, 3):
            right, buffers[gone] = buffers[gone], None
            expect_refused(changed)
            buffers[gone] = right
