"""`headrace.polars`: a Polars IO source of TFRecord files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import polars as pl
from polars.io.plugins import register_io_source

from headrace.options import PartOptions
from headrace.reading.reader import Reader
from headrace.reading.scan import SEQUENCE, Scan

__all__ = ["read_tfrecord", "scan_tfrecord"]

# Rows per frame: a larger frame may not fit the processor's cache.
_MAX_ROWS = 8192


def scan_tfrecord(
    paths: Any,
    *,
    threads: int | None = None,
    **options: Unpack[PartOptions],
) -> pl.LazyFrame:
    """Returns a query over TFRecord files of tf.train.Example or SequenceExample.

        >>> frame = headrace.polars.scan_tfrecord(
        ...     "train-*.tfrecord", spec={"age": hr.FixedLenFeature([], hr.int64)})
        >>> frame.select(pl.col("age").mean()).collect()

    Columns are laid out as docs/formats/arrow.md says, feature lists as the
    struct `##SEQUENCE##`. Without `spec` and `schema` the columns are found
    immediately, from the first records; a feature of which these show no value has
    no column. The files are read when the query runs: only the columns that it
    needs, and no more rows than it asks for; rows are filtered as they are read. With
    on_row_error="skip" all columns are decoded, so that every query of the scan has
    the same rows.

    Args:
        paths: a path, a glob, a shard set `name@16`, a URL that fsspec knows, or
            a list of these.
        threads: as in `headrace.open`.
        options: the options of `headrace.open` that mean the same for a part as for
            the whole, the `PartOptions` of headrace.options.

    Raises:
        The same exceptions as `headrace.open`, here and from the query. Damage in the
        records from which columns are found is raised here.
    """
    source = _Source(
        Scan(paths, **options),
        threads,
        skips_rows=options.get("on_row_error") == "skip",
    )
    return register_io_source(source.frames, schema=source.schema, is_pure=True)


def read_tfrecord(paths: Any, **arguments: Any) -> pl.DataFrame:
    """Reads the files into a DataFrame; the arguments are those of `scan_tfrecord`."""
    return scan_tfrecord(paths, **arguments).collect()


class _Source:
    """Yields the frames of a query to Polars."""

    def __init__(
        self, scan: Scan, threads: int | None, skips_rows: bool = False
    ) -> None:
        self._scan = scan
        self._threads = threads
        self._skips_rows = skips_rows
        # Polars looks up columns in the schema before anything is read.
        scan.check_sample()
        with scan.open(threads=1) as reader:
            self.schema = pl.Schema(reader)
            empty = reader.plan.decode([])
            self._is_raw = reader.message == "raw"
        self._features = list(empty.context)
        self._feature_lists = list(empty.sequence)

    def frames(
        self,
        names: list[str] | None,
        predicate: pl.Expr | None,
        num_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        """Yields frames of the columns `names` and the first `num_rows` rows, filtered
        by `predicate`."""
        left = num_rows
        with self._open(names, num_rows, batch_size) as reader:
            while left is None or left > 0:
                batch = next(reader, None)
                if batch is None:
                    return
                # pl.DataFrame(batch) would read the Mapping, without ##SEQUENCE##.
                frame = pl.Series(batch).struct.unnest()
                if left is not None:
                    frame = frame.head(left)
                    left -= frame.height
                if names is not None:
                    frame = _selected(frame, names)
                yield frame if predicate is None else frame.filter(predicate)

    def _open(
        self, names: list[str] | None, num_rows: int | None, batch_size: int | None
    ) -> Reader:
        sizes = [_MAX_ROWS, batch_size or _MAX_ROWS]
        if num_rows is not None:
            sizes.append(max(1, num_rows))
        arguments = {"batch_size": min(sizes), "threads": self._threads}
        # Polars chooses the columns, but its choice must not decide which rows are
        # skipped.
        if names is not None and not self._is_raw and not self._skips_rows:
            arguments["columns"] = self._columns(names)
            arguments["verify_unselected"] = False
        return self._scan.open(**arguments)

    def _columns(self, names: list[str]) -> list[str] | None:
        columns = [name for name in names if name in self._features]
        if SEQUENCE in names:
            columns += self._feature_lists
        # A query that only counts rows decodes one column, to find malformed rows.
        return columns or [*self._features, *self._feature_lists][:1] or None


def _selected(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    # Without columns, `select` does not keep the number of rows.
    return frame.select(names) if names else frame.drop(frame.columns)
