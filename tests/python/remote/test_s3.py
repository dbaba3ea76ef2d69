"""An epoch from a stand-in for S3, counted by the server itself."""

import collections

import headrace as hr
import numpy as np
import pytest
import s3fs
from object_servers import S3Server

FILES, RECORDS, PAYLOAD, BLOCK = 3, 4096, 1000, 64
ROWS = FILES * RECORDS
BLOCKS = ROWS // BLOCK
BYTES = ROWS * (PAYLOAD + 16)
NAMES = [f"train-{number:05}-of-{FILES:05}.tfrecord" for number in range(FILES)]
URLS = [f"s3://bucket/{name}" for name in NAMES]


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
def running(folder):
    """With the files in its bucket."""
    server = S3Server()
    writer = s3fs.S3FileSystem(**server.options, skip_instance_cache=True)
    for name in NAMES:
        writer.pipe_file(f"bucket/{name}", (folder / name).read_bytes())
    yield server
    server.close()


@pytest.fixture
def server(running):
    """Counts from here on; no answer is remembered from before."""
    s3fs.S3FileSystem.clear_instance_cache()
    running.log.clear()
    return running


def test_an_epoch_of_blocks(server, folder):
    ds = hr.Dataset(URLS, storage_options=server.options, index=folder, message="raw")
    shuffle = hr.Shuffle(7, block=BLOCK, window=16)
    found = [
        int.from_bytes(payload[:8], "little")
        for batch in ds.batches(256, shuffle=shuffle)
        for payload in batch.payloads()
    ]
    positions = np.arange(ROWS, dtype=np.uint64)
    assert found == hr.order(ROWS, 7, 0, positions, block=BLOCK, window=16).tolist()
    # They include what it takes to open the dataset and each file.
    assert len(server.log.of("GET")) <= 1.1 * BLOCKS
    assert sum(request.sent for request in server.log.requests) <= 1.1 * BYTES
    assert all(request.begin is not None for request in server.log.of("GET"))
    assert sorted(request.path for request in server.log.of("HEAD")) == [
        f"/bucket/{name}" for name in NAMES]
    assert {request.method for request in server.log.requests} == {"GET", "HEAD"}


def test_ranges_are_those_of_the_blocks(server, folder):
    ds = hr.Dataset(URLS, storage_options=server.options, index=folder, message="raw")
    batches = ds.batches(
        256, shuffle=hr.Shuffle(7, block=BLOCK, window=16), epochs=2)
    for _ in range(batches.steps_of_epoch):
        next(batches)
    server.log.requests.clear()
    assert sum(1 for _ in batches) == batches.steps_of_epoch
    assert len(server.log.requests) <= BLOCKS
    for request in server.log.requests:
        size = BLOCK * (PAYLOAD + 16)
        assert (request.sent, request.end - request.begin) == (size, size)
        assert request.begin % size == 0


def test_each_file_that_a_pattern_finds_is_asked_for_once(server, folder):
    ds = hr.Dataset(
        "s3://bucket/train-*", storage_options=server.options, index=folder, message="raw")
    assert sum(batch.num_rows for batch in ds.batches(256, end="uneven")) == ROWS
    asked = collections.Counter(request.path for request in server.log.of("HEAD"))
    assert max(asked.values()) == 1
    assert set(asked) <= {"/bucket/train-*", *(f"/bucket/{name}" for name in NAMES)}


def test_an_index_is_made_from_the_server(server, folder, tmp_path):
    hr.index(URLS, directory=tmp_path, storage_options=server.options)
    ds = hr.Dataset(URLS, storage_options=server.options, index=tmp_path, message="raw")
    assert ds.payloads([5000])[0][:8] == (5000).to_bytes(8, "little")
    for name in NAMES:
        made = (tmp_path / f"{name}.hri").read_bytes()
        # Only the time of change, in bytes 16 to 24, is not known here.
        assert len(made) == (folder / f"{name}.hri").stat().st_size
