"""Batches of a dataset that are read ahead by a thread."""

import json
import os
import pickle
import threading

import headrace as hr
import pytest
from records import write_people

ROWS, SIZE = 100, 10


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.tfrecord"
    write_people(path, ROWS)
    return path


def ids(batches):
    return [batch["id"].values.numpy().tolist() for batch in batches]


@pytest.mark.parametrize("shuffle", [
    None, hr.Shuffle(1), hr.Shuffle(1, block=7, window=2),
    hr.Shuffle(1, block=7, window=2, lanes=3)])
@pytest.mark.parametrize("prefetch", [1, 3, 50])
def test_the_same_batches(path, shuffle, prefetch):
    ds = hr.Dataset(path, columns=["id"])
    options = {"shuffle": shuffle, "epochs": 3, "end": "uneven"}
    plain = ds.batches(SIZE, **options)
    ahead = ds.batches(SIZE, prefetch=prefetch, **options)
    for _ in range(3 * ROWS // SIZE):
        assert ids([next(ahead)]) == ids([next(plain)])
        assert (ahead.epoch, ahead.state_dict()) == (plain.epoch, plain.state_dict())
    assert next(ahead, None) is next(plain, None) is None


def test_a_thread_reads_while_the_caller_works(path, monkeypatch):
    ds = hr.Dataset(path, columns=["id"])
    read = threading.Semaphore(0)
    take = hr.Batches._take

    def counted(self, rows, how):
        batch = take(self, rows, how)
        read.release()
        return batch

    monkeypatch.setattr(hr.Batches, "_take", counted)
    batches = ds.batches(SIZE, prefetch=2)
    next(batches)
    # The batch that was given, and two that nobody has asked for.
    for _ in range(3):
        assert read.acquire(timeout=20)
    assert not read.acquire(timeout=0.1)


def test_a_state_is_of_what_was_given(path):
    ds = hr.Dataset(path, columns=["id"])
    batches = ds.batches(SIZE, shuffle=True, prefetch=4)
    first = ids([next(batches), next(batches)])
    state = json.loads(json.dumps(batches.state_dict()))
    assert state["position"] == 2 * SIZE
    rest = ids(batches)
    assert ids(ds.batches(SIZE, shuffle=True, prefetch=1, state=state)) == rest
    batches.load_state_dict(state)
    assert ids(batches) == rest
    assert ids(ds.batches(SIZE, shuffle=True)) == first + rest


def test_a_pickle_goes_on(path):
    batches = hr.Dataset(path, columns=["id"]).batches(SIZE, shuffle=True, prefetch=2)
    next(batches)
    copy = pickle.loads(pickle.dumps(batches))
    assert copy.state_dict() == batches.state_dict()
    assert ids(copy) == ids(batches)


def test_a_forked_child_has_a_thread_of_its_own(path):
    batches = hr.Dataset(path, columns=["id"]).batches(SIZE, shuffle=True, prefetch=2)
    next(batches)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, json.dumps(ids(batches)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        assert json.load(pipe) == ids(batches)
    assert os.waitpid(child, 0)[1] == 0


def test_wrong_arguments(path):
    ds = hr.Dataset(path, columns=["id"])
    with pytest.raises(TypeError):
        ds.batches(SIZE, prefetch=True)
    with pytest.raises(hr.InvalidArgumentError):
        ds.batches(SIZE, prefetch=-1)
