"""Exceptions of file objects and of progress: which one comes out of which call."""

import concurrent.futures
import io
import threading

import headrace as hr
import numpy as np
import pytest
import records
from headrace import _core


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.tfrecord"
    records.write_people(path, 1000)
    return path


class Interrupting(io.BytesIO):
    """Raises once, when it comes to byte 3000."""

    def __init__(self, data, error):
        super().__init__(data)
        self.error = error

    def readinto(self, buffer):
        if self.tell() >= 3000 and self.error:
            error, self.error = self.error, None
            raise error
        return super().readinto(memoryview(buffer)[:500])


def test_interrupt_of_a_file_object_comes_out(path):
    spec = {"id": hr.FixedLenFeature([], int)}
    file = Interrupting(path.read_bytes(), KeyboardInterrupt("mine"))
    reader = hr.open(file, spec=spec)
    with pytest.raises(KeyboardInterrupt, match="mine"):
        list(reader)
    assert hr.open(path, spec=spec).__next__()["id"].tolist() == list(range(256))


def test_interrupt_while_columns_are_found(path):
    with pytest.raises(KeyboardInterrupt, match="mine"):
        hr.open(Interrupting(path.read_bytes(), KeyboardInterrupt("mine")))


def test_an_error_while_columns_are_found_comes_where_its_bytes_are(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    reader = hr.open(Interrupting(data, OSError("the first time")))
    with pytest.raises(OSError, match="the first time"):
        list(reader)


def test_an_exception_of_bytes_behind_an_error_does_not_replace_it(path):
    data = bytearray(path.read_bytes())
    data[14] ^= 1
    with pytest.raises(hr.DataError) as caught:
        list(hr.open(Interrupting(data, OSError("behind it"))))
    assert caught.value.code == "payload_crc"


@pytest.mark.parametrize("threads", [1, 4])
def test_the_error_of_a_stream_is_the_exception_of_its_file(path, threads):
    pyarrow = pytest.importorskip("pyarrow", reason="takes streams")
    error = ValueError("mine, and no UTF-8: \udcff")
    spec = {"id": hr.FixedLenFeature([], int)}
    reader = hr.open(Interrupting(path.read_bytes(), error), spec=spec,
                     threads=threads)
    assert reader.error is None
    with pytest.raises(OSError):
        pyarrow.table(reader)
    assert isinstance(reader.error, hr.IoError)
    assert reader.error.__cause__ is error


class Opener:
    """Gives files of these bytes; armed, each raises what `error()` gives."""

    def __init__(self, data):
        self.data = data
        self.error = None

    def __call__(self, name):
        opener = self

        class File(io.BytesIO):
            size = len(opener.data)

            def readinto(self, buffer):
                if opener.error is not None:
                    raise opener.error()
                return super().readinto(buffer)

        return File(self.data)


def dataset_of(opener):
    """A dataset whose files the library's rules for exceptions are tested with."""
    plan = hr.Plan.of({"id": hr.FixedLenFeature([], int)})
    return _core.Dataset([b"a"], plan, {}, opener, lambda done, size: False)


def test_threads_of_a_dataset_get_their_own_exceptions(path):
    opener = Opener(path.read_bytes())
    dataset = dataset_of(opener)
    both = threading.Barrier(2)

    def error():
        both.wait(60)
        return LookupError(threading.get_ident())

    def take(_):
        with pytest.raises(LookupError) as caught:
            dataset.take(np.array([3], np.uint64))
        return caught.value.args[0], threading.get_ident()

    opener.error = error
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found, expected in pool.map(take, range(2)):
            assert found == expected
    opener.error = None
    assert dataset.take(np.array([3], np.uint64))["id"].tolist() == [3]


@pytest.mark.parametrize("call", [
    lambda opener: dataset_of(opener),
    lambda opener: _core.cut_files([b"a"], 2, {}, opener),
    lambda opener: _core.build_index(
        b"a", b"/nowhere/b", False, 1 << 20, 1, opener, bool),
])
@pytest.mark.parametrize("error", [KeyboardInterrupt, LookupError])
def test_exceptions_of_files_come_out_of_every_call(path, call, error):
    opener = Opener(path.read_bytes())
    opener.error = lambda: error("mine")
    with pytest.raises(error, match="mine"):
        call(opener)


def test_exceptions_of_progress_come_out(path):
    opener = Opener(path.read_bytes())

    def progress(done, size):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        _core.Dataset([b"a"], _core.Plan.raw(), {}, opener, progress)
    with pytest.raises(LookupError, match="mine"):
        _core.build_index(b"a", b"/nowhere/b", False, 1 << 20, 1, opener, progress)
