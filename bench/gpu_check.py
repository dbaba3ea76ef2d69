#!/usr/bin/env python3
"""What only a machine with a GPU can say of batches in pinned memory.

Each check prints a line of JSON with its figures and whether it holds; the exit code is 1
if one does not. docs/performance.md has the expected lines. It takes less than eight
minutes, and needs torch, a device of CUDA and 4 GB on it:

    PYTHONPATH=build/python HEADRACE=build/src/cli/headrace python bench/gpu_check.py
"""

import argparse
import gc
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import headrace as hr
import torch
from headrace.adapters.torch import pinned
from headrace.adapters.torch.copies import copied

KEYS = [f"C{i}" for i in range(1, 27)]
NUMBERS = {f"I{i}": hr.FixedLenFeature([], hr.int64, 0) for i in range(1, 14)}
NUMBERS |= {f"F{i}": hr.FixedLenFeature([], hr.float32, 0.0) for i in range(1, 28)}
BUCKETS = 1 << 20
SPEC = {
    "dense": hr.Matrix(NUMBERS, as_=hr.float32),
    "ids": hr.Jagged({
        key: hr.RaggedFeature(hr.bytes_, map=hr.hash_bucket(BUCKETS)) for key in KEYS
    }, as_=hr.int32),
}
DEVICE = torch.device("cuda", 0)

failed = []


def report(check, holds, **figures):
    failed.extend([] if holds else [check])
    print(json.dumps({"check": check, "holds": bool(holds), **figures}), flush=True)


def seconds(run):
    torch.cuda.synchronize()
    start = time.perf_counter()
    run()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def median(run, rounds=5):
    run()
    return statistics.median(seconds(run) for _ in range(rounds))


def tensors_of(batch):
    ids = batch["ids"]
    return [batch["dense"], ids.values, ids.lengths, ids.offsets]


def same(batch, other):
    return all(map(torch.equal, tensors_of(batch), tensors_of(other)))


def busy():
    """Queues some milliseconds of work on the current stream."""
    torch.cuda._sleep(5_000_000)


def check_protection():
    """Memory that a late copy reads is not given out again, if the tensor is a view of
    torch's own; a tensor from DLPack is shown beside it."""
    def wrong(source_of, size=8 << 20, tries=20):
        found = again = 0
        for _ in range(tries):
            torch.cuda.synchronize()
            slab = torch.full((size,), 7, dtype=torch.uint8).pin_memory()
            begin, source = slab.data_ptr(), source_of(slab)
            busy()
            copy = source.to(DEVICE, non_blocking=True)
            del source, slab
            following = torch.empty(size, dtype=torch.uint8, pin_memory=True)
            again += following.data_ptr() == begin
            following.fill_(9)
            torch.cuda.synchronize()
            found += bool((copy != 7).any())
            del following, copy
        return found, again

    views, views_again = wrong(lambda slab: slab[256:])
    capsules, capsules_again = wrong(
        lambda slab: torch.from_dlpack(slab[256:].numpy()))
    report("late copies read what was decoded", views == 0, wrong=views,
           reused=views_again, wrong_from_dlpack=capsules,
           reused_from_dlpack=capsules_again)


