"""The torch dataset in loaders: shards, resuming, errors."""

import gzip
import itertools
import json
import pickle

import headrace as hr
import processes
import pytest
from headrace.file_ranges import FileRanges
from written import write

torch = pytest.importorskip("torch", reason="the adapter is for it")
from torch.utils.data import DataLoader  # noqa: E402

Dataset = hr.torch.Dataset

RECORDS = 500
SPEC = {"id": hr.FixedLenFeature([], hr.int64)}
CONTEXTS = ["fork", "spawn"]


def write_ids(path, ids):
    return write(path, ({"id": i} for i in ids))


@pytest.fixture
def one_file(tmp_path):
    return write_ids(tmp_path / "all.tfrecord", range(RECORDS))


@pytest.fixture
def many_files(tmp_path):
    """Nine files of 10, 20, ... records."""
    begin = 0
    for i in range(9):
        size = 10 * (i + 1)
        write_ids(tmp_path / f"part-{i}.tfrecord", range(begin, begin + size))
        begin += size
    return str(tmp_path / "part-*.tfrecord")


@pytest.fixture
def three_files(tmp_path):
    """Fewer than ranks times workers, and more than ranks."""
    return [write_ids(tmp_path / f"few-{i}", range(100 * i, 100 * i + 100))
            for i in range(3)]


@pytest.fixture
def compressed_files(three_files):
    for path in three_files[:2]:
        with open(path, "rb") as file:
            data = gzip.compress(file.read())
        with open(path, "wb") as file:
            file.write(data)
    return three_files


@pytest.fixture(params=["one_file", "many_files", "three_files", "compressed_files"])
def files(request):
    return request.getfixturevalue(request.param)


def count(files):
    if isinstance(files, list):
        return 300
    return 450 if "part" in files else RECORDS


def ids_of(batches):
    return [i for batch in batches for i in batch["id"].tolist()]


def load(dataset, workers=2, **options):
    return DataLoader(dataset, batch_size=None, num_workers=workers, **options)


# ------------------------------------------------------------------- Shards


@pytest.mark.parametrize(
    ("files", "context"),
    [("one_file", "fork"), ("many_files", "fork"), ("many_files", "spawn")],
    indirect=["files"],
)
def test_ranks_and_workers_take_every_record_once(files, context):
    parts = []
    for rank in range(2):
        dataset = Dataset(files, spec=SPEC, batch_size=7, rank=rank, world_size=2)
        parts.append(ids_of(load(dataset, multiprocessing_context=context)))
    assert all(parts)
    assert sorted(parts[0] + parts[1]) == list(range(count(files)))


@pytest.mark.parametrize("shard", [(1, 3), [(0, 2), (1, 2)]])
@pytest.mark.parametrize("workers", [0, 2])
def test_a_shard_is_divided_further(files, shard, workers):
    """The rows of a shard are the same, however many read it."""
    with hr.open(files, spec=SPEC, shard=shard) as reader:
        want = ids_of(map(hr.torch.to_torch, reader))
    got = []
    for rank in range(2):
        dataset = Dataset(files, spec=SPEC, shard=shard, rank=rank, world_size=2)
        got += ids_of(load(dataset, workers))
    assert sorted(got) == sorted(want)
    assert 0 < len(got) < count(files)


@pytest.mark.parametrize("options", [{}, {"shuffle": hr.Shuffle(3)}])
def test_workers_of_a_rank_read_its_shard(files, options):
    for rank in range(2):
        with hr.open(files, spec=SPEC, shard=(rank, 2), **options) as reader:
            want = ids_of(map(hr.torch.to_torch, reader))
        dataset = Dataset(files, spec=SPEC, rank=rank, world_size=2, **options)
        assert sorted(ids_of(load(dataset))) == sorted(want)


def test_shards_ranks_and_workers_together(files):
    got = []
    for shard in range(2):
        for rank in range(2):
            dataset = Dataset(
                files, spec=SPEC, shard=(shard, 2), rank=rank, world_size=2
            )
            got += ids_of(load(dataset))
    assert sorted(got) == list(range(count(files)))


def test_every_epoch_of_a_loader_is_whole(one_file):
    loader = load(Dataset(one_file, spec=SPEC), persistent_workers=True)
    for _ in range(2):
        assert sorted(ids_of(loader)) == list(range(RECORDS))


def test_ranks_of_torch_distributed(one_file, monkeypatch):
    """Also in a worker that is spawned, and so does not know of it."""
    dataset = Dataset(one_file, spec=SPEC)
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_rank", lambda: 1)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    want = ids_of(Dataset(one_file, spec=SPEC, rank=1, world_size=2))
    assert ids_of(dataset) == want
    pickled = pickle.dumps(dataset)
    monkeypatch.undo()
    assert ids_of(pickle.loads(pickled)) == want
    assert len(ids_of(dataset)) == RECORDS


RANK = """
import sys
import torch.distributed as dist
import headrace as hr
from torch.utils.data import DataLoader
rank, store, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=2)
spec = {"id": hr.FixedLenFeature([], hr.int64)}
loader = DataLoader(hr.torch.Dataset(path, spec=spec), None, num_workers=2)
print([i for batch in loader for i in batch["id"].tolist()])
dist.destroy_process_group()
"""


