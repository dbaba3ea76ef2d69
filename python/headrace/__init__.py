"""headrace: TFRecord files of tf.train.Example and SequenceExample as columns.

    import headrace as hr

    for batch in hr.open("train-*.tfrecord.gz"):      # columns found from the data
        batch["age"].values.numpy()

    spec = {"age": hr.FixedLenFeature([], hr.int64, 0),
            "tags": hr.VarLenFeature(hr.bytes_)}
    for batch in hr.open("train-*.tfrecord.gz", spec=spec, batch_size=256):
        batch["age"].numpy()                          # a view, not a copy

    pyarrow.table(hr.open("x.tfrecord"))              # a reader is an Arrow stream

Needs numpy alone. `hr.torch`, `hr.jax`, `hr.polars`, `hr.ray` and `hr.beam` are
imported when they are first used.
"""

import importlib as _importlib

from headrace import _core
from headrace._core import (
    Batch,
    Column,
    RaggedTensor,
    Schema,
    SparseTensor,
    Tensor,
    build_info,
)
from headrace.dtypes import *  # noqa: F403
from headrace.errors import *  # noqa: F403
from headrace.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from headrace.infer import infer_schema, infer_spec
from headrace.parse import decode, parse_example, parse_sequence_example
from headrace.plan import Plan
from headrace.reader import LateFeature, Reader, ReadReport, SkippedRegion, open
from headrace.spec import Spec
from headrace.writer import Writer, encode

__version__ = build_info()["version"]

_ADAPTERS = ("beam", "jax", "polars", "ray", "torch")


def __getattr__(name):
    if name in _ADAPTERS:
        return _importlib.import_module(f"headrace.{name}")
    raise AttributeError(f"module 'headrace' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_ADAPTERS})
