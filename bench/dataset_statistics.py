#!/usr/bin/env python3
"""Statistics of a dataset: headrace on one core beside TensorFlow Data Validation on two.

The records are those of the shape `criteo`. All sides take turns, each in a process
of its own. Each reads two sets of files, a small and a large one: what it takes more
for the large one is its rate, whatever it takes to start. If the packages of
tests/python/requirements-tfdv.txt are not installed for the Python that
`--python tfdv=PYTHON` names, that is said.
"""

import os
import statistics
import sys

import compare

# Each name in the table: the program of bench/peers, its way, how many cores, and
# how many times as large the files are: slow sides read less.
SIDES = {
    "TensorFlow Data Validation, in memory": ("tfdv", "in_memory", 2, 1),
    "TensorFlow Data Validation, processes": ("tfdv", "multi_processing", 2, 1),
    "headrace, columns alone": ("headrace_stats", "decode", 1, 4),
    "headrace stats": ("headrace_stats", "stats", 1, 4),
    "headrace stats, two threads": ("headrace_stats", "stats", 2, 4),
}
PROGRAMS = sorted({program for program, *_ in SIDES.values()})
# Beam does not divide a TFRecord file among workers.
SHARDS = 4
LARGE = 4


class Files:
    """Shards, so many of each size as a side needs; made when first asked for."""

    def __init__(self, headrace, folder, mib):
        self._headrace, self._folder, self._mib = headrace, folder, mib
        self._sets = {}

    def of(self, times):
        """A glob, the bytes and the records of `times` as many files."""
        if times not in self._sets:
            folder = self._folder / f"times-{times}"
            folder.mkdir()
            rows = 0
            for shard in range(SHARDS):
                rows += self._headrace.generate(
                    folder / f"criteo-{shard}.tfrecord",
                    ["--shape", "criteo", "--seed", str(shard)],
                    (self._mib << 20) * times // SHARDS)
            size = sum(path.stat().st_size for path in folder.iterdir())
            self._sets[times] = str(folder / "criteo-*"), size, rows
        return self._sets[times]


def take(side, answers, sizes):
    """Adds a round: its MB/s beyond the start, and the seconds of the start."""
    for answer in answers:
        if "seconds" not in answer:
            side["status"] = compare.trouble(answer)
            return
    small, large = (min(answer["seconds"]) for answer in answers)
    if large <= small:
        side["status"] = "fails: the files are too small to be timed"
        return
    rate = (sizes[1] - sizes[0]) / 1e6 / (large - small)
    side["rates"].append(rate)
    side["starts"].append(max(small - sizes[0] / 1e6 / rate, 0))
    side["whole"].append(sizes[1] / 1e6 / large)
    side["version"] = answers[0]["version"]


def run_side(options, files, folder, name):
    """The answers for both sets, and how many bytes these have."""
    program, way, threads, times = SIDES[name]
    os.sched_setaffinity(0, options.cores[:threads])
    python = options.python.get(program, sys.executable)
    answers, sizes = [], []
    for factor in (times, times * LARGE):
        glob, size, rows = files.of(factor)
        job = {"file": glob, "records": rows, "batch": compare.BATCH,
               "threads": threads, "way": way, "program": str(options.headrace),
               "folder": str(folder), "seconds": options.seconds, "passes": 1}
        answers.append(compare.run_peer(python, program, job))
        sizes.append(size)
    return answers, sizes


def measure(options, folder):
    headrace = compare.Headrace(str(options.headrace))
    files = Files(headrace, folder, options.mib)
    sides = {name: {"name": name, "rates": [], "starts": [], "whole": [],
                    "status": "ok"}
             for name, (program, *_) in SIDES.items() if program in options.peers}
    for _ in range(options.rounds):
        for name, side in sides.items():
            if side["status"] == "ok":
                take(side, *run_side(options, files, folder, name))
    return {"mib": options.mib, "sides": list(sides.values()),
            "headrace": headrace.run("--version").splitlines()}


def line(side):
    if side["status"] != "ok":
        return f"  {side['name']:<42}{side['status']}"
    rates = side["rates"]
    return (f"  {side['name']:<42}{statistics.median(rates):>8,.1f}  "
            f"{statistics.median(side['starts']):>6.1f}  "
            f"{statistics.median(side['whole']):>8,.1f}  "
            f"({min(rates):,.1f}..{max(rates):,.1f})")


def text_of(result):
    return "\n".join([
        f"  {'criteo':<42}{'MB/s':>8}  {'start':>6}  {'with it':>8}",
        *map(line, result["sides"])])


def main():
    compare.run_comparison(__doc__.splitlines()[0], "statistics", PROGRAMS, PROGRAMS,
                           mib=24, measure=measure, text_of=text_of)


if __name__ == "__main__":
    main()
