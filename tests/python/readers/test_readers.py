"""Readers of others give what docs/readers.md says of them."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
CONFORMANCE = ROOT / "conformance"
VENVS = {
    "headrace": ".venv",
    "tensorflow": ".venv-tensorflow",
    "beam": ".venv-tfdv",
    "tfrecord": ".venv-readers",
    "tfx_bsl": ".venv-tfdv",
}
# Where ./dev test --integrations leaves what table.py takes.
REPORTS = ROOT / "build" / "readers"


def judge(reader):
    """The path of what the judge writes about a reader."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    path = REPORTS / f"{reader}.json"
    path.unlink(missing_ok=True)
    ended = subprocess.run(
        # Some take seconds to clear gigabytes, which is slow and no hang.
        [sys.executable, CONFORMANCE / "judge.py", "--limit", "120", "--json", path,
         "--", ROOT / VENVS[reader] / "bin" / "python",
         CONFORMANCE / "adapters" / f"read_{reader}.py"],
        capture_output=True, text=True)
    assert ended.returncode == (0 if reader == "headrace" else 1), (
        ended.stdout + ended.stderr)
    return path


def test_the_tables_of_the_page():
    paths = [judge(reader) for reader in VENVS]
    tables = subprocess.run([sys.executable, CONFORMANCE / "table.py", *paths],
                            check=True, capture_output=True, text=True).stdout
    page = (ROOT / "docs" / "readers.md").read_text(encoding="utf-8")
    for table in tables.strip().split("\n\n"):
        assert table in page, table
