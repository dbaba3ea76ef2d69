"""Features made of real tf.io objects, and defaults as TensorFlow reads them."""

import os
import pickle

import numpy as np
import pytest
import test_features

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip(
    "tensorflow", reason="compares with real tf.io objects")

from headrace.errors import BadSpecError  # noqa: E402
from headrace.features import (  # noqa: E402
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from headrace.spec import Spec  # noqa: E402

R = tf.io.RaggedFeature
TYPES = {int: tf.int64, float: tf.float32, bytes: tf.string}
SAME = [
    (tf.io.FixedLenFeature([2], tf.int64, [1, 2]), FixedLenFeature([2], int, [1, 2])),
    (tf.io.FixedLenFeature(tf.TensorShape([2]), tf.string),
     FixedLenFeature([2], bytes)),
    (tf.io.FixedLenFeature((), tf.float32, tf.constant(0.1)),
     FixedLenFeature([], float, 0.1)),
    (tf.io.FixedLenFeature(3, tf.float32, np.zeros(3)),
     FixedLenFeature([3], float, [0, 0, 0])),
    (tf.io.FixedLenSequenceFeature([], tf.string, True, "x"),
     FixedLenSequenceFeature([], bytes, True, "x")),
    (tf.io.VarLenFeature(tf.int64), VarLenFeature(int)),
    (tf.io.SparseFeature("i", "v", tf.float32, 10),
     SparseFeature("i", "v", float, 10)),
    (tf.io.SparseFeature(["i", "j"], "v", tf.string, tf.TensorShape([3, 4]), True),
     SparseFeature(["i", "j"], "v", bytes, [3, 4], True)),
    (R(tf.int64), RaggedFeature(int)),
    (R(tf.float32, "v",
       [R.RowSplits("a"), R.RowLengths("b"), R.RowStarts("c"), R.RowLimits("d"),
        R.ValueRowIds("e"), R.UniformRowLength(3)], tf.int64, True),
     RaggedFeature(float, "v", [
         RaggedFeature.RowSplits("a"), RaggedFeature.RowLengths("b"),
         RaggedFeature.RowStarts("c"), RaggedFeature.RowLimits("d"),
         RaggedFeature.ValueRowIds("e"), RaggedFeature.UniformRowLength(3)],
         np.int64, True)),
]


@pytest.mark.parametrize("theirs, ours", SAME)
def test_real_objects(theirs, ours):
    spec = Spec.of({"a": theirs, "b": VarLenFeature(int)})
    assert spec == Spec({"a": ours, "b": VarLenFeature(int)})
    assert Spec.from_json(spec.to_json()) == spec
    assert b"tensorflow" not in pickle.dumps(spec)


def test_fields_order_and_defaults_are_theirs():
    for cls in (FixedLenFeature, FixedLenSequenceFeature, VarLenFeature,
                SparseFeature, RaggedFeature):
        code = cls.__init__.__code__
        positional = code.co_varnames[1:code.co_argcount]
        theirs = getattr(tf.io, cls.__name__)
        assert positional == theirs._fields
        assert len(cls.__init__.__defaults__ or ()) == len(
            theirs.__new__.__defaults__ or ())


def test_our_partitions_in_their_features_and_theirs_in_ours():
    ours = RaggedFeature(int, "v", [R.RowLengths("n")])
    assert ours == RaggedFeature(int, "v", [RaggedFeature.RowLengths("n")])


@pytest.mark.parametrize("dtype, name", [
    (tf.int64, "int64"), (tf.float32, "float32"), (tf.string, "bytes_")])
def test_their_types(dtype, name):
    assert VarLenFeature(dtype).dtype.name == name
    assert VarLenFeature("int64", as_=tf.int8).as_.name == "int8"
    assert VarLenFeature("float", as_=tf.bfloat16).as_.name == "bfloat16"


@pytest.mark.parametrize("theirs", [
    tf.io.FixedLenFeature([None], tf.int64),
    tf.io.FixedLenFeature(None, tf.int64),
    tf.io.FixedLenFeature(tf.TensorShape(None), tf.int64),
    tf.io.FixedLenFeature(tf.TensorShape([None, 2]), tf.int64),
    tf.io.FixedLenFeature([], None),
    tf.io.FixedLenFeature([], tf.int32),
    tf.io.FixedLenFeature([2], tf.int64, 3),
    tf.io.FixedLenFeature([-1], tf.int64, 3),
    tf.io.SparseFeature("i", "", tf.int64, 3),
])
def test_what_tensorflow_refuses_is_refused(theirs):
    record = tf.train.Example().SerializeToString()
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        tf.io.parse_example([record], {"a": theirs})
    with pytest.raises(BadSpecError, match='feature "a": ') as caught:
        Spec.of({"a": theirs})
    assert caught.value.feature == "a"


@pytest.mark.parametrize("shape, dtype, default, wanted", test_features.DEFAULTS)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_defaults_are_theirs(shape, dtype, default, wanted):
    if default is None:
        pytest.skip("no default: a required feature")
    feature = tf.io.FixedLenFeature(shape, TYPES[dtype], default)
    if wanted is None:
        with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
            tf.io.parse_example([b""], {"a": feature})
        return
    got = tf.io.parse_example([b""], {"a": feature})["a"].numpy().reshape(-1)
    ours = FixedLenFeature(shape, dtype, default).default_value
    ours = ours if isinstance(ours, tuple) else (ours,)
    if dtype is bytes:
        assert tuple(got) == ours
    else:
        # Bit for bit.
        assert got.tobytes() == np.array(ours, got.dtype).tobytes()
