"""hr.grain.DataSource in loaders and pipelines of Grain."""

import pickle

import headrace as hr
import pytest
from written import write

grain = pytest.importorskip("grain.python", reason="the adapter is for it")
from absl import flags  # noqa: E402
from headrace.file_ranges import FileRanges  # noqa: E402

# Processes of Grain look at flags, which programs of absl have parsed.
flags.FLAGS.mark_as_parsed()

SPEC = {"id": hr.FixedLenFeature([], hr.int64), "x": hr.FixedLenFeature([2], hr.float32)}


@pytest.fixture
def source(tmp_path):
    name = write(tmp_path / "a", ({"id": i, "x": [float(i), 1.0]} for i in range(100)))
    return hr.grain.DataSource(name, spec=SPEC)


def test_it_is_a_source(source):
    assert isinstance(source, grain.RandomAccessDataSource)
    assert len(source) == 100
    assert source[7]["id"] == 7
    assert [row["id"] for row in source.__getitems__([3, 5])] == [3, 5]
    with pytest.raises(IndexError):
        source[100]
    assert pickle.loads(pickle.dumps(source))[9]["x"].tolist() == [9, 1]
    assert len(hr.grain.DataSource(source.dataset)) == 100
    assert repr(source) == "DataSource(Dataset(rows=100, files=1))"


def test_ranges_of_records(source):
    name = source.dataset.files[0]
    ranges = FileRanges((name, name), ((90, None, 100), (0, 5, 100)))
    some = hr.grain.DataSource(ranges, spec=SPEC)
    rows = [*range(90, 100), *range(5)]
    assert [some[i]["id"] for i in range(len(some))] == rows
    assert pickle.loads(pickle.dumps(some))[14]["id"] == 4


def test_a_pipeline(source):
    pipeline = grain.MapDataset.source(source).shuffle(seed=1).batch(10)
    batches = [pipeline[i] for i in range(len(pipeline))]
    assert [batch["x"].shape for batch in batches] == [(10, 2)] * 10
    assert sorted(i for batch in batches for i in batch["id"].tolist()) == list(range(100))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader(source, workers):
    sampler = grain.IndexSampler(
        100, shard_options=grain.NoSharding(), shuffle=True, num_epochs=1, seed=3)
    loader = grain.DataLoader(
        data_source=source, sampler=sampler, operations=[grain.Batch(10)],
        worker_count=workers)
    found = [i for batch in loader for i in batch["id"].tolist()]
    assert sorted(found) == list(range(100)) and found != sorted(found)
