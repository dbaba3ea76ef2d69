#!/usr/bin/env python3
"""Writes the parts of the pages that show the performance history.

A part lies between <!-- history: NAME --> and <!-- end of history -->. The charts
are files of their own. ./dev lint checks that all are as the history has them.
Needs nothing but Python.
"""

import pathlib
import re
import sys

import charts
import points
import tables
from points import compare_table

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHARTS = pathlib.Path("docs/history")
COMPARED = pathlib.Path("docs/compare.svg")
BLOCK = re.compile(r"(<!-- history: (\S+) -->\n).*?(<!-- end of history -->)", re.S)
BEGIN = re.compile(r"<!-- history: ")

# Sizes of the files of bench_decode that the charts show.
SIZES = (4, 64)
# The shapes of bench/compare.py, and the contents of a record of each.
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
# A reader has one mark, at the best of its ways to read: the begin of the names
# of its sides, its name in the chart, outline, colour.
READERS = [
    (compare_table.COLUMNS, "headrace, columns", "circle", "#d1495b"),
    (compare_table.TENSORS, "headrace, tensors", "diamond", "#d1495b"),
    ("tf.data", "TensorFlow", "square", "#c98a1b"),
    ("tfx_bsl", "tfx_bsl", "down", "#4f8a6b"),
    ("DALI", "DALI (no CRC)", "plus", "#8d6cab"),
    ("Parquet, snappy", "Parquet, snappy, dictionaries", "left", "#2e4057"),
    ("Parquet, plain", "Parquet, plain", "right", "#8294a5"),
]


def fastest_of(shape, begin):
    """Seconds of a reader's best side; mapped files are another way to read."""
    if begin in compare_table.OWN:
        return points.compared_seconds(shape, begin)
    return points.fastest(shape, begin)


def compared_chart(point):
    """The readers of one point beside one another."""
    shapes = {shape["shape"]: shape for shape in point.content["compare"]["shapes"]}
    names = sorted(shapes, key=[*SHAPES, *shapes].index)
    rows = [(SHAPES.get(name, name), {
        reader: shapes[name]["bytes"] / seconds / 1e6
        for begin, reader, *_ in READERS
        if (seconds := fastest_of(shapes[name], begin)) is not None})
        for name in names]
    return charts.side_by_side(
        "Readers beside one another, by shape of records", rows,
        [reader for _, *reader in READERS],
        "TFRecord bytes per second, one core, files in the page cache; "
        "further right is faster")


def mark_of(point, place, spread):
    figure = f"{spread.median:.2f} ({spread.min:.2f}..{spread.max:.2f})"
    return charts.Mark(place, spread.min, spread.median, spread.max,
                       point.series if point.is_clean else None,
                       f"{point.commit}: {figure}")


def decode_panels(history):
    """Panels of bench_decode, by shape; series, by size of the file."""
    panels = {}
    for place, point in enumerate(history):
        for shape in point.content["decode"]["shapes"]:
            mib, sides = shape["file_bytes"] >> 20, shape["sides"]
            if mib not in SIZES or shape["batch_size"] != tables.BATCH:
                continue
            for fast, slow, title in (("headrace", "libprotobuf", shape["shape"]),
                                      ("Reader", "inflate", "gzip, beside inflate")):
                if fast in sides and slow in sides:
                    panels.setdefault(title, {}).setdefault(f"{mib} MiB", []).append(
                        mark_of(point, place, points.ratio(shape, fast, slow)))
    return panels


def compare_panels(history):
    """Panels of bench/compare.py, by shape; series, by reader."""
    panels = {}
    for place, point in enumerate(history):
        for shape in (point.content["compare"] or {"shapes": []})["shapes"]:
            for side, begin, name in (
                    (compare_table.TENSORS, "tf.data", "tensors, beside TensorFlow"),
                    (compare_table.COLUMNS, "tfx_bsl, records", "columns, beside tfx_bsl")):
                fast = points.compared_seconds(shape, side)
                slow = points.fastest(shape, begin)
                if fast and slow:
                    spread = points.Spread(*[slow / fast] * 3)
                    panels.setdefault(shape["shape"], {}).setdefault(name, []).append(
                        mark_of(point, place, spread))
    return panels


