"""Parquet written of TFRecord files, and back. pyarrow reads what was written."""

from __future__ import annotations

import os
import pathlib
import stat
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headrace as hr

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("HEADRACE", str(ROOT / "build/src/cli/headrace"))

SHAPES = ["criteo", "floats", "ids", "hashes", "ragged", "sequence", "blobs", "elwc"]
ROWS = 60


@pytest.fixture(params=SHAPES)
def shape(request, tmp_path):
    path = tmp_path / f"{request.param}.tfrecord"
    subprocess.run([PROGRAM, "gen", "--quiet", "--shape", request.param, "--records",
                    str(ROWS), "-o", path], check=True)
    return request.param, path


def small(path, count=100):
    with hr.Writer(path) as writer:
        for i in range(count):
            writer.write({
                "id": i, "name": f"n{i}", "tags": [b"\xff"] * (i % 3),
                "matrix": [float(i)] * 6, "flag": i % 2, "h": [0.5, 1.0, float(i)], "rows": [1, 2][: i % 3],
                "values": list(range(sum([1, 2][: i % 3]))), "none": None,
            })
    return path


def test_columns_come_back_from_parquet(shape, tmp_path):
    name, path = shape
    message = "elwc" if name == "elwc" else "auto"
    written = hr.to_parquet(path, tmp_path / "x.parquet", message=message)
    assert written.paths == [str(tmp_path / "x.parquet")]
    assert written.num_rows == ROWS
    table = pq.read_table(tmp_path / "x.parquet")
    expected = pa.table(hr.open(path, message=message))
    assert table.equals(expected)
    assert table.schema.equals(expected.schema)


def test_records_come_back_from_parquet(shape, tmp_path):
    name, path = shape
    if name == "elwc":
        hr.to_parquet(path, tmp_path / "x.parquet", message="elwc")
        with pytest.raises(hr.InvalidArgumentError, match='"examples"'):
            hr.from_parquet(tmp_path / "x.parquet", tmp_path / "back.tfrecord")
        return
    hr.to_parquet(path, tmp_path / "x.parquet")
    written = hr.from_parquet(tmp_path / "x.parquet", tmp_path / "back.tfrecord.gz")
    assert written.num_rows == ROWS
    assert pa.table(hr.open(tmp_path / "back.tfrecord.gz")).equals(
        pa.table(hr.open(path)))
    # The encoder's bytes are canonical.
    assert hr.encode(hr.open(path)) == hr.encode(hr.open(tmp_path / "back.tfrecord.gz"))


def test_what_tensors_hold(tmp_path):
    path = small(tmp_path / "x.tfrecord")
    spec = {
        "id": hr.FixedLenFeature([], hr.int64),
        "matrix": hr.FixedLenFeature([2, 3], hr.float32),
        "flag": hr.FixedLenFeature([], hr.int64, as_=hr.bool_),
        "h": hr.FixedLenFeature([3], hr.float32, [1, 2, 3], as_=hr.float16),
        "tags": hr.VarLenFeature(hr.bytes_),
        "values": hr.RaggedFeature(
            hr.int64, partitions=[hr.RaggedFeature.RowLengths("rows")]),
    }
    hr.to_parquet(path, tmp_path / "x.parquet", spec=spec)
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.equals(pa.table(hr.open(path, spec=spec)))
    matrix = table["matrix"].combine_chunks()
    assert matrix.type == pa.fixed_shape_tensor(pa.float32(), [2, 3])
    assert matrix.to_numpy_ndarray()[7].tolist() == [[7] * 3] * 2
    hr.from_parquet(tmp_path / "x.parquet", tmp_path / "y.tfrecord",
                    columns=["id", "matrix"])
    again = pa.table(hr.open(tmp_path / "y.tfrecord", spec={
        name: spec[name] for name in ("id", "matrix")}))
    assert again.equals(table.select(["id", "matrix"]))


