"""Files made without headrace.

    data = records.framed([records.example({"age": records.ints(37)})])
    path.write_bytes(records.compressed(data, "gzip"))

`people` gives rows and what they are expected to be read as.
"""

import gzip
import itertools
import random
import struct
import weakref
import zlib
from typing import Any

import numpy as np

from wire_bytes import (  # noqa: F401
    UNSET,
    blobs,
    example,
    floats,
    frame,
    framed,
    ints,
    sequence_example,
)

# Files.


def _snappy(data: bytes, block: int = 1000) -> bytes:
    import pyarrow

    codec, out = pyarrow.Codec("snappy"), []
    for start in range(0, len(data), block):
        part = data[start:start + block]
        packed = codec.compress(part, asbytes=True)
        out.append(struct.pack(">I", len(packed)) + packed)
    return b"".join(out)


def _zstd(data: bytes) -> bytes:
    import pyarrow

    return pyarrow.Codec("zstd").compress(data, asbytes=True)


COMPRESSIONS = {
    "none": lambda data: data,
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "zlib": zlib.compress,
    "snappy": _snappy,
    "zstd": _zstd,
}


def compressed(data: bytes, compression: str) -> bytes:
    """The bytes of a file in one of COMPRESSIONS."""
    return COMPRESSIONS[compression](data)


# Memory.


class Memory:
    """An allocator of numpy arrays, whose slabs it counts. They are plain arrays of a
    class of their own, so that weak references can show how long they live. One call
    may fail."""

    def __init__(self, fails_at: int = -1, error: BaseException | None = None) -> None:
        self.sizes: list[int] = []
        self.slabs: list[weakref.ref[Any]] = []
        self._fails_at = fails_at
        self._error = error
        self._calls = itertools.count()

    def allocate(self, size: int) -> Any:
        if next(self._calls) == self._fails_at:
            raise self._error or MemoryError("no more")
        raw = np.zeros(size + 256, np.uint8)
        begin = -raw.ctypes.data % 256
        slab = raw[begin : begin + size].view(Slab)
        self.sizes.append(size)
        self.slabs.append(weakref.ref(slab))
        return slab

    def num_held(self) -> int:
        return sum(slab() is not None for slab in self.slabs)


class Slab(np.ndarray):
    pass


# Sample data.


def people(count: int, seed: int = 1) -> list[dict]:
    """Rows with "id" (always one int), "score" (floats, sometimes none or
    absent) and "tags" (bytes, sometimes absent): name -> list or None."""
    rng = random.Random(seed)
    rows = []
    for i in range(count):
        score = [rng.randrange(-64, 64) / 8 for _ in range(rng.randrange(4))]
        tags = [rng.randbytes(rng.randrange(20)) for _ in range(rng.randrange(3))]
        rows.append({
            "id": [i],
            "score": None if rng.random() < 0.2 else score,
            "tags": None if rng.random() < 0.2 else tags,
        })
    return rows


_MAKERS = {"id": ints, "score": floats, "tags": blobs}


def person(row: dict) -> bytes:
    """A row of `people` as a serialized Example."""
    return example({
        name: None if values is None else _MAKERS[name](*values)
        for name, values in row.items()
    })


def write_people(path, count: int, *, seed: int = 1, compression: str = "none"):
    """Writes `people`, and returns them."""
    rows = people(count, seed)
    path.write_bytes(compressed(framed(map(person, rows)), compression))
    return rows


def rows_of(batches) -> list[dict]:
    """Batches of columns as rows, like those of `people`."""
    rows = []
    for batch in batches:
        lists = {name: column.to_list() for name, column in batch.items()}
        rows += [
            {name: values[row] for name, values in lists.items()}
            for row in range(batch.num_rows)
        ]
    return rows


def ids_of(batches) -> list[int]:
    """The ids of `people` in batches of columns."""
    return [i for batch in batches for i in batch["id"].values.numpy().tolist()]
