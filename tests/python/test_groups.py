"""Matrices and jagged groups: their specs in Python, and the tensors they make."""

import base64
import copy
import gzip
import importlib.util
import json
import pathlib
import pickle
import re
import sys

import headrace as hr
import numpy as np
import pytest
import records
from records import UNSET, blobs, example, floats, ints, sequence_example

VECTORS = pathlib.Path(__file__).parents[1] / "vectors/groups.jsonl.gz"

MATRIX = hr.Matrix({
    "n": hr.FixedLenFeature([], hr.int64, 7, present=True),
    "x": hr.FixedLenFeature([2], hr.float32),
    "h": hr.VarLenFeature(hr.int64, column="hist", pad_to=2, truncate=True),
}, as_=hr.float32)
JAGGED = hr.Jagged({
    "a": hr.RaggedFeature(hr.int64, first_n=2, weight_key="w"),
    "b": hr.RaggedFeature(hr.int64, last_n=1),
}, as_=hr.int32, weights=True, lengths_dtype=hr.int64)
SPEC = hr.Spec({"m": MATRIX, "j": JAGGED, "y": hr.FixedLenFeature([], hr.float32, 1.0)})
ROWS = [
    example({"n": ints(3), "x": floats(0.5, 1), "a": ints(1, 2, 3), "w": floats(4, 5, 6),
             "b": ints(9, 8), "y": floats(2)}),
    example({"x": floats(1, 1), "hist": ints(1, 2, 3), "a": UNSET, "y": floats(3)}),
    example({"n": ints(0), "x": floats(0, -1), "b": ints(7), "y": floats(4)}),
]
NUMBERS = [[3, 1, 0.5, 1, 0, 0], [7, 0, 1, 1, 1, 2], [0, 1, 0, -1, 0, 0]]
JAGGED_ROWS = [
    {"a": ([1, 2], [4.0, 5.0]), "b": ([8], [1.0])}, {"a": ([], []), "b": ([], [])},
    {"a": ([], []), "b": ([7], [1.0])},
]


def check(tensors):
    matrix, jagged = tensors["m"], tensors["j"]
    assert type(matrix) is hr.Tensor and type(jagged) is hr.JaggedTensor
    assert matrix.shape == (3, 6) and matrix.dtype == np.float32
    assert matrix.tolist() == NUMBERS and matrix.name == "m"
    assert (jagged.name, jagged.keys, len(jagged)) == ("j", ["a", "b"], 3)
    arrays = {name: getattr(jagged, name).numpy()
              for name in ("values", "lengths", "offsets", "weights")}
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "values": [1, 2, 8, 7], "lengths": [2, 0, 0, 1, 0, 1],
        "offsets": [0, 2, 2, 2, 3, 3, 4], "weights": [4, 5, 1, 1]}
    assert [array.dtype.name for array in arrays.values()] == [
        "int32", "int64", "int64", "float32"]
    assert jagged.dtype == np.int32 and jagged.length_per_key == [2, 2]
    assert jagged.tolist() == JAGGED_ROWS
    assert tensors["y"].tolist() == [2, 3, 4]


# Tensors.


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.tfrecord"
    path.write_bytes(records.framed(ROWS))
    return path


def test_every_way_to_read(path):
    check(hr.parse_example(ROWS, SPEC))
    check(hr.parse_example(ROWS, dict(SPEC)))
    check(hr.parse_example(ROWS, hr.Plan(SPEC)))
    check(next(hr.open(path, spec=SPEC)))
    (batch,) = hr.Dataset(path, spec=SPEC).batches(3)
    check(batch)
    spec_file = path.with_suffix(".json")
    spec_file.write_text(SPEC.to_json())
    check(next(hr.open(path, spec=str(spec_file))))


def test_copies(path):
    batch = next(hr.open(path, spec=SPEC))
    for copied in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch), batch.copy()):
        check(copied)
    assert batch.copy(["j"])["j"].tolist() == JAGGED_ROWS
    jagged = batch["j"]
    for copied in (pickle.loads(pickle.dumps(jagged)), copy.copy(jagged)):
        assert copied.tolist() == JAGGED_ROWS and copied.name == "j"
    lengths = pickle.loads(pickle.dumps(jagged.lengths))
    assert lengths.tolist() == [2, 0, 0, 1, 0, 1]


