"""`headrace.Reader`: reads files from front to back, and can resume from a state."""

from __future__ import annotations

import atexit
import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from headrace import _core, notebook
from headrace.arguments import column_names, whole_number
from headrace.errors import InvalidArgumentError
from headrace.options import core_options
from headrace.plan import plan_for
from headrace.reading.progress import Done, LateBar
from headrace.reading.read_report import (
    AbsentFeature,
    LateFeature,
    ReadReport,
    SkippedRegion,
)
from headrace.reading.states import VERSION, checked_state
from headrace.remote import files

# Threads of a reader may call Python objects, which must not outlive Python.
atexit.register(_core.close_readers)


class Reader(_core.Reader):
    """Batches of consecutive records; made by `headrace.open`.

    A reader is an iterator of `Batch`, an Arrow stream (`__arrow_c_stream__`), and
    a context manager. It can be read once: the stream continues where the iterator
    stopped, and a second loop after the end raises InvalidArgumentError. `error` is
    the exception that a stream failed with. One thread may use it at a time; a
    second one gets a RuntimeError. It does not survive a fork. Batches outlive it.
    """

    def __init__(
        self,
        names: list[str],
        plan: _core.Plan | None,
        options: dict[str, Any],
        opener: Any,
    ) -> None:
        super().__init__([os.fsencode(name) for name in names], plan, options, opener)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        # A warning must not replace the exception.
        if kind is None:
            self.close()
        else:
            self._close_quietly()

    def __repr__(self) -> str:
        return notebook.reader_text(self)

    def _repr_html_(self) -> str:
        return notebook.reader_html(self)

    @property
    def report(self) -> ReadReport:
        """Records and features skipped or left out so far in this epoch, and why."""
        report = self._report()
        report["regions"] = [SkippedRegion(*region) for region in report["regions"]]
        report["late"] = [LateFeature(*feature) for feature in report["late"]]
        report["absent"] = [AbsentFeature(*feature) for feature in report["absent"]]
        return ReadReport(**report)

    def state_dict(self) -> dict[str, Any]:
        """Returns where the next batch begins, as a small dict that JSON can hold.

        Call it between two batches; `load_state_dict` of a reader opened with the
        same arguments continues with the very next row. The state does not include
        the report or the errors of the rows read before.
        """
        position = self._position()
        state = {"version": VERSION, "plan": str(self.plan), **position}
        if "file" in position:
            state["name"] = self.files[position["file"]]
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes to the row at which `state_dict` was called.

        Raises:
            InvalidArgumentError: the state belongs to other files or another plan.
                If a file has changed, the next batch raises this error.
        """
        has_row = isinstance(state, Mapping) and not _STATE_ROW.keys().isdisjoint(state)
        like = _STATE | (_STATE_ROW if has_row else {})
        state = checked_state(state, like, "a reader")
        if state["plan"] != str(self.plan):
            hint = ", or with other words in its vocabulary files"
            raise InvalidArgumentError(
                "the state is of a reader with another plan"
                f"{hint if self.plan.vocabulary_files else ''}"
            )
        if "file" in state:
            index, files_now = state["file"], self.files
            if index >= len(files_now) or files_now[index] != state["name"]:
                raise InvalidArgumentError(
                    f"the state is of other files: file {index} was {state['name']}"
                )
        self._restart(state)


class _ReaderWithBar(Reader):
    """Shows a bar over stored bytes while it is iterated. It is a separate class so
    that other readers return batches without running Python code."""

    def __init__(
        self,
        names: list[str],
        plan: _core.Plan | None,
        options: dict[str, Any],
        opener: Any,
    ) -> None:
        super().__init__(names, plan, options, opener)
        self._epochs: int = options["epochs"]  # 0: without end
        self._bar = LateBar()

    def __next__(self) -> _core.Batch:
        batch = self._bar.next(self._next, self._done)
        if batch is None:
            raise StopIteration
        return batch

    def _next(self) -> _core.Batch | None:
        try:
            return super().__next__()
        except StopIteration:
            self._bar.show(self._done())
            return None

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes to the row at which `state_dict` was called."""
        super().load_state_dict(state)
        self._bar.restart()

    def close(self) -> None:
        """Ends the reader's threads and closes its files; batches stay valid."""
        self._bar.end()
        super().close()

    def _close_quietly(self) -> None:
        self._bar.end()
        super()._close_quietly()

    def _done(self) -> Done:
        # The total size of inputs that Python opens is known once all are open.
        size = self.stored_size
        done = self._position()["epoch"] * size + self.stored_position
        return done, self._epochs * size, "B"


# Names and types of the members; a state has the last row if its epoch returned one.
_STATE = {"version": VERSION, "plan": "", "epoch": 0, "rows": 0}
_STATE_ROW = {"file": 0, "name": "", "offset": 0, "record": 0, "recovered": False}


@dataclasses.dataclass(frozen=True)
class FoundSchema:
    """A `schema` for `headrace.open` that an earlier reader found from a sample:
    features that it lacks are late."""

    schema: _core.Schema


def open_in_order(paths: Any, given: Mapping[str, Any]) -> Reader:
    """Returns a reader of files from front to back; `given` are the other arguments of
    `headrace.open`."""
    names, opener = files.resolve(paths, given["filesystem"], given["storage_options"])
    if opener is not None and _is_range(given["byte_range"]):
        opener = opener.for_part(*given["byte_range"])
    selected = column_names(given["columns"])
    schema = given["schema"]
    found = isinstance(schema, FoundSchema)
    schema = schema.schema if found else schema
    plan = plan_for(given["spec"], schema, given["message"], selected)
    epochs = given["epochs"]
    options = core_options("reader", given) | {
        "columns": selected if plan is None else None,
        "epochs": 0 if epochs is None else whole_number("epochs", epochs, 1),
        "record_ranges": files.ranges_of(paths),
        # A feature that was not selected must not be reported as late.
        "plan_is_of_sample": found and selected is None,
        "allocator": given["allocator"],
    }
    kind = _ReaderWithBar if given["progress"] else Reader
    return kind(names, plan, options, opener)


def _is_range(value: Any) -> bool:
    """Whether `value` is a byte range; False also for values that the core refuses."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        return False
    begin, end = value
    return isinstance(begin, int) and (end is None or isinstance(end, int))
