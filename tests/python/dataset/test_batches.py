"""Batches of a dataset: order, ranks, and going on after any kill."""

import json
import os
import pickle
import random
import threading

import headrace as hr
import numpy as np
import pytest
import records
from headrace.remote import ranges
from records import write_people

pytestmark = pytest.mark.filterwarnings("ignore::headrace.SharedLanesWarning")

# How many random jobs are killed and go on; HEADRACE_SLOW_TESTS asks for more.
JOBS = 10_000 if os.environ.get("HEADRACE_SLOW_TESTS") else 300


@pytest.fixture(scope="module")
def ds(tmp_path_factory):
    path = tmp_path_factory.mktemp("batches") / "people.tfrecord"
    write_people(path, 103)
    return hr.Dataset(path, columns=["id"])


def ids(batches):
    return [batch["id"].values.numpy().tolist() for batch in batches]


def flat(lists):
    return [i for items in lists for i in items]


def shuffles():
    return [None, hr.Shuffle(3), hr.Shuffle(3, block=4, window=3), hr.Shuffle(3, block=8),
            hr.Shuffle(3, block=10**6), hr.Shuffle(2**64 - 1, block=5, window=10**9),
            hr.Shuffle(3, block=4, window=3, lanes=3), hr.Shuffle(4, block=9, lanes=8)]


def order_of(rows, shuffle, epoch, turn):
    """The slow way: the order of a whole epoch of batches of this size."""
    if shuffle is None:
        return list(range(rows))
    window = 32 if shuffle.window is None else shuffle.window
    return hr.order(rows, shuffle.seed, epoch, range(rows), block=shuffle.block,
                    window=window, lanes=shuffle.lanes, turn=turn).tolist()


def expected(rows, shuffle, epochs, batch_size, rank, ranks, end):
    """Batches of a rank, by the words of the documentation."""
    batches = []
    for epoch in range(epochs):
        order = order_of(rows, shuffle, epoch, batch_size)
        step = ranks * batch_size
        for begin in range(0, rows, step):
            if end == "drop" and begin + step > rows:
                continue
            first = begin + rank * batch_size
            positions = range(first, first + batch_size)
            if end == "pad":
                batches.append([order[p % rows] for p in positions])
            else:
                batches.append([order[p] for p in positions if p < rows])
    return [batch for batch in batches if batch]


# ------------------------------------------------------------------- Order


@pytest.mark.parametrize("shuffle", shuffles())
@pytest.mark.parametrize("end", ["drop", "pad", "uneven"])
def test_batches_of_ranks(ds, shuffle, end):
    for size, ranks in ((1, 1), (7, 1), (10, 3), (103, 1), (200, 1), (30, 8)):
        for rank in range(ranks):
            batches = ds.batches(size, shuffle=shuffle, epochs=3, end=end, rank=rank,
                                 world_size=ranks)
            wanted = expected(103, shuffle, 3, size, rank, ranks, end)
            assert batches.steps_of_epoch * 3 == len(wanted)
            assert ids(batches) == wanted
            assert next(batches, None) is None


def test_equal_steps(ds):
    for end in ("drop", "pad"):
        steps = {len(list(ds.batches(9, end=end, rank=rank, world_size=5)))
                 for rank in range(5)}
        assert len(steps) == 1


def test_true_stands_for_a_shuffle(ds):
    assert ids(ds.batches(9, shuffle=True, seed=4)) == ids(
        ds.batches(9, shuffle=hr.Shuffle(4)))
    assert ids(ds.batches(9, shuffle=False, seed=4)) == ids(ds.batches(9))
    first, second = np.array_split(ids(ds.batches(103, shuffle=True, epochs=2)), 2)
    assert first.tolist() != second.tolist()


def test_without_end(ds):
    batches = ds.batches(50, epochs=None, shuffle=True)
    assert [next(batches).num_rows for _ in range(100)] == [50] * 100
    assert batches.epoch == 49
    # A rank that never has a batch ends, too.
    for end in ("drop", "uneven"):
        assert list(ds.batches(103, epochs=None, end=end, rank=1, world_size=2)) == []


