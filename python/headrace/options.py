"""The options of reading: the table of the core, and their types for type checkers.

The table (src/read/reader/option_table.h) lists the options, each with the functions
that accept it. `open` and `Dataset` spell the options out; adapters accept `**options`
of these types.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

from headrace import _core
from headrace.arguments import suggestion, wrong_type
from headrace.errors import InvalidArgumentError
from headrace.shuffle import Shuffle

Message: TypeAlias = Literal[
    "auto", "example", "sequence", "raw", "elwc", "example_in_example"
]
OnCorrupt: TypeAlias = Literal["fail", "skip", "rescan"]
OnRowError: TypeAlias = Literal["fail", "skip"]
OnAbsent: TypeAlias = Literal["warn", "error", "ignore"]
Compression: TypeAlias = Literal["auto", "none", "gzip", "zlib", "snappy", "zstd"]
BytesAs: TypeAlias = Literal["binary", "large", "view", "string"]
BatchSize: TypeAlias = int | Literal["auto"]


class Option(NamedTuple):
    """A row of the table."""

    name: str
    kind: str  # type of its value, such as "flag", "count" or "name"
    default: Any
    values: list[str]  # the names that are allowed as its value
    takers: list[str]  # the entries that accept it: "reader", "dataset", "part" ...
    refusal: str  # why parts do not accept it
    is_core: bool  # the core accepts it, too


TABLE: Mapping[str, Option] = {row[0]: Option(*row) for row in _core.read_options()}


def taken_by(taker: str) -> dict[str, Option]:
    """Returns the keywords of `headrace.open` that a taker also accepts."""
    return {
        name: row for name, row in TABLE.items()
        if taker in row.takers and row.kind != "limit"
    }


def limits_of(taker: str) -> list[str]:
    """Returns the names that `limits=` of a taker may have."""
    return [
        name for name, row in TABLE.items()
        if taker in row.takers and row.kind == "limit"
    ]


def defaults(taker: str) -> dict[str, Any]:
    """Returns the keywords of `headrace.open` that a taker accepts, with their
    defaults."""
    return {name: row.default for name, row in taken_by(taker).items()}


def only(taker: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns those of `options` that a taker accepts."""
    known = taken_by(taker)
    return {name: value for name, value in options.items() if name in known}


def shards_of(shard: Any) -> list[tuple[int, int]]:
    """Returns the argument `shard` as pairs (index, count), without pairs of count 1.
    Each pair selects a part of what the pair before it selected."""
    if shard is None:
        return []
    _core.check_options({"shard": shard})
    pairs = shard if isinstance(shard[0], (list, tuple)) else [shard]
    return [(operator.index(index), operator.index(count))
            for index, count in pairs if count > 1]


_INDEX = ("auto", "required", "none")


def index_of(index: Any) -> Any:
    """Returns `index=` of `headrace.open`: one of _INDEX, or the path of an existing
    folder. Values of other types are left for the core to refuse."""
    if index is None:
        return "none"
    if index in _INDEX or not isinstance(index, (str, os.PathLike)):
        return index
    folder = os.fsdecode(index)
    if not os.path.isdir(folder):
        raise InvalidArgumentError(
            f'"index" is "{folder}"; it takes "auto", "required", "none" or a folder'
        )
    return folder


def for_workers(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options for processes that may have another working directory."""
    index = index_of(options.get("index", "auto"))
    if index in _INDEX or not isinstance(index, str):
        return dict(options)
    return {**options, "index": os.path.abspath(index)}


def core_options(taker: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns those options for the core that `taker` accepts, with each limit as a
    separate option. The core checks their values."""
    found = {
        name: given[name] for name, option in taken_by(taker).items()
        if option.is_core and name in given
    }
    if "index" in found:
        found["index"] = index_of(found["index"])
    limits = given.get("limits")
    if limits is None:
        return found
    if not isinstance(limits, Mapping):
        raise wrong_type("limits", "a dict", limits)
    known = limits_of(taker)
    for name in limits:
        if name not in known:
            hint = suggestion(str(name), known)
            raise InvalidArgumentError(f"limits are {', '.join(known)}, got {name!r}{hint}")
    return {**found, **limits}


class CommonOptions(TypedDict, total=False):
    """Options of all readers."""

    filesystem: Any
    index: str | os.PathLike[str] | None
    limits: Mapping[str, int] | None
    mmap: bool
    storage_options: Mapping[str, Any] | None
    verify: bool


class RecordOptions(CommonOptions, total=False):
    """Options of readers that read records in the order of the files."""

    compression: Compression
    on_corrupt: OnCorrupt
    on_row_error: OnRowError


class ColumnOptions(CommonOptions, total=False):
    """Options of readers that decode, except those that name the columns."""

    bytes_as: BytesAs
    on_absent: OnAbsent
    sample: int
    sample_bytes: int
    strict_columns: bool
    verify_unselected: bool


class PartOptions(RecordOptions, ColumnOptions, total=False):  # type: ignore[misc]
    """Options whose meaning is the same for a whole read and for a part of it that an
    engine such as Spark, Ray or Beam has cut."""

    columns: Sequence[str] | None
    message: Message
    schema: Any
    spec: Any


class DatasetOptions(ColumnOptions, total=False):
    """The keywords of `headrace.Dataset`."""

    allocator: Any
    columns: Sequence[str] | None
    message: Message
    progress: bool
    schema: Any
    spec: Any
    threads: int | None


class StatsOptions(RecordOptions, total=False):
    """Options with which `headrace.stats` reads files."""

    byte_range: tuple[int, int | None] | None
    max_bad: int | None
    shard: tuple[int, int] | Sequence[tuple[int, int]] | None
    threads: int | None


class FolderOptions(RecordOptions, ColumnOptions, total=False):  # type: ignore[misc]
    """The keywords of `headrace.open`, except those that a TFDS folder decides."""

    batch_size: BatchSize
    drop_remainder: bool
    epochs: int | None
    max_bad: int | None
    progress: bool
    shard: tuple[int, int] | Sequence[tuple[int, int]] | None
    shuffle: bool | Shuffle | None
    threads: int | None
    write_index: bool


class ReadingOptions(FolderOptions, total=False):
    """The keywords of `headrace.open`."""

    allocator: Any
    byte_range: tuple[int, int | None] | None
    columns: Sequence[str] | None
    message: Message
    schema: Any
    spec: Any
