"""Statistics of single features: as objects, rows of frames, and lines of text."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from headrace.errors import needed
from headrace.fields import short
from headrace.notebook import visible

# Figures that some features, numbers and samples lack; they are then None.
_OPTIONAL = {
    "int64", "float", "bytes", "categories", "steps", "step_values", "unset_steps",
    "first", "classes", "min", "max", "mean", "std", "width", "height",
}
_LISTS = "##SEQUENCE##."


class Figures:
    """Figures as attributes; docs/formats/stats.md lists their names. Frozen.

    `vars(figures)` is a dict of them.
    """

    def __init__(self, members: Mapping[str, Any]) -> None:
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        # Python calls this only for names that are not in __dict__.
        if name in _OPTIONAL:
            return None
        raise AttributeError(f"there is no figure {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"figures cannot be changed: {name!r}")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Figures):
            return NotImplemented
        return self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        items = (f"{name}={short(value)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({', '.join(items)})"


class FeatureStats(Figures):
    """The statistics of one feature.

    `int64`, `float` and `bytes` are the figures of its values of each kind, or None.
    """

    @property
    def numbers(self) -> Figures | None:
        """Its `int64` or its `float`; None if it has neither, or both."""
        found = [kind for kind in (self.int64, self.float) if kind is not None]
        return found[0] if len(found) == 1 else None

    @property
    def quantiles(self) -> list[float] | None:
        """The quantiles of its `numbers`, from minimum to maximum, without their shares,
        for `hr.bucketize`; None if it has none. Equal ones repeat."""
        found = getattr(self.numbers, "quantiles", None) or ()
        return [value for _, value in found] or None




# From the JSON of the core.


def _same(value: Any) -> Any:
    return value


def _float32(value: float | str) -> float:
    """Returns the float32 that JSON writes as its shortest text, or as "NaN" and so
    on."""
    return float(np.float32(value))


def value_of(value: Any) -> bytes:
    """Returns bytes from JSON, where they are text, or an object if not UTF-8."""
    if isinstance(value, str):
        return value.encode()
    return binascii.a2b_base64(value["b64"])


def _numbers(members: dict[str, Any], number: Callable[[Any], Any] = _same) -> Figures:
    made: dict[str, Any] = {}
    for name, value in members.items():
        if name == "quantiles":
            value = [(float(share), number(item)) for share, item in value]
        elif name in ("min", "max"):
            value = number(value)
        elif name in ("mean", "std", "rank_error"):
            value = float(value)
        made[name] = value
    return Figures(made)


def _floats(members: dict[str, Any]) -> Figures:
    return _numbers(members, _float32)


def _bytes(members: dict[str, Any]) -> Figures:
    distinct = members["distinct"]
    lengths = [(float(share), item) for share, item in members["length_quantiles"]]
    return Figures(
        {
            **members,
            "mean_length": float(members["mean_length"]),
            "length_quantiles": lengths,
            "distinct": Figures({**distinct, "error": float(distinct["error"])}),
            "top": [(value_of(value), count) for value, count in members["top"]],
            "samples": [
                Figures({**sample, "value": value_of(sample["value"])})
                for sample in members["samples"]
            ],
        }
    )


def _classes(members: list[dict[str, Any]]) -> Mapping[bytes, Figures]:
    return MappingProxyType({value_of(of["class"]): Figures(of) for of in members})


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "kinds": Figures, "first": Figures, "classes": _classes,
    "values": _numbers, "steps": _numbers, "step_values": _numbers,
    "int64": _numbers, "float": _floats, "bytes": _bytes, "categories": _bytes,
}


def _feature(members: dict[str, Any]) -> FeatureStats:
    return FeatureStats(
        {
            name: _MAKERS[name](value) if name in _MAKERS else value
            for name, value in members.items()
        }
    )


def features_of(features: list[dict[str, Any]]) -> Mapping[str, FeatureStats]:
    """Returns the features in the JSON of statistics, by path; the path of a feature
    list begins with "##SEQUENCE##."."""
    made = map(_feature, features)
    return MappingProxyType({path_of(feature): feature for feature in made})


def path_of(feature: Any) -> str:
    """Returns the name; the name of a feature list gets the prefix "##SEQUENCE##."."""
    return f"{_LISTS}{feature.name}" if feature.in_sequence else feature.name


# Text.

_LINES = 20


def stats_text(records: int, features: Mapping[str, FeatureStats]) -> str:
    """`repr(stats)`."""
    title = f"Stats of {records:,} records, {len(features):,} features"
    header = ("feature", "kind", "present", "values", "min", "mean", "max", "distinct")
    lines = [_line(path, features[path], records) for path in list(features)[:_LINES]]
    return _table(title, header, lines, len(features))


def differences_text(names: tuple[str, str], differences: Sequence[Any]) -> str:
    """`repr(comparison)`."""
    title = f"Comparison of {len(differences):,} features"
    header = ("feature", "distance", *(f"present in {name}" for name in names), "linf",
              "js_divergence")
    lines = [
        (visible(found.feature, 40), f"{found.distance:.4g}",
         *(f"{share:.4g}" for share in found.presence),
         _optional(found.linf), _optional(found.js_divergence))
        for found in differences[:_LINES]
    ]
    return _table(title, header, lines, len(differences))


def _optional(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"


def _table(
    title: str, header: tuple[str, ...], lines: list[tuple[str, ...]], total: int
) -> str:
    widths = [max(map(len, column)) for column in zip(header, *lines)]
    text = [title]
    for line in (header, *lines):
        cells = (cell.ljust(width) for cell, width in zip(line, widths))
        text.append("  ".join(cells).rstrip())
    if total > len(lines):
        text.append(f"... {total - len(lines):,} more features")
    return "\n".join(text)


def _line(path: str, feature: FeatureStats, records: int) -> tuple[str, ...]:
    share = f"{feature.present / records:.4g}" if records else ""
    low, high = feature.values.min, feature.values.max
    values = f"{low}" if low == high else f"{low} to {high}"
    numbers = feature.int64 or feature.float
    figures = ("", "", "")
    if numbers is not None and numbers.mean is not None:
        figures = (f"{numbers.min:.6g}", f"{numbers.mean:.6g}", f"{numbers.max:.6g}")
    distinct = ""
    if feature.bytes is not None:
        found = feature.bytes.distinct
        distinct = f"{'' if found.exact else 'about '}{found.value:,}"
    return (visible(path, 40), feature.kind, share, values, *figures, distinct)


# Frames: a row for each feature. A dot in a name leads to a figure inside another.

_LENGTHS = {"min": "int64", "mean": "double", "max": "int64"}
_COLUMNS = {
    "name": "string", "kind": "string", "in_sequence": "bool", "present": "int64",
    "missing": "int64", "unset": "int64", "encoded_bytes": "int64",
    **{f"values.{name}": kind for name, kind in _LENGTHS.items()},
    "values.total": "int64",
    **{f"steps.{name}": kind for name, kind in _LENGTHS.items()},
    **{
        f"{kind}.{name}": of or kind
        for kind in ("int64", "float")
        for name, of in {
            "count": "int64", "zeros": "int64", "nan": "int64", "inf": "int64",
            "min": "", "max": "", "mean": "double", "std": "double",
        }.items()
    },
    "bytes.count": "int64", "bytes.min_length": "int64",
    "bytes.mean_length": "double", "bytes.max_length": "int64",
    "bytes.utf8": "int64", "bytes.distinct.value": "int64",
    "bytes.distinct.error": "double",
}


def _at(figures: Any, path: str) -> Any:
    for name in path.split("."):
        if figures is None:
            return None
        figures = getattr(figures, name)
    return figures


def columns_of(features: Mapping[str, FeatureStats]) -> dict[str, list[Any]]:
    """Returns the columns of the frame; None where a feature lacks a figure."""
    rows = list(features.values())
    return {path: [_at(row, path) for row in rows] for path in _COLUMNS}


def to_arrow(features: Mapping[str, FeatureStats]) -> Any:
    """`Stats.to_arrow`."""
    pyarrow = needed("pyarrow", "Stats.to_arrow")
    columns = {
        path: pyarrow.array(values, pyarrow.type_for_alias(_COLUMNS[path]))
        for path, values in columns_of(features).items()
    }
    counted = pyarrow.list_(
        pyarrow.struct([("value", pyarrow.binary()), ("count", pyarrow.int64())])
    )
    columns["bytes.top"] = pyarrow.array(
        [
            None if row.bytes is None else
            [{"value": item[0], "count": item[1]} for item in row.bytes.top]
            for row in features.values()
        ],
        counted,
    )
    return pyarrow.table(columns)


_PANDAS = {"int64": "Int64", "double": "Float64", "float": "Float32", "bool": "bool",
           "string": "str"}


def to_pandas(features: Mapping[str, FeatureStats]) -> Any:
    """`Stats.to_pandas`."""
    pandas = needed("pandas", "Stats.to_pandas")
    return pandas.DataFrame(
        {
            path: pandas.Series(values, dtype=_PANDAS[_COLUMNS[path]])
            for path, values in columns_of(features).items()
        }
    )
