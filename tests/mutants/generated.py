#!/usr/bin/env python3
"""Whether the tests notice small mistakes made by rule, very many of them.

Relations, arithmetic, constants, conditions, statements and returned values of
the rooms are changed one at a time; the tests of the room must fail, or else
those of the rooms that stand on it. To compile the tree a thousand times would
take a week, so all mutants are in one build, each behind a switch that the
environment sets (schemata.py), and only tests that run a mutant's place are
tried, the quickest first (trials.py).

A mutant that survives is a test that is missing, code that is not needed, or
no mistake. generated.txt has those that somebody looked at and left, with the
reason. Exit code 1 where one survives that is not there.

    ./dev mutants --generated [ROOM...] [--share S] [--resume]

Needs libclang 14 (requirements.txt). Some minutes to build, then half an hour.
"""

import argparse
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import run
import schemata
import sites
import trials

ROOMS = {name: f"src/{name}" for name in (
    "record", "compression", "source", "plan", "decode", "tensor", "column", "encode")}
ROOMS["wire"] = "wire"
# Programs that judge what a room's own does not notice, in this order.
OTHERS = ("tensor", "plan", "decode", "arrow", "out_of_memory", "reader")
# Files that include headers which no source of their room does.
INCLUDERS = {"wire": ["src/decode/example/decode_block.cc"]}
GOLDEN = "headrace-conformance"
VERDICTS = run.FOLDER / "generated.txt"
QUICK = 0.5  # seconds of a test
SWITCH = "tests/mutants/mutant_switch"
# Nobody reads the warnings of mutants, and `#line` keeps the source's lines.
QUIET = f'#pragma GCC system_header\n#include "{SWITCH}.h"\n#line 1 "%s"\n'
# What is compiled for each SIMD target is the same source: two are enough.
FILE = """#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \\
  (HWY_AVX3 | HWY_AVX3_DL | HWY_SSE4 | HWY_SSSE3)
#include "%s.mutated"
"""
PARSED_FLAGS = ("-march=native", "-DHWY_COMPILE_ONLY_STATIC")


class GoldenFiles(trials.Program):
    """The recorded answers; a file counts as a test."""

    def tests(self):
        vectors = run.ROOT / "tests/vectors"
        return [path.name for path in sorted(vectors.glob("*.jsonl.gz"))]

    def command(self, tests):
        vectors = run.ROOT / "tests/vectors"
        return [self.path, *(vectors / name for name in tests)]


def clang_arguments():
    """What libclang needs to see what the compiler sees."""
    resources = subprocess.run(["clang", "-print-resource-dir"], check=True,
                               capture_output=True, text=True).stdout.strip()
    return ["-xc++", "-std=c++20", f"-I{run.ROOT}", f"-I{run.ROOT}/include",
            f"-resource-dir={resources}", "-DNDEBUG", "-DXXH_INLINE_ALL",
            "-DHEADRACE_HAVE_ISAL=1", "-DHWY_WANT_AVX3_DL=1", *PARSED_FLAGS]


def places_of(folder, scratch):
    """All sites of a folder; kept until one of its files changes."""
    paths = sorted((run.ROOT / folder).glob("*.[ch]*"))
    content = b"".join(path.read_bytes() for path in
                       [*paths, run.FOLDER / "sites.py"])
    kept = scratch / f"{folder.replace('/', '-')}.sites"
    digest = hashlib.sha1(content).hexdigest()
    if kept.exists():
        old, found = pickle.loads(kept.read_bytes())
        if old == digest:
            return found
    sources = [path.relative_to(run.ROOT) for path in paths
               if path.suffix == ".cc"] + INCLUDERS.get(folder, [])
    found = sites.find_sites(run.ROOT, sources, {folder}, clang_arguments())
    kept.write_bytes(pickle.dumps((digest, found)))
    return found


