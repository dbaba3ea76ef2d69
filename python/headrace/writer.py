"""Writing records: dicts or Arrow in, TFRecord out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from headrace import _core


def encode(record_batch: Any, *, allow_narrowing: bool = False) -> list[bytes]:
    """Serializes the rows of an Arrow record batch.

    The inverse of `decode`: `list<T>` columns of integers, floats or bytes are
    features; null is a feature that is absent, an empty list one without values;
    columns inside a struct `##SEQUENCE##` are feature lists.

        >>> records = headrace.encode(pyarrow.record_batch({"age": [[37], None]}))

    Args:
        record_batch: what has `__arrow_c_array__` of a struct: a pyarrow or
            nanoarrow record batch, a headrace `Batch`.
        allow_narrowing: round float64 to float32, which is what features hold;
            otherwise a column of float64 is an error.

    Returns:
        One serialized `tf.train.Example` (or `SequenceExample`) a row, keys
        sorted.

    Raises:
        InvalidArgumentError: a column has another type, or a value that a
            feature cannot hold; names column and row.
    """
    return _core.encode(record_batch, allow_narrowing)


class Writer:
    """Writes a TFRecord file, which gets its name when it is complete.

        >>> with headrace.Writer("out.tfrecord.gz", compression="gzip") as writer:
        ...     writer.write({"age": 37, "name": "Ada", "scores": [1.5, 2.0]})

    Inside `with`, an exception leaves no file behind. For one thread at a time.

    Args:
        path: a local file; "-" is standard output.
        compression: "none", "gzip", "zlib", "snappy", "zstd"; "auto" goes by the
            end of the name: .gz, .zz, .zst.
        fsync: force the data to the disk before the file gets its name.

    Raises:
        NotFoundError, IoError: the file cannot be written.
    """

    _BY_SUFFIX = {".gz": "gzip", ".zz": "zlib", ".zst": "zstd"}

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        compression: str = "auto",
        fsync: bool = False,
    ) -> None:
        name = os.fspath(path)
        if compression == "auto":
            suffix = os.path.splitext(name)[1]
            compression = self._BY_SUFFIX.get(suffix, "none")
        self._writer = _core.RecordWriter(os.fsencode(name), compression, fsync)

    def write(
        self,
        record: bytes | Mapping[str, Any],
        feature_lists: Mapping[str, Any] | None = None,
    ) -> None:
        """Appends one record.

        Args:
            record: a serialized message, or a mapping of names to features: a
                value, a list of them, an array of numpy, or None. Integers and
                bools are an int64_list, floats a float_list, bytes and str a
                bytes_list.
            feature_lists: makes the record a SequenceExample, of which `record`
                is the context: for each name the list of its steps.

        Raises:
            TypeError, OverflowError: a value that no feature can hold.
        """
        if not isinstance(record, (bytes, Mapping)):
            raise TypeError(
                "a record is bytes or a mapping of names to features, not a "
                f"{type(record).__name__}"
            )
        if feature_lists is not None:
            if not isinstance(record, Mapping) or not isinstance(
                feature_lists, Mapping
            ):
                raise TypeError("context and feature_lists are mappings")
            record = _core.serialize_sequence_example(
                dict(record), dict(feature_lists)
            )
        elif not isinstance(record, bytes):
            record = _core.serialize_example(dict(record))
        self._writer.write(record)

    def write_batch(
        self, record_batch: Any, *, allow_narrowing: bool = False
    ) -> None:
        """Appends the rows of an Arrow record batch; see `encode`."""
        self._writer.write_batch(record_batch, allow_narrowing)

    @property
    def num_records(self) -> int:
        """Records written so far."""
        return self._writer.num_records

    def close(self) -> None:
        """Finishes the file and gives it its name."""
        self._writer.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._writer.discard()
