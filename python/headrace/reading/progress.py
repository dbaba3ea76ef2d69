"""Shows tqdm bars for long work, and warns if opening a dataset takes long."""

from __future__ import annotations

import contextlib
import importlib
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias, TypeVar

from headrace.warnings import SlowOpeningWarning, warn_caller

_T = TypeVar("_T")
# How much is done, the total (None or 0: unknown), and the unit.
Done: TypeAlias = "tuple[int, int | None, str]"

# Seconds that opening may take before a warning explains why.
_PATIENCE = 5.0


class Patience:
    """Warns once if opening takes long. `wanted` is False if indexes are not used: the
    advice of the warning would then not help."""

    def __init__(self, wanted: bool = True) -> None:
        self._end = time.monotonic() + _PATIENCE if wanted else math.inf

    def look(self, done: int, size: int) -> None:
        if time.monotonic() < self._end:
            return
        self._end = math.inf
        warn_caller(
            f"{done / max(size, done, 1):.0%} of {size >> 20} MiB were read in "
            f"{_PATIENCE:.0f} seconds to find where records are, as happens whenever "
            "these files are opened: `headrace index FILE...` or headrace.index writes "
            "indexes, which make this unnecessary. progress=True shows a bar",
            SlowOpeningWarning,
        )


class Update(Protocol):
    """Sets how much of a bar is done in all, and its total if that was unknown."""

    def __call__(self, done: int, total: int | None = None) -> None: ...


def no_bar(done: int, total: int | None = None) -> None:
    """The `Update` of a bar that is not shown."""


@contextlib.contextmanager
def bar(
    total: int | None, enabled: bool, unit: str = "B", desc: str | None = None
) -> Iterator[Update]:
    """Shows a bar for as long as the context lasts.

    Without tqdm, and if not `enabled`, nothing is shown.

        >>> with bar(size, enabled=progress) as update:
        ...     update(done)

    Args:
        total: the amount of work; None or 0: unknown.
        unit: unit of `total`; bytes by default.
        desc: text in front of the bar.
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


class LateBar:
    """A bar that begins with the first batch, and ends with the last one or an
    error."""

    def __init__(self) -> None:
        self._bar = contextlib.ExitStack()
        self._update: Update | None = None

    def next(self, read: Callable[[], _T | None], done: Callable[[], Done]) -> _T | None:
        """Returns the batch that `read` returns, or None at the end, and shows what is
        `done`."""
        if self._update is None:
            _, total, unit = done()
            self._update = self._bar.enter_context(bar(total, True, unit))
        batch = None
        try:
            batch = read()
            if batch is not None:
                self.show(done())
        finally:
            if batch is None:
                self.end()
        return batch

    def show(self, done: Done) -> None:
        if self._update is not None:
            self._update(*done[:2])

    def end(self) -> None:
        """Ends the bar; no other bar is shown until `restart`."""
        self._bar.close()
        self._update = no_bar

    def restart(self) -> None:
        """Ends the bar; another one begins with the next batch."""
        self.end()
        self._update = None


def _tqdm() -> Any:
    """Returns tqdm's class for terminals and notebooks; None without tqdm."""
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return None
