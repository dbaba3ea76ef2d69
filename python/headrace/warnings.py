"""Warnings of headrace."""

from __future__ import annotations

import sys
import warnings

__all__ = [
    "AbsentFeatureWarning", "Bfloat16Warning", "LateFeatureWarning",
    "LeftOutFileWarning", "NoCheckpointWarning", "OtherMessageWarning",
    "SharedLanesWarning", "SlowOpeningWarning", "StaleIndexWarning",
    "UnevenRanksWarning", "UnfinishedFileWarning",
]


class LateFeatureWarning(UserWarning):
    """Values were left out, because the sample that the columns were found from
    did not show their features; or feature lists, because the records were read as
    Examples.

    A reader warns once: at the end of its first epoch, or when it is closed; a
    `Dataset` when it first takes such a row. `Reader.report.late` and
    `Dataset.late` have the features and counts; `strict_columns=True` of
    `headrace.open` and `Dataset` makes them an error.
    """


class AbsentFeatureWarning(UserWarning):
    """No record had a feature that the spec names: the name may be misspelt.

    All that takes a spec looks at the first records, and warns before the first
    row is given if none of them has the feature, but one of a similar name; or if a
    spec for Examples meets SequenceExamples, and none of its features. A feature that no
    record had is warned of at the end, once: of the first epoch that a reader or
    `Dataset.batches` gave as a whole. `Reader.report.absent` and `Dataset.absent` have
    them at any time. `on_absent="error"` makes an error of it, and
    `on_absent="ignore"` nothing.
    """


class OtherMessageWarning(UserWarning):
    """The records seem to hold another message than the one they are read as, such
    as those of TensorBoard's event files.

    They have bytes, and none of the first has a field of the message
    (docs/semantics.md, M7). `message="raw"` gives payloads. A reader that has a spec
    raises a `MalformedError` instead.
    """


class LeftOutFileWarning(UserWarning):
    """A folder that was named as input has files that may hold records and are not
    read, because they are not named as TFRecord files; or it has folders.

    Files that hold something else by their first bytes, such as text, are not
    mentioned. Name a file, or give a glob, to read it.
    """


class StaleIndexWarning(UserWarning):
    """An index that lies beside a file that was written is of what the file was
    before. A `Writer` removes headrace's own index, FILE.hri, and warns of others.
    """


class NoCheckpointWarning(UserWarning):
    """A `torch.Dataset` shuffles in a buffer that it was not told to have, and of
    which `state_dict(batches=)` gives no state."""


class SharedLanesWarning(UserWarning):
    """The `lanes` of a `Shuffle` are no multiple of the ranks and their workers, so
    that several processes read the same blocks, as without lanes. The first rank of
    `Dataset.batches`, `torch.Sampler` and `torch.Dataset` warns, once."""


class SlowOpeningWarning(UserWarning):
    """A `Dataset` still reads files without an index after five seconds: an index
    says where their records are, so that they need not be read whole."""


class UnevenRanksWarning(UserWarning):
    """Ranks have unequal numbers of batches: those that go on together wait for ever
    for the one that has ended."""


class Bfloat16Warning(UserWarning):
    """bfloat16 tensors went to Arrow, which has no such type.

    There, and so in pandas, Polars and Parquet, they are the 16 bits of each number,
    as uint16. Read the feature as float32 for numbers.
    """


class UnfinishedFileWarning(ResourceWarning):
    """A `Writer` was dropped, or outlived the program, without `close`.

    What it had written is lost. Shown even where other ResourceWarnings are not,
    unless the interpreter was told otherwise (-W, PYTHONWARNINGS, -X dev).
    """


def warn_of_bits(names: list[str]) -> None:
    """Warns that these tensors are bfloat16, and bits in Arrow."""
    listed = ", ".join(f'"{name}"' for name in names)
    warn_caller(
        f"Arrow has no bfloat16: there {listed} are the 16 bits of each number, as "
        "uint16; read as float32 for numbers",
        Bfloat16Warning,
    )


_told_by_others: set[type[Warning]] = set()


def leave_telling_to_others() -> None:
    """Another process of the job looks at the same files, and tells what they lack."""
    _told_by_others.update((AbsentFeatureWarning, OtherMessageWarning))


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warns; the warning names the line that called headrace."""
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
