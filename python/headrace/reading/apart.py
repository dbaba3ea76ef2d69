"""Decides whether the ranks of a job are still at the same place of their common order.

`reading.batches` uses it to write and to load states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Place = tuple[int, int]  # epoch, and position in it


class Course(NamedTuple):
    """How the ranks of a job continue from a place where all of them are.

    With end="uneven" the last step of an epoch may have no batch for some ranks.
    If another epoch follows, their next batch is already from that epoch, while
    other ranks still read the last step. From then on ranks that have yielded the
    same number of batches are at different places ("apart"), and no single position
    says what all of them have yielded.
    """

    rows: int
    batch_size: int
    ranks: int
    end: str
    epochs: int | None
    begin: Place

    @property
    def step(self) -> int:
        """Number of positions in a step of all ranks."""
        return self.ranks * self.batch_size

    def steps(self, rank: int, position: int = 0) -> int:
        """Returns the number of batches of a rank in an epoch that begins at this
        position."""
        rounds, rest = divmod(self.rows - position, self.step)
        if rest == 0 or self.end == "drop":
            return rounds
        if self.end == "pad":
            return rounds + 1
        return rounds + (rest > rank * self.batch_size)

    def apart(self, place: Place) -> bool:
        """Whether a rank at this place may be apart from other ranks that have yielded
        the same number of batches."""
        (first, position), (epoch, now) = self.begin, place
        is_last = self.epochs is not None and epoch + 1 >= self.epochs
        # The first epoch that has not ended, or the last epoch.
        ended = epoch + (now == self.rows and not is_last)
        return (ended > first and self._parts(position)) or (
            ended > first + 1 and self._parts(0)
        )

    def _parts(self, position: int) -> bool:
        """Whether ranks have unequal numbers of batches from here to the end."""
        return self.steps(0, position) != self.steps(self.ranks - 1, position)

    def given(self, rank: int, place: Place) -> int:
        """Returns the number of batches of a rank from the beginning to its place."""
        (first, position), (epoch, now) = self.begin, place
        if epoch > first:
            others = (epoch - first - 1) * self.steps(rank)
            return self.steps(rank, position) + others + self._until(rank, 0, now)
        return self._until(rank, position, now)

    def _until(self, rank: int, position: int, now: int) -> int:
        if now == self.rows:
            return self.steps(rank, position)
        return (now - position) // self.step

    def place_after(self, rank: int, given: int) -> Place | None:
        """Returns the place of a rank after `given` batches; None if it never yields
        that many."""
        first, position = self.begin
        here, each = self.steps(rank, position), self.steps(rank)
        if given <= here:
            return first, min(position + given * self.step, self.rows)
        if each == 0:
            return None
        others, last = divmod(given - here - 1, each)
        return first + 1 + others, min((last + 1) * self.step, self.rows)

    def outlasts(self, rank: int, given: int, place: Place) -> bool:
        """Whether, after `given` batches, some ranks may have more batches and others
        none."""
        if self.epochs is None and self.steps(self.ranks - 1):
            return False
        fewest = self._total(self.ranks - 1)
        has_ended = place[1] == self.rows and self._total(rank) == fewest
        return given > fewest or (given == fewest and has_ended)

    def _total(self, rank: int) -> int:
        """Returns the number of batches of a rank until it ends."""
        first, position = self.begin
        each = self.steps(rank)
        others = max((self.epochs or 0) - 1 - first, 0) * each
        return self.steps(rank, position) + others


def is_apart(state: object) -> bool:
    """Whether a state was taken when the ranks were apart."""
    return isinstance(state, Mapping) and "steps" in state


OF_APART = ("batch_size", "world_size", "end", "rank")
GONE_APART = (
    "ranks that had gone apart, since an epoch has unequal numbers of batches for them"
)


def apart_hint(name: str) -> str:
    """Returns a hint for an error: how to avoid such states."""
    if name not in OF_APART:
        return ""
    return (
        '; end="drop" and end="pad" keep ranks together, and so does your own loop '
        "over epochs, each with epochs=1"
    )
