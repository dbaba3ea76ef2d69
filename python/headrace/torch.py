"""Reads TFRecord files as a dataset of PyTorch.

    import headrace as hr
    from torch.utils.data import DataLoader

    dataset = hr.torch.Dataset("train-*.tfrecord", spec=spec, batch_size=256)
    for batch in DataLoader(dataset, batch_size=None, num_workers=2):
        loss = model(batch["age"], batch["tags"])

It needs torch; docs/guides/pytorch.md is its guide.
"""

from headrace.adapters.torch import *  # noqa: F403
