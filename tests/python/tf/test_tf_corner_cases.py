"""The cases that users meet, each with the result of TensorFlow beside ours."""

import os
import struct

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow", reason="compares with TensorFlow itself")

import headrace as hr  # noqa: E402
from tf_comparison import attempt, code_of, same  # noqa: E402
from wire_messages import Message, Value, canonical  # noqa: E402

UNSET = Value()
Fixed, Steps = tf.io.FixedLenFeature, tf.io.FixedLenSequenceFeature
VarLen, Sparse, Ragged = tf.io.VarLenFeature, tf.io.SparseFeature, tf.io.RaggedFeature


def value(items):
    """A Feature of Python values; of floats their bits are kept."""
    if isinstance(items, Value):
        return items
    if all(isinstance(item, int) for item in items) and items:
        return Value("int64", items)
    if all(isinstance(item, float) for item in items) and items:
        bits = [struct.unpack("<I", struct.pack("<f", item))[0] for item in items]
        return Value("float", bits)
    return Value("bytes", items)


INTS, FLOATS, BYTES = Value("int64"), Value("float"), Value("bytes")


def example(**features):
    return canonical(Message({key: value(items) for key, items in features.items()}))


def sequence(context=None, **lists):
    return canonical(Message(
        {key: value(items) for key, items in (context or {}).items()},
        {key: [value(step) for step in steps] for key, steps in lists.items()}))


