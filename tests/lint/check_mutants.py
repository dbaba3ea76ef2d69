#!/usr/bin/env python3
"""Each mistake made on purpose still fits the tree; ./dev mutants makes them."""

import subprocess

import tree


def check(root):
    findings = []
    for path in sorted((root / "tests/mutants").glob("*.patch")):
        run = subprocess.run(["git", "apply", "--check", path], cwd=root,
                             capture_output=True, text=True)
        if run.returncode:
            findings.append(f"{path.relative_to(root)}: {run.stderr.strip()}")
    return findings


if __name__ == "__main__":
    tree.main(check)