def find(rooms, share, headers, scratch):
    """Of each file the sites, with the mutants that were drawn."""
    found = {}
    for room in rooms:
        found |= places_of(ROOMS[room], scratch)
    number = total = 0
    for file, places in sorted(found.items()):
        schemata.name_mutants(places, (run.ROOT / file).read_bytes())
        is_drawn = headers or file.endswith((".cc", "-inl.h"))
        for place in places:
            total += len(place.mutants)
            # By name: the same are drawn after an edit elsewhere.
            place.mutants = [
                mutant for mutant in place.mutants if is_drawn and
                int(hashlib.sha1(mutant.name.encode()).hexdigest()[:8], 16)
                < share * 2**32]
            for mutant in place.mutants:
                mutant.number = number
                number += 1
    print(f"{total} possible mutants, {number} drawn", flush=True)
    return found


def changed_files(found):
    """Contents of the files that differ from the tree's; numbers of mutants."""
    changed, numbers = {}, set()
    for file, places in found.items():
        text, present = schemata.mutated((run.ROOT / file).read_bytes(), places)
        if not present:
            continue
        numbers |= present
        text = (QUIET % file).encode() + text
        if file.endswith(".cc"):
            # Only what is included may be quiet.
            changed[file + ".mutated"] = text
            text = (FILE % file).encode()
        changed[file] = text
    meson = (run.ROOT / "meson.build").read_text()
    changed["meson.build"] = meson.replace(
        "headrace_lib = library(",
        f"headrace_sources += files('{SWITCH}.cc')\nheadrace_lib = library(",
        1).encode()
    return changed, numbers


def drop_uncompilable(found, errors, tree):
    """Takes out the mutants of lines that the compiler refused."""
    places = set(re.findall(r"^(?:\.\./)*([\w./-]+?):(\d+):\d+: error:",
                            errors, re.M))
    dropped = 0
    for file, line in places:
        for site in found.get(file.removeprefix(str(tree) + "/"), []):
            text = (run.ROOT / site.file).read_bytes()
            last = site.line + text.count(b"\n", site.begin, site.end)
            if site.line <= int(line) <= last:
                dropped += len(site.mutants)
                site.mutants = []
    return dropped


def build(found, tree, programs, jobs):
    """Numbers of the mutants that the programs hold."""
    folder = tree / "build"
    tree.mkdir(parents=True, exist_ok=True)
    while True:
        changed, numbers = changed_files(found)
        run.update_tree(tree, changed)
        if not (folder / "build.ninja").exists():
            # As ./dev test has it, so that a compiler cache has the rest.
            subprocess.run(["meson", "setup", folder, tree, "-Dwerror=true"],
                           check=True, stdout=subprocess.DEVNULL,
                           env={"CC": "gcc", "CXX": "g++", **os.environ})
        made = subprocess.run(
            ["ninja", "-k", "0", "-C", folder, "-j", str(jobs), *programs],
            capture_output=True, text=True)
        if made.returncode == 0:
            return numbers
        errors = made.stdout + made.stderr
        dropped = drop_uncompilable(found, errors, tree)
        if not dropped:
            sys.exit(f"{errors[-6000:]}\nthe mutants do not build")
        print(f"{dropped} mutants do not compile", flush=True)


def read_verdicts():
    """Name to reason, of the survivors that were looked at."""
    verdicts, names, reason = {}, [], []
    for line in [*VERDICTS.read_text().splitlines(), ""]:
        if line.startswith("#"):
            continue
        if line.startswith("    "):
            reason.append(line.strip())
            continue
        if reason:
            verdicts |= dict.fromkeys(names, " ".join(reason))
            names, reason = [], []
        if line:
            names.append(line)
    return verdicts


