"""Checks pyarrow data before it is encoded or decoded.

The Arrow C interface does not say how long the buffers of values are, so offsets could
point past the end of a buffer; pyarrow knows the lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow

from headrace.errors import InvalidArgumentError, IoError


def checked(data: Any) -> Any:
    """Returns checked pyarrow data: `data` itself, or, for a reader, an iterator that
    checks each batch.

    Raises:
        InvalidArgumentError: an array does not fit its buffers.
    """
    if isinstance(data, pyarrow.RecordBatchReader):
        return _batches(data)
    if isinstance(data, (pyarrow.RecordBatch, pyarrow.Table)):
        for name, column in zip(data.schema.names, data.columns, strict=True):
            _check(column, f'column "{name}"')
    elif isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
        _check(data, "the Arrow array")
    return data


def _batches(reader: pyarrow.RecordBatchReader) -> Iterator[pyarrow.RecordBatch]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except Exception as error:  # from pyarrow, or from the producer of the batches
            raise IoError(f"the Arrow stream failed: {error}") from error
        yield checked(batch)


def _check(array: Any, what: str) -> None:
    try:
        # This checks the first and the last offset; the core checks those in between.
        array.validate()
    except (pyarrow.ArrowException, ValueError) as error:
        raise InvalidArgumentError(
            f"{what} does not fit its buffers: {error}"
        ) from error
