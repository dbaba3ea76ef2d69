"""Reads batches of a dataset: in order or shuffled, epoch by epoch, shared by ranks,
resumable from a state."""

from __future__ import annotations

import copy
import functools
import math
import os
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from headrace import _core
from headrace.arguments import whole_number
from headrace.errors import InvalidArgumentError
from headrace.reading.apart import GONE_APART, OF_APART, Course, Place, apart_hint, is_apart
from headrace.reading.states import MOST_EPOCHS, VERSION, checked_state
from headrace.shuffle import Order, Shuffle, shuffle_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


class TakeOptions(NamedTuple):
    """Options of `_core.Dataset.take`."""

    block: int = 0
    kept: int = 1  # blocks of each lane that stay in memory
    lanes: NDArray[np.uint64] | None = None  # the lane of each row


End: TypeAlias = Literal["drop", "pad", "uneven"]
# A function that returns the next batch, and the places before and after it.
_Next: TypeAlias = "tuple[Callable[[], _core.Batch], Place, Place]"
_ENDS = ("drop", "pad", "uneven")

# A larger number would make a state too long.
_MOST_ROWS = 2**48  # of a batch


class Positions:
    """The positions of the batches of one rank; an iterator of arrays of row numbers.

    `Dataset.batches` documents the arguments.

    Attributes:
        how: options for taking the rows that were returned last.
    """

    def __init__(
        self,
        rows: int,
        fingerprint: int,
        batch_size: int,
        *,
        shuffle: bool | Shuffle | None = None,
        epochs: int | None = 1,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
        end: End = "drop",
        state: Mapping[str, Any] | None = None,
    ) -> None:
        self.batch_size = whole_number("batch_size", batch_size, 1, _MOST_ROWS)
        self._ranks = whole_number("world_size", world_size, 1, 2**32)
        self._rank = whole_number("rank", rank, 0, self._ranks)
        if epochs is not None:
            whole_number("epochs", epochs, 1, MOST_EPOCHS)
        if end not in _ENDS:
            raise InvalidArgumentError(
                f'end must be "drop", "pad" or "uneven", got {end!r}'
            )
        seed = whole_number("seed", seed, 0)
        chosen = shuffle_of(shuffle, seed)
        if chosen is not None and chosen.buffer is not None:
            raise InvalidArgumentError(
                "a dataset shuffles without a buffer; only headrace.open has buffers"
            )
        self.rows = rows
        self.gives_part = self._ranks > 1  # the rows of an epoch are divided
        self._epochs = epochs
        self._end = end
        self.order: Order | None = None
        if chosen is not None:
            self.order = chosen.fitted(rows, self.batch_size)
        self._of_data = {"rows": rows, "fingerprint": f"{fingerprint:016x}"}
        self.how = TakeOptions()
        self.begin_at((0, 0))
        if state is not None:
            self.load_state_dict(state)

    def __iter__(self) -> Positions:
        return self

    def begin_at(self, place: Place) -> None:
        """Moves to a place where all ranks are."""
        self.place = place
        self._course = Course(
            self.rows, self.batch_size, self._ranks, self._end, self._epochs, place
        )
        self._came_apart = False

    @property
    def turn(self) -> int:
        """Number of positions that a lane yields in its turn; 0 without lanes. A job
        that resumed with another batch size keeps the turns with which it began."""
        if self.order is None or self.order.lanes == 1:
            return 0
        return self.order.turn

    @turn.setter
    def turn(self, turn: int) -> None:
        turn = whole_number("the turn of a state", turn, 1, _MOST_ROWS)
        if self.order is not None and self.order.lanes > 1:
            self.order = self.order._replace(turn=turn)

    def shared_lanes(self) -> str | None:
        """Returns a warning, on the first rank, if ranks have to share lanes."""
        lanes = 1 if self.order is None else self.order.lanes
        if self._rank > 0 or lanes % self._ranks == 0 or lanes == 1:
            return None
        of_each = lanes // math.gcd(lanes, self._ranks)
        return (
            f"{lanes} lanes are not a multiple of {self._ranks} ranks (times the "
            f"workers of each): every rank reads blocks of {of_each} lanes, which "
            "others read, too, and keeps a window of each in memory. The order of rows "
            "is the same for any number of ranks"
        )

    @property
    def place(self) -> Place:
        """Epoch, and position in it."""
        return self.epoch, self.position

    @place.setter
    def place(self, place: Place) -> None:
        self.epoch, self.position = place

    @property
    def _step(self) -> int:
        return self._course.step

    def steps_of_epoch(self, position: int = 0) -> int:
        """Returns the number of batches of this rank in an epoch that begins at this
        position."""
        return self._course.steps(self._rank, position)

    def __next__(self) -> NDArray[np.uint64]:
        while self._epochs is None or self.epoch < self._epochs:
            rows = self.next_of_epoch()
            if rows is not None:
                return rows
            if self.epoch + 1 == self._epochs:
                break
            if self.steps_of_epoch() == 0:
                # Epochs without a batch would never end. Other ranks may have batches.
                if self._end == "uneven" and self.rows:
                    self.place = (self._epochs or MOST_EPOCHS) - 1, self.rows
                break
            self.place = self.epoch + 1, 0
        raise StopIteration

    def next_of_epoch(self) -> NDArray[np.uint64] | None:
        """Returns the rows of the next batch in this epoch; None at its end."""
        fewest = self._step if self._end == "drop" else 1
        if self.rows - self.position < fewest:
            return None
        begin = self.position + self._rank * self.batch_size
        end = begin + self.batch_size
        if self._end == "uneven":
            end = min(end, self.rows)
        self.position = min(self.position + self._step, self.rows)
        return self._rows(begin, end) if begin < end else None

    def skip(self, batches: int) -> None:
        """Skips this many batches of the epoch."""
        count = whole_number("batches", batches, 0)
        self.position = min(self.position + count * self._step, self.rows)

    def _rows(self, begin: int, end: int) -> NDArray[np.uint64]:
        positions = np.arange(begin, end, dtype=np.uint64)
        if end > self.rows:
            positions %= np.uint64(self.rows)
        self.how = take_options(self.order, positions)
        return rows_at(positions, self.rows, self.order, self.epoch)

    def state_dict(self) -> dict[str, Any]:
        """Returns where the next step begins, as a dict that JSON can hold."""
        return self.state_at(self.place)

    def state_at(self, place: Place) -> dict[str, Any]:
        """Returns the state of this rank at its own place."""
        if not (self._came_apart or self._course.apart(place)):
            return self._common(place)
        # The place of this rank does not say where the others are. A number of batches
        # does, as long as all ranks have that many.
        given = self._course.given(self._rank, place)
        is_alone = self._course.outlasts(self._rank, given, place)
        return self._common(self._course.begin) | self._apart(given, is_alone)

    def _common(self, place: Place) -> dict[str, Any]:
        epoch, position = place
        state = {
            "version": VERSION, "epoch": epoch, "position": position, **self._of_data
        }
        if self.order is not None:
            state |= self.order.members()
        return state

    def _apart(self, steps: int, is_alone: bool) -> dict[str, Any]:
        return {
            "steps": steps, "batch_size": self.batch_size, "world_size": self._ranks,
            "end": self._end, "rank": self._rank if is_alone else None,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Moves to where `state_dict` was called. Any rank may have called it, and the
        number of ranks may differ, unless they were apart. Lanes keep the turns of the
        state.

        Raises:
            InvalidArgumentError: the state belongs to other data or another order, or
                to ranks that were apart and whose number or batch size differs.
        """
        expected = self._common((0, 0))
        came_apart = is_apart(state)
        if came_apart:
            expected |= self._apart(0, state.get("rank") is not None)
        found = checked_state(state, expected)
        for name, value in expected.items():
            if name not in _OF_PLACE and found[name] != value:
                raise InvalidArgumentError(
                    f"the state is of {_SAYS[name]} {found[name]} instead of "
                    f"{value}{apart_hint(name)}"
                )
        if found["position"] > self.rows:
            raise InvalidArgumentError(
                f"the state has position {found['position']}, but there are only "
                f"{self.rows} rows"
            )
        begin = found["epoch"], found["position"]
        course = self._course._replace(begin=begin)
        place = course.place_after(self._rank, found["steps"]) if came_apart else begin
        if place is None or place[0] >= MOST_EPOCHS:
            raise InvalidArgumentError(
                f"the state has {found['steps']} steps, too many for these batches"
            )
        if "turn" in found:
            self.turn = found["turn"]
        self._course, self._came_apart, self.place = course, came_apart, place

    def load_together(self, state: Mapping[str, Any]) -> None:
        """Loads a state for a caller that reads one epoch at a time. The ranks must not
        have been apart when the state was taken."""
        if is_apart(state):
            raise InvalidArgumentError(
                "the state is of ranks that had gone apart, into different epochs; "
                "only batches of several epochs can resume from it"
            )
        self.load_state_dict(state)


_SAYS = {
    "rows": "a dataset of another size: rows",
    "fingerprint": "other data: fingerprint",
    "seed": "another order: seed",
    "block": "another order: block",
    "window": "another order: window",
    "lanes": "another order: lanes",
    **{name: f"{GONE_APART}: {name}" for name in OF_APART},
}
# The members of a state that say where to resume; all others must be equal.
_OF_PLACE = ("epoch", "position", "steps", "turn")


def rows_at(
    positions: NDArray[np.uint64], rows: int, order: Order | None, epoch: int
) -> NDArray[np.uint64]:
    """Returns the rows at these positions of an epoch; may reuse the array."""
    if order is not None:
        seed, block, window, lanes, turn = order
        _core.order(rows, seed, epoch, block, window, positions, lanes, turn)
    return positions


def take_options(
    order: Order | None, positions: NDArray[np.uint64]
) -> TakeOptions:
    """Returns options for taking the rows at these positions, so that each block is
    read once."""
    if order is None or order.block == 1:
        return TakeOptions()
    lanes = None
    if order.lanes > 1:
        lanes = positions // np.uint64(order.turn) % np.uint64(order.lanes)
    return TakeOptions(order.block, order.window, lanes)


class _Planned(NamedTuple):
    """A batch that is being read, and the places before and after it."""

    before: Place
    after: Place
    batch: Future[_core.Batch]


class _Rows(Protocol):
    """The part of `Dataset` that `Batches` uses."""

    @property
    def fingerprint(self) -> int: ...
    def __len__(self) -> int: ...
    def _take(self, rows: NDArray[np.uint64], how: TakeOptions) -> Any: ...
    def _check_absent(self, of_part: bool) -> None: ...


class Batches:
    """An iterator of `Batch`; made by `Dataset.batches`.

    One thread may use it at a time. It can be pickled if its dataset can.

    Attributes:
        epoch: the epoch of the last batch, from 0.
    """

    def __init__(
        self, dataset: _Rows, batch_size: int, *, prefetch: int = 0, **options: Any
    ) -> None:
        self._dataset = dataset
        self._positions = Positions(
            len(dataset), dataset.fingerprint, batch_size, **options
        )
        self._prefetch = whole_number("prefetch", prefetch, 0, 2**16)
        self._thread: ThreadPoolExecutor | None = None
        self._process = 0  # of the thread
        self._planned: deque[_Planned] = deque()
        self.epoch = self._positions.epoch
        self._tells_absent = self._positions.position == 0

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> _core.Batch:
        try:
            batch, before, after = (
                self._read_ahead() if self._prefetch else self._read()
            )
        except StopIteration:
            self._end()
            raise
        try:
            given = batch()
        except BaseException:
            # A caller that catches this may try the batch again, or save the state.
            self._go_to(before)
            raise
        self.epoch = after[0]
        return given

    def _end(self) -> None:
        """Reports the features that no row had, once, if a whole epoch was read."""
        if not self._tells_absent:
            return
        self._tells_absent = False
        self._dataset._check_absent(of_part=self._positions.gives_part)

    def _read(self) -> _Next:
        before = self._positions.place
        rows = next(self._positions)
        take = functools.partial(self._take, rows, self._positions.how)
        return take, before, self._positions.place

    def _read_ahead(self) -> _Next:
        if self._process != os.getpid():
            self._start_thread()
        while len(self._planned) <= self._prefetch:
            before = self._positions.place
            rows = next(self._positions, None)
            if rows is None:
                # The end is reported when the caller gets there.
                self._positions.place = before
                break
            batch = self._thread.submit(self._take, rows, self._positions.how)
            self._planned.append(_Planned(before, self._positions.place, batch))
        if not self._planned:
            return self._read()
        planned = self._planned.popleft()
        return planned.batch.result, planned.before, planned.after

    def _start_thread(self) -> None:
        # Imported here to keep `import headrace` fast. A forked child does not have the
        # threads of its parent, and the batches that they read would never arrive.
        from concurrent.futures import ThreadPoolExecutor

        self._go_to(self._place)
        # One thread, since blocks are kept for the thread that read them.
        self._thread = ThreadPoolExecutor(1, "headrace-prefetch")
        self._process = os.getpid()

    def _take(self, rows: NDArray[np.uint64], how: TakeOptions) -> _core.Batch:
        return self._dataset._take(rows, how)

    @property
    def _place(self) -> Place:
        """The place of the batch that is returned next."""
        return self._planned[0].before if self._planned else self._positions.place

    def _go_to(self, place: Place) -> None:
        for planned in self._planned:
            planned.batch.cancel()
        self._planned.clear()
        self._positions.place = place

    @property
    def steps_of_epoch(self) -> int:
        """Number of batches of this rank in a whole epoch, wherever reading began."""
        return self._positions.steps_of_epoch()

    def state_dict(self) -> dict[str, Any]:
        """Returns where the next step begins: a dict that takes less than 210 bytes of
        JSON, or 250 with lanes.

        Call it between two batches. All ranks that have yielded the same number of
        batches have equal states. Batches that were read ahead do not count.

        If the ranks drift apart, because they have unequal numbers of batches in an
        epoch (end="uneven") and another epoch follows, the state has 100 bytes more. It
        then fits only the same number of ranks with batches of the same size and, once
        the first rank has ended, only the same rank.
        """
        return self._positions.state_at(self._place)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Moves to where `state_dict` was called. Any rank may have called it, and the
        number of ranks may differ, unless they were apart.

        Raises:
            InvalidArgumentError: this is not a state; or it belongs to other data or
                another order, or to ranks that were apart and whose number or batch
                size differs.
        """
        self._positions.load_state_dict(state)
        self._go_to(self._positions.place)
        self.epoch = self._positions.epoch
        self._tells_absent = self._tells_absent and self._positions.position == 0

    def __getstate__(self) -> dict[str, Any]:
        positions = copy.copy(self._positions)
        positions.place = self._place
        idle = {"_thread": None, "_process": 0, "_planned": deque()}
        return {**self.__dict__, **idle, "_positions": positions}