def test_values_outlive_the_batch(path):
    batch = next(hr.open(path, spec=SPEC))
    values, matrix = batch["j"].values.numpy(), batch["m"].numpy()
    del batch
    assert values.tolist() == [1, 2, 8, 7] and matrix.tolist() == NUMBERS
    for array in (values, matrix):
        with pytest.raises(ValueError):
            array[0] = 1


def test_rows(path):
    batch = next(hr.open(path, spec=SPEC))
    assert batch.to_pydict() == {"m": NUMBERS, "j": JAGGED_ROWS, "y": [2, 3, 4]}
    assert batch.to_pylist()[2] == {"m": NUMBERS[2], "j": JAGGED_ROWS[2], "y": 4}
    row = hr.Dataset(path, spec=SPEC)[0]
    assert row["m"].tolist() == NUMBERS[0]
    (a, weights), b = row["j"]["a"], row["j"]["b"]
    assert (a.tolist(), weights.tolist()) == JAGGED_ROWS[0]["a"]
    assert [part.tolist() for part in b] == [[8], [1]]


def test_without_weights():
    jagged = hr.Jagged({"a": hr.FixedLenFeature([2], hr.int64, [5, 6]),
                        "b": hr.RaggedFeature(hr.float32, "v")}, as_=hr.float64)
    t = hr.parse_example(
        [example({"a": ints(1, 2), "v": floats(0.5)}), example({})], {"j": jagged})["j"]
    assert t.weights is None and t.lengths.dtype == t.offsets.dtype == np.int32
    assert t.tolist() == [{"a": [1, 2], "b": [0.5]}, {"a": [5, 6], "b": []}]
    assert t.length_per_key == [4, 1]


def test_no_rows():
    found = hr.parse_example([], SPEC)
    assert found["m"].shape == (0, 6)
    t = found["j"]
    assert (len(t), t.keys, t.length_per_key, t.tolist()) == (0, ["a", "b"], [0, 0], [])
    assert t.offsets.tolist() == [0] and len(t.lengths) == len(t.values) == 0


def test_sequence_examples():
    spec = hr.Spec({
        "m": hr.Matrix({"d": hr.FixedLenFeature([], hr.int64)}, as_=hr.uint8),
        "j": hr.Jagged({
            "c": hr.RaggedFeature(hr.int64),
            "s": hr.RaggedFeature(hr.int64, sequence=True, last_n=3, weight_key="w"),
        }, as_=hr.int64, weights=True),
    }, {"u": hr.VarLenFeature(hr.int64)})
    row = sequence_example({"c": ints(3), "d": ints(4)}, {
        "s": [ints(1, 2), UNSET, ints(3, 4)], "w": [floats(1, 2), floats(3, 4)], "u": [ints(5)]})
    context, lists, _ = hr.parse_sequence_example([row], spec)
    assert context["m"].tolist() == [[4]] and context["m"].dtype == np.uint8
    assert context["j"].tolist() == [{"c": ([3], [1]), "s": ([2, 3, 4], [2, 3, 4])}]
    assert list(lists) == ["u"] and list(context) == ["m", "j"]
    assert hr.Spec.from_json(spec.to_json()) == spec
    context, lists, _ = hr.parse_sequence_example([row], dict(spec.features))
    assert len(context["j"].values) == 4 and lists == {}


def test_bytes_of_a_matrix():
    matrix = hr.Matrix({
        "raw": hr.FixedLenFeature([2], hr.bytes_, as_=hr.int16),
        "n": hr.FixedLenFeature([], hr.int64)}, as_=hr.int16)
    row = example({"raw": records.blobs(np.array([1, -2], "<i2").tobytes()), "n": ints(3)})
    found = hr.parse_example([row], {"m": matrix})["m"]
    assert found.tolist() == [[1, -2, 3]] and found.dtype == np.int16


