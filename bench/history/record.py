#!/usr/bin/env python3
"""Measures this commit on this machine, and adds the point to bench/history.

./dev bench-record calls it, after it has built what is measured.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

import points
from points import compare_table

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
# With --try a point is only there to be looked at.
TRIED = BUILD / "bench-history"
DECODE = {False: ["--mib", "4,64", "--rounds", "7"],
          True: ["--mib", "1", "--rounds", "2", "--min-time", "0"]}
BRIEF_COMPARISON = ["--mib", "1", "--rounds", "1", "--seconds", "0.01", "--passes", "1"]
COMPARE = {False: [], True: BRIEF_COMPARISON}

# Cores that others may use while nothing is measured, and the least share of a
# core that bench_decode must have had.
MOST_BUSY = 0.1
LEAST_SHARE = 0.97
WATCHED_SECONDS = 3


def stop(text):
    sys.exit(f"bench-record: {text}")


def output_of(*command):
    try:
        return subprocess.run(command, cwd=ROOT, check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        stop(error)


def git_facts(allow_dirty):
    commit, date = output_of("git", "show", "-s", "--format=%H %cI", "HEAD").split()
    changes = output_of("git", "status", "--porcelain", "--untracked-files=no")
    if changes and not allow_dirty:
        stop("there are uncommitted changes, so no commit says what would be measured; "
             f"commit them, or mark the point with --allow-dirty:\n{changes.rstrip()}")
    utc = datetime.datetime.fromisoformat(date).astimezone(datetime.timezone.utc)
    return {"commit": commit, "commit_date": utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "dirty": bool(changes)}


def flags_of(build):
    """Options of the build that change its speed. Only release builds count."""
    options = {option["name"]: option["value"] for option in json.loads(
        output_of("meson", "introspect", "--buildoptions", str(build)))}
    for name, value in ("buildtype", "release"), ("b_sanitize", "none"):
        if options[name] != value:
            stop(f"{build} has {name}={options[name]}; points are of {value}")
    names = "buildtype", "optimization", "b_lto", "b_ndebug"
    return " ".join([*(f"{name}={options[name]}" for name in names),
                     *options["cpp_args"]])


def machine_facts(cpuinfo, governor, memory):
    """What kind of machine this is, of the texts of three files of the kernel."""
    facts = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", cpuinfo.partition("\n\n")[0], re.M))
    family = [facts.get(name) for name in ("cpu family", "model")]
    if None in family:
        family = [facts.get(name, "?") for name in ("CPU implementer", "CPU part")]
    kilobytes = int(re.search(r"^MemTotal:\s+(\d+) kB", memory, re.M)[1])
    return {"cpu": facts.get("model name", platform.machine()).replace("/", " "),
            "family": ".".join(family), "cores": os.cpu_count(),
            "virtual": "hypervisor" in facts.get("flags", "").split(),
            "memory_gib": round(kilobytes / 2**20), "governor": governor,
            "kernel": ".".join(platform.release().split(".")[:2])}


def this_machine():
    governor = pathlib.Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return machine_facts(pathlib.Path("/proc/cpuinfo").read_text(),
                         governor.read_text().strip() if governor.exists() else None,
                         pathlib.Path("/proc/meminfo").read_text())


def processor_ticks():
    """Ticks of all cores, and those of them in which nothing ran."""
    ticks = [int(word) for word in
             pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def busy_cores():
    """Cores that are in use, here or by other virtual machines."""
    all_before, idle_before = processor_ticks()
    time.sleep(WATCHED_SECONDS)
    everything, idle = processor_ticks()
    return os.cpu_count() * (1 - (idle - idle_before) / (everything - all_before))


def load_reasons(busy, decode, compare):
    """Why the machine was not idle, one text each; an idle one has none."""
    reasons = []
    if busy > MOST_BUSY:
        reasons.append(f"{busy:.1f} cores were in use before")
    share = min(shape["cpu_share"] for shape in decode["shapes"])
    if share < LEAST_SHARE:
        reasons.append(f"bench_decode had {share:.0%} of a core")
    shares = [side["cpu_share"] for shape in (compare or {"shapes": []})["shapes"]
              for side in shape["sides"].values()
              if isinstance(side, dict) and side["cpu_share"] is not None]
    if shares and min(shares) < compare_table.LEAST_SHARE:
        reasons.append(f"a reader had {min(shares):.0%} of the core")
    return reasons


def digits(seconds):
    """Six digits: clocks are not more precise."""
    return float(f"{seconds:.6g}")


def short_decode(document):
    """The JSON of bench_decode without what follows from its samples."""
    kept = {**document, "shapes": [
        {**shape, "clock_ghz": digits(shape["clock_ghz"]),
         "cpu_share": digits(shape["cpu_share"]),
         "sides": {name: [digits(seconds) for seconds in side["seconds"]]
                   for name, side in shape["sides"].items()}}
        for shape in document["shapes"]]}
    return kept


def short_side(side):
    if side["status"].startswith("not installed"):
        return "not installed"
    if side["status"] != "ok":
        return "fails"
    spread = points.spread_of(side["seconds"])
    share = side.get("cpu_share")
    return {"version": side.get("version"),
            "cpu_share": None if share is None else digits(share),
            "passes": len(side["seconds"]),
            "seconds": {name: digits(value) for name, value in spread._asdict().items()}}


def short_compare(document):
    """The JSON of bench/compare.py without samples, rates, paths and reasons."""
    return {"batch": document["batch"], "shapes": [
        {**{key: shape[key] for key in ("shape", "records", "bytes")},
         "sides": {side["name"]: short_side(side) for side in shape["sides"]}}
        for shape in document["shapes"]]}


def run_for_json(command):
    """Runs a benchmark, which prints as it goes, and gives the JSON it writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.json"
        output = [*command, "--json", str(path)]
        print(f"bench-record: {' '.join(map(str, command))}", file=sys.stderr, flush=True)
        if subprocess.run(output, cwd=ROOT).returncode:
            stop(f"{pathlib.Path(command[0]).name} failed; no point was added")
        return json.loads(path.read_text(encoding="utf-8"))


