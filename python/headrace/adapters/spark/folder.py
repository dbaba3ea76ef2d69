"""Where Spark writes a job: a local folder that all executors share, or a URL.

Below it each job has a temporary folder. Attempts of tasks write their files there, and
the commit moves those that count to their places.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from headrace import _core
from headrace.errors import carried
from headrace.remote import files
from headrace.writing.finished_file import FinishedFile

_logger = logging.getLogger(__name__)


def located(
    url: str, storage_options: Mapping[str, Any] | None
) -> tuple[Any, str]:
    """The file system of a URL, which knows no old listing, and the path in it."""
    filesystem, path = files.locate(url, None, storage_options)
    # Spark uses a process of Python for many jobs. Those of others have changed what
    # fsspec remembers from the last one.
    filesystem.invalidate_cache()
    return filesystem, path


class Local:
    """A local folder."""

    storage_options = None
    at_once = 1  # files that are moved or removed at the same time

    def __init__(self, path: str, job: str) -> None:
        self.path = os.path.abspath(files.local_path(path))
        self.temporary = os.path.join(self.path, f"_temporary-{job}")
        self._was_there = os.path.isdir(self.path)

    def make(self) -> None:
        """Begins the job."""
        try:
            os.makedirs(self.temporary)
        except OSError as error:
            raise carried(error, self.path) from error

    def is_open(self) -> bool:
        """Whether the job has begun and not ended."""
        return os.path.isdir(self.temporary)

    def move(self, file: str, name: str) -> None:
        """Gives a file of an attempt its name."""
        try:
            os.rename(file, os.path.join(self.path, name))
        except OSError as error:
            raise carried(error, file) from error

    def old_names(self) -> list[str]:
        """The files that reading the folder would read, and their indexes."""
        return _read_names(
            entry.name for entry in os.scandir(self.path) if entry.is_file()
        )

    def remove(self, name: str) -> None:
        path = os.path.join(self.path, name)
        try:
            os.unlink(path)
        except OSError as error:
            raise carried(error, path) from error

    def clear(self) -> None:
        """Ends the job. Attempts that still run can make no file in a folder that has
        another name."""
        ended = self.temporary + "-ended"
        with contextlib.suppress(OSError):
            os.rename(self.temporary, ended)
        shutil.rmtree(ended, ignore_errors=True)

    def abort(self) -> None:
        """Ends the job, and leaves no folder that was not there before."""
        self.clear()
        if not self._was_there:
            with contextlib.suppress(OSError):
                os.rmdir(self.path)


class Remote:
    """The URL of a folder. Object stores have no folders and no renaming: files are
    copied to their places."""

    at_once = 16

    def __init__(
        self, url: str, job: str, storage_options: Mapping[str, Any] | None
    ) -> None:
        self.path = url.rstrip("/")
        self.temporary = f"{self.path}/_temporary-{job}"
        self.storage_options = storage_options
        self._begun = f"{self.temporary}/begun"  # it is there while the job runs

    def _located(self, url: str) -> tuple[Any, str]:
        return located(url, self.storage_options)

    def make(self) -> None:
        # Where nothing can be written this is an error before any task runs.
        with FinishedFile(self._begun, storage_options=self.storage_options):
            pass

    def is_open(self) -> bool:
        try:
            filesystem, path = self._located(self._begun)
            filesystem.info(path)
        except FileNotFoundError:
            return False
        except Exception as error:
            raise carried(error, self._begun) from error
        return True

    def move(self, file: str, name: str) -> None:
        try:
            filesystem, source = self._located(file)
            filesystem.cp_file(source, self._located(f"{self.path}/{name}")[1])
        except Exception as error:
            raise carried(error, file) from error

    def old_names(self) -> list[str]:
        try:
            filesystem, path = self._located(self.path)
            entries = filesystem.ls(path, detail=True)
        except Exception as error:
            raise carried(error, self.path) from error
        return _read_names(
            entry["name"].rpartition("/")[2]
            for entry in entries
            if entry["type"] == "file"
        )

    def remove(self, name: str) -> None:
        url = f"{self.path}/{name}"
        try:
            filesystem, path = self._located(url)
            filesystem.rm_file(path)
        except Exception as error:
            raise carried(error, url) from error

    def clear(self) -> None:
        """Ends the job. An attempt that still runs may leave its file in the temporary
        folder, which is not read with the others."""
        try:
            filesystem, path = self._located(self.temporary)
            filesystem.rm(path, recursive=True)
        except FileNotFoundError:  # it has ended before
            pass
        except Exception as error:
            _logger.warning("temporary files are left: %s",
                            carried(error, self.temporary))

    abort = clear


Folder = Local | Remote


def folder_of(
    path: str, job: str, storage_options: Mapping[str, Any] | None
) -> Folder:
    is_url = files.is_url(path)
    files.check_storage(None, storage_options, is_url)
    return Remote(path, job, storage_options) if is_url else Local(path, job)


def _read_names(names: Iterable[str]) -> list[str]:
    return [
        name
        for name in names
        if _core.has_tfrecord_name(name.removesuffix(".hri").removesuffix(".idx"))
    ]
