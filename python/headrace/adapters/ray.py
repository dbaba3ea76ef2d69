"""`headrace.ray`: a Ray Data source, and statistics counted by Ray tasks."""

from __future__ import annotations

import dataclasses
import inspect
import logging
import os
from collections.abc import Iterator
from typing import Any, Unpack

import pyarrow
import ray
import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from headrace import _core
from headrace.description import schema_of
from headrace.errors import InvalidArgumentError
from headrace.file_ranges import FileRanges
from headrace.named import no_such_option
from headrace.options import PartOptions, for_workers, only, taken_by
from headrace.reading.opening import open
from headrace.reading.parts import split
from headrace.reading.scan import Scan, check_can_travel, log_skipped
from headrace.remote import files
from headrace.stats import Stats, counting_options, merged
from headrace.stats import stats as count_stats

__all__ = ["TFRecordDatasource", "read_tfrecords", "stats"]

_logger = logging.getLogger(__name__)

# Size in bytes of the smallest part of a file: the reader of each part reads at three
# places of the file.
_MIN_PART_BYTES = 16 << 20
_BLOCK_BYTES = 128 << 20
# Estimated bytes in memory per byte of a compressed file.
_INFLATION = 4
_PATH = "path"


def read_tfrecords(
    paths: Any,
    *,
    include_paths: bool = False,
    concurrency: int | None = None,
    override_num_blocks: int | None = None,
    ray_remote_args: dict[str, Any] | None = None,
    **options: Unpack[PartOptions],
) -> ray.data.Dataset:
    """Reads TFRecord files of tf.train.Example or SequenceExample.

        >>> dataset = headrace.ray.read_tfrecords(
        ...     "train-*.tfrecord", spec={"age": hr.FixedLenFeature([], hr.int64)})
        >>> dataset.mean("age")

    Blocks are Arrow tables, laid out as docs/formats/arrow.md says. Without
    `spec` and `schema` the columns are found once, in this call, from the first
    records; a feature of which these show no value has no column.

    Args:
        paths: a path, a glob, a shard set `name@16`, a URL that fsspec knows, or
            a list of these; every node must be able to read them.
        include_paths: add a column "path": the file that the row is from.
        concurrency: tasks that read at the same time.
        override_num_blocks: number of blocks, instead of Ray's choice. If it is the
            number of files, no file is cut; the error `SplitSeamError` asks for this
            if a record holds a TFRecord file.
        ray_remote_args: arguments for the tasks. With `num_cpus` of 2 or more a task
            decodes with that many threads.
        options: the options of `headrace.open` that mean the same for a part as for
            the whole, the `PartOptions` of headrace.options. Features that `columns`
            leaves out are not decoded. Skipped rows and regions are logged by the task
            that reads them.

    Raises:
        The same exceptions as `headrace.open`. While the dataset is read, Ray raises a
        RayTaskError that is also the DataError of the task, with its fields.
    """
    source = TFRecordDatasource(
        paths,
        include_paths=include_paths,
        threads=int((ray_remote_args or {}).get("num_cpus") or 1),
        **options,
    )
    arguments = dict(ray_remote_args or {})
    # Newer versions of Ray have an argument for each, and warn about the dict.
    known = inspect.signature(ray.data.read_datasource).parameters
    if not set(arguments) <= set(known):
        arguments = {"ray_remote_args": arguments}
    return ray.data.read_datasource(
        source,
        concurrency=concurrency,
        override_num_blocks=override_num_blocks,
        **arguments,
    )


def stats(
    paths: Any,
    *,
    parts: int | None = None,
    ray_remote_args: dict[str, Any] | None = None,
    **options: Any,
) -> Stats:
    """Counts the statistics of a dataset in Ray tasks, as `headrace.stats` does.

        >>> headrace.ray.stats("train-*.tfrecord.gz").save_html("train.html")

    Each task counts some files, or a part of a large file, and this process merges the
    results. The numbers of records are not known in a part of a file.

    Args:
        paths: as in `read_tfrecords`.
        parts: number of tasks; by default two per processor.
        ray_remote_args: arguments for the tasks. With `num_cpus` of 2 or more a task
            counts with that many threads.
        options: options of `headrace.stats`, except `threads` and `sample`.

    Raises:
        The same exceptions as `headrace.stats`; while files are read, a RayTaskError
        that is also the DataError of the task, with its fields.
    """
    arguments = dict(ray_remote_args or {})
    known = {*_COUNTED, *taken_by("stats")} - {"threads"}
    for name in options:
        if name not in known:
            names = sorted({*known, "ray_remote_args"})
            raise no_such_option("headrace.ray.stats", name, names)
    counting_options(**{k: v for k, v in options.items() if k in _COUNTED})
    options = for_workers(options)
    options["threads"] = max(1, int(arguments.get("num_cpus") or 1))
    if options.get("schema") is not None:
        options["schema"] = schema_of(options["schema"])
    if options.get("message", "auto") == "auto":
        # All parts are read as the message that the first records show.
        with open(paths, threads=1, sample=100, **only("split", options)) as reader:
            options["message"] = reader.message
    count = parts or 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    task = _count.options(**arguments) if arguments else _count
    # Tasks share the options, which are sent once.
    shared = ray.put(options)
    waiting = [task.remote(part, shared) for part in _shares(paths, count, options)]

    def results() -> Iterator[Stats]:
        left = waiting
        while left:
            done, left = ray.wait(left)
            yield from ray.get(done)

    return merged(results())


