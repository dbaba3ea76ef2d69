"""The statistics of TensorFlow Data Validation, and how ours are compared with them."""

from __future__ import annotations

import collections
import heapq
import math
from typing import Any

import tensorflow_data_validation as tfdv
from tensorflow_data_validation import types
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
# Its quantiles are those of all values up to so many distinct ones.
EXACT = 6000


def record_batch(records: list[bytes], message: str) -> Any:
    if message == "sequence":
        decoder = sequence_example_coder.SequenceExamplesToRecordBatchDecoder(
            "##SEQUENCE##"
        )
    else:
        decoder = example_coder.ExamplesToRecordBatchDecoder()
    return decoder.DecodeBatch(records)


def statistics_of(records: list[bytes], message: str) -> Statistics:
    """What generate_statistics_from_tfrecord gives of these records.

    The generators are the same; only Beam, which sums the counts of equal values
    and picks the most frequent ones, has a Counter in its place. TFDV's own
    generate_statistics_in_memory would use other, approximate counts.
    """
    batch = record_batch(records, message)
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


def differences(ours: Statistics, theirs: Statistics) -> list[str]:
    """One line for each field that differs; empty if there are none."""
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
    for path in sorted(features.keys() & expected.keys()):
        name = "/".join(path)
        found += _compare(name, features[path], expected[path], _scale(expected[path]))
    return found


def _scale(feature: Any) -> float:
    """How large numbers are that mean and deviation are made of."""
    numbers = feature.num_stats
    finite = [abs(x) for x in (numbers.min, numbers.max) if math.isfinite(x)]
    return max(finite, default=0.0)


def _compare(name: str, ours: Any, theirs: Any, scale: float) -> list[str]:
    found = []
    for field in ours.DESCRIPTOR.fields:
        where = f"{name}.{field.name}"
        mine, its = getattr(ours, field.name), getattr(theirs, field.name)
        if field.label == field.LABEL_REPEATED:
            if len(mine) != len(its):
                found.append(f"{where}: {len(mine)} and {len(its)} of them")
                continue
            pairs = [
                (f"{where}[{i}]", *pair)
                for i, pair in enumerate(zip(mine, its, strict=True))
            ]
        elif field.message_type and ours.HasField(field.name) != theirs.HasField(
            field.name
        ):
            found.append(f"{where}: {mine!r} and {its!r}")
            continue
        else:
            pairs = [(where, mine, its)]
        for at, mine, its in pairs:
            if field.message_type:
                found += _compare(at, mine, its, scale)
            elif not _same(mine, its, scale if field.name in _MOMENTS else 0):
                found.append(f"{at}: {mine!r} and {its!r}")
    return found


_MOMENTS = {"mean", "std_dev"}


def _same(ours: Any, theirs: Any, scale: float) -> bool:
    """Doubles may differ by what the order of additions changes."""
    if not isinstance(theirs, float):
        return ours == theirs
    if math.isnan(theirs) or math.isnan(ours) or math.isinf(theirs):
        return ours == theirs or (math.isnan(ours) and math.isnan(theirs))
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-14 * scale + 1e-9)
