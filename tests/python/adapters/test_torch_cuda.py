"""Batches on a CUDA device, without one: streams are fake_device's."""

import collections
import ctypes
import gc
import json
import warnings

import headrace as hr
import numpy as np
import pytest
from fake_device import FakeDevice, SeededStreams
from written import kinds_row as row, write

torch = pytest.importorskip("torch", reason="the adapter is for it")
from headrace.adapters.torch import cuda  # noqa: E402
from headrace.adapters.torch.copies import copied  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402
from torch_values import same  # noqa: E402

ROWS = 20
SPEC = {
    "m": hr.Matrix({"id": hr.FixedLenFeature([], hr.int64),
                    "x": hr.FixedLenFeature([2], hr.float32)}, as_=hr.bfloat16),
    "j": hr.Jagged({"ids": hr.RaggedFeature(hr.int64)}, as_=hr.int32),
    "id": hr.FixedLenFeature([], hr.int64),
    "name": hr.FixedLenFeature([], hr.bytes_),
    "s": hr.VarLenFeature(hr.int64, column="ids"),
    "r": hr.RaggedFeature(hr.int64, value_key="ids"),
}


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.tfrecord", map(row, range(ROWS)))


@pytest.fixture
def dataset(path):
    return hr.torch.Dataset(path, spec=SPEC, batch_size=3)


class TorchDevice(FakeDevice):
    """Tensors of the device are on the CPU, in memory of the fake device."""

    def copy(self, batch):
        self.streams.pause()
        return copied(batch, self._copy_of)

    def _copy_of(self, tensor):
        memory = torch.from_numpy(self.take(tensor.nbytes))
        self._move(memory, tensor, self.side)
        self.streams.pause()
        return memory.view(tensor.dtype).as_strided(tensor.shape, tensor.stride())

    def _move(self, target, source, stream):
        # Addresses alone: the work keeps neither tensor.
        assert source.is_contiguous() or source.t().is_contiguous()
        what = target.data_ptr(), source.data_ptr(), source.nbytes
        stream.put(lambda: ctypes.memmove(*what))

    def fill(self, out, copied):
        for name, place in out.items():
            if isinstance(place, dict):
                self.fill(place, copied[name])
            else:
                self._move(place, copied[name], self.now)

    def use(self, memory, stream):
        self._users.setdefault(memory.data_ptr(), []).append(stream)

    def read_later(self, tensor):
        """Returns a tensor that the current stream copies into."""
        result = torch.empty_strided(
            tensor.shape, tensor.stride(), dtype=tensor.dtype)
        self._move(result, tensor, self.now)
        return result


def read(batches, device):
    """The batches, each read by work that runs after it has been dropped."""
    found = []
    for batch in batches:
        found.append(copied(batch, device.read_later)[0])
        del batch
    device.streams.end()
    return found


@pytest.mark.parametrize("prefetch", [0, 1, 2, 4])
def test_batches_of_a_dataset(dataset, prefetch):
    wanted = list(dataset)
    for seed in range(10):
        device = TorchDevice(SeededStreams(seed))
        batches = hr.torch.CudaBatches(dataset, device, prefetch)
        same(read(batches, device), wanted)


@pytest.mark.parametrize("workers", [0, 1])
def test_batches_of_a_loader(dataset, workers):
    loader = DataLoader(dataset, batch_size=None, num_workers=workers)
    device = TorchDevice(SeededStreams(workers))
    same(read(hr.torch.CudaBatches(loader, device, 2), device), list(dataset))


@pytest.mark.parametrize("prefetch", [0, 2])
@pytest.mark.parametrize("taken", [0, 1, 4])
def test_state(dataset, taken, prefetch):
    wanted = list(dataset)
    device = TorchDevice(SeededStreams(taken))
    batches = hr.torch.CudaBatches(dataset, device, prefetch)
    for _ in range(taken):
        next(batches)
    state = json.loads(json.dumps(batches.state_dict()))
    batches.close()
    assert batches.state_dict() == state
    again = hr.torch.CudaBatches(dataset, device, prefetch)
    next(again)
    again.load_state_dict(state)
    same(read(again, device), wanted[taken:])
    dataset.load_state_dict(state)
    same(list(dataset), wanted[taken:])


