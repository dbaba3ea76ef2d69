"""Converts TFRecord files to Parquet with Ray: reads in parallel, checks, writes.

    python ray_to_parquet.py [IN_PATTERN OUT_FOLDER]

Without arguments it makes four files in a temporary folder.
"""

import os
import sys
import tempfile

import headrace as hr
import pyarrow.parquet
import ray

SPEC = {
    "id": hr.FixedLenFeature([], hr.int64),
    "fare": hr.FixedLenFeature([], hr.float32, 0.0),
    "company": hr.FixedLenFeature([], hr.bytes_, b""),
    "stops": hr.RaggedFeature(hr.int64),
}


def generate(folder: str) -> str:
    """Writes four files of 1000 trips each; returns a glob of them."""
    for number in range(4):
        path = os.path.join(folder, f"trips-{number:05}-of-00004.tfrecord.gz")
        with hr.Writer(path) as writer:
            for i in range(number * 1000, (number + 1) * 1000):
                trip = {"id": i, "fare": i * 0.25, "stops": list(range(i % 5))}
                if i % 3:
                    trip["company"] = f"company {i % 3}"
                writer.write(trip)
    return os.path.join(folder, "trips-*.tfrecord.gz")


def convert(pattern: str, out: str) -> None:
    # Bytes become strings; they must be UTF-8.
    trips = hr.ray.read_tfrecords(pattern, spec=SPEC, bytes_as="string")
    print(trips.schema())
    try:
        trips.write_parquet(out)
    except hr.DataError as error:
        sys.exit(f"bad data in {error.file}, record {error.record}: {error.message}")
    table = pyarrow.parquet.read_table(out)
    print(f"{table.num_rows} rows in {out}, fares {sum(table['fare'].to_pylist())}")


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    if len(sys.argv) == 3:
        convert(sys.argv[1], sys.argv[2])
        return
    with tempfile.TemporaryDirectory() as folder:
        convert(generate(folder), os.path.join(folder, "parquet"))


if __name__ == "__main__":
    main()
