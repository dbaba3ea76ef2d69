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


# Files whose columns differ, and folders that say more.


def part(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def rows_of(path):
    return pa.table(hr.open(path)).to_pylist()


def test_columns_of_later_files(tmp_path):
    first = part(tmp_path / "d/a.parquet", x=[1])
    part(tmp_path / "d/b.parquet", x=[2], late=["l"])
    part(tmp_path / "d/sub/c.parquet", late=["m"])
    for number, paths in enumerate((
        tmp_path / "d",
        [first, tmp_path / "d/b.parquet", str(tmp_path / "d/s*/*")],
    )):
        out = tmp_path / f"{number}.tfrecord"
        assert hr.from_parquet(paths, out).num_rows == 3
        assert rows_of(out) == [
            {"x": [1], "late": None}, {"x": [2], "late": [b"l"]},
            {"x": None, "late": [b"m"]}]
    out = tmp_path / "out.tfrecord"
    hr.from_parquet(tmp_path / "d", out, columns=["late"])
    assert [row["late"] for row in rows_of(out)] == [None, [b"l"], [b"m"]]
    with pytest.raises(hr.InvalidArgumentError, match='did you mean "late"'):
        hr.from_parquet(tmp_path / "d", tmp_path / "no", columns=["lata"])
    assert not (tmp_path / "no").exists()


def test_columns_of_another_kind(tmp_path):
    part(tmp_path / "a.parquet", x=[1])
    part(tmp_path / "b.parquet", x=pa.array([0.5], pa.float32()))
    pattern = str(tmp_path / "?.parquet")
    with pytest.raises(hr.WrongKindError) as caught:
        hr.from_parquet(pattern, tmp_path / "y.tfrecord")
    assert caught.value.feature == "x"
    out = tmp_path / "x.tfrecord"
    hr.from_parquet(pattern, out, spec={"x": hr.FixedLenFeature([], hr.float32)})
    assert rows_of(out) == [{"x": [1.0]}, {"x": [0.5]}]
    assert hr.from_parquet(pattern, out, mixed_kinds=True).num_rows == 2


def test_folders_say_values(tmp_path):
    part(tmp_path / "d/year=2020/lang=de/a.parquet", x=[1, 2])
    part(tmp_path / "d/year=2021/lang=fr%2Fca/a.parquet", x=[3])
    part(tmp_path / "d/year=2021/lang=__HIVE_DEFAULT_PARTITION__/a.parquet", x=[4])
    part(tmp_path / "d/_temporary/a.parquet", x=[5])
    (tmp_path / "d/_SUCCESS").touch()
    (tmp_path / "d/year=2020/lang=de/.a.parquet.crc").touch()
    expected = {
        1: (2020, b"de"), 2: (2020, b"de"), 3: (2021, b"fr/ca"), 4: (2021, None)}
    for number, paths in enumerate((
        tmp_path / "d", str(tmp_path / "d/year=*/*/*.parquet"), str(tmp_path / "d/ye*"),
        f"file://{tmp_path}/d", sorted((tmp_path / "d").glob("year=*/*/a.parquet")),
    )):
        out = tmp_path / f"{number}.tfrecord"
        assert hr.from_parquet(paths, out).num_rows == 4
        found = {row["x"][0]: (row["year"][0], row["lang"] and row["lang"][0])
                 for row in rows_of(out)}
        assert found == expected
    out = tmp_path / "out.tfrecord"
    hr.from_parquet(tmp_path / "d", out, columns=["year"])
    assert rows_of(out) == [{"year": [y]} for y in (2020, 2020, 2021, 2021)]
    part(tmp_path / "d/year=x/a.parquet", year=["of the file"])
    hr.from_parquet(tmp_path / "d", out, columns=["year"])
    assert [row["year"] for row in rows_of(out)] == [
        [b"2020"], [b"2020"], [b"2021"], [b"2021"], [b"of the file"]]


def test_folders_and_globs_of_urls(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for year in (1, 2):
        path = part(tmp_path / f"{year}.parquet", **{f"x{year}": [year]})
        memory.pipe(f"/parquet-in/year={year}/a.parquet", path.read_bytes())
    expected = [{"x1": [1], "x2": None, "year": [1]}, {"x1": None, "x2": [2], "year": [2]}]
    for url in ("memory://parquet-in", "memory://parquet-in/*/*.parquet"):
        hr.from_parquet(url, tmp_path / "x.tfrecord")
        assert rows_of(tmp_path / "x.tfrecord") == expected
    hr.from_parquet("/parquet-in", tmp_path / "x.tfrecord", input_filesystem=memory)
    assert rows_of(tmp_path / "x.tfrecord") == expected
    for url in ("memory://parquet-in/*.none", "memory://no"):
        with pytest.raises(hr.HeadraceError):
            hr.from_parquet(url, tmp_path / "y.tfrecord")


def test_paths_without_a_file(tmp_path):
    (tmp_path / "empty").mkdir()
    for path, error in ((tmp_path / "empty", hr.InvalidArgumentError),
                        (tmp_path / "none.parquet", hr.NotFoundError),
                        (str(tmp_path / "*.none"), hr.NotFoundError),
                        ("", hr.InvalidArgumentError)):
        with pytest.raises(error):
            hr.from_parquet(path, tmp_path / "y.tfrecord")
    assert os.listdir(tmp_path) == ["empty"]


def test_the_program_takes_folders_too(tmp_path):
    part(tmp_path / "d.parquet/year=1/a.parquet", x=[1])
    part(tmp_path / "d.parquet/year=2/a.parquet", late=[2])
    os.symlink("d.parquet", tmp_path / "plain")

    def convert(*arguments):
        return subprocess.run(
            [PROGRAM, "convert", *map(str, arguments), "--quiet"],
            capture_output=True, text=True, env={
                **os.environ, "HEADRACE_PYTHON": sys.executable,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})

    out = tmp_path / "x.tfrecord"
    expected = [{"x": [1], "late": None, "year": [1]},
                {"x": None, "late": [2], "year": [2]}]
    for arguments in ([tmp_path / "d.parquet"],
                      [tmp_path / "plain", "--from", "parquet"],
                      [tmp_path / "plain/*/*.parquet"]):
        done = convert(*arguments, "-o", out)
        assert done.returncode == 0, done.stderr
        assert rows_of(out) == expected
    done = convert(tmp_path / "plain", "-o", out)
    assert done.returncode != 0 and "--from parquet" in done.stderr


# Values instead of lists, text instead of bytes.


def scalar_file(path, count=30):
    with hr.Writer(path) as writer:
        for i in range(count):
            writer.write({
                "id": i, "name": f"n{i}", "maybe": [0.5 * i][: i % 2] or None,
                "many": list(range(i % 3)), "empty": np.zeros(i % 2, np.int64),
                "raw": b"\xff",
            })
    return path


def test_scalars(tmp_path):
    path = scalar_file(tmp_path / "x.tfrecord")
    hr.to_parquet(path, tmp_path / "x.parquet", scalars=True, batch_size=7,
                  bytes_as={"name": "string"})
    table = pq.read_table(tmp_path / "x.parquet")
    assert dict(zip(table.schema.names, table.schema.types)) == {
        "id": pa.int64(), "name": pa.string(), "maybe": pa.float32(),
        "many": pa.list_(pa.int64()), "empty": pa.int64(), "raw": pa.binary()}
    assert table["id"].to_pylist() == list(range(30))
    assert table["name"].to_pylist() == [f"n{i}" for i in range(30)]
    assert table["maybe"].to_pylist() == [0.5 * i if i % 2 else None for i in range(30)]
    assert table["empty"].to_pylist() == [0 if i % 2 else None for i in range(30)]
    assert table["many"].to_pylist() == [
        list(range(i % 3)) or None for i in range(30)]
    hr.from_parquet(tmp_path / "x.parquet", tmp_path / "y.tfrecord")
    back = pa.table(hr.open(tmp_path / "y.tfrecord"))
    same = ["id", "name", "maybe", "raw"]
    assert back.select(same).equals(pa.table(hr.open(path)).select(same))


def test_scalars_by_name(tmp_path):
    path = scalar_file(tmp_path / "x.tfrecord")
    hr.to_parquet(path, tmp_path / "x.parquet", scalars=["id"], bytes_as="string",
                  columns=["id", "name"])
    assert pq.read_schema(tmp_path / "x.parquet").types == [
        pa.int64(), pa.list_(pa.string())]
    for options, error, text in (
        ({"scalars": ["many"]}, hr.WrongCountError, 'row 2 has 2 values of "many"'),
        ({"scalars": ["ids"]}, hr.InvalidArgumentError, 'did you mean "id"'),
        ({"scalars": "id"}, TypeError, "scalars"),
        ({"bytes_as": {"nam": "string"}}, hr.InvalidArgumentError, '"name"'),
        ({"bytes_as": {"id": "string"}}, hr.InvalidArgumentError, "not bytes"),
        ({"bytes_as": {"name": "text"}}, hr.InvalidArgumentError, "one of"),
        ({"bytes_as": {"raw": "string"}}, hr.WrongKindError, '"raw" in rows 0'),
        ({"spec": {"id": hr.FixedLenFeature([], hr.int64)}, "scalars": ["id"]},
         hr.InvalidArgumentError, "not a list"),
    ):
        with pytest.raises(error, match=text):
            hr.to_parquet(path, tmp_path / "y.parquet", **options)
    assert sorted(os.listdir(tmp_path)) == ["x.parquet", "x.tfrecord"]


def test_scalars_that_later_rows_are_not(tmp_path):
    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        for i in range(10_500):
            writer.write({"x": [i] * (2 if i == 10_400 else 1)})
    with pytest.raises(hr.WrongCountError, match="row 10400 has 2 values") as caught:
        hr.to_parquet(path, tmp_path / "y.parquet", scalars=True, batch_size=1000)
    assert caught.value.feature == "x"
    assert os.listdir(tmp_path) == ["x.tfrecord"]


def test_shards_have_the_same_scalars(tmp_path):
    paths = []
    for i in range(4):
        paths.append(tmp_path / f"{i}.tfrecord")
        with hr.Writer(paths[-1]) as writer:
            writer.write({"one": 1, "two": [1] * (1 + (i == 0))})
    written = hr.to_parquet(paths, tmp_path / "x.parquet", shards=4, scalars=True)
    schemas = [pq.read_schema(path) for path in written.paths]
    assert all(schema == schemas[0] for schema in schemas)
    assert schemas[0].types == [pa.int64(), pa.list_(pa.int64())]


def test_strings_in_lists_and_tensors(tmp_path):
    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        writer.write({"many": ["a", "b"], "pair": ["c", "d"]})
    spec = {"many": hr.VarLenFeature(bytes), "pair": hr.FixedLenFeature([2], bytes)}
    hr.to_parquet(path, tmp_path / "x.parquet", spec=spec,
                  bytes_as={"many": "large", "pair": "string"})
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.schema.types == [
        pa.list_(pa.large_binary()), pa.list_(pa.string(), 2)]
    assert table.to_pylist() == [{"many": [b"a", b"b"], "pair": ["c", "d"]}]


def test_the_program_writes_scalars_and_text(tmp_path):
    path = scalar_file(tmp_path / "x.tfrecord")
    hr.to_parquet(path, tmp_path / "x.parquet", scalars=True, bytes_as={"name": "string"})

    def convert(*arguments):
        return subprocess.run(
            [PROGRAM, "convert", path, "-o", *map(str, arguments), "--quiet"],
            capture_output=True, text=True, env={
                **os.environ, "HEADRACE_PYTHON": sys.executable,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})

    done = convert(tmp_path / "y.parquet", "--scalars", "--text", "name")
    assert done.returncode == 0, done.stderr
    assert pq.read_table(tmp_path / "y.parquet").equals(
        pq.read_table(tmp_path / "x.parquet"))
    done = convert(tmp_path / "z.parquet", "--text", "raw")
    assert done.returncode == 1 and '"raw"' in done.stderr
    assert not (tmp_path / "z.parquet").exists()
    for option in (["--scalars"], ["--text", "name"]):
        assert convert(tmp_path / "z.arrow", *option).returncode == 2
