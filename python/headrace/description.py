"""What callers give as `spec=` and `schema=`: objects of ours or of protobuf, or
files that hold them."""

from __future__ import annotations

import os
from typing import Any

from headrace import _core
from headrace.errors import NotFoundError
from headrace.spec import Spec


def read_bytes(path: Any) -> bytes:
    """The bytes of a local file; errors are those of `headrace.errors`."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        hint = "; for text use from_text or from_json" if _is_text(name) else ""
        raise NotFoundError(f"no such file{hint}", file=str(name)) from error
    except OSError as error:
        from headrace.ranges import carried

        raise carried(error, str(name)) from error


def _is_text(name: Any) -> bool:
    return isinstance(name, str) and any(sign in name for sign in "{\n")


def schema_of(value: Any) -> _core.Schema:
    """The schema that `value` is, as an object or as a path."""
    if isinstance(value, _core.Schema):
        return value
    if isinstance(value, (str, os.PathLike)):
        return _core.Schema.from_bytes(read_bytes(value))
    serialize = getattr(value, "SerializeToString", None)
    if callable(serialize):
        return _core.Schema.from_bytes(serialize())
    hint = "; try Schema.from_bytes" if isinstance(value, bytes) else ""
    raise TypeError(
        "schema takes a headrace.Schema, a protobuf message of it or the path of a "
        f"file, got {_type_name(value)}{hint}"
    )


def spec_of(value: Any) -> Any:
    """What `Plan` and `Spec.of` know: a Spec, a Schema and so on, as they are;
    of a path or a protobuf message what it holds."""
    if isinstance(value, (str, os.PathLike)):
        data = read_bytes(value)
        # A Schema begins with the name or the number of a field.
        if data.lstrip(b" \t\r\n\xef\xbb\xbf").startswith(b"{"):
            return Spec.from_json(data)
        return _core.Schema.from_bytes(data)
    if callable(getattr(value, "SerializeToString", None)):
        return schema_of(value)
    return value


def _type_name(value: Any) -> str:
    """With its module, as other libraries have a Schema, too."""
    cls = type(value)
    if cls.__module__ == "builtins":
        return cls.__qualname__
    return f"{cls.__module__}.{cls.__qualname__}"
