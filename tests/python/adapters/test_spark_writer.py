"""df.write.format("headrace"): what is written, retries, aborts and errors."""

import os

import headrace as hr
import pytest

pytest.importorskip("pyarrow", reason="Spark gives Arrow batches")
pytest.importorskip("pyspark", reason="writes with Spark")

import spark_jobs  # noqa: E402
from headrace.adapters.spark import writer as spark_writer  # noqa: E402
from pyspark.sql.types import StructType  # noqa: E402
from spark_jobs import digest_of, load, save, spark  # noqa: E402, F401
from written import row, steps, three_files, write  # noqa: E402


@pytest.fixture
def frame(spark, tmp_path):
    (tmp_path / "in").mkdir()
    return load(spark, three_files(tmp_path / "in", row), splits=4)


def names(folder):
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("compression, ending", [
    (None, ""), ("gzip", ".gz"), ("zlib", ".zz"), ("snappy", ".snappy"),
    ("zstd", ".zst")])
def test_what_is_written_is_read_back(spark, frame, tmp_path, compression, ending):
    folder = tmp_path / "out"
    save(frame, folder, **({"compression": compression} if compression else {}))
    assert len(names(folder)) == frame.rdd.getNumPartitions()
    assert all(name.endswith(".tfrecord" + ending) for name in names(folder))
    assert digest_of(load(spark, str(folder))) == digest_of(frame)


def test_append_and_overwrite(spark, frame, tmp_path):
    folder = tmp_path / "out"
    save(frame, folder)
    save(frame, folder)
    assert load(spark, str(folder)).count() == 2000
    (folder / "notes.txt").write_text("not a TFRecord file")
    hr.index(folder)
    old = names(folder)
    save(frame.limit(10), folder, "overwrite")
    assert set(old) & set(names(folder)) == {"notes.txt"} and len(names(folder)) == 2
    assert load(spark, str(folder)).count() == 10


def test_a_folder_is_overwritten_with_what_was_read_from_it(spark, frame, tmp_path):
    folder = tmp_path / "out"
    save(frame, folder)
    save(load(spark, str(folder)).where("id[0] < 100"), folder, "overwrite")
    assert load(spark, str(folder)).count() == 100


def test_columns_of_spark_become_features(spark, tmp_path):
    rows = [(1, True, 1.5, "ü", bytearray(b"\xff"), [1, 2], []),
            (None, None, None, None, None, None, ["x"])]
    frame = spark.createDataFrame(
        rows, "i int, b boolean, f float, s string, y binary, l array<bigint>, "
        "t array<string>")
    save(frame.coalesce(1), tmp_path / "out")
    first, second = hr.open(tmp_path / "out").__next__().to_pylist()
    assert first == {"i": [1], "b": [1], "f": [1.5], "s": ["ü".encode()],
                     "y": [b"\xff"], "l": [1, 2], "t": []}
    assert {name for name, value in second.items() if value is not None} == {"t"}


def test_sequence_examples(spark, tmp_path):
    path = steps(tmp_path / "s.tfrecord")
    frame = load(spark, path)
    save(frame, tmp_path / "same")
    assert digest_of(load(spark, str(tmp_path / "same"))) == digest_of(frame)
    flat = frame.selectExpr("id", "`##SEQUENCE##`.steps AS steps")
    save(flat, tmp_path / "flat", message="sequence")
    assert digest_of(load(spark, str(tmp_path / "flat"))) == digest_of(frame)
    save(frame.select("id"), tmp_path / "none", message="sequence")
    # Without feature lists nothing tells them from Examples.
    assert hr.open(tmp_path / "none").message == "example"


def test_raw_messages(spark, frame, tmp_path):
    raw = load(spark, str(tmp_path / "in"), message="raw")
    save(raw, tmp_path / "out", message="raw")
    assert digest_of(load(spark, str(tmp_path / "out"))) == digest_of(frame)


def test_rows_of_none(spark, frame, tmp_path):
    save(frame.where("id[0] < 0"), tmp_path / "out")
    assert load(spark, str(tmp_path / "out")).count() == 0


# Tasks that fail.


def test_a_task_that_is_retried_leaves_one_file(spark, frame, tmp_path):
    for source in (spark_jobs.FailingSource, spark_jobs.LeavingSource):
        spark.dataSource.register(source)
        folder = tmp_path / source.name()
        frame.write.format(source.name()).mode("append").save(str(folder))
        assert len(names(folder)) == frame.rdd.getNumPartitions()
        assert digest_of(load(spark, str(folder))) == digest_of(frame)


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_an_abort_leaves_the_folder_as_it_was(spark, frame, tmp_path, mode):
    spark.dataSource.register(spark_jobs.FailingSource)
    folder = tmp_path / "never"
    with pytest.raises(Exception, match="planted"):
        frame.write.format("failing").mode(mode).save(str(folder))
    assert not folder.exists()
    save(frame, folder)
    old = names(folder)
    with pytest.raises(Exception, match="planted"):
        frame.write.format("failing").mode(mode).save(str(folder))
    assert names(folder) == old


def test_a_commit_that_fails_leaves_the_folder_as_it_was(tmp_path):
    write(tmp_path / "old.tfrecord", [{"id": 1}])
    job = spark_writer.Writer(StructType().add("id", "long"), str(tmp_path), True, {})
    files = [os.path.join(job._folder.temporary, name) for name in ("0", "1")]
    write(files[0], [])  # the other one is lost
    messages = [spark_writer.Written(path, i) for i, path in enumerate(files)]
    with pytest.raises(hr.NotFoundError):
        job.commit(messages)
    job.abort(messages)
    assert names(tmp_path) == ["old.tfrecord"]


def test_a_value_that_no_feature_holds_ends_the_job(spark, tmp_path):
    frame = spark.createDataFrame([([1, None],)], "values array<bigint>")
    with pytest.raises(Exception, match='column "values"'):
        save(frame, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# What is wrong before any task.


@pytest.mark.parametrize("schema, options, text", [
    ("d timestamp", {}, 'column "d"'),
    ("d decimal(9,2)", {}, 'column "d"'),
    ("d map<string,int>", {}, 'column "d"'),
    ("d double", {}, 'column "d" is float64'),
    ("d array<array<bigint>>", {}, 'column "d" holds lists inside of lists'),
    ("d array<array<bigint>>", {"message": "example"}, 'column "d"'),
    ("d bigint", {"message": "raw"}, "raw messages are one column of binary"),
    ("d bigint", {"message": "elwc"}, "message must be one of"),
    ("d bigint", {"compression": "lzo"}, "compression must be one of"),
    ("d bigint", {"compresion": "gzip"}, 'did you mean "compression"?'),
])
def test_what_cannot_be_written(spark, tmp_path, schema, options, text):
    frame = spark.createDataFrame([], schema)
    with pytest.raises(Exception, match=text.replace("?", r"\?")):
        save(frame, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_rows_without_columns_are_refused(spark, tmp_path):
    with pytest.raises(Exception, match="a frame without columns"):
        save(spark.range(3).select(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_doubles_are_rounded_when_that_is_allowed(spark, tmp_path):
    save(spark.createDataFrame([(0.5,)], "d double"), tmp_path / "out", cast=True)
    assert load(spark, str(tmp_path / "out")).first().d == [0.5]
