"""Anomalies, distances and inferred schemas, compared with those of TensorFlow Data
Validation for random datasets and schemas."""

import math
import os
import pathlib
import random
import subprocess

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip(
    "tensorflow_data_validation", reason="compares with TensorFlow Data Validation"
)

import tensorflow_data_validation as tfdv  # noqa: E402
from google.protobuf import text_format  # noqa: E402
from random_records import Dataset, random_dataset, written  # noqa: E402
from random_schemas import leaves_of, random_schema  # noqa: E402
from tensorflow_metadata.proto.v0 import anomalies_pb2, schema_pb2  # noqa: E402
from tfdv_comparison import path_of, record_batch, statistics_of  # noqa: E402

SEED = int(os.environ.get("HEADRACE_SEED", "1"))
CHUNKS = 20
DATASETS = 5  # a chunk
SCHEMAS = 6  # of each dataset
DISTANCES = (
    anomalies_pb2.DriftSkewInfo.Measurement.L_INFTY,
    anomalies_pb2.DriftSkewInfo.Measurement.JENSEN_SHANNON_DIVERGENCE,
)
# Labels that stand for several values, which TFDV counts as one in distances.
SHARED_LABELS = {"__BYTES_VALUE__", "__LARGE_BYTES__"}
pytestmark = pytest.mark.filterwarnings("ignore")


