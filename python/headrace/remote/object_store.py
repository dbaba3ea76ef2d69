"""Reads S3, Google Cloud Storage, Azure and HTTP through obstore, if it is installed.

obstore is Rust's object_store: it makes its requests outside of Python, several at a
time. URLs and options that it does not support are left to fsspec's file system.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib.util
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from headrace.errors import InvalidArgumentError, MissingPackageError
from headrace.remote import forks
from headrace.remote.answers import Answer

# Schemes, each with the package through which fsspec reads it.
_PACKAGES = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs",
    "abfs": "adlfs", "abfss": "adlfs", "http": "aiohttp", "https": "aiohttp",
}
# The names of options in these packages, and in obstore. adlfs and obstore use the same
# names.
_NAMES = {
    "s3fs": {
        "key": "access_key_id",
        "secret": "secret_access_key",
        "token": "session_token",
        "anon": "skip_signature",
        "endpoint_url": "endpoint",
        "client_kwargs.endpoint_url": "endpoint",
        "client_kwargs.region_name": "region",
    },
    "gcsfs": {"token": "application_credentials", "endpoint_url": "base_url"},
    "adlfs": {},
    "aiohttp": {"client_kwargs.headers": "client_options.default_headers"},
}
# If one of these options is given, no other credentials for S3 are looked for.
_CREDENTIALS = ("access_key_id", "skip_signature", "credential_provider", "config")
# By default obstore gives up a request after 30 seconds even if bytes are arriving.
_TIMEOUTS = {"timeout": "30m", "read_timeout": "30s"}
# Bytes of the largest object that S3 copies by one request.
_MOST_COPIED = 5 << 30
_CANNOT = (
    "obstore cannot be used in a process forked from one that has loaded it: start "
    'processes by "spawn" or "forkserver"'
)


def _is_there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _flat(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the options; those in groups as `group.name`."""
    for name, value in options.items():
        if name in ("client_kwargs", "client_options") and isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", value[inner]) for inner in value)
        else:
            yield name, value


