"""Copies batches of torch tensors, those that share memory in one piece."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import torch

from headrace.adapters.torch.crossing import is_tuple, tuple_of

# To copy up to this many bytes in vain takes less time than another copy.
_NEAR = 1 << 16
# Views begin at the same offset from a multiple of this as the tensors that they copy.
_ALIGNMENT = 256

Copy = Callable[[Any], Any]


def copied(batch: Any, copy_of: Copy) -> tuple[Any, list[Any]]:
    """Returns a copy of a batch, and the pieces of memory that it is in.

    Tensors that are views of one storage are views of one copy, as far as they are
    near each other. Dicts, lists and tuples hold the tensors, and what else has the
    methods `to` and `record_stream`; all other values are the same objects.

    Args:
        copy_of: copies a tensor or such an object.
    """
    found: list[Any] = []

    def collect(tensor: Any) -> Any:
        found.append(tensor)
        return tensor

    mapped(batch, collect)
    copies, memory = _copies(found, copy_of)
    following = iter(copies)
    return mapped(batch, lambda _: next(following)), memory


def mapped(value: Any, change: Copy) -> Any:
    """Returns the tree of a batch with `change` of each tensor in it."""
    if isinstance(value, torch.Tensor) and value.layout is torch.sparse_coo:
        indices, values = change(value._indices()), change(value._values())
        return torch.sparse_coo_tensor(
            indices, values, value.size(), check_invariants=False,
            is_coalesced=value.is_coalesced(),
        )
    if hasattr(value, "record_stream") and hasattr(value, "to"):
        return change(value)
    if isinstance(value, dict):
        changed = copy.copy(value)
        changed.update([(name, mapped(item, change)) for name, item in value.items()])
        return changed
    if isinstance(value, list) and value and not isinstance(value[0], (bytes, str)):
        return [mapped(item, change) for item in value]
    if is_tuple(type(value)):
        return tuple_of(type(value), [mapped(item, change) for item in value])
    return value


class _Span(NamedTuple):
    """The bytes of a tensor in its storage."""

    begin: int
    end: int
    place: int  # of the tensor in the list of all


def _copies(tensors: list[Any], copy_of: Copy) -> tuple[list[Any], list[Any]]:
    """Returns a copy of each tensor, and the pieces of memory of all copies."""
    copies: list[Any] = [None] * len(tensors)
    memory: list[Any] = []
    storages: dict[int, list[_Span]] = {}
    for place, tensor in enumerate(tensors):
        if (span := _span(tensor, place)) is not None:
            storages.setdefault(tensor.untyped_storage()._cdata, []).append(span)
    for run in (run for spans in storages.values() for run in _runs(sorted(spans))):
        if len(run) == 1:
            continue
        piece, begin = _piece(tensors[run[0].place], run, copy_of)
        memory.append(piece)
        for span in run:
            like = tensors[span.place]
            copies[span.place] = _view(like, piece, span.begin - begin)
    for place, tensor in enumerate(tensors):
        if copies[place] is None:
            copies[place] = copy_of(tensor)
            memory += _memory_of(copies[place])
    return copies, memory


def _span(tensor: Any, place: int) -> _Span | None:
    """Returns where a tensor is in its storage; None if it must be copied alone."""
    if (
        type(tensor) is not torch.Tensor
        or not tensor.is_cpu
        or tensor.layout is not torch.strided
        or tensor.is_nested
        or tensor.requires_grad
        or tensor.is_quantized
        or tensor.is_conj()
        or tensor.is_neg()
        or tensor.numel() == 0
    ):
        return None
    last = sum(
        (size - 1) * stride
        for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    begin = tensor.storage_offset() * tensor.itemsize
    end = begin + (last + 1) * tensor.itemsize
    if end - begin > tensor.nbytes + _NEAR:
        return None  # a few columns of a wide matrix, for example
    return _Span(begin, end, place)


def _runs(spans: Iterable[_Span]) -> Iterator[list[_Span]]:
    """Yields runs of spans, sorted by their begin, that are near each other."""
    run: list[_Span] = []
    end = 0
    for span in spans:
        if run and span.begin - end > _NEAR:
            yield run
            run = []
        run.append(span)
        end = max(end, span.end)
    yield run


def _piece(of: torch.Tensor, run: list[_Span], copy_of: Copy) -> tuple[Any, int]:
    """Returns a copy of the bytes of a run, and where they begin in the storage."""
    begin = run[0].begin - run[0].begin % _ALIGNMENT
    size = max(span.end for span in run) - begin
    return copy_of(view(of.untyped_storage(), torch.uint8, begin, (size,))), begin


def _view(like: torch.Tensor, piece: torch.Tensor, begin: int) -> torch.Tensor:
    return view(piece.untyped_storage(), like.dtype, begin, like.shape, like.stride())


def view(
    storage: torch.UntypedStorage,
    dtype: torch.dtype,
    begin: int,
    shape: Iterable[int],
    strides: Iterable[int] | None = None,
) -> torch.Tensor:
    """Returns a tensor that is part of a storage, by default a dense one.

    Args:
        begin: its first byte, a multiple of the size of a value.
    """
    empty = torch.empty(0, dtype=dtype, device=storage.device)
    where = (storage, begin // dtype.itemsize, tuple(shape))
    return empty.set_(*where) if strides is None else empty.set_(*where, tuple(strides))


def _memory_of(copied: Any) -> list[Any]:
    if isinstance(copied, torch.Tensor) and copied.layout is torch.jagged:
        return [copied.values(), copied.offsets()]
    return [copied]
