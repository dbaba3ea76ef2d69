#!/usr/bin/env python3
"""TFRecord files to Parquet: headrace beside TensorFlow and pyarrow.

Both write the tensors of one spec with pyarrow, with row groups of the same size, on
one core, in turn. Needs headrace, pyarrow and numpy; TensorFlow may be in another
environment, which `--python tensorflow_to_parquet=PYTHON` names:

    PYTHONPATH=build/python python bench/parquet_writing.py
"""

import os
import statistics
import sys

import compare

SHAPES = ["criteo", "ids", "floats", "ragged"]
SIDES = {"TensorFlow and pyarrow": "tensorflow_to_parquet",
         "headrace.to_parquet": "headrace_to_parquet"}
PROGRAMS = sorted(SIDES.values())
GROUP = 16384  # rows; a multiple of the batch


def spec_of(headrace, path):
    """Lists are ragged: of these TensorFlow has what Arrow needs."""
    spec = headrace.spec(path)
    for entry in spec["features"]:
        if entry["kind"] == "var_len":
            entry["kind"] = "ragged"
    return spec


def measure_shape(shape, options, folder):
    headrace = compare.Headrace(str(options.headrace))
    path = folder / f"{shape}.tfrecord"
    records = headrace.generate(path, ["--shape", shape], options.mib << 20)
    job = {"file": str(path), "records": records, "batch": 1024, "group": GROUP,
           "spec": spec_of(headrace, path), "folder": str(folder),
           "seconds": options.seconds, "passes": 1}
    sides = {name: [] for name, program in SIDES.items() if program in options.peers}
    status = {}
    for _ in range(options.rounds):
        for name, seconds in sides.items():
            program = SIDES[name]
            answer = compare.run_peer(
                options.python.get(program, sys.executable), program, job)
            seconds += answer.get("seconds", [])
            status[name] = answer.get("version") or compare.trouble(answer)
    return {"shape": shape, "bytes": path.stat().st_size, "sides": sides,
            "status": status}


def measure(options, folder):
    os.sched_setaffinity(0, {options.core})  # everything that is started inherits it
    return {"shapes": [measure_shape(shape, options, folder) for shape in SHAPES]}


def text_of(result):
    lines = [f"  {'shape':<10}{'side':<26}{'MB/s':>8}"]
    for shape in result["shapes"]:
        middles = {}
        for name, seconds in shape["sides"].items():
            if not seconds:
                lines.append(f"  {shape['shape']:<10}{name:<26}{shape['status'][name]}")
                continue
            rates = sorted(shape["bytes"] / 1e6 / second for second in seconds)
            middles[name] = statistics.median(rates)
            lines.append(f"  {shape['shape']:<10}{name:<26}{middles[name]:>8,.0f}  "
                         f"({rates[0]:,.0f}..{rates[-1]:,.0f})")
        if len(middles) == 2:
            theirs, ours = middles.values()
            lines.append(f"  {shape['shape']:<10}{'':<26}{ours / theirs:>8.1f} times")
    return "\n".join(lines)


def main():
    compare.run_comparison(__doc__.splitlines()[0], "parquet", PROGRAMS, PROGRAMS,
                           mib=64, measure=measure, text_of=text_of)


if __name__ == "__main__":
    main()
