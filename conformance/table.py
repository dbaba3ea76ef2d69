#!/usr/bin/env python3
"""A table in Markdown of what judge.py --json wrote about several readers.

usage: table.py JSON...
"""

import collections
import json
import pathlib
import sys

import verdicts

WHAT = {"records": "records of a file", "examples": "single Examples",
        "columns": "columns", "tensors": "tensors"}


def cell(counts):
    """How many of the answers are right, and what the others are."""
    asked = sum(counts.values()) - counts[verdicts.UNSUPPORTED]
    if asked == 0:
        return ""
    right = counts[verdicts.RIGHT]
    wrong = [f"{counts[v]} {v}" for v in verdicts.ALL
             if v not in (verdicts.RIGHT, verdicts.UNSUPPORTED) and counts[v]]
    if not wrong:
        return f"all {asked}"
    return f"{right} of {asked}; " + ", ".join(wrong)


def rows(reports):
    counts = collections.defaultdict(collections.Counter)
    families = {ask: [] for ask in WHAT}
    for column, report in enumerate(reports):
        for case in report["cases"]:
            key = case["ask"], case["family"]
            counts[*key, column][case["verdict"]] += 1
            if case["family"] not in families[case["ask"]]:
                families[case["ask"]].append(case["family"])
    for ask, what in WHAT.items():
        for family in families[ask]:
            yield [f"{what}: {family}"] + [
                cell(counts[ask, family, column])
                for column in range(len(reports))]


def main(paths):
    reports = [json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
               for path in paths]
    print("| |", " | ".join(report["reader"] for report in reports), "|")
    print("|---" * (len(reports) + 1) + "|")
    for row in rows(reports):
        print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main(sys.argv[1:])
