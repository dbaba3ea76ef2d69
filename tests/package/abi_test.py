"""The functions and structures of c.h are those of the baseline.

usage: abi_test.py [--update]

A change, also an addition, is a step of its own: --update writes the baseline
anew. libabigail compares a library of functions that do nothing, made of the
header: the real ones are compiled with that header, and exports_test.py sees that
they are there. So neither the compiler nor what is behind the handles matters.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "headrace_c.abi"
INCLUDE = HERE.parents[1] / "include"
HEADER = (INCLUDE / "headrace" / "c.h").read_text(encoding="utf-8")


def functions():
    """Definitions of all functions of the header, and a user of its codes."""
    yield '#include "headrace/c.h"\n'
    yield "HEADRACE_EXPORT enum headrace_code headrace_a_code;\n"
    for declared in re.findall(r"^(HEADRACE_EXPORT [^;]*);", HEADER, re.M):
        is_void = declared.startswith("HEADRACE_EXPORT void ")
        yield declared + (" {}\n" if is_void else " { return 0; }\n")


def make_library(folder):
    source = pathlib.Path(folder) / "c.c"
    source.write_text("".join(functions()), encoding="utf-8")
    library = source.with_name("libheadrace.so")
    subprocess.run([os.environ.get("CC", "cc"), "-g", "-shared", "-fPIC",
                    f"-I{INCLUDE}", source, "-o", library], check=True)
    return library


class AbiTest(unittest.TestCase):

    def test_nothing_has_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["abidiff", "--harmless", BASELINE, make_library(folder)], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(
            done.returncode, 0, f"{done.stdout}\nIf this is meant, read "
            "docs/abi.md, then run python3 tests/package/abi_test.py --update")

    def test_the_baseline_has_all_functions(self):
        text = BASELINE.read_text(encoding="utf-8")
        self.assertEqual(text.count("<function-decl name='headrace_"),
                         HEADER.count("\nHEADRACE_EXPORT"))
        for name in ("HEADRACE_PAYLOAD_CRC", "system_error", "n_children"):
            self.assertIn(f"name='{name}'", text)


def update():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["abidw", "--no-show-locs", "--no-corpus-path",
             "--no-comp-dir-path", "--out-file", BASELINE,
             make_library(folder)], check=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
