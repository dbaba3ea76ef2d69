"""Copies of batches that a device makes late, in many orders; no device is needed."""

import functools
import gc
import random

import headrace as hr
import numpy as np
import pytest
from fake_device import FakeDevice, HostPool, SeededStreams, ThreadedStreams, unowned
from headrace.adapters.ahead import CopiedAhead, ReadAhead

BATCHES = 12
SIZES = {"x": 40, "y": 8}


def values(i):
    """The arrays of batch i: no byte in them is that of freed memory."""
    return {name: np.full(size, i + 1, np.uint8) for name, size in SIZES.items()}


class Source:
    """Batches in memory of a pool, or an error in the place of one of them."""

    def __init__(self, error_at=None, count=BATCHES):
        self.pool, self.error_at, self.count = HostPool(), error_at, count
        self.next = 0

    def __iter__(self):
        return self

    def __next__(self):
        i, self.next = self.next, self.next + 1
        if i == self.error_at:
            raise ValueError(f"batch {i}")
        if i >= self.count:
            raise StopIteration
        batch = {}
        for name, array in values(i).items():
            batch[name] = self.pool.take(array.nbytes)
            batch[name][:] = array
        return batch

    def state_dict(self):
        return {"next": self.next}

    def load_state_dict(self, state):
        self.next = state["next"]


class Job:
    """Reads batches on several streams of the device, and compares them at the end."""

    def __init__(self, seed, streams=SeededStreams, lacks=(), consumers=1):
        self.random = random.Random(seed)
        self.device = FakeDevice(streams(seed), frozenset(lacks))
        self.consumers = [self.device.streams.stream() for _ in range(consumers)]
        self.seen = []

    def out(self):
        """The batch to copy into."""
        self.kept = {name: self.device.take(size) for name, size in SIZES.items()}
        return self.kept

    def step(self, batches):
        """Takes a batch, queues work that reads it, and drops it."""
        with self.device.on(self.random.choice(self.consumers)):
            batch = next(batches)
            seen = {}
            for name, array in batch.items():
                self.device.now.put(functools.partial(self.look, seen, name,
                                                      unowned(array)))
            self.seen.append(seen)

    @staticmethod
    def look(seen, name, array):
        seen[name] = array.copy()

    def end(self):
        """Waits for all streams; returns how many batches were right."""
        self.device.streams.end()
        return sum(
            all(np.array_equal(seen[name], array) for name, array in values(i).items())
            for i, seen in enumerate(self.seen))


def run(seed, prefetch, *, streams=SeededStreams, lacks=(), consumers=1, out=False,
        steps=None, error_at=None):
    """Returns how many batches were seen, and how many of them were right."""
    job = Job(seed, streams, lacks, consumers)
    source = Source(error_at)
    batches = CopiedAhead(source, job.device, prefetch, job.out() if out else None)
    try:
        while steps is None or len(job.seen) < steps:
            job.step(batches)
    except StopIteration:
        assert error_at is None and len(job.seen) == BATCHES
    except ValueError as error:
        assert str(error) == f"batch {error_at}" and len(job.seen) == error_at
    assert source.next <= len(job.seen) + prefetch + 1
    del batches
    # An error that was not raised yet has frames that refer to the iterator.
    for _ in range(2 if error_at is not None else 0):
        gc.collect()
    assert source.pool.live == 0
    return len(job.seen), job.end()


@pytest.mark.parametrize("out", [False, True])
@pytest.mark.parametrize("consumers", [1, 3])
@pytest.mark.parametrize("prefetch", range(5))
def test_every_order(prefetch, consumers, out):
    for seed in range(30):
        options = {"consumers": consumers, "out": out}
        assert run(seed, prefetch, **options) == (BATCHES, BATCHES)
        assert run(seed, prefetch, steps=seed % BATCHES, **options) == (
            seed % BATCHES, seed % BATCHES)
        assert run(seed, prefetch, error_at=seed % BATCHES, **options) == (
            seed % BATCHES, seed % BATCHES)


@pytest.mark.parametrize("out", [False, True])
@pytest.mark.parametrize("prefetch", [0, 2])
def test_streams_that_are_threads(prefetch, out):
    for seed in range(6):
        options = {"streams": ThreadedStreams, "consumers": 2, "out": out}
        assert run(seed, prefetch, **options) == (BATCHES, BATCHES)
        assert run(seed, prefetch, steps=5, **options) == (5, 5)
        assert run(seed, prefetch, error_at=5, **options) == (5, 5)


@pytest.mark.parametrize("call, options", [
    ("wait", {}), ("wait", {"out": True}), ("use", {}), ("passed", {}),
    ("synchronize", {"steps": 5})])
