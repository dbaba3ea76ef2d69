"""The statistics of TensorFlow Data Validation, and how ours are compared with them."""

from __future__ import annotations

import bisect
import collections
import dataclasses
import heapq
import json
import math
import os
import pathlib
import subprocess
from typing import Any

import tensorflow_data_validation as tfdv
from tensorflow_data_validation import types
from tensorflow_data_validation.arrow import arrow_util
from tensorflow_data_validation.statistics.generators import (
    basic_stats_generator,
    top_k_uniques_stats_generator,
)
from tensorflow_data_validation.utils import top_k_uniques_stats_util
from tensorflow_data_validation.utils.example_weight_map import ExampleWeightMap
from tensorflow_metadata.proto.v0 import statistics_pb2
from tfx_bsl.coders import example_coder, sequence_example_coder
from tfx_bsl.statistics import merge_util

Statistics = statistics_pb2.DatasetFeatureStatisticsList
# TensorFlow Data Validation counts any number of distinct values exactly.
EXACTLY = ("--max-distinct", "65536")


def run_stats(path: pathlib.Path, message: str, *options: str) -> bytes:
    command = [os.environ["HEADRACE"], "stats", path, "--message", message, *options]
    return subprocess.run(command, check=True, capture_output=True).stdout


def headrace_stats(
    path: pathlib.Path, message: str, out: pathlib.Path, *options: str
) -> pathlib.Path:
    """Writes what headrace says of a file; the name of `out` chooses the form."""
    form = "tfdv-text" if out.suffix == ".pbtxt" else "tfdv"
    run_stats(path, message, "--format", form, "-o", str(out), *(options or EXACTLY))
    return out


def ours_of(path: pathlib.Path, message: str, *options: str) -> Statistics:
    out = headrace_stats(path, message, path.with_suffix(".pb"), *options)
    return Statistics.FromString(out.read_bytes())


@dataclasses.dataclass
class StatedErrors:
    """How wrong ranks may be; 0: the figures are exact."""

    numbers: float
    lengths: float
    step_lengths: float


def stated_errors(
    path: pathlib.Path, message: str
) -> dict[tuple[str, ...], StatedErrors]:
    errors = {("##SEQUENCE##",): StatedErrors(0, 0, 0)}
    summary = json.loads(run_stats(path, message, "--json", *EXACTLY))
    for feature in summary["features"]:
        steps = ("##SEQUENCE##",) if feature["in_sequence"] else ()
        numbers = feature.get("int64") or feature.get("float") or {"rank_error": 0}
        errors[(*steps, feature["name"])] = StatedErrors(
            numbers["rank_error"],
            feature["values"]["rank_error"],
            feature["step_values"]["rank_error"] if steps else 0,
        )
    return errors


def record_batch(records: list[bytes], message: str) -> Any:
    if message == "sequence":
        decoder = sequence_example_coder.SequenceExamplesToRecordBatchDecoder(
            "##SEQUENCE##"
        )
    else:
        decoder = example_coder.ExamplesToRecordBatchDecoder()
    return decoder.DecodeBatch(records)


def statistics_of(batch: Any) -> Statistics:
    """What generate_statistics_from_tfrecord gives of the same records.

    The generators are the same; only Beam, which sums the counts of equal values
    and picks the most frequent ones, has a Counter in its place. TFDV's own
    generate_statistics_in_memory would use other, approximate counts.
    """
    generator = basic_stats_generator.BasicStatsGenerator()
    accumulator = generator.add_input(generator.create_accumulator(), batch)
    parts = [generator.extract_output(generator.compact(accumulator))]
    return merge_util.merge_dataset_feature_statistics(parts + _top_values(batch))


def _top_values(batch: Any) -> list:
    counts: dict = collections.defaultdict(collections.Counter)
    for (_, path, value), (count, _) in top_k_uniques_stats_generator._to_topk_tuples(
        ("", batch), frozenset(), {}, ExampleWeightMap()
    ):
        counts[path][value] += count
    options = tfdv.StatsOptions()
    util = top_k_uniques_stats_util
    parts = []
    for path, values in counts.items():
        top = heapq.nlargest(1000, ((count, value) for value, count in values.items()))
        parts += [
            util.make_dataset_feature_stats_proto_topk_single(
                path,
                [util.FeatureValueCount(value, count) for count, value in top],
                is_weighted_stats=False,
                num_top_values=options.num_top_values,
                frequency_threshold=options.frequency_threshold,
                num_rank_histogram_buckets=options.num_rank_histogram_buckets,
            ),
            util.make_dataset_feature_stats_proto_unique_single(path, len(values)),
        ]
    return parts


def path_of(feature: Any) -> tuple[str, ...]:
    return tuple(types.FeaturePath.from_proto(feature.path).steps())


@dataclasses.dataclass
class Truth:
    """All numbers of a feature, in order, of which sketches keep some."""

    numbers: list[float]
    lengths: list[int]  # of lists
    step_lengths: list[int]


def _truths(batch: Any) -> dict[tuple[str, ...], Truth]:
    truths = {}
    for path, array, _ in arrow_util.enumerate_arrays(
        batch, example_weight_map=None, enumerate_leaves_only=True
    ):
        lists = [row for row in array.to_pylist() if row is not None]
        steps = lists
        lengths = [len(row) for row in lists]
        if len(path.steps()) > 1:
            steps = [step for row in lists for step in row if step is not None]
            lengths = [sum(len(step or ()) for step in row) for row in lists]
        numbers = [
            value
            for step in steps
            for value in step
            if isinstance(value, (int, float)) and not math.isnan(value)
        ]
        truths[path.steps()] = Truth(
            sorted(map(float, numbers)),
            sorted(lengths),
            sorted(len(step) for step in steps),
        )
    return truths


