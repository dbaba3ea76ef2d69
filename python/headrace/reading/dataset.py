"""`headrace.Dataset`: the rows of files by number."""

from __future__ import annotations

import dataclasses
import functools
import operator
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from headrace import _core, notebook
from headrace.arguments import (
    check_flag,
    check_unmasked,
    column_names,
    no_such_row,
    whole_number,
    wrong_type,
)
from headrace.description import schema_of, spec_of
from headrace.errors import BadIndexError, InvalidArgumentError, LimitError
from headrace.file_ranges import described
from headrace.named import named
from headrace.options import BytesAs, Message, OnAbsent, core_options
from headrace.plan import Plan, plan_for, portable
from headrace.reading.batches import Batches, End, TakeOptions
from headrace.reading.progress import Patience, bar
from headrace.reading.read_report import AbsentFeature, LateFeature, check_absent
from headrace.remote import files
from headrace.shuffle import Shuffle
from headrace.spec import Spec
from headrace.warnings import SharedLanesWarning, warn_caller

# Rows that iteration decodes at a time.
_ROWS_AT_A_TIME = 256
# Ranges of remote files that are requested at the same time.
_REMOTE_THREADS = 16


@dataclasses.dataclass(frozen=True)
class RowOrigin:
    """The place from which a row is read."""

    file: str
    record: int  # the number of the record in the file, from 0
    offset: int  # of the record in the file


