#!/usr/bin/env python3
"""headrace beside other readers of TFRecord files, on the same files.

Every side runs in a process of its own, all on one core. Peers that are not
installed are listed as such; bench/requirements.txt names their packages.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import compare_table

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / "bench" / "peers"
BATCH = 256

# Each name has arguments of headrace gen and the ending of the file.
SHAPES = {
    "floats": (["--shape", "floats"], ""),
    "ids": (["--shape", "ids"], ""),
    "hashes": (["--shape", "hashes"], ""),
    "blobs": (["--shape", "blobs"], ""),
    "criteo": (["--shape", "criteo"], ""),
    "criteo-shuffled": (["--shape", "criteo", "--shuffle-keys"], ""),
    "scalars": (["--shape", "scalars"], ""),
    "ragged": (["--shape", "ragged"], ""),
    "sequence": (["--shape", "sequence"], ""),
    "criteo-gzip": (["--shape", "criteo"], ".gz"),
}

# Each name in the table has a program in bench/peers and its way to read.
SIDES = {
    "tf.data, parse_example": ("tensorflow", "map"),
    "tf.data, parse_example_dataset": ("tensorflow", "fused"),
    "tfx_bsl, records of tf.data": ("tfx_bsl", "checked"),
    "tfx_bsl, framed in Python (no CRC)": ("tfx_bsl", "framed"),
    "DALI (no CRC)": ("dali", "reader"),
    "Parquet, snappy and dictionaries": ("parquet", "default"),
    "Parquet, plain": ("parquet", "plain"),
}
PROGRAMS = sorted({program for program, _ in SIDES.values()})


class Headrace:
    """The program, on the core that everything is measured on."""

    def __init__(self, program):
        self.program = program

    def run(self, *arguments):
        run = subprocess.run([self.program, *map(str, arguments)], text=True,
                             capture_output=True)
        if run.returncode:
            sys.exit(f"compare: headrace {arguments[0]}: {run.stderr.strip()}")
        return run.stdout

    def generate(self, path, arguments, size):
        """About `size` bytes; gives the number of records.

        Whole batches, because DALI knows no other.
        """
        def write(records):
            return json.loads(self.run("gen", *arguments, "-o", path,
                                       "--records", records, "--json"))
        batches = max(1, round(size / write(BATCH)["bytes"]))
        return write(batches * BATCH)["records"]

    def spec(self, path):
        """A spec of the tensors that somebody would ask for."""
        spec = json.loads(self.run("schema", "--quiet", "--sample", 10000,
                                   "--format", "spec", path))
        if path.name.startswith("criteo"):
            # A count that is missing is 0.
            for entry in spec["features"]:
                if entry["kind"] == "var_len":
                    entry.update(kind="fixed_len", shape=[], default=[0])
        return spec

    def bench(self, path, seconds, *arguments):
        """Seconds of the passes, uncompressed bytes, records."""
        # The stage `all` takes about a quarter of the time.
        result = json.loads(self.run("bench", "--quiet", "--json", "--batch",
                                     BATCH, "--seconds", 4 * seconds,
                                     *arguments, path))
        return (result["stages"]["all"]["seconds"], result["bytes"],
                result["records"])


def run_peer(python, program, job):
    """The peer's answer, as bench/peers/passes.py has it."""
    path = pathlib.Path(job["folder"]) / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    # Their logs do not matter, and their failures come in the answer.
    environment = {**os.environ, "OMP_NUM_THREADS": "1",
                   "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    run = subprocess.run([python, PEERS / f"{program}_peer.py", path],
                         capture_output=True, text=True, env=environment)
    lines = run.stdout.strip().splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, json.JSONDecodeError):
        return {"fails": f"ends with exit code {run.returncode}"}


def trouble(answer):
    """Why a peer has no times."""
    if "missing" in answer:
        return f"not installed: {answer['missing']}"
    return f"fails: {answer['fails']}"


def take(side, answer):
    """Adds one round's answer to a side."""
    if "seconds" in answer:
        side["seconds"] += answer["seconds"]
        side["version"] = answer["version"]
        side["cpu_share"] = min(answer["cpu_share"],
                                side.get("cpu_share", 1))
    else:
        side["status"] = trouble(answer)


