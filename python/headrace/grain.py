"""Reads TFRecord files as a data source of Grain.

    import grain.python as grain
    import headrace as hr

    source = hr.grain.DataSource("train-*.tfrecord", spec=spec)
    loader = grain.DataLoader(data_source=source, sampler=..., operations=...)

It needs grain; `grain.MapDataset.source(source)` takes it, too.
"""

from headrace.adapters.grain import *  # noqa: F403
