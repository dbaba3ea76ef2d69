"""Finds and opens inputs: paths, globs, URLs and file objects.

Local files are left to the core, which opens them itself. Everything else is
opened here: an opener returns, for a name, an object with

    readinto(buffer) -> int     bytes read, 0 at the end
    seek(position)              only where seekable()
    seekable() -> bool
    size: int                   bytes, 0 where not known
    close()

One such object belongs to one thread at a time. Its errors are HeadraceErrors.
"""

from __future__ import annotations

import contextlib
import os
import re
import typing
from collections.abc import Iterable, Mapping, Sequence

from headrace import _core
from headrace.arguments import wrong_type
from headrace.errors import (
    HeadraceError,
    InvalidArgumentError,
    MissingPackageError,
    NotFoundError,
    carried,
    carrying,
)
from headrace.file_ranges import FileRanges, Range
from headrace.remote import forks  # noqa: F401  (before any fork)

# Most inputs are local and need no reader in Python, so these are imported late.
if typing.TYPE_CHECKING:
    from headrace.remote.file_object import FileObjectReader
    from headrace.remote.ranges import Facts, RangeReader

    Reader = FileObjectReader | RangeReader

_SCHEME = r"[A-Za-z][\w+.-]*(::[\w+.-]+)*://"
_INPUT = "a path, a URL or a binary file object"
_SHARDS = r"(?s)(.+)@([0-9]+)(\.[^/]*)?"
# A shard set with more files than this is treated as a typo.
_MAX_SHARDS = 1_000_000


class _Local:
    def __init__(self, path: str) -> None:
        self.path = path

    def open(self, name: str) -> Reader:
        from headrace.remote.file_object import FileObjectReader

        with carrying(name):
            if self.path == "-":
                file = open(0, "rb", buffering=0, closefd=False)
            else:
                file = open(self.path, "rb", buffering=0)
        return FileObjectReader(file, name, owned=True)


class _Remote:
    def __init__(self, filesystem: typing.Any, path: str) -> None:
        self.filesystem = filesystem
        self.path = path

    def open(self, name: str, known: Facts | None = None) -> tuple[RangeReader, Facts]:
        from headrace.remote.ranges import facts_of, open_remote

        self.filesystem = of_this_process(self.filesystem)
        facts = known or facts_of(self.filesystem, self.path, name)
        return open_remote(self.filesystem, self.path, name, facts), facts


class _Object:
    def __init__(self, file: typing.Any) -> None:
        self.file = file
        self.start: int | None = None
        self.opened = False

    def open(self, name: str) -> Reader:
        from headrace.remote.file_object import FileObjectReader

        if self.opened and self.start is None:
            raise InvalidArgumentError(
                "the file object cannot seek, and has been read already", file=name
            )
        reader = FileObjectReader(self.file, name, start=self.start)
        self.start = reader.start
        self.opened = True
        return reader


class Opener:
    """Opens the inputs of `resolve` by name: `opener(name)`.

    It can be pickled if its file systems and file objects can.
    """

    def __init__(
        self,
        inputs: dict[str, typing.Any],
        part: tuple[int, int | None] | None = None,
        any_order: bool = False,
    ) -> None:
        self._inputs = inputs
        self._part = part
        self._any_order = any_order
        self._known: dict[str, Facts] = {}
        self.walks = False  # whether headers are being walked

    def for_part(self, begin: int, end: int | None) -> Opener:
        """Returns an opener for a caller that reads bytes [begin, end) of a file and
        little else of it."""
        return Opener(self._inputs, (begin, end))

    def for_any_order(self) -> Opener:
        """Returns an opener for a caller that reads in any order from files that do not
        change. A request is for the bytes of one read, unless reads turn out to go from
        front to back. A server is asked for the size of a file only once."""
        return Opener(self._inputs, any_order=True)

    def __call__(self, name: str) -> Reader:
        """Returns a reader at the beginning of the file; the caller closes it."""
        if name not in self._inputs:
            raise InvalidArgumentError("not among the inputs", file=name)
        found = self._inputs[name]
        if not isinstance(found, _Remote):
            return found.open(name)
        reader, facts = found.open(name, self._known.get(name))
        if self._any_order:
            self._known[name] = facts
            reader.expect_any_order(self.walks)
        elif self._part is not None:
            reader.expect(*self._part)
        return reader

    def __getstate__(self) -> dict[str, typing.Any]:
        # A pickle may be loaded much later, when the files have changed.
        return {**self.__dict__, "_known": {}}


