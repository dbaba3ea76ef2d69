"""What the peers that read records by number share: the same rows in random order.

Their job has, besides what passes.py says,

    rows      records of the file
    records   of these, how many a pass reads

A pass reads the next rows of a permutation of all, so that none comes again before all
have come.
"""

import itertools
import pathlib
import random

import tfx_bsl_peer


def payloads(job):
    """Those of the TFRecord file, in order."""
    return itertools.chain.from_iterable(tfx_bsl_peer.framed_batches(job))


def made(job, name, write):
    """The path of a file or folder with the payloads, which write(job, path) makes
    once for all rounds."""
    path = pathlib.Path(job["folder"]) / name
    if not path.exists():
        write(job, path)
    return path


def with_all_rows(job, dataset):
    """The dataset, which must have as many rows as the file."""
    if len(dataset) != job["rows"]:
        raise ValueError(f"{len(dataset)} records of {job['rows']}")
    return dataset


def passes_of(job, read, numbers=list):
    """A pass for passes.main: read(numbers(rows)) of each batch gives how many
    records came."""
    order = list(range(job["rows"]))
    random.Random(1).shuffle(order)
    size = job["batch"]
    batches = itertools.cycle([
        numbers(order[begin:begin + size])
        for begin in range(0, len(order) - size + 1, size)])
    count = job["records"] // size
    return lambda: sum(map(read, itertools.islice(batches, count)))
