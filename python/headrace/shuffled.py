"""What `headrace.open` gives with `shuffle=`: a reader of rows in a random order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from headrace import _core, reader
from headrace.arguments import shards_of
from headrace.batches import Batches, checked_state
from headrace.dataset import Dataset
from headrace.errors import (
    HeadraceError,
    InvalidArgumentError,
    MissingPackageError,
    RowError,
    TooManyBadError,
)
from headrace.reader import ReadReport
from headrace.shuffle import Shuffle

# Of inputs that cannot be read at any place, so much is shuffled at a time.
_BUFFER = 256 << 20
# Payloads are taken from the stream so many at a time.
_PAYLOADS = 64

_OF_DATASETS = (
    "spec", "schema", "columns", "message", "sample", "sample_bytes", "verify",
    "verify_unselected", "mmap", "bytes_as", "filesystem", "storage_options",
    "strict_columns", "progress",
)
# What a dataset cannot do, and the values with which it need not.
_OF_STREAMS: dict[str, Any] = {
    "on_corrupt": "fail", "on_row_error": "fail", "byte_range": None,
}


def open_shuffled(paths: Any, shuffle: Shuffle, options: dict[str, Any]) -> Any:
    """A `ShuffledReader`; `options` are all others of `headrace.open`."""
    options = dict(options)
    if options["batch_size"] == "auto":
        options["batch_size"] = 256
    # It checks the options, too.
    rows = None if shuffle.buffer is not None else _by_number(paths, shuffle, options)
    return ShuffledReader(rows or _Buffered(paths, shuffle, options))


def _by_number(
    paths: Any, shuffle: Shuffle, options: Mapping[str, Any]
) -> _Numbered | None:
    """None where files cannot be read at any place, or an option does not allow it."""
    if any(options[name] != value for name, value in _OF_STREAMS.items()):
        return None
    if options["compression"] not in ("auto", "none"):
        return None
    try:
        dataset = Dataset(paths, **{name: options[name] for name in _OF_DATASETS})
    except InvalidArgumentError:
        return None  # if an argument is wrong, the stream says so, too
    rank, ranks = 0, 1
    for index, count in shards_of(options["shard"]):
        # Batches go to ranks in turn, and those of a rank to its parts in turn.
        rank, ranks = rank + ranks * index, ranks * count
    batches = dataset.batches(
        options["batch_size"], shuffle=shuffle, epochs=options["epochs"], rank=rank,
        world_size=ranks, end="drop" if options["drop_remainder"] else "uneven",
    )
    return _Numbered(dataset, batches)


class _Numbered:
    """Rows by number."""

    buffered = False

    def __init__(self, dataset: Dataset, batches: Batches) -> None:
        self.files = dataset.files
        self.plan = dataset.plan
        self._dataset = dataset
        self._batches = batches
        self.state_dict = batches.state_dict
        self.load_state_dict = batches.load_state_dict

    @property
    def report(self) -> ReadReport:
        late, num_late = self._dataset.late, self._dataset._core.num_late
        return ReadReport([], 0, [], 0, late, num_late, [])

    def next(self) -> _core.Batch | None:
        return next(self._batches, None)

    def close(self) -> None:
        pass


class _Chunk:
    """Records that fill the buffer, and how to read them again."""

    def __init__(self, number: int, start: dict[str, Any] | None, skip: int) -> None:
        self.number = number
        # The reader's state before the payloads of which it skipped some.
        self.start = start
        self.skip = skip
        self.payloads: list[bytes] = []
        self.origins: list[tuple[int, int, int]] = []  # file, record, offset
        self.order: list[int] = []
        self.given = 0


class _Buffered:
    """Rows of a stream, shuffled as many at a time as the buffer holds."""

    buffered = True

    def __init__(
        self, paths: Any, shuffle: Shuffle, options: Mapping[str, Any]
    ) -> None:
        if shuffle.block != 1:
            raise InvalidArgumentError(
                "these files, with these options, cannot be read at any place, as "
                "blocks are; give Shuffle a buffer"
            )
        self._paths = paths
        self._starts = _starts(paths)
        self._seed = shuffle.seed
        self._most = _BUFFER if shuffle.buffer is None else shuffle.buffer
        self._size = options["batch_size"]
        self._epochs = options["epochs"]
        self._drops = options["drop_remainder"]
        self._skips = options["on_row_error"] == "skip"
        self._max_bad = options["max_bad"]
        self._raw_options = options | {
            "spec": None, "schema": None, "columns": None, "message": "raw",
            "batch_size": _PAYLOADS, "epochs": 1, "drop_remainder": False,
            "progress": False, "strict_columns": False,
        }
        self.plan = self._plan(options)
        self.report = ReadReport([], 0, [], 0, [], 0, [])
        self._epoch = 0
        self._raw = self._open()
        self.files = self._raw.files
        self._chunk = _Chunk(0, None, 0)
        self._start_of_left: dict[str, Any] | None = None
        self._left: list[tuple[bytes, tuple[int, int, int]]] = []
        self._left_skipped = 0
        self._filled = False

    def _plan(self, options: Mapping[str, Any]) -> _core.Plan:
        if options["message"] == "raw":
            return _core.Plan.raw()
        names = reader._columns(options["columns"])
        plan = reader._plan(
            options["spec"], options["schema"], options["message"], names
        )
        if plan is not None:
            return plan
        if options["strict_columns"]:
            raise InvalidArgumentError(
                "strict_columns does not go with a buffer, in which these files, "
                "with these options, are shuffled; give a spec or a schema"
            )
        if self._starts is None:
            raise InvalidArgumentError(
                "the input can be read once, so not for its columns first: give a "
                "spec or a schema"
            )
        with reader.open(self._paths, **dict(options)) as sampled:
            return sampled.plan

    def _open(self) -> reader.Reader:
        for file, start in self._starts or ():
            file.seek(start)
        return reader.open(self._paths, **self._raw_options)

    def next(self) -> _core.Batch | None:
        while self._epochs is None or self._epoch < self._epochs:
            taken = self._take()
            batch = self._decode(taken) if taken else None
            if batch is not None and not (
                self._drops and batch.num_rows < self._size
            ):
                return batch
            if taken and batch is None:
                continue  # all its rows were bad
            self._epoch += 1
            if self._epochs is not None and self._epoch >= self._epochs:
                break
            if self._chunk.number == 0 and not self._chunk.payloads:
                break  # epochs without rows would never end
            self._begin(None, 0, 0)
        self._raw.close()
        return None

    def _begin(self, start: dict[str, Any] | None, number: int, skip: int) -> None:
        """Reads on at the beginning of a chunk."""
        self._raw.close()
        self._raw = self._open()
        if start is not None:
            self._raw.load_state_dict(start)
        self._chunk = _Chunk(number, start, skip)
        self._left = []
        self._filled = False
        if skip:
            self._read_payloads()
            self._left = self._left[skip:]
            self._left_skipped = skip

    def _take(self) -> list[tuple[bytes, tuple[int, int, int]]]:
        """The records of the next batch; none at the end of the epoch."""
        taken: list[tuple[bytes, tuple[int, int, int]]] = []
        while len(taken) < self._size:
            if not self._filled:
                self._fill()
            chunk = self._chunk
            if chunk.given == len(chunk.order):
                if not chunk.order:
                    break
                start, skip = self._here()
                self._chunk = _Chunk(chunk.number + 1, start, skip)
                self._filled = False
                self._fill()
                if not self._chunk.order:
                    break
                continue
            end = min(chunk.given + self._size - len(taken), len(chunk.order))
            taken += [
                (chunk.payloads[i], chunk.origins[i])
                for i in chunk.order[chunk.given:end]
            ]
            chunk.given = end
        return taken

    def _here(self) -> tuple[dict[str, Any] | None, int]:
        if self._left:
            return self._start_of_left, self._left_skipped
        return self._raw.state_dict(), 0

    def _fill(self) -> None:
        chunk, size = self._chunk, 0
        while self._left or self._read_payloads():
            taken = 0
            for payload, origin in self._left:
                # Python's own part of a record counts, too.
                size += len(payload) + 200
                if size > self._most and chunk.payloads:
                    break
                chunk.payloads.append(payload)
                chunk.origins.append(origin)
                taken += 1
            self._left = self._left[taken:]
            self._left_skipped += taken
            if self._left:
                break
        order = np.arange(len(chunk.payloads), dtype=np.uint64)
        epoch = (self._epoch << 32) + chunk.number
        _core.order(len(order), self._seed, epoch % 2**64, 1, 1, order)
        chunk.order = order.tolist()
        self._filled = True

    def _read_payloads(self) -> bool:
        """Reads the next ones of the stream; False at its end."""
        start = self._raw.state_dict()
        batch = next(self._raw, None)
        if batch is None:
            return False
        places = [batch.origins[name].tolist() for name in ("file", "record", "offset")]
        self._start_of_left, self._left_skipped = start, 0
        self._left = list(zip(batch.payloads(), zip(*places, strict=True), strict=True))
        return True

    def _decode(
        self, taken: list[tuple[bytes, tuple[int, int, int]]]
    ) -> _core.Batch | None:
        while taken:
            try:
                return self.plan.decode([payload for payload, _ in taken])
            except RowError as error:
                if error.record is None:
                    raise
                placed = self._placed(error, taken[error.record][1])
                if not self._skips:
                    raise placed from None
                del taken[error.record]
                self._count(placed)
        return None

    def _placed(
        self, error: HeadraceError, origin: tuple[int, int, int]
    ) -> HeadraceError:
        file, record, offset = origin
        return type(error)(
            error.message, code=error.code, file=self.files[file], record=record,
            offset=offset, feature=error.feature, expected=error.expected,
            found=error.found,
        )

    def _count(self, error: HeadraceError) -> None:
        report = self.report
        rows = [*report.rows, error][:1000]
        self.report = ReadReport([], 0, rows, report.num_rows + 1, [], 0, [])
        if self._max_bad is not None and self.report.num_rows > self._max_bad:
            raise TooManyBadError(
                f"{self.report.num_rows} bad rows, and max_bad is {self._max_bad}",
                file=error.file, record=error.record,
            ) from error

    def state_dict(self) -> dict[str, Any]:
        chunk = self._chunk
        return {
            "seed": self._seed, "buffer": self._most, "epoch": self._epoch,
            "chunk": chunk.number, "given": chunk.given, "skip": chunk.skip,
            "reader": chunk.start or {},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        found = checked_state(state, self.state_dict())
        for name, value in (("seed", self._seed), ("buffer", self._most)):
            if found[name] != value:
                raise InvalidArgumentError(
                    f"the state is of another {name}: {found[name]}, and this is of "
                    f"{value}"
                )
        self._epoch = found["epoch"]
        if self._epochs is not None and self._epoch >= self._epochs:
            return
        self._begin(found["reader"] or None, found["chunk"], found["skip"])
        self._fill()
        if found["given"] > len(self._chunk.order):
            raise InvalidArgumentError("the state is of other files")
        self._chunk.given = found["given"]

    def close(self) -> None:
        self._raw.close()


def _starts(paths: Any) -> list[tuple[Any, int]] | None:
    """The file objects among the paths, and where they stand; None if an input can be
    read only once."""
    starts = []
    for item in paths if isinstance(paths, (list, tuple)) else [paths]:
        if item == "-":
            return None
        if hasattr(item, "read"):
            seekable = getattr(item, "seekable", None)
            if not (callable(seekable) and seekable()):
                return None
            starts.append((item, item.tell()))
    return starts


class ShuffledReader:
    """Batches of rows in a random order; `headrace.open` makes it for `shuffle=`.

    It has the methods and attributes of `Reader` that are about batches, files and
    state, and goes through the rows once an epoch. One thread at a time may use it.

    Attributes:
        buffered: whether rows are shuffled in a buffer, and not among all rows.
    """

    def __init__(self, rows: _Numbered | _Buffered) -> None:
        self._rows = rows
        self._ended = False
        self._closed = False
        self.buffered = rows.buffered

    @property
    def files(self) -> list[str]:
        """The files, after globs and shard sets."""
        return list(self._rows.files)

    @property
    def plan(self) -> _core.Plan:
        """What is decoded; str() of it is for people."""
        return self._rows.plan

    @property
    def message(self) -> str:
        """ "example", "sequence" or "raw"."""
        return self._rows.plan.message

    @property
    def report(self) -> ReadReport:
        """What was skipped or left out, and why; `late` is of rows by number alone."""
        return self._rows.report

    def __iter__(self) -> ShuffledReader:
        if self._ended:
            raise InvalidArgumentError(
                "the reader was read to its end; open it again"
            )
        return self

    def __next__(self) -> _core.Batch:
        if self._closed:
            raise InvalidArgumentError("the reader is closed")
        batch = None if self._ended else self._rows.next()
        if batch is None:
            self._ended = True
            raise StopIteration
        return batch

    def __enter__(self) -> ShuffledReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its files; batches live on."""
        self._closed = True
        self._rows.close()

    def state_dict(self) -> dict[str, Any]:
        """Where the next batch begins: a small dict that JSON can hold.

        Of rows by number it is that of `Dataset.batches`, for any number of shards.
        Of a buffer it is for a reader opened with the same arguments, which fills
        the buffer again.
        """
        return self._rows.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to the row at which `state_dict` was called."""
        self._rows.load_state_dict(state)
        self._ended = False

    def __arrow_c_schema__(self) -> Any:
        return self._rows.plan.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows that are left; it needs pyarrow."""
        try:
            import pyarrow
        except ImportError as error:
            raise MissingPackageError(
                f"an Arrow stream of shuffled rows needs pyarrow ({error}); "
                "pip install pyarrow"
            ) from error

        def batches() -> Iterator[Any]:
            yield from map(pyarrow.record_batch, self)

        schema = pyarrow.schema(self)
        stream = pyarrow.RecordBatchReader.from_batches(schema, batches())
        return stream.__arrow_c_stream__(requested_schema)
