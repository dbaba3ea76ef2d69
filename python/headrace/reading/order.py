"""Which row comes at which place of a shuffled epoch."""

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
    """The rows at these positions of an epoch that is shuffled.

        hr.order(10, 7, 0, range(10))           # all of range(10), permuted
        hr.order(10**12, 7, 0, [0, 10**11])     # no table of all rows is made

    A permutation of range(n) for each seed and epoch, the same on every machine
    and in every version; docs/formats/order.md has the function.

    Args:
        n: how many rows there are, below 2**64, as all numbers here are.
        seed, epoch: choose the permutation.
        positions: an int, or an array of ints, of any shape. A batch of
            consecutive positions takes far less time than calls for each.
        block, window: with a block above 1, whole blocks of so many consecutive
            rows are permuted, and then the rows of so many blocks that follow
            one another. Whoever reads them in this order reads whole blocks.
        lanes, turn: with lanes above 1, this order is cut into so many stretches,
            which give so many positions each in turn. `Dataset.batches` has turns of
            its `batch_size`.

    Returns:
        An array of numpy.uint64, of the shape of `positions`.

    Raises:
        InvalidArgumentError: a position is not in range(n), a number is not in
            range(2**64), or `block`, `window`, `lanes` or `turn` is 0.
        TypeError: an argument is no int.
    """
    size = _number("n", n)
    given = _int_array(positions)
    for position in (int(given.min()), int(given.max())) if given.size else ():
        if not 0 <= position < size:
            raise InvalidArgumentError(
                f"position {position} is not one of {size} rows"
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
    # numpy has no integers for ints above 2**64, and floats for some below.
    array = array if array.dtype.kind == "O" else np.asarray(positions, dtype=object)
    if not all(_is_int(item) for item in array.flat):
        raise wrong_type("positions", "an int or an array of ints", positions)
    return array


def _is_int(item: object) -> bool:
    return isinstance(item, (int, np.integer)) and not isinstance(item, bool)
