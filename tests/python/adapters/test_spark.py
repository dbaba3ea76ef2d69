"""spark.read.format("headrace"): the rows, partitions, schemas and errors."""

import gzip
import os
import pathlib
import re
import subprocess

import headrace as hr
import pytest

pa = pytest.importorskip("pyarrow", reason="Spark takes Arrow batches")
pyspark = pytest.importorskip("pyspark", reason="reads with Spark")

import large_file as large  # noqa: E402
import object_servers  # noqa: E402
import sample_data  # noqa: E402
import spark_jobs  # noqa: E402
from large_file import large_file  # noqa: E402, F401
from spark_jobs import digest, digest_of, digest_of_reader, load, spark  # noqa: E402, F401
from written import SPEC, row, steps, three_files, write  # noqa: E402

IS_SPARK_4_0 = pyspark.__version__.startswith("4.0.")
GUIDE = pathlib.Path(__file__).parents[3] / "docs/guides/spark.md"
SHAPES = ["people", "movie", "floats", "ids", "hashes", "blobs", "criteo", "scalars",
          "ragged", "sequence"]


@pytest.fixture
def files(tmp_path):
    # A feature without a value has no column.
    return three_files(tmp_path, lambda number: {**row(number), "unset": None})


def ids(frame):
    return sorted(number for (value,) in frame.select("id").collect()
                  for number in (value if isinstance(value, list) else [value]))


def error_of(call):
    """The error that ends a query, with the exception of the task or the driver."""
    with pytest.raises(Exception) as caught:
        call()
    return str(caught.value)


def assert_seen_as_changed(frame, path, count):
    """Of a frame of 1000 rows, where a query may plan anew: Spark 4.0 always does."""
    assert frame.count() == 1000
    write(path, map(row, range(3)))
    if IS_SPARK_4_0:
        assert frame.count() == count
    else:
        text = error_of(frame.count)
        assert "IoError: " in text and "changed since the read was" in text
        assert path in text


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_all_shapes(spark, tmp_path, shape):
    path = str(tmp_path / "x.tfrecord")
    subprocess.run([large.PROGRAM, "gen", path, "--shape", shape, "--records", "300",
                    "--quiet"], check=True)
    frame = load(spark, path, splits=3)
    assert frame.rdd.getNumPartitions() == 3
    assert digest_of(frame) == digest_of_reader(path)
    assert frame.count() == 300


@sample_data.needed
@pytest.mark.parametrize("folder, schema", sample_data.CASES)
def test_rows_of_real_data(spark, folder, schema):
    paths = sample_data.paths(folder)
    options = sample_data.options(folder, schema)
    given = {"schema": str(sample_data.FOLDER / folder / schema)} if schema else {}
    frame = load(spark, paths, splits=5, **given)
    assert digest_of(frame) == digest_of_reader(paths, **options)


def test_types_without_a_spec(spark, files):
    frame = load(spark, files)
    assert frame.schema.simpleString() == (
        "struct<box:array<float>,id:array<bigint>,tags:array<binary>>")
    rows = {found["id"][0]: found.asDict() for found in frame.collect()}
    assert len(rows) == 1000
    for number in (0, 2, 999):
        assert rows[number] == {**row(number), "id": [number]}


def test_tensors_of_a_spec(spark, files, tmp_path):
    text = hr.Spec(SPEC).to_json()
    (tmp_path / "spec.json").write_text(text)
    for spec in (text, str(tmp_path / "spec.json")):
        frame = load(spark, os.path.dirname(files[0]), spec=spec)
        assert frame.schema.simpleString() == (
            "struct<id:bigint,box:array<float>,tags:array<binary>>")
        assert ids(frame) == list(range(1000))
        (found,) = frame.where("id = 7").collect()
        assert found["box"] == [1.0, 2.0, 3.0, 7.0] and found["tags"] == [b"t"]


