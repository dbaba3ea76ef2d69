"""`headrace.split`: cuts files into parts for tasks that share them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, cast

from headrace import _core
from headrace.arguments import whole_number
from headrace.file_ranges import FileRanges
from headrace.named import named
from headrace.options import Compression, core_options
from headrace.remote import files


@named
def split(
    paths: Any,
    count: int,
    *,
    index: str | os.PathLike[str] | None = "auto",
    compression: Compression = "auto",
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
) -> list[tuple[str, int, int | None]]:
    """Cuts files into about `count` parts of similar size.

    A part is a file and a range [begin, end) of bytes in its uncompressed stream; each
    task reads the records that begin in its range:

        for path, begin, end in headrace.split("train-*.tfrecord", 64):
            ... headrace.open(path, byte_range=(begin, end)) ...

    Only files with random access have several parts: uncompressed files, compressed
    files with an index, and local compressed files in blocks that headrace or bgzip
    wrote, or in zstd's seekable format. Any other file is one part, whose end is None.
    A single file that can be cut has exactly `count` parts.

    Args:
        paths, index, compression, filesystem, storage_options: as in `headrace.open`;
            pass the same to the readers.
        count: at least 1.

    Raises:
        NotFoundError, IoError: a file does not exist, or cannot be read.
        InvalidArgumentError: `count` is 0, or a path is a file object that was read.
    """
    given = locals()
    count = whole_number("count", count, 1)
    if isinstance(paths, FileRanges):
        return cast(Any, paths.cut(count))
    options = core_options("split", given)
    names, opener = files.resolve(paths, filesystem, storage_options)
    if opener is not None:
        # Only the first bytes are read.
        opener = opener.for_part(1, 1)
    return _core.cut_files([os.fsencode(name) for name in names], count, options, opener)
