"""Batches of tensors cross from workers of a loader in one piece."""

import collections
import copy
import io
import pickle
from multiprocessing.reduction import ForkingPickler

import headrace as hr
import pytest
from written import write

torch = pytest.importorskip("torch", reason="the adapter is for it")
from headrace.adapters.torch import crossing as torch_crossing  # noqa: E402
from torch.utils.data import DataLoader, default_collate  # noqa: E402
from torch.utils.data._utils.pin_memory import pin_memory  # noqa: E402

Tensors = hr.torch.Tensors

SPEC = {
    "id": hr.FixedLenFeature([], hr.int64),
    "x": hr.FixedLenFeature([2, 3], hr.float32),
    "half": hr.FixedLenFeature([2], hr.float32, as_=hr.float16),
    "name": hr.FixedLenFeature([], hr.bytes_),
    "ids": hr.RaggedFeature(hr.int64, value_key="ids"),
    "tags": hr.RaggedFeature(hr.bytes_, value_key="tags"),
    "rows": hr.RaggedFeature(hr.int64, value_key="ids",
                             partitions=[hr.RaggedFeature.UniformRowLength(2)]),
    "sparse": hr.VarLenFeature(hr.float32),
    "words": hr.VarLenFeature(hr.bytes_),
    "none": hr.FixedLenSequenceFeature([], hr.float32, allow_missing=True),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crossing")
    for part in range(2):
        write(folder / f"{part}.tfrecord", (
            {"id": i, "x": [i / 2] * 6, "half": [0.5, i * 1.0], "name": b"%d" % i,
             "ids": [i] * (2 * (i % 3)), "tags": [b"t"] * (i % 2),
             "sparse": [1.5] * (i % 4), "words": [b"w"] * (i % 2)}
            for i in range(50 * part, 50 * part + 50)))
    return folder


def same(left, right):
    """Whether two batches are equal, in all their types."""
    if type(left) is not type(right):
        return False
    if isinstance(left, torch.Tensor):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if left.is_sparse:
            return left.is_coalesced() == right.is_coalesced() and same(
                left.to_dense(), right.to_dense())
        return torch.equal(left, right)
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[k], right[k]) for k in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def sent(value):
    """What another process gets; tensors in shared memory go through this one."""
    return pickle.loads(bytes(ForkingPickler.dumps(value)))


@pytest.fixture
def batch(path):
    return hr.torch.to_torch(next(hr.open(path, spec=SPEC, batch_size=64)))


@pytest.mark.parametrize("context, in_order", [
    ("fork", True), ("fork", False), ("spawn", True), ("forkserver", True)])
def test_all_kinds_cross(path, context, in_order):
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=10)
    wanted = list(DataLoader(dataset, batch_size=None))
    loader = DataLoader(dataset, batch_size=None, num_workers=2, in_order=in_order,
                        multiprocessing_context=context)
    found = sorted(loader, key=lambda batch: batch["id"][0].item())
    assert type(found[0]) is Tensors
    assert len(found) == 10 and all(map(same, found, wanted))


def test_many_bytes_cross_by_shared_memory(path, batch, monkeypatch):
    for most in (0, 1 << 21):
        monkeypatch.setattr(torch_crossing, "_MOST_IN_PIPE", most)
        assert same(sent(batch), batch)
    big = Tensors(x=torch.arange(10**6), y=torch.ones(3))
    assert len(ForkingPickler.dumps(big)) < 2000
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=50, transform=with_much)
    found = list(DataLoader(dataset, batch_size=None, num_workers=1))
    assert all(same(b["much"], torch.arange(10**6)) for b in found)


def with_much(batch):
    batch["much"] = torch.arange(10**6)
    return batch


def test_one_pickle_has_no_tensor_of_its_own(batch, monkeypatch):
    """torch sends every tensor that it meets by a file and a socket."""
    met = []
    reductions = torch.multiprocessing.reductions
    monkeypatch.setitem(ForkingPickler._extra_reducers, torch.Tensor,
                        lambda tensor: met.append(tensor) or reductions.reduce_tensor(tensor))
    sent(batch)
    assert met == []
    sent(dict(batch))
    assert len(met) > 5


def test_tensors_have_memory_of_their_own(batch):
    found = sent(batch)
    x = found["x"]
    assert x.untyped_storage().nbytes() == x.nbytes
    x.fill_(7)
    found["id"].zero_()
    assert same(found["half"], batch["half"]) and not same(x, batch["x"])
    x = x.clone()
    del found
    assert x.sum() == 7 * x.numel()


