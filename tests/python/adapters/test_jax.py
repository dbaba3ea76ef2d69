"""Batches as JAX arrays."""

import gc
import itertools
import json

import headrace as hr
import pytest
from written import MOVIE_SPEC, kinds_row as row, movies, write  # noqa: F401

jax = pytest.importorskip("jax", reason="the adapter is for it")
jax.config.update("jax_num_cpu_devices", 2)
to_jax = hr.jax.to_jax

ROWS = 20
SPEC = {
    "id": hr.FixedLenFeature([], hr.int64, as_=hr.int32),
    "x": hr.FixedLenFeature([2], hr.float32),
    "half": hr.FixedLenFeature([2], hr.float32, column="x", as_=hr.bfloat16),
    "pixels": hr.FixedLenFeature([2], hr.bytes_, as_=hr.uint8),
    "name": hr.FixedLenFeature([], hr.bytes_),
    "ids": hr.RaggedFeature(hr.int64, as_=hr.int32),
    "tags": hr.RaggedFeature(hr.bytes_, row_splits_dtype=hr.int64),
}


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.tfrecord", map(row, range(ROWS)))


@pytest.fixture
def x64():
    with jax.enable_x64(True):
        yield


def rows_of(ragged):
    values, ends = ragged.values.tolist(), ragged.row_splits.tolist()
    return [values[a:b] for a, b in zip(ends, ends[1:])]


def test_kinds(path):
    (batch,) = hr.jax.batches(hr.open(path, spec=SPEC))
    rows = list(map(row, range(ROWS)))
    for name, dtype in (("id", "int32"), ("x", "float32"), ("half", "bfloat16"),
                        ("pixels", "uint8")):
        assert isinstance(batch[name], jax.Array)
        assert batch[name].dtype == dtype
    assert batch["id"].tolist() == list(range(ROWS))
    assert batch["x"].tolist() == batch["half"].tolist() == [r["x"] for r in rows]
    assert batch["pixels"].tolist() == [list(r["pixels"]) for r in rows]
    assert batch["name"].dtype == object
    assert batch["name"].tolist() == [r["name"] for r in rows]
    assert rows_of(batch["ids"]) == [r["ids"] for r in rows]
    assert rows_of(batch["tags"]) == [r["tags"] for r in rows]
    assert batch["tags"].row_splits.dtype == "int32"


def test_numbers_are_not_copied(path):
    batch = next(hr.open(path, spec=SPEC))
    got = to_jax(batch)
    for name in ("id", "x", "half", "pixels"):
        address = batch[name].numpy().ctypes.data
        assert got[name].unsafe_buffer_pointer() == address
    address = batch["ids"].values.numpy().ctypes.data
    assert got["ids"].values.unsafe_buffer_pointer() == address


def test_arrays_outlive_the_reader(path):
    reader = hr.open(path, spec=SPEC, batch_size=4, threads=2)
    kept = [batch["x"] for batch in hr.jax.batches(reader)]
    del reader
    gc.collect()
    others = list(hr.jax.batches(hr.open(path, spec=SPEC, batch_size=4)))
    assert len(kept) == len(others) == 5
    got = jax.numpy.concatenate(kept).tolist()
    assert got == [row(i)["x"] for i in range(ROWS)]


def test_a_batch_goes_into_a_jitted_function(path):
    total = jax.jit(lambda x, ids: x.sum() + ids.values.sum())
    (batch,) = hr.jax.batches(hr.open(path, spec=SPEC))
    want = sum(sum(row(i)["x"]) + sum(row(i)["ids"]) for i in range(ROWS))
    assert total(batch["x"], batch["ids"]) == want


WIDE = {"id": hr.FixedLenFeature([], hr.int64)}
COUNTS = {"id": hr.FixedLenFeature([], hr.int64, as_=hr.uint64)}


@pytest.mark.parametrize("spec, first", [
    (WIDE, "id"), (COUNTS, "id"), ({"ids": hr.RaggedFeature("int64")}, "ids"),
    (None, "at")])
def test_values_of_64_bits_are_not_cut(path, spec, first):
    with pytest.raises(hr.InvalidArgumentError, match="jax_enable_x64") as caught:
        to_jax(next(hr.open(path, spec=spec)))
    assert caught.value.feature == first


def test_values_of_64_bits(path, x64):
    batch = next(hr.open(path, spec=WIDE))
    ids = to_jax(batch)["id"]
    assert ids.dtype == "int64"
    assert ids.unsafe_buffer_pointer() == batch["id"].numpy().ctypes.data
    columns = to_jax(next(hr.open(path)))
    assert rows_of(columns["ids"]) == [row(i)["ids"] for i in range(ROWS)]
    splits = to_jax(next(hr.open(path, spec=SPEC)))["tags"].row_splits
    assert splits.dtype == "int64"


def test_sparse_is_refused(path):
    spec = {"tags": hr.VarLenFeature("bytes")}
    with pytest.raises(hr.InvalidArgumentError, match="RaggedFeature") as caught:
        to_jax(next(hr.open(path, spec=spec)))
    assert caught.value.feature == "tags"


def test_sequence_examples(movies, x64):
    spec = MOVIE_SPEC.select(["frame", "words"])
    (batch,) = hr.jax.batches(hr.open(movies, spec=spec))
    assert batch["sequence"]["frame"].shape == (4, 4, 2)
    assert batch["lengths"]["frame"].tolist() == [1, 2, 3, 4]
    outer, inner = batch["sequence"]["words"].row_splits
    assert outer.tolist() == [0, 1, 3, 6, 10]
    assert inner.tolist() == [0, 0, 0, 1, 1, 2, 4, 4, 5, 7, 10]
    (columns,) = hr.jax.batches(hr.open(movies))
    assert columns["context"]["id"].values.tolist() == [1, 2, 3, 4]
    outer, inner = columns["sequence"]["frame"].row_splits
    assert inner.tolist() == list(range(0, 21, 2))
    assert columns["lengths"] == {}


