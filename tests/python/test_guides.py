"""Pages of docs: their blocks run in their order and print what they show.

HEADRACE_UPDATE_PAGES=1 pytest test_guides.py writes what commands print into the pages.
"""

import os
import pathlib
import re
import subprocess
import sys

import headrace
import processes
import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"
PAGES = {  # with more blocks than these
    "guides/python.md": 15, "guides/training.md": 10, "guides/look.md": 2,
    "guides/batches.md": 7,
    "guides/first-file.md": 5, "guides/cpp.md": 8, "choices.md": 2,
    "site/index.md": 1,
} | {str(path.relative_to(DOCS)): 0
     for folder in ("cookbook", "errors")
     for path in sorted((DOCS / folder).glob("*.md")) if path.stem != "index"}
# A block, the packages that it needs, and behind Python what it prints.
BLOCK = re.compile(
    r"(?:<!-- needs ([\w ]+) -->\n)?```(python|console|cpp)\n(.*?)```\n"
    r"(?:\n```text\n(.*?)```\n)?", re.DOTALL)
# What is printed stands behind the call, too.
PRINTED = re.compile(r"^ *print\(.*\)  +# (.*)$", re.MULTILINE)
# A command, the lines that continue it, and what it prints.
COMMAND = re.compile(r"\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)")
EXAMPLES = {path.stem: path.read_text(encoding="utf-8")
            for path in (DOCS.parent / "examples/cpp").glob("*.cc")}
UPDATE = "HEADRACE_UPDATE_PAGES" in os.environ


def text_of(page):
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page):
    """Line, packages that are needed, language, text and output of each block."""
    text = text_of(page)
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(3))
        yield line, (match[1] or "").split(), match[2], match[3], match[4]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The folder of each page, and what its blocks so far have defined."""
    return {page: (tmp_path_factory.mktemp("guide"), {"__name__": "guide"})
            for page in PAGES}


def environment():
    package = str(pathlib.Path(headrace.__file__).parents[1])
    return {
        "PATH": os.pathsep.join([
            str(pathlib.Path(os.environ["HEADRACE"]).parent),
            os.environ["HEADRACE_EXAMPLES"],
            str(pathlib.Path(sys.executable).parent), "/usr/bin", "/bin"]),
        "HEADRACE_PYTHON": sys.executable, "PYTHONPATH": package, "LC_ALL": "C.UTF-8",
    }


def shown(block, folder):
    """The block with what its commands print."""
    assert "".join(match[0] for match in COMMAND.finditer(block)) == block
    text = ""
    for match in COMMAND.finditer(block):
        done = subprocess.run(
            ["sh", "-c", match[1].replace("\n> ", "\n")], cwd=folder, timeout=60,
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # A terminal shows no CR of CSV.
        text += f"$ {match[1]}" + done.stdout.decode().replace("\r", "")
    return text


@pytest.mark.parametrize(
    "page, line, needs, language, code, output", [
        pytest.param(page, *block, id=f"{page} line {block[0]}")
        for page in PAGES for block in blocks(page)])
def test_block(page, line, needs, language, code, output, places, monkeypatch, capsys):
    if "HEADRACE" not in os.environ and "```console" in text_of(page):
        pytest.skip("needs the program")
    processes.need(*needs)
    if language == "cpp":
        assert code in EXAMPLES.values()
        return
    folder, names = places[page]
    if language == "console":
        assert output is None
        printed = shown(code, folder)
        if UPDATE and printed != code:
            text = text_of(page).replace(f"```console\n{code}", f"```console\n{printed}")
            (DOCS / page).write_text(text, encoding="utf-8")
        else:
            assert printed == code
        return
    monkeypatch.chdir(folder)
    # The lines are those of the page, so that a traceback shows them.
    exec(compile("\n" * line + code, str(DOCS / page), "exec"), names)
    printed = capsys.readouterr().out
    if output is None:
        assert printed.splitlines() == PRINTED.findall(code)
    elif UPDATE and printed != output:
        text = text_of(page).replace(
            f"{code}```\n\n```text\n{output}", f"{code}```\n\n```text\n{printed}")
        (DOCS / page).write_text(text, encoding="utf-8")
    else:
        assert printed == output


@pytest.mark.parametrize("page", PAGES)
def test_all_blocks_of_the_page_run(page):
    text = text_of(page)
    found = list(blocks(page))
    assert len(found) > PAGES[page]
    assert text.count("```") == 2 * (
        len(found) + sum(block[-1] is not None for block in found)
        + text.count("```{toctree}"))


def test_the_page_names_all_there_is():
    named = set(re.findall(r"`hr\.(\w+)", text_of("guides/python.md")))
    assert all(hasattr(headrace, name) for name in named)
    # These are in a range of the page.
    assert set(headrace.__all__) - named == {"int16", "uint16", "uint32"}


def test_the_page_shows_all_examples():
    assert all(code in text_of("guides/cpp.md") for code in EXAMPLES.values())


def test_every_error_has_a_page():
    header = (DOCS.parent / "include/headrace/c.h").read_text(encoding="utf-8")
    codes = re.findall(r"^  HEADRACE_(\w+) = \d+", header, re.MULTILINE)
    codes = {code.lower() for code in codes} - {"ok", "internal"}
    pages = {path.stem for path in (DOCS / "errors").glob("*.md")} - {"index"}
    assert pages == codes
    listed = re.findall(r"^\| \[`(\w+)`\]\(\1\.md\)", text_of("errors/index.md"), re.M)
    assert sorted(listed) == sorted(codes)
    for code in codes:
        text = text_of(f"errors/{code}.md")
        assert text.startswith(f"# {code}: ")
        # The example is of this error.
        assert re.search(rf"(^|: ){code}: ", text.partition("\n")[2], re.MULTILINE)


def test_every_recipe_is_listed():
    listed = re.findall(r"\]\(([\w-]+\.md)\)", text_of("cookbook/index.md"))
    recipes = {path.name for path in (DOCS / "cookbook").glob("*.md")} - {"index.md"}
    assert sorted(listed) == sorted(recipes)
