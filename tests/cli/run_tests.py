"""Runs a file of tests of this folder against the program.

usage: run_tests.py FILE_test.py HEADRACE [unittest options]

A file that needs pyarrow is skipped (exit 77) where it is not installed.
"""

import importlib
import os
import pathlib
import sys
import unittest

import program


def main():
    path = pathlib.Path(sys.argv.pop(1))
    program.PROGRAM = os.path.abspath(sys.argv.pop(1))
    sys.path.insert(0, str(path.parent))
    name = path.stem
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        print("pyarrow is not installed: run ./dev setup")
        sys.exit(77)
    unittest.main(module=name)


if __name__ == "__main__":
    main()
