"""`headrace.grain`: a Grain data source of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, Unpack

import grain.python  # noqa: F401  (fails here if grain is missing)

from headrace.options import DatasetOptions
from headrace.reading import dataset as _dataset

__all__ = ["DataSource"]


class DataSource:
    """A `grain.python.RandomAccessDataSource` of rows as dicts.

    Workers of Grain open the files themselves.

    Args:
        paths: a `headrace.Dataset`, or the paths for one.
        options: the options of `headrace.Dataset`, for paths.
    """

    def __init__(self, paths: Any, **options: Unpack[DatasetOptions]) -> None:
        self.dataset = _dataset.dataset_of(paths, options)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, record_key: SupportsIndex) -> dict[str, Any]:
        """Returns the row with this number, as `headrace.Dataset` does."""
        return self.dataset._row(record_key)

    def __getitems__(self, record_keys: Sequence[int]) -> list[dict[str, Any]]:
        """Returns the rows with these numbers, read together."""
        return self.dataset.__getitems__(record_keys)

    def __repr__(self) -> str:
        # Grain compares this text with that of the source from which a checkpoint was
        # made.
        rows, files = len(self), len(self.dataset.files)
        return f"DataSource(Dataset(rows={rows}, files={files}))"
