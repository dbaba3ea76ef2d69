"""`headrace.tfds.Dataset`: the records of a TFDS folder by number."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from headrace.errors import InvalidArgumentError
from headrace.reading import dataset
from headrace.reading.batches import TakeOptions
from headrace.reading.dataset import row_numbers
from headrace.tfds.batch import Batch
from headrace.tfds.source import Source

StepsAs: TypeAlias = Literal["list", "columns"]


class Dataset(dataset.Dataset):
    """The records of a split by number, as nested dicts.

        >>> ds = headrace.tfds.Dataset("mnist/3.0.1", "train")
        >>> ds[7]["image"], ds[7]["label"], ds.id(7)
        >>> for batch in ds.batches(256, shuffle=True): ...

    `ds[i]` is what `tfds.as_numpy` returns: a dict of dicts, numpy arrays and scalars,
    and bytes. Lists in lists are a `Ragged` of `values` and `row_splits`; the steps
    of an episode are a list of dicts. Batches have nested names, as in
    `headrace.tfds.open`. Opening the dataset reads no record; a file is opened when it
    is first used.

    Args:
        path, split, columns, decode_images, outside_files: as in
            `headrace.tfds.Source`; a Source may be passed instead of the path.
        steps: "list", or "columns": the steps of an episode are one dict of arrays
            of all steps.
        options: the options of `headrace.Dataset`, except `spec`, `schema`, `message`
            and `columns`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | Source,
        split: str = "train",
        *,
        columns: Sequence[str] | None = None,
        steps: StepsAs = "list",
        decode_images: bool = False,
        outside_files: bool = False,
        **options: Any,
    ) -> None:
        if steps not in ("list", "columns"):
            raise InvalidArgumentError(
                f'steps must be "list" or "columns", got {steps!r}'
            )
        if isinstance(path, Source):
            source = path
        else:
            source = Source(
                path, split, columns=columns, decode_images=decode_images,
                outside_files=outside_files,
            )
        if source.dataset is not None:
            raise InvalidArgumentError(
                "rows by number are episodes; headrace.tfds.open reads steps and "
                "windows"
            )
        self._view = source.view(steps == "columns")
        self._begins = [begin for begin, _, _ in source.ranges]
        self._ends = source.ends
        super().__init__(source.flat(), **options)

    def id(self, row: SupportsIndex) -> str:
        """Returns the id of the record in TFDS: the name of its file and its number in
        the file."""
        # This opens no file, unlike `origin`.
        number = int(row_numbers([row], len(self))[0])
        slice = int(np.searchsorted(self._ends, number, "right"))
        first = int(self._ends[slice - 1]) if slice else 0
        record = self._begins[slice] + number - first
        return f"{os.path.basename(self._files[slice])}__{record}"

    def _row(self, row: SupportsIndex) -> dict[str, Any]:
        return self._dicts(row_numbers([row], len(self)))[0]

    def _dicts(self, rows: NDArray[np.uint64]) -> list[dict[str, Any]]:
        return self._view.rows(self._core.take(rows))

    def _take(
        self, rows: NDArray[np.uint64], how: TakeOptions = TakeOptions()
    ) -> Batch:
        return Batch(self._core.take(rows, *how), self._view)


@dataset.dataset_of.register
def _dataset_of(source: Source, options: Mapping[str, Any]) -> Dataset:
    return Dataset(source, **options)
