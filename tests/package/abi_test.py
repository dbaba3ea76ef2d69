"""The functions and structures of c.h are those of the baseline.

A baseline is a file of the frozen corpus, tests/frozen/VERSION/abi/N.abi, where N is
HEADRACE_ABI_VERSION. It never changes: an addition has the next number, and
tests/frozen/add_generation.py writes its baseline. libabigail compares a library of functions that do nothing, made of the
header: the real ones are compiled with that header, and exports_test.py sees that
they are there. So neither the compiler nor what is behind the handles matters.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
HEADER = (INCLUDE / "headrace" / "c.h").read_text(encoding="utf-8")
NUMBER = int(re.search(r"#define HEADRACE_ABI_VERSION (\d+)", HEADER)[1])


def soname(version):
    """The part of a version that the soname has (docs/abi.md)."""
    major, minor, *_ = version.split(".")
    return f"0.{minor}" if major == "0" else major


VERSION = re.search(r'HEADRACE_VERSION_STRING "([^"]+)"',
                    (INCLUDE / "headrace" / "version.h").read_text(encoding="utf-8"))[1]
BASELINES = {
    int(path.stem): path for path in HERE.parent.glob("frozen/*/abi/*.abi")
    if soname(path.parents[1].name) == soname(VERSION)
}


def functions():
    """Definitions of all functions of the header, and a user of its codes."""
    yield '#include "headrace/c.h"\n'
    yield "HEADRACE_EXPORT enum headrace_code headrace_a_code;\n"
    for declared in re.findall(r"^(HEADRACE_EXPORT [^;]*);", HEADER, re.M):
        is_void = declared.startswith("HEADRACE_EXPORT void ")
        yield declared + (" {}\n" if is_void else " { return 0; }\n")


def make_library(folder):
    library = pathlib.Path(folder) / "libheadrace.so"
    library.with_name("c.c").write_text("".join(functions()), encoding="utf-8")
    # The baseline has the name of the source: the same in every folder.
    subprocess.run([os.environ.get("CC", "cc"), "-g", "-shared", "-fPIC",
                    f"-I{INCLUDE}", "c.c", "-o", library.name], check=True, cwd=folder)
    return library


def compare(baseline, *options):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            ["abidiff", "--harmless", *options, baseline, make_library(folder)],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class AbiTest(unittest.TestCase):

    def test_nothing_has_changed(self):
        self.assertIn(NUMBER, BASELINES, "run tests/frozen/add_generation.py")
        done = compare(BASELINES[NUMBER])
        self.assertEqual(
            done.returncode, 0, f"{done.stdout}\nIf this is meant, read "
            "docs/abi.md, then raise HEADRACE_ABI_VERSION and run "
            "tests/frozen/add_generation.py")

    def test_earlier_programs_find_what_they_call(self):
        for number, baseline in BASELINES.items():
            with self.subTest(number=number):
                done = compare(baseline, "--no-added-syms")
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_baseline_has_all_functions(self):
        text = BASELINES[NUMBER].read_text(encoding="utf-8")
        self.assertEqual(text.count("<function-decl name='headrace_"),
                         HEADER.count("\nHEADRACE_EXPORT"))
        for name in ("HEADRACE_PAYLOAD_CRC", "system_error", "n_children"):
            self.assertIn(f"name='{name}'", text)


def write_baseline(folder):
    """Writes the baseline of this c.h, unless there is one of its number."""
    if NUMBER in BASELINES:
        return
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            ["abidw", "--no-show-locs", "--no-corpus-path",
             "--no-comp-dir-path", "--out-file", folder / f"{NUMBER}.abi",
             make_library(scratch)], check=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
