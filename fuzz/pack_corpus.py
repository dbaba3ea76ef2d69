#!/usr/bin/env python3
"""Packs the files of a folder into a TFRecord file, one record each, in gzip.

    pack_corpus.py FOLDER FILE.tfrecord.gz

The records are sorted by size, then by content, so that the same inputs make
the same bytes.
"""

import gzip
import struct
import sys
from pathlib import Path


def table():
    entries = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        entries.append(crc)
    return entries


TABLE = table()


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(payload):
    length = struct.pack("<Q", len(payload))
    return b"".join((length, struct.pack("<I", masked_crc32c(length)), payload,
                     struct.pack("<I", masked_crc32c(payload))))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    folder, packed = map(Path, sys.argv[1:])
    inputs = {path.read_bytes() for path in folder.iterdir() if path.is_file()}
    records = b"".join(map(framed, sorted(inputs, key=lambda i: (len(i), i))))
    packed.write_bytes(gzip.compress(records, mtime=0))
    print(f"{len(inputs)} inputs, {packed.stat().st_size} bytes")


if __name__ == "__main__":
    main()