def differences(
    ours: Statistics,
    theirs: Statistics,
    batch: Any,
    errors: dict[tuple[str, ...], StatedErrors],
) -> list[str]:
    """One line for each field that differs; empty if there are none.

    What is made of a sketch may differ. The values of the batch then say whether
    ours is as right as it claims.
    """
    if len(ours.datasets) != 1 or len(theirs.datasets) != 1:
        return [f"{len(ours.datasets)} and {len(theirs.datasets)} datasets"]
    mine, its = ours.datasets[0], theirs.datasets[0]
    found = []
    if mine.num_examples != its.num_examples:
        found.append(f"num_examples: {mine.num_examples} and {its.num_examples}")
    features = {path_of(feature): feature for feature in mine.features}
    expected = {path_of(feature): feature for feature in its.features}
    for path in sorted(features.keys() ^ expected.keys()):
        found.append(f"{path}: only {'ours' if path in features else 'theirs'}")
    if len(features) != len(mine.features):
        found.append("a feature comes twice")
    rows = [1] * mine.num_examples
    truths = _truths(batch) | {("##SEQUENCE##",): Truth([], rows, [])}
    for path in sorted(features.keys() & expected.keys()):
        comparison = _Comparison(truths[path], errors[path], expected[path])
        comparison.compare("/".join(path), features[path], expected[path])
        found += comparison.found
    return found


class _Comparison:
    """Of one feature."""

    def __init__(self, truth: Truth, errors: StatedErrors, theirs: Any) -> None:
        self.found: list[str] = []
        self._of_a_sketch = {
            "median": (truth.numbers, errors.numbers),
            "histograms": (truth.numbers, errors.numbers),
            "num_values_histogram": (truth.lengths, errors.lengths),
            "histogram": (truth.step_lengths, errors.step_lengths),
        }
        if max(dataclasses.astuple(errors)) > 0.005:
            self.found.append(f"large errors are stated: {errors}")
        numbers = theirs.num_stats
        finite = [abs(x) for x in (numbers.min, numbers.max) if math.isfinite(x)]
        self._scale = max(finite, default=0.0)

    def compare(self, name: str, ours: Any, theirs: Any) -> None:
        for field in ours.DESCRIPTOR.fields:
            where = f"{name}.{field.name}"
            mine, its = getattr(ours, field.name), getattr(theirs, field.name)
            if field.label == field.LABEL_REPEATED:
                if len(mine) != len(its):
                    self.found.append(f"{where}: {len(mine)} and {len(its)} of them")
                for i, pair in enumerate(zip(mine, its, strict=False)):
                    self._compare_value(f"{where}[{i}]", field, *pair)
            elif field.message_type and not (
                ours.HasField(field.name) and theirs.HasField(field.name)
            ):
                if ours.HasField(field.name) != theirs.HasField(field.name):
                    self.found.append(f"{where}: {mine!r} and {its!r}")
            else:
                self._compare_value(where, field, mine, its)

    def _compare_value(self, where: str, field: Any, ours: Any, theirs: Any) -> None:
        values, stated = self._of_a_sketch.get(field.name, ([], 0))
        if stated > 0:
            if field.name == "median":
                error = rank_error(values, ours, len(values) / 2)
            else:
                quantiles = 1000 if field.name == "histograms" else 10
                error = histogram_error(values, ours, quantiles)
                same = (ours.type, ours.num_nan, len(ours.buckets)) == (
                    theirs.type, theirs.num_nan, len(theirs.buckets)
                )  # fmt: skip
                if not same:
                    self.found.append(f"{where}: {ours!r} and {theirs!r}")
            if error > stated:
                self.found.append(f"{where}: ranks are wrong by {error}: {ours!r}")
        elif field.message_type:
            self.compare(where, ours, theirs)
        elif not _same(ours, theirs, self._tolerance(field.name)):
            self.found.append(f"{where}: {ours!r} and {theirs!r}")

    def _tolerance(self, field: str) -> float:
        """Doubles may differ by what the order of additions changes."""
        if field in ("mean", "std_dev"):
            return 1e-14 * self._scale
        return 1e-9 if field == "sample_count" else 0.0


def _same(ours: Any, theirs: Any, tolerance: float) -> bool:
    if not isinstance(theirs, float):
        return ours == theirs
    if math.isnan(theirs) or math.isnan(ours) or math.isinf(theirs):
        return ours == theirs or (math.isnan(ours) and math.isnan(theirs))
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=tolerance)


def rank_error(values: list, value: float, rank: float) -> float:
    """How far a rank is from those that the value has, as a share of all."""
    low = bisect.bisect_left(values, value)
    high = bisect.bisect_right(values, value)
    # Ranks are whole, which matters where there are few values.
    return (max(low - rank, rank - high, 1) - 1) / len(values)


def histogram_error(values: list, histogram: Any, quantiles: int) -> float:
    """The worst rank that the ends of buckets have."""
    rank, worst = 0.0, 0.0
    for i, bucket in enumerate(histogram.buckets[:-1], 1):
        if histogram.type == histogram.QUANTILES:
            rank = len(values) * i / len(histogram.buckets)
            between = 0.0
        else:
            # Ends lie between quantiles, where values count as spread evenly.
            rank += bucket.sample_count
            between = 1 / quantiles
        worst = max(worst, rank_error(values, bucket.high_value, rank) - between)
    counts = sum(bucket.sample_count for bucket in histogram.buckets)
    return max(worst, abs(counts / len(values) - 1))
