"""Lists of Examples with a context: parse_elwc, ElwcSpec, open(message="elwc")."""

import copy
import gzip
import json
import pickle
from pathlib import Path

import headrace as hr
import numpy
import pytest
import records
from records import blobs, floats, ints
from wire_bytes import elwc

VECTORS = Path(__file__).parents[1] / "vectors/elwc.jsonl.gz"

KINDS = {
    "fixed_len": lambda f, d: hr.FixedLenFeature(f["shape"], d, *default(f)),
    "fixed_len_sequence": lambda f, d: hr.FixedLenSequenceFeature(
        f["shape"], d, f["allow_missing"], *default(f)
    ),
    "var_len": lambda f, d: hr.VarLenFeature(d),
    "sparse": lambda f, d: hr.SparseFeature(
        f["index_keys"], f["value_key"], d, f["size"], f["already_sorted"]
    ),
}


def scalar(value, dtype):
    if dtype == "float":
        return numpy.uint32(int(value, 16)).view(numpy.float32)
    return bytes.fromhex(value) if dtype == "bytes" else value


def default(feature):
    if "default" not in feature:
        return ()
    values = feature["default"]
    if not isinstance(values, list):
        return (scalar(values, feature["dtype"]),)
    values = [scalar(v, feature["dtype"]) for v in values]
    return (values if feature["shape"] else values[0],)


def features(golden):
    return {f["name"]: KINDS[f["kind"]](f, f["dtype"]) for f in golden}


def cases():
    for line in gzip.open(VECTORS, "rt"):
        case = json.loads(line)
        kinds = {f["kind"] for f in case["context_spec"] + case["example_spec"]}
        if kinds <= KINDS.keys():
            yield pytest.param(case, id=case["id"])


def spec_of(case, **more):
    return hr.ElwcSpec(
        features(case["context_spec"]),
        features(case["example_spec"]),
        list_size=case["list_size"],
        size_feature_name=case["size_feature_name"],
        mask_feature_name=case["mask_feature_name"],
        message=case["message"],
    )


def flat(tensor):
    values = tensor.values if isinstance(tensor, hr.SparseTensor) else tensor
    array = values.numpy()
    if array.dtype == numpy.float32:
        return [f"{bits:08x}" for bits in array.reshape(-1).view(numpy.uint32)]
    return [v.hex() if isinstance(v, bytes) else v for v in array.reshape(-1).tolist()]


@pytest.mark.parametrize("case", list(cases()))
def test_values_are_those_of_tensorflow_ranking(case):
    records = [bytes.fromhex(record) for record in case["records"]]
    spec = spec_of(case)
    expect = case["expect"]
    if "error" in expect:
        with pytest.raises(hr.DataError) as error:
            hr.parse_elwc(records, spec)
        assert error.value.code == expect["error"]
        return
    tensors = hr.parse_elwc(records, spec)
    assert tensors.keys() == expect["outputs"].keys()
    for name, expected in expect["outputs"].items():
        shape = expected.get("shape", expected.get("dense_shape"))
        got = tensors[name]
        shown = got.dense_shape if expected["kind"] == "sparse" else got.shape
        assert list(shown) == shape
        assert flat(got) == expected["values"]
        if expected["kind"] == "sparse":
            assert got.indices.numpy().tolist() == expected["indices"]


LISTS = [
    elwc([{"n": ints(1), "t": blobs(b"x")}, {"n": ints(2)}], {"q": ints(7)}),
    elwc([], {}),
    elwc([{"n": ints(3), "t": blobs(b"y", b"z")}], {"q": ints(8)}),
]
CONTEXT = {"q": hr.FixedLenFeature([], hr.int64, -1)}
EXAMPLE = {
    "n": hr.FixedLenFeature([], hr.int64, -2),
    "t": hr.VarLenFeature(hr.bytes_),
}


@pytest.fixture
def lists(path):
    path.write_bytes(records.framed(LISTS))
    return path


def test_lists_are_filled_up():
    tensors = hr.parse_elwc(LISTS, CONTEXT, EXAMPLE, mask_feature_name="m")
    assert tensors["n"].tolist() == [[1, 2], [-2, -2], [3, -2]]
    assert tensors["q"].tolist() == [7, -1, 8]
    assert tensors["m"].tolist() == [[True, True], [False, False], [True, False]]
    assert tensors["m"].numpy().dtype == bool


