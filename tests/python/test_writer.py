"""Writing: what becomes of values, and files that are whole or not there."""

import gzip
import importlib
import importlib.util
import math
import os
import pathlib
import tempfile

import headrace as hr
import numpy as np
import pytest
import records

ALL_KINDS = [
    {"i": [1, -1, 2**63 - 1, -(2**63)], "f": [0.5, -0.0, 1e-45],
     "b": [b"", b"\x00\xff"]},
    {"i": [], "f": None, "b": [b"x" * 1000]},
    {},
]


def written(path, rows, **options):
    with hr.Writer(path, **options) as writer:
        for row in rows:
            writer.write(row)
        assert writer.num_records == len(rows)
    return path


@pytest.fixture
def value_of(tmp_path):
    """A function: what a value is read back as, its kind and the list."""

    def value_of(value):
        written(tmp_path / "value", [{"x": value}])
        (batch,) = hr.open(tmp_path / "value")
        return batch["x"].kind, batch["x"].to_list()[0]

    return value_of


# Values.


@pytest.mark.parametrize("value, kind, wanted", [
    (5, "int64", [5]), (True, "int64", [1]), (-(2**63), "int64", [-(2**63)]),
    (1.5, "float", [1.5]), (math.inf, "float", [math.inf]),
    (b"\x00\xff", "bytes", [b"\x00\xff"]), ("é", "bytes", ["é".encode()]),
    ([1, 2], "int64", [1, 2]), ((1.0, 2.0), "float", [1.0, 2.0]),
    (["a", b"b"], "bytes", [b"a", b"b"]), ([True, 2], "int64", [1, 2]),
    (range(3), "int64", [0, 1, 2]), (None, "null", None), ([], "null", None),
    (np.int8(-3), "int64", [-3]), (np.uint64(7), "int64", [7]),
    (np.float16(1.5), "float", [1.5]), (np.float64(0.1), "float", [np.float32(0.1)]),
    (np.bool_(True), "int64", [1]), (np.str_("s"), "bytes", [b"s"]),
    (np.bytes_(b"s"), "bytes", [b"s"]),
    (np.arange(4, dtype=np.uint8).reshape(2, 2), "int64", [0, 1, 2, 3]),
    (np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]), "float", [1, 2, 3, 4]),
    (np.array(5), "int64", [5]), (np.array([True, False]), "int64", [1, 0]),
    (np.array(["a\0", "b"], np.dtypes.StringDType()), "bytes", [b"a\0", b"b"]),
    (np.array(["a\0", "b"], object), "bytes", [b"a\0", b"b"]),
    (np.ma.array([1, 2], mask=False), "int64", [1, 2]),
    (np.ma.array([1.5], mask=[False]), "float", [1.5]),
    (np.array([b"a\0", "b"], object), "bytes", [b"a\0", b"b"]),
    (np.array([], np.float32), "float", []), (np.array([], np.int8), "int64", []),
    (np.arange(6)[::2], "int64", [0, 2, 4]), ([np.int64(1), 2], "int64", [1, 2]),
], ids=repr)
def test_values(value_of, value, kind, wanted):
    assert value_of(value) == (kind, wanted)


def missing():
    """Arrays of other libraries, which numpy would make NaN of."""
    found = []
    if arrow := importlib.util.find_spec("pyarrow") and importlib.import_module(
            "pyarrow"):
        found.append(arrow.array([1, None]))
        found.append(arrow.chunked_array([[1], [None]]))
    if polars := importlib.util.find_spec("polars") and importlib.import_module(
            "polars"):
        found.append(polars.Series([1, None]))
        found.append(polars.Series(["a", None]))
    if pandas := importlib.util.find_spec("pandas") and importlib.import_module(
            "pandas"):
        found.append(pandas.Series([1, None], dtype="Int64"))
    return found


@pytest.mark.parametrize("value", missing(), ids=lambda value: type(value).__module__)
def test_missing_values_of_other_libraries(value_of, value):
    with pytest.raises((ValueError, TypeError), match='"x"'):
        value_of(value)