def test_blocks_are_read_once(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    content = records.framed([b"x" * 1000] * 4096)
    memory.pipe("/batches_test/a", content)
    monkeypatch.setattr(ranges, "_SEEK_RANGE", 1)
    try:
        ds = hr.Dataset("memory://batches_test/a", message="raw")
        shuffle = hr.Shuffle(1, block=1024, window=2)
        read = []
        readinto = ranges.RangeReader.readinto

        def counted(self, buffer):
            read.append(readinto(self, buffer))
            return read[-1]

        monkeypatch.setattr(ranges.RangeReader, "readinto", counted)
        batches = list(ds.batches(64, shuffle=shuffle))
        found = np.concatenate([batch.origins["record"] for batch in batches])
        assert found.tolist() == order_of(4096, shuffle, 0, 64)
        assert len(content) <= sum(read) < 1.3 * len(content)
    finally:
        memory.rm("/batches_test", recursive=True)


# ------------------------------------------------------------------- Resuming


class Job:
    """A job of some ranks that is killed, and goes on, with others where it can.

    It knows what any job knows: in each step every rank asks for a batch, until it
    has no more, and a checkpoint has the states of all.
    """

    def __init__(self, ds, rng, shuffle, epochs):
        self.ds, self.rng = ds, rng
        self.options = {"shuffle": shuffle, "epochs": epochs, "end": "uneven"}
        self.rows = {epoch: [] for epoch in range(epochs)}
        self.states = [None]
        self.sizes = 1, 1
        self.turn = None  # the size of the first batches
        self.went_apart = False

    def run(self, steps):
        """False at the end."""
        sizes = self.rng.randrange(1, 9), self.rng.choice([1, 3, 8, 20])
        if any(state is not None and "steps" in state for state in self.states):
            if sizes != self.sizes:
                self.is_refused(*sizes)
            sizes = self.sizes
        self.sizes = ranks, size = sizes
        self.turn = self.turn or size
        each = [self.ds.batches(size, rank=rank, world_size=ranks,
                                state=self.state_for(rank),
                                prefetch=self.rng.choice([0, 0, 1, 3]),
                                **self.options) for rank in range(ranks)]
        for _ in range(steps):
            given = 0
            for batches in each:
                batch = next(batches, None)
                if batch is not None:
                    given += 1
                    self.rows[batches.epoch] += batch["id"].values.numpy().tolist()
            states = [json.dumps(batches.state_dict()) for batches in each]
            self.states = [json.loads(state) for state in states]
            self.went_apart |= any("steps" in state for state in self.states)
            of_all = [state for state in states if "rank" not in json.loads(state)]
            assert len(set(of_all)) <= 1
            assert all(
                len(state) < 200 + 100 * ("steps" in state) + 50 * ("lanes" in state)
                for state in states)
            if not given:
                return False
        return True

    def state_for(self, rank):
        """That of any rank, unless it says that it is of one alone."""
        of_all = [s for s in self.states if s is None or "rank" not in s]
        return self.rng.choice(of_all) if of_all else self.states[rank]

    def is_refused(self, ranks, size):
        for state in self.states:
            if "steps" in state:
                with pytest.raises(hr.InvalidArgumentError, match="had gone apart"):
                    self.ds.batches(size, rank=ranks - 1, world_size=ranks, state=state,
                                    **self.options)


def test_every_row_once_whatever_is_killed(tmp_path):
    rng = random.Random(5)
    sets = []
    for rows in (1, 17, 64, 150):
        path = tmp_path / f"{rows}"
        write_people(path, rows)
        sets.append(hr.Dataset(path, columns=["id"]))
    kills = apart = 0
    while kills < JOBS:
        ds = rng.choice(sets)
        job = Job(ds, rng, rng.choice(shuffles()), epochs=rng.randrange(1, 4))
        while job.run(rng.randrange(1, 6)):
            kills += 1
        apart += job.went_apart
        for epoch, rows in job.rows.items():
            order = order_of(len(ds), job.options["shuffle"], epoch, job.turn)
            # Not only every row once, but each at its place, while ranks are together.
            assert (sorted(rows) if job.went_apart else rows) == (
                sorted(order) if job.went_apart else order)
    assert apart > JOBS / 50


def ranks_of(ds, states, **options):
    return [ds.batches(4, rank=rank, world_size=len(states), state=state,
                       end="uneven", **options) for rank, state in enumerate(states)]


@pytest.fixture(scope="module")
def ten(tmp_path_factory):
    path = tmp_path_factory.mktemp("batches") / "ten.tfrecord"
    write_people(path, 10)
    return hr.Dataset(path, columns=["id"])


@pytest.mark.parametrize("saved_by", [0, 1])
def test_states_of_ranks_that_went_apart(ten, saved_by):
    """Rank 1 has one batch an epoch, and rank 0 two."""
    ranks = ranks_of(ten, [None] * 2, epochs=3)
    rows = [next(rank)["id"].values.numpy().tolist() for rank in ranks]
    assert [rank.state_dict()["position"] for rank in ranks] == [8, 8]
    assert not any("steps" in rank.state_dict() for rank in ranks)
    rows += [next(rank)["id"].values.numpy().tolist() for rank in ranks]
    assert rows == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9], [4, 5, 6, 7]]
    states = [rank.state_dict() for rank in ranks]
    assert states[0] == states[1]
    assert states[0] | {"steps": 2, "batch_size": 4, "world_size": 2,
                        "end": "uneven"} == states[0]
    rest = ranks_of(ten, [states[saved_by]] * 2, epochs=3)
    assert [flat(ids(rank)) for rank in rest] == [flat(ids(rank)) for rank in ranks]


