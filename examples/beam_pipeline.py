"""Statistics over TFRecord files with Apache Beam, batch by batch.

    python beam_pipeline.py [PATTERN] [Beam's own options, such as --runner]

Without a pattern it makes three files in a temporary folder. PATTERN may name any
file system that Beam knows. The files need a feature "fare".
"""

import os
import sys
import tempfile
from collections.abc import Iterable

import apache_beam as beam
import headrace as hr
import numpy
import pyarrow


def generate(folder: str) -> str:
    """Writes three files of 1000 trips each; returns a glob of them."""
    for number in range(3):
        path = os.path.join(folder, f"trips-{number}.tfrecord")
        with hr.Writer(path) as writer:
            for i in range(number * 1000, (number + 1) * 1000):
                fares = [i * 0.5] if i % 10 else None
                writer.write({"id": i, "fare": fares})
    return os.path.join(folder, "trips-*.tfrecord")


def summarize(batch: pyarrow.RecordBatch) -> tuple[int, int, float]:
    """Returns rows, rows without a fare, and the sum of the fares of a batch."""
    fares = batch["fare"]
    total = float(numpy.sum(fares.flatten().to_numpy(zero_copy_only=False)))
    return batch.num_rows, fares.null_count, total


def merge(summaries: Iterable[tuple[int, int, float]]) -> tuple[int, int, float]:
    rows, missing, total = 0, 0, 0.0
    for summary in summaries:
        rows += summary[0]
        missing += summary[1]
        total += summary[2]
    return rows, missing, total


def run(pattern: str, options: list[str]) -> None:
    # Only this feature is decoded.
    schema = hr.Schema.from_text('feature { name: "fare" type: FLOAT }')
    pipeline = beam.Pipeline(argv=options)
    (
        pipeline
        | "Read" >> hr.beam.ReadFromTFRecord(pattern, schema=schema)
        | "Summarize" >> beam.Map(summarize)
        | "Merge" >> beam.CombineGlobally(merge)
        | "Print" >> beam.Map(
            lambda found: print(
                f"{found[0]} rows, {found[1]} without a fare, sum {found[2]}"
            )
        )
    )
    result = pipeline.run()
    result.wait_until_finish()
    for counter in result.metrics().query()["counters"]:
        if counter.key.metric.namespace == "headrace":
            print(f"{counter.key.metric.name}: {counter.committed}")


def main() -> None:
    options = sys.argv[1:]
    if options and not options[0].startswith("-"):
        run(options[0], options[1:])
        return
    with tempfile.TemporaryDirectory() as folder:
        run(generate(folder), options)


if __name__ == "__main__":
    main()