def test_raw_records(path):
    payloads = to_jax(next(hr.open(path, message="raw")))["payload"]
    assert payloads.dtype == object and len(payloads) == ROWS
    assert hr.parse_example(payloads, WIDE)["id"].numpy().tolist() == list(range(ROWS))


# Sources of batches, their states, devices.


def ids_of(batches):
    return [i for batch in batches for i in batch["id"].tolist()]


def device():
    return jax.devices()[1]


def sources(path):
    """Iterators of batches of 3 rows."""
    ds = hr.Dataset(path, spec=SPEC)
    shuffle = hr.Shuffle(7)
    return {
        "open": lambda: hr.open(path, spec=SPEC, batch_size=3, epochs=2),
        "shuffled": lambda: hr.open(path, spec=SPEC, batch_size=3, shuffle=shuffle),
        "dataset": lambda: ds.batches(3, shuffle=shuffle, epochs=2),
        "mix": lambda: hr.mix([(ds, 1)], batch_size=3, steps=9),
    }


@pytest.fixture(params=["open", "shuffled", "dataset", "mix"])
def source(request, path):
    return sources(path)[request.param]


@pytest.mark.parametrize("on_device", [False, True])
@pytest.mark.parametrize("taken", [0, 1, 4])
def test_state_is_that_of_the_batch_given_last(source, on_device, taken):
    options = {"device": device()} if on_device else {}
    want = [batch["id"].tolist() for batch in source()]
    batches = hr.jax.batches(source(), **options)
    for expected in want[:taken]:
        assert next(batches)["id"].tolist() == expected
    state = json.loads(json.dumps(batches.state_dict()))
    rest = ids_of(batches)
    assert [i for ids in want[:taken] for i in ids] + rest == sum(want, [])
    again = hr.jax.batches(source(), **options)
    next(again)
    again.load_state_dict(state)
    assert again.state_dict() == state
    # Who mixes may give more: its steps are counted anew.
    assert ids_of(itertools.islice(again, len(want) - taken)) == rest


def test_arrays_are_put_on_a_device(path):
    for batch in hr.jax.batches(hr.open(path, spec=SPEC, batch_size=8),
                                device=device()):
        assert batch["id"].devices() == {device()}
        assert batch["ids"].values.devices() == {device()}
        assert batch["ids"].row_splits.devices() == {device()}
        assert batch["name"].dtype == object
    batch = next(hr.jax.batches(hr.open(path, spec=SPEC)))
    assert batch["id"].devices() == {jax.devices()[0]}


def test_batches_that_are_no_source_have_no_state(path):
    some = list(hr.open(path, spec=SPEC, batch_size=8))
    for options in ({}, {"device": device()}):
        batches = hr.jax.batches(some, **options)
        assert len(ids_of(batches)) == ROWS
        with pytest.raises(AttributeError):
            batches.state_dict()


def test_rows_are_no_batches(path):
    with pytest.raises(TypeError, match="batches"):
        hr.jax.batches(hr.Dataset(path, spec=SPEC))


@pytest.mark.parametrize("on_device", [False, True])
def test_an_error_comes_behind_the_batches_before_it(path, tmp_path, on_device):
    with open(path, "rb") as file:
        data = file.read()
    damaged = tmp_path / "damaged.tfrecord"
    damaged.write_bytes(data[:-1])
    reader = hr.open(damaged, spec=SPEC, batch_size=8)
    batches = hr.jax.batches(reader, device=device() if on_device else None)
    ids = []
    with pytest.raises(hr.DataError) as caught:
        for batch in batches:
            ids += batch["id"].tolist()
    assert ids == list(range(ROWS - 1))
    assert caught.value.record == ROWS - 1
    # It is said again, as the reader does.
    with pytest.raises(hr.DataError):
        next(batches)


def test_groups(path):
    spec = {
        "m": hr.Matrix({"id": hr.FixedLenFeature([], hr.int64),
                        "x": hr.FixedLenFeature([2], hr.float32)}, as_=hr.bfloat16),
        "j": hr.Jagged({"ids": hr.RaggedFeature(hr.int64)}, as_=hr.int32,
                       lengths_dtype=hr.int64),
    }
    (batch,) = hr.jax.batches(hr.open(path, spec=spec), device=jax.devices()[0])
    rows = list(map(row, range(ROWS)))
    assert batch["m"].dtype == "bfloat16"
    assert batch["m"].tolist() == [[r["id"], *r["x"]] for r in rows]
    jagged = batch["j"]
    assert isinstance(jagged, hr.jax.Jagged) and jagged.weights is None
    assert jagged.values.tolist() == [i for r in rows for i in r["ids"]]
    assert jagged.lengths.tolist() == [len(r["ids"]) for r in rows]
    assert [part.dtype for part in jagged[:3]] == ["int32"] * 3
    # A compiled function takes it whole.
    total = jax.jit(lambda j: j.values.sum() + j.offsets[-1])(jagged)
    assert total == jagged.values.sum() + len(jagged.values)
    weighted = {"j": hr.Jagged({"ids": hr.RaggedFeature(hr.int64, weight_key="x")},
                               as_=hr.int32, weights=True)}
    with pytest.raises(hr.WrongCountError, match='jagged "j"'):
        to_jax(next(hr.open(path, spec=weighted)))
    wide = {"j": hr.Jagged({"ids": hr.RaggedFeature(hr.int64)}, as_=hr.int64)}
    with pytest.raises(hr.InvalidArgumentError, match="as_=hr.int32"):
        to_jax(next(hr.open(path, spec=wide)))
