"""The functions of c.h are those that the baseline has.

usage: abi_test.py LIBRARY [--update]

LIBRARY has debug information of them. A change, also an addition, is a step of its
own: --update writes the baseline anew.
"""

import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "headrace_c.abi"
HEADERS = HERE.parents[1] / "include" / "headrace"
LIBRARY = sys.argv[1]


def write_baseline():
    subprocess.run(
        ["abidw", "--header-file", HEADERS / "c.h", "--header-file",
         HEADERS / "arrow_c.h", "--drop-private-types", "--no-show-locs",
         "--no-corpus-path", "--no-comp-dir-path", "--out-file", BASELINE,
         LIBRARY], check=True)


class AbiTest(unittest.TestCase):

    def test_nothing_has_changed(self):
        done = subprocess.run(
            ["abidiff", "--header-file2", HEADERS / "c.h", "--header-file2",
             HEADERS / "arrow_c.h", BASELINE, LIBRARY],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(
            done.returncode, 0,
            f"{done.stdout}\nIf this is meant, read docs/abi.md, then run\n"
            f"  python3 {sys.argv[0]} {LIBRARY} --update")

    def test_the_baseline_has_all_functions(self):
        text = BASELINE.read_text(encoding="utf-8")
        header = (HEADERS / "c.h").read_text(encoding="utf-8")
        self.assertEqual(text.count("<function-decl name='headrace_"),
                         header.count("\nHEADRACE_EXPORT"))
        self.assertLess(BASELINE.stat().st_size, 200_000)


if __name__ == "__main__":
    if sys.argv[2:] == ["--update"]:
        write_baseline()
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
