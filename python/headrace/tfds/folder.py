"""`headrace.tfds.info`: the splits, features and labels of a TFDS folder."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from headrace import _core


@dataclasses.dataclass(frozen=True)
class Split:
    """A split of a folder: records of some files."""

    name: str
    num_examples: int
    shard_lengths: list[int]  # records of each file
    files: list[str]  # relative to the folder
    num_bytes: int  # of payloads; 0 if the folder does not say


class Feature(Mapping[str, "Feature"]):
    """A node of the tree of features: a Mapping of the features in it, by name or path.

        >>> info.features["steps/observation/image"].shape
        [224, 224, 3]

    Its str() is an indented tree.

    Attributes:
        name: name in the dict around it; "" for the root.
        path: names from the root on, joined by "/".
        class_name: TFDS's name of the class, such as "Image".
        kind: "dict", "sequence", "dataset" (a sequence of steps) or "leaf".
        length: of a sequence or dataset; None if it varies.
        dtype: of a leaf, numpy's name or "string"; for an image, the type of a pixel.
        shape: of a leaf, with None where values differ.
        content: of a leaf, "tensor", "text", "label", "image", "audio" or "box".
        encoding: of a leaf, None, "raw" or "zlib".
        optional: whether records may lack the leaf.
        num_classes: of labels; None if the folder does not say.
        label_names: of labels; None without a file of names.
        problem: why headrace cannot read the feature; None if it can.
    """

    def __init__(
        self, node: Mapping[str, Any], labels: Mapping[str, Any] | None = None
    ) -> None:
        self.name: str = node["name"]
        self.path: str = node["path"]
        self.class_name: str = node["class"]
        self.kind: str = node["kind"]
        length = node.get("length", -1)
        self.length: int | None = None if length < 0 else length
        self.dtype: str | None = node.get("dtype")
        shape = node.get("shape")
        self.shape = None if shape is None else [None if n < 0 else n for n in shape]
        self.content: str | None = node.get("content")
        self.encoding: str | None = node.get("encoding")
        self.optional: bool = node.get("optional", False)
        self.num_classes: int | None = node.get("num_classes")
        named = (labels or {}).get(self.path, {})
        self.label_names: list[str] | None = named.get("names")
        self.problem: str | None = node.get("problem")
        self.children = [
            Feature(child, labels) for child in node.get("children", [])
        ]

    def __getitem__(self, name: str) -> Feature:
        """Returns the feature of that name, or of that path from here."""
        inside = self
        # The element of a sequence has the path of the sequence.
        while inside.kind in ("sequence", "dataset"):
            inside = inside.children[0]
        for child in inside.children:
            if child.name == name:
                return child
            if name.startswith(f"{child.name}/"):
                return child[name[len(child.name) + 1 :]]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        if self.kind in ("sequence", "dataset"):
            return iter(self.children[0])
        return (child.name for child in self.children)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    # As a Mapping, a Feature would compare its items: all leaves, which have none,
    # would be equal.
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def leaves(self) -> Iterator[Feature]:
        """Yields all leaves in it, in order."""
        if self.kind == "leaf":
            yield self
        for child in self.children:
            yield from child.leaves()


class _Root(Feature):
    """The root of a tree; the core prints the tree."""

    def __init__(
        self, node: Mapping[str, Any], labels: Mapping[str, Any], tree: str
    ) -> None:
        super().__init__(node, labels)
        self._tree = tree

    def __repr__(self) -> str:
        return self._tree


class Info:
    """The description of a TFDS folder; made by `headrace.tfds.info`.

    Attributes:
        path: the folder that holds the files; for a folder of versions, the folder of
            the highest version.
        name, version, config: of the dataset; config is None if it has none.
        file_format: "tfrecord".
        splits: a dict of `Split` by name.
        features: the tree of features.
        labels: a dict of the names of classes by path; None for labels without names.
    """

    def __init__(self, folder: _core.TfdsFolder) -> None:
        self._folder = folder
        fields = json.loads(folder.to_json())
        self.path: str = fields["folder"]
        self.name: str = fields["name"]
        self.version: str | None = fields["version"]
        self.config: str | None = fields["config"]
        self.file_format: str = fields["file_format"]
        self.splits = {
            split["name"]: Split(
                **{f.name: split[f.name] for f in dataclasses.fields(Split)}
            )
            for split in fields["splits"]
        }
        self.features: Feature = _Root(
            fields["features"], fields["labels"], folder.tree()
        )
        self.labels: dict[str, list[str] | None] = {
            path: label["names"] for path, label in fields["labels"].items()
        }

    def __repr__(self) -> str:
        config = f", config={self.config!r}" if self.config else ""
        splits = ", ".join(
            f"{split.name}: {split.num_examples}" for split in self.splits.values()
        )
        return (
            f"Info({self.name!r}, version={self.version!r}{config}, "
            f"splits={{{splits}}})\n{self.features}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return info, (self.path,)


def info(path: str | os.PathLike[str], *, outside_files: bool = False) -> Info:
    """Reads the description of a TFDS folder; reads no record.

        >>> info = headrace.tfds.info("mnist/3.0.1")
        >>> info.splits["train"].num_examples, info.labels["label"]

    Args:
        path: the folder with `dataset_info.json` and `features.json`, or a folder of
            versions, of which the highest is used.
        outside_files: allow files outside the folder (the folder's filename template
            may point to them).

    Raises:
        NotFoundError: the folder, or one of the two files, does not exist.
        BadSpecError: the files contradict themselves, or the rules of
            docs/formats/tfds.md.
    """
    return Info(_core.TfdsFolder(os.fsencode(path), outside_files))