# Records, and a spec that TensorFlow reads them with.
EXAMPLES = {
    "a scalar": ([example(a=[1]), example(a=[2])], Fixed([], tf.int64)),
    "a vector of one": ([example(a=[1]), example(a=[2])], Fixed([1], tf.int64)),
    "a shape that is a number": ([example(a=[1, 2])], Fixed(2, tf.int64)),
    "two values for a scalar": ([example(a=[1, 2])], Fixed([], tf.int64)),
    "too few values": ([example(a=[1, 2]), example(a=[3])], Fixed([2], tf.int64)),
    "too many strings": ([example(a=[b"x", b"y"])], Fixed([], tf.string)),
    "row-major order": ([example(a=[1, 2, 3, 4, 5, 6])], Fixed([2, 3], tf.int64)),
    "a required feature that is absent": (
        [example(a=[1]), example(b=[1])], Fixed([], tf.int64)),
    "a required feature that is unset": ([example(a=UNSET)], Fixed([], tf.int64)),
    "a required feature without values": ([example(a=INTS)], Fixed([], tf.int64)),
    "a default for an absent feature": (
        [example(), example(a=[1.5])], Fixed([], tf.float32, -1.0)),
    "a default for an unset feature": (
        [example(a=UNSET)], Fixed([2], tf.int64, [7, 8])),
    "no default for an empty list": ([example(a=INTS)], Fixed([], tf.int64, 7)),
    "an empty record": ([b""], Fixed([], tf.string, "?")),
    "an empty batch": ([], Fixed([2], tf.int64)),
    "no values in a shape of none": ([example(a=INTS)], Fixed([0], tf.int64)),
    "a shape of none that is absent": ([example()], Fixed([0], tf.int64)),
    "a default for a shape of none": ([example()], Fixed([2, 0], tf.int64, [[], []])),
    "another kind": ([example(a=[1.0])], Fixed([], tf.int64)),
    "an empty list of another kind": ([example(a=FLOATS)], VarLen(tf.int64)),
    "bytes for numbers": ([example(a=[b"1"])], VarLen(tf.int64)),
    "the smallest and largest integers": (
        [example(a=[-2**63, 2**63 - 1, -1])], Fixed([3], tf.int64)),
    "NaN, infinities and -0": (
        [example(a=[float("nan"), float("inf"), -0.0])], Fixed([3], tf.float32)),
    "a NaN with a payload": (
        [example(a=Value("float", [0x7F800001, 0xFFC12345]))], VarLen(tf.float32)),
    "bytes with NUL, and none": ([example(a=[b"\0x\0", b""])], VarLen(tf.string)),
    "steps of unequal number": (
        [example(a=[1]), example(a=[2, 3]), example()], Steps([], tf.int64, True)),
    "steps padded with a default": (
        [example(a=[b"x"]), example()], Steps([], tf.string, True, "-")),
    "steps of a shape": (
        [example(a=[1, 2, 3, 4]), example(a=[5, 6])], Steps([2], tf.int64, True)),
    "half a step": ([example(a=[1, 2, 3])], Steps([2], tf.int64, True)),
    "no steps anywhere": ([example(), example(a=INTS)], Steps([3], tf.int64, True)),
    "no values anywhere": ([example(), example(a=UNSET)], VarLen(tf.float32)),
    "values of unequal number": (
        [example(a=[1]), example(), example(a=[2, 3])], VarLen(tf.int64)),
    "an empty batch of any number": ([], VarLen(tf.string)),
    "ragged rows": ([example(a=[1]), example(), example(a=[2, 3])], Ragged(tf.int64)),
    "ragged rows without values": ([example(), example()], Ragged(tf.string)),
    "an empty batch of ragged rows": ([], Ragged(tf.int64)),
    "ragged rows with 64-bit splits": (
        [example(a=[1.5])], Ragged(tf.float32, row_splits_dtype=tf.int64)),
    "rows by their lengths": (
        [example(a=[1, 2, 3], n=[2, 0, 1]), example()],
        Ragged(tf.int64, None, [Ragged.RowLengths("n")], validate=True)),
    "rows of one length": (
        [example(a=[1, 2, 3, 4]), example(a=[5, 6])],
        Ragged(tf.int64, "a", [Ragged.UniformRowLength(2)])),
    "uniform rows of ragged rows": (
        [example(a=[1, 2, 3], n=[2, 1])],
        Ragged(tf.int64, "a", [Ragged.UniformRowLength(2), Ragged.RowLengths("n")])),
    "one level in another": (
        [example(a=[1, 2, 3], n=[1, 2], m=[0, 0]), example()],
        Ragged(tf.int64, "a", [Ragged.ValueRowIds("m"), Ragged.RowLengths("n")])),
    "an index and a value": (
        [example(i=[3, 1], v=[1.0, 2.0]), example()],
        Sparse("i", "v", tf.float32, 4)),
    "two indices": (
        [example(i=[1, 0], j=[2, 5], v=[b"x", b"y"])],
        Sparse(["i", "j"], "v", tf.string, [2, 6])),
    "an index out of range": (
        [example(i=[9, -1], v=[1, 2])], Sparse(["i"], "v", tf.int64, [4])),
    "indices that are said to be sorted": (
        [example(i=[2, 0], v=[1, 2])], Sparse(["i"], "v", tf.int64, [4], True)),
    "an index of another kind": (
        [example(i=[1.0], v=[1])], Sparse(["i"], "v", tf.int64, [4])),
}

SEQUENCES = {
    "steps": ([sequence(a=[[1, 2], [3, 4]]), sequence(a=[[5, 6]])],
              {}, Steps([2], tf.int64)),
    "a list that is absent": ([sequence(a=[[1]]), sequence()], {}, Steps([], tf.int64)),
    "a list that may be absent": (
        [sequence(a=[[1]]), sequence()], {}, Steps([], tf.int64, True)),
    "a list without steps": ([sequence(a=[])], {}, Steps([3], tf.string)),
    "a step of the wrong size": (
        [sequence(a=[[1, 2], [3]])], {}, Steps([2], tf.int64)),
    "a step that is unset": ([sequence(a=[[1], UNSET])], {}, Steps([], tf.int64)),
    "a step of another kind": ([sequence(a=[[1], [2.0]])], {}, Steps([], tf.int64)),
    "steps of any number": (
        [sequence(a=[[1, 2], UNSET, INTS, [3]]), sequence()], {}, VarLen(tf.int64)),
    "ragged steps": (
        [sequence(a=[[b"x"], [], [b"y", b"z"]]), sequence()], {}, Ragged(tf.string)),
    "ragged steps with rows": (
        [sequence(a=[[1, 2], [3]], n=[[1, 1], [1]]), sequence()], {},
        Ragged(tf.int64, "a", [Ragged.RowLengths("n")])),
    "a context": ([sequence({"c": [1]}), sequence({"c": [2]})],
                  {"c": Fixed([], tf.int64)}, VarLen(tf.int64)),
    "a context with a default": (
        [sequence(), sequence({"c": [2]})],
        {"c": Fixed([], tf.int64, 7)}, VarLen(tf.int64)),
    "an unset context with a default": (
        [sequence({"c": UNSET})], {"c": Fixed([], tf.int64, 7)}, VarLen(tf.int64)),
    "a context that no record has": (
        [sequence()], {"c": Fixed([], tf.int64)}, VarLen(tf.int64)),
    "a name in the context and in the lists": (
        [sequence({"a": [1]}, a=[[2]])], {"a": VarLen(tf.int64)}, VarLen(tf.int64)),
    "an empty batch of sequences": ([], {"c": VarLen(tf.int64)}, Steps([2], tf.int64)),
}


