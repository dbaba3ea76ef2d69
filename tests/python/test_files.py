"""Inputs: what resolve makes of them, and reading what the core cannot open."""

import io
import os
import pathlib
import pickle
import socket
import sys
import tempfile
import threading
import time

import pytest
from headrace.errors import (
    InvalidArgumentError,
    IoError,
    MissingPackageError,
    NotFoundError,
)
from headrace.remote.files import resolve
from remote_files import DATA, OnlyRead, memory, no_thread_left, read_all, read_name


# Local paths.


@pytest.mark.parametrize("paths, names", [
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
])
def test_local_paths_are_left_to_the_core(paths, names):
    assert resolve(paths) == (names, None)


def test_bytes_of_a_path_are_kept():
    class Odd:
        def __fspath__(self):
            return b"a\xff"

    assert os.fsencode(resolve(Odd())[0][0]) == b"a\xff"
    assert os.fsencode(resolve("file:///a%FF")[0][0]) == b"/a\xff"


@pytest.mark.parametrize("paths, cls", [
    *((paths, TypeError) for paths in (
        b"a", [b"a"], 3, [None], {"a": 1}, {"a"}, ["a", ["b"]])),
    *((paths, InvalidArgumentError) for paths in (
        [], "", "a\0b", "file://host/a", "file://a")),
])
def test_no_inputs(paths, cls):
    with pytest.raises(cls):
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


def test_directories_are_their_tfrecord_files(memory, tmp_path):
    names = ["b.tfrecord", "a-00001-of-00002", "a-00000-of-00002.gz", "c.tfr"]
    others = ["x.json", "_SUCCESS", ".b.tfrecord.tmp", "m.data-00000-of-00001"]
    for name in [*names, *others, "deeper/x.tfrecord"]:
        memory.pipe(f"/d/{name}", name.encode())
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    for folder in ("memory://d", "memory://d/"):
        found, opener = resolve(folder)
        assert found == [f"memory://d/{name}" for name in sorted(names)]
        assert [read_name(opener, name) for name in found] == [
            name.encode() for name in sorted(names)]
    # Local ones beside what the core cannot open.
    file = io.BytesIO(b"")
    found, opener = resolve([tmp_path, file])
    assert found[:-1] == [str(tmp_path / name) for name in sorted(names)]
    assert read_name(opener, found[0]) == sorted(names)[0].encode()
    (tmp_path / "none").mkdir()
    with pytest.raises(NotFoundError) as caught:
        resolve([tmp_path / "none", file])
    assert caught.value.file == str(tmp_path / "none")


def test_who_looks_for_directories(memory, monkeypatch):
    """A request that is made for names that may be those of directories only."""
    asked = []
    info = type(memory).info
    monkeypatch.setattr(
        type(memory), "info",
        lambda self, path, **more: asked.append(path) or info(self, path, **more))
    memory.pipe("/d/x", b"")
    resolve(["memory://d/a.tfrecord.gz", "memory://d/b-00000-of-00002"])
    assert asked == []
    assert resolve(["memory://d/x", "memory://d/nothing"])[0] == [
        "memory://d/x", "memory://d/nothing"]
    assert asked == ["/d/x", "/d/nothing"]


def test_what_is_missing(memory):
    with pytest.raises(NotFoundError) as caught:
        resolve("memory://d/*")
    assert caught.value.file == "memory://d/*"
    _, opener = resolve("memory://d/x")
    with pytest.raises(NotFoundError) as caught:
        opener("memory://d/x")
    assert caught.value.file == "memory://d/x"
    memory.pipe("/d/y", b"")
    with pytest.raises(NotFoundError) as caught:
        resolve("memory://d")
    assert caught.value.file == "memory://d"
    with pytest.raises(InvalidArgumentError, match="nope"):
        resolve("nope://x")
    with pytest.raises(InvalidArgumentError):
        opener("other")


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingPackageError, match="pip install fsspec") as caught:
        resolve("s3://bucket/key")
    assert isinstance(caught.value, ImportError)


def test_without_the_package_of_a_protocol(monkeypatch):
    pytest.importorskip("fsspec", reason="knows the packages of protocols")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.setitem(sys.modules, "obstore", None)
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
    with pytest.raises(TypeError, match="^filesystem: "):
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
    with pytest.raises(NotFoundError):
        resolve([io.BytesIO(), str(tmp_path / "z*")])
    with pytest.raises(InvalidArgumentError):
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
        with pytest.raises(InvalidArgumentError):
            reader.seek(0)
        with pytest.raises(InvalidArgumentError):
            opener(names[0])
        thread.join()


def write_slowly(descriptor):
    with open(descriptor, "wb", buffering=0) as file:
        for start in range(0, len(DATA), 9973):
            file.write(DATA[start:start + 9973])
            time.sleep(0.001)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_only_read_and_short_reads(kind):
    parts = [DATA[i:i + 7] for i in range(0, 700, 7)]
    reader = open_object(OnlyRead([kind(part) for part in parts] + [b""]))
    assert read_all(reader) == DATA[:700]


@pytest.mark.parametrize("answer", [
    None, "text", 3, b"x" * 11, OSError(5, "input/output"), KeyError("k")])
def test_wrong_answers_of_read(answer):
    reader = open_object(OnlyRead([answer]))
    with pytest.raises(IoError) as caught:
        reader.readinto(bytearray(10))
    assert caught.value.file == "<OnlyRead>"
    if isinstance(answer, Exception):
        assert caught.value.__cause__ is answer


@pytest.mark.parametrize("answer", [None, -1, 11, "x", 1.0])
def test_wrong_answers_of_readinto(answer):
    file = OnlyRead([])
    file.readinto = lambda buffer: answer
    with pytest.raises(IoError):
        open_object(file).readinto(bytearray(10))


def test_non_blocking_socket():
    one, two = socket.socketpair()
    with one, two, one.makefile("rb", buffering=0) as file:
        one.setblocking(False)
        reader = open_object(file)
        with pytest.raises(IoError):
            reader.readinto(bytearray(10))
        two.sendall(b"abc")
        buffer = bytearray(10)
        assert reader.readinto(buffer) == 3


@pytest.mark.parametrize("make", [
    lambda: io.StringIO("x"), lambda: open(__file__),
    lambda: tempfile.NamedTemporaryFile("w+"), lambda: open(os.devnull, "wb"),
])
def test_file_objects_refused(make):
    with make() as file, pytest.raises(InvalidArgumentError):
        resolve(["a", file])


def test_more_file_objects_refused():
    file = io.BytesIO()
    with pytest.raises(InvalidArgumentError):
        resolve([file, file])
    file.close()
    with pytest.raises(InvalidArgumentError, match="closed"):
        resolve(file)


def test_file_objects_of_one_name():
    names, opener = resolve([io.BytesIO(b"1"), io.BytesIO(b"2"), io.BytesIO(b"3")])
    assert names == ["<BytesIO>", "<BytesIO> (2)", "<BytesIO> (3)"]
    assert [read_name(opener, name) for name in names] == [b"1", b"2", b"3"]
