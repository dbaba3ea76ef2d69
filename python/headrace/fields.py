"""Fields of features: checks of single values, and the base class of features."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeVar

from headrace.arguments import quoted
from headrace.errors import BadSpecError

_T = TypeVar("_T")


def short(value: object) -> str:
    """Returns the `repr`, cut to 40 characters."""
    try:
        text = repr(value)
    except ValueError:  # an int of more digits than Python prints
        return "a number"
    return text if len(text) <= 40 else text[:37] + "..."


def integer(value: object, what: str) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise BadSpecError(
            f"{what} is {short(value)}; it takes a whole number"
        ) from None
    if not -(2**63) <= number < 2**63:
        raise BadSpecError(f"{what} is {short(number)}, which does not fit an int64")
    return number


def dimensions(
    value: object, what: str, *, unknown: bool = False
) -> tuple[int, ...]:
    """Returns a shape or size as a tuple; a number means a list of one number. If
    `unknown`, an item may be None, which becomes -1."""
    if value is None:
        raise BadSpecError(f"{what} is missing")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    else:
        return (integer(number, what),)
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        items = list(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):  # ValueError: a TensorShape of unknown rank
        raise BadSpecError(
            f"{what} is {short(value)}; it takes a list of whole numbers"
        ) from None
    # Older TensorShapes of TensorFlow hold Dimension objects with a value.
    items = [getattr(item, "value", item) for item in items]
    if unknown:
        items = [-1 if item is None else item for item in items]
    if any(item is None for item in items):
        raise BadSpecError(
            f"{what} is {short(items)}; every dimension must be known. If the "
            "first one varies, use FixedLenSequenceFeature"
        )
    return tuple(integer(item, f"{what}[{i}]") for i, item in enumerate(items))


def text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise BadSpecError(f"{what} is {short(value)}; it takes a str")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadSpecError(f"{what} is {short(value)}, which is not UTF-8") from None
    return str(value)


def optional(
    check: Callable[[object, str], _T], value: object, what: str
) -> _T | None:
    """Returns what `check` makes of the value; None stays None."""
    return None if value is None else check(value, what)


def key_of_values(value: object) -> str:
    key = text(value, "value_key")
    if not key:
        raise BadSpecError("value_key is empty")
    return key


def flag(value: object, what: str) -> bool:
    if type(value).__name__ not in ("bool", "bool_"):
        raise BadSpecError(f"{what} is {short(value)}; it takes True or False")
    return bool(value)


class Record:
    """A frozen object; its fields are the annotations of its class."""

    # Fields that a repr shows only if they have a value.
    _OWN = (
        "validate", "column", "as_", "pad_to", "truncate", "check_indices",
        "as_bits", "encoding", "item_shape", "item_shape_key", "group", "present",
        "first_n", "last_n", "weight_key", "sequence", "map",
    )
    # Further fields of this kind that only one class has.
    _OPTIONAL: tuple[str, ...] = ()

    def _set(self, **fields: object) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed: {name!r}")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{name}={quoted(value)}"
            for name, value in self.__dict__.items()
            if name not in self._OWN + self._OPTIONAL
            or not (value is None or value is False or value == ())
        )
        return f"{type(self).__qualname__}({fields})"

    def _key(self) -> tuple:
        """Returns the key by which objects are compared and hashed."""
        return tuple(self.__dict__.values())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._key() == other._key()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self._key()))
