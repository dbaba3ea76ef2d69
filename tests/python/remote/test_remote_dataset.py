"""What a dataset of remote files asks the server for."""

import pickle
import random

import headrace as hr
import numpy as np
import pytest
from headrace.remote import ranges
from remote_files import CountedFs, FakeFs, no_thread_left, read_all, small_ranges

FILES, RECORDS, PAYLOAD = 3, 4096, 1000
RECORD = PAYLOAD + 16
ROWS = FILES * RECORDS
# The first and the last bytes of a file tell whether an index is of it. They are
# looked at when the dataset is opened, and before the file is first read.
LOOKS, LOOKED_AT = 4, 64 << 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files, whose row i begins with i, and their indexes."""
    folder = tmp_path_factory.mktemp("remote")
    row = 0
    for number in range(FILES):
        with hr.Writer(folder / f"{number}.tfrecord") as writer:
            for _ in range(RECORDS):
                writer.write(row.to_bytes(8, "little") * (PAYLOAD // 8))
                row += 1
    hr.index(folder)
    return folder


@pytest.fixture
def stored(folder):
    return CountedFs({f.name: f.read_bytes() for f in folder.glob("*.tfrecord")})


def open_stored(stored, index):
    names = [f"{number}.tfrecord" for number in range(FILES)]
    return hr.Dataset(names, filesystem=stored, index=index, message="raw")


def numbers_of(batches):
    return [
        int.from_bytes(payload[:8], "little")
        for batch in batches
        for payload in batch.payloads()
    ]


@pytest.mark.parametrize("block", [64, 500, 2048])
def test_an_epoch_of_blocks(stored, folder, block):
    ds = open_stored(stored, folder)
    shuffle = hr.Shuffle(5, block=block, window=8)
    found = numbers_of(ds.batches(256, shuffle=shuffle))
    positions = np.arange(ROWS, dtype=np.uint64)
    assert found == hr.order(ROWS, 5, 0, positions, block=block, window=8).tolist()
    # A block of two files takes two requests.
    blocks = -(-ROWS // block) + FILES - 1
    assert len(stored.requests) <= 1.1 * blocks + LOOKS * FILES
    assert stored.bytes <= 1.02 * ROWS * RECORD + LOOKS * FILES * LOOKED_AT
    assert sorted(stored.asked) == sorted(stored.files)


def test_the_looks_are_few_beside_the_blocks(stored, folder):
    for _ in open_stored(stored, folder).batches(100, shuffle=hr.Shuffle(1, block=64)):
        pass
    assert len(stored.requests) <= 1.1 * ROWS / 64
    assert stored.bytes <= 1.1 * ROWS * RECORD


def test_later_epochs_ask_for_blocks_alone(stored, folder):
    batches = open_stored(stored, folder).batches(
        256, shuffle=hr.Shuffle(1, block=64, window=4), epochs=2, end="uneven")
    for _ in range(batches.steps_of_epoch):
        next(batches)
    first, stored.requests = stored.requests, []
    assert sum(1 for _ in batches) == batches.steps_of_epoch
    # Four blocks and what they are joined with are still in memory.
    assert ROWS // 64 - 8 <= len(stored.requests) <= ROWS // 64 < len(first)
    assert {end - begin for _, begin, end in stored.requests} == {64 * RECORD}


def test_a_row_asks_for_its_own_bytes(stored, folder):
    ds = open_stored(stored, folder)
    rows = random.Random(2).sample(range(ROWS), 50)
    for row in rows:
        assert ds[row]["payload"][:8] == row.to_bytes(8, "little")
        name, begin, end = stored.requests[-1]
        assert (name, begin) == (f"{row // RECORDS}.tfrecord", row % RECORDS * RECORD)
        assert end - begin == RECORD
    assert len(stored.requests) == len(rows) + LOOKS * FILES
    assert len(stored.asked) == FILES


def test_rows_in_order_are_read_ahead(stored, folder):
    ds = open_stored(stored, folder)
    assert [int.from_bytes(row["payload"][:8], "little") for row in ds] == list(
        range(ROWS))
    assert len(stored.requests) <= (LOOKS + ranges._IN_LINE + 2) * FILES
    assert stored.bytes <= 1.02 * ROWS * RECORD + LOOKS * FILES * LOOKED_AT


def test_without_an_index_headers_are_read_ahead(stored):
    ds = open_stored(stored, None)
    assert len(ds) == ROWS
    # A request is as long as a walk of the headers of a local file reads at once,
    # and then longer.
    assert len(stored.requests) <= 20 * FILES
    assert stored.bytes <= 1.1 * ROWS * RECORD
    assert len(stored.asked) == FILES


def test_a_loaded_dataset_asks_for_sizes_once_more(stored, folder):
    ds = open_stored(stored, folder)
    ds.payloads([0])
    assert len(stored.asked) == FILES
    copy = pickle.loads(pickle.dumps(ds))
    again = copy._opener._inputs["0.tfrecord"].filesystem
    assert copy.payloads([0, ROWS - 1]) == ds.payloads([0, ROWS - 1])
    assert sorted(again.asked) == sorted(again.files)


def test_a_file_that_was_replaced_by_another(stored, folder):
    ds = open_stored(stored, folder)
    stored.files["1.tfrecord"] = b"x" * len(stored.files["1.tfrecord"])
    assert ds.payloads([0])
    with pytest.raises(hr.BadIndexError) as caught:
        ds.payloads([RECORDS])
    assert caught.value.file == "1.tfrecord"
    stored.files["2.tfrecord"] = stored.files["2.tfrecord"][:100_000]
    with pytest.raises(hr.IoError) as caught:
        ds.payloads([2 * RECORDS])
    assert caught.value.file == "2.tfrecord"


# --------------------------------------------------------------- The reader's ranges


def any_order(fs):
    reader = ranges.open_remote(fs, "x", "x", ranges.facts_of(fs, "x", "x"))
    reader.expect_any_order(walks=True)
    return reader


def read_at(reader, position, size):
    reader.seek(position)
    buffer = bytearray(size)
    count = 0
    while count < size and (got := reader.readinto(memoryview(buffer)[count:])):
        count += got
    return bytes(buffer[:count])


@pytest.mark.parametrize("seed", range(6))
def test_random_and_ordered_reads(small_ranges, seed):
    rng = random.Random(seed)
    fs = FakeFs(delay=0.0002)
    reader = any_order(fs)
    position = 0
    for _ in range(400):
        step = rng.choice([rng.randrange(-100_000, 100_000), 0, 0, 0, 0, 0,
                           rng.randrange(250)])
        position = min(max(position + step, 0), len(fs.data))
        size = rng.choice([1, 10, 500, 3000, 20_000])
        got = read_at(reader, position, size)
        assert got == fs.data[position:position + size]
        position += len(got)
    reader.close()


def test_each_read_is_a_request(small_ranges, monkeypatch):
    monkeypatch.setattr(ranges, "_HEAD_RANGE", 100)
    fs = FakeFs()
    reader = any_order(fs)
    reader.readinto(bytearray(12))  # the first bytes are larger than that
    for position, size in [(12, 88), (50_000, 4000), (70_000, 10), (52_000, 10),
                           (0, 12), (99_990, 10)]:
        read_at(reader, position, size)
    # What was fetched last is not asked for again.
    read_at(reader, 99_992, 5)
    reader.close()
    assert fs.requests == [(0, 100), (50_000, 54_000), (70_000, 70_010),
                           (52_000, 52_010), (0, 12), (99_990, 100_000)]


def test_a_read_is_at_most_the_longest_range(small_ranges):
    fs = FakeFs()
    reader = any_order(fs)
    assert read_at(reader, 40_000, 12_000) == fs.data[40_000:52_000]
    reader.close()
    assert fs.requests == [(40_000, 45_000), (45_000, 50_000), (50_000, 52_000)]


def test_reads_in_order_become_ranges(small_ranges):
    fs = FakeFs()
    reader = any_order(fs)
    position = 10_000
    for number in range(30):
        # A reader of headers steps over payloads.
        assert read_at(reader, position, 50) == fs.data[position:position + 50]
        position += 50 + (number % 2) * 100
    reader.close()
    lengths = [end - begin for begin, end in fs.requests]
    few = ranges._IN_LINE
    assert lengths[:few] == [50] * few
    assert len(lengths) < 15 and min(lengths[few:]) >= ranges._SEEK_RANGE
    # A jump ends it.
    reader = any_order(fs)
    for position in (*range(30_000, 33_000, 100), 80_000, 20_000):
        read_at(reader, position, 100)
    reader.close()
    assert fs.requests[-2:] == [(80_000, 80_100), (20_000, 20_100)]


def test_a_reader_that_never_seeks_reads_ahead_soon(small_ranges, monkeypatch):
    monkeypatch.setattr(ranges, "_HEAD_RANGE", 100)
    fs = FakeFs()
    reader = any_order(fs)
    assert read_all(reader) == fs.data
    reader.close()
    assert fs.requests[:3] == [(0, 777), (777, 1554), (1554, 3108)]
    assert len(fs.requests) < 30
