"""`headrace.ShuffledReader`, which `headrace.open` returns for `shuffle=`: reads rows
in a random order, by row number or through a buffer."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from headrace import _core, notebook
from headrace.arguments import column_names, whole_number
from headrace.errors import (
    UNKNOWN,
    HeadraceError,
    InvalidArgumentError,
    RowError,
    TooManyBadError,
    needed,
)
from headrace.options import TABLE, core_options, defaults, only, shards_of, taken_by
from headrace.plan import plan_for
from headrace.reading.batches import Batches
from headrace.reading.dataset import Dataset
from headrace.reading.progress import Done, LateBar
from headrace.reading.read_report import (
    AbsentFeature,
    LateFeature,
    ReadReport,
    check_absent,
)
from headrace.reading.reader import Reader, open_in_order
from headrace.reading.states import VERSION, checked_state
from headrace.remote import files
from headrace.shuffle import Shuffle

# Bytes of payloads that are shuffled at a time for inputs without random access.
_BUFFER = 256 << 20
# Payloads that are taken from the stream at a time.
_PAYLOADS = 64


def open_shuffled(
    paths: Any, shuffle: Shuffle, options: dict[str, Any]
) -> ShuffledReader:
    """Returns the reader; `options` are all other options of `headrace.open`."""
    options = options | {"columns": column_names(options["columns"])}
    _core.check_options(core_options("reader", options))  # some are used only here
    size, epochs = options["batch_size"], options["epochs"]
    options |= {
        "batch_size": 256 if size == "auto" else operator.index(size),
        "epochs": None if epochs is None else whole_number("epochs", epochs, 1),
    }
    dataset = None if shuffle.buffer is not None else _dataset(paths, shuffle.block, options)
    if dataset is not None:
        return _Numbered(dataset, shuffle, options)
    # This reader also checks the other options.
    return _Buffered(paths, shuffle, options)


def _dataset(paths: Any, block: int, options: Mapping[str, Any]) -> Dataset | None:
    """Returns the dataset; None if the files have no random access, or if an option
    does not allow rows by number."""
    if _needs_stream(options):
        return None
    # To read one row of a compressed file, a stretch of it is inflated, so only whole
    # blocks of rows are worth it.
    plain_only = block == 1 or options["compression"] == "none"
    try:
        return Dataset(paths, _plain_only=plain_only, **only("dataset", options))
    except InvalidArgumentError:
        return None  # if an argument is wrong, the stream raises an error as well


def _needs_stream(options: Mapping[str, Any]) -> bool:
    """Whether an option does not allow rows by number."""
    return options.get("compression", "auto") not in ("auto", "none") or any(
        name in TABLE and name not in taken_by("numbered") and value != TABLE[name].default
        for name, value in options.items()
    )


def will_buffer(paths: Any, shuffle: Shuffle, options: Mapping[str, Any]) -> bool:
    """Whether `open_shuffled` will use a buffer that the caller did not ask for, as far
    as the options and the first bytes of local files show."""
    if shuffle.buffer is not None:
        return False
    is_auto = options.get("compression", "auto") == "auto"
    if _needs_stream(options) or not is_auto or shuffle.block != 1:
        return _needs_stream(options)
    try:
        names, opener = files.resolve(paths, None, None)
        found = _core.expand_paths([os.fsencode(name) for name in names])
        return opener is None and any(
            os.path.isfile(path) and _core.is_compressed(os.fsencode(path))
            for path in found
        )
    except Exception:  # raised again when the files are read
        return False


class ShuffledReader:
    """Batches of rows in a random order; made by `headrace.open` for `shuffle=`.

    It has the methods and attributes of `Reader` that are about batches, files and
    state, and reads each row once per epoch. One thread may use it at a time.

    Attributes:
        files: the files, after globs and shard sets.
        plan: the plan that rows are decoded with; its str() is for people to read.
        buffered: whether rows are shuffled in a buffer instead of among all rows.
    """

    buffered = False
    _progress = False  # whether a bar is shown

    def __init__(self, files: list[str], plan: _core.Plan) -> None:
        self.files = files
        self.plan = plan
        self._ended = False
        self._closed = False
        self._bar = LateBar()

    @property
    def message(self) -> str:
        """ "example", "sequence" or "raw"."""
        return self.plan.message

    def __repr__(self) -> str:
        return notebook.reader_text(self)

    def _repr_html_(self) -> str:
        return notebook.reader_html(self)

    @property
    def report(self) -> ReadReport:
        """Records and features skipped or left out, and why."""
        raise NotImplementedError

    def __iter__(self) -> ShuffledReader:
        if self._ended:
            raise InvalidArgumentError(
                "the reader was read to its end; open it again"
            )
        return self

    def __next__(self) -> _core.Batch:
        if self._closed:
            raise InvalidArgumentError("the reader is closed")
        batch = None
        if not self._ended:
            shows = self._progress
            batch = self._bar.next(self._next, self._done) if shows else self._next()
        if batch is None:
            self._ended = True
            raise StopIteration
        return batch

    def _done(self) -> Done:
        """Returns what a bar shows."""
        raise NotImplementedError

    def __enter__(self) -> ShuffledReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the files; batches stay valid."""
        self._closed = True
        self._bar.end()

    def state_dict(self) -> dict[str, Any]:
        """Returns where the next batch begins, as a small dict that JSON can hold.

        For rows by number it is the state of `Dataset.batches`, and fits any number of
        shards. With a buffer it fits a reader opened with the same arguments, which
        fills the buffer again.
        """
        raise NotImplementedError

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to the row at which `state_dict` was called."""
        self._go_to(state)
        self._ended = False
        self._bar.restart()

    def _next(self) -> _core.Batch | None:
        raise NotImplementedError

    def _go_to(self, state: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def __arrow_c_schema__(self) -> Any:
        return self.plan.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns a stream of the remaining rows; needs pyarrow."""
        pyarrow = needed("pyarrow", "an Arrow stream of shuffled rows")
        batches = map(pyarrow.record_batch, self)
        schema = pyarrow.schema(self)
        stream = pyarrow.RecordBatchReader.from_batches(schema, batches)
        return stream.__arrow_c_stream__(requested_schema)


