"""Real files with expected results, and the digests to compare columns by.

The folder that HEADRACE_SAMPLE_DATA names has folders of TFRecord files, each
with an EXPECTED.json: per column of all records its type, its null rows and a
digest of its rows in order.
"""

import json
import os
import pathlib
import struct

import headrace as hr
import pyarrow as pa
import pytest

VARIABLE = "HEADRACE_SAMPLE_DATA"
FOLDER = pathlib.Path(os.environ.get(VARIABLE, ""))
needed = pytest.mark.skipif(
    VARIABLE not in os.environ,
    reason=f"{VARIABLE} does not name a folder of real files with EXPECTED.json",
)
# Folder, and the schema to read it with.
CASES = [
    ("chicago-taxi", None),
    ("chicago-taxi", "schema_float.pbtxt"),
    ("chicago-taxi-sequence", None),
    ("chicago-taxi-sequence", "schema.pbtxt"),
]


def expected(folder):
    return json.loads((FOLDER / folder / "EXPECTED.json").read_text())


def paths(folder):
    return [str(FOLDER / folder / file["name"]) for file in expected(folder)["files"]]


def options(folder, schema):
    """What to read the files of a folder with."""
    if schema is None:
        return {}
    return {"schema": hr.Schema.from_file(FOLDER / folder / schema)}


def row_bytes(value, leaf):
    if value is None:
        return b"\0"
    items = []
    for item in value:
        if isinstance(item, list) or item is None:
            items.append(row_bytes(item, leaf))
        elif leaf == "bytes":
            items.append(struct.pack("<I", len(item)) + item)
        else:
            items.append(struct.pack("<q" if leaf == "int64" else "<f", item))
    return b"\1" + struct.pack("<I", len(value)) + b"".join(items)


def leaf_of(kind):
    return kind.replace("list<", "").rstrip(">")


def arrow_type(kind):
    leaves = {"int64": pa.int64(), "float": pa.float32(), "bytes": pa.binary()}
    found = leaves[leaf_of(kind)]
    for _ in range(kind.count("list<")):
        found = pa.list_(found)
    return found


def columns_of(table):
    columns = {}
    for name in table.column_names:
        column = table[name]
        if pa.types.is_struct(column.type):
            for child in column.type:
                field = pa.chunked_array(
                    [chunk.field(child.name) for chunk in column.chunks], child.type
                )
                columns[f"{name}.{child.name}"] = field
        else:
            columns[name] = column
    return columns


def check(table, folder, schema):
    """Asserts that all records, in order, gave this table."""
    xxhash = pytest.importorskip("xxhash", reason="compares digests")
    want = expected(folder)
    assert table.num_rows == want["records"]
    # A feature without any value has no column where columns are found.
    wanted = [
        column
        for column in want["columns"][schema or "schemaless"]
        if column["type"] != "null"
    ]
    columns = columns_of(table)
    assert list(columns) == [column["name"] for column in wanted]
    for column in wanted:
        found = columns[column["name"]]
        assert found.type == arrow_type(column["type"]), column["name"]
        assert found.null_count == column["nulls"], column["name"]
        digest = xxhash.xxh64()
        for value in found.to_pylist():
            digest.update(row_bytes(value, leaf_of(column["type"])))
        assert digest.hexdigest() == column["xxh64"], column["name"]
