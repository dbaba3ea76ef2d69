"""Protobuf messages and TFRecord files as bytes, without headrace.

Tests of the program and of the Python package write their inputs with this
module, so that they do not lean on what they test.

    wire_bytes.framed([wire_bytes.example({"age": wire_bytes.ints(37)})])
"""

import functools
import struct

# Protobuf.


def varint(number: int, length: int = 1) -> bytes:
    """`number` modulo 2**64 in at least `length` bytes."""
    number &= 2**64 - 1
    out = bytearray()
    while number >= 0x80 or len(out) + 1 < length:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, body: bytes, length: int = 1) -> bytes:
    """A length-delimited field, whose length takes at least `length` bytes."""
    return varint(number << 3 | 2) + varint(len(body), length) + body


# tf.train.Feature, Example and SequenceExample.

UNSET = b""  # a Feature without a kind


def blobs(*values: bytes) -> bytes:
    """A Feature with a bytes_list."""
    return field(1, b"".join(field(1, value) for value in values))


def packed(number: int, run: bytes) -> bytes:
    """A Feature with a packed list: 2 is a float_list, 3 an int64_list."""
    return field(number, field(1, run) if run else b"")


def floats(*values: float) -> bytes:
    """A Feature with a float_list."""
    return packed(2, struct.pack(f"<{len(values)}f", *values))


def ints(*values: int) -> bytes:
    """A Feature with an int64_list."""
    return packed(3, b"".join(map(varint, values)))


def entry(key: str | bytes, value: bytes) -> bytes:
    """An entry of a map."""
    key = key.encode() if isinstance(key, str) else key
    return field(1, field(1, key) + field(2, value))


def _entries(values: dict) -> bytes:
    return b"".join(entry(key, value) for key, value in values.items()
                    if value is not None)


def example(features: dict) -> bytes:
    """An Example of Features; a feature that is None is left out."""
    entries = _entries(features)
    return field(1, entries) if entries else b""


def sequence_example(context: dict, lists: dict) -> bytes:
    """A SequenceExample; `lists` has lists of Features, or None."""
    return example(context) + field(2, _entries({
        key: None if steps is None else b"".join(
            field(1, step) for step in steps)
        for key, steps in lists.items()}))


def elwc(examples: list, context: dict | None) -> bytes:
    """An ExampleListWithContext; without a context where that is None."""
    lists = b"".join(field(1, example(features)) for features in examples)
    return lists if context is None else lists + field(2, example(context))


# TFRecord.


@functools.cache
def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


@functools.lru_cache(4096)
def masked_crc(data: bytes) -> int:
    """CRC32C, masked as TFRecord has it."""
    table, crc = _crc_table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frame(payload: bytes) -> bytes:
    """One record of a TFRecord file."""
    header = struct.pack("<Q", len(payload))
    return b"".join((header, struct.pack("<I", masked_crc(header)), payload,
                     struct.pack("<I", masked_crc(payload))))


def framed(payloads) -> bytes:
    """A whole TFRecord file."""
    return b"".join(map(frame, payloads))


def unframe(data: bytes) -> list[bytes]:
    """The payloads of an intact TFRecord file."""
    payloads = []
    while data:
        (length,) = struct.unpack_from("<Q", data)
        payloads.append(data[12:12 + length])
        assert frame(payloads[-1]) == data[:16 + length]
        data = data[16 + length:]
    return payloads
