"""Rows by number in loaders of PyTorch: MapDataset and Sampler."""

import json
import pickle
import random

import headrace as hr
import numpy as np
import pytest
import records
from headrace.remote import ranges
from written import write

torch = pytest.importorskip("torch", reason="the adapter is for it")
from torch.utils.data import DataLoader  # noqa: E402

MapDataset, Sampler = hr.torch.MapDataset, hr.torch.Sampler

RECORDS = 500
SPEC = {
    "id": hr.FixedLenFeature([], hr.int64),
    "x": hr.FixedLenFeature([2], hr.float32),
    "name": hr.FixedLenFeature([], hr.bytes_),
}
CONTEXTS = ["fork", "spawn"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("map")

    def rows(begin, end):
        return ({"id": i, "x": [float(i), i / 2], "name": b"%d" % i} for i in range(begin, end))

    write(folder / "a-0", rows(0, 300))
    write(folder / "a-1", rows(300, RECORDS))
    return f"{folder}/a-?"


@pytest.fixture
def dataset(files):
    return MapDataset(files, spec=SPEC)


def ids_of(batches):
    return [batch["id"].tolist() for batch in batches]


def order(epoch, seed=7):
    return hr.order(RECORDS, seed, epoch, range(RECORDS)).tolist()


def cut(rows, size):
    return [rows[i:i + size] for i in range(0, len(rows) - size + 1, size)]


def test_rows(dataset):
    assert len(dataset) == RECORDS
    row = dataset[7]
    assert (row["id"], row["x"].tolist(), row["name"]) == (7, [7.0, 3.5], b"7")
    assert dataset[-1]["id"] == RECORDS - 1
    assert [row["id"] for row in dataset.__getitems__([3, 5])] == [3, 5]
    with pytest.raises(IndexError):
        dataset[RECORDS]
    # Whoever knows no __len__ ends at the IndexError.
    assert sum(1 for _ in dataset) == RECORDS


@pytest.mark.parametrize("key", [[5, 3], np.array([5, 3]), slice(5, 2, -2)])
def test_batches_of_tensors(dataset, key):
    batch = dataset[key]
    assert batch["id"].tolist() == [5, 3]
    assert batch["x"].dtype == torch.float32 and batch["x"].shape == (2, 2)
    assert batch["name"] == [b"5", b"3"]


def test_a_dataset_of_ones_own(files):
    own = hr.Dataset(files, columns=["id"])
    dataset = MapDataset(own, transform=lambda row: row["id"])
    assert dataset.dataset is own
    assert dataset[7].tolist() == [7]
    assert [ids.tolist() for ids in dataset.__getitems__([1, 2])] == [[1], [2]]
    with pytest.raises(TypeError, match="takes no options"):
        MapDataset(own, spec=SPEC)
    with pytest.raises(hr.InvalidArgumentError, match="ragged"):
        MapDataset(files, ragged="x")


@pytest.mark.parametrize("workers, context", [(0, None), (2, "fork"), (2, "spawn")])
def test_a_loader_collates_rows(dataset, workers, context):
    loader = DataLoader(dataset, batch_size=50, num_workers=workers,
                        multiprocessing_context=context)
    batches = list(loader)
    assert ids_of(batches) == cut(list(range(RECORDS)), 50)
    assert batches[0]["x"].shape == (50, 2)
    assert batches[0]["name"][:2] == [b"0", b"1"]


@pytest.mark.parametrize("workers, context", [(0, None), (2, "fork"), (2, "spawn")])
@pytest.mark.parametrize("by_row", [False, True])
def test_a_loader_with_a_sampler(dataset, workers, context, by_row):
    sampler = Sampler(dataset, 60, shuffle=True, seed=7)
    how = {"batch_sampler": sampler} if by_row else {
        "sampler": sampler, "batch_size": None}
    loader = DataLoader(dataset, num_workers=workers, multiprocessing_context=context,
                        **how)
    assert len(loader) == 8
    for epoch in range(2):
        assert ids_of(loader) == cut(order(epoch), 60)


def test_epochs(dataset):
    sampler = Sampler(dataset, 100, shuffle=True, seed=7)
    batches = iter(sampler)
    next(batches)
    # It was not read to its end, so it begins anew.
    assert list(sampler) == cut(order(0), 100)
    assert sampler.epoch == 1
    sampler.set_epoch(1)
    assert list(sampler) == cut(order(1), 100)
    sampler.set_epoch(0)
    assert list(sampler) == cut(order(0), 100)
    sampler.set_epoch(9)
    assert list(sampler) == cut(order(9), 100)


@pytest.mark.parametrize("end", ["drop", "pad", "uneven"])
def test_ranks(dataset, end):
    for rank in range(3):
        options = {"shuffle": True, "seed": 7, "rank": rank, "world_size": 3, "end": end}
        sampler = Sampler(dataset, 30, **options)
        batches = dataset.dataset.batches(30, **options)
        assert len(sampler) == batches.steps_of_epoch
        assert list(sampler) == [b["id"].numpy().tolist() for b in batches]
    with pytest.raises(hr.InvalidArgumentError, match="both"):
        Sampler(dataset, 30, rank=1)


def test_any_ranks_go_on(dataset):
    rng = random.Random(3)
    for _ in range(20):
        found, state = [], None
        while len(found) < RECORDS:
            ranks, size = rng.randrange(1, 9), rng.choice([1, 7, 20])
            samplers = [Sampler(dataset, size, shuffle=True, seed=7, end="uneven",
                                rank=rank, world_size=ranks, state=state)
                        for rank in range(ranks)]
            iterators = list(map(iter, samplers))
            for _ in range(rng.randrange(1, 6)):
                found += [row for it in iterators for row in next(it, [])]
                state = json.loads(json.dumps(samplers[0].state_dict()))
                if state["epoch"] or state["position"] == RECORDS:
                    break
        assert found == order(0)


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_state_after_any_batch_of_a_loader(dataset, workers):
    """Also where the loader has asked for all batches, which are not used yet."""
    def loader(sampler):
        return DataLoader(dataset, batch_size=None, sampler=sampler,
                          num_workers=workers, multiprocessing_context=context)

    context = "fork" if workers else None
    sampler = Sampler(dataset, 50, shuffle=True, seed=7)
    states = []
    for epoch in range(2):
        at = {"epoch": epoch, "rows": RECORDS}
        for used, _ in enumerate(loader(sampler), 1):
            states.append(sampler.state_dict(batches=used))
            assert states[-1].items() >= {**at, "position": used * 50}.items()
        assert sampler.state_dict(batches=10) == states[-1]
        with pytest.raises(hr.InvalidArgumentError, match="fewer batches than 11"):
            sampler.state_dict(batches=11)
        assert sampler.state_dict()["epoch"] == epoch + 1
        assert sampler.state_dict()["position"] == 0
    for i, state in enumerate(states, 1):
        again = Sampler(dataset, 50, shuffle=True, seed=7, state=state)
        # The first loop is of what is left, which may be nothing.
        rest = (10 - i) % 10
        assert again.state_dict(batches=0) == state
        begins = cut(order(state["epoch"]), 50)[10 - rest:]
        if i in (3, 9, 10, 19):
            assert ids_of(loader(again)) == begins
            assert again.epoch == state["epoch"] + 1
        else:
            assert list(again) == begins
        assert list(again) == cut(order(state["epoch"] + 1), 50)


def test_which_iterator_a_state_is_of(dataset):
    sampler = Sampler(dataset, 50, shuffle=True, seed=7)
    assert len(list(sampler)) == 10
    assert sampler.state_dict(batches=3)["epoch"] == 0
    sampler.set_epoch(1)
    assert sampler.state_dict(batches=3)["epoch"] == 1
    batches = iter(sampler)
    assert sampler.state_dict(batches=0)["epoch"] == 1
    next(batches)
    state = sampler.state_dict()
    assert state == sampler.state_dict(batches=1)
    iter(sampler)
    assert sampler.state_dict()["position"] == 0
    sampler.load_state_dict(state)
    assert sampler.state_dict(batches=2)["position"] == 150
    iter(sampler)
    assert sampler.state_dict(batches=2)["position"] == 150
    uneven = Sampler(dataset, 400, rank=1, world_size=2, end="uneven")
    assert uneven.state_dict(batches=1)["position"] == RECORDS


def test_ranks_are_looked_up_when_it_is_iterated(dataset, monkeypatch):
    sampler = Sampler(dataset, 50, shuffle=True, seed=7)
    given = Sampler(dataset, 50, shuffle=True, seed=7, rank=0, world_size=1)
    group = torch.distributed
    monkeypatch.setattr(group, "is_initialized", lambda: True)
    monkeypatch.setattr(group, "get_rank", lambda: 1)
    monkeypatch.setattr(group, "get_world_size", lambda: 2)
    assert (len(sampler), len(given)) == (5, 10)
    assert sampler.state_dict(batches=2)["position"] == 200
    assert list(sampler) == cut(order(0), 50)[1::2]
    assert list(given) == cut(order(0), 50)


def test_a_loader_asks_in_advance(dataset):
    sampler = Sampler(dataset, 50, shuffle=True, seed=7)
    loader = DataLoader(dataset, batch_size=None, sampler=sampler, num_workers=2,
                        multiprocessing_context="fork")
    batches = iter(loader)
    used = [next(batches)["id"].tolist() for _ in range(3)]
    assert sampler.state_dict()["position"] > 150
    state = sampler.state_dict(batches=3)
    assert state["position"] == 150
    del batches
    again = Sampler(dataset, 50, shuffle=True, seed=7)
    again.load_state_dict(state)
    again.set_epoch(0)  # as trainers do when they go on
    rest = DataLoader(dataset, batch_size=None, sampler=again)
    assert used + ids_of(rest) == cut(order(0), 50)
    assert ids_of(rest) == cut(order(1), 50)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stateful_loader(dataset, workers):
    loaders = pytest.importorskip("torchdata.stateful_dataloader")

    def loader():
        sampler = Sampler(dataset, 100, shuffle=True, seed=7)
        return loaders.StatefulDataLoader(
            dataset, batch_size=None, sampler=sampler, num_workers=workers,
            multiprocessing_context="fork" if workers else None)

    first, used, states = loader(), [], []
    for _ in range(2):
        for batch in first:
            used.append(batch["id"].tolist())
            states.append(pickle.loads(pickle.dumps(first.state_dict())))
    assert used == cut(order(0), 100) + cut(order(1), 100)
    for i, state in enumerate(states[:9], 1):
        second = loader()
        second.load_state_dict(state)
        rest = ids_of(second)
        assert rest == used[i:5 if i <= 5 else 10]
        assert ids_of(second) == cut(order(1 if i <= 5 else 2), 100)


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_blocks_are_read_once(monkeypatch, workers):
    """By each worker, which has every second batch, and so rows of all blocks."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    content = records.framed([b"x" * 1000] * 4096)
    memory.pipe("/torch_map_test/a", content)
    monkeypatch.setattr(ranges, "_SEEK_RANGE", 1)
    read = []
    readinto = ranges.RangeReader.readinto

    def counted(self, buffer):
        read.append(readinto(self, buffer))
        return read[-1]

    try:
        rows = hr.Dataset("memory://torch_map_test/a", message="raw")
        monkeypatch.setattr(ranges.RangeReader, "readinto", counted)
        dataset = MapDataset(rows, transform=lambda batch: sum(read))
        sampler = Sampler(dataset, 64, shuffle=hr.Shuffle(1, block=1024, window=2))
        loader = DataLoader(dataset, batch_size=None, sampler=sampler,
                            num_workers=workers,
                            multiprocessing_context="fork" if workers else None)
        sums = list(loader)
        assert len(sums) == 64
        for total in sums[-max(workers, 1):]:
            assert len(content) <= total < 1.3 * len(content)
    finally:
        memory.rm("/torch_map_test", recursive=True)


def test_wrong_states(dataset):
    sampler = Sampler(dataset, 50, shuffle=True, seed=7)
    state = sampler.state_dict()
    for change in ({"rows": 5}, {"seed": 8}, {"position": -1}, {"x": 1}):
        with pytest.raises(hr.InvalidArgumentError):
            sampler.load_state_dict(state | change)
        with pytest.raises(hr.InvalidArgumentError):
            Sampler(dataset, 50, shuffle=True, seed=7, state=state | change)


@pytest.mark.parametrize("workers", [0, 2])
def test_errors_come_out_of_workers(tmp_path, workers):
    write(tmp_path / "a", ({"id": i} for i in range(20)))
    content = bytearray((tmp_path / "a").read_bytes())
    content[-5] ^= 1
    (tmp_path / "a").write_bytes(content)
    dataset = MapDataset(tmp_path / "a", spec={"id": hr.FixedLenFeature([], hr.int64)})
    loader = DataLoader(dataset, batch_size=10, num_workers=workers)
    with pytest.raises(hr.ChecksumError) as caught:
        list(loader)
    assert (caught.value.record, caught.value.code) == (19, "payload_crc")


def test_reprs(files, dataset):
    sampler = Sampler(dataset, 100, shuffle=True)
    next(iter(sampler))
    assert repr(dataset).startswith("torch.MapDataset(rows=500, files=2, features={'id'")
    assert repr(sampler) == "torch.Sampler(rows=500, batch_size=100, epoch=0, position=0)"
    opened = hr.torch.Dataset("a", spec=SPEC, batch_size=7, shuffle=hr.Shuffle(3), rank=1,
                              world_size=2)
    text = repr(opened)
    for part in ("torch.Dataset('a', batch_size=7, shuffle=Shuffle(seed=3", "rank=1, "
                 "world_size=2", "features={'id': int64"):
        assert part in text
    secret = hr.torch.Dataset(["a", "b"], storage_options={"key": "secret"})
    assert repr(secret) == repr(hr.torch.Dataset(["a", "b"])) == "torch.Dataset(['a', 'b'])"


@pytest.mark.parametrize("make, text", [
    (lambda: MapDataset("a", shuffle=True), 'no option "shuffle"; Dataset.batches'),
    (lambda: hr.torch.Dataset("a", batchsize=4), 'headrace.torch.Dataset has no option '
                                                 '"batchsize"; did you mean "batch_size"'),
    (lambda: hr.torch.Dataset("a", num_workers=4), "option of the DataLoader"),
    (lambda: hr.torch.Dataset("a", paths="b"), "multiple values"),
    (lambda: Sampler([], 5, drop_last=True), "Sampler has no option"),
])
def test_options_that_are_not_there(make, text):
    with pytest.raises(TypeError) as caught:
        make()
    assert text in str(caught.value)
