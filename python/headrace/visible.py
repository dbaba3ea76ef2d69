"""Text for displays: escapes stand for what cannot be seen."""

from __future__ import annotations

from headrace import _core


def escaped(text: str) -> str:
    """The program and the pages of statistics escape the same characters."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if _core.is_visible(ord(c)) else c.encode("unicode_escape").decode()
        for c in text
    )


def quoted(value: object) -> str:
    """`repr`, also without the characters that it shows though they are not seen."""
    return escaped(repr(value))
