"""Tensors in memory of the user: `allocator=`."""

import gc
import os
import pickle
import subprocess
import sys
import threading
from collections import deque

import headrace as hr
import numpy as np
import pyarrow
import pytest
import records
from wire_bytes import example, floats, frame, ints

ROWS = 100
SPEC = {
    "dense": hr.Matrix({"x": hr.FixedLenFeature([3], hr.float32)}, as_=hr.float32),
    "ids": hr.Jagged({"a": hr.RaggedFeature(hr.int64)}, as_=hr.int32),
    "ragged": hr.RaggedFeature(hr.float32),
    "sparse": hr.VarLenFeature(hr.int64),
    "label": hr.FixedLenFeature([], hr.int64),
}


def payload(i):
    return example({
        "x": floats(i, i + 1, -i), "a": ints(*range(i % 4)), "label": ints(i),
        "ragged": floats(*range(i % 3)), "sparse": ints(*range(i % 2)),
    })


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.tfrecord"
    path.write_bytes(b"".join(frame(payload(i)) for i in range(ROWS)))
    return path


def arrays_of(batch):
    """Returns the tensors of all slabs by name."""
    ids, ragged, sparse = batch["ids"], batch["ragged"], batch["sparse"]
    return {
        "dense": batch["dense"], "label": batch["label"], "ids": ids.values,
        "lengths": ids.lengths, "offsets": ids.offsets, "ragged": ragged.values,
        "splits": ragged.row_splits[0], "sparse": sparse.values,
        "indices": sparse.indices,
    }


def check_places(batch):
    """Every array is in a slab, from which its values can be read."""
    slabs = batch._slabs()
    for name, tensor in arrays_of(batch).items():
        if tensor.size == 0:
            continue
        where = [(slab, tensor._address - at) for slab, at, size in slabs
                 if 0 <= tensor._address - at < size]
        assert len(where) == 1, name
        (slab, begin), = where
        assert isinstance(slab, records.Slab)
        assert begin % 256 == 0
        array = tensor.numpy()
        view = slab[begin : begin + array.nbytes].view(array.dtype)
        assert view.tobytes() == array.tobytes()
        assert np.shares_memory(view, array)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("how", [{}, {"shuffle": True}, {"shuffle": hr.Shuffle(1, buffer=9999)}])
def test_batches_are_views_of_the_slabs(file, threads, how):
    def read(**more):
        with hr.open(file, spec=SPEC, batch_size=16, threads=threads, **how, **more) as reader:
            yield from reader

    memory = records.Memory()
    for batch, plain in zip(read(allocator=memory), read(), strict=True):
        check_places(batch)
        assert plain._slabs() == []
        expected = arrays_of(plain)
        for name, tensor in arrays_of(batch).items():
            np.testing.assert_array_equal(tensor.numpy(), expected[name].numpy())
    assert len(memory.sizes) == 14
    del batch, tensor
    gc.collect()
    assert memory.num_held() == 0


def test_slabs_live_as_long_as_their_last_array(file):
    memory = records.Memory()
    batch = next(hr.open(file, spec=SPEC, allocator=memory, threads=1))
    array, arrow = batch["label"].numpy(), pyarrow.record_batch(batch)
    copy = batch.copy()
    del batch
    assert memory.num_held() == 2
    del arrow
    assert memory.num_held() == 2
    assert array.sum() == sum(range(ROWS))
    del array
    assert memory.num_held() == 0
    assert copy["label"].numpy().sum() == sum(range(ROWS))


def test_dlpack_tensors_are_views(file):
    memory = records.Memory()
    batch = next(hr.open(file, spec=SPEC, allocator=memory, threads=1))
    array = np.from_dlpack(batch["dense"])
    assert np.shares_memory(array, batch._slabs()[0][0])
    del batch
    assert memory.num_held() == 2
    del array
    assert memory.num_held() == 0


