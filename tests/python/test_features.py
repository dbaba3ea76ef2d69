"""Features: their fields, their normal forms, and tf.io's in their place."""

import copy
import math
import pickle
import struct

import numpy as np
import pytest
from headrace import defaults, dtypes, features
from headrace.errors import BadSpecError
from headrace.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)


class TfDType:
    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize("dtype, spellings", [
    (dtypes.int64, ["int64", int, np.int64, np.dtype("int64"),
                    TfDType("int64"), dtypes.int64]),
    (dtypes.float32, ["float", "float32", float, np.float32,
                      np.dtype("<f4"), TfDType("float32")]),
    (dtypes.bytes_, ["bytes", "bytes_", "string", bytes, str, np.bytes_,
                     np.str_, np.object_, np.dtype("S8"), np.dtype("O"),
                     TfDType("string")]),
    (dtypes.bfloat16, ["bfloat16", TfDType("bfloat16")]),
    (dtypes.uint8, ["uint8", np.uint8, TfDType("uint8")]),
    (dtypes.float16, ["float16", "half", np.float16, np.dtype("e")]),
    (dtypes.float64, ["float64", np.float64, np.double]),
    (dtypes.bool_, ["bool", "bool_", bool, np.bool_, TfDType("bool")]),
])
def test_spellings_of_a_type(dtype, spellings):
    for spelling in spellings:
        assert dtypes.DType.of(spelling) is dtype


@pytest.mark.parametrize(
    "value", ["flaot", None, np.complex64, 3, np.dtype("datetime64[s]"), {}])
def test_no_type(value):
    with pytest.raises(BadSpecError):
        dtypes.DType.of(value)


def test_types_are_named_and_pickled():
    for dtype in dtypes.DType:
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert getattr(dtypes, dtype.name) is dtype
        assert str(dtype) == repr(dtype) == dtype.name


@pytest.mark.parametrize("dtype", ["int32", np.float64, TfDType("bool"), np.uint8])
def test_records_hold_three_types(dtype):
    with pytest.raises(BadSpecError):
        VarLenFeature(dtype)


ALL = [
    FixedLenFeature([2, 3], int, column="c", as_="int8"),
    FixedLenFeature([], float, math.nan),
    FixedLenFeature(2, bytes, ["a", b"\xff"]),
    FixedLenSequenceFeature([2], float, True, 1.5),
    VarLenFeature(str, pad_to=3, truncate=True),
    SparseFeature(["a", "b"], "v", float, [3, 4], True, check_indices=True),
    RaggedFeature(int, "v", [RaggedFeature.RowLengths("n"),
                             RaggedFeature.UniformRowLength(2)], "int64"),
    FixedLenFeature([], int, as_="uint64", as_bits=True),
    FixedLenFeature([2], bytes, as_="bool", encoding="zlib"),
    RaggedFeature(bytes, shape=[None, 2], as_="uint8", encoding="zlib",
                  item_shape=[None, None], item_shape_key="s", group="g"),
]


