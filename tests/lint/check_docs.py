#!/usr/bin/env python3
"""Links and paths of the pages lead somewhere; rules have anchors."""

import re

import tree

FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
ANCHOR = re.compile(r'<a id="([^"]+)">')
CODE = re.compile(r"`([^`\n]+)`")
# What stands first in a path from the root of the repository.
FOLDERS = ("bench/", "conformance/", "docs/", "examples/", "fuzz/",
           "include/", "packaging/", "python/", "src/", "tests/", "wire/")
PATH = re.compile(r"[\w./*-]+")
# A row of a table of rules, and a rule that an error of the library cites.
RULE = re.compile(r"^\| (?:<a id=\"(\w+)\"></a>)?([A-Z]\d+) \|", re.MULTILINE)
CITED = re.compile(r'"([SI]\d+)"')


def without_fences(text):
    """The text with its blocks of code emptied; lines keep their numbers."""
    return FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def anchors(text):
    """What a link may have behind its "#": GitHub's names of headings, ids."""
    text = without_fences(text)
    found = set(ANCHOR.findall(text))
    for heading in HEADING.findall(text):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(words.replace(" ", "-"))
    return found


def link_finding(root, page, target):
    """Why a link of the page leads nowhere, or None."""
    name, _, anchor = target.partition("#")
    path = (root / page).parent / name if name else root / page
    if not path.exists():
        return f"links to {target}, which is not there"
    if anchor and anchor not in anchors(path.read_text(encoding="utf-8")):
        return f"links to {target}, which has no such anchor"
    return None


def page_findings(root, page):
    text = without_fences((root / page).read_text(encoding="utf-8"))
    for match in LINK.finditer(text):
        if re.match(r"\w+:", match[1]):
            continue
        finding = link_finding(root, page, match[1])
        if finding:
            yield f"{page}:{line_of(text, match.start())}: {finding}"
    for match in CODE.finditer(text):
        path = match[1]
        if (path.startswith(FOLDERS) and PATH.fullmatch(path)
                and not any(root.glob(path))):
            yield (f"{page}:{line_of(text, match.start())}: names {path}, "
                   "which is not there")
    for match in RULE.finditer(text):
        if match[1] != match[2].lower():
            yield (f"{page}:{line_of(text, match.start())}: rule {match[2]} "
                   f'has no <a id="{match[2].lower()}"></a>')


def check(root):
    findings = []
    rules = set()
    for page in tree.files(root):
        if page.suffix != ".md":
            continue
        findings += page_findings(root, page)
        text = (root / page).read_text(encoding="utf-8")
        rules.update(rule for _, rule in RULE.findall(text))
    for path in tree.cpp_files(root):
        if path.parts[0] != "src":
            continue
        text = (root / path).read_text(encoding="utf-8")
        findings += [f"{path}:{line_of(text, match.start())}: no page has "
                     f"rule {match[1]}"
                     for match in CITED.finditer(text)
                     if match[1] not in rules]
    return findings


if __name__ == "__main__":
    tree.main(check)
