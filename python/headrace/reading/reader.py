"""Reads files: `open`, `Reader`, and its `ReadReport`."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from headrace import _core, notebook
from headrace.arguments import (
    index_options,
    limit_options,
    shards_of,
    whole_number,
    wrong_type,
)
from headrace.description import schema_of
from headrace.errors import HeadraceError, InvalidArgumentError, MissingFeatureError
from headrace.file_ranges import FileRanges, described
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
from headrace.plan import Plan
from headrace.reading.progress import Update, bar, no_bar
from headrace.reading.shuffle import Shuffle, shuffle_of
from headrace.remote import files
from headrace.warnings import (
    AbsentFeatureWarning,
    LateFeatureWarning,
    OtherMessageWarning,
    warn_caller,
)

# Threads of a reader may call Python objects, which must not outlive Python.
atexit.register(_core.close_readers)


@dataclasses.dataclass(frozen=True)
class SkippedRegion:
    """Bytes [begin, end) of a file's uncompressed stream that were skipped."""

    file: str
    begin: int
    end: int | None  # None: the rest of a compressed file that is damaged
    reason: str  # the class of damage, such as "payload_crc"
    message: str = ""  # what was found there, for "decompress"


@dataclasses.dataclass(frozen=True)
class LateFeature:
    """A feature that the sample of the data did not show, so it has no column."""

    name: str
    kind: str  # "int64", "float" or "bytes"
    rows: int  # how many had it
    in_columns: bool  # it has a column, of kind null
    in_sequence: bool  # it is a feature list


@dataclasses.dataclass(frozen=True)
class AbsentFeature:
    """A feature that the spec names and no row so far had."""

    name: str
    in_sequence: bool  # it is a feature list
    has_default: bool  # all rows have its default instead


@dataclasses.dataclass(frozen=True)
class ReadReport:
    """What was skipped or left out so far in this epoch, and why.

    Lists end after 1000 entries, counts do not.
    """

    regions: list[SkippedRegion]
    num_regions: int
    rows: list[HeadraceError]  # one per row, with file, record and feature
    num_rows: int
    late: list[LateFeature]
    num_late: int  # rows, summed over all names
    absent: list[AbsentFeature]  # empty before the first row
    num_lists_left_out: int = 0  # records read as Examples, without feature lists


class Reader(_core.Reader):
    """Batches of consecutive records; `headrace.open` makes it.

    A reader is an iterator of `Batch`, an Arrow stream (`__arrow_c_stream__`), and
    a context manager. It is read once: the stream goes on where the iterator
    stopped, and a second loop after the end is an InvalidArgumentError. `error` is
    the exception that a stream failed with. One thread may use it at a time; a
    second one gets a RuntimeError. It does not survive a fork. Batches outlive it.
    """

    def __init__(
        self,
        names: list[str],
        plan: _core.Plan | None,
        options: dict[str, Any],
        opener: Any,
    ) -> None:
        super().__init__([os.fsencode(name) for name in names], plan, options, opener)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        # A warning must not replace the exception.
        if kind is None:
            self.close()
        else:
            self._close_quietly()

    def __repr__(self) -> str:
        return notebook.reader_text(self)

    def _repr_html_(self) -> str:
        return notebook.reader_html(self)

    @property
    def report(self) -> ReadReport:
        """What was skipped or left out so far in this epoch, and why."""
        report = self._report()
        report["regions"] = [SkippedRegion(*region) for region in report["regions"]]
        report["late"] = [LateFeature(*feature) for feature in report["late"]]
        report["absent"] = [AbsentFeature(*feature) for feature in report["absent"]]
        return ReadReport(**report)

    def state_dict(self) -> dict[str, Any]:
        """Where the next batch begins: a small dict that JSON can hold.

        Take it between two batches; `load_state_dict` of a reader opened with the
        same arguments goes on with the very next row. It has no report and no
        errors of what was read before.
        """
        position = self._position()
        state = {"version": 1, "plan": str(self.plan), **position}
        if "file" in position:
            state["name"] = self.files[position["file"]]
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes to the row at which `state_dict` was called.

        Raises:
            InvalidArgumentError: the state is of other files or another plan.
                If a file has changed, the next batch raises it.
        """
        _check_state(state)
        if state["plan"] != str(self.plan):
            raise InvalidArgumentError("the state is of a reader with another plan")
        if "file" in state:
            index, files_now = state["file"], self.files
            if index >= len(files_now) or files_now[index] != state["name"]:
                raise InvalidArgumentError(
                    f"the state is of other files: file {index} was {state['name']}"
                )
        self._restart(dict(state))


class _ReaderWithBar(Reader):
    """Shows a bar over stored bytes while it is iterated. It is a class of its own,
    so that other readers give batches without a call of Python."""

    def __init__(
        self,
        names: list[str],
        plan: _core.Plan | None,
        options: dict[str, Any],
        opener: Any,
    ) -> None:
        super().__init__(names, plan, options, opener)
        self._epochs: int = options["epochs"]  # 0: without end
        self._bar = contextlib.ExitStack()
        self._update: Update | None = None  # the bar begins with the first batch

    def __next__(self) -> _core.Batch:
        if self._update is None:
            total = self._epochs * self.stored_size
            self._update = self._bar.enter_context(bar(total, enabled=True))
        try:
            batch = super().__next__()
        except StopIteration:
            self._show(self._update)
            self._end_bar()
            raise
        except BaseException:
            self._end_bar()
            raise
        self._show(self._update)
        return batch

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes to the row at which `state_dict` was called."""
        super().load_state_dict(state)
        self._end_bar()
        self._update = None

    def close(self) -> None:
        """Ends its threads and closes its files; batches live on."""
        self._end_bar()
        super().close()

    def _close_quietly(self) -> None:
        self._end_bar()
        super()._close_quietly()

    def _show(self, update: Update) -> None:
        # The size of inputs that Python opens is known when all are open.
        size = self.stored_size
        done = self._position()["epoch"] * size + self.stored_position
        update(done, self._epochs * size)

    def _end_bar(self) -> None:
        self._bar.close()
        self._update = no_bar


