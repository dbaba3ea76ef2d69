"""A local session of Spark, and data sources whose tasks fail: executors import it."""

import os
import pathlib
import sys

import headrace as hr
import pyarrow as pa
import pytest
import xxhash
from headrace import spark as adapter
from headrace.adapters.spark import reader as spark_reader, writer as spark_writer
from pyspark import TaskContext
from pyspark.sql import SparkSession


def start(master="local[2,4]"):
    """A session whose tasks may be tried four times."""
    here = str(pathlib.Path(__file__).parent)
    package = str(pathlib.Path(hr.__file__).parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join([package, here])
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    hr.spark.register(session)
    return session


@pytest.fixture(scope="module")
def spark():
    session = start()
    yield session
    session.stop()


def load(session, paths, **options):
    return session.read.format("headrace").options(**options).load(paths)


def save(frame, folder, mode="append", **options):
    frame.write.format("headrace").mode(mode).options(**options).save(str(folder))


def digest(rows):
    """How many rows there are, and the sum of their hashes, in any order."""
    rows = [xxhash.xxh3_64_intdigest(repr(row).encode()) for row in rows]
    return len(rows), sum(rows)


def digest_of(frame):
    return digest(frame.toArrow().to_pylist())


def digest_of_reader(*arguments, **options):
    """Without features of which no record has a value: Spark has no such columns."""
    table = pa.table(hr.open(*arguments, **options))
    typed = [field.name for field in table.schema if not pa.types.is_null(field.type)]
    return digest(table.select(typed).to_pylist())


def hash_payloads(batches):
    """For mapInArrow: the number of payloads of each batch, and their hashes."""
    for batch in batches:
        payloads = batch.column(0).to_pylist()
        total = sum(map(xxhash.xxh3_64_intdigest, payloads)) % 2**61
        yield pa.record_batch({"part": [TaskContext.get().partitionId()],
                               "count": [len(payloads)], "total": [total]})


def _is_first_attempt():
    return TaskContext.get().attemptNumber() == 0


class FailingReader(spark_reader.Reader):
    def read(self, partition):
        for number, batch in enumerate(super().read(partition)):
            if number == 1 and _is_first_attempt():
                raise RuntimeError("planted")
            yield batch


class FailingWriter(spark_writer.Writer):
    """Each task fails in its first attempt; those of a job whose folder is named
    "never" in all of them."""

    def write(self, iterator):
        def until_it_fails():
            yield next(iterator)
            if _is_first_attempt() or self._folder.path.endswith("never"):
                raise RuntimeError("planted")
            yield from iterator

        return super().write(until_it_fails())


class LeavingWriter(spark_writer.Writer):
    """The first attempt of each task completes its file, and is lost all the same."""

    def write(self, iterator):
        written = super().write(iterator)
        if _is_first_attempt():
            raise RuntimeError("planted")
        return written


class FailingSource(adapter.DataSource):
    """Its tasks fail after the first batch, when they are first tried."""

    @classmethod
    def name(cls):
        return "failing"

    def reader(self, schema):
        reader = super().reader(schema)
        reader.__class__ = FailingReader
        return reader

    def writer(self, schema, overwrite):
        writer = super().writer(schema, overwrite)
        writer.__class__ = FailingWriter
        return writer


class LeavingSource(adapter.DataSource):
    @classmethod
    def name(cls):
        return "leaving"

    def writer(self, schema, overwrite):
        writer = super().writer(schema, overwrite)
        writer.__class__ = LeavingWriter
        return writer
