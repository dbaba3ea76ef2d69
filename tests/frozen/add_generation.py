#!/usr/bin/env python3
"""Adds files to the frozen corpus: the generation of the version in meson.build.

usage: PYTHONPATH=build/python HEADRACE=build/src/cli/headrace \
           .venv/bin/python tests/frozen/add_generation.py

The generation of an unreleased version gets the files that it lacks; all others stay as
they are. That of a released version gets none. `cases.py` says what is written, with
nothing but the package and the program of this build.
"""

import json
import pathlib
import re
import sys

import cases
import corpus
import headrace as hr

ROOT = corpus.HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "package"))
import abi_test  # noqa: E402


def is_released(generation):
    """Returns whether neither the version nor one of its candidates is still to come."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## {re.escape(generation.name)}(rc\d+)? \(unreleased\)$"
    return not re.search(heading, changes, re.MULTILINE)


def checked_manifest(generation):
    """Returns the digests of the files that are frozen; ends if one of them differs."""
    path = generation / corpus.MANIFEST
    if not path.exists():
        return {}
    frozen, now = json.loads(path.read_text(encoding="utf-8")), corpus.files_of(generation)
    changed = [name for name in frozen if now.get(name) != frozen[name]]
    if changed:
        sys.exit(f"these files of {generation.name} are not as they were: {changed}")
    return frozen


def add_cases(generation):
    """Writes the cases that the generation lacks, each with its result."""
    for kind, name, make in cases.cases():
        path = generation / "cases" / kind / f"{name}.json"
        if path.exists():
            continue
        with cases.scratch() as folder:
            case = make()
            result = corpus.RESULTS[kind](case, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"case": case, "result": result}, indent=1)
        # Lists of numbers take one line.
        text = re.sub(r"\[[\s\d,.-]*\]", lambda found: " ".join(found[0].split()), text)
        path.write_text(text + "\n", encoding="utf-8")


def main():
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
    if hr.__version__ != version:
        sys.exit(f"the package is of {hr.__version__}, and the tree of {version}")
    generation = corpus.HERE / corpus.numbers_of(version)
    frozen = checked_manifest(generation)
    if frozen and is_released(generation):
        sys.exit(f"{generation.name} is released, so its generation does not change")
    generation.mkdir(exist_ok=True)
    with corpus.inside(generation):
        cases.write_files()
        abi_test.write_baseline(generation / "abi")
        add_cases(generation)
    now = corpus.files_of(generation)
    assert frozen.items() <= now.items()
    text = json.dumps(now, indent=1, sort_keys=True)
    (generation / corpus.MANIFEST).write_text(text + "\n", encoding="utf-8")
    for name in sorted(now.keys() - frozen.keys()):
        print(f"added {name}: {pathlib.Path(generation / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
