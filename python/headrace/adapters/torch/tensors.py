"""Converts batches to dicts of torch tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import torch

from headrace import _core
from headrace.adapters.by_name import by_name, splits_of
from headrace.adapters.kjt import to_kjt
from headrace.adapters.torch.crossing import Tensors
from headrace.errors import InvalidArgumentError
from headrace.plain import outside_size

_Shared: TypeAlias = Callable[[_core.Tensor], torch.Tensor]

RAGGED = ("values_and_offsets", "nested")


class Ragged(NamedTuple):
    """Rows of any length: row i is `values[offsets[i]:offsets[i + 1]]`.

    `torch.nn.EmbeddingBag(include_last_offset=True)` accepts it.

    Attributes:
        values: a tensor of all values, or a list of bytes.
        offsets: an integer tensor, [B + 1]; for rows of rows a list of such tensors,
            outermost first; the last one splits `values`.
    """

    values: Any
    offsets: Any


class Sparse(NamedTuple):
    """A sparse tensor of bytes, for which torch has no type.

    Attributes:
        indices: int64, [ndim, n], as in `torch.sparse_coo_tensor`.
        values: a list of n bytes objects.
        size: size of the tensor, ndim numbers.
    """

    indices: torch.Tensor
    values: list[bytes]
    size: list[int]


class Jagged(NamedTuple):
    """A `Jagged` group: the values of several features, key after key.

    Row r of key k is `values[offsets[k * B + r]:offsets[k * B + r + 1]]`.
    `torch.nn.EmbeddingBag(include_last_offset=True)` accepts values and offsets, and
    makes [keys * B, dim] of them. `to_kjt()` returns a `torchrec.KeyedJaggedTensor`.

    Attributes:
        keys: names of the features.
        values: a tensor of all values.
        lengths: an integer tensor, [keys * B].
        offsets: an integer tensor, [keys * B + 1].
        weights: float32, as many as values; None for a group without weights.
        length_per_key: the number of values of each key.
    """

    keys: list[str]
    values: torch.Tensor
    lengths: torch.Tensor
    offsets: torch.Tensor
    weights: torch.Tensor | None
    length_per_key: list[int]

    def to_kjt(self) -> Any:
        """Returns a `torchrec.KeyedJaggedTensor` of these tensors. Needs torchrec."""
        return to_kjt(self)

    def pin_memory(self) -> Jagged:
        """Returns a copy in pinned memory; tensors that are pinned are not copied."""
        weights = None if self.weights is None else self.weights.pin_memory()
        return self._replace(
            values=self.values.pin_memory(),
            lengths=self.lengths.pin_memory(),
            offsets=self.offsets.pin_memory(),
            weights=weights,
        )


def to_torch(
    batch: _core.Batch, *, ragged: str = "values_and_offsets"
) -> Tensors:
    """Returns the tensors of a batch, by name. Numbers are not copied.

        >>> batch = next(headrace.open("train.tfrecord", spec=spec))
        >>> to_torch(batch)["age"]
        tensor([37, 41])

    | in the batch | becomes |
    |---|---|
    | dense numbers | a tensor of the same shape and dtype |
    | dense bytes | a list of bytes, nested like the shape |
    | ragged, and columns read without a spec | `Ragged` |
    | sparse numbers | `torch.sparse_coo_tensor`; for bytes `Sparse` |
    | a jagged group | `Jagged` |
    | payloads read with `message="raw"` | a list of bytes, "payload" |

    Tensors keep the batch's memory alive, and may be written to. Two tensors made from
    the same key of the records may share memory.

    Args:
        batch: a batch of `headrace.open`.
        ragged: "nested" makes jagged `torch.nested` tensors from ragged numbers with
            one level; anything else stays `Ragged`.

    Returns:
        `Tensors`, a dict. For SequenceExamples it has three dicts: "context",
        "sequence" and "lengths", the number of steps in each row of the dense feature
        lists.

    Raises:
        BadSparseIndexError: an index is outside the size of a sparse tensor.
        InvalidArgumentError: `ragged` is neither of its two values.
    """
    check_ragged(ragged)
    return tensors_of(batch, ragged, shared, torch.from_numpy)


def tensors_of(
    batch: _core.Batch,
    ragged: str,
    shared: _Shared,
    array: Callable[[Any], torch.Tensor],
) -> Tensors:
    """Returns `to_torch` of a batch, with `shared` of its numbers and `array` of its
    arrays of numpy."""
    if batch.message == "raw":
        return Tensors(payload=batch.payloads())

    def value(field: Any) -> Any:
        if isinstance(field, _core.Tensor):
            return _values(field, shared)
        if isinstance(field, _core.SparseTensor):
            return _sparse(field, shared)
        if isinstance(field, _core.JaggedTensor):
            return _jagged(field, shared)
        return _ragged(field, ragged == "nested", shared)

    return Tensors(by_name(batch, value, shared, array))


def check_ragged(ragged: str) -> None:
    if ragged not in RAGGED:
        raise InvalidArgumentError(
            f'ragged must be one of "{RAGGED[0]}", "{RAGGED[1]}", got {ragged!r}'
        )


def shared(field: _core.Tensor) -> torch.Tensor:
    """Returns a tensor that shares the memory of the batch; of offsets and other
    structure, a copy."""
    # torch reads a capsule three times faster than an object that it asks for one.
    tensor: torch.Tensor = torch.from_dlpack(field.__dlpack__())
    return tensor


def _values(field: _core.Tensor, shared: _Shared) -> Any:
    if field.dtype == object:
        return field.tolist()
    return shared(field)


def _ragged(field: Any, nested: bool, shared: _Shared) -> Any:
    values = _values(field.values, shared)
    offsets = [shared(part) for part in splits_of(field)]
    if len(offsets) > 1:
        return Ragged(values, offsets)
    if not nested or isinstance(values, list):
        return Ragged(values, offsets[0])
    lengths = offsets[0].diff()
    return torch.nested.nested_tensor_from_jagged(
        values,
        offsets[0],
        # Without these lengths, torch pads to one column for each value.
        min_seqlen=int(lengths.min()),
        max_seqlen=int(lengths.max()),
    )


def _jagged(field: _core.JaggedTensor, shared: _Shared) -> Jagged:
    weights = field.weights
    return Jagged(
        field.keys,
        shared(field.values),
        shared(field.lengths),
        shared(field.offsets),
        None if weights is None else shared(weights),
        field.length_per_key,
    )


def _sparse(field: _core.SparseTensor, shared: _Shared) -> Any:
    indices, size = shared(field.indices), list(field.shape)
    values = _values(field.values, shared)
    if isinstance(values, list):
        return Sparse(indices.T, values, size)
    # torch crashes on a tensor with indices outside its size.
    outside = ((indices < 0) | (indices >= torch.tensor(size))).any(1)
    if outside.any():
        raise outside_size(field, indices[outside][0].tolist())
    return torch.sparse_coo_tensor(
        indices.T,
        values,
        size,
        check_invariants=False,
        is_coalesced=_ascends(indices),
    )


def _ascends(indices: torch.Tensor) -> bool:
    """Whether every row of indices, [n, ndim], is greater than the row before."""
    before, after = indices[:-1].unbind(1), indices[1:].unbind(1)
    ascends = torch.zeros(len(indices[1:]), dtype=torch.bool)
    for low, high in reversed(list(zip(before, after))):
        ascends = (low < high) | ((low == high) & ascends)
    return bool(ascends.all())
