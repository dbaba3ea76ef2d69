"""Which files a folder or a glob stands for, on this machine and in file systems of
fsspec, and what is said of the others; indexes beside files that are replaced."""

import gzip
import os
import warnings

import headrace as hr
import pytest
from headrace.errors import InvalidArgumentError, IoError, NotFoundError

fsspec = pytest.importorskip("fsspec")

USUAL = ["a.tfrecord", "b.tfrec", "c.record", "d.TFRecord",
         "e.record-00000-of-00001", "f.tfrecord.gz-00000-of-00001", "part-r-00000"]


def data(tmp_path_factory):
    path = tmp_path_factory / "one"
    with hr.Writer(path) as writer:
        writer.write({"a": 1})
    found = path.read_bytes()
    path.unlink()
    return found


class Local:
    """A folder of this machine."""

    def __init__(self, tmp_path):
        self.path = str(tmp_path / "d")
        os.mkdir(self.path)
        self.options = {}

    def put(self, name, content):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


class Memory:
    """A folder of a file system of fsspec."""

    def __init__(self, tmp_path):
        self.files = fsspec.filesystem("memory")
        self.path = f"memory://{tmp_path.name}/d"
        self.options = {}

    def put(self, name, content):
        self.files.pipe(f"{self.path}/{name}", content)


@pytest.fixture(params=[Local, Memory])
def folder(request, tmp_path):
    made = request.param(tmp_path)
    made.data = data(tmp_path)
    return made


def rows(paths, **options):
    with hr.open(paths, **options) as reader:
        return sum(batch.num_rows for batch in reader)