class Parts:
    """A random dataset and two parts of it, as files and as statistics of TFDV."""

    def __init__(self, seed, folder):
        whole = random_dataset(seed)
        third = (len(whole.records) + 2) // 3
        parts = (whole.records, whole.records[:third], whole.records[-third:])
        self.message = whole.message
        self.paths = [
            written(folder / f"{i}.tfrecord", Dataset(self.message, part))
            for i, part in enumerate(parts)
        ]
        self.statistics = [
            statistics_of(record_batch(part, self.message)) for part in parts
        ]

    def report(self, *jobs):
        """The lines of each job; tests/report/naive_report.cc says what jobs are."""
        build = pathlib.Path(os.environ["HEADRACE"]).parents[2]
        output = subprocess.run(
            [build / "tests/report/naive_report", self.message],
            input="".join("\t".join(map(str, job)) + "\n" for job in jobs),
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout
        found, lines = [], []
        for line in output.split("\n"):
            if line == ".":
                found.append(lines)
                lines = []
            else:
                lines.append(line)
        return found


@pytest.fixture(params=range(CHUNKS))
def chunk(request, tmp_path):
    def parts():
        for i in range(DATASETS):
            seed = SEED * 10_000 + request.param * DATASETS + i
            folder = tmp_path / str(seed)
            folder.mkdir()
            yield seed, folder, Parts(seed, folder)

    return parts


def features_of(statistics):
    return {path_of(feature): feature for feature in statistics.datasets[0].features}


def reasons(anomalies):
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


def has_shared_labels(feature):
    buckets = feature.string_stats.rank_histogram.buckets
    return any(bucket.label in SHARED_LABELS for bucket in buckets)


def has_values(feature):
    """Without any but NaN, TFDV takes the least and the greatest to be 0."""
    histograms = feature.num_stats.histograms
    return any(bucket.sample_count for h in histograms for bucket in h.buckets)


def compares_nan(features):
    """NaN is unlike NaN if all buckets have the same ends, and else left out."""
    ends, nan = [], 0
    for feature in features:
        for histogram in feature.num_stats.histograms:
            nan += histogram.num_nan
            buckets = [b for b in histogram.buckets if b.low_value < b.high_value]
            bounds = [(b.low_value, b.high_value) for b in buckets]
            ends.append((histogram.type, bounds))
    return nan > 0 and any(ends.count(end) > 1 for end in ends)


def leave_out_what_differs(schema, parts):
    """What docs/formats/anomalies.md says to be otherwise than in TFDV."""
    statistics = [features_of(s) for s in parts.statistics]
    for path, feature in leaves_of(schema):
        known = [s[path] for s in statistics if path in s]
        if any(map(has_shared_labels, known)) or compares_nan(known):
            feature.ClearField("drift_comparator")
            feature.ClearField("skew_comparator")
        if path not in statistics[0] or not statistics[0][path].HasField("num_stats"):
            continue
        numbers = statistics[0][path].num_stats
        largest = max(abs(numbers.min), abs(numbers.max))
        is_exact = largest < 2**53 or statistics[0][path].type == 1  # FLOAT
        if has_values(statistics[0][path]) and is_exact:
            continue
        for name in ("int_domain", "float_domain"):
            if feature.HasField(name):
                getattr(feature, name).ClearField("min")
                getattr(feature, name).ClearField("max")


def test_anomalies(chunk):
    for seed, folder, parts in chunk():
        rng = random.Random(seed)
        inferred = [tfdv.infer_schema(s) for s in parts.statistics[:2]]
        jobs, expected = [], []
        for i in range(SCHEMAS):
            schema = random_schema(rng, rng.choice(inferred))
            leave_out_what_differs(schema, parts)
            path = folder / f"{i}.pbtxt"
            path.write_text(text_format.MessageToString(schema), encoding="utf-8")
            environment = rng.choice((None, *schema.default_environment))
            jobs.append(("anomalies", *parts.paths, path, environment or ""))
            whole, previous, serving = parts.statistics
            expected.append(
                reasons(
                    tfdv.validate_statistics(
                        whole, schema, environment, previous, serving
                    )
                )
            )
        for job, lines, theirs in zip(
            jobs, parts.report(*jobs), expected, strict=True
        ):
            ours = {tuple(line.split("\t")[:2]) for line in lines}
            # TFDV does not see each value between 0 and 1.
            seen = {x for x in ours if x[1] != "BOOL_TYPE_UNEXPECTED_FLOAT"}
            assert seen <= theirs, f"{seen - theirs} {seed} {job[4].read_text()}"
            assert theirs <= ours, f"{theirs - ours} {seed} {job[4].read_text()}"


def test_inferred_schema(chunk):
    for seed, _, parts in chunk():
        (lines,) = parts.report(("infer", parts.paths[0]))
        ours = text_format.Parse("\n".join(lines), schema_pb2.Schema())
        for _, feature in leaves_of(ours):
            # Ranges are only ours.
            if feature.type == schema_pb2.INT:
                feature.ClearField("int_domain")
            feature.ClearField("float_domain")
        theirs = tfdv.infer_schema(parts.statistics[0])
        for schema in (ours, theirs):
            schema.feature.sort(key=lambda feature: feature.name)
            schema.string_domain.sort(key=lambda domain: domain.name)
            for struct in schema.feature:
                struct.struct_domain.feature.sort(key=lambda feature: feature.name)
        texts = [text_format.MessageToString(schema) for schema in (ours, theirs)]
        assert texts[0] == texts[1], seed


def test_inferred_schema_fits(chunk):
    for _, folder, parts in chunk():
        (lines,) = parts.report(("infer", parts.paths[0]))
        path = folder / "inferred.pbtxt"
        path.write_text("\n".join(lines), encoding="utf-8")
        (found,) = parts.report(("anomalies", parts.paths[0], "", "", path, ""))
        assert not found


def test_distances(chunk):
    compared = 0
    for seed, _, parts in chunk():
        _, previous, serving = parts.statistics
        schema = tfdv.infer_schema(parts.statistics[0])
        for _, feature in leaves_of(schema):
            feature.drift_comparator.infinity_norm.threshold = 2
            feature.drift_comparator.jensen_shannon_divergence.threshold = 2
        leave_out_what_differs(schema, parts)
        anomalies = tfdv.validate_statistics(serving, schema, None, previous)
        (lines,) = parts.report(("compare", parts.paths[2], parts.paths[1]))
        ours = {}
        for line in lines:
            in_sequence, name, *distances = line.split("\t")
            path = ("##SEQUENCE##", name) if in_sequence == "1" else (name,)
            ours[path] = dict(zip(DISTANCES, map(float, distances), strict=True))
        for info in anomalies.drift_skew_info:
            for measured in info.drift_measurements:
                # -1 where a side has no values, as the struct of lists has none.
                known = ours.get(tuple(info.path.step), {})
                distance = known.get(measured.type, -1)
                if distance < 0:
                    continue
                compared += 1
                assert math.isclose(distance, measured.value, abs_tol=1e-9), (
                    f"{seed} {info}"
                )
    assert compared > 0


def test_paths_are_written_alike(tmp_path):
    names = ["a.b", "it's", "(x)", "(x)y", "", "a(b", "plain", "'", "(a(b))"]
    schema = schema_pb2.Schema()
    for name in names:
        schema.feature.add(name=name, type=schema_pb2.INT).presence.min_count = 1
    struct = schema.feature.add(name="##SEQUENCE##", type=schema_pb2.STRUCT)
    for name in names:
        child = struct.struct_domain.feature.add(name=name, type=schema_pb2.INT)
        child.presence.min_count = 1
    parts = Parts(SEED, tmp_path)
    path = tmp_path / "names.pbtxt"
    path.write_text(text_format.MessageToString(schema), encoding="utf-8")
    (lines,) = parts.report(("anomalies", parts.paths[0], "", "", path, ""))
    ours = {tuple(line.split("\t")[:2]) for line in lines}
    assert ours == reasons(tfdv.validate_statistics(parts.statistics[0], schema))
    assert len(ours) >= 2 * len(names)