def compare_command(python):
    return [python, ROOT / "bench/compare.py", "--headrace", BUILD / "src/cli/headrace"]


def check_peers(python):
    """Says which other readers are missing; stops if all are."""
    tried = short_compare(run_for_json(
        [*compare_command(python), "floats", *BRIEF_COMPARISON]))
    peers = {name: side for name, side in tried["shapes"][0]["sides"].items()
             if name not in compare_table.OWN}
    missing = [name for name, side in peers.items() if side == "not installed"]
    if len(missing) == len(peers):
        stop(f"{python} has none of the other readers; "
             "bench/requirements.txt names their packages")
    for name in missing:
        print(f"bench-record: without {name}: not installed", file=sys.stderr)


def text_of(content):
    """JSON with a line for each list of numbers."""
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]",
                  lambda match: "[" + re.sub(r"\s*\n\s*", " ", match[1]) + "]",
                  json.dumps(content, indent=1)) + "\n"


def write(content, path):
    """Writes a checked point to a path where nothing is."""
    finding = points.content_finding(content)
    if finding:
        stop(f"what was measured is not a point: {finding}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(content), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(prog="./dev bench-record",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--allow-dirty", action="store_true",
                        help="measure in spite of uncommitted changes; marks the point")
    parser.add_argument("--peers-python", metavar="PYTHON",
                        help="one with other readers, for bench/compare.py")
    parser.add_argument("--try", action="store_true", dest="tried",
                        help=f"a run of seconds, whose point goes to "
                        f"{TRIED.relative_to(ROOT)} and means nothing")
    options = parser.parse_args()

    content = {"schema": points.SCHEMA,
               "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
               **git_facts(options.allow_dirty or options.tried),
               "flags": flags_of(BUILD), "machine": this_machine()}
    folder = TRIED if options.tried else ROOT / points.FOLDER
    path = folder / points.name_of(content)
    if path.exists() and not options.tried:
        stop(f"{path.relative_to(ROOT)} is there; remove it to measure again")
    if options.peers_python:
        check_peers(options.peers_python)
    busy = busy_cores()
    decode = short_decode(run_for_json([BUILD / "bench/bench_decode",
                                        *DECODE[options.tried]]))
    compare = None
    if options.peers_python:
        compare = short_compare(run_for_json(
            [*compare_command(options.peers_python), *COMPARE[options.tried]]))
    else:
        print("bench-record: no other readers, so bench/compare.py did not run; "
              "--peers installs them", file=sys.stderr)
    load = load_reasons(busy, decode, compare)
    write({**content, "load": load, "decode": decode, "compare": compare}, path)
    for reason in load:
        print(f"bench-record: the machine was busy, which the point says: {reason}",
              file=sys.stderr)
    print(f"bench-record: wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
