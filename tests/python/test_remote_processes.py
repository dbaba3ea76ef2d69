"""File systems of fsspec in other processes, and storage_options."""

import concurrent.futures
import multiprocessing
import os

import headrace as hr
import pytest
import records

fsspec = pytest.importorskip("fsspec", reason="has the file systems")
from fsspec.asyn import AsyncFileSystem  # noqa: E402
from fsspec.implementations.dirfs import DirFileSystem  # noqa: E402


class Keyed(AsyncFileSystem):
    """A store that is asked by a thread of its own, for files in a folder, with
    a key."""

    protocol = "keyed"

    def __init__(self, folder=None, key=None, **kwargs):
        super().__init__(**kwargs)
        self.folder, self.key = folder, key

    def _path(self, path):
        if self.key != "mine":
            raise PermissionError(13, "wrong key")
        return os.path.join(self.folder, self._strip_protocol(path).strip("/"))

    async def _info(self, path, **_):
        size = os.stat(self._path(path)).st_size
        return {"name": path, "size": size, "type": "file"}

    async def _cat_file(self, path, start=None, end=None, **_):
        with open(self._path(path), "rb") as file:
            file.seek(start or 0)
            return file.read(None if end is None else end - (start or 0))


fsspec.register_implementation("keyed", Keyed, clobber=True)


@pytest.fixture
def folder(tmp_path):
    records.write_people(tmp_path / "people.tfrecord", 50)
    return tmp_path


def rows(paths, **options):
    return sum(batch.num_rows for batch in hr.open(paths, **options))


def in_child(method, call, *arguments, **options):
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(call, *arguments, **options).result(timeout=60)


@pytest.mark.parametrize("make", [
    lambda folder: Keyed(str(folder), key="mine"),
    lambda folder: DirFileSystem(folder.name, Keyed(str(folder.parent), key="mine")),
], ids=["itself", "within another"])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_file_system_object_in_a_child(folder, method, make):
    filesystem = make(folder)
    # Its thread runs already, and stays behind.
    assert rows("people.tfrecord", filesystem=filesystem) == 50
    assert in_child(method, rows, "people.tfrecord", filesystem=filesystem) == 50
    assert rows("people.tfrecord", filesystem=filesystem) == 50


_inherited = {}


def rows_of_what_was_inherited():
    return rows("people.tfrecord", filesystem=_inherited["filesystem"])


def test_a_file_system_that_is_inherited_and_not_pickled(folder):
    _inherited["filesystem"] = Keyed(str(folder), key="mine")
    assert rows_of_what_was_inherited() == 50
    assert in_child("fork", rows_of_what_was_inherited) == 50


def test_a_scan_in_a_child(folder):
    from headrace.reading.scan import Scan

    _inherited["scan"] = Scan("people.tfrecord", filesystem=Keyed(
        str(folder), key="mine"))
    assert in_child("fork", rows_of_the_scan) == 50


def rows_of_the_scan():
    return sum(batch.num_rows for batch in _inherited["scan"].open())


def test_storage_options(folder):
    options = {"folder": str(folder), "key": "mine"}
    url = "keyed://people.tfrecord"
    assert rows(url, storage_options=options) == 50
    assert in_child("fork", rows, url, storage_options=options) == 50
    assert hr.infer_spec(url, storage_options=options).features
    with pytest.raises(PermissionError, match="wrong key") as caught:
        rows(url, storage_options=options | {"key": "theirs"})
    assert caught.value.file == url
    if polars := pytest.importorskip("polars", reason="the adapter needs it"):
        frame = hr.polars.scan_tfrecord(url, storage_options=options)
        assert frame.select(polars.len()).collect().item() == 50


def test_storage_options_that_are_of_nothing(folder):
    path = folder / "people.tfrecord"
    assert rows(path, storage_options={}) == rows(path, storage_options=None) == 50
    for paths, more in [(path, {}), ("keyed://x", {"filesystem": Keyed("x", "mine")})]:
        with pytest.raises(hr.InvalidArgumentError, match="storage_options"):
            hr.open(paths, storage_options={"key": 1}, **more)
    with pytest.raises(TypeError, match="^storage_options: "):
        hr.open("keyed://x", storage_options="key")
