"""TFRecord files as a data source of Spark.

    import headrace as hr

    hr.spark.register(spark)
    frame = spark.read.format("headrace").load("train-*.tfrecord.gz")
    frame.write.format("headrace").mode("append").save("copies")

Needs pyspark 4 and pyarrow, and headrace on every executor. docs/guides/spark.md has
the options.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import datasource
from pyspark.sql.types import StructType

from headrace.errors import InvalidArgumentError
from headrace.spark_options import WRITING, parsed, paths
from headrace.spark_reader import Input, Reader
from headrace.spark_writer import Writer


def register(session: Any) -> None:
    """Lets a session of Spark read and write the format "headrace"."""
    session.dataSource.register(DataSource)


class DataSource(datasource.DataSource):
    """The data source of `spark.read.format("headrace")`; `register` gives it to a
    session."""

    _input: Input | None = None

    @classmethod
    def name(cls) -> str:
        return "headrace"

    def schema(self) -> StructType:
        # It goes to the process that makes the reader, so files are sampled once.
        self._input = Input(self.options)
        # Spark looks for columns in the schema, before anything is read.
        self._input.scan.check_sample()
        return self._input.schema

    def reader(self, schema: StructType) -> Reader:
        if self._input is not None:
            return Reader(self._input, schema)
        found = Input(self.options)
        found.select(schema)
        return Reader(found, schema)

    def writer(self, schema: StructType, overwrite: bool) -> Writer:
        (folder, *more) = paths(self.options)
        if more:
            raise InvalidArgumentError("save takes one path")
        return Writer(schema, folder, overwrite, parsed(self.options, WRITING))
