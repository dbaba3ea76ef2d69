"""Makes the rows of batches as TFDS returns them: nested dicts of arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace import _core
from headrace.plain import objects
from headrace.tfds.layout import Leaf


@dataclasses.dataclass(frozen=True, eq=False)
class Ragged:
    """Lists in lists, in one row.

    Attributes:
        values: an array of all values, [n] + the shape of one value.
        row_splits: integer arrays, outermost first; the last one splits `values`.
    """

    values: NDArray[Any]
    row_splits: list[NDArray[np.int64]]

    def __len__(self) -> int:
        return len(self.row_splits[0]) - 1

    def __getitem__(self, index: int) -> Any:
        """Returns the list with that number: an array, or a Ragged."""
        index = range(len(self))[index]
        begin, end = self.row_splits[0][index : index + 2].tolist()
        return _between(self.values, self.row_splits[1:], begin, end)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def tolist(self) -> list[Any]:
        """Returns nested lists."""
        return [row.tolist() for row in self]


def _between(values: Any, splits: Sequence[Any], begin: int, end: int) -> Any:
    """Returns items [begin, end) of split values: an array, or a Ragged."""
    levels = []
    for level in splits:
        part = level[begin : end + 1]
        begin, end = int(part[0]), int(part[-1])
        levels.append(part.astype(np.int64) - begin)
    array = values[begin:end].copy()
    return Ragged(array, levels) if levels else array


# Decodes an encoded file to an array.
Decode = Callable[[Any, Leaf], NDArray[Any]]


class LeafRows:
    """The rows of one leaf of a batch.

    Args:
        field: the leaf's tensor.
        shapes: the tensor of the shapes of its values, if records have them.
        decode: decodes encoded files; None leaves them encoded.
    """

    def __init__(
        self, leaf: Leaf, field: Any, shapes: Any, decode: Decode | None
    ) -> None:
        self._leaf = leaf
        self._levels = []
        if isinstance(field, _core.RaggedTensor):
            self._levels = [part.numpy() for part in field.row_splits]
            field = field.values
        self._values = _elements(field.numpy(), leaf.dtype)
        if self._levels and 0 in self._values.shape[1:]:
            # Only the splits show how many values there are if values have no elements.
            shape = (int(self._levels[-1][-1]), *self._values.shape[1:])
            self._values = np.zeros(shape, self._values.dtype)
        self._shapes = None
        if shapes is not None:
            ragged = isinstance(shapes, _core.RaggedTensor)
            self._shapes = (shapes.values if ragged else shapes).numpy()
        self._decode = decode if leaf.content == "image" else None

    def row(self, row: int) -> Any:
        """Returns the leaf in this row, as TFDS does."""
        return self._finished(self._item(len(self._leaf.lengths), 0, row))

    def num_steps(self, row: int) -> int:
        """Returns the number of steps in this row of the Dataset that contains the
        leaf."""
        if not self._levels:
            return int(self._values.shape[1])
        return int(self._levels[0][row + 1] - self._levels[0][row])

    def step(self, row: int, step: int) -> Any:
        """Returns the leaf in one step of this row, as TFDS does."""
        if not self._levels:
            return self._finished(self._values[row, step])
        inside = len(self._leaf.lengths) - 1
        first = int(self._levels[0][row])
        return self._finished(self._item(inside, 1, first + step))

    def _item(self, lists: int, level: int, item: int) -> Any:
        """Returns the item with that number at a level. The item contains `lists`
        levels of lists."""
        if level == len(self._levels):
            return self._values[item]
        if lists == 0:
            return self._value(level, item)
        begin, end = self._levels[level][item : item + 2].tolist()
        leaf = self._leaf
        differ = leaf.encoded and -1 in leaf.shape
        if differ:
            return self._values_between(level + 1, lists - 1, begin, end)
        if lists > 1 and leaf.is_ragged:
            found = _between(self._values, self._levels[level + 1 :], begin, end)
            return _split_further(found, lists - 1)
        known = leaf.lengths[len(leaf.lengths) - lists + 1 :]
        return _reshaped(self._flat(level, item), [end - begin, *known, *leaf.shape])

    def _flat(self, level: int, item: int) -> NDArray[Any]:
        """Returns the values in one item of a level, without their shape."""
        begin, end = item, item + 1
        for splits in self._levels[level:]:
            begin, end = int(splits[begin]), int(splits[end])
        flat: NDArray[Any] = self._values[begin:end].reshape(-1)
        return flat

    def _value(self, level: int, item: int) -> NDArray[Any]:
        """Returns a value whose shape is partly unknown."""
        flat = self._flat(level, item)
        if self._shapes is not None:
            return flat.reshape(self._shapes[item].tolist())
        sizes = []
        for splits in self._levels[level:]:
            begin, end = splits[item : item + 2].tolist()
            sizes.append(end - begin)
            if begin == end:
                break
            item = begin
        known = [max(size, 0) for size in self._leaf.shape[len(sizes) :]]
        return flat.reshape([*sizes, *known])

    def _values_between(self, level: int, lists: int, begin: int, end: int) -> Any:
        """Returns values, whose shapes may differ, inside `lists` levels of lists."""
        rows = end - begin
        splits = []
        for part in self._levels[level : level + lists]:
            part = part[begin : end + 1].astype(np.int64)
            begin, end = int(part[0]), int(part[-1])
            splits.append(part - begin)
        values = [self._item(0, level + lists, item) for item in range(begin, end)]
        found = _stacked(values, self._leaf.shape, self._values.dtype)
        if not splits:
            return found
        array = _array(found)
        if self._leaf.is_ragged:
            return Ragged(array, splits)
        known = self._leaf.lengths[len(self._leaf.lengths) - lists :]
        return array.reshape([rows, *known, *array.shape[1:]])

    def _finished(self, found: Any) -> Any:
        if self._decode is not None:
            return self._decoded(found)
        return found.copy() if isinstance(found, np.ndarray) else found

    def _decoded(self, found: Any) -> Any:
        assert self._decode is not None
        if isinstance(found, bytes):
            return self._decode(found, self._leaf)
        if isinstance(found, Ragged):
            return [self._decoded(part) for part in found]
        images = [self._decoded(part) for part in found]
        return _stacked(images, self._leaf.pixels, np.dtype(self._leaf.pixel_dtype))


def _reshaped(flat: NDArray[Any], sizes: Sequence[int]) -> NDArray[Any]:
    """Reshapes values, of which there may be none; at most one size is -1."""
    if -1 in sizes and len(flat) == 0:
        sizes = [max(size, 0) for size in sizes]
    return flat.reshape(sizes)


def _stacked(
    arrays: list[NDArray[Any]], shape: Sequence[int], dtype: np.dtype[Any]
) -> Any:
    """Returns one array, or a list if the shapes differ. If there are no arrays, the
    result is empty and has this `shape`."""
    if not arrays:
        return np.zeros([0, *(max(size, 0) for size in shape)], dtype)
    if any(array.shape != arrays[0].shape for array in arrays):
        return arrays
    return np.stack(arrays)


def _array(found: Any) -> NDArray[Any]:
    """Returns an array unchanged, a list of arrays as an array of objects."""
    return found if isinstance(found, np.ndarray) else objects(found)


def _elements(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Returns the values; complex numbers, which are read as pairs, are joined."""
    if not dtype.startswith("complex"):
        return values
    return values.view(dtype).reshape(values.shape[:-1])


def _split_further(found: Any, levels: int) -> Any:
    """Turns leading dimensions of the values into levels until there are `levels`."""
    ragged = isinstance(found, Ragged)
    values = found.values if ragged else found
    splits = list(found.row_splits) if ragged else []
    while len(splits) < levels:
        rows, length = values.shape[:2]
        splits.append(np.arange(rows + 1, dtype=np.int64) * length)
        # Without elements -1 would be ambiguous.
        values = values.reshape(rows * length, *values.shape[2:])
    return Ragged(values, splits)
