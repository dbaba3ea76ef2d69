"""hash_bucket and vocabulary on a million strings, against TensorFlow itself."""

import os
import random

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow", reason="compares with TensorFlow itself")

import headrace as hr  # noqa: E402
import records  # noqa: E402
from records import blobs, ints  # noqa: E402

# The hash has other code for lengths beyond each of these.
BOUNDS = (0, 1, 3, 4, 7, 8, 16, 17, 32, 33, 63, 64, 65, 66, 127, 128, 129, 192, 193)
PER_RECORD = 5000


def strings(count, seed):
    rng = random.Random(seed)
    sizes = list(range(201))
    for i in range(count):
        size = sizes[i % 201] if i % 2 else rng.choice(BOUNDS)
        yield rng.randbytes(size)


def numbers(count, seed):
    rng = random.Random(seed)
    yield from (0, -1, 1, 2**63 - 1, -2**63, 10**18, -10**18)
    for _ in range(count - 7):
        yield rng.getrandbits(rng.randrange(1, 64)) * rng.choice((-1, 1))


def ids(values, **maps):
    """What each map makes of the values; all are members of one group."""
    dtype, field = (hr.bytes_, blobs) if isinstance(values[0], bytes) else (hr.int64, ints)
    spec = {"j": hr.Jagged({name: hr.RaggedFeature(dtype, value_key="x", map=map_)
                            for name, map_ in maps.items()}, as_=hr.int64)}
    rows = [records.example({"x": field(*values[i:i + PER_RECORD])})
            for i in range(0, len(values), PER_RECORD)]
    jagged = hr.parse_example(rows, spec)["j"]
    return dict(zip(jagged.keys, np.split(jagged.values.numpy(), len(maps))))


def equal(ours, theirs):
    np.testing.assert_array_equal(ours, theirs.numpy())


BUCKETS = (1, 2, 10, 1000, 2**20, 10**9 + 7, 2**63 - 1)


def test_hash_buckets_of_strings():
    for seed in range(10):
        values = list(strings(100_000, seed))
        found = ids(values, **{str(n): hr.hash_bucket(n) for n in BUCKETS})
        for n in BUCKETS:
            equal(found[str(n)], tf.strings.to_hash_bucket_fast(values, n))


def test_hash_buckets_of_integers():
    values = list(numbers(100_000, 1))
    found = ids(values, **{str(n): hr.hash_bucket(n) for n in BUCKETS})
    text = tf.strings.as_string(tf.constant(values, tf.int64))
    for n in BUCKETS:
        equal(found[str(n)], tf.strings.to_hash_bucket_fast(text, n))


def lines_of(keys, ending):
    return ending.join(keys) + ending


def tables(path, key_dtype, size):
    whole = tf.lookup.TextFileInitializer(
        path, key_dtype, tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, vocab_size=size)
    # Its keys are of int64, or strings, as the values are.
    return (tf.lookup.StaticVocabularyTable(whole, num_oov_buckets=13),
            tf.lookup.StaticHashTable(whole, default_value=-7))


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("size", [None, 5000])
def test_vocabularies_of_strings(tmp_path, ending, size):
    keys = {value for value in strings(40_000, 77)
            if value and b"\n" not in value and not value.endswith(b"\r")}
    # Neither library takes compressed words, nor one that begins so.
    keys = sorted(key for key in keys if key[:1] not in b"\x1f\x28")
    random.Random(5).shuffle(keys)
    path = str(tmp_path / "words.txt")
    with open(path, "wb") as file:
        file.write(lines_of(keys, ending))
    rng = random.Random(6)
    fresh = strings(250_000, 78)
    values = [rng.choice(keys) if i % 2 else next(fresh) for i in range(250_000)]
    found = ids(values, oov=hr.vocabulary(path, oov_buckets=13, size=size),
                default=hr.vocabulary(path, default=-7, size=size))
    oov, default = tables(path, tf.string, size)
    equal(found["oov"], oov.lookup(tf.constant(values)))
    equal(found["default"], default.lookup(tf.constant(values)))
    assert 0.2 < np.mean(found["default"] == -7) < 0.95


def test_vocabularies_of_integers(tmp_path):
    keys = sorted(set(numbers(20_000, 8)))
    random.Random(9).shuffle(keys)
    path = str(tmp_path / "numbers.txt")
    with open(path, "wb") as file:
        file.write(lines_of([b"%d" % key for key in keys], b"\n"))
    rng = random.Random(10)
    fresh = list(numbers(100_000, 11))
    values = [rng.choice(keys) if i % 2 else fresh[i] for i in range(100_000)]
    found = ids(values, oov=hr.vocabulary(path, oov_buckets=13),
                default=hr.vocabulary(path, default=-7))
    oov, default = tables(path, tf.int64, None)
    values = tf.constant(values, tf.int64)
    equal(found["oov"], oov.lookup(values))
    equal(found["default"], default.lookup(values))
