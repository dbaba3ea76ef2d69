#!/usr/bin/env python3
"""Each mistake made on purpose still fits the tree; ./dev mutants makes them."""

import subprocess

import tree


def check(root):
    return [f"{path.relative_to(root)}: {lines[0]}"
            for path in sorted((root / "tests/mutants").glob("*.patch"))
            if (lines := subprocess.run(
                ["git", "apply", "--check", path], cwd=root,
                capture_output=True, text=True).stderr.splitlines())]


if __name__ == "__main__":
    tree.main(check)
