"""Checks arguments, makes the exceptions for wrong ones, and shows values in texts."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from headrace import _core
from headrace.errors import (
    InvalidArgumentError,
    NoSuchFeatureError,
    NoSuchRowError,
)


def wrong_type(what: str, expected: str, got: object, hint: str = "") -> TypeError:
    """Returns the TypeError for an argument `what`: "WHAT: expected X, got T"."""
    # The text names the module, since other libraries have a Schema, too.
    cls = type(got)
    found = cls.__qualname__
    if cls.__module__ != "builtins":
        found = f"{cls.__module__}.{found}"
    if isinstance(got, (list, tuple)) and len(repr(got)) <= 40:
        found = repr(got)  # one of its items has the wrong type
    return TypeError(f"{what}: expected {expected}, got {found}{hint}")


def check_flag(name: str, value: object) -> None:
    """Raises TypeError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise wrong_type(name, "True or False", value)


def whole_number(name: str, value: Any, least: int, limit: int = 2**64) -> int:
    """Returns `value` as an int. Raises TypeError for another type, and
    InvalidArgumentError for a number outside [least, limit)."""
    takes = f"it takes a whole number from {least} to {limit - 1}"
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        shown = f"a {type(value).__qualname__}"
        if isinstance(value, str):
            shown = f'"{value}"'
        elif isinstance(value, (bool, float)):
            shown = repr(value).lower()
        raise TypeError(f'"{name}" is {shown}; {takes}')
    if not least <= number < limit:
        raise InvalidArgumentError(f'"{name}" is {number}; {takes}')
    return number


def is_masked(value: Any) -> bool:
    """Whether an array has masked elements. Such arrays are refused, since otherwise
    the values under the mask would be used."""
    return hasattr(value, "mask") and bool(np.ma.is_masked(value))


def check_unmasked(what: str, value: Any) -> None:
    """Raises InvalidArgumentError for an array with masked elements."""
    if is_masked(value):
        raise InvalidArgumentError(
            f"{what}: some elements are masked; fill them or leave them out"
        )


def suggestion(name: str, names: Iterable[str]) -> str:
    """Returns `; did you mean "..."?`, or an empty text."""
    return _core.did_you_mean(name.encode(errors="replace").decode(), list(names))


def no_such_feature(name: object, names: list[str]) -> NoSuchFeatureError:
    """Returns the exception for `name`, which is not among `names`."""
    if not isinstance(name, str):
        return NoSuchFeatureError(
            f"name of a feature: expected a str, got {name!r:.80}. A batch has features "
            "by name; to get some of its rows, use batch[NAME].numpy()[rows], or "
            "pyarrow.record_batch(batch).take(rows) or .filter(mask)"
        )
    hint = suggestion(name, names)
    return NoSuchFeatureError(f'there is no feature "{name}"{hint}', feature=name)


def no_such_row(row: int, rows: int) -> NoSuchRowError:
    """Returns the exception for a `row` that is not one of the `rows` rows."""
    return NoSuchRowError(f"there is no row {row}: there are {rows} rows, counted from 0")


def column_names(columns: Any) -> list[str] | None:
    """Returns the argument `columns` as a list, checked."""
    if columns is None:
        return None
    is_list = isinstance(columns, Iterable) and not isinstance(columns, str)
    names = list(columns) if is_list else columns
    _core.check_options({"columns": names})
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgumentError(f"columns: {twice!r} occurs twice")
    return names


def escaped(text: str) -> str:
    """Escapes the characters that the program and the pages of statistics escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if _core.is_visible(ord(c)) else c.encode("unicode_escape").decode()
        for c in text
    )


def quoted(value: object) -> str:
    """Returns the `repr`, and also escapes the invisible characters that it keeps."""
    return escaped(repr(value))
