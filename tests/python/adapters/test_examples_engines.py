"""The examples for engines, run as a user runs them."""

import os
import pathlib
import re
import textwrap

import processes
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
os.environ.setdefault("POLARS_FMT_STR_LEN", "100")


def run(name, *packages):
    """What an example prints."""
    processes.need(*packages)
    return processes.printed(EXAMPLES / name, timeout=240)


def test_ray_to_parquet():
    printed = run("ray_to_parquet.py", "ray", "pyarrow")
    # The fares are exact: quarters.
    assert "4000 rows in " in printed
    assert f"fares {sum(i * 0.25 for i in range(4000))}" in printed


def test_ray_one_file():
    """It ends with an error where the tasks read other records than one reader."""
    printed = run("ray_one_file.py", "ray", "pyarrow")
    found = re.search(r"4 tasks read (\d+) \+ (\d+) \+ (\d+) \+ (\d+) records", printed)
    assert sum(map(int, found.groups())) == 20000
    assert re.search(r"digest [0-9a-f]{16}, as of one reader\n", printed)


def test_beam_pipeline():
    printed = run("beam_pipeline.py", "apache_beam", "pyarrow")
    total = sum(i * 0.5 for i in range(3000) if i % 10)
    assert f"3000 rows, 300 without a fare, sum {total}" in printed
    assert "records: 3000" in printed and "files: 3" in printed


def test_duckdb_query():
    printed = run("duckdb_query.py", "duckdb")
    lines = printed.replace("│", " ").split("\n")
    rows = [line.split() for line in lines]
    assert [row[:2] for row in rows if row[:1] in (["known"], ["new"], ["old"])] == [
        ["known", "750"], ["new", "250"], ["old", "750"],
    ]
    assert ["20", "69", "1000"] in rows


def test_polars_scan():
    printed = run("polars_scan.py", "polars")
    lines = printed.replace("│", " ").replace("┆", " ").split("\n")
    rows = [line.split() for line in lines]
    seconds = [i / 10 for i in range(501, 1000)]
    for page in range(3):
        wanted = [s for i, s in enumerate(seconds, 501) if i % 3 == page]
        (row,) = [row for row in rows if row[:1] == [f"/{page}"]]
        assert int(row[1]) == 2 * len(wanted)
        assert float(row[2]) == pytest.approx(sum(wanted) / len(wanted), abs=1e-3)


# The files and the numbers that docs/guides/scaling-out.md speaks of.
TRIPS = """
import headrace as hr

for shard in range(2):
    with hr.Writer(f"trips-{shard}.tfrecord.gz") as writer:
        for i in range(1000):
            writer.write({"id": i, "fare": i / 50, "stops": [1] * (i % 3), "vendor": i % 2})
with open("schema.pbtxt", "w") as file:
    file.write(hr.infer_schema("trips-*.tfrecord.gz").to_pbtxt())
path = paths = "trips-*.tfrecord.gz"
spec, k, state = {"id": hr.FixedLenFeature([], hr.int64)}, 3, None
"""


@pytest.mark.parametrize("package", ["ray", "apache_beam"])
def test_the_guide(tmp_path, package):
    """Its blocks run in their order. Those of PyTorch and Spark need ranks and a
    session of their own."""
    processes.need(package, "pyarrow")
    text = (ROOT / "docs/guides/scaling-out.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 9
    other = {"ray": "beam", "apache_beam": "ray"}[package]
    code = [block for block in blocks if not re.search(r"torch|spark", block)
            and f"hr.{other}." not in block]
    if package != "ray":
        code = [block for block in code if "trips.materialize" not in block]
    program = TRIPS + "\n".join(code).replace("gs://bucket", str(tmp_path))
    (tmp_path / "guide.py").write_text(
        f"if __name__ == '__main__':\n{textwrap.indent(program, '    ')}",
        encoding="utf-8")
    assert processes.printed("guide.py", cwd=tmp_path, timeout=240) == ""
    made = {"ray": "expensive", "apache_beam": "trips.html"}[package]
    assert (tmp_path / made).exists()