class Dataset:
    """The records of some files by number, in any order, any number of times.

        >>> ds = headrace.Dataset("train-*.tfrecord", spec=spec)
        >>> len(ds), ds[17]["age"], ds[-1]
        >>> ds[[5, 3, 5]]["age"].numpy()             # a Batch
        >>> for batch in ds.batches(256, shuffle=True, epochs=3): ...

    Rows are numbered across all files, in the order of the files. An index beside a
    file (`headrace.index` writes it) says where its records are. Files without one are
    scanned when the dataset is opened: their headers are read, and compressed files
    are inflated.

    A record of a compressed file is found by inflating the data before it, from the
    nearest point that the index has. Take many rows together, or use blocks
    (`Shuffle(block=)`): each stretch of a file is then inflated once. Files of small
    blocks (`Writer(block_bytes=)`) are best for single rows.

    `ds[i]` is a dict of one row. Its values are copies:

    - a tensor of one value is a numpy scalar, any other dense tensor an array, as in
      `Batch`;
    - a column, or a feature that varies in length, is an array of the row's values, or
      a list if they are bytes; a column that the record lacks is None;
    - a feature list is a list of its steps; several ragged dimensions are nested lists;
    - a SparseFeature is a dict of its index keys and "values".

    A value of bytes is a `bytes` object; a tensor of bytes is an array of such objects.
    Rows are not padded. With message="raw" the row is {"payload": bytes}.

    Any number of threads, and a forked child, may use a dataset. A pickle holds the
    names of the files and the columns; the process that loads it opens the files on
    first use.

    Args:
        paths: local files or URLs, as in `headrace.open`; no file objects.
        spec, schema, message, columns: as in `headrace.open`.
        index: "auto": use the index beside a file if there is one; "required": a file
            without an index raises a `NotFoundError`; None or "none": always read the
            headers; or the path of a folder that has the indexes.
        sample, sample_bytes, verify, verify_unselected, mmap, bytes_as, filesystem,
            storage_options: as in `headrace.open`.
        strict_columns: taking a row with a feature that the sample did not show raises
            a `WrongKindError`. Otherwise the feature is left out and counted in
            `late`, and one `LateFeatureWarning` names the first such features.
        on_absent: what to do about a feature that the spec or schema names and the
            records lack. "warn": an `AbsentFeatureWarning` when rows are first taken,
            if the first 256 rows lack it but have one with a similar name; and at the
            end of `batches` for a feature that no row had. "error": a
            `MissingFeatureError` instead, if the first rows lack it. "ignore": nothing.
            If the first rows hold another message, a spec raises a `MalformedError`;
            with "ignore" this is an `OtherMessageWarning`.
        threads: threads that read headers and inflate while the dataset is opened, and
            later read ranges of remote files and inflate. None: one per processor, or
            16 for remote files, since these mostly wait.
        progress: show a bar while headers are read, if tqdm is installed. If reading
            them takes more than five seconds, a `SlowOpeningWarning` names the remedy,
            an index.
        limits, allocator: as in `headrace.open`; a dataset with an allocator cannot be
            pickled.

    Raises:
        The same exceptions as `headrace.open` for its arguments and damaged headers.
        InvalidArgumentError: a file is a pipe, or its compression cannot be indexed
            (docs/formats/index.md).
        BadIndexError: an index is damaged, or does not match its file.
    """

    @named
    def __init__(
        self,
        paths: Any,
        *,
        spec: Any = None,
        schema: Any = None,
        columns: Sequence[str] | None = None,
        message: Message = "auto",
        index: str | os.PathLike[str] | None = "auto",
        sample: int = 10000,
        sample_bytes: int = 16 << 20,
        verify: bool = True,
        verify_unselected: bool = False,
        mmap: bool = False,
        bytes_as: BytesAs = "binary",
        filesystem: Any = None,
        storage_options: Mapping[str, Any] | None = None,
        strict_columns: bool = False,
        on_absent: OnAbsent = "warn",
        threads: int | None = None,
        progress: bool = False,
        limits: Mapping[str, int] | None = None,
        allocator: Any = None,
        _plain_only: bool = False,
    ) -> None:
        given = locals()
        check_flag("progress", progress)
        files.check_paths(paths, "cannot be read by several threads and processes")
        paths, spec = described(paths, spec, schema, message)
        names, opener = files.resolve(paths, filesystem, storage_options)
        spec = spec_of(spec)
        if isinstance(spec, Mapping):
            # Pickled features of tf.io need TensorFlow where they are loaded.
            spec = Spec.of(spec)
        selected = column_names(columns)
        schema = None if schema is None else schema_of(schema)
        plan = plan_for(spec, schema, message, selected)
        if message == "raw" and (plan is not None or selected is not None):
            raise InvalidArgumentError(
                'message="raw" takes no spec, no schema and no columns'
            )
        self._options = core_options("dataset", given) | {
            "columns": selected if plan is None else None,
            # A pickle holds the columns, but not how they were found. A feature that
            # was not selected must not be reported as late.
            "plan_is_of_sample": plan is None and selected is None,
            "threads": _threads(threads, opener),
            "plain_only": _plain_only,
            "allocator": allocator,
            "record_ranges": files.ranges_of(paths),
        }
        # Columns that were found from the data cannot be absent.
        self._has_plan = plan is not None and plan.message != "raw"
        self._opener = opener.for_any_order() if opener else None
        self._core = _open(names, plan, self._options, self._opener, progress)
        self._files = self._core.files
        self._size = len(self._core)
        self._fingerprint = self._core.fingerprint
        self._plan_source = _saved_plan(self._core.plan, spec, message, selected)

    def __len__(self) -> int:
        return self._size

    @property
    def files(self) -> list[str]:
        """The files, after globs and shard sets."""
        return list(self._files)

    @property
    def columns(self) -> list[str]:
        """The names in a row, features before feature lists."""
        return list(dict.fromkeys(self._core.plan.names))

    @property
    def plan(self) -> _core.Plan:
        """The plan that rows are decoded with; its str() is for people to read."""
        return self._core.plan

    @property
    def message(self) -> str:
        """ "example", "sequence" or "raw"."""
        return self._core.plan.message

    @property
    def fingerprint(self) -> int:
        """A digest of the number and sizes of the records of all files."""
        return self._fingerprint

    @property
    def late(self) -> list[LateFeature]:
        """Features that the sample did not show, in the rows that this process has
        taken so far. A row counts each time it is taken.
        """
        return [LateFeature(*feature) for feature in self._core.late]

    @property
    def absent(self) -> list[AbsentFeature]:
        """Features that the spec or schema names and that no row taken so far by this
        process had; empty before the first row."""
        if not self._has_plan:
            return []
        return [AbsentFeature(*feature) for feature in self._core.absent]

    @overload
    def __getitem__(self, key: SupportsIndex) -> dict[str, Any]: ...
    @overload
    def __getitem__(
        self, key: slice | Sequence[SupportsIndex] | NDArray[Any]
    ) -> _core.Batch: ...
    def __getitem__(self, key: Any) -> Any:
        """Returns a dict for a number, a `Batch` for a slice or an array."""
        if type(key) is int or hasattr(key, "__index__") and np.ndim(key) == 0:
            return self._row(key)
        if isinstance(key, slice):
            rows = range(*key.indices(self._size))
            array = np.arange(rows.start, rows.stop, rows.step, dtype=np.int64)
            return self._take(array.astype(np.uint64))
        return self.take(key)

    def take(self, rows: Sequence[SupportsIndex] | NDArray[Any]) -> _core.Batch:
        """Returns the rows with these numbers, in this order, as a `Batch`.

        Args:
            rows: whole numbers, which may repeat; negative ones count from the end. Or
                an array of bool, one for each row of the dataset.

        Raises:
            NoSuchRowError: there is no row with this number.
            BadIndexError: a file has changed since the dataset was opened.
            LimitError: the rows need more memory than a batch may use, 1 GiB.
            DataError: a record is damaged, or does not fit the spec.
        """
        return self._take(row_numbers(rows, self._size))

    def __getitems__(
        self, rows: Sequence[SupportsIndex] | NDArray[Any]
    ) -> list[dict[str, Any]]:
        """Returns the rows with these numbers as dicts, read together."""
        return self._dicts(row_numbers(rows, self._size))

    def payloads(self, rows: Sequence[SupportsIndex] | NDArray[Any]) -> list[bytes]:
        """Returns the serialized messages of these rows."""
        return self._raw.take(row_numbers(rows, self._size)).payloads()

    def origin(self, row: SupportsIndex) -> RowOrigin:
        """Returns the file and the place in it that a row comes from."""
        file, record, offset = self._core.origin(operator.index(row))
        return RowOrigin(self._files[file], record, offset)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yields the rows as dicts, in order."""
        begin, count = 0, _ROWS_AT_A_TIME
        while begin < self._size:
            end = min(begin + count, self._size)
            try:
                rows = self._dicts(np.arange(begin, end, dtype=np.uint64))
            except LimitError:
                if count == 1:
                    raise
                count //= 2
                continue
            yield from rows
            begin = end

    @named
    def batches(
        self,
        batch_size: int,
        *,
        shuffle: bool | Shuffle | None = None,
        epochs: int | None = 1,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
        end: End = "drop",
        prefetch: int = 0,
        state: Mapping[str, Any] | None = None,
    ) -> Batches:
        """Returns an iterator over the rows in batches, in order or shuffled.

            >>> batches = ds.batches(256, shuffle=True, seed=7, epochs=3)
            >>> for batch in batches:
            ...     save(json.dumps(batches.state_dict()))

        The ranks of a job share the positions of an epoch: in step t, rank r of R
        has the positions [tRb + rb, tRb + (r+1)b), where b is the size of a batch.
        A state holds the seed, the epoch and the position of all ranks together, but
        not the number of ranks: any number of ranks, with batches of any size, may
        resume from the state of any rank, and they continue with the very next row. The
        exception is end="uneven" over several epochs: if the ranks drifted apart
        because they had unequal numbers of batches, the same ranks must resume.

        With `Shuffle(lanes=)` a lane yields `batch_size` rows in its turn, so that each
        rank has its own lanes if the number of lanes is a multiple of the number of
        ranks. A job that resumes from a state keeps the turns of that state, in this
        and later epochs: with batches of another size each row is still read once, but
        ranks read more blocks.

        Args:
            batch_size: rows in a batch of one rank.
            shuffle: None: in order; True: `Shuffle(seed)`; or a `Shuffle`. Each
                epoch has a different order.
            epochs: number of epochs; None: endless.
            seed: the seed for shuffle=True.
            rank, world_size: of this process.
            end: what to do with a last step that has too few rows for full batches
                of all ranks: "drop" leaves its rows out; "pad" fills it with the
                first rows of the epoch; with "uneven" the last batches of some ranks
                are short or missing, so that each row is read once.
            prefetch: number of batches that a thread reads ahead while the caller
                works with the current one. Use it for remote files and slow disks.
            state: resumes where this `state_dict()` was taken.

        Raises:
            InvalidArgumentError: an argument is wrong, or the state belongs to other
                data or another order.
        """
        batches = Batches(
            self, batch_size, shuffle=shuffle, epochs=epochs, seed=seed, rank=rank,
            world_size=world_size, end=end, prefetch=prefetch, state=state,
        )
        if (text := batches._positions.shared_lanes()) is not None:
            warn_caller(text, SharedLanesWarning)
        return batches

    def _check_absent(self, of_part: bool) -> None:
        """Reports, after all rows, the features that none of them had."""
        if self._has_plan:
            check_absent(
                self._core.untold, self._core.plan.message,
                self._options["on_absent"], of_part,
            )

    # All methods that return rows get them from the next three methods, which the
    # dataset of a TFDS folder overrides.

    def _row(self, row: SupportsIndex) -> dict[str, Any]:
        return self._core.row(row)

    def _dicts(self, rows: NDArray[np.uint64]) -> list[dict[str, Any]]:
        return self._core.dicts(rows)

    def _take(self, rows: NDArray[np.uint64], how: TakeOptions = TakeOptions()) -> Any:
        return self._core.take(rows, *how)

    def __repr__(self) -> str:
        return notebook.dataset_text(self._size, self._files, self._known_plan)

    def _repr_html_(self) -> str:
        return notebook.dataset_html(self._size, self._files, self._known_plan)

    @property
    def _known_plan(self) -> _core.Plan | None:
        """The plan, without opening the files of an unpickled dataset."""
        opened = self.__dict__.get("_core")
        if opened is not None:
            return opened.plan
        is_lost = self._plan_source == ("none",)
        return None if is_lost else _load_plan(self._plan_source)

    def __getattr__(self, name: str) -> Any:
        # An unpickled dataset is opened on first use.
        if name == "_core":
            plan = _load_plan(self._plan_source)
            # The plan of a pickle has only the selected columns.
            options = {**self._options, "columns": None}
            value = _open(self._files, plan, options, self._opener)
        elif name == "_raw":
            if self.message == "raw":
                value = self._core
            else:
                value = self._core.with_plan(_core.Plan.raw())
        else:
            raise AttributeError(f"'Dataset' object has no attribute {name!r}")
        if value.fingerprint != self._fingerprint:
            raise BadIndexError("the files have changed since the dataset was opened")
        setattr(self, name, value)
        return value

    def __getstate__(self) -> dict[str, Any]:
        if self._options["allocator"] is not None:
            raise InvalidArgumentError(
                "a dataset with an allocator cannot be pickled: the memory is of one process"
            )
        left_out = ("_core", "_raw")
        return {k: v for k, v in self.__dict__.items() if k not in left_out}


def row_numbers(rows: Any, size: int) -> NDArray[np.uint64]:
    """Returns the argument `rows` as row numbers, none of them negative; raises
    NoSuchRowError for a row that does not exist."""
    check_unmasked("rows", rows)
    array = np.asarray(rows)
    if array.dtype.kind == "f" and not isinstance(rows, np.ndarray):
        # numpy turns ints without a common type into floats.
        array = np.asarray(rows, dtype=object)
    if array.ndim != 1 or not (array.dtype.kind in "iubO" or array.size == 0):
        raise wrong_type("rows", "whole numbers, or a bool for each row", rows)
    if array.dtype.kind == "b":
        if len(array) != size:
            raise InvalidArgumentError(
                f"an array of bool must have a value for each of {size} rows, "
                f"got {len(array)}"
            )
        return np.flatnonzero(array).astype(np.uint64)
    if array.dtype.kind == "O":
        try:
            numbers = [operator.index(row) for row in array]
        except TypeError:
            raise wrong_type("rows", "whole numbers", rows) from None
        for number in numbers:
            if not -size <= number < size:
                raise no_such_row(number, size)
        array = np.array(numbers, dtype=np.int64)
    if array.size == 0:
        return np.zeros(0, np.uint64)
    low, high = int(array.min()), int(array.max())
    if high >= size or low < -size:
        raise no_such_row(high if high >= size else low, size)
    if low < 0:
        array = array.astype(np.int64)
        array = np.where(array < 0, array + size, array)
    return np.ascontiguousarray(array, dtype=np.uint64)


def _threads(threads: int | None, opener: Any) -> int:
    if threads is not None:
        return whole_number("threads", threads, 1, 2**16)
    return _REMOTE_THREADS if opener else os.cpu_count() or 1


def _open(
    names: Sequence[str],
    plan: _core.Plan | None,
    options: Mapping[str, Any],
    opener: Any,
    progress: bool = False,
) -> _core.Dataset:
    patience = Patience(options["index"] != "none")
    with bar(None, enabled=progress) as update:

        def report(done: int, size: int) -> bool:
            update(done, size)
            patience.look(done, size)
            return False

        paths = [os.fsencode(name) for name in names]
        if opener is None:
            return _core.Dataset(paths, plan, options, None, report)
        opener.walks = True
        try:
            return _core.Dataset(paths, plan, options, opener, report)
        finally:
            opener.walks = False


# A plan is pickled as the spec that it was made from, or as its columns.
def _saved_plan(
    plan: _core.Plan, spec: Any, message: Message, columns: list[str] | None
) -> tuple[Any, ...]:
    if spec is not None and not isinstance(spec, _core.Plan):
        return "spec", portable(spec, message, columns, plan), message, columns
    if spec is not None and not plan.columns:
        return ("none",)  # Reader.plan of tensors, which cannot be pickled
    return "columns", plan.message, plan.columns, plan.has_sequence_struct


def _load_plan(saved: tuple[Any, ...]) -> _core.Plan:
    kind, *rest = saved
    if kind == "spec":
        spec, message, columns = rest
        return Plan.of(spec, message=message, columns=columns)
    if kind == "columns":
        return _core.Plan.of_columns(*rest)
    raise InvalidArgumentError(
        "a dataset that was opened with the plan of a reader cannot be pickled; "
        "open it with the spec"
    )


@functools.singledispatch
def dataset_of(paths: Any, options: Mapping[str, Any]) -> Dataset:
    """Returns `paths` if it is a dataset, otherwise a dataset of these paths. Types of
    paths that need another kind of dataset register a function for it here."""
    return Dataset(paths, **options)


@dataset_of.register
def _given(paths: Dataset, options: Mapping[str, Any]) -> Dataset:
    if options:
        raise TypeError(
            f"a dataset takes no options here: {', '.join(map(repr, options))}"
        )
    return paths
