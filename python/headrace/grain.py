"""Reads TFRecord files as a Grain data source.

    import grain.python as grain
    import headrace as hr

    source = hr.grain.DataSource("train-*.tfrecord", spec=spec)
    loader = grain.DataLoader(data_source=source, sampler=..., operations=...)

Needs grain. `grain.MapDataset.source(source)` accepts the source, too.
"""

from headrace.adapters.grain import *  # noqa: F403
