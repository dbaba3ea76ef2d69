"""Features of a spec: what to read from each record, and as which tensor.

The kinds of features are those of `tf.io`, with the same fields in the same order and
the same defaults, so in a dict of features only the prefix changes:

    spec = {
        "age": hr.FixedLenFeature([], hr.int64, default_value=0),
        "tags": hr.VarLenFeature(hr.bytes_),
    }

The keyword-only arguments are headrace's own: `column`, `as_`, `as_bits`, `pad_to`,
`truncate`, `check_indices`, `encoding`, for ragged features `shape`, `item_shape`,
`item_shape_key` and `group`, for all features `map`, and for members of `Matrix` and
`Jagged`, which make one tensor of several features, `present`, `first_n`, `last_n`,
`weight_key` and `sequence`;
docs/formats/spec.md explains them.
Features are values: frozen, equal if their fields are equal, hashable and picklable.
A feature stores lists as tuples. An invalid field raises `BadSpecError`.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import types
from collections.abc import Iterator, Mapping
from typing import Any

from headrace import defaults, dtypes
from headrace.arguments import quoted, wrong_type
from headrace.dtypes import DType
from headrace.errors import BadSpecError
from headrace.fields import (
    Record,
    dimensions,
    flag,
    integer,
    key_of_values,
    optional,
    short,
    text,
)
from headrace.functions import Function, functions_of as _functions
from headrace.named import named


class Feature(Record):
    """Base class of all features.

    Attributes:
        dtype: type of the values in the record; of a group, of its tensor.
        column: key in the record, None where it is the feature's name.
        as_: type of the tensor's values, None where it is `dtype` or, with `map`, the
            type of the last function's results.
        as_bits: if True, int64 read as uint64 keeps its bits, so that a negative
            number becomes a number of 2**63 or more instead of an error.
    """

    dtype: DType
    column: str | None
    as_: DType | None
    as_bits: bool

    def _set_own(
        self, column: object, as_: object, as_bits: object, **fields: object
    ) -> None:
        self._set(
            column=optional(text, column, "column"),
            as_=optional(DType.of, as_, "as_"),
            as_bits=flag(as_bits, "as_bits"),
            **fields,
        )

    def _set_cuts(
        self, first_n: object, last_n: object, weight_key: object
    ) -> None:
        """Sets the fields of members of a `Jagged`."""
        self._set(
            first_n=optional(integer, first_n, "first_n"),
            last_n=optional(integer, last_n, "last_n"),
            weight_key=optional(text, weight_key, "weight_key"),
        )
        if first_n is not None and last_n is not None:
            raise BadSpecError("first_n and last_n are both given; give one of them")


def _encoding(value: object) -> str | None:
    if value is None:
        return None
    if value not in ("raw", "zlib", "tensor_proto"):
        raise BadSpecError(
            f'encoding is {short(value)}; it takes "raw", "zlib" or "tensor_proto"'
        )
    return None if value == "raw" else str(value)


class _WithDefault(Feature):
    default_value: object

    def _key(self) -> tuple:
        # Defaults are compared by their bits: a NaN equals itself, and 0.0 is not -0.0.
        return tuple(
            defaults.identity(value, self.dtype) if name == "default_value" else value
            for name, value in self.__dict__.items()
        )


def _default(value: object, dtype: DType, count: int, what: str) -> object:
    if value is None:
        return None
    values = defaults.flatten(value, dtype)
    if len(values) != count:
        raise BadSpecError(
            f"default_value has {len(values)} values, but {what} needs exactly "
            f"{count}; nothing is broadcast"
        )
    return values[0] if count == 1 else values


class FixedLenFeature(_WithDefault):
    """Exactly `shape` values per record: a dense tensor [batch] + shape.

    Args:
        shape: whole numbers; `[]` for one value, `n` for `[n]`.
        dtype: int64, float32 or `bytes_`.
        default_value: values for records without the feature, as many as the
            shape has (nested or flat; nothing is broadcast). Without it the
            feature is required. It is stored flat, or as a scalar if it is one
            value; floats are rounded to float32.
        column: key in the record, where it is not the feature's name.
        as_: type of the tensor, where it is not `dtype` or, with `map`, int64 for ids
            and for a clipped int64, else float32.
        as_bits: if True, int64 read as uint64 keeps its bits.
        encoding: for bytes read as numbers: "zlib" if they are a zlib stream. For
            bytes that tf.io.serialize_tensor made: "tensor_proto"; then `as_`, which
            may also be `bytes_`, is the type of the tensors.
        present: in a `Matrix`: if True, a column follows that is 1 where the record
            has the feature, else 0.
        first_n, last_n, weight_key: in a `Jagged`; as in `RaggedFeature`.
        map: a function, or a list of them, that each value and the default go
            through, such as `hr.hash_bucket(1000)`. Then `as_` may be any number or
            `bool_` that holds the results; in a `Matrix` or `Jagged` its type must.

    Example: `FixedLenFeature([28, 28], hr.bytes_, as_=hr.uint8)`.
    """

    _kind = "fixed_len"
    shape: tuple[int, ...]
    encoding: str | None
    present: bool
    first_n: int | None
    last_n: int | None
    weight_key: str | None
    map: tuple[Function, ...]

    @named
    def __init__(
        self, shape: object, dtype: object, default_value: object = None, *,
        column: str | None = None, as_: object = None, as_bits: bool = False,
        encoding: str | None = None, present: bool = False,
        first_n: int | None = None, last_n: int | None = None,
        weight_key: str | None = None, map: object = (),
    ) -> None:
        shape, dtype = dimensions(shape, "shape"), dtypes.wire_dtype(dtype)
        default_value = _default(
            default_value, dtype, math.prod(shape), f"shape {list(shape)}"
        )
        self._set(shape=shape, dtype=dtype, default_value=default_value)
        self._set_own(
            column, as_, as_bits, encoding=_encoding(encoding),
            present=flag(present, "present"), map=_functions(map),
        )
        self._set_cuts(first_n, last_n, weight_key)


class FixedLenSequenceFeature(_WithDefault):
    """Any number of steps of `shape`: dense [batch, longest] + shape, padded.

    Args:
        shape: shape of one step.
        dtype: int64, float32 or `bytes_`.
        allow_missing: whether a feature list may be absent. For features of an
            Example it must be True.
        default_value: one value to pad with; None pads with 0, 0.0 or b"". Not for
            feature lists.
        column, as_, as_bits, map: as in `FixedLenFeature`. A `default_value` goes
            through `map`, the 0 of None does not.

    Example: `FixedLenSequenceFeature([3], hr.float32, allow_missing=True)`.
    """

    _kind = "fixed_len_sequence"
    shape: tuple[int, ...]
    allow_missing: bool
    map: tuple[Function, ...]

    @named
    def __init__(
        self, shape: object, dtype: object, allow_missing: bool = False,
        default_value: object = None, *, column: str | None = None,
        as_: object = None, as_bits: bool = False, map: object = (),
    ) -> None:
        dtype = dtypes.wire_dtype(dtype)
        self._set(
            shape=dimensions(shape, "shape"),
            dtype=dtype,
            allow_missing=flag(allow_missing, "allow_missing"),
            default_value=_default(default_value, dtype, 1, "padding"),
        )
        self._set_own(column, as_, as_bits, map=_functions(map))


class VarLenFeature(Feature):
    """Any number of values: a sparse tensor [batch, longest].

    Args:
        dtype: int64, float32 or `bytes_`.
        column, as_, as_bits: as in `FixedLenFeature`.
        pad_to: makes a dense tensor [batch, pad_to] instead, padded with 0, 0.0
            or b"", which do not go through `map`.
        truncate: cut longer records to `pad_to`; otherwise they are errors.
        present, map: as in `FixedLenFeature`.

    Example: `VarLenFeature(hr.int64, pad_to=8, truncate=True)`.
    """

    _kind = "var_len"
    pad_to: int | None
    truncate: bool
    present: bool
    map: tuple[Function, ...]

    @named
    def __init__(
        self, dtype: object, *, column: str | None = None, as_: object = None,
        as_bits: bool = False, pad_to: int | None = None, truncate: bool = False,
        present: bool = False, map: object = (),
    ) -> None:
        pad_to = optional(integer, pad_to, "pad_to")
        self._set(dtype=dtypes.wire_dtype(dtype))
        self._set_own(
            column, as_, as_bits, pad_to=pad_to,
            truncate=flag(truncate, "truncate"), present=flag(present, "present"),
            map=_functions(map),
        )


class SparseFeature(Feature):
    """Values with their coordinates: a sparse tensor [batch] + size.

    Args:
        index_key: key, or list of keys, of the int64 features that hold the
            indices, outermost first.
        value_key: key of the feature that holds the values.
        dtype: int64, float32 or `bytes_`, of the values.
        size: the dimensions: a number, or one number per index key.
        already_sorted: if True, the indices are neither sorted nor checked.
        column, as_, as_bits, map: as in `FixedLenFeature`.
        check_indices: if True, an index outside `size` is an error; otherwise it is
            kept.

    Example: `SparseFeature(["row", "col"], "weight", hr.float32, [10, 20])`.
    """

    _kind = "sparse"
    index_key: tuple[str, ...]
    value_key: str
    size: tuple[int, ...]
    already_sorted: bool
    check_indices: bool
    map: tuple[Function, ...]

    @named
    def __init__(
        self, index_key: object, value_key: str, dtype: object, size: object,
        already_sorted: bool = False, *, column: str | None = None,
        as_: object = None, as_bits: bool = False, check_indices: bool = False,
        map: object = (),
    ) -> None:
        keys = (index_key,) if isinstance(index_key, str) else index_key
        if not isinstance(keys, (list, tuple)):
            raise BadSpecError(f"index_key is {keys!r}; it takes a str or a list")
        size = dimensions(size, "size")
        if len(keys) != len(size):
            raise BadSpecError(f"{len(keys)} index keys, but {len(size)} sizes")
        self._set(
            index_key=tuple(
                text(key, f"index_key[{i}]") for i, key in enumerate(keys)
            ),
            value_key=key_of_values(value_key),
            dtype=dtypes.wire_dtype(dtype),
            size=size,
            already_sorted=flag(already_sorted, "already_sorted"),
        )
        self._set_own(
            column, as_, as_bits,
            check_indices=flag(check_indices, "check_indices"), map=_functions(map),
        )


class _KeyPartition(Record):
    """Args: key: key of an int64 feature in the record."""

    key: str

    def __init__(self, key: str) -> None:
        self._set(key=text(key, f"key of {type(self).__name__}"))


class RaggedFeature(Feature):
    """Any number of values, perhaps cut into rows: a ragged tensor.

    Args:
        dtype: int64, float32 or `bytes_`.
        value_key: key of the values, where it is not the feature's name.
        partitions: outermost first, `RaggedFeature.RowLengths("key")` and its
            siblings; each adds a dimension to the tensor.
        row_splits_dtype: int32 or int64.
        validate: has no effect: partitions are always checked.
        column, as_, as_bits: as in `FixedLenFeature`.
        shape: shape of a row, as far as it is known; None or -1 where rows differ. With
            n partitions, the first n + 1 dimensions come from the partitions; the
            others follow from the number of values.
        encoding: for bytes read as numbers: "zlib" if each value is a zlib stream,
            "tensor_proto" if each is a serialized tensor.
        item_shape: for bytes read as numbers: the shape of the array in each value,
            None or -1 where arrays differ.
        item_shape_key: if more than one dimension of `item_shape` is unknown: the key
            of the int64 feature that has the shapes of all values. Tensors have
            their shapes, and need no such key.
        group: a name; in every row all features of the group have the same
            length in their outermost dimension.
        first_n, last_n: in a `Jagged`: keep only the first or the last n values of a
            row, and their weights.
        weight_key: in a `Jagged` with weights: the key of the float feature that has a
            weight for each value. Without it all weights are 1.
        sequence: in a `Jagged` of a SequenceExample: if True, the feature is read from
            the feature lists, and a row has the values of all its steps.
        map: as in `FixedLenFeature`.

    Example:
        RaggedFeature(
            hr.bytes_, "word", [RaggedFeature.RowLengths("words_per_line")])
    """

    _kind = "ragged"
    _OPTIONAL = ("shape",)

    class RowLengths(_KeyPartition):
        """Lengths of the rows."""

        _kind = "row_lengths"

    class RowSplits(_KeyPartition):
        """A 0, then the end of each row."""

        _kind = "row_splits"

    class RowStarts(_KeyPartition):
        """Where each row begins."""

        _kind = "row_starts"

    class RowLimits(_KeyPartition):
        """Where each row ends."""

        _kind = "row_limits"

    class ValueRowIds(_KeyPartition):
        """The row of each value."""

        _kind = "value_rowids"

    class UniformRowLength(Record):
        """Rows of equal length. Args: length: above 0."""

        _kind = "uniform_row_length"
        length: int

        def __init__(self, length: int) -> None:
            self._set(length=integer(length, "length of UniformRowLength"))

    value_key: str | None
    partitions: tuple
    row_splits_dtype: DType
    validate: bool
    shape: tuple[int, ...] | None
    encoding: str | None
    item_shape: tuple[int, ...] | None
    item_shape_key: str | None
    group: str | None
    first_n: int | None
    last_n: int | None
    weight_key: str | None
    sequence: bool
    map: tuple[Function, ...]

    @named
    def __init__(
        self, dtype: object, value_key: str | None = None,
        partitions: object = (), row_splits_dtype: object = dtypes.int32,
        validate: bool = False, *, column: str | None = None, as_: object = None,
        as_bits: bool = False, shape: object = None, encoding: str | None = None,
        item_shape: object = None, item_shape_key: str | None = None,
        group: str | None = None, first_n: int | None = None,
        last_n: int | None = None, weight_key: str | None = None,
        sequence: bool = False, map: object = (),
    ) -> None:
        if not isinstance(partitions, (list, tuple)):
            raise BadSpecError(
                f"partitions is {partitions!r}; it takes a list or a tuple"
            )
        splits = DType.of(row_splits_dtype, "row_splits_dtype")
        if splits not in (dtypes.int32, dtypes.int64):
            raise BadSpecError(f"row_splits_dtype is {splits}, not int32 or int64")
        if value_key is not None:
            value_key = key_of_values(value_key)
        self._set(
            dtype=dtypes.wire_dtype(dtype),
            value_key=value_key,
            partitions=tuple(_partition(p) for p in partitions),
            row_splits_dtype=splits,
            validate=flag(validate, "validate"),
        )
        if shape is not None:
            shape = dimensions(shape, "shape", unknown=True) or None
        if item_shape is not None:
            item_shape = dimensions(item_shape, "item_shape", unknown=True)
        item_shape_key = optional(text, item_shape_key, "item_shape_key")
        group = optional(text, group, "group") or None
        self._set_own(
            column, as_, as_bits, shape=shape, encoding=_encoding(encoding),
            item_shape=item_shape, item_shape_key=item_shape_key, group=group,
            sequence=flag(sequence, "sequence"), map=_functions(map),
        )
        self._set_cuts(first_n, last_n, weight_key)

    def _key(self) -> tuple:
        # `validate` has no effect, so features that differ only in it are equal.
        return tuple(v for k, v in self.__dict__.items() if k != "validate")


# The classes inside RaggedFeature.
_PARTITIONS = [cls for cls in vars(RaggedFeature).values() if isinstance(cls, type)]
_PARTITION_CLASSES = {cls.__name__: cls for cls in _PARTITIONS}
_PARTITION_KINDS = {cls._kind: cls for cls in _PARTITIONS}

FEATURES: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, SparseFeature,
        RaggedFeature,
    )
}


class _Group(Feature):
    """Features that make one tensor.

    `features` are the members by name, read-only, in the order of the columns or keys.
    """

    features: Mapping[str, Feature]
    column = None
    as_bits = False
    # The options that a repr shows where they are not these.
    _INITIAL: dict[str, object]

    @property
    def dtype(self) -> DType | None:  # type: ignore[override]
        return self.as_

    def _set_group(self, features: object, as_: object, **options: object) -> None:
        if features is None:
            raise wrong_type("features", "a dict of names and features", features)
        members = read_features(features, "features")
        for name, member in members.items():
            if isinstance(member, _Group):
                raise BadSpecError(
                    f'feature "{name}" is a {type(member).__name__}; a group cannot '
                    "be a member of another",
                    feature=name,
                )
        self._set(
            features=types.MappingProxyType(members), as_=DType.of(as_, "as_"), **options
        )

    def _options(self) -> dict[str, object]:
        initial = self._INITIAL
        options = {n: getattr(self, n) for n in initial}
        return {n: value for n, value in options.items() if value != initial[n]}

    def __repr__(self) -> str:
        options = {"as_": self.as_, **self._options()}
        rest = "".join(f", {name}={value!r}" for name, value in options.items())
        return f"{type(self).__name__}({quoted(dict(self.features))}{rest})"

    def _key(self) -> tuple:
        return tuple(self.features.items()), self.as_, *self._options().items()

    def __reduce__(self) -> Any:
        return _remade, (
            type(self), dict(self.features), {"as_": self.as_, **self._options()}
        )


def _remade(
    cls: type[_Group], features: dict[str, Feature], options: dict[str, Any]
) -> _Group:
    return cls(features, **options)


class Matrix(_Group):
    """Features side by side: a dense tensor [batch, width].

    Args:
        features: names and features, in the order of the columns. They are
            `FixedLenFeature`, whose values are as many columns as its shape has, or
            `VarLenFeature` with `pad_to`. Their defaults have the type of the record.
            A `FixedLenFeature` of bytes has `as_`, the type of the matrix.
        as_: type of the tensor, any number or `bool_`. int64 is rounded to the nearest
            float, as by `tf.cast`; a value out of range is an error.
        exact: if True, an integer that the float type would round is an error.

    Example:
        Matrix({"age": FixedLenFeature([], hr.int64, 0, present=True),
                "embedding": FixedLenFeature([16], hr.float32)}, as_=hr.bfloat16)
    """

    _kind = "matrix"
    _INITIAL = {"exact": False}
    exact: bool

    @named
    def __init__(
        self, features: Mapping[str, object], *, as_: object, exact: bool = False
    ) -> None:
        self._set_group(features, as_, exact=flag(exact, "exact"))


class Jagged(_Group):
    """Features of any length, key after key: a `JaggedTensor`.

    Args:
        features: names and features, in the order of the keys. They are
            `RaggedFeature` without partitions, or `FixedLenFeature`.
        as_: type of the values, any number or `bool_`.
        weights: if True, each value has a weight, a float32: that of the member's
            `weight_key`, or 1.
        lengths_dtype: int32 or int64, the type of lengths and offsets.

    Example:
        Jagged({"film": RaggedFeature(hr.int64, last_n=50, weight_key="rating"),
                "city": RaggedFeature(hr.int64)}, as_=hr.int32, weights=True)
    """

    _kind = "jagged"
    _INITIAL = {"weights": False, "lengths_dtype": dtypes.int32}
    weights: bool
    lengths_dtype: DType

    @named
    def __init__(
        self, features: Mapping[str, object], *, as_: object, weights: bool = False,
        lengths_dtype: object = dtypes.int32,
    ) -> None:
        lengths = DType.of(lengths_dtype, "lengths_dtype")
        if lengths not in (dtypes.int32, dtypes.int64):
            raise BadSpecError(f"lengths_dtype is {lengths}, not int32 or int64")
        self._set_group(
            features, as_, weights=flag(weights, "weights"), lengths_dtype=lengths
        )


_KINDS = {cls._kind: cls for cls in (*FEATURES.values(), Matrix, Jagged)}


def class_of_kind(kind: str) -> type[Feature]:
    """Returns the class of a kind, by its name in `_core.FeatureSpec`."""
    return _KINDS[kind]


def of_kind(kind: str, arguments: dict[str, Any]) -> Feature:
    """Builds a feature from a kind and arguments as `_core.FeatureSpec` names them."""
    if kind == "ragged":
        arguments["partitions"] = [
            _PARTITION_KINDS[name](value) for name, value in arguments["partitions"]
        ]
    if "features" in arguments:
        arguments["features"] = made_of(arguments["features"])
    return class_of_kind(kind)(**arguments)


def _adopt(value: object, classes: dict[str, type]) -> object | None:
    """Returns `value` if its class is one of ours. If its class only has the same name
    as one of ours, like the classes of tf.io, returns an instance of ours with the same
    field values: our positional arguments are named like the fields of tf.io's classes.
    Otherwise returns None."""
    for base in type(value).__mro__:
        cls = classes.get(base.__name__)
        if cls is base:
            return value
        if cls is None:
            continue
        code = inspect.unwrap(cls.__init__).__code__
        names = code.co_varnames[1 : code.co_argcount]
        if all(hasattr(value, name) for name in names):
            return cls(*(getattr(value, name) for name in names))
    return None


def _partition(value: object) -> object:
    partition = _adopt(value, _PARTITION_CLASSES)
    if partition is None:
        raise BadSpecError(
            f"partitions has {value!r}; it takes RaggedFeature.RowLengths and "
            "its siblings"
        )
    return partition


def feature(value: object) -> Feature:
    """Returns `value` as a feature of headrace; a feature of tf.io is copied.

    Raises TypeError for any other value, and BadSpecError for invalid fields.
    """
    result = value if isinstance(value, _Group) else _adopt(value, FEATURES)
    if result is None:
        kind = value.__name__ if isinstance(value, type) else type(value).__name__
        raise TypeError(
            f"expected a feature of headrace or tf.io ({', '.join(FEATURES)}), "
            f"got {kind}"
        )
    return result  # type: ignore[return-value]


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Names the feature `name` in errors. An error that names a member of a group gets
    the name of the group in its text."""
    try:
        yield
    except BadSpecError as error:
        joint = ", " if error.feature else ": "
        raise BadSpecError(
            f'feature "{name}"{joint}{error.message}', feature=error.feature or name
        ) from None
    except TypeError as error:
        raise TypeError(f'feature "{name}": {error}') from None


def read_features(features: object, what: str) -> dict[str, Feature]:
    """Returns features by name, from a dict that a user passed."""
    if features is None:
        return {}
    if not isinstance(features, Mapping):
        raise wrong_type(what, "a dict of names and features", features)
    result = {}
    for name, value in features.items():
        if not isinstance(name, str):
            raise wrong_type(f"{what}: the name {name!r}", "a str", name)
        name = text(name, f"the name of a {what[:-1]}")
        with _naming(name):
            result[name] = feature(value)
    return result


def made_of(items: list[tuple[str, str, dict[str, Any]]]) -> dict[str, Feature]:
    """Returns features by name, from kinds and arguments that the core returned."""
    made: dict[str, Feature] = {}
    for name, kind, arguments in items:
        if name in made:
            raise BadSpecError(f'feature "{name}" is listed twice', feature=name)
        with _naming(name):
            made[name] = of_kind(kind, arguments)
    return made
