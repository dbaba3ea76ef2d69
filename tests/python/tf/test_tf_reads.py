"""TensorFlow reads the files that headrace writes."""

import os

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow", reason="reads with TensorFlow")

import headrace as hr  # noqa: E402
import records  # noqa: E402

PAYLOADS = [records.person(row) for row in records.people(3000)]


@pytest.mark.parametrize("compression, type_name", [
    ("none", ""), ("gzip", "GZIP"), ("zlib", "ZLIB")])
@pytest.mark.parametrize("count", [0, 1, 3000])
def test_records(tmp_path, compression, type_name, count):
    path = str(tmp_path / "x")
    # gzip gets hundreds of members.
    with hr.Writer(path, compression=compression, block_bytes=4096) as writer:
        for payload in PAYLOADS[:count]:
            writer.write(payload)
    for buffer in (None, 1000, 1 << 20):
        read = tf.data.TFRecordDataset(path, type_name, buffer_size=buffer)
        assert list(read.as_numpy_iterator()) == PAYLOADS[:count]


@pytest.mark.parametrize("level", [1, 3, 4, 6, 9])
def test_levels_of_gzip(tmp_path, level):
    path = str(tmp_path / "x.gz")
    with hr.Writer(path, level=level, block_bytes=10_000) as writer:
        for payload in PAYLOADS:
            writer.write(payload)
    read = tf.data.TFRecordDataset(path, "GZIP")
    assert list(read.as_numpy_iterator()) == PAYLOADS
