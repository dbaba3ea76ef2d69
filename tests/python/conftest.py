"""Where tests find support/ and wire_bytes.py, what Meson is told of a file that has
no tests here, and the fixture of most files."""

import pathlib
import sys

import pytest

_HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(_HERE / "support"), str(_HERE.parent / "bytes")]

# Meson's for a test that was skipped.
_SKIPPED = 77


@pytest.fixture
def path(tmp_path):
    """Where a test writes its records."""
    return tmp_path / "people.tfrecord"


def pytest_sessionfinish(session, exitstatus):
    # A file whose package is not installed is skipped as a whole.
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = _SKIPPED
