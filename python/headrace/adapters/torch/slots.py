"""Memory through which workers of a loader hand bytes to the process that trains.

A pipe holds 64 KiB, so the two processes would wait for one another several times per
batch; new shared memory would cost page faults in both. Slots are reused: a worker
copies the bytes into a free slot and sends its place, and the receiver copies them out
and frees the slot.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
from typing import Any, NamedTuple

import torch

# The maximum number of bytes of a slot. glibc maps new pages for each larger allocation,
# so the receiver's copy would cost page faults, too.
MOST = 1 << 25
# A loader requests two batches from a worker in advance by default. Pages that were
# never used take no memory.
_SLOTS = 4
# Each slot begins with 8 bytes: the number that identifies its content, or 0 if it is
# free.
_HEAD = 64
_STRIDE = MOST + mmap.PAGESIZE
_FREE = bytes(8)


class Place(NamedTuple):
    """Where another process finds bytes."""

    pid: int
    file: int  # a descriptor of that process
    offset: int
    number: int
    size: int


class _Slots:
    """The slots of this process. The first one has no bytes: a receiver that has freed
    it can read the others, too."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._file = os.memfd_create("headrace")
        try:
            os.ftruncate(self._file, (_SLOTS + 1) * _STRIDE)
            self._memory = mmap.mmap(self._file, 0)
        except OSError:
            os.close(self._file)
            raise
        self._numbers = memoryview(self._memory).cast("Q")
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        # Other processes have other numbers, even if they reuse this process's id.
        self._last = int.from_bytes(os.urandom(7), "little")
        self._lock = threading.Lock()
        self._offer = self._fill(0, 0)

    def offer(self) -> Place | None:
        return self._offer if self._numbers[0] else None

    def claim(self, size: int) -> tuple[Place, int] | None:
        with self._lock:
            for slot in range(1, _SLOTS + 1):
                if not self._numbers[slot * _STRIDE // 8]:
                    place = self._fill(slot, size)
                    return place, self._address + place.offset + _HEAD
        return None

    def _fill(self, slot: int, size: int) -> Place:
        self._last += 1
        self._numbers[slot * _STRIDE // 8] = self._last
        return Place(self.pid, self._file, slot * _STRIDE, self._last, size)


_mine: _Slots | None = None
_possible = hasattr(os, "memfd_create")


def _slots() -> _Slots | None:
    global _mine, _possible
    # A forked process must not use the slots of its parent.
    if _possible and (_mine is None or _mine.pid != os.getpid()):
        try:
            _mine = _Slots()
        except OSError:
            _possible = False
    return _mine if _possible else None


def offer() -> Place | None:
    """Returns the place that a receiver must `accept` before `claim` succeeds; None if
    one has, or if this system has no such memory."""
    slots = _slots()
    return slots.offer() if slots else None


def accept(place: Place) -> None:
    """Accepts the offer of another process, if this one can read its memory."""
    try:
        _copied(place)
    except (OSError, RuntimeError):
        pass  # The other process goes on to use the pipe.


def claim(size: int) -> tuple[Place, int] | None:
    """Returns a place for `size` bytes, which must be sent to another process, and its
    address; None if no slot is free or large enough, or no receiver has accepted."""
    slots = _slots()
    if slots is None or size > MOST or slots.offer():
        return None
    return slots.claim(size)


def taken(place: Place) -> torch.Tensor:
    """Returns the bytes at a place of another process, and frees it: a place can be
    taken once.

    Raises:
        RuntimeError: the bytes are gone.
    """
    try:
        return _copied(place)
    except OSError as error:
        raise RuntimeError(
            f"a batch of process {place.pid} is gone: the process ended before the batch "
            "was received"
        ) from error


def _copied(place: Place) -> torch.Tensor:
    copied = torch.empty(place.size, dtype=torch.uint8)
    head = bytearray(_HEAD)
    # Descriptors are not kept: they would keep the memory of processes that have ended.
    file = os.open(f"/proc/{place.pid}/fd/{place.file}", os.O_RDWR | os.O_CLOEXEC)
    try:
        into: list[Any] = [head, copied.numpy()]
        read = os.preadv(file, into, place.offset)
        number = int.from_bytes(head[:8], "little")
        if read != _HEAD + place.size or number != place.number:
            raise RuntimeError(
                f"a batch of process {place.pid} is gone: it was received before"
            )
        os.pwrite(file, _FREE, place.offset)
    finally:
        os.close(file)
    return copied
