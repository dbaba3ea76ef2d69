#!/usr/bin/env python3
"""Fits a line with JAX to records of a TFRecord file that it writes itself.

    python examples/jax_batches.py --epochs 5

Needs headrace and jax.
"""

import argparse
import pathlib
import tempfile
from typing import Any

import headrace as hr
import jax
import jax.numpy as jnp
import numpy

Weights = dict[str, Any]

SPEC = {
    "x": hr.FixedLenFeature([3], hr.float32),
    "y": hr.FixedLenFeature([], hr.float32),
}


def write_file(path: pathlib.Path) -> None:
    """Writes records of y = x . (1, 2, 3) + 4, with a little noise."""
    random = numpy.random.default_rng(1)
    with hr.Writer(path) as writer:
        for x in random.normal(size=(2000, 3)):
            y = x @ [1, 2, 3] + 4 + random.normal(scale=0.01)
            writer.write({"x": x, "y": y})


@jax.jit
def step(weights: Weights, x: jax.Array, y: jax.Array) -> tuple[Weights, jax.Array]:
    def loss_of(weights: Weights) -> jax.Array:
        return jnp.mean((x @ weights["w"] + weights["b"] - y) ** 2)

    loss, slopes = jax.value_and_grad(loss_of)(weights)
    return jax.tree.map(lambda w, slope: w - 0.1 * slope, weights, slopes), loss


def main(arguments: list[str] | None = None) -> Weights:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=5)
    epochs = parser.parse_args(arguments).epochs
    weights = {"w": jnp.zeros(3), "b": jnp.zeros(())}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "line.tfrecord")
        write_file(path)
        for epoch in range(epochs):
            # All batches have one size, so JAX compiles step once.
            reader = hr.open(path, spec=SPEC, batch_size=128, drop_remainder=True)
            loss = jnp.zeros(())
            for batch in hr.jax.batches(reader):
                weights, loss = step(weights, batch["x"], batch["y"])
            print(f"epoch {epoch}: loss {loss:.6f}")
    print("w =", weights["w"].round(2), "b =", weights["b"].round(2))
    return weights


if __name__ == "__main__":
    main()
