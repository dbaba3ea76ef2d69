"""Parses Spark's options for headrace.

The values are strings, and the names are case-insensitive.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from headrace import _core
from headrace.arguments import suggestion, whole_number
from headrace.errors import InvalidArgumentError
from headrace.options import taken_by
from headrace.spec import Spec


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise InvalidArgumentError(f'"{name}" is "{text}"; it takes true or false')
    return text.lower() == "true"


def _number(name: str, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise InvalidArgumentError(
            f'"{name}" is "{text}"; it takes a whole number'
        ) from None
    return whole_number(name, number, 0)


def _rows(name: str, text: str) -> int | str:
    return text if text == "auto" else _number(name, text)


def _word(name: str, text: str) -> str:
    return text


def _json(name: str, text: str, kind: type) -> Any:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidArgumentError(f"{name} is not JSON: {error}") from None
    if not isinstance(value, kind):
        raise InvalidArgumentError(f"{name}: expected a JSON {kind.__name__}")
    return value


def _names(name: str, text: str) -> list[str]:
    if text.lstrip().startswith("["):
        return list(_json(name, text, list))
    return [item.strip() for item in text.split(",")]


def _dict(name: str, text: str) -> dict[str, Any]:
    return dict(_json(name, text, dict))


def _spec(name: str, text: str) -> Any:
    return Spec.from_json(text) if text.lstrip().startswith("{") else text


def _schema(name: str, text: str) -> Any:
    return _core.Schema.from_text(text) if "{" in text else text


_Parsers = Mapping[str, Callable[[str, str], Any]]
_PARSERS: _Parsers = {
    "flag": _flag, "count": _number, "texts": _names, "spec": _spec, "schema": _schema,
    "dict": _dict, "limits": _dict,
}

# A string cannot name a file system. The Spark reader itself uses the last three
# options.
READING: _Parsers = {
    name: _PARSERS.get(option.kind, _word)
    for name, option in taken_by("part").items() if name != "filesystem"
} | {"splits": _number, "batch_size": _rows, "threads": _number}
WRITING: _Parsers = {
    "message": _word, "compression": _word, "level": _number,
    "block_bytes": _number, "threads": _number, "fsync": _flag, "cast": _flag,
    "storage_options": _dict,
}


def parsed(options: Mapping[str, str], known: _Parsers) -> dict[str, Any]:
    """Returns the options parsed as `known` says, without those that name paths; raises
    InvalidArgumentError for an option that is not in `known`."""
    found = {}
    for name, text in options.items():
        name = name.lower()
        if name in ("path", "paths"):
            continue
        if name not in known:
            raise InvalidArgumentError(
                f'there is no option "{name}"{suggestion(name, known)}; the options are'
                " " + ", ".join(known)
            )
        found[name] = known[name](name, text)
    return found


def paths(options: Mapping[str, str]) -> list[str]:
    """Returns the paths that `load` or `save` was given."""
    found = list(_json("paths", options["paths"], list)) if "paths" in options else []
    if "path" in options:
        found.append(options["path"])
    if not found:
        raise InvalidArgumentError("no path is given: load(path) or save(path)")
    return found
