"""Batches in memory that torch has pinned, for copies to a device."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import torch
from numpy.typing import NDArray

from headrace import _core
from headrace.adapters.torch.copies import view
from headrace.errors import InvalidArgumentError


class Pinned:
    """An allocator for batches whose memory is pinned tensors of torch.

    Tensors of a batch are views of these. torch keeps memory that a copy still reads from
    reuse only if it knows the storage of the tensor as its own, which one from DLPack is
    not. So memory is safe once it has been given to `Tensor.to(non_blocking=True)`, even
    if batch and tensors are dropped. Any thread may allocate.
    """

    def __init__(self) -> None:
        # By address. The array is what headrace keeps while it needs the memory.
        self._slabs: dict[int, weakref.ref[NDArray[Any]]] = {}

    def __reduce__(self) -> Any:
        return Pinned, ()

    def allocate(self, size: int) -> NDArray[Any]:
        """Returns memory of this size; raises what torch raises, such as RuntimeError
        when no memory can be pinned."""
        array = _allocate(size).numpy()
        address = array.ctypes.data
        forget = functools.partial(self._forget, address)
        self._slabs[address] = weakref.ref(array, forget)
        return array

    def _forget(self, address: int, _: object) -> None:
        self._slabs.pop(address, None)

    def shared(self, field: _core.Tensor) -> torch.Tensor:
        """Returns numbers of a batch that this has allocated, as a pinned tensor.

        It is a view of the batch's memory, and for what headrace holds elsewhere a copy.
        Offsets are a view, too, so nobody else may use the batch."""
        dtype, address = _place(field)
        size = field.size * dtype.itemsize
        for begin, reference in list(self._slabs.items()):
            slab = reference()
            if slab is not None and 0 <= address - begin <= slab.nbytes - size:
                storage = slab.base.untyped_storage()
                return view(storage, dtype, address - storage.data_ptr(), field.shape)
        return pinned_copy(torch.from_dlpack(field.__dlpack__()))


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


def _place(field: _core.Tensor) -> tuple[torch.dtype, int]:
    """Returns the type of a tensor of numbers, and the address of its first value."""
    name = field.dtype.name
    if name in ("bfloat16", "void16"):  # which numpy may not know
        shared = torch.from_dlpack(field.__dlpack__())
        return shared.dtype, shared.data_ptr()
    return getattr(torch, name), field.numpy().ctypes.data
