"""parse_example, parse_sequence_example, decode, and the plans behind them."""

import copy
import pickle
import threading

import headrace as hr
import numpy as np
import pytest
import records
from records import blobs, floats, ints

arrow = pytest.importorskip("pyarrow", reason="has the arrays of binary values")

SPEC = {"id": hr.FixedLenFeature([], int)}
FIVE = [records.example({"id": ints(i), "t": blobs(b"t" * 20)}) for i in range(5)]


def ids(serialized, spec=SPEC):
    return hr.parse_example(serialized, spec)["id"].tolist()


def array(values, dtype):
    return arrow.array(values, dtype)


BINARY = [arrow.binary(), arrow.large_binary(), arrow.binary_view()]
TEXT = [arrow.string(), arrow.large_string(), arrow.string_view()]


# What is taken for serialized messages.


@pytest.mark.parametrize("serialized", [
    FIVE, tuple(FIVE), iter(FIVE), np.array(FIVE, object), [np.bytes_(r) for r in FIVE],
    *(array(FIVE, dtype) for dtype in BINARY),
], ids=lambda value: str(getattr(value, "type", type(value).__name__)))
def test_inputs(serialized):
    assert ids(serialized) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("dtype", BINARY + TEXT, ids=str)
def test_arrow_slices(dtype):
    texts = [records.example({"id": ints(i), "t": blobs(b"t" * (i % 3 * 9))})
             for i in range(100)]
    if dtype in TEXT:
        texts = [text.decode() for text in texts]
    whole = array(texts, dtype)
    for begin, end in [(0, 100), (3, 50), (99, 100), (7, 7), (13, 14)]:
        assert ids(whole[begin:end]) == list(range(begin, end))
    with_null = array([texts[0], None, *texts[2:]], dtype)
    assert ids(with_null[2:9]) == list(range(2, 9))
    with pytest.raises(ValueError, match=r"serialized\[1\] is null"):
        hr.parse_example(with_null, SPEC)
    with pytest.raises(ValueError, match=r"serialized\[0\] is null"):
        hr.parse_example(with_null[1:], SPEC)


@pytest.mark.parametrize("serialized", [
    [], (), np.array([], object), *(array([], dtype) for dtype in BINARY)])
def test_no_messages(serialized):
    spec = SPEC | {"v": hr.VarLenFeature(bytes), "r": hr.RaggedFeature(float)}
    tensors = hr.parse_example(serialized, spec)
    assert tensors["id"].shape == (0,)
    assert tensors["v"].dense_shape.tolist() == [0, 0]
    assert tensors["r"].row_splits[0].tolist() == [0]
    assert hr.decode(serialized).num_rows == 0


@pytest.mark.parametrize("serialized", [
    "x", FIVE[0], None, 3, 1.5, np.array(FIVE), arrow.array([1]), arrow.array([FIVE]),
    arrow.nulls(2), arrow.array([b"ab"], arrow.binary(2)),
    arrow.array(FIVE).dictionary_encode(),
    arrow.record_batch({"x": arrow.array(FIVE)}), arrow.table({"x": FIVE}),
], ids=lambda value: type(value).__name__)
def test_what_is_no_messages(serialized):
    for call in (lambda: ids(serialized), lambda: hr.decode(serialized)):
        with pytest.raises(TypeError, match="^serialized: "):
            call()


@pytest.mark.parametrize("serialized, item", [
    ([None], 0), ([FIVE[0], "x"], 1), ([bytearray(b"")], 0), ([memoryview(b"")], 0),
    ([FIVE], 0), (np.array(["x"]), 0), (np.array([1]), 0),
    (np.array(FIVE, object).reshape(5, 1), 0),
    (arrow.chunked_array([FIVE[:2], FIVE[2:]]), 0),
], ids=lambda value: type(value).__name__)
def test_items_that_are_no_messages(serialized, item):
    for call in (lambda: ids(serialized), lambda: hr.decode(serialized)):
        with pytest.raises(TypeError, match=rf"^serialized\[{item}\]: "):
            call()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_series(library):
    series = pytest.importorskip(library, reason="has them").Series
    assert ids(series(FIVE)) == [0, 1, 2, 3, 4]


def test_a_list_that_changes_meanwhile():
    """What is decoded is what the list held when the call began."""
    changing, stop = list(FIVE), threading.Event()

    def change():
        while not stop.is_set():
            changing[:] = FIVE[::-1]
            changing[:] = FIVE

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(300):
            assert ids(changing) in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0])
    finally:
        stop.set()
        thread.join()


