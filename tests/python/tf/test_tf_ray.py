"""Files of tensors that Ray writes, which needs TensorFlow for them."""

import headrace as hr
import numpy as np
import pytest

pytest.importorskip("tensorflow", reason="Ray serializes tensors with it")
ray = pytest.importorskip("ray", reason="it writes the files")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_arrays(tmp_path):
    """Ray writes arrays as tf.io.serialize_tensor does."""
    arrays = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
    ray.data.from_numpy(arrays).write_tfrecords(str(tmp_path / "written"))
    spec = {"data": hr.FixedLenFeature(
        [2, 3], hr.bytes_, as_=hr.float32, encoding="tensor_proto")}
    paths = sorted(str(path) for path in (tmp_path / "written").iterdir())
    found = np.concatenate([batch["data"].numpy() for batch in hr.open(paths, spec=spec)])
    assert sorted(found.tolist()) == arrays.tolist()
