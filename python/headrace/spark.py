"""Reads and writes TFRecord files as a Spark data source.

    import headrace as hr

    hr.spark.register(spark)
    frame = spark.read.format("headrace").load("train-*.tfrecord.gz")
    frame.write.format("headrace").mode("append").save("copies")

Needs pyspark 4 and pyarrow, and headrace on every executor. docs/guides/spark.md lists
the options.
"""

from headrace.adapters.spark.source import *  # noqa: F403