# Specs.


def test_a_spec_that_changes_is_noticed():
    spec = dict(SPEC)
    for _ in range(3):
        assert list(hr.parse_example(FIVE, spec)) == ["id"]
        spec["t"] = hr.FixedLenFeature([], bytes)
        assert hr.parse_example(FIVE, spec)["t"].tolist() == [b"t" * 20] * 5
        spec["t"] = hr.FixedLenFeature([20], bytes, column="t", as_="uint8")
        with pytest.raises(hr.WrongCountError):
            hr.parse_example([records.example({"t": blobs(b"1")})] * 2, spec)
        spec["id"] = hr.FixedLenFeature([], int, as_="int8")
        assert hr.parse_example(FIVE, spec)["id"].dtype == np.int8
        del spec["t"]
        spec["id"] = SPEC["id"]
    spec["x"] = hr.FixedLenFeature([2], int, np.array([1, 2]))
    for value in (3, 4):
        spec["x"] = hr.FixedLenFeature([2], int, np.array([1, value]))
        assert hr.parse_example(FIVE, spec)["x"][0].tolist() == [1, value]


def test_dicts_in_turn():
    """More than are kept, and made again at the same addresses."""
    for i in range(200):
        spec = {f"n{i % 37}": hr.FixedLenFeature([], int, column="id")}
        tensors = hr.parse_example(FIVE, spec)
        assert list(tensors) == [f"n{i % 37}"]
        del spec


def test_order_of_tensors_is_that_of_the_spec():
    one, two = SPEC["id"], hr.FixedLenFeature([], bytes, column="t")
    assert list(hr.parse_example(FIVE, {"a": two, "id": one})) == ["a", "id"]
    assert list(hr.parse_example(FIVE, {"id": one, "a": two})) == ["id", "a"]
    assert hr.parse_example(FIVE, {}) == {}


@pytest.mark.parametrize("spec", [3, None, b"x", [], {"a": 3}, {3: SPEC["id"]}])
def test_what_is_no_spec(spec):
    for call in (lambda: hr.Plan(spec), lambda: hr.parse_example(FIVE, spec)):
        with pytest.raises(TypeError, match="expected"):
            call()


def test_wrong_specs_name_the_feature():
    for feature in (hr.FixedLenFeature([-1], int), hr.VarLenFeature(int, pad_to=0),
                    hr.FixedLenSequenceFeature([], int)):
        for _ in range(2):  # nothing of it is kept
            with pytest.raises(hr.BadSpecError) as caught:
                hr.parse_example(FIVE, {"id": SPEC["id"], "bad": feature})
            assert caught.value.feature == "bad"


def test_errors_name_the_record():
    for bad, cls, feature in [
        (b"\xff", hr.MalformedError, None), (b"", hr.MissingFeatureError, "id"),
        (records.example({"id": ints(1, 2)}), hr.WrongCountError, "id"),
        (records.example({"id": floats(1)}), hr.WrongKindError, "id"),
    ]:
        for serialized in ([*FIVE, bad], array([*FIVE, bad, bad], arrow.binary())):
            with pytest.raises(cls) as caught:
                hr.parse_example(serialized, SPEC)
            assert (caught.value.record, caught.value.feature) == (5, feature)
        assert ids(FIVE) == [0, 1, 2, 3, 4]  # the plan is as good as before


# The same as reading a file.


def test_results_are_those_of_open(tmp_path):
    rows = records.write_people(tmp_path / "x", 200)
    serialized = [records.person(row) for row in rows]
    spec = {
        "id": hr.FixedLenFeature([], int), "tags": hr.VarLenFeature(bytes),
        "score": hr.RaggedFeature(float, row_splits_dtype="int64"),
        "first": hr.VarLenFeature(float, column="score", pad_to=1, truncate=True),
    }
    (batch,) = hr.open(tmp_path / "x", spec=spec, batch_size=1000)
    tensors = hr.parse_example(serialized, spec)
    assert list(tensors) == list(batch)
    for name, tensor in tensors.items():
        assert type(tensor) is type(batch[name]) and tensor.shape == batch[name].shape
        assert arrow.array(tensor).equals(arrow.array(batch[name]))
    first = [(row["score"] or [0.0])[:1] or [0.0] for row in rows]
    assert tensors["first"].tolist() == first
    (batch,) = hr.open(tmp_path / "x", batch_size=1000)
    decoded = hr.decode(serialized)
    assert arrow.record_batch(decoded).equals(arrow.record_batch(batch))
    assert records.rows_of([decoded]) == rows
    tensors = hr.decode(serialized, spec=spec)
    assert tensors["id"].tolist() == list(range(200))


