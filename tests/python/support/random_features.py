"""Random feature specs, and messages that fit them, or nearly."""

from __future__ import annotations

import dataclasses
import math
import random
from typing import Any

import numpy as np
from wire_messages import KINDS, Message, Value, random_item, random_value

PARTITIONS = ("RowLengths", "RowSplits", "RowStarts", "RowLimits", "ValueRowIds",
              "UniformRowLength")
NUL_KEY = "nul\0in it"
_NAMES = ("a", "b", "naïve", "a key with spaces", "x" * 60, NUL_KEY, "Zz", "_")


@dataclasses.dataclass
class Feature:
    """A feature of a spec, of neither library yet.

    `keys` are the keys in the record: of the values, then of the indices or the
    partitions; None stands for a UniformRowLength.
    """

    name: str
    cls: str
    kind: str
    keys: list[str | None]
    shape: tuple[int, ...] = ()
    default: list | None = None
    allow_missing: bool = True
    sizes: tuple[int, ...] = ()
    already_sorted: bool = False
    partitions: list[tuple[str, int]] = dataclasses.field(default_factory=list)
    splits: str = "int64"
    validate: bool = False

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    def make(self, library: Any, dtypes: dict[str, Any]) -> Any:
        """The feature as an object of headrace or of `tf.io`."""
        cls, dtype = getattr(library, self.cls), dtypes[self.kind]
        if self.cls == "FixedLenFeature":
            return cls(self.shape, dtype, self._default())
        if self.cls == "FixedLenSequenceFeature":
            return cls(self.shape, dtype, self.allow_missing, self._default())
        if self.cls == "VarLenFeature":
            return cls(dtype)
        if self.cls == "SparseFeature":
            index_keys, size = self.keys[1:], list(self.sizes)
            if len(size) == 1 and self.already_sorted:
                index_keys, size = index_keys[0], size[0]
            return cls(index_keys, self.keys[0], dtype, size, self.already_sorted)
        partitions = [
            getattr(cls, name)(length if key is None else key)
            for (name, length), key in zip(self.partitions, self.keys[1:], strict=True)
        ]
        value_key = None if self.keys[0] == self.name else self.keys[0]
        return cls(dtype, value_key, partitions, dtypes[self.splits], self.validate)

    def _default(self) -> Any:
        if self.default is None:
            return None
        scalar = self.cls == "FixedLenSequenceFeature"
        shape = () if scalar else self.shape
        if self.kind == "bytes":
            array = np.array([None, *self.default], object)[1:].reshape(shape)
            return array.tolist() if array.ndim else array[()]
        unsigned = {"float": np.uint32, "int64": np.int64}[self.kind]
        array = np.array(self.default, unsigned).reshape(shape)
        return array.view(np.float32) if self.kind == "float" else array


def random_feature(rng: random.Random, name: str, place: str) -> Feature:
    """A feature for an "example", a "context" or a "list"."""
    classes = {
        "example": ("FixedLenFeature", "FixedLenFeature", "FixedLenSequenceFeature",
                    "VarLenFeature", "RaggedFeature", "RaggedFeature",
                    "SparseFeature"),
        "context": ("FixedLenFeature", "VarLenFeature", "RaggedFeature"),
        "list": ("FixedLenSequenceFeature", "VarLenFeature", "RaggedFeature"),
    }[place]
    feature = Feature(name, rng.choice(classes), rng.choice(KINDS), [name])
    fill = {"FixedLenFeature": _dense, "FixedLenSequenceFeature": _dense,
            "SparseFeature": _sparse, "RaggedFeature": _ragged}.get(feature.cls)
    if fill:
        fill(rng, feature, place)
    return feature


def _dense(rng: random.Random, feature: Feature, place: str) -> None:
    shapes = [(), (), (1,), (2,), (3,), (2, 2), (1, 3), (2, 1, 2)]
    count = 1
    if feature.cls == "FixedLenFeature":
        shapes += [(0,), (2, 0)]
    feature.shape = rng.choice(shapes)
    if feature.cls == "FixedLenFeature":
        count = feature.count
    else:
        feature.allow_missing = place == "example" or rng.random() < 0.5
    if place != "list" and rng.random() < 0.5:
        feature.default = [random_item(rng, feature.kind) for _ in range(count)]


def _sparse(rng: random.Random, feature: Feature, _place: str) -> None:
    dimensions = rng.randint(1, 3)
    feature.keys = [f"{feature.name}/values"]
    feature.keys += [f"{feature.name}/index{i}" for i in range(dimensions)]
    feature.sizes = tuple(rng.randint(1, 9) for _ in range(dimensions))
    feature.already_sorted = rng.random() < 0.2


def _ragged(rng: random.Random, feature: Feature, _place: str) -> None:
    feature.splits = rng.choice(("int32", "int64"))
    feature.validate = rng.random() < 0.5
    if rng.random() < 0.4:
        feature.keys = [f"{feature.name}/values"]
    for i in range(rng.choice((0, 0, 1, 1, 2, 3))):
        name = rng.choice(PARTITIONS)
        uniform = name == "UniformRowLength"
        feature.partitions.append((name, rng.randint(1, 3) if uniform else 0))
        feature.keys.append(None if uniform else f"{feature.name}/{name}{i}")


