"""Wrong options, attributes and keys are said in words that help."""

import collections.abc
import inspect

import headrace as hr
import numpy as np
import pytest
from records import write_people
from written import write


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("named") / "people.tfrecord"
    write_people(path, 20)
    return path


@pytest.fixture(scope="module")
def batch(people):
    spec = {"id": hr.FixedLenFeature([], hr.int64, 0),
            "r": hr.RaggedFeature(hr.float32), "s": hr.VarLenFeature(hr.float32)}
    return next(hr.open(people, spec=spec))


@pytest.mark.parametrize("call, text", [
    (lambda p: hr.open(p, num_workers=2), 'headrace.open has no option "num_workers"; '
                                          'did you mean "threads"?'),
    (lambda p: hr.open(p, batchsize=2), 'did you mean "batch_size"?'),
    (lambda p: hr.open(p, drop_last=True), 'did you mean "drop_remainder"?'),
    (lambda p: hr.open(p, seed=1), "shuffle=headrace.Shuffle(seed)"),
    (lambda p: hr.open(p, qqqq=1), 'no option "qqqq"'),
    (lambda p: hr.Dataset(p, shuffle=True), 'headrace.Dataset has no option "shuffle"; '
                                            "Dataset.batches"),
    (lambda p: hr.Dataset(p, _plain=1), 'no option "_plain"'),
    (lambda p: hr.Dataset(p).batches(4, drop_last=1), 'Dataset.batches has no option'),
    (lambda p: hr.mix([], batchsize=2), 'headrace.mix has no option "batchsize"; did'),
    (lambda p: hr.split(p, 2, comprssion=2), 'did you mean "compression"?'),
    (lambda p: hr.index(p, num_workers=2), 'headrace.index has no option "num_workers"; '
                                           'did you mean "threads"?'),
    (lambda p: hr.stats(p, thread=2), 'has no option "thread"; did you mean "threads"?'),
    (lambda p: hr.Writer(p, compress="gzip"), 'did you mean "compression"?'),
    (lambda p: hr.infer_spec(p, batchsize=2), 'headrace.infer_spec has no option "batchsize"'),
    (lambda p: hr.infer_spec(p, thread=2), 'did you mean "threads"?'),
    (lambda p: hr.infer_schema(p, num_workers=2), 'headrace.infer_schema has no option '
                                                  '"num_workers"; did you mean "threads"?'),
    (lambda p: hr.vocabulary_of(p, "a", min_cuont=2), 'headrace.vocabulary_of has no '
                                                      'option "min_cuont"; did you mean'),
    (lambda p: hr.vocabulary_of(p, "a", threds=2), 'did you mean "threads"?'),
    (lambda p: hr.to_webdataset(p, "x.tar", spec={}), 'no option "spec"'),
    (lambda p: hr.order(5, 1, 0, [1], blocks=2), 'did you mean "block"?'),
    (lambda p: hr.open(p, shuffle=1000), "True mixes all rows, Shuffle(seed, buffer="),
    (lambda p: hr.Dataset(p).batches(4, shuffle=1000), "Shuffle(seed, buffer="),
])
def test_options(people, call, text):
    with pytest.raises(TypeError) as caught:
        call(people)
    assert text in str(caught.value)


def test_what_is_decorated_keeps_its_signature_and_its_errors(people):
    for function in (hr.open, hr.split, hr.mix, hr.index, hr.order, hr.Dataset.__init__,
                     hr.Dataset.batches, hr.Writer.__init__):
        kinds = {p.kind for p in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds
        assert function.__name__ in ("__init__", function.__qualname__.split(".")[-1])
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        hr.open()
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        hr.open(people, 5)


@pytest.mark.parametrize("get, text", [
    (lambda b: b["r"].numpy(), "values.numpy() returns all values, tolist() and to_dense()"),
    (lambda b: b["r"].offsets, 'did you mean "row_splits"?'),
    (lambda b: b["r"].to_list(), 'did you mean "tolist"?'),
    (lambda b: b["s"].numpy(), "to_dense() is an array"),
    (lambda b: b["id"].to_numpy(), 'did you mean "numpy"?'),
    (lambda b: b.numpy(), 'its features have it: batch["NAME"].numpy()'),
    (lambda b: b.id, 'did you mean batch["id"]?'),
    (lambda b: b.numrows, 'did you mean "num_rows"?'),
    (lambda b: b.qqqq, "'Batch' object has no attribute 'qqqq'"),
    (lambda b: b._numrows, "has no attribute '_numrows'"),
])
def test_attributes(batch, get, text):
    with pytest.raises(AttributeError) as caught:
        get(batch)
    assert text in str(caught.value)
    assert caught.value.obj is not None
    assert not hasattr(batch, "__dataframe__") and hasattr(batch, "num_rows")


@pytest.mark.parametrize("key", [
    np.ones(20, bool), np.arange(3), [1, 2], 5, slice(3), ("id", "r"), None, {}])
def test_rows_of_a_batch(batch, key):
    with pytest.raises(hr.NoSuchFeatureError) as caught:
        batch[key]
    text = str(caught.value)
    assert "A batch has features by name" in text and ".filter(mask)" in text
    assert len(text) < 400


# ------------------------------------------------------------------- Specs


def test_a_spec_is_a_mapping(people):
    spec = hr.infer_spec(people)
    assert isinstance(spec, collections.abc.Mapping)
    assert list(spec) == list(spec.features) == list(spec.keys())
    assert len(spec) == len(spec.features) and "id" in spec and "x" not in spec
    assert isinstance(spec["id"], hr.Feature) and spec.get("x") is None
    assert dict(spec) == dict(spec.features) and bool(hr.Spec({}))
    with pytest.raises(hr.NoSuchFeatureError, match='did you mean "id"'):
        spec["idd"]
    changed = {**spec, "more": hr.FixedLenFeature([], hr.int64, 5)}
    assert next(hr.open(people, spec=changed))["more"].numpy()[0] == 5
    assert hr.Spec(spec) == spec and hash(hr.Spec(spec)) == hash(spec)


def test_a_spec_with_two_mappings_is_not_cut_to_one():
    both = hr.Spec({"a": hr.VarLenFeature(hr.int64)}, {"b": hr.VarLenFeature(hr.int64)})
    assert len(both) == 2 and "b" in both and both["b"] == both.sequence_features["b"]
    lists = hr.ElwcSpec({"a": hr.VarLenFeature(hr.int64)}, {"c": hr.VarLenFeature(hr.int64)})
    assert "c" in lists
    for spec in (both, lists):
        for lose in (dict, list, lambda s: {**s}, lambda s: list(s.items())):
            with pytest.raises(TypeError, match="two mappings: features and"):
                lose(spec)
        assert spec != dict(spec.features)


def test_annotations(tmp_path):
    def spec_of(names: list[str]) -> dict[str, hr.Feature]:
        return {name: hr.FixedLenFeature([], hr.int64) for name in names}

    path = write(tmp_path / "a", [{"x": 1}])
    assert isinstance(spec_of(["x"])["x"], hr.Feature)
    assert next(hr.open(path, spec=spec_of(["x"])))["x"].numpy().tolist() == [1]