def test_types_that_spark_lacks(spark, tmp_path):
    values = {"int8": -7, "uint8": 200, "uint16": 60000, "uint32": 2**32 - 1,
              "uint64": 2**63 - 1, "bool": 1}
    path = write(tmp_path / "x.tfrecord", [{**values, "half": 1.5}])
    spec = {name: hr.FixedLenFeature([], hr.int64, as_=name) for name in values}
    spec["half"] = hr.FixedLenFeature([], hr.float32, as_="float16")
    frame = load(spark, path, spec=hr.Spec(spec).to_json())
    assert frame.schema.simpleString() == (
        "struct<int8:tinyint,uint8:smallint,uint16:int,uint32:bigint,"
        "uint64:decimal(20,0),bool:boolean,half:float>")
    assert frame.first().asDict() == {**values, "bool": True, "half": 1.5}
    short = hr.Spec({"half": hr.FixedLenFeature([], hr.float32, as_="bfloat16")})
    assert '"half": Spark has no bfloat16' in error_of(
        lambda: load(spark, path, spec=short.to_json()))


def test_columns_of_a_schema(spark, files, tmp_path):
    text = hr.infer_schema(files).to_pbtxt()
    (tmp_path / "schema.pbtxt").write_text(text)
    for schema in (text, str(tmp_path / "schema.pbtxt")):
        frame = load(spark, files, schema=schema, columns="tags, id")
        assert frame.columns == ["tags", "id"]
        assert frame.count() == 1000


def test_columns(spark, files):
    assert load(spark, files, columns='["id"]').columns == ["id"]
    assert "no_such" in error_of(lambda: load(spark, files, columns="no_such"))
    assert "leave out the option columns" in error_of(
        given(spark, "id array<bigint>", files, columns="id").count)


def test_sequence_examples(spark, tmp_path):
    path = steps(tmp_path / "s.tfrecord")
    frame = load(spark, path)
    assert frame.schema["##SEQUENCE##"].dataType.simpleString() == (
        "struct<steps:array<array<bigint>>>")
    found = {id[0]: steps for id, steps in
             frame.select("id", "`##SEQUENCE##`.steps").collect()}
    assert found == {i: [[j] for j in range(i)] for i in range(10)}


def test_payloads(spark, files):
    frame = load(spark, files, message="raw")
    # Spark 4.0 has bytearrays.
    assert digest(bytes(found.payload) for found in frame.collect()) == digest(
        payload for batch in hr.open(files, message="raw")
        for payload in batch.payloads())


# Schemas that the user gives.


def given(session, schema, paths, **options):
    return load_with(session.read.schema(schema), paths, options)


def load_with(reader, paths, options):
    return reader.format("headrace").options(**options).load(paths)


def test_a_given_schema_says_what_is_read(spark, files):
    frame = given(spark, "nope array<float>, id array<bigint>", files)
    assert frame.columns == ["nope", "id"]
    assert ids(frame) == list(range(1000))
    assert frame.where("nope is not null").count() == 0
    frame = given(spark, "nope string, id bigint", files, spec=hr.Spec(SPEC).to_json())
    assert ids(frame) == list(range(1000))
    assert frame.where("nope is not null").count() == 0


def test_a_given_column_may_come_behind_the_sample(spark, tmp_path):
    rows = [{"id": i, **({"late": [1.5]} if i == 90 else {})} for i in range(100)]
    path = write(tmp_path / "x.tfrecord", rows)
    assert load(spark, path, sample=10).columns == ["id"]
    frame = given(spark, "late array<float>", path, sample=10)
    assert sorted(map(str, frame.distinct().collect())) == [
        "Row(late=None)", "Row(late=[1.5])"]


def test_a_given_schema_of_feature_lists(spark, tmp_path):
    path = steps(tmp_path / "s.tfrecord")
    schema = "`##SEQUENCE##` struct<steps: array<array<bigint>>, no: array<array<float>>>"
    rows = given(spark, schema, path).collect()
    assert sorted(len(found[0]["steps"]) for found in rows) == list(range(10))
    assert {found[0]["no"] for found in rows} == {None}