# A warning names at most this many features.
_MOST_NAMED = 10


def _named(name: str, in_sequence: bool) -> str:
    return f'"##SEQUENCE##.{name}"' if in_sequence else f'"{name}"'


def _warn_of_late(late: list[tuple[Any, ...]], num_late: int) -> None:
    """Warns of late features; the core calls it."""
    named = []
    for name, kind, rows, _, in_sequence in late[:_MOST_NAMED]:
        name = _named(name, in_sequence)
        named.append(f'{name} ({kind}, {rows} row{"" if rows == 1 else "s"})')
    if len(late) > _MOST_NAMED or not named:
        named.append(f"{num_late} values in all")
    warn_caller(
        "features that the sample of the data did not show were left out: "
        + ", ".join(named)
        + "; strict_columns=True makes this an error, sample=0 looks at all records",
        LateFeatureWarning,
    )


_CATEGORIES: dict[str, type[Warning]] = {
    "other_message": OtherMessageWarning,
    "lists_left_out": LateFeatureWarning,
}


def _warn_of_notice(kind: str, text: str) -> None:
    """Warns of what the records hold or lack; the core calls it."""
    warn_caller(text, _CATEGORIES.get(kind, AbsentFeatureWarning))


def check_absent(
    absent: list[tuple[Any, ...]], message: str, on_absent: str, of_part: bool
) -> None:
    """Says at the end of the rows which features none of them had, by `on_absent`.
    Other parts may have what a part lacks, so that is no error."""
    if not absent or on_absent == "ignore":
        return
    if on_absent == "error" and not of_part:
        text = _core.absent_text(absent[:1], message, of_part)
        raise MissingFeatureError(text, feature=absent[0][0])
    _warn_of_notice("absent", _core.absent_text(absent, message, of_part))


_STATE = {"version": int, "plan": str, "epoch": int, "rows": int}
# The last row, in states of an epoch that has given rows.
_STATE_ROW = {"file": int, "name": str, "offset": int, "record": int, "recovered": bool}


def _check_state(state: object) -> None:
    """InvalidArgumentError unless `state_dict` can have made it."""
    ok = isinstance(state, Mapping) and state.get("version") == 1
    if isinstance(state, Mapping) and ok:
        fields = _STATE | (_STATE_ROW if "file" in state else {})
        values = [state.get(name) for name in fields]
        ok = all(map(isinstance, values, fields.values())) and all(
            0 <= value < 2**64 for value in values if isinstance(value, int)
        )
    if not ok:
        raise InvalidArgumentError("this is not the state of a reader")