def report(results, rooms, verdicts):
    """Prints the survivors and the score; how many nobody looked at."""
    unknown = []
    for name, (verdict, _) in sorted(results.items()):
        if verdict != "killed" and name not in verdicts:
            unknown.append(name)
            print(f"{verdict.upper()} {name}")
    for room in rooms:
        of_room = [(name, result) for name, result in results.items()
                   if name.startswith(ROOMS[room] + "/")]
        own = sum(by.startswith(f"test_{room} ") for _, (_, by) in of_room)
        killed = sum(result[0] == "killed" for _, result in of_room)
        judged = sum(result[0] != "killed" and name in verdicts
                     for name, result in of_room)
        print(f"{room}: {len(of_room)} tried, {killed} killed, {own} by its own "
              f"tests; {judged} equivalent, "
              f"{len(of_room) - killed - judged} open")
    return len(unknown)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", metavar="ROOM",
                        help=f"of {' '.join(sorted(ROOMS))} (default: all)")
    parser.add_argument("--share", type=float, default=0.12,
                        help="of the possible mutants that are tried")
    parser.add_argument("--resume", action="store_true",
                        help="not again those that an earlier run killed, "
                             "or that were looked at")
    parser.add_argument("--headers", action="store_true",
                        help="also in headers, which nearly all includes")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--scratch", type=Path,
                        default=run.ROOT / "build-mutants/generated")
    parser.add_argument("--jobs", type=int,
                        default=int(os.environ.get("JOBS", os.cpu_count())))
    options = parser.parse_args()
    options.rooms = options.rooms or sorted(ROOMS)
    if unknown := set(options.rooms) - set(ROOMS):
        parser.error(f"no room {' '.join(unknown)}; there are "
                     f"{' '.join(sorted(ROOMS))}")
    return options


def programs_of(rooms):
    """Paths of the test programs below the build folder, by name."""
    names = {f"test_{name}" for name in (*rooms, *OTHERS)}
    return {**{name: f"tests/{name}" for name in sorted(names)},
            GOLDEN: f"tests/conformance/{GOLDEN}"}


def measured(folder, paths, scratch):
    """The programs, after a run without mutants."""
    programs = {}
    for name, path in paths.items():
        kind = GoldenFiles if name == GOLDEN else trials.Program
        programs[name] = kind(folder / path)
        programs[name].measure(scratch)
    return programs


def work_of(room, found, numbers, programs):
    """(mutant, file, programs in the order to try) of each mutant to try."""
    ran = {n for program in programs.values()
           for marks in program.reached.values() for n in marks}
    own = f"test_{room}"
    others = [f"test_{name}" for name in OTHERS if name != room]
    for file, places in sorted(found.items()):
        if file.rpartition("/")[0] != ROOMS[room]:
            continue
        for place in places:
            for mutant in place.mutants:
                # What only the compiler evaluates knows no switch.
                is_run = mutant.number in ran or not place.in_constexpr
                if mutant.number in numbers and is_run:
                    yield mutant, file, [own, *others, GOLDEN]


def main():
    options = parse_arguments()
    scratch = options.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    # Of all rooms, so that a run of one builds what the next uses.
    paths = programs_of(sorted(ROOMS))
    found = find(sorted(ROOMS), options.share, options.headers, scratch)
    numbers = build(found, scratch / "tree", list(paths.values()), options.jobs)
    if options.build_only:
        return 0
    paths = programs_of(options.rooms)
    programs = measured(scratch / "tree/build", paths, scratch)
    work = [item for room in options.rooms
            for item in work_of(room, found, numbers, programs)]
    names = {mutant.name for mutant, _, _ in work}
    kept = scratch / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    verdicts = read_verdicts()
    if options.resume:
        work = [item for item in work if item[0].name not in verdicts and
                results.get(item[0].name, [""])[0] != "killed"]

    def record(mutant, verdict, by):
        results[mutant.name] = [verdict, by]
        kept.write_text(json.dumps(results, indent=0))

    # Most are noticed within moments; the rest gets the long tests, too.
    for longest in (QUICK, float("inf")):
        print(f"{len(work)} mutants to try", flush=True)
        trials.Trials(programs, options.jobs, longest).try_all(work, record)
        work = [item for item in work if item[0].name not in verdicts and
                results[item[0].name][0] != "killed"]
    untried = ["not tried", ""]  # as what was looked at, with --resume
    results = {name: results.get(name, untried) for name in sorted(names)}
    return 1 if report(results, options.rooms, verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