@pytest.mark.parametrize("schema, text", [
    ("id bigint", 'says that "id" is bigint, but it is array<bigint>; a spec with'),
    ("id array<float>", 'says that "id" is array<float>, but it is array<bigint>'),
    ("tags array<string>", 'bytes_as is "string"'),
    ("id array<bigint> NOT NULL", '"id" is NOT NULL'),
    ("`##SEQUENCE##` string", "a struct of feature lists"),
    ("nope timestamp", 'says that "nope" is timestamp; without a spec'),
])
def test_a_given_schema_that_the_data_contradicts(spark, files, schema, text):
    assert text in error_of(given(spark, schema, files).collect)


# Partitions.


def test_one_large_file_is_read_by_eight_tasks(spark, large_file):  # noqa: F811
    frame = load(spark, large_file, message="raw", splits=8)
    assert frame.rdd.getNumPartitions() == 8
    rows = frame.mapInArrow(
        spark_jobs.hash_payloads, "part bigint, count bigint, total bigint").collect()
    assert {found["part"] for found in rows} == set(range(8))
    count, total = large.digest_of_one_reader(large_file)
    assert sum(found["count"] for found in rows) == count
    assert sum(found["total"] for found in rows) % 2**61 == total % 2**61


def test_files_share_partitions(spark, files):
    assert load(spark, files).rdd.getNumPartitions() == 1
    assert load(spark, files, splits=2).rdd.getNumPartitions() == 2
    frame = load(spark, files, splits=9)
    assert frame.rdd.getNumPartitions() > 5 and ids(frame) == list(range(1000))
    assert load(spark, files, splits=9, on_corrupt="rescan").rdd.getNumPartitions() == 3


def test_compressed_files_of_others_are_not_cut(spark, files):
    with gzip.open(files[1]) as file:
        data = file.read()
    with gzip.open(files[1], "wb") as file:
        file.write(data)
    frame = load(spark, files[1], splits=4)
    assert frame.rdd.getNumPartitions() == 1 and frame.count() == 300


def test_a_task_that_is_retried_loses_and_doubles_nothing(spark, files):
    spark.dataSource.register(spark_jobs.FailingSource)
    reader = spark.read.format("failing").options(splits=6, batch_size=20)
    assert digest_of(reader.load(files)) == digest_of_reader(files)


def test_a_file_that_has_changed_is_an_error(spark, files):
    assert_seen_as_changed(load(spark, files), files[2], 803)
    assert load(spark, files).count() == 803


def test_other_processes_as_executors(files):
    import processes

    code = f"""
import spark_jobs
session = spark_jobs.start("local-cluster[2,1,1024]")
frame = spark_jobs.load(session, {files!r}, splits=4)
print(*spark_jobs.digest_of(frame))
spark_jobs.save(frame, {os.path.dirname(files[0]) + "/copy"!r})
session.stop()
"""
    printed = processes.printed("-c", code, timeout=200)
    assert tuple(map(int, printed.split())) == digest_of_reader(files)
    copy = os.path.dirname(files[0]) + "/copy"
    assert digest_of_reader(copy) == digest_of_reader(files)


def test_files_that_fsspec_opens(spark, files):
    frame = load(spark, f"local://{os.path.dirname(files[0])}/a-*", splits=5)
    assert frame.rdd.getNumPartitions() > 3
    assert digest_of(frame) == digest_of_reader(files)
    assert_seen_as_changed(frame, files[2], 803)


# Damage, and nothing at all.


@pytest.fixture
def damaged(tmp_path):
    """200 rows, the payload of one of which has changed, and a header behind it."""
    path = write(tmp_path / "x.tfrecord", ({"id": i} for i in range(200)))
    size = os.path.getsize(path) // 200
    with open(path, "r+b") as file:
        for offset in (50 * size + 13, 120 * size):
            file.seek(offset)
            byte = file.read(1)[0]
            file.seek(offset)
            file.write(bytes([byte ^ 1]))
    return path


