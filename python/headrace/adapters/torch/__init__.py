"""`headrace.torch`: datasets and samplers for PyTorch, and `to_torch` for batches."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Unpack

# torch seeds numpy.random in each worker. Because it is imported here, a forked worker
# need not import it: that import may fail in CPython before 3.11.8.
import numpy.random  # noqa: F401
import torch
from torch.utils.data import IterableDataset, get_worker_info

from headrace import _core, notebook
from headrace.adapters.torch.crossing import Tensors, carried, errors_of_worker
from headrace.adapters.torch.cuda import CudaBatches, cuda_batches
from headrace.adapters.torch.map_dataset import (
    MapDataset,
    Sampler,
    distributed,
    given_ranks,
    state_after,
)
from headrace.adapters.torch.pinned import (
    PinnedAllocator,
    check_accelerator,
    pinned_array,
    views_of,
)
from headrace.adapters.torch.tensors import (
    Jagged,
    Ragged,
    Sparse,
    check_ragged,
    shared,
    tensors_of,
    to_torch,
)
from headrace.arguments import check_flag, whole_number
from headrace.errors import InvalidArgumentError
from headrace.named import no_such_option
from headrace.options import ReadingOptions, shards_of, taken_by
from headrace.plan import Plan
from headrace.reading import opening
from headrace.reading.batches import Positions, is_apart
from headrace.reading.reader import Reader
from headrace.reading.shuffled import _Numbered, will_buffer
from headrace.reading.states import VERSION, checked_state
from headrace.shuffle import shuffle_of
from headrace.warnings import (
    NoCheckpointWarning,
    SharedLanesWarning,
    UnevenRanksWarning,
    warn_caller,
)

__all__ = [
    "CudaBatches", "Dataset", "Jagged", "MapDataset", "Ragged", "Sampler", "Sparse",
    "Tensors", "cuda_batches", "to_torch",
]

# Indices in `_shared`, the numbers that processes share. The three numbers before them
# say where the next iterator begins.
_IN_WORKERS = 3
_TOLD_OF_RANKS = 4
_TOLD_OF_BUFFER = 5
_TOLD_OF_LANES = 6
_TURN = 7


class Dataset(IterableDataset):
    """An iterable dataset of batches: dicts of torch tensors, see `to_torch`.

    It makes the batches itself, so a loader gets `batch_size=None`:

        >>> dataset = Dataset("train-*.tfrecord", spec=spec, batch_size=256)
        >>> loader = DataLoader(dataset, batch_size=None, num_workers=2)

    The ranks of a distributed job read disjoint parts of the records, and the workers
    of a loader divide the part of its rank. A worker reads whole files if there are
    enough for all workers, otherwise a part of each file; see `shard` of
    `headrace.open`.

    The process that iterates opens the files, each time it iterates. A dataset can
    be pickled if its arguments can.

    With `shuffle=` each loop reads the epoch that `set_epoch` chose, 0 at first:
    call it before each loop. A dataset cannot see how often a loader is iterated.

    Args:
        paths: as in `headrace.open`.
        ragged: "values_and_offsets" or "nested"; see `to_torch`.
        transform: called with each dict, in the worker; the dataset yields what it
            returns.
        rank, world_size: of this process, both or neither; by default those of
            `torch.distributed` if it is initialized.
        pin_memory: decode into memory that torch has pinned, so that tensors are copied
            to a device without another copy on the host, and while the host goes on; see
            `cuda_batches`. It needs a spec; bytes are not pinned. Not for workers of a
            loader: give it to the loader instead.
        options: all other options of `headrace.open`: `spec`, `batch_size` and so on.
            `shard` is divided further; `threads` is 1 by default inside a worker.

    Raises:
        BadSpecError: the spec contradicts itself.
        InvalidArgumentError: rank, world_size, shard or ragged has a value that
            is not allowed; or pin_memory is set, and torch finds no accelerator.
        TypeError: `headrace.open` has no such option.
        All other exceptions of `headrace.open` are raised when the dataset is
        iterated, with all their fields, even from a worker.
    """

    def __init__(
        self,
        paths: Any,
        *,
        ragged: str = "values_and_offsets",
        transform: Callable[[dict[str, Any]], Any] | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        pin_memory: bool = False,
        **options: Unpack[ReadingOptions],
    ) -> None:
        for name in options:
            if name not in taken_by("reader"):
                own = ("ragged", "transform", "rank", "world_size", "pin_memory")
                names = [*taken_by("reader"), *own]
                raise no_such_option("headrace.torch.Dataset", name, names)
        check_ragged(ragged)
        check_flag("pin_memory", pin_memory)
        self._pins = pin_memory
        if pin_memory:
            check_accelerator()
            if "allocator" in options:
                raise InvalidArgumentError("give either pin_memory or allocator")
        self._paths = paths
        self._ragged = ragged
        self._transform = transform
        self._shards = shards_of(options.pop("shard", None))
        self._ranks = given_ranks(rank, world_size)
        self._options = options | _compiled(**options)
        self._shuffle = shuffle_of(options.get("shuffle"), 0)
        self._reader: Reader | None = None
        self._began = (0, 0, 0)  # the place where the reader began
        self._state: dict[str, Any] | None = None  # of one shard, to resume from
        self._numbers: tuple[list[tuple[int, int]], Positions] | None = None
        # Numbers that processes share, since persistent workers must see the changes.
        # The first three say where the next iterator begins: the epoch that was set,
        # which is the first one of a loop, and the epoch and position to resume from.
        # The next numbers are flags: whether workers iterate, and for each warning
        # whether it was issued. The last number is the `turn` of a loaded state whose
        # order has lanes (docs/formats/order.md), otherwise 0.
        self._shared = torch.zeros(8, dtype=torch.int64).share_memory_()
        if self._shuffle and will_buffer(paths, self._shuffle, self._options):
            self._tell_of_buffer()

    def __iter__(self) -> Iterator[Any]:
        """Opens the files; raises the same exceptions as `headrace.open`."""
        worker = get_worker_info()
        with errors_of_worker():
            if self._pins and worker is not None:
                raise InvalidArgumentError(
                    "pin_memory: a worker of a loader cannot pin memory; give it to the "
                    "loader, DataLoader(pin_memory=True), and not to the dataset"
                )
            place = self._place
            opened = self._open_at(place, self._state)
        if worker is None:
            self._go_to((place[0], place[0], 0))
        self._shared[_IN_WORKERS] = worker is not None
        self._look(opened)
        self._state, self._began, self._reader = None, place, opened
        return self._batches(opened)

    def __repr__(self) -> str:
        hidden = ("spec", "storage_options")  # the second may have secret keys
        shown = {n: value for n, value in self._options.items() if n not in hidden}
        if self._ranks is not None:
            shown |= zip(("rank", "world_size"), self._ranks, strict=True)
        if self._pins:
            shown["pin_memory"] = True
        options = "".join(f", {name}={value!r}" for name, value in shown.items())
        plan = self._options.get("spec")
        features = notebook.plan_line(plan._core) if isinstance(plan, Plan) else ""
        return f"torch.Dataset({self._paths!r}{options}{features})"

    def _look(self, opened: Any) -> None:
        """Warns of problems that would be noticed too late during training."""
        worker = get_worker_info()
        rank, ranks = self._ranks or distributed()
        if rank > 0 or (worker is not None and worker.id > 0):
            return
        implied = self._shuffle is not None and self._shuffle.buffer is None
        if implied and getattr(opened, "buffered", False):
            self._tell_of_buffer()
        if isinstance(opened, _Numbered) and (text := opened.shared_lanes()):
            self._tell(_TOLD_OF_LANES, text, SharedLanesWarning)
        if ranks > 1 and self._options.get("epochs", 1) is not None:
            self._tell_of_ranks(opened, ranks)

    def _tell_of_buffer(self) -> None:
        self._tell(
            _TOLD_OF_BUFFER,
            "these rows are shuffled in a buffer instead of by number, for example "
            "because files are compressed and Shuffle has no blocks, rows are steps of "
            "episodes, or bad rows are skipped: state_dict(batches=) cannot return a "
            "state. Either set block in Shuffle (and write an index for the files), or "
            "set buffer and save the state of a "
            "torchdata.stateful_dataloader.StatefulDataLoader",
            NoCheckpointWarning,
        )

    def _tell_of_ranks(self, opened: Any, ranks: int) -> None:
        what = "ranks may have unequal numbers of batches"
        if isinstance(opened, _Numbered):
            batches = opened.batches_of_all()
            for index, count in self._shards if batches is not None else ():
                batches = max(0, -(-(batches - index) // count))
            if batches is None or batches % ranks == 0:
                return
            what = f"{ranks} ranks have unequal parts of {batches} batches"
        self._tell(
            _TOLD_OF_RANKS,
            f"{what}: a rank that works in step with others, as under "
            "DistributedDataParallel, waits forever for one that has ended. Parts are "
            'equal with hr.torch.Sampler(end="drop") or end="pad"; with '
            "drop_remainder=True, if rows are shuffled by number; or with epochs=None, "
            "if you count steps",
            UnevenRanksWarning,
        )

    def _tell(self, place: int, text: str, category: type[Warning]) -> None:
        if not self._shared[place]:
            self._shared[place] = 1
            warn_caller(text, category)

    def _open_at(
        self, place: tuple[int, int, int], state: Mapping[str, Any] | None
    ) -> Reader:
        shards = self._shards_here()
        if state is not None and state["shards"] != _lists(shards):
            raise InvalidArgumentError(
                f"the state was taken in shard {state['shards']}, and this process "
                f"reads shard {_lists(shards)}: the number of ranks or workers has "
                "changed. If rows are read by number, state_dict(batches=) returns a "
                "state that fits any number"
            )
        begin, epoch, position = place
        opened = self._open(shards, begin)
        if state is not None:
            opened.load_state_dict(state["reader"])
        elif self._shuffle and epoch and hasattr(opened, "begin_epoch"):
            opened.begin_epoch(epoch)
        elif self._shuffle and (epoch or position or self._turn):
            # The state of a buffer has no position; a state without lanes has no turn.
            go_on = {"epoch": epoch} | ({"position": position} if position else {})
            go_on |= {"turn": self._turn} if self._turn else {}
            opened.load_state_dict(opened.state_dict() | go_on)
        return opened

    def _open(self, shards: list[tuple[int, int]], begin: int) -> Reader:
        options: dict[str, Any] = dict(self._options)
        if self._pins:
            options["allocator"] = PinnedAllocator()
        if get_worker_info() is not None and options.get("threads") is None:
            options["threads"] = 1
        epochs = options.get("epochs", 1)
        if self._shuffle and epochs is not None:
            options["epochs"] = begin + whole_number("epochs", epochs, 1)
        return opening.open(self._paths, shard=shards or None, **options)

    @property
    def epoch(self) -> int:
        """The first epoch of the next loop."""
        return self._place[0]

    def set_epoch(self, epoch: int) -> None:
        """Makes the next loop begin with this epoch, which has its own order. If a
        loaded state is in the middle of this epoch, the loop resumes there.

        Call it before each loop over a loader, even one with `persistent_workers`.
        Without `shuffle` all epochs are the same.
        """
        if whole_number("epoch", epoch, 0, 2**32) != self.epoch:
            self._go_to((epoch, epoch, 0))

    def state_dict(self, batches: int | None = None) -> dict[str, Any]:
        """Returns where the next batch begins, as a small dict that JSON can hold.

        If rows are read by number (`shuffle=` without a buffer, and with blocks for
        compressed files), any number of ranks and workers can resume from the state.
        Any other state fits only the same number of ranks and the same worker.

        Args:
            batches: how many batches the job has used in this loop over a loader; only
                for rows that are read by number, and `epochs=1`. None: the batches that
                this process has iterated itself, with its last iterator.
                `torchdata.stateful_dataloader.StatefulDataLoader` calls `state_dict`
                in every worker.

        Raises:
            InvalidArgumentError: batches is None, although workers of a loader read; or
                batches is given, but rows are not read by number, or there are fewer
                batches.
        """
        if batches is not None:
            return self._state_after(batches)
        in_worker = get_worker_info() is not None
        if self._shared[_IN_WORKERS] and not in_worker:
            raise InvalidArgumentError(
                "workers of a loader read this dataset. Give state_dict(batches=) "
                "the number of batches of this loop that were used, or save the "
                "state of a torchdata.stateful_dataloader.StatefulDataLoader"
            )
        if self._reader is None:
            return self._state or self._state_at(self._place)
        here = self._reader.state_dict()
        elastic = not in_worker and not getattr(self._reader, "buffered", True)
        shards = None if elastic and not is_apart(here) else _lists(self._shards_here())
        return _state(shards, self._began[0], here)

    def _state_at(self, place: tuple[int, int, int]) -> dict[str, Any]:
        begin, *here = place
        state = None
        if here != [begin, 0] or self._turn:
            positions = self._positions()
            positions.begin_at((here[0], here[1]))
            state = positions.state_dict()
        return _state(None, begin, state)

    def _state_after(self, batches: int) -> dict[str, Any]:
        if self._options.get("epochs", 1) != 1:
            raise InvalidArgumentError(
                "state_dict(batches=) is for loops of one epoch: give epochs=1, and "
                "call set_epoch before each"
            )
        read_here = self._reader is not None and not self._shared[_IN_WORKERS]
        begin, *here = self._began if read_here else self._place
        positions = self._positions()
        positions.begin_at((here[0], here[1]))
        state = state_after(positions, batches)
        return _state(None, begin, state)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next iterator begin where `state` was taken.

        In workers of a loader each loop begins there, until `set_epoch` chooses
        another epoch; load the state before the loop. A `StatefulDataLoader` loads the
        states of its workers itself.

        Raises:
            InvalidArgumentError: this is not a state, or it belongs to other data or
                another order; or, when the dataset is iterated, it belongs to another
                rank or worker, or to another number of them.
        """
        state = checked_state(state, _like(state), "a torch.Dataset")
        begin = state["epoch"]
        here, turn = (begin, 0), 0
        if state["shards"] is None and state["reader"] is not None:
            positions = self._positions()
            positions.load_together(state["reader"])
            here, turn = positions.place, positions.turn
        elif state["reader"] is not None and "turn" in state["reader"]:
            turn = whole_number("turn", state["reader"]["turn"], 1, 2**48)
        self._go_to((begin, *here))
        self._shared[_TURN] = turn
        if state["shards"] is not None:
            self._state = state

    @property
    def _turn(self) -> int:
        return int(self._shared[_TURN])

    @property
    def _place(self) -> tuple[int, int, int]:
        begin, epoch, position, *_ = self._shared.tolist()
        return begin, epoch, position

    def _go_to(self, place: tuple[int, int, int]) -> None:
        self._reader = self._state = None
        self._shared[:_IN_WORKERS] = torch.tensor(place)
        if get_worker_info() is None:
            self._shared[_IN_WORKERS] = 0

    def _positions(self) -> Positions:
        """Returns the positions of rows by number; opens the files once."""
        shards = self._shards_here()
        if self._numbers is None or self._numbers[0] != shards:
            opened: Any = self._open(shards, 0) if self._shuffle else None
            if opened is None or opened.buffered:
                raise InvalidArgumentError(
                    "rows are not read by number here: that needs shuffle, without a "
                    "buffer, and with blocks if files are compressed. Save the state "
                    "of a torchdata.stateful_dataloader.StatefulDataLoader"
                )
            self._numbers = shards, opened._batches._positions
        positions = copy.copy(self._numbers[1])
        if self._turn:
            positions.turn = self._turn
        return positions

    def _batches(self, batches: Reader) -> Iterator[Any]:
        with errors_of_worker(), batches:
            for batch in batches:
                tensors = self._tensors(batch)
                del batch  # its memory may be free before the next batch is made
                yield carried(self._transform(tensors)) if self._transform else tensors

    def _tensors(self, batch: _core.Batch) -> Tensors:
        if self._pins:
            return tensors_of(batch, self._ragged, views_of(batch), pinned_array)
        return tensors_of(batch, self._ragged, shared, torch.from_numpy)

    def _shards_here(self) -> list[tuple[int, int]]:
        """Returns the shards that, applied one after another, select the part that this
        process reads."""
        shards = shards_of([*self._shards, self._ranks or distributed()])
        worker = get_worker_info()
        if worker is not None:
            shards.append((worker.id, worker.num_workers))
        return shards

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_reader"] = None
        # A spawned process has not initialized torch.distributed.
        state["_ranks"] = self._ranks or distributed()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state
        self._shared.share_memory_()  # has no effect in a worker


def _state(
    shards: list[list[int]] | None, epoch: int, reader: dict[str, Any] | None
) -> dict[str, Any]:
    return {"version": VERSION, "shards": shards, "epoch": epoch, "reader": reader}


def _like(state: object) -> dict[str, Any]:
    """Returns an example of the states that have shards and a reader where this one has
    them, for `checked_state`."""
    given = state if isinstance(state, Mapping) else {}
    is_of_shard = given.get("shards") is not None
    has_reader = is_of_shard or given.get("reader") is not None
    return _state([] if is_of_shard else None, 0, {} if has_reader else None)


def _lists(shards: list[tuple[int, int]]) -> list[list[int]]:
    """Returns the shards as lists, as in JSON."""
    return list(map(list, shards))


def _compiled(spec: Any = None, message: str = "auto", **_: Any) -> dict[str, Any]:
    """Compiles the spec, so that a wrong one raises here instead of in a worker."""
    if spec is None or isinstance(spec, Plan):
        return {}
    return {"spec": Plan(spec, message=message)}
