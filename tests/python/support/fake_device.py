"""A device without hardware: streams that run late, in an order chosen by a seed, and
memory that is overwritten as soon as it is free.

Work that reads memory too early, or after its reuse, sees 0xDD or bytes of another batch.
"""

from __future__ import annotations

import collections
import contextlib
import random
import threading
import time

import numpy as np

POISON = 0xDD


class _Memory:
    """Bytes that an array holds; told when the last array of them is gone."""

    def __init__(self, raw, free):
        self.raw, self._free = raw, free
        self.__array_interface__ = raw.__array_interface__

    def __del__(self):
        self._free(self.raw)


def _owned(raw, free):
    """An array of all bytes of `raw`, and its owner."""
    memory = _Memory(raw, free)
    return np.asarray(memory), memory


class _Pool:
    """Memory that is free, by its size; how much of it is in use, and was at most."""

    def __init__(self):
        self._free = collections.defaultdict(list)
        self.live = self.most = 0

    def _taken(self, size):
        free = self._free[size]
        self.live += 1
        self.most = max(self.most, self.live)
        return free.pop() if free else np.empty(size, np.uint8)


class HostPool(_Pool):
    """Memory of batches on the host: reused at once, by an owner that knows nothing of
    streams."""

    def take(self, size):
        return _owned(self._taken(size), self._give_back)[0]

    def _give_back(self, raw):
        raw[:] = POISON
        self._free[len(raw)].append(raw)
        self.live -= 1


class Event:
    def __init__(self):
        self.has_passed = False


class Stream:
    """Work in order: pairs of an event to wait for, or None, and what to do."""

    def __init__(self):
        self.work = collections.deque()

    def put(self, do, event=None):
        self.work.append((event, do))


class SeededStreams:
    """Streams that run some of their work at each call of the host: as much as the seed
    says, of streams that it chooses."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.streams = []

    def stream(self):
        self.streams.append(Stream())
        return self.streams[-1]

    def pause(self):
        for _ in range(self._random.choice((0, 0, 1, 2, 5))):
            self._step()

    def _step(self):
        ready = [s for s in self.streams
                 if s.work and (s.work[0][0] is None or s.work[0][0].has_passed)]
        if ready:
            self._random.choice(ready).work.popleft()[1]()
        return bool(ready)

    def finish(self, stream):
        while stream.work:
            assert self._step(), "the stream waits for an event that nobody records"

    def end(self):
        for stream in self.streams:
            self.finish(stream)


class ThreadedStreams:
    """Streams that are threads, and wait a random time before each piece of work."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._changed = threading.Condition()
        self._ends = False
        self.streams, self._threads = [], []

    def stream(self):
        stream = Stream()
        delays = random.Random(self._random.random())
        thread = threading.Thread(target=self._run, args=(stream, delays), daemon=True)
        self.streams.append(stream)
        self._threads.append(thread)
        thread.start()
        return stream

    def _run(self, stream, delays):
        while True:
            with self._changed:
                # Work is there in two moments: what is put is not told of.
                while not (stream.work and (stream.work[0][0] is None
                                            or stream.work[0][0].has_passed)):
                    if self._ends and not stream.work:
                        return
                    self._changed.wait(0.001)
            time.sleep(delays.choice((0, 0, 1e-4, 1e-3)))
            stream.work[0][1]()
            with self._changed:
                stream.work.popleft()  # after it is done: finish() waits for that
                self._changed.notify_all()

    def pause(self):
        pass

    def finish(self, stream):
        with self._changed:
            while stream.work:
                self._changed.wait(0.001)

    def end(self):
        for stream in self.streams:
            self.finish(stream)
        self._ends = True
        for thread in self._threads:
            thread.join()


class FakeDevice(_Pool):
    """The calls of `headrace.adapters.ahead.Device`, over such streams.

    Memory of the device is like that of torch's allocator: what was allocated on a stream
    is reused in the order of this stream, except that `use` delays this for the work of
    another one.
    """

    def __init__(self, streams, lacks=frozenset()):
        super().__init__()
        self.streams, self.lacks = streams, lacks
        self.side = streams.stream()
        self.now = streams.stream()
        self._late = []  # memory that other streams use: the bytes, and their events
        self._users = {}  # by the address of the bytes
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def on(self, stream):
        before, self.now = self.now, stream
        yield
        self.now = before

    # Memory.

    def take(self, size):
        with self._lock:
            self._collect()
            raw = self._taken(size)
        return _owned(raw, self._give_back)[0]

    def _give_back(self, raw):
        with self._lock:
            self.live -= 1
            users = self._users.pop(raw.ctypes.data, [])
            self._late.append((raw, [self._recorded(user) for user in users]))
            self._collect()

    def _collect(self):
        late, self._late = self._late, []
        for raw, events in late:
            if all(event.has_passed for event in events):
                # Reuse on the side stream is behind the work that is on it.
                self.side.put(lambda raw=raw: raw.fill(POISON))
                self._free[len(raw)].append(raw)
            else:
                self._late.append((raw, events))

    def copy_later(self, source, stream):
        """Returns a copy of an array, made by the stream; the source is not kept."""
        array = self.take(source.nbytes)
        self.move_later(array, source.reshape(-1).view(np.uint8), stream)
        return array.view(source.dtype).reshape(source.shape)

    def move_later(self, target, source, stream):
        to, of = unowned(target), unowned(source)
        stream.put(lambda: np.copyto(to, of))

    def _recorded(self, stream):
        event = Event()

        def passes():
            event.has_passed = True

        stream.put(passes)
        return event

    # The calls.

    def copy(self, batch):
        self.streams.pause()
        copies = {}
        for name, array in batch.items():
            copies[name] = self.copy_later(array, self.side)
            self.streams.pause()
        return copies, list(copies.values())

    def fill(self, out, copied):
        self.streams.pause()
        for name, array in out.items():
            self.move_later(array, copied[name], self.now)

    def current(self):
        return self.now

    def record(self, stream=None):
        self.streams.pause()
        return self._recorded(self.side if stream is None else stream)

    def wait(self, stream, event):
        self.streams.pause()
        if "wait" not in self.lacks:
            stream.put(lambda: None, event)

    def use(self, memory, stream):
        if "use" not in self.lacks:
            owner = memory
            while isinstance(owner, np.ndarray):
                owner = owner.base
            with self._lock:
                self._users.setdefault(owner.raw.ctypes.data, []).append(stream)

    def passed(self, event):
        self.streams.pause()
        return event.has_passed or "passed" in self.lacks

    def synchronize(self):
        if "synchronize" not in self.lacks:
            self.streams.finish(self.side)


def unowned(array):
    """An array of the same bytes that does not keep them. Pools keep them."""
    owner = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    begin = array.ctypes.data - owner.raw.ctypes.data
    return owner.raw[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
