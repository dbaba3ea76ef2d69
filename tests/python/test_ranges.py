"""Files of fsspec, read in ranges, one ahead on a thread."""

import gc
import io
import os
import pickle
import random
import tempfile
import textwrap
import threading
import time

import processes
import pytest
from headrace import errors
from headrace.remote import ranges
from headrace.errors import (
    InvalidArgumentError,
    IoError,
    MissingPackageError,
    NotFoundError,
)
from headrace.remote.files import resolve
from remote_files import (
    DATA,
    FakeFs,
    ManyFs,
    OnlyRead,
    memory,
    no_thread_left,
    open_fake,
    read_all,
    read_name,
    small_ranges,
)


@pytest.mark.parametrize("kind", [FakeFs, ManyFs])
@pytest.mark.parametrize("seed", range(6))
def test_random_reads_and_seeks(small_ranges, seed, kind):
    rng = random.Random(seed)
    fs = kind(delay=0.0002)
    reader = open_fake(fs)
    position = 0
    for _ in range(300):
        if rng.random() < 0.2:
            position = rng.choice([
                rng.randrange(len(DATA) + 10), max(position - rng.randrange(900), 0),
                position + rng.randrange(3000), len(DATA) - 1, len(DATA)])
            reader.seek(position)
        buffer = bytearray(rng.choice([1, 10, 500, 3000, 20_000]))
        count = reader.readinto(memoryview(buffer))
        assert bytes(buffer[:count]) == DATA[position:position + count]
        assert (count == 0) == (position >= len(DATA))
        position += count
    reader.close()
    assert all(0 < end - start <= 5000 for start, end in fs.requests)


def test_ranges_grow_and_each_byte_comes_once(small_ranges):
    fs = FakeFs()
    reader = open_fake(fs)
    assert read_all(reader) == DATA
    reader.close()
    assert fs.requests[:5] == [
        (0, 1000), (1000, 3000), (3000, 7000), (7000, 12000), (12000, 17000)]
    assert [start for start, _ in fs.requests[1:]] == [
        end for _, end in fs.requests[:-1]]
    assert fs.requests[-1][1] == len(DATA)


def test_one_range_is_read_ahead(small_ranges):
    fs = FakeFs()
    reader = open_fake(fs)
    assert fs.requests == []
    assert threading.active_count() == 1
    reader.readinto(bytearray(1))
    deadline = time.monotonic() + 10
    while len(fs.requests) < 2:
        assert time.monotonic() < deadline
    time.sleep(0.05)
    assert fs.requests == [(0, 1000), (1000, 3000)]
    reader.close()


def test_more_and_more_are_read_ahead_of_who_takes_many(small_ranges):
    fs = ManyFs(delay=0.01)
    reader = open_fake(fs)
    assert read_all(reader) == DATA
    reader.close()
    # Threads may come late: each range is asked for once, in any order.
    assert sorted(fs.requests) == [(i, i + 1000) for i in range(0, len(DATA), 1000)]
    assert 4 <= fs.most_inside <= 7


def test_ranges_ahead_are_dropped_by_a_seek(small_ranges):
    fs = ManyFs()
    reader = open_fake(fs)
    for _ in range(20):
        reader.readinto(bytearray(1000))
    reader.seek(90_000)
    buffer = bytearray(10)
    assert reader.readinto(buffer) == 10
    assert buffer == DATA[90_000:90_010]
    assert (90_000, 90_300) in fs.requests
    assert len(reader._ahead) == 0
    reader.close()


def test_a_failed_range_of_many_may_pass(small_ranges):
    fs = ManyFs(fail_at=30_500)
    reader = open_fake(fs)
    done = bytearray()
    buffer = bytearray(1000)
    with pytest.raises(IoError, match="bytes 30000 to 31000: .*by the peer"):
        while True:
            done += buffer[:reader.readinto(buffer)]
    assert done == DATA[:30_000]
    fs.fail_at = None
    assert done + read_all(reader) == DATA
    reader.close()


def test_a_file_with_another_tag_is_another_file(small_ranges):
    fs = ManyFs()
    reader = open_fake(fs)
    reader.readinto(bytearray(1000))
    fs.tag = "two"
    with pytest.raises(IoError, match="another file"):
        read_all(reader)
    reader.close()


def test_a_seek_asks_for_little(small_ranges):
    fs = FakeFs()
    reader = open_fake(fs)
    reader.seek(70_000)
    reader.readinto(bytearray(10))
    reader.seek(30_000)
    reader.readinto(bytearray(10))
    reader.close()
    assert fs.requests == [(70_000, 70_300), (30_000, 30_300)]


