"""Ranges of records where paths are taken: all that reads gives these rows alone."""

import multiprocessing
import pickle
import random

import headrace as hr
import pytest
from headrace.file_ranges import FileRanges
from headrace.reading.scan import Scan

COUNTS = [30, 0, 50, 20]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Four files; file f has the numbers 1000 f and on."""
    folder = tmp_path_factory.mktemp("ranges")
    names = []
    for f, count in enumerate(COUNTS):
        name = folder / f"f{f}-of-4"
        with hr.Writer(name) as writer:
            for i in range(count):
                writer.write({"id": 1000 * f + i})
        names.append(str(name))
    return names


def some(names, rng, counted=True):
    """Random ranges, and the rows that they have."""
    files, ranges, rows = [], [], []
    for _ in range(rng.randrange(1, 6)):
        f = rng.randrange(len(names))
        count = COUNTS[f]
        begin = rng.randint(0, count)
        end = rng.choice([None, rng.randint(begin, count)])
        files.append(names[f])
        ranges.append((begin, end, count if counted else rng.choice([None, count])))
        rows += range(1000 * f + begin, 1000 * f + (count if end is None else end))
    return FileRanges(tuple(files), tuple(ranges)), rows


def ids(batches):
    return [row["id"] for batch in batches for row in batch.to_pylist()]


SPEC = {"id": hr.FixedLenFeature([], "int64")}


def test_readers_give_the_rows(names):
    rng = random.Random(1)
    for _ in range(40):
        ranges, rows = some(names, rng, counted=False)
        assert ids(hr.open(ranges, spec=SPEC, batch_size=7)) == rows
        found = [
            i for shard in range(3)
            for i in ids(hr.open(ranges, spec=SPEC, shard=(shard, 3)))
        ]
        assert sorted(found) == sorted(rows)
        reader = hr.open(ranges, spec=SPEC, epochs=2, drop_remainder=True, batch_size=5)
        whole = rows[:len(rows) // 5 * 5]
        assert ids(reader) == 2 * whole


def test_readers_find_columns_and_resume(names):
    ranges, rows = some(names, random.Random(4))
    assert rows
    assert ids(hr.open(ranges)) == [[i] for i in rows]
    for steps in range(len(rows) // 10):
        reader = hr.open(ranges, spec=SPEC, batch_size=10)
        first = [i for _ in range(steps) for i in ids([next(reader)])]
        state = reader.state_dict()
        again = hr.open(ranges, spec=SPEC, batch_size=10)
        again.load_state_dict(state)
        assert first + ids(again) == rows


def test_datasets_have_the_rows(names):
    rng = random.Random(2)
    for _ in range(30):
        ranges, rows = some(names, rng)
        ds = hr.Dataset(ranges, spec=SPEC)
        assert len(ds) == len(rows)
        assert [row["id"] for row in ds] == rows
        copy = pickle.loads(pickle.dumps(ds))
        assert copy.fingerprint == ds.fingerprint
        assert [row["id"] for row in copy] == rows
        if not rows:
            continue
        shuffled = ids(ds.batches(4, shuffle=True, end="uneven"))
        assert sorted(shuffled) == sorted(rows)
        batches = ds.batches(4, shuffle=True, end="uneven")
        next(batches)
        rest = copy.batches(4, shuffle=True, end="uneven", state=batches.state_dict())
        assert ids(rest) == shuffled[4:]
        origin = ds.origin(len(rows) - 1)
        assert names.index(origin.file) * 1000 + origin.record == rows[-1]


def test_shuffled_readers_give_the_rows(names):
    rng = random.Random(3)
    for _ in range(10):
        ranges, rows = some(names, rng)
        for shuffle in (hr.Shuffle(1), hr.Shuffle(1, buffer=1000)):
            reader = hr.open(ranges, spec=SPEC, shuffle=shuffle)
            assert sorted(ids(reader)) == sorted(rows)


def test_statistics_count_the_rows(names):
    rng = random.Random(5)
    for _ in range(10):
        ranges, rows = some(names, rng)
        for source in (ranges, hr.Dataset(ranges, spec=SPEC)):
            stats = hr.stats(source, threads=rng.randint(1, 3))
            assert stats.num_records == len(rows)
            if rows:
                assert stats.features["id"].int64.max == max(rows)
        parts = [hr.stats(part) for part in hr.split(ranges, 3)]
        assert sum(part.num_records for part in parts) == len(rows)


@pytest.mark.parametrize("counted", [True, False])
def test_parts_together_have_the_rows(names, counted):
    rng = random.Random(6)
    for _ in range(40):
        ranges, rows = some(names, rng, counted)
        parts = hr.split(ranges, rng.randint(1, 9))
        found = [ids(hr.open(part, spec=SPEC)) for part in parts]
        assert sum(found, []) == rows
        if counted:
            sizes = [len(part) for part in found]
            assert max(sizes) - min(sizes) <= 1
        assert ids(Scan(ranges, spec=SPEC).open(threads=1)) == rows


def test_remote_files(names):
    fsspec = pytest.importorskip("fsspec", reason="reads from fsspec's memory://")
    fs = fsspec.filesystem("memory")
    for name in names:
        with open(name, "rb") as file:
            fs.pipe("/ranges" + name, file.read())
    ranges, rows = some(names, random.Random(7))
    remote = ranges.renamed(lambda name: "memory://ranges" + name)
    assert ids(hr.open(remote, spec=SPEC)) == rows
    assert [row["id"] for row in hr.Dataset(remote, spec=SPEC)] == rows
    inside = ranges.renamed(lambda name: "/ranges" + name)
    assert ids(hr.open(inside, spec=SPEC, filesystem=fs)) == rows


def test_names_are_no_patterns(tmp_path):
    name = tmp_path / "a[1]*@2"
    with hr.Writer(name) as writer:
        writer.write({"id": 3})
    ranges = FileRanges((str(name),), ((0, None, 1),))
    assert ids(hr.open(ranges, spec=SPEC)) == [3]
    assert len(hr.Dataset(ranges, spec=SPEC)) == 1


def test_other_numbers_of_records(names):
    ranges = FileRanges((names[0], names[2]), ((0, None, 30), (0, None, 51)))
    with pytest.raises(hr.WrongRecordCountError) as caught:
        ids(hr.open(ranges, spec=SPEC))
    error = caught.value
    assert (error.file, error.expected, error.found) == (names[2], "51", "50")
    assert "the file has 50 records instead of 51: it was truncated" in str(error)
    ds = hr.Dataset(ranges, spec=SPEC)
    assert len(ds) == 81
    assert ds[29]["id"] == 29
    with pytest.raises(hr.WrongRecordCountError):
        ds[30]
    assert ds[0]["id"] == 0


def test_what_does_not_go_together(names):
    ranges = FileRanges((names[0],), ((0, None, 30),))
    with pytest.raises(hr.InvalidArgumentError, match="not both"):
        hr.open(ranges, spec=SPEC, byte_range=(0, 100))
    with pytest.raises(hr.InvalidArgumentError, match="goes to record 31"):
        hr.open(FileRanges((names[0],), ((0, 31, 30),)), spec=SPEC)
    with pytest.raises(hr.NotFoundError):
        hr.Dataset(FileRanges(("/no/such",), ((0, None, 30),)), spec=SPEC)


def test_a_thousand_files_are_not_opened(tmp_path):
    files = []
    for i in range(1000):
        name = tmp_path / f"{i:04}"
        name.write_bytes(b"")  # no record is there
        files.append(str(name))
    ranges = FileRanges(tuple(files), ((0, None, 10),) * 1000)
    ds = hr.Dataset(ranges, spec=SPEC)
    assert len(ds) == 10_000
    assert len(pickle.dumps(ds)) < 200_000
    with pytest.raises(hr.WrongRecordCountError):
        ds[5000]


def _row(ds, row, queue):
    queue.put(ds[row]["id"])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_open_files_themselves(names, method):
    ranges = FileRanges(tuple(names), tuple((0, None, n) for n in COUNTS))
    ds = hr.Dataset(ranges, spec=SPEC)
    assert ds[0]["id"] == 0  # this process has opened the first file alone
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    for row, expected in ((1, 1), (35, 2005), (99, 3019)):
        child = context.Process(target=_row, args=(ds, row, queue))
        child.start()
        assert queue.get(timeout=60) == expected
        child.join(60)
