"""Casts, reshaped rows and encoded values, against TensorFlow's own ops on the
values of records."""

import os
import random
import zlib

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow", reason="compares with TensorFlow itself")

import headrace as hr  # noqa: E402

RNG = random.Random(5)
NUMBERS = [0, 1, -1, 2, 127, -128, 255, 256, 2**31 - 1, -(2**31), 2**62, -(2**63)]
# TensorFlow flushes subnormal numbers to 0.
FLOATS = np.array([0, -0.0, 0.1, 1.5, 3.4028235e38, 1.2e-38, np.inf], np.float32)
ELEMENTS = {
    "uint8": tf.uint8, "int8": tf.int8, "int16": tf.int16, "uint16": tf.uint16,
    "int32": tf.int32, "int64": tf.int64, "float16": tf.float16,
    "float32": tf.float32, "float64": tf.float64,
}


def examples(**lists):
    """One serialized Example for each item of the lists."""
    def feature(values):
        if values and isinstance(values[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        if values and isinstance(values[0], (float, np.floating)):
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    rows = zip(*([(key, row) for row in rows] for key, rows in lists.items()))
    return [
        tf.train.Example(features=tf.train.Features(
            feature={key: feature(values) for key, values in row if values}
        )).SerializeToString()
        for row in rows
    ]


def test_casts_of_integers():
    records = examples(x=[[n] for n in NUMBERS])
    for as_, dtype, bits in (("bool", tf.bool, False), ("uint64", tf.uint64, True)):
        ours = hr.parse_example(records, {
            "x": hr.FixedLenFeature([], hr.int64, as_=as_, as_bits=bits)})["x"]
        theirs = tf.cast(tf.constant(NUMBERS, tf.int64), dtype).numpy()
        assert ours.numpy().dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()


def test_casts_of_floats():
    records = examples(x=[[float(f)] for f in FLOATS])
    ours = hr.parse_example(records, {
        "x": hr.FixedLenFeature([], hr.float32, as_=hr.float64)})["x"].numpy()
    theirs = tf.cast(tf.constant(FLOATS), tf.float64).numpy()
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.parametrize("encoding", ["raw", "zlib"])
def test_encoded_values(name, encoding):
    size = np.dtype(name).itemsize
    values = [RNG.randbytes(6 * size) for _ in range(5)]
    stored = values if encoding == "raw" else [zlib.compress(v) for v in values]
    ours = hr.parse_example(examples(x=[[v] for v in stored]), {
        "x": hr.FixedLenFeature([2, 3], hr.bytes_, as_=name, encoding=encoding)})
    raw = tf.constant(stored)
    if encoding == "zlib":
        raw = tf.io.decode_compressed(raw, "ZLIB")
    theirs = tf.reshape(tf.io.decode_raw(raw, ELEMENTS[name]), [-1, 2, 3]).numpy()
    assert ours["x"].numpy().tobytes() == theirs.tobytes()
    assert ours["x"].shape == theirs.shape


@pytest.mark.parametrize("encoding", ["raw", "zlib"])
def test_arrays_of_many_sizes(encoding):
    rows = [
        [np.arange(2 * n, dtype=np.int16).reshape(n, 2) for n in sizes]
        for sizes in ([1, 3], [], [0, 2, 1])
    ]
    stored = [
        [a.tobytes() if encoding == "raw" else zlib.compress(a.tobytes()) for a in row]
        for row in rows
    ]
    ours = hr.parse_example(examples(x=stored), {
        "x": hr.RaggedFeature(hr.bytes_, shape=[None], as_="int16",
                              encoding=encoding, item_shape=[None, 2])})["x"]
    for i, row in enumerate(stored):
        assert len(ours[i]) == len(row)
        for array, value in zip(ours[i], row):
            raw = tf.constant(value)
            if encoding == "zlib":
                raw = tf.io.decode_compressed(raw, "ZLIB")
            theirs = tf.reshape(tf.io.decode_raw(raw, tf.int16), [-1, 2]).numpy()
            assert np.array_equal(array, theirs)


@pytest.mark.parametrize("shape", [[-1, 3], [2, -1], [2, 3, -1], [6], [-1, 1, 2]])
def test_reshaped_rows(shape):
    rows = [list(range(6 * n)) for n in (1, 2, 3)] if -1 in shape else [[1] * 6] * 2
    ours = hr.parse_example(examples(x=rows), {
        "x": hr.RaggedFeature(hr.int64, shape=shape)})["x"]
    for i, row in enumerate(rows):
        got = ours[i]
        theirs = tf.reshape(tf.constant(row), shape).numpy().tolist()
        assert np.asarray(got.tolist() if hasattr(got, "tolist") else [
            np.asarray(g).tolist() for g in got]).tolist() == theirs
