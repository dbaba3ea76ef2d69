#!/usr/bin/env python3
"""Memory of the workers of a DataLoader over epochs of a large folder of RLDS.

The folder is as large as --gib says, and takes little of the disk: its files are hard
links to a few distinct ones. After each epoch the resident memory of each worker is
printed, and at the end the greatest change since the first epoch; the exit code is 1
if that is more than --most percent. Needs headrace, torch and numpy:

    PYTHONPATH=build/python python bench/rlds_memory.py
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DISTINCT = 16  # files


def make_folder(program, folder, gib, mib):
    """A folder of so many GiB, of files of about so many MiB."""
    few = folder / "few"
    episodes = max(1, mib * 3) * DISTINCT  # one has about a third of a MiB
    subprocess.run([program, "gen", "--quiet", "--shape", "robot", "--shards",
                    str(DISTINCT), "--records", str(episodes), "-o", str(few)],
                   check=True)
    info = json.loads((few / "dataset_info.json").read_text(encoding="utf-8"))
    (split,) = info["splits"]
    files = sorted(few.glob("*tfrecord*"))
    size = sum(path.stat().st_size for path in files)
    times = max(1, round(gib * (1 << 30) / size))
    many = folder / "robot" / "1.0.0"
    many.mkdir(parents=True)
    count = times * DISTINCT
    for number in range(count):
        os.link(files[number % DISTINCT],
                many / f"robot-train.tfrecord-{number:05}-of-{count:05}")
    split["shardLengths"] *= times
    split["numBytes"] = str(int(split["numBytes"]) * times)
    (many / "dataset_info.json").write_text(json.dumps(info), encoding="utf-8")
    os.link(few / "features.json", many / "features.json")
    return many, times * size


def workers():
    """The processes that this one has started, by their memory in MiB."""
    found = {}
    children = pathlib.Path(f"/proc/self/task/{os.getpid()}/children")
    for pid in children.read_text(encoding="ascii").split():
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        fields = dict(line.split(":", 1) for line in status.splitlines())
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
        if "resource_tracker" not in command and "VmRSS" in fields:
            found[int(pid)] = int(fields["VmRSS"].split()[0]) / 1024
    return found


def measure(folder, options):
    """MiB of each worker after each epoch."""
    import headrace as hr
    from torch.utils.data import DataLoader
    source = hr.tfds.Source(folder, "train", window=options.window)
    dataset = hr.torch.Dataset(source, batch_size=options.batch,
                               shuffle=hr.Shuffle(1))
    loader = DataLoader(dataset, batch_size=None, num_workers=options.workers,
                        persistent_workers=True)
    seen = []
    for epoch in range(options.epochs):
        dataset.set_epoch(epoch)
        start, rows = time.perf_counter(), 0
        for batch in loader:
            rows += len(batch["reward"])
        seen.append(list(workers().values()))
        shown = "  ".join(f"{mib:7.1f}" for mib in seen[-1])
        print(f"epoch {epoch}: {rows:,} windows in {time.perf_counter() - start:.0f} s; "
              f"MiB of the workers: {shown}", flush=True)
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gib", type=float, default=20, help="of all files (default 20)")
    parser.add_argument("--mib", type=int, default=32, help="of a file (default 32)")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--window", type=int, default=4, help="steps (default 4)")
    parser.add_argument("--batch", type=int, default=64, help="windows (default 64)")
    parser.add_argument("--most", type=float, default=5, help="percent (default 5)")
    parser.add_argument("--headrace", default=ROOT / "build/src/cli/headrace")
    parser.add_argument("--folder", type=pathlib.Path,
                        help="for the files (default: a temporary one)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="headrace-rlds-", dir=options.folder) as name:
        folder, size = make_folder(str(options.headrace), pathlib.Path(name),
                                   options.gib, options.mib)
        print(f"{size / (1 << 30):.1f} GiB in {folder}", flush=True)
        first, *later = measure(folder, options)
    change = max((100 * abs(now - then) / then
                  for epoch in later for then, now in zip(first, epoch)), default=0)
    print(f"greatest change after the first epoch: {change:.1f} %")
    sys.exit(change > options.most)


if __name__ == "__main__":
    main()