def test_lists_are_cut():
    tensors = hr.parse_elwc(
        LISTS, CONTEXT, EXAMPLE, list_size=1, size_feature_name="size"
    )
    assert tensors["n"].tolist() == [[1], [-2], [3]]
    assert tensors["size"].tolist() == [2, 0, 1]
    assert tensors["size"].numpy().dtype == numpy.int32


@pytest.mark.parametrize("threads", [1, 3])
def test_files(lists, threads):
    spec = hr.ElwcSpec(CONTEXT, EXAMPLE, list_size=3)
    reader = hr.open(lists, spec=spec, message="elwc", threads=threads, batch_size=2)
    batches = list(reader)
    assert [b["n"].tolist() for b in batches] == [
        [[1, 2, -2], [-2, -2, -2]],
        [[3, -2, -2]],
    ]
    assert batches[0].message == reader.message == "elwc"


def test_files_resume(lists):
    spec = hr.ElwcSpec(CONTEXT, EXAMPLE, list_size=3)
    reader = hr.open(lists, spec=spec, batch_size=1)
    next(reader)
    state = reader.state_dict()
    again = hr.open(lists, spec=spec, batch_size=1)
    again.load_state_dict(state)
    assert [b["q"].tolist() for b in again] == [[-1], [8]]


def test_datasets(lists):
    spec = hr.ElwcSpec(CONTEXT, EXAMPLE, list_size=2)
    dataset = hr.Dataset(lists, spec=spec)
    assert len(dataset) == 3
    assert dataset.take([2, 0])["n"].tolist() == [[3, -2], [1, 2]]


def test_rows_of_datasets(lists):
    more = {"s": hr.FixedLenSequenceFeature([], hr.bytes_, True, column="t")}
    example = EXAMPLE | more
    spec = hr.ElwcSpec(CONTEXT, example, list_size=3, mask_feature_name="m")
    row = hr.Dataset(lists, spec=spec)[0]
    assert row["q"] == 7
    assert row["n"].tolist() == [1, 2, -2]
    assert row["m"].tolist() == [True, True, False]
    assert row["t"] == [[b"x"], []]
    assert row["s"].shape == (3, 1)
    plain = hr.Dataset(lists, message="elwc")[0]
    assert plain["n"][1].tolist() == [2] and plain["t"] == [[b"x"], None]


def test_columns_without_a_spec(lists):
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table(hr.open(lists, message="elwc"))
    assert table.column_names == ["q", "examples"]
    assert table.to_pylist() == [
        {"q": [7], "examples": [{"n": [1], "t": [b"x"]}, {"n": [2], "t": None}]},
        {"q": None, "examples": []},
        {"q": [8], "examples": [{"n": [3], "t": [b"y", b"z"]}]},
    ]


def test_decode_finds_columns():
    batch = hr.decode(LISTS, message="elwc")
    assert batch["n"].tolist() == [[[1], [2]], [], [[3]]]
    assert batch.message == "elwc"


def test_columns_are_chosen(lists):
    batch = next(hr.open(lists, message="elwc", columns=["n"]))
    assert list(batch) == ["n"]
    batch = next(hr.open(lists, message="elwc", columns=["q"]))
    assert batch["q"].tolist() == [[7], None, [8]]


def test_arrow_of_a_spec_is_not_padded(lists):
    arrow = pytest.importorskip("pyarrow")
    example = EXAMPLE | {
        "r": hr.RaggedFeature(hr.int64, value_key="n", row_splits_dtype=hr.int64),
        "two": hr.FixedLenFeature([2], hr.float32, [1, 2]),
        "s": hr.FixedLenSequenceFeature([], hr.float32, True),
    }
    example.pop("n")
    spec = hr.ElwcSpec(
        CONTEXT, example, list_size=4, size_feature_name="z", mask_feature_name="m"
    )
    rows = arrow.table(hr.open(lists, spec=spec)).to_pylist()
    assert rows[0]["examples"] == [
        {"t": [b"x"], "r": [1], "two": [1.0, 2.0], "s": []},
        {"t": [], "r": [2], "two": [1.0, 2.0], "s": []},
    ]
    assert rows[1] == {"q": -1, "z": 0, "m": [], "examples": []}
    assert rows[2]["m"] == [True]


def test_batches_are_pickled(lists):
    spec = hr.ElwcSpec(CONTEXT, EXAMPLE, mask_feature_name="m")
    for batch in (next(hr.open(lists, spec=spec)), next(hr.open(lists, message="elwc"))):
        again = pickle.loads(pickle.dumps(batch))
        assert again.to_pydict() == batch.to_pydict()
        assert again.message == "elwc"


