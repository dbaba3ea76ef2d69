#!/usr/bin/env python3
"""Draws the figures of bench/compare.py as an SVG.

usage: chart.py COMPARE.json OUT.svg

A row for each shape of records, a mark for each reader, on a logarithmic scale
of uncompressed TFRecord bytes per second. The same JSON gives the same bytes.
Needs matplotlib.
"""

import argparse
import json
import pathlib

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot, ticker  # noqa: E402

import compare_table  # noqa: E402

# What a record of each shape of bench/compare.py holds.
SHAPES = {
    "scalars": "100 scalars",
    "criteo": "66 scalars",
    "criteo-shuffled": "66 scalars, keys in any order",
    "criteo-gzip": "66 scalars, gzip",
    "ids": "8 lists of 256 ids",
    "hashes": "2 lists of 128 hashes",
    "ragged": "10 lists of 0 to 60 values",
    "sequence": "SequenceExample, 1 to 200 steps",
    "floats": "2048 floats",
    "blobs": "image of 100 KiB",
}

# A reader has one mark, at the best of its ways to read: the begin of their
# names in the JSON, the name in the chart, marker, colour, size.
READERS = [
    (compare_table.COLUMNS, "headrace, columns", "o", "#d1495b", 70),
    (compare_table.TENSORS, "headrace, tensors", "D", "#d1495b", 36),
    ("tf.data", "TensorFlow", "s", "#edae49", 44),
    ("tfx_bsl", "tfx_bsl", "v", "#66a182", 44),
    ("DALI", "DALI (no CRC)", "P", "#8d6cab", 44),
    ("Parquet, snappy", "Parquet, snappy and dictionaries", "<", "#2e4057",
     44),
    ("Parquet, plain", "Parquet, plain", ">", "#8294a5", 44),
]


def rate_of(result, begin):
    """The best median in MB/s among the sides of a reader; None if none ran."""
    rates = [side["mb_per_s"]["median"] for side in result["sides"]
             if side["name"].startswith(begin) and "mb_per_s" in side
             and side["name"] != compare_table.MAPPED]
    return max(rates, default=None)


def draw(results, out):
    """Writes the chart of `results`, by shape, to the path `out`."""
    matplotlib.rcParams.update({"svg.fonttype": "none",
                                "svg.hashsalt": "headrace",
                                "font.family": "sans-serif",
                                "font.size": 10})
    shapes = [shape for shape in SHAPES if shape in results]
    rows = range(len(shapes), 0, -1)
    figure, axes = pyplot.subplots(figsize=(9, 1.6 + 0.36 * len(shapes)))
    axes.hlines(rows, 0.01, 1e5, color="#e4e4e4", linewidth=1, zorder=1)
    for begin, name, marker, color, size in READERS:
        points = [(rate, row) for shape, row in zip(shapes, rows)
                  if (rate := rate_of(results[shape], begin)) is not None]
        if points:
            axes.scatter(*zip(*points), s=size, marker=marker, color=color,
                         label=name, zorder=3, linewidths=0)
    least = min(rate for shape in shapes for begin, *_ in READERS
                if (rate := rate_of(results[shape], begin)) is not None)
    axes.set_xscale("log")
    axes.set_xlim(least / 1.6, 1.5e4)
    axes.set_ylim(0.4, len(shapes) + 0.6)
    axes.set_yticks(list(rows), [SHAPES[shape] for shape in shapes])
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(
        lambda mb, _: f"{mb / 1000:g} GB/s" if mb >= 1000 else f"{mb:g} MB/s"))
    axes.grid(axis="x", color="#e4e4e4", zorder=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("TFRecord bytes per second, one core, files in the page "
                    "cache; further right is faster")
    figure.legend(loc="upper center", ncols=4, frameon=False,
                  handletextpad=0.2, columnspacing=1.2)
    figure.subplots_adjust(left=0.29, right=0.97, bottom=0.13, top=0.87)
    figure.savefig(out, format="svg", metadata={"Date": None},
                   facecolor="white")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", type=pathlib.Path, metavar="COMPARE.json",
                        help="what bench/compare.py --json wrote")
    parser.add_argument("out", type=pathlib.Path, metavar="OUT.svg")
    options = parser.parse_args()
    compared = json.loads(options.json.read_text(encoding="utf-8"))
    draw({result["shape"]: result for result in compared["shapes"]},
         options.out)


if __name__ == "__main__":
    main()
