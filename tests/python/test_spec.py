"""Spec: from dicts, from JSON and back, and as the program reads it."""

import math
import os
import pathlib
import pickle
import random
import re
import subprocess

import numpy as np
import pytest
from headrace.errors import BadSpecError
from headrace.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from headrace.spec import Spec

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("HEADRACE", str(ROOT / "build/src/cli/headrace"))
AGE = FixedLenFeature([], int, 0)


def nan(pattern):
    return np.array([pattern], np.uint32).view(np.float32)


FULL = Spec({
    "age": FixedLenFeature([], int, [-(2**63)]),
    "box": FixedLenFeature([2, 2], float, [0.1, -0.0, math.inf, 1e-45]),
    "nan": FixedLenFeature([2], float, [math.nan, -math.inf]),
    "payload": FixedLenFeature([], float, nan(0xFF800001)),
    "none": FixedLenFeature([0], bytes, []),
    "raw": FixedLenFeature([4], bytes, [b"\xff\x00", "é\n\"\\\x7f\x01", "", "\u2028"]),
    "pixels": FixedLenFeature([28, 28], bytes, as_="uint8"),
    "points": FixedLenSequenceFeature([3], float, True, 16777216.0),
    "tags": VarLenFeature(bytes, as_="bytes"),
    "ids": VarLenFeature(int, column="i d", pad_to=8, truncate=True, as_="int32"),
    "weights": SparseFeature(["row", "col"], "w", float, [10, -1], True,
                             check_indices=True),
    "words": RaggedFeature(
        bytes, "word",
        [RaggedFeature.RowLengths("a"), RaggedFeature.RowSplits("b"),
         RaggedFeature.RowStarts("c"), RaggedFeature.RowLimits("d"),
         RaggedFeature.ValueRowIds("e"), RaggedFeature.UniformRowLength(3)],
        "int64"),
    "plain": RaggedFeature(float, as_="bfloat16"),
    "日本\u007f\x00": VarLenFeature(int),
})
SEQUENCE = Spec(
    {"locale": FixedLenFeature([], bytes, "de"), "both": VarLenFeature(int)},
    {"frame": FixedLenSequenceFeature([3], float), "both": VarLenFeature(float)})


@pytest.mark.parametrize(
    "spec", [FULL, SEQUENCE, Spec(), Spec({}, {}), Spec(None, SEQUENCE.features)])
def test_json_and_pickle_give_an_equal_spec(spec):
    for got in (Spec.from_json(spec.to_json()), pickle.loads(pickle.dumps(spec))):
        assert got == spec
        assert hash(got) == hash(spec)
        assert list(got.features) == list(spec.features)
        assert repr(got) == repr(spec)
        assert got.to_json() == spec.to_json()
    assert Spec.from_json(spec.to_json().encode("utf-8-sig")) == spec


def plan(text, folder):
    path = folder / "spec.json"
    path.write_text(text, encoding="utf-8")
    return subprocess.run(
        [PROGRAM, "plan", "--spec", str(path)], capture_output=True, text=True,
        timeout=60)


needs_program = pytest.mark.skipif(
    not os.access(PROGRAM, os.X_OK),
    reason="the program headrace is not built; HEADRACE may name it")


@needs_program
@pytest.mark.parametrize("spec", [FULL, SEQUENCE, Spec()])
def test_program_takes_it(spec, tmp_path):
    done = plan(spec.to_json(), tmp_path)
    assert done.returncode == 0, done.stderr
    assert plan(spec.to_json() + "x", tmp_path).returncode == 2


def random_feature(rng, key):
    dtype = rng.choice(["int64", "float", "bytes"])
    values = {
        "int64": lambda: rng.randint(-(2**63), 2**63 - 1),
        "float": lambda: nan(rng.getrandbits(32))[0],
        "bytes": lambda: bytes(rng.choices(b"a\xc3\xa9\x00\"\\", k=rng.randint(0, 5))),
    }[dtype]
    shape = [rng.randint(0, 3) for _ in range(rng.randint(0, 3))]
    default = rng.choice([None, [values() for _ in range(math.prod(shape))]])
    column = rng.choice([None, key, ""])
    return rng.choice([
        lambda: FixedLenFeature(shape, dtype, default, column=column),
        lambda: FixedLenSequenceFeature([2], dtype, True, rng.choice(
            [None, values()]), column=column),
        lambda: VarLenFeature(dtype, column=column, pad_to=rng.choice([None, 7])),
        lambda: SparseFeature([key], key + "v", dtype, [3], rng.random() < .5,
                              check_indices=rng.random() < .5),
        lambda: RaggedFeature(dtype, rng.choice([None, key]), [
            RaggedFeature.UniformRowLength(2)], rng.choice(["int32", "int64"])),
    ])()


@pytest.mark.parametrize("seed", range(20))
def test_random_specs(seed):
    rng = random.Random(seed)
    spec = Spec({f"k{i}": random_feature(rng, f"c{i}") for i in range(30)})
    assert Spec.from_json(spec.to_json()) == spec


@needs_program
def test_program_takes_random_specs(tmp_path):
    rng = random.Random(7)
    # Without empty keys, of which two features cannot be read in two ways.
    features = {}
    while len(features) < 200:
        feature = random_feature(rng, f"c{len(features)}")
        if feature.column != "":
            features[f"k{len(features)}"] = feature
    done = plan(Spec(features).to_json(), tmp_path)
    assert done.returncode == 0, done.stderr


