"""Nothing passes in silence: what a scan of Polars says."""

import pytest

pytest.importorskip("polars", reason="scans with Polars")

import headrace as hr  # noqa: E402
import silence  # noqa: E402
from silence import both  # noqa: E402


def _scan(path, **options):
    hr.polars.scan_tfrecord(path, **options).collect()
    return ()


SURFACES = both("polars.scan_tfrecord", _scan)

test_it_is_said, test_nothing_is_said_of_what_is_good = silence.tests_of(SURFACES)
