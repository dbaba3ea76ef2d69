"""Reads the rows of Parquet files, whose columns may differ. Needs pyarrow."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from headrace import _core
from headrace.arguments import suggestion
from headrace.errors import InvalidArgumentError, MissingPackageError, carried, carrying
from headrace.remote import files

# Hive's and Spark's name for the folder of rows without a value.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class ParquetInput:
    """Parquet files in the order of the paths, and the columns that folders define.

    `headrace.from_parquet` documents the arguments.
    """

    def __init__(
        self,
        paths: Any,
        filesystem: Any = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        need_pyarrow()
        items = paths if isinstance(paths, (list, tuple)) else [paths]
        names = list(map(os.fsdecode, items))
        if not all(names):
            raise InvalidArgumentError("paths must not be empty")
        has_urls = any(map(files.is_url, names))
        filesystem = files.check_storage(filesystem, storage_options, has_urls)
        if filesystem is None and not has_urls:
            self._files = _local_files(list(map(files.local_path, names)))
        else:
            self._files = [
                file for name in names
                for file in _remote_files(name, filesystem, storage_options)
            ]
        self._partitions = [_partition_of(name) for _, name in self._files]
        self._integers = {
            key for key in {key for found in self._partitions for key in found}
            if all(_is_int64(found.get(key)) for found in self._partitions)
        }

    def batches(self, columns: list[str] | None, batch_size: int) -> Iterator[Any]:
        """Yields the rows as record batches, each with the columns of its file.

        Raises:
            InvalidArgumentError: a file is not Parquet; one of `columns` is in no file.
        """
        import pyarrow as pa
        from pyarrow import dataset

        names: set[str] = set()
        for (filesystem, name), partition in zip(self._files, self._partitions):
            try:
                file = dataset.ParquetFileFormat().make_fragment(name, filesystem)
                own = file.physical_schema.names
                names.update(own, partition)
                chosen = None if columns is None else [
                    column for column in columns if column in own]
                for batch in file.to_batches(
                    columns=chosen, batch_size=batch_size, batch_readahead=1
                ):
                    yield self._with_partition(batch, partition, columns)
            except OSError as error:
                raise carried(error, name) from error
            except pa.ArrowException as error:
                raise InvalidArgumentError(
                    f"cannot be read as Parquet: {error}", file=name
                ) from error
        for column in sorted({*(columns or ())} - names):
            raise InvalidArgumentError(
                f'no file has the column "{column}"{suggestion(column, names)}',
                feature=column,
            )

    def _with_partition(
        self, batch: Any, partition: Mapping[str, str | None], columns: Any
    ) -> Any:
        import pyarrow as pa

        for key, value in partition.items():
            if key in batch.schema.names or (columns is not None and key not in columns):
                continue
            is_integer = key in self._integers
            scalar = pa.scalar(
                int(value) if is_integer and value is not None else value,
                pa.int64() if is_integer else pa.string(),
            )
            batch = batch.append_column(key, pa.repeat(scalar, batch.num_rows))
        return batch


def _local_files(names: list[str]) -> list[tuple[Any, str]]:
    from pyarrow import fs

    local = fs.LocalFileSystem()
    found: list[str] = []
    for name in names:
        # A path that exists is not a glob, whatever characters its name has.
        some = [name] if os.path.exists(name) else _core.expand_paths([os.fsencode(name)])
        for path in map(os.fsdecode, some):
            found += _in_folder(local, path) if os.path.isdir(path) else [path]
    return [(local, path) for path in found]


def _remote_files(
    name: str, filesystem: Any, storage_options: Mapping[str, Any] | None
) -> list[tuple[Any, str]]:
    from pyarrow import fs

    if filesystem is None and not files.is_url(name):
        return _local_files([files.local_path(name)])
    store, inner = files.locate(name, filesystem, storage_options)
    wrapped = fs.PyFileSystem(fs.FSSpecHandler(store))
    with carrying(name):
        some = [inner]
        if any(sign in inner for sign in "*?[") and not store.exists(inner):
            some = sorted(store.glob(inner))
        found = [
            (wrapped, file) for path in some
            for file in (_in_folder(wrapped, path) if store.isdir(path) else [path])
        ]
    if not found:
        raise InvalidArgumentError("no file matches", file=name)
    return found


def _in_folder(filesystem: Any, folder: str) -> list[str]:
    """Returns the files in a folder, at any depth, sorted."""
    from pyarrow import fs

    found = filesystem.get_file_info(fs.FileSelector(folder, recursive=True))
    start = len(folder.rstrip("/")) + 1
    names = sorted(
        info.path for info in found
        if info.is_file and not re.search(r"(^|/)[._]", info.path[start:])
    )
    if not names:
        raise InvalidArgumentError("a folder without files", file=folder)
    return names


def _partition_of(path: str) -> dict[str, str | None]:
    """Returns the columns that the folders `key=value` of a path define."""
    parts = (part.partition("=") for part in path.split("/")[:-1] if "=" in part)
    return {
        unquote(key): None if value == _NO_VALUE else unquote(value)
        for key, _, value in parts if key
    }


def _is_int64(text: str | None) -> bool:
    if text is None:
        return True
    return bool(re.fullmatch(r"0|-?[1-9][0-9]{0,18}", text)) and (
        -(2**63) <= int(text) < 2**63
    )


def need_pyarrow() -> None:
    """Raises MissingPackageError if pyarrow cannot be imported."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(
            f"Parquet is read and written by pyarrow, which cannot be imported ({error}); "
            "pip install pyarrow"
        ) from error
