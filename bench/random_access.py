#!/usr/bin/env python3
"""Records by number, in Python: headrace beside the formats made for that.

All read the same records in the same random order, each side in a process of its
own, all on one core. Formats whose packages are not installed are listed as such;
bench/requirements-random-access.txt and bench/requirements-mds.txt name them.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import sys
import tempfile

import compare

# Each name in the table has a program in bench/peers and its way to read.
SIDES = {
    "ArrayRecord, 256 payloads": ("array_record", "batches"),
    "headrace, 256 payloads": ("headrace", "payloads"),
    "headrace, 256 payloads, mapped": ("headrace", "payloads, mapped"),
    "headrace, 256 rows of 66 columns": ("headrace", "columns"),
    "headrace, 256 rows of 66 columns, mapped": ("headrace", "columns, mapped"),
    "ArrayRecord, one payload": ("array_record", "single"),
    "MDS, one payload": ("mds", "single"),
    "headrace, one payload": ("headrace", "row"),
    "headrace, one payload, mapped": ("headrace", "row, mapped"),
    "headrace, one row of 66 scalars": ("headrace", "scalars"),
}
PROGRAMS = sorted({program for program, _ in SIDES.values()})
OTHERS = [program for program in PROGRAMS if program != "headrace"]


def beside(name):
    """The sides of other formats that read as many records at a time."""
    count = name.split(", ")[1].split()[0]
    return [other for other, (program, _) in SIDES.items()
            if program != "headrace" and f", {count} " in other]


def take(side, answer):
    """Adds one round's answer to a side: its records/s."""
    if "seconds" in answer:
        seconds = answer["seconds"]
        side["rates"].append(side["records"] * len(seconds) / sum(seconds))
        side["version"] = answer["version"]
        side["cpu_share"] = min(answer["cpu_share"], side.get("cpu_share", 1))
    else:
        side["status"] = compare.trouble(answer)


def measure(options, folder):
    headrace = compare.Headrace(str(options.headrace))
    path = folder / "criteo.tfrecord"
    rows = headrace.generate(path, ["--shape", "criteo"], options.mib << 20)
    headrace.run("index", "--quiet", path)
    job = {"file": str(path), "rows": rows, "batch": compare.BATCH,
           "records": min(options.records, rows // compare.BATCH * compare.BATCH),
           "spec": headrace.spec(path), "folder": str(folder),
           "seconds": options.seconds, "passes": 1}
    sides = {
        name: {"name": name, "records": job["records"], "rates": [], "status": "ok"}
        for name, (program, _) in SIDES.items()
        if program == "headrace" or program in options.peers}
    for _ in range(options.rounds):
        for name, side in sides.items():
            if side["status"] == "ok":
                program, way = SIDES[name]
                python = options.python.get(program, sys.executable)
                take(side, compare.run_peer(python, program, {**job, "way": way}))
    return {"rows": rows, "bytes": path.stat().st_size, "sides": list(sides.values()),
            "headrace": headrace.run("--version").splitlines()}


def spread(values, digits):
    return (f"{statistics.median(values):>10,.{digits}f}  "
            f"({min(values):,.{digits}f}..{max(values):,.{digits}f})")


def rate_line(side):
    if side["status"] != "ok":
        return f"  {side['name']:<42}{side['status']}"
    line = f"  {side['name']:<42}{spread(side['rates'], 0)}"
    if side["cpu_share"] < 0.95:
        line += f"  had {side['cpu_share']:.0%} of the core"
    return line


def ratios(result):
    """For each side of headrace and each of others that reads as many records at a
    time: how many times as fast it was in each round."""
    sides = {side["name"]: side for side in result["sides"]
             if side["status"] == "ok"}
    return [
        {"side": name, "beside": other,
         "times": [a / b for a, b in zip(side["rates"], sides[other]["rates"],
                                         strict=True)]}
        for name, side in sides.items() if SIDES[name][0] == "headrace"
        for other in beside(name) if other in sides]


def text_of(result):
    lines = [f"criteo: {result['rows']:,} records, {result['bytes'] / 1e6:,.1f} MB",
             f"  {'':<42}{'records/s':>10}",
             *map(rate_line, result["sides"]), "",
             f"  {'':<42}{'':<28}{'times':>10}"]
    lines += [f"  {ratio['side']:<42}{ratio['beside']:<28}"
              f"{spread(ratio['times'], 2)}" for ratio in result["ratios"]]
    return "\n".join(lines)


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        parents=[compare.shared_options(PROGRAMS, mib=256, rounds=5)])
    parser.add_argument("--records", type=int, default=16 * compare.BATCH,
                        help="of a pass, which is timed as a whole "
                        f"(default {16 * compare.BATCH})")
    parser.add_argument("--peers", nargs="*", choices=OTHERS, default=OTHERS,
                        metavar="PEER", help=f"of {', '.join(OTHERS)} (default: all)")
    options = parser.parse_args()
    options.python = dict(options.python)
    return options


def main():
    options = parse_options()
    # Everything that is started inherits it.
    os.sched_setaffinity(0, {options.core})
    with tempfile.TemporaryDirectory(prefix="headrace-random-access-",
                                     dir=options.folder) as folder:
        result = measure(options, pathlib.Path(folder))
    result["ratios"] = ratios(result)
    print(text_of(result))
    if options.json:
        options.json.write_text(json.dumps({
            "machine": platform.platform(), "core": options.core,
            "batch": compare.BATCH, **result}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