def _is_file(item: object) -> bool:
    return callable(getattr(item, "read", None))


def _path(item: object) -> str:
    if isinstance(item, (str, os.PathLike)):
        try:
            path = os.fsdecode(item)
        except TypeError:  # a PathLike that does not name a local path
            path = str(item)
    else:
        hint = "; wrap data in io.BytesIO" if isinstance(item, bytes) else ""
        raise wrong_type("paths", _INPUT, item, hint)
    if not path or "\0" in path:
        raise InvalidArgumentError(
            f"a path must not be empty or hold a NUL, got {path!r}"
        )
    return path


def _items(paths: object) -> list[object]:
    if isinstance(paths, (str, bytes, os.PathLike)) or _is_file(paths):
        return [paths]
    if isinstance(paths, (dict, set, frozenset)) or not isinstance(paths, Iterable):
        raise wrong_type("paths", f"{_INPUT}, or a list of these", paths)
    items = list(paths)
    if not items:
        raise InvalidArgumentError("paths must not be empty")
    return items


def check_paths(paths: object, why: str) -> None:
    """Raises InvalidArgumentError for inputs that cannot be opened again."""
    for item in paths if isinstance(paths, (list, tuple)) else [paths]:
        if item == "-" or hasattr(item, "read"):
            raise InvalidArgumentError(
                f"expected paths or URLs; standard input and file objects {why}"
            )


def local_path(path: str) -> str:
    """Returns a file:// URL as a path; other paths unchanged."""
    if not path[:7].lower() == "file://":
        return path
    from urllib.parse import unquote

    host, slash, rest = path[7:].partition("/")
    if host not in ("", "localhost") or not slash:
        raise InvalidArgumentError(
            "a file:// URL has three slashes and no host", file=path
        )
    return unquote(slash + rest, errors="surrogateescape")


def is_url(path: str) -> bool:
    return bool(re.match(_SCHEME, path)) and path[:7].lower() != "file://"


def _shards(path: str) -> list[str]:
    """Returns name-00000-of-00004.gz and so on for name@4.gz; otherwise nothing."""
    match = re.fullmatch(_SHARDS, path)
    # int() raises an error for thousands of digits.
    count = int(match[2]) if match and len(match[2]) < 20 else 0
    if not match or not 0 < count <= _MAX_SHARDS:
        return []
    return [
        f"{match[1]}-{i:05}-of-{count:05}{match[3] or ''}" for i in range(count)
    ]


def _expand(path: str, filesystem: typing.Any) -> list[str]:
    """Expands globs, shard sets and directories by the core's rules for local files."""
    shards = _shards(path)
    is_glob = any(sign in path for sign in "*?[")
    if (shards or is_glob) and not filesystem.exists(path):
        if shards:
            return shards
        found = _glob(path, filesystem)
        if not found:
            raise NotFoundError("no file matches")
        return found
    # Asking whether a path is a directory is a request to a server; most need none.
    if _has_tfrecord_name(path) or not _is_folder(path, filesystem):
        return [path]
    entries = filesystem.ls(path, detail=True)
    found = sorted(
        entry["name"]
        for entry in entries
        if entry["type"] == "file" and _has_tfrecord_name(entry["name"])
    )
    left_out = _describe_rest(entries, filesystem)
    if not found:
        raise NotFoundError(
            "; ".join([
                "a directory without TFRecord files (.tfrecord, .tfrec, .record, "
                "-00000-of-00010); to read files with any other names, use a glob",
                *left_out,
            ])
        )
    _warn_of_left_out(left_out)
    return found


