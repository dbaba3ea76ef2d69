"""df.write.format("headrace") to a stand-in for S3, by obstore and by s3fs: what is
written, attempts that fail or come late, and errors."""

import json
import types

import headrace as hr
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="writes with Spark")
pytest.importorskip("moto", reason="writes to a stand-in for S3")

import spark_jobs  # noqa: E402
from headrace.adapters.spark import writer as spark_writer  # noqa: E402
from headrace.remote import files, object_store  # noqa: E402
from object_servers import S3Server  # noqa: E402
from pyspark.sql.types import StructType  # noqa: E402
from spark_jobs import digest_of, load, save, spark  # noqa: E402, F401
from written import row, three_files  # noqa: E402

SECRET = "nobody-may-see-this"


@pytest.fixture(scope="module")
def server():
    server = S3Server()
    server.options["secret"] = SECRET
    yield server
    server.close()


class Store:
    """A bucket, and the options to ask it with, by an engine."""

    def __init__(self, engine, options):
        # Only s3fs has this option. It must not find what it has listed before.
        listing = {"use_listings_cache": True} if engine == "s3fs" else {}
        self.options = {**options, **listing}
        self.text = json.dumps(self.options)
        self.filesystem, _ = files.locate("s3://bucket", None, self.options)
        is_obstore = isinstance(self.filesystem, object_store.ObjectStore)
        assert is_obstore == (engine == "obstore")

    def names(self, url):
        """All that is below a folder, also in those of jobs."""
        self.filesystem.invalidate_cache()
        folder = url.removeprefix("s3://") + "/"
        return sorted(name.removeprefix(folder) for name in self.filesystem.find(folder))

    def load(self, session, url):
        return load(session, url, storage_options=self.text)

    def save(self, frame, url, mode="append", **options):
        save(frame, url, mode, storage_options=self.text, **options)

    def write(self, url, records):
        with hr.Writer(url, storage_options=self.options) as writer:
            for record in records:
                writer.write(record)

    def job(self, url, overwrite=False):
        schema = StructType().add("id", "long")
        options = {"storage_options": self.options}
        return spark_writer.Writer(schema, url, overwrite, options)


@pytest.fixture(params=["obstore", "s3fs"])
def store(request, server):
    return Store(request.param, server.options)


@pytest.fixture
def url(request, store):
    return f"s3://bucket/{request.node.name}".replace("[", "/").rstrip("]")


@pytest.fixture
def frame(spark, tmp_path):
    return load(spark, three_files(tmp_path, row), splits=4)


def test_what_is_written_is_read_back(spark, frame, store, url):
    store.save(frame, url + "/", compression="gzip")
    names = store.names(url)
    assert len(names) == frame.rdd.getNumPartitions()
    assert all(name.startswith("part-0") for name in names)
    assert all(name.endswith(".tfrecord.gz") for name in names)
    assert digest_of(store.load(spark, url)) == digest_of(frame)


def test_append_and_overwrite(spark, frame, store, url):
    store.save(frame, url)
    store.save(frame, url)
    assert store.load(spark, url).count() == 2000
    old = store.names(url)
    for name in ("notes.txt", old[0] + ".hri", "deep/below.tfrecord"):
        store.write(f"{url}/{name}", [])
    for count in (10, 20):
        store.save(frame.limit(count), url, "overwrite")
        names = store.names(url)
        assert not set(old) & set(names)
        assert {"notes.txt", "deep/below.tfrecord"} < set(names) and len(names) == 3
        assert store.load(spark, url).count() == count


def test_a_folder_is_overwritten_with_what_was_read_from_it(spark, frame, store, url):
    store.save(frame, url)
    store.save(store.load(spark, url).where("id[0] < 100"), url, "overwrite")
    assert store.load(spark, url).count() == 100


def test_rows_of_none(spark, frame, store, url):
    store.save(frame.where("id[0] < 0"), url)
    assert store.load(spark, url).count() == 0


@pytest.mark.parametrize("mode", ["ignore", "error"])
def test_other_modes_are_refused_as_for_local_folders(spark, store, url, mode, tmp_path):
    frame = spark.createDataFrame([(1,)], "id int")
    texts = []
    for folder, options in ((tmp_path, {}), (url, {"storage_options": store.text})):
        with pytest.raises(Exception, match="UNSUPPORTED") as caught:
            save(frame, folder, mode, **options)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert store.names(url) == []


