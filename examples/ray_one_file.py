"""Reads one large TFRecord file in several Ray tasks; no task reads all of it.

    python ray_one_file.py [FILE]

Without an argument it makes a file of 80 MB in a temporary folder. FILE must be
uncompressed; it needs no index.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable

import headrace as hr
import numpy
import pyarrow
import ray


def generate(folder: str) -> str:
    path = os.path.join(folder, "scans.tfrecord")
    random = numpy.random.default_rng(1)
    with hr.Writer(path) as writer:
        for i in range(20000):
            writer.write({"id": i, "scan": random.bytes(4000)})
    return path


def digest(payloads: Iterable[bytes]) -> int:
    """Returns a sum over the records, so their order does not matter."""
    total = 0
    for payload in payloads:
        total += int.from_bytes(hashlib.sha256(payload).digest()[:8], "little")
    return total % 2**64


def summarize(table: pyarrow.Table) -> pyarrow.Table:
    """Returns the number and digest of the records of a block, and its task."""
    payloads = table["payload"].to_pylist()
    return pyarrow.table(
        {
            "task": [ray.get_runtime_context().get_task_id()],
            "records": [len(payloads)],
            "digest": pyarrow.array([digest(payloads)], pyarrow.uint64()),
        }
    )


def main(path: str) -> None:
    # Reads serialized messages, so that all bytes count. A job that needs columns
    # passes a spec instead, and the tasks decode.
    records = hr.ray.read_tfrecords(path, message="raw", override_num_blocks=4)
    # Ray runs this in the tasks that read.
    parts = records.map_batches(summarize, batch_format="pyarrow", batch_size=None)
    found: dict[str, int] = {}
    total = 0
    for row in parts.take_all():
        found[row["task"]] = found.get(row["task"], 0) + row["records"]
        total += row["digest"]
    print(f"{len(found)} tasks read {' + '.join(map(str, found.values()))} records")

    with hr.open(path, message="raw") as reader:
        alone = digest(payload for batch in reader for payload in batch.payloads())
    assert total % 2**64 == alone, "the tasks and one reader read different records"
    print(f"digest {alone:016x}, as of one reader")


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    if len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(generate(folder))
