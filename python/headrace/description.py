"""Reads the arguments `spec=` and `schema=`: objects, protobuf messages, paths."""

from __future__ import annotations

import contextlib
import os
import select
import stat
from collections.abc import Iterator
from typing import Any

from headrace import _core
from headrace.arguments import wrong_type
from headrace.errors import BadSpecError, IoError, NotFoundError, carried
from headrace.spec import Spec


def read_bytes(path: Any) -> bytes:
    """Returns the content of a local file; raises the errors of `headrace.errors`."""
    name = os.fspath(path)
    try:
        if stat.S_ISFIFO(os.stat(name).st_mode):
            return _read_pipe(name)
        with open(name, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        hint = "; for text use from_text or from_json" if _is_text(name) else ""
        raise NotFoundError(f"no such file{hint}", file=str(name)) from error
    except OSError as error:
        raise carried(error, str(name)) from error


def _read_pipe(name: Any) -> bytes:
    """Reads a pipe to its end. The pipe must have a writer, since opening a pipe
    without one would block forever."""
    parts = []
    with open(os.open(name, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        while (part := pipe.read(1 << 16)) != b"":
            if part is None:
                select.select([pipe], [], [])
            else:
                parts.append(part)
    if not parts:
        raise IoError("a pipe into which nobody writes", file=os.fsdecode(name))
    return b"".join(parts)


def _is_text(name: Any) -> bool:
    return isinstance(name, str) and any(sign in name for sign in "{\n")


@contextlib.contextmanager
def _of_file(path: Any) -> Iterator[None]:
    """Adds the name of the file to a BadSpecError."""
    try:
        yield
    except BadSpecError as error:
        raise BadSpecError(
            error.message, file=os.fsdecode(path), feature=error.feature
        ) from None


def read_schema(path: Any) -> _core.Schema:
    """Returns the schema in a local file, which is text or serialized."""
    data = read_bytes(path)
    with _of_file(path):
        return _core.Schema.from_bytes(data)


def schema_of(value: Any) -> _core.Schema:
    """Returns the schema for `value`, which is an object or a path."""
    if isinstance(value, _core.Schema):
        return value
    if isinstance(value, (str, os.PathLike)):
        return read_schema(value)
    serialize = getattr(value, "SerializeToString", None)
    if callable(serialize):
        return _core.Schema.from_bytes(serialize())
    hint = "; try Schema.from_bytes" if isinstance(value, bytes) else ""
    expected = "a headrace.Schema, a protobuf Schema message or the path of a file"
    raise wrong_type("schema", expected, value, hint)


def spec_of(value: Any) -> Any:
    """Returns the Spec or Schema for a path or a protobuf message; other values
    unchanged."""
    if isinstance(value, (str, os.PathLike)):
        data = read_bytes(value)
        # A Schema begins with a field's name or number, never with a brace.
        is_json = data.lstrip(b" \t\r\n\xef\xbb\xbf").startswith(b"{")
        with _of_file(value):
            if not is_json:
                return _core.Schema.from_bytes(data)
            # Vocabulary files are beside the spec, unless that came through a pipe.
            beside = os.path.dirname(value) if os.path.isfile(value) else ""
            return Spec.from_json(data, folder=os.fsdecode(beside))
    if callable(getattr(value, "SerializeToString", None)):
        return schema_of(value)
    return value
