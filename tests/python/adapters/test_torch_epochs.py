"""The torch dataset with shuffled rows: epochs, and states for any workers."""

import itertools
import json
import pickle
import random

import headrace as hr
import pytest
from written import write

torch = pytest.importorskip("torch", reason="the adapter is for it")
from torch.utils.data import DataLoader  # noqa: E402

Dataset = hr.torch.Dataset

RECORDS = 500
SPEC = {"id": hr.FixedLenFeature([], hr.int64)}


@pytest.fixture
def one_file(tmp_path):
    return write(tmp_path / "all.tfrecord", ({"id": i} for i in range(RECORDS)))


def ids_of(batches):
    return [i for batch in batches for i in batch["id"].tolist()]


def load(dataset, workers=2, **options):
    return DataLoader(dataset, batch_size=None, num_workers=workers, **options)


SHUFFLES = [hr.Shuffle(7), hr.Shuffle(7, block=8, window=3)]


def shuffled(files, shuffle=SHUFFLES[0], **options):
    return Dataset(files, **{"spec": SPEC, "batch_size": 7, "shuffle": shuffle} | options)


def order_of(epoch, shuffle=SHUFFLES[0]):
    return hr.order(RECORDS, shuffle.seed, epoch, range(RECORDS), block=shuffle.block,
                    window=shuffle.window or 32).tolist()


@pytest.mark.parametrize("workers, options", [
    (0, {}), (2, {}), (2, {"persistent_workers": True}),
    (2, {"persistent_workers": True, "multiprocessing_context": "spawn"})])
def test_set_epoch(one_file, workers, options):
    # A copy has an epoch of its own, which its workers see.
    first = shuffled(one_file)
    dataset = pickle.loads(pickle.dumps(first))
    loader = load(dataset, workers, **options)
    for epoch in [0, 1, 5, 5, 0]:
        dataset.set_epoch(epoch)
        assert dataset.epoch == epoch
        assert ids_of(loader) == order_of(epoch)
    assert first.epoch == 0
    with pytest.raises(hr.InvalidArgumentError):
        dataset.set_epoch(-1)


@pytest.mark.parametrize("workers", [0, 2])
def test_set_epoch_of_a_buffer_and_of_several_epochs(one_file, workers):
    dataset = shuffled(one_file, hr.Shuffle(7, buffer=1 << 20))
    loader = load(dataset, workers)
    orders = []
    for epoch in [0, 3, 0]:
        dataset.set_epoch(epoch)
        orders.append(ids_of(loader))
    assert orders[0] == orders[2] != orders[1]
    assert sorted(orders[1]) == list(range(RECORDS))
    dataset = shuffled(one_file, epochs=2, batch_size=RECORDS)
    dataset.set_epoch(3)
    assert ids_of(load(dataset, workers)) == order_of(3) + order_of(4)
    in_order = Dataset(one_file, spec=SPEC, epochs=2)
    in_order.set_epoch(3)
    assert sorted(ids_of(load(in_order, workers))) == sorted(2 * list(range(RECORDS)))


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_state_after_each_batch_goes_on_under_any_workers(one_file, workers):
    dataset = shuffled(one_file, batch_size=60)
    loader, states = load(dataset, workers), []
    for epoch in range(2):
        dataset.set_epoch(epoch)
        got = []
        for used, batch in enumerate(loader, 1):
            got += batch["id"].tolist()
            states.append(dataset.state_dict(batches=used))
            if workers == 0:
                assert dataset.state_dict() == states[-1]
            other = shuffled(one_file, batch_size=60)
            other.load_state_dict(json.loads(json.dumps(states[-1])))
            assert other.epoch == epoch
            other.set_epoch(epoch)  # as trainers do when they go on
            assert got + ids_of(other) == order_of(epoch)
        with pytest.raises(hr.InvalidArgumentError, match="fewer batches than 10"):
            dataset.state_dict(batches=10)
    # Workers that live on see a state that is loaded between two loops, too.
    other = shuffled(one_file, batch_size=60)
    rest = load(other, 2, persistent_workers=True)
    for i in (8, 9, 11):
        other.load_state_dict(states[i])
        assert ids_of(rest) == order_of(1 if i > 8 else 0)[60 * (i % 9 + 1):]
        assert other.state_dict(batches=0) == states[i]
    other.set_epoch(2)
    assert ids_of(rest) == order_of(2)