# The end of a chart's file name, and what it shows.
OVER_TIME = {
    "memory": (decode_panels, "Speed in memory, in multiples of libprotobuf's"),
    "files": (compare_panels, "Speed from files, in multiples of other readers'"),
}


def by_machine(history):
    """The points of each machine; that of the newest point comes first."""
    machines = {}
    for point in reversed(history):
        machines.setdefault(point.slug, []).insert(0, point)
    return machines


def chart_files(history):
    """{path: SVG} of all charts."""
    files = {}
    for slug, of_machine in by_machine(history).items():
        labels = [point.commit[:7] for point in of_machine]
        for ending, (panels_of, title) in OVER_TIME.items():
            if panels := panels_of(of_machine):
                files[CHARTS / f"{slug}-{ending}.svg"] = charts.over_time(
                    title, panels, labels)
    point = tables.newest(history, lambda point: point.content["compare"] is not None)
    if not isinstance(point, str):
        files[COMPARED] = compared_chart(point)
    return files


def points_table(of_machine):
    rows = [["commit", "of", "measured", "compiler", "target", "libprotobuf", "notes"]]
    for point in reversed(of_machine):
        content, decode = point.content, point.content["decode"]
        notes = [f"busy: {reason}" for reason in content["load"]]
        notes += ["uncommitted changes"] * content["dirty"]
        notes += ["no other readers"] * (content["compare"] is None)
        rows.append([f"`{point.commit}`", content["commit_date"][:10], content["date"],
                     decode["compiler"], decode["target"], decode["protobuf"],
                     "; ".join(notes) or "-"])
    return tables.table(rows)


def points_block(history):
    """Text of all points, machine by machine."""
    if not history:
        return "No point has been recorded yet."
    charted = chart_files(history)
    parts = []
    for slug, of_machine in by_machine(history).items():
        # A machine's memory and kernel may change; those of its newest point.
        parts += [f"### {slug}", f"{tables.machine_text(of_machine[-1])}."]
        parts += [f"![{title}, by shape of records and commit]"
                  f"({CHARTS.name}/{slug}-{ending}.svg)"
                  for ending, (_, title) in OVER_TIME.items()
                  if CHARTS / f"{slug}-{ending}.svg" in charted]
        parts.append(points_table(of_machine))
    return "\n\n".join(parts)


PAGES = {
    pathlib.Path("docs/performance.md"): {"decode": tables.decode_block,
                                          "compare": tables.compare_block},
    pathlib.Path("docs/performance-history.md"): {"points": points_block},
}


def filled(path, text, blocks, history):
    """Returns the page with its generated parts rewritten."""
    names = [match[2] for match in BLOCK.finditer(text)]
    if (sorted(names) != sorted(blocks)
            or len(names) != len(BEGIN.findall(text))):
        raise points.HistoryError(
            f"{path}: has the parts {names}, each from <!-- history: NAME --> to "
            f"<!-- end of history -->; it must have {list(blocks)}")
    return BLOCK.sub(lambda match: f"{match[1]}\n{blocks[match[2]](history)}\n\n"
                                   f"{match[3]}", text)


def outputs(root):
    """{path: text} of all that is made from the history. Raises HistoryError."""
    history = points.read_all(root)
    files = chart_files(history)
    for path, blocks in PAGES.items():
        text = (root / path).read_text(encoding="utf-8")
        files[path] = filled(path, text, blocks, history)
    return files


def stray(root, files):
    """Charts of points that are there no longer."""
    return sorted(path.relative_to(root) for path in (root / CHARTS).glob("*.svg")
                  if path.relative_to(root) not in files)


def differing(root, files):
    return sorted(path for path, text in files.items() if not (root / path).exists()
                  or (root / path).read_text(encoding="utf-8") != text)


def write(root):
    """Brings the pages and charts up to date; gives the paths that changed."""
    files = outputs(root)
    changed, gone = differing(root, files), stray(root, files)
    for path in changed:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(files[path], encoding="utf-8")
    for path in gone:
        (root / path).unlink()
    return changed + gone


def main():
    try:
        changed = write(ROOT)
    except points.HistoryError as error:
        sys.exit(f"history: {error}")
    print("\n".join(f"history: wrote {path}" for path in changed)
          or "history: the pages are up to date")


if __name__ == "__main__":
    main()
