"""The examples and the pages for PyTorch and JAX do what they say."""

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


@pytest.mark.parametrize("workers, after", [(2, 1), (0, 2)])
def test_image_training(workers, after):
    """It stops after 35 batches of 64: 11 of them, so 704 rows, are of epoch 1."""
    need("torch")
    out = run(
        ROOT / "examples/image_training.py",
        f"--workers={workers}", f"--workers-after={after}",
    )
    assert "'epoch': 1, 'position': 704, 'rows': 1500" in out
    assert f" with {after} workers\n" in out
    losses = list(map(float, re.findall(r"epoch \d: loss ([0-9.]+)\n", out)))
    assert len(losses) == 3
    assert losses[2] < losses[1] < losses[0]
    assert out.endswith("each of 3 epochs had each of 1500 rows once\n")


@pytest.mark.parametrize("workers", [0, 2])
def test_rlds_policy(workers):
    """What the instruction names is learnt within two epochs."""
    need("torch")
    out = run(
        ROOT / "examples/rlds_policy.py",
        "--epochs=2", f"--workers={workers}", "--episodes=60",
    )
    assert "  steps: Dataset [?] of FeaturesDict\n" in out
    losses = list(map(float, re.findall(r"loss of other episodes ([0-9.]+)\n", out)))
    assert len(losses) == 3
    assert losses[2] < losses[1] < losses[0] / 5


@pytest.mark.parametrize(
    "name", ["pytorch_training", "image_training", "rlds_policy", "jax_batches"])
def test_help(name):
    need("jax" if "jax" in name else "torch")
    assert "--epochs" in run(ROOT / f"examples/{name}.py", "--help")


# Of blocks of pytorch.md that print nothing.
CHECKS = """
assert batch["age"].dtype == torch.int64 and batch["x"].shape[1:] == (2,)
assert vectors.shape[1:] == (16,)
assert padded.shape == (256, 2)
"""


# What is printed stands behind the call.
PRINTED = re.compile(r"^ *print\(.*\)  +# (.*)$", re.MULTILINE)


@pytest.mark.parametrize("page, count, packages", [
    ("guides/pytorch.md", 16, {"torchdata", "jax"}),
    ("guides/training.md", 12, {"torch", "grain", "jax"}),
    ("cookbook/pytorch-dataloader.md", 1, {"torch"}),
    ("cookbook/jax.md", 1, {"jax"}),
    ("cookbook/torchrec.md", 1, {"torchrec"}),
])
def test_the_guide(tmp_path, page, count, packages):
    """Its examples run, in their order, and print what they show."""
    need("torch")
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"(?:<!-- needs (\w+) -->\n)?```python\n(.*?)```", text, re.S)
    assert len(blocks) == count
    assert packages <= {package for package, _ in blocks}
    # JAX has threads, and workers are forked.
    code = [block for package, block in blocks
            if not package or importlib.util.find_spec(package)]
    if page == "guides/pytorch.md":
        code.insert(4, CHECKS)
    (tmp_path / "guide.py").write_text("\n".join(code), encoding="utf-8")
    assert run("guide.py", cwd=tmp_path).splitlines() == PRINTED.findall("\n".join(code))
