"""What `llvm-cov export` says of a file: its lines and its branches.

Code that is compiled several times, such as templates, counts once: a line has
run where any of its instances ran, and a branch has been taken where any of
them took it.
"""

import bisect
import collections
import os
import re

# A line of source says why no test can run it.
EXCLUDED = re.compile(r"//.*\bnot covered: \S")
# What follows a return in a block has no code, but clang counts it.
BRACE = re.compile(r"\s*}[);]*\s*")


class FileCoverage:
    """Counts of one file, summed over its instances."""

    def __init__(self, path):
        self.path = path
        self.lines = collections.Counter()  # line: how often it ran
        # (line, column, column in a macro): how often it was true, and false.
        self.branches = collections.defaultdict(lambda: [0, 0])
        self.excluded = []  # lines whose comment leaves them out
        self.stale = []  # lines with such a comment that have run

    def exclude(self, source):
        """Leaves out lines of `source` that say so, and those around them
        that did not run either, such as the rest of a statement; and lines of
        a brace alone."""
        texts = source.splitlines()
        self._forget({number for number, text in enumerate(texts, 1)
                      if BRACE.fullmatch(text)})
        for number, text in enumerate(texts, 1):
            if not EXCLUDED.search(text):
                continue
            if self.lines.get(number):
                self.stale.append(number)
                continue
            self.excluded.append(number)
            first = last = number
            while self.lines.get(first - 1) == 0:
                first -= 1
            while self.lines.get(last + 1) == 0:
                last += 1
            self._forget(range(first, last + 1))

    def _forget(self, numbers):
        for number in numbers:
            self.lines.pop(number, None)
        for place in [p for p in self.branches if p[0] in numbers]:
            del self.branches[place]

    def missed_lines(self):
        return sorted(line for line, count in self.lines.items() if not count)

    def missed_branches(self):
        """(line, column, "true" or "false") of sides never taken."""
        return [(place[0], place[1], side)
                for place, counts in sorted(self.branches.items())
                for side, count in zip(("true", "false"), counts) if not count]


def line_counts(segments):
    """{line: count}, by the rule that llvm-cov shows lines by.

    A segment is (line, column, count, has count, begins a region, is a gap)
    and lasts to the next.
    """
    by_line = collections.defaultdict(list)
    for segment in segments:
        by_line[segment[0]].append(segment)
    counts = {}
    wrapped = None  # the last segment of the lines before
    for line in range(segments[0][0], segments[-1][0] + 1) if segments else ():
        here = by_line.get(line, [])
        starts = [s for s in here if s[3] and s[4] and not s[5]]
        skipped = bool(here) and not here[0][3] and here[0][4]
        if not skipped and (starts or (wrapped and wrapped[3])):
            reached = [wrapped[2]] if wrapped else []
            counts[line] = max(reached + [s[2] for s in starts])
        if here:
            wrapped = here[-1]
    return counts


def count_at(segments, line, column):
    """How often the code at a place ran."""
    places = [(s[0], s[1]) for s in segments]
    index = bisect.bisect_right(places, (line, column)) - 1
    return segments[index][2] if index >= 0 else 0


def add_file(exported, coverage):
    segments = exported["segments"]
    for line, count in line_counts(segments).items():
        coverage.lines[line] += count
    sums = collections.defaultdict(lambda: [0, 0])
    for branch in exported["branches"]:
        place = (branch[0], branch[1], ())
        sums[place][0] += branch[4]
        sums[place][1] += branch[5]
    # Branches of a macro belong to the line that uses it.
    for expansion in exported["expansions"]:
        line, column = expansion["source_region"][:2]
        for branch in expansion["branches"]:
            place = (line, column, tuple(branch[:2]))
            sums[place][0] += branch[4]
            sums[place][1] += branch[5]
    for place, taken in sums.items():
        # A condition that was reached and went neither way is a constant.
        if any(taken) or not count_at(segments, *place[:2]):
            coverage.branches[place][0] += taken[0]
            coverage.branches[place][1] += taken[1]


def read(export, root):
    """{path relative to root: FileCoverage} of files below it."""
    files = {}
    for data in export["data"]:
        for exported in data["files"]:
            path = os.path.relpath(os.path.realpath(exported["filename"]), root)
            if not path.startswith(".."):
                add_file(exported, files.setdefault(path, FileCoverage(path)))
    return files
