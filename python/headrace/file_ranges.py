"""Ranges of the records of files, given to `headrace.open` and others as paths."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any

from headrace.spec import Spec

# The first record, the one to end before (None: the end of the file), and how many
# records the file has, where that is known.
Range = tuple[int, int | None, int | None]


@dataclasses.dataclass
class FileRanges:
    """The records of some files, in their order.

    Whatever takes paths takes it, too, and gives these records alone. A file that has
    another number of records than its range says is a `WrongRecordCountError`.

    Attributes:
        files: names or URLs, each of one file, which may come several times.
        ranges: what to read of each.
        spec: what to read of the records, for who does not say it; None: all.
    """

    files: tuple[str, ...]
    ranges: tuple[Range, ...]
    spec: Spec | None = None

    def __len__(self) -> int:
        return len(self.files)

    def flat(self) -> FileRanges:
        """The same without nested names."""
        return FileRanges(self.files, self.ranges, self.spec)

    def renamed(self, name: Callable[[str], str]) -> FileRanges:
        """The same with other names."""
        return FileRanges(tuple(map(name, self.files)), self.ranges, self.spec)

    def absolute(self) -> FileRanges:
        """The same of local files for processes with another working directory."""
        return self.renamed(os.path.abspath)

    def part(self, begin: int, end: int) -> FileRanges:
        """Those of the files [begin, end)."""
        return FileRanges(self.files[begin:end], self.ranges[begin:end], self.spec)

    def each(self) -> list[FileRanges]:
        """Those of each file alone."""
        return [self.part(i, i + 1) for i in range(len(self))]

    def sizes(self) -> list[int] | None:
        """How many records each range has; None where not all are known."""
        sizes = []
        for begin, end, records in self.ranges:
            last = records if end is None else end
            if last is None:
                return None
            sizes.append(last - begin)
        return sizes

    def cut(self, count: int) -> list[FileRanges]:
        """At most `count` parts, which together are these: of equally many records,
        but for one, or, where it is not known how many there are, of whole ranges."""
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
        """The rows [first, last) of all."""
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
    """Paths without nested names, and the spec, which may be that of the paths."""
    if not isinstance(paths, FileRanges):
        return paths, spec
    if spec is None and schema is None and message != "raw":
        spec = paths.spec
    return paths.flat(), spec
