"""From a Spec to JSON: docs/formats/spec.md."""

from __future__ import annotations

import base64
import json
import math
import typing

import numpy

from headrace import defaults, dtypes
from headrace.features import (
    PARTITIONS,
    Feature,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)

if typing.TYPE_CHECKING:
    from headrace.spec import Spec

_NAN = 0x7FC00000
_PARTITION_NAMES = {cls: name for name, cls in PARTITIONS.items()}


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _float(value: float) -> str:
    if math.isfinite(value):
        return str(numpy.float32(value))
    if math.isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    bits = defaults.bits_of_float(value)
    return '"NaN"' if bits == _NAN else f'"0x{bits:08x}"'


def _bytes(value: bytes) -> str:
    try:
        return _dump(value.decode())
    except UnicodeDecodeError:
        return _dump({"b64": base64.b64encode(value).decode()})


_VALUE: dict[dtypes.DType, typing.Callable[[typing.Any], str]] = {
    dtypes.int64: str, dtypes.float32: _float, dtypes.bytes_: _bytes,
}


def _defaults(feature: FixedLenFeature | FixedLenSequenceFeature) -> str:
    values: typing.Any = feature.default_value
    if not isinstance(values, tuple):
        values = (values,)
    write_value = _VALUE[feature.dtype]
    return "[" + ", ".join(write_value(value) for value in values) + "]"


def _partition(partition: typing.Any) -> dict[str, object]:
    is_length = isinstance(partition, RaggedFeature.UniformRowLength)
    return {
        _PARTITION_NAMES[type(partition)]: (
            partition.length if is_length else partition.key
        )
    }


def _own_fields(feature: Feature) -> dict[str, str]:
    """The fields of one kind, as JSON."""
    fields: dict[str, str] = {}
    if isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
        fields["shape"] = _dump(feature.shape)
        if feature.default_value is not None:
            fields["default"] = _defaults(feature)
    if isinstance(feature, FixedLenSequenceFeature):
        fields["allow_missing"] = _dump(feature.allow_missing)
    elif isinstance(feature, VarLenFeature):
        if feature.pad_to is not None:
            fields["pad_to"] = _dump(feature.pad_to)
        if feature.truncate:
            fields["truncate"] = "true"
    elif isinstance(feature, SparseFeature):
        fields["index_keys"] = _dump(feature.index_key)
        fields["value_key"] = _dump(feature.value_key)
        fields["size"] = _dump(feature.size)
        fields["already_sorted"] = _dump(feature.already_sorted)
        if feature.check_indices:
            fields["check_indices"] = "true"
    elif isinstance(feature, RaggedFeature):
        if feature.value_key is not None:
            fields["value_key"] = _dump(feature.value_key)
        fields["partitions"] = _dump(list(map(_partition, feature.partitions)))
        fields["row_splits_dtype"] = _dump(feature.row_splits_dtype.value)
    return fields


KINDS = {
    "fixed_len": FixedLenFeature,
    "fixed_len_sequence": FixedLenSequenceFeature,
    "var_len": VarLenFeature,
    "sparse": SparseFeature,
    "ragged": RaggedFeature,
}
_KIND_NAMES = {cls: name for name, cls in KINDS.items()}


def _feature(name: str, feature: Feature) -> str:
    kind = next(_KIND_NAMES[c] for c in type(feature).__mro__ if c in _KIND_NAMES)
    fields = {
        "name": _dump(name),
        "kind": _dump(kind),
        "dtype": _dump(feature.dtype.value),
        **_own_fields(feature),
    }
    if feature.column is not None:
        fields["column"] = _dump(feature.column)
    if feature.as_ is not None:
        fields["as"] = _dump(feature.as_.value)
    return "{" + ", ".join(f'"{key}": {text}' for key, text in fields.items()) + "}"


def write(spec: Spec) -> str:
    """The JSON of `spec`; reading it gives an equal one."""
    lists = {"features": spec.features}
    if spec.message == "sequence_example":
        lists["sequence_features"] = spec.sequence_features
    text = f'{{"message": "{spec.message}"'
    for key, features in lists.items():
        lines = ",".join(f"\n  {_feature(*item)}" for item in features.items())
        text += f',\n "{key}": [{lines}' + ("\n ]" if features else "]")
    return text + "}\n"
