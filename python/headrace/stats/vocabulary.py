"""Makes vocabularies: the most frequent values of a feature, one per line of a file.

    hr.vocabulary_of("train-*.tfrecord.gz", "C1", min_count=10).save("c1.txt")
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from headrace import _core
from headrace.arguments import whole_number, wrong_type
from headrace.errors import InvalidArgumentError, carrying
from headrace.named import no_such_option
from headrace.options import Message, StatsOptions, core_options, taken_by
from headrace.reading.dataset import Dataset
from headrace.reading.opening import open as open_reader
from headrace.reading.read_report import ReadReport
from headrace.stats import Stats
from headrace.warnings import LeftOutKeyWarning, warn_caller
from headrace.writing.finished_file import FinishedFile

_OPTIONS = taken_by("stats").keys()
_OWN = {"min_count", "size", "memory", "sample", "message"}
# Records counted at a time: few enough to stay in the cache.
_ROWS = 256


@dataclasses.dataclass(frozen=True, eq=False)
class CountedKeys:
    """Distinct values of a feature, most frequent first, and how often each occurs.

    Values that occur equally often are in ascending order, bytes as unsigned bytes.
    """

    feature: str
    keys: Sequence[bytes] | Sequence[int] = dataclasses.field(repr=False)
    counts: Sequence[int] = dataclasses.field(repr=False)  # of each key
    num_records: int
    num_values: int  # of the feature, in all records
    num_distinct: int  # also of values that are not among the keys
    # For each reason why values are no keys ("empty", "line_feed", "carriage_return",
    # "compressed"): the number of such distinct values, and how often they occur.
    left_out: Mapping[str, tuple[int, int]]
    # Records that policies skipped.
    report: ReadReport = dataclasses.field(repr=False)

    def __len__(self) -> int:
        """Returns the number of keys."""
        return len(self.keys)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        filesystem: Any = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Writes the keys as lines that end with a line feed, int64 in decimal.

        The file gets its name when it is complete. Arguments as in `headrace.Writer`.
        """
        name = os.fspath(path)
        lines = (
            key if isinstance(key, bytes) else b"%d" % key for key in self.keys
        )
        with FinishedFile(name, filesystem, storage_options) as finished:
            with carrying(name, OSError), open(finished.path, "wb") as file:
                file.writelines(line + b"\n" for line in lines)


def vocabulary_of(
    paths: Any,
    feature: str,
    *,
    min_count: int = 1,
    size: int | None = None,
    memory: int = _core.VOCABULARY_MEMORY,
    sample: int = 10000,
    message: Message = "auto",
    **options: Unpack[StatsOptions],
) -> CountedKeys:
    """Counts every value of a feature, and returns the most frequent ones.

        >>> keys = headrace.vocabulary_of("train-*.tfrecord.gz", "C1", min_count=10)
        >>> keys.save("c1.txt")

    Args:
        paths: as in `headrace.open`.
        feature: the name of a feature of bytes or int64, or of a feature list, all of
            whose steps are counted. "##SEQUENCE##.NAME" is the feature list even if
            there is a feature of this name, too.
        min_count: the minimum number of times that a key occurs.
        size: the maximum number of keys. None: any number.
        memory: bytes of memory that the distinct values may take.
        sample: number of records from which the kind of the feature is found; 0: all
            records, and files are read twice.
        message: "example", "sequence", "elwc", or "auto" to look at the first
            records.
        options: the options of `headrace.stats` that say how records are read.

    Values that cannot be lines of a file are left out, and a `LeftOutKeyWarning` names
    the reasons.

    Raises:
        The same exceptions as `headrace.open`.
        InvalidArgumentError: there is no such feature, or no key.
        WrongKindError: the values are floats, or their kind is not known; or a record
            has values of another kind than the records before it.
        LimitError: the distinct values need more than `memory`.
    """
    if isinstance(paths, (Stats, Dataset)):
        raise wrong_type(
            "paths", "files", paths, "; all values are counted, so give the files"
        )
    if not isinstance(feature, str):
        raise wrong_type("feature", "the name of a feature", feature)
    for name in options:
        if name not in _OPTIONS:
            raise no_such_option(
                "headrace.vocabulary_of", name, sorted({*_OPTIONS, *_OWN})
            )
    if message == "raw":
        raise InvalidArgumentError(
            'message must not be "raw": payloads have no features'
        )
    core_options("stats", options)  # checks which limits there are
    min_count = whole_number("min_count", min_count, 1)
    size = 2**64 - 1 if size is None else whole_number("size", size, 1)
    memory = whole_number("memory", memory, 0)
    # A value of a kind that the sample did not show is never left out silently.
    with open_reader(
        paths, columns=[_core.vocabulary_feature(feature)], message=message,
        sample=sample, strict_columns=True, batch_size=_ROWS, **options,
    ) as reader:
        counter = _core.ValueCounter(reader.plan, feature, memory)
        for batch in reader:
            counter.add(batch)
        keys, counts, left_out, text = counter.keys(min_count, size)
        if text:
            warn_caller(text, LeftOutKeyWarning)
        return CountedKeys(
            feature=feature, keys=keys, counts=counts,
            num_records=reader.num_records, num_values=counter.num_values,
            num_distinct=counter.num_distinct,
            left_out={reason: (distinct, values) for reason, distinct, values in left_out},
            report=reader.report,
        )
