#!/usr/bin/env python3
"""One gzip file, read by one core and by two: headrace beside TensorFlow and rapidgzip.

The records are those of the shape `criteo`, stored as one gzip stream, as other
writers make it, and as headrace writes it. All sides take turns, each in a process
of its own. Sides whose packages are not installed are listed as such.
"""

import gzip
import os
import shutil
import statistics
import sys

import compare

# Each name in the table: the program of bench/peers, the file, how many threads,
# and what else the job has.
SIDES = {
    "TensorFlow, tensors": ("tensorflow", "stream", 1, {"way": "map"}),
    "rapidgzip, 1": ("rapidgzip", "stream", 1, {}),
    "rapidgzip, 2": ("rapidgzip", "stream", 2, {}),
} | {
    f"headrace, {what}, {file}, {threads}": (
        "headrace_gzip", file.split()[0], threads,
        {"way": what, "index": "auto" if "indexed" in file else "none"})
    for what in ("payloads", "tensors")
    for file in ("stream", "stream indexed", "blocks")
    for threads in (1, 2)
} | {
    "headrace, shuffled by blocks, 1": (
        "headrace_gzip", "stream", 1,
        {"way": "blocks", "index": "required", "block": 4096}),
}
PROGRAMS = sorted({program for program, *_ in SIDES.values()})
OTHERS = ["rapidgzip", "tensorflow"]


def make_files(headrace, options, folder):
    plain = folder / "criteo.tfrecord"
    rows = headrace.generate(plain, ["--shape", "criteo"], options.mib << 20)
    stream, blocks = folder / "stream.tfrecord.gz", folder / "blocks.tfrecord.gz"
    with plain.open("rb") as data, gzip.open(stream, "wb", 6) as out:
        shutil.copyfileobj(data, out, 1 << 20)
    headrace.run("convert", "--quiet", plain, "-o", blocks, "--to", "tfrecord")
    headrace.run("index", stream)
    return rows, plain, {"stream": stream, "blocks": blocks}


def take(side, answer, size):
    """Adds one round's answer to a side: its MB/s of inflated bytes."""
    if "seconds" in answer:
        side["rates"].append(size / 1e6 / statistics.median(answer["seconds"]))
        side["version"] = answer["version"]
    else:
        side["status"] = compare.trouble(answer)


def measure(options, folder):
    headrace = compare.Headrace(str(options.headrace))
    rows, plain, files = make_files(headrace, options, folder)
    size = plain.stat().st_size
    spec = headrace.spec(plain)
    sides = {name: {"name": name, "rates": [], "status": "ok"}
             for name, (program, *_) in SIDES.items()
             if program not in OTHERS or program in options.peers}
    for _ in range(options.rounds):
        for name, side in sides.items():
            if side["status"] != "ok":
                continue
            program, file, threads, more = SIDES[name]
            job = {"file": str(files[file]), "batch": compare.BATCH,
                   "records": size if program == "rapidgzip" else rows,
                   "threads": threads, "spec": spec, "folder": str(folder),
                   "seconds": options.seconds, "passes": 2, **more}
            os.sched_setaffinity(0, options.cores[:threads])
            python = options.python.get(program, sys.executable)
            take(side, compare.run_peer(python, program, job), size)
    return {"rows": rows, "bytes": size, "sides": list(sides.values()),
            "stored": {name: path.stat().st_size for name, path in files.items()},
            "index": (folder / "stream.tfrecord.gz.hri").stat().st_size,
            "headrace": headrace.run("--version").splitlines()}


def line(side):
    if side["status"] != "ok":
        return f"  {side['name']:<42}{side['status']}"
    rates = side["rates"]
    return (f"  {side['name']:<42}{statistics.median(rates):>8,.0f}  "
            f"({min(rates):,.0f}..{max(rates):,.0f})")


def text_of(result):
    stored = ", ".join(f"{name} {size / result['bytes']:.4f}"
                       for name, size in result["stored"].items())
    return "\n".join([
        f"criteo: {result['rows']:,} records, {result['bytes'] / 1e6:,.1f} MB; "
        f"of that {stored}, index {result['index'] / result['bytes']:.5f}",
        f"  {'':<42}{'MB/s':>8}", *map(line, result["sides"])])


def main():
    compare.run_comparison(__doc__.splitlines()[0], "compressed", PROGRAMS, OTHERS,
                           mib=256, measure=measure, text_of=text_of)


if __name__ == "__main__":
    main()
