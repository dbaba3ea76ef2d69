"""examples/c/groups.c prints what docs/abi.md shows.

usage: groups_sample_test.py GROUPS HEADRACE
"""

import pathlib
import re
import subprocess
import sys
import tempfile

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/abi.md"
SHOWN = re.compile(r"^    \$ \./groups people\.tfrecord\n((?:    .*\n)+)", re.M)


def main(sample, headrace):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([headrace, "gen", "--shape", "people", "--records", "3", "-o",
                        "people.tfrecord", "--quiet"], cwd=folder, check=True)
        run = subprocess.run([sample, "people.tfrecord"], cwd=folder, text=True,
                             capture_output=True, check=True)
        bad = subprocess.run([sample, "nowhere"], cwd=folder, text=True,
                             capture_output=True)
    shown = SHOWN.search(GUIDE.read_text(encoding="utf-8"))[1]
    printed = "".join(f"    {line}\n" for line in run.stdout.splitlines())
    if printed != shown:
        sys.exit(f"docs/abi.md shows\n{shown}the sample prints\n{printed}")
    if bad.returncode != 1 or "not_found" not in bad.stderr:
        sys.exit(f"{bad.returncode}: {bad.stderr}")


if __name__ == "__main__":
    main(*(pathlib.Path(arg).resolve() for arg in sys.argv[1:3]))
