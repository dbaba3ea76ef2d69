"""Lanes of an order: each rank reads the blocks of its own part."""

import gzip
import io
import json
import random
import warnings

import headrace as hr
import numpy as np
import pytest
import records
from headrace.reading.batches import Positions
from headrace.remote import ranges
from records import ids_of, write_people
from wire_bytes import blobs, example, framed, ints

pytestmark = pytest.mark.filterwarnings("ignore::headrace.SharedLanesWarning")

ROWS, BLOCK, WINDOW, BATCH = 16000, 50, 4, 4
BLOCKS = ROWS // BLOCK


def place(n, lanes, turn, position):
    """Where docs/formats/order.md says that the row is in the order without lanes."""
    size = n // (lanes * turn) * turn
    if position >= lanes * size:
        return position
    number = position // turn
    return number % lanes * size + number // lanes * turn + position % turn


# ------------------------------------------------------------------- hr.order


def test_the_example_of_the_page():
    options = {"block": 3, "window": 2, "lanes": 2, "turn": 2}
    assert hr.order(10, 7, 2, range(10), **options).tolist() == [
        9, 4, 2, 7, 5, 3, 0, 8, 1, 6]


@pytest.mark.parametrize("limit", [60, 3000, 10**6, 2**64])
def test_an_order_of_lanes_is_the_one_without_dealt_out(limit):
    rng = random.Random(limit)
    for _ in range(300):
        n = rng.randrange(1, limit)
        block, window = rng.randrange(1, n + 1), rng.randrange(1, 10)
        lanes, turn = (int(limit ** rng.random()) for _ in range(2))
        lanes, turn = max(lanes, 1), max(turn, 1)
        positions = [rng.randrange(n) for _ in range(20)] + [0, n - 1]
        found = hr.order(n, 3, 1, positions, block=block, window=window, lanes=lanes,
                         turn=turn)
        places = [place(n, lanes, turn, position) for position in positions]
        assert found.tolist() == hr.order(
            n, 3, 1, places, block=block, window=window).tolist()


# ------------------------------------------------------------------- What is read


def person(i):
    # Bytes that no compression makes fewer.
    return example({"id": ints(i), "x": blobs(random.Random(i).randbytes(50))})


PAYLOADS = [person(i) for i in range(ROWS)]


@pytest.fixture(scope="module", params=["plain", "blocks", "index"])
def file(request, tmp_path_factory):
    """The file, which is its own gzip stream with an index, or says itself where it can
    be inflated from, or is not compressed."""
    path = tmp_path_factory.mktemp("lanes") / "a.tfrecord"
    if request.param == "plain":
        path.write_bytes(framed(PAYLOADS))
        return path
    path = path.with_suffix(".tfrecord.gz")
    if request.param == "index":
        path.write_bytes(gzip.compress(framed(PAYLOADS), 1))
        hr.index(path, checkpoint_bytes=1 << 16)
        return path
    with hr.Writer(path, block_bytes=4096) as writer:
        for payload in PAYLOADS:
            writer.write(payload)
    return path


