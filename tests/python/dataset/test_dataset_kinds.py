"""Rows of a dataset with every kind of tensor."""

import headrace as hr
import numpy as np
import records
from row_values import plain, same

SEQUENCE = {
    "one": hr.FixedLenFeature([], hr.int64, 7),
    "text": hr.FixedLenFeature([], hr.bytes_, b"?"),
    "pair": hr.FixedLenFeature([2], hr.float32, [0.5, 1.5]),
    "texts": hr.FixedLenFeature([2, 1], hr.bytes_, [b"a", b"b"]),
    "none": hr.FixedLenFeature([0], hr.int64),
    "steps": hr.FixedLenSequenceFeature([2], hr.int64, allow_missing=True),
    "words": hr.FixedLenSequenceFeature([], hr.bytes_, allow_missing=True),
    "some": hr.VarLenFeature(hr.float32),
    "tags": hr.VarLenFeature(hr.bytes_),
    "ragged": hr.RaggedFeature(hr.int64),
    "cut": hr.RaggedFeature(
        hr.int64, value_key="values", partitions=[hr.RaggedFeature.RowLengths("l")]),
    "inner": hr.RaggedFeature(
        hr.int64, value_key="values",
        partitions=[hr.RaggedFeature.UniformRowLength(2)]),
    "sparse": hr.SparseFeature("at", "sparse", hr.int64, 100),
    "small": hr.FixedLenFeature([], hr.int64, 1, as_=hr.int8),
    "half": hr.FixedLenFeature([2], hr.float32, [1, 2], as_=hr.float16),
    "padded": hr.VarLenFeature(hr.int64, pad_to=4),
}


def varied(i):
    """An Example for SEQUENCE; what it has depends on i."""
    n = i % 4
    features = {
        "one": records.ints(i), "text": records.blobs(b"%d" % i),
        "none": records.ints(),
        "steps": records.ints(*range(2 * n)), "words": records.blobs(*[b"w"] * n),
        "some": records.floats(*[0.5] * n), "tags": records.blobs(*[b"t"] * n),
        "ragged": records.ints(*range(n)), "padded": records.ints(*range(n)),
        "values": records.ints(*range(2 * n)), "l": records.ints(*[2] * n),
        "at": records.ints(*range(2 * n)), "sparse": records.ints(*range(2 * n)),
    }
    if i % 3 == 0:
        features |= {"pair": records.floats(i, -i), "texts": records.blobs(b"", b"x"),
                     "small": records.ints(i % 100), "half": records.floats(i, 2)}
    return records.example(features)


def expected_row(i):
    n = i % 4
    has = i % 3 == 0
    pairs = [[2 * k, 2 * k + 1] for k in range(n)]
    return {
        "one": i, "text": b"%d" % i,
        "pair": [i, -i] if has else [0.5, 1.5],
        "texts": [[b""], [b"x"]] if has else [[b"a"], [b"b"]],
        "none": [], "steps": pairs, "words": [b"w"] * n,
        "some": [0.5] * n, "tags": [b"t"] * n, "ragged": list(range(n)),
        "cut": pairs, "inner": pairs,
        "sparse": {"at": list(range(2 * n)), "values": list(range(2 * n))},
        "small": i % 100 if has else 1, "half": [i, 2] if has else [1, 2],
        "padded": list(range(n)) + [0] * (4 - n),
    }


def test_every_kind_of_tensor(path):
    path.write_bytes(records.framed(varied(i) for i in range(50)))
    ds = hr.Dataset(path, spec=SEQUENCE)
    alone = [ds[i] for i in range(50)]
    # Rows of a batch are padded, but dicts of them are not.
    together = ds.__getitems__(range(50))
    assert all(map(same, alone, together))
    for i, row in enumerate(alone):
        assert list(row) == list(SEQUENCE)
        assert plain(row) == expected_row(i)
    row = alone[3]
    assert isinstance(row["one"], np.int64)
    assert type(row["text"]) is bytes
    assert isinstance(row["small"], np.int8)
    assert row["half"].dtype == np.float16
    assert row["texts"].dtype == object and row["texts"].shape == (2, 1)
    assert row["none"].shape == (0,)
    assert row["steps"].shape == (3, 2)
    assert type(row["tags"]) is list
    assert row["inner"].shape == (3, 2)
    assert [part.dtype for part in row["cut"]] == [np.int64] * 3
    empty = alone[4]
    assert empty["steps"].shape == (0, 2)
    assert empty["inner"].shape == (0, 2)
    # Batches of one row are what a reader's are.
    batch = next(hr.open(path, spec=SEQUENCE, batch_size=1))
    assert plain(alone[0]["steps"]) == batch["steps"].numpy()[0].tolist()


def test_sequences(path):
    def message(i):
        steps = [records.ints(*range(k)) for k in range(i % 3)]
        return records.sequence_example(
            {"id": records.ints(i)},
            {"steps": steps, "fixed": [records.floats(i, k) for k in range(i % 4)],
             "words": [records.blobs(b"x", b"y")] * (i % 2)})

    path.write_bytes(records.framed(message(i) for i in range(24)))
    columns = hr.Dataset(path)
    assert columns.message == "sequence"
    read = [row for batch in hr.open(path) for row in batch.to_pylist()]
    assert [plain(row) for row in columns] == read
    spec = hr.Spec(
        {"id": hr.FixedLenFeature([], hr.int64)},
        {"steps": hr.RaggedFeature(hr.int64), "words": hr.VarLenFeature(hr.bytes_),
         "fixed": hr.FixedLenSequenceFeature([2], hr.float32, allow_missing=True)})
    ds = hr.Dataset(path, spec=spec)
    together = ds.__getitems__(range(24))
    for i in range(24):
        assert same(ds[i], together[i])
        assert plain(ds[i]) == {
            "id": i, "steps": [list(range(k)) for k in range(i % 3)],
            "words": [[b"x", b"y"]] * (i % 2),
            "fixed": [[i, k] for k in range(i % 4)]}
    assert ds[3]["fixed"].shape == (3, 2) and ds[4]["fixed"].shape == (0, 2)