def test_each_call_is_needed(call, options):
    """A device that does not do what it is told hands out wrong batches."""
    def wrong(seed, streams=SeededStreams):
        seen, right = run(seed, 2, streams=streams, lacks=[call], consumers=2, **options)
        return seen - right

    if call == "synchronize":
        # What is dropped too early was not given: its copies are looked at instead.
        assert any(map(dropped_too_early, range(30)))
    else:
        assert sum(map(wrong, range(30))) > 0


def dropped_too_early(seed, lacks=("synchronize",)):
    """Whether copies read memory of a batch after the iterator was left."""
    job = Job(seed, lacks=lacks)
    source = Source()
    batches = CopiedAhead(source, job.device, 2)
    job.step(batches)
    copies = [unowned(array) for taken in batches._ahead
              for array in taken.made.copied.values()]
    kept = [taken.made.copied for taken in batches._ahead]
    batches.close()
    del batches
    job.end()
    del kept
    return any((array == 0xDD).any() for array in copies)


def test_leaving_waits_for_copies():
    assert not any(dropped_too_early(seed, lacks=()) for seed in range(30))


@pytest.mark.parametrize("prefetch", [0, 1, 3])
def test_memory_is_bounded(prefetch):
    job, source = Job(5), Source(count=200)
    batches = CopiedAhead(source, job.device, prefetch)
    for _ in range(200):
        job.step(batches)
        job.device.streams.end()
    assert source.pool.most <= (prefetch + 2) * len(SIZES)
    assert job.device.most <= (prefetch + 1) * len(SIZES)


@pytest.mark.parametrize("prefetch", [0, 1, 3])
@pytest.mark.parametrize("taken", [0, 1, 5])
def test_state_is_that_of_the_next_batch(prefetch, taken):
    job, source = Job(1), Source()
    batches = CopiedAhead(source, job.device, prefetch)
    for _ in range(taken):
        job.step(batches)
    assert batches.state_dict() == {"next": taken}
    with batches:
        batches.load_state_dict({"next": 0})
        job.seen.clear()
        for _ in range(taken):
            job.step(batches)
    assert batches.state_dict() == {"next": taken}
    assert job.end() == taken


def test_closed():
    job = Job(1)
    batches = CopiedAhead(Source(), job.device, 2)
    job.step(batches)
    batches.close()
    batches.close()
    for call in (next, iter, lambda b: b.load_state_dict({"next": 0})):
        with pytest.raises(hr.InvalidArgumentError, match="closed"):
            call(batches)


def test_a_second_loop_is_refused():
    job = Job(1)
    batches = CopiedAhead(Source(), job.device, 2)
    assert sum(1 for _ in batches) == BATCHES
    with pytest.raises(StopIteration):
        next(batches)
    with pytest.raises(hr.InvalidArgumentError, match="have ended"):
        iter(batches)
    batches.load_state_dict({"next": BATCHES - 1})
    assert sum(1 for _ in batches) == 1


@pytest.mark.parametrize("seed", range(10))
def test_a_failed_copy_comes_in_its_place(seed):
    job, source, kept = Job(seed), Source(), []
    copy = job.device.copy

    def fails(batch):
        made = copy(batch)
        if source.next == 4:
            kept.append(made)
            raise MemoryError("no memory on the device")
        return made

    job.device.copy = fails
    batches = CopiedAhead(source, job.device, 2)
    with pytest.raises(MemoryError):
        while True:
            job.step(batches)
    gc.collect()  # what the error kept
    assert len(job.seen) == 3 and job.end() == 3
    # The copies that were queued have not read memory that is free.
    ((copies, _),) = kept
    for name, array in values(3).items():
        assert np.array_equal(copies[name], array)


class Doubled(ReadAhead):
    def _make(self, batch):
        return 2 * batch


def test_interrupts_lose_no_batch():
    """An interrupt while a batch is read ahead leaves the batches before it."""
    def interrupted():
        yield from range(3)
        raise KeyboardInterrupt

    class Once:
        def __init__(self):
            self.parts = [interrupted(), iter(range(3, 6))]

        def __iter__(self):
            return self

        def __next__(self):
            try:
                return next(self.parts[0])
            except KeyboardInterrupt:
                self.parts.pop(0)
                raise

    doubled, found = Doubled(Once(), 2), []
    while len(found) < 6:
        try:
            found.append(next(doubled))
        except KeyboardInterrupt:
            pass
    assert found == [0, 2, 4, 6, 8, 10]


def test_sources_are_iterables():
    with pytest.raises(TypeError, match="source: expected an iterable of batches"):
        Doubled(5, 2)
