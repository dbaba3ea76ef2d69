"""Functions of values on features outside of groups, beside Python's on the features
without them."""

import importlib.util
import pickle

import headrace as hr
import numpy as np
import pytest
import records
from records import UNSET, blobs, example, floats, ints, sequence_example

WORDS = ["ann", "bob"]


def word_id(word):
    return WORDS.index(word.decode()) if word.decode() in WORDS else -1


def clipped_log(number):
    return float(np.log1p(np.float32(min(max(number, 0), 50))))


def band(number):
    return int(np.searchsorted(np.float32([0, 18, 65]), np.float32(number), "right"))


# Functions of headrace, what they do, and the type of what they return.
IDS = ({"map": hr.vocabulary(keys=WORDS, default=-1)}, word_id, np.int64)
LOGS = ({"map": [hr.clip(0, 50), hr.log1p()]}, clipped_log, np.float32)
BANDS = ({"map": hr.bucketize([0, 18, 65]), "as_": hr.int8}, band, np.int8)

CONTEXTS = [
    {"word": blobs(b"bob"), "words": blobs(b"ann", b"eve"), "age": ints(70),
     "ages": ints(17, 18, 300), "size": floats(-1.5)},
    {"word": UNSET, "size": floats(64.9)},
    {"words": blobs(b""), "age": ints(-2), "ages": ints(0)},
]
ROWS = [example(context) for context in CONTEXTS]


def cells(values, function):
    if isinstance(values, list):
        return [cells(value, function) for value in values]
    return function(values)


