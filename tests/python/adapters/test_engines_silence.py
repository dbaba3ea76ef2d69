"""Nothing passes in silence: what the adapters for Ray and Beam say."""

import pytest

ray = pytest.importorskip("ray", reason="reads with Ray")
beam = pytest.importorskip("apache_beam", reason="reads with Apache Beam")

import headrace as hr  # noqa: E402
import silence  # noqa: E402
from silence import Surface, both  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False)
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


SURFACES = [
    *both("ray.read_tfrecords", _ray),
    *both("beam.ReadFromTFRecord", _beam),
    Surface("ray.stats", silence.COLUMNS,
            lambda files: hr.ray.stats(files.path) and None),
]

test_it_is_said, test_nothing_is_said_of_what_is_good = silence.tests_of(SURFACES)
