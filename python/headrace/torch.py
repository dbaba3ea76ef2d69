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
from headrace.arguments import shards_of
from headrace.errors import InvalidArgumentError
from headrace.plan import Plan
from headrace.torch_map import (
    MapDataset,
    Sampler,
    distributed,
    errors_of_worker,
    given_ranks,
)
from headrace.torch_tensors import Ragged, Sparse, check_ragged, to_torch

__all__ = ["Dataset", "MapDataset", "Ragged", "Sampler", "Sparse", "to_torch"]

_OPTIONS = inspect.signature(reader.open)


class Dataset(IterableDataset):
    """An iterable dataset of batches: dicts of torch tensors, see `to_torch`.

    It makes the batches itself, so a loader is told `batch_size=None`:

        >>> dataset = Dataset("train-*.tfrecord", spec=spec, batch_size=256)
        >>> loader = DataLoader(dataset, batch_size=None, num_workers=2)

    The ranks of a distributed job read disjoint parts of the records, and the
    workers of a loader parts of its rank's: whole files as long as each part gets
    one, otherwise a part of each file; see `shard` of `headrace.open`.

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
        self._paths = paths
        self._ragged = ragged
        self._transform = transform
        self._shards = shards_of(options.pop("shard", None))
        self._ranks = given_ranks(rank, world_size)
        self._options = options | _compiled(**options)
        self._reader: reader.Reader | None = None
        self._state: dict[str, Any] | None = None  # the next iterator begins there

    def __iter__(self) -> Iterator[Any]:
        """Opens the files; raises what `headrace.open` does."""
        state, self._state = self._state, None
        options = dict(self._options)
        if get_worker_info() is not None and options.get("threads") is None:
            options["threads"] = 1
        with errors_of_worker():
            shards = self._shards_here()
            self._reader = reader.open(self._paths, shard=shards or None, **options)
            if state:
                self._go_on(state, shards)
        return self._batches(self._reader)

    def state_dict(self) -> dict[str, Any]:
        """Where the next batch begins: a small dict that JSON can hold.

        `torchdata.stateful_dataloader.StatefulDataLoader` calls it in every
        worker. With several iterators it is about the one made last.
        """
        if self._reader is None:
            return dict(self._state or {})
        return {
            "shards": [list(shard) for shard in self._shards_here()],
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

    def _shards_here(self) -> list[tuple[int, int]]:
        """What divides the records down to the part that this process reads."""
        shards = [*self._shards, self._ranks or distributed()]
        worker = get_worker_info()
        if worker is not None:
            shards.append((worker.id, worker.num_workers))
        return shards_of(shards)

    def _go_on(self, state: dict[str, Any], shards: list[tuple[int, int]]) -> None:
        found = [tuple(shard) for shard in state["shards"]]
        if found != shards:
            raise InvalidArgumentError(
                f"the state is of shard {found}, and this is {shards}: ranks or "
                "workers are not as many as they were"
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
