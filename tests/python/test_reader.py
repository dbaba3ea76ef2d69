"""Reader: what hr.open takes, what it gives, and where it goes on."""

import gzip
import io
import pathlib

import headrace as hr
import pytest
import records
from headrace.reading.scan import Scan
from records import ids_of, rows_of, write_people


# Reading.


@pytest.mark.parametrize("compression", records.COMPRESSIONS)
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_are_those_that_were_written(path, compression, threads):
    rows = write_people(path, 700, compression=compression)
    for options in ({}, {"compression": compression}, {"mmap": True}):
        reader = hr.open(path, threads=threads, **options)
        assert rows_of(reader) == rows
        with pytest.raises(StopIteration):
            next(reader)


@pytest.mark.parametrize("threads", [1, 4])
def test_batch_sizes(path, threads):
    write_people(path, 600)
    for size, rows in [
        (1, [1] * 600), (256, [256, 256, 88]), (600, [600]), (2**62, [600]),
    ]:
        reader = hr.open(path, batch_size=size, threads=threads)
        assert [batch.num_rows for batch in reader] == rows
    auto = list(hr.open(path, batch_size="auto", threads=threads))
    assert ids_of(auto) == list(range(600))
    assert all(16 <= batch.num_rows <= 1024 for batch in auto[:-1])
    rest = hr.open(path, batch_size=256, threads=threads, drop_remainder=True)
    assert [batch.num_rows for batch in rest] == [256, 256]


def test_columns(path):
    write_people(path, 5)
    for names in (["tags"], ["tags", "id"], ("id", "score", "tags")):
        assert set(next(hr.open(path, columns=names))) == set(names)
    spec = {"id": hr.FixedLenFeature([], int), "tags": hr.VarLenFeature(bytes)}
    assert list(next(hr.open(path, spec=spec, columns=["tags"]))) == ["tags"]
    for options in ({}, {"spec": spec}):
        with pytest.raises(ValueError) as caught:
            hr.open(path, columns=["nope"], **options)
        assert caught.value.feature == "nope"
        with pytest.raises(ValueError, match="columns"):
            hr.open(path, columns=[], **options)
        with pytest.raises(TypeError, match="columns"):
            hr.open(path, columns="id", **options)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_second_loop_is_not_silently_empty(path, threads):
    write_people(path, 10)
    reader = hr.open(path, threads=threads, batch_size=4)
    assert [batch.num_rows for batch in reader] == [4, 4, 2]
    for again in (iter, list, lambda reader: reader.__arrow_c_stream__()):
        with pytest.raises(hr.InvalidArgumentError):
            again(reader)
    with pytest.raises(StopIteration):
        next(reader)
    # A loop that was left goes on.
    reader = hr.open(path, threads=threads, batch_size=4)
    for _ in reader:
        break
    assert [batch.num_rows for batch in reader] == [4, 2]
    reader.load_state_dict(hr.open(path).state_dict())
    assert len(list(reader)) == 3


def test_error_is_what_the_reading_failed_with(path):
    write_people(path, 10)
    reader = hr.open(path)
    assert reader.error is None
    assert list(reader) and reader.error is None
    path.write_bytes(path.read_bytes()[:-1])
    reader = hr.open(path, threads=1)
    with pytest.raises(hr.TruncatedError) as caught:
        list(reader)
    error = reader.error
    assert type(error) is type(caught.value)
    assert (error.file, error.offset) == (str(path), caught.value.offset)
    reader.close()
    assert reader.error.offset == error.offset


