"""`headrace.jax`: converts batches to JAX arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy
import numpy

from headrace import _core
from headrace.adapters.ahead import ReadAhead
from headrace.adapters.by_name import by_name, splits_of
from headrace.errors import InvalidArgumentError
from headrace.reading.dataset import Dataset

__all__ = ["Batches", "Jagged", "Ragged", "batches", "to_jax"]

_WIDE = ("int64", "uint64", "float64")


class Ragged(NamedTuple):
    """Rows of any length: row i is `values[row_splits[i]:row_splits[i + 1]]`.

    Attributes:
        values: an array of all values.
        row_splits: integers, [B + 1]; for rows of rows a list of such arrays,
            outermost first; the last one splits `values`.
    """

    values: Any
    row_splits: Any


class Jagged(NamedTuple):
    """A `Jagged` group: the values of its features, key after key.

    Row r of key k, of those in the spec, is
    `values[offsets[k * B + r]:offsets[k * B + r + 1]]`.

    Attributes:
        values: an array of all values.
        lengths: integers, [keys * B].
        offsets: integers, [keys * B + 1].
        weights: float32, as many as values; None for a group without weights.
    """

    values: Any
    lengths: Any
    offsets: Any
    weights: Any


def to_jax(batch: _core.Batch) -> dict[str, Any]:
    """Returns the arrays of a batch on the CPU, by name.

        >>> batch = next(headrace.open("train.tfrecord", spec=spec))
        >>> to_jax(batch)["age"]
        Array([37, 41], dtype=int32)

    Dense numbers are arrays that share the batch's memory; ragged numbers, and
    columns read without a spec, are `Ragged`, jagged groups `Jagged`. Bytes are numpy
    arrays of objects, since JAX has no type for them. `batches` copies arrays to a device.

    Unless `jax_enable_x64` is set, JAX silently cuts 64-bit values to 32 bits;
    here such values are an error. Splits and lengths, which always fit, become int32.

    Returns:
        A dict. For SequenceExamples it has three dicts: "context", "sequence" and
        "lengths", the number of steps in each row of the dense feature lists.

    Raises:
        InvalidArgumentError: a feature has 64-bit values, as above; or a tensor is
            sparse, for which JAX has no type.
    """
    if batch.message == "raw":
        return {"payload": batch["payload"].values.numpy()}
    return by_name(batch, _value, _counts, _of_numpy)


def batches(
    source: Iterable[_core.Batch], *, device: jax.Device | None = None
) -> Batches:
    """Returns an iterator over `to_jax` of each batch.

        >>> for batch in batches(ds.batches(256, shuffle=True, epochs=3)):
        ...     loss = step(batch["x"])

    Args:
        source: a reader of `headrace.open`, `headrace.Dataset.batches`,
            `headrace.mix`, or any iterable of batches.
        device: the device for the arrays. While one batch is used, the next batch is
            read and copied to the device. None: arrays stay on the CPU, and each batch
            is read when it is asked for.
    """
    return Batches(source, device)


class Batches(ReadAhead[dict[str, Any]]):
    """An iterator of dicts of JAX arrays; made by `batches`."""

    def __init__(
        self, source: Iterable[_core.Batch], device: jax.Device | None
    ) -> None:
        if isinstance(source, Dataset):
            raise TypeError("a Dataset yields rows; pass its batches, ds.batches(256)")
        super().__init__(source, 0 if device is None else 1)
        self._device = device

    def _make(self, batch: _core.Batch) -> dict[str, Any]:
        arrays = to_jax(batch)
        if self._device is None:
            return arrays
        put: dict[str, Any] = jax.tree.map(self._put, arrays)
        return put

    def _put(self, array: Any) -> Any:
        # The copy proceeds while the caller uses the previous batch.
        is_jax = isinstance(array, jax.Array)
        return jax.device_put(array, self._device) if is_jax else array


def _value(field: Any) -> Any:
    if isinstance(field, _core.SparseTensor):
        raise InvalidArgumentError(
            f'feature "{field.name}" is sparse, and JAX has no such arrays; read it '
            "as VarLenFeature with pad_to, or as RaggedFeature",
            feature=field.name,
        )
    if isinstance(field, _core.Tensor):
        return _array(field, field.name)
    if isinstance(field, _core.JaggedTensor):
        weights = field.weights
        return Jagged(
            _array(field.values, field.name),
            _counts(field.lengths),
            _counts(field.offsets),
            None if weights is None else _array(weights, field.name),
        )
    values = _array(field.values, field.name)
    splits = [_counts(part) for part in splits_of(field)]
    return Ragged(values, splits if len(splits) > 1 else splits[0])


def _array(tensor: _core.Tensor, name: str) -> Any:
    if tensor.dtype == object:
        return tensor.numpy()
    if tensor.dtype.name in _WIDE and not jax.config.jax_enable_x64:
        raise InvalidArgumentError(
            f'feature "{name}" is {tensor.dtype.name}, which JAX would cut to 32 '
            'bits; read it with as_=hr.int32, or call jax.config.update('
            '"jax_enable_x64", True)',
            feature=name,
        )
    return jax.numpy.from_dlpack(tensor)


def _of_numpy(array: numpy.ndarray[Any, Any]) -> jax.Array:
    """Converts an array; int64 becomes int32, since numbers of steps are far below
    2^31."""
    wide = array.dtype == numpy.int64
    return jax.numpy.asarray(array.astype(numpy.int32) if wide else array)


def _counts(tensor: _core.Tensor) -> Any:
    if tensor.dtype.name in _WIDE and not jax.config.jax_enable_x64:
        return jax.numpy.asarray(tensor.numpy().astype(numpy.int32))
    return jax.numpy.from_dlpack(tensor)
