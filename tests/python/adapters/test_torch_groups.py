"""Matrices and jagged groups as tensors of torch and torchrec."""

import copy
import pickle
import sys
from multiprocessing.reduction import ForkingPickler

import headrace as hr
import pytest
import records
from records import example, floats, ints, sequence_example

torch = pytest.importorskip("torch", reason="the adapter is for it")
from torch.utils.data import DataLoader  # noqa: E402
from torch.utils.data._utils.pin_memory import pin_memory  # noqa: E402
from torch_values import same  # noqa: E402

SPEC = {
    "m": hr.Matrix({"n": hr.FixedLenFeature([], hr.int64),
                    "x": hr.FixedLenFeature([2], hr.float32, [0.5, 0.5])},
                   as_=hr.bfloat16),
    "j": hr.Jagged({"a": hr.RaggedFeature(hr.int64, weight_key="w"),
                    "b": hr.RaggedFeature(hr.int64)}, as_=hr.int32, weights=True),
    "p": hr.Jagged({"b": hr.RaggedFeature(hr.int64)}, as_=hr.int64,
                   lengths_dtype=hr.int64),
}


def row(i):
    return example({"n": ints(i), "a": ints(*[i] * (i % 3)), "b": ints(*range(i % 2)),
                    "w": floats(*[i / 2] * (i % 3))})


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.tfrecord"
    path.write_bytes(records.framed(map(row, range(20))))
    return path


@pytest.fixture
def batch(path):
    with hr.open(path, spec=SPEC, batch_size=6, on_absent="ignore") as reader:
        return next(reader)


def test_tensors(batch):
    tensors = hr.torch.to_torch(batch)
    matrix, j = tensors["m"], tensors["j"]
    assert matrix.dtype == torch.bfloat16 and matrix.shape == (6, 3)
    assert matrix.tolist() == [[i, 0.5, 0.5] for i in range(6)]
    assert isinstance(j, hr.torch.Jagged)
    assert (j.keys, j.length_per_key) == (["a", "b"], [6, 3])
    assert j.values.tolist() == [1, 2, 2, 4, 5, 5, 0, 0, 0]
    assert j.lengths.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 0, 1]
    assert j.offsets.tolist() == [0, 0, 1, 3, 3, 4, 6, 6, 7, 7, 8, 8, 9]
    assert j.weights.tolist() == [0.5, 1, 1, 2, 2.5, 2.5, 1, 1, 1]
    assert [part.dtype for part in j[1:5]] == [
        torch.int32, torch.int32, torch.int32, torch.float32]
    p = tensors["p"]
    assert p.weights is None and p.lengths.dtype == p.offsets.dtype == torch.int64


def test_values_are_not_copied(batch):
    j = hr.torch.to_torch(batch)["j"]
    j.values[0] = 77
    assert batch["j"].values.tolist()[0] == 77
    # Lengths and offsets are, since the batch relies on them.
    j.offsets[-1] = j.lengths[0] = 100
    assert batch["j"].offsets.tolist()[-1] == 9 and batch["j"].lengths.tolist()[0] == 0


def test_an_embedding_bag_takes_them(batch):
    j = hr.torch.to_torch(batch)["j"]
    bag = torch.nn.EmbeddingBag(9, 4, mode="sum", include_last_offset=True)
    found = bag(j.values, j.offsets, per_sample_weights=j.weights).view(2, 6, 4)
    weight = bag.weight
    for r in range(6):
        assert torch.allclose(found[0, r], weight[r] * (r / 2) * (r % 3))
        assert torch.allclose(found[1, r], weight[0] * (r % 2))


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_they_cross_from_workers(path, context):
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=6, on_absent="ignore")
    loader = DataLoader(dataset, batch_size=None, num_workers=1,
                        multiprocessing_context=context)
    found = list(loader)
    assert len(found) == 4
    same(found, list(dataset))


def test_copies(batch, monkeypatch):
    tensors = hr.torch.to_torch(batch)
    same(pickle.loads(bytes(ForkingPickler.dumps(tensors))), tensors)
    same(copy.deepcopy(tensors), tensors)
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor, *_: tensor.clone())
    same(pin_memory(tensors), tensors)


def test_feature_lists(tmp_path):
    spec = hr.Spec({"j": hr.Jagged({
        "s": hr.RaggedFeature(hr.int64, sequence=True)}, as_=hr.int32)}, {})
    rows = [sequence_example({}, {"s": [ints(1, 2), ints(3)]}), sequence_example({}, {})]
    path = tmp_path / "rows.tfrecord"
    path.write_bytes(records.framed(rows))
    tensors = hr.torch.to_torch(next(hr.open(path, spec=spec)))
    assert tensors["context"]["j"].values.tolist() == [1, 2, 3]
    assert tensors["context"]["j"].lengths.tolist() == [3, 0]
    assert tensors["sequence"] == tensors["lengths"] == {}


@pytest.mark.parametrize("make", [lambda b: b["j"], lambda b: hr.torch.to_torch(b)["j"]])
def test_torchrec(batch, make):
    torchrec = pytest.importorskip("torchrec", reason="makes its tensors")
    found = make(batch).to_kjt()
    assert isinstance(found, torchrec.KeyedJaggedTensor)
    assert found.keys() == ["a", "b"] and found.stride() == 6
    parts = found.to_dict()
    rows = batch.to_pydict()["j"]
    for key in "ab":
        values = [value for row in rows for value in row[key][0]]
        weights = [value for row in rows for value in row[key][1]]
        assert parts[key].values().tolist() == values
        assert parts[key].weights().tolist() == weights
        assert parts[key].lengths().tolist() == [len(row[key][0]) for row in rows]


class FakeTorchrec:
    """Takes what KeyedJaggedTensor of torchrec 1.9 takes."""

    @staticmethod
    def KeyedJaggedTensor(keys, values, weights=None, lengths=None, offsets=None,
                          stride=None, length_per_key=None, offset_per_key=None):
        return locals()


@pytest.mark.parametrize("make", [lambda b: b["j"], lambda b: hr.torch.to_torch(b)["j"]])
def test_arguments_of_torchrec(batch, make, monkeypatch):
    monkeypatch.setitem(sys.modules, "torchrec", FakeTorchrec)
    found = make(batch).to_kjt()
    assert (found["keys"], found["stride"]) == (["a", "b"], 6)
    assert (found["length_per_key"], found["offset_per_key"]) == ([6, 3], [0, 6, 9])
    j = hr.torch.to_torch(batch)["j"]
    for name in ("values", "weights", "lengths", "offsets"):
        same(found[name], getattr(j, name))
    none = hr.parse_example([], SPEC)["j"].to_kjt()
    assert (none["stride"], none["offsets"].tolist()) == (0, [0])


def test_torchrec_is_asked_for(batch, monkeypatch):
    monkeypatch.setitem(sys.modules, "torchrec", None)
    with pytest.raises(hr.MissingPackageError, match="Jagged.to_kjt.*pip install torchrec"):
        hr.torch.to_torch(batch)["j"].to_kjt()
