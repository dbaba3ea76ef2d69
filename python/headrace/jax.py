"""Batches as dicts of JAX arrays.

    import headrace as hr

    for batch in hr.jax.batches(hr.open("train-*.tfrecord", spec=spec)):
        loss = step(batch["x"], batch["ids"].values)

It needs jax; docs/guides/pytorch.md is its guide.
"""

from headrace.adapters.jax import *  # noqa: F403
