"""Jagged groups in the embedding bags of torchrec and torch."""

import random

import headrace as hr
import numpy as np
import pytest
import records
from records import blobs, example, floats, ints, sequence_example

torch = pytest.importorskip("torch", reason="makes its tensors")
torchrec = pytest.importorskip("torchrec", reason="its modules take groups")
from torchrec import EmbeddingBagCollection, EmbeddingBagConfig, PoolingType  # noqa: E402

SIZES = {"clicks": 50, "city": 20, "word": 30}  # rows of the tables
DIM = 4


def rows(count, seed=1):
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        row = {}
        if rng.random() < 0.8:
            row["clicks"] = [rng.randrange(50) for _ in range(rng.randrange(6))]
            row["rating"] = [rng.randrange(9) / 4 for _ in row["clicks"]]
        if rng.random() < 0.8:
            row["city"] = [rng.randrange(1000)]
        if rng.random() < 0.8:
            row["word"] = [bytes(rng.choices(b"abc", k=rng.randrange(4)))
                           for _ in range(rng.randrange(4))]
        made.append(row)
    return made


def spec(as_, lengths_dtype, weights):
    return {"ids": hr.Jagged({
        "clicks": hr.RaggedFeature(hr.int64, last_n=3,
                                   weight_key="rating" if weights else None),
        "city": hr.RaggedFeature(hr.int64, map=hr.bucketize([10, 500, 900])),
        "word": hr.RaggedFeature(hr.bytes_, map=hr.vocabulary(
            keys=["a", "b", "ab"], oov_buckets=1)),
    }, as_=as_, weights=weights, lengths_dtype=lengths_dtype)}


def expected_ids(row):
    """Ids and weights of a row, by hand."""
    words = {b"a": 0, b"b": 1, b"ab": 2}
    clicks = list(zip(row.get("clicks", []), row.get("rating", [])))[-3:]
    return {
        "clicks": clicks,
        "city": [(int(np.searchsorted([10, 500, 900], city, side="right")), 1.0)
                 for city in row.get("city", [])],
        "word": [(words.get(word, 3), 1.0) for word in row.get("word", [])],
    }


def pooled(made, tables, weights, mean=False):
    """[rows, 3 * DIM]: the sum, or the mean, of each key, one row after another."""
    out = np.zeros((len(made), len(tables) * DIM))
    for r, row in enumerate(made):
        for k, (key, pairs) in enumerate(expected_ids(row).items()):
            for index, weight in pairs:
                out[r, k * DIM:(k + 1) * DIM] += (
                    tables[key][index] * (weight if weights else 1)
                    / (len(pairs) if mean else 1))
    return out


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.tfrecord"
    fields = {"clicks": lambda v: ints(*v), "rating": lambda v: floats(*v),
              "city": lambda v: ints(*v), "word": lambda v: blobs(*v)}
    path.write_bytes(records.framed(
        example({key: fields[key](value) for key, value in row.items()})
        for row in rows(500)))
    return path


def to_torch(batch):
    return hr.torch.to_torch(batch)["ids"]


MAKERS = pytest.mark.parametrize(
    "make", [lambda batch: batch["ids"], to_torch], ids=["headrace", "torch"])
TYPES = pytest.mark.parametrize("as_", [hr.int32, hr.int64], ids=["int32", "int64"])
LENGTHS = pytest.mark.parametrize(
    "lengths_dtype", [hr.int32, hr.int64], ids=["int32", "int64"])


@MAKERS
@TYPES
@LENGTHS
@pytest.mark.parametrize(("weights", "pooling"), [
    (False, PoolingType.SUM), (False, PoolingType.MEAN), (True, PoolingType.SUM)])
