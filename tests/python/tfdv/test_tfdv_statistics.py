"""headrace stats --format tfdv, compared with TensorFlow Data Validation."""

import os
import random

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip(
    "tensorflow_data_validation", reason="compares with TensorFlow Data Validation"
)

import apache_beam as beam  # noqa: E402
import tensorflow as tf  # noqa: E402
import tensorflow_data_validation as tfdv  # noqa: E402
from google.protobuf import text_format  # noqa: E402
from random_records import (  # noqa: E402
    Dataset,
    feature_of,
    large_dataset,
    random_dataset,
    written,
)
from tfdv_comparison import (  # noqa: E402
    Statistics,
    differences,
    headrace_stats,
    ours_of,
    path_of,
    record_batch,
    stated_errors,
    statistics_of,
)
from tfx_bsl.public import tfxio  # noqa: E402

SEED = int(os.environ.get("HEADRACE_SEED", "1"))
CHUNKS = 20
DATASETS = 15  # a chunk
pytestmark = pytest.mark.filterwarnings("ignore")


def compare(path, dataset):
    written(path, dataset)
    batch = record_batch(dataset.records, dataset.message)
    compare_with(statistics_of(batch), path, dataset)


def compare_with(theirs, path, dataset):
    batch = record_batch(dataset.records, dataset.message)
    errors = stated_errors(path, dataset.message)
    assert not differences(ours_of(path, dataset.message), theirs, batch, errors)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_datasets(chunk, path):
    for i in range(DATASETS):
        compare(path, random_dataset(SEED * 10_000 + chunk * DATASETS + i))


def test_the_whole_pipeline(tmp_path):
    """Beam gives what is compared above; one pipeline saves it from starting anew."""
    seeds = [SEED * 10_000 + 5_000 + i for i in range(6)]
    datasets = {str(seed): random_dataset(seed) for seed in seeds}
    datasets["large"] = large_dataset(SEED, 3_000)
    with beam.Pipeline() as pipeline:
        for name, dataset in datasets.items():
            file = str(written(tmp_path / f"{name}.tfrecord", dataset))
            source = {
                "example": tfxio.TFExampleRecord,
                "sequence": tfxio.TFSequenceExampleRecord,
            }[dataset.message](file, telemetry_descriptors=["test"])
            _ = (
                pipeline
                | f"read {name}" >> source.BeamSource()
                | f"count {name}" >> tfdv.GenerateStatistics()
                | f"write {name}"
                >> tfdv.WriteStatisticsToBinaryFile(str(tmp_path / f"{name}.beam"))
            )
    for name, dataset in datasets.items():
        theirs = tfdv.load_stats_binary(str(tmp_path / f"{name}.beam"))
        compare_with(theirs, tmp_path / f"{name}.tfrecord", dataset)


def test_generate_statistics_from_tfrecord(path):
    dataset = large_dataset(SEED, 500)
    theirs = tfdv.generate_statistics_from_tfrecord(str(written(path, dataset)))
    compare_with(theirs, path, dataset)


def test_no_records(path):
    theirs = tfdv.generate_statistics_from_tfrecord(
        str(written(path, Dataset("example", [])))
    )
    assert ours_of(path, "example") == theirs


def test_many_distinct_values(path):
    """What is not counted exactly is near, and no rare value seems frequent."""
    rng = random.Random(SEED)
    words = [b"w%d" % min(rng.paretovariate(0.5), 10**6) for _ in range(50_000)]
    records = [
        tf.train.Example(
            features=tf.train.Features(
                feature={
                    "word": feature_of("bytes", [word]),
                    "id": feature_of("bytes", [b"%d" % i]),
                }
            )
        ).SerializeToString()
        for i, word in enumerate(words)
    ]
    written(path, Dataset("example", records))
    ours = ours_of(path, "example", "--max-distinct", "1024")
    theirs = statistics_of(record_batch(records, "example"))
    for mine, its in zip(
        ours.datasets[0].features, theirs.datasets[0].features, strict=True
    ):
        assert path_of(mine) == path_of(its)
        check_approximate_strings(mine.string_stats, its.string_stats)


def check_approximate_strings(ours, theirs):
    assert theirs.unique > 1024
    assert abs(ours.unique / theirs.unique - 1) < 0.0297
    for mine, its in zip(ours.top_values[:5], theirs.top_values[:5], strict=True):
        if its.frequency > 1:
            assert mine.value == its.value
        assert 0 <= its.frequency - mine.frequency <= 50_000 / 1024


@pytest.mark.parametrize("seed", range(SEED, SEED + 8))
def test_many_values(path, seed):
    """Both sides keep some of them."""
    compare(path, large_dataset(seed, 60_000))


def test_both_forms_say_the_same(path):
    dataset = random_dataset(SEED)
    ours = ours_of(written(path, dataset), dataset.message)
    out = headrace_stats(path, dataset.message, path.with_suffix(".pbtxt"))
    text = out.read_text()
    assert text_format.Parse(text, Statistics()) == ours
    assert text_format.MessageToString(ours) == text


def test_integers_of_feature_lists_are_whole(path):
    """tfx_bsl cuts them to 32 bits, which docs/differences.md says."""
    value = 2**40 + 5
    lists = {"a": tf.train.FeatureList(feature=[feature_of("int64", [value])])}
    record = tf.train.SequenceExample(
        feature_lists=tf.train.FeatureLists(feature_list=lists)
    ).SerializeToString()
    ours = ours_of(written(path, Dataset("sequence", [record])), "sequence")
    theirs = statistics_of(record_batch([record], "sequence"))
    assert ours.datasets[0].features[-1].num_stats.max == value
    assert theirs.datasets[0].features[-1].num_stats.max == 5


def test_long_values_are_not_shown(path):
    """TFDV prints values of any length; docs/differences.md says how long ours are."""
    rng = random.Random(SEED)
    values = [b"a" * 256, b"b" * 257, rng.randbytes(5000)]
    record = tf.train.Example(
        features=tf.train.Features(feature={"a": feature_of("bytes", values)})
    ).SerializeToString()
    ours = ours_of(written(path, Dataset("example", [record])), "example")
    stats = ours.datasets[0].features[0].string_stats
    labels = {value.value for value in stats.top_values}
    assert labels == {"a" * 256, "__LARGE_BYTES__", "__BYTES_VALUE__"}
    assert stats.unique == 3
