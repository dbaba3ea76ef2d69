"""`headrace.Shuffle`: describes a random order of rows."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from headrace.arguments import whole_number, wrong_type
from headrace.errors import InvalidArgumentError


class Order(NamedTuple):
    """The parameters of an order other than the epoch and the number of rows."""

    seed: int
    block: int
    window: int
    lanes: int = 1
    turn: int = 1  # positions that a lane yields in its turn; 1 without lanes

    def members(self) -> dict[str, int]:
        """Returns the parameters for a state. Without lanes a state does not have
        `lanes` and `turn`."""
        members = self._asdict()
        if self.lanes == 1:
            del members["lanes"], members["turn"]
        return members


@dataclasses.dataclass(frozen=True)
class Shuffle:
    """A random order of rows, different in each epoch; see `headrace.order`.

    Args:
        seed: chooses the order.
        block: rows per block. 1: all rows are permuted. Above 1: blocks of consecutive
            rows are permuted, and then the rows within each `window` successive
            blocks. Whole blocks are read, which suits disks, remote and compressed
            files.
        window: number of blocks whose rows are mixed, 32 by default.
        buffer: for `headrace.open`: size in bytes of a buffer in which the rows read so
            far are shuffled. Files without random access need it.
        lanes: for several ranks or workers: number of lanes among which the blocks are
            dealt. The lanes take turns, and each yields a batch in its turn. If the
            number is a multiple of the number of ranks times the workers of each, each
            process reads its own part of the blocks; otherwise every process reads all
            of them. Needs `block`.
    """

    seed: int
    block: int = 1
    window: int | None = None
    buffer: int | None = None
    lanes: int = 1

    def __post_init__(self) -> None:
        whole_number("seed", self.seed, 0)
        whole_number("block", self.block, 1)
        if self.window is not None:
            whole_number("window", self.window, 1)
        whole_number("lanes", self.lanes, 1, 2**32)
        if self.buffer is not None:
            whole_number("buffer", self.buffer, 1)
            if self.block != 1 or self.window is not None or self.lanes != 1:
                raise InvalidArgumentError(
                    "a buffer has no blocks: give either buffer, or block, window and "
                    "lanes"
                )
        if self.lanes > 1 and self.block == 1:
            raise InvalidArgumentError(
                "lanes have whole blocks of rows, so that each process reads its own "
                "blocks: give block, too"
            )

    def fitted(self, rows: int, batch_size: int) -> Order:
        """Returns the order for batches of this size. Block and window are reduced to
        what `rows` rows need, so that equal orders compare equal."""
        block = min(int(self.block), max(rows, 1))
        window = 32 if self.window is None else int(self.window)
        window = 1 if block == 1 else min(window, -(-rows // block) or 1)
        turn = 1 if self.lanes == 1 else batch_size
        return Order(int(self.seed), block, window, int(self.lanes), turn)


def shuffle_of(shuffle: Any, seed: int) -> Shuffle | None:
    """Returns the Shuffle for an argument `shuffle`; True means `Shuffle(seed)`."""
    if shuffle is None or shuffle is False:
        return None
    if shuffle is True:
        return Shuffle(seed)
    if not isinstance(shuffle, Shuffle):
        hint = (
            "; True mixes all rows, Shuffle(seed, buffer=BYTES) mixes those in a buffer"
            if isinstance(shuffle, int)
            else ""
        )
        raise wrong_type("shuffle", "True, None or a headrace.Shuffle", shuffle, hint)
    return shuffle