def check_places(path):
    """Tensors are where their numbers were decoded, in memory that is pinned, and two
    copies take a batch to the device."""
    taken = []
    allocate = pinned.PinnedAllocator.allocate

    def remembered(self, size):
        array = allocate(self, size)
        taken.append(range(array.ctypes.data, array.ctypes.data + size))
        return array

    pinned.PinnedAllocator.allocate = remembered
    try:
        dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=4096, pin_memory=True)
        plain = hr.torch.Dataset(path, spec=SPEC, batch_size=4096)
        batches = elsewhere = unpinned = differ = copies = useful = moved = 0
        for batch, other in zip(dataset, plain, strict=True):
            sizes = []

            def copy_of(tensor, sizes=sizes):
                sizes.append(tensor.nbytes)
                return tensor.to(DEVICE, non_blocking=True)

            device, _ = copied(batch, copy_of)
            differ += not same(copied(device, torch.Tensor.cpu)[0], other)
            for tensor in tensors_of(batch):
                elsewhere += not any(tensor.data_ptr() in place for place in taken)
                unpinned += not tensor.is_pinned()
                useful += tensor.nbytes
            batches, copies = batches + 1, max(copies, len(sizes))
            moved += sum(sizes)
    finally:
        pinned.PinnedAllocator.allocate = allocate
    holds = not (elsewhere or unpinned or differ) and copies <= 2
    report("numbers are copied from where they were decoded",
           holds and moved < 1.1 * useful, batches=batches, elsewhere=elsewhere,
           unpinned=unpinned, differ=differ, most_copies=copies,
           bytes_moved_per_byte=round(moved / useful, 3))


def check_copies(path):
    """Copies of batches are as fast as a bare copy of as many pinned bytes."""
    (batch,) = itertools.islice(
        hr.torch.Dataset(path, spec=SPEC, batch_size=65536, pin_memory=True), 1)
    size, count = sum(tensor.nbytes for tensor in tensors_of(batch)), 100
    bare = torch.empty(size, dtype=torch.uint8, pin_memory=True)
    pageable = torch.empty(size, dtype=torch.uint8)

    def of_batches():
        for _ in hr.torch.cuda_batches(itertools.repeat(batch, count), DEVICE):
            pass

    def of(tensor):
        for _ in range(count):
            tensor.to(DEVICE, non_blocking=True)

    taken = median(of_batches)
    of_bare, of_pageable = median(lambda: of(bare)), median(lambda: of(pageable))
    report("copies of batches reach 0.9 of a bare copy", of_bare / taken >= 0.9,
           ratio=round(of_bare / taken, 3), GB_s=round(size * count / taken / 1e9, 1),
           bare_GB_s=round(size * count / of_bare / 1e9, 1),
           pageable_GB_s=round(size * count / of_pageable / 1e9, 1), bytes=size)


def check_streams(path):
    """Every batch is right on the device, also if late work on several streams reads it
    after it was dropped, and if the loop is left early."""
    streams = [torch.cuda.Stream(DEVICE) for _ in range(3)]
    wanted = list(hr.torch.Dataset(path, spec=SPEC, batch_size=2048))
    wrong = total = 0
    for prefetch, count in itertools.product((0, 1, 2, 4), (5, len(wanted))):
        dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=2048, pin_memory=True)
        seen = []
        with hr.torch.cuda_batches(dataset, DEVICE, prefetch=prefetch) as batches:
            for i in range(count):
                with torch.cuda.stream(streams[i % 3]):
                    batch = next(batches)
                    busy()
                    seen.append(copied(batch, torch.Tensor.clone)[0])
                    del batch
        torch.cuda.synchronize()
        total += count
        wrong += sum(not same(copied(found, torch.Tensor.cpu)[0], other)
                     for found, other in zip(seen, wanted))
    report("every batch is right on every stream", wrong == 0, batches=total, wrong=wrong)


def check_graph(path):
    """A graph that reads static tensors sees each batch in them."""
    dataset = hr.torch.Dataset(path, spec={"dense": SPEC["dense"]}, batch_size=2048,
                               drop_remainder=True, pin_memory=True)
    out = {"dense": torch.zeros(2048, 40, device=DEVICE)}
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = (2 * out["dense"]).sum(1)
    sums = []
    for _ in hr.torch.cuda_batches(dataset, DEVICE, out=out):
        busy()
        graph.replay()
        sums.append(result.clone())
    plain = [batch["dense"] for batch in dataset]
    wrong = sum(not torch.allclose(found.cpu(), (2 * dense).sum(1), rtol=1e-4, atol=1e-2)
                for found, dense in zip(sums, plain, strict=True))
    report("a graph sees every batch", wrong == 0, batches=len(sums), wrong=wrong)


