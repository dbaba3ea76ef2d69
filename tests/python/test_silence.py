"""Nothing passes in silence: each way to read says what it leaves out."""

import os

import pytest
import silence

SURFACES = silence.PYTHON
if "HEADRACE" in os.environ:  # some builds have the package alone
    SURFACES = silence.LIBRARY + silence.PROGRAM + SURFACES


@pytest.mark.parametrize("surface, case", silence.pairs(SURFACES, silence.CASES))
def test_it_is_said(surface, case, tmp_path):
    silence.check_said(surface, silence.written(case, tmp_path))


@pytest.mark.parametrize("surface, case", silence.pairs(SURFACES, silence.GOOD))
def test_nothing_is_said_of_what_is_good(surface, case, tmp_path):
    silence.check_silent(surface, silence.written(case, tmp_path))
