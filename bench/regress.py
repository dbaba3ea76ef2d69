#!/usr/bin/env python3
"""Compares the instructions that fixed cases take with bench/baselines.json.

Counts of callgrind do not depend on what else the machine does, so that 2 % are
seen that no clock would show. They depend on the compiler: baselines are kept
a compiler and its major version.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BASELINES = ROOT / "bench" / "baselines.json"
PROGRAM = ROOT / "build" / "bench" / "regress_cases"
TOLERANCE = 0.02
# A program that cannot run its case on this machine exits with this.
SKIPPED = 77


class NotCounted(Exception):
    """This machine cannot count."""


def count(program, case):
    """Instructions of one case."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        # The work is that of one function; making the data does not count.
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
             "--toggle-collect=*CountedPass*", str(program), case],
            capture_output=True, text=True)
        if run.returncode == SKIPPED:
            raise NotCounted(run.stderr.strip().splitlines()[-1])
        if run.returncode:
            sys.exit(f"regress: {case} failed\n{run.stderr}")
        total = re.search(r"^summary: (\d+)", out.read_text(), re.M)
    if total is None or int(total[1]) == 0:
        sys.exit(f"regress: {case}: nothing was counted")
    return int(total[1])


def count_all(program, cases):
    # The counts do not suffer from being taken side by side.
    with concurrent.futures.ThreadPoolExecutor(
            int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        return dict(zip(cases, pool.map(lambda case: count(program, case),
                                        cases)))


def compare(baseline, now):
    """Lines of a table, and what is wrong, one text a case."""
    lines = [f"{'case':<18}{'baseline':>14}{'now':>14}{'ratio':>9}"]
    wrong = []
    for case in sorted(baseline.keys() | now.keys()):
        if case not in now:
            wrong.append(f"{case}: has a baseline, but is no case")
        elif case not in baseline:
            wrong.append(f"{case}: has no baseline")
            lines.append(f"{case:<18}{'-':>14}{now[case]:>14,}{'-':>9}")
        else:
            ratio = now[case] / baseline[case]
            note = ""
            if ratio > 1 + TOLERANCE:
                note = "  more"
                wrong.append(f"{case}: {ratio - 1:.1%} more instructions")
            elif ratio < 1 - TOLERANCE:
                note = "  fewer"
                wrong.append(f"{case}: {1 - ratio:.1%} fewer instructions: "
                             "keep what was won with --update")
            lines.append(f"{case:<18}{baseline[case]:>14,}{now[case]:>14,}"
                         f"{ratio:>9.4f}{note}")
    return lines, wrong


def read_baselines():
    if not BASELINES.exists():
        return {}
    return json.loads(BASELINES.read_text(encoding="utf-8"))


def ask(program, option):
    return subprocess.run([str(program), option], check=True, text=True,
                          capture_output=True).stdout.split()


def not_compared(why, cases):
    print(f"regress: {why}: {len(cases)} cases not compared")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true",
                        help="make the counts of today the baselines")
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM)
    options = parser.parse_args()

    if not options.program.exists():
        sys.exit(f"regress: no {options.program}; ./dev build makes it")
    cases = ask(options.program, "--list")
    compiler = ask(options.program, "--compiler")[0]
    baselines = read_baselines()
    if shutil.which("valgrind") is None:
        return not_compared("no valgrind", cases)
    if compiler not in baselines and not options.update:
        return not_compared(f"no baseline for {compiler}", cases)
    try:
        now = count_all(options.program, cases)
    except NotCounted as why:
        return not_compared(str(why), cases)
    lines, wrong = compare(baselines.get(compiler, {}), now)
    print("\n".join(lines))
    if options.update:
        baselines[compiler] = now
        BASELINES.write_text(json.dumps(baselines, indent=1) + "\n",
                             encoding="utf-8")
        print(f"regress: wrote the counts of {compiler}")
        return 0
    for text in wrong:
        print(f"regress: {text}")
    if not wrong:
        print(f"regress: {len(now)} cases within {TOLERANCE:.0%} of "
              f"{compiler}'s baselines")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
