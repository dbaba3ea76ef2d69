"""The report of what a reader left out or skipped, and the warnings about it."""

from __future__ import annotations

import dataclasses
from typing import Any

from headrace import _core
from headrace.errors import HeadraceError, MissingFeatureError
from headrace.warnings import (
    AbsentFeatureWarning,
    LateFeatureWarning,
    OtherMessageWarning,
    warn_caller,
)


@dataclasses.dataclass(frozen=True)
class SkippedRegion:
    """Bytes [begin, end) of a file's uncompressed stream that were skipped."""

    file: str
    begin: int
    end: int | None  # None: the rest of a compressed file that is damaged
    reason: str  # the class of damage, such as "payload_crc"
    message: str = ""  # the decompressor's error, for "decompress"


@dataclasses.dataclass(frozen=True)
class LateFeature:
    """A feature of which the sample of the data showed no value; its values were left
    out."""

    name: str
    kind: str  # "int64", "float" or "bytes"
    rows: int  # number of rows that had it
    in_columns: bool  # it has a column, of kind null
    in_sequence: bool  # it is a feature list


@dataclasses.dataclass(frozen=True)
class AbsentFeature:
    """A feature that the spec names and that no row so far had."""

    name: str
    in_sequence: bool  # it is a feature list
    has_default: bool  # all rows have its default instead


@dataclasses.dataclass(frozen=True)
class ReadReport:
    """Records and features skipped or left out so far in this epoch, and why.

    By default lists have at most 1000 entries; counts include everything.
    """

    regions: list[SkippedRegion]
    num_regions: int
    rows: list[HeadraceError]  # one per row, with file, record and feature
    num_rows: int
    late: list[LateFeature]
    num_late: int  # rows, summed over all names
    absent: list[AbsentFeature]  # empty before the first row
    num_lists_left_out: int = 0  # records read as Examples, without feature lists


# A warning names at most this many features.
_MOST_NAMED = 10


def warn_of_late(late: list[tuple[Any, ...]], num_late: int) -> None:
    """Warns of late features; called by the core."""
    named = []
    for name, kind, rows, _, in_sequence in late[:_MOST_NAMED]:
        prefix = "##SEQUENCE##." if in_sequence else ""
        named.append(f'"{prefix}{name}" ({kind}, {rows} row{"" if rows == 1 else "s"})')
    if len(late) > _MOST_NAMED or not named:
        named.append(f"{num_late} values in all")
    warn_caller(
        "features that the sample of the data did not show were left out: "
        + ", ".join(named)
        + "; strict_columns=True makes this an error, sample=0 looks at all records",
        LateFeatureWarning,
    )


_CATEGORIES: dict[str, type[Warning]] = {
    "other_message": OtherMessageWarning,
    "lists_left_out": LateFeatureWarning,
}


def warn_of_notice(kind: str, text: str) -> None:
    """Warns of what the records hold or lack; called by the core."""
    warn_caller(text, _CATEGORIES.get(kind, AbsentFeatureWarning))


def check_absent(
    absent: list[tuple[Any, ...]], message: str, on_absent: str, of_part: bool
) -> None:
    """Reports, after the last row, the features that no row had, as `on_absent` says.
    For a part this is never an error, since other parts may have the feature."""
    if not absent or on_absent == "ignore":
        return
    if on_absent == "error" and not of_part:
        text = _core.absent_text(absent[:1], message, of_part)
        raise MissingFeatureError(text, feature=absent[0][0])
    warn_of_notice("absent", _core.absent_text(absent, message, of_part))