def test_collection(path, make, as_, lengths_dtype, weights, pooling):
    torch.manual_seed(1)
    mean = pooling == PoolingType.MEAN
    modules = EmbeddingBagCollection(tables=[
        EmbeddingBagConfig(name=key, embedding_dim=DIM, num_embeddings=size,
                           feature_names=[key], pooling=pooling)
        for key, size in SIZES.items()], is_weighted=weights)
    tables = {key: modules.embedding_bags[key].weight.detach().numpy()
              for key in SIZES}
    made, begin = rows(500), 0
    with hr.open(path, spec=spec(as_, lengths_dtype, weights), batch_size=77) as reader:
        for batch in reader:
            kjt = make(batch).to_kjt()
            assert kjt.keys() == list(SIZES)
            assert kjt.stride() == batch.num_rows
            found = modules(kjt)
            assert found.keys() == list(SIZES)
            wanted = pooled(made[begin:begin + batch.num_rows], tables, weights, mean)
            np.testing.assert_allclose(
                found.values().detach().numpy(), wanted, rtol=1e-5, atol=1e-6)
            begin += batch.num_rows
    assert begin == 500


@MAKERS
def test_parts(path, make):
    """What torchrec cuts out of it by key, by row and by permutation."""
    made = rows(500)
    batch = next(hr.open(path, spec=spec(hr.int32, hr.int32, True), batch_size=100))
    kjt = make(batch).to_kjt()
    wanted = [expected_ids(row) for row in made[:100]]
    for order in (["clicks", "city", "word"], ["word", "clicks"]):
        part = kjt.permute([kjt.keys().index(key) for key in order])
        assert part.keys() == order
        for key in order:
            jagged = part[key]
            pairs = [pair for row in wanted for pair in row[key]]
            assert jagged.lengths().tolist() == [len(row[key]) for row in wanted]
            assert jagged.offsets().tolist() == np.cumsum(
                [0, *(len(row[key]) for row in wanted)]).tolist()
            assert jagged.values().tolist() == [pair[0] for pair in pairs]
            assert jagged.weights().tolist() == [pair[1] for pair in pairs]
    halves = kjt.split([1, 2])
    assert [half.keys() for half in halves] == [["clicks"], ["city", "word"]]
    assert halves[1]["word"].values().tolist() == [
        pair[0] for row in wanted for pair in row["word"]]


@MAKERS
def test_no_rows_and_no_values(make):
    for made in ([], [example({})] * 3):
        batch = hr.parse_example(made, spec(hr.int64, hr.int32, True))
        if make is to_torch and not made:
            continue
        jagged = batch["ids"]
        kjt = jagged.to_kjt()
        assert kjt.stride() == len(made)
        assert kjt.values().numel() == 0
        assert kjt.lengths().tolist() == [0] * (3 * len(made))


@TYPES
@LENGTHS
def test_embedding_bag(path, as_, lengths_dtype):
    torch.manual_seed(2)
    bag = torch.nn.EmbeddingBag(60, DIM, mode="sum", include_last_offset=True)
    weight = bag.weight.detach().numpy()
    tables = {key: weight for key in SIZES}
    made, begin = rows(500), 0
    for batch in hr.open(path, spec=spec(as_, lengths_dtype, True), batch_size=77):
        count = batch.num_rows
        j = to_torch(batch)
        found = bag(j.values, j.offsets, per_sample_weights=j.weights)
        found = found.detach().view(len(j.keys), count, DIM).permute(1, 0, 2)
        np.testing.assert_allclose(
            found.reshape(count, -1).numpy(),
            pooled(made[begin:begin + count], tables, True), rtol=1e-5, atol=1e-6)
        begin += count
    assert begin == 500


def test_feature_lists():
    group = hr.Jagged({"s": hr.RaggedFeature(hr.int64, sequence=True, first_n=3)},
                      as_=hr.int64)
    made = [sequence_example({}, {"s": [ints(1, 2), ints(), ints(3, 4)]}),
            sequence_example({}, {})]
    context = hr.parse_sequence_example(made, {"j": group}, {})[0]
    kjt = context["j"].to_kjt()
    assert kjt["s"].values().tolist() == [1, 2, 3]
    assert kjt["s"].lengths().tolist() == [3, 0]