def test_state_of_a_loader(dataset):
    pytest.importorskip("torchdata", reason="its loader has a state")
    from torchdata.stateful_dataloader import StatefulDataLoader

    wanted = list(dataset)
    device = TorchDevice(SeededStreams(1))

    def batches():
        loader = StatefulDataLoader(dataset, batch_size=None, num_workers=1)
        return hr.torch.CudaBatches(loader, device, 2)

    first = batches()
    for _ in range(3):
        next(first)
    state = first.state_dict()
    first.close()
    second = batches()
    second.load_state_dict(state)
    same(read(second, device), wanted[3:])


def test_an_error_of_the_source(path, tmp_path):
    damaged = tmp_path / "damaged.tfrecord"
    with open(path, "rb") as file:
        damaged.write_bytes(file.read()[:-1])
    dataset = hr.torch.Dataset(damaged, spec=SPEC, batch_size=3)
    device = TorchDevice(SeededStreams(1))
    batches = hr.torch.CudaBatches(dataset, device, 3)
    ids = []
    with pytest.raises(hr.DataError) as caught:
        for batch in batches:
            ids.append(device.read_later(batch["id"]))
    device.streams.end()
    assert torch.cat(ids).tolist() == list(range(ROWS - 1))
    assert caught.value.record == ROWS - 1


# Copies of trees.


class Copies:
    """Copies tensors, and remembers how large each copy was."""

    def __init__(self):
        self.sizes = []

    def __call__(self, tensor):
        self.sizes.append(tensor.nbytes)
        return tensor.clone()


def slab():
    slab = torch.arange(4096, dtype=torch.int64).view(torch.uint8)
    return {
        "a": slab[272:272 + 80].view(torch.float32),
        "b": slab[512:512 + 48].view(torch.int64).view(2, 3),
        "t": slab[512:512 + 48].view(torch.int64).view(2, 3).t(),
        "h": slab[770:770 + 6].view(torch.bfloat16),
        "none": slab[0:0].view(torch.int32),
    }


def test_views_of_one_storage_are_copied_together():
    batch, copies = slab(), Copies()
    got, memory = copied(batch, copies)
    same(got, batch)
    assert got["t"].stride() == batch["t"].stride()
    assert copies.sizes == [776 - 256, 0] and len(memory) == 2
    storages = {got[name].untyped_storage().data_ptr() for name in "abth"}
    assert len(storages) == 1
    for name in "abth":
        inside = got[name].data_ptr() - memory[0].data_ptr()
        assert inside % 256 == batch[name].storage_offset() * batch[name].itemsize % 256
    got["b"][0, 0] = 5
    assert got["t"][0, 0] == 5 and batch["b"][0, 0] != 5