def _glob(path: str, filesystem: typing.Any) -> list[str]:
    """Returns the files that match by the core's rules: `**` is any number of folders,
    only a dot matches a leading dot, and indexes are left out."""
    _core.matches_glob(path, "")  # raises an error if the pattern is wrong
    if "**" in path.split("/"):
        entries = filesystem.glob(path, detail=True)
        found = [name for name in entries if entries[name]["type"] != "directory"]
    else:
        found = filesystem.glob(path)
    return sorted(name for name in found if _core.matches_glob(path, name))


# Maximum number of files whose first bytes are looked at: each look is a request.
_MOST_LOOKS = 16
_HEAD = 4096


def _describe_rest(
    entries: list[Mapping[str, typing.Any]], filesystem: typing.Any
) -> list[str]:
    """Returns texts about those entries of a folder that may hold records but are not
    read."""
    rest, folders = [], []
    for entry in sorted(entries, key=lambda entry: entry["name"]):
        path = entry["name"].rstrip("/")
        name = path.rpartition("/")[2]
        if _core.is_side_file(name):
            continue
        if entry["type"] == "directory":
            folders.append(path)
        elif not _core.has_tfrecord_name(name):
            rest.append(path)
    heads: list[bytes | None] = [None] * len(rest)
    for i, path in enumerate(rest[:_MOST_LOOKS]):
        # A file that cannot be looked at is named anyway.
        with contextlib.suppress(Exception):
            heads[i] = bytes(filesystem.cat_file(path, start=0, end=_HEAD))[:_HEAD]
    return _core.describe_rest(rest, heads, folders)


def _warn_of_left_out(texts: list[str]) -> None:
    if texts:
        from headrace.warnings import LeftOutFileWarning, warn_caller

        for text in texts:
            warn_caller(text, LeftOutFileWarning)


def _with_folders(paths: list[str]) -> list[str]:
    """Returns local paths, with folders replaced by their files."""
    found: list[str] = []
    for path in paths:
        found += _files_of(path) if os.path.isdir(path) else [path]
    return found


def _files_of(folder: str) -> list[str]:
    found, left_out = _core.look_for_files(os.fsencode(folder))
    _warn_of_left_out(left_out)
    return found


def _is_folder(path: str, filesystem: typing.Any) -> bool:
    # fsspec's HTTP isdir would search the whole file for links.
    try:
        return bool(filesystem.info(path)["type"] == "directory")
    except FileNotFoundError:
        return False  # opening it raises an error with its name


def _has_tfrecord_name(path: str) -> bool:
    return _core.has_tfrecord_name(path.rpartition("/")[2])


def _is_local(filesystem: typing.Any) -> bool:
    """Whether a file system of fsspec or pyarrow is the local one."""
    if getattr(filesystem, "type_name", None) == "local":
        return True
    protocol = getattr(filesystem, "protocol", ())
    return "file" in ((protocol,) if isinstance(protocol, str) else protocol)


def _fsspec(what: str) -> typing.Any:
    try:
        import fsspec
        import fsspec.core
    except ImportError as error:
        raise MissingPackageError(
            f"{what} needs the package fsspec: pip install fsspec"
        ) from error
    return fsspec


def _is_of_this_process(filesystem: typing.Any) -> bool:
    own = getattr(filesystem, "__dict__", {})
    if own.get("_pid", os.getpid()) != os.getpid():
        return False
    # fsspec's caches and DirFileSystem wrap another file system.
    return "fs" not in own or _is_of_this_process(own["fs"])


