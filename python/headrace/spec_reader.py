"""From JSON to a Spec: docs/formats/spec.md."""

from __future__ import annotations

import base64
import binascii
import decimal
import json
import math
import typing

import numpy

from headrace import defaults, dtypes
from headrace.errors import BadSpecError
from headrace.features import PARTITIONS
from headrace.fields import short
from headrace.spec_writer import KINDS

# The fields of each kind and the arguments they are; the value_key of a ragged
# feature is its own, that of a sparse one is required.
_COMMON = {"name": "", "kind": "", "dtype": "dtype", "column": "column", "as": "as_"}
_FIELDS = {
    "fixed_len": {"shape": "shape", "default": "default_value"},
    "fixed_len_sequence": {
        "shape": "shape", "default": "default_value",
        "allow_missing": "allow_missing",
    },
    "var_len": {"pad_to": "pad_to", "truncate": "truncate"},
    "sparse": {
        "index_keys": "index_key", "value_key": "value_key", "size": "size",
        "already_sorted": "already_sorted", "check_indices": "check_indices",
    },
    "ragged": {
        "value_key": "value_key", "partitions": "partitions",
        "row_splits_dtype": "row_splits_dtype",
    },
}
_REQUIRED = {
    "fixed_len": ("shape",),
    "fixed_len_sequence": ("shape",),
    "var_len": (),
    "sparse": ("index_keys", "value_key", "size"),
    "ragged": (),
}


# The largest float32, and the least number that is rounded to infinity.
_LARGEST = 2.0**128 - 2.0**104
_OVERFLOW = 2**128 - 2**103


class _Decimal(str):
    """A number with a point or an exponent, as it is written."""


def _close(word: object, words: typing.Iterable[str]) -> str:
    from headrace.spec import _suggestion

    return _suggestion(word, words) if isinstance(word, str) else ""


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            raise BadSpecError(f'the key "{key}" is there twice')
        result[key] = value
    return result


def _no_constant(name: str) -> object:
    raise BadSpecError(f'{name} is no JSON; write "{name}", in quotes')


