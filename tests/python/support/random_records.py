"""Random datasets of tf.train messages, with all that statistics must survive."""

from __future__ import annotations

import dataclasses
import math
import pathlib
import random
from collections.abc import Callable
from typing import Any

import headrace as hr
import tensorflow as tf

KINDS = ("int64", "float", "bytes")

_INTS: tuple[Callable[[random.Random], int], ...] = (
    lambda rng: rng.randrange(3),
    lambda rng: rng.randrange(-50, 50),
    lambda rng: 7,
    lambda rng: int(rng.gauss(1e6, 1e5)),
    lambda rng: 1_700_000_000 + rng.randrange(86_400),
    lambda rng: rng.randrange(-(2**63), 2**63),
    lambda rng: 2**53 + rng.randrange(-3, 4),
    lambda rng: rng.choice((-(2**63), 0, 2**63 - 1)),
)
_SMALL_INTS = 5  # the first ones
_FLOATS: tuple[Callable[[random.Random], float], ...] = (
    lambda rng: rng.random(),
    lambda rng: rng.gauss(0, 1),
    lambda rng: float(rng.randrange(4)),
    lambda rng: rng.choice((0.0, -0.0, 1.5)),
    lambda rng: math.nan if rng.random() < 0.2 else rng.gauss(5, 2),
    lambda rng: rng.choice((math.inf, 1.0, 2.0, 3.0)),
    lambda rng: rng.choice((-math.inf, math.inf, math.nan, rng.random())),
    lambda rng: math.nan,
    lambda rng: -math.inf,
    lambda rng: rng.choice((math.inf, -math.inf)),
    lambda rng: rng.choice((3.4e38, -3.4e38, 1e-45)),
    lambda rng: math.exp(rng.gauss(0, 5)),
    lambda rng: 42.5,
)
_BYTES: tuple[Callable[[random.Random], bytes], ...] = (
    lambda rng: rng.choice((b"red", b"green", b"blue")),
    lambda rng: b"%d" % rng.randrange(100_000),
    lambda rng: b"%d" % int(rng.paretovariate(1)),
    lambda rng: b"",
    lambda rng: rng.choice(("naïve", "日本", "a\nb", '"q"', "\0", "z")).encode(),
    lambda rng: rng.randbytes(rng.randrange(4)),
    lambda rng: rng.choice((b"\xff\xfe", b"\xff\xd8\xff", b"ok")),
    lambda rng: rng.choice((b"x" * 256, b"y" * 255, b"short")),
)


@dataclasses.dataclass
class Column:
    """A feature, or a feature list, and how its records come about."""

    name: str
    kind: str | None  # None: no record has one
    value: Callable[[random.Random], Any]
    length: Callable[[random.Random], int]
    missing: float
    unset: float
    in_sequence: bool = False

    def feature(self, rng: random.Random) -> tf.train.Feature:
        if self.kind is None or rng.random() < self.unset:
            return tf.train.Feature()
        values = [self.value(rng) for _ in range(self.length(rng))]
        return feature_of(self.kind, values)


def feature_of(kind: str, values: list) -> tf.train.Feature:
    if kind == "int64":
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    if kind == "float":
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def _random_column(rng: random.Random, name: str, in_sequence: bool) -> Column:
    kind = rng.choice((*KINDS, *KINDS, *KINDS, None))
    # TensorFlow Data Validation cuts those of feature lists to 32 bits.
    ints = _INTS[:_SMALL_INTS] if in_sequence else _INTS
    makers = {"int64": ints, "float": _FLOATS, "bytes": _BYTES, None: (int,)}
    fixed, longest = rng.randrange(5), rng.randrange(1, 9)
    return Column(
        name=name,
        kind=kind,
        value=rng.choice(makers[kind]),
        length=rng.choice(
            (
                lambda rng: 1,
                lambda rng: 1,
                lambda rng: fixed,
                lambda rng: rng.randrange(longest),
                lambda rng: 0 if rng.random() < 0.9 else rng.randrange(40),
            )
        ),
        missing=rng.choice((0, 0, 0.1, 0.9)),
        unset=rng.choice((0, 0, 0.2)),
        in_sequence=in_sequence,
    )


@dataclasses.dataclass
class Dataset:
    message: str  # "example" or "sequence"
    records: list[bytes]


def written(path: pathlib.Path, dataset: Dataset) -> pathlib.Path:
    with hr.Writer(path) as writer:
        for record in dataset.records:
            writer.write(record)
    return path


def random_dataset(seed: int) -> Dataset:
    rng = random.Random(seed)
    is_sequence = rng.random() < 0.3
    columns = [
        _random_column(rng, f"f{i}", is_sequence and rng.random() < 0.6)
        for i in range(rng.randrange(1, 7))
    ]
    size = rng.choice((1, 2, 3, 10, 100, 300, 300, 600))
    records = [_record(rng, columns, is_sequence) for _ in range(size)]
    return Dataset("sequence" if is_sequence else "example", records)


def large_dataset(seed: int, size: int) -> Dataset:
    """One feature of each kind, and mostly one value in each record."""
    rng = random.Random(seed)
    columns = [
        Column("int", "int64", _INTS[seed % len(_INTS)], lambda rng: 1, 0, 0),
        Column("float", "float", _FLOATS[seed % len(_FLOATS)], lambda rng: 1, 0.1, 0),
        Column("bytes", "bytes", _BYTES[2], lambda rng: rng.randrange(3), 0, 0),
    ]
    return Dataset("example", [_record(rng, columns, False) for _ in range(size)])


def _record(rng: random.Random, columns: list[Column], is_sequence: bool) -> bytes:
    features, lists = {}, {}
    for column in columns:
        if rng.random() < column.missing:
            continue
        if column.in_sequence:
            steps = [column.feature(rng) for _ in range(rng.randrange(5))]
            lists[column.name] = tf.train.FeatureList(feature=steps)
        else:
            features[column.name] = column.feature(rng)
    context = tf.train.Features(feature=features)
    if not is_sequence:
        return tf.train.Example(features=context).SerializeToString()
    return tf.train.SequenceExample(
        context=context,
        feature_lists=tf.train.FeatureLists(feature_list=lists),
    ).SerializeToString()
