"""The judge finds all answers of headrace right; its example is the adapter."""

import collections
import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")

CONFORMANCE = pathlib.Path(__file__).resolve().parents[2] / "conformance"


def test_headrace_is_right(tmp_path):
    out = tmp_path / "out.json"
    command = [sys.executable, CONFORMANCE / "adapters" / "read_headrace.py"]
    ended = subprocess.run(
        [sys.executable, CONFORMANCE / "judge.py", "--limit", "60", "--json", out,
         "--", *command], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    cases = json.loads(out.read_text(encoding="utf-8"))["cases"]
    counts = collections.Counter(case["verdict"] for case in cases)
    assert counts["right"] > 3400
    # Names with NUL, which Arrow's C interface cannot have.
    assert [case["id"] for case in cases if case["verdict"] == "unsupported"] == [
        "columns/columns-catalogue/D8h", "examples/columns-catalogue/D8h",
        "columns/columns-random/R00922"]