@dataclasses.dataclass(frozen=True)
class FoundSchema:
    """A `schema` for `open` that an earlier reader found from a sample: features
    that it does not have are late."""

    schema: _core.Schema


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
) -> Reader:
    """Opens TFRecord files of tf.train.Example or SequenceExample.

    Without `spec` and `schema` the columns are found from the data: one list
    column per feature. With a spec the batches hold the tensors that
    `tf.io.parse_example` gives.

        >>> for batch in headrace.open("train-*.tfrecord.gz"):
        ...     batch["age"].values.numpy()
        >>> pyarrow.table(headrace.open("train-*.tfrecord.gz"))

    Args:
        paths: a path, a glob, a shard set `name@16`, a directory (its TFRecord
            files, by name), "-" for standard input, a URL that fsspec knows, a
            binary file object, or a list of these.
        spec: which tensors to make: a dict of features (`FixedLenFeature` and so
            on, or those of `tf.io`), a `Spec`, a `Plan`, or a `Schema`, whose
            tensor representations are then read; or the path of a spec as JSON
            or of a schema.
        schema: a `Schema` (ours, or protobuf's), or the path of one, as text or
            serialized; its features are the columns.
        message: "example", "sequence", "raw" (payloads as they are), or "auto",
            which looks at the first records.
        columns: read only these features or tensors.
        batch_size: rows per batch, or "auto": as many as the cache holds, and 256 of
            shuffled rows.
        threads: how many decode, and of shuffled rows, how many inflate and read
            headers. None: one per processor; 1: no extra thread.
        shard: (index, count): read this part of the records. Whole files where
            there are at least `count`, otherwise a part of each file; of files
            that cannot be read at any place, runs of 16 records. A list of pairs
            divides further: [(rank, ranks), (worker, workers)] is a worker's part
            of shard (rank, ranks).
        byte_range: (begin, end) of one file: read the records that begin there;
            end None is the end of the file. Ranges that meet have each record
            once, whatever their bounds; `headrace.split` gives some.
        sample: how many records, over all files, the columns are found from; 0:
            all, and files are read twice.
        sample_bytes: how many uncompressed bytes the sample has at most; 0 and
            the limit are 256 MiB. It does not bound a sample of all records. The
            sample stays in memory until its rows are read.
        strict_columns: a record with a feature that the sample did not show is a
            `WrongKindError`, which on_row_error="skip" skips. Otherwise the
            feature is left out and counted in `report.late`, and a
            `LateFeatureWarning` names it at the end of the reading.
        on_absent: what becomes of a feature that the spec or schema names and the
            records lack. "warn": an `AbsentFeatureWarning` before the first row, if
            none of the first 256 records has it, but one of a similar name; at the
            end, for a feature that no record had. "error": a `MissingFeatureError`,
            before any row if none of the first records has it, else at the end. A
            part (`shard`, `byte_range`) is judged by its own records. "ignore":
            nothing. First records of another message are a `MalformedError`
            for a spec, and with "ignore" an `OtherMessageWarning`.
        on_corrupt: "fail"; "skip" skips payloads with a wrong checksum and a
            record that the end of its file cuts; "rescan" also searches for the
            next record after a damaged header.
        on_row_error: "fail", or "skip" records that do not fit the spec.
        max_bad: how many regions and rows may be skipped; one more is an error.
        compression: "none", "gzip", "zlib", "snappy", "zstd", or "auto" to find
            out from the bytes.
        verify: check the checksums of payloads; those of headers always are.
        verify_unselected: check every byte of features that are not read, too.
            Otherwise a record that is malformed only there is a row like others
            (docs/semantics.md, E4); without `spec`, `schema` and `columns` all
            features are read.
        mmap: map files instead of reading them; they must not shrink meanwhile.
        drop_remainder: leave out a last batch that is shorter than the others.
        epochs: how often to read all; None: without end.
        bytes_as: the type of bytes in Arrow: "binary", "large" (64-bit offsets),
            "view" (no copy), or "string" (must be UTF-8).
        filesystem: an fsspec or pyarrow file system that has the paths.
        storage_options: arguments for the fsspec file system of the URLs, such as
            credentials.
        shuffle: a `Shuffle`, or True for `Shuffle(0)`: give the rows in a random
            order. Uncompressed files are read by number, as `Dataset` does, and
            compressed ones, too, if the Shuffle has blocks, unless it has a buffer,
            or bad rows or damage are to be skipped.
            Otherwise as many rows as the buffer holds, of 256 MiB by default, are
            shuffled at a time. What is given is a `ShuffledReader`.
        progress: show a bar over the stored bytes while the batches are iterated,
            if tqdm is installed, and of rows that are shuffled by number over the
            rows. There is none for Arrow streams.
        index: where compressed files can be inflated from is said by files that
            headrace writes, or by an index: "auto": the one beside a file if it is
            of this file; "required": a file without is a `NotFoundError`; None or
            "none": none; or the path of a folder that has the indexes. With it all
            `threads` inflate, ranges are found, and states resumed without reading
            what is before. Rows are the same. Only "required" lets an index divide
            a file among shards, since all of them must have it.
        write_index: write the index of each local file, beside it or in the folder
            `index`, when all of it has been read, unless a valid one is there. The
            file must be read as a whole: no shards, no range; and have no damage, except
            to payloads.
        limits: what a file may ask of this process, docs/limits.md:
            "max_batch_bytes" (1 GiB) is the memory of a batch, and so of a row,
            "max_record_bytes" (2^31 - 1) the size of a record, "max_inflated_bytes"
            (0: none) that of a compressed file, "max_reported" (1000) how many
            regions and rows a report lists.

    Raises:
        NotFoundError: a file does not exist, or no file matches.
        BadSpecError: the spec contradicts itself; `.feature` names the feature.
        InvalidArgumentError, ValueError, TypeError: an argument is wrong.
        SplitSeamError: a byte range does not end where the next one begins.
        DataError: here and while reading, with file, record and feature.
    """
    given = locals()
    if isinstance(paths, FileRanges):
        others = {k: v for k, v in given.items() if k != "paths"}
        if (nested := paths.open_nested(others)) is not None:
            return cast(Reader, nested)
        paths, spec = described(paths, spec, schema, message)
        given |= {"paths": paths, "spec": spec}
    if not isinstance(progress, bool):
        raise wrong_type("progress", "True or False", progress)
    chosen = shuffle_of(shuffle, 0)
    if chosen is not None:
        from headrace.reading.shuffled import open_shuffled

        more = {k: v for k, v in given.items() if k not in ("paths", "shuffle")}
        return cast(Reader, open_shuffled(paths, chosen, more))
    names, opener = files.resolve(paths, filesystem, storage_options)
    if opener is not None and _is_range(byte_range):
        opener = opener.for_part(*byte_range)
    selected = _columns(columns)
    found = isinstance(schema, FoundSchema)
    plan = _plan(spec, schema.schema if found else schema, message, selected)
    options = {
        "message": message,
        "columns": selected if plan is None else None,
        "batch_size": _batch_size(batch_size),
        "threads": threads,
        "shards": shards_of(shard),
        "byte_range": byte_range,
        "record_ranges": files.ranges_of(paths),
        "sample": sample,
        "sample_bytes": sample_bytes,
        "strict_columns": strict_columns,
        "on_absent": on_absent,
        # A feature that was not selected must not be reported as late.
        "plan_is_of_sample": found and selected is None,
        "on_corrupt": on_corrupt,
        "on_row_error": on_row_error,
        "max_bad": max_bad,
        "compression": compression,
        "verify": verify,
        "verify_unselected": verify_unselected,
        "mmap": mmap,
        "drop_remainder": drop_remainder,
        "epochs": 0 if epochs is None else whole_number("epochs", epochs, 1),
        "bytes_as": bytes_as,
        "write_index": write_index,
        **index_options(index),
        **limit_options(limits),
    }
    kind = _ReaderWithBar if progress else Reader
    return kind(names, plan, options, opener)


