"""What a dataset of remote compressed files, with indexes in a folder, asks for."""

import gzip
import random
import struct

import headrace as hr
import numpy as np
import pytest
from remote_files import CountedFs, no_thread_left  # noqa: F401
from wire_bytes import framed

RECORDS, PAYLOAD, BLOCK, CHECKPOINT = 4096, 1000, 256, 1 << 18
RECORD = PAYLOAD + 16
# The first and the last bytes of a file tell whether an index is of it. They are
# looked at when the dataset is opened, and before the file is first read.
LOOKS, LOOKED_AT = 4, 64 << 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file that gzip made and one of blocks, and their indexes."""
    folder = tmp_path_factory.mktemp("remote")
    rng = random.Random(1)
    payloads = [i.to_bytes(8, "little") + rng.randbytes(PAYLOAD - 8)
                for i in range(RECORDS)]
    (folder / "foreign.gz").write_bytes(gzip.compress(framed(payloads)))
    with hr.Writer(folder / "blocked.gz", block_bytes=CHECKPOINT) as writer:
        for payload in payloads:
            writer.write(payload)
    hr.index(folder / "*.gz", checkpoint_bytes=CHECKPOINT)
    return folder


@pytest.fixture(params=["foreign.gz", "blocked.gz"])
def name(request):
    return request.param


@pytest.fixture
def stored(folder, name):
    return CountedFs({name: (folder / name).read_bytes()})


def points_of(path):
    """(bit of the file, byte of the stream) of each point, by docs/formats/index.md,
    and then their ends."""
    index = path.read_bytes()
    assert index[:6] == b"HRI1\2\0"
    stored_size, = struct.unpack_from("<Q", index, 8)
    records, stream, directory = struct.unpack_from("<QQQ", index, 40)
    at = directory + 32 * -(-records // 64)
    count, compression = struct.unpack_from("<QQ", index, at)
    assert compression == 1
    points = [struct.unpack_from("<QQ", index, at + 24 + 48 * i) for i in range(count)]
    assert points[0] == (0, 0)
    return [*points, (8 * stored_size, stream)]


def stretch(points, begin, end):
    """The stored bytes of which bytes [begin, end) of the stream are inflated."""
    first = max(i for i, (_, plain) in enumerate(points[:-1]) if plain <= begin)
    last = max(i for i, (_, plain) in enumerate(points[:-1]) if plain < end)
    return points[first][0] // 8, -(-points[last + 1][0] // 8)


def open_stored(stored, name, index, **options):
    return hr.Dataset([name], filesystem=stored, index=index, message="raw", **options)


def numbers_of(batches):
    return [int.from_bytes(payload[:8], "little")
            for batch in batches for payload in batch.payloads()]


def test_a_row_asks_for_its_stretch_once(stored, name, folder):
    points = points_of(folder / f"{name}.hri")
    assert len(points) > 10
    ds = open_stored(stored, name, folder, threads=1)
    assert len(stored.requests) == LOOKS // 2
    for row in (2000, 100, RECORDS - 1, 3000, 0):
        stored.requests.clear()
        assert ds[row]["payload"][:8] == row.to_bytes(8, "little")
        asked = stored.requests[-1]
        assert asked[1:] == stretch(points, row * RECORD, (row + 1) * RECORD)
        assert len(stored.requests) == (1 if row != 2000 else 1 + LOOKS // 2)
    # The row behind it is in the same stretch, which is there.
    stored.requests.clear()
    assert ds[1]["payload"][:8] == (1).to_bytes(8, "little")
    assert stored.requests == []


def test_an_epoch_of_blocks(stored, name, folder):
    ds = open_stored(stored, name, folder)
    shuffle = hr.Shuffle(5, block=BLOCK, window=4)
    found = numbers_of(ds.batches(256, shuffle=shuffle))
    positions = np.arange(RECORDS, dtype=np.uint64)
    expected = hr.order(RECORDS, 5, 0, positions, block=BLOCK, window=4)
    assert found == expected.tolist()
    # One request a block of rows, for the stretch that has it.
    assert len(stored.requests) <= RECORDS // BLOCK + LOOKS
    points = points_of(folder / f"{name}.hri")
    stretches = [stretch(points, i * RECORD, (i + BLOCK) * RECORD)
                 for i in range(0, RECORDS, BLOCK)]
    most = sum(end - begin for begin, end in stretches)
    assert stored.bytes <= most + LOOKS * LOOKED_AT
    assert stored.asked and set(stored.asked) == {name}


def test_ranges_of_readers(stored, name, folder):
    options = {"filesystem": stored, "index": folder, "message": "raw"}
    parts = hr.split([name], 5, index=folder, filesystem=stored)
    assert [end for _, _, end in parts][-1] == RECORDS * RECORD
    assert len(parts) == 5
    found = [numbers_of(hr.open([part], byte_range=(begin, end), **options))
             for part, begin, end in parts]
    assert sum(found, []) == list(range(RECORDS)) and all(found)
    # Without indexes a remote file is not looked into.
    assert hr.split([name], 5, filesystem=stored) == [(name, 0, None)]


def test_an_index_is_made_of_a_remote_file(stored, name, folder, tmp_path):
    hr.index([name], filesystem=stored, directory=tmp_path,
             checkpoint_bytes=CHECKPOINT)
    made, local = (points_of(at / f"{name}.hri") for at in (tmp_path, folder))
    # Where deflate can begin again is met in other places as bytes arrive.
    assert made == local or (name == "foreign.gz" and abs(len(made) - len(local)) < 2)
    # No request for each member.
    assert len(stored.requests) <= LOOKS
    ds = open_stored(stored, name, tmp_path)
    assert numbers_of([ds[[17, 3]]]) == [17, 3]


def test_an_index_of_another_file(stored, name, folder):
    data = bytearray(stored.files[name])
    data[100] ^= 1
    stored.files[name] = bytes(data)
    with pytest.raises(hr.BadIndexError):
        open_stored(stored, name, folder)
