"""Writes all mutants of a file into it at once, behind switches.

`a < b` becomes `(headrace_mutant(17) ? (a) <= (b) : (a) < (b))`, so one build
holds them all. Lines keep their numbers, so that what a compiler says of the
result can be told of the source.
"""

import re

# Nested places multiply; an expression that grows beyond this keeps only its
# outermost.
LONGEST = 20000
SHOWN = 80


def flat(text):
    """On one line, without comments."""
    return re.sub(r"\s*\n\s*", " ", re.sub(r"//[^\n]*", "", text))


def line_at(offset, text):
    """The line around an offset, for people."""
    begin = text.rfind(b"\n", 0, offset) + 1
    return text[begin:text.find(b"\n", offset)].decode().strip()


def name_mutants(sites, text):
    """Gives each mutant a name that edits elsewhere do not change."""
    seen = {}
    for site in sites:
        old = re.sub(r"\s+", " ", flat(text[site.begin:site.end].decode()))
        if len(old) > SHOWN:
            old = old[:SHOWN - 3] + "..."
        for mutant in site.mutants:
            name = f"{site.file}: {site.function}: {mutant.rule}: {old}"
            if mutant.new:
                name += f" -> {mutant.new}"
            if site.form == "literal":
                name += f" in {line_at(site.begin, text)}"
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1:
                name += f" ({seen[name]})"
            mutant.name = name


class Renderer:
    """One file's text with its mutants."""

    def __init__(self, text):
        self.text = text

    def render(self, begin, end, sites):
        out, position, i = [], begin, 0
        while i < len(sites):
            site = sites[i]
            i += 1
            first = i
            while i < len(sites) and sites[i].begin < site.end:
                i += 1
            out.append(self.text[position:site.begin].decode())
            out.append(self.emit(site, sites[first:i]))
            position = site.end
        out.append(self.text[position:end].decode())
        return "".join(out)

    def emit(self, site, nested):
        def hole(extent, kept):
            begin, end = extent
            return self.render(begin, end, [
                n for n in kept if begin <= n.begin and n.end <= end])

        result = self.form(site, [hole(part, nested) for part in site.holes])
        if len(result) > LONGEST:
            result = self.form(site, [hole(part, []) for part in site.holes])
        return result

    def form(self, site, holes):
        old = self.text[site.begin:site.end].decode()
        on = [f"headrace_mutant({m.number})" for m in site.mutants]
        if site.form in ("&&", "||"):
            return self.logical(site, holes)
        if site.form == "dropped":
            return f"({on[0]} ? void() : void({holes[0]}))"
        if site.form == "callee":
            before, after = site.mutants[0].new.split()
            return f"({on[0]} ? {after}{flat(holes[0])} : {before}{holes[0]})"
        if site.form == "off by one":
            return f"({on[0]} ? ({flat(holes[0])}) + 1 : ({holes[0]}))"
        switches = "".join(f"{switch} ? {mutant.new} : "
                           for switch, mutant in zip(on, site.mutants))
        if site.form == "whole":
            return f"({switches}static_cast<bool>({holes[0]}))"
        if site.form == "literal":
            return f"({switches}{old})"
        left, right = site.holes
        middle = self.text[left[1]:right[0]].decode()
        new = site.mutants[0].new
        return (f"({on[0]} ? ({flat(holes[0])}) {new} ({flat(holes[1])}) : "
                f"({holes[0]}){middle}({holes[1]}))")

    def logical(self, site, holes):
        """Each side in turn counts as what leaves the other to decide."""
        by_side = {m.new: f"headrace_mutant({m.number})" for m in site.mutants}
        join, negation = ("||", "") if site.form == "&&" else ("&&", "!")
        sides = [f"({negation}{by_side[side]} {join} ({hole}))"
                 if side in by_side else f"({hole})"
                 for side, hole in zip(("left", "right"), holes)]
        left, right = site.holes
        middle = self.text[left[1]:right[0]].decode()
        return f"({sides[0]}{middle}{sides[1]})"


def mutated(text, sites):
    """The file's bytes, and the numbers of the mutants that are in it."""
    chosen = [site for site in sites if site.mutants]
    result = Renderer(text).render(0, len(text), chosen)
    numbers = set(map(int, re.findall(r"headrace_mutant\((\d+)\)", result)))
    return result.encode(), numbers