_COUNTED = ("features", "by", "schema", "message", "pictures")


@ray.remote
def _count(
    parts: list[tuple[Any, tuple[int, int] | None]], options: dict[str, Any]
) -> Stats:
    return merged(
        count_stats(paths, byte_range=byte_range, **options)
        for paths, byte_range in parts
    )


def _shares(
    paths: Any, count: int, options: dict[str, Any]
) -> list[list[tuple[Any, tuple[int, int] | None]]]:
    """Returns the parts of the files in at most `count` lists. A part is paths and
    None, or one file and a range of its bytes."""
    given = only("split", options)
    if isinstance(paths, FileRanges):
        cut = _for_workers(paths, given).cut(count)
        return [[(part, None)] for part in cut]
    # Damage at the place where two parts meet would be an error.
    whole = _core.may_lose_framing(options.get("on_corrupt"))
    parts = split(paths, 1 if whole else count, **given)
    if whole:
        parts = [(path, 0, None) for path in dict.fromkeys(path for path, *_ in parts)]
    if files.opener_of([path for path, *_ in parts], given) is None:
        parts = [(os.path.abspath(path), begin, end) for path, begin, end in parts]
    found = [
        (path, None if end is None else (begin, end)) for path, begin, end in parts
    ]
    return [found[i::count] for i in range(min(count, len(found)))]


def _for_workers(paths: FileRanges, options: dict[str, Any]) -> FileRanges:
    """Returns the paths for workers, which may have another working directory."""
    is_local = files.opener_of(paths, options) is None
    return paths.absolute() if is_local else paths


@dataclasses.dataclass(frozen=True)
class _Part:
    """The input of one task: files, ranges of their records, or the records that
    begin in a byte range of one file."""

    names: list[str]
    size: int | None  # estimated bytes in memory
    byte_range: tuple[int, int | None] | None = None
    ranges: FileRanges | None = None  # of these files


