"""hr.beam.ReadFromTFRecord: files that several workers share, by byte ranges."""

import gzip
import os
import random
import threading
import time

import headrace as hr
import pytest

pytest.importorskip("pyarrow", reason="Beam gets Arrow record batches")
beam = pytest.importorskip("apache_beam", reason="reads with Apache Beam")

import records  # noqa: E402
from apache_beam.io import source_test_utils  # noqa: E402
from apache_beam.io.iobase import BoundedSource  # noqa: E402
from apache_beam.testing.util import assert_that  # noqa: E402
from headrace.adapters import beam as adapter  # noqa: E402
from headrace.reading.scan import Scan  # noqa: E402
from large_file import digest, digest_of_one_reader, large_file  # noqa: E402, F401


@pytest.fixture
def small_ranges(monkeypatch):
    monkeypatch.setattr(adapter, "_MIN_BYTES", 1)


class Counter:
    def __init__(self):
        self.value = 0

    def inc(self, count=1):
        self.value += count


def source(path, batch_size=1, splittable=True, **options):
    scan = Scan(path, message="raw", **options)
    size = os.path.getsize(path)
    return adapter._FileSource(scan, batch_size, str(path), size, splittable)


class Rows(BoundedSource):
    """The rows of a source one by one, whatever its batches."""

    def __init__(self, batches):
        self.batches = batches

    def get_range_tracker(self, start, stop):
        return self.batches.get_range_tracker(start, stop)

    def read(self, tracker):
        for batch in self.batches.read(tracker):
            yield from batch["payload"].to_pylist()

    def split(self, size):
        return self.batches.split(size)


def rows(path, batch_size=1, **options):
    return Rows(source(path, batch_size, **options))


def write(path, payloads):
    path.write_bytes(records.framed(payloads))
    return str(path)


