#!/usr/bin/env python3
"""House rules that a file's name or text can break."""

import ast
import fnmatch
import pathlib
import re

import tree

BANNED_NAMES = re.compile(r"(^|_)(utils?|helpers?|common|misc)(_|$)")
# Lines of a file, and of a function without its docstring.
MAX_FILE = 800
MAX_FUNCTION = 80


def guard_of(path):
    """include/headrace/status.h: HEADRACE_STATUS_H_."""
    parts = path.parts
    if parts[:2] == ("include", "headrace"):
        parts = parts[2:]
    name = re.sub(r"[^A-Za-z0-9]", "_", "/".join(parts)).upper()
    return f"HEADRACE_{name}_"


def has_guard(text, guard):
    if f"#ifndef {guard}\n#define {guard}\n" in text:
        return True
    # Highway includes -inl.h files once a target.
    return f"#if defined({guard}) == defined(HWY_TARGET_TOGGLE)" in text.replace(
        "\\\n    ", "")


def version_findings(root):
    """Every file that names the version must name that of meson.build."""
    build = root / "meson.build"
    found = build.exists() and re.search(
        r"version: '((\d+)\.(\d+)\.(\d+)(rc\d+)?)'",
        build.read_text(encoding="utf-8"))
    if not found:
        return []
    version = found[1]
    major, minor, patch = map(int, found.group(2, 3, 4))
    define = "#define HEADRACE_VERSION_"
    wanted = {
        "include/headrace/version.h": [
            f"{define}MAJOR {major}\n", f"{define}MINOR {minor}\n",
            f"{define}PATCH {patch}\n",
            f"{define}NUMBER {major * 10000 + minor * 100 + patch}\n",
            f'{define}STRING "{version}"\n'],
        "CITATION.cff": [f"\nversion: {version}\n"],
        "docs/readers.md": [f"| headrace {version} |"],
        # For Debian a candidate comes before its release.
        "debian/changelog": [f"headrace ({version.replace('rc', '~rc')}-"],
    }
    return [f"{path}: lacks {text.strip()}, the version of meson.build"
            for path, texts in wanted.items() if (root / path).exists()
            for text in texts
            if text not in (root / path).read_text(encoding="utf-8")]


def action_findings(path, text):
    """Workflows name the actions of others by commits, which nobody can move."""
    return [f"{path}: names {action}, not a commit"
            for action in re.findall(r"(?m)\buses: *(\S+)", text)
            if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)]


def run_by_integrations(script):
    """The patterns of files in tests/python that integrations.sh runs."""
    patterns = []
    for pattern in re.findall(r'"\$folder"?/([^\s)"]+)', script):
        found = re.fullmatch(r"([^{]*)\{([^}]*)\}(.*)", pattern)
        names = found[2].split(",") if found else [""]
        around = (found[1], found[3]) if found else (pattern, "")
        patterns += [around[0] + name + around[1] for name in names]
    return patterns


def unrun_findings(root):
    """A file of tests in tests/python that nothing runs."""
    folder = pathlib.PurePath("tests/python")
    if not (root / folder / "meson.build").exists():
        return []
    listed = (root / folder / "meson.build").read_text(encoding="utf-8")
    patterns = run_by_integrations(
        (root / "tests/parts/integrations.sh").read_text(encoding="utf-8"))
    return [
        f"{path}: neither meson.build nor integrations.sh runs it"
        for path in tree.files(root)
        if path.is_relative_to(folder) and re.fullmatch(r"test_.*\.py", path.name)
        and f"'{path.relative_to(folder).with_suffix('')}'" not in listed
        and not any(fnmatch.fnmatch(str(path.relative_to(folder)), pattern)
                    for pattern in patterns)
    ]


def python_functions(text):
    """(line, name, lines without the docstring) of each function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            docs = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0
            yield node.lineno, node.name, node.end_lineno - node.lineno + 1 - docs


def braced_functions(text):
    """(line, head, lines) of each function, lambda or block of C++ or JavaScript.

    clang-format puts the brace that ends a block under the start of its head.
    """
    opened = []  # (indentation, line, head)
    head = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.split("//")[0].rstrip()
        indentation = len(line) - len(line.lstrip())
        if bare and not bare.startswith("#"):
            # A table may end in a line that does not begin with its brace.
            while opened and opened[-1][0] > indentation:
                opened.pop()
            if opened and opened[-1][0] == indentation:
                _, first, words = opened.pop()
                if bare.lstrip().startswith("}"):
                    yield first, words, number - first + 1
        if not bare or bare.endswith((";", "}", ":")) or bare.startswith("#"):
            head = []
            continue
        head = head or [(indentation, number)]
        head.append(bare.strip())
        if bare.endswith("{"):
            opened.append((*head[0], " ".join(head[1:])))
            head = []


def length_findings(path, text):
    lines = text.count("\n")
    findings = [f"{path}: {lines} lines; a file has at most {MAX_FILE}"
                ] if lines > MAX_FILE else []
    functions = python_functions if path.suffix == ".py" else braced_functions
    return findings + [
        f"{path}:{line}: {length} lines; a function has at most {MAX_FUNCTION}: {name}"
        for line, name, length in functions(text)
        if length > MAX_FUNCTION and not re.search(
            r"^(inline )?(namespace|class|struct|enum|union|extern)\b|= {$|"
            r"^template <.*> (class|struct)\b", name)]


def check(root):
    findings = version_findings(root) + unrun_findings(root)
    for path in tree.files(root):
        if BANNED_NAMES.search(path.stem.lower()):
            findings.append(f"{path}: a name says what a thing is")
        if path.suffix == ".yml":
            findings += action_findings(path, (root / path).read_text(encoding="utf-8"))
        if path.suffix not in (".cc", ".h", ".py", ".js"):
            continue
        text = (root / path).read_text(encoding="utf-8")
        findings += length_findings(path, text)
        if path.suffix not in (".cc", ".h"):
            continue
        lines = text.splitlines()
        if path.suffix == ".h" and not has_guard(text, guard_of(path)):
            findings.append(f"{path}:1: no include guard {guard_of(path)}")
        if path.parts[0] == "wire":
            findings += [f"{path}:{number}: wire knows no Example"
                         for number, line in enumerate(lines, 1)
                         if "Example" in line]
    return findings


if __name__ == "__main__":
    tree.main(check)
