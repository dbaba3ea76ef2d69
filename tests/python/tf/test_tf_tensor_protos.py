"""Values that are serialized tensors, against tf.io.parse_tensor itself."""

import os
import random

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow", reason="compares with TensorFlow itself")

import headrace as hr  # noqa: E402
import records  # noqa: E402
from records import blobs  # noqa: E402

TYPES = ("float32", "float64", "int32", "uint8", "int16", "int8", "int64", "bool",
         "uint16", "float16", "uint32", "uint64")


def arrays(count):
    rng = np.random.default_rng(3)
    for i in range(count):
        shape = rng.integers(0, 4, rng.integers(0, 4))
        yield rng.integers(0, 2, shape).astype(TYPES[i % len(TYPES)])


def parse(value, array):
    spec = {"x": hr.FixedLenFeature(
        list(array.shape), bytes, as_=array.dtype, encoding="tensor_proto")}
    return hr.parse_example([records.example({"x": blobs(value)})], spec)["x"].numpy()[0]


def test_what_serialize_tensor_wrote():
    for array in arrays(200):
        value = tf.io.serialize_tensor(array).numpy()
        assert np.asarray(parse(value, array)).tobytes() == array.tobytes()


def test_what_make_tensor_proto_wrote():
    for array in arrays(200):
        value = tf.make_tensor_proto(array).SerializeToString()
        assert np.asarray(parse(value, array)).tobytes() == array.tobytes()


def test_what_a_writer_wrote(tmp_path):
    path = str(tmp_path / "a.tfrecord")
    for array in arrays(50):
        spec = {"x": hr.FixedLenFeature(
            list(array.shape), bytes, as_=array.dtype, encoding="tensor_proto")}
        with hr.Writer(path, spec=spec) as writer:
            writer.write({"x": array})
        [record] = tf.data.TFRecordDataset(path)
        value = tf.io.parse_single_example(
            record, {"x": tf.io.FixedLenFeature([], tf.string)})["x"]
        theirs = tf.io.parse_tensor(value, array.dtype).numpy()
        assert theirs.shape == array.shape
        assert theirs.tobytes() == array.tobytes()


def test_changed_bytes():
    """Whatever one changed byte makes of a tensor, both say the same."""
    rng = random.Random(7)
    tensors = 0
    for array in arrays(400):
        value = bytearray(tf.make_tensor_proto(array).SerializeToString())
        value[rng.randrange(len(value))] = rng.randrange(256)
        try:
            theirs = tf.io.parse_tensor(bytes(value), array.dtype).numpy()
        except tf.errors.InvalidArgumentError:
            theirs = None
        if theirs is not None and theirs.size > 1 << 20:
            continue
        shape = array.shape if theirs is None else theirs.shape
        try:
            ours = parse(bytes(value), np.empty(shape, array.dtype))
        except hr.DataError:
            ours = None
        if theirs is None and ours is not None:
            pytest.fail(f"TensorFlow refuses {value.hex()}")
        if theirs is not None:
            assert ours is not None, value.hex()
            assert np.asarray(ours).tobytes() == theirs.tobytes()
            tensors += 1
    assert tensors > 50
