"""Indexes of files, as Python writes them."""

import os
import pathlib
import sys
import threading

import headrace
import pytest
from headrace import _core
from wire_bytes import frame, framed

PAYLOADS = [b"payload %d" % i * (i % 50) for i in range(1000)]




@pytest.fixture
def data(tmp_path):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(framed(PAYLOADS))
    return path


def test_an_index_beside_the_data(data):
    (path,) = headrace.index(data)
    assert path == f"{data}.hri"
    index = pathlib.Path(path).read_bytes()
    assert index[:4] == b"HRI1"
    assert int.from_bytes(index[8:16], "little") == data.stat().st_size
    assert int.from_bytes(index[16:24], "little") == data.stat().st_mtime_ns
    assert int.from_bytes(index[40:48], "little") == len(PAYLOADS)


def test_a_set_of_shards_in_the_order_of_its_names(tmp_path):
    names = [tmp_path / f"x-{i:05}-of-00020" for i in range(20)]
    for i, name in enumerate(names):
        name.write_bytes(framed(PAYLOADS[:i]))
    indexes = headrace.index(f"{tmp_path}/x@20")
    assert indexes == [f"{name}.hri" for name in names]
    for i, index in enumerate(indexes):
        content = pathlib.Path(index).read_bytes()
        assert int.from_bytes(content[40:48], "little") == i


def test_another_folder(data, tmp_path):
    (tmp_path / "indexes").mkdir()
    for directory in (tmp_path / "indexes", str(tmp_path / "indexes")):
        (path,) = headrace.index(str(data), directory=directory)
        assert path == f"{tmp_path}/indexes/x.tfrecord.hri"
        assert os.path.exists(path)
    assert not os.path.exists(f"{data}.hri")
    with pytest.raises(headrace.NotFoundError):
        headrace.index(data, directory=tmp_path / "missing")
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "x.tfrecord").write_bytes(framed(PAYLOADS))
    with pytest.raises(headrace.InvalidArgumentError, match="two files"):
        headrace.index([data, tmp_path / "y/x.tfrecord"], directory=tmp_path)


def test_damage_is_that_of_the_reader(data):
    data.write_bytes(framed(PAYLOADS)[:-3])
    with pytest.raises(headrace.TruncatedError) as caught:
        headrace.index(data)
    assert caught.value.record == 999
    assert caught.value.file == str(data)
    assert not os.path.exists(f"{data}.hri")


def test_verify_looks_at_payloads(data):
    content = bytearray(framed(PAYLOADS))
    content[-5] ^= 1
    data.write_bytes(content)
    headrace.index(data)
    with pytest.raises(headrace.ChecksumError):
        headrace.index(data, verify=True)


def test_inputs_that_cannot_have_one(tmp_path):
    with headrace.Writer(tmp_path / "x.snappy") as writer:
        writer.write(b"")
    with pytest.raises(headrace.InvalidArgumentError, match="snappy"):
        headrace.index(tmp_path / "x.snappy")
    with pytest.raises(headrace.NotFoundError):
        headrace.index(tmp_path / "missing")
    with pytest.raises(headrace.InvalidArgumentError, match="standard input"):
        headrace.index("-")


@pytest.mark.parametrize("arguments", [
    {"verify": 1}, {"progress": "yes"}, {"directory": 5}, {"threads": "x"},
    {"checkpoint_bytes": 1.5},
])
def test_arguments_of_another_type(data, arguments):
    with pytest.raises(TypeError):
        headrace.index(data, **arguments)


