"""How the tensors of a plan make the nested rows of a folder."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Leaf:
    """One leaf that is read; its tensor has the name `path`."""

    path: str
    names: list[str]
    lengths: list[int]  # of the sequences around it, outermost first; -1 unknown
    shape: list[int]  # of one value; -1 unknown
    dtype: str  # of one value, numpy's name or "string"
    dataset: str | None  # the path of the Dataset that it lies in
    content: str
    encoded: bool  # a value is an array in bytes, whose shape may differ
    # Lists in lists of unknown lengths: known lengths below the outermost are then
    # levels like others (rule E8).
    is_ragged: bool
    # Of images: the shape and type of what they decode to.
    pixels: list[int]
    pixel_dtype: str
    shapes: str | None  # the name of the tensor of the values' shapes


def columns_of(
    text: str,
) -> tuple[dict[str, Any], dict[str, Leaf], list[list[str]]]:
    """The spec, as JSON has it, the leaves by path, and the names that lead to dicts
    without features, of the core's JSON.

    Where records have the shapes of values, the spec reads these, too: a ragged
    tensor does not tell the shape of an array without elements.
    """
    columns = json.loads(text)
    spec = columns["spec"]
    features = {feature["name"]: feature for feature in spec["features"]}
    leaves = {}
    for leaf in columns["leaves"]:
        path, lengths = leaf["path"], leaf["lengths"]
        feature = features[path]
        shapes = None
        if "item_shape_key" in feature:
            shapes = f"{path}/shape"
            spec["features"].append(_shapes_feature(shapes, feature, lengths))
        leaves[path] = Leaf(
            path=path,
            names=leaf["names"],
            lengths=lengths,
            shape=leaf["shape"],
            dtype=leaf["dtype"],
            dataset=leaf["dataset"],
            content=leaf["content"],
            encoded="item_shape" in feature,
            is_ragged=-1 in lengths[1:],
            pixels=leaf["file_shape"],
            pixel_dtype=leaf["file_dtype"],
            shapes=shapes,
        )
    return spec, leaves, columns["empty_dicts"]


def _shapes_feature(
    name: str, feature: Mapping[str, Any], lengths: list[int]
) -> dict[str, Any]:
    """The feature of a spec that gives the shapes of the values of another."""
    made = {
        "name": name,
        "dtype": "int64",
        "column": feature["item_shape_key"],
    }
    dimensions = len(feature["item_shape"])
    if not lengths:
        return {**made, "kind": "fixed_len", "shape": [dimensions]}
    return {**made, "kind": "ragged", "shape": [-1, dimensions]}


# Names lead to trees inside, or to the paths of leaves.
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
    """Nested dicts of the values of these paths."""
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
