"""Rows by number for PyTorch: a map-style dataset, and a sampler of its batches."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Unpack

import torch
from torch.utils import data

from headrace.adapters.torch.crossing import carried, errors_of_worker
from headrace.adapters.torch.tensors import check_ragged, to_torch
from headrace.arguments import whole_number
from headrace.errors import InvalidArgumentError
from headrace.named import named
from headrace.options import DatasetOptions
from headrace.reading.batches import End, Positions, TakeOptions
from headrace.reading.dataset import Dataset, dataset_of, row_numbers
from headrace.shuffle import Shuffle
from headrace.warnings import SharedLanesWarning, warn_caller


class MapDataset(data.Dataset[Any]):
    """A map-style dataset: rows by number, singly or in batches.

        >>> dataset = MapDataset("train-*.tfrecord", spec=spec)
        >>> sampler = Sampler(dataset, 256, shuffle=True)
        >>> loader = DataLoader(dataset, batch_size=None, sampler=sampler,
        ...                     num_workers=4)

    A number returns the row as `headrace.Dataset` does, a dict of numpy values,
    which a loader with a `batch_size` or a `batch_sampler` collates. A list of
    numbers returns a batch of torch tensors, see `to_torch`: with `batch_size=None`
    and a `Sampler` a loader asks for such lists, which is the fastest way.

    Workers open the files themselves.

    Args:
        paths: a `headrace.Dataset`, or the paths for one.
        ragged: for batches, "values_and_offsets" or "nested"; see `to_torch`.
        transform: called with each dict of a row or a batch.
        options: the options of `headrace.Dataset`, for paths.

    Attributes:
        dataset: the `headrace.Dataset`.
    """

    def __init__(
        self,
        paths: Any,
        *,
        ragged: str = "values_and_offsets",
        transform: Callable[[dict[str, Any]], Any] | None = None,
        **options: Unpack[DatasetOptions],
    ) -> None:
        check_ragged(ragged)
        self.dataset = dataset_of(paths, options)
        self._ragged = ragged
        self._transform = transform

    def __len__(self) -> int:
        return len(self.dataset)

    def __repr__(self) -> str:
        return f"torch.Map{self.dataset!r}"

    def __getitem__(self, key: Any) -> Any:
        """Returns a row for a number, a batch of tensors for a list, an array or a
        slice."""
        with errors_of_worker():
            if isinstance(key, _Rows):
                rows = row_numbers(key, len(self.dataset))
                found = self.dataset._take(rows, key.how)
            else:
                found = self.dataset[key]
            if isinstance(found, dict):
                return self._transform(found) if self._transform else found
            found = to_torch(found, ragged=self._ragged)
            return carried(self._transform(found)) if self._transform else found

    def __getitems__(self, rows: list[int]) -> list[Any]:
        """Returns the rows with these numbers, read together, for collate."""
        with errors_of_worker():
            found = self.dataset.__getitems__(rows)
            # A map would end silently if the transform raised StopIteration.
            return [self._transform(row) for row in found] if self._transform else found


class _Rows(list[int]):
    """The row numbers of a batch. A loader sends them to a worker, together with the
    options that say which blocks to keep for the following batches."""

    how: TakeOptions


class Sampler(data.Sampler[list[int]]):
    """Yields the row numbers of each batch, one epoch after another.

        >>> sampler = Sampler(dataset, 256, shuffle=True, seed=7)
        >>> DataLoader(dataset, batch_size=None, sampler=sampler)    # batches
        >>> DataLoader(dataset, batch_sampler=sampler)               # rows, collated

    Each `iter` covers one epoch, and begins the same epoch again if not all of its
    batches were asked for. Ranks share the positions of an epoch as in
    `headrace.Dataset.batches`. Some trainers replace the sampler by their own; turn
    that off.

    Args:
        dataset: a `MapDataset` or a `headrace.Dataset`.
        batch_size, shuffle, seed, end, state: as in `headrace.Dataset.batches`.
        rank, world_size: both or neither; by default those that
            `torch.distributed` has when the sampler is iterated, or 0 and 1 if
            it is not initialized.
    """

    @named
    def __init__(
        self,
        dataset: MapDataset | Dataset,
        batch_size: int,
        *,
        shuffle: bool | Shuffle | None = None,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        end: End = "drop",
        state: Mapping[str, Any] | None = None,
    ) -> None:
        rows = dataset.dataset if isinstance(dataset, MapDataset) else dataset
        self._ranks = given_ranks(rank, world_size)
        self._make = functools.partial(
            Positions, len(rows), rows.fingerprint, batch_size, shuffle=shuffle,
            epochs=1, seed=seed, end=end,
        )
        # Epoch and position at which the next iterator begins, and those at which the
        # last one began. The last iterator may have ended already, since a loader asks
        # for batches in advance.
        self._begin = self._began = (0, 0)
        self._turn = 0  # positions per turn of a lane, from a loaded state
        self._now = self._positions()
        if (text := self._now.shared_lanes()) is not None:
            warn_caller(text, SharedLanesWarning)
        if state is not None:
            self.load_state_dict(state)

    def _positions(self) -> Positions:
        """Returns the positions of the next iterator."""
        rank, world_size = self._ranks or distributed()
        positions = self._make(rank=rank, world_size=world_size)
        if self._turn:
            positions.turn = self._turn
        positions.begin_at(self._begin)
        return positions

    def __iter__(self) -> Iterator[list[int]]:
        self._began = self._begin
        now = self._now = self._positions()
        return self._batches(now)

    def _batches(self, now: Positions) -> Iterator[list[int]]:
        while (rows := now.next_of_epoch()) is not None:
            numbers = _Rows(rows.tolist())
            numbers.how = now.how
            yield numbers
        if self._now is now:
            self._begin = (now.epoch + 1, 0)
            self._now = self._positions()

    def __len__(self) -> int:
        """Returns the number of batches of the next iterator: a whole epoch, or the
        rest of the epoch if the iterator begins in the middle of one."""
        return self._positions().steps_of_epoch(self._begin[1])

    def __repr__(self) -> str:
        now = self._positions()
        return (
            f"torch.Sampler(rows={now.rows}, batch_size={now.batch_size}, "
            f"epoch={now.epoch}, position={now.position})"
        )

    @property
    def epoch(self) -> int:
        """The epoch of the last iterator; once it has ended, the next epoch."""
        return self._now.epoch

    def set_epoch(self, epoch: int) -> None:
        """Makes the next iterator begin at the start of this epoch. If a loaded state
        is in the middle of this epoch, the iterator resumes there."""
        if epoch != self._begin[0]:
            self._begin = (whole_number("epoch", epoch, 0, 2**32), 0)
            self._now = self._positions()
        self._began = self._begin

    def state_dict(self, batches: int | None = None) -> dict[str, Any]:
        """Returns where the next batch begins; a state of `headrace.Dataset.batches`.

        Args:
            batches: how many batches of the last iterator the job has used; during a
                loop over a loader, how many of this loop. A loader with workers asks
                for more in advance. None: all that were asked for; if these were all of
                the epoch, the state is the beginning of the next epoch.

        Raises:
            InvalidArgumentError: the iterator has fewer batches.
        """
        if batches is None:
            return self._now.state_dict()
        now = self._positions()
        now.begin_at(self._began)
        return state_after(now, batches)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next iterator begin where a state of any rank was taken."""
        now = self._positions()
        now.load_together(state)
        self._begin = self._began = now.place
        self._turn = now.turn
        self._now = now


def state_after(positions: Positions, batches: int) -> dict[str, Any]:
    """Returns the state after this many batches of one loop over the positions."""
    if whole_number("batches", batches, 0):
        positions.skip(batches - 1)
        if positions.next_of_epoch() is None:
            raise InvalidArgumentError(
                f"the last iterator has fewer batches than {batches}; count "
                "those of one loop"
            )
    return positions.state_dict()


def given_ranks(rank: Any, world_size: Any) -> tuple[int, int] | None:
    """Returns the checked arguments `rank` and `world_size`; None if neither is
    given."""
    if (rank is None) != (world_size is None):
        raise InvalidArgumentError("give both rank and world_size, or neither")
    if rank is None:
        return None
    world_size = whole_number("world_size", world_size, 1, 2**32)
    return whole_number("rank", rank, 0, world_size), world_size


def distributed() -> tuple[int, int]:
    """Returns the rank and world size of this process."""
    group = torch.distributed
    if group.is_available() and group.is_initialized():
        return group.get_rank(), group.get_world_size()
    return 0, 1
