"""Files written by headrace.Writer, for tests that only read."""

import headrace as hr
import pytest

SPEC = {
    "id": hr.FixedLenFeature([], hr.int64),
    "box": hr.FixedLenFeature([2, 2], hr.float32),
    "tags": hr.RaggedFeature(hr.bytes_),
}


def row(number):
    """A row of SPEC; at times without tags."""
    return {
        "id": number,
        "box": [1.0, 2.0, 3.0, float(number)],
        "tags": [b"t"] * (number % 3) or None,
    }


def write(path, rows, **options):
    """A file of these dicts; its name."""
    with hr.Writer(path, **options) as writer:
        for row in rows:
            writer.write(row)
    return str(path)


def three_files(folder, row=row):
    """Rows 0 to 999 in three files, the second of them compressed."""
    return [
        write(folder / "a-0.tfrecord", map(row, range(0, 500))),
        write(folder / "a-1.tfrecord.gz", map(row, range(500, 800))),
        write(folder / "a-2.tfrecord", map(row, range(800, 1000))),
    ]


def steps(path):
    """SequenceExamples: row i has i steps of one number each."""
    with hr.Writer(path) as writer:
        for i in range(10):
            writer.write({"id": i}, {"steps": [[j] for j in range(i)]})
    return str(path)


def kinds_row(i):
    """A row for what every kind of feature becomes."""
    return {
        "id": i,
        "x": [float(i), i / 2],
        "ids": list(range(i % 4)),
        "name": b"n%d" % i,
        "tags": [b"t%d" % i] * (i % 3),
        "pixels": bytes([i, 255 - i]),
        "at": [3, 1] if i % 2 else [2],
        "weight": [0.5, float(i)] if i % 2 else [float(i)],
        "lengths": [1, i % 4 - 1] if i % 4 else [],
    }


MOVIE_SPEC = hr.Spec(
    {"id": hr.FixedLenFeature([], "int64")},
    {"frame": hr.FixedLenSequenceFeature([2], "float"),
     "words": hr.RaggedFeature("bytes"), "id": hr.VarLenFeature("int64")})


@pytest.fixture
def movies(tmp_path):
    """SequenceExamples: movie i has i frames, and `id` in both halves."""
    name = tmp_path / "movies.tfrecord"
    with hr.Writer(name) as writer:
        for i in range(1, 5):
            frames = [[float(i), float(step)] for step in range(i)]
            words = [[b"w"] * step for step in range(i)]
            writer.write({"id": i}, {"frame": frames, "words": words, "id": [[i]]})
    return name