def check(make, functions, rows=ROWS):
    """Compares a feature with `map` to the same one without."""
    options, function, dtype = functions
    plain = hr.parse_example(rows, {"x": make()})["x"]
    spec = hr.Spec({"x": make(**options)})
    mapped = hr.parse_example(rows, spec)["x"]
    assert mapped.dtype == dtype and type(mapped) is type(plain)
    found, values = (
        (t.values if isinstance(t, hr.SparseTensor) else t).tolist()
        for t in (mapped, plain))
    assert cells(found, float) == cells(values, lambda value: float(function(value)))
    for name in ("shape", "indices", "dense_shape", "row_splits"):
        assert str(getattr(mapped, name, None)) == str(getattr(plain, name, None))
    assert hr.Spec.from_json(spec.to_json()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert eval(repr(spec["x"]), dict(vars(hr))) == spec["x"]


@pytest.mark.parametrize("shared", [False, True])
def test_fixed_len(shared):
    def make(**options):
        return hr.FixedLenFeature([], hr.bytes_, b"ann", column="word", **options)

    check(make, IDS)
    check(lambda **o: hr.FixedLenFeature([1], hr.int64, [3], column="age", **o), LOGS)
    check(lambda **o: hr.FixedLenFeature([], hr.float32, 18, column="size", **o), BANDS)
    # Another feature of the same key needs the bytes themselves.
    if shared:
        both = hr.parse_example(ROWS, {
            "x": make(map=hr.hash_bucket(1000)),
            "y": hr.VarLenFeature(hr.bytes_, column="word"),
        })
        assert both["y"].values.tolist() == [b"bob"]
        assert both["x"].dtype == np.int64 and len(set(both["x"].tolist())) == 2


def test_var_len_and_ragged():
    for feature in (hr.VarLenFeature, hr.RaggedFeature):
        check(lambda **o: feature(hr.bytes_, column="words", **o), IDS)
        check(lambda **o: feature(hr.int64, column="ages", **o), LOGS)
        check(lambda **o: feature(hr.int64, column="ages", **o), BANDS)
    check(lambda **o: hr.RaggedFeature(
        hr.int64, "ages", [hr.RaggedFeature.UniformRowLength(1)], **o), BANDS)


def test_sparse():
    rows = [example({"i": ints(2, 0), "v": ints(70, 3)}), example({})]
    check(lambda **o: hr.SparseFeature("i", "v", hr.int64, 3, **o), BANDS, rows)
    check(lambda **o: hr.SparseFeature("i", "v", hr.int64, 3, **o), LOGS, rows)


def test_padding_is_not_mapped():
    padded = hr.VarLenFeature(
        hr.int64, column="ages", pad_to=2, truncate=True, map=hr.bucketize([0, 18]))
    steps = hr.FixedLenSequenceFeature(
        [], hr.bytes_, True, column="words", map=hr.vocabulary(keys=["ann"], default=7))
    filled = hr.FixedLenSequenceFeature(
        [], hr.bytes_, True, b"ann", column="words", as_=hr.float32,
        map=hr.vocabulary(keys=["eve", "ann"], default=7))
    batch = hr.parse_example(ROWS, {"p": padded, "s": steps, "f": filled})
    assert batch["p"].tolist() == [[1, 2], [0, 0], [1, 0]]
    assert batch["s"].tolist() == [[0, 7], [0, 0], [7, 0]]
    assert batch["f"].tolist() == [[1, 0], [1, 1], [7, 1]]
    assert batch["f"].dtype == np.float32


def test_feature_lists():
    rows = [
        sequence_example({"word": blobs(b"bob")}, {
            "words": [blobs(b"ann"), blobs(b"eve")], "ages": [ints(70), ints(3)]}),
        sequence_example({}, {"words": [blobs(b"bob")]}),
    ]
    for name, dtype, functions in (("words", hr.bytes_, IDS), ("ages", hr.int64, BANDS)):
        options, function, found = functions
        for feature in (hr.VarLenFeature(dtype), hr.RaggedFeature(dtype)):
            plain = hr.parse_sequence_example(rows, {}, {name: feature})[1][name]
            mapped = hr.parse_sequence_example(
                rows, {}, {name: type(feature)(dtype, **options)})[1][name]
            assert mapped.dtype == found
            if isinstance(plain, hr.SparseTensor):
                plain, mapped = plain.values, mapped.values
            assert mapped.tolist() == cells(plain.tolist(), function)
    context, lists, _ = hr.parse_sequence_example(
        rows, {"word": hr.FixedLenFeature([], hr.bytes_, b"", **IDS[0])},
        {"ages": hr.FixedLenSequenceFeature([1], hr.int64, True, **BANDS[0])})
    assert context["word"].tolist() == [1, -1]
    assert lists["ages"].tolist() == [[[3], [1]], [[0], [0]]]


def test_every_way_to_read(tmp_path):
    path = tmp_path / "rows.tfrecord"
    path.write_bytes(records.framed(ROWS))
    spec = hr.Spec({
        "word": hr.FixedLenFeature([], hr.bytes_, b"", **IDS[0]),
        "ages": hr.RaggedFeature(hr.int64, **LOGS[0]),
        "size": hr.FixedLenFeature([], hr.float32, 0, **BANDS[0]),
    })
    logs = [[clipped_log(n) for n in row] for row in ([17, 18, 300], [], [0])]
    batch = next(hr.open(path, spec=spec))
    assert batch["word"].tolist() == [1, -1, -1] and batch["ages"].tolist() == logs
    assert batch["size"].tolist() == [0, 2, 1]
    assert np.from_dlpack(batch["word"]).tolist() == [1, -1, -1]
    assert np.from_dlpack(batch["size"]).dtype == np.int8
    copied = pickle.loads(pickle.dumps(batch))
    assert copied["ages"].tolist() == logs and copied["ages"].dtype == np.float32
    row = hr.Dataset(path, spec=spec)[0]
    assert (int(row["word"]), row["ages"].dtype, row["size"].dtype) == (
        1, np.float32, np.int8)
    _, word, ages, size = str(hr.Plan(spec)).splitlines()
    assert '"word": fixed_len bytes as int64 [], with a default' in word
    assert "in place, vocabulary of 2 keys" in word
    assert '"ages": ragged int64 as float' in ages and "clip 0 to 50, log1p" in ages
    assert '"size": fixed_len float as int8 []' in size and "bucketize" in size
    if importlib.util.find_spec("pyarrow"):
        import pyarrow

        table = pyarrow.record_batch(batch)
        assert [str(field.type) for field in table.schema] == [
            "int64", "list<item: float>", "int8"]
        assert table.column(1).to_pylist() == logs
        assert table.column(0).to_pylist() == [1, -1, -1]


@pytest.mark.parametrize("make, text", [
    (lambda: hr.VarLenFeature(hr.bytes_, as_=hr.uint8, map=hr.hash_bucket(300)),
     "from 0 to 299, which uint8 cannot hold"),
    (lambda: hr.VarLenFeature(hr.float32, as_=hr.int32, map=hr.log1p()),
     "cannot become int32"),
    (lambda: hr.FixedLenFeature([2], hr.bytes_, as_=hr.int32, encoding="zlib",
                                map=hr.hash_bucket(3)), "both an encoding and functions"),
    (lambda: hr.VarLenFeature(hr.int64, as_=hr.uint64, as_bits=True, map=hr.clip(0, 1)),
     "both as_bits and functions"),
    (lambda: hr.RaggedFeature(hr.float32, map=hr.hash_bucket(3)),
     "takes bytes or int64, not float"),
])
def test_refused(make, text):
    with pytest.raises(hr.BadSpecError, match=text) as caught:
        hr.Plan({"x": make()})
    assert caught.value.feature == "x"
