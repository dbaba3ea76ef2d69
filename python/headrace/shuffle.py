"""Shuffle: in which order rows come."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from headrace.arguments import whole_number, wrong_type
from headrace.errors import InvalidArgumentError


class Order(NamedTuple):
    """What chooses an order, besides the epoch and how many rows there are."""

    seed: int
    block: int
    window: int
    lanes: int = 1
    turn: int = 1  # without lanes

    def members(self) -> dict[str, int]:
        """Those that a state has. States of orders without lanes do not name any."""
        members = self._asdict()
        if self.lanes == 1:
            del members["lanes"], members["turn"]
        return members


@dataclasses.dataclass(frozen=True)
class Shuffle:
    """A random order of rows, another one in each epoch; see `headrace.order`.

    Args:
        seed: chooses the order.
        block: 1: all rows are permuted. Above 1: blocks of so many consecutive rows
            are, and then the rows of `window` blocks that follow one another, so
            whole blocks are read, which suits disks, remote and compressed files.
        window: blocks that are mixed, 32 by default.
        buffer: for `headrace.open`: shuffle what was read so far, in a buffer of so
            many bytes, as files must be that cannot be read at any place.
        lanes: for several ranks or workers: the blocks are dealt to so many lanes,
            which give a batch each in turn. If it is the number of ranks times that
            of the workers of each, or a multiple, each process reads its own part of
            the blocks; otherwise every process reads all of them. It needs `block`.
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
                    "a buffer has no blocks: give it, or block, window and lanes"
                )
        if self.lanes > 1 and self.block == 1:
            raise InvalidArgumentError(
                "lanes have whole blocks of rows, so that each process reads those of "
                "its own: give block, too"
            )

    def fitted(self, rows: int, batch_size: int) -> Order:
        """The order of batches of this size. Block and window are no larger than they
        need be for so many rows: equal orders are the same."""
        block = min(int(self.block), max(rows, 1))
        window = 32 if self.window is None else int(self.window)
        window = 1 if block == 1 else min(window, -(-rows // block) or 1)
        turn = 1 if self.lanes == 1 else batch_size
        return Order(int(self.seed), block, window, int(self.lanes), turn)


def shuffle_of(shuffle: Any, seed: int) -> Shuffle | None:
    """The argument `shuffle` of whoever has one: True stands for `Shuffle(seed)`."""
    if shuffle is None or shuffle is False:
        return None
    if shuffle is True:
        return Shuffle(seed)
    if not isinstance(shuffle, Shuffle):
        hint = (
            "; True mixes all rows, and Shuffle(seed, buffer=BYTES) those in a buffer"
            if isinstance(shuffle, int)
            else ""
        )
        raise wrong_type("shuffle", "True, None or a headrace.Shuffle", shuffle, hint)
    return shuffle
