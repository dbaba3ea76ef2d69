"""What a training would notice too late is said at the beginning."""

import subprocess
import sys
import warnings

import headrace as hr
import pytest
from headrace.reading import progress
from written import write

torch = pytest.importorskip("torch", reason="the adapter is for it")
from torch.utils.data import DataLoader  # noqa: E402

RECORDS = 500
SPEC = {"id": hr.FixedLenFeature([], hr.int64)}
ALL = hr.Shuffle(7)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("warnings")
    for name in ("plain.tfrecord", "gzip.tfrecord.gz", "zstd.tfrecord.zst"):
        write(folder / name, ({"id": i} for i in range(RECORDS)))
    return folder


@pytest.fixture
def plain(folder):
    return folder / "plain.tfrecord"


def said(call):
    """The classes and texts of the warnings of headrace."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(w.category, str(w.message)) for w in caught
            if w.category.__module__ == "headrace.warnings"]


def classes(call):
    return [category for category, _ in said(call)]


def open_slowly(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0)


# ------------------------------------------------------------------- Ranks


@pytest.mark.parametrize("options, warns", [
    ({}, "may have"), ({"drop_remainder": True}, "may have"), ({"epochs": None}, None),
    ({"shuffle": ALL, "batch_size": 100}, "2 ranks have unequal parts of 5 batches"),
    ({"shuffle": ALL, "batch_size": 125}, None),
    ({"shuffle": ALL, "batch_size": 100, "drop_remainder": True}, None),
    ({"shuffle": ALL, "batch_size": 100, "shard": (1, 2)}, None),
    ({"shuffle": ALL, "batch_size": 100, "shard": (0, 2)}, "parts of 3 batches"),
    ({"shuffle": ALL, "batch_size": 100, "epochs": None}, None),
    ({"shuffle": ALL, "batch_size": 100, "world_size": 5}, None),
    ({"shuffle": ALL, "batch_size": 100, "world_size": 1}, None),
    ({"shuffle": ALL, "batch_size": 100, "rank": 1}, None),
    ({"shuffle": hr.Shuffle(7, buffer=1 << 20)}, "may have"),
])
def test_ranks_of_unequal_numbers_of_batches(plain, options, warns):
    options = {"rank": 0, "world_size": 2, "spec": SPEC} | options
    dataset = hr.torch.Dataset(plain, **options)
    found = said(lambda: next(iter(dataset), None))
    assert [category for category, _ in found] == [hr.UnevenRanksWarning] * bool(warns)
    for _, text in found:
        assert warns in text and 'Sampler(end="drop")' in text
    assert said(lambda: next(iter(dataset), None)) == []


LOOPS = """
import sys
import headrace as hr
from torch.utils.data import DataLoader

if __name__ == "__main__":
    dataset = hr.torch.Dataset(sys.argv[1], rank=0, world_size=2)
    loader = DataLoader(dataset, batch_size=None, num_workers=2,
                        multiprocessing_context=sys.argv[2])
    for _ in range(2):
        list(loader)
