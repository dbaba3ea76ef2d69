"""Inputs: what resolve makes of them, and reading what the core cannot open."""

import gc
import io
import os
import pathlib
import pickle
import random
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import pytest
from headrace import errors, files, ranges
from headrace.errors import (
    InvalidArgumentError,
    IoError,
    MissingPackageError,
    NotFoundError,
)
from headrace.files import resolve

DATA = bytes(random.Random(1).randbytes(100_000))


@pytest.fixture(autouse=True)
def no_thread_left():
    yield
    deadline = time.monotonic() + 10
    while any(t.name == "headrace-read-ahead" for t in threading.enumerate()):
        assert time.monotonic() < deadline, threading.enumerate()
        time.sleep(0.001)


@pytest.fixture
def small_ranges(monkeypatch):
    monkeypatch.setattr(ranges, "_FIRST_RANGE", 1000)
    monkeypatch.setattr(ranges, "_LONGEST_RANGE", 5000)
    monkeypatch.setattr(ranges, "_SEEK_RANGE", 300)


@pytest.fixture
def memory():
    fsspec = pytest.importorskip("fsspec", reason="reads from fsspec's memory://")
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    fs.pseudo_dirs[:] = [""]
    yield fs
    fs.store.clear()


def read_all(reader, sizes=lambda: 777):
    parts = []
    while True:
        buffer = bytearray(sizes())
        count = reader.readinto(memoryview(buffer))
        if count == 0:
            return b"".join(parts)
        parts.append(bytes(buffer[:count]))


def read_name(opener, name):
    reader = opener(name)
    try:
        return read_all(reader)
    finally:
        reader.close()


class FakeFs:
    """fsspec's interface over one file of DATA; notes what was asked for."""

    async_impl = False
    protocol = ("fake",)

    def __init__(self, data=DATA, size=100_000, delay=0.0, fail_at=None):
        self.data, self.size, self.delay = data, size, delay
        self.fail_at, self.requests, self.threads = fail_at, [], []
        self.inside = 0

    def _strip_protocol(self, path):
        return path

    def info(self, path):
        if path == "missing":
            raise FileNotFoundError(path)
        return {"name": path, "size": self.size, "type": "file"}

    def exists(self, path):
        return path == "x"

    def glob(self, path):
        return ["x"]

    def unstrip_protocol(self, path):
        return "fake://" + path

    def cat_file(self, path, start, end):
        self.inside += 1
        assert self.inside == 1, "two requests at once"
        self.requests.append((start, end))
        self.threads.append(threading.current_thread())
        try:
            time.sleep(self.delay)
            if self.fail_at is not None and start <= self.fail_at < end:
                raise ConnectionResetError("by the peer")
            return self.data[start:end]
        finally:
            self.inside -= 1


def open_fake(fs):
    names, opener = resolve("x", filesystem=fs)
    assert names == ["x"]
    return opener("x")


# Local paths.


@pytest.mark.parametrize(
    "paths, names",
    [
        ("a.tfrecord", ["a.tfrecord"]),
        (pathlib.Path("a") / "b", ["a/b"]),
        (["a-*", "b@4.gz", "-"], ["a-*", "b@4.gz", "-"]),
        (("a", pathlib.Path("b")), ["a", "b"]),
        ((p for p in "ab"), ["a", "b"]),
        ("file:///tmp/a%20b/*.gz", ["/tmp/a b/*.gz"]),
        ("file://localhost/a", ["/a"]),
        ("FILE:///a", ["/a"]),
        ("c:/x", ["c:/x"]),
        ("a::b", ["a::b"]),
        ("s3:/x", ["s3:/x"]),
    ],
)
def test_local_paths_are_left_to_the_core(paths, names):
    assert resolve(paths) == (names, None)


def test_bytes_of_a_path_are_kept():
    class Odd:
        def __fspath__(self):
            return b"a\xff"

    assert os.fsencode(resolve(Odd())[0][0]) == b"a\xff"
    assert os.fsencode(resolve("file:///a%FF")[0][0]) == b"/a\xff"


@pytest.mark.parametrize(
    "paths, words",
    [
        ([], "no path"),
        ("", "empty"),
        ("a\0b", "NUL"),
        (b"a", "io.BytesIO"),
        ([b"a"], "io.BytesIO"),
        (3, "not a int"),
        ([None], "not a NoneType"),
        ({"a": 1}, "not a dict"),
        (["a", ["b"]], "not a list"),
        ("file://host/a", "three slashes"),
        ("file://a", "three slashes"),
    ],
)
def test_no_inputs(paths, words):
    with pytest.raises(InvalidArgumentError, match=words):
        resolve(paths)


