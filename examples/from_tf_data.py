#!/usr/bin/env python3
"""The same batches from tf.data and from headrace, line by line.

    python examples/from_tf_data.py --records 2000

Writes files and reads them with headrace. If TensorFlow is installed, it also reads
them with tf.data and tf.io.parse_example; all batches must be equal, bit for bit.
Needs only headrace.
"""

import argparse
import importlib.util
import pathlib
import random
import tempfile
from collections.abc import Iterator
from typing import Any

import headrace as hr

BATCH_SIZE = 64


def spec_of(library: Any, int64: Any, float32: Any, string: Any) -> dict[str, Any]:
    """Returns the spec, made of the classes of tf.io or of headrace."""
    return {
        "age": library.FixedLenFeature([], int64, default_value=-1),
        "scores": library.FixedLenFeature([2], float32),
        "name": library.FixedLenFeature([], string, default_value=""),
        "visits": library.FixedLenSequenceFeature([], int64, allow_missing=True),
        "tags": library.VarLenFeature(string),
        "films": library.RaggedFeature(
            int64, row_splits_dtype=int64,
            partitions=[library.RaggedFeature.RowLengths("films_per_day")]),
    }


def read_by_tf_data(pattern: str) -> Iterator[dict[str, Any]]:
    """Reads with tf.data: the code that you replace."""
    import tensorflow as tf

    spec = spec_of(tf.io, tf.int64, tf.float32, tf.string)
    files = sorted(tf.io.gfile.glob(pattern))
    dataset = tf.data.TFRecordDataset(files, compression_type="GZIP")
    dataset = dataset.batch(BATCH_SIZE, drop_remainder=True)
    dataset = dataset.map(lambda serialized: tf.io.parse_example(serialized, spec))
    dataset = dataset.prefetch(tf.data.AUTOTUNE)
    for batch in dataset:
        yield {name: arrays_of_tf(tensor) for name, tensor in batch.items()}


def arrays_of_tf(tensor: Any) -> list[Any]:
    """Returns the numpy arrays of a Tensor, SparseTensor or RaggedTensor."""
    if hasattr(tensor, "nested_row_splits"):
        splits = [row_splits.numpy() for row_splits in tensor.nested_row_splits]
        return [tensor.flat_values.numpy(), *splits]
    if hasattr(tensor, "indices"):
        return [tensor.indices.numpy(), tensor.values.numpy(),
                tensor.dense_shape.numpy()]
    return [tensor.numpy()]


def read_by_headrace(pattern: str) -> Iterator[dict[str, Any]]:
    """Reads with headrace: the code that replaces it."""
    spec = spec_of(hr, hr.int64, hr.float32, hr.bytes_)
    # `hr.open` expands and sorts globs and detects the compression. One thread
    # per processor applies the spec and makes batches in advance.
    reader = hr.open(pattern, spec=spec, batch_size=BATCH_SIZE, drop_remainder=True)
    for batch in reader:
        yield {name: arrays_of_headrace(tensor) for name, tensor in batch.items()}


def arrays_of_headrace(tensor: Any) -> list[Any]:
    """Returns the numpy arrays of a Tensor, SparseTensor or RaggedTensor."""
    if isinstance(tensor, hr.RaggedTensor):
        splits = [row_splits.numpy() for row_splits in tensor.row_splits]
        return [tensor.values.numpy(), *splits]
    if isinstance(tensor, hr.SparseTensor):
        return [tensor.indices.numpy(), tensor.values.numpy(),
                tensor.dense_shape.numpy()]
    return [tensor.numpy()]


def write_files(folder: pathlib.Path, num_files: int, num_records: int) -> str:
    """Writes files of records; returns a glob of them."""
    rng = random.Random(1)
    for i in range(num_files):
        with hr.Writer(folder / f"train-{i:02}.tfrecord.gz") as writer:
            for _ in range(num_records):
                days = [rng.randint(0, 3) for _ in range(rng.randint(0, 3))]
                person = {
                    "age": rng.randint(18, 90),
                    "scores": [rng.random(), rng.random()],
                    "name": rng.choice(["Ada", "李雷", "Łucja"]),
                    "visits": [rng.randint(1, 365) for _ in range(rng.randint(1, 4))],
                    "tags": rng.sample(["new", "beta", "gold"], rng.randint(1, 3)),
                    "films_per_day": days or None,
                    "films": [rng.getrandbits(40) for _ in range(sum(days))] or None,
                }
                for optional in ("age", "name", "visits", "tags"):
                    if rng.random() < 0.2:
                        del person[optional]
                writer.write(person)
    return str(folder / "train-*.tfrecord.gz")


def assert_equal(ours: dict[str, list[Any]], theirs: dict[str, list[Any]]) -> None:
    """Asserts that two batches have the same names, types, shapes and values."""
    assert ours.keys() == theirs.keys()
    for name in ours:
        for a, b in zip(ours[name], theirs[name], strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape), name
            assert a.tolist() == b.tolist(), name


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--records", type=int, default=500, help="of each file")
    parser.add_argument("--files", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pattern = write_files(pathlib.Path(folder), options.files, options.records)
        ours = list(read_by_headrace(pattern))
        print(f"headrace: {len(ours)} batches of {', '.join(ours[0])}")
        if importlib.util.find_spec("tensorflow") is None:
            print("TensorFlow is not installed; nothing to compare with")
            return
        theirs = list(read_by_tf_data(pattern))
        assert len(ours) == len(theirs), (len(ours), len(theirs))
        for a, b in zip(ours, theirs, strict=True):
            assert_equal(a, b)
        print(f"tf.data: {len(theirs)} batches, all equal")


if __name__ == "__main__":
    main()
