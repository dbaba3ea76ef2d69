"""`headrace.open`: reads the rows of files in batches, in order or shuffled."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

from headrace.arguments import check_flag, wrong_type
from headrace.file_ranges import described
from headrace.named import named
from headrace.options import (
    BatchSize,
    BytesAs,
    Compression,
    Message,
    OnAbsent,
    OnCorrupt,
    OnRowError,
)
from headrace.reading.reader import Reader, open_in_order
from headrace.reading.shuffled import open_shuffled
from headrace.shuffle import Shuffle, shuffle_of


@functools.singledispatch
def open_nested(paths: Any, options: Mapping[str, Any]) -> Any:
    """Returns a reader for paths whose features have nested names; None for other
    paths.

    `options` are all other arguments of `open`. A type of such paths, for example the
    type for TFDS folders, registers its reader here."""
    return None


@named
def open(
    paths: Any,
    *,
    spec: Any = None,
    schema: Any = None,
    message: Message = "auto",
    columns: Sequence[str] | None = None,
    batch_size: BatchSize = 256,
    threads: int | None = None,
    shard: tuple[int, int] | Sequence[tuple[int, int]] | None = None,
    byte_range: tuple[int, int | None] | None = None,
    sample: int = 10000,
    sample_bytes: int = 16 << 20,
    strict_columns: bool = False,
    on_absent: OnAbsent = "warn",
    on_corrupt: OnCorrupt = "fail",
    on_row_error: OnRowError = "fail",
    max_bad: int | None = None,
    compression: Compression = "auto",
    verify: bool = True,
    verify_unselected: bool = False,
    mmap: bool = False,
    drop_remainder: bool = False,
    epochs: int | None = 1,
    bytes_as: BytesAs = "binary",
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    shuffle: bool | Shuffle | None = None,
    progress: bool = False,
    index: str | os.PathLike[str] | None = "auto",
    write_index: bool = False,
    limits: Mapping[str, int] | None = None,
    allocator: Any = None,
) -> Reader:
    """Opens TFRecord files of tf.train.Example or SequenceExample.

    Without `spec` and `schema` the columns are found from the data: one list
    column per feature. With a spec the batches hold the tensors that
    `tf.io.parse_example` returns.

        >>> for batch in headrace.open("train-*.tfrecord.gz"):
        ...     batch["age"].values.numpy()
        >>> pyarrow.table(headrace.open("train-*.tfrecord.gz"))

    Args:
        paths: a path, a glob, a shard set `name@16`, a directory (its TFRecord
            files, sorted by name), "-" for standard input, a URL that fsspec knows, a
            binary file object, or a list of these.
        spec: the tensors to make: a dict of features (`FixedLenFeature` and so
            on, or those of `tf.io`), a `Spec`, a `Plan`, or a `Schema`, whose
            tensor representations are then read; or the path of a spec as JSON
            or of a schema.
        schema: a `Schema` (ours, or protobuf's), or the path of one, as text or
            serialized; its features are the columns.
        message: "example", "sequence", "raw" (undecoded payloads), or "auto",
            which looks at the first records.
        columns: read only these features or tensors.
        batch_size: rows per batch, or "auto": as many as fit into the cache, or 256 if
            rows are shuffled.
        threads: threads that decode; if rows are shuffled, threads that inflate and
            read headers. None: one per processor; 1: no extra thread.
        shard: (index, count): read this part of the records. If there are at least
            `count` files, a part consists of whole files, otherwise of a part of each
            file; in files without random access it consists of runs of 16 records. A
            list of pairs divides further: [(rank, ranks), (worker, workers)] is a
            worker's part of shard (rank, ranks).
        byte_range: (begin, end) of one file: read the records that begin in it;
            end None is the end of the file. Adjacent ranges cover each record
            exactly once, whatever their bounds; `headrace.split` returns such ranges.
        sample: number of records, over all files, from which the columns are found;
            0: all records, and files are read twice.
        sample_bytes: the maximum size of the sample in uncompressed bytes; 0 means
            256 MiB, which is also the limit. It does not bound a sample of all
            records. The sample stays in memory until its rows are read.
        strict_columns: a record with a feature that the sample did not show raises a
            `WrongKindError`; with on_row_error="skip" it is skipped. Otherwise the
            feature is left out and counted in `report.late`, and a
            `LateFeatureWarning` names it at the end of the epoch.
        on_absent: what to do about a feature that the spec or schema names and the
            records lack. "warn": an `AbsentFeatureWarning` before the first row if
            the first 256 records lack it but have one with a similar name; and at the
            end for a feature that no record had. "error": a `MissingFeatureError`,
            before any row if the first records lack it, otherwise at the end. A part
            (`shard`, `byte_range`) is judged by its own records. "ignore": nothing. If
            the first records hold another message, a spec raises a `MalformedError`;
            with "ignore" this is an `OtherMessageWarning`.
        on_corrupt: "fail"; "skip" skips payloads with a wrong checksum and a
            record that is cut off at the end of its file; "rescan" also searches for
            the next record after a damaged header.
        on_row_error: "fail", or "skip" records that do not fit the spec.
        max_bad: how many regions and rows may be skipped; one more is an error.
        compression: "auto" detects it from the bytes; `headrace.options.Compression`
            lists the other names.
        verify: check the checksums of payloads; those of headers are always checked.
        verify_unselected: also check every byte of features that are not read.
            Otherwise a record that is malformed only there is an ordinary row
            (docs/semantics.md, E4); without `spec`, `schema` and `columns` all
            features are read.
        mmap: map files instead of reading them; a file must not shrink while it is
            mapped.
        drop_remainder: leave out a last batch that is shorter than the others.
        epochs: how many times to read everything; None: forever.
        bytes_as: the type of bytes in Arrow: "binary", "large" (64-bit offsets),
            "view" (no copy), or "string" (must be UTF-8).
        filesystem: an fsspec or pyarrow file system that has the paths.
        storage_options: arguments for the fsspec file system of the URLs, such as
            credentials.
        shuffle: a `Shuffle`, or True for `Shuffle(0)`: return the rows in a random
            order, from a `ShuffledReader`. Rows of uncompressed files are read by
            number, as in `Dataset`; so are rows of compressed files if the Shuffle has
            blocks. All other rows are shuffled in a buffer, 256 MiB by default, as many
            at a time as it holds. The buffer is also used if the Shuffle asks for one,
            or if bad rows or damage are to be skipped.
        progress: show a bar while the batches are iterated, if tqdm is installed: over
            the stored bytes, or over the rows if they are shuffled by number. Arrow
            streams have no bar.
        index: an index, or a compressed file that headrace wrote, says where in the
            file inflating can begin. "auto": use the index beside a file if it
            belongs to this file; "required": a file without an index raises a
            `NotFoundError`; None or "none": use no index; or the path of a folder that
            has the indexes. With an index all `threads` inflate, and ranges are found
            and states resumed without reading the data before them. The rows are the
            same as without an index. Only "required" lets an index divide a file among
            shards, since every process that reads a shard must have the index.
        write_index: write the index of each local file, beside it or in the folder
            `index`, when all of the file has been read, unless a valid index exists.
            The file must be read as a whole (no shards, no range) and have no damage
            except to payloads.
        limits: what a file may demand of this process (docs/limits.md):
            "max_batch_bytes" (1 GiB), the memory of a batch, and so of a row;
            "max_record_bytes" (2^31 - 1), the size of a record; "max_inflated_bytes"
            (0: no limit), the size of an inflated file; "max_reported" (1000), the
            number of regions and rows that a report lists.
        allocator: memory for the tensors of batches, for example page-locked memory:
            an object whose method `allocate(size)` returns an object with the buffer
            protocol, of at least `size` writable bytes that begin at a multiple of 256.
            It is called at most twice per batch, from any thread, and the arrays of
            the batch are views of what it returns, which is held until the batch and
            all arrays are gone. An exception that it raises ends the reader. It needs a
            spec, and is called only in the process that opened the reader.

    Raises:
        NotFoundError: a file does not exist, or no file matches.
        BadSpecError: the spec contradicts itself; `.feature` names the feature.
        InvalidArgumentError, ValueError, TypeError: an argument is wrong.
        SplitSeamError: a byte range does not end where the next one begins.
        DataError: the data is damaged or does not fit; also raised while reading, with
            file, record and feature.
    """
    options = locals()
    if batch_size is None:
        raise wrong_type("batch_size", 'a whole number or "auto"', batch_size)
    del options["paths"]
    if (nested := open_nested(paths, options)) is not None:
        return cast(Reader, nested)
    paths, options["spec"] = described(paths, spec, schema, message)
    check_flag("progress", progress)
    order = shuffle_of(options.pop("shuffle"), 0)
    if order is not None:
        return cast(Reader, open_shuffled(paths, order, options))
    return open_in_order(paths, options)
