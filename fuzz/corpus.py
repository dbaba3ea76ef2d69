#!/usr/bin/env python3
"""Corpora as one file each: TFRecord in gzip, an input a record.

    corpus.py pack FOLDER FILE.tfrecord.gz
    corpus.py unpack FILE.tfrecord.gz FOLDER

Packed inputs are sorted by size, then by content, so that the same inputs make
the same bytes. Unpacked ones are named after their content, as libFuzzer does.
"""

import gzip
import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/bytes"))

import wire_bytes  # noqa: E402


def pack(folder, packed):
    inputs = {path.read_bytes() for path in folder.iterdir() if path.is_file()}
    records = wire_bytes.framed(sorted(inputs, key=lambda i: (len(i), i)))
    packed.write_bytes(gzip.compress(records, mtime=0))
    print(f"{len(inputs)} inputs, {packed.stat().st_size} bytes")


def unpack(packed, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for payload in wire_bytes.unframe(gzip.decompress(packed.read_bytes())):
        (folder / hashlib.sha1(payload).hexdigest()).write_bytes(payload)


def main():
    verbs = {"pack": pack, "unpack": unpack}
    if len(sys.argv) != 4 or sys.argv[1] not in verbs:
        sys.exit(__doc__.strip())
    verbs[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))


if __name__ == "__main__":
    main()
