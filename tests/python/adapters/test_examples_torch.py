"""The examples and the guide for PyTorch and JAX do what they say."""

import importlib.util
import pathlib
import re

import processes
import pytest
from processes import need

ROOT = pathlib.Path(__file__).parents[3]


def run(*arguments, cwd=None):
    return processes.printed(*arguments, cwd=cwd, timeout=200)


@pytest.mark.parametrize("workers", [0, 2])
def test_pytorch_training(workers):
    need("torch")
    out = run(
        ROOT / "examples/pytorch_training.py",
        "--epochs=3", f"--workers={workers}", "--records=1000",
    )
    lines = re.findall(r"epoch \d: loss ([0-9.]+) over 32 batches\n", out)
    losses = list(map(float, lines))
    assert len(losses) == 3
    assert losses[2] < losses[1] < losses[0]
    assert losses[2] < 0.5


def test_jax_batches():
    need("jax")
    out = run(ROOT / "examples/jax_batches.py", "--epochs=3")
    assert out.count("loss") == 3
    assert "w = [1. 2. 3.] b = 4.0" in out


@pytest.mark.parametrize("name", ["pytorch_training", "jax_batches"])
def test_help(name):
    need("torch" if "torch" in name else "jax")
    assert "--epochs" in run(ROOT / f"examples/{name}.py", "--help")


CHECKS = """
assert batch["age"].dtype == torch.int64 and batch["x"].shape[1:] == (2,)
assert vectors.shape[1:] == (16,)
assert padded.shape == (256, 2)
"""


def test_the_guide(tmp_path):
    """Its examples run, in their order."""
    need("torch")
    text = (ROOT / "docs/guides/pytorch.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:<!-- needs (\w+) -->\n)?```python\n(.*?)```", text, re.S)
    assert len(blocks) == 11
    assert {"torchdata", "jax"} <= {package for package, _ in blocks}
    # JAX has threads, and workers are forked.
    code = [block for package, block in blocks
            if not package or importlib.util.find_spec(package)]
    code.insert(4, CHECKS)
    (tmp_path / "guide.py").write_text("\n".join(code), encoding="utf-8")
    assert run("guide.py", cwd=tmp_path) == "train-0.tfrecord 0 name\n"
