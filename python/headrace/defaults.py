"""Converts default values of features: flat, and of the types that records hold."""

from __future__ import annotations

import math
import operator
import struct

import numpy

from headrace import dtypes
from headrace.arguments import is_masked
from headrace.errors import BadSpecError
from headrace.fields import short

_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1


def float_of_bits(bits: int) -> float:
    """Returns the number with these 32 bits; the payload of a NaN is kept.

    A NaN never becomes a float32 here, since hardware would quiet a signaling NaN.
    """
    if bits >> 23 & 0xFF == 0xFF and bits & 0x7FFFFF:
        wide = (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
        return struct.unpack("<d", struct.pack("<Q", wide))[0]
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of_float(value: float) -> int:
    """Returns the 32 bits of a number that is a float32 value or a NaN."""
    if not math.isnan(value):
        return struct.unpack("<I", struct.pack("<f", value))[0]
    wide = struct.unpack("<Q", struct.pack("<d", value))[0]
    payload = wide >> 29 & 0x7FFFFF
    return wide >> 63 << 31 | 0x7F800000 | (payload or 0x400000)


def identity(value: object, dtype: dtypes.DType) -> object:
    """Returns a hashable key, equal for defaults that are the same bit for bit."""
    if value is None or dtype is not dtypes.float32:
        return value
    if isinstance(value, tuple):
        return tuple(map(bits_of_float, value))
    return bits_of_float(value)  # type: ignore[arg-type]


def _int64(value: object) -> int:
    if isinstance(value, numpy.floating) and value == numpy.trunc(value):
        number = int(value)  # an array of floats is cast, a Python float is not
    else:
        if isinstance(value, numpy.bool_):
            value = bool(value)
        number = operator.index(value)  # type: ignore[arg-type]
    if not _INT64_MIN <= number <= _INT64_MAX:
        raise BadSpecError(f"default_value has {number}, which does not fit an int64")
    return number


def _float32(value: object) -> float:
    if isinstance(value, numpy.float32):
        return float_of_bits(int(value.view(numpy.uint32)))
    if isinstance(value, numpy.generic):
        # kind V: bfloat16 of ml_dtypes.
        if value.dtype.kind not in "biufV" or value.dtype.name == "void":
            raise TypeError
    elif not isinstance(value, (int, float)):
        raise TypeError
    wide = float(value)  # type: ignore[arg-type]
    if math.isnan(wide):
        return float_of_bits(bits_of_float(wide))
    with numpy.errstate(over="ignore", under="ignore"):
        return float(numpy.float32(wide))


def _bytes(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes):
        raise TypeError
    return bytes(value)


_CONVERT = {dtypes.int64: _int64, dtypes.float32: _float32, dtypes.bytes_: _bytes}


def _collect(value: object, values: list) -> tuple[int, ...]:
    """Appends the elements of `value` to `values`; returns its shape."""
    if isinstance(value, (list, tuple, range)):
        shapes = {_collect(item, values) for item in value}
        if len(shapes) > 1:
            raise BadSpecError("default_value has rows of unequal length")
        return (len(value), *next(iter(shapes), ()))
    if hasattr(value, "__array__") and not isinstance(value, numpy.generic):
        if is_masked(value):
            raise BadSpecError("default_value has masked elements")
        array = numpy.asarray(value)
        values.extend(array.reshape(-1))
        return array.shape
    values.append(value)
    return ()


def flatten(value: object, dtype: dtypes.DType) -> tuple:
    """Returns `value`, a scalar, nested list or array, as flat values of `dtype`.

    Floats are rounded to float32 as TensorFlow rounds them; values beyond its range
    become infinite. Values of another type, or outside int64, raise BadSpecError.
    """
    values: list = []
    try:
        _collect(value, values)
    except RecursionError:
        raise BadSpecError("default_value is nested too deeply") from None
    convert = _CONVERT[dtype]
    converted = []
    for i, item in enumerate(values):
        try:
            converted.append(convert(item))
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, BadSpecError):
                raise
            reason = "too large" if isinstance(error, OverflowError) else (
                "not UTF-8" if isinstance(error, UnicodeEncodeError) else
                f"a {type(item).__name__}, not {dtype}"
            )
            raise BadSpecError(
                f"default_value has {short(item)} at {i}, which is {reason}"
            ) from None
    return tuple(converted)
