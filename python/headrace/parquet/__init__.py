"""Converts TFRecord files to Parquet, and back. Needs pyarrow."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from headrace import _core
from headrace.arguments import whole_number, wrong_type
from headrace.errors import InvalidArgumentError
from headrace.options import BytesAs
from headrace.parquet.columns import Choice
from headrace.parquet.parquet_input import ParquetInput, need_pyarrow
from headrace.reading.opening import open
from headrace.reading.reader import Reader
from headrace.writing.finished_file import (
    FinishedFile,
    Written,
    finished_files,
    shard_name,
)
from headrace.writing.writer import Writer

# Maximum size in memory, and maximum number of rows, of a row group, unless the caller
# sets the number of rows.
_GROUP_BYTES = 128 << 20
_GROUP_ROWS = 1 << 20
_JOINED_BYTES = 4 << 20
_COMPRESSIONS = ("none", "snappy", "gzip", "zstd", "lz4", "brotli")


def to_parquet(
    source: Any,
    path: str | os.PathLike[str],
    *,
    compression: str = "snappy",
    compression_level: int | None = None,
    row_group_size: int | None = None,
    parquet_options: Mapping[str, Any] | None = None,
    scalars: bool | Iterable[str] = False,
    bytes_as: BytesAs | Mapping[str, str] = "binary",
    shards: int | None = None,
    threads: int | None = None,
    output_filesystem: Any = None,
    output_storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Written:
    """Writes records as Parquet.

        >>> headrace.to_parquet("train-*.tfrecord.gz", "train.parquet")
        >>> headrace.to_parquet("train-*.tfrecord.gz", "train.parquet", shards=16,
        ...                     spec={"age": hr.FixedLenFeature([], hr.int64)})

    Columns have the Arrow types of docs/formats/arrow.md, which pyarrow keeps in the
    file: a list for each feature, or, with a spec, the type of its tensor; a tensor
    with a shape is an `arrow.fixed_shape_tensor`. Feature lists are lists of lists in
    the struct `##SEQUENCE##`. About two row groups per thread are in memory at a time.

    Args:
        source: paths, as in `headrace.open`; or, without `options`, an object with
            `__arrow_c_stream__`, such as a `headrace.Reader`.
        path: a local file, or a URL that fsspec knows. The file gets its name when it
            is complete.
        compression, compression_level: "snappy", "zstd", "gzip", "brotli", "lz4" or
            "none", as in pyarrow.
        row_group_size: rows in a row group. None: as many as fit 128 MiB in memory,
            at most 2^20.
        parquet_options: more arguments for `pyarrow.parquet.ParquetWriter`. Without
            `use_dictionary` only columns of bytes have dictionaries.
        scalars: make columns of values instead of lists, null where the record lacks
            the feature or its list is empty. True: for features with at most one value
            in the first 10,000 rows; or the names of features. A record with more
            values raises a `WrongCountError`.
        bytes_as: as in `headrace.open`; or a dict from names of features to "string",
            "large" or "binary". In a column of strings, bytes that are not UTF-8 raise
            a `WrongKindError`.
        shards: number of files to write, `train-00000-of-00016.parquet` and so on,
            each with a part of the input, all with the same columns.
        threads: threads that decode; with shards, shards that are written at a time.
            None: one per processor.
        output_filesystem, output_storage_options: for `path`, as `filesystem` and
            `storage_options` are for the source.
        options: options of `headrace.open`. `batch_size` is "auto" by default.

    Raises:
        The same exceptions as `headrace.open`. After an error there is no file; with
        shards, no incomplete file.
        MissingPackageError: pyarrow is not installed.
        InvalidArgumentError: one of the columns cannot be written as Parquet.
    """
    need_pyarrow()
    if compression not in _COMPRESSIONS:
        raise InvalidArgumentError(
            f"compression: expected one of {', '.join(_COMPRESSIONS)}, got {compression!r}"
        )
    writing = {
        "compression": compression, "compression_level": compression_level,
        **(parquet_options or {}),
    }
    if row_group_size is not None:
        row_group_size = whole_number("row_group_size", row_group_size, 1, 2**31 - 1)
    output = {"filesystem": output_filesystem, "storage_options": output_storage_options}

    choice = Choice(scalars, bytes_as if isinstance(bytes_as, Mapping) else None)
    if not isinstance(bytes_as, (str, Mapping)):
        raise wrong_type("bytes_as", "a str or a dict of names", bytes_as)
    if isinstance(bytes_as, str) and bytes_as != "binary":
        options["bytes_as"] = bytes_as

    def write(file: FinishedFile, source: Any) -> int:
        batches, schema = choice.applied(*batches_of(source))
        return write_batches(batches, schema, file.path, row_group_size, writing)

    name = os.fsdecode(path)
    if shards is not None:
        shards = whole_number("shards", shards, 1, 100_000)
        names = [shard_name(name, number, shards) for number in range(shards)]
        return _write_shards(source, names, output, threads, options, write, choice)
    with contextlib.ExitStack() as stack:
        if hasattr(source, "__arrow_c_stream__"):
            if options:
                raise InvalidArgumentError(
                    "a stream is open already: pass its options to the function that "
                    "opened it"
                )
        else:
            options.setdefault("batch_size", "auto")
            source = stack.enter_context(open(source, threads=threads, **options))
        count = write(stack.enter_context(FinishedFile(name, **output)), source)
    return Written([name], count)


def from_parquet(
    paths: Any,
    path: str | os.PathLike[str],
    *,
    columns: list[str] | None = None,
    cast: bool = False,
    batch_size: int = 1024,
    input_filesystem: Any = None,
    input_storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Written:
    """Writes the rows of Parquet files as a TFRecord file.

        >>> headrace.from_parquet("train.parquet", "train.tfrecord.gz")

    Columns become features as in `headrace.encode`; a file that `to_parquet` wrote
    becomes the original records, with their keys sorted. Files may have different
    columns: a record has the columns of its file. Folders `key=value` in the path of a
    file are columns, too: int64 if all values of the key are whole numbers, otherwise
    text. A column of the file takes precedence over such a folder.

    Args:
        paths: a local file, a glob, a folder (all files in it, at any depth, whose
            names do not begin with . or _); a URL of any of these; or a list of these.
        path, options: as in `headrace.Writer`.
        columns: read only these. A column that no file has is an error.
        cast: as in `headrace.encode`.
        batch_size: rows in memory at a time.
        input_filesystem, input_storage_options: for `paths`, as `filesystem` and
            `storage_options` are in `headrace.open`.

    Raises:
        The same exceptions as `headrace.Writer` and `headrace.encode`. After an error
        there is no file.
        MissingPackageError: pyarrow is not installed.
    """
    found = ParquetInput(paths, input_filesystem, input_storage_options)
    batch_size = whole_number("batch_size", batch_size, 1, 2**31 - 1)
    with Writer(path, **options) as writer:
        for batch in found.batches(columns, batch_size):
            writer.write_batch(batch, cast=cast)
        count = writer.num_records
    return Written([os.fsdecode(path)], count)


def batches_of(source: Any) -> tuple[Iterable[Any], Any]:
    """Returns the record batches of a stream, and its schema."""
    import pyarrow as pa

    if isinstance(source, (Reader, _core.Reader)):
        # An error from an Arrow stream would be only text, without fields.
        return map(pa.record_batch, source), pa.schema(source)
    stream = pa.RecordBatchReader.from_stream(source)
    return stream, stream.schema


def write_batches(
    batches: Iterable[Any],
    schema: Any,
    sink: Any,
    row_group_size: int | None,
    writing: Mapping[str, Any],
) -> int:
    """Writes record batches to a path or a file object; returns the number of rows."""
    import pyarrow as pa
    from pyarrow import parquet

    kept, schema = _storable(schema)
    # Numbers mostly differ, so dictionaries of them cost time, and often more space.
    writing = {"use_dictionary": list(_bytes_columns(schema)), **writing}
    most_rows = row_group_size or _GROUP_ROWS
    most_bytes = None if row_group_size else _GROUP_BYTES
    count = 0
    try:
        with parquet.ParquetWriter(sink, schema, **writing) as writer:
            for group in _groups(_compact(batches), most_rows, most_bytes):
                table = pa.Table.from_batches(group).select(kept)
                writer.write_table(table, row_group_size=most_rows)
                count += table.num_rows
                del table, group  # before the next group is read
    except pa.ArrowException as error:
        raise InvalidArgumentError(f"cannot be written as Parquet: {error}") from error
    return count


def _compact(batches: Iterable[Any]) -> Iterator[Any]:
    """Yields the rows in batches of a few MiB, copied. A batch of headrace reserves
    memory to grow, so a row group of small batches would take many times its size."""
    import pyarrow as pa

    def joined() -> Iterator[Any]:
        return iter(pa.Table.from_batches(small).combine_chunks().to_batches())

    small: list[Any] = []
    size = 0
    for batch in batches:
        small.append(batch)
        size += batch.nbytes
        if size >= _JOINED_BYTES:
            yield from joined()
            small, size = [], 0
    if small:
        yield from joined()


def _groups(
    batches: Iterable[Any], most_rows: int, most_bytes: int | None
) -> Iterator[list[Any]]:
    """Yields, for each row group, its batches and parts of batches."""
    group: list[Any] = []
    rows = size = 0
    for batch in batches:
        while rows + batch.num_rows >= most_rows:
            yield [*group, batch.slice(0, most_rows - rows)]
            batch = batch.slice(most_rows - rows)
            group, rows, size = [], 0, 0
        if batch.num_rows:
            group.append(batch)
            rows, size = rows + batch.num_rows, size + batch.nbytes
        if most_bytes is not None and size >= most_bytes:
            whole, group, rows, size = group, [], 0, 0
            yield whole
            del whole
    if rows:
        yield group


def _bytes_columns(fields: Iterable[Any], before: str = "") -> Iterator[str]:
    """Yields the columns of bytes, by their names in Parquet."""
    import pyarrow as pa

    for field in fields:
        name, kind = before + field.name, field.type
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        while hasattr(kind, "value_type"):
            name, kind = f"{name}.list.element", kind.value_type
        if pa.types.is_struct(kind):
            yield from _bytes_columns(
                [kind.field(i) for i in range(kind.num_fields)], f"{name}."
            )
        elif not pa.types.is_primitive(kind) and not pa.types.is_null(kind):
            yield name


def _storable(schema: Any) -> tuple[list[str], Any]:
    """Returns the columns that Parquet can store, and their schema. A struct without
    fields, such as that of SequenceExamples without feature lists, is left out."""
    import pyarrow as pa

    names = [
        field.name for field in schema
        if not (pa.types.is_struct(field.type) and field.type.num_fields == 0)
    ]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise InvalidArgumentError(
            f'Parquet cannot have two columns "{min(doubled)}"', feature=min(doubled)
        )
    return names, pa.schema([schema.field(name) for name in names])


def _write_shards(
    source: Any,
    names: list[str],
    output: Mapping[str, Any],
    threads: int | None,
    options: Mapping[str, Any],
    write: Callable[[FinishedFile, Any], int],
    choice: Choice,
) -> Written:
    from concurrent.futures import ThreadPoolExecutor

    from headrace.reading.scan import Scan

    if hasattr(source, "__arrow_c_stream__"):
        raise InvalidArgumentError("shards are parts of files: give paths")
    batch_size = options.get("batch_size", "auto")
    scan = Scan(source, **{k: v for k, v in options.items() if k != "batch_size"})

    with scan.open(threads=1, batch_size=1000) as reader:
        # All shards have the same columns.
        batches, schema = batches_of(reader)
        choice.look(itertools.islice(batches, 10), schema)

    def write_shard(number: int, file: FinishedFile) -> int:
        shard = (number, len(names))
        with scan.open(shard=shard, threads=1, batch_size=batch_size) as reader:
            return write(file, reader)

    workers = min(len(names), threads or len(os.sched_getaffinity(0)))
    with finished_files(names, **output) as files, ThreadPoolExecutor(workers) as pool:
        counts = list(pool.map(write_shard, range(len(names)), files))
    return Written(names, sum(counts))
