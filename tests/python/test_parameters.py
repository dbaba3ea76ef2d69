"""Parameters of functions that are made from data: `scale` and `bucketize` of
statistics."""

import headrace as hr
import numpy as np
import pytest
import records
from records import blobs, example, floats, ints


@pytest.fixture(name="write")
def write_fixture(tmp_path):
    def write(*rows):
        path = tmp_path / "rows.tfrecord"
        path.write_bytes(records.framed(rows))
        return path

    return write


def counted(write, *rows):
    return hr.stats(write(*map(example, rows)))


# Statistics.


def test_statistics_by_name(write):
    stats = counted(write, {"age": ints(3)})
    assert stats["age"] is stats.features["age"] and list(stats) == ["age"]
    assert "age" in stats and "agee" not in stats
    with pytest.raises(hr.NoSuchFeatureError, match='did you mean "age"'):
        stats["agee"]


def test_scale(write):
    stats = counted(write, {"n": ints(1, 2, 6), "x": floats(0.5, 1.5, np.nan, np.inf)})
    assert hr.scale(stats["n"]) == hr.scale(3.0, np.std([1, 2, 6]))
    assert hr.scale(stats["x"]) == hr.scale(1.0, 0.5)
    spec = {"m": hr.Matrix({"n": hr.FixedLenFeature(
        [3], hr.int64, map=hr.scale(stats["n"]))}, as_=hr.float32)}
    found = hr.parse_example([example({"n": ints(1, 2, 6)})], spec)["m"].numpy()
    np.testing.assert_allclose(found.mean(), 0, atol=1e-6)
    np.testing.assert_allclose(found.std(), 1, rtol=1e-6)


def test_scale_of_what_has_no_deviation(write):
    stats = counted(
        write, {"tags": blobs(b"a"), "one": ints(3, 3), "none": floats(np.nan),
                "empty": ints(), "both": ints(1)}, {"both": floats(2)})
    for name, text in (
            ("tags", 'feature "tags" has bytes; scale takes'),
            ("one", 'all finite numbers of feature "one" are 3, so their std is 0'),
            ("none", 'feature "none" has no finite numbers'),
            ("empty", 'feature "empty" has no finite numbers'),
            ("both", 'feature "both" has float and int64; scale takes')):
        with pytest.raises(hr.BadSpecError, match=text):
            hr.scale(stats[name])
    with pytest.raises(hr.BadSpecError, match="3.5 and no std"):
        hr.scale(3.5)


def test_bucketize_by_quantiles(write):
    stats = counted(write, *({"age": ints(i), "c": ints(7)} for i in range(100)),
                    {"tags": blobs(b"a")})
    assert stats["age"].quantiles == [0, 0, 4, 9, 24, 49, 74, 89, 94, 98, 99]
    assert stats["c"].quantiles == [7] * 11
    spec = {"j": hr.Jagged({"age": hr.RaggedFeature(
        hr.int64, map=hr.bucketize(stats["age"].quantiles))}, as_=hr.int32)}
    found = hr.parse_example([example({"age": ints(-1, 0, 3, 4, 98, 99, 1000)})], spec)
    assert found["j"].values.tolist() == [0, 2, 2, 3, 10, 11, 11]
    assert stats["tags"].quantiles is None
    with pytest.raises(hr.BadSpecError, match="has no quantiles"):
        hr.bucketize(stats["tags"].quantiles)
