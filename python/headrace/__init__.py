"""headrace: TFRecord files of tf.train.Example and SequenceExample as columns.

    import headrace as hr

    for batch in hr.open("train-*.tfrecord.gz"):      # columns found from the data
        batch["age"].values.numpy()

    spec = {"age": hr.FixedLenFeature([], hr.int64, 0),
            "tags": hr.VarLenFeature(hr.bytes_)}
    for batch in hr.open("train-*.tfrecord.gz", spec=spec, batch_size=256):
        batch["age"].numpy()                          # a view, not a copy

    pyarrow.table(hr.open("x.tfrecord"))              # a reader is an Arrow stream

It needs only numpy. `hr.torch`, `hr.jax`, `hr.polars`, `hr.ray`, `hr.beam`, `hr.spark`
and `hr.grain` are imported on first use; where the package that one of them needs is
not installed, its functions raise `MissingPackageError`. `hr.tfds` is imported on
first use, too, and needs no other package. `from headrace import *` imports all names
except these eight and `open`, which would hide the built-in.
"""

import importlib
import sys
import types
from typing import TYPE_CHECKING

from headrace import _core as _core
from headrace._core import (
    Batch,
    Column,
    JaggedTensor,
    RaggedTensor,
    Schema,
    SparseTensor,
    Tensor,
    build_info,
)
from headrace.dtypes import *  # noqa: F403
from headrace.errors import *  # noqa: F403
from headrace.features import (
    Feature,
    FixedLenFeature,
    FixedLenSequenceFeature,
    Jagged,
    Matrix,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from headrace.functions import (
    Function,
    bucketize,
    clip,
    hash_bucket,
    log1p,
    scale,
    vocabulary,
)
from headrace.parquet import from_parquet, to_parquet
from headrace.plan import Plan
from headrace.reading.batches import Batches
from headrace.reading.dataset import Dataset, RowOrigin
from headrace.reading.index import index
from headrace.reading.mix import Mix, mix
from headrace.reading.opening import open as open
from headrace.reading.order import order
from headrace.reading.parse import (
    decode,
    parse_elwc,
    parse_example,
    parse_sequence_example,
)
from headrace.reading.parts import split
from headrace.reading.read_report import (
    AbsentFeature,
    LateFeature,
    ReadReport,
    SkippedRegion,
)
from headrace.reading.reader import Reader
from headrace.reading.shuffled import ShuffledReader
from headrace.shuffle import Shuffle
from headrace.spec import ElwcSpec, Spec
from headrace.stats import (
    Anomaly,
    Comparison,
    FeatureDifference,
    FeatureStats,
    Remark,
    Stats,
    stats,
)
from headrace.stats.infer import infer_schema, infer_spec
from headrace.stats.vocabulary import CountedKeys, vocabulary_of
from headrace.warnings import *  # noqa: F403
from headrace.writing.webdataset import to_webdataset
from headrace.writing.writer import Writer, encode

__all__ = [
    "AbsentFeature", "AbsentFeatureWarning", "AccessDeniedError", "Anomaly",
    "BadIndexError", "BadPartitionError", "BadSparseIndexError", "BadSpecError",
    "Batch", "Batches", "Bfloat16Warning", "CancelledError", "ChecksumError", "Column", "Comparison",
    "ConnectionFailedError", "CorruptDataError", "CountedKeys", "DType", "DataError", "Dataset",
    "DecompressError", "ElwcSpec", "Feature", "FeatureDifference", "FeatureStats", "FixedLenFeature", "FixedLenSequenceFeature", "Function", "HeadraceError",
    "InvalidArgumentError", "IoError", "IsDirectoryError", "Jagged", "JaggedTensor", "LateFeature",
    "LateFeatureWarning", "LeftOutFileWarning", "LeftOutKeyWarning", "LimitError", "MalformedError", "Matrix", "MissingFeatureError",
    "MissingPackageError", "Mix", "NoCheckpointWarning", "NoSuchFeatureError", "NoSuchRowError",
    "NotFoundError", "NotTfrecordError", "OtherMessageWarning", "OutOfMemoryError", "Plan", "RaggedFeature",
    "RaggedTensor", "ReadReport", "Reader", "Remark", "RowError", "RowOrigin", "Schema",
    "SharedLanesWarning", "Shuffle", "ShuffledReader", "SkippedRegion", "SlowOpeningWarning", "SparseFeature", "SparseTensor",
    "Spec", "SplitSeamError", "StaleIndexWarning", "Stats", "Tensor", "TimedOutError", "TooManyBadError",
    "TruncatedError", "UnevenRanksWarning", "UnfinishedFileWarning", "VarLenFeature", "Writer",
    "WrongCountError", "WrongKindError", "WrongRecordCountError", "bfloat16", "bool_",
    "bucketize", "build_info", "bytes_", "clip", "decode", "encode", "float16", "float32", "float64",
    "from_parquet", "hash_bucket", "index", "infer_schema", "infer_spec", "int16", "int32", "int64",
    "int8", "log1p", "mix", "order", "parse_elwc", "parse_example",
    "parse_sequence_example", "scale", "split", "stats", "to_parquet", "to_webdataset", "uint16", "uint32", "uint64", "uint8",
    "vocabulary", "vocabulary_of",
]

__version__: str = build_info()["version"]

_ADAPTERS = ("beam", "grain", "jax", "polars", "ray", "spark", "torch")

if TYPE_CHECKING:
    from headrace import beam as beam
    from headrace import grain as grain
    from headrace import jax as jax
    from headrace import polars as polars
    from headrace import ray as ray
    from headrace import spark as spark
    from headrace import tfds as tfds
    from headrace import torch as torch
else:

    def __getattr__(name):
        if name == "tfds":
            return importlib.import_module("headrace.tfds")
        if name in _ADAPTERS:
            # This must not fail, since `hasattr`, `help` and `inspect.getmembers` load
            # every adapter.
            try:
                return importlib.import_module(f"headrace.{name}")
            except Exception as error:  # a broken package may raise anything
                from headrace import adapters

                return adapters.stand_in(name, error)
        raise AttributeError(f"module 'headrace' has no attribute {name!r}")

# Modules that have moved, keyed by the names that older pickles contain.
_MOVED = {
    "headrace.apart": "headrace.reading.apart",
    "headrace.batches": "headrace.reading.batches",
    "headrace.dataset": "headrace.reading.dataset",
    "headrace.elwc": "headrace.spec",
    "headrace.files": "headrace.remote.files",
    "headrace.mix": "headrace.reading.mix",
    "headrace.object_store": "headrace.remote.object_store",
    "headrace.torch_map": "headrace.adapters.torch.map_dataset",
}


class _Moved(types.ModuleType):
    """Stands in for a moved module: forwards its names to the new place."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(_MOVED[self.__name__]), name)


sys.modules.update({name: _Moved(name) for name in _MOVED})


def __dir__() -> list[str]:
    return sorted(
        {*__all__, *_ADAPTERS, "open", "tfds", "__all__", "__doc__", "__version__"}
    )
