"""Reads files for Spark, one partition per task."""

from __future__ import annotations

import dataclasses
import logging
import os
from collections.abc import Iterator
from typing import Any

import pyarrow
from pyspark.sql import datasource
from pyspark.sql.types import StructType

from headrace import _core
from headrace.adapters.spark.folder import located
from headrace.adapters.spark.options import READING, parsed, paths
from headrace.adapters.spark.types import (
    arrow_schema,
    check_given,
    conform,
    feature_lists,
    features_of,
    spark_schema,
)
from headrace.errors import InvalidArgumentError, IoError, carrying
from headrace.options import only
from headrace.reading import reader
from headrace.reading.parts import split
from headrace.reading.scan import Scan, log_skipped
from headrace.remote import files

_logger = logging.getLogger(__name__)

# Bytes per task, and the cost of opening a file in bytes; as in Spark's own sources.
_TASK_BYTES = 128 << 20
_FILE_COST = 4 << 20


class Input:
    """The input of a query, found once by the driver."""

    def __init__(self, options: Any) -> None:
        arguments = parsed(options, READING)
        self.splits = arguments.pop("splits", None)
        if self.splits == 0:
            raise InvalidArgumentError("splits must be at least 1, got 0")
        # The arguments of every reader, in addition to the arguments of the scan.
        self._more: dict[str, Any] = {
            "threads": arguments.pop("threads", 1),
            "batch_size": arguments.pop("batch_size", "auto"),
        }
        if arguments.get("bytes_as", "binary") not in ("binary", "string"):
            raise InvalidArgumentError(
                'bytes_as must be "binary" or "string", which Spark has, got '
                f"{arguments['bytes_as']!r}"
            )
        self._verifies = arguments.get("verify_unselected", False)
        self._selects = "columns" in arguments
        self._finds = "spec" not in arguments and "schema" not in arguments
        self.storage = only("split", arguments)
        found_paths = paths(options)
        self.forget_listings(found_paths)
        self.scan = Scan(found_paths, **arguments)
        self.scan.for_workers()
        with self.scan.open(self.scan.files, threads=1) as found:
            _check_dtypes(found.plan)
            self.schema = spark_schema(pyarrow.schema(found))
            empty = found.plan.decode([])
            self._message = found.message
        self._context, self._lists = list(empty.context), list(empty.sequence)

    def select(self, given: StructType) -> None:
        """Limits the read to the columns of this schema."""
        if self._selects:
            raise InvalidArgumentError(
                "a given schema says which columns are read; leave out the option "
                "columns"
            )
        check_given(given, self.schema)
        if self._message not in ("example", "sequence"):
            return
        # Readers of selected columns have another default.
        self._more["verify_unselected"] = self._verifies
        if self._finds:
            # A column that the sample does not show may appear later.
            self._more["schema"] = features_of(given)
            return
        names = [name for name in given.names if name in self._context]
        names += [name for name in feature_lists(given) if name in self._lists]
        # If no column is selected, one is decoded, so that bad rows are found.
        self._more["columns"] = names or [*self._context, *self._lists][:1] or None

    def forget_listings(self, names: list[str]) -> None:
        for name in filter(files.is_url, names):
            located(name, self.storage.get("storage_options"))

    def open(self, name: str, byte_range: tuple[int, int] | None) -> reader.Reader:
        return self.scan.open([name], byte_range=byte_range, **self._more)


def _check_dtypes(plan: _core.Plan) -> None:
    """Raises InvalidArgumentError for bfloat16, which in Arrow is only uint16 bits."""
    for (name, _, arguments), _ in plan._tensors(len(plan.names)):
        if arguments.get("as_") == "bfloat16":
            raise InvalidArgumentError(
                f'"{name}": Spark has no bfloat16; read the feature as float32',
                feature=name,
            )


@dataclasses.dataclass(frozen=True)
class _Part:
    """A file, or the records that begin in a range of it, and the state that the file
    had when the read was planned."""

    file: str
    byte_range: tuple[int, int] | None
    state: tuple[int, ...] | None  # None: not known

    def bytes(self) -> int:
        if self.byte_range is not None:
            return self.byte_range[1] - self.byte_range[0]
        return self.state[0] if self.state else _TASK_BYTES


class Reader(datasource.DataSourceReader):
    """Reads the partitions of one query."""

    def __init__(self, source: Input, schema: StructType) -> None:
        self._input = source
        self._schema = arrow_schema(schema)

    def partitions(self) -> list[datasource.InputPartition]:
        """Returns partitions of about equal size: consecutive files, or ranges of large
        ones."""
        source = self._input
        names = source.scan.files
        states = self._states(names)
        known = [state[0] for state in states.values() if state]
        if source.splits is not None:
            count = source.splits
        elif len(known) < len(states):
            count = len(names)
        else:
            cost = sum(known) + _FILE_COST * len(names)
            count = max(1, round(cost / _TASK_BYTES))
        parts = [
            _Part(name, None if end is None else (begin, end), states[name])
            for name, begin, end in self._cut(names, count)
        ]
        return [datasource.InputPartition(group) for group in _groups(parts, count)]

    def _cut(self, names: list[str], count: int) -> list[tuple[str, int, int | None]]:
        if self._input.scan.may_lose_framing:
            # Damage at the place where two ranges meet would be an error.
            return [(name, 0, None) for name in names]
        return split(names, count, **self._input.storage)

    def _states(self, names: list[str]) -> dict[str, tuple[int, ...] | None]:
        opener = self._opener(names)
        if opener is not None and len(names) > files.MOST_REMOTE_SIZES:
            return dict.fromkeys(names)
        return {name: _state(name, opener) for name in names}

    def _opener(self, names: list[str]) -> files.Opener | None:
        self._input.forget_listings(names)
        return files.opener_of(names, self._input.storage)

    def read(
        self, partition: datasource.InputPartition
    ) -> Iterator[pyarrow.RecordBatch]:
        """Yields the rows of a partition, which depend only on its files."""
        for part in partition.value or ():
            self._check_unchanged(part)
            with self._input.open(part.file, part.byte_range) as batches:
                for batch in batches:
                    yield conform(pyarrow.record_batch(batch), self._schema)
                report = batches.report
            self._check_unchanged(part)
            log_skipped(_logger, part.file, report)

    def _check_unchanged(self, part: _Part) -> None:
        if part.state is None:
            return
        if _state(part.file, self._opener([part.file])) != part.state:
            raise IoError(
                "the file has changed since the read was planned; load it again",
                file=part.file,
            )


def _state(name: str, opener: files.Opener | None) -> tuple[int, ...] | None:
    """Returns the size of a file and, if known, when it was changed."""
    if opener is None:
        with carrying(name, OSError):
            found = os.stat(name)
        return found.st_size, found.st_mtime_ns
    size = files.remote_size(opener, name)
    return None if size is None else (size,)


def _groups(parts: list[_Part], count: int) -> list[tuple[_Part, ...]]:
    """Returns at most `count` runs of parts, of about equal size."""
    total = sum(part.bytes() for part in parts) or 1
    groups: dict[int, list[_Part]] = {}
    before = 0
    for part in parts:
        middle = before + part.bytes() // 2
        number = min(count - 1, middle * count // total)
        groups.setdefault(number, []).append(part)
        before += part.bytes()
    return [tuple(group) for group in groups.values()]
