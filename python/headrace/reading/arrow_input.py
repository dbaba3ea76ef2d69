"""Arrays of pyarrow before they are encoded or decoded.

The C interface does not say how long buffers of values are, so that offsets may point
past them; pyarrow knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow

from headrace.errors import InvalidArgumentError, IoError


def checked(data: Any) -> Any:
    """What to take instead of `data` of pyarrow: itself, or an iterator of the batches
    of a reader, each of them checked.

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
        except Exception as error:  # of pyarrow, or of who makes the batches
            raise IoError(f"the Arrow stream failed: {error}") from error
        yield checked(batch)


def _check(array: Any, what: str) -> None:
    try:
        # The first and the last offset; the core looks at those between them.
        array.validate()
    except (pyarrow.ArrowException, ValueError) as error:
        raise InvalidArgumentError(
            f"{what} does not fit its buffers: {error}"
        ) from error