def test_local_filesystems_are_left_to_the_core():
    fsspec = pytest.importorskip("fsspec", reason="of fsspec")
    arrow = pytest.importorskip("pyarrow.fs", reason="of pyarrow")
    for fs in (fsspec.filesystem("file"), arrow.LocalFileSystem()):
        assert resolve(["a*", "file:///b"], filesystem=fs) == (["a*", "/b"], None)


# URLs.


def test_memory_urls(memory):
    for name in ("d/b-00000-of-00002.gz", "d/b-00001-of-00002.gz", "d/a", "d/a@3"):
        memory.pipe("/" + name, name.encode())
    names, opener = resolve([
        "memory://d/a", "memory://d/b-*", "memory://d/b@2.gz", "memory://d/a@3"])
    shards = ["memory://d/b-00000-of-00002.gz", "memory://d/b-00001-of-00002.gz"]
    assert names == ["memory://d/a", *shards, *shards, "memory://d/a@3"]
    for name in names:
        assert b"memory://" + read_name(opener, name) == name.encode()
        reader = opener(name)
        assert reader.size == len(name) - len("memory://")
        assert reader.seekable()
        reader.close()
    again = pickle.loads(pickle.dumps(opener))
    assert read_name(again, "memory://d/a") == b"d/a"
    # Two readers of one file do not meet.
    one, two = opener("memory://d/a"), opener("memory://d/a")
    buffer = bytearray(1)
    one.readinto(buffer)
    assert (read_all(two), read_all(one)) == (b"d/a", b"/a")


def test_globs_are_sorted_and_shards_need_not_exist(memory):
    for name in ("c", "a", "b"):
        memory.pipe(f"/d/{name}", b"")
    assert resolve("memory://d/[abc]")[0] == [f"memory://d/{n}" for n in "abc"]
    assert len(resolve("memory://d/x@3")[0]) == 3
    assert resolve("memory://d/x@0")[0] == ["memory://d/x@0"]
    assert resolve("memory://d/x@2000000")[0] == ["memory://d/x@2000000"]
    assert resolve("memory://u@10.0/x")[0] == ["memory://u@10.0/x"]


def test_what_is_missing(memory):
    with pytest.raises(NotFoundError, match="no file matches") as caught:
        resolve("memory://d/*")
    assert caught.value.file == "memory://d/*"
    _, opener = resolve("memory://d/x")
    with pytest.raises(NotFoundError) as caught:
        opener("memory://d/x")
    assert caught.value.file == "memory://d/x"
    memory.pipe("/d/y", b"")
    _, opener = resolve("memory://d")
    with pytest.raises(IoError, match="directory"):
        opener("memory://d")
    with pytest.raises(InvalidArgumentError, match="nope"):
        resolve("nope://x")
    with pytest.raises(InvalidArgumentError, match="not among"):
        opener("other")


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingPackageError, match="pip install fsspec") as caught:
        resolve("s3://bucket/key")
    assert isinstance(caught.value, ImportError)


def test_without_the_package_of_a_protocol(monkeypatch):
    pytest.importorskip("fsspec", reason="knows the packages of protocols")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(MissingPackageError, match="s3fs"):
        resolve("s3://bucket/key")


def test_filesystem_of_fsspec(memory):
    memory.pipe("/d/a", DATA)
    for path in ("/d/a", "memory://d/a", "/d/*"):
        names, opener = resolve(path, filesystem=memory)
        assert [read_name(opener, name) for name in names] == [DATA]


def test_filesystem_of_pyarrow(tmp_path):
    arrow = pytest.importorskip("pyarrow.fs", reason="of pyarrow")
    pytest.importorskip("fsspec", reason="wraps it")
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(DATA)
    fs = arrow.SubTreeFileSystem(str(tmp_path), arrow.LocalFileSystem())
    names, opener = resolve(["a", "[b]", "c"], filesystem=fs)
    assert names == ["a", "b", "c"]
    assert [read_name(opener, name) for name in names[:2]] == [DATA, DATA]
    with pytest.raises(NotFoundError):
        opener("c")


def test_what_is_no_filesystem():
    with pytest.raises(InvalidArgumentError, match="of fsspec's or of pyarrow"):
        resolve("a", filesystem="s3")


