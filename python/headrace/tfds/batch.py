"""Batches with the nested names of a TFDS folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace import _core
from headrace.arguments import no_such_feature
from headrace.plain import objects
from headrace.tfds.layout import Leaf, Tree, nested
from headrace.tfds.rows import Decode, LeafRows


class Group(Mapping[str, Any]):
    """The features in a dict of a batch, by name or by path relative to the dict."""

    def __init__(self, tree: Tree, batch: Batch | None) -> None:
        self._tree = tree
        # None for a Batch itself: a reference to itself would keep its memory until
        # Python collects cycles.
        self._batch = batch

    def __getitem__(self, name: str) -> Any:
        """Returns a tensor, or a Group of the tensors inside.

        Raises:
            NoSuchFeatureError: there is no feature of that name.
        """
        inside: Any = self._tree
        # A name may itself contain a "/".
        for part in [name] if name in inside else str(name).split("/"):
            if not isinstance(inside, dict) or part not in inside:
                raise no_such_feature(name, list(self._tree))
            inside = inside[part]
        batch = self._whole()
        return Group(inside, batch) if isinstance(inside, dict) else batch._value(inside)

    def _whole(self) -> Batch:
        """Returns the batch to which the group belongs."""
        assert self._batch is not None
        return self._batch

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._tree)})"

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("batches cannot be compared; compare their tensors")


class Batch(Group):
    """Some rows of a folder. A Mapping: the name of a feature gives its tensor, and the
    name of a dict gives a Mapping of the tensors in it.

        >>> for batch in headrace.tfds.open("mnist/3.0.1"):
        ...     batch["image"], batch["label"].numpy()

    A feature whose size differs from row to row is a `RaggedTensor`. The batch is an
    Arrow record batch, whose columns are named by path. It is immutable, and any thread
    may read it.

    Attributes:
        flat: the `headrace.Batch`, whose names are paths.
    """

    def __init__(self, flat: _core.Batch, view: View) -> None:
        super().__init__(view.tree, None)
        self.flat = flat
        self._view = view

    @property
    def num_rows(self) -> int:
        """Number of rows: one per record or, in a batch of steps, one per step or
        window."""
        return self.flat.num_rows

    @property
    def message(self) -> str:
        """Always "example"."""
        return self.flat.message

    @property
    def origins(self) -> dict[str, NDArray[Any]]:
        """The places from which the rows were read, as in `headrace.Batch`."""
        return self.flat.origins

    def rows(self) -> list[dict[str, Any]]:
        """Returns the rows as `headrace.tfds.Dataset` does."""
        return self._view.rows(self.flat)

    def _by_name(self, value: Any, array: Any) -> dict[str, Any]:
        """Returns nested dicts with `value(tensor)` for each tensor, and
        `array(numpy_array)` for each numpy array. Arrays of objects stay as they
        are."""

        def made(found: Any) -> Any:
            if isinstance(found, Group):
                return {name: made(inside) for name, inside in found.items()}
            if not isinstance(found, np.ndarray):
                return value(found)
            return found if found.dtype == object else array(found)

        return {name: made(found) for name, found in self.items()}

    def _whole(self) -> Batch:
        return self

    def _value(self, path: str) -> Any:
        field = self.flat[path]
        if self._view.decode is None or self._view.leaves[path].content != "image":
            return field
        rows = self._view.leaf_rows(self.flat, path)
        return _array_of([rows.row(row) for row in range(self.num_rows)])

    def __arrow_c_schema__(self) -> Any:
        return self.flat.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.flat.__arrow_c_array__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.flat, self._view)


def _array_of(rows: list[Any]) -> NDArray[Any]:
    """Returns one array if all rows have the same shape, otherwise an array of
    objects."""
    shapes = {row.shape if isinstance(row, np.ndarray) else None for row in rows}
    if len(shapes) == 1 and None not in shapes:
        return np.stack(rows)
    return objects(rows)


class View:
    """How batches of some leaves are shown: their names, and how images are decoded.

    Attributes:
        leaves: the leaves by path.
        tree: the names, as made by `layout.tree_of`.
        decode: decodes images; None leaves them encoded.
        columns: whether the steps of a row are a dict of arrays instead of a list of
            dicts.
    """

    def __init__(
        self,
        leaves: dict[str, Leaf],
        tree: Tree,
        decode: Decode | None = None,
        columns: bool = False,
    ) -> None:
        self.leaves = leaves
        self.tree = tree
        self.decode = decode
        self.columns = columns

    def leaf_rows(self, flat: _core.Batch, path: str) -> LeafRows:
        """Returns the rows of one leaf."""
        leaf = self.leaves[path]
        shapes = flat[leaf.shapes] if leaf.shapes else None
        return LeafRows(leaf, flat[path], shapes, self.decode)

    def rows(self, flat: _core.Batch) -> list[dict[str, Any]]:
        """Returns all rows as nested dicts."""
        leaves = {path: self.leaf_rows(flat, path) for path in self.leaves}
        return [
            self._row(self.tree, leaves, row, ()) for row in range(flat.num_rows)
        ]

    def _row(
        self, tree: Tree, leaves: dict[str, LeafRows], row: int, names: tuple[str, ...]
    ) -> Any:
        made: dict[str, Any] = {}
        for name, inside in tree.items():
            path = (*names, name)
            if not isinstance(inside, dict):
                made[name] = self._leaf(leaves[inside], inside, row, path)
            elif not self.columns and self._is_dataset(inside, path):
                made[name] = self._steps(inside, leaves, row)
            else:
                made[name] = self._row(inside, leaves, row, path)
        return made

    def _leaf(
        self, rows: LeafRows, path: str, row: int, names: tuple[str, ...]
    ) -> Any:
        # The element of a Dataset may be a leaf instead of a dict.
        if self.columns or self.leaves[path].dataset != "/".join(names):
            return rows.row(row)
        return [rows.step(row, step) for step in range(rows.num_steps(row))]

    def _is_dataset(self, tree: Tree, names: tuple[str, ...]) -> bool:
        paths = paths_in(tree)
        return bool(paths) and self.leaves[paths[0]].dataset == "/".join(names)

    def _steps(
        self, tree: Tree, leaves: dict[str, LeafRows], row: int
    ) -> list[dict[str, Any]]:
        paths = paths_in(tree)
        count = leaves[paths[0]].num_steps(row)
        return [
            nested(tree, {path: leaves[path].step(row, step) for path in paths})
            for step in range(count)
        ]


def paths_in(tree: Tree) -> list[str]:
    """Returns the paths of all leaves in a tree."""
    found: list[str] = []
    for inside in tree.values():
        found += paths_in(inside) if isinstance(inside, dict) else [inside]
    return found

