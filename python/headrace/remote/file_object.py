"""Reads from a caller's file object."""

from __future__ import annotations

import io
import typing

from headrace.errors import InvalidArgumentError, IoError, carrying


def check_file_object(file: typing.Any) -> None:
    """Raises InvalidArgumentError unless bytes can be read from `file`."""
    name = type(file).__name__
    if isinstance(file, io.TextIOBase) or isinstance(
        getattr(file, "encoding", None), str
    ):
        raise InvalidArgumentError(
            f"the {name} is open as text; open it as binary, with mode 'rb'"
        )
    if getattr(file, "closed", False) is True:
        raise InvalidArgumentError(f"the {name} is closed")
    readable = getattr(file, "readable", None)
    if callable(readable) and not readable():
        raise InvalidArgumentError(f"the {name} is not open for reading")


class FileObjectReader:
    """A binary file object, read from its current position, which is offset 0.

    Args:
        file: has `readinto` or `read`; a read may return less than asked for.
        name: for errors.
        start: the position of offset 0, if it is not the current one; needs seeking.
        owned: whether `close` closes the file object.
    """

    def __init__(
        self,
        file: typing.Any,
        name: str,
        *,
        start: int | None = None,
        owned: bool = False,
    ) -> None:
        self._file = file
        self._name = name
        self._owned = owned
        self._closed = False
        self._readinto = getattr(file, "readinto", None)
        if not callable(self._readinto):
            self._readinto = None
        # The position of offset 0 in the file object; None if it cannot seek.
        self.start: int | None = None
        self.size = 0
        with carrying(name):
            seekable = getattr(file, "seekable", None)
            if callable(seekable) and seekable():
                self.start = file.tell() if start is None else start
                self.size = max(file.seek(0, io.SEEK_END) - self.start, 0)
                file.seek(self.start)

    def seekable(self) -> bool:
        return self.start is not None

    def seek(self, position: int) -> None:
        """Makes the next read begin at `position`, counted from the start."""
        self._check_open()
        if self.start is None or position < 0:
            raise InvalidArgumentError(
                f"cannot seek to {position}", file=self._name
            )
        with carrying(self._name):
            self._file.seek(self.start + position)

    def readinto(self, buffer: typing.Any) -> int:
        """Reads up to the length of `buffer`; returns the number of bytes, 0 at the
        end."""
        self._check_open()
        view = memoryview(buffer).cast("B")
        if not view.nbytes:
            return 0
        with carrying(self._name):
            if self._readinto is not None:
                return self._count(self._readinto(view), view)
            return self._copy(self._file.read(view.nbytes), view)

    def close(self) -> None:
        """Releases the file object, and closes it if it is owned."""
        if not self._closed and self._owned:
            self._file.close()
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise InvalidArgumentError("the reader is closed", file=self._name)

    def _wrong(self, what: str) -> IoError:
        return IoError(f"the file object {what}", file=self._name)

    def _count(self, count: object, view: memoryview) -> int:
        if count is None:
            raise self._wrong("is non-blocking and has no data yet")
        if not isinstance(count, int) or not 0 <= count <= view.nbytes:
            raise self._wrong(f"answered readinto with {count!r}")
        return count

    def _copy(self, data: object, view: memoryview) -> int:
        if data is None:
            raise self._wrong("is non-blocking and has no data yet")
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise self._wrong(f"answered read with a {type(data).__name__}, not bytes")
        data = memoryview(data).cast("B")
        if data.nbytes > view.nbytes:
            raise self._wrong(
                f"answered read({view.nbytes}) with {data.nbytes} bytes"
            )
        view[: data.nbytes] = data
        return data.nbytes
