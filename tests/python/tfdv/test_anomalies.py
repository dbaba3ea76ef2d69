"""Anomalies, distances and inferred schemas, compared with those of the real
TensorFlow Data Validation for random datasets and schemas."""

from __future__ import annotations

import math
import os
import pathlib
import random
import subprocess
import sys
from typing import Any

import pytest
import tensorflow as tf
import tensorflow_data_validation as tfdv
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import anomalies_pb2, schema_pb2

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))

import random_records
import random_schemas
import tfdv_comparison

PROGRAM = pathlib.Path(__file__).parents[3] / "build/tests/report/naive_report"
SEEDS = range(int(os.environ.get("HEADRACE_SEEDS", "60")))
SCHEMAS = 6  # of each dataset
DISTANCES = (
    anomalies_pb2.DriftSkewInfo.Measurement.L_INFTY,
    anomalies_pb2.DriftSkewInfo.Measurement.JENSEN_SHANNON_DIVERGENCE,
)
# Labels that stand for several values, which TensorFlow Data Validation counts
# as one in distances.
SHARED_LABELS = {"__BYTES_VALUE__", "__LARGE_BYTES__"}


class Halves:
    """A random dataset and two parts of it, as files and statistics."""

    def __init__(self, seed: int, folder: pathlib.Path) -> None:
        self.seed = seed
        dataset = random_records.random_dataset(seed)
        records = dataset.records
        self.message = dataset.message
        self.folder = folder
        third = (len(records) + 2) // 3
        parts = (records, records[:third], records[-third:])
        self.paths = [folder / f"{i}.tfrecord" for i in range(3)]
        for path, part in zip(self.paths, parts, strict=True):
            with tf.io.TFRecordWriter(str(path)) as writer:
                for record in part:
                    writer.write(record)
        self.all, self.previous, self.serving = (
            tfdv_comparison.statistics_of(part, dataset.message) for part in parts
        )

    def report(self, *jobs: tuple) -> list[list[str]]:
        lines = "".join("\t".join(map(str, job)) + "\n" for job in jobs)
        result = subprocess.run(
            [PROGRAM, self.message], input=lines, text=True, capture_output=True,
            check=True,
        )
        found, report = [], []
        for line in result.stdout.splitlines():
            if line == ".":
                found.append(report)
                report = []
            else:
                report.append(line)
        return found


