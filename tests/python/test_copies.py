"""Copies of batches, and pickles: equal in everything, and nothing is kept."""

import copy
import gc
import multiprocessing
import pickle

import headrace as hr
import numpy as np
import pytest
import records
from memory import not_sanitized, resident
from records import blobs, floats, ints

# What Arrow makes of "half" is not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::headrace.Bfloat16Warning")

R = hr.RaggedFeature
# Every layout, and types that only tensors have.
SPEC = {
    "id": hr.FixedLenFeature([], int),
    "grid": hr.FixedLenFeature([2, 2], int, as_="uint8", column="g"),
    "half": hr.FixedLenFeature([2], float, as_="bfloat16"),
    "raw": hr.FixedLenFeature([2], bytes, as_="float64"),
    "text": hr.FixedLenFeature([], bytes, "none"),
    "list": hr.FixedLenSequenceFeature([2], float, allow_missing=True),
    "sparse": hr.VarLenFeature(bytes),
    "padded": hr.VarLenFeature(int, pad_to=3),
    "indexed": hr.SparseFeature(["at"], "w", float, [6]),
    "ragged": R(bytes, "r", row_splits_dtype="int64"),
    "deep": R(int, "u", [R.RowLengths("n"), R.UniformRowLength(2)]),
}


def message(i):
    fields = {
        "id": ints(i), "g": ints(*range(i, i + 4)), "half": floats(i, -0.5),
        "raw": blobs(np.array([i, 0.1]).tobytes()), "list": floats(*[i / 3] * (i % 3 * 2)),
        "sparse": blobs(*[b"s%d" % i] * (i % 3)), "padded": ints(*range(i % 4)),
        "at": ints(*range(i % 4, -1, -1)), "w": floats(*range(i % 4 + 1)),
        "r": blobs(*[b"r" * i] * (i % 2)), "u": ints(*range(2 * (i % 3))),
        "n": ints(i % 3),
    }
    if i % 3:
        fields["text"] = blobs(b"t" * i)
    return records.example(fields)


def sequence(i):
    return records.sequence_example(
        {"x": ints(i), "y": blobs(b"y")},
        {"x": [ints(*range(j)) for j in range(i % 3)], "z": [floats(i, i)] * (i % 4)})


SEQUENCE_SPEC = hr.Spec(
    {"x": hr.FixedLenFeature([], int), "y": hr.VarLenFeature(bytes)},
    {"x": R(int), "z": hr.FixedLenSequenceFeature([2], float)})
SCHEMA = hr.Schema.from_text("""
    feature { name: "id" type: INT shape {} presence { min_fraction: 1 } }
    feature { name: "text" type: BYTES } feature { name: "list" type: FLOAT }
    feature { name: "at" type: INT } feature { name: "w" type: FLOAT }
    tensor_representation_group { key: "" value {
      tensor_representation { key: "a" value { varlen_sparse_tensor { column_name: "text" } } }
      tensor_representation { key: "b" value { ragged_tensor { feature_path { step: "text" } } } }
      tensor_representation { key: "c" value { varlen_sparse_tensor { column_name: "list" } } }
      tensor_representation { key: "d" value { varlen_sparse_tensor { column_name: "list" } } }
    } }
""")
EXAMPLES = [message(i) for i in range(20)]
SEQUENCES = [sequence(i) for i in range(20)]
BATCHES = {
    "columns": lambda: hr.decode([*EXAMPLES, records.example({"u": records.UNSET})]),
    "tensors": lambda: hr.decode(EXAMPLES, spec=SPEC),
    "lists": lambda: hr.decode(SEQUENCES, message="sequence"),
    "steps": lambda: hr.decode(SEQUENCES, spec=SEQUENCE_SPEC),
    "schema": lambda: hr.decode(EXAMPLES, spec=SCHEMA),
    "raw": lambda: hr.decode(EXAMPLES, message="raw"),
    "no rows": lambda: hr.decode([], spec=SPEC),
    "no names": lambda: hr.decode([b"", b""]),
    "unset": lambda: hr.decode([records.example({"a": records.UNSET})] * 3),
    "unset steps": lambda: hr.decode(
        [records.sequence_example({}, {"l": [records.UNSET] * 2})], message="sequence"),
}
ATTRIBUTES = ("name", "kind", "dtype", "shape", "in_sequence", "null_count", "values",
              "offsets", "validity", "step_offsets", "step_validity", "lengths",
              "indices", "dense_shape", "row_splits")


def described(value):
    """All that can be asked of a field, or of what it consists of."""
    if isinstance(value, list):
        return list(map(described, value))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if not hasattr(value, "tolist") and not isinstance(value, hr.SparseTensor):
        return value
    found = {name: described(getattr(value, name)) for name in ATTRIBUTES
             if getattr(value, name, value) is not value}
    return type(value), repr(value), repr(value.tolist()), found


def content(batch):
    origins = {name: array.tolist() for name, array in batch.origins.items()}
    return (
        batch.num_rows, batch.message, list(batch), origins, repr(batch),
        *({name: described(field) for name, field in fields.items()}
          for fields in (batch.context, batch.sequence)),
    )


def through_pickle(value):
    return pickle.loads(pickle.dumps(value))