def compare(records, specs):
    ours, theirs = attempt(hr, records, specs), attempt(tf.io, records, specs)
    if isinstance(theirs, Exception):
        assert isinstance(ours, hr.RowError), (ours, theirs)
        absent = isinstance(ours, hr.MissingFeatureError)
        assert ours.code == code_of(theirs, absent), (ours, theirs)
        return
    assert not isinstance(ours, Exception), (ours, theirs)
    assert ours.keys() == theirs.keys()
    for name in theirs:
        assert same(ours[name], theirs[name]), (name, ours[name], theirs[name])


@pytest.mark.parametrize("records, feature", EXAMPLES.values(), ids=EXAMPLES)
def test_example(records, feature):
    compare(records, [{"a": feature}])


@pytest.mark.parametrize("records, context, feature", SEQUENCES.values(), ids=SEQUENCES)
def test_sequence_example(records, context, feature):
    compare(records, [context, {"a": feature}])


def test_one_key_for_several_features():
    records = [example(i=[3, 1], v=[1.0, 2.0], n=[2])]
    compare(records, [{
        "i": VarLen(tf.int64), "sparse": Sparse("i", "v", tf.float32, 4),
        "v": VarLen(tf.float32)}])
    compare(records, [{
        "v": Ragged(tf.float32),
        "rows": Ragged(tf.float32, "v", [Ragged.RowLengths("n")])}])


# What TensorFlow refuses before it reads a record, and so do we.
BAD_SPECS = {
    "a default is not broadcast": Fixed([2], tf.int64, 0),
    "a default of another type": Fixed([], tf.int64, "x"),
    "an unknown dimension": Fixed([None], tf.int64),
    "no shape": Fixed(None, tf.int64),
    "a type that no record has": Fixed([], tf.int32),
    "steps must be allowed to be missing": Steps([], tf.int64),
    "several values to pad with": Steps([], tf.int64, True, [1, 2]),
}


@pytest.mark.parametrize("feature", BAD_SPECS.values(), ids=BAD_SPECS)
def test_bad_spec(feature):
    records = [example(a=[1])]
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        tf.io.parse_example(records, {"a": feature})
    with pytest.raises(hr.BadSpecError, match='"a"'):
        hr.parse_example(records, {"a": feature})


def wire(hexadecimal):
    return bytes.fromhex(hexadecimal)