def of_this_process(filesystem: typing.Any) -> typing.Any:
    """Returns `filesystem`, or after a fork a new one with the same arguments: threads
    and connections of fsspec's asynchronous file systems stay with the parent."""
    if hasattr(filesystem, "of_this_process"):
        return filesystem.of_this_process()
    if _is_of_this_process(filesystem):
        return filesystem
    again = {
        name: of_this_process(value)
        for name, value in filesystem.storage_options.items()
    }
    return type(filesystem)(*map(of_this_process, filesystem.storage_args), **again)


def _wrap(filesystem: typing.Any) -> typing.Any:
    """Returns `filesystem` with the interface of fsspec."""
    if hasattr(filesystem, "cat_file") and hasattr(filesystem, "info"):
        return of_this_process(filesystem)
    if hasattr(filesystem, "get_file_info") and hasattr(filesystem, "open_input_file"):
        _fsspec("a file system of pyarrow's")
        from fsspec.implementations.arrow import ArrowFSWrapper

        return ArrowFSWrapper(filesystem)
    expected = "a file system of fsspec or pyarrow.fs"
    raise wrong_type("filesystem", expected, filesystem)


def locate(
    path: str, filesystem: typing.Any, options: Mapping[str, typing.Any] | None
) -> tuple[typing.Any, str]:
    """Returns the file system of a URL, or `filesystem`, and the path in it."""
    try:
        if filesystem is None:
            url_to_fs = _fsspec("a URL").core.url_to_fs
            from headrace.remote import object_store

            found = object_store.locate(path, options or {})
            return found or url_to_fs(path, **(options or {}))
        return filesystem, str(filesystem._strip_protocol(path))
    except HeadraceError:
        raise
    except ValueError as error:  # no such protocol
        raise InvalidArgumentError(str(error), file=path) from error
    except Exception as error:
        raise carried(error, path) from error


def _remote(
    path: str, filesystem: typing.Any, options: Mapping[str, typing.Any] | None
) -> dict[str, _Remote]:
    """Returns the files of a URL, or of a path in `filesystem`, by name."""
    fs, inner = locate(path, filesystem, options)
    with carrying(path):
        try:
            files = _expand(inner, fs)
        except NotFoundError as error:
            raise NotFoundError(error.message, file=path) from None
    if files == [inner]:
        return {path: _Remote(fs, inner)}
    base = path.rstrip("/")
    if base.endswith(inner):
        start = base[: -len(inner)]
        return {start + file: _Remote(fs, file) for file in files}
    return {fs.unstrip_protocol(file): _Remote(fs, file) for file in files}


def _local(path: str) -> dict[str, _Local]:
    if os.path.isdir(path):
        return {file: _Local(file) for file in _files_of(path)}
    return {file: _Local(file) for file in _core.expand_paths([os.fsencode(path)])}


def _object(file: typing.Any, inputs: dict[str, typing.Any]) -> dict[str, _Object]:
    from headrace.remote.file_object import check_file_object

    check_file_object(file)
    if any(getattr(known, "file", None) is file for known in inputs.values()):
        raise InvalidArgumentError("a file object is given twice")
    own = getattr(file, "name", None)
    name = own if isinstance(own, str) and own else f"<{type(file).__name__}>"
    unique, number = name, 1
    while unique in inputs:
        number += 1
        unique = f"{name} ({number})"
    return {unique: _Object(file)}


def check_storage(
    filesystem: typing.Any, options: object, has_urls: bool
) -> typing.Any:
    """Returns `filesystem` with the interface of fsspec; None if the core reads."""
    if options is not None and not isinstance(options, Mapping):
        raise wrong_type("storage_options", "a dict", options)
    if options and (filesystem is not None or not has_urls):
        raise InvalidArgumentError(
            "storage_options are for the file system of a URL; "
            + ("filesystem is given" if filesystem is not None else "there is no URL")
        )
    if filesystem is None or _is_local(filesystem):
        return None
    return _wrap(filesystem)