def test_parts_of_batches_are_pickled(lists):
    spec = hr.ElwcSpec(CONTEXT, EXAMPLE, mask_feature_name="m", size_feature_name="z")
    batch = next(hr.open(lists, spec=spec))
    for name in batch:
        tensor = pickle.loads(pickle.dumps(batch[name]))
        assert repr(tensor) == repr(batch[name])


def test_context_alone():
    tensors = hr.parse_elwc(LISTS, CONTEXT, {}, size_feature_name="z")
    assert tensors["q"].tolist() == [7, -1, 8]
    assert tensors["z"].tolist() == [2, 0, 1]


def test_specs_are_values():
    spec = hr.ElwcSpec(CONTEXT, EXAMPLE, list_size=3, mask_feature_name="m")
    assert spec == copy.deepcopy(spec) == pickle.loads(pickle.dumps(spec))
    assert hash(spec) == hash(copy.copy(spec))
    assert spec != hr.ElwcSpec(CONTEXT, EXAMPLE, list_size=2, mask_feature_name="m")
    assert spec != hr.Spec(CONTEXT)
    assert hr.Spec.from_json(spec.to_json()) == spec
    assert eval(repr(spec), vars(hr) | {"int64": hr.int64, "bytes": hr.bytes_}) == spec
    assert (spec.message, spec.list_size, spec.size_feature_name) == ("elwc", 3, None)


def test_columns_of_a_spec(lists):
    spec = hr.ElwcSpec(CONTEXT, EXAMPLE, mask_feature_name="m")
    batch = next(hr.open(lists, spec=spec, columns=["n", "m"]))
    assert list(batch) == ["m", "n"] or list(batch) == ["n", "m"]
    with pytest.raises(hr.BadSpecError, match="x"):
        spec.select(["x"])


@pytest.mark.parametrize("arguments, error", [
    ((CONTEXT, EXAMPLE, {"mask_feature_name": "n"}), "name of another"),
    ((CONTEXT, EXAMPLE, {"message": "example"}), "message"),
])
def test_specs_that_are_refused(arguments, error):
    context, example, *more = arguments
    with pytest.raises(hr.BadSpecError, match=error):
        hr.parse_elwc(LISTS, context, example, **(more[0] if more else {}))


def test_errors_name_record_and_place():
    with pytest.raises(hr.WrongKindError, match="Example 1 of the list") as error:
        hr.parse_elwc(
            [LISTS[0], elwc([{}, {"n": floats(1.0)}], {})], CONTEXT, EXAMPLE
        )
    assert (error.value.record, error.value.feature) == (1, "n")


def test_short_lists_need_defaults(lists):
    spec = hr.ElwcSpec({}, {"n": hr.FixedLenFeature([], hr.int64)})
    with pytest.raises(hr.MissingFeatureError, match="longest one") as error:
        hr.parse_elwc([LISTS[0], LISTS[2]], spec)
    assert error.value.record == 1
    skipping = hr.open(lists, spec=spec, on_row_error="skip", batch_size=1)
    assert [b["n"].tolist() for b in skipping] == [[[1, 2]], [[3]]]
    assert [str(row.record) for row in skipping.report.rows] == ["1"]


def test_lists_read_as_examples_say_so(lists):
    with pytest.raises(hr.MalformedError, match='message "elwc"'):
        hr.parse_example([elwc([{"f": floats(-1.5)}], {})], CONTEXT)
    with pytest.raises(hr.InvalidArgumentError, match="parse_elwc"):
        hr.parse_example(LISTS, hr.Plan(hr.ElwcSpec(CONTEXT, EXAMPLE)))


def test_absent_features_are_reported(lists):
    spec = hr.ElwcSpec(
        CONTEXT | {"p": hr.VarLenFeature(hr.int64)},
        EXAMPLE | {"nn": hr.FixedLenFeature([], hr.int64, 0)},
    )
    reader = hr.open(lists, spec=spec)
    with pytest.warns(hr.AbsentFeatureWarning):
        list(reader)
    absent = [(a.name, a.in_sequence) for a in reader.report.absent]
    assert absent == [("p", False), ("nn", True)]


def test_example_in_example_needs_a_spec(lists):
    with pytest.raises(hr.InvalidArgumentError, match="spec"):
        hr.open(lists, message="example_in_example")
