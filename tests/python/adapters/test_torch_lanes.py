"""Lanes of an order in PyTorch: each worker of each rank reads its own blocks."""

import itertools
import json
import random
import warnings

import headrace as hr
import pytest
from written import write

torch = pytest.importorskip("torch", reason="the adapter is for it")
from torch.utils.data import DataLoader  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::headrace.SharedLanesWarning")

RECORDS, BLOCK, WINDOW, BATCH = 4000, 10, 4, 16
BLOCKS = RECORDS // BLOCK
SPEC = {"id": hr.FixedLenFeature([], hr.int64)}


@pytest.fixture(scope="module", params=["plain", "gzip"])
def file(request, tmp_path_factory):
    name = "a.tfrecord" + (".gz" if request.param == "gzip" else "")
    path = tmp_path_factory.mktemp("lanes") / name
    return write(path, ({"id": i} for i in range(RECORDS)))


def lanes(count):
    return hr.Shuffle(7, block=BLOCK, window=WINDOW, lanes=count)


def order_of(epoch, count, turn=BATCH):
    return hr.order(RECORDS, 7, epoch, range(RECORDS), block=BLOCK, window=WINDOW,
                    lanes=count, turn=turn).tolist()


def opened(file, count, **options):
    return hr.torch.Dataset(
        file, **{"spec": SPEC, "batch_size": BATCH, "shuffle": lanes(count)} | options)


def load(dataset, workers, **options):
    return DataLoader(dataset, batch_size=None, num_workers=workers, **options)


def with_worker(batch):
    """The batch, and which worker made it."""
    worker = torch.utils.data.get_worker_info()
    return {**batch, "worker": 0 if worker is None else worker.id}


