"""Converts between Spark's types and the Arrow types of batches."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow
import pyspark
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_type
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    FloatType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from headrace import _core
from headrace.errors import InvalidArgumentError
from headrace.reading.scan import SEQUENCE, schema_of_columns

# Arrow types that Spark lacks (unsigned numbers and short floats), each with the
# narrowest type that holds all its values.
_WIDER = {
    pyarrow.uint8(): pyarrow.int16(),
    pyarrow.uint16(): pyarrow.int32(),
    pyarrow.uint32(): pyarrow.int64(),
    pyarrow.uint64(): pyarrow.decimal128(20, 0),
    pyarrow.float16(): pyarrow.float32(),
}
_LOSES_ROWS = pyspark.__version__.startswith("4.0.")
_KINDS: dict[DataType, str] = {
    LongType(): "int64",
    FloatType(): "float",
    BinaryType(): "bytes",
    StringType(): "bytes",
}


def _widened(type: pyarrow.DataType) -> pyarrow.DataType:
    if isinstance(type, pyarrow.BaseExtensionType):
        type = type.storage_type
    if pyarrow.types.is_list(type) or pyarrow.types.is_fixed_size_list(type):
        return pyarrow.list_(_widened(type.value_type))
    if pyarrow.types.is_struct(type):
        return pyarrow.struct([(field.name, _widened(field.type)) for field in type])
    return _WIDER.get(type, type)


def spark_schema(found: pyarrow.Schema) -> StructType:
    """Returns Spark's schema for the batches of a reader. Every column may be null."""
    return StructType([
        StructField(field.name, from_arrow_type(_widened(field.type)))
        for field in found
    ])


def arrow_schema(given: StructType) -> pyarrow.Schema:
    """Returns the Arrow schema in which Spark exchanges columns of this schema."""
    fields = []
    for field in given:
        try:
            type = to_arrow_type(field.dataType)
        except Exception as error:  # from pyspark, which does not name the column
            raise InvalidArgumentError(
                f'column "{field.name}": no Example can hold '
                f"{field.dataType.simpleString()}",
                feature=field.name,
            ) from error
        fields.append(pyarrow.field(field.name, type, field.nullable))
    return pyarrow.schema(fields)


def conform(batch: pyarrow.RecordBatch, wanted: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Returns the batch with just these columns; a column that it lacks is null in all
    rows."""
    if not wanted.names:
        if batch.num_rows and _LOSES_ROWS:
            raise InvalidArgumentError(
                "Spark 4.0 loses rows without columns, and the sample has no "
                "feature: give a spec or a schema, or use Spark 4.1"
            )
        # Arrow cannot make a batch of rows from no columns.
        return batch.select([])
    arrays = []
    for field in wanted:
        if field.name in batch.schema.names:
            array = batch.column(field.name)
            arrays.append(_cast(array, field.type))
        else:
            arrays.append(pyarrow.nulls(batch.num_rows, field.type))
    return pyarrow.record_batch(arrays, schema=wanted)


def _cast(array: pyarrow.Array, type: pyarrow.DataType) -> pyarrow.Array:
    if not pyarrow.types.is_struct(type):
        return array.cast(type)
    # The requested struct may lack children of the array, or have others.
    children = []
    for field in type:
        at = array.type.get_field_index(field.name)
        child = pyarrow.nulls(len(array), field.type)
        children.append(child if at < 0 else _cast(array.field(at), field.type))
    mask = array.is_null() if array.null_count else None
    return pyarrow.StructArray.from_arrays(children, fields=list(type), mask=mask)


def check_given(given: StructType, found: StructType) -> None:
    """Raises InvalidArgumentError for columns that have another type in the data."""
    if SEQUENCE in given.names and not isinstance(given[SEQUENCE].dataType, StructType):
        raise InvalidArgumentError(
            f'the given schema says that "{SEQUENCE}" is '
            f"{given[SEQUENCE].dataType.simpleString()}, but it is a struct of feature "
            "lists",
            feature=SEQUENCE,
        )
    types = {
        (in_sequence, field.name): field.dataType
        for in_sequence, field in _columns(found)
    }
    for in_sequence, field in _columns(given):
        name, known = field.name, types.get((in_sequence, field.name))
        if known is not None and known != field.dataType:
            wanted = field.dataType.simpleString()
            has = known.simpleString()
            if wanted == has:
                wanted += " with NOT NULL inside"
            raise InvalidArgumentError(
                f'the given schema says that "{name}" is {wanted}, but it is {has}'
                + _hint(field.dataType, known),
                feature=name,
            )
        if not field.nullable:
            raise InvalidArgumentError(
                f'the given schema says that "{name}" is NOT NULL, but every column '
                "may be null",
                feature=name,
            )


def _hint(wanted: DataType, has: DataType) -> str:
    if isinstance(has, ArrayType) and has.elementType == wanted:
        return "; a spec with fixed_len features makes columns of single values"
    if "string" in wanted.simpleString() and "binary" in has.simpleString():
        return '; the option bytes_as is "string" for text'
    return ""


def feature_lists(schema: StructType) -> list[str]:
    """Returns the names of the feature lists in a schema."""
    return [field.name for in_sequence, field in _columns(schema) if in_sequence]


def _columns(schema: StructType) -> Iterator[tuple[bool, StructField]]:
    """Yields (is a feature list, field) for each column and each feature list."""
    for field in schema:
        if field.name == SEQUENCE and isinstance(field.dataType, StructType):
            for child in field.dataType:
                yield True, child
        else:
            yield False, field


def _kind(type: DataType, levels: int) -> str | None:
    """Returns the kind of features whose type is `levels` nested arrays, or None."""
    for _ in range(levels):
        if not isinstance(type, ArrayType):
            return None
        type = type.elementType
    return _KINDS.get(type)


def features_of(given: StructType) -> _core.Schema:
    """Returns the schema of the features that become these columns."""
    columns = []
    for in_sequence, field in _columns(given):
        kind = _kind(field.dataType, 2 if in_sequence else 1)
        if kind is None:
            raise InvalidArgumentError(
                f'the given schema says that "{field.name}" is '
                f"{field.dataType.simpleString()}; without a spec columns are arrays "
                "of bigint, float "
                f"or binary, and feature lists in {SEQUENCE} are arrays of these",
                feature=field.name,
            )
        columns.append((field.name, kind, in_sequence))
    return schema_of_columns(columns)