def test_a_reader_of_a_part_asks_for_little_else(small_ranges):
    fs = FakeFs()
    reader = open_fake(fs)
    reader.expect(50_000, 60_000)
    # As the core does: the first bytes, both ends, and what lies between.
    for position in (0, 50_000, 60_000, 50_000):
        reader.seek(position)
        reader.readinto(bytearray(10))
    assert fs.requests == [(i, i + 300) for i in (0, 50_000, 60_000, 50_000)]
    position = 50_010
    while position < 60_000:
        position += reader.readinto(bytearray(10_000))
    reader.readinto(bytearray(10))
    reader.close()
    assert max(end for _, end in fs.requests) <= 60_300
    assert sum(end - start for start, end in fs.requests) <= 10_000 + 5 * 300


def test_only_the_first_range_is_waited_for_from_the_start(small_ranges):
    fs = FakeFs()
    reader = open_fake(fs)
    assert read_all(reader) == DATA
    reader.close()
    here = [thread is threading.current_thread() for thread in fs.threads]
    assert here == [True] + [False] * (len(fs.requests) - 1)


def test_error_ahead_comes_with_its_range_and_may_pass(small_ranges):
    fs = FakeFs(fail_at=1500)
    reader = open_fake(fs)
    buffer = bytearray(1000)
    assert reader.readinto(buffer) == 1000
    for _ in range(2):
        with pytest.raises(IoError) as e:
            reader.readinto(buffer)
        assert e.value.file == "x"
        assert isinstance(e.value.__cause__, ConnectionResetError)
    fs.fail_at = None
    assert buffer + read_all(reader) == DATA
    reader.close()


@pytest.mark.parametrize("data, size", [(DATA[:500], len(DATA)), (b"", 10)])
def test_a_file_shorter_than_it_said(small_ranges, data, size):
    reader = open_fake(FakeFs(data, size))
    with pytest.raises(IoError) as caught:
        read_all(reader)
    assert caught.value.file == "x"
    reader.close()


def test_answers_that_are_no_ranges(small_ranges):
    fs = FakeFs()
    fs.cat_file = lambda path, start, end: DATA[start:end] + b"x"
    reader = open_fake(fs)
    with pytest.raises(IoError):
        read_all(reader)
    fs.cat_file = lambda path, start, end: "x"
    with pytest.raises(IoError):
        read_all(reader)
    # A server that sends all of the file, whatever is asked for.
    fs.cat_file = lambda path, start, end: DATA
    reader.seek(70_000)
    assert read_all(reader) == DATA[70_000:]
    reader.seek(0)
    assert read_all(reader) == DATA
    reader.close()


def test_empty_file_and_empty_buffer():
    reader = open_fake(FakeFs(b"", 0))
    assert reader.readinto(bytearray(10)) == 0
    reader.close()
    reader = open_fake(FakeFs())
    assert reader.readinto(bytearray()) == 0
    reader.close()
    reader.close()
    for call in (lambda: reader.readinto(bytearray(1)), lambda: reader.seek(0)):
        with pytest.raises(InvalidArgumentError, match="closed"):
            call()


class StreamFs(FakeFs):
    """Opens its file, which cannot seek; does not know its size."""

    def __init__(self, fail_at=None):
        super().__init__(size=None, fail_at=fail_at)
        self.file = None

    def open(self, path, mode):  # takes no cache_type
        self.file = io.BytesIO(DATA)
        self.file.seek = None
        if self.fail_at is not None:
            self.file.read = OnlyRead(
                [DATA[:1000], DATA[1000:self.fail_at],
                 ConnectionResetError("by the peer")]).read
        return self.file


def test_stream_of_unknown_size(small_ranges):
    fs = StreamFs()
    reader = open_fake(fs)
    assert (reader.size, reader.seekable()) == (0, False)
    with pytest.raises(InvalidArgumentError):
        reader.seek(0)
    assert read_all(reader) == DATA
    assert fs.requests == []
    reader.close()
    assert fs.file.closed


def test_stream_that_fails_does_not_go_on(small_ranges):
    reader = open_fake(StreamFs(fail_at=1500))
    buffer = bytearray(1000)
    assert reader.readinto(buffer) == 1000
    with pytest.raises(IoError, match="by the peer"):
        reader.readinto(buffer)
    with pytest.raises(IoError):  # 500 bytes are lost
        reader.readinto(buffer)
    reader.close()


def test_open_file_gives_ranges(memory, small_ranges):
    """Of a file system that has no cat_file of its own."""
    from fsspec.implementations.local import LocalFileSystem

    class Plain(LocalFileSystem):
        protocol = "plain"

    with tempfile.NamedTemporaryFile() as file:
        file.write(DATA)
        file.flush()
        names, opener = resolve(file.name, filesystem=Plain())
        reader = opener(names[0])
        reader.seek(99_000)
        assert read_all(reader) == DATA[99_000:]
        reader.seek(0)
        assert read_all(reader) == DATA
        reader.close()


