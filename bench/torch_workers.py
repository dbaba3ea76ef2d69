#!/usr/bin/env python3
"""What two workers of a DataLoader cost beside none, for the same rows.

One file of rows with 80 features, read by `hr.torch.Dataset` in turn without workers
and with two, and with two whose batches torch moves tensor by tensor, as it moves
plain dicts. In each round the three follow one another, so the ratios of a round bear
a machine that others use, too; the seconds do not. It needs torch:

    PYTHONPATH=build/python python bench/torch_workers.py
"""

import argparse
import pathlib
import statistics
import tempfile
import time

import headrace as hr
import torch
from torch.utils.data import DataLoader

ROWS = 20000  # of the file
COUNTS = {"f": 30, "i": 20, "v": 10, "r": 15, "b": 5}


def write(path):
    with hr.Writer(path) as writer:
        for i in range(ROWS):
            values = {
                "f": lambda j: j + 0.5,
                "i": lambda j: i * j,
                "v": lambda j: [j + 0.5] * 16,
                "r": lambda j: list(range((i + j) % 7)),
                "b": lambda j: b"x" * (i % 20),
            }
            writer.write({f"{kind}{j}": value(j) for kind, value in values.items()
                          for j in range(COUNTS[kind])})


def spec_of(shapes):
    kinds = {
        "f": lambda: hr.FixedLenFeature([], hr.float32),
        "i": lambda: hr.FixedLenFeature([], hr.int64),
        "v": lambda: hr.FixedLenFeature([16], hr.float32),
        "r": lambda: hr.RaggedFeature(hr.int64),
        "b": lambda: hr.FixedLenFeature([], hr.bytes_),
    }
    return {f"{kind}{j}": kinds[kind]() for kind in shapes for j in range(COUNTS[kind])}


class Unpacked:
    """Hides a batch from what sends it as a whole."""

    def __init__(self, batch):
        self.batch = dict(batch)


def seconds(dataset, workers, rows):
    found = 0
    start = time.perf_counter()
    for batch in DataLoader(dataset, batch_size=None, num_workers=workers):
        found += len(getattr(batch, "batch", batch)["f0"])
    taken = time.perf_counter() - start
    assert found == rows, f"{found} rows, not {rows}"
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10, help="in a loop")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--kinds", default="fivrb",
                        help="f: a float, i: an int64, v: 16 floats, r: ragged, b: bytes")
    parser.add_argument("--torch-alone", action="store_true",
                        help="also two workers whose tensors torch moves one by one")
    options = parser.parse_args()
    spec, rows = spec_of(options.kinds), ROWS * options.epochs
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.tfrecord"
        write(path)
        common = {"spec": spec, "batch_size": options.batch_size}
        dataset = hr.torch.Dataset(path, epochs=options.epochs, **common)
        single = hr.torch.Dataset(path, transform=Unpacked, **common)
        seconds(dataset, 0, rows)
        print(f"{len(spec)} features, batches of {options.batch_size}, {rows} rows")
        ratios = []
        for _ in range(options.rounds):
            none = seconds(dataset, 0, rows)
            two = seconds(dataset, 2, rows)
            ratios.append(two / none)
            line = f"no workers {none:6.2f} s, two {two:6.2f} s: {two / none:5.2f} times"
            if options.torch_alone:
                alone = seconds(single, 2, ROWS) * options.epochs
                line += f"; tensor by tensor {alone / none:5.1f} times"
            print(line, flush=True)
        print(f"median {statistics.median(ratios):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
