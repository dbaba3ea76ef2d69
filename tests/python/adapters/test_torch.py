"""Batches as torch tensors: kinds, dtypes, memory."""

import gc

import headrace as hr
import processes
import pytest
from memory import resident
from written import MOVIE_SPEC, kinds_row as row, movies, write  # noqa: F401

torch = pytest.importorskip("torch", reason="the adapter is for it")
to_torch = hr.torch.to_torch

ROWS = 20


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.tfrecord", map(row, range(ROWS)))


def first(path, spec=None, ragged="values_and_offsets", **options):
    with hr.open(path, spec=spec, batch_size=ROWS, **options) as reader:
        return to_torch(next(reader), ragged=ragged)


def fixed(shape, dtype, column, as_=None):
    return hr.FixedLenFeature(shape, dtype, column=column, as_=as_)


INTEGERS = ["int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(path, dtype):
    ids = first(path, {"id": fixed([], "int64", "id", dtype)})["id"]
    assert ids.dtype == getattr(torch, dtype)
    assert ids.tolist() == list(range(ROWS))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_floats(path, dtype):
    x = first(path, {"x": fixed([2], "float", "x", dtype)})["x"]
    assert x.dtype == getattr(torch, dtype)
    assert x.tolist() == [row(i)["x"] for i in range(ROWS)]


def test_bytes_as_pixels_and_as_lists(path):
    batch = first(
        path,
        {
            "pixels": fixed([2], "bytes", "pixels", "uint8"),
            "name": fixed([], "bytes", "name"),
            "names": fixed([1, 1], "bytes", "name"),
        },
    )
    assert batch["pixels"].tolist() == [[i, 255 - i] for i in range(ROWS)]
    assert batch["name"] == [b"n%d" % i for i in range(ROWS)]
    assert batch["names"] == [[[b"n%d" % i]] for i in range(ROWS)]


def rows_of(values, offsets):
    values = values if isinstance(values, list) else values.tolist()
    ends = offsets.tolist()
    return [values[a:b] for a, b in zip(ends, ends[1:])]


@pytest.mark.parametrize("splits", ["int32", "int64"])
@pytest.mark.parametrize("ragged", ["values_and_offsets", "nested"])
def test_ragged(path, ragged, splits):
    spec = {
        name: hr.RaggedFeature(dtype, row_splits_dtype=splits)
        for name, dtype in (("ids", "int64"), ("tags", "bytes"))
    }
    batch = first(path, spec, ragged)
    want = [row(i)["ids"] for i in range(ROWS)]
    if ragged == "nested":
        assert batch["ids"].is_nested
        assert [part.tolist() for part in batch["ids"].unbind()] == want
        padded = batch["ids"].to_padded_tensor(-1)
        assert padded.tolist() == [part + [-1] * (3 - len(part)) for part in want]
        assert batch["ids"].offsets().dtype == getattr(torch, splits)
    else:
        assert rows_of(*batch["ids"]) == want
        assert batch["ids"].offsets.dtype == getattr(torch, splits)
    # Bytes cannot be nested.
    assert isinstance(batch["tags"], hr.torch.Ragged)
    assert rows_of(*batch["tags"]) == [row(i)["tags"] for i in range(ROWS)]


def test_ragged_goes_into_an_embedding_bag(path):
    ids = first(path, {"ids": hr.RaggedFeature("int64")})["ids"]
    bag = torch.nn.EmbeddingBag(4, 3, mode="sum", include_last_offset=True)
    got = bag(ids.values, ids.offsets)
    for i, part in enumerate(row(i)["ids"] for i in range(ROWS)):
        assert torch.allclose(got[i], bag.weight[part].sum(0))


@pytest.mark.parametrize("ragged", ["values_and_offsets", "nested"])
def test_ragged_of_several_levels(path, ragged):
    partition = hr.RaggedFeature.RowLengths("lengths")
    spec = {"ids": hr.RaggedFeature("int64", partitions=[partition])}
    ids = first(path, spec, ragged)["ids"]
    outer, inner = ids.offsets
    lengths = [row(i)["lengths"] for i in range(ROWS)]
    assert outer.diff().tolist() == list(map(len, lengths))
    assert inner.diff().tolist() == sum(lengths, [])
    assert ids.values.tolist() == sum((row(i)["ids"] for i in range(ROWS)), [])


def test_var_len_is_coalesced(path):
    batch = first(path, {"ids": hr.VarLenFeature("int64", as_="uint16"),
                         "tags": hr.VarLenFeature("bytes")})
    ids, tags = batch["ids"], batch["tags"]
    assert ids.is_coalesced() and ids.shape == (ROWS, 3)
    assert ids.dtype == torch.uint16
    want = [(i, j) for i in range(ROWS) for j in row(i)["ids"]]
    assert ids.indices().T.tolist() == list(map(list, want))
    assert ids.values().tolist() == [j for _, j in want]
    assert tags.size == [ROWS, 2]
    assert tags.values == sum((row(i)["tags"] for i in range(ROWS)), [])
    assert tags.indices.shape == (2, len(tags.values))


def test_sparse_in_order_is_coalesced(path):
    spec = {"w": hr.SparseFeature("at", "weight", "float", 5)}
    got = first(path, spec)["w"]
    assert got.is_coalesced()
    dense = torch.zeros(ROWS, 5)
    for i in range(ROWS):
        dense[i, row(i)["at"]] = torch.tensor(row(i)["weight"])
    assert got.to_dense().equal(dense)


def test_sparse_out_of_order_is_not_coalesced(path):
    spec = {"w": hr.SparseFeature("at", "weight", "float", 5, already_sorted=True)}
    got = first(path, spec)["w"]
    assert not got.is_coalesced()
    in_order = {"w": hr.SparseFeature("at", "weight", "float", 5)}
    assert got.to_dense().equal(first(path, in_order)["w"].to_dense())


@pytest.mark.parametrize(
    ("rows", "columns", "want"),
    [([1, 2], [2, 1], True), ([2, 1], [1, 2], False), ([1, 1], [1, 2], True)],
)
def test_outer_indices_go_before_inner_ones(tmp_path, rows, columns, want):
    with hr.Writer(tmp_path / "two.tfrecord") as writer:
        writer.write({"row": rows, "column": columns, "weight": [1.0, 2.0]})
    spec = {"w": hr.SparseFeature(["row", "column"], "weight", "float", [4, 4],
                                  already_sorted=True)}
    got = first(tmp_path / "two.tfrecord", spec)["w"]
    assert got.is_coalesced() == want
    assert got.to_dense()[0, rows, columns].tolist() == [1.0, 2.0]


def test_sparse_of_an_index_twice_is_summed(tmp_path):
    with hr.Writer(tmp_path / "twice.tfrecord") as writer:
        writer.write({"at": [1, 1], "weight": [2.0, 3.0]})
    spec = {"w": hr.SparseFeature("at", "weight", "float", 3)}
    got = first(tmp_path / "twice.tfrecord", spec)["w"]
    assert not got.is_coalesced()
    assert got.coalesce().values().tolist() == [5.0]


def test_index_outside_of_the_size_is_an_error(path):
    spec = {"w": hr.SparseFeature("at", "weight", "float", 3)}
    with pytest.raises(hr.BadSparseIndexError) as caught:
        first(path, spec)
    assert (caught.value.feature, caught.value.found) == ("w", "[1, 3]")


@pytest.mark.parametrize("ragged", ["values_and_offsets", "nested"])
def test_columns_without_a_spec(path, ragged):
    batch = first(path, ragged=ragged, columns=["ids", "x", "tags"])
    ids = batch["ids"]
    if ragged == "nested":
        ids = (ids.values(), ids.offsets())
    assert rows_of(*ids) == [row(i)["ids"] for i in range(ROWS)]
    assert rows_of(*batch["tags"]) == [row(i)["tags"] for i in range(ROWS)]


def test_columns_without_values_are_left_out(tmp_path):
    with hr.Writer(tmp_path / "empty.tfrecord") as writer:
        writer.write({"id": 1, "never": []})
    assert list(first(tmp_path / "empty.tfrecord")) == ["id"]


def test_sequence_examples(movies):
    batch = first(movies, MOVIE_SPEC)
    assert batch.keys() == {"context", "sequence", "lengths"}
    assert batch["context"]["id"].tolist() == [1, 2, 3, 4]
    frame = batch["sequence"]["frame"]
    assert frame.shape == (4, 4, 2)
    assert frame[1].tolist() == [[2, 0], [2, 1], [0, 0], [0, 0]]
    assert batch["lengths"].keys() == {"frame"}
    assert batch["lengths"]["frame"].tolist() == [1, 2, 3, 4]
    outer, inner = batch["sequence"]["words"].offsets
    assert outer.diff().tolist() == [1, 2, 3, 4]
    assert inner.diff().tolist() == [0, 0, 1, 0, 1, 2, 0, 1, 2, 3]
    assert batch["sequence"]["id"].to_dense().flatten().tolist() == [1, 2, 3, 4]


def test_sequence_examples_without_a_spec(movies):
    batch = first(movies)
    assert batch["context"]["id"].values.tolist() == [1, 2, 3, 4]
    frame = batch["sequence"]["frame"]
    outer, inner = frame.offsets
    assert outer.diff().tolist() == [1, 2, 3, 4]
    assert inner.diff().tolist() == [2] * 10
    assert frame.values.tolist()[:6] == [1, 0, 2, 0, 2, 1]
    assert batch["lengths"] == {}


def test_raw_records(path):
    payloads = first(path, message="raw")["payload"]
    assert len(payloads) == ROWS
    spec = {"id": hr.FixedLenFeature([], "int64")}
    ids = hr.parse_example(payloads, spec)["id"].numpy()
    assert ids.tolist() == list(range(ROWS))


def test_ragged_is_something_else(path):
    with pytest.raises(hr.InvalidArgumentError, match="values_and_offsets"):
        first(path, ragged="padded")
    with pytest.raises(hr.InvalidArgumentError, match="values_and_offsets"):
        hr.torch.Dataset(path, ragged="padded")


# ------------------------------------------------------------------- Memory

SPEC = {
    "id": hr.FixedLenFeature([], "int64"),
    "x": hr.FixedLenFeature([2], "float"),
    "half": hr.FixedLenFeature([2], "float", column="x", as_="bfloat16"),
    "ids": hr.RaggedFeature("int64"),
    "w": hr.SparseFeature("at", "weight", "float", 5),
}


def test_numbers_are_not_copied(path):
    batch = next(hr.open(path, spec=SPEC))
    got, nested = to_torch(batch), to_torch(batch, ragged="nested")

    def address(tensor):
        return tensor.numpy().ctypes.data

    for name in ("id", "x"):
        assert got[name].data_ptr() == address(batch[name])
    # numpy has no bfloat16.
    half = torch.from_dlpack(batch["half"])
    assert got["half"].data_ptr() == half.data_ptr()
    values, splits = batch["ids"].values, batch["ids"].row_splits[0]
    assert got["ids"].values.data_ptr() == address(values)
    assert nested["ids"].values().data_ptr() == address(values)
    assert got["w"].values().data_ptr() == address(batch["w"].values)
    # What the batch itself goes by is copied: torch's tensors can be written.
    assert got["ids"].offsets.data_ptr() != address(splits)
    assert got["ids"].offsets.tolist() == splits.tolist()
    assert nested["ids"].offsets().tolist() == splits.tolist()
    assert got["w"].indices().t().tolist() == batch["w"].indices.tolist()


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_writing_changes_no_other_batch(path, threads, mmap):
    dataset = hr.torch.Dataset(
        path, spec=SPEC, batch_size=4, threads=threads, mmap=mmap
    )
    kept = []
    for i, batch in enumerate(dataset):
        assert batch["id"].tolist() == list(range(4 * i, 4 * i + 4))
        for tensor in (batch["id"], batch["x"], batch["half"], *batch["ids"],
                       batch["w"].values(), batch["w"].indices()):
            tensor.fill_(i)
        kept.append(batch)
    assert len(kept) == ROWS // 4
    for i, batch in enumerate(kept):
        assert batch["id"].tolist() == [i] * 4
        assert batch["x"].tolist() == [[i, i]] * 4


def test_tensors_outlive_dataset_and_batch(path):
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=4, threads=2)
    kept = [batch["x"] for batch in dataset]
    del dataset
    gc.collect()
    # Something else to take the memory, if it were free.
    others = [to_torch(batch) for batch in hr.open(path, spec=SPEC, batch_size=4)]
    assert torch.cat(kept).tolist() == [row(i)["x"] for i in range(ROWS)]
    assert len(others) == len(kept)


AT_EXIT = """
import sys, headrace as hr
spec = {"ids": hr.RaggedFeature("int64"), "x": hr.FixedLenFeature([2], "float")}
kept = list(hr.torch.Dataset(sys.argv[1], spec=spec, ragged="nested"))
"""


def test_tensors_that_live_to_the_end_are_no_leaks(path):
    """torch keeps the offsets of nested tensors until then."""
    done = processes.run("-c", AT_EXIT, path)
    assert done.returncode == 0
    assert "leaked" not in done.stderr


def test_memory_stays_flat(tmp_path):
    path = tmp_path / "wide.tfrecord"
    with hr.Writer(path) as writer:
        for i in range(8):
            writer.write({"x": [float(i)] * 20_000, "ids": [i] * 20_000})
    spec = {"x": hr.FixedLenFeature([20_000], "float"),
            "ids": hr.RaggedFeature("int64")}
    dataset = hr.torch.Dataset(path, spec=spec, batch_size=4, epochs=None, threads=1)
    before = 0
    for i, batch in enumerate(dataset):
        assert batch["x"][0, 0] == (4 * i) % 8
        if i == 50:
            before = resident()
        if i == 250:
            break
    # Each batch is a megabyte.
    assert resident() - before < 8 << 20