WAYS = {"copy": hr.Batch.copy, "deepcopy": copy.deepcopy, "pickle": through_pickle,
        "old pickle": lambda batch: pickle.loads(pickle.dumps(batch, protocol=2)),
        "copy of copy": lambda batch: batch.copy().copy(),
        "all names": lambda batch: batch.copy(list(batch))}


# In "lists" and "steps" two features are called x, and a name means the first.
CASES = [(name, way) for name in BATCHES for way in WAYS
         if way != "all names" or name not in ("lists", "steps")]


@pytest.mark.parametrize("name, way", CASES)
def test_equal_in_everything(name, way):
    batch = BATCHES[name]()
    wanted = content(batch)
    made = WAYS[way](batch)
    arrow = pytest.importorskip("pyarrow", reason="takes batches")
    in_arrow = arrow.record_batch(batch)
    del batch
    gc.collect()
    assert content(made) == wanted
    assert arrow.record_batch(made).equals(in_arrow)
    arrow.record_batch(made).validate(full=True)


@pytest.mark.parametrize("name", BATCHES)
def test_fields_and_their_parts(name):
    batch = BATCHES[name]()
    arrow = pytest.importorskip("pyarrow", reason="takes fields")
    for field in [*batch.context.values(), *batch.sequence.values()]:
        for way in (through_pickle, copy.deepcopy):
            made = way(field)
            assert described(made) == described(field)
            assert arrow.array(made).equals(arrow.array(field))
        assert copy.copy(field) is field
        parts = [getattr(field, name, None) for name in ATTRIBUTES]
        parts += getattr(field, "row_splits", [])
        for part in parts:
            if isinstance(part, hr.Tensor):
                made = through_pickle(part)
                assert described(made) == described(part)
                with pytest.raises(AttributeError):
                    made.__arrow_c_array__()
    assert copy.copy(batch) is batch


def test_copies_of_some():
    batch = BATCHES["tensors"]()
    some = batch.copy(["text", "id", "text"])
    assert list(some) == ["id", "text"]
    assert {k: described(v) for k, v in some.items()} == {
        k: described(batch[k]) for k in some}
    assert some.origins["record"].tolist() == batch.origins["record"].tolist()
    assert len(batch.copy([])) == 0 and batch.copy([]).num_rows == 20
    lists = BATCHES["lists"]().copy(["z", "y"])
    assert (list(lists.context), list(lists.sequence)) == (["y"], ["z"])
    with pytest.raises(hr.NoSuchFeatureError, match="did you mean"):
        batch.copy(["idd"])
    for names in ("id", 3, [3]):
        with pytest.raises((TypeError, KeyError)):
            batch.copy(names)


def test_a_pickle_is_no_larger_than_what_it_holds():
    """Of a field, or a part of one, not all of its batch."""
    image = [records.example({"image": blobs(bytes(100_000)), "label": ints(i)})
             for i in range(10)]
    batch = hr.decode(image)
    assert len(pickle.dumps(batch)) > 1_000_000
    for small in (batch["label"], batch["image"].offsets, batch.copy(["label"])):
        assert len(pickle.dumps(small)) < 2_000


@pytest.mark.parametrize("bytes_as", ["binary", "large", "view", "string"])
def test_arrow_options_stay(tmp_path, bytes_as):
    arrow = pytest.importorskip("pyarrow", reason="takes batches")
    with hr.Writer(tmp_path / "x") as writer:
        for i in range(10):
            writer.write({"id": i, "tags": ["новый", "b" * 30][: i % 3]})
    batch = next(hr.open(tmp_path / "x", bytes_as=bytes_as))
    for made in (batch.copy(), through_pickle(batch), batch.copy(["tags"])):
        field = arrow.record_batch(made).column("tags")
        assert field.equals(arrow.record_batch(batch).column("tags"))


def test_another_process(tmp_path):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for name in ("columns", "tensors", "steps"):
            batch = BATCHES[name]()
            assert pool.apply(pickle.dumps, (batch,)) == pickle.dumps(batch)


def test_what_is_no_pickle_is_refused():
    load, (saved, *rest) = BATCHES["tensors"]().__reduce__()
    assert content(load(saved, *rest)) == content(BATCHES["tensors"]())
    for place in range(0, len(saved), 37):
        for wrong in (saved[:place], saved[:place] + b"\xff" + saved[place + 1:]):
            if wrong != saved:
                with pytest.raises(hr.InvalidArgumentError):
                    load(wrong, *rest)


# A copy keeps neither the input nor the batch.


@not_sanitized
@pytest.mark.parametrize("options", [
    {}, {"columns": ["name"]}, {"spec": {"name": hr.FixedLenFeature([], bytes)}}])
def test_a_copy_pins_nothing(tmp_path, options):
    """Names of 60 records, of which each has an image of 1 MB beside it."""
    image = np.random.default_rng(1).bytes(1 << 20)
    with hr.Writer(tmp_path / "x") as writer:
        for i in range(60):
            writer.write({"name": f"name {i}", "image": image})

    def kept(keep):
        before = resident()
        names = [keep(batch) for batch in hr.open(
            tmp_path / "x", batch_size=4, threads=1, **options)]
        assert [name for part in names for name in part["name"].values.tolist()] == [
            b"name %d" % i for i in range(60)] if "spec" not in options else True
        return resident() - before

    assert kept(lambda batch: batch.copy(["name"])) < 20 << 20
    # And would be seen if they were.
    assert kept(lambda batch: batch) > 40 << 20
