#!/usr/bin/env python3
"""Tables in Markdown of what judge.py --json wrote about several readers.

usage: table.py JSON...
"""

import collections
import json
import pathlib
import sys

import verdicts

HEADINGS = {
    "records": "Files: the records",
    "examples": "Messages one by one",
    "columns": "Messages: the columns",
    "tensors": "Messages: the tensors",
}


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


def table(reports, ask):
    """Lines for one kind of question, of the readers that answer it."""
    counts = collections.defaultdict(collections.Counter)
    for report in reports:
        for case in report["cases"]:
            if case["ask"] == ask:
                counts[case["family"], report["reader"]][case["verdict"]] += 1
    families = list(dict.fromkeys(family for family, _ in counts))
    readers = [report["reader"] for report in reports
               if any(cell(counts[f, report["reader"]]) for f in families)]
    yield f"| {HEADINGS[ask]} | " + " | ".join(readers) + " |"
    yield "|---" * (len(readers) + 1) + "|"
    for family in families:
        cells = [cell(counts[family, reader]) for reader in readers]
        yield f"| {family} | " + " | ".join(cells) + " |"


def tables(reports):
    return "\n\n".join("\n".join(table(reports, ask)) for ask in HEADINGS)


def main(paths):
    print(tables([json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
                  for path in paths]))


if __name__ == "__main__":
    main(sys.argv[1:])
