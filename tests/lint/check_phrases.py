#!/usr/bin/env python3
"""Phrases that English does not have, or that make a reader read a sentence twice.

Reads comments and texts of the library, the program and the Python package, and the
prose of the pages. Headings, table cells and blocks of code are left alone.
"""

import re

import tree

ROOTS = ("src", "wire", "include", "python", "docs")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
CODE = (".cc", ".h", ".c", ".js", ".py", ".pyi")

SENTENCE = r"(?:^|(?<=[.!?:] )|(?<=[.!?]\" ))"
PHRASES = [(re.compile(pattern), instead) for pattern, instead in [
    (r"\b[Ss]o many\b", "name the quantity"),
    (r"(?<![Tt]here )\bis no (?!longer|more|less|better|worse|doubt)",
     '"is not a", "is not valid"'),
    (SENTENCE + r"Who(ever)?\b(?![^.!?]*\?)", '"Code that", "A caller that"'),
    (SENTENCE + r"What(ever)? [^.!?:]*\b(is|are)\b(?![^.!?]*\?)", "name the thing"),
    (r"\b[Aa]new\b", '"again"'),
    (r"\bheeds?\b", '"reads", "follows"'),
]]


# Lines of comments; docstrings and raw strings; texts, whose pieces are joined; and
# comments after code.
CODE_BLOCK = re.compile(
    r'''(?mxs)
    (?P<comment> (?:^[ \t]*(?://|\#(?!include|if|endif|else|define|undef|elif))[^\n]*\n)+ )
    | """(?P<docs> .*? )"""
    | R"(?P<mark> \w*)\((?P<raw> .*? )\)(?P=mark)"
    | (?P<text> (?:[rf]?"(?:\\.|[^"\\\n])*"\s*)+ )
    | (?://|[ ]{2}\#)(?P<tail> [^\n]*)
    ''')


def blocks_of_code(text):
    """(line, words) of each comment and each text."""
    for block in CODE_BLOCK.finditer(text + "\n"):
        words = next(words for name in ("comment", "docs", "raw", "text", "tail")
                     if (words := block[name]) is not None)
        if block["comment"]:
            words = re.sub(r"(?m)^[ \t]*(//+|#+)", "", words)
        elif block["text"]:
            words = re.sub(r'"\s*[rf]?"', "", words).strip('rf" \t\n')
        paragraphs = re.split(r"\n[ \t]*\n", words)
        for paragraph in paragraphs:
            yield text.count("\n", 0, block.start()) + 1, " ".join(paragraph.split())


def blocks_of_page(text):
    """(line, words) of each paragraph and each item of a list."""
    first, words, is_code = 0, [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare = line.strip()
        is_fence = bare.startswith(("```", ":::"))
        if is_fence:
            is_code = not is_code
        is_item = re.match(r"([-*]|\d+\.) ", bare)
        if words and (not bare or is_fence or is_code or is_item):
            yield first, " ".join(words)
            words = []
        if is_code or is_fence or bare.startswith(("#", "|", "<!--", "    ")) or not bare:
            continue
        if not words:
            first = number
        words.append(re.sub(r"^([-*]|\d+\.) ", "", bare))


def findings_in(path, text):
    blocks = blocks_of_page if path.suffix == ".md" else blocks_of_code
    return [f"{path}:{line}: \"{found[0]}\": {instead}"
            for line, words in blocks(text)
            for phrase, instead in PHRASES
            for found in phrase.finditer(re.sub(r"`[^`]*`", "`x`", words))]


def check(root):
    return [finding
            for path in tree.files(root)
            if (path.parts[0] in ROOTS and path.suffix in (*CODE, ".md"))
            or str(path) in PAGES
            for finding in findings_in(path, (root / path).read_text(encoding="utf-8"))]


if __name__ == "__main__":
    tree.main(check)
