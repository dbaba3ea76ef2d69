"""`headrace.beam`: a source of record batches and a combiner of statistics for Beam."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, Unpack

import apache_beam as beam
import pyarrow
from apache_beam.io import fileio
from apache_beam.io.filesystem import CompressionTypes, FileMetadata
from apache_beam.io.filesystems import FileSystems
from apache_beam.io.iobase import (
    BoundedSource,
    SDFBoundedSourceReader,
    SourceBundle,
)
from apache_beam.io.range_trackers import OffsetRangeTracker
from apache_beam.io.restriction_trackers import OffsetRange
from apache_beam.metrics import Metrics

from headrace import _core
from headrace.errors import HeadraceError, InvalidArgumentError, NotFoundError
from headrace.file_ranges import FileRanges
from headrace.options import BatchSize, PartOptions
from headrace.reading.read_report import ReadReport
from headrace.reading.reader import Reader
from headrace.reading.scan import Scan, check_can_travel
from headrace.stats import Stats as Counted
from headrace.stats import counting_options, merged

__all__ = ["ReadFromTFRecord", "Stats"]

_NAMESPACE = "headrace"
_FILES = Metrics.counter(_NAMESPACE, "files")
_RECORDS = Metrics.counter(_NAMESPACE, "records")
_SKIPPED_ROWS = Metrics.counter(_NAMESPACE, "skipped_rows")
_SKIPPED_REGIONS = Metrics.counter(_NAMESPACE, "skipped_regions")

# Minimum size in bytes of the ranges into which a file is cut before it is read;
# smaller files are not cut. Each range reads at three places of its file, and Beam's
# file systems read 16 MiB each time.
_MIN_BYTES = 16 << 20
_MIN_REMOTE_BYTES = 64 << 20
_NO_END = OffsetRangeTracker.OFFSET_INFINITY


class ReadFromTFRecord(beam.PTransform):
    """Reads TFRecord files of tf.train.Example or SequenceExample.

        >>> batches = pipeline | headrace.beam.ReadFromTFRecord(
        ...     "train-*.tfrecord.gz", schema=schema)

    Produces `pyarrow.RecordBatch`es, laid out as docs/formats/arrow.md says; without
    a spec this is the layout of tfx_bsl's decoders. Uncompressed files, and compressed
    files that `headrace.split` can cut, are cut into ranges of bytes, which runners
    may cut further while they are read. All other files, and small ones, are read by
    one worker each. So is every file with on_corrupt="rescan".

    Without `spec` and `schema` the columns are found once, from the first records, in
    the process that constructs the pipeline: the files must already exist, and this
    process must be able to read them. A feature of which these records show no value
    has no column. With a spec or a schema, the files are looked for only when the
    pipeline runs.

    Args:
        file_pattern: a path or a pattern of Beam's `FileSystems` (local,
            `gs://` and so on), or a list of these.
        batch_size: rows per batch; the last batch of a range may be shorter.
        splittable: False to read each file by one worker. The error
            `SplitSeamError` asks for this if a record holds a TFRecord file.
        options: the options of `headrace.open` that mean the same for a part as for
            the whole, the `PartOptions` of headrace.options.

    Counters, in the namespace "headrace": `records` delivered, `skipped_rows`
    and `skipped_regions` left out, and `files`.

    Raises:
        Where the pipeline is constructed: the same exceptions as `headrace.open` for
        its arguments and, without `spec` and `schema`, for the data. While it runs,
        Beam raises an exception of the same class, with file and record in its
        text; with local runners its `__context__` is the exception with the fields.
    """

    def __init__(
        self,
        file_pattern: str | Sequence[str],
        *,
        batch_size: BatchSize = 1024,
        splittable: bool = True,
        **options: Unpack[PartOptions],
    ) -> None:
        super().__init__()
        check_can_travel(options)
        self._ranges = file_pattern if isinstance(file_pattern, FileRanges) else None
        if isinstance(file_pattern, FileRanges):
            self._patterns = list(file_pattern.files)
        elif isinstance(file_pattern, str):
            self._patterns = [file_pattern]
        else:
            self._patterns = list(file_pattern)
        if not self._patterns:
            raise InvalidArgumentError("no file pattern is given")
        _core.check_options({"batch_size": batch_size})
        self._batch_size = batch_size
        self._splittable = splittable
        is_known = options.get("message") == "raw" or any(
            options.get(name) is not None for name in ("spec", "schema")
        )
        paths: Any = None
        if not is_known:
            paths = self._ranges or _match(self._patterns)
        self._scan = Scan(paths, filesystem=_filesystem(_names(paths)), **options)

    def expand(
        self, pbegin: beam.pvalue.PBegin
    ) -> beam.PCollection[pyarrow.RecordBatch]:
        if self._ranges is not None:
            return (
                pbegin
                | "Ranges" >> beam.Create(self._ranges.each())
                | "Spread" >> beam.Reshuffle()
                | "Read" >> beam.FlatMap(
                    _read_ranges, self._scan, self._batch_size
                ).with_output_types(pyarrow.RecordBatch)
            )
        return (
            pbegin
            | "Patterns" >> beam.Create(self._patterns)
            | "Match" >> fileio.MatchAll(fileio.EmptyMatchTreatment.DISALLOW)
            | "Data" >> beam.Filter(_is_data)
            | "Spread" >> beam.Reshuffle()
            | "Open" >> beam.Map(
                _source_of, self._scan, self._batch_size, self._splittable
            )
            | "Read" >> SDFBoundedSourceReader().with_output_types(
                pyarrow.RecordBatch
            )
        )

    def display_data(self) -> dict[str, Any]:
        return {"file_pattern": ", ".join(self._patterns)}


class Stats(beam.CombineFn):
    """Combines records into their statistics, a `headrace.Stats`.

        >>> stats = (pipeline
        ...          | headrace.beam.ReadFromTFRecord(files, message="raw")
        ...          | beam.CombineGlobally(headrace.beam.Stats()))

    The elements are serialized messages, or record batches of `ReadFromTFRecord` with
    message="raw" or without a spec. Features that the record batches lack, such as
    those that were not read, have no statistics. A `LateFeatureWarning` says how many
    Examples had feature lists, which were left out.

    Args:
        message: "example" or "sequence".
        features, by, schema, pictures: as in `headrace.stats`.
    """

    def __init__(
        self, *, message: Literal["example", "sequence"] = "example", **options: Any
    ) -> None:
        super().__init__()
        # A schema that is a path is read here: workers may be on other machines.
        self._options = counting_options(message=message, **options)
        self.create_accumulator()  # refuses wrong options

    def create_accumulator(self) -> Counted:
        return Counted(_core.FeatureStats(self._options))

    def add_input(self, accumulator: Counted, element: Any) -> Counted:
        records = [element] if isinstance(element, bytes) else _records_of(element)
        accumulator._counts.add_records(records)
        return accumulator

    def merge_accumulators(self, accumulators: Iterable[Counted]) -> Counted:
        return merged(accumulators)

    def extract_output(self, accumulator: Counted) -> Counted:
        accumulator._counts.tell()
        return accumulator


def _records_of(batch: pyarrow.RecordBatch) -> Any:
    """Returns the serialized messages of a batch."""
    kind = batch.schema.field(0).type if batch.num_columns == 1 else None
    if batch.schema.names == ["payload"] and not pyarrow.types.is_nested(kind):
        return batch.column(0)
    return _core.encode(batch, False)


class _FileSource(BoundedSource):
    """The batches of a file; read by byte ranges if the file has random access.

    A row belongs to the range in which its record begins. Positions are offsets of
    records in the uncompressed file. `size` is the size of the stored file, 0 if
    not known.
    """

    def __init__(
        self,
        scan: Scan,
        batch_size: BatchSize,
        path: str,
        size: int,
        splittable: bool,
    ) -> None:
        super().__init__()
        self._scan = scan
        self._batch_size = batch_size
        self._path = path
        self._size = size
        is_local = _filesystem([path]) is None
        self._min_bytes = _MIN_BYTES if is_local else _MIN_REMOTE_BYTES
        # The end of the last range; _NO_END if there is one range. None: not known yet.
        self._end = None if splittable and size >= self._min_bytes else _NO_END

    def estimate_size(self) -> int:
        return self._size

    def get_range_tracker(
        self, start_position: int | None, stop_position: float | None
    ) -> OffsetRangeTracker:
        if stop_position is None:
            stop_position = self._stream_end()
        # The tracker does not split a range without end.
        return OffsetRangeTracker(start_position or 0, stop_position)

    def split(
        self,
        desired_bundle_size: int,
        start_position: int | None = None,
        stop_position: float | None = None,
    ) -> Iterator[SourceBundle]:
        tracker = self.get_range_tracker(start_position, stop_position)
        start, stop = tracker.start_position(), tracker.stop_position()
        if stop == _NO_END:
            yield SourceBundle(self._size, self, start, stop)
            return
        size = max(desired_bundle_size, self._min_bytes)
        for part in OffsetRange(start, stop).split(size):
            yield SourceBundle(part.stop - part.start, self, part.start, part.stop)

    def read(self, range_tracker: OffsetRangeTracker) -> Iterator[pyarrow.RecordBatch]:
        try:
            yield from self._read(range_tracker)
        except HeadraceError as error:
            # Beam raises a new error of this class, made from the first argument
            # and the name of the step.
            error.args = (str(error),)
            raise

    def _stream_end(self) -> float:
        """Returns the end of the uncompressed stream, or _NO_END if the file cannot be
        cut."""
        if self._end is None:
            # Cutting into one part needs only the first bytes.
            ((_, end),) = self._scan.cut(self._path, 1, _filesystem([self._path]))
            self._end = _NO_END if end is None else end
        return self._end

    def _read(self, tracker: OffsetRangeTracker) -> Iterator[pyarrow.RecordBatch]:
        begin, stop = tracker.start_position(), tracker.stop_position()
        # Beam may repeat a bundle that failed, with the same tracker.
        if tracker.last_record_start < begin and not tracker.try_claim(begin):
            return  # the range is empty
        # The tracker is not split at or before this position.
        reached = tracker.last_record_start
        last: dict[str, Any] | None = None  # position of the last row that was yielded
        while True:
            with self._open(begin, stop) as reader:
                for batch in self._batches(reader, begin, stop, last):
                    reached = max(reached, int(batch.origins["offset"][-1]))
                    tracker.set_current_position(reached)
                    if reached >= tracker.stop_position() != stop:
                        break  # Some rows of this batch now belong to another range.
                    last = reader._position()
                    _RECORDS.inc(batch.num_rows)
                    yield pyarrow.record_batch(batch)
                else:
                    if stop != _NO_END:
                        reached = max(reached, stop - 1)
                        tracker.set_current_position(reached)
                report = reader.report
            if tracker.stop_position() == stop:
                break
            # The range was split while it was read. It now ends at the first record
            # that the other part reads. Bytes inside a record can look like records, so
            # this need not be the first record after the stop position. A reader of the
            # shorter range finds that place, and checks that the last record ends
            # there.
            stop = tracker.stop_position()
            _count_skipped(report, -1 if last is None else last["offset"])
        _count_skipped(report)
        if begin == 0:
            _FILES.inc()

    def _batches(
        self, reader: Reader, begin: int, stop: float, last: dict[str, Any] | None
    ) -> Iterator[_core.Batch]:
        """Yields the batches after the row at `last`, or all if it is None."""
        if last is not None:
            reader._restart(last)
        try:
            yield from reader
        except InvalidArgumentError:
            if last is not None:
                # If the row at `last` holds bytes that look like records, the shorter
                # range may end inside the row, and restarting there fails. Reading the
                # range from its beginning raises the error that names the cause, a
                # SplitSeamError.
                with self._open(begin, stop) as again:
                    for _ in again:
                        pass
            raise

    def _open(self, begin: int, stop: float) -> Reader:
        return self._scan.open(
            [self._path],
            threads=1,  # runners start one worker per processor
            batch_size=self._batch_size,
            byte_range=None if stop == _NO_END else (begin, stop),
            filesystem=_filesystem([self._path]),
        )


@beam.typehints.with_output_types(BoundedSource)
def _source_of(
    file: FileMetadata, scan: Scan, batch_size: BatchSize, splittable: bool
) -> _FileSource:
    size = file.size_in_bytes or 0
    return _FileSource(scan, batch_size, file.path, size, splittable)


def _read_ranges(
    ranges: FileRanges, scan: Scan, batch_size: BatchSize
) -> Iterator[pyarrow.RecordBatch]:
    """Yields the batches of ranges of records of one file."""
    filesystem = _filesystem(ranges.files)
    try:
        with scan.open(
            ranges, threads=1, batch_size=batch_size, filesystem=filesystem
        ) as reader:
            for batch in reader:
                _RECORDS.inc(batch.num_rows)
                yield pyarrow.record_batch(batch)
            _count_skipped(reader.report)
    except HeadraceError as error:
        error.args = (str(error),)  # see _FileSource.read
        raise
    _FILES.inc()


def _names(paths: Any) -> Sequence[str]:
    return paths.files if isinstance(paths, FileRanges) else paths or []


def _count_skipped(report: ReadReport, through: float = _NO_END) -> None:
    """Counts the skipped rows and regions up to this offset. Also counts those that the
    report does not list: only its first thousand rows and regions have offsets."""
    rows = sum((row.offset or 0) > through for row in report.rows)
    regions = sum(region.begin > through for region in report.regions)
    _SKIPPED_ROWS.inc(report.num_rows - rows)
    _SKIPPED_REGIONS.inc(report.num_regions - regions)


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
    """Returns None if all paths are local: the core reads local files itself."""
    if all(FileSystems.get_scheme(path) is None for path in paths):
        return None
    return _BeamFiles()


def _is_data(file: Any) -> bool:
    """Whether a file is not the index of another file; a pattern like data/* matches
    both."""
    name = file.path.rpartition("/")[2]
    return not (name.endswith((".hri", ".idx")) and _core.is_side_file(name))


def _match(patterns: Sequence[str]) -> list[str]:
    """Returns the files of the patterns; raises NotFoundError if a pattern matches no
    file."""
    paths: list[str] = []
    for pattern in patterns:
        (found,) = FileSystems.match([pattern])
        if not found.metadata_list:
            raise NotFoundError("no file matches", file=pattern)
        paths += sorted(
            file.path for file in found.metadata_list if _is_data(file)
        )
    return paths
