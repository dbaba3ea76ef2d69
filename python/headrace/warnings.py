"""Warnings of headrace."""

from __future__ import annotations

import sys
import warnings

__all__ = [
    "AbsentFeatureWarning", "Bfloat16Warning", "LateFeatureWarning",
    "LeftOutFileWarning", "LeftOutKeyWarning", "NoCheckpointWarning",
    "OtherMessageWarning",
    "SharedLanesWarning", "SlowOpeningWarning", "StaleIndexWarning",
    "UnevenRanksWarning", "UnfinishedFileWarning",
]


class LateFeatureWarning(UserWarning):
    """Values were left out because their features are not in the sample from which
    the columns were found; or feature lists were left out because the records were
    read as Examples.

    A reader warns once: at the end of its first epoch, or when it is closed. A
    `Dataset` warns when it first takes a row that has a late feature.
    `Reader.report.late` and `Dataset.late` have the features and counts;
    `strict_columns=True` of `headrace.open` and `Dataset` makes late features an error.
    """


class AbsentFeatureWarning(UserWarning):
    """No record had a feature that the spec names: the name may be misspelt.

    Everything that accepts a spec looks at the first records. If these lack the
    feature, the warning comes before the first row in two cases: they have a feature
    with a similar name, or the spec is for Examples and they are SequenceExamples
    without any of its features. Otherwise the warning comes once, at the end of the
    first epoch that a reader or `Dataset.batches` has read completely.
    `Reader.report.absent` and `Dataset.absent` have the features at any time.
    `on_absent="error"` makes the warning an error, and `on_absent="ignore"` suppresses
    it.
    """


class OtherMessageWarning(UserWarning):
    """The records seem to hold another message than the one they are read as, as in
    TensorBoard's event files.

    The first records are not empty, and none of them has a field of the message
    (docs/semantics.md, M7). `message="raw"` reads payloads. A reader that has a spec
    raises a `MalformedError` instead.
    """


class LeftOutFileWarning(UserWarning):
    """A folder that was named as input has files that may hold records but are not
    read, because they are not named as TFRecord files; or it has folders.

    Files whose first bytes show that they hold something else, such as text, are not
    mentioned. To read a file, name it or use a glob.
    """


class LeftOutKeyWarning(UserWarning):
    """`vocabulary_of` left out values that cannot be lines of a vocabulary file: empty
    ones, those with a line feed, those that end with a carriage return, and first ones
    that would make the file begin like gzip or zstd. `CountedKeys.left_out` has their
    numbers.
    """


class StaleIndexWarning(UserWarning):
    """An index beside a file that was just written describes the old content of the
    file. A `Writer` removes headrace's own index, FILE.hri, and warns of others.
    """


class NoCheckpointWarning(UserWarning):
    """A `torch.Dataset` shuffles in a buffer that the caller did not ask for, so
    `state_dict(batches=)` cannot return a state."""


class SharedLanesWarning(UserWarning):
    """The `lanes` of a `Shuffle` are not a multiple of the number of processes: ranks
    times workers of each rank. So several processes read the same blocks, as without
    lanes. The first rank of `Dataset.batches`, `torch.Sampler` and `torch.Dataset`
    warns, once."""


class SlowOpeningWarning(UserWarning):
    """A `Dataset` is still reading files without an index after five seconds. An index
    says where their records are, so that they need not be read whole."""


class UnevenRanksWarning(UserWarning):
    """Ranks have unequal numbers of batches: when one has ended, the others may wait
    for it forever."""


class Bfloat16Warning(UserWarning):
    """bfloat16 tensors were exported to Arrow, which has no such type.

    In Arrow, and so in pandas, Polars and Parquet, they are the 16 bits of each number,
    as uint16. Read the feature as float32 to get numbers.
    """


class UnfinishedFileWarning(ResourceWarning):
    """A `Writer` was dropped, or the program ended, before `close` was called.

    The records that it had written are lost. The warning is shown even where other
    ResourceWarnings are not, unless the interpreter has warning options (-W,
    PYTHONWARNINGS, -X dev).
    """


def warn_of_bits(names: list[str]) -> None:
    """Warns that these bfloat16 tensors are bits in Arrow."""
    listed = ", ".join(f'"{name}"' for name in names)
    warn_caller(
        f"Arrow has no bfloat16, so {listed} became uint16 (the 16 bits of each "
        "number); to get numbers, read the feature as float32",
        Bfloat16Warning,
    )


def warn_deprecated(what: str, removed_in: str, instead: str) -> None:
    """Warns, with the line that called headrace as the location, of a deprecated use.

    A deprecated function calls this first; code that reads a deprecated parameter or
    value calls this where one was given. `removed_in` is the version that no longer
    has it, as a literal: tests/lint/check_deprecations.py fails when the package
    reaches that version (docs/stability.md).
    """
    warn_caller(
        f"{what} is deprecated and will be removed in headrace {removed_in}; "
        f"use {instead}",
        DeprecationWarning,
    )


_told_by_others: set[type[Warning]] = set()


def leave_telling_to_others() -> None:
    """Mutes warnings about files, because another process of the job gives them."""
    _told_by_others.update((AbsentFeatureWarning, OtherMessageWarning))


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warns, with the line that called headrace as the location."""
    if category in _told_by_others:
        return
    level, frame = 1, sys._getframe()
    while frame is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "headrace"


if not sys.warnoptions:
    warnings.simplefilter("default", UnfinishedFileWarning)
