"""hr.vocabulary_of: the values of a feature, most frequent first."""

import io
import os
import subprocess

import headrace as hr
import pytest
import records
from records import blobs, floats, ints
from wire_bytes import elwc


@pytest.fixture(name="write")
def write_fixture(tmp_path):
    def write(*rows, name="x"):
        path = tmp_path / name
        path.write_bytes(records.framed(map(records.example, rows)))
        return path

    return write


def words(*values):
    return [{"w": blobs(value)} for value in values]


def test_the_most_frequent_are_first(write):
    path = write(*words(b"b", b"a", b"\xff", b"b", b"Z", b"a", b"b"))
    found = hr.vocabulary_of(path, "w")
    assert (found.keys, found.counts) == ([b"b", b"a", b"Z", b"\xff"], [3, 2, 1, 1])
    assert (found.num_records, found.num_values, found.num_distinct) == (7, 7, 4)
    assert (found.feature, found.left_out, len(found)) == ("w", {}, 4)
    assert hr.vocabulary_of(path, "w", min_count=2).keys == [b"b", b"a"]
    assert hr.vocabulary_of([path, path], "w", size=1, threads=2).counts == [6]
    assert hr.vocabulary_of(io.BytesIO(path.read_bytes()), "w").keys == found.keys
    assert repr(found).startswith("CountedKeys(feature='w', num_records=7, ")


def test_integers(write):
    path = write({"n": ints(10, 9, -1)}, {}, {"n": ints(9, -2**63)})
    found = hr.vocabulary_of(path, "n")
    assert found.keys == [9, -2**63, -1, 10]
    found.save(path.parent / "out")
    assert (path.parent / "out").read_bytes() == b"9\n-9223372036854775808\n-1\n10\n"


def test_save_writes_what_the_program_writes(write):
    path = write(*words(b"b", b"a", b"\r\xff", b"b", b"x y"))
    out = path.parent / "out"
    hr.vocabulary_of(path, "w").save(out)
    lines = subprocess.run(
        [os.environ["HEADRACE"], "vocabulary", "--feature", "w", path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout
    assert out.read_bytes() == lines == b"b\n\r\xff\na\nx y\n"
    before = out.read_bytes()
    with pytest.raises(hr.NotFoundError, match="none"):
        hr.vocabulary_of(path, "w").save(path.parent / "none" / "out")
    assert out.read_bytes() == before
    assert sorted(found.name for found in path.parent.iterdir()) == ["out", "x"]


def test_what_cannot_be_a_line_is_left_out(write):
    path = write(*words(b"", b"", b"a", b"a\nb", b"c\r"))
    with pytest.warns(hr.LeftOutKeyWarning, match=r"1 empty \(2 times\)") as caught:
        found = hr.vocabulary_of(path, "w")
    assert [warning.filename for warning in caught] == [__file__]
    assert found.keys == [b"a"]
    assert found.left_out == {
        "empty": (1, 2), "line_feed": (1, 1), "carriage_return": (1, 1)}


def test_feature_lists_and_lists_of_examples(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(records.framed([records.sequence_example(
        {"w": blobs(b"context")}, {"w": [blobs(b"b"), blobs(b"a", b"b")]})]))
    assert hr.vocabulary_of(path, "w").keys == [b"context"]
    assert hr.vocabulary_of(path, "##SEQUENCE##.w").keys == [b"b", b"a"]
    path.write_bytes(records.framed([elwc(
        [{"w": blobs(b"b")}, {"w": blobs(b"a", b"b")}], {})]))
    assert hr.vocabulary_of(path, "w", message="elwc").keys == [b"b", b"a"]


def test_errors(write):
    path = write({"word": blobs(b"a"), "score": floats(0.5)}, {"word": ints(1)})
    with pytest.raises(hr.InvalidArgumentError, match='did you mean "word"'):
        hr.vocabulary_of(path, "wrod", sample=1)
    with pytest.raises(hr.WrongKindError, match='feature "score" is float') as caught:
        hr.vocabulary_of(path, "score", sample=1)
    assert (caught.value.feature, caught.value.found) == ("score", "float")
    with pytest.raises(hr.WrongKindError) as caught:
        hr.vocabulary_of(path, "word", sample=1)
    assert caught.value.record == 1
    skipping = hr.vocabulary_of(path, "word", sample=1, on_row_error="skip")
    assert (skipping.keys, skipping.report.num_rows) == ([b"a"], 1)
    with pytest.raises(hr.InvalidArgumentError, match="would be empty"):
        hr.vocabulary_of(path, "word", sample=1, on_row_error="skip", min_count=2)
    with pytest.raises(hr.LimitError, match="need more memory than 100 B"):
        hr.vocabulary_of(path, "word", sample=1, memory=100)


@pytest.mark.parametrize("wrong, exception, text", [
    ({"min_count": 0}, hr.InvalidArgumentError, "min_count"),
    ({"size": 0}, hr.InvalidArgumentError, "size"),
    ({"memory": "1G"}, TypeError, "memory"),
    ({"message": "raw"}, hr.InvalidArgumentError, "payloads have no features"),
    ({"limits": {"max_reported": 1}}, hr.InvalidArgumentError, "max_reported"),
    ({"feature": 3}, TypeError, "feature: expected the name of a feature, got int"),
])
def test_wrong_arguments(write, wrong, exception, text):
    path = write(*words(b"a"))
    with pytest.raises(exception, match=text):
        hr.vocabulary_of(path, **{"feature": "w", **wrong})


def test_statistics_and_datasets_are_not_files(write):
    path = write(*words(b"a"))
    for other in (hr.stats(path), hr.Dataset(path)):
        with pytest.raises(TypeError, match="paths: expected files, got headrace"):
            hr.vocabulary_of(other, "w")


def test_damage(write):
    path = write(*words(b"a", b"b", b"a"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(hr.ChecksumError):
        hr.vocabulary_of(path, "w")
    found = hr.vocabulary_of(path, "w", on_corrupt="skip")
    assert (found.counts, found.report.num_regions) == ([1, 1], 1)