def test_close_waits_for_the_range_on_its_way(small_ranges):
    fs = FakeFs(delay=0.1)
    reader = open_fake(fs)
    reader.readinto(bytearray(1))
    reader.close()
    assert threading.active_count() == 1


def test_close_does_not_wait_for_ever(small_ranges, monkeypatch):
    monkeypatch.setattr(ranges, "_CLOSE_WAIT", 0.01)
    fs = FakeFs(delay=2)
    closed = []
    reader = open_fake(fs)
    reader._source.close = lambda: closed.append(threading.current_thread())
    reader.readinto(bytearray(1))
    begin = time.monotonic()
    reader.close()
    assert time.monotonic() - begin < 1.5
    assert closed == []
    while threading.active_count() > 1:
        time.sleep(0.01)
    assert [t.name for t in closed] == ["headrace-read-ahead"]


def test_a_forgotten_reader_leaves_nothing(small_ranges):
    reader = open_fake(FakeFs(delay=0.05))
    reader.readinto(bytearray(1))
    del reader
    gc.collect()  # the fixture looks for the thread


PROLOGUE = """
import os
import warnings
import remote_files
# Python 3.12 and later warn whoever forks with threads.
warnings.filterwarnings("ignore", "This process", DeprecationWarning)
from headrace.remote import ranges
ranges._FIRST_RANGE = 1000
fs = remote_files.FakeFs(delay=0.2)
reader = remote_files.open_fake(fs)
reader.readinto(bytearray(1000))
"""


def run_script(text):
    return processes.printed_alone("-c", PROLOGUE + textwrap.dedent(text))


def test_exit_does_not_wait_for_a_range():
    begin = time.monotonic()
    run_script("""
        import time
        while len(fs.requests) < 2:
            time.sleep(0.01)
        fs.delay = 30
        reader.readinto(bytearray(5000))
    """)
    assert time.monotonic() - begin < 25


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_a_range_is_on_its_way():
    out = run_script("""
        child = os.fork()
        if child == 0:
            fs.inside = 0
        rest = remote_files.read_all(reader)
        assert remote_files.DATA == remote_files.DATA[:1000] + rest
        reader.close()
        if child == 0:
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert out == "7\n"


def test_errors_cross_processes():
    error = ranges.carried(ConnectionResetError("by the peer"), "x")
    got = pickle.loads(pickle.dumps(error))
    assert type(got) is errors.ConnectionFailedError
    assert str(got) == str(error)
    for cause, cls in [
        (FileNotFoundError(2, "no"), NotFoundError),
        (MemoryError(), errors.OutOfMemoryError),
        (ImportError("s3fs"), MissingPackageError),
        (PermissionError(13, "no"), errors.AccessDeniedError),
        (IsADirectoryError(21, "no"), errors.IsDirectoryError),
        (TimeoutError("no"), errors.TimedOutError),
        (OSError(28, "full"), IoError),
    ]:
        assert type(ranges.carried(cause, "x")) is cls


class TimedFs(FakeFs):
    """Its answers say nothing; `info` has the time of change."""

    def __init__(self):
        super().__init__()
        self.mtime, self.forgotten = 1.0, 0

    def info(self, path):
        return {**super().info(path), "mtime": self.mtime}

    def invalidate_cache(self, path=None):
        self.forgotten += 1


@pytest.mark.parametrize("change", [{}, {"mtime": 2.0}, {"size": 200_000}])
def test_size_and_time_are_asked_for_again_at_the_end(change, small_ranges):
    fs = TimedFs()
    names, opener = resolve("x", filesystem=fs)
    reader = opener(names[0])
    buffer = bytearray(len(DATA))
    assert reader.readinto(buffer)
    vars(fs).update(change)
    if not change:
        while reader.readinto(buffer):
            pass
        assert reader.readinto(buffer) == 0
        assert fs.forgotten == 1
        return
    with pytest.raises(IoError, match="changed while it was read") as caught:
        while reader.readinto(buffer):
            pass
    assert caught.value.file == names[0]


def test_http_with_and_without_ranges(tmp_path, small_ranges):
    pytest.importorskip("aiohttp", reason="fsspec's HTTP needs it")
    import functools
    import http.server

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    (tmp_path / "x").write_bytes(DATA)
    handler = functools.partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        names, opener = resolve([f"{url}/x", f"{url}/no"])
        assert read_name(opener, names[0]) == DATA
        with pytest.raises(NotFoundError):
            opener(names[1])
        server.shutdown()


def test_import_is_cheap():
    out = processes.printed_alone("-c", """
import numpy, sys
before = set(sys.modules)
import headrace.remote.files, headrace.spec
print(*sorted(set(sys.modules) - before))
""")
    assert out.strip()
    others = [name for name in out.split() if not name.startswith("headrace")]
    assert not set(others) & {"fsspec", "pyarrow", "json", "difflib", "asyncio",
                              "decimal", "base64", "threading", "glob",
                              "tensorflow"}
