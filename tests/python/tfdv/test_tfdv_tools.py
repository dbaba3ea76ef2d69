"""What TensorFlow Data Validation does with statistics that headrace made."""

import os
import pathlib
import typing

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip(
    "tensorflow_data_validation", reason="compares with TensorFlow Data Validation"
)

import tensorflow_data_validation as tfdv  # noqa: E402
from random_records import Dataset, random_dataset, written  # noqa: E402
from tensorflow_data_validation.utils import display_util  # noqa: E402
from tensorflow_metadata.proto.v0 import anomalies_pb2, schema_pb2  # noqa: E402
from tfdv_comparison import (  # noqa: E402
    Statistics,
    headrace_stats,
    record_batch,
    statistics_of,
)

SEEDS = range(40)
pytestmark = pytest.mark.filterwarnings("ignore")


class Pair(typing.NamedTuple):
    path: pathlib.Path
    message: str
    ours: Statistics
    theirs: Statistics


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """The statistics of some datasets, loaded by TFDV, and its own."""
    folder = tmp_path_factory.mktemp("stats")
    found = []
    for seed in SEEDS:
        dataset = random_dataset(seed)
        path = written(folder / f"{seed}.tfrecord", dataset)
        out = headrace_stats(path, dataset.message, path.with_suffix(".pb"))
        ours = tfdv.load_stats_binary(str(out))
        theirs = statistics_of(record_batch(dataset.records, dataset.message))
        found.append(Pair(path, dataset.message, ours, theirs))
    return found


def test_it_loads_the_text(pairs):
    for path, message, ours, _ in pairs[:3]:
        out = headrace_stats(path, message, path.with_suffix(".pbtxt"))
        assert tfdv.load_stats_text(str(out)) == ours
        assert tfdv.load_statistics(str(out)) == ours


def test_it_loads_them_as_a_record(pairs, path):
    for pair in pairs[:3]:
        record = pair.ours.SerializeToString()
        written(path, Dataset(pair.message, [record]))
        assert tfdv.load_statistics(str(path)) == pair.ours


def _sorted(schema: schema_pb2.Schema) -> schema_pb2.Schema:
    """TFDV lists features in the order of the statistics."""
    schema.feature.sort(key=lambda feature: feature.name)
    schema.string_domain.sort(key=lambda domain: domain.name)
    return schema


def test_it_infers_the_same_schema(pairs):
    for path, _, ours, theirs in pairs:
        for shapes in (False, True):
            assert _sorted(tfdv.infer_schema(ours, shapes)) == _sorted(
                tfdv.infer_schema(theirs, shapes)
            ), path


def test_it_finds_the_same_anomalies(pairs):
    """The schema is that of another dataset, so much is wrong."""
    found = 0
    for pair, other in zip(pairs, pairs[1:], strict=False):
        schema = tfdv.infer_schema(other.ours)
        anomalies = [
            tfdv.validate_statistics(statistics, schema)
            for statistics in (pair.ours, pair.theirs)
        ]
        assert anomalies[0].anomaly_info == anomalies[1].anomaly_info, pair.path
        assert isinstance(anomalies[0], anomalies_pb2.Anomalies)
        found += len(anomalies[0].anomaly_info)
    assert found > len(pairs)


def test_it_draws_them(pairs):
    for pair in pairs[:10]:
        html = display_util.get_statistics_html(pair.ours)
        assert len(html) > 0.9 * len(display_util.get_statistics_html(pair.theirs))


def test_it_draws_two(pairs):
    html = display_util.get_statistics_html(
        pairs[0].ours, pairs[1].ours, lhs_name="first", rhs_name="second"
    )
    assert "facets-overview" in html
