#!/usr/bin/env python3
"""House rules that a file's name or text can break."""

import re
import sys

import tree

BANNED_NAMES = re.compile(r"(^|_)(utils?|helpers?|common|misc)(_|$)")
LONG = 500


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
    return f"#if defined({guard}) == defined(HWY_TARGET_TOGGLE)" in text


def version_findings(root):
    """meson.build and version.h must say the same version."""
    header = root / "include/headrace/version.h"
    if not header.exists():
        return []
    text = header.read_text(encoding="utf-8")
    version = re.search(r"version: '([^']+)'",
                        (root / "meson.build").read_text(encoding="utf-8"))[1]
    major, minor, patch = map(int, version.split("."))
    wanted = {
        "MAJOR": major, "MINOR": minor, "PATCH": patch,
        "NUMBER": major * 10000 + minor * 100 + patch,
        "STRING": f'"{version}"',
    }
    return [f"include/headrace/version.h: HEADRACE_VERSION_{name} is not "
            f"{value}, as meson.build has it"
            for name, value in wanted.items()
            if f"#define HEADRACE_VERSION_{name} {value}\n" not in text]


def check(root):
    findings = version_findings(root)
    for path in tree.files(root):
        if BANNED_NAMES.search(path.stem.lower()):
            findings.append(f"{path}: a name says what a thing is")
        if path.suffix not in (".cc", ".h"):
            continue
        text = (root / path).read_text(encoding="utf-8")
        lines = text.splitlines()
        if path.suffix == ".h" and not has_guard(text, guard_of(path)):
            findings.append(f"{path}:1: no include guard {guard_of(path)}")
        if path.parts[0] == "wire":
            findings += [f"{path}:{number}: wire knows no Example"
                         for number, line in enumerate(lines, 1)
                         if "Example" in line]
        if len(lines) > LONG:
            print(f"{path}: {len(lines)} lines, warning", file=sys.stderr)
    return findings


if __name__ == "__main__":
    tree.main(check)
