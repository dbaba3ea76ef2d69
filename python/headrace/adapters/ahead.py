"""Takes batches of a source ahead of the caller, and copies them to a device."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from headrace.arguments import wrong_type
from headrace.errors import InvalidArgumentError

Made = TypeVar("Made")


class ReadAhead(Generic[Made]):
    """An iterator of what `_make` makes of each batch of a source.

    It makes `depth` batches before they are asked for. An exception of the source or of
    `_make` is raised in the place of its batch, after the batches before it.
    """

    def __init__(self, source: Any, depth: int) -> None:
        if not isinstance(source, Iterable):
            raise wrong_type("source", "an iterable of batches", source)
        self._source: Any = source
        self._depth = depth
        self._iterator: Any = None
        self._has_begun = False
        self._ahead: deque[_Taken] = deque()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Made:
        ahead = self._ahead
        while len(ahead) <= self._depth and not (ahead and ahead[-1].error):
            ahead.append(self._take())
        # It leaves the queue last: an interrupt in the loop above loses no batch.
        now = ahead.popleft()
        if now.error is not None:
            raise now.error
        made: Made = now.made
        return made

    def _make(self, batch: Any) -> Any:
        raise NotImplementedError

    def _take(self) -> _Taken:
        self._begin()
        state = None
        if self._depth and hasattr(self._source, "state_dict"):
            state = self._source.state_dict()
        try:
            return _Taken(state, self._make(next(self._iterator)), None)
        except StopIteration:
            # A new one: frames of a traceback would keep the iterator from being freed.
            return _Taken(state, None, StopIteration())
        except Exception as error:  # raised when the batch is asked for
            return _Taken(state, None, error)

    def _begin(self) -> None:
        if not self._has_begun:
            self._iterator = iter(self._source)
            self._has_begun = True

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of the source where the next batch begins."""
        if self._ahead and self._ahead[0].state is not None:
            return self._ahead[0].state
        state_of = self._source.state_dict
        # Until then the state may be that of an earlier loop over the source.
        self._begin()
        state: dict[str, Any] = state_of()
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Moves the source to where the state was taken."""
        self._source.load_state_dict(state)
        self._has_begun = False
        self._ahead.clear()


class _Taken(NamedTuple):
    """A batch that was taken ahead, or the error that was raised instead."""

    state: dict[str, Any] | None  # of the source, before the batch
    made: Any
    error: Exception | None


class Device(Protocol):
    """The calls to a device that `CopiedAhead` needs.

    Work on a stream runs in order, after the call that queued it has returned. An event
    passes when the work before it on its stream is done. The side stream is the device's
    own; memory of copies belongs to it.
    """

    def copy(self, batch: Any) -> tuple[Any, list[Any]]:
        """Queues the copies of a batch on the side stream. Returns the copied batch, and
        the pieces of memory that it is in."""

    def fill(self, out: Any, copied: Any) -> None:
        """Queues copies from one batch on the device into another, on the current
        stream."""

    def current(self) -> Any:
        """Returns the stream that the caller queues work on."""

    def record(self, stream: Any = None) -> Any:
        """Returns an event that follows all work on the stream, by default the side
        stream."""

    def wait(self, stream: Any, event: Any) -> None:
        """Makes the stream wait for the event."""

    def use(self, memory: Any, stream: Any) -> None:
        """Keeps freed memory from reuse until the work that is then on the stream is
        done."""

    def passed(self, event: Any) -> bool:
        """Whether the event has passed."""

    def synchronize(self) -> None:
        """Waits for the side stream."""


class _Copied(NamedTuple):
    """A batch whose copies are queued."""

    host: Any
    copied: Any
    memory: list[Any]
    event: Any  # passes when the copies are done


class CopiedAhead(ReadAhead[Any]):
    """An iterator of copies of batches on a device; a context manager.

    `prefetch` copies are queued in advance, on a stream of their own. Each batch of the
    source is kept until its copy is done. With `out` each copy is copied again, into
    this batch, which is what the iterator returns.
    """

    def __init__(
        self, source: Any, device: Device, prefetch: int, out: Any = None
    ) -> None:
        super().__init__(source, prefetch)
        self._held: deque[_Copied] = deque()
        self._is_closed = self._has_ended = False
        self._out = out
        self._device = device
        self._used_on = device.current()

    def __iter__(self) -> Self:
        self._check_open()
        if self._has_ended:
            raise InvalidArgumentError(
                "these batches have ended: make new ones for each loop"
            )
        return self

    def __next__(self) -> Any:
        self._check_open()
        try:
            now: _Copied = super().__next__()
        except StopIteration:
            self._has_ended = True
            self._let_go()
            raise
        device = self._device
        self._hold(now)
        stream = device.current()
        device.wait(stream, now.event)
        if self._out is not None:
            device.wait(stream, device.record(self._used_on))
            device.fill(self._out, now.copied)
            self._used_on = stream
        for memory in now.memory:
            device.use(memory, stream)
        return now.copied if self._out is None else self._out

    def _make(self, batch: Any) -> _Copied:
        try:
            copied, memory = self._device.copy(batch)
            return _Copied(batch, copied, memory, self._device.record())
        except BaseException:
            # Some copies may be queued, and the batch is about to be dropped.
            self._device.synchronize()
            raise

    def _hold(self, copied: _Copied) -> None:
        # Only the batch on the host is kept: the caller may free the copy at any time.
        self._held.append(copied._replace(copied=None, memory=[]))
        while self._held and self._device.passed(self._held[0].event):
            self._held.popleft()

    def _let_go(self) -> None:
        self._device.synchronize()
        self._held.clear()

    def _check_open(self) -> None:
        if self._is_closed:
            raise InvalidArgumentError("these batches were closed")

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Moves the source to where the state was taken. Copies that were made in advance
        are dropped."""
        self._check_open()
        self._let_go()
        super().load_state_dict(state)
        self._has_ended = False

    def close(self) -> None:
        """Waits for the copies that were made in advance, and drops them. `state_dict`
        still returns where the next batch begins. Closing twice is allowed."""
        if self._is_closed:
            return
        self._is_closed = self._has_begun = True
        self._let_go()
        self._iterator = None
        self._ahead = deque(taken._replace(made=None) for taken in self._ahead)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # An object whose constructor has raised has no device.
        if hasattr(self, "_used_on"):
            self.close()