def test_two_processes_of_torch_distributed(one_file, tmp_path):
    ranks = [processes.start("-c", RANK, rank, tmp_path / "store", one_file)
             for rank in range(2)]
    parts = [json.loads(rank.communicate(timeout=120)[0]) for rank in ranks]
    assert all(parts)
    assert sorted(parts[0] + parts[1]) == list(range(RECORDS))


@pytest.mark.parametrize("options", [
    {"rank": 1},
    {"world_size": 1},
    {"rank": 2, "world_size": 2},
    {"rank": -1, "world_size": 2},
    {"shard": (2, 2)},
    {"shard": (0, 0)},
])
def test_there_is_no_such_shard(one_file, options):
    with pytest.raises(hr.InvalidArgumentError):
        Dataset(one_file, spec=SPEC, **options)


def test_there_is_no_such_option(one_file):
    with pytest.raises(TypeError, match="batchsize"):
        Dataset(one_file, batchsize=3)


def test_a_bad_spec_is_found_at_once(one_file):
    spec = {"id": hr.FixedLenFeature([], hr.int64, as_=hr.float32)}
    with pytest.raises(hr.BadSpecError, match="id"):
        Dataset(one_file, spec=spec)


# ------------------------------------------------------------------ Workers


@pytest.mark.parametrize("context", CONTEXTS)
def test_kinds_pass_through_workers(tmp_path, context):
    path = str(tmp_path / "kinds.tfrecord")
    with hr.Writer(path) as writer:
        for i in range(8):
            writer.write({"ids": list(range(i % 3)), "tags": [b"a"] * (i % 3)})
    spec = {
        "ids": hr.RaggedFeature("int64"),
        "tags": hr.RaggedFeature("bytes"),
        "some": hr.VarLenFeature("int64", column="ids"),
        "words": hr.VarLenFeature("bytes", column="tags"),
    }
    dataset = Dataset(path, spec=spec)
    (want,) = dataset
    (got,) = load(dataset, 1, multiprocessing_context=context)
    assert got["ids"].values.equal(want["ids"].values)
    assert got["tags"].values == want["tags"].values
    assert got["some"].is_coalesced()
    assert got["some"].to_dense().equal(want["some"].to_dense())
    assert got["words"].values == want["words"].values
    assert got["words"].size == want["words"].size
    (nested,) = load(Dataset(path, spec=spec, ragged="nested"), 1,
                     multiprocessing_context=context)
    assert nested["ids"].values().equal(want["ids"].values)


def test_batches_outlive_the_loader(one_file):
    loader = load(Dataset(one_file, spec=SPEC, batch_size=16))
    batches = list(loader)
    del loader
    assert sorted(ids_of(batches)) == list(range(RECORDS))


def test_a_worker_forked_from_a_process_that_reads(one_file):
    dataset = Dataset(one_file, spec=SPEC, batch_size=16, threads=2)
    here = iter(dataset)
    first = next(here)
    assert sorted(ids_of(load(dataset))) == list(range(RECORDS))
    assert ids_of([first, *here]) == list(range(RECORDS))


def threads_of(batch):
    with open("/proc/self/status") as status:
        return next(line for line in status if line.startswith("Threads:"))


def test_a_worker_starts_no_threads_of_its_own(one_file):
    few, many = (
        next(iter(load(Dataset(one_file, spec=SPEC, transform=threads_of, **options),
                       1)))
        for options in ({}, {"threads": 4})
    )
    assert int(many.split()[1]) - int(few.split()[1]) == 3


def double(batch):
    return {"id": batch["id"] * 2}


def kinds_of_options():
    schema = hr.Schema.from_text('feature { name: "id" type: INT }')
    yield {"spec": hr.Spec(SPEC)}, "id"
    yield {"spec": hr.Plan(SPEC), "columns": ["id"]}, "id"
    yield {"spec": schema}, "id"
    yield {"schema": schema}, "id"
    yield {"columns": ["id"]}, "id"
    yield {"message": "raw"}, "payload"


@pytest.mark.parametrize(("options", "name"), list(kinds_of_options()))
def test_options_pass_through_a_pickle(one_file, options, name):
    dataset = pickle.loads(pickle.dumps(Dataset(one_file, batch_size=100, **options)))
    batches = list(load(dataset, 1))
    assert [batch.keys() for batch in batches] == [{name}] * 5


@pytest.mark.parametrize("workers", [0, 1])
def test_transform(one_file, workers):
    loader = load(Dataset(one_file, spec=SPEC, transform=double), workers)
    assert ids_of(loader) == list(range(0, 2 * RECORDS, 2))


