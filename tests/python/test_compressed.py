"""Compressed files that can be read at any place: indexes, parts, shards, adapters."""

import gzip
import os
import pickle
import random
import zlib

import headrace as hr
import pytest
from headrace.reading.scan import Scan
from wire_bytes import framed, ints

from records import example

ROWS = 1500
RNG = random.Random(3)
RECORDS = [example({"id": ints(i), "x": ints(*RNG.choices(range(2**40), k=30))})
           for i in range(ROWS)]
STREAM = framed(RECORDS)


def ids_of(batches):
    return [i for batch in batches for i in batch["id"].values.numpy().tolist()]


@pytest.fixture(params=["gzip", "zlib"])
def foreign(request, tmp_path):
    """A file that does not say where it can be inflated from."""
    path = tmp_path / "a.tfrecord.gz"
    compress = gzip.compress if request.param == "gzip" else zlib.compress
    path.write_bytes(compress(STREAM))
    return path


@pytest.fixture(params=["gz", "zst"])
def blocked(request, tmp_path):
    path = tmp_path / f"b.tfrecord.{request.param}"
    with hr.Writer(path, block_bytes=8192) as writer:
        for record in RECORDS:
            writer.write(record)
    return path


def read_parts(parts, **options):
    return sum((ids_of(hr.open(path, byte_range=(begin, end), **options))
                for path, begin, end in parts), [])


