"""The folder that a Spark job writes: local and shared by all executors, or a URL.

Each job has a temporary folder in it. Attempts of tasks write their files to the
temporary folder, and the commit moves the file of one attempt of each task to its
place.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from headrace import _core
from headrace.errors import carried, carrying
from headrace.remote import files
from headrace.writing.finished_file import FinishedFile

_logger = logging.getLogger(__name__)


def located(
    url: str, storage_options: Mapping[str, Any] | None
) -> tuple[Any, str]:
    """Returns the file system of a URL, without cached listings, and the path in it."""
    filesystem, path = files.locate(url, None, storage_options)
    # Spark reuses a Python process for many jobs, and other processes may have changed
    # the files that fsspec has listed.
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
        with carrying(self.path, OSError):
            os.makedirs(self.temporary)

    def is_open(self) -> bool:
        """Whether the job has begun and not ended."""
        return os.path.isdir(self.temporary)

    def move(self, file: str, name: str) -> None:
        """Moves the file of an attempt to its final name."""
        with carrying(file, OSError):
            os.rename(file, os.path.join(self.path, name))

    def old_names(self) -> list[str]:
        """Returns the files that reading the folder would read, and their indexes."""
        return _read_names(
            entry.name for entry in os.scandir(self.path) if entry.is_file()
        )

    def remove(self, name: str) -> None:
        path = os.path.join(self.path, name)
        with carrying(path, OSError):
            os.unlink(path)

    def clear(self) -> None:
        """Ends the job. Attempts that are still running cannot create files in the
        renamed folder."""
        ended = self.temporary + "-ended"
        with contextlib.suppress(OSError):
            os.rename(self.temporary, ended)
        shutil.rmtree(ended, ignore_errors=True)

    def abort(self) -> None:
        """Ends the job, and removes the folder if the job created it."""
        self.clear()
        if not self._was_there:
            with contextlib.suppress(OSError):
                os.rmdir(self.path)


class Remote:
    """The URL of a folder. Object stores have neither folders nor renaming, so files
    are copied to their places."""

    at_once = 16

    def __init__(
        self, url: str, job: str, storage_options: Mapping[str, Any] | None
    ) -> None:
        self.path = url.rstrip("/")
        self.temporary = f"{self.path}/_temporary-{job}"
        self.storage_options = storage_options
        self._begun = f"{self.temporary}/begun"  # exists while the job runs

    def _located(self, url: str) -> tuple[Any, str]:
        return located(url, self.storage_options)

    def make(self) -> None:
        # If nothing can be written, this raises an error before any task runs.
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
        with carrying(file):
            filesystem, source = self._located(file)
            filesystem.cp_file(source, self._located(f"{self.path}/{name}")[1])

    def old_names(self) -> list[str]:
        with carrying(self.path):
            filesystem, path = self._located(self.path)
            entries = filesystem.ls(path, detail=True)
        return _read_names(
            entry["name"].rpartition("/")[2]
            for entry in entries
            if entry["type"] == "file"
        )

    def remove(self, name: str) -> None:
        url = f"{self.path}/{name}"
        with carrying(url):
            filesystem, path = self._located(url)
            filesystem.rm_file(path)

    def clear(self) -> None:
        """Ends the job. An attempt that is still running may leave its file in the
        temporary folder, which readers ignore."""
        try:
            filesystem, path = self._located(self.temporary)
            filesystem.rm(path, recursive=True)
        except FileNotFoundError:  # the job had ended already
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
