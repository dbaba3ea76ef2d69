"""Objects that are replaced, or of which a server says different things."""

import headrace as hr
import pytest
from headrace.remote import object_store, ranges
from headrace.errors import IoError
from object_servers import HttpServer, S3Server

PAYLOADS = [b"%09d" % i * 10 for i in range(60_000)]
RECORD = len(PAYLOADS[0]) + 16


def use(engine, monkeypatch):
    """Hides the packages of the other engine."""
    hidden = {"obstore": ["aiohttp"], "fsspec": ["obstore"]}[engine]
    is_there = object_store._is_there
    monkeypatch.setattr(object_store, "_is_there",
                        lambda name: name not in hidden and is_there(name))


def framed(tmp_path, payloads):
    path = tmp_path / "x"
    with hr.Writer(path) as writer:
        for payload in payloads:
            writer.write(payload)
    return path.read_bytes()


@pytest.fixture(params=["fsspec", "obstore"])
def server(request, monkeypatch, tmp_path):
    use(request.param, monkeypatch)
    monkeypatch.setattr(ranges, "_FIRST_RANGE", 1 << 20)
    monkeypatch.setattr(ranges, "_LONGEST_RANGE", 1 << 20)
    server = HttpServer({"/x": framed(tmp_path, PAYLOADS)})
    server.files_url = server.url + "/x"
    yield server
    server.close()


def rows(reader):
    return sum(batch.num_rows for batch in reader)


def test_what_does_not_change_is_read(server):
    for tag in ('"one"', 'W/"one"', None):
        server.tag = tag
        with hr.open(server.files_url, message="raw") as reader:
            assert rows(reader) == len(PAYLOADS)


def test_a_head_that_says_less(server):
    server.head_size = 20_000 * RECORD
    with pytest.raises(IoError, match="changed while it was read"):
        with hr.open(server.files_url, message="raw") as reader:
            rows(reader)
    with pytest.raises(IoError, match="changed while it was read"):
        hr.Dataset(server.files_url, message="raw")


def test_an_object_that_is_replaced_by_one_of_the_same_size(server):
    with hr.open(server.files_url, message="raw", batch_size=100) as reader:
        next(reader)
        server.tag = '"two"'
        with pytest.raises(IoError, match="changed while it was read"):
            rows(reader)


def test_under_an_open_dataset(server, tmp_path):
    dataset = hr.Dataset(server.files_url, message="raw")
    assert dataset.payloads([7, 50_000]) == [PAYLOADS[7], PAYLOADS[50_000]]
    server.tag = '"two"'
    with pytest.raises(IoError, match="changed while it was read"):
        dataset.payloads([8])


def test_an_object_without_a_tag_that_grows(server, tmp_path):
    server.tag = None
    with hr.open(server.files_url, message="raw", batch_size=100) as reader:
        next(reader)
        server.files["/x"] += b"more"
        with pytest.raises(IoError, match="changed while it was read"):
            rows(reader)


@pytest.fixture
def s3_server():
    server = S3Server()
    yield server
    server.close()


def test_s3_by_its_own_package(s3_server, monkeypatch):
    use("fsspec", monkeypatch)
    monkeypatch.setattr(ranges, "_FIRST_RANGE", 1 << 20)
    options = s3_server.options
    url = "s3://bucket/replaced.tfrecord"

    def write(payloads):
        with hr.Writer(url, storage_options=options) as writer:
            for payload in payloads:
                writer.write(payload)

    write(PAYLOADS)
    dataset = hr.Dataset(url, message="raw", storage_options=options)
    with hr.open(url, message="raw", batch_size=100, storage_options=options) as reader:
        next(reader)
        write(PAYLOADS[::-1])
        with pytest.raises(IoError, match="changed while it was read"):
            rows(reader)
    with pytest.raises(IoError, match="changed while it was read"):
        dataset.payloads([8])