def test_a_state_after_the_end_of_one_rank_is_for_its_own(ten):
    ranks = ranks_of(ten, [None] * 2, epochs=2)
    for _ in range(3):
        given = [next(rank, None) is not None for rank in ranks]
    assert given == [True, False]
    states = [rank.state_dict() for rank in ranks]
    assert [state["rank"] for state in states] == [0, 1]
    with pytest.raises(hr.InvalidArgumentError, match="rank 0 instead of 1"):
        ranks_of(ten, [states[0]] * 2, epochs=2)
    # With more epochs each goes on where it was.
    rest = ranks_of(ten, states, epochs=3)
    assert [ids(rank) for rank in rest] == [
        [[8, 9], [0, 1, 2, 3], [8, 9]], [[4, 5, 6, 7]]]


@pytest.mark.parametrize("other, text", [
    ({"world_size": 3}, "world_size 2 instead of 3; end=\"drop\" and"),
    ({"batch_size": 5}, "batch_size 4 instead of 5"),
    ({"end": "drop"}, "end uneven instead of drop"),
    ({"end": "pad"}, "end uneven instead of pad"),
])
def test_other_ranks_do_not_go_on_from_ranks_that_went_apart(ten, other, text):
    ranks = ranks_of(ten, [None] * 2, epochs=None)
    for rank in ranks * 7:
        next(rank)
    state = ranks[0].state_dict()
    assert state == ranks[1].state_dict()
    same = {"batch_size": 4, "world_size": 2, "epochs": 9, "end": "uneven"}
    ten.batches(**same, state=state)
    with pytest.raises(hr.InvalidArgumentError) as caught:
        ten.batches(**(same | other), state=state)
    assert "had gone apart" in str(caught.value) and text in str(caught.value)
    with pytest.raises(hr.InvalidArgumentError, match="steps"):
        ten.batches(**same, state=state | {"steps": 2**64 - 1})


def test_ranks_stay_together_where_epochs_have_equal_numbers_of_batches(ten):
    """The last batch of rank 1 is short, but there."""
    every = [ten.batches(3, rank=r, world_size=2, end="uneven", epochs=4)
             for r in range(2)]
    for _ in range(7):
        states = [next(rank) and rank.state_dict() for rank in every]
        assert states[0] == states[1] and "steps" not in states[0]


def test_an_opened_shuffle_of_shards_tells_when_they_are_apart(ten):
    options = {"shuffle": hr.Shuffle(1), "batch_size": 4, "epochs": 2}
    shards = [hr.open(ten.files, shard=(i, 2), **options) for i in range(2)]
    for _ in range(2):
        states = [next(shard) and shard.state_dict() for shard in shards]
    assert states[0] == states[1]
    rest = [hr.open(ten.files, shard=(i, 2), **options) for i in range(2)]
    for reader in rest:
        reader.load_state_dict(states[0])
    assert [ids(reader) for reader in rest] == [ids(reader) for reader in shards]
    with pytest.raises(hr.InvalidArgumentError, match="had gone apart"):
        hr.open(ten.files, **options).load_state_dict(states[0])


