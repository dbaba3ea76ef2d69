"""Reads TFRecord files as a PyTorch dataset.

    import headrace as hr
    from torch.utils.data import DataLoader

    dataset = hr.torch.Dataset("train-*.tfrecord", spec=spec, batch_size=256)
    for batch in DataLoader(dataset, batch_size=None, num_workers=2):
        loss = model(batch["age"], batch["tags"])

Needs torch. The guide is docs/guides/pytorch.md.
"""

from headrace.adapters.torch import *  # noqa: F403
