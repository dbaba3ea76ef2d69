#!/usr/bin/env python3
"""Corpora as one file each: TFRecord in gzip, an input a record.

    corpus.py pack FOLDER FILE.tfrecord.gz
    corpus.py unpack FILE.tfrecord.gz FOLDER

Packed inputs are sorted by size, then by content, so that the same inputs make
the same bytes. Unpacked ones are named after their content, as libFuzzer does.
"""

import gzip
import hashlib
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


def pack(folder, packed):
    inputs = {path.read_bytes() for path in folder.iterdir() if path.is_file()}
    records = b"".join(map(framed, sorted(inputs, key=lambda i: (len(i), i))))
    packed.write_bytes(gzip.compress(records, mtime=0))
    print(f"{len(inputs)} inputs, {packed.stat().st_size} bytes")


def unpack(packed, folder):
    folder.mkdir(parents=True, exist_ok=True)
    rest = gzip.decompress(packed.read_bytes())
    while rest:
        (size,) = struct.unpack_from("<Q", rest)
        payload = rest[12:12 + size]
        (folder / hashlib.sha1(payload).hexdigest()).write_bytes(payload)
        rest = rest[16 + size:]


def main():
    verbs = {"pack": pack, "unpack": unpack}
    if len(sys.argv) != 4 or sys.argv[1] not in verbs:
        sys.exit(__doc__.strip())
    verbs[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))


if __name__ == "__main__":
    main()
