"""docs/guides/tfds.md: its code runs, and that of its tables on both sides."""

import importlib
import os
import pathlib
import re

import guide_folders
import headrace as hr
import pytest
from processes import need

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif("HEADRACE" not in os.environ, reason="needs the program"),
]
GUIDE = pathlib.Path(__file__).parents[3] / "docs/guides/tfds.md"
TEXT = GUIDE.read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`")
BLOCK = re.compile(r"(?:<!-- needs (\w+) -->\n)?```python\n(.*?)```", re.DOTALL)
# What is printed stands behind the call.
PRINTED = re.compile(r"^ *print\(.*\)  +# (.*)$", re.MULTILINE)
ROWS = [
    [cell.strip() for cell in row.strip("|").split("|")]
    for table in re.findall(r"^\| what you wrote .*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.M)
    for row in table.splitlines()]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = tmp_path_factory.mktemp("guide")
    guide_folders.write(made)
    return made


def run(cell, names):
    assert CODE.search(cell)
    for code in CODE.findall(cell):
        result = eval(compile(code, f"{GUIDE.name}: {code}", "eval"), names)
        if hasattr(result, "__next__"):
            assert next(result) is not None


@pytest.mark.parametrize("cell", [row[1] for row in ROWS])
def test_what_you_write_now(cell, place):
    names = {"hr": hr, "mnist": place / "mnist/3.0.1", "robot": place / "robot/1.0.0"}
    names |= {"info": hr.tfds.info(names["mnist"]),
              "data": hr.tfds.Dataset(names["mnist"])}
    if "pyarrow." in cell:
        need("pyarrow", "pandas")
        names["pyarrow"] = importlib.import_module("pyarrow")
    if "decode_images" in cell:
        need("PIL")
    run(cell, names)


@pytest.mark.parametrize("cell", [row[0] for row in ROWS])
def test_what_you_wrote(cell, place):
    need("tensorflow_datasets")
    import tensorflow as tf
    import tensorflow_datasets as tfds
    if "as_dataframe" in cell:
        need("pandas")
    mnist, robot = place / "mnist/3.0.1", place / "robot/1.0.0"
    builder = tfds.builder_from_directory(mnist)
    episodes = tfds.builder_from_directory(robot).as_dataset(split="train")
    if "as_data_source" in cell:
        # It fails for folders of TFRecord, as the guide says.
        with pytest.raises(NotImplementedError):
            builder.as_data_source("train")
        return
    run(cell, {
        "tf": tf, "tfds": tfds, "mnist": mnist, "robot": robot, "builder": builder,
        "data_dir": place, "ds": builder.as_dataset(split="train"),
        "episodes": episodes, "episode": next(iter(episodes)),
        "actions": tf.zeros([5, 7])})


def test_blocks(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    blocks = BLOCK.findall(TEXT)
    assert TEXT.count("```python") == len(blocks) == 2
    names = {"__name__": "guide"}
    for package, code in blocks:
        if package and importlib.util.find_spec(package) is None:
            continue
        exec(compile(code, GUIDE.name, "exec"), names)
        assert capsys.readouterr().out.splitlines() == PRINTED.findall(code)


def test_tables_are_found():
    assert len(ROWS) > 25