@pytest.mark.parametrize("end", ["drop", "pad"])
def test_other_ends_go_on(ds, end):
    for shuffle in shuffles():
        options = {"shuffle": shuffle, "epochs": 2, "end": end, "world_size": 3}
        every = [ids(ds.batches(10, rank=rank, **options)) for rank in range(3)]
        for steps in range(len(every[0]) + 1):
            batches = ds.batches(10, rank=1, **options)
            for _ in range(steps):
                next(batches)
            state = batches.state_dict()
            for rank in range(3):
                rest = ds.batches(10, rank=rank, state=state, **options)
                assert ids(rest) == every[rank][steps:]


def test_a_state_is_small_and_plain(ds):
    shuffle = hr.Shuffle(2**64 - 1, block=2**63, window=2**63)
    batches = ds.batches(5, shuffle=shuffle, epochs=2**32 - 1)
    next(batches)
    assert batches.state_dict() == {
        "version": 1, "epoch": 0, "position": 5, "rows": 103, "seed": 2**64 - 1,
        "block": 103, "window": 1, "fingerprint": f"{ds.fingerprint:016x}"}
    # No file has more than 2^59 records.
    worst = batches.state_dict() | {
        "rows": 2**59, "position": 2**59, "epoch": 2**32 - 1, "block": 2**59}
    assert len(json.dumps(worst)) < 210
    apart = worst | {"steps": 2**59, "batch_size": 2**48 - 1, "world_size": 2**32 - 1,
                     "end": "uneven", "rank": 2**32 - 1}
    assert len(json.dumps(apart)) < 330


def test_another_epoch_after_the_last(ds):
    batches = ds.batches(50)
    assert len(list(batches)) == 2
    state = batches.state_dict()
    assert list(ds.batches(50, state=state)) == []
    assert ids(ds.batches(50, state=state, epochs=2)) == ids(ds.batches(50))
    # What a smaller job has rows for, it gets.
    assert ids(ds.batches(3, state=state)) == [[100, 101, 102]]


@pytest.mark.parametrize("prefetch", [0, 1, 5])
def test_a_batch_that_failed_is_tried_again(path, prefetch):
    payloads = [records.person(row) for row in records.people(20)]
    payloads[12] = b"\xff"
    path.write_bytes(records.framed(payloads))
    batches = hr.Dataset(path, sample=5).batches(5, prefetch=prefetch)
    assert [next(batches).num_rows for _ in range(2)] == [5, 5]
    for _ in range(2):
        state = batches.state_dict()
        with pytest.raises(hr.MalformedError):
            next(batches)
        assert batches.state_dict() == state
        assert state["position"] == 10


def test_pickles(ds):
    batches = ds.batches(10, shuffle=True, epochs=2)
    next(batches)
    again = pickle.loads(pickle.dumps(batches))
    assert ids(again) == ids(batches)


