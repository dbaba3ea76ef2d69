"""Threads: who may use what, and that nobody waits for the GIL in vain."""

import concurrent.futures
import gzip
import io
import itertools
import sys
import threading
import time

import headrace as hr
import numpy as np
import pytest
import records
from records import ids_of, rows_of, write_people

SPEC = {
    "id": hr.FixedLenFeature([], int), "tags": hr.VarLenFeature(bytes),
    "score": hr.RaggedFeature(float),
}


def in_threads(count, work):
    """What `work(number)` gives in so many threads at once."""
    start = threading.Barrier(count)

    def run(number):
        start.wait()
        return work(number)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


# One reader, several threads.


class Gate(io.BytesIO):
    """Waits in readinto, from `wait_at` on, until it is let through."""

    def __init__(self, data, wait_at):
        super().__init__(data)
        self.wait_at = wait_at
        self.waiting, self.opened = threading.Event(), threading.Event()

    def readinto(self, buffer):
        if self.tell() >= self.wait_at:
            self.waiting.set()
            assert self.opened.wait(60)
        return super().readinto(memoryview(buffer)[:500])


@pytest.mark.parametrize("threads", [1, 3])
def test_a_second_thread_is_refused(path, threads):
    write_people(path, 100)
    data = path.read_bytes()
    gate = Gate(data, len(data) // 2)
    reader = hr.open(gate, batch_size=10, threads=threads, spec=SPEC)
    got = []
    first = threading.Thread(target=lambda: got.extend(reader))
    first.start()
    assert gate.waiting.wait(60)
    deadline = time.monotonic() + 60
    refused = False
    # With threads of its own the reader may wait before anyone calls it.
    while not refused:
        assert time.monotonic() < deadline
        try:
            assert reader.state_dict()["rows"] <= 100
        except RuntimeError:
            refused = True
    for call in (
        lambda: next(reader), reader.close, reader.state_dict, lambda: reader.report,
        lambda: reader.num_records, reader.__arrow_c_stream__,
        lambda: reader.load_state_dict(
            {"version": 1, "plan": str(reader.plan), "epoch": 0, "rows": 0}),
    ):
        with pytest.raises(RuntimeError, match="another thread"):
            call()
    assert reader.files == ["<Gate>"]
    gate.opened.set()
    first.join()
    assert [i for batch in got for i in batch["id"].tolist()] == list(range(100))


@pytest.mark.parametrize("threads", [1, 3])
def test_taking_turns_by_chance(path, threads):
    """Whoever gets through gets a batch of its own; no row twice, none lost."""
    write_people(path, 3000)
    reader = hr.open(path, batch_size=10, threads=threads)

    def take(_):
        got = []
        while True:
            try:
                got.append(next(reader))
            except StopIteration:
                return got
            except RuntimeError as error:
                assert "another thread" in str(error)

    taken = in_threads(4, take)
    batches = [ids_of([batch]) for batch in itertools.chain(*taken)]
    assert sorted(batches) == [list(range(i, i + 10)) for i in range(0, 3000, 10)]


def test_a_reader_for_each_thread(path):
    rows = write_people(path, 500, compression="gzip")

    def work(number):
        if number % 2:
            return rows_of(hr.open(path, batch_size=7, threads=1 + number % 3))
        (batch,) = hr.open(path, batch_size=1000, spec=SPEC)
        return batch["id"].tolist()

    for number, got in enumerate(in_threads(8, work)):
        assert got == (rows if number % 2 else list(range(500)))


def test_a_batch_for_many_threads(path):
    arrow = pytest.importorskip("pyarrow", reason="reads it as well")
    rows = write_people(path, 300)
    (columns,) = hr.open(path, batch_size=1000)
    (tensors,) = hr.open(path, batch_size=1000, spec=SPEC)
    flat = [tag for row in rows for tag in row["tags"] or []]

    def work(_):
        for _ in range(5):
            assert columns["tags"].to_list() == [row["tags"] for row in rows]
            assert arrow.record_batch(columns).num_rows == 300
            assert tensors["tags"].values.tolist() == flat
            assert np.from_dlpack(tensors["id"]).tolist() == list(range(300))
        return True

    assert all(in_threads(8, work))


def test_a_writer_that_threads_share(path):
    """It is for one at a time, yet each record is whole."""
    with hr.Writer(path) as writer:
        def work(number):
            for row in range(400 * number, 400 * (number + 1)):
                writer.write({"id": row, "text": b"x" * row})

        in_threads(4, work)
        assert writer.num_records == 1600
    assert sorted(ids_of(hr.open(path))) == list(range(1600))


def test_one_plan_for_many_threads():
    plan = hr.Plan(SPEC)
    rows = records.people(200)
    serialized = [records.person(row) for row in rows]

    def work(number):
        for _ in range(20):
            part = serialized[number:number + 100]
            tensors = hr.parse_example(part, plan)
            assert tensors["id"].tolist() == list(range(number, number + 100))
            chosen = rows[number:number + 100]
            flat = [tag for row in chosen for tag in row["tags"] or []]
            assert tensors["tags"].values.tolist() == flat
        return True

    assert all(in_threads(8, work))


def test_specs_of_many_threads():
    """The cache of plans is shared."""
    serialized = [records.person(row) for row in records.people(20)]

    def work(number):
        for i in range(50):
            name = f"n{number}-{i % 5}"
            spec = {name: hr.FixedLenFeature([], int, column="id")}
            tensors = hr.parse_example(serialized, spec)
            assert list(tensors) == [name]
            assert tensors[name].tolist() == list(range(20))
        return True

    assert all(in_threads(8, work))


# The GIL.


def assert_released(call):
    """Another thread makes progress while `call` lasts.

    No thread is made to give the GIL away meanwhile, so progress means that the
    call did. On a busy machine the other thread may be late now and then.
    """
    count, stop = 0, False

    def run():
        nonlocal count
        while not stop:
            count += 1
            time.sleep(0.0001)

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=run)
    # Before the thread ever waits: a wait keeps the interval it began with.
    sys.setswitchinterval(100)
    thread.start()
    try:
        progress = 0
        for _ in range(20):
            before = count
            call()
            progress = max(progress, count - before)
            if progress > 5:
                return
    finally:
        sys.setswitchinterval(interval)
        stop = True
        thread.join()
    raise AssertionError(f"{progress} steps at most")


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(),
                    reason="there is a GIL")
