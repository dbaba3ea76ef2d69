"""Type checkers agree with the package: the stub with the module, and with its users."""

import json
import os
import pathlib
import re
import subprocess
import sys

import headrace as hr
import pytest

pytest.importorskip("mypy", reason="checks types")
pytest.importorskip("basedpyright", reason="checks types as pyright does")

FOLDER = pathlib.Path(hr.__file__).parent
ROOT = pathlib.Path(__file__).parents[2]
USAGE = pathlib.Path(__file__).with_name("support") / "typed_usage.py"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# The examples need packages of gigabytes, which are Any where they are not there.
MYPY = ["--strict", "--follow-imports=silent", "--ignore-missing-imports",
        "--allow-subclassing-any", "--allow-untyped-decorators", "--no-error-summary"]
# What every class and function of nanobind's is to stubtest, whatever the stub says.
OF_NANOBIND = re.compile(
    r"metaclass differs|is a disjoint base|is not a function|stub is a staticmethod|"
    r"__init__ is inconsistent, stub does not have \*args|Tensor.__buffer__ is not")


def run(module, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)], capture_output=True,
        text=True, timeout=280, env=os.environ | {"MYPYPATH": str(FOLDER.parent)})
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def wrong_lines():
    lines = USAGE.read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}


def assert_found(found):
    """Errors, as (path, line, text), are those of the usage, and no other."""
    wrong = wrong_lines()
    assert len(wrong) > 15
    texts = "\n".join(map(str, found))
    assert {path for path, _, _ in found} == {USAGE.name}, texts
    assert {line for _, line, _ in found} == wrong, texts


def test_mypy(cache):
    out = run("mypy", *MYPY, "--cache-dir", cache, USAGE, *EXAMPLES)
    found = re.findall(r"^(.*?):(\d+): error: (.*)$", out, re.MULTILINE)
    assert_found([(pathlib.Path(path).name, int(line), text)
                  for path, line, text in found])


def test_pyright(tmp_path):
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps({
        "include": [str(USAGE), *map(str, EXAMPLES)],
        "extraPaths": [str(FOLDER.parent)],
        "typeCheckingMode": "standard",
        "reportMissingImports": "none",
        "reportMissingModuleSource": "none",
        "pythonVersion": "3.11",
    }))
    out = json.loads(run("basedpyright", "-p", config, "--outputjson"))
    found = [(pathlib.Path(item["file"]).name, item["range"]["start"]["line"] + 1,
              item["message"])
             for item in out["generalDiagnostics"] if item["severity"] == "error"]
    assert out["summary"]["filesAnalyzed"] == len(EXAMPLES) + 1
    assert_found(found)


def test_the_stub_is_true(cache):
    allowed = cache / "mypy.ini"
    allowed.write_text(f"[mypy]\ncache_dir = {cache}\n")
    out = run("mypy.stubtest", "headrace._core", "--concise", "--mypy-config-file",
              allowed)
    assert "headrace._core.Tensor is inconsistent" in out  # it was looked at
    assert [line for line in out.splitlines() if not OF_NANOBIND.search(line)] == []
