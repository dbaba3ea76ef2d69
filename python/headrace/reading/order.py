"""`headrace.order`: the row at each position of a shuffled epoch."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from headrace import _core
from headrace.arguments import check_unmasked, wrong_type
from headrace.errors import InvalidArgumentError
from headrace.named import named


@named
def order(
    n: SupportsIndex,
    seed: SupportsIndex,
    epoch: SupportsIndex,
    positions: SupportsIndex | Sequence[Any] | NDArray[Any],
    *,
    block: SupportsIndex = 1,
    window: SupportsIndex = 1,
    lanes: SupportsIndex = 1,
    turn: SupportsIndex = 1,
) -> NDArray[np.uint64]:
    """Returns the rows at these positions of a shuffled epoch.

        hr.order(10, 7, 0, range(10))           # all of range(10), permuted
        hr.order(10**12, 7, 0, [0, 10**11])     # no table of all rows is made

    Each seed and epoch has a permutation of range(n), the same on every machine
    and in every version; docs/formats/order.md defines it.

    Args:
        n: number of rows, below 2**64, as are all numbers here.
        seed, epoch: choose the permutation.
        positions: an int, or an array of ints, of any shape. One call for a batch of
            consecutive positions is far faster than a call for each.
        block, window: with a block above 1, whole blocks of `block` consecutive
            rows are permuted, and then the rows within each `window` successive
            blocks. A caller that reads the rows in this order reads whole blocks.
        lanes, turn: with lanes above 1, this order is cut into `lanes` stretches. They
            take turns, and each yields `turn` positions in its turn. In
            `Dataset.batches` a turn is its `batch_size`.

    Returns:
        An array of numpy.uint64, of the shape of `positions`.

    Raises:
        InvalidArgumentError: a position is not in range(n), a number is not in
            range(2**64), or `block`, `window`, `lanes` or `turn` is 0.
        TypeError: an argument is not an int.
    """
    size = _number("n", n)
    given = _int_array(positions)
    for position in (int(given.min()), int(given.max())) if given.size else ():
        if not 0 <= position < size:
            raise InvalidArgumentError(
                f"position {position} is not in range({size})"
            )
    # The core writes the rows over the positions.
    rows = np.array(given, dtype=np.uint64, order="C")
    _core.order(
        size, _number("seed", seed), _number("epoch", epoch),
        _number("block", block), _number("window", window), rows.reshape(-1),
        _number("lanes", lanes), _number("turn", turn),
    )
    return rows


def _number(name: str, value: SupportsIndex) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong_type(name, "an int", value) from None
    if not 0 <= number < 2**64:
        raise InvalidArgumentError(f"{name} is {number}, not in range(2**64)")
    return number


def _int_array(positions: Any) -> NDArray[Any]:
    check_unmasked("positions", positions)
    array = np.asarray(positions)
    if array.dtype.kind in "iu" or (array.size == 0 and array.dtype.kind == "f"):
        return array
    # numpy has no integer type for ints of 2**64 or more, and turns some smaller ints
    # into floats.
    array = array if array.dtype.kind == "O" else np.asarray(positions, dtype=object)
    integers = (int, np.integer)
    if any(not isinstance(n, integers) or isinstance(n, bool) for n in array.flat):
        raise wrong_type("positions", "an int or an array of ints", positions)
    return array
