"""Chooses the types of columns in Parquet: values instead of lists, text instead of
bytes. Needs pyarrow."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headrace.arguments import suggestion, wrong_type
from headrace.errors import InvalidArgumentError, WrongCountError, WrongKindError

# Number of rows that are looked at to find features with at most one value.
_ROWS_SHOWN = 10_000
_TYPES = ("binary", "large", "string")


class Choice:
    """The chosen types of columns; `headrace.to_parquet` documents the arguments.

    It may be applied to several files with the same columns: the choice made from the
    first rows applies to all files.
    """

    def __init__(
        self, scalars: bool | Iterable[str] = False,
        bytes_as: Mapping[str, str] | None = None,
    ) -> None:
        if not isinstance(scalars, (bool, list, tuple, set, frozenset)):
            raise wrong_type("scalars", "True, False or a list of names", scalars)
        self._finds = scalars is True
        self._scalars = set() if isinstance(scalars, bool) else set(scalars)
        self._bytes_as = dict(bytes_as or {})
        for name, kind in self._bytes_as.items():
            if kind not in _TYPES:
                raise InvalidArgumentError(
                    f"bytes_as of {name!r} must be one of {', '.join(_TYPES)}, "
                    f"got {kind!r}")

    def applied(
        self, batches: Iterable[Any], schema: Any
    ) -> tuple[Iterable[Any], Any]:
        """Returns the batches with the chosen types, and their schema."""
        if self._finds:
            shown, batches = _first(batches)
            self.look(shown, schema)
        self._check_names(schema)
        if not self._scalars and not self._bytes_as:
            return batches, schema
        return self._changed(batches), self._schema(schema)

    def look(self, shown: Iterable[Any], schema: Any) -> None:
        """Finds the columns that the first rows show to be scalars, unless they are
        already found."""
        if not self._finds:
            return
        self._finds = False
        wanted = {field.name for field in schema if _is_list_of_values(field.type)}
        for batch in shown:
            wanted -= {name for name in wanted if _most_values(batch.column(name)) > 1}
        self._scalars = wanted

    def _check_names(self, schema: Any) -> None:
        for name in sorted({*self._scalars, *self._bytes_as}):
            if name not in schema.names:
                raise InvalidArgumentError(
                    f'there is no column "{name}"{suggestion(name, schema.names)}',
                    feature=name)
        for name in sorted(self._scalars):
            kind = schema.field(name).type
            if not _is_list_of_values(kind):
                raise InvalidArgumentError(
                    f'the column "{name}" is {kind}, which is not a list of values',
                    feature=name)

    def _schema(self, schema: Any) -> Any:
        for number, field in enumerate(schema):
            schema = schema.set(number, field.with_type(self._type(field)))
        return schema

    def _type(self, field: Any) -> Any:
        kind = field.type.value_type if field.name in self._scalars else field.type
        if field.name in self._bytes_as:
            kind = _with_bytes(kind, self._bytes_as[field.name])
            if kind is None:
                raise InvalidArgumentError(
                    f'bytes_as: the column "{field.name}" is {field.type}, not bytes',
                    feature=field.name)
        return kind

    def _changed(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        row = 0
        for batch in batches:
            schema = self._schema(batch.schema)
            columns: list[Any] = []
            for field, column in zip(batch.schema, batch.columns):
                if field.name in self._scalars:
                    column = _scalars_of(column, field.name, row)
                try:
                    kind = schema.field(len(columns)).type
                    columns.append(column if column.type == kind else column.cast(kind))
                except pa.ArrowInvalid as error:
                    raise WrongKindError(
                        f'"{field.name}" in rows {row} to {row + batch.num_rows - 1}: '
                        f"{error}", feature=field.name) from None
            row += batch.num_rows
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _first(batches: Iterable[Any]) -> tuple[list[Any], Iterator[Any]]:
    """Returns the first batches, of about _ROWS_SHOWN rows, and an iterator of all."""
    shown: list[Any] = []
    rest = iter(batches)
    while sum(batch.num_rows for batch in shown) < _ROWS_SHOWN:
        batch = next(rest, None)
        if batch is None:
            break
        shown.append(batch)
    return shown, itertools.chain(shown, rest)


def _is_list_of_values(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_list(kind) and not pa.types.is_nested(kind.value_type)


def _most_values(column: Any) -> int:
    from pyarrow import compute

    return compute.max(compute.list_value_length(column)).as_py() or 0


def _scalars_of(column: Any, name: str, first_row: int) -> Any:
    """Returns the one value of each list; null where the list is null or empty."""
    import pyarrow as pa
    from pyarrow import compute

    lengths = compute.fill_null(compute.list_value_length(column), 0)
    if len(column) and compute.max(lengths).as_py() > 1:
        row = compute.index(compute.greater(lengths, 1), True).as_py()
        raise WrongCountError(
            f'row {first_row + row} has {lengths[row].as_py()} values of "{name}", '
            "but a column of values holds one per row; name in scalars= only features "
            "with at most one value, or leave scalars= out",
            feature=name, expected="1", found=str(lengths[row].as_py()))
    places = compute.if_else(
        compute.equal(lengths, 1), column.offsets[:-1], pa.scalar(None, pa.int32()))
    return column.values.take(places)


def _with_bytes(kind: Any, bytes_as: str) -> Any:
    """Returns the type with its bytes as `bytes_as`; None if it has no bytes."""
    import pyarrow as pa

    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        inner = _with_bytes(kind.value_type, bytes_as)
        if inner is None:
            return None
        field = kind.value_field.with_type(inner)
        is_list = pa.types.is_list(kind)
        return pa.list_(field) if is_list else pa.list_(field, kind.list_size)
    if not pa.types.is_binary(kind):
        return None
    return {"binary": pa.binary(), "large": pa.large_binary(), "string": pa.string()}[
        bytes_as]
