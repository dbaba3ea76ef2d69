"""Batches as dicts of JAX arrays.

    import headrace as hr

    for batch in hr.jax.batches(hr.open("train-*.tfrecord", spec=spec)):
        loss = step(batch["x"], batch["ids"].values)

Needs jax.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy
import numpy

from headrace import _core
from headrace.by_name import by_name, splits_of
from headrace.errors import InvalidArgumentError

_WIDE = ("int64", "uint64", "float64")


class Ragged(NamedTuple):
    """Rows of any length: row i is `values[row_splits[i]:row_splits[i + 1]]`.

    Attributes:
        values: an array of all values.
        row_splits: integers, [B + 1]; for rows of rows a list of them, outermost
            first; the last one splits `values`.
    """

    values: Any
    row_splits: Any


def to_jax(batch: _core.Batch) -> dict[str, Any]:
    """The arrays of a batch on the CPU, by their names.

        >>> batch = next(headrace.open("train.tfrecord", spec=spec))
        >>> to_jax(batch)["age"]
        Array([37, 41], dtype=int32)

    Dense numbers are arrays that share the batch's memory; ragged ones, and
    columns read without a spec, are `Ragged`. Bytes are numpy arrays of objects,
    since JAX has no type for them. `jax.device_put` copies arrays to a device.

    Unless `jax_enable_x64` is set, JAX silently cuts 64-bit values to 32 bits:
    here that is an error. Splits and lengths, which always fit, become int32.

    Returns:
        A dict; of SequenceExamples three, "context", "sequence" and "lengths",
        the number of steps of each row of the dense feature lists.

    Raises:
        InvalidArgumentError: values of 64 bits, as above; or a sparse tensor,
            which JAX has none for.
    """
    if batch.message == "raw":
        return {"payload": batch["payload"].values.numpy()}
    return by_name(batch, _value, _counts)


def batches(reader: Iterable[_core.Batch]) -> Iterator[dict[str, Any]]:
    """`to_jax` of each batch of a reader; see there."""
    return map(to_jax, reader)


def _value(field: Any) -> Any:
    if isinstance(field, _core.SparseTensor):
        raise InvalidArgumentError(
            f'feature "{field.name}" is sparse, and JAX has no such arrays; read it '
            "as VarLenFeature with pad_to, or as RaggedFeature",
            feature=field.name,
        )
    if isinstance(field, _core.Tensor):
        return _array(field, field.name)
    values = _array(field.values, field.name)
    splits = [_counts(part) for part in splits_of(field)]
    return Ragged(values, splits if len(splits) > 1 else splits[0])


def _array(tensor: _core.Tensor, name: str) -> Any:
    if tensor.dtype == object:
        return tensor.numpy()
    if tensor.dtype.name in _WIDE and not jax.config.jax_enable_x64:
        raise InvalidArgumentError(
            f'feature "{name}" is {tensor.dtype.name}, which JAX would cut to 32 '
            'bits; read it as_=hr.int32, or call jax.config.update('
            '"jax_enable_x64", True)',
            feature=name,
        )
    return jax.numpy.from_dlpack(tensor)


def _counts(tensor: _core.Tensor) -> Any:
    if tensor.dtype.name in _WIDE and not jax.config.jax_enable_x64:
        return jax.numpy.asarray(tensor.numpy().astype(numpy.int32))
    return jax.numpy.from_dlpack(tensor)
