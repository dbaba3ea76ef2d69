"""Shuffle: in which order rows come."""

from __future__ import annotations

import dataclasses
from typing import Any

from headrace.arguments import whole_number, wrong_type
from headrace.errors import InvalidArgumentError


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
    """

    seed: int
    block: int = 1
    window: int | None = None
    buffer: int | None = None

    def __post_init__(self) -> None:
        whole_number("seed", self.seed, 0)
        whole_number("block", self.block, 1)
        if self.window is not None:
            whole_number("window", self.window, 1)
        if self.buffer is not None:
            whole_number("buffer", self.buffer, 1)
            if self.block != 1 or self.window is not None:
                raise InvalidArgumentError(
                    "a buffer has no blocks: give it, or block and window"
                )

    def fitted(self, rows: int) -> tuple[int, int, int]:
        """Seed, block and window, both no larger than they need be for so many
        rows: equal ones stand for the same order."""
        block = min(self.block, max(rows, 1))
        window = 32 if self.window is None else self.window
        window = 1 if block == 1 else min(window, -(-rows // block) or 1)
        return self.seed, block, window


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
