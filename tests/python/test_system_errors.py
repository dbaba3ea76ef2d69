"""What the system refuses: the class, errno and filename of Python's own errors,
by every way that opens a file."""

import contextlib
import errno
import os
import pickle

import headrace as hr
import pytest
import records

SPEC = '{"message": "example", "features": []}'


def opens(path):
    """By name: what opens `path`."""
    return {
        "open": lambda: hr.open(path),
        "open, mapped": lambda: hr.open(path, mmap=True),
        "open, spec": lambda: list(hr.open(path, spec={"a": hr.VarLenFeature(int)})),
        "infer": lambda: hr.infer_schema(path),
        "Writer": lambda: hr.Writer(path),
        "schema": lambda: hr.open("x", schema=path),
        "spec": lambda: hr.open("x", spec=path),
        "Schema": lambda: hr.Schema.from_file(path),
        "Plan": lambda: hr.Plan(path),
        "decode": lambda: hr.decode([], schema=path),
    }


def assert_is(error, cls, number, path):
    assert isinstance(error, (cls, hr.HeadraceError)) and isinstance(error, cls)
    for same in (error, pickle.loads(pickle.dumps(error))):
        assert isinstance(same, hr.HeadraceError)
        assert (same.errno, same.filename) == (number, str(path))
        assert same.strerror == os.strerror(number)
        assert same.file == str(path)


@contextlib.contextmanager
def nobody():
    """Without the rights of root, which may read and write everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("name", opens(""))
def test_permission_denied(tmp_path, name):
    path = tmp_path / "folder" / "x"
    path.parent.mkdir()
    path.write_bytes(records.framed([records.example({"a": records.ints(1)})]))
    path.chmod(0)
    path.parent.chmod(0o500)  # no new file beside it
    os.chmod(tmp_path, 0o755)
    for folder in tmp_path.parents:
        if folder.owner() == tmp_path.owner() and not os.access(folder, os.X_OK):
            pytest.skip("the folder for tests cannot be entered by others")
    try:
        with nobody():
            if not os.access(tmp_path, os.X_OK, effective_ids=True):
                pytest.skip("the folder for tests cannot be entered by others")
            with pytest.raises(PermissionError) as caught:
                opens(path)[name]()
    finally:
        path.parent.chmod(0o700)
    assert_is(caught.value, PermissionError, errno.EACCES, path)
    assert isinstance(caught.value, hr.IoError)


@pytest.mark.parametrize(
    "name", [name for name in opens("") if name not in ("open", "open, mapped",
                                                        "open, spec", "infer")])
def test_directories(tmp_path, name):
    with pytest.raises(IsADirectoryError) as caught:
        opens(tmp_path)[name]()
    assert_is(caught.value, IsADirectoryError, errno.EISDIR, tmp_path)
    assert isinstance(caught.value, hr.IoError)


@pytest.mark.parametrize("name", opens(""))
def test_missing_files(tmp_path, name):
    path = tmp_path / "nope" / "x"
    with pytest.raises(FileNotFoundError) as caught:
        opens(path)[name]()
    assert_is(caught.value, FileNotFoundError, errno.ENOENT, path)
    assert isinstance(caught.value, hr.NotFoundError)


def test_a_file_where_a_folder_should_be(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(hr.NotFoundError) as caught:
        hr.Writer(tmp_path / "file" / "x")
    assert caught.value.errno == errno.ENOTDIR


class Failing:
    def __init__(self, error):
        self.error = error

    def read(self, size):
        raise self.error


@pytest.mark.parametrize("error, cls", [
    (PermissionError(errno.EPERM, "no"), PermissionError),
    (IsADirectoryError(errno.EISDIR, "no"), IsADirectoryError),
    (TimeoutError("too long"), TimeoutError),
    (ConnectionResetError(errno.ECONNRESET, "by the peer"), ConnectionError),
    (OSError(errno.ENOSPC, "full"), OSError),
], ids=lambda value: getattr(value, "__name__", "") or type(value).__name__)
def test_errors_of_file_objects_keep_their_class(error, cls):
    with pytest.raises(cls) as caught:
        hr.open(Failing(error))
    assert isinstance(caught.value, hr.IoError)
    if error.errno is not None:
        assert caught.value.errno == error.errno


def test_text_that_is_not_utf8_names_its_feature(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(records.framed(
        [records.example({"name": records.blobs(b"fine", b"\xff")})]))
    (batch,) = reader = hr.open(path, bytes_as="string")
    for call in (batch.__arrow_c_array__, batch["name"].__arrow_c_array__):
        with pytest.raises(hr.InvalidArgumentError) as caught:
            call()
        assert caught.value.feature == "name" and caught.value.record == 0
        assert 'feature "name": value 1' in str(caught.value)
    arrow = pytest.importorskip("pyarrow", reason="takes streams")
    reader = hr.open(path, bytes_as="string")
    with pytest.raises(OSError, match='feature "name": value 1'):
        arrow.table(reader)
    assert (reader.error.feature, reader.error.file) == ("name", str(path))
