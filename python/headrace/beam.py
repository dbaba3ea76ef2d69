"""Reads TFRecord files as a PCollection of Arrow record batches.

    import headrace as hr

    with beam.Pipeline() as pipeline:
        (pipeline
         | hr.beam.ReadFromTFRecord("gs://bucket/train-*", columns=["age"])
         | beam.Map(lambda batch: batch.num_rows))

Needs apache-beam and pyarrow.
"""

from headrace.adapters.beam import *  # noqa: F403
