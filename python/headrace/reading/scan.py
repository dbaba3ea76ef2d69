"""One read, cut into parts that all have the same columns.

The adapters for Spark, Ray, Beam and Polars share it. Unless the columns are given,
they are found once, and every part is then opened with them.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from headrace import _core
from headrace.arguments import column_names
from headrace.description import schema_of, spec_of
from headrace.errors import InvalidArgumentError
from headrace.file_ranges import FileRanges, described
from headrace.named import no_such_option
from headrace.options import (
    TABLE,
    PartOptions,
    for_workers,
    only,
    taken_by,
)
from headrace.plan import plan_for, portable
from headrace.reading.opening import open
from headrace.reading.parts import split
from headrace.reading.read_report import ReadReport
from headrace.reading.reader import FoundSchema, Reader
from headrace.remote import files
from headrace.spec import Spec

# The column of feature lists, a struct.
SEQUENCE = "##SEQUENCE##"
_TYPES = {"int64": "INT", "float": "FLOAT", "bytes": "BYTES"}


class Scan:
    """Inputs and the columns to read from them; can be pickled.

    Without `spec` and `schema` the columns are the features of which the sample
    shows a value. A part that has a value of any other feature raises a
    `LateFeatureWarning`.

    Each part knows only its own records: with on_absent="error" it fails if its first
    256 records lack a feature, even if other parts have the feature.

    Args:
        paths: a path, a glob, a shard set, a URL, or a list of these. None: the files
            are passed to `open` later; then a spec or a schema is required.
        options: the options of `headrace.open` that mean the same for a part as for
            the whole, the `PartOptions` of headrace.options.

    Raises:
        The same exceptions as `headrace.open`.
        InvalidArgumentError: a file object or standard input, which no other process
            can read.

    Attributes:
        files: the names, after globs and shard sets.
    """

    def __init__(self, paths: Any, **options: Unpack[PartOptions]) -> None:
        known = taken_by("part")
        for name in options:
            if name not in known:
                refusal = TABLE[name].refusal if name in TABLE else ""
                raise no_such_option("a scan", name, sorted(known), refusal)
        spec, schema = options.get("spec"), options.get("schema")
        message = options.get("message", "auto")
        paths, spec = described(paths, spec, schema, message)
        # Specs and schemas that are paths are read here: a part may be read on another
        # machine.
        spec = spec_of(spec)
        schema = None if schema is None else schema_of(schema)
        if isinstance(spec, Mapping):
            # Pickled features of tf.io need TensorFlow where they are loaded.
            spec = Spec.of(spec)
        names = column_names(options.get("columns"))
        plan = plan_for(spec, schema, message, names)
        if spec is not None and plan is not None:
            spec = portable(spec, message, names, plan)
        self._arguments = for_workers(options) | {
            "spec": spec, "schema": schema, "message": message, "columns": names,
        }
        # The sample is taken once, from the whole; a part knows its columns.
        bounds = {
            name: self._arguments.pop(name, TABLE[name].default)
            for name in ("sample", "sample_bytes")
        }
        self._sample: tuple[int, int] | None = None  # its records and bytes, if taken
        self.files: list[str] = []
        self.inputs: Any = self.files  # what is opened: the files, or ranges of them
        if paths is not None:
            files.check_paths(paths, "can be read once and by one process")
            self._find_columns(paths, plan is None, bounds)

    def _find_columns(self, paths: Any, unknown: bool, bounds: Any) -> None:
        with open(paths, threads=1, **bounds, **self._arguments) as reader:
            self.files = reader.files
            self.inputs = paths if isinstance(paths, FileRanges) else self.files
            message, plan = reader.message, reader.plan
        # Every part has the message type that was found here.
        self._arguments["message"] = message
        if unknown and message != "raw":
            wanted = self._arguments["columns"]
            _check_kinds(plan, wanted)
            self._arguments["schema"] = FoundSchema(_schema_of(plan))
            self._sample = bounds["sample"], bounds["sample_bytes"]
            # A reader that finds its columns checks every byte, too.
            self._arguments.setdefault("verify_unselected", wanted is None)

    def check_sample(self) -> None:
        """Raises the error for damage that ended the sample early. Columns that occur
        only after the damage are unknown, so the error is raised before any part is
        read."""
        if self._sample is None or self._arguments.get("on_corrupt", "fail") != "fail":
            return
        records, size = (bound or sys.maxsize for bound in self._sample)
        plain = {"spec": None, "schema": None, "columns": None, "strict_columns": False}
        with self.open(message="raw", threads=1, **plain) as reader:
            for batch in reader:
                records -= batch.num_rows
                size -= sum(map(len, batch.payloads()))
                if records <= 0 or size <= 0:
                    break

    def open(
        self, files: Sequence[str] | FileRanges | None = None, **more: Any
    ) -> Reader:
        """Returns a reader of `files`, or of all; `more` as in `headrace.open`."""
        names = self.inputs if files is None else files
        return open(names, **{**self._arguments, **more})

    @property
    def may_lose_framing(self) -> bool:
        """Whether reading continues after a damaged header. If so, files may not be
        cut."""
        return _core.may_lose_framing(self._arguments.get("on_corrupt"))

    def cut(
        self, name: str, count: int, filesystem: Any = None
    ) -> list[tuple[int, int | None]]:
        """Returns `count` byte ranges of about the same length for `open`.

        A file without random access has one range without end. No file is cut if
        framing may be lost, because damage where two ranges meet would be an error.
        """
        if self.may_lose_framing:
            return [(0, None)]
        options = only("split", self._arguments)
        if filesystem is not None:
            options["filesystem"] = filesystem
        parts = split([name], count, **options)
        return [(begin, end) for _, begin, end in parts]


    def for_workers(self) -> files.Opener | None:
        """Makes the names of local files absolute, since workers may have another
        working directory; returns the opener of other files."""
        opener = files.opener_of(self.inputs, self._arguments)
        if opener is None:
            self.files = [os.path.abspath(name) for name in self.files]
        return opener


def log_skipped(logger: logging.Logger, file: str, report: ReadReport) -> None:
    """Logs how much of a file was skipped, in the process that read the file."""
    if report.num_rows or report.num_regions:
        logger.warning(
            "%s: skipped %d rows and %d damaged regions",
            file, report.num_rows, report.num_regions,
        )


def check_can_travel(options: Mapping[str, Any]) -> None:
    """Raises InvalidArgumentError for options whose columns should not leave the
    process."""
    if options.get("bytes_as") == "view":
        raise InvalidArgumentError(
            'bytes_as="view" keeps whole pieces of the files in memory, which would be '
            "sent to other processes with every batch"
        )


def _found(plan: _core.Plan) -> list[_core.Column]:
    empty = plan.decode([])
    return [*empty.context.values(), *empty.sequence.values()]


def _check_kinds(plan: _core.Plan, wanted: Sequence[str] | None) -> None:
    """Raises InvalidArgumentError for a wanted column that has no kind."""
    typed = {column.name for column in _found(plan) if column.kind in _TYPES}
    for name in wanted or []:
        if name not in typed:
            raise InvalidArgumentError(
                f'no record of the sample has a value of "{name}"; give a schema',
                feature=name,
            )


def _schema_of(plan: _core.Plan) -> _core.Schema:
    """Returns a schema with the columns of the plan that have a kind."""
    return schema_of_columns(
        (column.name, column.kind, column.in_sequence)
        for column in _found(plan)
        if column.kind in _TYPES
    )


def schema_of_columns(columns: Iterable[tuple[str, str, bool]]) -> _core.Schema:
    """Returns a schema of columns: (name, kind, whether it is a feature list)."""
    context, lists = "", ""
    for name, kind, in_sequence in columns:
        text = f'feature {{ name: "{_escape(name)}" type: {_TYPES[kind]} }}\n'
        if in_sequence:
            lists += text
        else:
            context += text
    if lists:
        context += (
            f'feature {{ name: "{SEQUENCE}" type: STRUCT '
            f"struct_domain {{ {lists} }} }}\n"
        )
    return _core.Schema.from_text(context)


def _escape(name: str) -> str:
    # Octal escapes can represent every byte.
    return "".join(f"\\{byte:03o}" for byte in name.encode("utf-8", "surrogateescape"))
