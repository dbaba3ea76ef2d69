"""Writes Spark data frames as TFRecord files, one per task."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow
from pyspark import TaskContext
from pyspark.sql import datasource
from pyspark.sql.types import StructType

from headrace import _core
from headrace.adapters.spark.folder import folder_of
from headrace.adapters.spark.types import arrow_schema
from headrace.errors import (
    HeadraceError,
    InvalidArgumentError,
    IoError,
    NotFoundError,
)
from headrace.reading.scan import SEQUENCE
from headrace.writing import writer

_MESSAGES = ("auto", "example", "sequence", "raw")
_ENDINGS = {"none": "", "gzip": ".gz", "zlib": ".zz", "snappy": ".snappy",
            "zstd": ".zst"}


@dataclasses.dataclass
class Written(datasource.WriterCommitMessage):
    """The complete file of a task."""

    file: str  # its temporary name
    partition: int


class Writer(datasource.DataSourceArrowWriter):
    """Writes one job.

    Each attempt of a task writes a file in a folder of the job, which the driver makes.
    A commit moves the file of one attempt of each task to its place. It then removes
    the files to overwrite, and the folder with the files of other attempts. An attempt
    that starts after the job has ended finds no folder, and fails.
    """

    def __init__(
        self,
        schema: StructType,
        folder: str,
        overwrite: bool,
        options: dict[str, Any],
    ) -> None:
        self._message = options.pop("message", "auto")
        self._cast = options.pop("cast", False)
        compression = options.setdefault("compression", "none")
        if compression not in _ENDINGS:
            raise InvalidArgumentError(
                f"compression must be one of {', '.join(_ENDINGS)}, got "
                f"{compression!r}"
            )
        self._options = options
        self._schema = arrow_schema(schema)
        self._check_columns()
        self._overwrite = overwrite
        self._job = uuid.uuid4().hex
        storage_options = options.pop("storage_options", None)
        self._folder = folder_of(folder, self._job, storage_options)
        # Wrong options raise an error before anything is created.
        self._folder.make()

    def _check_columns(self) -> None:
        if self._message not in _MESSAGES:
            raise InvalidArgumentError(
                f"message must be one of {', '.join(_MESSAGES)}, got "
                f"{self._message!r}"
            )
        if self._message == "raw":
            types = list(self._schema.types)
            if types != [pyarrow.binary()]:
                raise InvalidArgumentError(
                    "raw messages are one column of binary, got "
                    + (", ".join(map(str, types)) or "no column")
                )
            return
        if not self._schema.names:
            raise InvalidArgumentError(
                "a frame without columns cannot be written: Spark does not tell "
                "executors how many rows it has"
            )
        if self._message == "example" and SEQUENCE in self._schema.names:
            raise InvalidArgumentError(f'an Example has no feature lists: "{SEQUENCE}"',
                                       feature=SEQUENCE)
        # The encoder raises an error for columns that an Example cannot hold.
        _core.encode(self._columns(_empty(self._schema)), self._cast)

    def write(self, iterator: Iterator[pyarrow.RecordBatch]) -> Written:
        """Writes the file of one attempt of a task."""
        task = TaskContext.get()
        assert task is not None
        folder = self._folder
        if not folder.is_open():
            raise NotFoundError(
                "the folder that the driver made is not here: the job has ended, or "
                "executors do not share the folder that is written to",
                file=folder.temporary,
            )
        path = f"{folder.temporary}/{task.partitionId()}-{task.taskAttemptId()}"
        storage_options = folder.storage_options
        with writer.Writer(
            path, storage_options=storage_options, **self._options
        ) as out:
            for batch in iterator:
                if self._message != "raw":
                    out.write_batch(self._columns(batch), cast=self._cast)
                    continue
                for payload in batch.column(0).to_pylist():
                    if payload is None:
                        raise InvalidArgumentError(
                            "a message of raw bytes is null")
                    out.write(payload)
        return Written(path, task.partitionId())

    def _columns(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """Returns the batch for the encoder, with feature lists in a struct."""
        names = batch.schema.names
        if self._message != "sequence" or SEQUENCE in names:
            return batch
        is_list = [_is_list_of_lists(type) for type in batch.schema.types]
        lists = [i for i, found in enumerate(is_list) if found]
        struct = pyarrow.array([{}] * batch.num_rows, pyarrow.struct([]))
        if lists:
            struct = pyarrow.StructArray.from_arrays(
                [batch.column(i) for i in lists], names=[names[i] for i in lists]
            )
        context = [i for i, found in enumerate(is_list) if not found]
        return pyarrow.record_batch(
            [*(batch.column(i) for i in context), struct],
            names=[*(names[i] for i in context), SEQUENCE],
        )

    def commit(self, messages: list[Any]) -> None:
        """Moves the files to their final names."""
        folder = self._folder
        old = folder.old_names() if self._overwrite else []
        ending = ".tfrecord" + _ENDINGS[self._options["compression"]]
        names = [f"part-{item.partition:05}-{self._job}{ending}" for item in messages]
        try:
            self._for_each(folder.move, [item.file for item in messages], names)
        except HeadraceError:
            for name in names:
                with contextlib.suppress(HeadraceError):
                    folder.remove(name)
            raise
        try:
            self._for_each(folder.remove, old)
        except HeadraceError as error:
            raise IoError(
                "the new files are complete, but this old one cannot be removed: "
                f"{error.message}",
                file=error.file,
            ) from error
        folder.clear()

    def _for_each(self, call: Callable[..., None], *items: Sequence[str]) -> None:
        with concurrent.futures.ThreadPoolExecutor(self._folder.at_once) as pool:
            list(pool.map(call, *items))

    def abort(self, messages: list[Any]) -> None:
        """Restores the folder to what it was before the job."""
        self._folder.abort()


def _empty(schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    arrays = [pyarrow.array([], field.type) for field in schema]
    return pyarrow.record_batch(arrays, schema=schema)


def _is_list_of_lists(type: pyarrow.DataType) -> bool:
    is_list = pyarrow.types.is_list
    return bool(is_list(type) and is_list(type.value_type))
