"""Blocks of gzip and zstd files: what headers say, and what others read."""

import gzip
import os
import shutil
import struct
import subprocess

import headrace as hr
import pytest
import records


def written(path, payloads, **options):
    with hr.Writer(path, **options) as writer:
        for payload in payloads:
            writer.write(payload)
        assert writer.num_records == len(payloads)
    return path


def payloads_of(count):
    return [records.person(row) for row in records.people(count)]


def members(data):
    """(records, content) of each gzip member, where its header says it ends."""
    found = []
    while data:
        assert data[:16] == b"\x1f\x8b\x08\x04" + bytes(5) + b"\xff\x10\0HR\x0c\0"
        stored, size, count = struct.unpack("<3I", data[16:28])
        content = gzip.decompress(data[:stored])
        assert len(content) == size
        found.append((count, content))
        data = data[stored:]
    return found


@pytest.mark.parametrize("level", [None, 1, 4, 9])
def test_blocks_of_gzip(tmp_path, level):
    payloads = payloads_of(2000)
    options = {"block_bytes": 4096, "level": level}
    data = written(tmp_path / "x.gz", payloads, **options).read_bytes()
    found = members(data)
    assert len(found) > 10
    for count, content in found:
        assert content == records.framed(payloads[:count])
        del payloads[:count]
    assert payloads == []
    for threads in (3, None):
        path = written(tmp_path / "y.gz", payloads_of(2000), threads=threads, **options)
        assert path.read_bytes() == data


@pytest.mark.parametrize("program, name", [
    (["gzip", "-dc"], "x.gz"), (["zcat"], "x.gz"), (["zstd", "-dcq"], "x.zst")])
def test_other_programs_read_blocks(tmp_path, program, name):
    if shutil.which(program[0]) is None:
        pytest.skip(f"reads with {program[0]}")
    for payloads in ([], payloads_of(1500)):
        path = written(tmp_path / name, payloads, block_bytes=5000, threads=2)
        subprocess.run([program[0].replace("zcat", "gzip"), "-tq", path], check=True)
        read = subprocess.run([*program, path], check=True, stdout=subprocess.PIPE)
        assert read.stdout == records.framed(payloads)


@pytest.mark.parametrize("name, options, words", [
    ("x.gz", {"level": 0}, "gzip has levels 1 to 9, not 0"),
    ("x.zz", {"level": 10}, "zlib has levels 1 to 9, not 10"),
    ("x.zst", {"level": 23}, "zstd has levels 1 to 22, not 23"),
    ("x.sz", {"level": 1}, "compression is snappy"),
    ("x", {"level": 1}, "compression is none"),
    ("x.gz", {"block_bytes": 4095}, "4 KiB to 1 GiB, not 4095"),
    ("x.gz", {"block_bytes": (1 << 30) + 1}, "4 KiB to 1 GiB"),
    ("x.gz", {"block_bytes": 0}, "block_bytes"), ("x.gz", {"threads": 0}, "threads"),
])
def test_blocks_and_levels_that_cannot_be(tmp_path, name, options, words):
    with pytest.raises(hr.InvalidArgumentError, match=words):
        hr.Writer(tmp_path / name, **options)
    for wrong in ("6", 6.5):
        with pytest.raises(TypeError, match=next(iter(options))):
            hr.Writer(tmp_path / name, **dict.fromkeys(options, wrong))
    assert os.listdir(tmp_path) == []
