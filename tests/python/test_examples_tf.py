"""examples/from_tf_data.py runs, with TensorFlow and without."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/from_tf_data.py"
# TensorFlow as if it were not installed.
WITHOUT = """
import importlib.util, runpy, sys
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "tensorflow" else find_spec(name)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
assert "tensorflow" not in sys.modules
"""


def run(*arguments):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
        timeout=200, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    assert done.returncode == 0
    return done.stdout


def test_without_tensorflow():
    out = run("-c", WITHOUT, EXAMPLE, "--records=100", "--files=2")
    assert out.startswith("headrace: 3 batches of age, scores, name, visits, tags, films")
    assert "not installed" in out


def test_beside_tensorflow():
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("compares with TensorFlow itself")
    out = run(EXAMPLE, "--records=300", "--files=2")
    assert out.endswith("tf.data: 9 batches, all equal\n")
