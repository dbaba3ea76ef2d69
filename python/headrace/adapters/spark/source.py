"""The data source of `headrace.spark`, which Spark calls by the name "headrace"."""

from __future__ import annotations

from typing import Any

from pyspark.sql import datasource
from pyspark.sql.types import StructType

from headrace.adapters.spark.options import WRITING, parsed, paths
from headrace.adapters.spark.reader import Input, Reader
from headrace.adapters.spark.writer import Writer
from headrace.errors import InvalidArgumentError

__all__ = ["DataSource", "register"]


def register(session: Any) -> None:
    """Registers the format "headrace" with a Spark session, to read and to write."""
    session.dataSource.register(DataSource)


class DataSource(datasource.DataSource):
    """The data source of `spark.read.format("headrace")`; `register` adds it to a
    session."""

    _input: Input | None = None

    @classmethod
    def name(cls) -> str:
        return "headrace"

    def schema(self) -> StructType:
        # The input is pickled to the process that makes the reader, so files are
        # sampled once.
        self._input = Input(self.options)
        # Spark looks up columns in the schema before anything is read.
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
