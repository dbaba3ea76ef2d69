"""Converts batches to dicts of JAX arrays.

    import headrace as hr

    for batch in hr.jax.batches(hr.open("train-*.tfrecord", spec=spec)):
        loss = step(batch["x"], batch["ids"].values)

Needs jax. The guide is docs/guides/pytorch.md.
"""

from headrace.adapters.jax import *  # noqa: F403
