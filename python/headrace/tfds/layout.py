"""Describes how the tensors of a plan make the nested rows of a TFDS folder."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

from headrace.features import Feature, FixedLenFeature, RaggedFeature
from headrace.spec import Spec


@dataclasses.dataclass(frozen=True)
class Leaf:
    """One leaf that is read; its tensor has the name `path`."""

    path: str
    names: list[str]
    lengths: list[int]  # of the sequences around it, outermost first; -1 unknown
    shape: list[int]  # of one value; -1 unknown
    dtype: str  # of one value, numpy's name or "string"
    dataset: str | None  # the path of the Dataset that contains it
    content: str
    encoded: bool  # a value is an array in bytes, whose shape may differ
    # Whether lists in lists have unknown lengths. Known lengths below the outermost are
    # then levels as well (docs/formats/tfds.md, E8).
    is_ragged: bool
    # For images: the shape and type of the decoded pixels.
    pixels: list[int]
    pixel_dtype: str
    shapes: str | None  # the name of the tensor of the values' shapes


def columns_of(
    spec: Spec, text: str
) -> tuple[Spec, dict[str, Leaf], list[list[str]]]:
    """Returns the spec, the leaves by path, and the names that lead to dicts without
    features. The arguments are the spec that the core chose, and its leaves as JSON.

    If records have the shapes of values, the returned spec reads these, too: a ragged
    tensor does not show the shape of an array without elements.
    """
    columns = json.loads(text)
    features: dict[str, Feature] = dict(spec)
    leaves = {}
    for leaf in columns["leaves"]:
        path, lengths = leaf["path"], leaf["lengths"]
        item_shape = getattr(spec[path], "item_shape", None)
        shape_key = getattr(spec[path], "item_shape_key", None)
        shapes = None
        if shape_key is not None:
            shapes = f"{path}/shape"
            features[shapes] = _shapes_feature(shape_key, len(item_shape), lengths)
        leaves[path] = Leaf(
            path=path,
            names=leaf["names"],
            lengths=lengths,
            shape=leaf["shape"],
            dtype=leaf["dtype"],
            dataset=leaf["dataset"],
            content=leaf["content"],
            encoded=item_shape is not None,
            is_ragged=-1 in lengths[1:],
            pixels=leaf["file_shape"],
            pixel_dtype=leaf["file_dtype"],
            shapes=shapes,
        )
    return Spec(features), leaves, columns["empty_dicts"]


def _shapes_feature(key: str, dimensions: int, lengths: list[int]) -> Feature:
    """Returns the feature that reads the shapes of the values of another feature."""
    if not lengths:
        return FixedLenFeature([dimensions], "int64", column=key)
    return RaggedFeature("int64", shape=[-1, dimensions], column=key)


# Each name leads to the tree inside, or to the path of a leaf.
Tree = dict[str, Any]


def tree_of(leaves: Iterable[tuple[list[str], str]]) -> Tree:
    """Nests paths by their names."""
    tree: Tree = {}
    for names, path in leaves:
        inside = tree
        for name in names[:-1]:
            inside = inside.setdefault(name, {})
        inside[names[-1]] = path
    return tree


def nested(tree: Tree, values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns nested dicts of the values of these paths."""
    return {
        name: nested(inside, values) if isinstance(inside, dict) else values[inside]
        for name, inside in tree.items()
    }


def add_empty(tree: Tree, empty: Iterable[list[str]]) -> None:
    """Adds dicts without features."""
    for names in empty:
        inside = tree
        for name in names:
            inside = inside.setdefault(name, {})
