"""An epoch from a stand-in for S3, counted by the server itself."""

import collections
import re
import threading

import headrace as hr
import numpy as np
import pytest
import s3fs
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

FILES, RECORDS, PAYLOAD, BLOCK = 3, 4096, 1000, 64
ROWS = FILES * RECORDS
BLOCKS = ROWS // BLOCK
BYTES = ROWS * (PAYLOAD + 16)
NAMES = [f"train-{number:05}-of-{FILES:05}.tfrecord" for number in range(FILES)]
URLS = [f"s3://bucket/{name}" for name in NAMES]

Request = collections.namedtuple("Request", "method path range sent")


class Counted:
    """A WSGI application that notes each request and the bytes of its answer."""

    def __init__(self, application):
        self.application = application
        self.requests = []

    def __call__(self, environ, start_response):
        body = b"".join(self.application(environ, start_response))
        method = environ["REQUEST_METHOD"]
        self.requests.append(Request(
            method, environ["PATH_INFO"], environ.get("HTTP_RANGE"),
            0 if method == "HEAD" else len(body)))
        return [body]

    def of(self, method):
        return [request for request in self.requests if request.method == method]


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files, whose row i begins with i, and their indexes."""
    folder = tmp_path_factory.mktemp("s3")
    row = 0
    for name in NAMES:
        with hr.Writer(folder / name) as writer:
            for _ in range(RECORDS):
                writer.write(row.to_bytes(8, "little") * (PAYLOAD // 8))
                row += 1
    hr.index(folder)
    return folder


@pytest.fixture(scope="module")
def running():
    counted = Counted(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, counted, True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield counted, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


@pytest.fixture(scope="module")
def stored(running, folder):
    """storage_options for a bucket that has the files."""
    options = {"key": "key", "secret": "secret",
               "client_kwargs": {"endpoint_url": running[1],
                                 "region_name": "eu-west-1"}}
    writer = s3fs.S3FileSystem(**options, skip_instance_cache=True)
    writer.mkdir("bucket")
    for name in NAMES:
        writer.pipe_file(f"bucket/{name}", (folder / name).read_bytes())
    return options


@pytest.fixture
def server(running, stored):
    """Counts from here on; no answer is remembered from before."""
    s3fs.S3FileSystem.clear_instance_cache()
    running[0].requests.clear()
    return running[0]


def test_an_epoch_of_blocks(server, stored, folder):
    ds = hr.Dataset(URLS, storage_options=stored, index=folder, message="raw")
    shuffle = hr.Shuffle(7, block=BLOCK, window=16)
    found = [
        int.from_bytes(payload[:8], "little")
        for batch in ds.batches(256, shuffle=shuffle)
        for payload in batch.payloads()
    ]
    positions = np.arange(ROWS, dtype=np.uint64)
    assert found == hr.order(ROWS, 7, 0, positions, block=BLOCK, window=16).tolist()
    # They include what it takes to open the dataset and each file.
    assert len(server.of("GET")) <= 1.1 * BLOCKS
    assert sum(request.sent for request in server.requests) <= 1.1 * BYTES
    assert all(request.range for request in server.of("GET"))
    assert sorted(request.path for request in server.of("HEAD")) == [
        f"/bucket/{name}" for name in NAMES]
    assert {request.method for request in server.requests} == {"GET", "HEAD"}


def test_ranges_are_those_of_the_blocks(server, stored, folder):
    ds = hr.Dataset(URLS, storage_options=stored, index=folder, message="raw")
    batches = ds.batches(
        256, shuffle=hr.Shuffle(7, block=BLOCK, window=16), epochs=2)
    for _ in range(batches.steps_of_epoch):
        next(batches)
    server.requests.clear()
    assert sum(1 for _ in batches) == batches.steps_of_epoch
    assert len(server.requests) <= BLOCKS
    for request in server.requests:
        begin, end = re.fullmatch(r"bytes=(\d+)-(\d+)", request.range).groups()
        assert (int(end) + 1 - int(begin), int(begin) % request.sent) == (
            request.sent, 0)
        assert request.sent == BLOCK * (PAYLOAD + 16)


def test_each_file_that_a_pattern_finds_is_asked_for_once(server, stored, folder):
    ds = hr.Dataset(
        "s3://bucket/train-*", storage_options=stored, index=folder, message="raw")
    assert sum(batch.num_rows for batch in ds.batches(256, end="uneven")) == ROWS
    asked = collections.Counter(request.path for request in server.of("HEAD"))
    assert max(asked.values()) == 1
    assert set(asked) <= {"/bucket/train-*", *(f"/bucket/{name}" for name in NAMES)}


def test_an_index_is_made_from_the_server(server, stored, folder, tmp_path):
    hr.index(URLS, directory=tmp_path, storage_options=stored)
    ds = hr.Dataset(URLS, storage_options=stored, index=tmp_path, message="raw")
    assert ds.payloads([5000])[0][:8] == (5000).to_bytes(8, "little")
    for name in NAMES:
        made = (tmp_path / f"{name}.hri").read_bytes()
        # Only the time of change, in bytes 16 to 24, is not known here.
        assert len(made) == (folder / f"{name}.hri").stat().st_size
