"""Reads ranges of remote files, and checks that every answer is of the same version.

A file may be replaced while it is read. If the size and the tag belonged to one version
and the data to another, rows would be lost or mixed. So the first byte, the file
size and the version tag (such as an ETag) of every answer are compared, as far as the
file system reports them.
"""

from __future__ import annotations

import dataclasses
import errno
import re
import typing
from collections.abc import Callable, Mapping

_CHANGED = "the file was changed while it was read"
# Names under which fsspec file systems report what identifies a version of a file.
_TAGS = ("ETag", "etag", "generation", "md5Hash", "LastModified", "last_modified",
         "mtime")


@dataclasses.dataclass(frozen=True)
class Answer:
    """Bytes of a file, and what the server says about them; None: not reported."""

    data: typing.Any  # has the buffer protocol
    begin: int | None = None
    size: int | None = None  # of the whole file
    tag: str | None = None


Asking = Callable[[typing.Any, str, int, int, "str | None"], Answer]


class Version:
    """The version of a file that is read, known from the first answers."""

    def __init__(self, size: int | None, tag: str | None) -> None:
        self._size = size
        self._tag = tag

    def check(self, answer: Answer, begin: int) -> None:
        """Raises an OSError for an answer from another version of the file, or with
        bytes that do not begin at `begin`."""
        if answer.begin is not None and answer.begin != begin:
            raise OSError(
                errno.EIO,
                f"byte {begin} was asked for, but the answer begins at {answer.begin}",
            )
        if None not in (answer.size, self._size) and answer.size != self._size:
            raise OSError(
                errno.EIO,
                f"{_CHANGED}: it has {answer.size} bytes, and had {self._size} when it "
                "was opened",
            )
        if answer.tag and self._tag and _strong(answer.tag) != _strong(self._tag):
            raise OSError(errno.EIO, _CHANGED)
        # Threads may set the tag at the same time, each to the tag of its own answer.
        self._tag = self._tag or answer.tag


def tag_of(info: Mapping[str, typing.Any]) -> str | None:
    """Returns what distinguishes this version of a file from another."""
    for name in _TAGS:
        if info.get(name) is not None:
            return str(info[name])
    return None


def check_again(filesystem: typing.Any, path: str, version: Version) -> None:
    """Asks for size and tag once more. Needed where answers do not report them."""
    filesystem.invalidate_cache(path)
    info = filesystem.info(path)
    size = info.get("size")
    version.check(Answer(b"", None, size if size else None, tag_of(info)), 0)


def asking(filesystem: typing.Any) -> Asking | None:
    """Returns a function that reads a range and reports size and tag; None if the file
    system has no such function."""
    if hasattr(filesystem, "read_range"):
        return lambda fs, path, start, end, tag: fs.read_range(path, start, end, tag)
    if _has_own(filesystem, "fsspec.implementations.http", "HTTPFileSystem"):
        return _synchronous(_ask_http)
    if _has_own(filesystem, "s3fs.core", "S3FileSystem"):
        return _synchronous(_ask_s3)
    return None


def _has_own(filesystem: typing.Any, module: str, name: str) -> bool:
    """Whether the file system reads ranges by the method of the named class."""
    for base in type(filesystem).__mro__:
        if base.__module__ == module and base.__name__ == name:
            return getattr(type(filesystem), "_cat_file", 0) is base._cat_file
    return False


def _synchronous(ask: typing.Any) -> Asking:
    def read(fs: typing.Any, path: str, start: int, end: int, tag: str | None) -> Answer:
        from fsspec.asyn import sync

        return typing.cast(Answer, sync(fs.loop, ask, fs, path, start, end, tag))

    return read


async def _ask_http(
    fs: typing.Any, path: str, start: int, end: int, _: str | None
) -> Answer:
    options = dict(fs.kwargs)
    headers = {
        **(options.pop("headers", None) or {}),
        "Range": f"bytes={start}-{end - 1}",
        "Accept-Encoding": "identity",  # else it may be a range of compressed bytes
    }
    session = await fs.set_session()
    async with session.get(fs.encode_url(path), headers=headers, **options) as answer:
        fs._raise_not_found_for_status(answer, path)
        data = await answer.read()
        tag = answer.headers.get("ETag")
        if answer.status != 206:  # the server does not support ranges
            return Answer(data, None, len(data), tag)
        return Answer(data, *_content_range(answer.headers.get("Content-Range")), tag)


async def _ask_s3(
    fs: typing.Any, path: str, start: int, end: int, tag: str | None
) -> Answer:
    bucket, key, version = fs.split_path(path)
    more = {"VersionId": version} if version else {}
    if tag:
        more["IfMatch"] = tag
    try:
        answer = await fs._call_s3(
            "get_object", Bucket=bucket, Key=key, Range=f"bytes={start}-{end - 1}",
            **more, **fs.req_kw,
        )
    except OSError as error:
        if "PreconditionFailed" in f"{error} {error.__cause__}":
            raise OSError(errno.EIO, _CHANGED) from error
        raise
    async with answer["Body"] as body:
        data = await body.read()
    return Answer(data, *_content_range(answer.get("ContentRange")), answer.get("ETag"))


def _content_range(text: str | None) -> tuple[int | None, int | None]:
    """Returns the first byte and the size of the whole file, as far as the text has
    them."""
    match = re.fullmatch(r"bytes\s+(\d+)-\d+/(\d+|\*)", (text or "").strip())
    if not match:
        return None, None
    return int(match[1]), None if match[2] == "*" else int(match[2])


def _strong(tag: str) -> str:
    return tag.removeprefix("W/").strip('"')