def test_what_is_far_apart_is_not():
    large = torch.arange(1 << 18, dtype=torch.int32)
    batch = {"a": large[:8], "b": large[-8:], "column": large.view(-1, 64)[:, 1],
             "near": large[100:108]}
    copies = Copies()
    got, memory = copied(batch, copies)
    same(got, batch)
    assert sorted(copies.sizes) == [32, 432, (1 << 18) // 64 * 4]
    assert len(memory) == 3
    within, copies = {"all": large, "a": large[8:16], "b": large[-8:]}, Copies()
    same(copied(within, copies)[0], within)
    assert copies.sizes == [large.nbytes]


def test_other_tensors_are_copied_alone():
    grad, pair = torch.arange(12.).requires_grad_(), torch.ones(2, dtype=torch.complex64)
    pair *= 1j
    copies = Copies()
    batch = {
        "grad": grad, "detached": grad.detach(), "complex": pair, "conj": pair.conj(),
        "scalar": torch.tensor(3),
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "sparse": torch.sparse_coo_tensor([[0, 2]], [1., 2.], [4]).coalesce(),
    }
    got, memory = copied(batch, copies)
    same({name: item.detach() for name, item in got.items() if name != "parameter"},
         {name: item.detach() for name, item in batch.items() if name != "parameter"})
    assert len(memory) == 8 and got["grad"].requires_grad
    assert got["sparse"] is not batch["sparse"]
    assert got["sparse"]._values().data_ptr() != batch["sparse"]._values().data_ptr()


def test_nested_tensors():
    nested = torch.nested.nested_tensor_from_jagged(
        torch.arange(6.), torch.tensor([0, 2, 6]), min_seqlen=2, max_seqlen=4)
    got, memory = copied({"n": nested}, lambda t: t.to(torch.float64))
    assert got["n"].unbind()[1].tolist() == [2, 3, 4, 5]
    assert [part.data_ptr() for part in memory] == [
        got["n"].values().data_ptr(), got["n"].offsets().data_ptr()]


Pair = collections.namedtuple("Pair", "left right")


class Movable:
    """Like a KeyedJaggedTensor."""

    def to(self, device, non_blocking):
        return Movable()

    def record_stream(self, stream):
        pass


def test_trees():
    tensor, movable, words = torch.ones(2), Movable(), [b"a", b"b"]
    batch = hr.torch.Tensors(
        inner={"deep": [tensor, {"more": tensor}]}, pair=Pair(tensor, None),
        ordered=collections.OrderedDict(x=tensor), words=words, text="x", number=3,
        array=np.ones(2), movable=movable, plain=(tensor, "y"), empty=[],
        bytes=[[b"a"], [b"b"]], jagged=hr.torch.Jagged(
            ["k"], tensor, tensor, tensor, None, [2]))
    got, memory = copied(
        batch, lambda t: t.clone() if isinstance(t, torch.Tensor) else t.to("x", True))
    assert type(got) is hr.torch.Tensors and list(got) == list(batch)
    assert isinstance(got["ordered"], collections.OrderedDict)
    assert isinstance(got["pair"], Pair) and isinstance(got["jagged"], hr.torch.Jagged)
    for name in ("words", "array", "text", "number"):
        assert got[name] is batch[name]
    assert got["movable"] is not movable and isinstance(got["movable"], Movable)
    tensors = [got["inner"]["deep"][0], got["inner"]["deep"][1]["more"],
               got["pair"].left, got["ordered"]["x"], got["plain"][0],
               got["jagged"].values]
    assert all(t.data_ptr() != tensor.data_ptr() for t in tensors)
    assert got["bytes"] == batch["bytes"] and got["jagged"].keys == ["k"]
    # One storage, and one copy of it.
    assert len({t.data_ptr() for t in tensors}) == 1 and len(memory) == 2


# Copies into place.

DENSE = {"id": hr.FixedLenFeature([], hr.int64),
         "x": hr.FixedLenFeature([2], hr.float32)}


def dense_out(rows=5):
    return {"id": torch.zeros(rows, dtype=torch.int64), "x": torch.zeros(rows, 2)}


@pytest.mark.parametrize("prefetch", [0, 2])
def test_out(path, prefetch):
    dataset = hr.torch.Dataset(path, spec=DENSE, batch_size=5)
    for seed in range(10):
        device = TorchDevice(SeededStreams(seed))
        out = dense_out()
        batches = hr.torch.CudaBatches(dataset, device, prefetch, out)
        found = []
        for batch in batches:
            assert batch is out
            found.append({name: device.read_later(t) for name, t in batch.items()})
        device.streams.end()
        same([dict(batch) for batch in found], [dict(batch) for batch in dataset])


def test_out_of_nested_dicts():
    device = TorchDevice(SeededStreams(1))
    out = {"inner": {"x": torch.zeros(2)}}
    (batch,) = hr.torch.CudaBatches([{"inner": {"x": torch.ones(2)}}], device, 2, out)
    device.streams.end()
    assert batch is out and out["inner"]["x"].tolist() == [1, 1]
    cuda.fill(out, {"inner": {"x": torch.full((2,), 7.)}})
    assert out["inner"]["x"].tolist() == [7, 7]


@pytest.mark.parametrize("batch, text", [
    ({"id": torch.zeros(3), "x": torch.zeros(3, 2)},
     r"batch\['id'\] is torch.float32 of shape \[3\], and out has torch.int64 of shape "
     r"\[5\]; drop_remainder=True"),
    ({"id": torch.zeros(5, dtype=torch.int64)},
     r"batch\['x'\]: the batch has no such name"),
    (dense_out() | {"more": torch.ones(2)}, r"batch\['more'\]: out has no such name"),
    (dense_out() | {"x": [b"a"]}, r"batch\['x'\] is a list, and out= takes dense"),
    (dense_out() | {"x": hr.torch.Ragged(torch.ones(2), torch.ones(2))},
     r"batch\['x'\] is a Ragged, .* the same in each batch"),
    (dense_out() | {"x": hr.torch.Jagged([], torch.ones(2), torch.ones(2),
                                         torch.ones(2), None, [])},
     r"batch\['x'\] is a Jagged"),
    (dense_out() | {"x": torch.ones(5, 2).to_sparse()}, "layout torch.sparse_coo"),
    ([torch.ones(2)], "batch: out= takes dicts, got a list"),
])
def test_what_does_not_fit_out(batch, text):
    device = TorchDevice(SeededStreams(1))
    batches = hr.torch.CudaBatches([dense_out(), batch], device, 2, dense_out())
    next(batches)
    with pytest.raises(hr.InvalidArgumentError, match=text):
        next(batches)


def test_a_last_batch_of_fewer_rows(path):
    device = TorchDevice(SeededStreams(1))
    dataset = hr.torch.Dataset(path, spec=DENSE, batch_size=8)
    batches = hr.torch.CudaBatches(dataset, device, 2, dense_out(8))
    assert [next(batches) is not None for _ in range(2)]
    with pytest.raises(hr.InvalidArgumentError, match="drop_remainder=True"):
        next(batches)


def test_out_is_on_the_device():
    device = torch.device("cpu")
    cuda.check_out({"a": torch.ones(2), "b": {"c": torch.ones(2)}}, device)
    with pytest.raises(TypeError, match=r"out\['b'\]: expected a dict of tensors"):
        cuda.check_out({"a": torch.ones(2), "b": [torch.ones(2)]}, device)
    with pytest.raises(hr.InvalidArgumentError, match=r"out\['a'\] is on meta, not on"):
        cuda.check_out({"a": torch.ones(2, device="meta")}, device)


# Arguments.


@pytest.mark.parametrize("device, text", [
    ("cpu", 'expected one of CUDA, got "cpu"'),
    ("gpu", "'gpu' is none of torch"),
    (None, "None is none of torch"),
    ("meta", 'got "meta"'),
])
def test_devices_that_are_none(device, text):
    with pytest.raises(hr.InvalidArgumentError, match=text):
        hr.torch.cuda_batches([], device)


def test_no_device_here(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(hr.InvalidArgumentError, match="finds no device of CUDA here"):
        hr.torch.cuda_batches([])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    assert cuda.cuda_device("cuda") == torch.device("cuda:1")
    assert cuda.cuda_device(0) == torch.device("cuda:0")
    with pytest.raises(hr.InvalidArgumentError, match='"cuda:2" is asked for, of 2'):
        hr.torch.cuda_batches([], "cuda:2")


def test_sources(path, dataset):
    with pytest.raises(TypeError, match="headrace.torch.Dataset"):
        hr.torch.cuda_batches(hr.Dataset(path, spec=DENSE))
    for prefetch in (-1, 2.5):
        with pytest.raises((TypeError, hr.InvalidArgumentError), match='"prefetch"'):
            hr.torch.cuda_batches(dataset, prefetch=prefetch)
    device = TorchDevice(SeededStreams(1))
    with pytest.raises(TypeError, match="source: expected an iterable of batches"):
        hr.torch.CudaBatches(5, device, 2)
    batches = hr.torch.CudaBatches(hr.open(path, spec=DENSE), device, 2)
    with pytest.raises(TypeError, match="or to_torch of each batch"):
        next(batches)


class Elsewhere:
    """The copies of a device of CUDA, which this machine may lack."""

    _device = torch.device("cuda:0")


def test_tensors_of_another_device_are_refused():
    other = torch.ones(2, device="meta")
    with pytest.raises(hr.InvalidArgumentError, match="is on meta, and batches go from"):
        cuda._Cuda._copy_of(Elsewhere(), other)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no device of CUDA")
@pytest.mark.parametrize("pin", [False, True])
def test_a_device(dataset, pin):
    loader = DataLoader(dataset, batch_size=None, pin_memory=pin)
    with hr.torch.cuda_batches(loader) as batches:
        found = [copied(batch, lambda t: t.cpu())[0] for batch in batches]
    same(found, list(dataset))


def test_dropping_a_batch_frees_its_memory(dataset):
    device = TorchDevice(SeededStreams(1))
    with warnings.catch_warnings(), hr.torch.CudaBatches(dataset, device, 1) as batches:
        warnings.simplefilter("error")
        for batch in batches:
            device.streams.end()
        del batch
    gc.collect()
    device.streams.end()
    assert device.live == 0