def test_usual_names_are_read(folder):
    for name in USUAL:
        folder.put(name, folder.data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rows(folder.path) == len(USUAL)


SURFACES = {
    "open": rows,
    "list": lambda path: rows([path]),
    "threads": lambda path: rows(path, threads=2),
    "shuffled": lambda path: rows(path, shuffle=True),
    "buffered": lambda path: rows(path, shuffle=hr.Shuffle(0, buffer=8)),
    "shard": lambda path: rows(path, shard=(0, 1)),
    "Dataset": hr.Dataset,
    "infer_spec": hr.infer_spec,
    "infer_schema": hr.infer_schema,
    "stats": hr.stats,
    "vocabulary_of": lambda path: hr.vocabulary_of(path, "a"),
    "split": lambda path: hr.split(path, 2),
}


@pytest.mark.parametrize("surface", SURFACES)
def test_others_are_named_with_the_reason(folder, surface):
    folder.put("a.tfrecord", folder.data)
    folder.put("b.tfrecord", folder.data)
    folder.put("x.bin", folder.data)
    folder.put("y.bin.gz", gzip.compress(folder.data))
    folder.put("README.md", b"How to use it.\n")
    folder.put("_SUCCESS", b"")
    folder.put("events.out.tfevents.17.host", folder.data)
    folder.put("more/c.tfrecord", folder.data)
    with pytest.warns(hr.LeftOutFileWarning) as caught:
        SURFACES[surface](folder.path)
    texts = {str(warning.message) for warning in caught
             if warning.category is hr.LeftOutFileWarning}
    assert len(texts) == 2
    assert any("x.bin, y.bin.gz (TFRecord by the first bytes, but not by the name)"
               in text for text in texts)
    assert any("more (a folder; subfolders are not read)" in text
               for text in texts)
    assert all(warning.filename == __file__ for warning in caught
               if warning.category is hr.LeftOutFileWarning)


def test_torch_workers(tmp_path):
    torch = pytest.importorskip("torch")
    made = Local(tmp_path)
    made.put("a.tfrecord", data(tmp_path))
    made.put("x.bin", data(tmp_path))
    with pytest.warns(hr.LeftOutFileWarning, match="x.bin"):
        loader = torch.utils.data.DataLoader(
            hr.torch.Dataset(made.path), batch_size=None, num_workers=0)
        assert len(list(loader)) == 1


def test_a_folder_without_tfrecord_says_what_it_has(folder):
    folder.put("x.bin", folder.data)
    with pytest.raises(NotFoundError, match="x.bin .TFRecord by the first bytes"):
        hr.open(folder.path)


def test_any_depth(folder):
    for name in ("a.tfr", "e/b.tfr", "e/f/c.tfr", ".g/h.tfr", "e/.i.tfr"):
        folder.put(name, folder.data)
    folder.put("e/b.tfr.hri", b"HRI1")
    for pattern, count in (("**", 3), ("**/*.tfr", 3), ("**/*", 3), ("e/**", 2),
                           ("e/*.tfr", 1), ("**/f/*", 1)):
        assert rows(f"{folder.path}/{pattern}") == count, pattern
    for pattern in ("a**", "**.tfr"):
        with pytest.raises(InvalidArgumentError, match="stands for folders"):
            hr.open(f"{folder.path}/{pattern}")


def test_globs_leave_indexes_out(folder):
    folder.put("a.tfrecord", folder.data)
    folder.put("a.tfrecord.hri", b"HRI1")
    folder.put("a.tfrecord.idx", b"0 26\n")
    assert rows(f"{folder.path}/*") == 1
    assert rows(f"{folder.path}/a*") == 1


def test_links_to_nothing_and_pipes_are_errors(tmp_path):
    made = Local(tmp_path)
    made.put("a.tfrecord", data(tmp_path))
    bad = f"{made.path}/b.tfrecord"
    os.symlink("away", bad)
    for call in SURFACES.values():
        for pattern in (made.path, made.path + "/*"):
            with pytest.raises(NotFoundError, match="away") as caught:
                call(pattern)
            assert caught.value.file == bad
    os.remove(bad)
    os.mkfifo(bad)
    for call in SURFACES.values():
        with pytest.raises(IoError, match="a pipe") as caught:
            call(made.path)
        assert caught.value.file == bad


def test_a_writer_removes_the_index_of_what_it_replaces(tmp_path):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(data(tmp_path) * 5)
    (index,) = hr.index(path)
    with hr.Writer(path) as writer:
        writer.write({"a": 1})
        assert os.path.exists(index)
    assert not os.path.exists(index)
    assert len(hr.Dataset(path)) == 1
    (tmp_path / "x.tfrecord.idx").write_text("0 26\n")
    with pytest.warns(hr.StaleIndexWarning, match="x.tfrecord.idx"):
        with hr.Writer(path) as writer:
            writer.write({"a": 1})
    # What headrace did not write stays.
    (tmp_path / "x.tfrecord.idx").unlink()
    (tmp_path / "x.tfrecord.hri").write_text("mine")
    with pytest.warns(hr.StaleIndexWarning, match="x.tfrecord.hri"):
        with hr.Writer(path) as writer:
            writer.write({"a": 1})
    assert (tmp_path / "x.tfrecord.hri").read_text() == "mine"


def test_names_that_headrace_makes_up_never_wait(tmp_path):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(data(tmp_path))
    os.mkfifo(tmp_path / "x.tfrecord.hri")
    assert rows(path) == 1
    with pytest.raises(InvalidArgumentError, match="regular file"):
        hr.Dataset(path)
    with pytest.raises(IoError, match="a pipe or a device"):
        hr.index(path)
    os.remove(tmp_path / "x.tfrecord.hri")
    os.mkfifo(tmp_path / "spec")
    with pytest.raises(IoError, match="nobody writes"):
        hr.open(path, spec=tmp_path / "spec")
    with pytest.raises(IoError, match="nobody writes"):
        hr.open(path, schema=tmp_path / "spec")
    (tmp_path / "precious").write_text("mine")
    os.mkdir(tmp_path / "d")
    (tmp_path / "d" / "x.tfrecord").write_bytes(path.read_bytes())
    os.symlink("../precious", tmp_path / "d" / "x.tfrecord.hri")
    with pytest.raises(IoError, match="a link to"):
        hr.index(tmp_path / "d" / "x.tfrecord")
    with pytest.raises(IoError, match="a link to"):
        rows(tmp_path / "d" / "x.tfrecord", write_index=True)
    assert (tmp_path / "precious").read_text() == "mine"
