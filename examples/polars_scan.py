"""A lazy query over TFRecord files with Polars, which decodes only what it needs.

    python polars_scan.py
"""

import os
import tempfile

import headrace as hr
import polars as pl


def generate(folder: str) -> str:
    for number in range(2):
        with hr.Writer(os.path.join(folder, f"clicks-{number}.tfrecord")) as writer:
            for i in range(1000):
                writer.write({"user": i % 7, "seconds": i / 10, "page": f"/{i % 3}"})
    return os.path.join(folder, "clicks-*.tfrecord")


def main() -> None:
    spec = {
        "user": hr.FixedLenFeature([], hr.int64),
        "seconds": hr.FixedLenFeature([], hr.float32),
        "page": hr.FixedLenFeature([], hr.bytes_),
    }
    with tempfile.TemporaryDirectory() as folder:
        clicks = hr.polars.scan_tfrecord(generate(folder), spec=spec, bytes_as="string")
        query = (
            clicks.filter(pl.col("seconds") > 50)
            .group_by("page")
            .agg(pl.len().alias("clicks"), pl.col("seconds").mean())
            .sort("page")
        )
        print(query.collect())


if __name__ == "__main__":
    main()
