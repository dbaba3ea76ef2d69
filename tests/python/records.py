"""Records made without headrace: protobuf messages and TFRecord by hand.

    data = records.framed([records.example({"age": records.ints(37)})])
    path.write_bytes(records.compressed(data, "gzip"))

`people` gives rows and what they are expected to be read as.
"""

import functools
import gzip
import random
import struct
import zlib

# Messages.


def _varint(number: int) -> bytes:
    number %= 1 << 64
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def blobs(*values: bytes) -> bytes:
    """A serialized Feature with a bytes_list."""
    return _field(1, b"".join(_field(1, value) for value in values))


def floats(*values: float) -> bytes:
    """A serialized Feature with a float_list."""
    run = struct.pack(f"<{len(values)}f", *values)
    return _field(2, _field(1, run) if values else b"")


def ints(*values: int) -> bytes:
    """A serialized Feature with an int64_list."""
    run = b"".join(map(_varint, values))
    return _field(3, _field(1, run) if values else b"")


UNSET = b""  # a Feature without a kind


def _map(entries: dict, encode=lambda value: value) -> bytes:
    return b"".join(
        _field(1, _field(1, key.encode()) + _field(2, encode(value)))
        for key, value in entries.items()
        if value is not None
    )


def example(features: dict) -> bytes:
    """A serialized Example; a feature that is None is left out."""
    return _field(1, _map(features))


def sequence_example(context: dict, lists: dict) -> bytes:
    """A serialized SequenceExample; lists of serialized Features."""
    steps = _map(lists, lambda steps: b"".join(_field(1, step) for step in steps))
    return _field(1, _map(context)) + _field(2, steps)


# Files.


@functools.cache
def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


@functools.lru_cache(4096)
def _masked_crc(data: bytes) -> int:
    table, crc = _crc_table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frame(payload: bytes) -> bytes:
    """One record of a TFRecord file."""
    header = struct.pack("<Q", len(payload))
    return b"".join([
        header, struct.pack("<I", _masked_crc(header)), payload,
        struct.pack("<I", _masked_crc(payload)),
    ])


def framed(payloads) -> bytes:
    """A whole TFRecord file."""
    return b"".join(map(frame, payloads))


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
