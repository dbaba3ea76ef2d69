"""Writes files that get their names only when they are complete."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headrace.errors import InvalidArgumentError, carrying
from headrace.remote import files


@dataclasses.dataclass(frozen=True)
class Written:
    """The files that were written, and how many rows they have."""

    paths: list[str]
    num_rows: int


class Upload:
    """A file for a remote store, written to a local temporary file first: a store has
    no temporary names, so a file that was sent halfway would look complete."""

    def __init__(
        self, url: str, filesystem: Any, options: Mapping[str, Any] | None
    ) -> None:
        self._url = url
        self._filesystem, self._inner = files.locate(url, filesystem, options)
        import tempfile

        handle, self.path = tempfile.mkstemp(prefix="headrace-")
        os.close(handle)
        self._process = os.getpid()
        self._is_there = True

    def send(self) -> None:
        if self._is_there:  # it was neither sent nor discarded
            _put(self.path, self._url, self._filesystem, self._inner)

    def discard(self) -> None:
        if self._is_there and self._process == os.getpid():
            os.unlink(self.path)
        self._is_there = False


def _put(path: str, url: str, filesystem: Any, inner: str) -> None:
    with carrying(url):
        filesystem.put_file(path, inner)


def send(path: str, url: str, storage_options: Mapping[str, Any] | None) -> None:
    """Sends a local file to a URL."""
    files.check_storage(None, storage_options, has_urls=True)
    _put(path, url, *files.locate(url, None, storage_options))


class Local:
    """A local file, written under a temporary name in its folder."""

    def __init__(self, name: str) -> None:
        # A symbolic link stays; its target is replaced.
        self._name = os.path.realpath(name)
        if os.path.isdir(self._name):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        folder, last = os.path.split(self._name)
        self.path = os.path.join(folder, f".{last}.{os.urandom(6).hex()}.tmp")
        # Created here so that a missing folder is the first error.
        os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        self._is_there = True

    def send(self) -> None:
        if os.path.exists(self._name):
            os.chmod(self.path, os.stat(self._name).st_mode & 0o7777)
        os.replace(self.path, self._name)
        self._is_there = False

    def discard(self) -> None:
        if self._is_there:
            os.unlink(self.path)
        self._is_there = False


class FinishedFile:
    """Holds a file that is written inside `with`, under the name `path`. It gets the
    name `name` at the end; after an error there is no file `name`.

    Args:
        name: a local file, or a URL that fsspec knows.
        filesystem, storage_options: as in `headrace.Writer`.
    """

    def __init__(
        self,
        name: str,
        filesystem: Any = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        if not name:
            raise InvalidArgumentError("path must not be empty")
        has_url = files.is_url(name)
        filesystem = files.check_storage(filesystem, storage_options, has_url)
        self._file: Upload | Local
        if has_url or filesystem is not None:
            self._file = Upload(name, filesystem, storage_options)
        else:
            path = files.local_path(name)
            with carrying(path, OSError):
                self._file = Local(path)
        self.path = self._file.path

    def __enter__(self) -> FinishedFile:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.discard()

    def finish(self) -> None:
        """Moves or sends the file to its final name."""
        self._file.send()

    def discard(self) -> None:
        """Removes the file if it does not have its final name yet."""
        self._file.discard()


@contextlib.contextmanager
def finished_files(names: Iterable[str], **output: Any) -> Iterator[list[FinishedFile]]:
    """Holds files that get their names together, at the end; `output` as in
    `FinishedFile`."""
    with contextlib.ExitStack() as stack:
        files = []
        for name in names:
            files.append(FinishedFile(name, **output))
            stack.callback(files[-1].discard)
        yield files
        for file in files:
            file.finish()


def shard_name(path: str, number: int, count: int) -> str:
    """Returns a name such as `train-00000-of-00016.parquet` for `train.parquet`."""
    stem, extension = os.path.splitext(path)
    return f"{stem}-{number:05}-of-{count:05}{extension}"