def test_messages(path):
    steps = records.sequence_example(
        {"c": records.ints(1)}, {"l": [records.floats(0.5), records.UNSET]})
    path.write_bytes(records.framed([steps] * 3))
    assert hr.open(path).message == "sequence"
    (batch,) = hr.open(path, message="sequence")
    assert (batch["l"].to_list(), batch["c"].to_list()) == (
        [[[0.5], None]] * 3, [[1]] * 3)
    (batch,) = hr.open(path, message="example")
    assert (batch.message, list(batch)) == ("example", ["c"])
    (batch,) = hr.open(path, message="raw")
    assert (batch.message, list(batch)) == ("raw", ["payload"])
    assert batch.payloads() == [steps] * 3
    path.write_bytes(records.framed([records.example({"c": records.ints(1)})]))
    assert hr.open(path).message == "example"
    (batch,) = hr.open(path, message="sequence")
    assert (list(batch), batch["c"].to_list()) == (["c"], [[1]])


def test_sample(path):
    rows = [{"a": records.ints(1)}, {"b": records.ints(2)}]
    path.write_bytes(records.framed(map(records.example, rows)))
    assert list(next(hr.open(path, sample=0))) == ["a", "b"]
    reader = hr.open(path, sample=1)
    assert list(next(reader)) == ["a"]
    late = reader.report.late
    assert late == [hr.LateFeature("b", "int64", 1, False, False)]
    assert reader.report.num_late == 1
    # The second record begins behind the first byte.
    assert list(next(hr.open(path, sample_bytes=1))) == ["a"]
    assert list(next(hr.open(path, sample_bytes=0))) == ["a", "b"]