# Attempts that fail, or come late.


def test_a_task_that_is_retried_leaves_one_file(spark, frame, store, url):
    for source in (spark_jobs.FailingSource, spark_jobs.LeavingSource):
        spark.dataSource.register(source)
        folder = f"{url}/{source.name()}"
        frame.coalesce(2).write.format(source.name()).mode("append").option(
            "storage_options", store.text).save(folder)
        assert len(store.names(folder)) == 2
        assert digest_of(store.load(spark, folder)) == digest_of(frame)


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_an_abort_leaves_the_folder_as_it_was(spark, frame, store, url, mode):
    spark.dataSource.register(spark_jobs.FailingSource)
    folder = url + "/never"
    store.write(folder + "/old.tfrecord", [])
    with pytest.raises(Exception, match="planted") as caught:
        frame.coalesce(1).write.format("failing").mode(mode).option(
            "storage_options", store.text).save(folder)
    assert SECRET not in str(caught.value)
    assert store.names(folder) == ["old.tfrecord"]


def test_a_commit_that_fails_leaves_the_folder_as_it_was(store, url):
    store.write(url + "/old.tfrecord", [{"id": 1}])
    job = store.job(url, overwrite=True)
    paths = [f"{job._folder.temporary}/{name}" for name in ("0", "1")]
    store.write(paths[0], [])  # the other one is lost
    messages = [spark_writer.Written(path, i) for i, path in enumerate(paths)]
    with pytest.raises(hr.NotFoundError) as caught:
        job.commit(messages)
    assert caught.value.file == paths[1]
    job.abort(messages)
    assert store.names(url) == ["old.tfrecord"]


@pytest.mark.parametrize("succeeds", [True, False])
def test_an_attempt_that_ends_after_its_job(store, url, succeeds, monkeypatch):
    job = store.job(url)
    attempts = iter(range(10))
    task = types.SimpleNamespace(
        partitionId=lambda: 0, taskAttemptId=lambda: next(attempts))
    monkeypatch.setattr(spark_writer.TaskContext, "get", lambda: task)
    batch = pa.record_batch({"id": [1, 2]})
    first = job.write(iter([batch]))

    def batches():
        yield batch
        if succeeds:
            job.commit([first])
        else:
            job.abort([first, None])
        yield batch

    left = job.write(batches()).file
    parts = [name for name in store.names(url) if name.startswith("part-")]
    assert [f"{url}/{name}" for name in store.names(url)] == [
        left, *(f"{url}/{part}" for part in parts)]
    assert len(parts) == succeeds
    if not succeeds:
        store.write(url + "/other.tfrecord", [{"id": 1}, {"id": 2}])
    for paths in (url, url + "/**/*.tfrecord"):
        reader = hr.open(paths, storage_options=store.options)
        assert sum(batch.num_rows for batch in reader) == 2, paths
    with pytest.raises(hr.NotFoundError, match="the job has ended"):
        job.write(iter([batch]))


# What is wrong before any task.


@pytest.mark.parametrize("url", ["s3://nobody/folder", "memory://folder"])
def test_a_bucket_that_is_not_there(spark, store, url):
    frame = spark.createDataFrame([(1,)], "id int")
    options = {"storage_options": store.text} if url[:2] == "s3" else {}
    with pytest.raises(Exception, match=f"{url}/_temporary.*not_found") as caught:
        save(frame, url, **options)
    assert SECRET not in str(caught.value)
    if url[:2] == "s3":
        with pytest.raises(hr.HeadraceError):
            store.job(url)


@pytest.mark.parametrize("folder, options, text", [
    ("out", {"key": "mine"}, "there is no URL"),
    ("s3://bucket/out", {"no_such_option": SECRET}, "no_such_option"),
    ("s3://bucket/out", [SECRET], "expected a JSON dict"),
    ("nothing://bucket/out", {"secret": SECRET}, "nothing"),
])
def test_options_that_are_wrong(spark, tmp_path, folder, options, text):
    folder = str(tmp_path / folder) if folder == "out" else folder
    frame = spark.createDataFrame([(1,)], "id int")
    with pytest.raises(Exception, match=text) as caught:
        save(frame, folder, storage_options=json.dumps(options))
    assert SECRET not in str(caught.value)
    assert not (tmp_path / "out").exists()
