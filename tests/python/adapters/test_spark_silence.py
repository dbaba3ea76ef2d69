"""Nothing passes in silence: what the data source for Spark says."""

import contextlib
import os
import tempfile
import time

import pytest

pytest.importorskip("pyarrow", reason="Spark takes Arrow batches")
pytest.importorskip("pyspark", reason="reads with Spark")

import silence  # noqa: E402
import spark_jobs  # noqa: E402
from silence import Surface  # noqa: E402

# Java copies what Python writes there to its own standard error, a little later.
_DELAY_S = 0.3
_written = tempfile.TemporaryFile()
_session = None


@contextlib.contextmanager
def _redirected():
    """Processes that are started meanwhile write their errors to the file."""
    kept = os.dup(2)
    os.dup2(_written.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@pytest.fixture(scope="module", autouse=True)
def spark():
    global _session
    with pytest.MonkeyPatch.context() as patch, _redirected():
        # Python processes are used again, and would say the same thing once. Those of
        # Spark leave files open.
        patch.setenv("PYTHONWARNINGS", "always,ignore::ResourceWarning")
        _session = spark_jobs.start("local[2]")
    yield
    _session.stop()


def _read(spec=False, count=False):
    def say(files):
        begin = _written.seek(0, os.SEEK_END)
        options = {"spec": files.spec_file} if spec else {"message": files.case.message}
        error = ""
        try:
            frame = spark_jobs.load(_session, files.path, **options)
            frame.count() if count else frame.collect()
        except Exception as raised:
            error = str(raised)
        time.sleep(_DELAY_S)
        _written.seek(begin)
        return error + _written.read().decode(errors="replace")

    return say


SURFACES = [
    Surface("spark.read", silence.COLUMNS, _read()),
    Surface("spark.read, spec", silence.SPEC, _read(spec=True)),
    Surface("spark.read, counted", silence.COLUMNS, _read(count=True)),
]

test_it_is_said, test_nothing_is_said_of_what_is_good = silence.tests_of(SURFACES)
