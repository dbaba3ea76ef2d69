"""How much memory this process holds."""

import ctypes
import gc
import os

import pytest

# The address sanitizer keeps memory that was given back.
not_sanitized = pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", "") or "ASAN_OPTIONS" in os.environ,
    reason="AddressSanitizer keeps what is freed for a while")


def resident():
    """Bytes of this process in memory, without those that are free, or that the
    system may take."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    kilobytes = {}
    with open("/proc/self/smaps_rollup") as file:
        for line in file.read().splitlines()[1:]:
            name, number = line.split()[:2]
            kilobytes[name] = int(number)
    return 1024 * (kilobytes["Rss:"] - kilobytes["LazyFree:"])


def peak():
    """The most bytes of this process that were in memory since it began."""
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file
                    if line.startswith("VmHWM"))
