"""Files of a stand-in for S3 and of plain HTTP, by obstore and by fsspec's own file
systems: what is asked for, what goes wrong, and other processes."""

import concurrent.futures
import datetime
import multiprocessing
import os
import pickle
import time

import aiohttp
import headrace as hr
import numpy as np
import processes
import pyarrow as pa
import pytest
from headrace.remote import files, object_store, ranges
from headrace.errors import InvalidArgumentError, IoError, NotFoundError, TimedOutError
from object_servers import HttpServer, S3Server

ENGINES = ["obstore", "fsspec"]
RECORDS, PAYLOAD = 30_000, 2000
SIZE = RECORDS * (PAYLOAD + 16)  # 58 MiB: some ranges


@pytest.fixture(scope="module")
def payloads():
    """Row i begins with i."""
    rng = np.random.default_rng(1)
    noise = rng.bytes(PAYLOAD - 8)
    return [i.to_bytes(8, "little") + noise for i in range(RECORDS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, payloads):
    folder = tmp_path_factory.mktemp("stored")
    with hr.Writer(folder / "x.tfrecord") as writer:
        for payload in payloads:
            writer.write(payload)
    hr.index(folder / "x.tfrecord")
    return folder


@pytest.fixture(scope="module")
def s3_server(folder):
    server = S3Server()
    filesystem, path = files.locate("s3://bucket/x.tfrecord", None, server.options)
    filesystem.put_file(folder / "x.tfrecord", path)
    yield server
    server.close()


@pytest.fixture(scope="module")
def http_server(folder):
    server = HttpServer({"/x.tfrecord": (folder / "x.tfrecord").read_bytes()})
    yield server
    server.close()


class Store:
    """A server, and the options to ask it with, by an engine."""

    def __init__(self, kind, engine, server):
        self.kind, self.engine, self.server, self.log = kind, engine, server, server.log
        self.url = "s3://bucket/x.tfrecord"
        self.options = getattr(server, "options", {})
        if kind == "http":
            self.url = f"{server.url}/x.tfrecord"

    def impatient(self, retries=0):
        """Options with which a request that stalls ends after a second."""
        if self.engine == "obstore":
            return {
                **self.options,
                "client_options": {"read_timeout": "1s"},
                "retry_config": {
                    "max_retries": retries,
                    "backoff": {"init_backoff": datetime.timedelta(seconds=0.01)}},
            }
        if self.kind == "http":
            timeout = aiohttp.ClientTimeout(total=1)
            return {"client_kwargs": {"timeout": timeout}}
        return {
            **self.options,
            "config_kwargs": {"read_timeout": 1,
                              "retries": {"max_attempts": retries + 1}}}


@pytest.fixture(params=[(kind, engine) for kind in ("s3", "http") for engine in ENGINES],
                ids="-".join)
def store(request, monkeypatch):
    kind, engine = request.param
    server = request.getfixturevalue(f"{kind}_server")
    use(engine, monkeypatch)
    if kind == "s3":
        import s3fs

        # Its instances remember sizes, and how patient they are.
        s3fs.S3FileSystem.clear_instance_cache()
        # s3fs itself tries again.
        monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    server.log.clear()
    found, _ = files.locate("s3://bucket/x" if kind == "s3" else f"{server.url}/x", None,
                            getattr(server, "options", {}))
    assert isinstance(found, object_store.ObjectStore) == (engine == "obstore")
    return Store(kind, engine, server)


def use(engine, monkeypatch):
    """Hides the packages of the other engine."""
    hidden = {"obstore": ["aiohttp"], "fsspec": ["obstore"]}[engine]
    is_there = object_store._is_there
    monkeypatch.setattr(object_store, "_is_there",
                        lambda name: name not in hidden and is_there(name))


def numbers(batches):
    return [int.from_bytes(payload[:8], "little")
            for batch in batches for payload in batch.payloads()]


def read(store, **options):
    options = {"storage_options": store.options, "message": "raw", **options}
    return numbers(hr.open(store.url, **options))


class TestBytes:
    """Of all answers at most 1.05 of those that are needed come."""

    def test_a_whole_file(self, store):
        assert read(store) == list(range(RECORDS))
        assert SIZE <= store.log.bytes() <= 1.05 * SIZE

    def test_a_byte_range(self, store):
        begin, end = 10_000_000, 40_000_000
        found = read(store, byte_range=(begin, end))
        assert len(found) == pytest.approx((end - begin) / (PAYLOAD + 16), abs=1)
        assert store.log.bytes() <= 1.05 * (end - begin) + 4 * (1 << 20)

    def test_blocks_of_a_shuffled_epoch(self, store, folder):
        ds = hr.Dataset(store.url, storage_options=store.options, index=folder,
                        message="raw")
        batches = ds.batches(500, shuffle=hr.Shuffle(3, block=500, window=4))
        assert sorted(numbers(batches)) == list(range(RECORDS))
        assert store.log.bytes() <= 1.05 * SIZE

    def test_some_rows(self, store, folder):
        ds = hr.Dataset(store.url, storage_options=store.options, index=folder,
                        message="raw")
        rows = [5, 700, 20_000, 29_999]
        found = ds.payloads(rows)
        assert [int.from_bytes(payload[:8], "little") for payload in found] == rows
        # Both ends of a file are compared with the index, when it is opened and when it
        # is read first.
        ends = 4 * (64 << 10)
        assert store.log.bytes() <= 1.05 * len(rows) * (PAYLOAD + 16) + ends


def test_ranges_come_several_at_a_time(store):
    store.log.delay = 0.05
    assert read(store) == list(range(RECORDS))
    assert 2 <= store.log.most_at_once <= 8


class Pattern:
    """A file of 600 MB, of equal records, which nobody stores."""

    def __init__(self, record, count):
        self.size = len(record) * count
        self._part = record * (2 + (16 << 20) // len(record))
        self._length = len(record)

    def read(self, begin, end):
        start = begin % self._length
        assert end - begin <= len(self._part) - self._length
        return self._part[start : start + end - begin]


@pytest.mark.parametrize("engine", ENGINES)
def test_memory_is_bounded(engine, tmp_path):
    with hr.Writer(tmp_path / "one") as writer:
        writer.write(b"x" * 10_000)
    record = (tmp_path / "one").read_bytes()
    count = 600_000_000 // len(record)
    server = HttpServer({"/x.tfrecord": Pattern(record, count)})
    printed = processes.printed_alone("-c", f"""
import memory
import headrace as hr
from headrace.remote import object_store
hidden = "aiohttp" if {engine!r} == "obstore" else "obstore"
is_there = object_store._is_there
object_store._is_there = lambda name: name != hidden and is_there(name)
hr.open({os.fspath(tmp_path / "one")!r}, message="raw").__next__()
reader = hr.open("{server.url}/x.tfrecord", message="raw", threads=1)
print(sum(batch.num_rows for batch in reader))
print(memory.peak())
""")
    server.close()
    rows, peak = map(int, printed.split())
    assert rows == count
    # 64 MiB of ranges, as much again while these become batches, and the packages.
    assert peak < 300 << 20


class TestFailures:
    PLACE = 30_000_000

    def fails_with(self, store, kind, **options):
        with pytest.raises(kind) as caught:
            read(store, storage_options=store.impatient(), **options)
        error = caught.value
        assert error.file == store.url
        begin, end = map(int, error.message.split(": ")[0][6:].split(" to "))
        assert begin <= self.PLACE < end
        assert str(error).startswith(f"{store.url}: {error.code}: bytes {begin} to {end}")
        assert "Debug source" not in str(error)
        return error

    def test_a_request_stalls(self, store):
        store.log.stall_at = self.PLACE
        begin = time.monotonic()
        self.fails_with(store, TimedOutError)
        # Others may wait for the one that stalls.
        assert time.monotonic() - begin < 20

    def test_a_request_fails(self, store):
        store.log.fail_at = self.PLACE
        self.fails_with(store, IoError)

    def test_an_answer_is_cut(self, store):
        if store.kind == "s3":
            pytest.skip("the stand-in sends whole answers")
        store.log.cut_at = self.PLACE
        self.fails_with(store, IoError)

    def test_the_library_tries_again(self, store):
        if store.kind == "http" and store.engine == "fsspec":
            pytest.skip("fsspec's HTTP does not")
        store.log.fail_at, store.log.times = self.PLACE, 1
        found = read(store, storage_options=store.impatient(retries=3))
        assert found == list(range(RECORDS))

    def test_rows_of_a_dataset(self, store, folder):
        ds = hr.Dataset(store.url, storage_options=store.impatient(), index=folder,
                        message="raw")
        store.log.fail_at = 20_000 * (PAYLOAD + 16)
        assert ds.payloads([5])
        with pytest.raises(IoError) as caught:
            ds.payloads([20_000])
        assert caught.value.file == store.url
        assert f"bytes {20_000 * (PAYLOAD + 16)} to" in caught.value.message

    def test_a_file_that_is_not_there(self, store):
        store.url = store.url.replace("x.tfrecord", "no.tfrecord")
        with pytest.raises(NotFoundError) as caught:
            read(store)
        assert caught.value.file == store.url


def test_a_file_that_changes_while_it_is_read(s3_server, monkeypatch):
    use("obstore", monkeypatch)
    url = "s3://bucket/changing.tfrecord"
    for size in (1000, 999):
        with hr.Writer(url, storage_options=s3_server.options) as writer:
            for _ in range(100_000):
                writer.write(b"x" * size)
        if size == 1000:
            reader = hr.open(url, storage_options=s3_server.options, message="raw",
                             batch_size=100)
            next(reader)
            monkeypatch.setattr(ranges, "_FIRST_RANGE", 1 << 20)
    with pytest.raises(IoError, match="changed while it was read"):
        sum(batch.num_rows for batch in reader)


def test_patterns_folders_and_shards(s3_server, monkeypatch):
    use("obstore", monkeypatch)
    options = s3_server.options
    for name in ("in/a-00000-of-00002.tfrecord", "in/a-00001-of-00002.tfrecord",
                 "in/b.tfrecord", "in/deep/c.tfrecord", "none/notes.txt"):
        with hr.Writer(f"s3://bucket/{name}", storage_options=options) as writer:
            writer.write({"name": name.encode()})
    for paths, count in [("in", 3), ("in/", 3), ("in/*.tfrecord", 3), ("in/**/*.tfr*", 4),
                         ("in/a@2.tfrecord", 2), ("in/b.tfrecord", 1)]:
        reader = hr.open(f"s3://bucket/{paths}", storage_options=options)
        assert sum(batch.num_rows for batch in reader) == count, paths
        assert all(name.startswith("s3://bucket/in/") for name in reader.files)
    with pytest.raises(NotFoundError, match="no file matches"):
        hr.open("s3://bucket/other*", storage_options=options)
    with pytest.raises(NotFoundError, match="without TFRecord files"):
        hr.open("s3://bucket/none", storage_options=options)


class TestNamesOfOptions:
    def located(self, options, scheme="s3"):
        return files.locate(f"{scheme}://bucket/x", None, options)[0]

    def test_of_fsspec_and_of_obstore(self, s3_server, monkeypatch):
        use("obstore", monkeypatch)
        own = {"access_key_id": "mine", "secret_access_key": "secret",
               "endpoint": s3_server.url, "region": "eu-west-1"}
        for options in (s3_server.options, own):
            found = self.located(options)
            assert isinstance(found, object_store.ObjectStore)
            assert found.info("bucket/x.tfrecord")["size"] == SIZE

    def test_one_that_obstore_does_not_have(self, s3_server, monkeypatch):
        use("obstore", monkeypatch)
        for more in ({"config_kwargs": {"read_timeout": 7}}, {"use_listings_cache": False}):
            found = self.located({**s3_server.options, **more})
            assert not isinstance(found, object_store.ObjectStore)

    @pytest.mark.parametrize("scheme, options, package", [
        ("gs", {"token": "anon"}, "obstore"),
        ("gs", {"token": {"a": "dict"}}, "gcsfs"),
        ("az", {"account_name": "a", "account_key": "a2V5"}, "obstore"),
        ("az", {"connection_string": "x"}, "adlfs"),
    ])
    def test_of_other_stores(self, monkeypatch, scheme, options, package):
        use("obstore", monkeypatch)
        if package == "obstore":
            found = self.located(options, scheme)
            assert isinstance(found, object_store.ObjectStore)
        else:
            with pytest.raises(hr.MissingPackageError, match=package):
                self.located(options, scheme)

    def test_http_that_only_fsspec_reads(self, http_server, monkeypatch):
        use("obstore", monkeypatch)
        for end in ("?signature=x", "a%2Fb"):
            found, _ = files.locate(f"{http_server.url}/x{end}", None, None)
            assert not isinstance(found, object_store.ObjectStore)


def in_workers(method, call, *arguments):
    """What four processes give."""
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(4, mp_context=context) as pool:
        jobs = [pool.submit(call, i, *arguments) for i in range(4)]
        return [job.result(timeout=120) for job in jobs]


def part_of(number, url, options):
    sizes = [number * SIZE // 4, (number + 1) * SIZE // 4]
    return numbers(hr.open(url, storage_options=options, message="raw",
                           byte_range=tuple(sizes)))


def rows_of(number, dataset):
    rows = list(range(number, RECORDS, 4 * 500))
    return [int.from_bytes(payload[:8], "little") for payload in dataset.payloads(rows)]


class TestWorkers:
    @pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
    def test_four_with_credentials(self, s3_server, method):
        s3_server.log.clear()
        options = s3_server.options
        # The parent has used obstore, whose threads a forked child does not have.
        assert hr.open("s3://bucket/x.tfrecord", storage_options=options, message="raw")
        parts = in_workers(method, part_of, "s3://bucket/x.tfrecord", options)
        assert sum(parts, []) == list(range(RECORDS))
        assert {request.key for request in s3_server.log.requests} == {"mine"}

    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_a_dataset_goes_along(self, s3_server, folder, method):
        dataset = hr.Dataset("s3://bucket/x.tfrecord", storage_options=s3_server.options,
                             index=folder, message="raw")
        assert dataset.payloads([7])
        found = in_workers(method, rows_of, dataset)
        assert found == [list(range(i, RECORDS, 2000)) for i in range(4)]

    def test_a_file_system_of_obstore_can_be_pickled(self, s3_server):
        found, path = files.locate("s3://bucket/x.tfrecord", None, s3_server.options)
        again = pickle.loads(pickle.dumps(found))
        assert bytes(again.cat_file(path, 12, 20)) == bytes(8)

    def test_options_of_obstore_in_a_forked_child(self, s3_server):
        options = {"access_key_id": "mine", "secret_access_key": "secret",
                   "endpoint": s3_server.url, "region": "eu-west-1"}
        assert hr.open("s3://bucket/x.tfrecord", storage_options=options, message="raw")
        with pytest.raises(InvalidArgumentError, match="spawn"):
            in_workers("fork", part_of, "s3://bucket/x.tfrecord", options)


@pytest.mark.parametrize("engine", ENGINES)
class TestWriting:
    def test_records_parquet_and_webdataset(self, s3_server, monkeypatch, engine):
        use(engine, monkeypatch)
        options = s3_server.options
        base = f"s3://bucket/{engine}"
        with hr.Writer(f"{base}/people.tfrecord.gz", storage_options=options) as writer:
            for i in range(1000):
                writer.write({"id": i, "name": f"name {i}".encode()})
        hr.to_parquet(f"{base}/people.tfrecord.gz", f"{base}/people.parquet",
                      storage_options=options, output_storage_options=options)
        hr.from_parquet(f"{base}/people.parquet", f"{base}/again.tfrecord",
                        input_storage_options=options, storage_options=options)
        found = [pa.table(hr.open(f"{base}/{name}", storage_options=options))
                 for name in ("people.tfrecord.gz", "again.tfrecord")]
        assert found[0] == found[1]
        assert found[0].num_rows == 1000
        hr.to_webdataset(f"{base}/again.tfrecord", f"{base}/people.tar", key="name",
                         storage_options=options, output_storage_options=options)
        filesystem, path = files.locate(f"{base}/people.tar", None, options)
        assert filesystem.info(path)["size"] > 100_000

    def test_a_writer_that_fails_leaves_no_object(self, s3_server, monkeypatch, engine):
        use(engine, monkeypatch)
        url = f"s3://bucket/{engine}/half.tfrecord"
        with pytest.raises(KeyError):
            with hr.Writer(url, storage_options=s3_server.options) as writer:
                writer.write(b"x")
                raise KeyError
        with pytest.raises(NotFoundError):
            hr.open(url, storage_options=s3_server.options)

    def test_a_bucket_that_is_not_there(self, s3_server, monkeypatch, engine):
        use(engine, monkeypatch)
        url = "s3://nobody/x.tfrecord"
        with pytest.raises(hr.HeadraceError) as caught:
            with hr.Writer(url, storage_options=s3_server.options) as writer:
                writer.write(b"x")
        assert caught.value.file == url


@pytest.mark.parametrize("most_copied", [1 << 30, 10])
def test_files_are_copied_and_removed(s3_server, monkeypatch, most_copied):
    use("obstore", monkeypatch)
    # Longer ones go through this process.
    monkeypatch.setattr(object_store, "_MOST_COPIED", most_copied)
    filesystem, source = files.locate("s3://bucket/x.tfrecord", None, s3_server.options)
    for name in ("a", "b", "deep/c"):
        filesystem.cp_file(source, f"bucket/copies/{name}")
        assert filesystem.info(f"bucket/copies/{name}")["size"] == SIZE
    assert bytes(filesystem.cat_file("bucket/copies/a", SIZE - 100)) == bytes(
        filesystem.cat_file(source, SIZE - 100))
    filesystem.rm_file("bucket/copies/a")
    assert filesystem.find("bucket/copies") == ["bucket/copies/b", "bucket/copies/deep/c"]
    filesystem.rm("bucket/copies", recursive=True)
    assert filesystem.find("bucket/copies") == []
    assert filesystem.exists(source)
    with pytest.raises(FileNotFoundError):
        filesystem.cp_file("bucket/copies/a", "bucket/copies/b")