def _translated(package: str, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Translates options of fsspec's file system or of obstore to obstore's; returns
    None if obstore lacks one of them."""
    found: dict[str, Any] = {}
    client: dict[str, Any] = dict(_TIMEOUTS)
    for name, value in _flat(options):
        name = _NAMES[package].get(name, name)
        if name == "application_credentials":
            if value == "anon":
                name, value = "skip_signature", True
            elif value == "google_default":
                continue
            elif not isinstance(value, (str, os.PathLike)) or not os.path.isfile(value):
                return None
        group, _, inner = name.rpartition(".")
        if group == "client_options":
            client[inner] = value
        elif group:
            return None
        else:
            found[name] = value
    if str(found.get("endpoint", "")).startswith("http://"):
        client.setdefault("allow_http", True)
    return {**found, "client_options": client}


def _with_credentials(options: dict[str, Any]) -> dict[str, Any] | None:
    """Returns options for S3; None if only fsspec finds the credentials. obstore reads
    the environment, but not the files in ~/.aws."""
    if any(map(options.get, _CREDENTIALS)) or "AWS_ACCESS_KEY_ID" in os.environ:
        return options
    if _is_there("boto3"):
        from obstore.auth.boto3 import Boto3CredentialProvider

        with contextlib.suppress(ValueError):  # there are no credentials
            return {**options, "credential_provider": Boto3CredentialProvider()}
    return None if _is_there("s3fs") else options


def _new_store(scheme: str, bucket: str, options: Mapping[str, Any]) -> Any:
    """Returns a store of obstore; None if it does not know an option."""
    from obstore.exceptions import UnknownConfigurationKeyError
    from obstore.store import from_url

    known = _translated(_PACKAGES[scheme], options)
    if known is not None and _PACKAGES[scheme] == "s3fs":
        known = _with_credentials(known)
    if known is None:
        return None
    if scheme == "http":
        known["client_options"].setdefault("allow_http", True)
    try:
        return from_url(f"{scheme.replace('gcs', 'gs')}://{bucket}", **known)
    except UnknownConfigurationKeyError:
        return None


def locate(
    url: str, options: Mapping[str, Any]
) -> tuple[AbstractFileSystem, str] | None:
    """Returns obstore's file system for a URL, and the path in it; None if fsspec's own
    file system has to read the URL."""
    parts = urlsplit(url)
    package = _PACKAGES.get(parts.scheme)
    if package is None or not parts.netloc or not _is_there("obstore"):
        return None
    if forks.with_obstore:
        _check_options_of_fsspec(package, options)
        return None
    # aiohttp also reads from servers without ranges, and does not change a URL.
    if package == "aiohttp" and (_is_there("aiohttp") or set(url) & set("?#%")):
        return None
    if "@" in parts.netloc:
        return None
    filesystem = ObjectStore(parts.scheme, parts.netloc, **options)
    return (filesystem, parts.netloc + parts.path) if filesystem.store else None


def _check_options_of_fsspec(package: str, options: Mapping[str, Any]) -> None:
    names = _NAMES[package]
    for name, _ in _flat(options):
        if name in names.values() and name not in names:
            raise InvalidArgumentError(
                f"storage_options: {name} is an option of obstore. {_CANNOT}; or name "
                f"the option as in {package}, which reads in such a process"
            )


class ObjectStore(AbstractFileSystem):  # type: ignore[misc]
    """A bucket, with as much of fsspec's interface as headrace and pyarrow use.

    Any number of threads may use it. A pickle keeps its options. Paths in it begin
    with the bucket, as in other fsspec file systems.

    Args:
        scheme, bucket: of the URLs.
        options: named as in obstore or in fsspec's own file system.
    """

    takes_many_requests = True

    def __init__(self, scheme: str, bucket: str, **options: Any) -> None:
        super().__init__()
        self.protocol = scheme
        self._bucket = bucket
        self.store = _new_store(scheme, bucket, options)

    def of_this_process(self) -> Any:
        """Returns this file system, or in a forked child fsspec's own file system with
        the same options."""
        if not forks.with_obstore:
            return self
        import fsspec

        package = _PACKAGES[self.protocol]
        _check_options_of_fsspec(package, self.storage_options)
        try:
            return fsspec.filesystem(self.protocol, **self.storage_options)
        except ImportError as error:
            raise MissingPackageError(
                f"{_CANNOT}; or install {package}, which reads in such a process"
            ) from error

    def _key(self, path: str) -> str:
        return path.removeprefix(f"{self.protocol}://").partition("/")[2]

    def unstrip_protocol(self, name: str) -> str:
        return f"{self.protocol}://{name}"

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        key = self._key(path)
        if not key:
            return {"name": path, "size": None, "type": "directory"}
        try:
            with _plain_errors():
                head = self.store.head(key)
        except FileNotFoundError:
            if self.protocol[:4] == "http" or not self._entries(key):
                raise FileNotFoundError(errno.ENOENT, "no such file", path) from None
            return {"name": path, "size": None, "type": "directory"}
        return {**self._entry(head), "if_match": head["e_tag"]}

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        entries = self._entries(self._key(path))
        return entries if detail else [entry["name"] for entry in entries]

    def _entries(self, key: str) -> list[dict[str, Any]]:
        with _plain_errors():
            found = self.store.list_with_delimiter(key.strip("/") or None)
        folders = [
            {"name": f"{self._bucket}/{name}", "size": 0, "type": "directory"}
            for name in found["common_prefixes"]
        ]
        return folders + [self._entry(item) for item in found["objects"]]

    def _entry(self, item: Mapping[str, Any]) -> dict[str, Any]:
        name = f"{self._bucket}/{item['path']}"
        return {"name": name, "size": item["size"], "type": "file"}

    def cat_file(
        self,
        path: str,
        start: int | None = None,
        end: int | None = None,
        if_match: str | None = None,
        **_: Any,
    ) -> Any:
        """Returns bytes [start, end) as an object with a buffer; raises OSError if the
        file has another tag than `if_match`."""
        return self._get(path, start, end, if_match)[1]

    def read_range(
        self, path: str, start: int, end: int, if_match: str | None
    ) -> Answer:
        """Returns bytes [start, end), and what the server says about them."""
        answer, data = self._get(path, start, end, if_match)
        return Answer(
            data, answer.range[0], answer.meta["size"], answer.meta["e_tag"]
        )

    def _get(
        self, path: str, start: int | None, end: int | None, if_match: str | None
    ) -> tuple[Any, Any]:
        options: dict[str, Any] = {}
        if end is not None:
            options["range"] = (start or 0, end)
        elif start:
            options["range"] = {"offset": start}
        if if_match:
            options["if_match"] = if_match
        with _plain_errors():
            answer = self.store.get(self._key(path), options=options)
            return answer, answer.bytes()

    def put_file(self, lpath: str, rpath: str, **_: Any) -> None:
        with _plain_errors():
            self.store.put(self._key(rpath), pathlib.Path(lpath))

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        source, target = self._key(path1), self._key(path2)
        with _plain_errors():
            if self.store.head(source)["size"] <= _MOST_COPIED:
                self.store.copy(source, target)
            else:
                # obstore copies only asynchronous streams.
                asyncio.run(self._send(source, target))

    async def _send(self, source: str, target: str) -> None:
        await self.store.put_async(target, await self.store.get_async(source))

    def rm_file(self, path: str) -> None:
        with _plain_errors():
            self.store.delete(self._key(path))

    def rm(self, path: str, recursive: bool = False, **_: Any) -> None:
        """Removes a file; or, recursively, all files of a folder."""
        if not recursive:
            self.rm_file(path)
            return
        with _plain_errors():
            found = [item["path"] for chunk in self.store.list(self._key(path))
                     for item in chunk]
            self.store.delete(found)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> _File:
        if mode != "rb":
            raise ValueError(f'a file is opened with mode "rb", got {mode!r}')
        return _File(self, path, mode, **options)


class _File(AbstractBufferedFile):  # type: ignore[misc]
    """A file for other libraries that read, such as pyarrow."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes(self.fs.cat_file(self.path, start, end))


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Raises the built-in exceptions that fit those of obstore."""
    try:
        yield
    except Exception as error:
        raise _plain(error) from error


def _plain(error: Exception) -> OSError:
    """Returns the built-in exception that fits, without the Rust internals that obstore
    appends to its text."""
    text, _, internals = str(error).partition("\n\nDebug source:")
    name = type(error).__name__
    number = errno.EIO
    if isinstance(error, FileNotFoundError):
        number = errno.ENOENT
    elif name in ("PermissionDeniedError", "UnauthenticatedError"):
        number = errno.EACCES
    elif name == "PreconditionError":
        text = "the file was changed while it was read"
    elif "kind: Timeout" in internals:
        number = errno.ETIMEDOUT
    return OSError(number, text)
