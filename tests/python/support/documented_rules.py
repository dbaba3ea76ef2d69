"""Rules of docs/semantics.md by which headrace has an error, TensorFlow none.

They are applied to what messages mean, one record, and one step of a feature
list, at a time.
"""

from __future__ import annotations

import random

from random_features import Feature
from wire_bytes import example
from wire_messages import Message, Value

_ROW_LIMIT = 2**31 - 1


def _entries(values: dict[str, Value], key: str) -> list:
    value = values.get(key)
    if value is None or value.kind != "int64":
        return []  # another kind is another error, which comes first
    return value.values


def _grows(numbers: list[int]) -> bool:
    return numbers == sorted(numbers) and (not numbers or numbers[0] >= 0)


def _rows(name: str, length: int, entries: list[int], n: int) -> int | None:
    """Rows that a partition makes of n values; None where R1 to R5 forbid it."""
    fits = n == 0 if not entries else _grows(entries)
    if name == "UniformRowLength":  # R4
        return None if n % length else n // length
    if name == "ValueRowIds":  # R5
        if not fits or len(entries) != n or entries and entries[-1] >= _ROW_LIMIT:
            return None
        return entries[-1] + 1 if entries else 0
    if name == "RowLengths":  # R1
        fits = all(entry >= 0 for entry in entries) and sum(entries) == n
        return len(entries) if fits else None
    if name == "RowStarts":  # R3
        if not entries:
            return 0 if fits else None
        return len(entries) if fits and entries[0] == 0 and entries[-1] <= n else None
    if name == "RowSplits" and entries:  # R2
        if entries[0] != 0:
            return None
        entries = entries[1:]
        fits = n == 0 if not entries else _grows(entries)
    if entries and entries[-1] != n:
        return None
    return len(entries) if fits else None


def _ragged_fits(feature: Feature, values: dict[str, Value]) -> bool:
    found = values.get(str(feature.keys[0]))
    n: int | None = len(found.values) if found and found.kind == feature.kind else 0
    partitions = list(zip(feature.partitions, feature.keys[1:], strict=True))
    for (name, length), key in reversed(partitions):
        entries = [] if key is None else _entries(values, key)
        n = _rows(name, length, entries, n)
        if n is None:
            return False
    return True


def _sparse_fits(feature: Feature, values: dict[str, Value]) -> bool:
    counts = {
        len(values[str(key)].values) if str(key) in values else 0
        for key in feature.keys
    }
    return len(counts) == 1


def _steps_fit(feature: Feature, lists: dict[str, list[Value]]) -> bool:
    keys = [key for key in feature.keys if key is not None]
    counts = {len(lists.get(key, [])) for key in keys}
    if len(counts) > 1:  # R7
        return False
    return all(
        _ragged_fits(feature, {key: lists[key][i] for key in keys})
        for i in range(counts.pop())
    )


def faults(message: Message, features: list[Feature], lists: list[Feature]):
    """Names of features of a record, and the code of what R and P1 say of them."""
    found = {}
    for feature in features:
        if feature.cls == "SparseFeature":
            if not _sparse_fits(feature, message.features):
                found["features", feature.name] = "bad_sparse_index"
        elif feature.cls == "RaggedFeature":
            if not _ragged_fits(feature, message.features):
                found["features", feature.name] = "bad_partition"
    for feature in lists:
        if feature.cls == "RaggedFeature" and not _steps_fit(
                feature, message.lists or {}):
            found["lists", feature.name] = "bad_partition"
    return found


def damage(rng: random.Random, record: bytes, key: str | None) -> tuple[str, bytes]:
    """A rule, and the record made malformed against it.

    Rules that begin with "=" are TensorFlow's, too. `key` is one that is read: of
    others the values are not looked at (E4).
    """
    one = b"\x1a\x03\x0a\x01\x05"
    features = example({"k": one})
    choices = {
        "W5": record + example({b"\xff": one}),
        "W1 field number 0": record + b"\x00\x00",
        "=W1 wire type 6": record + b"\x0e",
        "=W1 wire type 7": record + b"\x7f",
        "=W4 a group that was not begun": record + b"\x7c",
        "=W4 a group without an end": record + b"\x7b",
        "=W3": record + b"\x78" + b"\x80" * 10 + b"\x01",
        "W2": record + features[: rng.randint(2, len(features) - 1)],
        "=W2 a tag alone": record + b"\x0a",
    }
    if key is not None:
        five = b"\x12\x07\x0a\x05" + bytes(5)
        choices["W6"] = record + example({key: five})
    rule = rng.choice(sorted(choices))
    return rule, choices[rule]
