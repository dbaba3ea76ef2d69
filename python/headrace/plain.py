"""Turns batches and their fields into dicts, lists, frames and dense arrays."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy

from headrace import _core
from headrace.errors import BadSparseIndexError, needed


def to_pydict(batch: _core.Batch) -> dict[str, list[Any]]:
    """`Batch.to_pydict`."""
    if batch.message == "raw":
        return {"payload": batch.payloads()}
    _check_names(batch)
    return {name: field.tolist() for name, field in batch.items()}


def to_pylist(batch: _core.Batch) -> list[dict[str, Any]]:
    """`Batch.to_pylist`."""
    columns = to_pydict(batch)
    if not columns:
        return [{} for _ in range(batch.num_rows)]
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def to_pandas(batch: _core.Batch) -> Any:
    """`Batch.to_pandas`."""
    pandas = needed("pandas", "Batch.to_pandas")
    _check_names(batch)
    columns = {
        name: pandas.Series(_column(field), index=range(batch.num_rows))
        for name, field in batch.items()
    }
    if batch.message == "raw":
        columns = {"payload": pandas.Series(batch.payloads(), dtype=object)}
    return pandas.DataFrame(columns, index=range(batch.num_rows))


def _column(field: Any) -> numpy.ndarray[Any, Any]:
    """Returns an array with one item per row: a copy of numbers, or Python objects."""
    if isinstance(field, _core.Tensor) and field.ndim == 1:
        return field.numpy().copy()
    return objects(field.tolist())


def objects(rows: list[Any]) -> numpy.ndarray[Any, Any]:
    """Returns an array of these objects."""
    array = numpy.empty(len(rows), object)
    for number, row in enumerate(rows):  # numpy makes lists of equal length an axis
        array[number] = row
    return array


def _check_names(batch: _core.Batch) -> None:
    """Raises ValueError if a feature and a feature list have the same name, since a
    dict would drop one."""
    for name in batch.context.keys() & batch.sequence.keys():
        raise ValueError(
            f'"{name}" is the name of a feature and of a feature list; use '
            "batch.context and batch.sequence"
        )


def sparse_rows(
    indices: dict[str, list[Any]], values: list[Any]
) -> list[dict[str, Any]]:
    """Returns one dict per row of a SparseFeature: a list for each index key, and a
    list of values."""
    if "values" in indices:
        raise ValueError(
            'an index key has the name "values", which the dict needs for the values; '
            "use .indices and .values"
        )
    columns = {**indices, "values": values}
    return [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]


def _filled(
    field: _core.RaggedTensor | _core.SparseTensor,
    shape: tuple[int, ...],
    default_value: Any,
) -> numpy.ndarray[Any, Any]:
    if default_value is None:
        default_value = b"" if field.dtype == object else 0
    return numpy.full(shape, default_value, field.dtype)


def dense_of_ragged(
    field: _core.RaggedTensor, default_value: Any
) -> numpy.ndarray[Any, Any]:
    """`RaggedTensor.to_dense`."""
    values = field.values.numpy()
    # Each level, from the innermost, pads its rows to the longest.
    for part in reversed(field.row_splits):
        splits = part.numpy()
        lengths = numpy.diff(splits)
        longest = int(lengths.max(initial=0))
        shape = (len(lengths), longest, *values.shape[1:])
        dense = _filled(field, shape, default_value)
        rows = numpy.repeat(numpy.arange(len(lengths)), lengths)
        places = numpy.arange(len(rows)) - numpy.repeat(splits[:-1], lengths)
        dense[rows, places] = values
        values = dense
    return values


def outside_size(field: _core.SparseTensor, found: list[int]) -> BadSparseIndexError:
    """Returns the exception for an index `found`."""
    size = list(field.shape)
    return BadSparseIndexError(
        f'feature "{field.name}" has the index {found}, outside the size {size}',
        feature=field.name, expected=str(size), found=str(found),
    )


def dense_of_sparse(
    field: _core.SparseTensor, default_value: Any
) -> numpy.ndarray[Any, Any]:
    """`SparseTensor.to_dense`."""
    indices, shape = field.indices.numpy(), field.shape
    outside = ((indices < 0) | (indices >= shape)).any(1)
    if outside.any():
        raise outside_size(field, indices[outside][0].tolist())
    dense = _filled(field, shape, default_value)
    places = numpy.ravel_multi_index(tuple(indices.T), shape) if len(indices) else []
    if len(numpy.unique(places)) < len(indices):
        raise ValueError(f'feature "{field.name}" has two values at one index')
    dense[tuple(indices.T)] = field.values.numpy()
    return dense


def load_batch(saved: bytes, bytes_as: int, files: list[bytes]) -> _core.Batch:
    """Restores a pickled batch."""
    return _core._load_batch(saved, bytes_as, files)


def load_field(saved: bytes, bytes_as: int, files: list[bytes]) -> Any:
    """Restores a pickled column or tensor."""
    return _core._load_field(saved, bytes_as, files)


def load_part(saved: bytes, is_structure: bool) -> _core.Tensor:
    """Restores a pickled array that is part of a column or tensor."""
    return _core._load_part(saved, is_structure)


class _Short(reprlib.Repr):
    """Shows the first rows, the first values of each row, and the first bytes of each
    value."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = 3

    def repr_bytes(self, value: bytes, level: int) -> str:
        return repr(value) if len(value) <= 20 else f"{value[:17]!r}..."

    def repr_ndarray(self, array: numpy.ndarray[Any, Any], level: int) -> str:
        items = [
            self.repr1(item, level)
            if isinstance(item, (bytes, numpy.ndarray))
            else str(item)
            for item in array[: self.maxlist]
        ]
        if len(array) > self.maxlist:
            items.append("...")
        return f"[{', '.join(items)}]"


def shortened(rows: Any) -> str:
    """Returns the first rows of a field as a short line."""
    text = _Short().repr(rows)
    return text if len(text) <= 80 else f"{text[:77]}..."