@pytest.fixture(params=SEEDS)
def halves(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Halves:
    return Halves(request.param, tmp_path)


def features_of(statistics: Any) -> dict:
    return {
        tfdv_comparison.path_of(feature): feature
        for feature in statistics.datasets[0].features
    }


def reasons(anomalies: anomalies_pb2.Anomalies) -> set[tuple[str, str]]:
    name = anomalies_pb2.AnomalyInfo.Type.Name
    found = {
        (path, name(reason.type))
        for path, info in anomalies.anomaly_info.items()
        for reason in info.reason
    }
    found |= {("", name(r.type)) for r in anomalies.dataset_anomaly_info.reason}
    if anomalies.data_missing:
        found.add(("", "NO_DATA_IN_SPAN"))
    return found


def has_shared_labels(feature: Any) -> bool:
    buckets = feature.string_stats.rank_histogram.buckets
    return any(bucket.label in SHARED_LABELS for bucket in buckets)


def has_values(feature: Any) -> bool:
    """Without any but NaN, TFDV takes the least and the greatest to be 0."""
    histograms = feature.num_stats.histograms
    return any(bucket.sample_count for h in histograms for bucket in h.buckets)


def compares_nan(features: list) -> bool:
    """NaN is unlike NaN if all buckets have the same ends, and else left out."""
    ends, nan = [], 0
    for feature in features:
        for histogram in feature.num_stats.histograms:
            nan += histogram.num_nan
            buckets = [b for b in histogram.buckets if b.low_value < b.high_value]
            ends.append((histogram.type, [(b.low_value, b.high_value) for b in buckets]))
    return nan > 0 and any(ends.count(end) > 1 for end in ends)


def leaves_of(schema: schema_pb2.Schema) -> list[tuple]:
    leaves = [((f.name,), f) for f in schema.feature]
    for struct in schema.feature:
        leaves += [((struct.name, f.name), f) for f in struct.struct_domain.feature]
    return leaves


def leave_out_what_differs(schema: schema_pb2.Schema, halves: Halves) -> None:
    """What docs/formats/stats.md says to be otherwise than in TFDV."""
    statistics = [features_of(s) for s in (halves.all, halves.previous, halves.serving)]
    for path, feature in leaves_of(schema):
        known = [s[path] for s in statistics if path in s]
        if any(map(has_shared_labels, known)) or compares_nan(known):
            feature.ClearField("drift_comparator")
            feature.ClearField("skew_comparator")
        if path not in statistics[0] or not statistics[0][path].HasField("num_stats"):
            continue
        numbers = statistics[0][path].num_stats
        is_exact = max(abs(numbers.min), abs(numbers.max)) < 2**53
        if has_values(statistics[0][path]) and (is_exact or math.isinf(numbers.max)):
            continue
        for name in ("int_domain", "float_domain"):
            if feature.HasField(name):
                getattr(feature, name).ClearField("min")
                getattr(feature, name).ClearField("max")


def may_be_missed(halves: Halves, path: str, reason: str) -> bool:
    """TFDV does not see each value between 0 and 1."""
    return reason == "BOOL_TYPE_UNEXPECTED_FLOAT"


def test_anomalies(halves: Halves, tmp_path: pathlib.Path) -> None:
    rng = random.Random(halves.seed)
    jobs, expected = [], []
    inferred = [tfdv.infer_schema(s) for s in (halves.all, halves.previous)]
    for i in range(SCHEMAS):
        schema = random_schemas.random_schema(rng, rng.choice(inferred))
        leave_out_what_differs(schema, halves)
        path = tmp_path / f"{i}.pbtxt"
        path.write_text(text_format.MessageToString(schema), encoding="utf-8")
        environment = rng.choice((None, *schema.default_environment))
        jobs.append(
            ("anomalies", *halves.paths, path, environment or "")
        )
        anomalies = tfdv.validate_statistics(
            halves.all, schema, environment, halves.previous, halves.serving
        )
        expected.append(reasons(anomalies))
    for job, lines, theirs in zip(jobs, halves.report(*jobs), expected, strict=True):
        ours = {tuple(line.split("\t")[:2]) for line in lines}
        more = {x for x in ours - theirs if may_be_missed(halves, *x)}
        schema = pathlib.Path(job[4]).read_text()
        only = (sorted(ours - more - theirs), sorted(theirs - ours))
        assert only == ([], []), f"{lines}\n{schema}"


def test_inferred_schema(halves: Halves) -> None:
    (lines,) = halves.report(("infer", halves.paths[0]))
    ours = text_format.Parse("\n".join(lines), schema_pb2.Schema())
    for _, feature in leaves_of(ours):
        # Ranges are only ours.
        if feature.type == schema_pb2.INT:
            feature.ClearField("int_domain")
        feature.ClearField("float_domain")
    theirs = tfdv.infer_schema(halves.all)
    for schema in (ours, theirs):
        schema.feature.sort(key=lambda feature: feature.name)
        schema.string_domain.sort(key=lambda domain: domain.name)
        for struct in schema.feature:
            struct.struct_domain.feature.sort(key=lambda feature: feature.name)
    assert text_format.MessageToString(ours) == text_format.MessageToString(theirs)


def test_distances(halves: Halves) -> None:
    schema = tfdv.infer_schema(halves.all)
    for _, feature in leaves_of(schema):
        feature.drift_comparator.infinity_norm.threshold = 2
        feature.drift_comparator.jensen_shannon_divergence.threshold = 2
    leave_out_what_differs(schema, halves)
    anomalies = tfdv.validate_statistics(halves.serving, schema, None, halves.previous)
    (lines,) = halves.report(("compare", halves.paths[2], halves.paths[1]))
    ours = {}
    for line in lines:
        in_sequence, name, *distances = line.split("\t")
        path = ("##SEQUENCE##", name) if in_sequence == "1" else (name,)
        ours[path] = dict(zip(DISTANCES, map(float, distances), strict=True))
    for info in anomalies.drift_skew_info:
        for measured in info.drift_measurements:
            # -1 where a side has no values, as the struct of lists has none.
            distance = ours.get(tuple(info.path.step), {}).get(measured.type, -1)
            if distance >= 0:
                assert math.isclose(distance, measured.value, abs_tol=1e-9), info.path
