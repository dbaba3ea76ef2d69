"""docs/guides/from-tensorflow.md: the code in its tables runs, on both sides."""

import importlib
import io
import itertools
import os
import pathlib
import re
import struct
import zlib

import headrace as hr
import numpy as np
import pytest
from processes import need
from records import blobs, example, floats

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
GUIDE = pathlib.Path(__file__).parents[3] / "docs/guides/from-tensorflow.md"
TEXT = GUIDE.read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`")
# tf.io.serialize_tensor(tf.constant([1.0, 2.0]))
FLOATS = b"\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08" + struct.pack("<2f", 1, 2)
PEOPLE = {"id": [5], "tags": [1, 2], "i": [1], "j": [2], "v": [1.5]}


def tables(header):
    """Cells of the rows of each table with a header."""
    for table in re.findall(rf"^\| {header} .*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.M):
        for row in table.splitlines():
            yield [cell.strip() for cell in row.strip("|").split("|")]


ROWS = list(tables("what you wrote"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for i in range(2):
        with hr.Writer(folder / f"people-{i}.tfrecord.gz") as writer:
            for _ in range(100):
                writer.write(PEOPLE)
    with hr.Writer(folder / "plain.tfrecord") as writer:
        for _ in range(200):
            writer.write(PEOPLE)
    with hr.Writer(folder / "varied.tfrecord") as writer:
        for i in range(5):
            writer.write({"id": i})
    (folder / "words.txt").write_bytes(b"a\nb\n")
    schema = hr.infer_schema(str(folder / "people-*.tfrecord.gz")).to_pbtxt()
    (folder / "schema.pbtxt").write_text(schema)
    return folder


def names_for_both(folder):
    raw = next(hr.open(folder / "people-0.tfrecord.gz", message="raw")).payloads()
    return {
        "hr": hr, "io": io, "itertools": itertools,
        "files": [str(folder / f"people-{i}.tfrecord.gz") for i in range(2)],
        "pattern": str(folder / "people-*.tfrecord.gz"), "serialized": raw,
        "sequences": [b"", b""], "text": (folder / "schema.pbtxt").read_text(),
    }


def names_for_us(folder):
    spec = {"id": hr.FixedLenFeature([], hr.int64)}
    tensors = hr.parse_example([b""], {
        "dense": hr.FixedLenFeature([], hr.int64, 0),
        "ragged": hr.RaggedFeature(hr.int64), "sparse": hr.VarLenFeature(hr.int64)})
    reader = hr.open(folder / "people-0.tfrecord.gz")
    ds = hr.Dataset(folder / "plain.tfrecord")
    both = {"id": hr.FixedLenFeature([], hr.int64), "tags": hr.RaggedFeature(hr.int64)}
    return names_for_both(folder) | tensors | {
        "spec": spec, "reader": reader, "state": reader.state_dict(),
        "plain": ds.files, "ds": ds, "batches": ds.batches(64, shuffle=True),
        "context": {"a": hr.VarLenFeature(hr.int64)},
        "lists": {"b": hr.VarLenFeature(hr.int64)},
        "writer": hr.Writer(folder / "written.tfrecord"),
        "schema": hr.Schema.from_file(folder / "schema.pbtxt"),
        "batch": next(hr.open(folder / "plain.tfrecord", spec=both)), "np": np,
        "value": FLOATS, "stats": hr.stats(folder / "varied.tfrecord"),
    }


def names_for_tensorflow(folder):
    import tensorflow as tf

    names = names_for_both(folder)
    tensors = tf.io.parse_example(names["serialized"], {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "tags": tf.io.VarLenFeature(tf.int64)})
    names |= {
        "tf": tf, "spec": {"id": tf.io.FixedLenFeature([], tf.int64)},
        "dataset": tf.data.TFRecordDataset(names["files"], compression_type="GZIP"),
        "context": {"a": tf.io.VarLenFeature(tf.int64)},
        "lists": {"b": tf.io.VarLenFeature(tf.int64)},
        "dense": tensors["id"], "sparse": tensors["tags"],
        "ragged": tf.RaggedTensor.from_sparse(tensors["tags"]),
        "raw": tf.constant([b"1234"]), "example": tf.train.Example(),
        "packed": tf.constant([zlib.compress(b"1234")]),
        "png": tf.io.encode_png(tf.zeros([2, 2, 1], tf.uint8)),
        "jpeg": tf.io.encode_jpeg(tf.zeros([2, 2, 1], tf.uint8)),
        "writer": tf.io.TFRecordWriter(str(folder / "theirs.tfrecord")),
    }
    return names


def add_tfx(names):
    """What the rows about tfx_bsl and TensorFlow Metadata use."""
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2
    from tfx_bsl.coders import example_coder
    from tfx_bsl.tfxio import tensor_adapter, tf_example_record

    schema = text_format.Parse(names["text"], schema_pb2.Schema())
    decoder = example_coder.ExamplesToRecordBatchDecoder(schema.SerializeToString())
    source = tf_example_record.TFExampleRecord(names["files"], schema=schema)
    names |= {
        "text_format": text_format, "schema_pb2": schema_pb2, "schema": schema,
        "example_coder": example_coder, "tensor_adapter": tensor_adapter,
        "tf_example_record": tf_example_record,
        "config": source.TensorAdapterConfig(),
        "record_batch": decoder.DecodeBatch(names["serialized"]),
    }


def run(cell, names, folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert CODE.search(cell)
    for code in CODE.findall(cell):
        exec(compile(code, f"{GUIDE.name}: {code}", "exec"), names)


@pytest.mark.parametrize("cell", [row[1] for row in ROWS])
def test_what_you_write_now(cell, folder, monkeypatch):
    names = names_for_us(folder)
    if "PIL." in cell:
        need("PIL")
        importlib.import_module("PIL.Image")
        names["PIL"] = importlib.import_module("PIL")
        buffer = io.BytesIO()
        names["PIL"].Image.new("L", (2, 2)).save(buffer, "PNG")
        names["png"] = names["jpeg"] = buffer.getvalue()
    if "pyarrow." in cell:
        need("pyarrow")
        names["pyarrow"] = importlib.import_module("pyarrow")
    run(cell, names, folder, monkeypatch)


@pytest.mark.parametrize("cell", [row[0] for row in ROWS])
def test_what_you_wrote(cell, folder, monkeypatch):
    need("tensorflow")
    names = names_for_tensorflow(folder)
    if re.search("schema|example_coder|tensor_adapter", cell):
        need("tfx_bsl")
        add_tfx(names)
    if "tfdv." in cell:
        need("tensorflow_data_validation")
        names["tfdv"] = importlib.import_module("tensorflow_data_validation")
    if "schema_utils." in cell:
        need("tensorflow_transform")
        names["schema_utils"] = importlib.import_module(
            "tensorflow_transform.tf_metadata.schema_utils")
    run(cell, names, folder, monkeypatch)


def test_tensors_are_serialized_as_ours():
    need("tensorflow")
    tf = importlib.import_module("tensorflow")
    assert tf.io.serialize_tensor(tf.constant([1.0, 2.0])).numpy() == FLOATS


WORDS = [b"", b"a", b"b", b"zzz", b"word" * 20]
NUMBERS = [-3.0, 17.5, 18.0, 24.0, 25.0, 1e9]


def mapped(values, function):
    """What our function makes of values."""
    is_text = isinstance(values[0], bytes)
    spec = {"g": hr.Jagged({"x": hr.RaggedFeature(
        hr.bytes_ if is_text else hr.float32, map=function)}, as_=hr.float32)}
    row = example({"x": (blobs if is_text else floats)(*values)})
    return hr.parse_example([row], spec)["g"].values.tolist()


def ids_of_column(tf, column, name, values):
    """The ids that a categorical column makes of the values of a feature."""
    from tensorflow.python.feature_column import feature_column_v2

    rows = [[value] for value in values]
    cache = feature_column_v2.FeatureTransformationCache({name: tf.constant(rows)})
    return column.get_sparse_tensors(cache, None).id_tensor.values


def test_functions_compute_what_these_ops_compute(folder):
    need("tensorflow")
    tf = importlib.import_module("tensorflow")
    path = str(folder / "words.txt")
    lines = tf.lookup.TextFileInitializer(
        path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER)
    layers, columns = tf.keras.layers, tf.feature_column
    words = ["a", "b"]
    two = hr.vocabulary(keys=words, oov_buckets=2)
    for theirs, ours in (
            (tf.lookup.StaticHashTable(lines, -1).lookup, hr.vocabulary(path, default=-1)),
            (tf.lookup.StaticVocabularyTable(lines, 8).lookup,
             hr.vocabulary(path, oov_buckets=8)),
            (lambda x: tf.strings.to_hash_bucket_fast(x, 1000), hr.hash_bucket(1000)),
            (layers.Hashing(1000), hr.hash_bucket(1000)),
            (layers.StringLookup(vocabulary=words, num_oov_indices=3),
             hr.vocabulary(keys=words, oov_buckets=3, oov="first"))):
        found = np.array(theirs(tf.constant(WORDS))).tolist()
        assert mapped(WORDS, ours) == found, ours
    for theirs, ours in (
            (lambda x: tf.raw_ops.Bucketize(input=x, boundaries=[18.0, 25.0]),
             hr.bucketize([18, 25])),
            (layers.Discretization(bin_boundaries=[18.0, 25.0]), hr.bucketize([18, 25])),
            (lambda x: tf.clip_by_value(x, 0.0, 24.0), hr.clip(0, 24)),
            (layers.Normalization(mean=3.5, variance=4.0), hr.scale(3.5, 2.0))):
        found = np.array(theirs(tf.constant(NUMBERS))).tolist()
        assert mapped(NUMBERS, ours) == found, ours
    tags = WORDS[1:]  # "" is no value of a categorical column
    hashed = columns.categorical_column_with_hash_bucket("tags", 1000)
    listed = columns.categorical_column_with_vocabulary_list("tags", words, num_oov_buckets=2)
    cut = columns.bucketized_column(columns.numeric_column("id"), [18, 25])
    for column, name, values, ours in (
            (hashed, "tags", tags, hr.hash_bucket(1000)), (listed, "tags", tags, two),
            (cut, "id", NUMBERS, hr.bucketize([18, 25]))):
        found = ids_of_column(tf, column, name, values).numpy().tolist()
        assert mapped(values, ours) == found, ours


def test_errors_exist_and_tables_are_found():
    rows = list(tables("what TensorFlow says"))
    assert len(ROWS) > 35 and len(rows) > 9
    for row in rows:
        name = CODE.search(row[1])[1].removeprefix("hr.")
        assert name == "StopIteration" or hasattr(hr, name), name
