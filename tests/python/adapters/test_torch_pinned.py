"""pin_memory of datasets. Memory is not pinned where torch has no accelerator, but
goes the same ways."""

import gc

import headrace as hr
import numpy as np
import pytest
from headrace.options import taken_by
from test_torch_cuda import ROWS, SPEC, same
from written import MOVIE_SPEC, kinds_row as row, movies, write  # noqa: F401

torch = pytest.importorskip("torch", reason="the adapter is for it")
from headrace.adapters.torch import pinned  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

needs_allocator = pytest.mark.skipif(
    "allocator" not in taken_by("reader"),
    reason="this build has no allocator= for the memory of batches")


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.tfrecord", map(row, range(ROWS)))


@pytest.fixture
def memory(monkeypatch):
    """Stands for pinned memory; a list of what was allocated."""
    taken = []

    def allocate(size):
        memory = torch.full((size + 255,), 0xDD, dtype=torch.uint8)
        memory = memory[-memory.data_ptr() % 256:][:size]
        taken.append((memory.data_ptr(), size))
        return memory

    monkeypatch.setattr(pinned, "_allocate", allocate)
    monkeypatch.setattr(pinned, "check_accelerator", lambda: None)
    monkeypatch.setattr(hr.adapters.torch, "check_accelerator", lambda: None)
    return taken


