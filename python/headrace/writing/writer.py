"""`headrace.Writer` and `headrace.encode`: write dicts and Arrow data as records."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Mapping
from typing import Any

from headrace import _core
from headrace.arguments import check_flag, whole_number, wrong_type
from headrace.errors import InvalidArgumentError
from headrace.named import named
from headrace.options import Compression
from headrace.remote import files
from headrace.warnings import (
    StaleIndexWarning,
    UnfinishedFileWarning,
    warn_caller,
)
from headrace.writing.finished_file import Upload
from headrace.writing.tensor_protos import TensorFeatures


def encode(
    data: Any, *, cast: bool = False, allow_narrowing: bool = False
) -> list[bytes]:
    """Serializes the rows of Arrow data; the inverse of `decode`.

    `list<T>` columns of integers, floats or bytes are features; null is an absent
    feature, an empty list a feature without values; columns inside a struct
    `##SEQUENCE##` are feature lists.

        >>> records = headrace.encode(pyarrow.table({"age": [[37], None]}))

    Args:
        data: an object with `__arrow_c_array__` of a struct (a record batch of pyarrow
            or nanoarrow, a headrace `Batch`) or `__arrow_c_stream__` (a table, a
            stream, a frame of pandas or Polars, a headrace `Reader`).
        cast: round float64 to float32, the type of floats in features; otherwise a
            column of float64 is an error. `allow_narrowing` is its older name.

    Returns:
        One serialized `tf.train.Example` (or `SequenceExample`) per row, keys
        sorted.

    Raises:
        InvalidArgumentError: a column has another type, or a value that a
            feature cannot hold; the error names the column and the row.
        IoError: the stream failed.
    """
    cast = cast or allow_narrowing
    if isinstance(data, _core.Reader):  # a stream would lose the fields of errors
        return [record for batch in data for record in _core.encode(batch, cast)]
    return _core.encode(data, cast)


class Writer:
    """Writes a TFRecord file, which gets its name when it is complete.

        >>> with headrace.Writer("out.tfrecord.gz") as writer:
        ...     writer.write({"age": 37, "name": "Ada", "scores": [1.5, 2.0]})

    An exception inside `with` leaves no file. Nor does a writer that is dropped, or
    still open when the program ends, since its file may be incomplete. An
    `UnfinishedFileWarning` then says how many records are lost. One thread may use a
    writer at a time, in the process that opened it.

    Args:
        path: a local file; "-" is standard output. A URL is written to a local
            temporary file, which fsspec sends when it is complete.
        compression: "none", "gzip", "zlib", "snappy", "zstd"; "auto" goes by the
            end of the name: .gz or .gzip, .zz or .zlib, .snappy or .sz, .zst or
            .zstd; a file with any other name is not compressed.
        level: how hard to compress: gzip and zlib 1 to 9, zstd 1 to 22. None: 6 for
            gzip and zlib, 3 for zstd.
        block_bytes: for gzip and zstd: approximate uncompressed size of a block,
            4 KiB to 1 GiB. Blocks are compressed one by one, so that readers can begin
            at each block. Smaller blocks compress less.
        threads: threads that compress blocks; the file is the same for any number.
            None: one per processor.
        fsync: force the data to the disk before the file gets its name.
        spec: the spec that must be able to read the records: a dict of features, a
            `Spec`, a `Plan`, a `Schema`, or the path of one. Numbers are written with
            the kind that the spec says, and arrays of features with
            `encoding="tensor_proto"` as TensorProtos; a record that the spec cannot
            read, or with a feature that it does not name, is an error.
        mixed_kinds: without a spec a feature keeps the kind that it has in the first
            record with the feature, since neither columns nor a spec can read a file in
            which the feature is a float in one record and an int64 in another. True
            lets each record have its own kinds.
        filesystem: an fsspec or pyarrow file system that has the path.
        storage_options: arguments for the fsspec file system of a URL.

    Raises:
        NotFoundError, IoError: the file cannot be written; where the system
            refuses it, also PermissionError, IsADirectoryError.
    """

    @named
    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        compression: Compression = "auto",
        level: int | None = None,
        block_bytes: int = 1 << 20,
        threads: int | None = 1,
        fsync: bool = False,
        spec: Any = None,
        mixed_kinds: bool = False,
        filesystem: Any = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        name = os.fsdecode(path)
        if not name:
            raise InvalidArgumentError("path must not be empty")
        if not isinstance(compression, str):
            raise wrong_type("compression", "a str", compression)
        check_flag("fsync", fsync)
        check_flag("mixed_kinds", mixed_kinds)
        plan = None if spec is None else _plan_of(spec, mixed_kinds)
        if level is not None:
            level = whole_number("level", level, -(2**31), 2**31 - 1)
        block_bytes = whole_number("block_bytes", block_bytes, 1, 2**63)
        if threads is not None:
            threads = whole_number("threads", threads, 1, 2**16)
        if compression == "auto":
            compression = _core.compression_of_name(os.fsencode(name))
        has_url = files.is_url(name)
        filesystem = files.check_storage(filesystem, storage_options, has_url)
        upload, local = None, name
        if has_url or filesystem is not None:
            upload = Upload(name, filesystem, storage_options)
            local = upload.path
        elif name != "-":
            local = files.local_path(name)
        try:
            self._writer = _core.RecordWriter(
                os.fsencode(local), compression, level, block_bytes, threads or 0,
                fsync, plan, mixed_kinds,
            )
        except BaseException:
            if upload:
                upload.discard()
            raise
        self._upload = upload
        self._local = local
        self._tensors = TensorFeatures(plan)
        # Unlike __del__, finalize also runs when the interpreter exits.
        self._unfinished = weakref.finalize(self, _lose, self._writer, upload, name)

    def write(
        self,
        record: bytes | Mapping[str, Any],
        feature_lists: Mapping[str, Any] | None = None,
    ) -> None:
        """Appends one record.

        Args:
            record: a serialized message, or a mapping of names to features: a
                value, a list of values, a numpy array, or None. Integers and
                bools are an int64_list, floats a float_list, bytes and str a
                bytes_list. None and an empty list have no kind; both are read as
                null. An empty array of numbers has a kind, and is read as empty. With
                a spec integers and whole floats get the kind that the spec says, and
                so does an empty list. Where the spec reads TensorProtos, the value is
                an array, or for a row of many arrays a list of them; bytes are
                TensorProtos already. Without a spec a serialized message is written
                unchanged.
            feature_lists: for each name the list of its steps; makes the record a
                SequenceExample with `record` as its context.

        Raises:
            TypeError, OverflowError: a value that no feature can hold. This includes
                numpy's fixed-width bytes and text, which lose zero bytes at their end,
                and batches, which hold several records.
            ValueError: text that is not UTF-8; an array with masked or missing values.
            WrongKindError: a feature had another kind in an earlier record; see
                `mixed_kinds`.
            DataError, InvalidArgumentError: the spec cannot read the record, or does
                not name one of its features.
        """
        for value in (record, feature_lists):
            # A batch or a frame holds several records.
            if hasattr(value, "__arrow_c_array__") or hasattr(
                value, "__arrow_c_stream__"
            ):
                hint = "; write_batch writes the rows of Arrow data and frames"
                raise wrong_type("record", "one record", value, hint)
        if not isinstance(record, (bytes, Mapping)):
            raise wrong_type("record", "bytes or a dict of features", record)
        if feature_lists is not None:
            if not isinstance(record, Mapping):
                raise wrong_type("record", "a dict of the context's features", record)
            if not isinstance(feature_lists, Mapping):
                raise wrong_type("feature_lists", "a dict of lists", feature_lists)
            feature_lists = dict(feature_lists)
        if isinstance(record, bytes):
            self._writer.write(record)
        else:
            self._writer.write_features(
                self._tensors.serialized(record), feature_lists
            )

    def write_batch(
        self, data: Any, *, cast: bool = False, allow_narrowing: bool = False
    ) -> None:
        """Appends the rows of Arrow data: a record batch, a table, a stream, a
        frame; see `encode`. If a stream fails, the batches before the error are
        written. A column keeps its kind, as features do in `write`; with a spec
        numbers get the kind that the spec says, and float64 needs no `cast`."""
        batches = data if isinstance(data, _core.Reader) else [data]
        for batch in batches:
            self._writer.write_batch(batch, cast or allow_narrowing)

    @property
    def num_records(self) -> int:
        """Number of records written so far."""
        return self._writer.num_records

    def close(self) -> None:
        """Finishes the file, which then gets its name."""
        self._unfinished.detach()
        try:
            self._writer.close()
            if self._upload:
                self._upload.send()
            else:
                self._warn_of_stale_indexes()
        finally:
            if self._upload:
                self._upload.discard()

    def _warn_of_stale_indexes(self) -> None:
        if self._local == "-":
            return
        for index in _core.remove_stale_indexes(os.fsencode(self._local)):
            warn_caller(
                f"{index} is an index of the old content of {self._local}; write it "
                "again or remove it",
                StaleIndexWarning,
            )

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None:
            self.close()
            return
        self._unfinished.detach()
        _discard(self._writer, self._upload)


def _plan_of(spec: Any, mixed_kinds: bool) -> _core.Plan:
    from headrace.plan import Plan

    if mixed_kinds:
        raise InvalidArgumentError(
            "mixed_kinds cannot be used with spec, which sets the kinds"
        )
    plan = Plan.of(spec)
    if plan.message not in ("example", "sequence"):
        raise InvalidArgumentError(
            "the spec of a writer is for Examples or SequenceExamples, and this one "
            f"is for {plan.message}"
        )
    return plan


def _discard(writer: _core.RecordWriter, upload: Upload | None) -> None:
    writer.discard()
    if upload:
        upload.discard()


def _lose(writer: _core.RecordWriter, upload: Upload | None, name: str) -> None:
    """Discards the file of a writer that was not closed, and warns."""
    if not writer.is_open:
        return
    lost = writer.num_records
    _discard(writer, upload)
    warnings.warn(
        f"the writer of {name!r} was not closed, so there is no such file and its "
        f"{lost} records are lost; use `with`, or call close()",
        UnfinishedFileWarning,
        stacklevel=2,
    )