def random_spec(rng: random.Random, place: str, minimum: int = 1) -> list[Feature]:
    """Features of different names, and at times a second use of a key."""
    names = rng.sample(_NAMES, rng.randint(minimum, 5))
    features = [random_feature(rng, name, place) for name in names]
    for feature in list(features):
        if feature.cls == "SparseFeature" and rng.random() < 0.4:
            key = rng.choice(feature.keys)
            kind = feature.kind if key == feature.keys[0] else "int64"
            features.append(Feature(str(key), "VarLenFeature", kind, [key]))
        if feature.cls == "RaggedFeature" and rng.random() < 0.2:
            features.append(dataclasses.replace(
                feature, name=feature.name + " again", keys=feature.keys[:1],
                partitions=[]))
    return features


def _fitting_lengths(rng, name: str, length: int, rows: int) -> list[int]:
    if name == "UniformRowLength":
        return [length] * rows
    lengths = [rng.choice((0, 1, 1, 2, 3)) for _ in range(rows)]
    if name == "ValueRowIds" and rows and not lengths[-1]:
        lengths[-1] = 1  # it cannot say that rows without values follow
    return lengths


def _partition_entries(rng, name: str, lengths: list[int]) -> list[int]:
    ends = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    if name == "RowLengths":
        return lengths
    if name == "RowStarts":
        return ends[:-1]
    if name == "RowLimits":
        return ends[1:]
    if name == "ValueRowIds":
        return [row for row, n in enumerate(lengths) for _ in range(n)]
    return [] if len(ends) == 1 and rng.random() < 0.5 else ends


def fitting(rng: random.Random, feature: Feature) -> dict[str, Value]:
    """Values of the keys of a feature in one record, or step, that it takes."""
    if feature.cls == "FixedLenFeature":
        count = feature.count
    elif feature.cls == "FixedLenSequenceFeature":
        count = feature.count * rng.choice((0, 1, 1, 2, 3))
    else:
        count = rng.choice((0, 1, 1, 2, 3, 5))
    values = {}
    if feature.cls == "SparseFeature":
        for key, size in zip(feature.keys[1:], feature.sizes, strict=True):
            most = size if rng.random() < 0.1 else size - 1
            values[key] = Value(
                "int64", [rng.randint(0, most) for _ in range(count)])
    if feature.partitions:
        count = rng.randint(0, 3)
        for (name, length), key in zip(
                feature.partitions, feature.keys[1:], strict=True):
            lengths = _fitting_lengths(rng, name, length, count)
            count = sum(lengths)
            if key is not None:
                values[key] = Value("int64", _partition_entries(rng, name, lengths))
    values[feature.keys[0]] = Value(
        feature.kind, [random_item(rng, feature.kind) for _ in range(count)])
    if rng.random() < 0.3:
        for value in values.values():
            if not value.values and feature.cls != "FixedLenFeature":
                value.kind = None
    return values


def mistaken(rng: random.Random, value: Value) -> Value | None:
    """Another value, which may or may not still fit; None is no entry at all.

    A float list is packed then: TensorFlow writes past the row of a FixedLen
    where it is not.
    """
    choice = rng.random()
    if choice < 0.3:
        return None
    if choice < 0.4:
        return Value()
    if choice < 0.6:
        return Value(rng.choice([kind for kind in KINDS if kind != value.kind]))
    values = list(value.values)
    at = rng.randint(0, len(values))
    if value.kind is None or choice < 0.7 or at == len(values):
        # A small number: as a row id a large one would be that many rows.
        item = rng.randint(-1, 6)
        values.insert(at, b"new" if value.kind == "bytes" else max(item, 0)
                      if value.kind == "float" else item)
    elif choice < 0.85:
        del values[at]
    elif value.kind == "int64":
        values[at] += rng.choice((-1, 1, 2**40))
    return Value(value.kind or "int64", values, True)


def _add_features(rng, features, record: dict[str, Value], faults: float) -> None:
    for feature in features:
        values = fitting(rng, feature)
        optional = feature.cls != "FixedLenFeature" or (
            feature.default is not None and feature.count)
        if optional and rng.random() < 0.15:
            continue
        for key, value in values.items():
            if value is not None and rng.random() < faults:
                value = mistaken(rng, value)
            if value is not None:
                record.setdefault(key, value)


def random_example(rng: random.Random, features: list[Feature], faults: float):
    """An Example; `faults` is how likely a value of it is another than fits."""
    record: dict[str, Value] = {}
    _add_features(rng, features, record, faults)
    for key in rng.sample(("unused", "other", ""), rng.randint(0, 2)):
        record[key] = random_value(rng)
    return Message(record)


def random_sequence_example(
    rng: random.Random, context: list[Feature], lists: list[Feature], faults: float
) -> Message:
    """A SequenceExample."""
    message = random_example(rng, context, faults)
    message.lists = {}
    for feature in lists:
        steps = [fitting_step(rng, feature, faults) for _ in range(rng.randint(0, 3))]
        absent = 0.2 if feature.allow_missing else faults
        if rng.random() < absent:
            continue
        for key in dict.fromkeys(filter(None, feature.keys)):
            found = [step[key] for step in steps if key in step]
            message.lists.setdefault(key, found)
    if rng.random() < 0.3:
        message.lists["unused list"] = [random_value(rng), random_value(rng)]
    return message


def fitting_step(rng: random.Random, feature: Feature, faults: float):
    """Values of a step of a feature list, by key; with `faults`, perhaps less."""
    if feature.cls == "FixedLenSequenceFeature":
        values = {feature.keys[0]: Value(feature.kind, [
            random_item(rng, feature.kind) for _ in range(feature.count)])}
    else:
        values = fitting(rng, feature)
    step = {}
    for key, value in values.items():
        if rng.random() < faults:
            changed = mistaken(rng, value)
            if changed is None:
                continue
            value = changed
        step[key] = value
    return step