# Sequences.

SEQUENCES = [
    records.sequence_example({"c": ints(i)}, {"f": [floats(i, i)] * i})
    for i in range(3)]
LISTS = {"f": hr.FixedLenSequenceFeature([2], float)}
CONTEXT = {"c": hr.FixedLenFeature([], int)}


@pytest.mark.parametrize("arguments", [
    (CONTEXT, LISTS), (hr.Spec(CONTEXT, LISTS),), (hr.Plan(hr.Spec(CONTEXT, LISTS)),)])
def test_sequences(arguments):
    context, lists, lengths = hr.parse_sequence_example(SEQUENCES, *arguments)
    assert context["c"].tolist() == [0, 1, 2]
    assert lists["f"].tolist() == [
        [[0, 0], [0, 0]], [[1, 1], [0, 0]], [[2, 2], [2, 2]]]
    assert lengths["f"].tolist() == [0, 1, 2]


def test_sequences_of_one_side():
    context, lists, lengths = hr.parse_sequence_example(SEQUENCES, CONTEXT)
    assert (list(context), lists, lengths) == (["c"], {}, {})
    context, lists, _ = hr.parse_sequence_example(SEQUENCES, sequence=LISTS)
    assert (context, list(lists)) == ({}, ["f"])
    sequence_spec = hr.Spec(CONTEXT, LISTS)
    for arguments in ((), (hr.Spec(CONTEXT),), (hr.Plan(sequence_spec), LISTS)):
        with pytest.raises(hr.InvalidArgumentError):
            hr.parse_sequence_example(SEQUENCES, *arguments)
    for spec in (sequence_spec, hr.Plan(sequence_spec)):
        with pytest.raises(hr.InvalidArgumentError):
            hr.parse_example(SEQUENCES, spec)
    with pytest.raises(hr.BadSpecError) as caught:
        hr.parse_sequence_example(SEQUENCES, None, CONTEXT)
    assert caught.value.feature == "c"


# decode.


def test_decode_messages():
    assert hr.decode(SEQUENCES, message="auto").message == "sequence"
    assert hr.decode(FIVE, message="auto").message == "example"
    assert list(hr.decode(SEQUENCES)) == ["c", "f"]
    with pytest.warns(hr.LateFeatureWarning, match="left out the feature lists"):
        assert list(hr.decode(SEQUENCES, message="example")) == ["c"]
    assert hr.decode([b"\xff"], message="raw").payloads() == [b"\xff"]
    schema = hr.Schema.from_text('feature { name: "id" type: INT }')
    assert hr.decode(FIVE, schema=schema)["id"].to_list() == [[i] for i in range(5)]
    assert isinstance(hr.decode(FIVE, spec=schema)["id"], hr.SparseTensor)
    for arguments in ({"message": "x"}, {"schema": 3}, {"schema": schema, "spec": SPEC},
                      {"spec": 3}):
        with pytest.raises((TypeError, ValueError)):
            hr.decode(FIVE, **arguments)
    with pytest.raises(hr.WrongKindError) as caught:
        hr.decode([FIVE[0], records.example({"id": floats(1)})])
    assert caught.value.record == 1
    mixed = records.sequence_example({}, {"f": [ints(1), floats(1)]})
    with pytest.raises(hr.WrongKindError) as caught:
        hr.decode([SEQUENCES[0], mixed], message="sequence")
    assert (caught.value.record, caught.value.feature) == (1, "f")


# Plans.


def test_plans():
    for spec in (SPEC, hr.Spec(CONTEXT, LISTS),
                 hr.Schema.from_text('feature { name: "id" type: INT }')):
        plan = hr.Plan(spec)
        for again in (pickle.loads(pickle.dumps(plan)), copy.copy(plan),
                      copy.deepcopy(plan)):
            assert (str(again), repr(again)) == (str(plan), repr(plan))
            assert (again.names, again.message) == (plan.names, plan.message)
    assert repr(hr.Plan(SPEC)) == "Plan(message='example', features={'id': int64})"
    assert '"id": fixed_len int64 []' in str(hr.Plan(SPEC))
    assert ids(FIVE, pickle.loads(pickle.dumps(hr.Plan(SPEC)))) == [0, 1, 2, 3, 4]
    assert arrow.schema(hr.Plan(SPEC)).names == ["id"]
