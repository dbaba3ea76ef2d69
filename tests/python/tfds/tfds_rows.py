"""Rows of TensorFlow Datasets and of headrace in one form, and how they differ.

The form is: a dict, a numpy array (strings are bytes in an array of objects), Ragged,
Steps, or Arrays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np


@dataclasses.dataclass
class Ragged:
    splits: list[list[int]]  # outermost first
    values: np.ndarray


@dataclasses.dataclass
class Steps:
    steps: list


@dataclasses.dataclass
class Arrays:
    """Arrays of one sequence whose sizes differ."""

    arrays: list


def of_tfds(value: Any) -> Any:
    """What tfds.as_numpy gives for a row."""
    if isinstance(value, dict):
        return {name: of_tfds(child) for name, child in value.items()}
    if hasattr(value, "nested_row_splits"):
        return Ragged([np.asarray(splits).tolist()
                       for splits in value.nested_row_splits],
                      _array(np.asarray(value.flat_values)))
    if isinstance(value, (bytes, np.ndarray, np.generic)):
        return _array(value)
    return Steps([of_tfds(step) for step in value])


def bytes_of(value: bytes) -> np.ndarray:
    """A scalar; numpy alone would drop zeros at its end."""
    array = np.empty((), object)
    array[()] = value
    return array


def _array(value: Any) -> np.ndarray:
    return bytes_of(value) if isinstance(value, bytes) else np.asarray(value)


def of_headrace(value: Any) -> Any:
    """What headrace gives for a row."""
    if isinstance(value, Mapping):
        return {name: of_headrace(child) for name, child in value.items()}
    if hasattr(value, "row_splits"):
        return Ragged([np.asarray(splits).tolist() for splits in value.row_splits],
                      np.asarray(value.values))
    if isinstance(value, list):
        # Steps of a Dataset that are tensors look like arrays of several sizes.
        return Steps([of_headrace(step) for step in value])
    return _array(value)


def difference(ours: Any, expected: Any, path: str = "row") -> str | None:
    """Where a value is not as expected, and how; None: nowhere."""
    if isinstance(expected, Arrays):
        expected = Steps(expected.arrays)
    if type(ours) is not type(expected):
        return f"{path}: {ours!r}, expected {expected!r}"
    if isinstance(expected, dict):
        if list(ours) != list(expected) and sorted(ours) != sorted(expected):
            return f"{path}: has {list(ours)}, expected {list(expected)}"
        parts = ((f"{path}/{name}", ours[name], expected[name]) for name in expected)
    elif isinstance(expected, Steps):
        if len(ours.steps) != len(expected.steps):
            return f"{path}: {len(ours.steps)} steps, expected {len(expected.steps)}"
        parts = ((f"{path}[{i}]", *pair) for i, pair in
                 enumerate(zip(ours.steps, expected.steps)))
    elif isinstance(expected, Ragged):
        if ours.splits != expected.splits:
            return f"{path}: row splits {ours.splits}, expected {expected.splits}"
        parts = ((f"{path}.values", ours.values, expected.values),)
    else:
        return _array_difference(ours, expected, path)
    return next(filter(None, (difference(mine, theirs, place)
                              for place, mine, theirs in parts)), None)


def _array_difference(ours: np.ndarray, expected: np.ndarray, path: str) -> str | None:
    if ours.dtype != expected.dtype:
        return f"{path}: type {ours.dtype}, expected {expected.dtype}"
    if ours.shape != expected.shape:
        return f"{path}: shape {ours.shape}, expected {expected.shape}"
    same = (ours.tolist() == expected.tolist() if ours.dtype == object
            else ours.tobytes() == expected.tobytes())
    return None if same else f"{path}: {ours!r}, expected {expected!r}"
