#!/usr/bin/env python3
"""Which lines and branches of the library the C++ tests run.

Builds with clang, without asserts, for the portable SIMD target alone: what is
compiled for each target is the same source, and copies that this processor
does not choose would count as not run. Then runs the tests of the rooms and
the golden files, and prints lines and branches of each room and file, and
where a line was not run. Exit code 1 where a room has less than it must.

A line may be left out only where its comment says why:
`// not covered: REASON`.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import export

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("wire", "src/input/crc32c", "src/input/record", "src/input/write",
         "src/plan/spec", "src/plan/schema", "src/plan/tfmd", "src/plan/compile",
         "src/plan/infer", "src/decode/example", "src/decode/census",
         "src/decode/tensor")
LEAST_LINES = 1.0
LEAST_BRANCHES = 0.95

FLAGS = ("-fprofile-instr-generate -fcoverage-mapping "
         "-DHWY_COMPILE_ONLY_EMU128")
SUITES = ("--suite", "cpp", "--suite", "conformance")


def configure(folder):
    if (folder / "build.ninja").exists():
        return
    # Meson runs a program to see that the compiler works.
    environment = {"CC": "clang", "CXX": "clang++",
                   "LLVM_PROFILE_FILE": os.devnull, **os.environ}
    subprocess.run(
        ["meson", "setup", folder, ROOT, "-Dbuildtype=plain",
         "-Doptimization=1", "-Db_ndebug=true", "-Dbenchmarks=false",
         "-Dcli=false", f"-Dcpp_args={FLAGS}",
         "-Dcpp_link_args=-fprofile-instr-generate"],
        check=True, env=environment)


def run_tests(folder, jobs):
    """False where a test fails."""
    profiles = folder / "profiles"
    profiles.mkdir(exist_ok=True)
    for old in profiles.glob("*.profraw"):
        old.unlink()
    environment = {**os.environ,
                   "LLVM_PROFILE_FILE": str(profiles / "%m.profraw")}
    run = subprocess.run(
        ["meson", "test", "-C", folder, "--no-rebuild", "--timeout-multiplier",
         "4", "--num-processes", str(jobs), "--print-errorlogs", *SUITES],
        env=environment)
    return run.returncode == 0


def test_programs(folder):
    """The programs that the tests ran."""
    tests = json.loads(subprocess.run(
        ["meson", "introspect", "--tests", folder], check=True,
        capture_output=True, text=True).stdout)
    return sorted({test["cmd"][0] for test in tests
                   if {"cpp", "conformance"}.intersection(
                       suite.rpartition(":")[2] for suite in test["suite"])})


def export_coverage(folder):
    merged = folder / "coverage.profdata"
    profiles = sorted((folder / "profiles").glob("*.profraw"))
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", merged,
                    *profiles], check=True)
    first, *others = test_programs(folder)
    objects = [part for name in others for part in ("-object", name)]
    run = subprocess.run(
        ["llvm-cov", "export", "-skip-functions", "-instr-profile", merged,
         first, *objects, *(ROOT / room for room in ROOMS)],
        check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def spans(numbers):
    """["3", "7-9"] of 3, 7, 8, 9."""
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [f"{a}" if a == b else f"{a}-{b}" for a, b in found]


class Sum:
    """Lines and branch sides: how many there are, how many were run."""

    def __init__(self, files):
        self.lines = sum(len(file.lines) for file in files)
        self.lines_run = self.lines - sum(
            len(file.missed_lines()) for file in files)
        self.branches = sum(2 * len(file.branches) for file in files)
        self.branches_run = self.branches - sum(
            len(file.missed_branches()) for file in files)

    def line(self, name):
        def share(run, of):
            # Rounded down: 100 % is all of them.
            percent = int(1000 * run / of) / 10 if of else 100.0
            return f"{percent:5.1f} % of {of:5}"
        return (f"{name:34} lines {share(self.lines_run, self.lines)}"
                f"  branches {share(self.branches_run, self.branches)}")

    def is_enough(self):
        return (self.lines_run >= LEAST_LINES * self.lines
                and self.branches_run >= LEAST_BRANCHES * self.branches)


def report(files, show_branches):
    """Prints all figures; the rooms that have too little."""
    poor = []
    for room in ROOMS:
        of_room = [files[path] for path in sorted(files)
                   if os.path.dirname(path) == room]
        total = Sum(of_room)
        if not total.lines:
            sys.exit(f"no coverage of {room} was measured")
        if not total.is_enough():
            poor.append(room)
        print(total.line(room))
        for file in of_room:
            print(Sum([file]).line("  " + os.path.basename(file.path)))
            for span in spans(file.missed_lines()):
                print(f"    {file.path}:{span}: not run")
            if show_branches:
                for line, column, side in file.missed_branches():
                    print(f"    {file.path}:{line}:{column}: never {side}")
    return poor


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--branches", action="store_true",
                        help="name the branches that were not taken, too")
    parser.add_argument("--no-run", action="store_true",
                        help="look at what the last run left")
    parser.add_argument("--folder", type=Path, default=ROOT / "build-coverage")
    parser.add_argument("--jobs", type=int,
                        default=int(os.environ.get("JOBS", os.cpu_count())))
    return parser.parse_args()


def main():
    options = parse_arguments()
    folder = options.folder.resolve()
    if not options.no_run:
        configure(folder)
        programs = [os.path.relpath(program, folder)
                    for program in test_programs(folder)]
        subprocess.run(["ninja", "-C", folder, "-j", str(options.jobs),
                        *programs], check=True)
        if not run_tests(folder, options.jobs):
            sys.exit("the tests fail; what they cover is worth nothing")
    files = export.read(export_coverage(folder), ROOT)
    for file in files.values():
        file.exclude((ROOT / file.path).read_text(encoding="utf-8"))
    poor = report(files, options.branches)
    for file in files.values():
        for line in file.excluded:
            print(f"{file.path}:{line}: left out by its comment")
        for line in file.stale:
            print(f"{file.path}:{line}: left out by its comment, but it ran")
    excluded = sum(len(file.excluded) for file in files.values())
    print(f"left out by comments: {excluded}")
    for room in poor:
        print(f"{room}: less than {LEAST_LINES:.0%} of lines or "
              f"{LEAST_BRANCHES:.0%} of branches")
    stale = any(file.stale for file in files.values())
    return 1 if poor or stale else 0


if __name__ == "__main__":
    sys.exit(main())
