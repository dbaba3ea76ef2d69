#!/usr/bin/env python3
"""Pages and charts show what the performance history holds."""

import sys

import tree

sys.path.append(str(tree.ROOT / "bench/history"))
import pages  # noqa: E402
import points  # noqa: E402


def check(root):
    try:
        files = pages.outputs(root)
    except points.HistoryError as error:
        return [str(error)]
    findings = [f"{path}: is not what bench/history gives; python3 "
                "bench/history/pages.py writes it"
                for path in pages.differing(root, files)]
    return findings + [f"{path}: no point of bench/history has this chart"
                       for path in pages.stray(root, files)]


if __name__ == "__main__":
    tree.main(check)
