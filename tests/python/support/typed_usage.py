"""What type checkers say of a program that uses headrace: nothing where it is right.

A line that ends in `# wrong` must be an error, and no other line may be one.
"""

from typing import Any

import headrace as hr
import numpy
from numpy.typing import NDArray

SPEC = {
    "age": hr.FixedLenFeature([], hr.int64, default_value=-1),
    "tags": hr.RaggedFeature(hr.bytes_),
}


def reading(path: str) -> int:
    rows = 0
    with hr.open(path, spec=SPEC, batch_size=64, on_corrupt="skip") as reader:
        for batch in reader:
            rows += batch.num_rows
            names: list[str] = list(batch)
            names += batch.keys()
            print(names, batch.to_pydict(), batch.get("age"), batch["age"].numpy())
        report: hr.ReadReport = reader.report
    return rows + report.num_rows


def wrong_names(path: str, batch: hr.Batch) -> None:
    hr.opne(path)  # wrong
    hr.open(path).repot  # wrong
    hr.FixedLenFeatures  # wrong
    batch.num_row  # wrong
    batch.columns  # wrong
    hr.tensorflow  # wrong


def wrong_arguments(path: str) -> None:
    hr.open(path, batchsize=3)  # wrong
    hr.open(path, threads="2")  # wrong
    hr.open(path, on_corrupt="ignore")  # wrong
    hr.open(path, message="examples")  # wrong
    hr.open(path, batch_size="large")  # wrong
    hr.open(path, compression="gz", bytes_as="view")  # wrong
    hr.decode([b""], message="seq")  # wrong
    hr.Writer(path, compression="lz4")  # wrong
    hr.FixedLenFeature()  # wrong
    hr.parse_example([b""])  # wrong


def arrays(tensor: hr.Tensor, ragged: hr.RaggedTensor, column: hr.Column) -> None:
    values: NDArray[Any] = tensor.numpy()
    chosen = values[tensor == 3]
    print(chosen, tensor + 1, 1 - tensor, -tensor, tensor[0], len(tensor), 3 in tensor)
    print(numpy.asarray(tensor), numpy.mean(tensor), [value + 1 for value in tensor])
    print(ragged[0], ragged.to_dense(), [row for row in ragged], ragged.row_splits[0])
    row = column[0]
    print(None if row is None else row[0], column[1:][0], column.offsets)
    tensor[0] = 1  # wrong
    ragged + 1  # wrong
    column.shape  # wrong


def groups(jagged: hr.JaggedTensor) -> hr.Spec:
    values: NDArray[Any] = jagged.values.numpy()
    print(values, jagged.keys[0], jagged.offsets[-1], jagged.length_per_key, len(jagged))
    print(None if jagged.weights is None else jagged.weights.numpy(), jagged.to_kjt())
    jagged.weights.numpy()  # wrong
    jagged.numpy()  # wrong
    members = {"age": hr.FixedLenFeature([], hr.int64, 0, present=True)}
    hr.Matrix(members)  # wrong
    hr.Matrix(members, as_=hr.float32, weights=True)  # wrong
    hr.RaggedFeature(hr.int64, frist_n=3)  # wrong
    matrix = hr.Matrix(members, as_=hr.bfloat16, exact=True)
    print(matrix.features["age"].dtype, matrix.as_)
    ids = {"ids": hr.RaggedFeature(hr.int64, last_n=5, weight_key="w")}
    return hr.Spec({"m": matrix, "j": hr.Jagged(ids, as_=hr.int32, weights=True)})


def errors(error: hr.DataError) -> None:
    print(error.file, error.record, error.feature)
    name: str = error.file  # wrong
    print(name)


def writing(path: str) -> None:
    with hr.Writer(path, compression="gzip") as writer:
        writer.write({"age": 3, "tags": [b"a", b"b"]})
        writer.wirte({})  # wrong
    records: list[bytes] = hr.encode(hr.decode([b""]))
    print(records)


def parts(path: str) -> int:
    names: list[str] = hr.index(path, checkpoint_bytes=1 << 20, threads=2)
    rows = 0
    for name, begin, end in hr.split(path, 8, index="required"):
        with hr.open(name, byte_range=(begin, end), index=None) as reader:
            rows += sum(batch.num_rows for batch in reader)
    hr.open(path, index="folder", write_index=True)
    hr.open(path, index=3)  # wrong
    hr.open(path, write_index="yes")  # wrong
    hr.split(path)  # wrong
    hr.index(path, threads="2")  # wrong
    return rows + len(names)


def statistics(path: str) -> float:
    stats: hr.Stats = hr.stats(path, by="label", features=["age"], threads=2)
    feature: hr.FeatureStats = stats.features["age"]
    merged = stats.merge(hr.Stats.load(path), stats)
    merged.save_html(path, title="people")
    anomalies: list[hr.Anomaly] = stats.anomalies(path, environment="SERVING")
    print(feature.int64.mean, anomalies, [remark.reason for remark in stats.remarks])
    data: bytes = stats.to_tfdv()
    stats.merge(3)  # wrong
    stats.compare(path)  # wrong
    stats.save()  # wrong
    hr.stats(path, sample="all")  # wrong
    hr.stats(path, message="both")  # wrong
    keys: hr.CountedKeys = hr.vocabulary_of(path, "age", min_count=2, threads=2)
    keys.save(path)
    hr.vocabulary_of(path)  # wrong
    hr.vocabulary_of(path, "age", size="all")  # wrong
    found = stats.compare(merged, name="old")
    return found[0].distance + found.distance + len(data)


def adapters(path: str) -> None:
    hr.polars.scan_tfrecord(path, spec=SPEC)
    hr.torch.Dataset(path, spec=SPEC, batch_size=256)
    hr.spark.register(path)
    hr.polars.scan(path)  # wrong
    hr.spark.registre(path)  # wrong
    hr.torch.DataSet(path)  # wrong