@pytest.mark.parametrize("shuffle", SHUFFLES)
def test_kills_under_any_ranks_and_workers(one_file, shuffle):
    rng = random.Random(5)
    for epoch in range(3):
        got, state = [], None
        while len(got) < RECORDS:
            ranks, workers = rng.randrange(1, 4), rng.choice([0, 0, 1, 2])
            size = rng.choice([7, 20])
            steps = rng.randrange(1, 8)
            if steps * ranks * size > RECORDS - len(got):
                steps = None  # to the end, where some have no last batch
            states = []
            for rank in range(ranks):
                dataset = shuffled(one_file, shuffle, batch_size=size, rank=rank,
                                   world_size=ranks)
                if state is not None:
                    dataset.load_state_dict(state)
                dataset.set_epoch(epoch)
                batches = iter(load(dataset, workers))
                got += ids_of(itertools.islice(batches, steps))
                if steps is not None:
                    states.append(dataset.state_dict(batches=steps))
            assert all(other == states[0] for other in states)
            state = json.loads(json.dumps(states[0])) if states else None
        assert len(got) == RECORDS
        assert sorted(got) == list(range(RECORDS))


def test_a_state_of_what_workers_read(one_file):
    dataset = shuffled(one_file)
    before = dataset.state_dict()
    next(iter(dataset))
    here = dataset.state_dict()
    assert here["reader"]["position"] == 7
    batches = iter(load(dataset, 2))
    next(batches)
    with pytest.raises(hr.InvalidArgumentError, match="StatefulDataLoader"):
        dataset.state_dict()
    assert dataset.state_dict(batches=1) == here
    dataset.load_state_dict(here)
    assert dataset.state_dict() == here
    dataset.load_state_dict(before)
    assert dataset.state_dict() == before


@pytest.mark.parametrize("options", [
    {"shuffle": None}, {"shuffle": hr.Shuffle(7, buffer=1 << 20)}, {"epochs": 2}])
def test_there_is_no_state_after_batches(one_file, options):
    with pytest.raises(hr.InvalidArgumentError):
        shuffled(one_file, **options).state_dict(batches=1)


@pytest.mark.parametrize("change", [
    {"epoch": -1}, {"x": 1}, {"reader": {}}, {"reader": {"seed": 8}},
    {"reader": {"rows": 5}}, {"reader": {"fingerprint": "0" * 16}}])
def test_wrong_states(one_file, change):
    dataset = shuffled(one_file)
    next(iter(dataset))
    state = dataset.state_dict()
    if change.get("reader"):
        change = {"reader": state["reader"] | change["reader"]}
    with pytest.raises(hr.InvalidArgumentError):
        dataset.load_state_dict(state | change)
    with pytest.raises(hr.InvalidArgumentError):
        dataset.load_state_dict({})


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stateful_loader_of_shuffled_rows(one_file, workers):
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    def loader():
        dataset = shuffled(one_file, batch_size=100)
        return dataset, stateful.StatefulDataLoader(
            dataset, batch_size=None, num_workers=workers)

    dataset, first = loader()
    dataset.set_epoch(3)
    states = [pickle.loads(pickle.dumps(first.state_dict())) for _ in first]
    for used, state in enumerate(states, 1):
        dataset, second = loader()
        second.load_state_dict(state)
        assert ids_of(second) == order_of(3)[100 * used:]
        assert dataset.epoch == 3
        dataset.set_epoch(4)
        assert ids_of(second) == order_of(4)


@pytest.mark.parametrize("workers", [0, 2])
def test_ranks_that_went_apart_go_on_as_they_were(one_file, workers):
    """Of 500 rows the last step of an epoch has a batch for rank 0 alone."""
    stateful = pytest.importorskip("torchdata.stateful_dataloader")
    options = {"batch_size": 100, "epochs": 3, "world_size": 2}

    def loaders():
        return [stateful.StatefulDataLoader(shuffled(one_file, rank=rank, **options),
                                            batch_size=None, num_workers=workers)
                for rank in range(2)]

    first, got = loaders(), []
    ranks = [iter(loader) for loader in first]
    for _ in range(5):
        got += [i for rank in ranks for i in ids_of([next(rank)])]
    states = [pickle.loads(pickle.dumps(loader.state_dict())) for loader in first]
    second = loaders()
    for loader, state in zip(second, states, strict=True):
        loader.load_state_dict(state)
    for loader in second:
        got += ids_of(loader)
    assert sorted(got) == sorted(3 * list(range(RECORDS)))


def test_a_state_of_ranks_that_went_apart_is_refused_elsewhere(one_file):
    dataset = shuffled(one_file, batch_size=100, epochs=3, rank=0, world_size=2)
    batches = iter(dataset)
    for _ in range(4):
        next(batches)
    state = json.loads(json.dumps(dataset.state_dict()))
    other = shuffled(one_file, batch_size=100, epochs=3, rank=1, world_size=2)
    other.load_state_dict(state)
    with pytest.raises(hr.InvalidArgumentError, match="shard"):
        next(iter(other))
    with pytest.raises(hr.InvalidArgumentError, match="had gone apart"):
        other.load_state_dict(state | {"shards": None})
    rows = hr.Dataset(one_file, spec=SPEC)
    with pytest.raises(hr.InvalidArgumentError, match="had gone apart"):
        hr.torch.Sampler(rows, 100, shuffle=hr.Shuffle(7), end="uneven", rank=0,
                         world_size=2, state=state["reader"])