@pytest.mark.parametrize("files", [1, 3])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_shards_take_every_row_once(tmp_path, files, count, suffix):
    paths = [tmp_path / f"{i}.tfrecord{suffix}" for i in range(files)]
    for path in paths:
        write_people(path, 100)
        if suffix:
            path.write_bytes(gzip.compress(path.read_bytes()))
    rows = []
    for index in range(count):
        shard = ids_of(hr.open(paths, shard=(index, count)))
        rows += shard
        if files >= count:
            assert len(shard) == 100 * len(range(index, files, count))
        elif suffix:
            assert shard == [
                row for file in range(files) for row in range(100)
                if (row // 16 + file) % count == index
            ]
        else:
            # Consecutive rows of each file; records have much the same size.
            assert len(shard) == pytest.approx(100 * files / count, abs=2 * files)
    assert sorted(rows) == sorted(list(range(100)) * files)


@pytest.mark.parametrize("files", [1, 3, 5])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_parts_of_a_shard_are_the_shard(tmp_path, files, suffix):
    """Few files and many, ranges and runs: a rank and its workers."""
    paths = [tmp_path / f"{i}.tfrecord{suffix}" for i in range(files)]
    for path in paths:
        write_people(path, 100)
        if suffix:
            path.write_bytes(gzip.compress(path.read_bytes()))

    def rows_of(shard):
        return [
            row for batch in hr.open(paths, shard=shard)
            for row in zip(batch.origins["file"].tolist(), batch["id"].values.tolist(),
                           strict=True)
        ]

    for rank in range(2):
        parts = [rows_of([(rank, 2), (worker, 2)]) for worker in range(2)]
        assert all(parts)
        assert sorted(parts[0] + parts[1]) == sorted(rows_of((rank, 2)))
        assert rows_of([(0, 1), (rank, 2)]) == rows_of([[rank, 2]])


def test_byte_ranges_take_every_row_once(tmp_path):
    path = tmp_path / "a.tfrecord"
    write_people(path, 100)
    bounds = [0, 1, 77, 78, 2000, None]
    parts = [
        ids_of(hr.open(path, byte_range=pair)) for pair in zip(bounds, bounds[1:])
    ]
    assert sum(parts, []) == list(range(100))
    assert len(parts[0]) == 1
    assert len(parts[2]) <= 1
    for wrong in [(1,), (2, 1), (-1, 5), 7, ("a", "b")]:
        with pytest.raises(hr.InvalidArgumentError, match='"byte_range" is .*; it takes'):
            hr.open(path, byte_range=wrong)
    with pytest.raises(hr.InvalidArgumentError, match="one file and one shard"):
        hr.open([path, path], byte_range=(0, 5))


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("remote", [False, True])
def test_a_scan_cuts_plain_files(tmp_path, suffix, remote):
    path = tmp_path / f"a.tfrecord{suffix}"
    write_people(path, 100, compression="gzip" if suffix else "none")
    filesystem = None
    if remote:
        fsspec = pytest.importorskip("fsspec", reason="reads from fsspec's memory://")
        filesystem = fsspec.filesystem("memory")
        filesystem.put_file(path, str(path))
    scan = Scan(str(path), filesystem=filesystem)
    ranges = scan.cut(str(path), 3)
    assert len(ranges) == (1 if suffix else 3)
    assert ranges[0][0] == 0
    assert ranges[-1][1] == (None if suffix else path.stat().st_size)
    found = [ids_of(scan.open(byte_range=part)) for part in ranges]
    assert sum(found, []) == list(range(100)) and all(found)
    searching = Scan(str(path), filesystem=filesystem, on_corrupt="rescan")
    assert searching.cut(str(path), 3) == [(0, None)]
    with pytest.raises(hr.NotFoundError, match="missing"):
        scan.cut(str(path) + "-missing", 3)
    with pytest.raises(hr.InvalidArgumentError, match="is 0; it takes"):
        scan.cut(str(path), 0)


def test_epochs(path):
    write_people(path, 10)
    assert ids_of(hr.open(path, epochs=3, batch_size=4)) == [*range(10)] * 3
    endless = hr.open(path, epochs=None, batch_size=10)
    assert [next(endless).num_rows for _ in range(50)] == [10] * 50
    path.write_bytes(b"")
    assert list(hr.open(path, epochs=None)) == []


# Damage.


def damaged(path):
    """Ten records; the payload of 3, the header of 6 are wrong."""
    rows = records.people(10)
    frames = [bytearray(records.frame(records.person(row))) for row in rows]
    frames[3][14] ^= 1
    frames[6][8] ^= 1
    path.write_bytes(b"".join(frames))
    starts = [sum(map(len, frames[:i])) for i in range(11)]
    return starts


def test_on_corrupt(path):
    starts = damaged(path)
    reader = hr.open(path, batch_size=2)
    assert (ids_of([next(reader)]), ids_of([next(reader)])) == ([0, 1], [2])
    for _ in range(2):  # the error is final
        with pytest.raises(hr.ChecksumError) as caught:
            next(reader)
        assert (caught.value.code, caught.value.record) == ("payload_crc", 3)
        assert (caught.value.offset, caught.value.file) == (starts[3], str(path))
    bad = hr.SkippedRegion(str(path), starts[3], starts[4], "payload_crc")
    reader = hr.open(path, on_corrupt="skip")
    with pytest.raises(hr.ChecksumError) as caught:
        list(reader)
    assert (caught.value.code, caught.value.offset) == ("header_crc", starts[6])
    assert reader.report.regions == [bad]
    path.write_bytes(path.read_bytes()[:starts[6] - 1])
    reader = hr.open(path, on_corrupt="skip")
    assert ids_of(reader) == [0, 1, 2, 4]
    assert reader.report.regions == [bad, hr.SkippedRegion(
        str(path), starts[5], starts[6] - 1, "truncated_footer")]
    damaged(path)
    reader = hr.open(path, on_corrupt="rescan")
    assert ids_of(reader) == [0, 1, 2, 4, 5, 7, 8, 9]
    assert reader.report.regions == [
        bad, hr.SkippedRegion(str(path), starts[6], starts[7], "header_crc")]
    assert reader.report.num_regions == 2
    reader.close()
    assert reader.report.num_regions == 2
    assert ids_of(hr.open(path, on_corrupt="rescan", max_bad=2))[-1] == 9
    with pytest.raises(hr.TooManyBadError):
        list(hr.open(path, on_corrupt="rescan", max_bad=1))


def test_verify(path):
    data = bytearray(records.framed([records.example({"a": records.ints(5)})]))
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(hr.ChecksumError):
        list(hr.open(path))
    assert rows_of(hr.open(path, verify=False)) == [{"a": [5]}]


@pytest.mark.parametrize("threads", [1, 4])
def test_on_row_error(path, threads):
    payloads = [records.person(row) for row in records.people(40)]
    payloads[30] = records.example({"id": records.floats(1)})
    payloads[31] = b"\xff\xff"
    path.write_bytes(records.framed(payloads))
    reader = hr.open(path, batch_size=7, threads=threads)
    with pytest.raises(hr.WrongKindError) as caught:
        ids = []
        for batch in reader:
            ids += ids_of([batch])
    assert ids == list(range(30))  # rows before the error come first
    assert (caught.value.record, caught.value.feature) == (30, "id")
    reader = hr.open(path, on_row_error="skip", threads=threads)
    assert ids_of(reader) == [*range(30), *range(32, 40)]
    kind, malformed = reader.report.rows
    assert (type(kind), type(malformed)) == (hr.WrongKindError, hr.MalformedError)
    assert (kind.file, kind.record, kind.feature) == (str(path), 30, "id")
    assert (kind.expected, kind.found) == ("int64", "float")
    assert (malformed.record, malformed.feature) == (31, None)
    assert malformed.offset == sum(len(records.frame(p)) for p in payloads[:31])
    assert reader.report.num_rows == 2
    with pytest.raises(hr.TooManyBadError):
        list(hr.open(path, on_row_error="skip", max_bad=1, threads=threads))


# Arguments that cannot be.


@pytest.mark.parametrize("option, values", {
    "message": ["x", 3],
    "columns": [[1], 5, [], ["a", "a"]],
    "batch_size": [0, -1, 2**64, 1.5, None, "x"],
    "threads": [-1, "x", 1.5, 2**64],
    "shard": [(2, 2), (0, 0), (-1, 2), (0,), (0, 1, 2), 3, "01", (), [], (0, 1.5),
              [(0, 2), (2, 2)], [(0, 2), 1], (0, 2**32), [(0, 2**16), (0, 2**16)]],
    "sample": [-1, "x"],
    "sample_bytes": [-1, 1.5],
    "on_corrupt": ["x", 1],
    "on_row_error": ["rescan", ""],
    "max_bad": [-1, "x"],
    "compression": ["bz2"],
    "verify": ["x"],
    "mmap": ["x"],
    "drop_remainder": ["x"],
    "epochs": [0, -1, "x", 1.5],
    "bytes_as": ["x"],
    "filesystem": [3],
    "storage_options": [3],
    "spec": [3],
    "schema": [3],
}.items())
def test_wrong_arguments(path, option, values):
    write_people(path, 3)
    for value in values:
        with pytest.raises((TypeError, hr.InvalidArgumentError), match=option):
            hr.open(path, **{option: value})


def test_wrong_combinations(path):
    write_people(path, 3)
    schema = hr.Schema.from_text('feature { name: "id" type: INT }')
    with pytest.raises(TypeError, match="not both"):
        hr.open(path, spec={}, schema=schema)
    with pytest.raises(hr.DecompressError):
        list(hr.open(path, compression="gzip"))
    with pytest.raises(TypeError, match="nope"):
        hr.open(path, nope=1)


# Inputs.


def test_globs_shard_sets_and_lists(tmp_path):
    for i in range(3):
        write_people(tmp_path / f"part-{i:05}-of-00003", 2 + i)
    every = [0, 1, 0, 1, 2, 0, 1, 2, 3]
    for paths in (
        str(tmp_path / "part-*"), tmp_path / "part-*", str(tmp_path / "part@3"),
        [tmp_path / f"part-{i:05}-of-00003" for i in range(3)],
        (tmp_path / "part-*").as_uri().replace("%2A", "*"),
    ):
        reader = hr.open(paths)
        assert ids_of(reader) == every
        assert [pathlib.Path(f).name[:10] for f in reader.files] == [
            f"part-{i:05}" for i in range(3)]
    with pytest.raises(hr.NotFoundError):
        hr.open(tmp_path / "nope-*")
    with pytest.raises(FileNotFoundError) as caught:
        hr.open(tmp_path / "part@4")
    assert caught.value.file.endswith("part-00000-of-00004")
    (tmp_path / "README.md").write_text("no records")
    assert ids_of(hr.open(tmp_path)) == every
    (tmp_path / "empty").mkdir()
    with pytest.raises(hr.NotFoundError):
        hr.open(tmp_path / "empty")


@pytest.mark.parametrize("threads", [1, 3])
def test_file_objects(path, threads):
    write_people(path, 300, compression="gzip")
    data = path.read_bytes()
    with open(path, "rb") as file:
        for source in (io.BytesIO(data), file, [io.BytesIO(data)]):
            reader = hr.open(source, threads=threads)
            assert ids_of(reader) == list(range(300))
        assert not file.closed
    twice = hr.open([path, io.BytesIO(data)], threads=threads)
    assert ids_of(twice) == [*range(300)] * 2
    assert twice.files == [str(path), "<BytesIO>"]


class Failing(io.BytesIO):
    def readinto(self, buffer):
        if self.tell() > 5000:
            raise LookupError("the shelf is empty")
        return super().readinto(memoryview(buffer)[:1000])


@pytest.mark.parametrize("threads", [1, 3])
def test_what_a_file_object_raises_comes_out(path, threads):
    write_people(path, 300)
    reader = hr.open(Failing(path.read_bytes()), sample=2, threads=threads)
    with pytest.raises(hr.IoError, match="the shelf is empty") as caught:
        list(reader)
    assert isinstance(caught.value.__cause__, LookupError)


# The end of a reader.


def test_close(path):
    write_people(path, 30)
    with hr.open(path, batch_size=3, threads=3) as reader:
        assert iter(reader) is reader
        batch = next(reader)
        assert (reader.num_records >= 3, reader.stored_size) == (
            True, path.stat().st_size)
    reader.close()
    reader.close()
    assert batch["id"].to_list() == [[0], [1], [2]]
    for call in (lambda: next(reader), lambda: reader.num_records):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert (reader.files, reader.message) == ([str(path)], "example")
    assert reader.report.num_rows == 0
    with pytest.raises(KeyError, match="mine"), hr.open(path) as other:
        raise KeyError("mine")
    with pytest.raises(ValueError, match="closed"):
        next(other)


def test_limits(tmp_path):
    pytest.importorskip("pyarrow", reason="writes Parquet")
    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        for _ in range(3):
            writer.write({"x": list(range(100_000))})
    ways = [
        lambda limits: list(hr.open(path, limits=limits)),
        lambda limits: list(hr.open(path, limits=limits, shuffle=True)),
        lambda limits: hr.Dataset(path, limits=limits)[:2],
        lambda limits: hr.to_parquet(path, tmp_path / "y.parquet", limits=limits),
        lambda limits: hr.to_parquet(
            path, tmp_path / "y.parquet", shards=2, limits=limits),
    ]
    for way in ways:
        way({"max_batch_bytes": 1 << 24})
        with pytest.raises(hr.LimitError):
            way({"max_batch_bytes": 1 << 16})
    with pytest.raises(hr.HeadraceError, match="too_large"):
        list(hr.open(path, limits={"max_record_bytes": 1000}))
    with pytest.raises(hr.LimitError):
        list(hr.open(gz(path), limits={"max_inflated_bytes": 1000}))
    for limits, error in (({"max_batch": 1}, hr.InvalidArgumentError),
                          ({"max_batch_bytes": -1}, hr.InvalidArgumentError),
                          ({"max_batch_bytes": 1.5}, TypeError), (5, TypeError)):
        for way in ways[:3]:
            with pytest.raises(error, match="max_batch|limits"):
                way(limits)


def gz(path):
    packed = path.with_suffix(".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed
