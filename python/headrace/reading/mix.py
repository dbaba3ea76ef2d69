"""`headrace.mix`: batches of several datasets, mixed by weight."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace import _core
from headrace.arguments import whole_number, wrong_type
from headrace.errors import InvalidArgumentError
from headrace.named import named
from headrace.reading.batches import rows_at, take_options
from headrace.reading.dataset import Dataset
from headrace.reading.states import VERSION, checked_state
from headrace.shuffle import Order, Shuffle, shuffle_of

# Batches per round. In each round every dataset yields exactly its part.
_ROUND = 2**16


@named
def mix(
    datasets: Sequence[tuple[Dataset, float]],
    *,
    batch_size: int = 256,
    shuffle: bool | Shuffle | None = True,
    seed: int = 0,
    rank: int = 0,
    world_size: int = 1,
    steps: int | None = None,
    state: Mapping[str, Any] | None = None,
) -> Mix:
    """Returns an iterator of batches of several datasets, mixed in proportion to their
    weights.

        >>> batches = headrace.mix([(a, 0.7), (b, 0.3)], batch_size=256, seed=7)
        >>> for batch in batches: ...

    All rows of a batch are from one dataset; `batches.source` is its number. The order
    of the datasets is random, and depends only on the seed and the number of the batch.
    In each round of 65536 batches, every dataset yields exactly its share, at least one
    batch. Each dataset has its own endless epochs and its own order; a batch may have
    the last rows of one epoch and the first rows of the next.

    Args:
        datasets: pairs of a dataset and a positive weight. Weights need not sum to 1.
        batch_size: rows in each batch.
        shuffle: for each dataset, as in `Dataset.batches`: True, None or a `Shuffle`
            without lanes, whose seed is then the base of the datasets' seeds.
        seed: chooses the order of the datasets, and the orders for shuffle=True.
        rank, world_size: of this process; ranks take the batches in turn.
        steps: number of batches of each rank; None: endless.
        state: resumes where this `state_dict()` was taken, by any rank of any number
            of ranks.

    Raises:
        InvalidArgumentError: an argument is wrong, a dataset has no rows, or the state
            belongs to other datasets, weights or options.
    """
    return Mix(**locals())


class Mix:
    """An iterator of `Batch`; made by `headrace.mix`. One thread may use it at a time.

    Attributes:
        source: number of the dataset of the last batch.
    """

    def __init__(
        self,
        datasets: Sequence[tuple[Dataset, float]],
        *,
        batch_size: int,
        shuffle: bool | Shuffle | None,
        seed: int,
        rank: int,
        world_size: int,
        steps: int | None,
        state: Mapping[str, Any] | None,
    ) -> None:
        self._datasets, weights = _checked(datasets)
        self._size = whole_number("batch_size", batch_size, 1, 2**32)
        self._ranks = whole_number("world_size", world_size, 1, 2**32)
        self._rank = whole_number("rank", rank, 0, self._ranks)
        self._steps = None if steps is None else whole_number("steps", steps, 0)
        self._seed = whole_number("seed", seed, 0)
        chosen = shuffle_of(shuffle, self._seed)
        if chosen is not None and chosen.buffer is not None:
            raise InvalidArgumentError("datasets are shuffled without a buffer")
        if chosen is not None and chosen.lanes > 1:
            raise InvalidArgumentError(
                "a mix takes no lanes: its ranks take batches of each dataset at random, "
                "and so of all lanes"
            )
        self._orders = [
            _order_of(chosen, number, len(dataset))
            for number, dataset in enumerate(self._datasets)
        ]
        self._parts = _parts(weights)
        self._round = -1
        self._sources = np.zeros(0, np.int64)  # of each batch of the round
        # For each batch of the round: the number of earlier ones from the same source.
        self._before = np.zeros(0, np.int64)
        self._next = 0  # number of the next step's first batch
        self._given = 0
        self.source: int | None = None
        if state is not None:
            self.load_state_dict(state)

    def __iter__(self) -> Mix:
        return self

    def __next__(self) -> _core.Batch:
        if self._steps is not None and self._given >= self._steps:
            raise StopIteration
        source, rows = self._batch(self._next + self._rank)
        how = take_options(self._orders[source], rows)
        batch = self._datasets[source]._core.take(rows, *how)
        self.source = source
        self._next += self._ranks
        self._given += 1
        return batch

    def _batch(self, number: int) -> tuple[int, NDArray[np.uint64]]:
        """Returns the source of a batch, and its row numbers there."""
        this_round, slot = divmod(number, _ROUND)
        if this_round != self._round:
            self._start_round(this_round)
        source = int(self._sources[slot])
        earlier = this_round * self._parts[source] + int(self._before[slot])
        rows = len(self._datasets[source])
        epoch, position = divmod(earlier * self._size, rows)
        pieces = []
        missing = self._size
        while missing:
            count = min(missing, rows - position)
            positions = np.arange(position, position + count, dtype=np.uint64)
            pieces.append(rows_at(positions, rows, self._orders[source], epoch))
            missing, epoch, position = missing - count, epoch + 1, 0
        return source, np.concatenate(pieces)

    def _start_round(self, number: int) -> None:
        sources = np.repeat(np.arange(len(self._parts)), self._parts)
        slots = np.arange(_ROUND, dtype=np.uint64)
        _core.order(_ROUND, self._seed, number, 1, 1, slots)
        self._sources = sources[slots.astype(np.int64)]
        self._before = np.zeros(_ROUND, np.int64)
        for source, part in enumerate(self._parts):
            self._before[self._sources == source] = np.arange(part)
        self._round = number

    def state_dict(self) -> dict[str, Any]:
        """Returns where the next step begins: a dict that takes less than 210 bytes of
        JSON."""
        import hashlib  # imported here to keep `import headrace` fast

        about = [
            (len(dataset), dataset.fingerprint, part, order and order[:3])
            for dataset, part, order in zip(
                self._datasets, self._parts, self._orders, strict=True
            )
        ]
        digest = hashlib.sha256(repr(about).encode()).hexdigest()
        return {
            "version": VERSION,
            "batch": self._next,
            "batch_size": self._size,
            "seed": self._seed,
            "fingerprint": digest[:16],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Moves to where `state_dict` was called, by any rank of any number of ranks.

        Raises:
            InvalidArgumentError: the state belongs to other datasets, weights or
                options.
        """
        expected = self.state_dict()
        found = checked_state(state, expected)
        for name, what in (
            ("batch_size", "batches of another size"),
            ("seed", "another seed"),
            ("fingerprint", "other datasets, weights or orders"),
        ):
            if found[name] != expected[name]:
                raise InvalidArgumentError(
                    f"the state is of {what}: {found[name]} instead of "
                    f"{expected[name]}"
                )
        if found["batch"] >= 2**56:
            raise InvalidArgumentError(f"the state has batch {found['batch']}")
        self._next = found["batch"]
        self._given = 0