class TFRecordDatasource(Datasource):
    """The data source that `read_tfrecords` passes to `ray.data.read_datasource`.

    Args:
        paths, include_paths: as in `read_tfrecords`.
        threads: decoding threads per task.
        arguments: the `options` of `read_tfrecords`.
    """

    def __init__(
        self,
        paths: Any,
        *,
        include_paths: bool = False,
        threads: int = 1,
        **arguments: Unpack[PartOptions],
    ) -> None:
        super().__init__()
        self._threads = max(1, threads)
        check_can_travel(arguments)
        self._scan = Scan(paths, **arguments)
        with self._scan.open(threads=1) as reader:
            self._schema = pyarrow.schema(reader)
        self._include_paths = include_paths
        if include_paths:
            if _PATH in self._schema.names:
                raise InvalidArgumentError(
                    f'there is a column "{_PATH}" already', feature=_PATH
                )
            self._schema = self._schema.append(pyarrow.field(_PATH, pyarrow.string()))
        opener = self._scan.for_workers()
        self._ranges = None
        if isinstance(paths, FileRanges):
            self._ranges = _for_workers(paths, arguments)
        self._sizes = _sizes(self._scan.files, opener)
        if self._ranges is not None:
            self._sizes = _parts_of(self._sizes, self._ranges)

    def get_name(self) -> str:
        return "TFRecord"

    def estimate_inmemory_data_size(self) -> int | None:
        """Returns the sum of the sizes of the files; None if a size is not known. A
        compressed file counts several times."""
        return _sum(self._sizes)

    def get_read_tasks(
        self,
        parallelism: int,
        per_task_row_limit: int | None = None,
        data_context: ray.data.DataContext | None = None,
    ) -> list[ReadTask]:
        """Returns tasks that read whole files; if files are few and large, tasks that
        read parts of them."""
        context = data_context or ray.data.DataContext.get_current()
        block_bytes = context.target_max_block_size or _BLOCK_BYTES
        return [
            self._task(part, block_bytes, per_task_row_limit)
            for part in self._parts(max(1, parallelism))
        ]

    def _parts(self, parallelism: int) -> list[_Part]:
        names = self._scan.files
        if self._ranges is not None:
            return self._parts_of_ranges(self._ranges, parallelism)
        count = min(parallelism, len(names))
        bounds = [i * len(names) // count for i in range(count + 1)]
        if count < parallelism:
            return [part for i in range(count) for part in self._cut(i, parallelism)]
        return [
            _Part(names[begin:end], _sum(self._sizes[begin:end]))
            for begin, end in zip(bounds, bounds[1:])
        ]

    def _parts_of_ranges(self, ranges: FileRanges, parallelism: int) -> list[_Part]:
        size = _sum(self._sizes)
        if size is not None:
            parallelism = min(parallelism, max(len(ranges), size // _MIN_PART_BYTES))
        parts = ranges.cut(parallelism)
        each = None if size is None else size // max(1, len(parts))
        return [_Part(list(part.files), each, ranges=part) for part in parts]

    def _cut(self, index: int, parallelism: int) -> list[_Part]:
        """Returns the parts of one file; several if it is large and can be cut."""
        name, size = self._scan.files[index], self._sizes[index]
        whole = _sum(self._sizes)
        count = 1
        if size and whole:
            share = -(-parallelism * size // whole)
            count = max(1, min(share, size // _MIN_PART_BYTES))
        ranges = self._scan.cut(name, count) if count > 1 else []
        if len(ranges) < 2:
            return [_Part([name], size)]
        return [
            _Part([name], None if end is None else end - begin, (begin, end))
            for begin, end in ranges
        ]

    def _task(self, part: _Part, block_bytes: int, limit: int | None) -> ReadTask:
        scan, threads = self._scan, self._threads
        schema, paths = self._schema, self._include_paths

        def read() -> Iterator[pyarrow.Table]:
            return _read(scan, part, threads, schema, paths, block_bytes)

        metadata = BlockMetadata(
            num_rows=None,
            size_bytes=part.size,
            input_files=part.names,
            exec_stats=None,
        )
        return ReadTask(
            read,
            metadata,
            schema=schema,
            per_task_row_limit=limit,
        )


def _sizes(names: list[str], opener: files.Opener | None) -> list[int | None]:
    """Returns the estimated bytes in memory of each file; None if not known."""
    if opener is not None and len(names) > files.MOST_REMOTE_SIZES:
        return [None] * len(names)
    sizes: list[int | None] = []
    for name in names:
        size = os.path.getsize(name) if opener is None else files.remote_size(opener, name)
        if size is not None and _core.compression_of_name(os.fsencode(name)) != "none":
            size *= _INFLATION
        sizes.append(size)
    return sizes


def _parts_of(sizes: list[int | None], ranges: FileRanges) -> list[int | None]:
    """Scales the size of each file to the part of the file that is read."""
    parts: list[int | None] = []
    for size, (begin, end, records) in zip(sizes, ranges.ranges, strict=True):
        if size is not None and records:
            size = size * ((records if end is None else end) - begin) // records
        parts.append(size)
    return parts


def _sum(sizes: list[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _read(
    scan: Scan,
    part: _Part,
    threads: int,
    schema: pyarrow.Schema,
    include_paths: bool,
    block_bytes: int,
) -> Iterator[pyarrow.Table]:
    """Yields the blocks of a part; at least one, which has the schema."""
    batches: list[pyarrow.RecordBatch] = []
    size, empty = 0, True
    each: list[Any] = [[name] for name in part.names]
    if part.ranges is not None:
        each = part.ranges.each()
    for name, paths in zip(part.names, each, strict=True):
        for batch in _read_file(scan, name, paths, part.byte_range, threads):
            if include_paths:
                path = pyarrow.repeat(name, batch.num_rows)
                batch = batch.append_column(_PATH, path)
            batches.append(batch)
            size += batch.nbytes
            if size >= block_bytes:
                yield pyarrow.Table.from_batches(batches, schema)
                batches, size, empty = [], 0, False
    if batches or empty:
        yield pyarrow.Table.from_batches(batches, schema)


def _read_file(
    scan: Scan,
    name: str,
    paths: Any,
    byte_range: tuple[int, int | None] | None,
    threads: int,
) -> Iterator[pyarrow.RecordBatch]:
    with scan.open(
        paths, threads=threads, batch_size="auto", byte_range=byte_range
    ) as reader:
        # An error from an Arrow stream would be only text, without fields.
        for batch in reader:
            yield pyarrow.record_batch(batch)
        log_skipped(_logger, name, reader.report)
