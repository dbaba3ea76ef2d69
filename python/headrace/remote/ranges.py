"""Reads a remote file in large ranges, some of them ahead; or, if its records are read
in any order, in exactly the ranges that are asked for."""

from __future__ import annotations

import collections
import dataclasses
import threading
import time
import typing

from headrace.errors import (
    HeadraceError,
    InvalidArgumentError,
    IoError,
    IsDirectoryError,
    carried,
    carrying,
)
from headrace.remote.answers import Version, asking, check_again, tag_of

# A reader holds at most the range in use and `_MOST_AHEAD` more. If a source answers
# several requests at the same time, ranges have _FIRST_RANGE bytes. For any other
# source one range is read ahead, and ranges grow to _LONGEST_RANGE bytes.
_FIRST_RANGE = 8 << 20
_LONGEST_RANGE = 32 << 20
_MOST_AHEAD = 7
# A range after a seek is short and nothing is read ahead: the caller may want only one
# record.
_SEEK_RANGE = 1 << 20
# If records are read in any order, the range before the first seek is used to detect
# the compression and to compare the first bytes with an index.
_HEAD_RANGE = 64 << 10
# Number of ranges in line from which on a file counts as read from front to back.
_IN_LINE = 8
# Seconds that close waits for the ranges ahead.
_CLOSE_WAIT = 5.0


class _Ranges:
    """Reads each range of a file with one request."""

    def __init__(self, filesystem: typing.Any, path: str, facts: Facts) -> None:
        self._filesystem = filesystem
        self._path = path
        self._facts = facts
        self._version = Version(facts.size, facts.version)
        self._asking = asking(filesystem)
        self.most_at_once = _MOST_AHEAD if _takes_many(filesystem) else 1

    def read(self, start: int, length: int) -> bytes:
        end = start + length
        if self._asking is not None:
            answer = self._asking(
                self._filesystem, self._path, start, end, self._facts.version
            )
            self._version.check(answer, start)
            return typing.cast(bytes, answer.data)
        tag = self._facts.tag
        options = {} if tag is None else {"if_match": tag}
        return self._filesystem.cat_file(self._path, start=start, end=end, **options)

    def check_at_end(self) -> None:
        facts = self._facts
        if self._asking is None and facts.tag is None and facts.version is not None:
            check_again(self._filesystem, self._path, self._version)

    def close(self) -> None:
        pass


class _Stream:
    """Reads ranges of a file that it opens once. Read in order, this needs few
    requests; for a server without ranges it is the only way."""

    most_at_once = 1

    def __init__(self, filesystem: typing.Any, path: str, facts: Facts) -> None:
        self._filesystem = filesystem
        self._path = path
        self._facts = facts
        self._file: typing.Any = None
        self._position = 0

    def read(self, start: int, length: int) -> bytes:
        if self._file is None:
            try:
                # fsspec's cache would fetch more than was asked for.
                self._file = self._filesystem.open(
                    self._path, "rb", cache_type="none"
                )
            except TypeError:
                self._file = self._filesystem.open(self._path, "rb")
        if start != self._position:
            self._file.seek(start)
        # The position is unknown after a read that failed.
        self._position = -1
        parts = []
        while length > 0:
            part = self._file.read(length)
            if not part:
                break
            parts.append(part)
            length -= len(part)
            start += len(part)
        self._position = start
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def check_at_end(self) -> None:
        facts = self._facts
        if facts.version is not None and facts.size is not None:
            version = Version(facts.size, facts.version)
            check_again(self._filesystem, self._path, version)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class _Fetch(threading.Thread):
    """Fetches one range in its own thread, which then ends: no thread is left by a
    reader that is never closed, at exit, or in a child after a fork."""

    def __init__(self, source: typing.Any, start: int, length: int) -> None:
        super().__init__(name="headrace-read-ahead", daemon=True)
        self._source = source
        self.first = start
        self.length = length
        self.data: bytes | None = None
        self.error: BaseException | None = None
        self.abandoned = False

    def run(self) -> None:
        try:
            self.data = self._source.read(self.first, self.length)
        except BaseException as error:  # raised where the range is used
            self.error = error
        if self.abandoned:
            self._source.close()


