"""examples/from_tf_data.py runs, with TensorFlow and without."""

import os
import pathlib

import processes

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
EXAMPLE = pathlib.Path(__file__).parents[3] / "examples/from_tf_data.py"
# TensorFlow as if it were not installed.
WITHOUT = """
import importlib.util, runpy, sys
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if "tensor" in name else find_spec(name)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
assert "tensorflow" not in sys.modules
"""


def run(*arguments):
    return processes.printed(*arguments, timeout=200)


def test_without_tensorflow():
    out = run("-c", WITHOUT, EXAMPLE, "--records=100", "--files=2")
    assert out.startswith("headrace: 3 batches of age, scores, name, visits, tags, ")
    assert "not installed" in out


def test_beside_tensorflow():
    processes.need("tensorflow")
    out = run(EXAMPLE, "--records=300", "--files=2")
    assert out.endswith("tf.data: 9 batches, all equal\n")
