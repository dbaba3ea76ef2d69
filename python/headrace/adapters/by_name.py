"""Turns a batch into a dict of a framework's arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace import _core


def by_name(
    batch: Any,
    value: Callable[[Any], Any],
    lengths: Callable[[Any], Any],
    array: Callable[[Any], Any],
) -> dict[str, Any]:
    """Returns a dict with the result of `value` for each tensor or column, by name.

    For SequenceExamples the result has three dicts, since context and sequence
    may share names: "context", "sequence", and "lengths", with `lengths` of every
    dense feature list. Columns of kind null have no values and are left out.
    For a TFDS folder the dicts are nested like its names. `array` converts the numpy
    arrays in them: decoded images, and the numbers of steps.
    """
    if not isinstance(batch, _core.Batch):
        return batch._by_name(value, array)
    if batch.message != "sequence":
        return _values(dict(batch.items()), value)
    return {
        "context": _values(batch.context, value),
        "sequence": _values(batch.sequence, value),
        "lengths": {
            name: lengths(field.lengths)
            for name, field in batch.sequence.items()
            if isinstance(field, _core.Tensor)
        },
    }


def splits_of(field: Any) -> list[_core.Tensor]:
    """Returns the row splits of a ragged tensor or a column, outermost first."""
    if isinstance(field, _core.RaggedTensor):
        return field.row_splits
    return [field.offsets, field.step_offsets] if field.in_sequence else [field.offsets]


def _values(fields: dict[str, Any], value: Callable[[Any], Any]) -> dict[str, Any]:
    return {
        name: value(field)
        for name, field in fields.items()
        if not (isinstance(field, _core.Column) and field.values is None)
    }
