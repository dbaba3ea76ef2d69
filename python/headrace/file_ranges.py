"""Ranges of the records of files, passed to `headrace.open` and others as paths."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any

from headrace.spec import Spec

# The first record, the end (exclusive; None: the end of the file), and the number of
# records in the file, if known.
Range = tuple[int, int | None, int | None]


@dataclasses.dataclass
class FileRanges:
    """Ranges of the records of some files.

    It can be passed wherever paths are accepted; only these records are then read, in
    the order of the files. A file whose number of records is not the one in its range
    raises `WrongRecordCountError`.

    Attributes:
        files: names or URLs, each of one file; a file may occur several times.
        ranges: the records to read from each file.
        spec: the spec for callers that do not pass one; None: all features.
    """

    files: tuple[str, ...]
    ranges: tuple[Range, ...]
    spec: Spec | None = None

    def __len__(self) -> int:
        return len(self.files)

    def flat(self) -> FileRanges:
        """Returns the same ranges as plain `FileRanges`. A subclass, such as that of
        TFDS folders, may name its features by nested dicts; plain ranges do not."""
        return FileRanges(self.files, self.ranges, self.spec)

    def renamed(self, name: Callable[[str], str]) -> FileRanges:
        """Returns the same ranges with other file names."""
        return FileRanges(tuple(map(name, self.files)), self.ranges, self.spec)

    def absolute(self) -> FileRanges:
        """Returns the same ranges of local files, for processes with another working
        directory."""
        return self.renamed(os.path.abspath)

    def part(self, begin: int, end: int) -> FileRanges:
        """Returns the ranges of the files [begin, end)."""
        return FileRanges(self.files[begin:end], self.ranges[begin:end], self.spec)

    def each(self) -> list[FileRanges]:
        """Returns the ranges of each file separately."""
        return [self.part(i, i + 1) for i in range(len(self))]

    def sizes(self) -> list[int] | None:
        """Returns the number of records in each range; None if any is unknown."""
        sizes = []
        for begin, end, records in self.ranges:
            last = records if end is None else end
            if last is None:
                return None
            sizes.append(last - begin)
        return sizes

    def cut(self, count: int) -> list[FileRanges]:
        """Cuts these ranges into at most `count` parts whose numbers of records differ
        by at most one. If the numbers are unknown, a part consists of whole ranges."""
        sizes = self.sizes()
        if sizes is None:
            count = min(count, len(self))
            bounds = [i * len(self) // count for i in range(count + 1)]
            return [self.part(*pair) for pair in zip(bounds, bounds[1:])]
        total = sum(sizes)
        count = min(count, total)
        if count < 2:
            return [self]
        bounds = [i * total // count for i in range(count + 1)]
        return [self._rows(sizes, *pair) for pair in zip(bounds, bounds[1:])]

    def _rows(self, sizes: list[int], first: int, last: int) -> FileRanges:
        """Returns the ranges of the rows [first, last), counted over all ranges."""
        names, ranges = [], []
        before = 0
        for name, (begin, _, records), size in zip(
            self.files, self.ranges, sizes, strict=True
        ):
            low, high = max(first - before, 0), min(last - before, size)
            if low < high:
                names.append(name)
                ranges.append((begin + low, begin + high, records))
            before += size
        return FileRanges(tuple(names), tuple(ranges), self.spec)


def described(
    paths: Any, spec: Any, schema: Any, message: str
) -> tuple[Any, Any]:
    """Returns the paths and the spec. Paths that are `FileRanges` become plain ones,
    and their spec is used if the caller has neither a spec nor a schema."""
    if not isinstance(paths, FileRanges):
        return paths, spec
    if spec is None and schema is None and message != "raw":
        spec = paths.spec
    return paths.flat(), spec
