"""Batches of torch tensors on a CUDA device, copied in advance on a stream of their
own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch

from headrace import _core
from headrace.adapters.ahead import CopiedAhead
from headrace.adapters.torch.copies import copied
from headrace.arguments import whole_number, wrong_type
from headrace.errors import InvalidArgumentError
from headrace.reading.dataset import Dataset


def cuda_batches(
    source: Iterable[Any],
    device: Any = "cuda",
    *,
    prefetch: int = 2,
    out: dict[str, Any] | None = None,
) -> CudaBatches:
    """Returns an iterator over copies of batches on a CUDA device.

        >>> dataset = Dataset("train-*.tfrecord", spec=spec, pin_memory=True)
        >>> with cuda_batches(dataset, "cuda") as batches:
        ...     for batch in batches:
        ...         loss = model(batch["dense"], batch["ids"])

    While the device computes, the next batches are copied on a stream of their own. So
    the host does not wait for copies from pinned memory (`pin_memory=True` of `Dataset`
    or of a loader); others copy in the time of the host. Tensors that are views of one
    storage are copied together. What the source yields may be dicts, lists and tuples of
    tensors, also within one another, such as `Jagged`; and what has the methods `to`
    and `record_stream`, such as a `KeyedJaggedTensor`. Bytes, strings and all else are
    passed on as they are.

    Use a batch on the stream that is current when it is returned. On another stream,
    call `wait_stream` of that stream, and `record_stream` of the tensors.

    Args:
        source: a `Dataset`, a loader, or any other iterable of batches, for one loop.
        device: a device of CUDA, as for `torch.device`; without a number, the current
            one.
        prefetch: how many batches are copied in advance. There are up to this number and
            one more on the device, and two more on the host.
        out: the batch to copy into, for CUDA graphs: a dict of tensors on the device,
            nested as the batches of the source are. Every batch has then its names, shapes
            and types, and only tensors; all yielded batches are `out` itself. A copy waits
            for the work that is on the stream which was current for the last batch.

    Raises:
        InvalidArgumentError: the CUDA device does not exist; prefetch is out of range;
            a tensor of out is on another device. Later, in the place of a batch: it does not fit
            out.
        TypeError: source is not iterable, or yields rows.
    """
    if isinstance(source, Dataset):
        raise wrong_type(
            "source", "batches of torch tensors", source,
            ": its rows are for headrace.torch.Dataset, or MapDataset and a loader",
        )
    prefetch = whole_number("prefetch", prefetch, 0, 2**16)
    found = cuda_device(device)
    if out is not None:
        check_out(out, found)
    return CudaBatches(source, _Cuda(found), prefetch, out)


class CudaBatches(CopiedAhead):
    """An iterator of batches on a CUDA device; made by `cuda_batches`.

    It is also a context manager: `close` waits for the copies that were made in advance.
    One thread may use it at a time.
    """

    def _make(self, batch: Any) -> Any:
        if isinstance(batch, _core.Batch):
            raise wrong_type(
                "source", "batches of torch tensors", batch,
                ": use headrace.torch.Dataset, or to_torch of each batch",
            )
        if self._out is not None:
            check_fits(batch, self._out)
        return super()._make(batch)


class _Cuda:
    """The calls to a CUDA device; see `Device`."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._side = torch.cuda.Stream(device)

    def copy(self, batch: Any) -> tuple[Any, list[Any]]:
        with torch.cuda.stream(self._side):
            return copied(batch, self._copy_of)

    def _copy_of(self, tensor: Any) -> Any:
        if isinstance(tensor, torch.Tensor) and not tensor.is_cpu:
            if tensor.device == self._device:
                return tensor
            raise InvalidArgumentError(
                f"source: a tensor is on {tensor.device}, and batches go from the host "
                f"to {self._device}"
            )
        return tensor.to(self._device, non_blocking=True)

    def fill(self, out: Any, copied: Any) -> None:
        fill(out, copied)

    def current(self) -> torch.cuda.Stream:
        return torch.cuda.current_stream(self._device)

    def record(self, stream: Any = None) -> torch.cuda.Event:
        event = torch.cuda.Event()
        event.record(self._side if stream is None else stream)
        return event

    def wait(self, stream: Any, event: Any) -> None:
        stream.wait_event(event)

    def use(self, memory: Any, stream: Any) -> None:
        memory.record_stream(stream)

    def passed(self, event: Any) -> bool:
        return bool(event.query())

    def synchronize(self) -> None:
        self._side.synchronize()


def cuda_device(device: Any) -> torch.device:
    """Returns a device of CUDA with its number; raises InvalidArgumentError if there is
    none."""
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise InvalidArgumentError(f"device: {device!r} is none of torch") from error
    if found.type != "cuda":
        raise InvalidArgumentError(f'device: expected one of CUDA, got "{found}"')
    if not torch.cuda.is_available():
        raise InvalidArgumentError(
            f'device: "{found}" is asked for, and torch finds no device of CUDA here'
        )
    count = torch.cuda.device_count()
    number = torch.cuda.current_device() if found.index is None else found.index
    if number >= count:
        raise InvalidArgumentError(f'device: "{found}" is asked for, of {count} devices')
    return torch.device("cuda", number)


def check_out(out: Any, device: torch.device, where: str = "out") -> None:
    """Raises unless `out` is a dict of tensors on the device."""
    if not isinstance(out, Mapping):
        raise wrong_type(where, "a dict of tensors", out)
    for name, item in out.items():
        inner = f"{where}[{name!r}]"
        if not isinstance(item, torch.Tensor):
            check_out(item, device, inner)
        elif item.device != device:
            raise InvalidArgumentError(f"{inner} is on {item.device}, not on {device}")


def check_fits(batch: Any, out: Mapping[str, Any], where: str = "batch") -> None:
    """Raises InvalidArgumentError unless a batch has the tensors of `out`, of the same
    shapes and types."""
    if not isinstance(batch, Mapping):
        raise InvalidArgumentError(f"{where}: out= takes dicts, got {_kind(batch)}")
    for name in [*batch, *(name for name in out if name not in batch)]:
        inner = f"{where}[{name!r}]"
        if name not in batch or name not in out:
            missing = "out" if name in batch else "the batch"
            raise InvalidArgumentError(f"{inner}: {missing} has no such name")
        got, place = batch[name], out[name]
        if not isinstance(place, torch.Tensor):
            check_fits(got, place, inner)
        elif not isinstance(got, torch.Tensor) or got.is_nested or got.is_sparse:
            raise InvalidArgumentError(
                f"{inner} is {_kind(got)}, and out= takes dense tensors, whose shape is "
                "the same in each batch"
            )
        elif got.shape != place.shape or got.dtype != place.dtype:
            raise InvalidArgumentError(
                f"{inner} is {_form(got)}, and out has {_form(place)}; "
                "drop_remainder=True leaves out a last batch of fewer rows"
            )


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of layout {value.layout}"
    return f"a {type(value).__name__}"


def _form(tensor: torch.Tensor) -> str:
    return f"{tensor.dtype} of shape {list(tensor.shape)}"


def fill(out: Mapping[str, Any], copied: Mapping[str, Any]) -> None:
    """Copies the tensors of a batch into those of `out`."""
    for name, place in out.items():
        if isinstance(place, torch.Tensor):
            place.copy_(copied[name], non_blocking=True)
        else:
            fill(place, copied[name])
