#!/usr/bin/env python3
"""Checks that modules of the Python package import only what stands below them.

All imports count, also those of functions and of type checkers. So a module can be
read with what it imports and nothing else, and no import depends on which came first.
"""

import ast
import builtins
import collections
import graphlib

import tree

PACKAGE = "python/headrace"
# From bottom to top; "" is the package's own folder, its ground floor.
FLOORS = ["", "remote", "reading", "writing", "parquet", "stats", "tfds", "adapters"]
# What users and the program start from: on the roof, above all floors.
ENTRIES = {"__init__", "__main__", "filters",
           "beam", "grain", "jax", "polars", "ray", "spark", "torch"}
# Folders of more files are searched instead of read.
MAX_FILES = 30


def imported(path, text, modules):
    """(line, parts) of the modules of the package that a file imports."""
    package = path.parts[1:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) + 1 - node.level] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            # A name is a module, or is in one.
            names = [name if (name := (*base, alias.name)) in modules else base
                     for alias in node.names]
        else:
            continue
        for name in names:
            if name in modules:
                yield node.lineno, name


def circles(graph):
    """The modules of each circle of imports, one circle at a time."""
    graph = {module: set(others) for module, others in graph.items()}
    while True:
        try:
            graphlib.TopologicalSorter(graph).prepare()
            return
        except graphlib.CycleError as error:
            circle = error.args[1]
            yield circle
            graph[circle[1]].discard(circle[0])


def height(module):
    """The number of the floor; one more for what users start from."""
    floor = module[1] if len(module) > 1 else "__init__"
    if floor in ENTRIES:
        return len(FLOORS)
    return FLOORS.index(floor) if floor in FLOORS else 0


def check(root):
    paths = [path for path in tree.files(root) if path.is_relative_to(PACKAGE)]
    modules = {}
    for path in paths:
        if path.suffix == ".py":
            parts = path.with_suffix("").parts[1:]
            modules[parts[:-1] if parts[-1] == "__init__" else parts] = path
    modules[("headrace", "_core")] = None  # compiled; its stub names types above it

    findings = [f"{path}: FLOORS of check_python.py lack {path.parts[2]}"
                for path in modules.values()
                if path and len(path.parts) > 3 and path.parts[2] not in FLOORS]
    # An import of torch/map.py makes `map` in torch/__init__.py mean the module.
    findings += [f"{path}: a module has the name of the builtin {module[-1]}"
                 for module, path in modules.items() if hasattr(builtins, module[-1])]
    graph = {}
    for module, path in modules.items():
        found = imported(path, (root / path).read_text(encoding="utf-8"),
                         modules) if path else []
        for line, other in found:
            graph.setdefault(module, set()).add(other)
            if height(other) > height(module):
                findings.append(f"{path}:{line}: {'.'.join(other)} is above "
                                f"{'.'.join(module)}")
    findings += [f"{modules[circle[0]]}: a circle of imports: "
                 + " <- ".join(map(".".join, circle)) for circle in circles(graph)]
    return findings + crowds(root)


def crowds(root):
    """Folders of too many files."""
    counts = collections.Counter(path.parent for path in tree.files(root))
    return [f"{folder}: {count} files; a folder has at most {MAX_FILES}"
            for folder, count in sorted(counts.items())
            if count > MAX_FILES and (folder.is_relative_to(PACKAGE)
                                       or folder.is_relative_to("src"))]


if __name__ == "__main__":
    tree.main(check)