"""


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_one_worker_says_it_once(plain, context, tmp_path):
    (tmp_path / "loops.py").write_text(LOOPS)
    ran = subprocess.run([sys.executable, tmp_path / "loops.py", plain, context],
                         check=True, capture_output=True, text=True)
    assert ran.stderr.count("UnevenRanksWarning: ") == 1


# ------------------------------------------------------------------- Checkpoints


@pytest.mark.parametrize("name, options, warns", [
    ("gzip.tfrecord.gz", {"shuffle": ALL}, True),
    ("gzip.tfrecord.gz", {"shuffle": True}, True),
    ("zstd.tfrecord.zst", {"shuffle": ALL}, True),
    ("*.tfrecord.*", {"shuffle": ALL}, True),
    ("plain.tfrecord", {"shuffle": ALL, "on_row_error": "skip"}, True),
    ("plain.tfrecord", {"shuffle": ALL, "compression": "gzip"}, True),
    ("plain.tfrecord", {"shuffle": ALL}, False),
    ("gzip.tfrecord.gz", {}, False),
    ("gzip.tfrecord.gz", {"shuffle": hr.Shuffle(7, block=8)}, False),
    ("gzip.tfrecord.gz", {"shuffle": hr.Shuffle(7, buffer=1 << 20)}, False),
    ("nothing", {"shuffle": ALL}, False),
])
def test_a_shuffle_without_states_says_so_when_it_is_made(folder, name, options, warns):
    made = []
    found = said(lambda: made.append(
        hr.torch.Dataset(f"{folder}/{name}", spec=SPEC, **options)))
    assert [category for category, _ in found] == [hr.NoCheckpointWarning] * warns
    if name == "nothing" or "compression" in options:
        return
    # It is said once, and is true.
    assert classes(lambda: next(iter(made[0]))) == []
    if options.get("shuffle") in (ALL, True):
        assert next(iter(made[0])) and (made[0]._reader.buffered == warns)
        if warns:
            with pytest.raises(hr.InvalidArgumentError, match="not read by number"):
                made[0].state_dict(batches=1)
        else:
            made[0].state_dict(batches=1)


def test_a_shuffle_of_what_was_not_there_says_so_when_it_is_iterated(tmp_path):
    path = tmp_path / "late.tfrecord.gz"
    dataset = hr.torch.Dataset(path, spec=SPEC, shuffle=ALL)
    write(path, ({"id": i} for i in range(3)))
    assert classes(lambda: next(iter(dataset))) == [hr.NoCheckpointWarning]


# ------------------------------------------------------------------- Lengths


def test_the_length_of_a_loader_is_what_is_left(plain):
    rows = hr.torch.MapDataset(plain, spec=SPEC)
    for end, left in (("drop", [7, 3, 6]), ("pad", [9, 4, 7]), ("uneven", [9, 4, 7])):
        options = {"shuffle": True, "end": end, "rank": 0, "world_size": 2}
        sampler = hr.torch.Sampler(rows, 30, **options)
        loader = DataLoader(rows, batch_size=None, sampler=sampler)
        lengths = [len(loader)]
        assert len(list(loader)) == lengths[0] == len(loader)
        state = sampler.state_dict(batches=lengths[0] // 2 + 1)
        sampler.load_state_dict(state)
        lengths.append(len(loader))
        assert len(list(loader)) == lengths[1]
        assert len(loader) == lengths[0]
        other = hr.torch.Sampler(rows, 17, state=state, **options)
        lengths.append(len(other))
        assert len(list(other)) == lengths[2]
        assert lengths[0] == {"drop": 8}.get(end, 9) and lengths[1] < lengths[0]
        assert len(left) == len(lengths)


# ------------------------------------------------------------------- Opening


def entry_points(path):
    blocks = hr.Shuffle(7, block=8)
    return {
        "Dataset": lambda **o: hr.Dataset(path, **o),
        "MapDataset": lambda **o: hr.torch.MapDataset(path, **o),
        "open": lambda **o: hr.open(path, shuffle=blocks, **o),
        "torch": lambda **o: next(iter(hr.torch.Dataset(path, shuffle=blocks, **o))),
    }


@pytest.mark.parametrize("entry", entry_points(None))
def test_opening_that_takes_long_names_the_index(tmp_path, monkeypatch, entry):
    path = tmp_path / "a.tfrecord.gz"
    write(path, ({"id": i} for i in range(RECORDS)))
    call = entry_points(path)[entry]
    assert classes(call) == []
    open_slowly(monkeypatch)
    [(category, text)] = said(call)
    assert category is hr.SlowOpeningWarning and "`headrace index FILE...`" in text
    assert "MiB" in text and "progress=True" in text
    assert classes(lambda: call(index="none")) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(hr.SlowOpeningWarning):
            call()
    hr.index(path)
    assert classes(call) == []