class Field:
    """Like a tensor of a batch."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype
        self.shape, self.size = array.shape, array.size
        self._address = array.ctypes.data

    def __dlpack__(self):
        return self.array.__dlpack__()


class Batch:
    """Like a batch whose allocator has returned these arrays."""

    def __init__(self, *slabs):
        self.slabs = slabs

    def _slabs(self):
        return [(slab, slab.ctypes.data, slab.nbytes) for slab in self.slabs]


def test_tensors_are_views_of_the_allocated_memory(memory, monkeypatch):
    monkeypatch.setattr(torch, "from_dlpack", None)
    allocator = pinned.PinnedAllocator()
    slab, other = allocator.allocate(4096), allocator.allocate(64)
    shared = pinned.views_of(Batch(slab, other))
    array = slab[512:512 + 96].view(np.int32).reshape(4, 6)
    tensor = shared(Field(array))
    array[:] = np.arange(24).reshape(4, 6)
    assert tensor.tolist() == array.tolist() and tensor.dtype == torch.int32
    assert tensor.data_ptr() == array.ctypes.data
    # Its storage is torch's own, which begins where that of the slab does.
    storage = tensor.untyped_storage()
    assert storage.data_ptr() == slab.base.untyped_storage().data_ptr()
    last = shared(Field(other[60:].view(np.float32)))
    assert last.data_ptr() == other.ctypes.data + 60 and last.shape == (1,)
    half = shared(Field(other[:4].view("V2")))
    assert half.dtype == torch.bfloat16 and half.shape == (2,)
    # The memory lives as long as a tensor.
    del slab, array, shared
    gc.collect()
    assert tensor.tolist()[3] == list(range(18, 24))


def test_what_is_elsewhere_is_copied(memory):
    shared = pinned.views_of(Batch(pinned.PinnedAllocator().allocate(64)))
    array = np.arange(6, dtype=np.int64).reshape(2, 3)
    tensor = shared(Field(array))
    assert tensor.tolist() == array.tolist()
    assert (tensor.data_ptr(), 48) == memory[-1]
    assert pinned.pinned_array(array.astype(np.uint8)).tolist() == array.tolist()
    assert shared(Field(np.zeros((0, 3), np.float32))).shape == (0, 3)


def test_there_is_no_accelerator(path, monkeypatch):
    module = getattr(torch, "accelerator", torch.cuda)
    monkeypatch.setattr(module, "is_available", lambda: False)
    with pytest.raises(hr.InvalidArgumentError, match="pin_memory: torch finds no accel"):
        hr.torch.Dataset(path, spec=SPEC, pin_memory=True)
    hr.torch.Dataset(path, spec=SPEC, pin_memory=False)


def test_a_worker_does_not_pin(path, memory):
    dataset = hr.torch.Dataset(path, spec=SPEC, pin_memory=True)
    assert "pin_memory=True" in repr(dataset)
    assert "pin_memory" not in repr(hr.torch.Dataset(path, spec=SPEC))
    with pytest.raises(hr.InvalidArgumentError, match=r"DataLoader\(pin_memory=True\)"):
        next(iter(DataLoader(dataset, batch_size=None, num_workers=1)))


def test_arguments(path, memory):
    with pytest.raises(TypeError, match="pin_memory: expected True or False"):
        hr.torch.Dataset(path, spec=SPEC, pin_memory=1)
    with pytest.raises((TypeError, hr.InvalidArgumentError), match="allocator"):
        hr.torch.Dataset(path, spec=SPEC, pin_memory=True, allocator=pinned.PinnedAllocator())


def test_jagged_values_are_pinned(path, monkeypatch):
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor.clone())
    jagged = next(iter(hr.torch.Dataset(path, spec=SPEC)))["j"]
    copied = jagged.pin_memory()
    same(copied, jagged)
    for name in ("values", "lengths", "offsets"):
        assert getattr(copied, name).data_ptr() != getattr(jagged, name).data_ptr()
    weighted = jagged._replace(weights=torch.ones(3))
    assert weighted.pin_memory().weights.tolist() == [1, 1, 1]


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value._indices(), value._values()] if value.is_sparse else [value]
    if isinstance(value, dict):
        value = list(value.values())
    items = value if isinstance(value, (list, tuple)) else []
    return [tensor for item in items for tensor in tensors_in(item)]


def check_in_memory(batch, memory):
    for tensor in tensors_in(batch):
        begin, end = tensor.data_ptr(), tensor.data_ptr() + tensor.nbytes
        assert not tensor.numel() or any(
            at <= begin and end <= at + size for at, size in memory)


@needs_allocator
@pytest.mark.parametrize("options", [
    {}, {"threads": 2}, {"shuffle": hr.Shuffle(7)}, {"shuffle": hr.Shuffle(7, buffer=5)},
    {"ragged": "nested"}])
def test_batches_are_the_same(path, memory, options):
    plain = list(hr.torch.Dataset(path, spec=SPEC, batch_size=3, **options))
    got = list(hr.torch.Dataset(path, spec=SPEC, batch_size=3, pin_memory=True,
                                **options))
    if options.get("ragged") == "nested":
        plain = [batch | {"r": batch["r"].unbind()} for batch in plain]
        got = [batch | {"r": batch["r"].unbind()} for batch in got]
    gc.collect()
    same([dict(batch) for batch in got], [dict(batch) for batch in plain])
    for batch in got:
        check_in_memory(batch, memory)


@needs_allocator
def test_no_pass_over_the_bytes(path, memory, monkeypatch):
    """Numbers are where they were decoded: two pieces of memory for each batch, and
    storages shared by its tensors."""
    monkeypatch.setattr(pinned, "pinned_copy", None)
    spec = {name: SPEC[name] for name in ("m", "j", "id")}
    for batch in hr.torch.Dataset(path, spec=spec, batch_size=5, pin_memory=True):
        storages = {t.untyped_storage().data_ptr() for t in tensors_in(batch)}
        assert len(storages) <= 2
        check_in_memory(batch, memory)


@needs_allocator
def test_sequence_examples(movies, memory):  # noqa: F811
    spec = MOVIE_SPEC.select(["frame", "words"])
    (plain,) = hr.torch.Dataset(movies, spec=spec)
    (got,) = hr.torch.Dataset(movies, spec=spec, pin_memory=True)
    same(got, plain)
    check_in_memory(got, memory)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no device of CUDA")
@needs_allocator
def test_memory_is_pinned(path):
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=3, pin_memory=True)
    for batch in dataset:
        assert all(t.is_pinned() for t in tensors_in(batch) if t.numel())