@pytest.fixture
def remote(file, monkeypatch):
    """Opens the file where its reads are counted."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe(f"/lanes_test/{file.name}", file.read_bytes())
    monkeypatch.setattr(ranges, "_SEEK_RANGE", 1)
    read = []
    readinto = ranges.RangeReader.readinto

    def counted(self, buffer):
        read.append(readinto(self, buffer))
        return read[-1]

    monkeypatch.setattr(ranges.RangeReader, "readinto", counted)
    hr.index(f"memory://lanes_test/{file.name}", directory=str(file.parent))
    yield (lambda: hr.Dataset(f"memory://lanes_test/{file.name}", columns=["id"],
                              index=file.parent)), read
    memory.rm("/lanes_test", recursive=True)


def blocks_of(batches):
    return {i // BLOCK for i in ids_of(batches)}


@pytest.mark.parametrize("ranks", [2, 8])
@pytest.mark.parametrize("lanes_of_each", [1, 3])
def test_a_rank_reads_its_part_alone(file, ranks, lanes_of_each):
    ds = hr.Dataset(file, columns=["id"])
    found = {}
    for lanes in (1, ranks * lanes_of_each):
        shuffle = hr.Shuffle(5, block=BLOCK, window=WINDOW, lanes=lanes)
        each = [blocks_of(ds.batches(BATCH, shuffle=shuffle, rank=r, world_size=ranks))
                for r in range(ranks)]
        found[lanes] = max(map(len, each))
    assert found[1] >= 0.97 * BLOCKS
    # The windows at both ends of each lane, and the last rows, are shared.
    borders = (2 * lanes_of_each + 1) * WINDOW
    assert found[ranks * lanes_of_each] <= BLOCKS / ranks + borders


@pytest.mark.parametrize("file", ["plain", "blocks"], indirect=True)
def test_the_bytes_that_are_read(file, remote):
    make, read = remote
    ranks, size = 8, file.stat().st_size

    def bytes_of(lanes, **options):
        shuffle = hr.Shuffle(5, block=BLOCK, window=WINDOW, lanes=lanes)
        ds = make()
        ds[[0]]
        read.clear()
        rows = ids_of(ds.batches(BATCH, shuffle=shuffle, **options))
        assert len(rows) > 15900 / options.get("world_size", 1)
        return sum(read) / size

    # Compressed blocks are larger than blocks of rows, and reads begin and end in them.
    once = bytes_of(1)
    for rank in range(ranks):
        assert bytes_of(1, rank=rank, world_size=ranks) > 0.75 * once
        assert bytes_of(ranks, rank=rank, world_size=ranks) < 0.22 * once
    # Several lanes of one process take turns, and no window is read twice.
    for rank, world_size in ((0, 1), (1, 2), (0, 4)):
        assert bytes_of(8, rank=rank, world_size=world_size) < 1.3 / world_size * once
    # All lanes are read by each rank, if they are no multiple of the ranks.
    assert 0.75 * once < bytes_of(8, rank=1, world_size=3) < 1.3 * once


@pytest.mark.parametrize("end", ["pad", "uneven"])
def test_how_rows_are_taken(end):
    """A window of each lane is kept, which is that of the position of each row."""
    shuffle = hr.Shuffle(5, block=10, window=3, lanes=4)
    for batch_size, turn in ((5, 5), (7, 5), (3, 5), (100, 9)):
        positions = Positions(95, 0, batch_size, shuffle=shuffle, world_size=2, rank=1, end=end)
        positions.turn = turn
        for step, rows in enumerate(positions):
            begin = (2 * step + 1) * batch_size
            wanted = [p % 95 // turn % 4 for p in range(begin, begin + len(rows))]
            assert positions.how[:2] == (10, 3)
            assert positions.how.lanes.tolist() == wanted
    for order in (None, hr.Shuffle(5), hr.Shuffle(5, block=10, window=3)):
        positions = Positions(95, 0, 2, shuffle=order)
        next(positions)
        assert positions.how == ((10, 3, None) if order and order.block > 1 else (0, 1, None))


def test_as_many_lanes_as_rows(file):
    ds = hr.Dataset(file, columns=["id"])
    shuffle = hr.Shuffle(5, block=10, window=3, lanes=5)
    core = ds._core
    rows = np.arange(20, dtype=np.uint64)
    with pytest.raises(hr.InvalidArgumentError, match="20 rows do not have 3 lanes"):
        core.take(rows, 10, 2, rows[:3])
    assert ids_of([core.take(rows, 10, 2, rows // 7)]) == list(range(20))
    many = hr.Shuffle(5, block=10, window=3, lanes=2**32 - 1)
    assert ids_of(ds.batches(50, shuffle=many)) == ids_of(
        ds.batches(50, shuffle=hr.Shuffle(5, block=10, window=3)))
    assert ids_of(ds.batches(50, shuffle=shuffle)) != ids_of(ds.batches(50, shuffle=many))


def test_shards_of_shards_have_lanes_of_their_own(file):
    shuffle = hr.Shuffle(5, block=BLOCK, window=WINDOW, lanes=8)
    options = {"shuffle": shuffle, "batch_size": BATCH, "columns": ["id"]}
    parts = [hr.open(file, shard=[(rank, 4), (worker, 2)], **options)
             for rank in range(4) for worker in range(2)]
    batches = [list(part) for part in parts]
    assert max(len(blocks_of(part)) for part in batches) <= BLOCKS / 8 + 3 * WINDOW
    assert sorted(i for part in batches for i in ids_of(part)) == list(range(ROWS))
    # All of them take the batches of one order in turn.
    wanted = hr.order(ROWS, 5, 0, range(ROWS), block=BLOCK, window=WINDOW, lanes=8,
                      turn=BATCH).tolist()
    assert ids_of(batches[0][:1]) == wanted[:BATCH]
    assert ids_of(hr.open(file, **options)) == wanted


# ------------------------------------------------------------------- States


@pytest.fixture(scope="module")
def ds(tmp_path_factory):
    path = tmp_path_factory.mktemp("lanes") / "people.tfrecord"
    write_people(path, 103)
    return hr.Dataset(path, columns=["id"])


LANES = hr.Shuffle(3, block=4, window=3, lanes=4)


def order_of(epoch, turn, shuffle=LANES):
    return hr.order(103, 3, epoch, range(103), block=4, window=3, lanes=shuffle.lanes,
                    turn=turn).tolist()


def test_a_state_has_lanes_and_turn(ds):
    batches = ds.batches(5, shuffle=LANES)
    next(batches)
    assert batches.state_dict() == {
        "version": 1, "epoch": 0, "position": 5, "rows": 103,
        "fingerprint": f"{ds.fingerprint:016x}", "seed": 3, "block": 4, "window": 3,
        "lanes": 4, "turn": 5}
    # Without lanes nothing tells of them.
    one = hr.Shuffle(3, block=4, window=3, lanes=1)
    assert ds.batches(5, shuffle=one).state_dict().keys() == {
        "version", "epoch", "position", "rows", "fingerprint", "seed", "block", "window"}
    worst = batches.state_dict() | {
        "rows": 2**59, "position": 2**59, "epoch": 2**32 - 1, "block": 2**59,
        "seed": 2**64 - 1, "lanes": 2**32 - 1, "turn": 2**48 - 1}
    assert len(json.dumps(worst)) < 250


def test_other_batches_go_on_in_the_turns_of_the_state(ds):
    options = {"shuffle": LANES, "epochs": 3, "end": "uneven"}
    first = ds.batches(5, rank=1, world_size=2, **options)
    for _ in range(4):
        next(first)
    state = json.loads(json.dumps(first.state_dict()))
    assert (state["position"], state["turn"]) == (40, 5)
    # These epochs have unequal numbers of batches, so ranks go on one epoch at a time.
    for size in (1, 7, 64, 200):
        rest = ds.batches(size, state=state, **options)
        assert rest.state_dict() == state
        # Later epochs, and states of these, keep the turns.
        wanted = order_of(0, 5)[40:] + order_of(1, 5) + order_of(2, 5)
        assert ids_of(rest) == wanted
        assert rest.state_dict()["turn"] == 5
        ranks = [ds.batches(size, state=state, rank=r, world_size=3,
                            **(options | {"epochs": 1})) for r in range(3)]
        assert sorted(i for r in ranks for i in ids_of(r)) == sorted(order_of(0, 5)[40:])
    # A job that begins has turns of its own.
    assert ids_of(ds.batches(7, **(options | {"epochs": 1}))) == order_of(0, 7)


def test_loading_again_takes_the_turns_of_the_last_state(ds):
    states = []
    for size in (4, 9):
        batches = ds.batches(size, shuffle=LANES)
        next(batches)
        states.append(batches.state_dict())
    batches = ds.batches(6, shuffle=LANES, end="uneven", prefetch=2)
    next(batches)
    for state, size in zip(states + states[:1], (4, 9, 4), strict=True):
        batches.load_state_dict(state)
        assert ids_of(batches) == order_of(0, size)[size:]


@pytest.mark.parametrize("change, text", [
    ({"lanes": 2}, "another order: lanes 2 instead of 4"),
    ({"lanes": 0}, "another order: lanes 0"),
    ({"turn": 0}, '"the turn of a state" is 0; it takes'),
    ({"turn": 2**50}, '"the turn of a state" is 1125899906842624; it takes'),
    ({"turn": -1}, "its 'turn' is -1"),
    ({"lanes": "4"}, "its 'lanes' is '4'"),
    ({"lanes": None, "turn": None}, "lacks 'lanes'; one of the two has an order with lanes"),
])
def test_wrong_states(ds, change, text):
    batches = ds.batches(5, shuffle=LANES)
    before = batches.state_dict()
    state = {k: v for k, v in (before | change).items() if v is not None}
    with pytest.raises(hr.InvalidArgumentError, match=text):
        batches.load_state_dict(state)
    assert batches.state_dict() == before
    without = hr.Shuffle(3, block=4, window=3)
    with pytest.raises(hr.InvalidArgumentError, match="it has 'lanes'; one of the two has"):
        ds.batches(5, shuffle=without, state=before)
    with pytest.raises(hr.InvalidArgumentError, match="one of the two is shuffled"):
        ds.batches(5, state=before)


# ------------------------------------------------------------------- Arguments


@pytest.mark.parametrize("change, error, text", [
    ({"lanes": 0}, hr.InvalidArgumentError, '"lanes" is 0; it takes a whole number from 1'),
    ({"lanes": 2**32}, hr.InvalidArgumentError, '"lanes" is 4294967296; it takes'),
    ({"lanes": 1.5}, TypeError, '"lanes" is 1.5; it takes a whole number'),
    ({"lanes": True}, TypeError, '"lanes" is true; it takes a whole number'),
    ({"block": 1}, hr.InvalidArgumentError, "lanes have whole blocks.* give block, too"),
    ({"block": 1, "buffer": 5}, hr.InvalidArgumentError, "a buffer has no blocks"),
])
def test_wrong_shuffles(change, error, text):
    with pytest.raises(error, match=text):
        hr.Shuffle(**({"seed": 1, "block": 4, "lanes": 2} | change))


def test_who_takes_no_lanes_says_so(ds):
    with pytest.raises(hr.InvalidArgumentError, match="a mix takes no lanes"):
        hr.mix([(ds, 1)], shuffle=LANES)
    hr.mix([(ds, 1)], shuffle=hr.Shuffle(3, block=4, lanes=1))

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    schema = hr.Schema.from_text('feature { name: "id" type: INT }')
    content = framed(map(records.person, records.people(10)))
    with pytest.raises(hr.InvalidArgumentError, match="give Shuffle a buffer"):
        hr.open(Pipe(content), shuffle=LANES, schema=schema)


def test_small_and_empty_datasets(tmp_path):
    for rows in (0, 1, 2, 5):
        path = tmp_path / str(rows)
        write_people(path, rows)
        ds = hr.Dataset(path, spec={"id": hr.FixedLenFeature([], hr.int64)})
        for end in ("drop", "pad", "uneven"):
            batches = [list(ds.batches(2, shuffle=LANES, rank=rank, world_size=2, end=end))
                       for rank in range(2)]
            found = [i for part in batches for batch in part
                     for i in batch["id"].numpy().tolist()]
            assert (end == "drop" or set(found) == set(range(rows)))
            assert (end != "uneven" or len(found) == rows)


def test_lanes_that_are_shared_are_told_of(ds):
    def batches(**options):
        return ds.batches(5, **({"shuffle": LANES, "world_size": 3} | options))

    with pytest.warns(hr.SharedLanesWarning, match=(
            "4 lanes are not a multiple of 3 ranks .*: every rank reads blocks of 4 lanes, "
            ".* a window of each in memory")):
        batches()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batches(rank=1)
        for ranks in (1, 2, 4):
            batches(world_size=ranks)
        batches(shuffle=hr.Shuffle(3, block=4))
        batches(shuffle=None)


def test_numpy_takes_no_part_of_a_state(ds):
    """JSON can hold it, whatever the arguments were."""
    shuffle = hr.Shuffle(np.int64(3), block=np.int64(4), lanes=np.uint8(4))
    json.dumps(ds.batches(np.int64(5), shuffle=shuffle).state_dict())