def test_nan_is_written(value_of):
    kind, values = value_of(np.array([math.nan, -math.nan], np.float32))
    assert kind == "float" and all(map(math.isnan, values))
    assert math.isnan(value_of(math.nan)[1][0])
    assert math.copysign(1, value_of(-0.0)[1][0]) == -1


@pytest.mark.parametrize("value, error", [
    *((value, TypeError) for value in (
        [1, 2.0], [1, b"x"], ["a", 1.0], [[1]], [None], np.array([1, b"a"], object),
        np.array([b"a"]), np.array(["a\0"]), np.array(["a", "b"]), np.array([1j]),
        np.datetime64("2020-01-01"), np.array([[1], [2, 3]], object), 1j, object())),
    *((value, ValueError) for value in (
        np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1.5], mask=True),
        np.ma.array([b"a", b"b"], object, mask=[1, 0]), np.ma.masked, "\ud800")),
    *((value, OverflowError) for value in (
        2**63, -(2**63) - 1, np.uint64(2**63), np.array([2**63], np.uint64), 1e300)),
], ids=repr)
def test_values_that_no_feature_holds(value_of, value, error):
    with pytest.raises(error, match='^feature "x": '):
        value_of(value)


@pytest.mark.parametrize("value", [bytearray(b"x"), {"a": 1}, memoryview(b"x")])
def test_what_is_no_list_of_values(value_of, value):
    try:
        assert value_of(value) == ("bytes", [b"x"])
    except TypeError:
        pass


def test_a_memoryview_that_was_released(value_of):
    view = memoryview(b"x")
    view.release()
    with pytest.raises(ValueError, match="released"):
        value_of(view)


def test_records_that_cannot_be(tmp_path):
    with hr.Writer(tmp_path / "x") as writer:
        for record in (3, None, "x", [1], bytearray(b"x"), {"a": object()},
                       {1: 1}, {b"a": 1}):
            with pytest.raises(TypeError):
                writer.write(record)
        for arguments in ((b"raw", {}), ({}, [1]), ({}, {"l": 3}), ({}, {"l": None}),
                          ({}, {"l": [[[1]]]}), ({1: 1}, {}), ({}, {1: []}),
                          ({}, {"l": "abc"}), ({}, {"l": {"a": 1}})):
            with pytest.raises(TypeError):
                writer.write(*arguments)
        with pytest.raises((TypeError, ValueError)):
            writer.write({"\ud800": 1})
        assert writer.num_records == 0
        writer.write({"ok": 1})
    assert records.rows_of(hr.open(tmp_path / "x")) == [{"ok": [1]}]


# Files.


@pytest.mark.parametrize("compression", ["auto", *records.COMPRESSIONS])
def test_round_trip(tmp_path, compression):
    path = written(tmp_path / "x.tfrecord", ALL_KINDS, compression=compression)
    wanted = [{name: row.get(name) or None for name in "bfi"} for row in ALL_KINDS]
    assert records.rows_of(hr.open(path)) == [
        {"b": w["b"], "f": w["f"] and np.float32(w["f"]).tolist(), "i": w["i"]}
        for w in wanted]
    stored = {"auto": "none"}.get(compression, compression)
    assert len(list(hr.open(path, compression=stored))) == 1
    assert os.listdir(tmp_path) == ["x.tfrecord"]


def test_bytes_of_the_file_are_as_defined(tmp_path):
    rows = records.people(50)
    payloads = [records.person(row) for row in rows]
    path = written(tmp_path / "x", payloads)
    assert path.read_bytes() == records.framed(payloads)
    path = written(tmp_path / "x.gz", payloads)
    assert gzip.decompress(path.read_bytes()) == records.framed(payloads)
    # Keys are sorted, so a dict is the same message as one made by hand.
    row = {"id": 7, "score": [1.5], "tags": ["t"]}
    path = written(tmp_path / "x", [row])
    assert path.read_bytes() == records.framed(
        [records.person({"id": [7], "score": [1.5], "tags": [b"t"]})])


@pytest.mark.parametrize("name, compression", [
    ("a.gz", "gzip"), ("a.tfrecord.gz", "gzip"), ("a.zz", "zlib"), ("a.zst", "zstd"),
    ("a.gzip", "gzip"), ("a.GZ", "gzip"), ("a.zlib", "zlib"), ("a.zstd", "zstd"),
    ("a.snappy", "snappy"), ("a.sz", "snappy"), ("a", "none"), ("a.gz.x", "none"),
    (".gz", "none")])
def test_compression_goes_by_the_name(tmp_path, name, compression):
    path = written(tmp_path / name, [{"a": 1}])
    assert records.rows_of(hr.open(path, compression=compression)) == [{"a": [1]}]
    payload = records.example({"a": records.ints(1)})
    assert (path.read_bytes() == records.frame(payload)) == (compression == "none")


def test_sequences(tmp_path):
    path = tmp_path / "x"
    with hr.Writer(path) as writer:
        writer.write({"c": 1}, {"f": [[0.5, 1.0], np.array([], np.float32), None]})
        writer.write({}, {"f": [2.5], "empty": []})
        writer.write({"c": [2, 3]}, {})
    (batch,) = hr.open(path)
    assert batch.message == "sequence"
    assert batch["c"].to_list() == [[1], None, [2, 3]]
    assert batch["f"].to_list() == [[[0.5, 1.0], [], None], [[2.5]], None]
    assert batch["empty"].to_list() == [None, [], None]


def test_an_exception_leaves_no_file(tmp_path):
    with pytest.raises(KeyError), hr.Writer(tmp_path / "x.gz") as writer:
        writer.write({"a": 1})
        assert not (tmp_path / "x.gz").exists()
        raise KeyError("mine")
    assert os.listdir(tmp_path) == []
    written(tmp_path / "x", [{"a": 1}])
    with pytest.raises(KeyError), hr.Writer(tmp_path / "x") as writer:
        writer.write({"a": 2})
        raise KeyError("mine")
    # What was there before is as it was.
    assert records.rows_of(hr.open(tmp_path / "x")) == [{"a": [1]}]
    assert os.listdir(tmp_path) == ["x"]
    with pytest.warns(hr.UnfinishedFileWarning, match="its 1 records are lost"):
        hr.Writer(tmp_path / "y").write({"a": 1})  # never closed
    assert os.listdir(tmp_path) == ["x"]


def test_close(tmp_path):
    writer = hr.Writer(tmp_path / "x", fsync=True)
    writer.write({"a": 1})
    writer.close()
    writer.close()
    for call in (lambda: writer.write({"a": 1}), lambda: writer.num_records):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert records.rows_of(hr.open(tmp_path / "x")) == [{"a": [1]}]
    assert list(hr.open(written(tmp_path / "empty", []))) == []


