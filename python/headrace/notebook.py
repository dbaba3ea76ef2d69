"""Shows objects: as one line of text, and as tables for notebooks.

Nothing here reads a file or takes a batch from a reader, and only the first features,
rows and values are looked at. Names and values are untrusted: markup is escaped, and
characters that are invisible or reverse text are shown as escapes. The tables have no
colours, so they suit light and dark pages.
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from headrace import _core
from headrace.arguments import escaped, quoted
from headrace.features import Feature, class_of_kind

_Row = Sequence[object]
_count = _core.counted

# The maximum numbers of features, rows, values and characters that are shown.
_FEATURES_IN_LINE = 8
_FEATURES = 20
_ROWS = 5
_VALUES = 4
_CHARACTERS = 60


# Values as text.


def visible(text: str, most: int = _CHARACTERS) -> str:
    """Returns the text, shortened, with invisible characters escaped."""
    short = text if len(text) <= most else f"{text[:most - 1]}…"
    return escaped(short)


def _bytes_text(value: bytes) -> str:
    head = value[:_CHARACTERS]
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        # The cut may be inside a character.
        is_cut = len(value) > len(head) and error.start > len(head) - 4
        text = head[: error.start].decode() if is_cut else ""
    if text or not value:
        shown = quoted(text)
    else:
        shown = repr(value[:12])
    if len(value) <= (_CHARACTERS if text else 12):
        return shown
    return f"{shown}… ({len(value)} bytes)"


def value_text(value: Any) -> str:
    """Returns the text of a value, or of nested lists of values; a list with more than
    _VALUES values ends in an ellipsis."""
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return _bytes_text(value)
    if isinstance(value, dict):  # of a jagged group
        cells = itertools.islice(value.items(), _VALUES)
        items = [f"{visible(key)}: {value_text(cell)}" for key, cell in cells]
        return f"{{{', '.join([*items, *['…'] * (len(value) > _VALUES)])}}}"
    if isinstance(value, tuple):  # values and their weights
        return " × ".join(map(value_text, value))
    if isinstance(value, list) or isinstance(value, np.ndarray) and value.ndim > 0:
        items = [value_text(item) for item in value[:_VALUES]]
        if len(value) > _VALUES:
            items.append("…")
        return f"[{', '.join(items)}]"
    if type(value) is float:  # from a column, where it is a float32
        return str(np.float32(value))
    return str(value)


# Features as text.


def _type_text(field: Any) -> str:
    """Returns the type of a column or tensor, such as "int64" or "ragged bytes"."""
    if isinstance(field, _core.Column):
        return _column_type(field.kind, field.in_sequence)
    dtype = "bytes" if field.dtype == object else field.dtype.name
    if isinstance(field, _core.SparseTensor):
        return f"sparse {dtype}"
    if isinstance(field, _core.JaggedTensor):
        return f"jagged {dtype}"
    return f"ragged {dtype}" if isinstance(field, _core.RaggedTensor) else dtype


def _column_type(kind: str, in_sequence: bool) -> str:
    return f"feature list of {kind}" if in_sequence else kind


def _lengths_text(column: _core.Column) -> str:
    """Returns the numbers of values, or steps, in the rows, such as "0 to 3 values"."""
    if len(column) == 0:
        return ""
    if column.offsets is None:
        return "all null"
    lengths = np.diff(column.offsets.numpy())
    if column.validity is not None:
        lengths = lengths[column.validity]
    text = "all null"
    if len(lengths):
        low, high = int(lengths.min()), int(lengths.max())
        unit = "step" if column.in_sequence else "value"
        text = _count(high, unit) if low == high else f"{low} to {_count(high, unit)}"
    if len(lengths) and column.null_count:
        text += f", {column.null_count:,} null"
    return text


def _shape_text(field: Any) -> str:
    if isinstance(field, _core.JaggedTensor):
        return _count(len(field.keys), "key")
    is_column = isinstance(field, _core.Column)
    return _lengths_text(field) if is_column else str(field.shape)


def _short_type(field: Any) -> str:
    """Returns the type, and the shape of a row if it is known."""
    inner = field.shape[1:] if isinstance(field, _core.Tensor) else ()
    return _type_text(field) + (str(list(inner)) if inner else "")


def _line(features: Iterable[tuple[str, str]], total: int) -> str:
    """Returns a line such as {'age': int64, 'name': bytes, ... 8 more}."""
    items = [
        f"{_short_name(name)}: {kind}"
        for name, kind in itertools.islice(features, _FEATURES_IN_LINE)
    ]
    if total > len(items):
        items.append(f"... {total - len(items):,} more")
    return f"{{{', '.join(items)}}}"


def _short_name(name: str) -> str:
    return quoted(name if len(name) <= _CHARACTERS else f"{name[:_CHARACTERS - 3]}...")


# Tables.

_STYLE = (
    "<style>table.headrace{border-collapse:collapse}"
    "table.headrace caption{text-align:left;caption-side:top;"
    "white-space:pre;color:inherit}"
    "table.headrace th,table.headrace td{text-align:left;vertical-align:top;"
    "white-space:pre;padding:.2em .6em}"
    "table.headrace thead th{border-bottom:1px solid currentColor}</style>"
)


def _table(
    caption: str, header: _Row, rows: Iterable[_Row], more: int = 0, what: str = "feature"
) -> str:
    """Returns a table. The first cell of each row is its name; `more` is the number of
    rows that are not shown."""

    def cell(tag: str, text: object, scope: str = "") -> str:
        shown = html.escape(visible(str(text), 2 * _CHARACTERS))
        return f"<{tag}{scope}>{shown}</{tag}>"

    def line(cells: _Row) -> str:
        name, *others = cells
        rest = "".join(cell("td", text) for text in others)
        return f'<tr>{cell("th", name, " scope=row")}{rest}</tr>'

    head = "".join(cell("th", text, " scope=col") for text in header)
    body = "".join(map(line, rows))
    left = f"<div>… {_count(more, f'more {what}')}</div>" if more > 0 else ""
    return (
        f'<div style="overflow-x:auto">{_STYLE}<table class=headrace>'
        f"{cell('caption', caption)}<thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{left}</div>"
    )


def _message_text(message: str) -> str:
    names = {
        "example": "Examples",
        "sequence": "SequenceExamples",
        "raw": "bytes",
        "elwc": "lists of Examples",
        "example_in_example": "lists of Examples",
    }
    return names.get(message, "records")


# Batches and their fields.


def _named_fields(batch: _core.Batch) -> tuple[list[tuple[str, Any]], int]:
    """Returns the first fields of a batch, features before feature lists, and the
    number of all fields."""
    context, lists = batch.context, batch.sequence
    items = itertools.chain(context.items(), lists.items())
    return list(itertools.islice(items, _FEATURES)), len(context) + len(lists)


def batch_text(batch: _core.Batch) -> str:
    """`repr(batch)`."""
    fields, total = _named_fields(batch)
    line = _line(((name, _short_type(field)) for name, field in fields), total)
    return f"Batch(rows={batch.num_rows}, features={line})"


def batch_html(batch: _core.Batch) -> str:
    """Returns a table with a row for each feature and columns for the first rows."""
    fields, total = _named_fields(batch)
    rows = min(batch.num_rows, _ROWS)
    header = ["feature", "type", "shape", *(f"row {i}" for i in range(rows))]
    table = [
        [name, _type_text(field), _shape_text(field), *_cells(field)]
        for name, field in fields
    ]
    caption = (
        f"Batch of {_count(batch.num_rows, 'row')}, {_count(total, 'feature')} of "
        f"{_message_text(batch.message)}"
    )
    return _table(caption, header, table, total - len(fields))


def _cells(field: Any) -> list[str]:
    return [
        visible(value_text(row), 2 * _CHARACTERS)
        for row in field._head(_ROWS, _VALUES + 1)
    ]


def field_html(field: Any) -> str:
    """Returns a table with the first rows of a column or tensor."""
    shape = _shape_text(field)
    caption = f"{type(field).__name__} "
    if field.name is not None:
        caption += f"{_short_name(field.name)} "
    caption += f"of {_type_text(field)}" + (f", {shape}" if shape else "")
    cells = _cells(field)
    return _table(caption, ["row", "value"], enumerate(cells),
                  len(field) - len(cells), "row")


# Plans, readers and datasets.


# Types that are shown by another name than the core or the package has for them.
_DTYPES = {"float": "float32", "bytes_": "bytes"}


def _described(
    kind: str, fields: Mapping[str, Any], in_sequence: bool
) -> tuple[str, str, str]:
    """Returns the class, type and arguments of a feature of a spec."""
    dtype, *others = [
        _DTYPES.get(str(fields[name]), str(fields[name]))
        for name in ("dtype", "as_")
        if fields.get(name)
    ]
    if others:
        dtype += f" as {others[0]}"
    dtype = _column_type(dtype, in_sequence)
    if members := fields.get("features"):  # of a group
        names = [item if isinstance(item, str) else item[0] for item in members]
        fields = {**fields, "features": names}
    rest = ", ".join(
        f"{name}={value_text(list(value) if isinstance(value, tuple) else value)}"
        for name, value in fields.items()
        if name not in ("dtype", "as_") and _is_set(name, value)
    )
    return kind, dtype, rest


def _is_set(name: str, value: Any) -> bool:
    if value is None or value is False:
        return False
    # The shape of a scalar is empty.
    return name in ("shape", "item_shape") or value not in ((), [])


_SPEC_HEADER = ("feature", "reads as", "type", "with")


def _plan_rows(plan: _core.Plan) -> tuple[tuple[str, ...], list[_Row]]:
    """Returns the header and rows of the table of a plan's features."""
    if plan.columns or not plan.names:
        rows: list[_Row] = [
            (name, _column_type(kind, in_sequence))
            for name, kind, in_sequence in plan.columns[:_FEATURES]
        ]
        return ("feature", "type"), rows
    rows = []
    for (name, kind, arguments), in_sequence in plan._tensors(_FEATURES):
        described = _described(class_of_kind(kind).__name__, arguments, in_sequence)
        rows.append((name, *described))
    return _SPEC_HEADER, rows


