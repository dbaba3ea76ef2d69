#!/usr/bin/env python3
"""Each entry of the newest version in CHANGELOG.md names the promises that it touches.

The tags are those of docs/stability.md, and `none`. They stand at the end of an entry,
or below the heading of its section.
"""

import re

import tree

CHANGES = "CHANGELOG.md"
TAG = re.compile(r"^\| `(\w+)`:", re.MULTILINE)
OF_SECTION = re.compile(r"^Touches ((?:`\w+`(?:, )?)+)\.$")
OF_ENTRY = re.compile(r"\[([\w, ]+)\]$")


def sections(text):
    """(line, tags or None, entries) of each section of the newest version; an entry
    is (line, text)."""
    first, tags, entries, versions = 0, None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            yield first, tags, entries
            first, tags, entries = number, None, []
            versions += line.startswith("## ")
            if versions > 1:
                return
        elif match := OF_SECTION.match(line):
            tags = re.findall(r"\w+", match[1])
        elif line.startswith("- "):
            entries.append((number, line))
        elif line.startswith("  ") and entries:
            entries[-1] = (entries[-1][0], entries[-1][1] + " " + line.strip())
    yield first, tags, entries


def check(root):
    known = {*TAG.findall((root / "docs/stability.md").read_text(encoding="utf-8")),
             "none"}
    findings = []
    for first, of_section, entries in sections(
            (root / CHANGES).read_text(encoding="utf-8")):
        named = [(first, tag) for tag in of_section or []]
        for line, entry in entries:
            of_entry = OF_ENTRY.search(entry)
            if of_entry:
                named += [(line, tag) for tag in of_entry[1].split(", ")]
            elif of_section is None:
                findings.append(f"{CHANGES}:{line}: no tag of a promise")
        findings += [f"{CHANGES}:{line}: docs/stability.md has no tag {tag}"
                     for line, tag in named if tag not in known]
    return findings


if __name__ == "__main__":
    tree.main(check)