def ranges_of(paths: object) -> list[Range] | None:
    """Returns the ranges that the core reads of the files that `resolve` names."""
    return list(paths.ranges) if isinstance(paths, FileRanges) else None


def _resolve_names(
    names: Sequence[str],
    filesystem: typing.Any,
    storage_options: Mapping[str, typing.Any] | None,
) -> tuple[list[str], Opener | None]:
    """Like `resolve`, for names that are one file each."""
    has_urls = any(map(is_url, names))
    filesystem = check_storage(filesystem, storage_options, has_urls)
    if filesystem is None and not has_urls:
        return [local_path(name) for name in names], None
    inputs: dict[str, typing.Any] = {}
    for name in dict.fromkeys(names):
        if filesystem is not None or is_url(name):
            inputs[name] = _Remote(*locate(name, filesystem, storage_options))
        else:
            inputs[name] = _Local(local_path(name))
    return list(names), Opener(inputs)


def resolve(
    paths: object,
    filesystem: typing.Any = None,
    storage_options: Mapping[str, typing.Any] | None = None,
) -> tuple[list[str], Opener | None]:
    """Returns the names of the inputs, and their opener.

    Args:
        paths: a path (str or os.PathLike), a URL, an open binary file object,
            or a list of these; or `FileRanges`.
        filesystem: of fsspec or pyarrow.fs; has the paths.
        storage_options: for the file systems of URLs.

    Returns:
        If all inputs are local paths or file:// URLs: the paths, whose globs and shard
        sets the core expands, and None. Otherwise the names in order, with globs
        (sorted), shard sets (`name@N`) and directories (their TFRecord files, sorted)
        expanded, and the `Opener`. A file object is read from its current position, is
        never closed, and is read again only if it can seek.

    Warns of files in a directory that may hold records and are not read.

    Raises:
        NotFoundError: no file matches a glob, or a directory has no TFRecord file, or
            has one that is a broken link. A missing file is noticed when it is
            opened.
        MissingPackageError: fsspec, or a package that it needs for the URL, is not
            installed.
        InvalidArgumentError: an input cannot be read, such as a file open as text.
        TypeError: a value is not an input.

    Example: `names, opener = resolve(["gs://bucket/train@16.gz", file])`.
    """
    if isinstance(paths, FileRanges):
        return _resolve_names(paths.files, filesystem, storage_options)
    items = [item if _is_file(item) else _path(item) for item in _items(paths)]
    has_urls = any(isinstance(item, str) and is_url(item) for item in items)
    filesystem = check_storage(filesystem, storage_options, has_urls)
    if filesystem is None and not has_urls and not any(map(_is_file, items)):
        local = [local_path(typing.cast(str, item)) for item in items]
        return _with_folders(local), None
    names: list[str] = []
    inputs: dict[str, typing.Any] = {}
    for item in items:
        found: dict[str, typing.Any]
        if not isinstance(item, str):
            found = _object(item, inputs)
        elif filesystem is not None or is_url(item):
            found = _remote(item, filesystem, storage_options)
        else:
            found = _local(local_path(item))
        names += found
        inputs |= found
    if names.count("-") > 1 and filesystem is None:
        raise InvalidArgumentError("standard input can be read only once")
    return names, Opener(inputs)


def opener_of(names: object, options: Mapping[str, typing.Any]) -> Opener | None:
    """Returns the opener of names that `resolve` returned, with the options of
    `headrace.open`."""
    return resolve(names, options.get("filesystem"), options.get("storage_options"))[1]


# The maximum number of remote files whose sizes are asked for: more requests would take
# too long.
MOST_REMOTE_SIZES = 64


def remote_size(opener: Opener, name: str) -> int | None:
    """Returns the size in bytes of a file that is not local; None if not known."""
    reader = opener(name)
    try:
        return reader.size or None
    finally:
        reader.close()
