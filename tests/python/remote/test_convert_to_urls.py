"""headrace convert -o URL."""

import json
import os
import subprocess
import sys

import headrace as hr
import pytest
from object_servers import S3Server

PROGRAM = os.environ.get("HEADRACE")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="HEADRACE names the program")


@pytest.fixture(scope="module")
def s3_server():
    server = S3Server()
    yield server
    server.close()


@pytest.fixture
def convert(s3_server, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def run(*arguments, options=s3_server.options):
        environment = os.environ | {
            "HEADRACE_PYTHON": sys.executable, "TMPDIR": str(temporary),
            "HEADRACE_STORAGE_OPTIONS": json.dumps(options),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [PROGRAM, "convert", *map(str, arguments)], env=environment, text=True,
            capture_output=True, timeout=60)
        assert list(temporary.iterdir()) == []
        return done

    return run


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.tfrecord"
    with hr.Writer(path) as writer:
        for i in range(1000):
            writer.write({"id": i})
    return path


def rows(s3_server, url):
    batches = hr.open(url, storage_options=s3_server.options)
    return sum(batch.num_rows for batch in batches)


def test_tfrecord_and_shards(convert, people, s3_server):
    done = convert(people, "-o", "s3://bucket/p/one.tfrecord.gz", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["path"] == "s3://bucket/p/one.tfrecord.gz"
    assert rows(s3_server, "s3://bucket/p/one.tfrecord.gz") == 1000
    done = convert(people, "-o", "s3://bucket/p/many.tfrecord", "--shards", 3)
    assert done.returncode == 0, done.stderr
    assert rows(s3_server, "s3://bucket/p/many.tfrecord@3") == 1000


def test_parquet(convert, people, s3_server, tmp_path):
    done = convert(people, "-o", "s3://bucket/p/one.parquet")
    assert done.returncode == 0, done.stderr
    written = hr.from_parquet(
        "s3://bucket/p/one.parquet", tmp_path / "again.tfrecord",
        input_storage_options=s3_server.options)
    assert written.num_rows == 1000


def test_failures(convert, people, tmp_path):
    done = convert(people, "-o", "s3://nobody/one.tfrecord")
    assert done.returncode == 3, done.stderr
    assert "s3://nobody/one.tfrecord" in done.stderr
    done = convert(people, "-o", "nosuch://bucket/one.tfrecord", options={})
    assert done.returncode == 2, done.stderr
    assert "nosuch" in done.stderr
    (tmp_path / "cut.tfrecord").write_bytes(people.read_bytes()[:-5])
    done = convert(tmp_path / "cut.tfrecord", "-o", "s3://bucket/cut.tfrecord")
    assert done.returncode == 1, done.stderr


def test_a_url_as_input(convert, tmp_path):
    done = convert("s3://bucket/x.tfrecord", "-o", tmp_path / "x.arrow")
    assert done.returncode == 2
    assert "headrace.open of Python reads URLs" in done.stderr