def of_all_sizes(count, most, seed=1):
    """Payloads of 1 byte to `most`, all orders of magnitude alike."""
    rng = random.Random(seed)
    sizes = [int(most ** rng.random()) for _ in range(count)]
    return [b"%d " % i + rng.randbytes(size) for i, size in enumerate(sizes)]


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("size", [1, 90, 3000, 200_000, 1 << 30])
def test_bundles_are_the_whole(tmp_path, small_ranges, batch_size, size):
    path = write(tmp_path / "a", of_all_sizes(60, 300_000))
    size = max(size, os.path.getsize(path) // 500)  # not very many bundles
    whole = rows(path, batch_size)
    bundles = list(whole.split(size))
    assert len(bundles) == 1 or size < 1 << 30
    assert sum(bundle.weight for bundle in bundles) == os.path.getsize(path)
    source_test_utils.assert_sources_equal_reference_source(
        (whole, None, None),
        [(Rows(b.source), b.start_position, b.stop_position) for b in bundles],
    )


@pytest.mark.parametrize("batch_size", [1, 5])
@pytest.mark.parametrize("most", [30, 200_000])
def test_every_split_while_it_is_read(tmp_path, small_ranges, batch_size, most):
    path = write(tmp_path / "a", of_all_sizes(14, most))
    source_test_utils.assert_split_at_fraction_exhaustive(
        rows(path, batch_size), perform_multi_threaded_test=most == 30
    )
    source_test_utils.assert_reentrant_reads_succeed((rows(path), None, None))


def test_batches_of_one_row_are_split_alike(tmp_path, small_ranges):
    path = write(tmp_path / "a", of_all_sizes(8, 1000))
    source_test_utils.assert_split_at_fraction_exhaustive(
        source(path), perform_multi_threaded_test=False
    )


def damaged(path, damage):
    """A file of 14 records, one of them damaged."""
    write(path, of_all_sizes(14, 300))
    data = bytearray(path.read_bytes())
    offsets = next(hr.open(path, message="raw")).origins["offset"]
    if damage == "cut":
        # The last records are found from no offset between them, since no chain
        # of records leads on to the end of the file.
        data = data[:-5]
    else:
        data[int(offsets[6]) + {"length": 1, "payload": 12}[damage]] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", ["payload", "cut"])
def test_every_split_of_a_damaged_file(tmp_path, small_ranges, damage):
    path = tmp_path / "a"
    damaged(path, damage)
    skipping = rows(path, 3, on_corrupt="skip")
    assert len(source_test_utils.read_from_source(skipping)) == 13
    size = os.path.getsize(path)
    for before in range(1, size):
        parts = [(skipping, 0, before), (skipping, before, size)]
        source_test_utils.assert_sources_equal_reference_source(
            (skipping, None, None), parts
        )
    for count in range(1, 13):
        for position in range(1, size, 7):
            tracker = skipping.get_range_tracker(None, None)
            reading = skipping.read(tracker)
            found = [next(reading) for _ in range(count)]
            is_split = tracker.try_split(position) is not None
            found += reading
            if is_split:
                rest = skipping.get_range_tracker(position, size)
                found += skipping.read(rest)
            assert found == source_test_utils.read_from_source(skipping)


def test_a_file_that_is_searched_for_records_is_not_split(tmp_path, small_ranges):
    path = tmp_path / "a"
    damaged(path, "length")
    searching = rows(path, 3, on_corrupt="rescan")
    (bundle,) = searching.split(100)
    assert len(source_test_utils.read_from_source(Rows(bundle.source))) == 13


def test_skipped_rows_are_counted_once(tmp_path, small_ranges, monkeypatch):
    spec = {"id": hr.FixedLenFeature([], hr.int64)}
    path = tmp_path / "a"
    with hr.Writer(path) as writer:
        for i in range(300):
            writer.write({"id": i} if i % 3 else {"other": i})
    size = os.path.getsize(path)
    for at in range(1, 20):
        counters = {name: Counter() for name in ("_SKIPPED_ROWS", "_RECORDS", "_FILES")}
        for name, counter in counters.items():
            monkeypatch.setattr(adapter, name, counter)
        scan = Scan(str(path), spec=spec, on_row_error="skip")
        batches = adapter._FileSource(scan, 20, str(path), size, True)
        tracker = batches.get_range_tracker(None, None)
        reading = batches.read(tracker)
        next(reading)
        split = tracker.try_split(tracker.position_at_fraction(at / 20))
        list(reading)
        if split:
            list(batches.read(batches.get_range_tracker(split[0], size)))
        # The first batch ends in the second twentieth.
        assert at == 2 or bool(split) == (at > 2)
        assert counters["_SKIPPED_ROWS"].value == 100
        assert (counters["_RECORDS"].value, counters["_FILES"].value) == (200, 1)


@pytest.mark.parametrize("seed", range(8))
def test_splits_by_another_thread(tmp_path, small_ranges, seed):
    payloads = of_all_sizes(3000, 1000, seed)
    path = write(tmp_path / "a", payloads)
    batches = rows(path, 16)
    rng = random.Random(seed)
    parts, trackers = [], [batches.get_range_tracker(None, None)]
    while trackers:
        tracker = trackers.pop()
        end = threading.Event()

        def split(tracker=tracker, end=end):
            while not end.wait(0.0005):
                stop = tracker.stop_position()
                found = tracker.try_split(
                    tracker.position_at_fraction(rng.uniform(0.1, 1))
                )
                if found:
                    trackers.append(batches.get_range_tracker(found[0], stop))

        thread = threading.Thread(target=split)
        thread.start()
        found = []
        for row in batches.read(tracker):
            found.append(row)
            time.sleep(0.00005)
        parts.append((tracker.start_position(), found))
        end.set()
        thread.join()
    assert len(parts) > 1
    assert [row for _, part in sorted(parts) for row in part] == payloads


def test_a_record_that_holds_a_file_is_never_read_as_rows(tmp_path, small_ranges):
    inner = records.framed([b"inner" * 20] * 2000)
    payloads = [b"a", b"b", inner, b"c"]
    path = write(tmp_path / "a", payloads)
    for position in (100, 10_000, len(inner) // 2):
        batches = rows(path)
        tracker = batches.get_range_tracker(None, None)
        reading = batches.read(tracker)
        assert next(reading) == b"a"
        assert tracker.try_split(position)
        with pytest.raises(hr.SplitSeamError):
            list(reading)
    whole = rows(path, splittable=False)
    assert source_test_utils.read_from_source(whole) == payloads
    (bundle,) = whole.split(10)
    tracker = bundle.source.get_range_tracker(None, None)
    next(bundle.source.read(tracker))
    assert tracker.try_split(100) is None


@pytest.mark.parametrize("name", ["a.gz", "plain-name"])
def test_a_compressed_file_is_one_bundle(tmp_path, small_ranges, name):
    payloads = of_all_sizes(500, 100)
    path = tmp_path / name
    path.write_bytes(gzip.compress(records.framed(payloads)))
    compressed = rows(path, 10)
    (bundle,) = compressed.split(100)
    assert bundle.weight == os.path.getsize(path)
    tracker = bundle.source.get_range_tracker(
        bundle.start_position, bundle.stop_position
    )
    reading = Rows(bundle.source).read(tracker)
    first = next(reading)
    assert tracker.try_split(1000) is None
    assert [first, *reading] == payloads


@pytest.mark.parametrize("by", ["blocks", "index"])
def test_bundles_of_a_compressed_file(tmp_path, small_ranges, by):
    payloads = [b"%d " % i + b"alike" * (i % 900) for i in range(400)]
    path = tmp_path / "a.gz"
    stream = records.framed(payloads)
    if by == "blocks":
        with hr.Writer(path, block_bytes=4096) as writer:
            for payload in payloads:
                writer.write(payload)
    else:
        path.write_bytes(gzip.compress(stream))
        hr.index(path, checkpoint_bytes=1 << 16)
    # Ranges are of the stream, which is many times as long as the file.
    assert len(stream) > 10 * os.path.getsize(path)
    whole = rows(path, 7)
    bundles = list(whole.split(20_000))
    assert len(bundles) > 10
    assert bundles[-1].stop_position == len(stream)
    assert source_test_utils.read_from_source(whole) == payloads
    source_test_utils.assert_sources_equal_reference_source(
        (whole, None, None),
        [(Rows(b.source), b.start_position, b.stop_position) for b in bundles],
    )
    (bundle,) = rows(path, index=None).split(1 << 30)
    assert source_test_utils.read_from_source(Rows(bundle.source)) == payloads


def test_a_range_that_was_read_is_not_split(tmp_path, small_ranges):
    # The other part might begin inside the last record.
    path = write(tmp_path / "a", [b"a", records.framed([b"b" * 50] * 2000)])
    size = os.path.getsize(path)
    batches = rows(path)
    tracker = batches.get_range_tracker(None, None)
    assert len(list(batches.read(tracker))) == 2
    assert all(tracker.try_split(at) is None for at in range(0, size, 1000))


def test_a_repeated_bundle_gives_the_same(tmp_path, small_ranges):
    payloads = of_all_sizes(50, 100)
    path = write(tmp_path / "a", payloads)
    batches = rows(path, 10)
    tracker = batches.get_range_tracker(None, None)
    reading = batches.read(tracker)
    next(reading)
    reading.close()
    assert list(batches.read(tracker)) == payloads


def test_small_files_are_not_looked_at_twice(tmp_path, monkeypatch):
    path = write(tmp_path / "a", [b"a"])
    monkeypatch.setattr(Scan, "cut", None)
    (bundle,) = source(path).split(1)
    assert source_test_utils.read_from_source(Rows(bundle.source)) == [b"a"]


def test_reads_ranges_through_the_file_systems_of_beam(tmp_path, monkeypatch):
    monkeypatch.setattr(adapter, "_MIN_REMOTE_BYTES", 1)
    # Local files, but as if Beam had to open them.
    monkeypatch.setattr(adapter, "_filesystem", lambda paths: adapter._BeamFiles())
    payloads = of_all_sizes(60, 100_000)
    path = write(tmp_path / "a", payloads)
    bundles = list(rows(path, 10).split(100_000))
    assert len(bundles) > 3
    found = []
    for bundle in bundles:
        bounds = bundle.start_position, bundle.stop_position
        found += source_test_utils.read_from_source(Rows(bundle.source), *bounds)
    assert found == payloads


FN_API = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"


@pytest.mark.parametrize("runner", [FN_API, "BundleBasedDirectRunner"])
def test_a_job_over_one_large_file(large_file, runner):  # noqa: F811
    want = digest_of_one_reader(large_file)

    def summary(batch):
        return digest(batch["payload"].to_pylist()), batch.num_rows < 1000

    def check(found):
        count = sum(count for (count, _), _ in found)
        total = sum(total for (_, total), _ in found)
        assert (count, total) == want
        # The last batch of a range is short.
        assert sum(is_last for _, is_last in found) >= 5

    with beam.Pipeline(runner=runner) as pipeline:
        read = hr.beam.ReadFromTFRecord(large_file, message="raw", batch_size=1000)
        assert_that(pipeline | read | beam.Map(summary), check)
