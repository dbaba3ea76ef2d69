"""Readers and batches in the hands of libraries that read Arrow."""

import gc

import headrace as hr
import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="compares with pyarrow's tables")

NUM_ROWS = 1000
SPEC = {
    "id": hr.FixedLenFeature([], hr.int64),
    "box": hr.FixedLenFeature([2, 3], hr.float32),
    "name": hr.FixedLenFeature([], hr.bytes_),
    "words": hr.RaggedFeature(hr.bytes_),
    "odd": hr.SparseFeature("odd_at", "odd_words", hr.bytes_, 10),
}


def row(i):
    return {
        "id": i,
        "box": [float(i)] * 6,
        "name": f"n{i}",
        "words": [f"w{j}" for j in range(i % 3)] or None,
        "odd_at": list(range(i % 3)) or None,
        "odd_words": [f"w{j}" for j in range(i % 3)] or None,
    }


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("arrow") / "x.tfrecord")
    with hr.Writer(path) as writer:
        for i in range(NUM_ROWS):
            writer.write(row(i))
    return path


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("arrow") / "s.tfrecord")
    with hr.Writer(path) as writer:
        for i in range(10):
            lists = {"frame": [[j, j + 1] for j in range(i)], "none": []}
            writer.write({"id": i}, lists)
    return path


def list_rows(i):
    """Row `i` as columns found in the data have it."""
    return {
        "box": [float(i)] * 6,
        "id": [i],
        "name": [b"n%d" % i],
        "odd_at": list(range(i % 3)) or None,
        "odd_words": [b"w%d" % j for j in range(i % 3)] or None,
        "words": [b"w%d" % j for j in range(i % 3)] or None,
    }


# ---------------------------------------------------------------- pyarrow


def test_pyarrow_table_of_a_reader(path):
    table = pa.table(hr.open(path))
    table.validate(full=True)
    assert table.schema == pa.schema([
        ("box", pa.list_(pa.float32())),
        ("id", pa.list_(pa.int64())),
        ("name", pa.list_(pa.binary())),
        ("odd_at", pa.list_(pa.int64())),
        ("odd_words", pa.list_(pa.binary())),
        ("words", pa.list_(pa.binary())),
    ])
    assert table.to_pylist() == [list_rows(i) for i in range(NUM_ROWS)]


def test_pyarrow_record_batches(path):
    reader = hr.open(path, batch_size=300)
    batches = [pa.record_batch(batch) for batch in reader]
    assert [batch.num_rows for batch in batches] == [300, 300, 300, 100]
    del reader
    gc.collect()
    assert pa.Table.from_batches(batches).equals(pa.table(hr.open(path)))


def test_pyarrow_record_batch_reader(path):
    stream = pa.RecordBatchReader.from_stream(hr.open(path, batch_size=400))
    assert stream.schema == pa.schema(hr.open(path))
    assert [batch.num_rows for batch in stream] == [400, 400, 200]


def test_pyarrow_arrays_of_tensors(path):
    batch = next(hr.open(path, spec=SPEC))
    box = pa.array(batch["box"])
    assert box.type == pa.fixed_shape_tensor(pa.float32(), [2, 3])
    assert box.to_numpy_ndarray().shape == (256, 2, 3)
    assert box.to_numpy_ndarray()[255].tolist() == [[255.0] * 3] * 2
    assert pa.array(batch["id"]).to_pylist() == list(range(256))
    assert pa.array(batch["words"])[5].as_py() == [b"w0", b"w1"]
    assert pa.array(batch["odd"])[2].as_py() == {
        "odd_at": [0, 1], "values": [b"w0", b"w1"],
    }


def test_pyarrow_table_of_tensors(path):
    table = pa.table(hr.open(path, spec=SPEC))
    table.validate(full=True)
    assert table.column_names == list(SPEC)
    assert table.schema.field("box").type.shape == [2, 3]
    box = table["box"].combine_chunks().to_numpy_ndarray()
    assert (box == np.arange(NUM_ROWS)[:, None, None]).all()


@pytest.mark.parametrize("bytes_as, expected", [
    ("binary", pa.binary()),
    ("large", pa.large_binary()),
    ("view", pa.binary_view()),
    ("string", pa.string()),
])
def test_pyarrow_forms_of_bytes(path, bytes_as, expected):
    table = pa.table(hr.open(path, spec=SPEC, bytes_as=bytes_as))
    table.validate(full=True)
    assert table["name"].type == expected
    assert table["words"].type == pa.list_(expected)
    names = [f"n{i}" for i in range(NUM_ROWS)]
    found = table["name"].to_pylist()
    assert found == (names if bytes_as == "string" else [n.encode() for n in names])


def test_pyarrow_sequence_examples(steps):
    table = pa.table(hr.open(steps))
    table.validate(full=True)
    inner = pa.list_(pa.list_(pa.int64()))
    assert table.schema.field("##SEQUENCE##").type.field("frame").type == inner
    rows = table.to_pylist()
    for i in (0, 1, 9):
        assert rows[i]["id"] == [i]
        assert rows[i]["##SEQUENCE##"]["frame"] == [[j, j + 1] for j in range(i)]


def test_an_error_of_the_stream_says_where(path):
    bad = {"words": hr.FixedLenFeature([], hr.bytes_)}
    with pytest.raises(OSError, match="record 0 at offset 0: missing_feature"):
        pa.table(hr.open(path, spec=bad))


def test_rows_before_an_error_arrive(path, tmp_path):
    cut = str(tmp_path / "cut.tfrecord")
    data = open(path, "rb").read()
    open(cut, "wb").write(data[:-1])
    stream = pa.RecordBatchReader.from_stream(hr.open(cut, batch_size=64))
    rows = 0
    with pytest.raises(OSError, match="truncated"):
        for batch in stream:
            rows += batch.num_rows
    assert rows == NUM_ROWS - 1


def test_a_stream_goes_on_after_the_iterator(path):
    reader = hr.open(path, batch_size=100)
    next(reader)
    assert pa.table(reader)["id"][0].as_py() == [100]


def test_a_closed_reader_gives_no_stream(path):
    reader = hr.open(path)
    reader.close()
    with pytest.raises((hr.HeadraceError, ValueError, OSError), match="closed"):
        pa.table(reader)


# -------------------------------------------------------------- consumers


def test_polars(path):
    pl = pytest.importorskip("polars", reason="makes frames of Polars")
    frame = pl.DataFrame(hr.open(path, columns=["id", "name"]))
    assert frame.schema == {"id": pl.List(pl.Int64), "name": pl.List(pl.Binary)}
    assert frame["id"].list.first().to_list() == list(range(NUM_ROWS))
    frame = pl.DataFrame(next(hr.open(path, spec=SPEC, bytes_as="view")))
    assert frame["name"][255] == b"n255"
    assert pl.from_arrow(pa.table(hr.open(path))).height == NUM_ROWS


def test_pandas(path):
    pd = pytest.importorskip("pandas", reason="makes frames of pandas")
    frame = pa.table(hr.open(path, spec=SPEC, columns=["id", "name"])).to_pandas()
    assert frame["id"].tolist() == list(range(NUM_ROWS))
    if not hasattr(pd.DataFrame, "from_arrow"):
        pytest.skip("this pandas has no DataFrame.from_arrow")
    frame = pd.DataFrame.from_arrow(hr.open(path, spec=SPEC, columns=["id", "name"]))
    assert frame["name"].tolist() == [b"n%d" % i for i in range(NUM_ROWS)]


def test_nanoarrow(path):
    na = pytest.importorskip("nanoarrow", reason="reads with nanoarrow")
    reader = hr.open(path, spec=SPEC, columns=["id", "words"], batch_size=100)
    stream = na.ArrayStream(reader)
    chunks = [chunk.to_pylist() for chunk in stream]
    assert [len(chunk) for chunk in chunks] == [100] * 10
    assert chunks[9][-1] == {"id": 999, "words": []}
    batch = next(hr.open(path))
    assert na.Array(batch["id"]).to_pylist() == [[i] for i in range(256)]
    assert na.Schema(hr.open(path)).n_fields == 6
