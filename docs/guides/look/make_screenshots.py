#!/usr/bin/env python3
"""Makes the pictures of docs/guides/look.md again, in Chromium without a window.

make_screenshots.py PROGRAM, which is headrace's. It needs chromium, chromedriver and
the packages of tests/python/requirements-page.txt.
"""

import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent
sys.path.append(str(FOLDER.parents[2] / "tests/python/page"))

import browsers  # noqa: E402

# Opens rows of these features.
OPEN = """
const rows = [...document.querySelectorAll('.live tbody button')];
for (const name of args) {
  rows.find(button => button.textContent === name).click();
}
scrollTo(0, 0);
"""


def make_pages(program, folder):
    """The pages that the guide shows, of sample data."""
    for name, seed, records in [("train", 0, 20000), ("eval", 1, 4000)]:
        subprocess.run([program, "gen", "--quiet", "--seed", str(seed),
                        "--records", str(records),
                        folder / f"{name}.tfrecord"], check=True)
    stats = [program, "stats", "--quiet", folder / "train.tfrecord"]
    for options in (["--html", folder / "train.html"],
                    ["--compare", folder / "eval.tfrecord",
                     "--html", folder / "compared.html"]):
        subprocess.run(stats + options, check=True, stdout=subprocess.DEVNULL)


def take(page, picture, opened, is_dark=False):
    browser = browsers.start_chromium(is_dark)
    try:
        browser.resize(1320, 800)
        browser.open(page)
        browser.run(OPEN, *opened)
        browser.screenshot(picture, whole=False)
    finally:
        browser.close()


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_pages(program, folder)
        take(folder / "train.html", FOLDER / "page.png", ["score", "tags"])
        take(folder / "compared.html", FOLDER / "compared.png", ["id"],
             is_dark=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
