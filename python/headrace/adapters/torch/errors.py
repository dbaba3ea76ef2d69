"""Carries errors out of a worker of a loader with all their fields."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from torch.utils.data import get_worker_info

from headrace import errors
from headrace.errors import HeadraceError
from headrace.warnings import leave_telling_to_others


@contextlib.contextmanager
def errors_of_worker() -> Iterator[None]:
    """Carries errors out of a worker of a loader with all their fields, and makes an
    error of a StopIteration, which would end the loader. Only the first of several
    workers warns about features that the records lack."""
    worker = get_worker_info()
    if worker is not None and worker.id > 0:
        leave_telling_to_others()
    try:
        yield
    except StopIteration as error:
        stopped = RuntimeError("the transform raised StopIteration")
        # With a cause, contextlib would raise the cause.
        raise stopped.with_traceback(error.__traceback__) from None
    except HeadraceError as error:
        if get_worker_info() is None:
            raise
        raise _WorkerError(error).with_traceback(error.__traceback__) from None


class _WorkerError(Exception):
    """Carries a HeadraceError out of a worker of a loader.

    A loader sends the class and the text of the traceback, and calls the class
    with the text. So the text contains the fields, and the call returns the error.
    """

    def __new__(cls, error: HeadraceError | str) -> Any:
        if isinstance(error, HeadraceError):
            return super().__new__(cls)
        traceback, _, line = error.rstrip().rpartition("\n")
        fields = json.loads(line.partition(": ")[2])
        restored = getattr(errors, fields.pop("class"))(**fields)
        restored.add_note(traceback)
        return restored

    def __init__(self, error: HeadraceError) -> None:
        base = next(c for c in type(error).__mro__ if c.__module__ == errors.__name__)
        names = ("code", "message", "file", "record", "offset", "feature",
                 "expected", "found")
        fields = {name: getattr(error, name) for name in names}
        super().__init__(json.dumps({"class": base.__name__, **fields}))