def test_remote_files(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/index_test/a.tfrecord", framed(PAYLOADS))
    url = "memory://index_test/a.tfrecord"
    try:
        with pytest.raises(headrace.InvalidArgumentError, match="directory"):
            headrace.index(url)
        (path,) = headrace.index(url, directory=tmp_path)
        assert path == f"{tmp_path}/a.tfrecord.hri"
        index = pathlib.Path(path).read_bytes()
        assert int.from_bytes(index[6:8], "little") == 2  # no time of change
        # Beside a local file, whose index knows its time.
        local = tmp_path / "b.tfrecord"
        local.write_bytes(framed(PAYLOADS))
        paths = headrace.index([url, local], directory=tmp_path)
        flags = [pathlib.Path(p).read_bytes()[6] for p in paths]
        assert flags == [2, 3]
    finally:
        memory.rm("/index_test", recursive=True)


def test_an_exception_of_the_report_ends_the_call(data):
    def report(done, size):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        _core.build_index(
            os.fsencode(data), os.fsencode(f"{data}.hri"), False, 1 << 20, 1,
            None, report)
    with pytest.raises(headrace.CancelledError):
        _core.build_index(
            os.fsencode(data), os.fsencode(f"{data}.hri"), False, 1 << 20, 1,
            None, lambda done, size: True)
    assert not os.path.exists(f"{data}.hri")


class FakeBar:
    """What of tqdm is used."""

    bars: list["FakeBar"] = []

    def __init__(self, **arguments):
        self.total = 0
        self.n = 0
        self.closed = False
        self.bars.append(self)

    def update(self, more):
        self.n += more

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True


def test_progress(data, tmp_path, monkeypatch):
    other = tmp_path / "y"
    other.write_bytes(b"".join(frame(payload) for payload in PAYLOADS[:10]))
    both = data.stat().st_size + other.stat().st_size
    module = type(sys)("tqdm.auto")
    module.tqdm = FakeBar
    monkeypatch.setitem(sys.modules, "tqdm", type(sys)("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    headrace.index([data, other], progress=True)
    (bar,) = FakeBar.bars
    assert (bar.total, bar.n, bar.closed) == (both, both, True)
    headrace.index([data, other])
    assert len(FakeBar.bars) == 1


def test_no_progress_without_tqdm(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert headrace.index(data, progress=True) == [f"{data}.hri"]


def test_no_thread_is_left(data):
    before = threading.active_count()
    headrace.index([data])
    data.write_bytes(b"no records at all")
    with pytest.raises(headrace.NotTfrecordError):
        headrace.index([data])
    assert threading.active_count() == before


def test_compressed_files(tmp_path):
    import gzip

    import random

    path = tmp_path / "x.gz"
    payloads = [random.Random(i).randbytes(3000) for i in range(400)]
    path.write_bytes(gzip.compress(framed(payloads)))
    assert headrace.index(path, threads=2) == [f"{path}.hri"]
    index = (tmp_path / "x.gz.hri").read_bytes()
    headrace.index(path, checkpoint_bytes=1 << 16)
    assert len((tmp_path / "x.gz.hri").read_bytes()) > len(index)
    with pytest.raises(headrace.InvalidArgumentError, match="checkpoint_bytes"):
        headrace.index(path, checkpoint_bytes=1000)


@pytest.mark.parametrize("threads", [1, 3])
def test_reading_writes_it(tmp_path, threads):
    path = tmp_path / "x.gz"
    with headrace.Writer(path) as writer:
        for payload in PAYLOADS * 200:
            writer.write(payload)
    beside = tmp_path / "x.gz.hri"
    options = {"message": "raw", "write_index": True, "threads": threads}
    with headrace.open(path, **options) as reader:
        next(reader)
    assert not beside.exists()  # the file was not read to its end
    list(headrace.open(path, shard=(0, 2), **options))
    assert not beside.exists()
    list(headrace.open(path, **options))
    written = beside.read_bytes()
    headrace.index(path)
    assert beside.read_bytes() == written
    beside.write_bytes(b"stale")
    list(headrace.open(path, **options))
    assert beside.read_bytes() == written
    beside.unlink()
    with pytest.raises(headrace.NotFoundError, match="has no index"):
        next(headrace.open(
            path, message="raw", index="required", byte_range=(0, 10)))