@pytest.mark.parametrize("context", CONTEXTS)
def test_errors_of_workers_keep_their_fields(one_file, context):
    spec = SPEC | {"age": hr.FixedLenFeature([], hr.int64)}
    options = {"multiprocessing_context": context}
    with pytest.raises(hr.MissingFeatureError) as here:
        list(load(Dataset(one_file, spec=spec), 0))
    with pytest.raises(hr.MissingFeatureError) as there:
        list(load(Dataset(one_file, spec=spec), 1, **options))
    error = there.value
    assert type(error) is hr.MissingFeatureError
    assert repr(error) == repr(here.value) and str(error) == str(here.value)
    assert (error.feature, error.record, error.file) == ("age", 0, one_file)
    assert "in DataLoader worker process 0" in error.__notes__[0]
    assert "Traceback" in error.__notes__[0]


def test_errors_of_opening_keep_their_fields(tmp_path):
    missing = str(tmp_path / "missing.tfrecord")
    with pytest.raises(hr.NotFoundError) as caught:
        list(load(Dataset(missing, spec=SPEC), 1))
    assert (caught.value.file, caught.value.filename) == (missing, missing)


def lines(batch):
    raise Mine("two\nlines: {}", feature="a\nb")


class Mine(hr.DataError):
    pass


def test_errors_of_the_caller_become_the_base_known_here(one_file):
    with pytest.raises(hr.DataError) as caught:
        list(load(Dataset(one_file, spec=SPEC, transform=lines), 1))
    error = caught.value
    assert (error.message, error.feature) == ("two\nlines: {}", "a\nb")


# ----------------------------------------------------------------- Resuming


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("after", [0, 1, 7, 31, 32])
def test_resume_without_a_loader(one_file, after, threads):
    options = {"spec": SPEC, "batch_size": 16, "threads": threads}
    whole, dataset = ids_of(Dataset(one_file, **options)), Dataset(one_file, **options)
    batches = iter(dataset)
    begin = ids_of(next(batches) for _ in range(after))
    state = json.loads(json.dumps(dataset.state_dict()))
    other = Dataset(one_file, **options)
    other.load_state_dict(state)
    assert begin + ids_of(other) == whole
    # The one after begins anew, and the first is not disturbed.
    assert ids_of(other) == whole
    assert begin + ids_of(batches) == whole


def test_state_before_iterating_is_the_beginning(one_file):
    dataset = Dataset(one_file, spec=SPEC)
    state = dataset.state_dict()
    assert len(ids_of(dataset)) == RECORDS
    dataset.load_state_dict(state)
    assert len(ids_of(dataset)) == RECORDS


def test_a_loaded_state_is_the_state(one_file):
    dataset = Dataset(one_file, spec=SPEC, batch_size=16)
    next(iter(dataset))
    state = dataset.state_dict()
    other = Dataset(one_file, spec=SPEC, batch_size=16)
    other.load_state_dict(state)
    assert other.state_dict() == state
    batches = iter(other)
    assert other.state_dict() == state
    next(batches)
    other.load_state_dict(state)
    assert other.state_dict() == state


def test_state_of_another_shard_is_refused(one_file):
    ranks = [Dataset(one_file, spec=SPEC, rank=i, world_size=2) for i in range(2)]
    iter(ranks[0])
    ranks[1].load_state_dict(ranks[0].state_dict())
    with pytest.raises(hr.InvalidArgumentError, match="shard"):
        iter(ranks[1])


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("after", [0, 1, 9, 100])
def test_resume_with_a_stateful_loader(files, workers, after):
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    def loader():
        dataset = Dataset(files, spec=SPEC, batch_size=16)
        return stateful.StatefulDataLoader(
            dataset, batch_size=None, num_workers=workers
        )

    whole = [batch["id"].tolist() for batch in loader()]
    first = loader()
    begin = [batch["id"].tolist() for batch in itertools.islice(first, after)]
    state = pickle.loads(pickle.dumps(first.state_dict()))
    second = loader()
    second.load_state_dict(state)
    rest = [batch["id"].tolist() for batch in second]
    # After the end comes the next epoch.
    assert begin + rest == (whole + whole if after > len(whole) else whole)
    assert sorted(sum(whole, [])) == list(range(count(files)))


def test_stateful_loader_raises_what_opening_does(tmp_path):
    stateful = pytest.importorskip("torchdata.stateful_dataloader")
    dataset = Dataset(str(tmp_path / "missing.tfrecord"), spec=SPEC)
    with pytest.raises(hr.NotFoundError):
        list(stateful.StatefulDataLoader(dataset, batch_size=None, num_workers=1))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("shuffle", [None, True])
def test_ranges_of_records(three_files, workers, shuffle):
    ranges = FileRanges(
        (three_files[2], three_files[0], three_files[1]),
        ((10, 60, 100), (95, None, 100), (0, 0, 100)),
    )
    rows = [*range(210, 260), *range(95, 100)]
    dataset = Dataset(ranges, spec=SPEC, batch_size=4, shuffle=shuffle)
    loader = DataLoader(dataset, batch_size=None, num_workers=workers)
    assert sorted(i for batch in loader for i in batch["id"].tolist()) == sorted(rows)
    by_number = hr.torch.MapDataset(ranges, spec=SPEC)
    loader = DataLoader(by_number, batch_size=5, num_workers=workers)
    assert [i for batch in loader for i in batch["id"].tolist()] == rows
