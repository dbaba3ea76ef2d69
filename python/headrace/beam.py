"""TFRecord files as a PCollection of Arrow record batches.

    import headrace as hr

    with beam.Pipeline() as pipeline:
        (pipeline
         | hr.beam.ReadFromTFRecord("gs://bucket/train-*", columns=["age"])
         | beam.Map(lambda batch: batch.num_rows))

Needs apache-beam and pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow
from apache_beam.io import fileio
from apache_beam.io.filesystem import CompressionTypes, FileMetadata
from apache_beam.io.filesystems import FileSystems
from apache_beam.metrics import Metrics

from headrace import _core
from headrace.errors import HeadraceError, InvalidArgumentError, NotFoundError
from headrace.options import BatchSize, Message
from headrace.reader import _batch_size
from headrace.scan import Scan, check_can_travel

_NAMESPACE = "headrace"


class ReadFromTFRecord(beam.PTransform):
    """Reads TFRecord files of tf.train.Example or SequenceExample.

        >>> batches = pipeline | headrace.beam.ReadFromTFRecord(
        ...     "train-*.tfrecord.gz", schema=schema)

    Gives `pyarrow.RecordBatch`es, laid out as docs/formats/arrow.md says: without
    a spec what tfx_bsl's decoders give. Each file is read by one worker, batch
    after batch; many files are what makes a pipeline parallel.

    Without `spec` and `schema` the columns are found once, from the first
    records, where the pipeline is constructed: the files must be there, and
    readable from there. A feature of which these records show no value has no
    column. With a spec or a schema files are looked for when the pipeline runs.

    Args:
        file_pattern: a path or a pattern of Beam's `FileSystems` (local,
            `gs://` and so on), or a list of these.
        spec, schema, columns, message, sample, sample_bytes: as in
            `headrace.open`.
        batch_size: rows per batch; the last one of a file may be shorter.
        options: `bytes_as`, `compression`, `mmap`, `on_corrupt`,
            `on_row_error` and `verify` of `headrace.open`.

    Counters, in the namespace "headrace": `records` delivered, `skipped_rows`
    and `skipped_regions` left out, and `files`.

    Raises:
        Where the pipeline is constructed: what `headrace.open` raises for its
        arguments, and without `spec` and `schema` for the data. While it runs
        Beam raises an exception of the same class, with file and record in its
        text; local runners have the one with the fields as its `__context__`.
    """

    def __init__(
        self,
        file_pattern: str | Sequence[str],
        *,
        spec: Any = None,
        schema: _core.Schema | None = None,
        columns: Sequence[str] | None = None,
        message: Message = "auto",
        batch_size: BatchSize = 1024,
        sample: int = 10000,
        sample_bytes: int = 16 << 20,
        **options: Any,
    ) -> None:
        super().__init__()
        check_can_travel(options)
        self._patterns = (
            [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
        )
        if not self._patterns:
            raise InvalidArgumentError("no file pattern is given")
        self._batch_size = _batch_size(batch_size)
        is_known = spec is not None or schema is not None or message == "raw"
        paths = None if is_known else _match(self._patterns)
        self._scan = Scan(
            paths,
            spec=spec,
            schema=schema,
            columns=columns,
            message=message,
            sample=sample,
            sample_bytes=sample_bytes,
            filesystem=_filesystem(paths or []),
            **options,
        )

    def expand(
        self, pbegin: beam.pvalue.PBegin
    ) -> beam.PCollection[pyarrow.RecordBatch]:
        return (
            pbegin
            | "Patterns" >> beam.Create(self._patterns)
            | "Match" >> fileio.MatchAll(fileio.EmptyMatchTreatment.DISALLOW)
            | "Spread" >> beam.Reshuffle()
            | "Read" >> beam.ParDo(_ReadFile(self._scan, self._batch_size))
        )

    def display_data(self) -> dict[str, Any]:
        return {"file_pattern": ", ".join(self._patterns)}


@beam.typehints.with_input_types(FileMetadata)
@beam.typehints.with_output_types(pyarrow.RecordBatch)
class _ReadFile(beam.DoFn):
    """Gives the batches of the file that an element names."""

    def __init__(self, scan: Scan, batch_size: BatchSize) -> None:
        super().__init__()
        self._scan = scan
        self._batch_size = batch_size
        self._files = Metrics.counter(_NAMESPACE, "files")
        self._records = Metrics.counter(_NAMESPACE, "records")
        self._rows = Metrics.counter(_NAMESPACE, "skipped_rows")
        self._regions = Metrics.counter(_NAMESPACE, "skipped_regions")

    def process(self, element: FileMetadata) -> Iterator[pyarrow.RecordBatch]:
        try:
            yield from self._read(element.path)
        except HeadraceError as error:
            # Beam raises a new error of this class, made of the first argument
            # and the name of the step.
            error.args = (str(error),)
            raise

    def _read(self, path: str) -> Iterator[pyarrow.RecordBatch]:
        with self._scan.open(
            [path],
            threads=1,  # runners start one worker per processor
            batch_size=self._batch_size,
            filesystem=_filesystem([path]),
        ) as reader:
            for batch in reader:
                self._records.inc(batch.num_rows)
                yield pyarrow.record_batch(batch)
            report = reader.report
        self._files.inc()
        self._rows.inc(report.num_rows)
        self._regions.inc(report.num_regions)


class _BeamFiles:
    """Beam's file systems with the methods of fsspec that `headrace.open` calls."""

    def _strip_protocol(self, path: str) -> str:
        return path

    def exists(self, path: str) -> bool:
        return FileSystems.exists(path)

    def glob(self, path: str) -> list[str]:
        return _match([path])

    def info(self, path: str) -> dict[str, Any]:
        size = FileSystems.get_filesystem(path).size(path)
        return {"type": "file", "size": size}

    def open(self, path: str, mode: str = "rb") -> Any:
        return FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED)

    def cat_file(self, path: str, start: int, end: int) -> bytes:
        with self.open(path) as file:
            file.seek(start)
            return file.read(end - start)


def _filesystem(paths: Sequence[str]) -> _BeamFiles | None:
    """None if all paths are local: the core reads these without Python."""
    if all(FileSystems.get_scheme(path) is None for path in paths):
        return None
    return _BeamFiles()


def _match(patterns: Sequence[str]) -> list[str]:
    """The files of the patterns; NotFoundError if a pattern matches none."""
    paths: list[str] = []
    for pattern in patterns:
        (found,) = FileSystems.match([pattern])
        if not found.metadata_list:
            raise NotFoundError("no file matches", file=pattern)
        paths += sorted(file.path for file in found.metadata_list)
    return paths
