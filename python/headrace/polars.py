"""Reads TFRecord files as a Polars LazyFrame.

    import headrace as hr

    frame = hr.polars.scan_tfrecord("train-*.tfrecord.gz")
    frame.filter(pl.col("age").list.first() > 30).select("name").collect()

Needs polars. Only the columns that a query needs are decoded, unless bad rows are
skipped.
"""

from headrace.adapters.polars import *  # noqa: F403
