"""Guides of docs/guides: their blocks run in their order and print what they show."""

import pathlib
import re

import headrace
import processes
import pytest

GUIDES = pathlib.Path(__file__).parents[2] / "docs/guides"
PAGES = {"python.md": 15, "training.md": 10}  # with more blocks than these
BLOCK = re.compile(r"(?:<!-- needs ([\w ]+) -->\n)?```python\n(.*?)```", re.DOTALL)
# What is printed stands behind the call.
PRINTED = re.compile(r"^ *print\(.*\)  +# (.*)$", re.MULTILINE)


def blocks(page):
    """Line, packages that are needed, and text of each block."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(2))
        yield line, (match[1] or "").split(), match[2]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The folder of each page, and what its blocks so far have defined."""
    return {page: (tmp_path_factory.mktemp("guide"), {"__name__": "guide"})
            for page in PAGES}


@pytest.mark.parametrize(
    "page, line, needs, code", [
        pytest.param(page, *block, id=f"{page} line {block[0]}")
        for page in PAGES for block in blocks(page)])
def test_block(page, line, needs, code, places, monkeypatch, capsys):
    processes.need(*needs)
    folder, names = places[page]
    monkeypatch.chdir(folder)
    # The lines are those of the page, so that a traceback shows them.
    exec(compile("\n" * line + code, str(GUIDES / page), "exec"), names)
    assert capsys.readouterr().out.splitlines() == PRINTED.findall(code)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_has_no_other_python(page):
    text = (GUIDES / page).read_text(encoding="utf-8")
    assert text.count("```python") == len(list(blocks(page))) > PAGES[page]
    assert text.count("```") == 2 * text.count("```python")


def test_the_page_names_all_there_is():
    named = set(re.findall(r"`hr\.(\w+)", (GUIDES / "python.md").read_text(encoding="utf-8")))
    assert all(hasattr(headrace, name) for name in named)
    # These are in a range of the page.
    assert set(headrace.__all__) - named == {
        "DType", "int16", "int8", "uint16", "uint32", "uint64"}
