"""Sends batches of torch tensors from one process to another in one piece, and errors
with all their fields.

torch sends each tensor separately, through a file and a socket, which takes longer than
reading most tensors of a batch.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import json
import math
from collections import OrderedDict
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

import torch
from torch.utils import _pytree
from torch.utils.data import get_worker_info
from torch.utils.data._utils import collate

from headrace import errors
from headrace.adapters.torch import slots
from headrace.errors import HeadraceError, InvalidArgumentError
from headrace.warnings import leave_telling_to_others

# Without a slot, the maximum number of bytes that are sent through the pipe, which is
# faster; larger batches are sent in new shared memory.
_MOST_IN_PIPE = 1 << 21
_ALIGNMENT = 64


@contextlib.contextmanager
def errors_of_worker() -> Iterator[None]:
    """Carries errors out of a worker of a loader with all their fields, and turns a
    StopIteration, which would end the loader, into an error. Only the first of several
    workers warns about features that the records lack."""
    worker = get_worker_info()
    if worker is not None and worker.id > 0:
        leave_telling_to_others()
    try:
        yield
    except StopIteration as error:
        stopped = RuntimeError("the transform raised StopIteration")
        # With a cause, contextlib would raise the cause.
        raise stopped.with_traceback(error.__traceback__) from None
    except HeadraceError as error:
        if get_worker_info() is None:
            raise
        raise _WorkerError(error).with_traceback(error.__traceback__) from None


class _WorkerError(Exception):
    """Carries a HeadraceError out of a worker of a loader.

    A loader sends the class and the text of the traceback, and calls the class with the
    text. So the text contains the fields, and calling the class returns the
    HeadraceError.
    """

    def __new__(cls, error: HeadraceError | str) -> Any:
        if isinstance(error, HeadraceError):
            return super().__new__(cls)
        traceback, _, line = error.rstrip().rpartition("\n")
        fields = json.loads(line.partition(": ")[2])
        restored = getattr(errors, fields.pop("class"))(**fields)
        restored.add_note(traceback)
        return restored

    def __init__(self, error: HeadraceError) -> None:
        base = next(c for c in type(error).__mro__ if c.__module__ == errors.__name__)
        super().__init__(json.dumps({"class": base.__name__, **error._fields()}))


class _Whole(dict[str, Any]):
    """A dict that is sent to another process as a whole. In a file it is pickled as an
    OrderedDict, which `torch.load` accepts without declaring headrace as trusted."""

    def __copy__(self) -> _Whole:
        return type(self)(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> _Whole:
        memo[id(self)] = copied = type(self)()
        copied.update((name, copy.deepcopy(item, memo)) for name, item in self.items())
        return copied

    def __reduce_ex__(self, protocol: Any) -> Any:
        return OrderedDict, (), None, None, iter(self.items())


class Tensors(_Whole):
    """A batch as a dict of tensors; made by `to_torch`.

    It is an ordinary dict, except that a worker of a `DataLoader` sends it to the
    training process as a whole, and that a loader does not batch it again.
    """


class Carried(_Whole):
    """A dict that arrives in another process as a plain dict."""


def carried(value: Any) -> Any:
    """Wraps a plain dict in a worker of a loader in a `Carried`, which is sent as a
    whole; returns any other value unchanged."""
    in_worker = type(value) is dict and get_worker_info() is not None
    return Carried(value) if in_worker else value


class _Here:
    """Replaces a tensor; the class itself is the marker."""


class _Turned(NamedTuple):
    """A transposed matrix, such as the indices of a sparse tensor."""

    matrix: Any


class _Coo(NamedTuple):
    """A sparse tensor."""

    indices: Any
    values: Any
    size: torch.Size
    is_coalesced: bool


def _pack(value: Any, taken: list[torch.Tensor]) -> Any:
    """Returns `value` with `_Here` in place of each tensor moved to `taken`; other
    tensors stay."""
    kind = type(value)
    if kind is torch.Tensor:
        return _pack_tensor(value, taken)
    if kind is dict or kind is Tensors:
        return kind([(name, _pack(item, taken)) for name, item in value.items()])
    if kind is list and value and not isinstance(value[0], (bytes, str)):
        return [_pack(item, taken) for item in value]
    if is_tuple(kind):
        return tuple_of(kind, [_pack(item, taken) for item in value])
    return value


def _pack_tensor(tensor: torch.Tensor, taken: list[torch.Tensor]) -> Any:
    if not tensor.is_cpu or tensor.requires_grad or tensor.is_nested:
        return tensor
    if tensor.is_sparse:
        indices = _pack(tensor._indices(), taken)
        values = _pack(tensor._values(), taken)
        return _Coo(indices, values, tensor.size(), tensor.is_coalesced())
    if tensor.layout is not torch.strided:
        return tensor
    if _is_plain(tensor):
        taken.append(tensor)
        return _Here
    if tensor.dim() == 2 and _is_plain(tensor.t()):
        taken.append(tensor.t())
        return _Turned(_Here)
    return tensor


def _is_plain(tensor: torch.Tensor) -> bool:
    """Whether the tensor is sent as nothing but its bytes. A tensor in shared memory is
    not, since torch sends it without a copy."""
    return (
        tensor.is_contiguous()
        and not tensor.is_quantized
        and not tensor.is_conj()
        and not tensor.is_neg()
        and not tensor.untyped_storage().is_shared()
    )


def _joined(tensors: list[torch.Tensor]) -> Any:
    """Returns what to send for the tensors: memory with all their bytes, each tensor
    aligned, or the `Place` of such memory."""
    sizes = [tensor.nbytes for tensor in tensors]
    total = sum(map(_aligned, sizes))
    memory, place = _memory(total)
    for tensor, size in zip(tensors, sizes, strict=True):
        ctypes.memmove(place, tensor.data_ptr(), size)
        place += _aligned(size)
    return memory


def _memory(size: int) -> tuple[Any, int]:
    """Returns what to send for these bytes, and the address to write them to."""
    # A loader receives each batch of a worker once, as slots require.
    if get_worker_info() is not None and (claimed := slots.claim(size)):
        return claimed
    memory: Any
    if size <= _MOST_IN_PIPE:
        memory = bytearray(size)
        return memory, ctypes.addressof((ctypes.c_char * size).from_buffer(memory))
    memory = torch.empty(size, dtype=torch.uint8).share_memory_()
    return memory, memory.data_ptr()


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _parted(memory: Any, kinds: list[tuple[Any, ...]]) -> Iterator[torch.Tensor]:
    """Yields the tensors in the memory, each with a storage of just its size."""
    if isinstance(memory, torch.Tensor):
        memory = memory.numpy()
    offset = 0
    for dtype, *size in kinds:
        count = math.prod(size)
        if count == 0:
            yield torch.empty(size, dtype=dtype)
            continue
        flat = torch.frombuffer(memory, dtype=dtype, count=count, offset=offset)
        yield flat if len(size) == 1 else flat.view(size)
        offset += _aligned(count * dtype.itemsize)


def is_tuple(kind: type[Any]) -> bool:
    """Whether `tuple_of` can make such tuples from other items."""
    return kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_make"))


def tuple_of(kind: Any, items: list[Any]) -> Any:
    return tuple(items) if kind is tuple else kind._make(items)


def _unpack(value: Any, tensors: Iterator[torch.Tensor]) -> Any:
    """Reverses `_pack`."""
    if value is _Here:
        return next(tensors)
    kind = type(value)
    if kind is dict or kind is Tensors:
        return kind([(name, _unpack(item, tensors)) for name, item in value.items()])
    if kind is list and value and not isinstance(value[0], (bytes, str)):
        return [_unpack(item, tensors) for item in value]
    if kind is _Coo:
        indices, values = _unpack(value.indices, tensors), _unpack(value.values, tensors)
        return torch.sparse_coo_tensor(
            indices, values, value.size, check_invariants=False,
            is_coalesced=value.is_coalesced,
        )
    if kind is _Turned:
        return _unpack(value.matrix, tensors).t()
    if is_tuple(kind):
        return tuple_of(kind, [_unpack(item, tensors) for item in value])
    return value


def _reduce(batch: dict[str, Any]) -> Any:
    taken: list[torch.Tensor] = []
    # The pickler calls this function for every such dict, so a plain dict is packed.
    packed = _pack(dict(batch), taken)
    kinds = [(tensor.dtype, *tensor.shape) for tensor in taken]
    kind = Tensors if isinstance(batch, Tensors) else dict
    offer = slots.offer() if get_worker_info() is not None else None
    return _rebuild, (kind, packed, kinds, _joined(taken), offer)


def _rebuild(
    kind: type[dict[str, Any]],
    packed: Any,
    kinds: list[tuple[Any, ...]],
    memory: Any,
    offer: slots.Place | None,
) -> dict[str, Any]:
    if offer:
        slots.accept(offer)
    if isinstance(memory, slots.Place):
        memory = slots.taken(memory)
    return kind(_unpack(packed, _parted(memory, kinds)))


def _refuse(batch: list[Any], **_: Any) -> Any:
    with errors_of_worker():
        raise InvalidArgumentError(
            "the dataset yields batches, and a loader with a batch_size would make "
            "batches of batches: give DataLoader batch_size=None, and the dataset the "
            "batch_size"
        )


for _kind in (Tensors, Carried):
    ForkingPickler.register(_kind, _reduce)
collate.default_collate_fn_map[Tensors] = _refuse
# Without this, torch's trees treat a `Tensors` as a leaf. Old versions lack the
# function.
if hasattr(_pytree, "register_pytree_node"):
    _pytree.register_pytree_node(
        Tensors,
        lambda batch: (list(batch.values()), list(batch)),
        lambda values, names: Tensors(zip(names, values, strict=True)),
    )