def plan_line(plan: _core.Plan | None) -> str:
    if plan is None:
        return ""
    header, rows = _plan_rows(plan)
    kind = header.index("type")
    kinds = ((str(row[0]), str(row[kind])) for row in rows)
    return f", features={_line(kinds, len(plan.names))}"


def _plan_table(caption: str, plan: _core.Plan | None) -> str:
    if plan is None:
        return _table(caption, ["feature"], [])
    header, rows = _plan_rows(plan)
    return _table(caption, header, rows, len(plan.names) - len(rows))


def plan_text(plan: _core.Plan) -> str:
    """`repr(plan)`."""
    return f"Plan(message={plan.message!r}{plan_line(plan)})"


def plan_html(plan: _core.Plan) -> str:
    """Returns a table of the features that are decoded."""
    caption = (
        f"Plan of {_count(len(plan.names), 'feature')} of "
        f"{_message_text(plan.message)}"
    )
    return _plan_table(caption, plan)


def _files_text(files: Sequence[str]) -> str:
    text = _count(len(files), "file")
    if files:
        text += f" ({visible(files[0])}{', …' if len(files) > 1 else ''})"
    return text


def reader_text(reader: Any) -> str:
    """`repr(reader)`. It does not show the reader's position, since another thread may
    be reading and must not be disturbed."""
    return (
        f"{_class_name(reader)}(files={len(reader.files)}, "
        f"message={reader.message!r}{plan_line(reader.plan)})"
    )


