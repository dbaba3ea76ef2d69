"""Nothing passes in silence: each way to read says what it leaves out."""

import os

import silence

SURFACES = silence.PYTHON
if "HEADRACE" in os.environ:  # some builds have the package alone
    SURFACES = silence.LIBRARY + silence.PROGRAM + SURFACES

test_it_is_said, test_nothing_is_said_of_what_is_good = silence.tests_of(SURFACES)
