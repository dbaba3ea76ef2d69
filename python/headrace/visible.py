"""Text for displays: invisible characters are escaped."""

from __future__ import annotations

from headrace import _core


def escaped(text: str) -> str:
    """Escapes the characters that the program and the pages of statistics escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if _core.is_visible(ord(c)) else c.encode("unicode_escape").decode()
        for c in text
    )


def quoted(value: object) -> str:
    """Returns the `repr`, and also escapes the invisible characters that it keeps."""
    return escaped(repr(value))