def _is_range(value: Any) -> bool:
    """False for what the core will refuse, too."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        return False
    begin, end = value
    return isinstance(begin, int) and (end is None or isinstance(end, int))


def _batch_size(batch_size: int | str) -> int:
    if batch_size == "auto":
        return _core.AUTO_BATCH_SIZE
    if isinstance(batch_size, str):
        raise InvalidArgumentError(
            f'batch_size must be a whole number or "auto", got {batch_size!r}'
        )
    return whole_number("batch_size", batch_size, 1)


def _columns(columns: Iterable[str] | None) -> list[str] | None:
    if columns is None:
        return None
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise wrong_type("columns", "a list of str", columns)
    names = list(columns)
    if not all(isinstance(name, str) for name in names):
        raise wrong_type("columns", "a list of str", names)
    if not names:
        raise InvalidArgumentError("columns must not be empty; None reads all")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgumentError(f"columns names {twice!r} twice")
    return names


def _plan(
    spec: Any,
    schema: Any,
    message: Message,
    columns: list[str] | None,
) -> _core.Plan | None:
    if spec is not None and schema is not None:
        raise TypeError("give a spec or a schema, not both")
    if schema is not None:
        return _core.Plan.columns_of_schema(schema_of(schema), message, columns)
    if spec is not None:
        return Plan.of(spec, message=message, columns=columns)
    return None
