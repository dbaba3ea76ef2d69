"""Batches in memory that torch has pinned, for copies to a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from numpy.typing import NDArray

from headrace import _core
from headrace.adapters.torch.copies import view
from headrace.errors import InvalidArgumentError


class PinnedAllocator:
    """An allocator for batches whose memory is pinned tensors of torch.

    `views_of` returns tensors that are views of these, and not from DLPack: torch keeps
    memory from reuse while a copy reads it only if the tensor's storage is its own. So
    `Tensor.to(non_blocking=True)` is safe, even if batch and tensors are dropped at once.
    """

    def allocate(self, size: int) -> NDArray[Any]:
        return _allocate(size).numpy()


def views_of(batch: Any) -> Callable[[_core.Tensor], torch.Tensor]:
    """Returns a function that returns numbers of a batch as a pinned tensor: a view of
    the memory of `PinnedAllocator`, or a copy of what headrace holds elsewhere.

    Offsets are views, too, so nobody may use the batch itself once they are written to.
    """
    slabs = [
        (slab.base.untyped_storage(), range(address, address + size))
        for slab, address, size in batch._slabs()
    ]

    def shared(field: Any) -> torch.Tensor:
        dtype, begin = _dtype(field), field._address
        for storage, places in slabs:
            if begin in places:
                return view(storage, dtype, begin - storage.data_ptr(), field.shape)
        return pinned_copy(torch.from_dlpack(field.__dlpack__()))

    return shared


def pinned_copy(tensor: torch.Tensor) -> torch.Tensor:
    """Returns a copy of a tensor in pinned memory."""
    memory = _allocate(tensor.nbytes)
    return memory.view(tensor.dtype).view(tensor.shape).copy_(tensor)


def pinned_array(array: NDArray[Any]) -> torch.Tensor:
    """Returns a copy of an array in pinned memory."""
    return pinned_copy(torch.from_numpy(array))


def check_accelerator() -> None:
    """Raises InvalidArgumentError if torch can pin no memory here."""
    # Old versions of torch have CUDA alone.
    if not getattr(torch, "accelerator", torch.cuda).is_available():
        raise InvalidArgumentError(
            "pin_memory: torch finds no accelerator here, and pins memory only for one"
        )


def _allocate(size: int) -> torch.Tensor:
    return torch.empty(size, dtype=torch.uint8, pin_memory=True)


def _dtype(field: _core.Tensor) -> torch.dtype:
    # numpy may not know the type.
    name = field.dtype.name.replace("void16", "bfloat16")
    found: torch.dtype = getattr(torch, name)
    return found
