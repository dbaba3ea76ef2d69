"""Reads TFDS (TensorFlow Datasets) and RLDS folders without TensorFlow.

    import headrace as hr

    info = hr.tfds.info("mnist/3.0.1")
    for batch in hr.tfds.open("mnist/3.0.1", "train[:80%]", batch_size=256):
        batch["image"], batch["label"].numpy()

The guide is docs/guides/tfds.md.
"""

from headrace import _core
from headrace.errors import MissingPackageError

if "tfds" in _core.LEFT_OUT:
    raise MissingPackageError(_core.LEFT_OUT["tfds"])

from headrace.tfds.batch import Batch, Group
from headrace.tfds.dataset import Dataset
from headrace.tfds.folder import Feature, Info, Split, info
from headrace.tfds.reader import Reader
from headrace.tfds.reader import open as open
from headrace.tfds.rows import Ragged
from headrace.tfds.source import Source, Window
from headrace.tfds.steps import StepBatch, StepReader

__all__ = [
    "Batch", "Dataset", "Feature", "Group", "Info", "Ragged", "Reader", "Source",
    "Split", "StepBatch", "StepReader", "Window", "info", "open",
]
