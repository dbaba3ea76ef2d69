"""Workers of a loader hand batches over in slots of shared memory."""

import os
import pickle
import sys
from multiprocessing.reduction import ForkingPickler

import headrace as hr
import pytest
from written import write

torch = pytest.importorskip("torch", reason="the adapter is for it")
from headrace.adapters.torch import crossing, slots  # noqa: E402
from torch.utils.data import DataLoader, get_worker_info  # noqa: E402

if sys.platform != "linux":
    pytest.skip("other systems have no such memory", allow_module_level=True)

Tensors = hr.torch.Tensors


@pytest.fixture(autouse=True)
def in_worker(monkeypatch):
    """Makes this process pickle as a worker does, with slots that nobody has accepted."""
    monkeypatch.setattr(crossing, "get_worker_info", lambda: True)
    monkeypatch.setattr(slots, "_mine", None)


@pytest.fixture
def taken(monkeypatch):
    """The sizes of what this process takes from slots."""
    sizes, take = [], slots.taken
    monkeypatch.setattr(slots, "taken", lambda place: sizes.append(place.size) or take(place))
    return sizes


def batch(i):
    return Tensors(x=torch.full((100,), i), y=torch.tensor([i / 2, i]))


def sent(value):
    return bytes(ForkingPickler.dumps(value))


def is_batch(found, i):
    return type(found) is Tensors and all(torch.equal(found[n], batch(i)[n]) for n in "xy")


def test_the_first_batch_goes_by_the_pipe_and_offers_slots(taken):
    assert is_batch(pickle.loads(sent(batch(1))), 1)
    assert taken == []
    small = sent(batch(2))
    assert len(small) < 800  # x alone has 800 bytes
    assert is_batch(pickle.loads(small), 2)
    assert taken == [832 + 64]


def test_batches_that_find_no_slot_go_by_the_pipe(taken):
    pickle.loads(sent(batch(0)))
    messages = [sent(batch(i)) for i in range(6)]
    assert [len(m) < 800 for m in messages] == [True] * 4 + [False] * 2
    for i in (5, 3, 0, 1, 4, 2):
        assert is_batch(pickle.loads(messages[i]), i)
    assert len(taken) == 4
    assert len(sent(batch(7))) < 800  # they are free again
    large = Tensors(x=torch.arange(slots.MOST // 8 + 1))
    assert torch.equal(pickle.loads(sent(large))["x"], large["x"])
    assert len(taken) == 4
    whole = Tensors(x=torch.arange(slots.MOST // 8))
    assert torch.equal(pickle.loads(sent(whole))["x"], whole["x"])
    assert taken[4:] == [slots.MOST]


def test_a_received_batch_is_not_changed_by_the_next_one(taken):
    pickle.loads(sent(batch(0)))
    first = pickle.loads(sent(batch(1)))
    second = pickle.loads(sent(batch(2)))
    first["y"].zero_()
    assert is_batch(second, 2) and torch.equal(first["x"], batch(1)["x"])
    assert len(taken) == 2


def test_a_place_is_taken_once():
    pickle.loads(sent(batch(0)))
    message = sent(batch(1))
    pickle.loads(message)
    with pytest.raises(RuntimeError, match="received before"):
        pickle.loads(message)
    assert len(sent(batch(2))) < 800
    with pytest.raises(RuntimeError, match="received before"):
        pickle.loads(message)


@pytest.mark.parametrize("failing", ["open", "memfd_create"])
def test_without_such_memory_batches_go_by_the_pipe(taken, monkeypatch, failing):
    def fails(*_, **__):
        raise PermissionError

    monkeypatch.setattr(slots, "_possible", True)
    monkeypatch.setattr(os, failing, fails)
    for i in range(6):
        assert is_batch(pickle.loads(sent(batch(i))), i)
    assert taken == []


def in_child(work):
    """Returns the bytes that `work` returns in a forked process, which then ends."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, work())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with open(read, "rb") as file:
        return file.read()


def test_the_bytes_of_a_process_that_ended_are_gone():
    def accepted():
        pickle.loads(sent(batch(0)))
        return sent(batch(1))

    with pytest.raises(RuntimeError, match="the process ended"):
        pickle.loads(in_child(accepted))


def test_a_forked_process_has_slots_of_its_own():
    pickle.loads(sent(batch(0)))
    messages = [sent(batch(i)) for i in range(2)]
    of_child = in_child(lambda: sent(batch(2)))
    assert len(of_child) > 800  # nobody has accepted its slots
    assert is_batch(pickle.loads(of_child), 2)
    assert [is_batch(pickle.loads(m), i) for i, m in enumerate(messages)] == [True, True]


@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.parametrize("prefetch", [2, 9])
def test_loaders_use_them(tmp_path, taken, monkeypatch, context, prefetch):
    monkeypatch.setattr(crossing, "get_worker_info", get_worker_info)
    write(tmp_path / "a", ({"i": i} for i in range(400)))
    write(tmp_path / "b", ({"i": i} for i in range(400, 800)))
    spec = {"i": hr.FixedLenFeature([], hr.int64)}
    dataset = hr.torch.Dataset([tmp_path / "a", tmp_path / "b"], spec=spec, batch_size=10)
    loader = DataLoader(dataset, batch_size=None, num_workers=2, prefetch_factor=prefetch,
                        multiprocessing_context=context, persistent_workers=True)
    for _ in range(2):
        found = [i for b in loader for i in b["i"].tolist()]
        assert sorted(found) == list(range(800))
    assert len(taken) > 20
