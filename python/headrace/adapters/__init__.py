"""Adapters for other libraries, and stand-ins for adapters that cannot be imported."""

from __future__ import annotations

import types

from headrace.errors import MissingPackageError

# The packages that each adapter needs, and its public names.
_PACKAGES = {
    "beam": "apache-beam pyarrow",
    "grain": "grain",
    "jax": "jax",
    "polars": "polars",
    "ray": "'ray[data]' pyarrow",
    "spark": "'pyspark>=4' pyarrow",
    "torch": "torch",
}
_NAMES = {
    "beam": ["ReadFromTFRecord", "Stats"],
    "grain": ["DataSource"],
    "jax": ["Batches", "Jagged", "Ragged", "batches", "to_jax"],
    "polars": ["read_tfrecord", "scan_tfrecord"],
    "ray": ["TFRecordDatasource", "read_tfrecords", "stats"],
    "spark": ["DataSource", "register"],
    "torch": [
        "CudaBatches", "Dataset", "Jagged", "MapDataset", "Ragged", "Sampler", "Sparse",
        "Tensors", "cuda_batches", "to_torch",
    ],
}


def stand_in(name: str, error: Exception) -> types.ModuleType:
    """Returns a module in place of an adapter that cannot be imported: its members
    raise MissingPackageError."""
    module = types.ModuleType(
        f"headrace.{name}", f"Cannot be imported here: {type(error).__name__}: {error}"
    )
    for member in _NAMES[name]:
        setattr(module, member, _missing(name, member, error))
    return module


def _missing(adapter: str, member: str, error: Exception) -> type:
    """Returns a stand-in. It is a class, so `isinstance` and annotations still work."""

    def __new__(cls: type, *_: object, **__: object) -> object:
        raise MissingPackageError(
            f"headrace.{adapter}.{member} needs a package that cannot be imported "
            f"({type(error).__name__}: {error}); pip install {_PACKAGES[adapter]}"
        ) from error

    doc = f"Needs {_PACKAGES[adapter]}."
    members = {"__new__": __new__, "__doc__": doc, "__module__": f"headrace.{adapter}"}
    return type(member, (), members)