def reader_html(reader: Any) -> str:
    """Returns a table of the features that are read."""
    plan = reader.plan
    return _plan_table(
        f"{_class_name(reader)} of {_files_text(reader.files)}, "
        f"{_count(len(plan.names), 'feature')} of {_message_text(reader.message)}",
        plan,
    )


def _class_name(value: Any) -> str:
    """Returns the name of the first public class of the value."""
    return next(
        kind.__name__ for kind in type(value).__mro__ if kind.__name__[0] != "_"
    )


def dataset_text(rows: int, files: Sequence[str], plan: _core.Plan | None) -> str:
    """`repr(dataset)`."""
    return f"Dataset(rows={rows}, files={len(files)}{plan_line(plan)})"


def dataset_html(rows: int, files: Sequence[str], plan: _core.Plan | None) -> str:
    """Returns a table of the features that are read."""
    caption = f"Dataset of {_count(rows, 'row')}, {_files_text(files)}"
    return _plan_table(caption, plan)


# Specs and schemas.


def spec_html(
    message: str, features: Mapping[str, Feature], lists: Mapping[str, Feature]
) -> str:
    """Returns a table of the features of a spec."""
    named = [(name, feature, False) for name, feature in features.items()]
    named += [(name, feature, True) for name, feature in lists.items()]
    rows = [
        (name, *_described(type(feature).__name__, vars(feature), in_sequence))
        for name, feature, in_sequence in named[:_FEATURES]
    ]
    records = _message_text(message.removesuffix("_example"))
    caption = f"Spec of {_count(len(named), 'feature')} of {records}"
    return _table(caption, _SPEC_HEADER, rows, len(named) - len(rows))


def schema_text(schema: _core.Schema) -> str:
    """`repr(schema)`."""
    described = schema._described()
    kinds = ((path, kind) for path, kind, *_ in described)
    return f"Schema(features={_line(kinds, len(described))})"


def schema_html(schema: _core.Schema) -> str:
    """Returns a table of the features of a schema, including those inside a STRUCT."""
    described = schema._described()
    rows = [
        (path, kind, _values_text(shape, low, high), _presence_text(fraction))
        for path, kind, shape, low, high, fraction in described[:_FEATURES]
    ]
    caption = f"Schema of {_count(len(described), 'feature')}"
    header = ("feature", "type", "shape", "records that have it")
    return _table(caption, header, rows, len(described) - len(rows))


def _values_text(shape: list[int] | None, low: int | None, high: int | None) -> str:
    if shape is not None:
        return str(shape)
    if high is None:
        return "" if low is None else f"at least {_count(low, 'value')}"
    if low is None:
        return f"at most {_count(high, 'value')}"
    return _count(high, "value") if low == high else f"{low} to {_count(high, 'value')}"


def _presence_text(fraction: float | None) -> str:
    if fraction is None:
        return ""
    return "all" if fraction == 1 else f"at least {fraction:.4g} of all"
