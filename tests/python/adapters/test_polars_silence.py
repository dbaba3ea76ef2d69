"""Nothing passes in silence: what a scan of Polars says."""

import pytest

pytest.importorskip("polars", reason="scans with Polars")

import headrace as hr  # noqa: E402
import silence  # noqa: E402
from silence import Surface, both  # noqa: E402


def _scan(path, **options):
    hr.polars.scan_tfrecord(path, **options).collect()
    return ()


SURFACES = both("polars.scan_tfrecord", _scan)


@pytest.mark.parametrize("surface, case", silence.pairs(SURFACES, silence.CASES))
def test_it_is_said(surface, case, tmp_path):
    silence.check_said(surface, silence.written(case, tmp_path))


@pytest.mark.parametrize("surface, case", silence.pairs(SURFACES, silence.GOOD))
def test_nothing_is_said_of_what_is_good(surface, case, tmp_path):
    silence.check_silent(surface, silence.written(case, tmp_path))