@pytest.mark.parametrize("feature", ALL, ids=repr)
def test_features_are_values(feature):
    names = vars(dtypes) | vars(features)
    for got in (
        pickle.loads(pickle.dumps(feature)),
        copy.copy(feature),
        copy.deepcopy(feature),
        eval(repr(feature), {**names, "nan": math.nan}),
    ):
        assert got == feature
        assert hash(got) == hash(feature)
        assert repr(got) == repr(feature)
    assert [feature == other for other in ALL].count(True) == 1
    for change in ("dtype", "column", "nonsense"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(feature, change, 1)
        with pytest.raises(AttributeError, match="cannot be changed"):
            delattr(feature, change)


def test_lists_become_tuples():
    assert FixedLenFeature(3, int).shape == (3,)
    assert FixedLenFeature(np.int32(3), int).shape == (3,)
    assert FixedLenFeature(np.array([3, 1]), int).shape == (3, 1)
    assert FixedLenFeature((), int).shape == ()
    sparse = SparseFeature("i", "v", int, 5)
    assert (sparse.index_key, sparse.size) == (("i",), (5,))
    assert sparse == SparseFeature(["i"], "v", int, [5])
    ragged = RaggedFeature(int, partitions=[RaggedFeature.RowSplits("s")])
    assert ragged.partitions == (RaggedFeature.RowSplits("s"),)
    assert ragged.row_splits_dtype is dtypes.int32


def test_validate_makes_no_difference():
    on, off = RaggedFeature(int, validate=True), RaggedFeature(int)
    assert (on, on.validate) == (off, True)
    assert hash(on) == hash(off)


def test_empty_keys_are_shown():
    feature = VarLenFeature(int, column="")
    assert repr(feature) == "VarLenFeature(dtype=int64, column='')"


def test_partitions_of_one_key_differ_by_their_class():
    assert RaggedFeature.RowSplits("s") != RaggedFeature.RowLimits("s")
    assert repr(RaggedFeature.RowSplits("s")) == "RaggedFeature.RowSplits(key='s')"


# What the text must name: the field, and its item.
@pytest.mark.parametrize("make, field", [
    (lambda: FixedLenFeature(None, int), "shape"),
    (lambda: FixedLenFeature([None], int), "shape"),
    (lambda: FixedLenFeature([2.0], int), r"shape\[0\]"),
    (lambda: FixedLenFeature("2", int), "shape"),
    (lambda: FixedLenFeature([2**63], int), r"shape\[0\]"),
    (lambda: FixedLenFeature([1, -(2**63) - 1], int), r"shape\[1\]"),
    (lambda: FixedLenFeature([], None), "dtype"),
    (lambda: FixedLenFeature([], int, column=3), "column"),
    (lambda: FixedLenFeature([], int, column="\ud800"), "column"),
    (lambda: FixedLenFeature([], int, as_="in8"), "as_"),
    (lambda: FixedLenSequenceFeature([], int, "yes"), "allow_missing"),
    (lambda: FixedLenSequenceFeature([2], int, True, [1, 2]), "default_value"),
    (lambda: FixedLenSequenceFeature([], int, True, []), "default_value"),
    (lambda: VarLenFeature(int, pad_to=1.5), "pad_to"),
    (lambda: VarLenFeature(int, truncate=1), "truncate"),
    (lambda: SparseFeature("i", "v", int, [1, 2]), "1 index keys"),
    (lambda: SparseFeature(["i", 3], "v", int, [1, 2]), r"index_key\[1\]"),
    (lambda: SparseFeature(3, "v", int, 1), "index_key"),
    (lambda: SparseFeature("i", "", int, 1), "value_key"),
    (lambda: SparseFeature("i", None, int, 1), "value_key"),
    (lambda: RaggedFeature(int, ""), "value_key"),
    (lambda: RaggedFeature(int, "v", "p"), "partitions"),
    (lambda: RaggedFeature(int, "v", ["p"]), "partitions"),
    (lambda: RaggedFeature(int, "v", [], "int8"), "row_splits_dtype"),
    (lambda: RaggedFeature(int, "v", [], validate=0), "validate"),
    (lambda: RaggedFeature.RowSplits(3), "key of RowSplits"),
    (lambda: RaggedFeature.UniformRowLength(2.0), "length"),
])
def test_fields_that_cannot_be(make, field):
    with pytest.raises(BadSpecError, match=field):
        make()


# (shape, dtype, default, what becomes of it; None for an error). tf.io agrees,
# which test_tf_io.py checks where TensorFlow is installed.
DEFAULTS = [
    ([], int, 0, 0),
    ([], int, True, 1),
    ([], int, 1.0, None),
    ([], int, 1.5, None),
    ([], int, [3], 3),
    ([], int, [[3]], 3),
    ([1], int, 3, 3),
    ([2], int, 3, None),
    ([2], int, [1, 2], (1, 2)),
    ([2], int, range(2), (0, 1)),
    ([2], int, (1, 2), (1, 2)),
    ([2], int, [[1], [2]], (1, 2)),
    ([2, 2], int, [1, 2, 3, 4], (1, 2, 3, 4)),
    ([4], int, [[1, 2], [3, 4]], (1, 2, 3, 4)),
    ([3], int, [[1, 2], [3]], None),
    ([2], int, [1, [2]], None),
    ([2, 2], int, np.arange(4, dtype=np.int32), (0, 1, 2, 3)),
    ([2], int, np.array([1.0, 2.0]), (1, 2)),
    ([2], int, np.array([True, False]), (1, 0)),
    ([], int, np.float64(5), 5),
    ([], int, np.uint64(5), 5),
    ([], int, np.True_, 1),
    ([], int, 2**63 - 1, 2**63 - 1),
    ([], int, -(2**63), -(2**63)),
    ([], int, 2**63, None),
    ([], int, -(2**63) - 1, None),
    ([], int, "5", None),
    ([], int, [], None),
    ([], int, {1}, None),
    ([2], int, [1, None], None),
    ([], float, 0, 0.0),
    ([], float, True, 1.0),
    ([], float, 0.1, 0.10000000149011612),
    ([], float, 1e39, math.inf),
    ([], float, -1e39, -math.inf),
    ([], float, 3.4028235e38, 3.4028234663852886e38),
    ([], float, 3.4028235677973366e38, math.inf),
    ([], float, math.inf, math.inf),
    ([], float, -0.0, -0.0),
    ([], float, 1e-46, 0.0),
    ([], float, 2**80, float(2**80)),
    ([], float, 10**400, None),
    ([], float, 16777217, 16777216.0),
    ([], float, np.float64(1e39), math.inf),
    ([], float, np.float16(0.5), 0.5),
    ([2], float, np.array([1, 2]), (1.0, 2.0)),
    ([2], float, [1, 2.5], (1.0, 2.5)),
    ([], float, "1", None),
    ([], float, 1j, None),
    ([], float, None, None),
    ([], bytes, "", b""),
    ([], bytes, "é", b"\xc3\xa9"),
    ([], bytes, b"\xff", b"\xff"),
    ([], bytes, 1, None),
    ([], bytes, bytearray(b"x"), None),
    ([], bytes, "\ud800", None),
    ([], bytes, np.str_("x"), b"x"),
    ([], bytes, np.bytes_(b"x"), b"x"),
    ([2], bytes, ["a", b"b"], (b"a", b"b")),
    ([2], bytes, np.array(["a", "b"]), (b"a", b"b")),
    ([2], bytes, np.array([b"a", "b\0"], object), (b"a", b"b\0")),
]


def bits(value):
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    return struct.pack("<d", value) if isinstance(value, float) else value


@pytest.mark.parametrize("shape, dtype, default, wanted", DEFAULTS)
def test_defaults(shape, dtype, default, wanted):
    if wanted is None and default is not None:
        with pytest.raises(BadSpecError, match="default_value"):
            FixedLenFeature(shape, dtype, default)
        return
    got = FixedLenFeature(shape, dtype, default).default_value
    assert bits(got) == bits(wanted)
    assert type(got) is type(wanted)


def test_default_of_a_shape_without_elements():
    assert FixedLenFeature([0], int, []).default_value == ()
    assert FixedLenFeature([2, 0], int, [[], []]).default_value == ()
    with pytest.raises(BadSpecError, match="default_value"):
        FixedLenFeature([0], int, 3)


def test_integral_arrays_only():
    for wrong in (2.5, np.nan, np.inf):
        with pytest.raises(BadSpecError, match="default_value"):
            FixedLenFeature([2], int, np.array([1.0, wrong]))
    with pytest.raises(BadSpecError, match="default_value"):
        FixedLenFeature([], int, np.uint64(2**63))


def test_default_nested_too_deeply():
    value = 1
    for _ in range(100_000):
        value = [value]
    with pytest.raises(BadSpecError, match="default_value"):
        FixedLenFeature([], int, value)
    while isinstance(value, list):  # taken apart without recursion
        value = value.pop()


@pytest.mark.parametrize(
    "pattern", [0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF923456, 0x7FFFFFFF])
def test_nan_keeps_its_bits(pattern):
    array = np.array([pattern], np.uint32).view(np.float32)
    feature = FixedLenFeature([], float, array)
    assert math.isnan(feature.default_value)
    assert defaults.bits_of_float(feature.default_value) == pattern
    assert feature == pickle.loads(pickle.dumps(feature))
    other = np.array([pattern ^ 2], np.uint32).view(np.float32)
    assert feature != FixedLenFeature([], float, other)


def test_zeros_differ_by_their_sign():
    assert FixedLenFeature([], float, 0.0) != FixedLenFeature([], float, -0.0)
    assert hash(FixedLenFeature([], float, math.nan)) == hash(
        FixedLenFeature([], float, float("nan")))


def test_floats_of_all_bits():
    generator = np.random.default_rng(7)
    patterns = generator.integers(0, 2**32, 20_000, dtype=np.uint32)
    for value, pattern in zip(patterns.view(np.float32), patterns, strict=True):
        got = defaults.flatten(value, dtypes.float32)[0]
        assert defaults.bits_of_float(got) == pattern


def test_features_are_adopted_as_they_are():
    feature = VarLenFeature(int, pad_to=3)
    assert features.feature(feature) is feature


@pytest.mark.parametrize("value", [int, "int64", VarLenFeature, None, 3, {}])
def test_what_is_no_feature(value):
    with pytest.raises(TypeError, match="expected a feature"):
        features.feature(value)