def test_mixed_inputs(memory, tmp_path):
    memory.pipe("/m", b"memory")
    for i in range(2):
        (tmp_path / f"s-0000{i}-of-00002").write_bytes(b"shard %d" % i)
    (tmp_path / "odd[1]").write_bytes(b"odd")
    names, opener = resolve([
        io.BytesIO(b"object"), "memory://m", tmp_path / "s@2", tmp_path / "s-*",
        tmp_path / "odd[1]", (tmp_path / "odd[1]").as_uri(), tmp_path / "no"])
    shards = [str(tmp_path / f"s-0000{i}-of-00002") for i in range(2)]
    odd = str(tmp_path / "odd[1]")
    assert names == ["<BytesIO>", "memory://m", *shards, *shards, odd, odd,
                     str(tmp_path / "no")]
    assert [read_name(opener, name) for name in names[:-1]] == [
        b"object", b"memory", b"shard 0", b"shard 1", b"shard 0", b"shard 1",
        b"odd", b"odd"]
    with pytest.raises(NotFoundError):
        opener(names[-1])
    with pytest.raises(NotFoundError, match="no file matches"):
        resolve([io.BytesIO(), str(tmp_path / "z*")])
    with pytest.raises(InvalidArgumentError, match="only once"):
        resolve([io.BytesIO(), "-", "-"])


# File objects.


def open_object(file):
    names, opener = resolve(file)
    return opener(names[0])


def test_file_objects(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(DATA)
    with open(path, "rb") as buffered, open(path, "rb", buffering=0) as raw:
        for file in (io.BytesIO(DATA), buffered, raw):
            reader = open_object(file)
            assert (reader.size, reader.seekable()) == (len(DATA), True)
            assert read_all(reader) == DATA
            reader.seek(50_000)
            assert read_all(reader) == DATA[50_000:]
            reader.close()
            assert not file.closed
            with pytest.raises(InvalidArgumentError, match="closed"):
                reader.readinto(bytearray(1))
        assert resolve(buffered)[0] == [str(path)]


def test_file_object_begins_where_it_stands_and_can_be_read_again():
    file = io.BytesIO(DATA)
    file.seek(10)
    names, opener = resolve(file)
    for _ in range(2):
        assert read_name(opener, names[0]) == DATA[10:]
    reader = opener(names[0])
    assert reader.size == len(DATA) - 10
    reader.seek(5)
    assert read_all(reader) == DATA[15:]
    with pytest.raises(InvalidArgumentError, match="-1"):
        reader.seek(-1)


def test_pipe_is_read_once():
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as file:
        thread = threading.Thread(target=write_slowly, args=(write_end,))
        thread.start()
        names, opener = resolve(file)
        assert names == [f"<{type(file).__name__}>"]
        reader = opener(names[0])
        assert (reader.size, reader.seekable()) == (0, False)
        assert read_all(reader) == DATA
        with pytest.raises(InvalidArgumentError, match="cannot seek"):
            reader.seek(0)
        with pytest.raises(InvalidArgumentError, match="read already"):
            opener(names[0])
        thread.join()


def write_slowly(descriptor):
    with open(descriptor, "wb", buffering=0) as file:
        for start in range(0, len(DATA), 9973):
            file.write(DATA[start:start + 9973])
            time.sleep(0.001)


class OnlyRead:
    def __init__(self, answers):
        self.answers = list(answers)

    def read(self, size):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_only_read_and_short_reads(kind):
    parts = [DATA[i:i + 7] for i in range(0, 700, 7)]
    reader = open_object(OnlyRead([kind(part) for part in parts] + [b""]))
    assert read_all(reader) == DATA[:700]


@pytest.mark.parametrize(
    "answer, words",
    [
        (None, "non-blocking"),
        ("text", "a str, not bytes"),
        (3, "a int, not bytes"),
        (b"x" * 11, r"read\(10\) with 11 bytes"),
        (OSError(5, "input/output"), "input/output"),
        (KeyError("k"), "KeyError: 'k'"),
    ],
)
def test_wrong_answers_of_read(answer, words):
    reader = open_object(OnlyRead([answer]))
    with pytest.raises(IoError, match=words) as caught:
        reader.readinto(bytearray(10))
    assert caught.value.file == "<OnlyRead>"
    if isinstance(answer, Exception):
        assert caught.value.__cause__ is answer


@pytest.mark.parametrize("answer", [None, -1, 11, "x", 1.0])
def test_wrong_answers_of_readinto(answer):
    file = OnlyRead([])
    file.readinto = lambda buffer: answer
    with pytest.raises(IoError, match="non-blocking|answered readinto with"):
        open_object(file).readinto(bytearray(10))


def test_non_blocking_socket():
    one, two = socket.socketpair()
    with one, two, one.makefile("rb", buffering=0) as file:
        one.setblocking(False)
        reader = open_object(file)
        with pytest.raises(IoError, match="non-blocking"):
            reader.readinto(bytearray(10))
        two.sendall(b"abc")
        buffer = bytearray(10)
        assert reader.readinto(buffer) == 3


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: io.StringIO("x"), "as text"),
        (lambda: open(__file__), "as text"),
        (lambda: tempfile.NamedTemporaryFile("w+"), "as text"),
        (lambda: open(os.devnull, "wb"), "not open for reading"),
    ],
)
def test_file_objects_refused(make, words):
    with make() as file, pytest.raises(InvalidArgumentError, match=words):
        resolve(["a", file])