def compare_shape(headrace, name, options, folder):
    arguments, ending = SHAPES[name]
    path = folder / f"{name}.tfrecord{ending}"
    records = headrace.generate(path, arguments, options.mib << 20)
    spec = headrace.spec(path)
    spec_path = folder / f"{name}.spec.json"
    spec_path.write_text(json.dumps(spec), encoding="utf-8")
    arrow = folder / f"{name}.arrow"
    if "parquet" in options.peers:
        headrace.run("convert", "--quiet", path, "-o", arrow)
    result = {"shape": name, "records": records}
    sides = {side: {"name": side, "seconds": [], "status": "ok"}
             for side in (*compare_table.OWN, *SIDES)
             if side not in SIDES or SIDES[side][0] in options.peers}
    for _ in range(options.rounds):
        for side in sides.values():
            if side["status"] != "ok":
                continue
            if side["name"] in SIDES:
                program, way = SIDES[side["name"]]
                take(side, run_peer(options.python.get(program,
                                                       sys.executable),
                                    program, {
                    "file": str(path), "records": records, "batch": BATCH,
                    "spec": spec, "arrow": str(arrow), "folder": str(folder),
                    "seconds": options.seconds, "passes": options.passes,
                    "way": way}))
                continue
            wanted = {compare_table.TENSORS: ["--spec", spec_path],
                      compare_table.MAPPED: ["--mmap"]}.get(side["name"], [])
            seconds, result["bytes"], counted = headrace.bench(
                path, options.seconds, *wanted)
            if counted != records:
                sys.exit(f"compare: headrace read {counted} of {records}")
            side["seconds"] += seconds
    result["sides"] = list(sides.values())
    for side in result["sides"]:
        compare_table.add_rates(side, result)
    compare_table.add_ratios(result)
    return result


def interpreter_of(programs):
    """The type of tfx_bsl=PATH, for peers that do not live in one environment."""
    def interpreter(text):
        peer, _, path = text.partition("=")
        if peer not in programs or not path:
            raise argparse.ArgumentTypeError(f"PEER=PYTHON, of {programs}")
        return peer, path
    return interpreter


def shared_options(programs, mib, rounds):
    """A parser, for `parents`, of what every comparison of peers is told."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--headrace", default=ROOT / "build/src/cli/headrace",
                        help="the program, which makes the records")
    parser.add_argument("--mib", type=int, default=mib,
                        help="size of a TFRecord file, uncompressed "
                        f"(default {mib})")
    parser.add_argument("--rounds", type=int, default=rounds,
                        help="in each all sides run, one after another "
                        f"(default {rounds})")
    parser.add_argument("--seconds", type=float, default=2,
                        help="of a side in a round, about (default 2)")
    parser.add_argument("--python", type=interpreter_of(programs),
                        action="append", default=[], metavar="PEER=PYTHON",
                        help="another interpreter for a peer")
    parser.add_argument("--core", type=int,
                        default=max(os.sched_getaffinity(0)),
                        help="the one to run on (default: the last)")
    parser.add_argument("--folder", type=pathlib.Path,
                        help="for the files (default: a temporary one)")
    parser.add_argument("--json", type=pathlib.Path, metavar="OUT",
                        help="also write all samples there")
    return parser


def run_comparison(description, name, programs, peers, mib, measure, text_of):
    """Measures as the command line says, prints the table, and keeps the samples.

    Of the `programs` that take part, `peers` are those that may be chosen; files
    lie in a folder with `name` in its own.
    """
    parser = argparse.ArgumentParser(
        description=description,
        parents=[shared_options(programs, mib=mib, rounds=3)])
    parser.add_argument("--peers", nargs="*", choices=peers, default=peers,
                        metavar="PEER", help=f"of {', '.join(peers)} (default: all)")
    options = parser.parse_args()
    options.python = dict(options.python)
    options.cores = sorted(os.sched_getaffinity(0), reverse=True)
    with tempfile.TemporaryDirectory(prefix=f"headrace-{name}-",
                                     dir=options.folder) as folder:
        result = measure(options, pathlib.Path(folder))
    print(text_of(result))
    if options.json:
        options.json.write_text(json.dumps(
            {"machine": platform.platform(), **result}, indent=1) + "\n",
            encoding="utf-8")


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        parents=[shared_options(PROGRAMS, mib=64, rounds=2)])
    parser.add_argument("shapes", nargs="*", metavar="SHAPE",
                        help=f"of {', '.join(SHAPES)} (default: all)")
    parser.add_argument("--passes", type=int, default=2,
                        help="of a peer in a round, at least (default 2)")
    parser.add_argument("--peers", nargs="+", choices=PROGRAMS,
                        default=PROGRAMS, metavar="PEER",
                        help=f"of {', '.join(PROGRAMS)} (default: all)")
    options = parser.parse_args()
    options.python = dict(options.python)
    options.shapes = options.shapes or list(SHAPES)
    for shape in options.shapes:
        if shape not in SHAPES:
            parser.error(f"no shape {shape}; there are {', '.join(SHAPES)}")
    return options


def main():
    options = parse_options()
    # Everything that is started inherits it.
    os.sched_setaffinity(0, {options.core})
    headrace = Headrace(str(options.headrace))
    results = []
    for shape in options.shapes:
        with tempfile.TemporaryDirectory(prefix="headrace-compare-",
                                         dir=options.folder) as folder:
            results.append(compare_shape(headrace, shape, options,
                                         pathlib.Path(folder)))
        print(compare_table.text_of(results[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps({
            "headrace": headrace.run("--version").splitlines(),
            "machine": platform.platform(), "core": options.core,
            "batch": BATCH, "shapes": results}, indent=1) + "\n",
            encoding="utf-8")


if __name__ == "__main__":
    main()
