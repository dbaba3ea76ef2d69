"""Checks the states from which readers and batches resume.

Each state is a dict with the member "version". A change of its members, or of their
meaning, is another version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.arguments import wrong_type
from headrace.errors import InvalidArgumentError

# Of the states that are written and read.
VERSION = 1

# Larger numbers would make a state too long.
MOST_EPOCHS = 2**32

_LIMITS = {"epoch": MOST_EPOCHS}
_HINTS = dict.fromkeys(
    ("seed", "block", "window"), "; one of the two is shuffled and the other is not"
) | dict.fromkeys(
    ("lanes", "turn"), "; one of the two has an order with lanes and the other has not"
)


def checked_state(
    state: object, like: Mapping[str, Any], of: str = "these batches"
) -> dict[str, Any]:
    """Returns `state` if it has the version of `like`, and its names and types.

    Raises:
        InvalidArgumentError: a member is missing, unknown or wrong.
        TypeError: `state` is not a dict.
    """
    if not isinstance(state, Mapping):
        raise wrong_type("state", "a dict that state_dict() returned", state)
    version = state.get("version")
    if type(version) is int and version != like["version"]:
        raise InvalidArgumentError(
            f"the state has version {version!r:.50}; this headrace reads states of "
            f"version {like['version']}"
        )
    for name in {**like, **dict.fromkeys(state)}:
        if name not in state or name not in like:
            has = "has" if name in state else "lacks"
            raise InvalidArgumentError(
                f"this is not a state of {of}: it {has} {name!r}{_HINTS.get(name, '')}"
            )
    for name, value in like.items():
        found = state[name]
        ok = type(found) is type(value)
        if ok and isinstance(found, int):
            ok = 0 <= found < _LIMITS.get(name, 2**64)
        if not ok:
            raise InvalidArgumentError(
                f"this is not a state of {of}: its {name!r} is {found!r:.50}"
            )
    return dict(state)
