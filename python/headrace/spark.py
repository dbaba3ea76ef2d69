"""TFRecord files as a data source of Spark.

    import headrace as hr

    hr.spark.register(spark)
    frame = spark.read.format("headrace").load("train-*.tfrecord.gz")
    frame.write.format("headrace").mode("append").save("copies")

Needs pyspark 4 and pyarrow, and headrace on every executor. docs/guides/spark.md has
the options.
"""

from headrace.adapters.spark.source import *  # noqa: F403