def test_bfloat16():
    matrix = hr.Matrix({"x": hr.FixedLenFeature([2], hr.float32)}, as_=hr.bfloat16)
    found = hr.parse_example([example({"x": floats(1 + 2**-8, 3)})], {"m": matrix})["m"]
    assert found.tolist() == [[1, 3]]  # to even
    if importlib.util.find_spec("ml_dtypes") is None:
        with pytest.raises(hr.MissingPackageError, match="ml_dtypes"):
            found.numpy()
        return
    assert found.numpy().dtype.name == "bfloat16" and found.numpy().tolist() == [[1, 3]]


def test_a_row_that_is_wrong_names_member_and_group():
    wrong = example({"x": floats(1, 1), "a": ints(1), "w": floats(1, 2)})
    with pytest.raises(hr.WrongCountError, match='jagged "j".*"a"') as caught:
        hr.parse_example([wrong], SPEC)
    assert caught.value.feature == "a"
    exact = hr.Matrix({"n": hr.FixedLenFeature([], hr.int64)}, as_=hr.float32, exact=True)
    with pytest.raises(hr.WrongKindError, match='matrix "m".*"n"'):
        hr.parse_example([example({"n": ints(2**24 + 1)})], {"m": exact})


def test_arrow(path):
    pyarrow = pytest.importorskip("pyarrow", reason="reads it")
    table = pyarrow.table(hr.open(path, spec=SPEC))
    assert table["j"].to_pylist()[0] == {
        "a": [{"value": 1, "weight": 4}, {"value": 2, "weight": 5}],
        "b": [{"value": 8, "weight": 1}]}
    batch = next(hr.open(path, spec=SPEC))
    assert pyarrow.array(batch["j"]).to_pylist()[2]["b"] == [{"value": 7, "weight": 1}]


def test_pandas(path):
    pytest.importorskip("pandas", reason="makes frames")
    frame = next(hr.open(path, spec=SPEC)).to_pandas()
    assert frame["m"][1] == NUMBERS[1] and frame["j"][0] == JAGGED_ROWS[0]


# What TensorFlow and numpy make of the golden cases, by tests/vectors/README.md.


def cases():
    with gzip.open(VECTORS, "rt") as lines:
        return [json.loads(line) for line in lines]


def checked_array(found, dtype, wanted, most_ulp=0):
    """Compares with little-endian bytes as hex; any NaN equals any other."""
    if dtype == "bfloat16":
        bits = np.frombuffer(bytes.fromhex(wanted), "<u2").astype(np.uint32) << 16
        expected, found = bits.view(np.float32), np.ravel(found.tolist())
    else:
        name = "float32" if dtype == "float" else dtype
        expected, found = np.frombuffer(bytes.fromhex(wanted), name), found.numpy()
        assert found.dtype == expected.dtype
    found = np.asarray(found, expected.dtype)
    if found.dtype.kind == "f":
        assert (np.signbit(found.ravel()) == np.signbit(expected))[expected == 0].all()
    if most_ulp and found.dtype.kind == "f":
        # TensorFlow's log1p is not exact.
        step = {"bfloat16": 2.0 ** -7}.get(dtype, np.finfo(expected.dtype).eps)
        np.testing.assert_allclose(found.ravel(), expected, rtol=most_ulp * step)
    else:
        np.testing.assert_array_equal(found.ravel(), expected)


def check_case(case, batch):
    types = {group["name"]: group["as"] for group in case["spec"]["features"]}
    most_ulp = 2 if "log1p" in json.dumps(case["spec"]) else 0
    assert list(case["out"]) == [name for name in case["out"] if name in batch]
    for name, wanted in case["out"].items():
        found, dtype = batch[name], types[name]
        if "keys" not in wanted:
            assert list(found.shape) == wanted["shape"]
            checked_array(found, dtype, wanted["values"], most_ulp)
            continue
        assert found.keys == wanted["keys"]
        assert found.lengths.tolist() == wanted["lengths"]
        assert found.offsets.tolist() == wanted["offsets"]
        checked_array(found.values, dtype, wanted["values"], most_ulp)
        assert (found.weights is None) == (wanted.get("weights") is None)
        if found.weights is not None:
            checked_array(found.weights, "float", wanted["weights"])
        rows = len(found)
        ends = found.offsets.tolist()[::rows] if rows else [0] * (len(found.keys) + 1)
        assert found.length_per_key == [b - a for a, b in zip(ends, ends[1:])]


