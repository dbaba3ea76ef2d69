"""Runs test programs against mutants, one process for some tests at a time."""

import concurrent.futures
import json
import os
import re
import resource
import subprocess
import time
from pathlib import Path

# A mutant may run for ever, or take all memory. Seconds are the processor's:
# the machine may be busy with other things.
TIMES_SLOWER = 5
LEAST_SECONDS = 5
MEMORY = 8 << 30
FILE_SIZE = 4 << 30
# Tests are tried the quickest first, in lots of this many seconds.
LOTS = (0.05, 0.5, 5.0)
RECENT = 6


def run(command, seconds, **environment):
    """Exit code, output and seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            ["prlimit", f"--cpu={int(seconds) + 1}", f"--as={MEMORY}",
             f"--fsize={FILE_SIZE}", "--core=0", *map(str, command)],
            capture_output=True, text=True, errors="replace",
            timeout=60 + 20 * seconds, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return 124, "", seconds
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime)
    return done.returncode, done.stdout, used


class Program:
    """A test program: its tests, what each reaches and how long it takes."""

    def __init__(self, path):
        self.path = Path(path)
        self.name = self.path.name
        self.seconds = {}
        self.reached = {}

    def command(self, tests):
        return [self.path, "--gtest_brief=1", "--gtest_fail_fast",
                "--gtest_filter=" + ":".join(tests)]

    def tests(self):
        listed = subprocess.run([self.path, "--gtest_list_tests"], check=True,
                                capture_output=True, text=True).stdout
        found, suite = [], ""
        for line in listed.splitlines():
            word = line.split("#")[0].strip()
            if not line.startswith(" "):
                suite = word
            elif not word.startswith("DISABLED_"):
                found.append(suite + word)
        return found

    def measure(self, scratch):
        """Runs each test alone, without a mutant."""
        stamp = self.path.stat().st_mtime
        kept = scratch / f"{self.name}.json"
        if kept.exists():
            old = json.loads(kept.read_text())
            if old["stamp"] == stamp:
                self.seconds = old["seconds"]
                self.reached = {t: set(n) for t, n in old["reached"].items()}
                return
        for test in self.tests():
            marks = scratch / f"{self.name}.reached"
            marks.unlink(missing_ok=True)
            code, output, seconds = run(self.command([test]), 600,
                                        HEADRACE_REACHED=str(marks))
            if code != 0:
                print(f"{self.name}: {test} fails without a mutant and is "
                      f"left out\n{output[-800:]}", flush=True)
                continue
            self.seconds[test] = seconds
            self.reached[test] = {
                i for i, byte in enumerate(marks.read_bytes()) if byte}
        kept.write_text(json.dumps({
            "stamp": stamp, "seconds": self.seconds,
            "reached": {t: sorted(n) for t, n in self.reached.items()}}))

    def lots(self, number, recent, longest):
        """The tests that reach a mutant, in the order to try them."""
        reaching = sorted((t for t, n in self.reached.items()
                           if number in n and self.seconds[t] <= longest),
                          key=self.seconds.get)
        first = [test for test in reaching if test in recent][:RECENT]
        lots = [first] if first else []
        for bound in (*LOTS, float("inf")):
            lot, total = [], 0
            while reaching and total < bound:
                test = reaching.pop(0)
                if test not in first:
                    lot.append(test)
                    total += self.seconds[test]
            if lot:
                lots.append(lot)
        return lots

    def fails(self, lot, number):
        """How these tests fail with the mutant; empty where they pass."""
        seconds = sum(map(self.seconds.get, lot))
        code, output, _ = run(self.command(lot),
                              LEAST_SECONDS + TIMES_SLOWER * seconds,
                              HEADRACE_MUTANT=str(number))
        if code == 0:
            return ""
        first = re.search(r"^\[  FAILED  \] (\S+?),? ", output, re.M)
        if first:
            return first[1]
        return f"{lot[0] if len(lot) == 1 else 'a test'}: exit code {code}"


class Trials:
    def __init__(self, programs, jobs, longest):
        self.programs = programs
        self.jobs = jobs
        self.longest = longest
        self.recent = {}  # of a file: the tests that failed last

    def try_one(self, mutant, file, order):
        """("killed", by whom), ("survived", "") or ("not reached", "")."""
        is_reached = False
        recent = self.recent.setdefault(file, [])
        for name in order:
            program = self.programs[name]
            for lot in program.lots(mutant.number, set(recent),
                                    self.longest):
                is_reached = True
                how = program.fails(lot, mutant.number)
                if how:
                    if how in program.seconds:
                        recent.append(how)
                        del recent[:-RECENT]
                    return "killed", f"{name} {how}"
        return ("survived" if is_reached else "not reached"), ""

    def try_all(self, work, record):
        """`work` is (mutant, file, order of programs)."""
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            jobs = {pool.submit(self.try_one, *item): item for item in work}
            for i, job in enumerate(concurrent.futures.as_completed(jobs), 1):
                record(jobs[job][0], *job.result())
                if i % 100 == 0:
                    print(f"{i} of {len(jobs)} after "
                          f"{time.monotonic() - begin:.0f} s", flush=True)
