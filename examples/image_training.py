#!/usr/bin/env python3
"""Trains on shuffled images, stops in the middle of an epoch, and resumes.

    python examples/image_training.py --workers 2 --workers-after 1

Makes TFRecord files of small images, trains a model with PyTorch in DataLoader
workers, saves a checkpoint and ends. Then it resumes from the checkpoint with another
number of workers, and checks that each epoch had every row exactly once. Needs
headrace and torch.

The images are raw bytes, which the spec turns into arrays. For PNG or JPEG give the
feature the shape [] and no `as_`, and decode it in the `transform=` of MapDataset,
which runs in the workers.
"""

import argparse
import pathlib
import tempfile

import headrace as hr
import numpy
import torch
from torch.utils.data import DataLoader

SIDE = 16
SPEC = {
    "id": hr.FixedLenFeature([], hr.int64),
    "label": hr.FixedLenFeature([], hr.int64),
    "image": hr.FixedLenFeature([SIDE, SIDE, 3], hr.bytes_, as_=hr.uint8),
}

# The epoch of each batch that was used, and the ids of its rows.
Seen = list[tuple[int, list[int]]]


def write_files(folder: pathlib.Path, num_files: int, num_records: int) -> str:
    """Writes images with one brighter quarter; the label says which."""
    random = numpy.random.default_rng(1)
    half = SIDE // 2
    for number in range(num_files):
        with hr.Writer(folder / f"images-{number:02}.tfrecord") as writer:
            for i in range(num_records):
                # Sorted by label, as data often is: it must be shuffled.
                label = 4 * i // num_records
                image = random.integers(0, 240, (SIDE, SIDE, 3), dtype=numpy.uint8)
                top, left = half * (label // 2), half * (label % 2)
                image[top:top + half, left:left + half] += 15
                writer.write(
                    {
                        "id": number * num_records + i,
                        "label": label,
                        "image": image.tobytes(),
                    }
                )
    files = str(folder / "images-*.tfrecord")
    hr.index(files)  # with it, a dataset opens immediately
    return files


def train(
    files: str,
    checkpoint: pathlib.Path,
    *,
    epochs: int,
    workers: int,
    stop_after: int | None = None,
) -> Seen:
    """Trains to the end, or saves a checkpoint after `stop_after` batches.

    Resumes from the checkpoint, if there is one.
    """
    torch.manual_seed(1)
    rows = hr.torch.MapDataset(files, spec=SPEC)
    # "uneven": the last batch of an epoch is short, and no row is dropped.
    sampler = hr.torch.Sampler(rows, 64, shuffle=True, seed=7, end="uneven")
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(),
        torch.nn.LazyLinear(4),
    )
    model(torch.zeros(1, 3, SIDE, SIDE))  # the last layer learns its size
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        sampler.load_state_dict(saved["data"])
        print(f"resuming at {saved['data']} with {workers} workers")
    # The sampler decides which rows make a batch, hence no batch size.
    loader = DataLoader(rows, batch_size=None, sampler=sampler, num_workers=workers)
    seen: Seen = []
    while (epoch := sampler.epoch) < epochs:
        losses = []
        for used, batch in enumerate(loader, 1):
            images = batch["image"].permute(0, 3, 1, 2) / 255
            loss = torch.nn.functional.cross_entropy(model(images), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            seen.append((epoch, batch["id"].tolist()))
            if len(seen) == stop_after:
                # Workers have read ahead; those batches are read again.
                data = sampler.state_dict(batches=used)
                torch.save(
                    {
                        "model": model.state_dict(),
                        "optimizer": optimizer.state_dict(),
                        "data": data,
                    },
                    checkpoint,
                )
                return seen
        # After a checkpoint of the last batch, nothing is left of the epoch.
        if losses:
            print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}")
    return seen


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--workers-after", type=int, default=1, help="after resuming")
    parser.add_argument("--files", type=int, default=3)
    parser.add_argument("--records", type=int, default=500, help="in each file")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = write_files(folder, options.files, options.records)
        num_rows = options.files * options.records
        # One and a half epochs, of batches of 64 rows.
        stop_after = num_rows * 3 // 2 // 64
        checkpoint = folder / "checkpoint.pt"
        seen = train(
            files, checkpoint, epochs=options.epochs, workers=options.workers,
            stop_after=stop_after,
        )
        seen += train(
            files, checkpoint, epochs=options.epochs, workers=options.workers_after
        )
    for epoch in range(options.epochs):
        ids = sorted(i for of, batch in seen for i in batch if of == epoch)
        assert ids == list(range(num_rows)), f"epoch {epoch} has other rows"
    print(f"each of {options.epochs} epochs had each of {num_rows} rows once")


if __name__ == "__main__":
    main()
