#!/usr/bin/env python3
"""clang-format has nothing to change."""

import subprocess

import tree


def check(root):
    c_files = [path for path in tree.files(root) if path.suffix == ".c"]
    paths = [str(path) for path in tree.cpp_files(root) + c_files]
    if not paths:
        return []
    # The files are named; how they should look would drown the names.
    out = subprocess.run(["clang-format", "--dry-run", *paths], cwd=root,
                         capture_output=True, text=True, check=True).stderr
    wrong = dict.fromkeys(line.split(": warning:")[0].rsplit(":", 2)[0]
                          for line in out.splitlines() if ": warning:" in line)
    return [f"{path}: run clang-format -i on it" for path in wrong]


if __name__ == "__main__":
    tree.main(check)