def placed(case, folder):
    """The spec with the paths of the case's vocabularies."""
    for name, content in case.get("vocabularies", {}).items():
        (folder / name).write_bytes(bytes.fromhex(content))
    for group in case["spec"]["features"]:
        for member in group.get("features", []):
            for function in member.get("map", []):
                if function.get("vocabulary") in case.get("vocabularies", {}):
                    function["vocabulary"] = str(folder / function["vocabulary"])
    return case["spec"]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_golden(case, tmp_path):
    text = json.dumps(placed(case, tmp_path))
    if "error" in case:
        with pytest.raises(hr.BadSpecError):
            hr.Plan(hr.Spec.from_json(text))
        return
    spec = hr.Spec.from_json(text)
    assert hr.Spec.from_json(spec.to_json()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    rows = [base64.b64decode(row) for row in case["records"]]
    path = tmp_path / "rows.tfrecord"
    path.write_bytes(records.framed(rows))
    reader = hr.open(path, spec=spec, batch_size=max(len(rows), 1), on_row_error="skip",
                     on_absent="ignore")
    batch = next(reader, None)
    if batch is None:
        assert len(case["bad"]) == len(rows)
    else:
        check_case(case, batch)
    if not case["bad"]:
        return
    bad = case["bad"][0]
    with pytest.raises(hr.RowError) as caught:
        list(hr.open(path, spec=spec, on_absent="ignore"))
    assert caught.value.record == bad["row"] and caught.value.feature in bad["features"]
    assert caught.value.code == bad["class"]


# Functions.


def test_functions(tmp_path):
    words = tmp_path / "words.txt"
    words.write_bytes(b"cat\ndog\n")
    spec = {
        "dense": hr.Matrix({
            "age": hr.FixedLenFeature([], hr.int64, 0, map=[hr.clip(0, 100), hr.log1p()]),
            "size": hr.FixedLenFeature([], hr.float32, 3.5, map=hr.scale(1.5, 2.0)),
            "pet": hr.FixedLenFeature([], hr.bytes_, b"", map=hr.vocabulary(
                words, default=-1)),
        }, as_=hr.float32),
        "ids": hr.Jagged({
            "tags": hr.RaggedFeature(hr.bytes_, map=hr.hash_bucket(97)),
            "pets": hr.RaggedFeature(hr.bytes_, map=hr.vocabulary(
                keys=["cat", b"dog"], oov_buckets=2, oov="first")),
            "ages": hr.RaggedFeature(hr.int64, map=[hr.bucketize([18, 25.5])]),
        }, as_=hr.int32),
    }
    rows = [example({"age": ints(200), "pet": blobs(b"dog"), "tags": blobs(b"a", b"b"),
                     "pets": blobs(b"dog", b"cow"), "ages": ints(18, 30)}), example({})]
    batch = hr.parse_example(rows, spec)
    np.testing.assert_array_equal(batch["dense"].numpy(), np.float32(
        [[np.log1p(np.float32(100)), 1, 1], [0, 1, -1]]))
    ids = batch["ids"]
    assert ids.lengths.tolist() == [2, 0, 2, 0, 2, 0]
    found = ids.values.tolist()
    assert all(0 <= i < 97 for i in found[:2]) and found[0] != found[1]
    assert found[2] == 3 and found[3] in (0, 1) and found[4:] == [1, 2]
    core = hr.Spec(spec)
    assert hr.Spec.from_json(core.to_json()) == core
    assert pickle.loads(pickle.dumps(core)) == core
    assert eval(repr(spec["ids"]), dict(vars(hr))) == spec["ids"]


def test_members_that_are_tensors(tmp_path):
    """A TensorProto of two floats, then one of another shape."""
    def tensor(*values):
        content = np.float32(values).tobytes()
        shape = b"\x12\x04\x12\x02\x08" + bytes([len(values)])
        return b"\x08\x01" + shape + b"\x22" + bytes([len(content)]) + content

    spec = {"m": hr.Matrix({
        "n": hr.FixedLenFeature([], hr.int64, 0),
        "t": hr.FixedLenFeature([2], hr.bytes_, as_=hr.float32, encoding="tensor_proto"),
    }, as_=hr.float32)}
    rows = [example({"n": ints(i), "t": blobs(tensor(i, -0.5))}) for i in range(3)]
    found = hr.parse_example(rows, spec)["m"].tolist()
    assert found == [[i, i, -0.5] for i in range(3)]
    rows.append(example({"t": blobs(tensor(1, 2, 3))}))
    with pytest.raises(hr.WrongCountError) as caught:
        hr.parse_example(rows, spec)
    assert caught.value.feature == "t" and caught.value.record == 3
    rows[3] = example({"t": blobs(b"\x08\x01")})
    with pytest.raises(hr.WrongCountError):
        hr.parse_example(rows, spec)


@pytest.mark.parametrize("make, text", [
    (lambda: hr.RaggedFeature(hr.bytes_, map=3), "map is 3; it takes functions"),
    (lambda: hr.RaggedFeature(hr.bytes_, map=[hr.log1p]), "it takes functions"),
    (lambda: hr.hash_bucket("many"), "buckets"),
    (lambda: hr.vocabulary("x", oov="middle"), 'takes "first" or "last"'),
    (lambda: hr.vocabulary(keys="ab"), "a list of bytes or of int"),
    (lambda: hr.clip("a", 3), "lo is 'a'"),
    (lambda: hr.scale(None, 1), "mean is None"),
    (lambda: hr.bucketize(["x"]), "a boundary is 'x'"),
])
def test_functions_that_are_refused(make, text):
    with pytest.raises(hr.BadSpecError, match=re.escape(text)):
        make()


# Specs.


@pytest.mark.parametrize("group", [
    MATRIX, JAGGED, hr.Matrix({"n": hr.FixedLenFeature([], hr.int64)}, as_=hr.float64,
                              exact=True),
    hr.Jagged({"s": hr.RaggedFeature(hr.int64, sequence=True)}, as_=hr.bool_)])
def test_groups_are_values(group):
    names = vars(hr)
    for other in (pickle.loads(pickle.dumps(group)), copy.copy(group),
                  copy.deepcopy(group), eval(repr(group), dict(names))):
        assert other == group and hash(other) == hash(group)
        assert repr(other) == repr(group)
    assert isinstance(group, hr.Feature) and group.dtype is group.as_
    assert (group.column, group.as_bits) == (None, False)
    spec = hr.Spec({"g": group})
    assert spec["g"] is group and hr.Spec.from_json(spec.to_json()) == spec
    assert hr.Spec.from_json(spec.to_json())["g"] == group
    for name in ("features", "as_", "exact", "new"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(group, name, 1)
    with pytest.raises(TypeError):
        group.features["new"] = hr.FixedLenFeature([], hr.int64)


def test_groups_differ():
    members = {name: hr.RaggedFeature(hr.int64) for name in "ab"}
    base = hr.Jagged(members, as_=hr.int32)
    weighted = {**members, "a": hr.RaggedFeature(hr.int64, weight_key="w")}
    for other in (
        hr.Jagged(dict(reversed(members.items())), as_=hr.int32),
        hr.Jagged(members, as_=hr.int64), hr.Jagged(members, as_=hr.int32, weights=True),
        hr.Jagged(members, as_=hr.int32, lengths_dtype=hr.int64),
        hr.Jagged(weighted, as_=hr.int32), hr.Matrix(members, as_=hr.int32),
    ):
        assert other != base
    assert list(base.features) == ["a", "b"]
    members.clear()
    assert list(base.features) == ["a", "b"]


def test_a_group_is_selected_as_a_whole(path):
    assert dict(SPEC.select(["j", "y"])) == {"j": JAGGED, "y": SPEC["y"]}
    batch = next(hr.open(path, spec=SPEC, columns=["j"]))
    assert list(batch) == ["j"] and batch["j"].tolist() == JAGGED_ROWS
    with pytest.raises(hr.BadSpecError, match='no feature "a"'):
        SPEC.select(["a"])


def test_members_may_be_of_tf_io():
    class FixedLenFeature:
        shape, dtype, default_value = [], "int64", 3

    matrix = hr.Matrix({"n": FixedLenFeature()}, as_="float")
    assert matrix.features["n"] == hr.FixedLenFeature([], hr.int64, 3)


def test_texts(path):
    batch = next(hr.open(path, spec=SPEC))
    assert repr(batch["j"]) == (
        "JaggedTensor('j', keys=['a', 'b'], rows=3, values=4, dtype=int32)")
    assert repr(batch) == "Batch(rows=3, features={'m': float32[6], 'j': jagged int32, " \
        "'y': float32})"
    assert "{a: [1, 2] × [4.0, 5.0], b: [8] × [1.0]}" in batch._repr_html_()
    assert "jagged int32, 2 keys" in batch["j"]._repr_html_()
    assert "features=[n, x, h]" in SPEC._repr_html_()
    assert "features=[a, b], weights=True" in hr.Plan(SPEC)._repr_html_()
    assert '"a": ragged int64 as int32' in str(hr.Plan(SPEC))


def test_keys_are_shown_escaped():
    group = hr.Jagged({"<b>\n": hr.RaggedFeature(hr.int64)}, as_=hr.int32)
    page = hr.parse_example([example({"<b>\n": ints(1)})], {"j": group})["j"]._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;" in page


F, R = hr.FixedLenFeature, hr.RaggedFeature
INT = F([], hr.int64)


@pytest.mark.parametrize("make, error, text", [
    (lambda: hr.Matrix({"a": INT}), TypeError, "as_"),
    (lambda: hr.Matrix({"a": INT}, as_=None), hr.BadSpecError, "as_"),
    (lambda: hr.Matrix({"a": INT}, as_="flaot"), hr.BadSpecError, 'mean "float"'),
    (lambda: hr.Matrix({"a": INT}, as_="float", exat=True), TypeError, 'mean "exact"'),
    (lambda: hr.Matrix({"a": INT}, as_="float", exact=1), hr.BadSpecError, "exact is 1"),
    (lambda: hr.Matrix({"a": INT}, as_="float", weights=True), TypeError, "weights"),
    (lambda: hr.Matrix(None, as_="float"), TypeError, "a dict of names"),
    (lambda: hr.Matrix([INT], as_="float"), TypeError, "a dict of names"),
    (lambda: hr.Matrix({1: INT}, as_="float"), TypeError, "the name 1"),
    (lambda: hr.Matrix({"\ud800": INT}, as_="float"), hr.BadSpecError, "not UTF-8"),
    (lambda: hr.Matrix({"a": F}, as_="float"), TypeError, '"a": expected a feature'),
    (lambda: hr.Jagged({"a": INT}, as_="int32", lengths_dtype="int8"), hr.BadSpecError,
     "lengths_dtype is int8"),
    (lambda: hr.Jagged({"a": INT}, as_="int32", weights="w"), hr.BadSpecError, "weights"),
    (lambda: hr.Jagged({"a": MATRIX}, as_="int32"), hr.BadSpecError, '"a" is a Matrix'),
    (lambda: R(int, frist_n=3), TypeError, 'mean "first_n"'),
    (lambda: R(int, first_n=3, last_n=3), hr.BadSpecError, "first_n and last_n"),
    (lambda: F([], int, first_n=3, last_n=3), hr.BadSpecError, "first_n and last_n"),
    (lambda: R(int, first_n=2.5), hr.BadSpecError, "first_n is 2.5"),
    (lambda: R(int, last_n=2**63), hr.BadSpecError, "last_n"),
    (lambda: R(int, weight_key=3), hr.BadSpecError, "weight_key is 3"),
    (lambda: R(int, sequence=1), hr.BadSpecError, "sequence is 1"),
    (lambda: F([], int, present=1), hr.BadSpecError, "present is 1"),
    (lambda: hr.VarLenFeature(int, first_n=1), TypeError, 'no option "first_n"'),
])
def test_wrong_fields(make, error, text):
    with pytest.raises(error, match=re.escape(text)):
        make()


def matrix(feature, as_=hr.float32):
    return {"g": hr.Matrix({"a": feature}, as_=as_)}


def jagged(feature, **options):
    return {"g": hr.Jagged({"a": feature}, as_=hr.int64, **options)}


@pytest.mark.parametrize("features, text, feature", [
    ({"g": hr.Matrix({}, as_="float")}, "without features", "g"),
    (matrix(F([], bytes)), "cannot become float without a function", "a"),
    (matrix(INT, hr.bytes_), "a type of numbers", "g"),
    (matrix(F([], float), hr.int32), "cannot become int32", "a"),
    (matrix(F([], int, 300), hr.uint8), "default that does not fit uint8", "a"),
    (matrix(R(int)), "is ragged, but members", "a"),
    (matrix(hr.VarLenFeature(int)), "var_len with pad_to", "a"),
    (matrix(F([], int, first_n=1)), "only members of a jagged", "a"),
    (matrix(F([], int, as_=hr.int32)), "a type of its own", "a"),
    (jagged(F([], int, present=True)), "only members of a matrix", "a"),
    (jagged(R(int, first_n=0)), "keeps 0 values", "a"),
    (jagged(R(int, last_n=-1)), "keeps -1 values", "a"),
    (jagged(R(int, weight_key="w")), "the group has no weights", "a"),
    (jagged(R(int), weights=True), "has weights, but none", "g"),
    (jagged(R(int, sequence=True)), "ragged members of a SequenceExample", "a"),
    (jagged(R(int, partitions=[R.RowLengths("n")])), "without partitions", "a"),
    ({"a": R(int, first_n=3)}, "a field of groups", "a"),
    ({"a": F([], int, present=True)}, "a field of groups", "a"),
])
def test_wrong_specs(features, text, feature):
    with pytest.raises(hr.BadSpecError, match=re.escape(text)) as caught:
        hr.Plan(features)
    assert caught.value.feature == feature
    with pytest.raises(hr.BadSpecError):
        hr.parse_example([], features)


def test_feature_lists_are_no_groups():
    with pytest.raises(hr.BadSpecError, match="feature lists cannot be"):
        hr.Plan(hr.Spec({}, {"g": MATRIX}))
    with pytest.raises(hr.BadSpecError, match="only features of the context"):
        hr.Plan(hr.ElwcSpec({}, {"g": MATRIX}))


def test_the_context_of_lists_may_have_groups():
    spec = hr.ElwcSpec({"g": MATRIX}, {"s": F([], hr.float32, 0.0)})
    assert hr.Spec.from_json(spec.to_json()) == spec


def test_json_names_member_and_group():
    text = ('{"features": [{"name": "g", "kind": "matrix", "as": "float", "features": '
            '[{"name": "a", "dtype": "int64", "shape": [], "defualt": [1]}]}]}')
    with pytest.raises(hr.BadSpecError, match='"g", feature "a".*mean "default"'):
        hr.Spec.from_json(text)
    twice = SPEC.to_json().replace('"name": "b"', '"name": "a"')
    with pytest.raises(hr.BadSpecError, match='"j", feature "a" is listed twice') as caught:
        hr.Spec.from_json(twice)
    assert caught.value.feature == "a"


# A jagged tensor is no array.


def test_what_a_jagged_tensor_is_not():
    t = hr.parse_example(ROWS, SPEC)["j"]
    for wrong in (lambda: t == t, lambda: bool(t), lambda: np.asarray(t), lambda: t < 1):
        with pytest.raises(TypeError, match="JaggedTensor"):
            wrong()
    for name, hint in (("numpy", "values.numpy()"), ("row_splits", "offsets"),
                       ("weight", "weights")):
        with pytest.raises(AttributeError, match=re.escape(hint)):
            getattr(t, name)
    with pytest.raises(TypeError):
        hash(t)


def test_torchrec_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "torchrec", None)
    with pytest.raises(hr.MissingPackageError, match="pip install torchrec"):
        hr.parse_example(ROWS, SPEC)["j"].to_kjt()


def test_a_writer_checks_groups(tmp_path):
    with hr.Writer(tmp_path / "a.tfrecord", spec=SPEC) as writer:
        writer.write({"n": 1, "x": [1.0, 2.0], "a": [1], "w": [1.0], "y": 1.0})
        with pytest.raises(hr.MissingFeatureError, match='matrix "m", feature "x"'):
            writer.write({"n": 1})
    batch = next(hr.open(tmp_path / "a.tfrecord", spec=SPEC, on_absent="ignore"))
    assert batch["m"].tolist() == [[1, 1, 1, 2, 0, 0]]
