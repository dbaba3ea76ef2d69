"""A file that answers ranges, and reading it, for the tests of inputs."""

import random
import threading
import time

import pytest
from headrace.remote import ranges
from headrace.remote.files import resolve

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
        delay = self.delay  # who sees the request may change that of the next
        self.requests.append((start, end))
        self.threads.append(threading.current_thread())
        try:
            time.sleep(delay)
            if self.fail_at is not None and start <= self.fail_at < end:
                raise ConnectionResetError("by the peer")
            return self.data[start:end]
        finally:
            self.inside -= 1


class ManyFs(FakeFs):
    """Takes any number of requests at once, and reads a tagged file."""

    takes_many_requests = True

    def __init__(self, **options):
        super().__init__(**options)
        self.lock, self.most_inside, self.tag = threading.Lock(), 0, "one"

    def info(self, path):
        return {**super().info(path), "if_match": self.tag}

    def cat_file(self, path, start, end, if_match):
        with self.lock:
            self.requests.append((start, end))
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
        time.sleep(self.delay)
        with self.lock:
            self.inside -= 1
        if if_match != self.tag:
            raise OSError("another file")
        if self.fail_at is not None and start <= self.fail_at < end:
            raise ConnectionResetError("by the peer")
        return self.data[start:end]


class CountedFs:
    """fsspec's interface over files in memory, by their names; notes each request
    for a size (`asked`) and for a range (`requests`: name, begin, end)."""

    async_impl = False
    protocol = ("counted",)

    def __init__(self, files):
        self.files, self.asked, self.requests = files, [], []

    def __reduce__(self):
        return CountedFs, (self.files,)

    @property
    def bytes(self):
        """Of all ranges."""
        return sum(end - begin for _, begin, end in self.requests)

    def _strip_protocol(self, path):
        return path

    def info(self, path):
        self.asked.append(path)
        return {"name": path, "size": len(self.files[path]), "type": "file"}

    def cat_file(self, path, start, end):
        data = self.files[path][start:end]
        self.requests.append((path, start, start + len(data)))
        return data


def open_fake(fs):
    names, opener = resolve("x", filesystem=fs)
    assert names == ["x"]
    return opener("x")


class OnlyRead:
    def __init__(self, answers):
        self.answers = list(answers)

    def read(self, size):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer
