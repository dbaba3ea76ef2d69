"""Warnings of headrace."""

from __future__ import annotations

import sys
import warnings

__all__ = ["AbsentFeatureWarning", "LateFeatureWarning", "UnfinishedFileWarning"]


class LateFeatureWarning(UserWarning):
    """Values were left out, because the sample that the columns were found from
    did not show their features.

    A reader warns once: at the end of its first epoch, or when it is closed.
    `Reader.report.late` has the features and counts; `strict_columns=True` of
    `headrace.open` makes them an error.
    """


class AbsentFeatureWarning(UserWarning):
    """No record had a feature for which the spec has a default: its name may be
    misspelt.

    A reader warns once, at the end of the first epoch that it read whole.
    `Reader.report.absent` has all features that the spec names and no row had.
    """


class UnfinishedFileWarning(ResourceWarning):
    """A `Writer` was dropped, or outlived the program, without `close`.

    What it had written is lost. Shown even where other ResourceWarnings are not,
    unless the interpreter was told otherwise (-W, PYTHONWARNINGS, -X dev).
    """


if not sys.warnoptions:
    warnings.simplefilter("default", UnfinishedFileWarning)
