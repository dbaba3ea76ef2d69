"""Counts the statistics of datasets, compares them and checks them against schemas.

    stats = hr.stats("train-*.tfrecord.gz")
    stats.features["age"].int64.mean
    stats.save_html("train.html")
    stats.compare(hr.stats("eval-*.tfrecord.gz"))
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Unpack, overload

import numpy as np

from headrace import _core
from headrace.arguments import column_names, no_such_feature, whole_number, wrong_type
from headrace.description import read_bytes, schema_of
from headrace.errors import InvalidArgumentError, MissingPackageError
from headrace.named import no_such_option
from headrace.options import Message, StatsOptions, core_options, only, taken_by
from headrace.reading.dataset import Dataset
from headrace.reading.opening import open as open_reader
from headrace.reading.reader import Reader
from headrace.stats import feature_stats
from headrace.stats.feature_stats import FeatureStats

# Records counted at a time: few enough to stay in the cache.
_ROWS = 256


def stats(
    paths: Any,
    *,
    features: Sequence[str] | None = None,
    by: str | None = None,
    schema: Any = None,
    sample: int | None = None,
    message: Message = "auto",
    pictures: bool = True,
    **options: Unpack[StatsOptions],
) -> Stats:
    """Counts the statistics of a dataset in one pass.

        >>> stats = headrace.stats("train-*.tfrecord.gz", by="label")
        >>> stats.num_records, stats.features["age"].int64.mean
        >>> stats.save_html("train.html")

    Args:
        paths: as in `headrace.open`, or a `Dataset`, all of whose rows are counted.
        features: count only these.
        by: the name of a feature, such as a label, with one value per record and at
            most 100 different values: presence and mean of all features are also
            counted for each value.
        schema: a `Schema`, or the path of one: integers that it calls categorical
            are also counted as values.
        sample: number of records to count: the first records of files, or records
            chosen at random from a `Dataset`.
        message: "example", "sequence", or "auto" to look at the first records.
        pictures: keep a few small pictures of each feature that has any, for pages.
        options: the options of `headrace.open` that say how records are read, the
            `StatsOptions` of headrace.options, without the limit "max_reported"; for
            a `Dataset` only `threads`.

    Raises:
        The same exceptions as `headrace.open`. With on_row_error="skip" records that
        are not valid messages are counted in `num_bad`.
    """
    _need_stats()
    for name in options:
        if isinstance(paths, Dataset) and name != "threads":
            raise no_such_option("headrace.stats of a Dataset", name, ["threads"])
        if name not in taken_by("stats"):
            own = {"features", "by", "schema", "sample", "message", "pictures"}
            raise no_such_option("headrace.stats", name, sorted({*taken_by("stats"), *own}))
    if sample is not None:
        sample = whole_number("sample", sample, 1)
    if options.get("threads") is not None:
        whole_number("threads", options["threads"], 1, 2**16)
    core_options("stats", options)  # checks which limits there are
    what = counting_options(
        features=features, by=by, schema=schema, message=message, pictures=pictures
    )
    if isinstance(paths, Dataset) and sample is not None and sample < len(paths):
        return _some_of(paths, sample, what)
    if isinstance(paths, Dataset):
        reader = _reader_of(paths)
    else:
        # Other threads count the batches, so one thread is enough to read.
        more = options | {"message": "raw", "batch_size": _ROWS, "threads": 1}
        reader = open_reader(paths, **more)
    threads = options.get("threads") or os.cpu_count() or 1
    if sample is not None:
        threads = 1  # a sample is too small for more
    max_bad = None
    if options.get("on_row_error") == "skip":
        max_bad = options.get("max_bad")
        max_bad = 2**64 - 1 if max_bad is None else max_bad
    with reader:
        return Stats(reader._count(what, threads, sample, max_bad))


def _reader_of(dataset: Dataset) -> Reader:
    options = only("payloads", dataset._options) | {
        "record_ranges": dataset._options["record_ranges"],
        "threads": 1,
        "batch_size": _ROWS,
    }
    return Reader(dataset.files, _core.Plan.raw(), options, dataset._opener)


def _need_stats() -> None:
    if "stats" in _core.LEFT_OUT:
        raise MissingPackageError(_core.LEFT_OUT["stats"])


def _some_of(dataset: Dataset, sample: int, what: dict[str, Any]) -> Stats:
    """Returns the statistics of some rows, the same rows for equal datasets."""
    rows = np.random.default_rng(0).choice(len(dataset), sample, replace=False)
    rows.sort()
    blocks = np.split(rows.astype(np.uint64), range(_ROWS, sample, _ROWS))
    if what["message"] == "auto":
        first = dataset._raw.take(blocks[0])
        what = what | {"message": _core.message_of(first)}
    counts = _core.FeatureStats(what)
    for block in blocks:
        counts.add(dataset._raw.take(block), dataset.files)
    counts.tell()
    return Stats(counts)


def counting_options(
    *,
    message: str = "auto",
    features: Sequence[str] | None = None,
    by: str | None = None,
    schema: Any = None,
    pictures: bool = True,
) -> dict[str, Any]:
    """Returns the options that tell the core what to count; raises TypeError or
    InvalidArgumentError for wrong ones."""
    if by is not None and not isinstance(by, str):
        raise wrong_type("by", "the name of a feature", by)
    if message == "raw":
        raise InvalidArgumentError(
            'message must not be "raw": payloads have no features'
        )
    return {
        "message": message,
        "features": column_names(features) or [],
        "by": by or "",
        "categorical": [] if schema is None else schema_of(schema)._categorical,
        "pictures": bool(pictures),
    }


@dataclasses.dataclass(frozen=True)
class Anomaly:
    """Something in a dataset that its schema forbids."""

    feature: str  # its path, such as "##SEQUENCE##.frames"; "": the whole dataset
    type: str  # as TensorFlow Metadata names it, such as "INT_TYPE_OUT_OF_DOMAIN"
    short_text: str
    text: str


@dataclasses.dataclass(frozen=True)
class Remark:
    """Something in a dataset that deserves attention."""

    feature: str  # its path
    reason: str  # a fixed name, such as "constant"
    text: str


@dataclasses.dataclass(frozen=True)
class FeatureDifference:
    """How a feature differs between two datasets.

    Attributes:
        feature: its path.
        kinds: its kinds in the two datasets; None where a dataset lacks it.
        presence: the shares of records that have it, in the two datasets.
        linf: for bytes, the largest difference between the shares of a value.
        js_divergence: the Jensen-Shannon divergence of the distributions.
        distance: 0 to 1: the largest of `linf`, `js_divergence` and the difference
            between the two shares of `presence`; 1 if one dataset lacks the feature or
            the kinds differ.
    """

    feature: str
    kinds: tuple[str | None, str | None]
    presence: tuple[float, float]
    linf: float | None
    js_divergence: float | None
    distance: float


class Comparison(Sequence[FeatureDifference]):
    """The differences of two datasets, largest first; made by `Stats.compare`.

    A notebook shows the two distributions of each feature overlaid.
    """

    def __init__(self, first: Stats, second: Stats, names: tuple[str, str]) -> None:
        self._stats = (first, second)
        self._names = names
        self._differences = [
            FeatureDifference(*found) for found in first._summary.compare(second._summary)
        ]

    @overload
    def __getitem__(self, index: int) -> FeatureDifference: ...
    @overload
    def __getitem__(self, index: slice) -> list[FeatureDifference]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._differences[index]

    def __len__(self) -> int:
        return len(self._differences)

    @property
    def distance(self) -> float:
        """The distance of the feature that differs most; 0 without features."""
        return self[0].distance if self else 0.0

    def save_html(
        self, path: str | os.PathLike[str], *, title: str | None = None
    ) -> None:
        """Writes the page of the comparison: one self-contained file."""
        _write(path, self._page(title, False).encode())

    def _page(self, title: str | None, fragment: bool) -> str:
        first, second = self._stats
        return first._summary.page(
            title or "", *self._names, fragment, second._summary
        )

    def _repr_html_(self) -> str:
        return self._page(None, True)

    def __repr__(self) -> str:
        return feature_stats.differences_text(self._names, self._differences)


class Stats:
    """The statistics of a dataset, counted in one pass; made by `headrace.stats`.

    It is immutable, and can be pickled. Statistics of parts of a dataset that were
    counted with the same arguments can be merged, in any order. Counts, extremes,
    means and deviations are then as if counted from the whole; quantiles, and
    approximate figures of bytes, keep the errors that are stated with them.
    """

    def __init__(self, counts: _core.FeatureStats) -> None:
        self._counts = counts

    @functools.cached_property
    def _summary(self) -> _core.StatsSummary:
        return self._counts.summary()

    @functools.cached_property
    def features(self) -> Mapping[str, FeatureStats]:
        """The features by name, in the order of names; feature lists follow at the end,
        as "##SEQUENCE##.name"."""
        return feature_stats.features_of(self._read["features"])

    @functools.cached_property
    def _read(self) -> dict[str, Any]:
        # Imported here to keep `import headrace` fast.
        import json

        return json.loads(self.to_json())

    def __getitem__(self, name: str) -> FeatureStats:
        """Returns `features[name]`."""
        if name not in self.features:
            raise no_such_feature(str(name), list(self.features))
        return self.features[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.features)

    @property
    def classes(self) -> Mapping[bytes, int]:
        """The values of the feature `by`, as text, and the number of records with each;
        empty without `by`."""
        found = self._read.get("classes", [])
        return {feature_stats.value_of(value): count for value, count in found}

    @property
    def files(self) -> list[str]:
        """The names of the files that were counted; empty for records in memory."""
        return [file["name"] for file in self._read["files"]]

    @property
    def num_records(self) -> int:
        """Records that were counted."""
        return self._summary.num_records

    @property
    def num_bytes(self) -> int:
        """Bytes of these records."""
        return self._summary.num_bytes

    @property
    def num_bad(self) -> int:
        """Records that were left out because they are not valid messages."""
        return self._summary.num_bad

    @property
    def num_regions(self) -> int:
        """Regions of files that were left out as damaged."""
        return self._summary.num_regions

    def merge(self, *others: Stats) -> Stats:
        """Returns the statistics of this and the others together; changes none of them.

        Raises:
            InvalidArgumentError: some were counted with other arguments.
        """
        counts = _core.FeatureStats.parse(self._counts.serialize())
        for other in others:
            counts.merge(_stats_of(other)._counts)
        return Stats(counts)

    def compare(
        self, other: Stats, *, name: str = "this", other_name: str = "other"
    ) -> Comparison:
        """Returns how the features of the two differ, as TensorFlow Data Validation
        measures it, the most different first; the names are for display."""
        return Comparison(self, _stats_of(other), (name, other_name))

    def anomalies(
        self,
        schema: Any,
        *,
        environment: str = "",
        previous: Stats | None = None,
        serving: Stats | None = None,
    ) -> list[Anomaly]:
        """Returns what the schema forbids, as TensorFlow Data Validation finds it.

        Args:
            schema: as in `headrace.open`.
            environment: which environment of the schema applies, if the schema has any.
            previous: statistics of an earlier dataset, to check the drift that the
                schema allows.
            serving: statistics of serving data, to check the skew that the schema
                allows.
        """
        others = [
            None if other is None else _stats_of(other)._summary
            for other in (previous, serving)
        ]
        found = self._summary.anomalies(schema_of(schema), environment, *others)
        return [Anomaly(*anomaly) for anomaly in found]

    @functools.cached_property
    def remarks(self) -> Sequence[Remark]:
        """Things that deserve attention, such as constant features, NaN, or a feature
        that first occurs late."""
        return tuple(Remark(*remark) for remark in self._summary.remarks())

    def infer_schema(
        self, *, domains: bool = False, max_string_domain: int = 100
    ) -> _core.Schema:
        """Returns the schema that TensorFlow Data Validation would infer.

        Args:
            domains: include the ranges of numbers, and the values of bytes if there
                are at most `max_string_domain` of them.
        """
        return self._summary.infer_schema(domains, max_string_domain)

    def to_json(self) -> str:
        """Returns the statistics as JSON; see docs/formats/stats.md."""
        return self._summary.to_json()

    def to_tfdv(self) -> bytes:
        """Returns a serialized `DatasetFeatureStatisticsList` of TensorFlow Metadata.

            >>> proto = statistics_pb2.DatasetFeatureStatisticsList()
            >>> proto.ParseFromString(stats.to_tfdv())
        """
        return self._summary.to_tfdv()

    def to_arrow(self) -> Any:
        """Returns a pyarrow.Table with a row for each feature. Needs pyarrow.

        Columns have the names of the figures, such as "int64.mean"; null means that
        the feature does not have the figure.
        """
        return feature_stats.to_arrow(self.features)

    def to_pandas(self) -> Any:
        """Returns the table of `to_arrow` as a pandas.DataFrame, without "bytes.top".
        Needs pandas."""
        return feature_stats.to_pandas(self.features)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything that was counted to a local file, for `Stats.load`."""
        _write(path, self._counts.serialize())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Stats:
        """Returns the statistics in a file that `save` or `headrace stats --format
        state` wrote.

        Raises:
            NotFoundError, IoError: the file does not exist, or cannot be read.
            InvalidArgumentError: the file does not hold statistics.
        """
        stats = _loaded(read_bytes(path))
        stats._counts.tell()
        return stats

    def save_html(
        self, path: str | os.PathLike[str], *, title: str | None = None
    ) -> None:
        """Writes the page of the statistics: one self-contained file."""
        _write(path, self._summary.page(title or "", "", "", False, None).encode())

    def _repr_html_(self) -> str:
        return self._summary.page("", "", "", True, None)

    def __repr__(self) -> str:
        return feature_stats.stats_text(self.num_records, self.features)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stats):
            return NotImplemented
        return self._counts.serialize() == other._counts.serialize()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self._counts.serialize(),)


def merged(parts: Iterable[Stats]) -> Stats:
    """Returns the statistics of all parts together; there must be at least one. The
    first part may change."""
    parts = iter(parts)
    first = next(parts)
    for part in parts:
        first._counts.merge(part._counts)
    return Stats(first._counts)


def _loaded(data: bytes) -> Stats:
    _need_stats()
    return Stats(_core.FeatureStats.parse(data))


def _stats_of(value: object) -> Stats:
    if not isinstance(value, Stats):
        raise wrong_type("other", "a headrace.Stats", value)
    return value


def _write(path: str | os.PathLike[str], data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
