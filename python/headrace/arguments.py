"""Exceptions for arguments that a caller got wrong."""

from __future__ import annotations

from headrace.errors import NoSuchFeatureError, NoSuchRowError


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


def no_such_feature(name: object, names: list[str]) -> NoSuchFeatureError:
    """The exception for `name`, which is none of `names`."""
    if not isinstance(name, str):
        return NoSuchFeatureError(f"name of a feature: expected a str, got {name!r}")
    import difflib

    near = difflib.get_close_matches(name, names, 1)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    return NoSuchFeatureError(f'there is no feature "{name}"{hint}', feature=name)


def no_such_row(row: int, rows: int) -> NoSuchRowError:
    """The exception for `row`, which is none of so many."""
    return NoSuchRowError(f"there is no row {row}, counted from 0, of {rows}")