class RangeReader:
    """A remote file; see files.py for its methods.

    Args:
        source: has `read(start, length) -> bytes`, `close()`, and `check_at_end()`,
            which raises an error if the file was changed while it was read. Its
            `most_at_once` is the number of threads that may read.
        name: for errors.
        size: bytes of the file, None if not known.
        seekable: whether ranges may be read in any order.

    No thread is started before the first read; `close` ends the threads. An error of a
    range ahead is raised by the read that gets there, and the next read tries again.
    """

    def __init__(
        self, source: typing.Any, name: str, size: int | None, seekable: bool
    ) -> None:
        self._source = source
        self._name = name
        self._known_size = size
        self._seekable = seekable
        self._any_order = False
        self._most_between = 0  # bytes that may lie between two ranges in line
        self._in_line = 0  # how many of the last ranges are in line
        self._sought = False
        self._closed = False
        self._checked = False
        self._position = 0
        self._block: memoryview = memoryview(b"")
        self._first = 0  # offset of the block
        self._length = _FIRST_RANGE
        self._read_ahead = True
        # Ranges in line; the first begins in the block or after it.
        self._ahead: collections.deque[_Fetch] = collections.deque()
        self._most_ahead = 1
        self._part: tuple[int, int | None] = (0, None)

    def expect(self, begin: int, end: int | None) -> None:
        """Announces that bytes [begin, end) will be read and little else: other ranges
        are short, and no range after the end is read ahead."""
        self._part = (begin, end)

    def expect_any_order(self, walks: bool) -> None:
        """Announces reads in any order: each range has only the bytes of one read. If
        reads turn out to go from front to back, ranges grow and one is read ahead. With
        `walks` the reads are of headers, and may step over payloads."""
        self._any_order = self._seekable
        self._most_between = _SEEK_RANGE if walks else 0

    @property
    def size(self) -> int:
        return self._known_size or 0

    def seekable(self) -> bool:
        return self._seekable

    def seek(self, position: int) -> None:
        """Makes the next read begin at `position`."""
        self._check_open()
        if not self._seekable or position < 0:
            raise InvalidArgumentError(f"cannot seek to {position}", file=self._name)
        self._position = position
        self._sought = True

    def readinto(self, buffer: typing.Any) -> int:
        """Reads up to the length of `buffer`; returns the number of bytes, 0 at the
        end."""
        self._check_open()
        view = memoryview(buffer).cast("B")
        if not view.nbytes:
            return 0
        skip = self._position - self._first
        if not 0 <= skip < len(self._block):
            self._next_block(view.nbytes)
            skip = self._position - self._first
        count = max(min(len(self._block) - skip, view.nbytes), 0)
        view[:count] = self._block[skip : skip + count]
        self._position += count
        return count

    def close(self) -> None:
        """Ends reading; waits a few seconds for the ranges ahead."""
        if self._closed:
            return
        self._closed = True
        self._block = memoryview(b"")
        deadline = time.monotonic() + _CLOSE_WAIT
        running = False
        for ahead in self._ahead:
            ahead.abandoned = True
            ahead.join(max(deadline - time.monotonic(), 0))
            running = running or ahead.is_alive()
        self._ahead.clear()
        if not running:
            self._source.close()

    def _check_open(self) -> None:
        if self._closed:
            raise InvalidArgumentError("the reader is closed", file=self._name)

    def _next_block(self, wanted: int) -> None:
        """Moves to the block at the position; it is empty at the end."""
        in_order = self._comes_in_order()
        short = _SEEK_RANGE
        if self._any_order and not in_order:
            short = wanted if self._sought else max(wanted, _HEAD_RANGE)
            short = min(short, _LONGEST_RANGE)
        self._block = memoryview(b"")
        self._first = self._position
        size = self._known_size
        if size is not None and self._position >= size:
            self._check_at_end()
            return
        ahead = self._covering()
        if ahead is None and not in_order:
            self._length, self._read_ahead, self._most_ahead = short, False, 1
        if ahead is None or not self._take(ahead):
            self._fetch()
        if not len(self._block) and size is not None:
            raise IoError(
                f"ended at byte {self._position} of {size}", file=self._name
            )
        self._start_ahead(in_order)

    def _check_at_end(self) -> None:
        if self._checked:
            return
        with carrying(self._name):
            self._source.check_at_end()
        self._checked = True

    def _comes_in_order(self) -> bool:
        """Whether the position is where a reader from front to back would be."""
        behind = self._position - (self._first + len(self._block))
        if not self._any_order:
            # A reader of a later part looks at the first bytes, then jumps to its part.
            return behind == 0 and not self._position == 0 < self._part[0]
        in_line = 0 <= behind <= self._most_between
        self._in_line = self._in_line + 1 if in_line else 0
        # A caller that reads past the first range without a seek is likely to want the
        # whole file.
        in_order = self._in_line >= (_IN_LINE if self._sought else 2)
        if in_order:
            self._length = max(self._length, _SEEK_RANGE)
        return in_order

    def _covering(self) -> _Fetch | None:
        """Returns the range ahead that has the position, and drops the ranges before
        it. If there is none, drops all ranges and returns None."""
        found = None
        while self._ahead and found is None:
            ahead = self._ahead.popleft()
            if 0 <= self._position - ahead.first < ahead.length:
                found = ahead
            elif self._source.most_at_once == 1:
                ahead.join()
        return found

    def _take(self, ahead: _Fetch) -> bool:
        """Waits for the range ahead; returns whether it holds the position."""
        ahead.join()
        is_next = ahead.first == self._position
        if ahead.error is not None and is_next:
            error = ahead.error
            raise self._failed(error, ahead.first, ahead.length) from error
        data = ahead.data
        # The data is missing if the range was started before a fork, and short if the
        # file is shorter than its reported size.
        if data is None or not (is_next or self._position - ahead.first < len(data)):
            return False
        self._accept(data, ahead.first, ahead.length)
        return True

    def _failed(self, error: BaseException, first: int, length: int) -> HeadraceError:
        return carried(error, self._name, f"bytes {first} to {first + length}")

    def _range_length(self, start: int) -> int:
        length, end = self._length, self._part[1]
        if end is not None:
            length = min(length, max(end - start, _SEEK_RANGE))
        if self._known_size is None:
            return length
        return min(length, self._known_size - start)

    def _fetch(self) -> None:
        length = self._range_length(self._position)
        try:
            data = self._source.read(self._position, length)
        except Exception as error:
            raise self._failed(error, self._position, length) from error
        self._accept(data, self._position, length)

    def _accept(self, data: object, first: int, length: int) -> None:
        try:
            block = memoryview(data).cast("B")  # type: ignore[arg-type]
        except TypeError:
            raise IoError(
                f"the file system answered with a {type(data).__name__}, not bytes",
                file=self._name,
            ) from None
        if len(block) > length:
            if len(block) != self._known_size:
                raise IoError(
                    f"{length} bytes were asked for, {len(block)} were returned",
                    file=self._name,
                )
            first = 0  # some servers send the whole file
        self._block = block
        self._first = first

    def _start_ahead(self, in_order: bool) -> None:
        many = self._source.most_at_once
        if in_order:
            longest = _FIRST_RANGE if many > 1 else _LONGEST_RANGE
            self._length = min(self._length * 2, longest)
            self._most_ahead = min(self._most_ahead * 2, many)
            self._read_ahead = True
        if not len(self._block) or not self._read_ahead:
            return
        start = self._first + len(self._block)
        if self._ahead:
            start = self._ahead[-1].first + self._ahead[-1].length
        ends = [end for end in (self._known_size, self._part[1]) if end is not None]
        while len(self._ahead) < self._most_ahead and start < min(ends, default=start + 1):
            fetch = _Fetch(self._source, start, self._range_length(start))
            try:
                fetch.start()
            except RuntimeError:  # no more threads; the range is read when it is used
                return
            self._ahead.append(fetch)
            start += fetch.length


