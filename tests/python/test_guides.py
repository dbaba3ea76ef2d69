"""docs/guides/python.md: its blocks run in their order and print what they show."""

import pathlib
import re

import headrace
import processes
import pytest

GUIDE = pathlib.Path(__file__).parents[2] / "docs/guides/python.md"
BLOCK = re.compile(r"(?:<!-- needs ([\w ]+) -->\n)?```python\n(.*?)```", re.DOTALL)
# What is printed stands behind the call.
PRINTED = re.compile(r"^ *print\(.*\)  +# (.*)$", re.MULTILINE)


def blocks():
    """Line, packages that are needed, and text of each block."""
    text = GUIDE.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(2))
        yield line, (match[1] or "").split(), match[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("guide")


@pytest.fixture(scope="module")
def names():
    """What the blocks so far have defined."""
    return {"__name__": "guide"}


@pytest.mark.parametrize(
    "line, needs, code", [pytest.param(*block, id=f"line {block[0]}")
                          for block in blocks()])
def test_block(line, needs, code, names, folder, monkeypatch, capsys):
    processes.need(*needs)
    monkeypatch.chdir(folder)
    # The lines are those of the page, so that a traceback shows them.
    exec(compile("\n" * line + code, str(GUIDE), "exec"), names)
    assert capsys.readouterr().out.splitlines() == PRINTED.findall(code)


def test_the_page_has_no_other_python():
    text = GUIDE.read_text(encoding="utf-8")
    assert text.count("```python") == len(list(blocks())) > 15
    assert text.count("```") == 2 * text.count("```python")


def test_the_page_names_all_there_is():
    named = set(re.findall(r"`hr\.(\w+)", GUIDE.read_text(encoding="utf-8")))
    assert all(hasattr(headrace, name) for name in named)
    # These are in a range of the page.
    assert set(headrace.__all__) - named == {
        "DType", "int16", "int8", "uint16", "uint32", "uint64"}
