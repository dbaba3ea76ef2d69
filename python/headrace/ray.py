"""Reads TFRecord files as a Ray Dataset.

    import headrace as hr

    dataset = hr.ray.read_tfrecords("train-*.tfrecord.gz", columns=["age"])
    for batch in dataset.iter_batches(batch_format="pyarrow"):
        ...

Needs ray[data] 2.48 or later, and pyarrow.
"""

from headrace.adapters.ray import *  # noqa: F403