def test_wrong_arguments(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        hr.Writer(tmp_path / "nope" / "x")
    assert caught.value.file == str(tmp_path / "nope" / "x")
    with pytest.raises((hr.IoError, IsADirectoryError)):
        hr.Writer(tmp_path)
    for options in ({"compression": "bz2"}, {"storage_options": {"key": 1}}):
        with pytest.raises(hr.InvalidArgumentError, match=next(iter(options))):
            hr.Writer(tmp_path / "x", **options)
    with pytest.raises(hr.InvalidArgumentError):
        hr.Writer("")
    for arguments in ({"path": 3}, {"path": None}, {"path": "x", "fsync": "x"},
                      {"path": "x", "compression": 3},
                      {"path": "x", "storage_options": 3}):
        with pytest.raises(TypeError):
            hr.Writer(**arguments)
    assert os.listdir(tmp_path) == []


def test_any_path(tmp_path):
    path = pathlib.Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    assert records.rows_of(hr.open(written(path, [{"a": 1}]))) == [{"a": [1]}]


# Arrow.


def test_encode():
    arrow = pytest.importorskip("pyarrow", reason="makes the record batches")
    rows = records.people(100)
    serialized = [records.person(row) for row in rows]
    batch = hr.decode(serialized)
    assert hr.encode(batch) == serialized
    table = arrow.record_batch(batch)
    assert hr.encode(table) == serialized
    assert hr.encode(table.slice(10, 20)) == serialized[10:30]
    steps = [records.sequence_example(
        {"c": records.ints(i)}, {"f": [records.floats(i)] * i}) for i in range(4)]
    assert hr.encode(hr.decode(steps, message="sequence")) == steps
    lists = arrow.record_batch({"a": [[1], None, []]})
    assert hr.decode(hr.encode(lists))["a"].to_list() == [[1], None, []]


@pytest.mark.parametrize("values, dtype, words", [
    ([[{"x": 1}]], None, '"a"'), ([[2**64 - 1]], "uint64", '"a", row 0'),
    ([[None]], "int64", '"a", row 0: value 0 is null')])
def test_batches_that_cannot_be_encoded(values, dtype, words):
    arrow = pytest.importorskip("pyarrow", reason="makes the record batches")
    dtype = dtype and arrow.list_(getattr(arrow, dtype)())
    batch = arrow.record_batch({"a": arrow.array(values, dtype)})
    with pytest.raises(hr.InvalidArgumentError, match=words):
        hr.encode(batch)


def test_write_batch(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="makes the record batches")
    rows = records.people(100)
    with hr.Writer(tmp_path / "x") as writer:
        for batch in hr.open(records_of(tmp_path, rows), batch_size=30):
            writer.write_batch(batch)
        assert writer.num_records == 100
        for wrong in (3, arrow.array([1]), arrow.chunked_array([[1]])):
            with pytest.raises((TypeError, hr.InvalidArgumentError)):
                writer.write_batch(wrong)
    assert records.rows_of(hr.open(tmp_path / "x")) == rows


def records_of(folder, rows):
    path = folder / "source"
    path.write_bytes(records.framed(map(records.person, rows)))
    return path


# Tables, streams, frames.


def tables():
    """The same rows, in the forms of several libraries."""
    arrow = pytest.importorskip("pyarrow", reason="makes the tables")
    table = arrow.table({"i": [1, 2, 3], "s": ["a", "b", "c"]})
    chunks = arrow.concat_tables([table[:1], table[1:]])
    found = [table, chunks, table.to_batches()[0],
             arrow.RecordBatchReader.from_batches(table.schema, table.to_batches())]
    for library in ("polars", "pandas"):
        if importlib.util.find_spec(library):
            frame = importlib.import_module(library).DataFrame
            found.append(frame({"i": [1, 2, 3], "s": ["a", "b", "c"]}))
    return found


def test_whatever_is_arrow(tmp_path):
    wanted = [{"i": [i], "s": [s]} for i, s in [(1, b"a"), (2, b"b"), (3, b"c")]]
    for data in tables():
        serialized = hr.encode(data)
        assert [*map(len, [serialized])] == [3], type(data)
        path = tmp_path / "x"
        path.write_bytes(records.framed(serialized))
        assert records.rows_of(hr.open(path)) == wanted, type(data)
    for data in tables():
        with hr.Writer(tmp_path / "y") as writer:
            writer.write_batch(data)
            assert writer.num_records == 3
        assert (tmp_path / "y").read_bytes() == path.read_bytes(), type(data)


def test_a_reader_is_written_as_it_reads(tmp_path):
    rows = records.people(100)
    source = records_of(tmp_path, rows)
    with hr.Writer(tmp_path / "x") as writer:
        writer.write_batch(hr.open(source, batch_size=30))
    assert (tmp_path / "x").read_bytes() == source.read_bytes()
    assert hr.encode(hr.open(source)) == [records.person(row) for row in rows]
    source.write_bytes(source.read_bytes() + b"x")
    with pytest.raises(hr.TruncatedError), hr.Writer(tmp_path / "y") as writer:
        writer.write_batch(hr.open(source))
    assert not (tmp_path / "y").exists()


def test_float64_only_by_a_cast(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="makes the tables")
    table = arrow.table({"f": [0.1, 1.5]})
    with hr.Writer(tmp_path / "x") as writer:
        for call in (hr.encode, writer.write_batch):
            with pytest.raises(hr.InvalidArgumentError, match="cast=True"):
                call(table)
        writer.write_batch(table, cast=True)
    assert records.rows_of(hr.open(tmp_path / "x")) == [
        {"f": [float(np.float32(0.1))]}, {"f": [1.5]}]
    assert hr.encode(table, cast=True) == hr.encode(table, allow_narrowing=True)


class FailingStream:
    def __init__(self, arrow):
        def batches():
            yield arrow.record_batch({"a": [1]})
            raise KeyError("mine")
        schema = arrow.schema({"a": arrow.int64()})
        self.reader = arrow.RecordBatchReader.from_batches(schema, batches())

    def __arrow_c_stream__(self, requested_schema=None):
        return self.reader.__arrow_c_stream__()


def test_a_stream_that_fails(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="makes the streams")
    with pytest.raises(hr.IoError, match="the Arrow stream failed: .*mine"):
        hr.encode(FailingStream(arrow))
    consumed = FailingStream(arrow).__arrow_c_stream__()

    class Consumed:
        def __arrow_c_stream__(self, requested_schema=None):
            return consumed

    with pytest.raises(hr.IoError):
        hr.encode(Consumed())
    with pytest.raises(ValueError, match="consumed already"):
        hr.encode(Consumed())
    for wrong in (None, 5, lambda: None):
        class Wrong:
            def __arrow_c_stream__(self, requested_schema=None):
                return wrong
        with pytest.raises((TypeError, ValueError)):
            hr.encode(Wrong())


# Remote files.


def test_urls(tmp_path, monkeypatch):
    # Other tests that run at the same time have files in the usual folder.
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    fsspec = pytest.importorskip("fsspec", reason="writes to memory://")
    memory = fsspec.filesystem("memory")
    url = "memory://written/x.tfrecord.gz"
    with hr.Writer(url) as writer:
        writer.write({"a": 1})
        assert not memory.exists("/written/x.tfrecord.gz")
    assert gzip.decompress(memory.cat("/written/x.tfrecord.gz"))
    assert records.rows_of(hr.open(url)) == [{"a": [1]}]
    with pytest.raises(KeyError), hr.Writer("memory://written/y") as writer:
        raise KeyError
    assert not memory.exists("/written/y")
    with hr.Writer("/written/z", filesystem=memory) as writer:
        writer.write({"a": 2})
    assert records.rows_of(hr.open("memory://written/z")) == [{"a": [2]}]
    with hr.Writer((tmp_path / "x").as_uri()) as writer:
        writer.write({"a": 3})
    assert records.rows_of(hr.open(tmp_path / "x")) == [{"a": [3]}]
    memory.rm("/written", recursive=True)
    assert os.listdir(folder) == []


def test_a_store_that_refuses():
    pytest.importorskip("fsspec", reason="has the interface of a store")

    class Full:
        def _strip_protocol(self, path):
            return path

        def cat_file(self, *_): ...
        def info(self, *_): ...

        def put_file(self, local, remote):
            raise PermissionError(13, "not yours")

    writer = hr.Writer("x", filesystem=Full())
    writer.write({"a": 1})
    with pytest.raises(PermissionError) as caught:
        writer.close()
    assert isinstance(caught.value, hr.IoError) and caught.value.file == "x"


# Rows are not records.


@pytest.mark.parametrize("spec", [None, {"a": hr.FixedLenFeature([], hr.int64)}])
def test_a_batch_is_not_a_record(tmp_path, spec):
    path = written(tmp_path / "x", [{"a": i} for i in range(5)])
    (batch,) = hr.open(path, spec=spec)
    with hr.Writer(tmp_path / "y") as writer:
        for record in (batch, dict(batch), {"x": batch["a"]}):
            with pytest.raises(TypeError, match="write_batch"):
                writer.write(record)
        with pytest.raises(TypeError, match="write_batch"):
            writer.write({}, batch)
        with pytest.raises(TypeError, match='feature "a"'):
            writer.write({"a": batch})
        assert writer.num_records == 0
        writer.write_batch(batch)
        writer.write({"a": batch["a"].numpy()[:1]})
    assert records.rows_of(hr.open(tmp_path / "y")) == [
        {"a": [i]} for i in (*range(5), 0)]


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_frames_are_not_records(tmp_path, library):
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    with hr.Writer(tmp_path / "x") as writer:
        with pytest.raises(TypeError, match="write_batch"):
            writer.write(make({"a": [1, 2, 3]}))
        assert writer.num_records == 0


# Each feature keeps its kind.


def table(**columns):
    return pytest.importorskip("pyarrow").table(columns)


def mixed():
    """Two ways to write a feature "x" of another kind than before."""
    yield lambda w: w.write({"x": 0.5}), lambda w: w.write({"x": 1})
    yield lambda w: w.write({"x": 1}), lambda w: w.write({"x": "a"})
    yield lambda w: w.write({}, {"x": [[1]]}), lambda w: w.write({}, {"x": [[], [.5]]})
    yield lambda w: w.write({"x": 0.5}), lambda w: w.write_batch(table(x=[[1]]))
    yield lambda w: w.write_batch(table(x=[[1]])), lambda w: w.write({"x": b""})
    yield (lambda w: w.write_batch(table(x=[None, [1]])),
           lambda w: w.write_batch(table(x=[None, ["a"]])))


@pytest.mark.parametrize("first, second", list(mixed()))
def test_a_second_kind_of_a_feature(tmp_path, first, second):
    with hr.Writer(tmp_path / "x") as writer:
        first(writer)
        count = writer.num_records
        with pytest.raises(hr.WrongKindError, match="mixed_kinds=True") as caught:
            second(writer)
        assert caught.value.feature == "x"
        assert writer.num_records == count
        first(writer)
    with hr.Writer(tmp_path / "x", mixed_kinds=True) as writer:
        first(writer)
        second(writer)


def test_steps_of_one_record_have_one_kind(tmp_path):
    with hr.Writer(tmp_path / "x") as writer:
        with pytest.raises(hr.WrongKindError, match='feature list "x"'):
            writer.write({"y": 1}, {"x": [[1], [0.5]]})
        writer.write({"y": 0.5}, {"x": [[0.5]]})  # nothing of the other counts


def test_features_without_a_kind_have_any(tmp_path):
    rows = [{"x": None, "y": 1}, {"x": []}, {"x": 1, "y": None}, {}, {"x": [2], "y": 2}]
    path = written(tmp_path / "x", rows)
    with hr.Writer(path) as writer:
        writer.write({"x": 1}, {"x": [["a"]]})  # a feature, and a feature list
        writer.write({"x": np.array([], np.int8)})
        with pytest.raises(hr.WrongKindError):
            writer.write({"x": np.array([], np.float32)})
        if importlib.util.find_spec("pyarrow"):
            arrow = importlib.import_module("pyarrow")
            nulls = arrow.array([None, None], arrow.list_(arrow.float32()))
            writer.write_batch(arrow.table({"x": nulls}))


SPEC = {
    "f": hr.FixedLenFeature([2], hr.float32),
    "i": hr.VarLenFeature(hr.int64),
    "b": hr.FixedLenFeature([], hr.bytes_, b"none"),
    "r": hr.RaggedFeature(hr.int64, partitions=[hr.RaggedFeature.RowLengths("rows")]),
}


def test_a_spec_converts(tmp_path):
    path = tmp_path / "x"
    with hr.Writer(path, spec=SPEC) as writer:
        writer.write({"f": [1, 0.5], "i": 2.0, "b": "a"})
        writer.write({"f": np.array([3, 4]), "i": np.array([5.0, -6.0]), "r": [],
                      "rows": []})
        writer.write({"f": np.array([True, False]), "i": [], "r": [1], "rows": [1]})
        writer.write(hr._core.serialize_example({"f": [0.5, 0.5]}))
    (batch,) = hr.open(path)
    assert [batch[name].kind for name in ("f", "i", "b", "r", "rows")] == [
        "float", "int64", "bytes", "int64", "int64"]
    assert batch["f"].to_list() == [[1, 0.5], [3, 4], [1, 0], [0.5, 0.5]]
    assert batch["i"].to_list() == [[2], [5, -6], [], None]
    assert batch["r"].to_list() == [None, [], [1], None]
    (batch,) = hr.open(path, spec=SPEC)
    assert batch["b"].numpy().tolist() == [b"a", b"none", b"none", b"none"]


@pytest.mark.parametrize("record, error, feature", [
    ({"f": [1, 2], "i": 1.5}, ValueError, "i"),
    ({"f": [1, 2], "i": math.nan}, ValueError, "i"),
    ({"f": [1, 2], "i": 2.0**63}, ValueError, "i"),
    ({"f": [1, 2], "i": 2**63}, OverflowError, "i"),
    ({"f": [1, 2], "i": "1"}, TypeError, "i"),
    ({"f": [1, 2], "b": 1}, TypeError, "b"),
    ({"f": [1, "a"]}, TypeError, "f"),
    ({"f": [1]}, hr.WrongCountError, "f"),
    ({"i": 1}, hr.MissingFeatureError, "f"),
    ({"f": [1, 2], "r": [1, 2], "rows": [1]}, hr.BadPartitionError, "r"),
    ({"f": [1, 2], "j": 1}, hr.InvalidArgumentError, "j"),
    ({"f": [1, 2], "row": 1}, hr.InvalidArgumentError, "did you mean \"rows\""),
    (hr._core.serialize_example({"f": [1, 2]}), hr.WrongKindError, "f"),
    (hr._core.serialize_example({"f": [0.5, 1.0], "j": 1}),
     hr.InvalidArgumentError, "j"),
    (b"\xff", hr.MalformedError, "end"),
])
def test_a_spec_refuses(tmp_path, record, error, feature):
    with hr.Writer(tmp_path / "x", spec=SPEC) as writer:
        writer.write({"f": [1, 2]})
        with pytest.raises(error, match=feature) as caught:
            writer.write(record)
        if isinstance(caught.value, hr.DataError) and caught.value.record is not None:
            assert caught.value.record == 1 and caught.value.offset is None
        assert writer.num_records == 1


def test_a_spec_and_arrow(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    path = tmp_path / "x"
    pairs = arrow.array([[1.0, 2.0]] * 2)  # of float64
    with hr.Writer(path, spec=SPEC) as writer:
        writer.write_batch(arrow.table({
            "f": arrow.array([[1, 2], [3, 4]]), "i": [1.0, -2.0], "b": ["a", None]}))
        writer.write_batch(arrow.table({
            "f": pairs, "i": arrow.array([[2.0, 3.0], []], arrow.list_(arrow.float16()))}))
        for columns, error in (
            ({"f": pairs, "i": [0.5, 1.0]}, hr.InvalidArgumentError),
            ({"f": pairs, "i": ["a", "b"]}, hr.WrongKindError),
            ({"f": arrow.array([[1, 2], None])}, hr.MissingFeatureError),
            ({"f": pairs, "other": [1, 2]}, hr.InvalidArgumentError),
        ):
            with pytest.raises(error):
                writer.write_batch(arrow.table(columns))
        assert writer.num_records == 4
    (batch,) = hr.open(path)
    assert batch["f"].to_list() == [[1, 2], [3, 4], [1, 2], [1, 2]]
    assert batch["i"].to_list() == [[1], [-2], [2, 3], []]


def test_a_spec_of_sequences(tmp_path):
    spec = hr.Spec({"c": hr.FixedLenFeature([], hr.float32)},
                   {"s": hr.FixedLenSequenceFeature([], hr.float32)})
    with hr.Writer(tmp_path / "x", spec=spec) as writer:
        writer.write({"c": 1}, {"s": [[1], [0.5]]})
        with pytest.raises(hr.WrongCountError):
            writer.write({"c": 1}, {"s": [[1, 2]]})
        with pytest.raises(hr.InvalidArgumentError, match='feature list "c"'):
            writer.write({"c": 1}, {"c": [[1]]})
    (batch,) = hr.open(tmp_path / "x", spec=spec)
    assert batch["s"].numpy().tolist() == [[1, 0.5]]


def test_specs_that_no_writer_has(tmp_path):
    spec = hr.ElwcSpec({}, {"a": hr.FixedLenFeature([], hr.int64, 0)})
    with pytest.raises(hr.InvalidArgumentError, match="Examples"):
        hr.Writer(tmp_path / "x", spec=spec)
    with pytest.raises(hr.InvalidArgumentError, match="mixed_kinds"):
        hr.Writer(tmp_path / "x", spec=SPEC, mixed_kinds=True)
    with pytest.raises(TypeError):
        hr.Writer(tmp_path / "x", spec=3)
    with pytest.raises(TypeError, match="mixed_kinds"):
        hr.Writer(tmp_path / "x", mixed_kinds=1)
    assert os.listdir(tmp_path) == []
