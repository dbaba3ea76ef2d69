#!/usr/bin/env python3
"""Trains a small model with PyTorch on TFRecord files that it writes itself.

    python examples/pytorch_training.py --epochs 4 --workers 2

People have an age, two scores and the ids of the films they liked; the model
learns whether they will like another one. Needs headrace and torch.
"""

import argparse
import pathlib
import tempfile
from typing import Any

import headrace as hr
import numpy
import torch
from torch.utils.data import DataLoader

NUM_FILMS = 200
SPEC = {
    "age": hr.FixedLenFeature([], hr.int64),
    "scores": hr.FixedLenFeature([2], hr.float32),
    "films": hr.RaggedFeature(hr.int64),
    "label": hr.FixedLenFeature([], hr.float32),
}


def write_files(folder: pathlib.Path, num_files: int, num_records: int) -> str:
    """Writes files of records; returns a glob of them."""
    random = numpy.random.default_rng(1)
    taste = random.normal(size=NUM_FILMS)
    for i in range(num_files):
        with hr.Writer(folder / f"train-{i:02}.tfrecord.gz") as writer:
            for _ in range(num_records):
                films = random.integers(0, NUM_FILMS, random.integers(0, 12))
                scores = random.normal(size=2)
                likes = taste[films].sum() + scores[0] - scores[1] > 0
                writer.write(
                    {
                        "age": int(random.integers(18, 90)),
                        "scores": scores,
                        "films": films,
                        "label": float(likes),
                    }
                )
    return str(folder / "train-*.tfrecord.gz")


class Model(torch.nn.Module):
    """Computes the odds, [B], from dense features and a bag of embedded ids."""

    def __init__(self) -> None:
        super().__init__()
        self.films = torch.nn.EmbeddingBag(
            NUM_FILMS, 8, mode="sum", include_last_offset=True
        )
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(8 + 3, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)
        )

    def forward(self, batch: dict[str, Any]) -> torch.Tensor:
        films = self.films(batch["films"].values, batch["films"].offsets)
        age = batch["age"].unsqueeze(1) / 100
        dense = torch.cat([age, batch["scores"], films], dim=1)
        return self.layers(dense).squeeze(1)


def train(files: str, epochs: int, workers: int) -> list[float]:
    """Returns the mean loss of each epoch."""
    torch.manual_seed(1)
    dataset = hr.torch.Dataset(files, spec=SPEC, batch_size=128)
    loader = DataLoader(
        dataset,
        batch_size=None,  # the dataset makes the batches
        num_workers=workers,
        persistent_workers=workers > 0,
    )
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loss_of = torch.nn.BCEWithLogitsLoss()
    means = []
    for epoch in range(epochs):
        losses = []
        for batch in loader:
            loss = loss_of(model(batch), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        means.append(sum(losses) / len(losses))
        print(f"epoch {epoch}: loss {means[-1]:.4f} over {len(losses)} batches")
    return means


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--records", type=int, default=2000, help="in each file")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(pathlib.Path(folder), options.files, options.records)
        return train(files, options.epochs, options.workers)


if __name__ == "__main__":
    main()