def test_examples_of_the_documents():
    text = (ROOT / "docs/formats/spec.md").read_text(encoding="utf-8")
    specs = [
        Spec.from_json(example)
        for example in re.findall(r"(?m)^    (\{\"message\".*\n(?:    .*\n)*)", text)
    ]
    assert [spec.message for spec in specs] == ["example", "sequence_example"]
    assert specs[0].features["age"] == AGE
    assert specs[0].features["words"].partitions == (
        RaggedFeature.RowLengths("words_per_line"),)
    for spec in specs:
        assert Spec.from_json(spec.to_json()) == spec


def feature_json(fields, name="age"):
    return '{"features": [{"name": "%s", %s}]}' % (name, fields)


FIXED = '"kind": "fixed_len", "dtype": "%s", "shape": %s'


# What the library refuses, tests/spec/spec_json_test.cc knows; here it is that
# what it says arrives, and what Python refuses beyond it.
@pytest.mark.parametrize("text", [
    "", "[" * 100_000, b"\xff{}", '{"features": [{"name": "\ud800"}]}'])
def test_errors_of_the_text(text):
    with pytest.raises(BadSpecError, match="line 1, column ") as caught:
        Spec.from_json(text)
    assert caught.value.feature is None


@pytest.mark.parametrize("fields", [
    '"dtype": "int64"', FIXED % ("int64", "[2]") + ', "default": [1]'])
def test_errors_of_a_feature(fields):
    with pytest.raises(BadSpecError) as caught:
        Spec.from_json(feature_json(fields))
    assert caught.value.feature == "age"
    assert caught.value.message.startswith('feature "age": ')


@pytest.mark.parametrize("value", [None, {}, 3])
def test_what_is_no_text(value):
    with pytest.raises(TypeError, match="^text: "):
        Spec.from_json(value)


def test_a_name_twice():
    age = '{"name": "a", "kind": "var_len", "dtype": "int64"}'
    with pytest.raises(BadSpecError) as caught:
        Spec.from_json('{"features": [%s, %s]}' % (age, age))
    assert caught.value.feature == "a"


def test_masked_defaults():
    whole = np.ma.array([1, 2], mask=False)
    spec = Spec({"a": FixedLenFeature([2], np.int64, default_value=whole)})
    assert spec == Spec({"a": FixedLenFeature([2], np.int64, default_value=[1, 2])})
    masked = np.ma.array([1, 2], mask=[0, 1])
    with pytest.raises(BadSpecError, match="default_value has masked"):
        Spec({"a": FixedLenFeature([2], np.int64, default_value=masked)})


def test_a_decimal_is_rounded_once():
    """By way of a double it would become 16777216."""
    spec = Spec.from_json(feature_json(
        FIXED % ("float", "[]") + ', "default": [16777217.0000000000000001]'))
    assert spec.features["age"].default_value == 16777218


def test_order_and_message_make_a_difference():
    a, b = {"a": AGE}, {"b": AGE}
    assert Spec(a | b) != Spec(b | a)
    assert Spec(a) != Spec(a, {})
    assert Spec(a, b) != Spec(b, a)
    assert Spec(a) != a


def test_spec_is_frozen():
    spec = Spec({"age": AGE})
    with pytest.raises(TypeError):
        spec.features["b"] = AGE
    with pytest.raises(AttributeError):
        spec.message = "sequence_example"
    with pytest.raises(AttributeError):
        spec.extra = 1
    features = {"age": AGE}
    spec = Spec(features)
    features["b"] = AGE
    assert list(spec.features) == ["age"]


def test_select():
    names = ["words", "age"]
    assert list(FULL.select(names).features) == names
    assert FULL.select(["age", "age"]) == Spec({"age": FULL.features["age"]})
    assert FULL.select([]) == Spec()
    picked = SEQUENCE.select(["frame"])
    assert (picked.message, list(picked.sequence_features)) == (
        "sequence_example", ["frame"])
    assert not picked.features
    both = SEQUENCE.select(iter(["both"]))
    assert (len(both.features), len(both.sequence_features)) == (1, 1)
    with pytest.raises(BadSpecError) as caught:
        FULL.select(["agee"])
    assert caught.value.feature == "agee"
    with pytest.raises(TypeError, match="^names: "):
        FULL.select("age")


def test_of():
    spec = Spec({"age": AGE})
    assert Spec.of(spec) is spec
    assert Spec.of({"age": AGE}) == spec
    for value in ("{}", None, [AGE], AGE):
        with pytest.raises(TypeError, match="^spec: "):
            Spec.of(value)
    for value in ("int64", VarLenFeature):
        with pytest.raises(TypeError, match='^feature "age": '):
            Spec.of({"age": value})
    with pytest.raises(TypeError, match="^features: the name 3"):
        Spec.of({3: AGE})
    with pytest.raises(TypeError, match="^sequence_features: "):
        Spec({}, [AGE])
    with pytest.raises(BadSpecError, match="UTF-8"):
        Spec({"\ud800": AGE})


def test_of_classes_of_the_same_names():
    """As tf.io's: found by name and fields, without TensorFlow."""
    make = type("VarLenFeature", (), {"dtype": np.int64})
    assert Spec.of({"a": make()}) == Spec({"a": VarLenFeature(int)})
    bad = type("FixedLenFeature", (), {
        "dtype": np.int64, "shape": [None], "default_value": None})
    with pytest.raises(BadSpecError, match='feature "a": shape') as caught:
        Spec.of({"a": bad()})
    assert caught.value.feature == "a"
    other = type("FixedLenFeature", (), {})
    with pytest.raises(TypeError, match='^feature "a": '):
        Spec.of({"a": other()})