@pytest.mark.parametrize("rows", [1, 7, 50, 100, 1000])
def test_row_groups(tmp_path, rows):
    path = small(tmp_path / "x.tfrecord")
    hr.to_parquet(path, tmp_path / "x.parquet", row_group_size=rows, batch_size=13)
    file = pq.ParquetFile(tmp_path / "x.parquet")
    sizes = [file.metadata.row_group(i).num_rows
             for i in range(file.num_row_groups)]
    assert sizes == [rows] * (100 // rows) + ([100 % rows] if 100 % rows else [])
    assert file.read().equals(pa.table(hr.open(path)))


def test_shards_have_all_rows_and_the_same_columns(tmp_path):
    for i in range(3):
        small(tmp_path / f"part-{i}.tfrecord", 40 + i)
    written = hr.to_parquet(str(tmp_path / "part-*.tfrecord"), tmp_path / "x.parquet",
                            shards=5)
    assert [os.path.basename(path) for path in written.paths] == [
        f"x-0000{i}-of-00005.parquet" for i in range(5)]
    tables = [pq.read_table(path) for path in written.paths]
    assert len({table.schema for table in tables}) == 1
    # A column that no record has a value of is none of a scan of many parts.
    whole = pa.table(hr.open(str(tmp_path / "part-*.tfrecord"))).drop_columns("none")
    key = "name"
    names = lambda table: sorted(str(row) for row in table[key].to_pylist())
    assert names(pa.concat_tables(tables)) == names(whole)
    assert written.num_rows == whole.num_rows == 123


def test_options_reach_pyarrow(tmp_path):
    path = small(tmp_path / "x.tfrecord")
    hr.to_parquet(path, tmp_path / "x.parquet", compression="zstd",
                  compression_level=9, parquet_options={"use_dictionary": False})
    column = pq.ParquetFile(tmp_path / "x.parquet").metadata.row_group(0).column(0)
    assert column.compression == "ZSTD"
    assert "RLE_DICTIONARY" not in column.encodings


def test_columns_of_bytes_alone_have_dictionaries(tmp_path):
    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        for i in range(50):
            writer.write({"id": i % 3, "name": b"n", "scores": [0.5]},
                         {"words": [[b"a"]], "numbers": [[1]]})
    hr.to_parquet(path, tmp_path / "x.parquet")
    group = pq.ParquetFile(tmp_path / "x.parquet").metadata.row_group(0)
    found = {group.column(i).path_in_schema for i in range(group.num_columns)
             if "RLE_DICTIONARY" in group.column(i).encodings}
    assert found == {"name.list.element",
                     "##SEQUENCE##.words.list.element.list.element"}


def test_streams_are_taken_as_they_are(tmp_path):
    path = small(tmp_path / "x.tfrecord")
    expected = pa.table(hr.open(path))
    hr.to_parquet(hr.open(path, batch_size=9), tmp_path / "reader.parquet")
    hr.to_parquet(expected, tmp_path / "table.parquet")
    for name in ("reader", "table"):
        assert pq.read_table(tmp_path / f"{name}.parquet").equals(expected)
    with pytest.raises(hr.InvalidArgumentError, match="open already"):
        hr.to_parquet(expected, tmp_path / "x.parquet", spec={})


def test_an_error_leaves_no_file(tmp_path):
    path = small(tmp_path / "x.tfrecord")
    damaged = bytearray(path.read_bytes())
    damaged[-9] ^= 1
    path.write_bytes(damaged)
    old = tmp_path / "x.parquet"
    old.write_bytes(b"old")
    for options in ({}, {"shards": 3, "index": None}):
        with pytest.raises(hr.ChecksumError) as caught:
            hr.to_parquet(path, old, **options)
        assert caught.value.file == str(path)
        assert sorted(os.listdir(tmp_path)) == ["x.parquet", "x.tfrecord"]
    assert old.read_bytes() == b"old"
    written = hr.to_parquet(path, old, on_corrupt="skip", sample=10)
    assert written.num_rows == 99


def test_a_replaced_file_hands_on_its_permissions(tmp_path):
    path = small(tmp_path / "x.tfrecord")
    target = tmp_path / "target.parquet"
    target.write_bytes(b"")
    target.chmod(0o640)
    (tmp_path / "link.parquet").symlink_to(target)
    hr.to_parquet(path, tmp_path / "link.parquet")
    assert (tmp_path / "link.parquet").is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert pq.read_metadata(target).num_rows == 100


def test_urls(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    path = small(tmp_path / "x.tfrecord")
    hr.to_parquet(path, "memory://folder/x.parquet")
    with fsspec.open("memory://folder/x.parquet") as file:
        assert pq.read_table(file).equals(pa.table(hr.open(path)))


@pytest.mark.parametrize("options, text", [
    ({"compression": "zip"}, "compression: expected one of"),
    ({"row_group_size": 0}, "row_group_size"),
    ({"shards": 0}, "shards"),
])
def test_wrong_options(tmp_path, options, text):
    path = small(tmp_path / "x.tfrecord")
    with pytest.raises(hr.InvalidArgumentError, match=text):
        hr.to_parquet(path, tmp_path / "x.parquet", **options)
    assert os.listdir(tmp_path) == ["x.tfrecord"]


def test_places_that_take_no_file(tmp_path):
    path = small(tmp_path / "x.tfrecord")
    with pytest.raises(hr.NotFoundError):
        hr.to_parquet(path, tmp_path / "no" / "x.parquet")
    with pytest.raises(IsADirectoryError):
        hr.to_parquet(path, tmp_path)
    with pytest.raises(hr.InvalidArgumentError):
        hr.to_parquet(path, "")


def test_two_columns_of_one_name(tmp_path):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    with pytest.raises(hr.InvalidArgumentError, match='two columns "a"'):
        hr.to_parquet(table, tmp_path / "x.parquet")


def test_parquet_of_others(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({
        "d": [1.0, 2.5], "text": ["a", None], "list": [[1], []],
        "i": pa.array([1, None], pa.int32()), "b": [True, False],
    }), path)
    with pytest.raises(hr.InvalidArgumentError, match='"d" is float64'):
        hr.from_parquet(path, tmp_path / "x.tfrecord")
    assert os.listdir(tmp_path) == ["x.parquet"]
    hr.from_parquet(path, tmp_path / "x.tfrecord", cast=True)
    rows = pa.table(hr.open(tmp_path / "x.tfrecord")).to_pylist()
    assert rows == [
        {"b": [1], "d": [1.0], "i": [1], "list": [1], "text": [b"a"]},
        {"b": [0], "d": [2.5], "i": None, "list": [], "text": None}]
    pq.write_table(pa.table({"t": pa.array([0], pa.timestamp("s"))}), path)
    with pytest.raises(hr.InvalidArgumentError, match='"t"'):
        hr.from_parquet(path, tmp_path / "y.tfrecord")


def test_what_is_no_parquet(tmp_path):
    path = small(tmp_path / "x.tfrecord")
    with pytest.raises(hr.InvalidArgumentError, match="cannot be read as Parquet") as caught:
        hr.from_parquet(path, tmp_path / "y.tfrecord")
    assert caught.value.file == str(path)
    with pytest.raises(hr.NotFoundError):
        hr.from_parquet(tmp_path / "none.parquet", tmp_path / "y.tfrecord")
    assert os.listdir(tmp_path) == ["x.tfrecord"]


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    path = small(tmp_path / "x.tfrecord")
    for call in (lambda: hr.to_parquet(path, tmp_path / "x.parquet"),
                 lambda: hr.from_parquet(path, tmp_path / "y.tfrecord")):
        with pytest.raises(hr.MissingPackageError, match="pip install pyarrow"):
            call()
    assert os.listdir(tmp_path) == ["x.tfrecord"]


def test_no_rows(tmp_path):
    hr.Writer(tmp_path / "x.tfrecord").close()
    hr.to_parquet(tmp_path / "x.tfrecord", tmp_path / "x.parquet",
                  spec={"a": hr.FixedLenFeature([2], hr.int64)})
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.num_rows == 0 and table.column_names == ["a"]
    assert np.asarray(table["a"]).size == 0