def _takes_many(filesystem: typing.Any) -> bool:
    """Whether several threads may use the file system at the same time."""
    return bool(
        getattr(filesystem, "async_impl", False)
        or getattr(filesystem, "takes_many_requests", False)
    )


def _gives_ranges(filesystem: typing.Any) -> bool:
    """Whether `cat_file` is one request. In fsspec's base class it opens the file."""
    cls = type(filesystem)
    if getattr(filesystem, "async_impl", False) and hasattr(cls, "_cat_file"):
        return True
    if any(base.__name__ == "ArrowFSWrapper" for base in cls.__mro__):
        return False  # its cat_file fails for a start of 0
    own = getattr(getattr(cls, "cat_file", None), "__qualname__", "")
    return own != "AbstractFileSystem.cat_file"


@dataclasses.dataclass(frozen=True)
class Facts:
    """Facts about a remote file, known before it is read."""

    size: int | None
    seekable: bool
    tag: str | None = None  # of this version of the file, for `if_match` of a request
    version: str | None = None  # the tag, or anything else that identifies the version


def facts_of(filesystem: typing.Any, path: str, name: str) -> Facts:
    """Asks an fsspec file system for the facts, usually with one request."""
    with carrying(name):
        info = filesystem.info(path)
    if info.get("type") == "directory":
        raise IsDirectoryError("is a directory", file=name)
    size = info.get("size")
    if not isinstance(size, int) or size < 0:
        size = None
    # fsspec's HTTP has False here if the server does not support ranges.
    seekable = size is not None and info.get("partial") is not False
    tag = info.get("if_match")
    return Facts(size, seekable, tag, tag or tag_of(info))


def open_remote(
    filesystem: typing.Any, path: str, name: str, facts: Facts
) -> RangeReader:
    """Returns a reader for a file of an fsspec file system."""
    source: typing.Any = _Stream(filesystem, path, facts)
    if facts.seekable and _gives_ranges(filesystem):
        source = _Ranges(filesystem, path, facts)
    return RangeReader(source, name, facts.size, facts.seekable)
