"""Parameters of functions and groups that are made from data: `scale` and `bucketize`
of statistics, and groups that `infer_spec` proposes."""

import headrace as hr
import numpy as np
import pytest
import records
from records import blobs, example, floats, ints, sequence_example


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


# Groups.

ROWS = [
    example({"I1": ints(1), "I2": ints(4), "C1": blobs(b"a", b"b"), "y": floats(0)}),
    example({"I1": ints(2), "C1": blobs(b"c"), "C2": ints(5), "y": floats(1)}),
]


def test_groups_are_proposed(write):
    path = write(*ROWS)
    spec = hr.infer_spec(path, matrix="I*", jagged=["C*"])
    assert spec == hr.Spec({
        "dense": hr.Matrix({
            "I1": hr.FixedLenFeature([], hr.int64),
            "I2": hr.FixedLenFeature([], hr.int64, 0)}, as_=hr.int64),
        "ids": hr.Jagged({
            "C1": hr.RaggedFeature(hr.bytes_, map=hr.hash_bucket(1024)),
            "C2": hr.RaggedFeature(hr.int64)}, as_=hr.int64),
        "y": hr.FixedLenFeature([], hr.float32),
    })
    batch = next(hr.open(path, spec=spec))
    assert batch["dense"].tolist() == [[1, 4], [2, 0]]
    assert batch["ids"].lengths.tolist() == [2, 1, 0, 1]
    named = hr.infer_spec(path, matrix=["m=I*", "m=y"])
    assert list(named) == ["m", "C1", "C2"] and named["m"].as_ == hr.float32


def test_buckets_for_the_values_of_the_sample(write):
    path = write(*(example({"w": blobs(b"%d" % i)}) for i in range(2000)))
    for sample, buckets in ((0, 4096), (600, 2048), (10, 1024)):
        spec = hr.infer_spec(path, jagged="w", sample=sample)
        made = dict(spec["ids"].features["w"].map[0].arguments)["buckets"]
        # The number of values is an estimate if there are more than 1,024.
        assert made == buckets


def test_members_of_feature_lists(write):
    path = write(sequence_example({"user": ints(3)}, {"films": [ints(1, 2), ints(3)]}))
    spec = hr.infer_spec(path, jagged="*")
    assert spec["ids"].features["films"].sequence
    assert next(hr.open(path, spec=spec))["ids"].tolist() == [
        {"films": [1, 2, 3], "user": [3]}]


def test_groups_that_are_refused(write):
    path = write(*ROWS)
    for options, text in (
            ({"matrix": "dense_*"}, 'no feature that has values matches "dense_\\*"'),
            ({"matrix": "C1"}, 'feature "C1" cannot join matrix "dense": it holds bytes'),
            ({"jagged": "[Cy]*"}, 'feature "y" cannot join jagged "ids": it holds floats'),
            ({"matrix": "=I*"}, "neither a GLOB")):
        with pytest.raises(hr.InvalidArgumentError, match=text):
            hr.infer_spec(path, **options)
    with pytest.raises(TypeError, match="matrix: expected a glob"):
        hr.infer_spec(path, matrix=7)
    with pytest.raises(TypeError, match="jagged: expected a glob"):
        hr.infer_spec(path, jagged=[b"C*"])
    with pytest.raises(TypeError, match='did you mean "matrix"'):
        hr.infer_spec(path, matrx="I*")