def test_an_allocator_of_arrow_streams_is_called_without_a_deadlock(file):
    memory = records.Memory()
    reader = hr.open(file, spec=SPEC, batch_size=8, threads=4, allocator=memory)
    table = pyarrow.table(reader)
    assert table["label"].to_pylist() == list(range(ROWS))
    del table, reader
    gc.collect()
    assert memory.num_held() == 0


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("fails_at", [0, 1, 5])
@pytest.mark.parametrize("error", [MemoryError("x"), KeyboardInterrupt("y"), ZeroDivisionError()])
def test_the_exception_of_an_allocator_is_raised_by_the_reader(file, threads, fails_at, error):
    memory = records.Memory(fails_at, error)
    reader = hr.open(file, spec=SPEC, batch_size=8, threads=threads, allocator=memory)
    with pytest.raises(type(error)) as raised:
        deque(reader, maxlen=0)
    assert raised.value is error
    with pytest.raises((type(error), hr.OutOfMemoryError)):
        deque(reader, maxlen=0)
    del reader, raised
    gc.collect()
    assert memory.num_held() == 0


@pytest.mark.parametrize("result, error, text", [
    (lambda size: bytes(size), BufferError, "not writable"),
    (lambda size: None, TypeError, "bytes-like"),
    (lambda size: bytearray(size - 1), ValueError, "instead of"),
    (lambda size: np.zeros(size + 512, np.uint8)[1:], ValueError, "multiple of 256"),
])
def test_wrong_results_of_an_allocator(file, result, error, text):
    class Allocator:
        def allocate(self, size):
            return result(size)

    with pytest.raises(error, match=text):
        next(hr.open(file, spec=SPEC, threads=1, allocator=Allocator()))


def test_memory_that_is_in_use_is_refused(file):
    class Allocator:
        slab = records.Memory().allocate(1 << 20)

        def allocate(self, size):
            return self.slab

    reader = hr.open(file, spec={"label": hr.FixedLenFeature([], hr.int64)}, threads=1,
                     batch_size=50, allocator=Allocator())
    kept = next(reader)
    with pytest.raises(ValueError, match="another batch still uses"):
        next(reader)
    assert kept["label"].numpy()[0] == 0


def test_wrong_allocators(file):
    for wrong in (3, object(), bytearray):
        with pytest.raises(TypeError, match="allocate"):
            hr.open(file, spec=SPEC, allocator=wrong)
        with pytest.raises(TypeError, match="allocate"):
            hr.Dataset(file, spec=SPEC, allocator=wrong)
    for opens in (hr.open, hr.Dataset):
        with pytest.raises(hr.InvalidArgumentError, match="give a spec"):
            opens(file, allocator=records.Memory())


def test_rows_of_a_dataset_are_in_slabs(file):
    memory = records.Memory()
    dataset = hr.Dataset(file, spec=SPEC, allocator=memory)
    batch = dataset[[5, 99, 5]]
    check_places(batch)
    assert batch["label"].numpy().tolist() == [5, 99, 5]
    assert dataset[7]["label"] == 7
    del batch
    assert memory.num_held() == 0
    with pytest.raises(hr.InvalidArgumentError, match="cannot be pickled"):
        pickle.dumps(dataset)


def test_no_thread_waits_while_an_allocator_sleeps(file):
    """A thread that is in Python code keeps no other from decoding."""
    inside, go_on = threading.Event(), threading.Event()

    class Allocator(records.Memory):
        def allocate(self, size):
            if threading.current_thread() is not main and not inside.is_set():
                inside.set()
                assert go_on.wait(60)
            if len(self.sizes) > 8:
                go_on.set()
            return super().allocate(size)

    main = threading.current_thread()
    memory = Allocator()
    reader = hr.open(file, spec=SPEC, batch_size=4, threads=4, allocator=memory)
    assert sum(batch.num_rows for batch in reader) == ROWS


def test_a_forked_child_may_not_use_the_allocator(file):
    memory = records.Memory()
    dataset = hr.Dataset(file, spec=SPEC, allocator=memory)
    batch = dataset[[1]]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            dataset[[1]]
        except RuntimeError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        assert "does not survive a fork" in pipe.read()
    assert batch["label"].numpy()[0] == 1


def test_batches_may_outlive_the_interpreter(file):
    code = """
import sys, headrace as hr, records
memory = records.Memory()
spec = {"label": hr.FixedLenFeature([], hr.int64)}
reader = hr.open(sys.argv[1], spec=spec, batch_size=8, threads=4, allocator=memory)
kept = next(reader)
sys.kept = kept
"""
    done = subprocess.run(
        [sys.executable, "-c", code, file], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert (done.returncode, done.stderr) == (0, "")