@pytest.mark.parametrize("tensor", [
    torch.ones(2, 3).T, torch.ones(1).expand(5), torch.ones(3, requires_grad=True),
    torch.nn.Parameter(torch.ones(2)), torch.tensor(3.5), torch.ones(2, 0, 3),
    torch.ones(3, dtype=torch.complex64).conj(), torch.zeros(3).share_memory_(),
    torch.ones(4, dtype=torch.bfloat16), torch.tensor([True, False]),
    torch.ones(2, 2).to_sparse(),
], ids=range(11))
def test_odd_tensors_of_a_transform_cross(tensor):
    found = sent(Tensors(x=tensor, y=[tensor, (tensor, b"x")], z=torch.ones(2)))
    assert type(found) is Tensors and same(found["z"], torch.ones(2))
    if tensor.is_sparse:
        assert same(found["x"], tensor)
        return
    for copied in (found["x"], found["y"][0], found["y"][1][0]):
        assert type(copied) is type(tensor)
        assert copied.dtype == tensor.dtype and copied.layout == tensor.layout
        assert copied.requires_grad == tensor.requires_grad
        assert copied.is_shared() or not tensor.is_shared()
        assert copied.shape == tensor.shape and copied.stride() == tensor.stride()
        assert torch.equal(copied, tensor)


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize("value", [
    {"a": {"b": [torch.ones(2)]}}, {"a": Pair(torch.ones(1), None)},
    {"a": (torch.ones(1), [torch.ones(2), 3])}, {"a": torch.Size([3])},
    {"a": torch.ones(3).max(0)}, {"a": [], "b": {}, "c": ()}, {1: "x", None: 2},
    {"a": {torch_crossing._Coo}}, {}])
def test_what_a_transform_returns_crosses(value):
    found = sent(torch_crossing.Carried(value))
    assert same(found, value)
    assert type(found) is dict
    assert same(sent(Tensors(value)), Tensors(value))


def plain(batch):
    return {"id": batch["id"] + 1, "pair": Pair(batch["x"], 3)}


@pytest.mark.parametrize("workers", [0, 1])
def test_a_plain_dict_of_a_transform_stays_one(path, workers):
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=10, transform=plain)
    rows = hr.torch.MapDataset(path, spec=SPEC, transform=plain)
    sampler = hr.torch.Sampler(rows, 10)
    for loader in (DataLoader(dataset, batch_size=None, num_workers=workers),
                   DataLoader(rows, batch_size=None, sampler=sampler, num_workers=workers)):
        found = next(iter(loader))
        assert type(found) is dict and type(found["pair"]) is Pair
        assert found["id"].tolist() == list(range(1, 11))


# ------------------------------------------------------------------- As a dict


def test_it_is_a_dict(batch):
    assert isinstance(batch, dict) and same(dict(batch)["id"], batch["id"])
    for copied in (copy.copy(batch), pin(batch), copy.deepcopy(batch)):
        assert type(copied) is Tensors and same(copied, batch)
    assert copy.copy(batch)["x"] is batch["x"]
    copied = copy.deepcopy(batch)
    copied["x"].zero_()
    assert batch["x"].any()
    # Files have no class of headrace.
    assert same(dict(pickle.loads(pickle.dumps(batch))), dict(batch))
    file = io.BytesIO()
    torch.save(Tensors(id=batch["id"]), file)
    file.seek(0)
    assert same(torch.load(file, weights_only=True)["id"], batch["id"])
    doubled = torch.utils._pytree.tree_map(lambda x: x * 2, Tensors(id=batch["id"]))
    assert type(doubled) is Tensors and same(doubled["id"], batch["id"] * 2)


def pin(batch):
    """As the thread of a loader does, but that it needs no device."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.Tensor, "pin_memory", lambda tensor, *_: tensor.clone())
        return pin_memory(batch)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_loader_makes_no_batches_of_batches(path, workers):
    dataset = hr.torch.Dataset(path, spec={"id": SPEC["id"]}, batch_size=10)
    with pytest.raises(hr.InvalidArgumentError, match="batch_size=None"):
        next(iter(DataLoader(dataset, batch_size=4, num_workers=workers)))
    # A transform may have made single rows of them, and its own collate any use.
    single = hr.torch.Dataset(path, spec={"id": SPEC["id"]}, batch_size=1,
                              transform=lambda batch: {"id": batch["id"][0]})
    found = next(iter(DataLoader(single, batch_size=4, num_workers=workers)))
    assert found["id"].tolist() == [0, 1, 2, 3]
    own = DataLoader(dataset, batch_size=2, num_workers=workers, collate_fn=len)
    assert next(iter(own)) == 2
    rows = hr.torch.MapDataset(path, spec={"id": SPEC["id"]})
    found = next(iter(DataLoader(rows, batch_size=4, num_workers=workers)))
    assert found["id"].tolist() == [0, 1, 2, 3]
    assert type(default_collate([{"x": torch.ones(2)}] * 2)) is dict


# ------------------------------------------------------------------- Transforms


def stops(_):
    raise StopIteration


@pytest.mark.parametrize("workers", [0, 1])
def test_a_transform_cannot_end_a_loop(path, workers):
    rows = hr.torch.MapDataset(path, spec=SPEC, transform=stops)
    sampler = hr.torch.Sampler(rows, 10)
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=10, transform=stops)
    for loader in (DataLoader(rows, batch_size=10, num_workers=workers),
                   DataLoader(rows, batch_size=None, num_workers=workers),
                   DataLoader(rows, batch_size=None, sampler=sampler, num_workers=workers),
                   DataLoader(dataset, batch_size=None, num_workers=workers)):
        with pytest.raises(RuntimeError, match="StopIteration"):
            list(loader)
