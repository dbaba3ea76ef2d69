"""Nothing passes in silence: what the adapters for Ray and Beam say."""

import contextlib
import io
import os
import time

import pytest

# Ray holds back for five seconds what differs from an earlier line in numbers only.
os.environ["RAY_DEDUP_LOGS"] = "0"

ray = pytest.importorskip("ray", reason="reads with Ray")
beam = pytest.importorskip("apache_beam", reason="reads with Apache Beam")

import headrace as hr  # noqa: E402
import silence  # noqa: E402
from silence import Surface, both  # noqa: E402


# Ray shows on the driver's standard error what its workers write there, a little
# later.
_DELAY_S = 2


@pytest.fixture(scope="module", autouse=True)
def cluster():
    # Workers are used again, and would say the same thing once. Ray leaves files
    # open.
    warnings = "always,ignore::ResourceWarning"
    ray.init(num_cpus=2, include_dashboard=False,
             runtime_env={"env_vars": {"PYTHONWARNINGS": warnings}})
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def _ray(path, **options):
    return hr.ray.read_tfrecords(path, **options).iter_batches()


def _beam(path, **options):
    pipeline = beam.Pipeline(runner="BundleBasedDirectRunner")
    pipeline | hr.beam.ReadFromTFRecord(path, **options)
    pipeline.run().wait_until_finish()
    return ()


def _with_workers(surface):
    """The surface, which also says what Ray's workers say."""
    def say(files):
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            try:
                said = surface.say(files) or ""
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
            time.sleep(_DELAY_S)
        return said + "".join(line for line in shown.getvalue().splitlines(True)
                              if " INFO " not in line)

    return Surface(surface.name, surface.kind, say)


SURFACES = [
    *map(_with_workers, both("ray.read_tfrecords", _ray)),
    *both("beam.ReadFromTFRecord", _beam),
    _with_workers(Surface("ray.stats", silence.COLUMNS,
                          lambda files: hr.ray.stats(
                              files.path, **silence.message_of(files)) and None)),
]

test_it_is_said, test_nothing_is_said_of_what_is_good = silence.tests_of(SURFACES)