def test_more_file_objects_refused():
    file = io.BytesIO()
    with pytest.raises(InvalidArgumentError, match="given twice"):
        resolve([file, file])
    file.close()
    with pytest.raises(InvalidArgumentError, match="closed"):
        resolve(file)


def test_file_objects_of_one_name():
    names, opener = resolve([io.BytesIO(b"1"), io.BytesIO(b"2"), io.BytesIO(b"3")])
    assert names == ["<BytesIO>", "<BytesIO> (2)", "<BytesIO> (3)"]
    assert [read_name(opener, name) for name in names] == [b"1", b"2", b"3"]


# Ranges.


@pytest.mark.parametrize("seed", range(6))
def test_random_reads_and_seeks(small_ranges, seed):
    rng = random.Random(seed)
    fs = FakeFs(delay=0.0002)
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


def test_a_seek_asks_for_little(small_ranges):
    fs = FakeFs()
    reader = open_fake(fs)
    reader.seek(70_000)
    reader.readinto(bytearray(10))
    reader.seek(30_000)
    reader.readinto(bytearray(10))
    reader.close()
    assert fs.requests == [(70_000, 70_300), (30_000, 30_300)]


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
        with pytest.raises(IoError, match="ConnectionResetError: by the peer") as e:
            reader.readinto(buffer)
        assert e.value.file == "x"
        assert isinstance(e.value.__cause__, ConnectionResetError)
    fs.fail_at = None
    assert buffer + read_all(reader) == DATA
    reader.close()


@pytest.mark.parametrize(
    "data, size, words",
    [
        (DATA[:500], len(DATA), "ended at byte 500 of 100000"),
        (b"", 10, "ended at byte 0 of 10"),
    ],
)
def test_a_file_shorter_than_it_said(small_ranges, data, size, words):
    reader = open_fake(FakeFs(data, size))
    with pytest.raises(IoError, match=words):
        read_all(reader)
    reader.close()


def test_answers_that_are_no_ranges(small_ranges):
    fs = FakeFs()
    fs.cat_file = lambda path, start, end: DATA[start:end] + b"x"
    reader = open_fake(fs)
    with pytest.raises(IoError, match="1000 bytes were asked for, 1001 came"):
        read_all(reader)
    fs.cat_file = lambda path, start, end: "x"
    with pytest.raises(IoError, match="a str, not bytes"):
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
    with pytest.raises(InvalidArgumentError, match="cannot seek"):
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
import os, sys, time
sys.path[:0] = {path!r}
import test_files
from headrace import ranges
ranges._FIRST_RANGE = 1000
fs = test_files.FakeFs(delay=0.2)
reader = test_files.open_fake(fs)
reader.readinto(bytearray(1000))
"""


def run_script(text):
    path = [str(pathlib.Path(files.__file__).parents[1]),
            str(pathlib.Path(__file__).parent), *sys.path]
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", PROLOGUE.format(path=path) + textwrap.dedent(text)],
        capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout, time.monotonic() - begin


def test_exit_does_not_wait_for_a_range():
    assert run_script("fs.delay = 30; reader.readinto(bytearray(5000))")[1] < 25


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_a_range_is_on_its_way():
    out, _ = run_script("""
        child = os.fork()
        if child == 0:
            fs.inside = 0
        rest = test_files.read_all(reader)
        assert test_files.DATA == test_files.DATA[:1000] + rest
        reader.close()
        if child == 0:
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert out == "7\n"


def test_errors_cross_processes():
    error = ranges.carried(ConnectionResetError("by the peer"), "x")
    got = pickle.loads(pickle.dumps(error))
    assert (type(got), str(got)) == (IoError, str(error))
    for cause, cls in [
        (FileNotFoundError(2, "no"), NotFoundError),
        (MemoryError(), errors.OutOfMemoryError),
        (ImportError("s3fs"), MissingPackageError),
        (PermissionError(13, "no"), IoError),
    ]:
        assert type(ranges.carried(cause, "x")) is cls


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
    out, _ = run_script("""
        code = "import numpy, sys; before = set(sys.modules);" \\
               "import headrace.files, headrace.spec;" \\
               "print(*sorted(set(sys.modules) - before))"
        import subprocess
        print(subprocess.run([sys.executable, "-c", code], capture_output=True,
              text=True, cwd=sys.path[0]).stdout)
    """)
    assert out.strip()
    others = [name for name in out.split() if not name.startswith("headrace")]
    assert not set(others) & {"fsspec", "pyarrow", "json", "difflib", "asyncio",
                              "decimal", "base64", "threading", "glob",
                              "tensorflow"}
