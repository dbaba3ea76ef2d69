"""Types of the values in records and in tensors.

Wherever headrace accepts such a type it also accepts other spellings: "float",
numpy.float32, float, tf.float32.
"""

from __future__ import annotations

import enum

import numpy

from headrace.arguments import suggestion
from headrace.errors import BadSpecError

__all__ = [
    "DType", "bytes_", "float32", "int64", "int32", "int16", "int8", "uint64",
    "uint32", "uint16", "uint8", "float16", "bfloat16", "float64", "bool_",
]


class DType(enum.Enum):
    """Type of the values of a feature or a tensor; `.value` is its name in JSON."""

    bytes_ = "bytes"
    float32 = "float"
    int64 = "int64"
    int32 = "int32"
    int16 = "int16"
    int8 = "int8"
    uint64 = "uint64"
    uint32 = "uint32"
    uint16 = "uint16"
    uint8 = "uint8"
    float16 = "float16"
    bfloat16 = "bfloat16"
    float64 = "float64"
    bool_ = "bool"

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    @classmethod
    def of(cls, value: object, what: str = "dtype") -> DType:
        """Returns the type that `value` names: a DType, str, Python, numpy or tf type.

        Any other value raises BadSpecError, with a suggestion.
        """
        if isinstance(value, cls):
            return value
        if value is None:
            raise BadSpecError(f"{what} is missing")
        name = _name_of(value)
        if name in _SPELLINGS:
            return _SPELLINGS[name]
        text = f"{what} is {value!r}, which is not a type of headrace"
        if isinstance(value, str):
            text += suggestion(value, _SPELLINGS)
        raise BadSpecError(text)


_SPELLINGS = {dtype.name: dtype for dtype in DType} | {
    dtype.value: dtype for dtype in DType
}
_SPELLINGS |= {"string": DType.bytes_, "half": DType.float16}

_PYTHON_TYPES = {
    bool: "bool", int: "int64", float: "float", bytes: "bytes", str: "bytes",
}


def _name_of(value: object) -> str | None:
    """Returns the name that numpy, TensorFlow or the caller has for a type."""
    if isinstance(value, str):
        return value
    if isinstance(value, type) and value in _PYTHON_TYPES:
        return _PYTHON_TYPES[value]
    # numpy's names of text types contain the length.
    if isinstance(value, numpy.dtype) or (
        isinstance(value, type) and issubclass(value, numpy.generic)
    ):
        dtype = numpy.dtype(value)
        return "bytes" if dtype.kind in "SUO" else dtype.name
    name = getattr(value, "name", None)  # tf.DType
    return name if isinstance(name, str) else None


bytes_ = DType.bytes_
float32 = DType.float32
int64 = DType.int64
int32 = DType.int32
int16 = DType.int16
int8 = DType.int8
uint64 = DType.uint64
uint32 = DType.uint32
uint16 = DType.uint16
uint8 = DType.uint8
float16 = DType.float16
bfloat16 = DType.bfloat16
float64 = DType.float64
bool_ = DType.bool_

WIRE = (int64, float32, bytes_)


def wire_dtype(value: object) -> DType:
    """Like `DType.of`, but accepts only the types that records hold."""
    dtype = DType.of(value)
    if dtype not in WIRE:
        raise BadSpecError(
            f"dtype is {dtype}; records hold int64, float32 or bytes_. `as_` sets "
            f"the type of the tensor"
        )
    return dtype