class Model(torch.nn.Module):
    """Like DLRM: embeddings, a part for numbers, products of all pairs, a part on top."""

    def __init__(self, width=128):
        super().__init__()
        self.width = width
        self.bag = torch.nn.EmbeddingBag(
            BUCKETS, width, mode="sum", include_last_offset=True, device=DEVICE)
        self.numbers = self.layers(40, 512, 256, width)
        self.top = self.layers(27 * 27 + width, 1024, 1024, 512, 1)

    @staticmethod
    def layers(*widths):
        pairs = itertools.pairwise(widths)
        parts = [(torch.nn.Linear(*pair, device=DEVICE), torch.nn.ReLU())
                 for pair in pairs]
        return torch.nn.Sequential(*itertools.chain(*parts))

    def forward(self, batch):
        ids, rows = batch["ids"], len(batch["dense"])
        bags = self.bag(ids.values, ids.offsets).view(len(KEYS), rows, self.width)
        numbers = self.numbers(torch.log1p(batch["dense"].abs()))
        vectors = torch.cat([bags.transpose(0, 1), numbers[:, None]], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2)).flatten(1)
        return self.top(torch.cat([products, numbers], 1)).mean()


def check_training(path, threads):
    """A loop of training waits for data less than 2 % of its time: it takes hardly longer
    than the same steps on one batch that stays on the device."""
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=8192, drop_remainder=True,
                               epochs=None, pin_memory=True, threads=threads)
    steps = 150

    def train(batches):
        for batch in itertools.islice(batches, steps):
            optimizer.zero_grad()
            model(batch).backward()
            optimizer.step()

    with hr.torch.cuda_batches(dataset, DEVICE) as batches:
        stays = copied(next(batches), torch.Tensor.clone)[0]
        train(batches)
        pairs = [(seconds(lambda: train(itertools.repeat(stays))),
                  seconds(lambda: train(batches))) for _ in range(5)]
    waits = statistics.median(1 - without / taken for without, taken in pairs)
    report("training waits less than 2 % for data", waits < 0.02,
           share=round(waits, 4), threads=threads,
           ms_per_step=round(statistics.median(t for _, t in pairs) / steps * 1e3, 3))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def check_memory(path, count=10_000, warm=1_000):
    """Memory of host and device is flat over many batches."""
    dataset = hr.torch.Dataset(path, spec=SPEC, batch_size=512, epochs=None,
                               pin_memory=True)

    def now():
        torch.cuda.synchronize()
        gc.collect()
        stats = getattr(torch.cuda, "host_memory_stats", dict)()
        return (resident(), stats.get("allocated_bytes.current", 0),
                torch.cuda.memory_reserved(DEVICE))

    with hr.torch.cuda_batches(dataset, DEVICE) as batches:
        for i, batch in enumerate(itertools.islice(batches, count), 1):
            batch["dense"].sum()
            if i == warm:
                before = now()
        after = now()
    grown = [b - a for a, b in zip(before, after, strict=True)]
    report(f"memory is flat over {count:,} batches", max(grown) < 16 << 20,
           resident_grew=grown[0], pinned_grew=grown[1], device_grew=grown[2],
           resident=after[0], pinned=after[1], device=after[2])


def generate(path, records):
    program = os.environ.get("HEADRACE")
    command = [program] if program else [sys.executable, "-m", "headrace"]
    subprocess.run([*command, "gen", "--shape", "criteo", "--records", str(records),
                    "--quiet", str(path)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=200_000, help="of the file")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    start = time.perf_counter()
    print(json.dumps({"torch": torch.__version__, "headrace": hr.__version__,
                      "device": torch.cuda.get_device_name(DEVICE)}), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "criteo.tfrecord"
        generate(path, options.records)
        check_protection()
        check_places(path)
        check_copies(path)
        check_streams(path)
        check_graph(path)
        check_training(path, options.threads)
        check_memory(path)
    print(json.dumps({"seconds": round(time.perf_counter() - start), "failed": failed}))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
