"""Reads TFRecord files as a dataset of PyTorch.

    import headrace as hr
    from torch.utils.data import DataLoader

    dataset = hr.torch.Dataset("train-*.tfrecord", spec=spec, batch_size=256)
    for batch in DataLoader(dataset, batch_size=None, num_workers=2):
        loss = model(batch["age"], batch["tags"])

It needs torch; docs/guides/pytorch.md is its guide.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data import IterableDataset, get_worker_info

from headrace import reader
from headrace.errors import InvalidArgumentError
from headrace.plan import Plan
from headrace.torch_map import MapDataset, Sampler, distributed, errors_of_worker
from headrace.torch_tensors import Ragged, Sparse, check_ragged, to_torch

__all__ = ["Dataset", "MapDataset", "Ragged", "Sampler", "Sparse", "to_torch"]

_OPTIONS = inspect.signature(reader.open)


class Dataset(IterableDataset):
    """An iterable dataset of batches: dicts of torch tensors, see `to_torch`.

    It makes the batches itself, so a loader is told `batch_size=None`:

        >>> dataset = Dataset("train-*.tfrecord", spec=spec, batch_size=256)
        >>> loader = DataLoader(dataset, batch_size=None, num_workers=2)

    The workers of a loader, and the ranks of a distributed job, read disjoint
    parts of the records: whole files where there are at least as many as ranks
    times workers, otherwise runs of 16 records. Parts may differ in size by a
    file, or a run of each.

    Files are opened by the process that iterates, anew each time. A dataset can
    be pickled where its arguments can.

    Args:
        paths: as in `headrace.open`.
        ragged: "values_and_offsets" or "nested"; see `to_torch`.
        transform: called with each dict, in the worker; what it returns is what
            the dataset gives.
        rank, world_size: of this process, both or neither; without them those of
            `torch.distributed`, where it is initialized.
        options: all others of `headrace.open`: `spec`, `batch_size` and so on.
            `shard` is divided further; `threads` is 1 inside of a worker, where
            it is not given.

    Raises:
        BadSpecError: the spec contradicts itself.
        InvalidArgumentError: rank, world_size, shard or ragged has a value that
            is not allowed.
        TypeError: `headrace.open` has no such option.
        All else that `headrace.open` raises comes when the dataset is iterated;
        out of a worker, too, with all its fields.
    """

    def __init__(
        self,
        paths: Any,
        *,
        ragged: str = "values_and_offsets",
        transform: Callable[[dict[str, Any]], Any] | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        **options: Any,
    ) -> None:
        _OPTIONS.bind(paths, **options)
        check_ragged(ragged)
        if (rank is None) != (world_size is None):
            raise InvalidArgumentError("give both rank and world_size, or neither")
        self._paths = paths
        self._ragged = ragged
        self._transform = transform
        self._shard = options.pop("shard", None) or (0, 1)
        self._ranks = None if rank is None else (rank, world_size)
        self._options = options | _compiled(**options)
        self._reader: reader.Reader | None = None
        self._state: dict[str, Any] | None = None  # the next iterator begins there
        _part(self._shard, self._ranks or (0, 1))

    def __iter__(self) -> Iterator[Any]:
        """Opens the files; raises what `headrace.open` does."""
        state, self._state = self._state, None
        options = dict(self._options)
        if get_worker_info() is not None and options.get("threads") is None:
            options["threads"] = 1
        with errors_of_worker():
            shard = self._shard_here()
            self._reader = reader.open(self._paths, shard=shard, **options)
            if state:
                self._go_on(state, shard)
        return self._batches(self._reader)

    def state_dict(self) -> dict[str, Any]:
        """Where the next batch begins: a small dict that JSON can hold.

        `torchdata.stateful_dataloader.StatefulDataLoader` calls it in every
        worker. With several iterators it is about the one made last.
        """
        if self._reader is None:
            return dict(self._state or {})
        return {
            "shard": list(self._shard_here()),
            "reader": self._reader.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Lets the next iterator begin where `state` was taken.

        Iterating raises `InvalidArgumentError` unless the arguments, the rank and
        the worker, and the numbers of both, are the same.
        """
        self._reader = None
        self._state = dict(state)

    def _batches(self, batches: reader.Reader) -> Iterator[Any]:
        with errors_of_worker(), batches:
            for batch in batches:
                tensors = to_torch(batch, ragged=self._ragged)
                yield self._transform(tensors) if self._transform else tensors

    def _shard_here(self) -> tuple[int, int]:
        """The part of the records that this process reads: (index, count)."""
        shard = _part(self._shard, self._ranks or distributed())
        worker = get_worker_info()
        return shard if worker is None else _part(
            shard, (worker.id, worker.num_workers)
        )

    def _go_on(self, state: dict[str, Any], shard: tuple[int, int]) -> None:
        if tuple(state["shard"]) != shard:
            raise InvalidArgumentError(
                f"the state is of shard {tuple(state['shard'])}, and this is "
                f"{shard}: ranks or workers are not as many as they were"
            )
        self._reader.load_state_dict(state["reader"])

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_reader"] = None
        # A spawned process has not initialized torch.distributed.
        state["_ranks"] = self._ranks or distributed()
        return state


def _compiled(spec: Any = None, message: str = "auto", **_: Any) -> dict[str, Any]:
    """The compiled spec; a wrong one raises here, not in a worker."""
    if spec is None or isinstance(spec, Plan):
        return {}
    return {"spec": Plan(spec, message=message)}


def _part(shard: tuple[int, int], among: tuple[int, int]) -> tuple[int, int]:
    """The part of `shard` for one of several readers: `among` is (index, count).

    Records go to shards in turn, so the part has records of `shard` alone.
    """
    for index, count in (shard, among):
        if not 0 <= index < count:
            raise InvalidArgumentError(
                "shard and rank must be at least 0 and below their count, got "
                f"{index} of {count}"
            )
    return shard[0] + shard[1] * among[0], shard[1] * among[1]
