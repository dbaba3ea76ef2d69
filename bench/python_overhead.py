#!/usr/bin/env python3
"""What a loop over batches costs in Python, beside the same loop in C++.

Both read the same file in the same process, one thread, batches of 256, one
after the other in turn. Run with the build folder's package:

    PYTHONPATH=build/python .venv/bin/python bench/python_overhead.py
"""

import argparse
import ctypes
import functools
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BATCH = 256
SHAPES = ("floats", "ids", "hashes", "blobs", "criteo", "scalars", "ragged",
          "sequence", "people")


def load_loop(build):
    library = ctypes.CDLL(str(build / "bench" / "libreader_loop.so"))
    loop = library.headrace_read_all
    loop.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
    loop.restype = ctypes.c_int64
    return lambda path: loop(str(path).encode(), BATCH)


def python_loop(path, let_go):
    import headrace

    rows = 0
    for batch in headrace.open(path, batch_size=BATCH, threads=1):
        rows += batch.num_rows
        if let_go:
            del batch
    return rows


def seconds(loop, path, expected):
    start = time.perf_counter()
    rows = loop(path)
    taken = time.perf_counter() - start
    if rows != expected:
        sys.exit(f"python_overhead: {rows} rows, not {expected}")
    return taken


def measure(native, python, path, rounds):
    """Seconds of the two loops, a pair a round, the first of them changing."""
    expected = native(path)
    seconds(python, path, expected)
    pairs = []
    for i in range(rounds):
        loops = [native, python]
        if i % 2:
            loops.reverse()
        taken = {loop: seconds(loop, path, expected) for loop in loops}
        pairs.append((taken[native], taken[python]))
    return pairs


def generate(program, folder, shape, mib):
    """A file of about `mib` MiB."""
    path = folder / f"{shape}.tfrecord"
    probe = [program, "gen", "--quiet", "--shape", shape, "-o", path]
    subprocess.run([*probe, "--records", "200"], check=True)
    records = max(200, mib * (1 << 20) * 200 // path.stat().st_size)
    subprocess.run([*probe, "--records", str(records)], check=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--mib", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--let-go", action="store_true",
                        help="del the batch before the next, as C++ does: else "
                        "two of them take turns in the cache")
    parser.add_argument("--shapes", nargs="*", choices=SHAPES, default=SHAPES)
    options = parser.parse_args()
    native = load_loop(options.build)
    python = functools.partial(python_loop, let_go=options.let_go)
    program = options.build / "src" / "cli" / "headrace"
    print(f"{'records':10} {'C++ ms':>8} {'Python ms':>10}  more (of medians)")
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shapes:
            path = generate(program, pathlib.Path(folder), shape, options.mib)
            pairs = measure(native, python, path, options.rounds)
            native_ms, python_ms = (
                statistics.median(side) * 1e3 for side in zip(*pairs)
            )
            print(f"{shape:10} {native_ms:8.2f} {python_ms:10.2f}  "
                  f"{python_ms / native_ms - 1:+.1%}", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