class _Numbered(ShuffledReader):
    """Shuffles rows by number."""

    def __init__(
        self, dataset: Dataset, shuffle: Shuffle, options: Mapping[str, Any]
    ) -> None:
        super().__init__(dataset.files, dataset.plan)
        self._progress = options["progress"]
        rank, ranks = 0, 1
        for index, count in shards_of(options["shard"]):
            # Ranks take the batches in turn, and the parts of a rank take the batches
            # of the rank in turn.
            rank, ranks = rank + ranks * index, ranks * count
        self._dataset = dataset
        self._drops = options["drop_remainder"]
        self._epochs = options["epochs"]
        self._batches = Batches(
            dataset, options["batch_size"], shuffle=shuffle, epochs=options["epochs"], rank=rank,
            world_size=ranks, end="drop" if self._drops else "uneven",
        )

    def batches_of_all(self) -> int | None:
        """Returns the number of batches of all shards together in an epoch; None if all
        shards have equally many."""
        positions = self._batches._positions
        if self._drops:
            return None
        return -(-positions.rows // positions.batch_size)

    def shared_lanes(self) -> str | None:
        """Returns a warning, for the first shard, if shards have to share lanes."""
        return self._batches._positions.shared_lanes()

    @property
    def report(self) -> ReadReport:
        core = self._dataset._core
        return ReadReport(
            [], 0, [], 0, self._dataset.late, core.num_late, self._dataset.absent,
            core.num_lists_left_out,
        )

    def state_dict(self) -> dict[str, Any]:
        return self._batches.state_dict()

    def _done(self) -> Done:
        rows, (epoch, position, *_) = len(self._dataset), self._batches._place
        total = None if self._epochs is None else rows * self._epochs
        # Positions count the rows of all ranks, and the last position may be past the
        # end.
        return rows * epoch + min(position, rows), total, " rows"

    def _next(self) -> _core.Batch | None:
        return next(self._batches, None)

    def _go_to(self, state: Mapping[str, Any]) -> None:
        self._batches.load_state_dict(state)


_Record = tuple[bytes, tuple[int, int, int]]  # payload; file, record, offset


class _Place(NamedTuple):
    """A place in the stream, to find a record again."""

    state: dict[str, Any]  # of the reader of payloads, before a batch
    skip: int  # records of that batch before this one


class _Records:
    """The records of the stream, one by one. `open` opens the stream from the start."""

    def __init__(self, open: Callable[[], Reader]) -> None:
        self._open = open
        self._reader = open()
        self._batch: list[_Record] = []
        self._begin = _Place({}, 0)
        self._next = 0  # in the batch

    @property
    def files(self) -> list[str]:
        return self._reader.files

    @property
    def report(self) -> ReadReport:
        """The parts of the files that were skipped since they were opened."""
        return self._reader.report

    @property
    def progress(self) -> tuple[int, int]:
        """The number of stored bytes read in this epoch, and of those in all files."""
        return self._reader.stored_position, self._reader.stored_size

    def peek(self) -> _Record | None:
        """Returns the next record; None at the end."""
        while self._next == len(self._batch):
            begin = self.place()
            batch = next(self._reader, None)
            if batch is None:
                return None
            origins = [
                batch.origins[name].tolist() for name in ("file", "record", "offset")
            ]
            self._begin, self._next = begin, 0
            self._batch = list(
                zip(batch.payloads(), zip(*origins, strict=True), strict=True)
            )
        return self._batch[self._next]

    def advance(self) -> None:
        self._next += 1

    def place(self) -> _Place:
        """Returns the place of the next record."""
        if self._next < len(self._batch):
            return _Place(self._begin.state, self._next)
        return _Place(self._reader.state_dict(), 0)

    def restart(self, place: _Place | None = None) -> None:
        """Moves to a place; None: to the beginning."""
        self.close()
        self._reader = self._open()
        self._batch, self._next = [], 0
        if place is not None:
            self._reader.load_state_dict(place.state)
            if place.skip and self.peek() is not None:
                self._next = min(place.skip, len(self._batch))

    def close(self) -> None:
        self._reader.close()


class _Chunk:
    """Records that fill the buffer, and the order in which they are returned."""

    def __init__(self, number: int, place: _Place) -> None:
        self.number = number  # in the epoch
        self.place = place  # of its first record
        self.records: list[_Record] = []
        self.order: list[int] | None = None  # None until the buffer is filled
        self.given = 0

    def left(self) -> int:
        return len(self.records) - self.given

    def take(self, count: int) -> list[_Record]:
        assert self.order is not None
        taken = self.order[self.given : self.given + count]
        self.given += len(taken)
        return [self.records[i] for i in taken]


class _Buffered(ShuffledReader):
    """Shuffles the rows of a stream, as many at a time as the buffer holds."""

    buffered = True

    def __init__(
        self, paths: Any, shuffle: Shuffle, options: Mapping[str, Any]
    ) -> None:
        if shuffle.block != 1:
            raise InvalidArgumentError(
                "these files, with these options, have no random access, which blocks "
                "need; give Shuffle a buffer"
            )
        self._paths = paths
        self._starts = _starts(paths)
        self._seed = shuffle.seed
        self._most = _BUFFER if shuffle.buffer is None else shuffle.buffer
        self._size = options["batch_size"]
        self._epochs = options["epochs"]
        self._drops = options["drop_remainder"]
        self._progress = options["progress"]
        self._skips = options["on_row_error"] == "skip"
        self._max_bad = options["max_bad"]
        self._raw_options = defaults("reader") | only("payloads", options) | {
            "message": "raw", "batch_size": _PAYLOADS, "on_absent": "ignore",
        }
        self._on_absent = options["on_absent"]
        self._gives_part = bool(shards_of(options["shard"])) or bool(
            options["byte_range"]
        )
        found, is_given = self._found_plan(options)
        self._has_plan = self._tells_absent = is_given
        how = {**core_options("decoder", options), "allocator": options["allocator"]}
        plan = found._with({**how, "refuses_other" if is_given else "knows_other": True})
        self._records = _Records(self._open)
        super().__init__(self._records.files, plan)
        self._skipped: list[HeadraceError] = []
        self._num_skipped = 0
        self._epoch = 0
        self._has_rows = False  # this epoch has returned some
        self._chunk = _Chunk(0, self._records.place())

    @property
    def report(self) -> ReadReport:
        regions = self._records.report
        left_out = self.plan._report()
        return ReadReport(
            regions.regions, regions.num_regions, list(self._skipped),
            self._num_skipped,
            [LateFeature(*feature) for feature in left_out["late"]],
            left_out["num_late"],
            [AbsentFeature(*feature) for feature in left_out["absent"]]
            if self._has_plan else [],
            left_out["num_lists_left_out"],
        )

    def _done(self) -> Done:
        done, size = self._records.progress
        total = None if self._epochs is None else size * self._epochs
        return size * self._epoch + done, total, "B"

    def _found_plan(self, options: Mapping[str, Any]) -> tuple[_core.Plan, bool]:
        """Returns the plan, and whether the caller gave it."""
        if options["message"] == "raw":
            return _core.Plan.raw(), False
        names = column_names(options["columns"])
        plan = plan_for(
            options["spec"], options["schema"], options["message"], names
        )
        if plan is not None:
            return plan, True
        if options["strict_columns"]:
            raise InvalidArgumentError(
                "strict_columns cannot be used with a buffer, which is needed for "
                "these files with these options; give a spec or a schema"
            )
        if self._starts is None:
            raise InvalidArgumentError(
                "the input can be read only once, so its columns cannot be found "
                "first: give a spec or a schema"
            )
        with open_in_order(self._paths, options) as sampled:
            return sampled.plan, False

    def _open(self) -> Reader:
        for file, start in self._starts or ():
            file.seek(start)
        return open_in_order(self._paths, self._raw_options)

    def _next(self) -> _core.Batch | None:
        while self._epochs is None or self._epoch < self._epochs:
            batch = self._batch()
            if batch is not None and not (
                self._drops and batch.num_rows < self._size
            ):
                self._has_rows = True
                return batch
            self._epoch += 1
            self._tell_absent()
            # Epochs without rows would never end.
            if self._epoch == self._epochs or not self._has_rows:
                break
            self._has_rows = False
            self._skipped, self._num_skipped = [], 0
            self._records.restart()
            self._chunk = _Chunk(0, self._records.place())
        self._records.close()
        return None

    def _tell_absent(self) -> None:
        """Reports absent features at the end of the first epoch that was read whole."""
        if self._tells_absent:
            absent = self.plan._report()["untold"]
            check_absent(
                absent, self.plan.message, self._on_absent, self._gives_part
            )
        self._tells_absent = False

    def _batch(self) -> _core.Batch | None:
        """Returns the next rows: a short batch at the end of the epoch, then None."""
        records: list[_Record] = []
        while True:
            records += self._take(self._size - len(records))
            if not records:
                return None
            try:
                return self.plan.decode([payload for payload, _ in records])
            except RowError as error:
                if error.record is None:
                    raise
                _, (file, number, offset) = records.pop(error.record)
                record = None if number == UNKNOWN else number
                self._skip(
                    error._with(file=self.files[file], record=record, offset=offset)
                )

    def _take(self, count: int) -> list[_Record]:
        taken: list[_Record] = []
        while len(taken) < count and self._fill():
            taken += self._chunk.take(count - len(taken))
        return taken

    def _fill(self) -> bool:
        """Fills the buffer if it is empty; returns False at the end."""
        chunk = self._chunk
        if chunk.order is not None:
            if chunk.left() or not chunk.records:
                return chunk.left() > 0
            chunk = self._chunk = _Chunk(chunk.number + 1, self._records.place())
        size = 0
        while (record := self._records.peek()) is not None:
            # The memory of Python's objects counts, too.
            size += len(record[0]) + 200
            if size > self._most and chunk.records:
                break
            chunk.records.append(record)
            self._records.advance()
        self._check_bad()
        order = np.arange(len(chunk.records), dtype=np.uint64)
        epoch = (self._epoch << 32) + chunk.number
        _core.order(len(order), self._seed, epoch % 2**64, 1, 1, order)
        chunk.order = order.tolist()
        return chunk.left() > 0

    def _skip(self, error: HeadraceError) -> None:
        """Counts the error of a row, or raises it."""
        if not self._skips:
            raise error from None
        self._num_skipped += 1
        if self._num_skipped <= 1000:
            self._skipped.append(error)
        self._check_bad(error)

    def _check_bad(self, last: HeadraceError | None = None) -> None:
        """Raises TooManyBadError if more was skipped than max_bad allows."""
        regions = self._records.report.num_regions
        if self._max_bad is None or self._num_skipped + regions <= self._max_bad:
            return
        skipped = f"{self._num_skipped} bad rows"
        if regions:
            skipped += f" and {regions} damaged regions"
        raise TooManyBadError(
            f"{skipped}, and max_bad is {self._max_bad}",
            file=last.file if last else None, record=last.record if last else None,
        ) from last

    def state_dict(self) -> dict[str, Any]:
        chunk = self._chunk
        return {
            "version": VERSION, "seed": self._seed, "buffer": self._most,
            "epoch": self._epoch, "chunk": chunk.number, "given": chunk.given,
            "reader": chunk.place.state, "skip": chunk.place.skip,
        }

    def _go_to(self, state: Mapping[str, Any]) -> None:
        found = checked_state(state, self.state_dict())
        for name, value in (("seed", self._seed), ("buffer", self._most)):
            if found[name] != value:
                raise InvalidArgumentError(
                    f"the state is of another {name}: {found[name]} instead of "
                    f"{value}"
                )
        self._epoch = found["epoch"]
        self._tells_absent = False
        if self._epochs is not None and self._epoch >= self._epochs:
            return
        place = _Place(found["reader"], found["skip"])
        self._records.restart(place)
        self._chunk = _Chunk(found["chunk"], place)
        self._has_rows = found["chunk"] > 0 or found["given"] > 0
        self._fill()
        if found["given"] > len(self._chunk.records):
            raise InvalidArgumentError("the state is of other files")
        self._chunk.given = found["given"]

    def close(self) -> None:
        super().close()
        self._records.close()


def _starts(paths: Any) -> list[tuple[Any, int]] | None:
    """Returns the file objects among the paths and their positions; None if an input
    can be read only once."""
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