def _parse(text: str | bytes) -> object:
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"expected JSON as text, not a {type(text).__name__}")
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_pairs, parse_float=_Decimal,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        raise BadSpecError(
            f"line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except UnicodeDecodeError:
        raise BadSpecError("the text is not UTF-8") from None
    except BadSpecError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise BadSpecError(str(error)) from None
    except RecursionError:
        raise BadSpecError("too many lists and objects inside one another") from None


def round_once(text: str) -> float:
    """The float32 nearest to a decimal number, by way of no other number.

    A double that lies halfway between two float32 may not be the number that
    was written, so its rounding says nothing about that of the number.
    """
    wide = float(text)
    with numpy.errstate(over="ignore", under="ignore"):
        near = float(numpy.float32(wide))
    if wide == near:
        return near
    exact, halfway = decimal.Decimal(text), decimal.Decimal(wide)
    if math.isinf(near):
        below = abs(wide) == _OVERFLOW and abs(exact) < _OVERFLOW
        return math.copysign(_LARGEST, wide) if below else near
    with numpy.errstate(over="ignore", under="ignore"):
        toward = numpy.float32(math.copysign(math.inf, wide - near))
        other = float(numpy.nextafter(numpy.float32(near), toward))
    if wide - near == other - wide and exact != halfway:
        return max(near, other) if exact > halfway else min(near, other)
    return near


def _float_default(value: object) -> float:
    if isinstance(value, _Decimal) or type(value) is int:
        number = round_once(str(value))
        if not math.isfinite(number):
            raise BadSpecError(f'"default" has {short(value)}, which is no float')
        return number
    if value in ("NaN", "Infinity", "-Infinity"):
        return float(typing.cast(str, value))
    if isinstance(value, str) and len(value) == 10 and value.startswith("0x"):
        digits = value[2:]
        if all(digit in "0123456789abcdefABCDEF" for digit in digits):
            return defaults.float_of_bits(int(digits, 16))
    raise BadSpecError(
        f'"default" has {short(value)}; it takes numbers, "NaN", "Infinity", '
        '"-Infinity" or bits like "0x7fc00001"'
    )


def _int64_default(value: object) -> int:
    if type(value) is not int:
        raise BadSpecError(
            f'"default" has {short(value)}; it takes whole numbers, without \'.\' or '
            "exponent"
        )
    return value


def _bytes_default(value: object) -> bytes:
    if isinstance(value, str) and not isinstance(value, _Decimal):
        return value.encode()
    if isinstance(value, dict) and list(value) == ["b64"]:
        try:
            data = base64.b64decode(value["b64"], validate=True)
            if base64.b64encode(data).decode() == value["b64"]:
                return data
        except (TypeError, ValueError, binascii.Error):
            pass
    raise BadSpecError(
        f'"default" has {short(value)}; it takes strings, or {{"b64": "..."}}, base64 '
        "with its padding"
    )


_DEFAULT: dict[dtypes.DType, typing.Callable[[object], typing.Any]] = {
    dtypes.int64: _int64_default,
    dtypes.float32: _float_default,
    dtypes.bytes_: _bytes_default,
}


def _default(value: object, dtype: dtypes.DType) -> object:
    values = value if isinstance(value, list) else [value]
    converted = [_DEFAULT[dtype](item) for item in values]
    if dtype is not dtypes.float32:
        return converted
    # As an array, whose bits nothing rounds again.
    bits = [defaults.bits_of_float(item) for item in converted]
    return numpy.array(bits, numpy.uint32).view(numpy.float32)


def _partitions(value: object) -> list[object]:
    if not isinstance(value, list):
        raise BadSpecError('"partitions" takes a list')
    result = []
    for item in value:
        if not isinstance(item, dict) or len(item) != 1:
            raise BadSpecError('"partitions" takes objects of one key')
        name, argument = next(iter(item.items()))
        if name not in PARTITIONS:
            raise BadSpecError(
                f'unknown partition "{name}"{_close(name, PARTITIONS)}'
            )
        result.append(PARTITIONS[name](_plain(argument, name)))
    return result


def _plain(value: object, field: str) -> object:
    """Refuses what Python would take, but JSON's readers do not."""
    items = value if isinstance(value, list) else [value]
    if field in ("shape", "size", "pad_to", "uniform_row_length"):
        ok = all(type(i) is int and -(2**63) <= i < 2**63 for i in items)
    elif field in ("allow_missing", "truncate", "already_sorted", "check_indices"):
        ok = isinstance(value, bool)
    else:
        ok = all(type(i) is str for i in items)
    if field not in ("shape", "size", "index_keys"):
        ok = ok and not isinstance(value, list)
    if not ok:
        raise BadSpecError(f'"{field}" is {short(value)}, which it does not take')
    return value


_DTYPES = [dtype.value for dtype in dtypes.DType]


def _dtype(value: object, field: str) -> dtypes.DType:
    if type(value) is str and value in _DTYPES:
        return dtypes.DType(value)
    raise BadSpecError(f'"{field}" is {short(value)}{_close(value, _DTYPES)}')


def _check_fields(value: dict[str, object], kind: str) -> dict[str, str]:
    fields = _COMMON | _FIELDS[kind]
    for key in value:
        if key not in fields:
            raise BadSpecError(
                f'unknown field "{key}" of {kind}{_close(key, fields)}'
            )
    for key in ("dtype", *_REQUIRED[kind]):
        if key not in value:
            raise BadSpecError(f'field "{key}" is missing')
    return fields


def _feature(value: dict[str, object]) -> object:
    kind = value.get("kind")
    if type(kind) is not str or kind not in KINDS:
        what = "is missing" if kind is None else f"is {short(kind)}"
        raise BadSpecError(f'"kind" {what}{_close(kind, KINDS)}')
    fields = _check_fields(value, kind)
    dtype = _dtype(value["dtype"], "dtype")
    arguments: dict[str, typing.Any] = {"dtype": dtype}
    for key, item in value.items():
        if key in ("name", "kind", "dtype"):
            continue
        if key == "default":
            item = _default(item, dtypes.wire_dtype(dtype))
        elif key == "partitions":
            item = _partitions(item)
        elif key in ("as", "row_splits_dtype"):
            item = _dtype(item, key)
        else:
            item = _plain(item, key)
        arguments[fields[key]] = item
    return KINDS[kind](**arguments)


def _features(value: object, what: str) -> dict[str, object]:
    if not isinstance(value, list):
        raise BadSpecError(f'"{what}" takes a list of features')
    result: dict[str, object] = {}
    for i, item in enumerate(value):
        place = f'"{what}"[{i}]'
        if not isinstance(item, dict):
            raise BadSpecError(f"{place} is {short(item)}; it takes an object")
        name = item.get("name")
        if type(name) is not str:
            raise BadSpecError(f'{place}: "name" takes a string')
        if name in result:
            raise BadSpecError(f'feature "{name}" is listed twice', feature=name)
        try:
            result[name] = _feature(item)
        except (BadSpecError, UnicodeEncodeError) as error:
            message = getattr(error, "message", "a string is not UTF-8")
            raise BadSpecError(f'feature "{name}": {message}', feature=name) from None
    return result


def read(text: str | bytes, cls: type) -> typing.Any:
    """The Spec, an object of `cls`, of a JSON text; or BadSpecError."""
    top = _parse(text)
    if not isinstance(top, dict):
        raise BadSpecError('a spec is an object like {"features": [...]}')
    keys = ("message", "features", "sequence_features")
    for key in top:
        if key not in keys:
            raise BadSpecError(f'unknown field "{key}"{_close(key, keys)}')
    message = top.get("message", "example")
    if message not in ("example", "sequence_example"):
        raise BadSpecError(
            f'"message" is {short(message)}; it takes "example" or "sequence_example"'
        )
    if message == "sequence_example":
        return cls(
            _features(top.get("features", []), "features"),
            _features(top.get("sequence_features", []), "sequence_features"),
        )
    if "sequence_features" in top:
        raise BadSpecError('"sequence_features" are for "sequence_example"')
    if "features" not in top:
        raise BadSpecError('field "features" is missing')
    return cls(_features(top["features"], "features"))
