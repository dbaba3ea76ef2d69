#!/usr/bin/env python3
"""Whether the tests notice mistakes: each patch of this folder makes one.

A patch begins with lines that say what is wrong with it, which test program
must fail with it, which of its tests to try before the others, and what the
processor must have for it to matter:

    # The key of a template is not compared.
    # kills: test_decode
    # first: EntryPaths.*
    # cpu: vpclmulqdq

Each is applied to a copy of the tree, whose build folder is kept between
patches and between runs, so that only what it touches is compiled. Several
copies work at once: a patch is mostly one compiler and one linker. First the
test programs must pass without any. Exit code 1 where a patch survives, does
not apply or does not build.
"""

import argparse
import os
import queue
import re
import shutil
import subprocess
import sys
import time
from concurrent import futures
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
# A test that a patch makes run for ever is as good as failed.
TIMES_SLOWER = 5
LEAST_TIMEOUT = 30
MAX_COPIES = 4


class Mutant:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.name = path.stem
        self.path = path
        self.kills = re.search(r"^# kills: (.+)$", text, re.M)[1].split()
        first = re.search(r"^# first: (.+)$", text, re.M)
        self.first = first[1] if first else None
        cpu = re.search(r"^# cpu: (.+)$", text, re.M)
        self.cpu = cpu[1].split() if cpu else []
        self.files = re.findall(r"^\+\+\+ b/(\S+)", text, re.M)


def update_tree(tree, changed=None):
    """Makes the copy like the tree, but for the contents of changed files.

    Files that are alike keep their times.
    """
    changed = changed or {}
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True).stdout.decode()
    names = {name for name in listed.split("\0")
             if name and (ROOT / name).is_file()} | set(changed)
    for path in tree.rglob("*"):
        name = path.relative_to(tree).as_posix()
        in_build = name.startswith("build/")
        if path.is_file() and not in_build and name not in names:
            path.unlink()
    for name in names:
        source, copy = ROOT / name, tree / name
        content = changed.get(name) or source.read_bytes()
        if copy.exists() and copy.read_bytes() == content:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
        if source.exists():
            shutil.copymode(source, copy)


def build(folder, programs, jobs):
    """What ninja says where it fails; empty on success."""
    targets = [f"tests/{program}" for program in programs]
    run = subprocess.run(["ninja", "-C", folder, "-j", str(jobs), *targets],
                         capture_output=True, text=True)
    return run.stdout + run.stderr if run.returncode else ""


def fails(folder, program, timeout, tests="*"):
    """How these tests of a program fail; empty where they pass."""
    try:
        run = subprocess.run(
            [folder / "tests" / program, "--gtest_brief=1",
             "--gtest_fail_fast", f"--gtest_filter={tests}"],
            capture_output=True, timeout=timeout, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return "runs for ever"
    if run.returncode == 0:
        return ""
    first = re.search(r"^\[  FAILED  \] (\S+)", run.stdout, re.M)
    return first[1] if first else f"exit code {run.returncode}"


def verdict(mutant, tree, jobs, timeouts):
    folder = tree / "build"
    before = {name: (tree / name).read_bytes() for name in mutant.files}
    try:
        patched = subprocess.run(
            ["patch", "-p1", "-s", "--no-backup-if-mismatch", "-r", "-", "-i",
             mutant.path], cwd=tree, capture_output=True, text=True)
        if patched.returncode:
            return "does not apply", patched.stdout.strip()
        wrong = build(folder, mutant.kills, jobs)
        if wrong:
            return "does not build", wrong
        runs = [(program, "*") for program in mutant.kills]
        if mutant.first:
            runs.insert(0, (mutant.kills[0], mutant.first))
        for program, tests in runs:
            how = fails(folder, program, timeouts[program, tests], tests)
            if how:
                return "killed", f"{program}: {how}"
        return "SURVIVED", " ".join(mutant.kills)
    finally:
        for name, content in before.items():
            (tree / name).write_bytes(content)


def lacks(mutant):
    """Flags that the patch needs and this processor does not have."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return mutant.cpu
    found = re.search(r"^flags\s*:(.*)$", text, re.M)
    flags = found[1].split() if found else []
    return [flag for flag in mutant.cpu if flag not in flags]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*",
                        help="patches, without .patch (default: all)")
    parser.add_argument("--scratch", type=Path, default=ROOT / "build-mutants",
                        help="folder of the copies, each with its build folder")
    parser.add_argument("--jobs", type=int,
                        default=int(os.environ.get("JOBS", os.cpu_count())))
    return parser.parse_args()


def prepare(tree, programs, jobs):
    """Makes a copy whose test programs are built."""
    folder = tree / "build"
    tree.mkdir(parents=True, exist_ok=True)
    update_tree(tree)
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", folder, tree, "-Dbuildtype=release",
                        "-Doptimization=1", "-Db_ndebug=true",
                        "-Dbenchmarks=false", "-Dcli=false"],
                       check=True, stdout=subprocess.DEVNULL)
    wrong = build(folder, programs, jobs)
    if wrong:
        sys.exit(f"{wrong}\nthe tree itself does not build")


def main():
    options = parse_arguments()
    paths = [FOLDER / f"{name}.patch" for name in options.names]
    mutants = [Mutant(path) for path in paths or sorted(FOLDER.glob("*.patch"))]
    programs = sorted({name for mutant in mutants for name in mutant.kills})
    copies = min(options.jobs, MAX_COPIES, len(mutants))
    jobs = options.jobs // copies
    trees = queue.Queue()
    for copy in range(copies):
        tree = options.scratch.resolve() / str(copy)
        # One after another: what the first compiles a compiler cache keeps.
        prepare(tree, programs, options.jobs)
        trees.put(tree)
    runs = {(program, "*") for program in programs}
    runs |= {(m.kills[0], m.first) for m in mutants if m.first}
    timeouts = {}
    for program, tests in sorted(runs):
        begin = time.monotonic()
        how = fails(tree / "build", program, None, tests)
        if how:
            sys.exit(f"{program} fails without a patch: {how}")
        timeouts[program, tests] = (
            LEAST_TIMEOUT + TIMES_SLOWER * (time.monotonic() - begin))

    def judge(mutant):
        missing = lacks(mutant)
        if missing:
            print(f"{mutant.name}: left out, the processor has no "
                  f"{' '.join(missing)}", flush=True)
            return "left out"
        tree = trees.get()
        begin = time.monotonic()
        try:
            result, detail = verdict(mutant, tree, jobs, timeouts)
        finally:
            trees.put(tree)
        print(f"{mutant.name}: {result} ({detail}) "
              f"{time.monotonic() - begin:.0f} s", flush=True)
        return result

    with futures.ThreadPoolExecutor(copies) as pool:
        results = list(pool.map(judge, mutants))
    left_out = results.count("left out")
    not_killed = len(mutants) - results.count("killed") - left_out
    print(f"{len(mutants)} patches, {not_killed} not killed, {left_out} left out")
    return 1 if not_killed else 0


if __name__ == "__main__":
    sys.exit(main())