def test_that_the_gil_is_held_would_be_noticed():
    with pytest.raises(AssertionError, match="0 steps"):
        assert_released(lambda: sum(range(1_000_000)))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """300 records of 100,000 bytes: one batch takes tens of milliseconds."""
    path = tmp_path_factory.mktemp("large") / "x.tfrecord.gz"
    record = records.example({"x": records.blobs(bytes(100_000))})
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(records.frame(record) * 300)
    return path, record


@pytest.mark.parametrize("threads", [1, 2])
def test_the_gil_is_released_while_reading(large, threads):
    assert_released(lambda: next(hr.open(
        large[0], message="raw", batch_size=300, threads=threads)))
    assert_released(lambda: hr.open(large[0], sample=0))


def test_the_gil_is_released_by_streams(large):
    arrow = pytest.importorskip("pyarrow", reason="reads the stream")
    data = large[0].read_bytes()
    for source in (lambda: large[0], lambda: io.BytesIO(data)):
        assert_released(lambda: arrow.table(hr.open(source(), threads=2)))


def test_the_gil_is_released_while_decoding(large):
    values = records.example({"x": records.floats(*range(20_000))})
    serialized, plan = [values] * 300, hr.Plan({"x": hr.VarLenFeature(float)})
    assert_released(lambda: hr.parse_example(serialized, plan))
    assert_released(lambda: hr.decode(serialized))