INTEGERS = VarLen(tf.int64)
# docs/semantics.md, "Where others answer differently": what TensorFlow's values
# are, None for an error, and what ours are, or our error.
DIFFERENCES = {
    "two packed runs": (
        wire("0a0f0a0d0a016112081a060a010d0a010e"), INTEGERS, [13], [13, 14]),
    "two lists of a kind": (
        wire("0a110a0f0a0161120a1a030a010d1a030a010e"), INTEGERS, [13], [13, 14]),
    "unpacked, then packed": (
        wire("0a0f0a0d0a016112081a06080d0a020e0f"), INTEGERS, None, [13, 14, 15]),
    "a value twice": (
        wire("0a130a110a016112051a030a010d12051a030a010e"), INTEGERS, None, [13, 14]),
    "an entry without a value": (wire("0a050a030a0161"), INTEGERS, None, []),
    "an unknown field in an entry": (
        wire("0a0e0a0c0a016112051a030a010d1805"), INTEGERS, None, [13]),
    "a group": (wire("13140a0c0a0a0a016112051a030a010d"), INTEGERS, None, [13]),
    "a key that is not UTF-8": (
        wire("0a0c0a0a0a01ff12051a030a010d"), INTEGERS, [], "malformed"),
    "a length past its parent": (
        wire("0a0d0a0a0a016112051a030a010d"), INTEGERS, [13], "malformed"),
    "field number 0": (
        wire("00050a0c0a0a0a016112051a030a010d"), INTEGERS, [13], "malformed"),
    "five bytes of packed floats": (
        wire("0a100a0e0a0161120912070a050000803f0d"), VarLen(tf.float32), [1.0],
        "malformed"),
    "an unset entry behind one with a value": (
        wire("0a130a0a0a016112051a030a010d0a050a01611200"), Fixed([], tf.int64), [13],
        "missing_feature"),
}


@pytest.mark.parametrize(
    "record, feature, theirs, ours", DIFFERENCES.values(), ids=DIFFERENCES)
def test_documented_difference_of_one_record(record, feature, theirs, ours):
    for library, wanted in ((tf.io, theirs), (hr, ours)):
        result = attempt(library, [record], [{"a": feature}])
        if wanted is None:
            assert isinstance(result, Exception), result
        elif isinstance(wanted, str):
            assert isinstance(result, Exception) and result.code == wanted, result
        else:
            kind, *arrays = result["features", "a"]
            values = arrays[1] if kind == "sparse" else arrays[0]
            assert values.tolist() == wanted


# Batches of which TensorFlow checks the totals only.
TOTALS = {
    "row lengths": (
        [example(a=[1, 2, 3], n=[2]), example(a=[4], n=[2])],
        Ragged(tf.int64, "a", [Ragged.RowLengths("n")], validate=True),
        "bad_partition"),
    "uniform rows": (
        [example(a=[1, 2, 3]), example(a=[4])],
        Ragged(tf.int64, "a", [Ragged.UniformRowLength(2)], validate=True),
        "bad_partition"),
    "a first row split that is not 0": (
        [example(a=[1, 2], n=[7, 2])],
        Ragged(tf.int64, "a", [Ragged.RowSplits("n")], validate=True),
        "bad_partition"),
    "indices and values": (
        [example(i=[0], v=[1, 2]), example(i=[0, 1], v=[3])],
        Sparse("i", "v", tf.int64, 4), "bad_sparse_index"),
}


@pytest.mark.parametrize("records, feature, code", TOTALS.values(), ids=TOTALS)
def test_documented_difference_of_a_batch(records, feature, code):
    assert isinstance(attempt(tf.io, records, [{"a": feature}]), dict)
    error = attempt(hr, records, [{"a": feature}])
    assert isinstance(error, hr.RowError) and (error.code, error.record) == (code, 0)


def test_an_empty_batch_of_a_required_context():
    spec = [{"c": Fixed([2], tf.int64)}, {}]
    theirs = attempt(tf.io, [], spec)
    assert "Inconsistent max number" in str(theirs)
    kind, values = attempt(hr, [], spec)["features", "c"]
    assert (kind, values.shape, values.dtype) == ("dense", (0, 2), np.int64)


def test_defaults_keep_the_bits_of_a_nan():
    bits = np.array([0x7FC01234, 0xFFC00001], np.uint32)
    compare([example()], [{"a": Fixed([2], tf.float32, bits.view(np.float32))}])
    ours = hr.parse_example(
        [b""], {"a": hr.FixedLenFeature([2], hr.float32, bits.view(np.float32))})
    assert ours["a"].numpy().view(np.uint32).tolist() == [bits.tolist()]
