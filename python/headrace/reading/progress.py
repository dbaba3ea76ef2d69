"""Bars of tqdm for work on many bytes, and a warning where it takes long."""

from __future__ import annotations

import contextlib
import importlib
import math
import time
from collections.abc import Iterator
from typing import Any, Protocol

from headrace.warnings import SlowOpeningWarning, warn_caller


# Opening may take so many seconds before a warning says why it does.
_PATIENCE = 5.0


class Patience:
    """Warns once if opening takes long. `wanted` is False where indexes are not."""

    def __init__(self, wanted: bool = True) -> None:
        self._end = time.monotonic() + _PATIENCE if wanted else math.inf

    def look(self, done: int, size: int) -> None:
        if time.monotonic() < self._end:
            return
        self._end = math.inf
        warn_caller(
            f"{done / max(size, done, 1):.0%} of {size >> 20} MiB were read in "
            f"{_PATIENCE:.0f} seconds, to find where records are, and so whenever these "
            "files are opened: `headrace index FILE...` or headrace.index writes "
            "indexes, which tell it at once. progress=True shows a bar",
            SlowOpeningWarning,
        )


class Update(Protocol):
    """Tells a bar how much is done in all, and the total, if it was unknown."""

    def __call__(self, done: int, total: int | None = None) -> None: ...


def no_bar(done: int, total: int | None = None) -> None:
    """The `Update` of a bar that is not shown."""


@contextlib.contextmanager
def bar(
    total: int | None, enabled: bool, unit: str = "B", desc: str | None = None
) -> Iterator[Update]:
    """A bar, for as long as the context lasts; it needs tqdm.

    Without tqdm, and if not `enabled`, nothing is shown.

        >>> with bar(size, enabled=progress) as update:
        ...     update(done)

    Args:
        total: what there is to do; None or 0: unknown.
        unit: of `total`; bytes by default.
        desc: stands before the bar.
    """
    tqdm = _tqdm() if enabled else None
    if tqdm is None:
        yield no_bar
        return
    with tqdm(total=total or None, unit=unit, unit_scale=True, desc=desc) as shown:

        def update(done: int, total: int | None = None) -> None:
            if total:
                shown.total = total
            shown.update(done - shown.n)

        yield update


def _tqdm() -> Any:
    """tqdm's class that suits terminals and notebooks; None if it is missing."""
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return None
