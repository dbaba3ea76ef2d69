"""Checks of arguments, and exceptions for those that a caller got wrong."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from headrace import _core
from headrace.errors import (
    InvalidArgumentError,
    NoSuchFeatureError,
    NoSuchRowError,
)


def wrong_type(what: str, expected: str, got: object, hint: str = "") -> TypeError:
    """The TypeError for an argument `what`: "WHAT: expected X, got T"."""
    # The text names the module: other libraries have a Schema, too.
    cls = type(got)
    found = cls.__qualname__
    if cls.__module__ != "builtins":
        found = f"{cls.__module__}.{found}"
    if isinstance(got, (list, tuple)) and len(repr(got)) <= 40:
        found = repr(got)  # one of its items has the wrong type
    return TypeError(f"{what}: expected {expected}, got {found}{hint}")


def whole_number(name: str, value: Any, least: int, limit: int = 2**64) -> int:
    """`value` as an int; TypeError, or InvalidArgumentError outside the range."""
    if isinstance(value, bool):
        raise wrong_type(name, "a whole number", value)
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong_type(name, "a whole number", value) from None
    if number < least:
        raise InvalidArgumentError(f"{name} must be at least {least}, got {number}")
    if number >= limit:
        raise InvalidArgumentError(f"{name} is too large, got {number}")
    return number


def is_masked(value: Any) -> bool:
    """Whether an array has masked elements, of which others would have the values
    under the mask."""
    return hasattr(value, "mask") and bool(np.ma.is_masked(value))


def check_unmasked(what: str, value: Any) -> None:
    """InvalidArgumentError for an array with masked elements."""
    if is_masked(value):
        raise InvalidArgumentError(
            f"{what}: some elements are masked; fill them or leave them out"
        )


def shards_of(shard: Any) -> list[tuple[int, int]]:
    """The argument `shard` as pairs (index, count), without those of count 1: each is
    a part of what the one before it left."""
    if shard is None:
        return []
    pairs = shard if _is_list(shard) and any(map(_is_list, shard)) else [shard]
    try:
        shards = [(operator.index(index), operator.index(count))
                  for index, count in pairs]
    except (TypeError, ValueError):
        shards = []
    if not shards or not all(0 <= index < count < 2**32 for index, count in shards):
        raise InvalidArgumentError(
            "shard must be (index, count), 0 <= index < count, or a list of such "
            f"pairs, got {shard!r}"
        )
    return [shard for shard in shards if shard[1] > 1]


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def suggestion(name: str, names: Iterable[str]) -> str:
    """`; did you mean "..."?`, or nothing."""
    return _core.did_you_mean(name.encode(errors="replace").decode(), list(names))


def no_such_feature(name: object, names: list[str]) -> NoSuchFeatureError:
    """The exception for `name`, which is none of `names`."""
    if not isinstance(name, str):
        return NoSuchFeatureError(
            f"name of a feature: expected a str, got {name!r:.80}. A batch has features "
            "by name; some of its rows are batch[NAME].numpy()[rows], or "
            "pyarrow.record_batch(batch).take(rows), .filter(mask)"
        )
    hint = suggestion(name, names)
    return NoSuchFeatureError(f'there is no feature "{name}"{hint}', feature=name)


def no_such_row(row: int, rows: int) -> NoSuchRowError:
    """The exception for `row`, which is none of so many."""
    return NoSuchRowError(f"there is no row {row}, counted from 0, of {rows}")


def index_options(index: Any) -> dict[str, Any]:
    """What `index=` of `headrace.open` and `headrace.Dataset` is for the core."""
    if index == "auto":
        return {}
    if index == "required":
        return {"requires_index": True}
    if index is None or index == "none":
        return {"ignores_index": True}
    if not isinstance(index, (str, os.PathLike)):
        expected = '"auto", "required", "none" or the path of a folder'
        raise wrong_type("index", expected, index)
    folder = os.fsdecode(index)
    if not os.path.isdir(folder):
        raise InvalidArgumentError(
            f'index must be "auto", "required", "none" or a folder, got {folder!r}'
        )
    return {"index_directory": folder}


_LIMITS = (
    "max_record_bytes", "max_batch_bytes", "max_inflated_bytes", "max_reported",
)


# Of messages in memory, and of files of which no report is given.
LIMITS_OF_MESSAGES = ("max_record_bytes", "max_batch_bytes")
LIMITS_OF_COUNTING = ("max_record_bytes", "max_batch_bytes", "max_inflated_bytes")


def limit_options(
    limits: Any, known: tuple[str, ...] = _LIMITS
) -> dict[str, int]:
    """What `limits=` is for the core. `known` are those that have an effect."""
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise wrong_type("limits", "a dict", limits)
    for name in limits:
        if name not in known:
            hint = suggestion(str(name), known)
            raise InvalidArgumentError(
                f"limits are {', '.join(known)}, got {name!r}{hint}")
    return {name: whole_number(name, value, 0) for name, value in limits.items()}


def rows_of_batch(batch_size: int | str) -> int:
    """What `batch_size=` of `headrace.open` is for the core."""
    if batch_size == "auto":
        return _core.AUTO_BATCH_SIZE
    if isinstance(batch_size, str):
        raise InvalidArgumentError(
            f'batch_size must be a whole number or "auto", got {batch_size!r}'
        )
    return whole_number("batch_size", batch_size, 1)


def column_names(columns: Iterable[str] | None) -> list[str] | None:
    """The argument `columns` as a list, checked."""
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
