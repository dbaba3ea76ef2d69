#!/usr/bin/env python3
"""Trains a policy on RLDS episodes of a robot.

    python examples/rlds_policy.py

`headrace gen --shape robot` writes the folder; any TFDS folder with such steps works.
Rows are windows of steps, which never cross episodes: what the robot saw in the
last steps, and what it did then. Needs headrace and torch.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
from typing import Any

import headrace as hr
import torch
from torch.utils.data import DataLoader

COLUMNS = [
    "steps/observation/state", "steps/action", "steps/language_instruction",
    "steps/is_last",
]
WINDOW = 4
JOINTS = 7
# The size of the hash space of words.
VOCABULARY = 64


def words(instructions: list[bytes]) -> torch.Tensor:
    """Counts the words of each instruction: [instructions, VOCABULARY]."""
    counts = torch.zeros(len(instructions), VOCABULARY)
    for row, text in zip(counts, instructions):
        for word in text.split():
            row[sum(word) % VOCABULARY] += 1
    return counts


def prepare(batch: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns what the policy sees and what it should do; runs in the workers."""
    # The policy learns the last step of a window from it and the steps before.
    states = batch["observation"]["state"]
    instructions = [window[-1] for window in batch["language_instruction"]]
    seen = torch.cat([states.flatten(1), words(instructions)], 1)
    # An action in the last step of an episode means nothing.
    wanted = batch["action"][:, -1]
    used = ~batch["is_last"][:, -1]
    return seen[used], wanted[used]


def windows(
    folder: pathlib.Path, split: str, batch_size: int, shuffle: hr.Shuffle | None
) -> hr.torch.Dataset:
    source = hr.tfds.Source(
        folder, split, columns=COLUMNS, window=hr.tfds.Window(WINDOW, padding="before")
    )
    return hr.torch.Dataset(
        source, batch_size=batch_size, shuffle=shuffle, transform=prepare
    )


def mean_loss(model: torch.nn.Module, loader: DataLoader) -> float:
    with torch.no_grad():
        losses = [
            torch.nn.functional.mse_loss(model(seen), wanted).item()
            for seen, wanted in loader
        ]
    return float(sum(losses)) / len(losses)


def train(folder: pathlib.Path, *, epochs: int, workers: int, batch_size: int) -> None:
    torch.manual_seed(1)
    dataset = windows(folder, "train[:90%]", batch_size, hr.Shuffle(1))
    loader = DataLoader(dataset, batch_size=None, num_workers=workers)
    held_out = DataLoader(
        windows(folder, "train[90%:]", batch_size, None), batch_size=None
    )
    model = torch.nn.Sequential(
        torch.nn.Linear(WINDOW * JOINTS + VOCABULARY, 128), torch.nn.ReLU(),
        torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Linear(128, JOINTS),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    print(f"before: loss of other episodes {mean_loss(model, held_out):.5f}")
    for epoch in range(epochs):
        dataset.set_epoch(epoch)
        for seen, wanted in loader:
            loss = torch.nn.functional.mse_loss(model(seen), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss of other episodes {mean_loss(model, held_out):.5f}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", help="of RLDS (default: one is made)")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--episodes", type=int, default=100, help="of the folder made")
    parser.add_argument("--headrace", default=os.environ.get("HEADRACE", "headrace"),
                        help="the program, which makes a folder")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder
        if folder is None:
            folder = pathlib.Path(name) / "robot" / "1.0.0"
            subprocess.run(
                [options.headrace, "gen", "--quiet", "--shape", "robot", "--records",
                 str(options.episodes), "-o", str(folder)],
                check=True,
            )
        print(hr.tfds.info(folder).features)
        train(
            folder, epochs=options.epochs, workers=options.workers,
            batch_size=options.batch_size,
        )


if __name__ == "__main__":
    main()
