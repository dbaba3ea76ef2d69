#!/usr/bin/env python3
"""Checks that nothing deprecated outlives the version that removes it.

docs/stability.md says how a thing is deprecated: in Python by `warn_deprecated`, in
the program by a row of `kDeprecations`, in a public header by HEADRACE_DEPRECATED.
Each names the version that no longer has the thing. When meson.build reaches it, this
check fails until the thing is gone.
"""

import ast
import re

import tree

# These define the forms.
DEFINITIONS = ("python/headrace/warnings.py", "include/headrace/export.h")
TEXT = r'"([^"\n]*)"'
MARK = re.compile(r"\bHEADRACE_DEPRECATED\s*\((?:\s*" + TEXT + r"\s*,)?")
# Code that uses a row has an object before the dot.
ROW = re.compile(r"[{,]\s*\.removed_in\b(?:\s*=\s*" + TEXT + ")?")
BARE_ROW = re.compile(r"\bkDeprecations\b[^;]*?\{\s*\"")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)
DEFINITION = re.compile(r"^[ \t]*#[ \t]*define\b(?:\\\n|[^\n])*", re.MULTILINE)
OTHER_MARK = re.compile(r"\[\[\s*(?:gnu::)?deprecated\b|\(deprecated\b")


def version_of(root):
    """The version of the project, as numbers. A release candidate has those of its
    release."""
    text = (root / "meson.build").read_text(encoding="utf-8")
    return numbers(re.search(r"version: '([\d.]+)", text)[1])


def numbers(version):
    return tuple(map(int, version.split(".")))


def fault(removed_in, version):
    """What is wrong with the version that a deprecation names, or None."""
    if removed_in is None or not re.fullmatch(r"\d+\.\d+\.\d+", removed_in):
        return 'a deprecation names a version, such as "0.3.0"'
    major, minor, patch = numbers(removed_in)
    if (major, minor, patch) <= version:
        return f"version {removed_in} is reached: remove what is deprecated"
    if patch or (minor and version[0]):
        kind = "major" if version[0] else "minor"
        return f"only a {kind} version removes things, which {removed_in} is not"
    return None


def without(pattern, text):
    """The text without what a pattern finds; lines keep their numbers."""
    return pattern.sub(
        lambda match: match[1] if match.lastindex else "\n" * match[0].count("\n"),
        text)


def line_of(text, place):
    return text.count("\n", 0, place) + 1


# Each of these yields the lines of a file that deprecate something: (line, version
# or None, what is wrong or None).

def of_header(text):
    code = without(DEFINITION, without(COMMENT, text))
    for match in MARK.finditer(code):
        yield line_of(code, match.start()), match[1], None
    for match in OTHER_MARK.finditer(code):
        yield line_of(code, match.start()), None, "deprecate by HEADRACE_DEPRECATED"


def of_program(text):
    code = without(COMMENT, text)
    for match in ROW.finditer(code):
        yield line_of(code, match.start()), match[1], None
    for match in BARE_ROW.finditer(code):
        yield line_of(code, match.start()), None, "name the members of a row"


def of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id == "DeprecationWarning":
            yield node.lineno, None, "deprecate by warn_deprecated"
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", None))
        if name == "warn_deprecated":
            given = [*node.args[1:2], *(word.value for word in node.keywords
                                        if word.arg == "removed_in")]
            value = getattr(given[0], "value", None) if given else None
            yield node.lineno, value if isinstance(value, str) else None, None


def of_module(text):
    for match in re.finditer("PyExc_DeprecationWarning", text):
        yield line_of(text, match.start()), None, "deprecate by warn_deprecated"


KINDS = [("include/headrace/", (".h",), of_header), ("src/cli/", (".cc", ".h"), of_program),
         ("python/headrace/", (".py",), of_python), ("python/src/", (".cc", ".h"), of_module)]


def check(root):
    version = version_of(root)
    findings = []
    for path in tree.files(root):
        for folder, suffixes, walk in KINDS:
            if path.as_posix() in DEFINITIONS or path.suffix not in suffixes or (
                    not path.is_relative_to(folder)):
                continue
            text = (root / path).read_text(encoding="utf-8")
            findings += [f"{path}:{line}: {wrong}"
                         for line, removed_in, other in walk(text)
                         if (wrong := other or fault(removed_in, version))]
    return findings


if __name__ == "__main__":
    tree.main(check)
