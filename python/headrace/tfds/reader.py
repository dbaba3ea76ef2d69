"""`headrace.tfds.open`: reads the records of a TFDS folder, as episodes or as steps, in
batches."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from headrace.arguments import whole_number
from headrace.options import TABLE, FolderOptions, taken_by
from headrace.reading import opening
from headrace.shuffle import shuffle_of
from headrace.tfds.batch import Batch
from headrace.tfds.source import Source, Window
from headrace.tfds.steps import StepReader


class Reader:
    """An iterator of `headrace.tfds.Batch`; made by `headrace.tfds.open`.

    It has all methods and attributes of `headrace.Reader`; as an Arrow stream its
    columns are named by path.
    """

    def __init__(self, source: Source, opened: Any) -> None:
        self._view = source.view()
        self._opened = opened

    def __iter__(self) -> Reader:
        iter(self._opened)
        return self

    def __next__(self) -> Batch:
        return Batch(next(self._opened), self._view)

    def __getattr__(self, name: str) -> Any:
        if name == "_opened":
            raise AttributeError(name)
        return getattr(self._opened, name)

    def __enter__(self) -> Reader:
        self._opened.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._opened.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self._opened.__arrow_c_schema__()

    def __repr__(self) -> str:
        return repr(self._opened)


def open(
    path: str | os.PathLike[str],
    split: str = "train",
    *,
    columns: Sequence[str] | None = None,
    steps: bool | str = False,
    window: Window | int | None = None,
    episodes: int = 16,
    decode_images: bool = False,
    outside_files: bool = False,
    **options: Unpack[FolderOptions],
) -> Any:
    """Reads a TFDS folder in batches with nested names.

        >>> for batch in headrace.tfds.open("mnist/3.0.1", "train[:80%]"):
        ...     batch["image"], batch["label"]
        >>> for batch in headrace.tfds.open("droid/1.0.0", window=8, batch_size=64):
        ...     batch["observation"]["image"], batch["action"], batch["step_index"]

    Args:
        path, split, columns, steps, window, episodes, decode_images, outside_files:
            as in `headrace.tfds.Source`.
        options: the options of `headrace.open`, except `spec`, `schema`, `message`,
            `byte_range` and `columns`; for steps `batch_size` is a number of rows.

    Returns:
        A `Reader` of `Batch`; for steps a `StepReader` of `StepBatch`.

    Raises:
        The same exceptions as `headrace.tfds.Source` and `headrace.open`.
    """
    source = Source(
        path, split, columns=columns, steps=steps, window=window, episodes=episodes,
        decode_images=decode_images, outside_files=outside_files,
    )
    return _open_source(source, options)


@opening.open_nested.register
def _nested(source: Source, options: Mapping[str, Any]) -> Any:
    described = options["spec"] is not None or options["schema"] is not None
    if described or options["message"] == "raw":
        return None
    return _open_source(source, options)


def _open_source(source: Source, options: Mapping[str, Any]) -> Any:
    """Opens a source with the options of `headrace.open`."""
    fixed = [name for name in TABLE if name in options and name not in taken_by("folder")]
    options = dict(options)
    for name in fixed:
        if options.pop(name) != TABLE[name].default:
            raise TypeError(f"a folder of TFDS takes no {name} here")
    if source.dataset is None:
        return Reader(source, _opened(source, options))
    batch_size = whole_number("batch_size", options.pop("batch_size", 256), 1)
    drops = options.pop("drop_remainder", False)
    shuffle = shuffle_of(options.get("shuffle"), 0)
    opened = _opened(source, {**options, "batch_size": source.episodes})
    seed = None if shuffle is None else shuffle.seed
    return StepReader(source, opened, batch_size, seed, drops)


def _opened(source: Source, options: Mapping[str, Any]) -> Any:
    return opening.open(source.flat(), **options)