def _checked(datasets: Any) -> tuple[list[Dataset], list[float]]:
    expected = "a list of pairs of a headrace.Dataset and a weight"
    if not isinstance(datasets, Sequence) or isinstance(datasets, (str, bytes)):
        raise wrong_type("datasets", expected, datasets)
    if not 0 < len(datasets) <= 1000:
        raise InvalidArgumentError(f"expected 1 to 1000 datasets, got {len(datasets)}")
    found, weights = [], []
    for number, pair in enumerate(datasets):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise wrong_type(f"datasets[{number}]", "a dataset and a weight", pair)
        dataset, weight = pair
        if not isinstance(dataset, Dataset):
            raise wrong_type(f"datasets[{number}]", "a headrace.Dataset", dataset)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise wrong_type(f"the weight of datasets[{number}]", "a number", weight)
        if not 0 < weight < math.inf:
            raise InvalidArgumentError(
                f"the weight of datasets[{number}] must be positive, got {weight}"
            )
        if len(dataset) == 0:
            raise InvalidArgumentError(f"datasets[{number}] has no rows")
        found.append(dataset)
        weights.append(float(weight))
    return found, weights


def _parts(weights: list[float]) -> list[int]:
    """Returns the number of batches of each dataset in a round; the sum is _ROUND."""
    most = max(weights)
    total = math.fsum(weight / most for weight in weights)
    exact = [weight / most / total * _ROUND for weight in weights]
    parts = [max(1, math.floor(part)) for part in exact]
    # Missing batches are added to the parts with the largest remainders; surplus
    # batches are removed from the largest parts.
    by_remainder = sorted(
        range(len(parts)), key=lambda i: exact[i] - parts[i], reverse=True
    )
    for i in by_remainder[: max(0, _ROUND - sum(parts))]:
        parts[i] += 1
    while sum(parts) > _ROUND:
        parts[parts.index(max(parts))] -= 1
    return parts


def _order_of(
    shuffle: Shuffle | None, number: int, rows: int
) -> Order | None:
    if shuffle is None:
        return None
    order = shuffle.fitted(rows, 1)
    return order._replace(seed=(order.seed + 1 + number) % 2**64)