def test_threads_with_batches_of_their_own(ds):
    wanted = ids(ds.batches(7, shuffle=True, epochs=5))
    found = []

    def work():
        found.append(ids(ds.batches(7, shuffle=True, epochs=5)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


# ------------------------------------------------------------------- Wrong states


@pytest.mark.parametrize("change, text", [
    ({"rows": 104}, "rows 104 instead of 103"),
    ({"fingerprint": "0" * 16}, "other data: fingerprint 0000000000000000 instead of"),
    ({"seed": 4}, "another order: seed 4 instead of 3"),
    ({"block": 2}, "another order: block 2 instead of 4"),
    ({"window": 2}, "another order: window 2 instead of 3"),
    ({"position": 104}, "position 104, but there are only 103 rows"),
    ({"position": 2**64}, "'position' is 18446744073709551616"),
    ({"position": 10**1000}, "'position' is 1000"),
    ({"position": -1}, "'position' is -1"),
    ({"position": 1.0}, "'position' is 1.0"),
    ({"position": True}, "'position' is True"),
    ({"position": None}, "'position' is None"),
    ({"epoch": 2**32}, "'epoch' is 4294967296"),
    ({"epoch": "0"}, "'epoch' is '0'"),
    ({"fingerprint": 5}, "'fingerprint' is 5"),
    ({"extra": 5}, "it has 'extra'"),
])
def test_states_of_something_else(ds, change, text):
    options = {"shuffle": hr.Shuffle(3, block=4, window=3)}
    batches = ds.batches(5, **options)
    next(batches)
    state = batches.state_dict()
    with pytest.raises(hr.InvalidArgumentError) as caught:
        batches.load_state_dict(state | change)
    assert text in str(caught.value)
    assert batches.state_dict() == state
    with pytest.raises(hr.InvalidArgumentError):
        ds.batches(5, state=state | change, **options)


def test_states_that_lack_something(ds):
    batches = ds.batches(5, shuffle=True)
    state = batches.state_dict()
    for name in state:
        with pytest.raises(hr.InvalidArgumentError, match=f"it lacks '{name}'"):
            batches.load_state_dict({k: v for k, v in state.items() if k != name})
    with pytest.raises(hr.InvalidArgumentError, match="one of the two is shuffled"):
        ds.batches(5, state=state)
    with pytest.raises(hr.InvalidArgumentError, match="one of the two is shuffled"):
        batches.load_state_dict(ds.batches(5).state_dict())
    for wrong in (5, "x", [], json.dumps(state)):
        with pytest.raises(TypeError, match="state_dict"):
            batches.load_state_dict(wrong)


def test_a_state_of_other_data(ds, path):
    write_people(path, 103, seed=9)
    other = hr.Dataset(path, columns=["id"])
    with pytest.raises(hr.InvalidArgumentError, match="other data"):
        other.batches(5, state=ds.batches(5).state_dict())


@pytest.mark.parametrize("change, error", [
    ({"batch_size": 0}, hr.InvalidArgumentError),
    ({"batch_size": -1}, hr.InvalidArgumentError),
    ({"batch_size": 10**30}, hr.InvalidArgumentError),
    ({"batch_size": 1.5}, TypeError),
    ({"batch_size": True}, TypeError),
    ({"rank": 1}, hr.InvalidArgumentError),
    ({"rank": -1, "world_size": 2}, hr.InvalidArgumentError),
    ({"world_size": 0}, hr.InvalidArgumentError),
    ({"world_size": "2"}, TypeError),
    ({"epochs": 0}, hr.InvalidArgumentError),
    ({"epochs": 2**32}, hr.InvalidArgumentError),
    ({"seed": -1}, hr.InvalidArgumentError),
    ({"seed": None}, TypeError),
    ({"end": "stop"}, hr.InvalidArgumentError),
    ({"shuffle": 5}, TypeError),
    ({"shuffle": "yes"}, TypeError),
    ({"shuffle": hr.Shuffle(1, buffer=5)}, hr.InvalidArgumentError),
])
def test_wrong_arguments(ds, change, error):
    with pytest.raises(error):
        ds.batches(**({"batch_size": 4} | change))


@pytest.mark.parametrize("change, error", [
    ({"seed": -1}, hr.InvalidArgumentError),
    ({"seed": 2**64}, hr.InvalidArgumentError),
    ({"seed": "1"}, TypeError),
    ({"block": 0}, hr.InvalidArgumentError),
    ({"window": 0}, hr.InvalidArgumentError),
    ({"buffer": 0}, hr.InvalidArgumentError),
    ({"buffer": 5, "block": 2}, hr.InvalidArgumentError),
    ({"buffer": 5, "window": 2}, hr.InvalidArgumentError),
])
def test_wrong_shuffles(change, error):
    with pytest.raises(error):
        hr.Shuffle(**({"seed": 1} | change))


# ------------------------------------------------------------------- Mixing


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    parts = []
    for rows in (10, 100, 33):
        write_people(folder / f"{rows}", rows)
        parts.append(hr.Dataset(folder / f"{rows}", columns=["id"]))
    return parts


def taken(batches, count):
    """The sources and the ids of some batches."""
    found = []
    for _ in range(count):
        batch = next(batches)
        found.append((batches.source, batch["id"].values.numpy().tolist()))
    return found


def test_a_mix_goes_by_weight(parts):
    weighted = list(zip(parts, (0.6, 0.3, 1e-9), strict=True))
    batches = hr.mix(weighted, batch_size=1, seed=3)
    sources = [batches.source for _ in zip(range(65536), batches, strict=False)]
    counts = np.bincount(sources)
    assert counts[2] == 1 and counts.sum() == 65536
    assert abs(counts[0] - 2 * counts[1]) < 5
    # It is mixed well: no long runs, and parts of it are like the whole.
    for begin in range(0, 65536, 4096):
        assert 0.6 < np.mean(np.array(sources[begin:begin + 4096]) == 0) < 0.73
    again = hr.mix(weighted, batch_size=1, seed=4)
    other = [again.source for _ in zip(range(100), again, strict=False)]
    assert other != sources[:100]


@pytest.mark.parametrize("shuffle", [None, True, hr.Shuffle(1, block=4, window=2)])
def test_each_dataset_of_a_mix_gives_its_epochs(parts, shuffle):
    weighted = list(zip(parts, (5, 2, 3), strict=True))
    batches = hr.mix(weighted, batch_size=7, shuffle=shuffle, seed=3, steps=400)
    rows = {0: [], 1: [], 2: []}
    for batch in batches:
        assert batch.num_rows == 7
        rows[batches.source] += batch["id"].values.numpy().tolist()
    for source, dataset in enumerate(parts):
        size = len(dataset)
        epochs = [rows[source][i:i + size]
                  for i in range(0, len(rows[source]) - size + 1, size)]
        assert len(epochs) > 2
        assert all(sorted(epoch) == list(range(size)) for epoch in epochs)
        assert (epochs[0] == epochs[1]) == (shuffle is None)


def test_a_mix_goes_on_with_any_ranks(parts):
    weighted = list(zip(parts, (5, 2, 3), strict=True))
    options = {"batch_size": 3, "seed": 9}
    every = taken(hr.mix(weighted, **options), 240)
    rng = random.Random(1)
    for _ in range(6):
        found, state = [], None
        while len(found) < 200:
            ranks = rng.randrange(1, 9)
            each = [hr.mix(weighted, rank=rank, world_size=ranks, state=state, **options)
                    for rank in range(ranks)]
            for _ in range(rng.randrange(1, 5)):
                found += [taken(batches, 1)[0] for batches in each]
                states = {json.dumps(batches.state_dict()) for batches in each}
            assert len(states) == 1
            assert len(text := states.pop()) < 200
            state = json.loads(text)
        assert found == every[:len(found)]


def test_rounds_of_a_mix_follow_one_another(parts):
    weighted = [(parts[0], 1), (parts[1], 1)]
    batches = hr.mix(weighted, batch_size=1, seed=9)
    state = batches.state_dict()
    batches.load_state_dict(state | {"batch": 65536 - 50})
    before = taken(batches, 100)
    rows = [row for source, (row,) in before if source == 0]
    assert len(set(zip(rows, rows[1:], strict=False))) > 5
    batches.load_state_dict(state | {"batch": 65536})
    assert taken(batches, 50) == before[50:]


@pytest.mark.parametrize("change, text", [
    ({"batch_size": 4}, "batches of another size: 4"),
    ({"seed": 4}, "another seed: 4"),
    ({"fingerprint": "0" * 16}, "other datasets"),
    ({"batch": 2**60}, "batch"),
    ({"batch": -1}, "'batch' is -1"),
    ({"more": 1}, "it has 'more'"),
])
def test_wrong_states_of_a_mix(parts, change, text):
    weighted = [(parts[0], 1), (parts[1], 1)]
    batches = hr.mix(weighted, batch_size=3, seed=9)
    with pytest.raises(hr.InvalidArgumentError, match=text):
        batches.load_state_dict(batches.state_dict() | change)
    other = hr.mix([(parts[0], 1), (parts[1], 2)], batch_size=3, seed=9)
    with pytest.raises(hr.InvalidArgumentError, match="weights"):
        other.load_state_dict(batches.state_dict())


@pytest.mark.parametrize("datasets, error", [
    ([], hr.InvalidArgumentError), (5, TypeError), ("ab", TypeError), ([5], TypeError),
    ([("a", 1)], TypeError), ([(None, 1)], TypeError),
    ([(0, -1)], hr.InvalidArgumentError), ([(0, 0)], hr.InvalidArgumentError),
    ([(0, float("nan"))], hr.InvalidArgumentError),
    ([(0, float("inf"))], hr.InvalidArgumentError), ([(0, "1")], TypeError),
    ([(0, True)], TypeError),
])
def test_wrong_mixes(parts, datasets, error):
    if isinstance(datasets, list):
        datasets = [
            (parts[0], pair[1]) if isinstance(pair, tuple) and pair[0] == 0 else pair
            for pair in datasets]
    with pytest.raises(error):
        hr.mix(datasets)


def test_a_mix_of_nothing(tmp_path, parts):
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(hr.InvalidArgumentError, match="no rows"):
        hr.mix([(parts[0], 1), (hr.Dataset(tmp_path / "a"), 1)])