def test_damage_in_the_sample_is_no_missing_column(spark, tmp_path):
    path = write(tmp_path / "a", ({"id": i} if i < 18 else {"late": i} for i in range(20)))
    content = bytearray(pathlib.Path(path).read_bytes())
    content[hr.Dataset(path).origin(5).offset + 14] ^= 1
    pathlib.Path(path).write_bytes(content)
    text = error_of(lambda: load(spark, path).select("late").count())
    assert "headrace.errors.ChecksumError" in text
    assert load(spark, path, on_corrupt="skip").select("late").count() == 19


def test_policies_of_damage(spark, damaged):
    spec = hr.Spec({"id": hr.FixedLenFeature([], hr.int64)}).to_json()
    text = error_of(load(spark, damaged, spec=spec).count)
    assert "headrace.errors.ChecksumError" in text and damaged in text
    with pytest.raises(hr.DataError):
        list(hr.open(damaged, on_corrupt="skip"))
    assert "headrace.errors." in error_of(
        load(spark, damaged, spec=spec, on_corrupt="skip").count)
    found = ids(load(spark, damaged, spec=spec, on_corrupt="rescan", splits=4))
    assert found == [i for i in range(200) if i not in (50, 120)]


def test_rows_that_do_not_fit(spark, tmp_path):
    rows = [{"id": i if i != 5 else "five"} for i in range(10)]
    path = write(tmp_path / "x.tfrecord", rows, mixed_kinds=True)
    spec = hr.Spec({"id": hr.FixedLenFeature([], hr.int64)}).to_json()
    text = error_of(load(spark, path, spec=spec).collect)
    assert "headrace.errors.WrongKindError" in text and "record 5" in text
    assert load(spark, path, spec=spec, on_row_error="skip").count() == 9


def test_empty_files_and_folders(spark, tmp_path, files):
    empty = write(tmp_path / "a-empty.tfrecord", [])
    assert load(spark, empty).count() == 0
    assert load(spark, [empty, *files]).count() == 1000
    no_features = write(tmp_path / "none.tfrecord", [{}] * 7)
    if IS_SPARK_4_0:
        assert "Spark 4.0 loses rows" in error_of(load(spark, no_features).count)
    else:
        assert load(spark, no_features).count() == 7
    (tmp_path / "folder").mkdir()
    assert "NotFoundError" in error_of(lambda: load(spark, str(tmp_path / "folder")))
    assert "NotFoundError" in error_of(lambda: load(spark, str(tmp_path / "no-*")))


@pytest.mark.parametrize("options, text", [
    ({"colums": "id"}, 'no option "colums"; did you mean "columns"?'),
    ({"splits": "0"}, "splits must be at least 1"),
    ({"splits": "many"}, '"splits" is "many"; it takes a whole number'),
    ({"verify": "perhaps"}, '"verify" is "perhaps"; it takes true or false'),
    ({"storage_options": "[1]"}, "storage_options: expected a JSON"),
    ({"bytes_as": "view"}, 'bytes_as must be "binary" or "string"'),
    ({"on_corrupt": "ignore"}, "on_corrupt"),
    ({"spec": "{"}, "BadSpecError"),
    ({"spec": "no.json"}, "NotFoundError: no.json"),
])
def test_wrong_options(spark, files, options, text):
    assert text in error_of(lambda: load(spark, files, **options))


def test_the_guide(spark, tmp_path):
    text = GUIDE.read_text(encoding="utf-8")
    rows = ({"id": i, "fare": i / 2} for i in range(100))
    path = write(tmp_path / "trips-0.tfrecord.gz", rows)
    names = {"spark": spark, "paths": path}
    server = object_servers.S3Server()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for block in blocks:
        # Spark's working directory is not this one.
        block = re.sub(r'"(trips-\*|folder)', rf'"{tmp_path}/\1', block)
        block = re.sub(r'{"client_kwargs.*}}', repr(server.options), block)
        exec(block, names)
    assert len(blocks) > 3
    assert names["fares"].columns == names["trips"].columns == ["id", "fare"]
    assert load(spark, str(tmp_path / "folder")).count() == 100
    assert load(spark, "s3://bucket/trips", storage_options=names["options"]).count() == 100
    server.close()