def test_split_cuts_what_can_be_read_at_any_place(foreign, blocked, tmp_path):
    plain = tmp_path / "c.tfrecord"
    plain.write_bytes(STREAM)
    assert hr.split(foreign, 4) == [(str(foreign), 0, None)]
    for path in (blocked, plain):
        parts = hr.split(path, 4)
        assert [name for name, _, _ in parts] == [str(path)] * 4
        bounds = [begin for _, begin, _ in parts] + [parts[-1][2]]
        assert bounds == [len(STREAM) * k // 4 for k in range(5)]
        assert read_parts(parts) == list(range(ROWS))
    hr.index(foreign, checkpoint_bytes=1 << 16)
    parts = hr.split(foreign, 4)
    assert len(parts) == 4 and parts[-1][2] == len(STREAM)
    for threads in (1, 3):
        assert read_parts(parts, threads=threads) == list(range(ROWS))
    # Whoever lacks the index reads the same.
    assert hr.split(foreign, 4, index=None) == [(str(foreign), 0, None)]
    assert read_parts(parts, index=None) == list(range(ROWS))
    several = hr.split([foreign, plain], 6)
    assert len(several) == 6
    assert read_parts(several) == [*range(ROWS)] * 2


def test_split_says_what_is_wrong(foreign):
    with pytest.raises(hr.NotFoundError, match="has no index"):
        hr.split(foreign, 4, index="required")
    with pytest.raises(hr.NotFoundError, match="missing"):
        hr.split(f"{foreign}-missing", 4)
    with pytest.raises(hr.InvalidArgumentError, match='"count" is 0; it takes a whole number from 1'):
        hr.split(foreign, 0)
    with pytest.raises(hr.InvalidArgumentError, match="\"compression\" is"):
        hr.split(foreign, 1, compression="lz4")
    with pytest.raises(TypeError):
        hr.split(foreign, "4")


def test_which_index_is_used(foreign, tmp_path):
    for threads in (1, 3):
        with pytest.raises(hr.NotFoundError, match="has no index"):
            hr.open(foreign, index="required", threads=threads)
    folder = tmp_path / "indexes"
    folder.mkdir()
    hr.index(foreign, directory=folder)
    with pytest.raises(hr.NotFoundError, match="has no index"):
        hr.open(foreign, index="required")
    assert len(hr.split(foreign, 4, index=folder)) == 4
    for index in ("auto", None, "none", folder, str(folder)):
        assert ids_of(hr.open(foreign, index=index, threads=2)) == list(range(ROWS))
    hr.index(foreign)
    assert ids_of(hr.open(foreign, index="required")) == list(range(ROWS))
    foreign.write_bytes(gzip.compress(framed(RECORDS[1:])))
    for index in ("auto", None, folder):
        assert ids_of(hr.open(foreign, index=index, threads=2)) == list(range(1, ROWS))
    with pytest.raises(hr.BadIndexError, match="another file"):
        hr.open(foreign, index="required")
    with pytest.raises(hr.InvalidArgumentError, match="a folder"):
        hr.open(foreign, index="perhaps")
    with pytest.raises(TypeError, match="index"):
        hr.open(foreign, index=3)
    with pytest.raises(TypeError, match="write_index"):
        hr.open(foreign, write_index="yes")


def test_an_index_divides_a_file_only_if_all_shards_need_it(foreign):
    hr.index(foreign, checkpoint_bytes=1 << 16)

    def shards(**options):
        return [ids_of(hr.open(foreign, shard=(i, 3), **options)) for i in range(3)]

    ranges = shards(index="required")
    assert sum(ranges, []) == list(range(ROWS))
    runs = shards()
    assert sorted(sum(runs, [])) == list(range(ROWS))
    assert runs[0][:17] == [*range(16), 48]
    # Not what an index says, if only some find it, but the file decides.
    assert shards(index=None) == runs


def test_shards_of_blocked_files_are_ranges(blocked):
    shards = [ids_of(hr.open(blocked, shard=(i, 3))) for i in range(3)]
    assert sum(shards, []) == list(range(ROWS))


@pytest.mark.parametrize("index", ["auto", "required", None])
def test_going_on_in_the_middle(foreign, index):
    hr.index(foreign, checkpoint_bytes=1 << 16)
    reader = hr.open(foreign, index=index, batch_size=100)
    first = ids_of(next(reader) for _ in range(7))
    again = hr.open(foreign, index=index, batch_size=100)
    again.load_state_dict(reader.state_dict())
    assert first + ids_of(again) == list(range(ROWS))


def test_a_scan_takes_the_index_along(foreign, tmp_path, monkeypatch):
    (tmp_path / "indexes").mkdir()
    hr.index(foreign, directory=tmp_path / "indexes", checkpoint_bytes=1 << 16)
    monkeypatch.chdir(tmp_path)
    scan = Scan(str(foreign), index="indexes")
    monkeypatch.chdir("/")
    scan = pickle.loads(pickle.dumps(scan))
    ranges = scan.cut(scan.files[0], 3)
    assert len(ranges) == 3
    found = [ids_of(scan.open(byte_range=part)) for part in ranges]
    assert sum(found, []) == list(range(ROWS)) and all(found)
    assert len(Scan(str(foreign), index=None).cut(scan.files[0], 3)) == 1
    os.remove(tmp_path / "indexes" / "a.tfrecord.gz.hri")
    with pytest.raises(hr.NotFoundError, match="has no index"):
        Scan(str(foreign), index="required")
    with pytest.raises(hr.InvalidArgumentError, match="a folder"):
        Scan(str(foreign), index="/nowhere")


def test_polars_takes_the_index(foreign):
    pytest.importorskip("polars", reason="scans into its frames")
    with pytest.raises(hr.NotFoundError, match="has no index"):
        hr.polars.scan_tfrecord(foreign, index="required")
    hr.index(foreign)
    frame = hr.polars.scan_tfrecord(foreign, index="required").collect()
    assert frame["id"].explode().to_list() == list(range(ROWS))


@pytest.mark.parametrize("block", [1, 64])
def test_shuffling(foreign, blocked, block):
    for path in (foreign, blocked):
        shuffle = hr.Shuffle(5, block=block, window=4)
        reader = hr.open(path, shuffle=shuffle, epochs=2)
        assert reader.buffered == (block == 1)
        found = ids_of(reader)
        assert found[:ROWS] != found[ROWS:] != list(range(ROWS))
        assert sorted(found) == sorted([*range(ROWS)] * 2)
        # As rows of a plain file have them.
        if block > 1:
            plain = path.with_suffix(".plain")
            plain.write_bytes(STREAM)
            assert ids_of(hr.open(plain, shuffle=shuffle, epochs=2)) == found


def test_shuffling_with_a_given_compression(foreign, tmp_path):
    plain = tmp_path / "plain"
    plain.write_bytes(STREAM)
    shuffle = hr.Shuffle(5, block=64)
    assert not hr.open(plain, shuffle=shuffle, compression="none").buffered
    with pytest.raises(hr.InvalidArgumentError, match="give Shuffle a buffer"):
        hr.open(foreign, shuffle=shuffle, compression="none")


def test_an_index_is_written_while_rows_are_shuffled_in_a_buffer(foreign):
    beside = foreign.with_name(foreign.name + ".hri")
    reader = hr.open(foreign, shuffle=hr.Shuffle(5), write_index=True)
    assert sorted(ids_of(reader)) == list(range(ROWS))
    written = beside.read_bytes()
    hr.index(foreign)
    assert beside.read_bytes() == written


def test_rows_by_number(foreign, blocked):
    rows = [ROWS - 1, 0, 17, 17, *range(700, 800)]
    for path in (foreign, blocked):
        for options in ({}, {"threads": 3}, {"index": None}):
            ds = hr.Dataset(path, **options)
            assert len(ds) == ROWS
            assert ids_of([ds[rows]]) == rows
    ds = pickle.loads(pickle.dumps(hr.Dataset([foreign, blocked])))
    assert ids_of([ds[[ROWS - 1, ROWS]]]) == [ROWS - 1, 0]
