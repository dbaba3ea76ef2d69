"""hr.stats and hr.tfds work, or say which option of the build leaves them out."""

import pytest

import headrace as hr
from headrace import _core


@pytest.fixture(name="path")
def path_fixture(tmp_path):
    path = tmp_path / "a.tfrecord"
    with hr.Writer(path) as writer:
        writer.write({"x": 1})
    return path


def test_stats(path):
    if "stats" not in _core.LEFT_OUT:
        assert hr.stats(path).num_records == 1
        return
    for use in (lambda: hr.stats(path), lambda: hr.Stats.load(path)):
        with pytest.raises(hr.MissingPackageError, match="-Dstats=false"):
            use()


def test_tfds():
    if "tfds" not in _core.LEFT_OUT:
        assert hr.tfds.open
        return
    with pytest.raises(hr.MissingPackageError, match="-Dtfds=false"):
        hr.tfds


def test_the_rest_works(path):
    assert next(hr.open(path))["x"].to_list() == [[1]]
    assert len(hr.Dataset(path)) == 1
    assert "x" in hr.infer_spec(path)
