"""Writes arrays as `tensorflow.TensorProto`s, the bytes of tf.io.serialize_tensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy

from headrace import _core
from headrace.dtypes import DType

# Numbers of tensorflow.DataType.
_NUMBERS = {
    DType.float32: 1, DType.float64: 2, DType.int32: 3, DType.uint8: 4,
    DType.int16: 5, DType.int8: 6, DType.bytes_: 7, DType.int64: 9, DType.bool_: 10,
    DType.bfloat16: 14, DType.uint16: 17, DType.float16: 19, DType.uint32: 22,
    DType.uint64: 23,
}


class TensorFeatures:
    """The features of a plan whose values are TensorProtos."""

    def __init__(self, plan: _core.Plan | None) -> None:
        # By key in the record: the type, and whether a value is a list of arrays.
        self._features: dict[str, tuple[DType, bool]] = {}
        tensors = [] if plan is None else plan._tensors(len(plan.names))
        for (name, kind, arguments), in_sequence in tensors:
            if arguments.get("encoding") != "tensor_proto" or in_sequence:
                continue
            key = arguments["column"] or arguments.get("value_key") or name
            many = kind == "ragged" and bool(
                arguments.get("shape") or arguments["partitions"]
            )
            self._features[key] = DType.of(arguments["as_"]), many

    def serialized(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the record with TensorProtos in place of arrays. Values of bytes are
        TensorProtos already."""
        record = dict(record)
        for key, (dtype, many) in self._features.items():
            value = record.get(key)
            if value is None:
                continue
            values = value if many and not _is_bytes(value) else [value]
            record[key] = [_serialize(item, dtype, key) for item in values]
        return record


def _is_bytes(value: object) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview))


def _serialize(value: object, dtype: DType, key: str) -> bytes:
    if _is_bytes(value):
        return bytes(value)  # type: ignore[call-overload]
    try:
        if dtype is DType.bytes_:
            shape, texts = _strings(value)
            values = b"".join(_field(8, text) for text in texts)
        else:
            shape, content = _numbers(value, dtype)
            values = _field(4, content) if content else b""
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f'feature "{key}": {error}') from None
    dimensions = b"".join(_field(2, _dimension(size)) for size in shape)
    return b"\x08" + _varint(_NUMBERS[dtype]) + _field(2, dimensions) + values


def _numbers(value: object, dtype: DType) -> tuple[tuple[int, ...], bytes]:
    if isinstance(value, numpy.ma.MaskedArray):
        raise ValueError("an array with masked values cannot be written")
    array = numpy.asarray(value)
    if dtype is DType.bfloat16:
        return _bfloat16s(array)
    wanted = numpy.dtype(dtype.name.rstrip("_")).newbyteorder("<")
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"the spec says arrays of {dtype}, found {array.dtype.name}"
        )
    if array.dtype != wanted:
        with numpy.errstate(all="ignore"):
            converted = array.astype(wanted)
            if wanted.kind == "f":
                same = numpy.isfinite(converted) | ~numpy.isfinite(array)
            else:
                same = converted == array
        if not numpy.all(same):
            wrong = array[~same][0]
            raise OverflowError(f"{wrong} is not a value of {dtype}")
        array = converted
    return array.shape, array.tobytes()


def _bfloat16s(array: numpy.ndarray) -> tuple[tuple[int, ...], bytes]:
    if array.dtype.name != "bfloat16":
        raise TypeError(
            f"the spec says arrays of bfloat16, found {array.dtype.name}; "
            "astype(ml_dtypes.bfloat16) converts"
        )
    return array.shape, array.view(numpy.uint16).astype("<u2").tobytes()


def _strings(value: object) -> tuple[tuple[int, ...], list[bytes]]:
    array = numpy.asarray(value, dtype=None if hasattr(value, "__array__") else object)
    if array.dtype.kind not in "OT":
        raise TypeError(
            f"the spec says arrays of bytes, found {array.dtype.name}; "
            "use dtype=object"
        )
    texts = []
    for item in array.reshape(-1).tolist():
        if isinstance(item, str):
            item = item.encode()
        if not isinstance(item, bytes):
            raise TypeError(
                f"the spec says arrays of bytes, found {type(item).__name__}"
            )
        texts.append(item)
    return array.shape, texts


def _dimension(size: int) -> bytes:
    return b"\x08" + _varint(size) if size else b""


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
