"""Bars of progress, with a module that stands for tqdm."""

import io
import itertools
import json
import sys
import types

import headrace as hr
import pytest
from headrace.reading.progress import bar
from headrace.reading.reader import Reader
from records import rows_of, write_people


class FakeBar:
    """What headrace uses of tqdm's class."""

    bars = []

    def __init__(self, **arguments):
        self.arguments = arguments
        self.total = arguments["total"]
        self.n = 0
        self.shown = []
        self.is_open = True
        self.bars.append(self)

    def update(self, more):
        assert self.is_open
        self.n += more
        self.shown.append((self.n, self.total))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_open = False


@pytest.fixture
def bars(monkeypatch):
    """All bars that were shown."""
    monkeypatch.setattr(FakeBar, "bars", [])
    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = FakeBar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    return FakeBar.bars


@pytest.fixture
def without_tqdm(monkeypatch):
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails


# The helper.


def test_a_bar_is_told_what_is_done_in_all(bars):
    with bar(100, enabled=True) as update:
        for done in (10, 10, 70, 40, 100):
            update(done)
        assert bars[0].is_open
    (shown,) = bars
    assert shown.arguments == {
        "total": 100, "unit": "B", "unit_scale": True, "desc": None}
    assert [done for done, _ in shown.shown] == [10, 10, 70, 40, 100]
    assert not shown.is_open


@pytest.mark.parametrize("unknown", [None, 0])
def test_a_total_may_be_found_later(bars, unknown):
    with bar(unknown, enabled=True, unit="rows", desc="index") as update:
        update(5)
        update(6, 0)
        update(7, 20)
        update(8)
    assert bars[0].shown == [(5, None), (6, None), (7, 20), (8, 20)]
    assert bars[0].arguments["unit"] == "rows"
    assert bars[0].arguments["desc"] == "index"


def test_a_bar_ends_with_an_error(bars):
    with pytest.raises(KeyError), bar(10, enabled=True) as update:
        update(1)
        raise KeyError
    assert not bars[0].is_open


def test_no_bar_unless_enabled(bars):
    with bar(10, enabled=False) as update:
        update(1)
        update(2, 20)
    assert bars == []


def test_nothing_without_tqdm(without_tqdm, path, capfd):
    with bar(10, enabled=True) as update:
        update(1)
        update(2, 20)
    rows = write_people(path, 500)
    assert rows_of(hr.open(path, progress=True)) == rows
    assert capfd.readouterr() == ("", "")


# Readers.


@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_reader_shows_the_stored_bytes(bars, path, compression, threads):
    rows = write_people(path, 5000, compression=compression)
    size = path.stat().st_size
    reader = hr.open(path, progress=True, batch_size=100, threads=threads)
    assert isinstance(reader, hr.Reader)
    assert bars == []
    assert rows_of(reader) == rows
    (shown,) = bars
    assert shown.arguments["total"] == size
    assert len(shown.shown) == 51  # for every batch, and at the end
    done = [done for done, _ in shown.shown]
    assert done == sorted(done)
    assert shown.shown[-1] == (size, size)
    assert not shown.is_open
    with pytest.raises(StopIteration):
        next(reader)
    with pytest.raises(hr.InvalidArgumentError):
        list(reader)
    assert len(bars) == 1


def test_epochs(bars, path):
    write_people(path, 500)
    size = path.stat().st_size
    assert sum(1 for _ in hr.open(path, progress=True, epochs=3)) == 6
    assert bars[0].arguments["total"] == 3 * size
    assert bars[0].shown[-1] == (3 * size, 3 * size)
    with hr.open(path, progress=True, epochs=None) as reader:
        assert len(list(itertools.islice(reader, 7))) == 7
        assert bars[1].is_open
    assert bars[1].arguments["total"] is None
    assert bars[1].shown[-1] == (4 * size, None)
    assert not bars[1].is_open


def test_a_stream_without_a_size_has_no_total(bars, path):
    class Stream(io.RawIOBase):
        def __init__(self, data):
            self.data = io.BytesIO(data)

        def readable(self):
            return True

        def readinto(self, buffer):
            return self.data.readinto(buffer)

    with hr.Writer(path) as writer:
        for _ in range(100):
            writer.write({"image": bytes(100_000)})
    size = path.stat().st_size
    stream = Stream(path.read_bytes())
    reader = hr.open(stream, progress=True, batch_size=10, sample=1, threads=1)
    assert sum(batch.num_rows for batch in reader) == 100
    assert bars[0].arguments["total"] is None
    done, total = bars[0].shown[0]
    assert 0 < done < size
    assert total is None
    assert bars[0].shown[-1] == (size, size)  # at the end it is known


@pytest.mark.parametrize("close", [
    lambda reader: reader.close(), lambda reader: reader.__exit__(None, None, None),
    lambda reader: reader.__exit__(KeyError, KeyError(), None)])
def test_closing_a_reader_ends_its_bar(bars, path, close):
    write_people(path, 500)
    reader = hr.open(path, progress=True)
    next(reader)
    assert bars[0].is_open
    close(reader)
    assert not bars[0].is_open
    with pytest.raises(hr.InvalidArgumentError, match="closed"):
        next(reader)
    unused = hr.open(path, progress=True)
    close(unused)
    with pytest.raises(hr.InvalidArgumentError, match="closed"):
        next(unused)
    assert len(bars) == 1


def test_dropping_a_reader_ends_its_bar(bars, path):
    write_people(path, 500)
    reader = hr.open(path, progress=True)
    next(reader)
    del reader
    assert not bars[0].is_open


def test_an_error_ends_the_bar(bars, path):
    write_people(path, 500)
    path.write_bytes(path.read_bytes()[:-1])
    reader = hr.open(path, progress=True, batch_size=10)
    with pytest.raises(hr.TruncatedError):
        list(reader)
    assert not bars[0].is_open
    assert len(bars[0].shown) > 10


def test_a_reader_that_resumes_begins_its_bar_there(bars, path):
    rows = write_people(path, 5000)
    size = path.stat().st_size
    options = {"batch_size": 1000, "progress": True, "threads": 1}
    first = hr.open(path, **options)
    got = rows_of([next(first)])
    state = json.loads(json.dumps(first.state_dict()))
    rest = hr.open(path, **options)
    next(rest)
    rest.load_state_dict(state)
    assert not bars[1].is_open
    assert got + rows_of(rest) == rows
    assert len(bars) == 3
    assert bars[2].shown[-1] == (size, size)


def test_batches_without_a_bar_need_no_python(path):
    """The class of a reader that shows nothing takes its batches from the core."""
    write_people(path, 5)
    reader = hr.open(path)
    assert type(reader) is Reader
    assert "__next__" not in vars(Reader)
    assert "__iter__" not in vars(Reader)
    assert type(reader).__next__ is Reader.__base__.__next__