def blocks_of_workers(batches):
    found = {}
    for batch in batches:
        ids = batch["id"].tolist()
        found.setdefault(batch["worker"], set()).update(i // BLOCK for i in ids)
    return list(found.values())


def loader_of(how, file, count, workers, rank=0, ranks=1):
    if how == "dataset":
        return load(opened(file, count, rank=rank, world_size=ranks,
                           transform=with_worker), workers)
    rows = hr.torch.MapDataset(file, spec=SPEC, transform=with_worker)
    sampler = hr.torch.Sampler(rows, BATCH, shuffle=lanes(count), end="uneven", rank=rank,
                               world_size=ranks)
    return DataLoader(rows, batch_size=None, sampler=sampler, num_workers=workers)


@pytest.mark.parametrize("how", ["dataset", "sampler"])
@pytest.mark.parametrize("ranks, workers", [(1, 4), (2, 2), (4, 0)])
def test_workers_read_their_own_blocks(file, how, ranks, workers):
    found, ids = [], []
    for rank in range(ranks):
        batches = list(loader_of(how, file, 4, workers, rank, ranks))
        found += blocks_of_workers(batches)
        ids += [i for batch in batches for i in batch["id"].tolist()]
    assert sorted(ids) == list(range(RECORDS))
    assert len(found) == 4
    assert max(map(len, found)) <= BLOCKS / 4 + 3 * WINDOW
    # Without lanes each has rows of most windows.
    without = blocks_of_workers(loader_of(how, file, 1, workers, 0, ranks))
    assert max(map(len, without)) > 0.7 * BLOCKS


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_gives_the_order_for_any_number_of_workers(file, workers):
    for how in ("dataset", "sampler"):
        loader = loader_of(how, file, 4, workers)
        assert [i for batch in loader for i in batch["id"].tolist()] == order_of(0, 4)


def sampler_of(rows, size, rank=0, ranks=1, state=None):
    return hr.torch.Sampler(rows, size, shuffle=lanes(4), end="uneven", rank=rank,
                            world_size=ranks, state=state)


def test_a_sampler_keeps_the_turns_of_a_state(file):
    rows = hr.torch.MapDataset(file, spec=SPEC)
    first = sampler_of(rows, BATCH, 1, 2)
    loop = iter(first)
    for _ in range(5):
        next(loop)
    state = json.loads(json.dumps(first.state_dict(batches=3)))
    assert (state["position"], state["turn"], state["lanes"]) == (6 * BATCH, BATCH, 4)
    other = sampler_of(rows, 37, state=state)
    assert list(itertools.chain(*other)) == order_of(0, 4)[6 * BATCH:]
    # In later epochs, too, and in the states of these.
    assert list(itertools.chain(*other)) == order_of(1, 4)
    other.set_epoch(5)
    assert list(itertools.chain(*other)) == order_of(5, 4)
    assert other.state_dict()["turn"] == other.state_dict(batches=2)["turn"] == BATCH
    assert list(itertools.chain(*sampler_of(rows, 37))) == order_of(0, 4, turn=37)
    with pytest.raises(hr.InvalidArgumentError, match="another order: lanes 4"):
        hr.torch.Sampler(rows, BATCH, shuffle=lanes(2), state=state)


@pytest.mark.parametrize("options", [
    {"num_workers": 0}, {"num_workers": 2},
    {"num_workers": 2, "persistent_workers": True},
    {"num_workers": 2, "persistent_workers": True, "multiprocessing_context": "spawn"}])
def test_a_dataset_keeps_the_turns_of_a_state(file, options):
    first = opened(file, 4)
    for used, _ in enumerate(load(first, 0), 1):
        if used == 6:
            state = json.loads(json.dumps(first.state_dict(batches=used)))
            break
    other = opened(file, 4, batch_size=37)
    loader = DataLoader(other, batch_size=None, **options)
    other.load_state_dict(state)

    def ids():
        return [i for batch in loader for i in batch["id"].tolist()]

    assert ids() == order_of(0, 4)[6 * BATCH:]
    for epoch in (1, 2, 0):
        other.set_epoch(epoch)
        assert ids() == order_of(epoch, 4)
        # A state of the beginning of an epoch has them, too.
        again = opened(file, 4, batch_size=5)
        again.load_state_dict(json.loads(json.dumps(other.state_dict(batches=0))))
        again.set_epoch(epoch)
        assert [i for batch in again for i in batch["id"].tolist()] == order_of(epoch, 4)
    # Its own state, before it is iterated.
    other.set_epoch(3)
    fresh = opened(file, 4, batch_size=9)
    fresh.load_state_dict(state)
    fresh.set_epoch(3)
    saved = fresh.state_dict()
    again = opened(file, 4, batch_size=5)
    again.load_state_dict(saved)
    assert [i for batch in again for i in batch["id"].tolist()] == order_of(3, 4)
    # A job that begins anew has turns of its own.
    again.load_state_dict(opened(file, 4).state_dict())
    assert [i for batch in again for i in batch["id"].tolist()] == order_of(0, 4, turn=5)


def test_kills_under_any_ranks_and_workers(file):
    rng = random.Random(6)
    for epoch in range(2):
        got, state, turn = [], None, None
        while len(got) < RECORDS:
            ranks, workers = rng.randrange(1, 4), rng.choice([0, 0, 1, 2])
            size, steps = rng.choice([16, 48, 100]), rng.randrange(1, 12)
            turn = turn or size
            if steps * ranks * size > RECORDS - len(got):
                steps = None
            each, states = [], []
            for rank in range(ranks):
                dataset = opened(file, 6, batch_size=size, rank=rank, world_size=ranks)
                if state is not None:
                    dataset.load_state_dict(state)
                dataset.set_epoch(epoch)
                batches = itertools.islice(iter(load(dataset, workers)), steps)
                each.append([batch["id"].tolist() for batch in batches])
                if steps is not None:
                    states.append(dataset.state_dict(batches=steps))
            for step in itertools.zip_longest(*each, fillvalue=[]):
                got += itertools.chain(*step)
            assert got == order_of(epoch, 6, turn)[:len(got)]
            if steps is not None:
                assert all(found == states[0] for found in states)
                state = json.loads(json.dumps(states[0]))


def test_shared_lanes_are_told_of_once(file):
    def said(call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        return [str(w.message) for w in caught if w.category is hr.SharedLanesWarning]

    rows = hr.torch.MapDataset(file, spec=SPEC)
    for ranks in (1, 2, 4):
        assert said(lambda n=ranks: sampler_of(rows, BATCH, 0, n)) == []
        dataset = opened(file, 4, rank=0, world_size=ranks)
        assert said(lambda d=dataset: next(iter(d))) == []
    assert said(lambda: sampler_of(rows, BATCH, 1, 3)) == []
    [text] = said(lambda: sampler_of(rows, BATCH, 0, 3))
    assert "4 lanes are not a multiple of 3 ranks" in text
    dataset = opened(file, 4, rank=0, world_size=3)
    assert said(lambda: next(iter(dataset))) == [text]
    assert said(lambda: next(iter(dataset))) == []
