"""A file large enough for several tasks, and what tells whether they read it."""

import os
import pathlib
import subprocess

import headrace as hr
import pytest
import xxhash

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("HEADRACE", str(ROOT / "build/src/cli/headrace"))


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    """100 MB of records that real jobs have."""
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("the program headrace is not built; HEADRACE may name it")
    path = str(tmp_path_factory.mktemp("large") / "criteo.tfrecord")
    arguments = ["gen", path, "--shape", "criteo", "--records", "90000", "--quiet"]
    subprocess.run([PROGRAM, *arguments], check=True)
    assert os.path.getsize(path) > 100_000_000
    return path


def digest(payloads):
    """The number of records and the sum of their hashes, in any order."""
    count = total = 0
    for payload in payloads:
        count += 1
        total += xxhash.xxh3_64_intdigest(payload)
    return count, total


def digest_of_one_reader(path):
    with hr.open(path, message="raw") as reader:
        return digest(payload for batch in reader for payload in batch.payloads())
