"""hr.open with shuffle=: rows by number, or in a buffer."""

import io
import json

import headrace as hr
import pytest
import records
from records import ids_of, write_people

ROWS = 500
EVERY = list(range(ROWS))


@pytest.fixture
def files(tmp_path):
    """Two files; the second is compressed where the test asks for it."""
    def write(compression="none"):
        rows = records.people(ROWS)
        for name, part in (("a", rows[:200]), ("b", rows[200:])):
            (tmp_path / name).write_bytes(records.compressed(
                records.framed(map(records.person, part)),
                compression if name == "b" else "none"))
        return [tmp_path / "a", tmp_path / "b"]
    return write


def small(buffer=20_000):
    return hr.Shuffle(7, buffer=buffer)


def test_by_number(files):
    paths = files()
    for shuffle in (hr.Shuffle(7), hr.Shuffle(7, block=16, window=4)):
        with hr.open(paths, shuffle=shuffle, batch_size=64) as reader:
            assert isinstance(reader, hr.ShuffledReader) and not reader.buffered
            batches = list(reader)
        window = shuffle.window or 1
        assert ids_of(batches) == hr.order(
            ROWS, 7, 0, range(ROWS), block=shuffle.block, window=window).tolist()
        assert [batch.num_rows for batch in batches] == [64] * 7 + [52]
        assert reader.message == "example" and len(reader.files) == 2
    assert ids_of(hr.open(paths, shuffle=True)) == hr.order(
        ROWS, 0, 0, range(ROWS)).tolist()
    assert ids_of(hr.open(paths, shuffle=False)) == EVERY


@pytest.mark.parametrize("how", ["gzip", "buffer", "object", "skip"])
def test_by_a_buffer(files, how):
    paths = files("gzip" if how == "gzip" else "none")
    options = {"shuffle": small() if how == "buffer" else hr.Shuffle(7)}
    if how == "object":
        paths = io.BytesIO(b"".join(path.read_bytes() for path in paths))
    if how == "skip":
        options["on_row_error"] = "skip"
    with hr.open(paths, batch_size=64, **options) as reader:
        assert reader.buffered
        batches = list(reader)
    found = ids_of(batches)
    assert found != EVERY and sorted(found) == EVERY
    assert [batch.num_rows for batch in batches] == [64] * 7 + [52]
    # A small buffer moves rows less far.
    distance = sum(abs(a - b) for a, b in zip(found, EVERY, strict=True)) / ROWS
    assert (distance < 60) == (how == "buffer")


def test_a_file_object_goes_on_and_a_pipe_is_read_once(files):
    content = b"".join(path.read_bytes() for path in files())
    file = io.BytesIO(b"junk" + content)
    file.seek(4)
    reader = hr.open(file, shuffle=small(), batch_size=64)
    first = ids_of([next(reader)])
    reader.load_state_dict(reader.state_dict())
    assert sorted(first + ids_of(reader)) == EVERY

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    schema = hr.Schema.from_text('feature { name: "id" type: INT }')
    assert sorted(ids_of(hr.open(Pipe(content), shuffle=True, schema=schema))) == EVERY
    with pytest.raises(hr.InvalidArgumentError, match="give a spec or a schema"):
        hr.open(Pipe(content), shuffle=True)


def test_epochs_and_shards(files):
    paths = files("gzip")
    for shuffle in (small(), small(1), hr.Shuffle(3)):
        parts = [ids_of(hr.open(paths, shuffle=shuffle, shard=(i, 3))) for i in range(3)]
        assert sorted(sum(parts, [])) == EVERY
        two = ids_of(hr.open(paths, shuffle=shuffle, epochs=2))
        assert sorted(two[:ROWS]) == sorted(two[ROWS:]) == EVERY
        assert (two[:ROWS] == two[ROWS:]) == (shuffle == small(1))
    by_number = [ids_of(hr.open(files(), shuffle=hr.Shuffle(3), shard=(i, 3)))
                 for i in range(3)]
    assert sorted(sum(by_number, [])) == EVERY
    batches = hr.open(paths, shuffle=small(), drop_remainder=True, batch_size=64)
    assert [batch.num_rows for batch in batches] == [64] * 7


@pytest.mark.parametrize("shuffle", [
    small(), small(1), small(300), hr.Shuffle(7), hr.Shuffle(7, block=8)])
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_resuming(files, shuffle, compression):
    options = {"paths": files(compression), "shuffle": shuffle, "batch_size": 45,
               "epochs": 2, "columns": ["id"]}
    every = [ids_of([batch]) for batch in hr.open(**options)]
    assert len(every) == 24
    reader = hr.open(**options)
    for taken in range(len(every) + 1):
        state = json.loads(json.dumps(reader.state_dict()))
        rest = hr.open(**options)
        rest.load_state_dict(state)
        assert [ids_of([batch]) for batch in rest] == every[taken:]
        if taken < len(every):
            next(reader)


def test_bad_rows(files):
    paths = files()
    payloads = [records.person(row) for row in records.people(20)]
    payloads[5] = payloads[12] = b"\xff"
    paths[0].write_bytes(records.framed(payloads))
    options = {"shuffle": small(), "sample": 3, "batch_size": 8}
    with pytest.raises(hr.MalformedError) as caught:
        list(hr.open(paths[0], **options))
    assert caught.value.record in (5, 12) and caught.value.file == str(paths[0])
    reader = hr.open(paths[0], on_row_error="skip", **options)
    assert sorted(ids_of(reader)) == [i for i in range(20) if i not in (5, 12)]
    assert sorted(row.record for row in reader.report.rows) == [5, 12]
    with pytest.raises(hr.TooManyBadError):
        list(hr.open(paths[0], on_row_error="skip", max_bad=1, **options))


@pytest.mark.parametrize("drop_remainder", [False, True])
def test_batches_are_full_where_rows_are_skipped(tmp_path, drop_remainder):
    payloads = [records.person(row) for row in records.people(100)]
    bad = {3, 20, 21, 22, 99}
    for number in bad:
        payloads[number] = b"\xff"
    (tmp_path / "a").write_bytes(records.framed(payloads))
    batches = list(hr.open(
        tmp_path / "a", shuffle=hr.Shuffle(1, buffer=3000), on_row_error="skip",
        batch_size=8, drop_remainder=drop_remainder, sample=1))
    assert [batch.num_rows for batch in batches] == (
        [8] * 11 + ([] if drop_remainder else [7]))
    found = ids_of(batches)
    assert set(found) <= set(range(100)) - bad and len(set(found)) == len(found)


@pytest.mark.parametrize("shuffle", [True, small()])
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_epochs_without_a_batch_end(tmp_path, shuffle, drop_remainder):
    write_people(tmp_path / "a", 5)
    reader = hr.open(tmp_path / "a", shuffle=shuffle, epochs=None, batch_size=10,
                     drop_remainder=drop_remainder)
    if drop_remainder:
        assert list(reader) == []
    else:
        assert [next(reader).num_rows for _ in range(3)] == [5] * 3


def test_raw_and_specs(files):
    paths = files("gzip")
    raw = hr.open(paths, shuffle=small(), message="raw")
    payloads = [payload for batch in raw for payload in batch.payloads()]
    assert sorted(payloads) == sorted(map(records.person, records.people(ROWS)))
    spec = {"id": hr.FixedLenFeature([], hr.int64)}
    for shuffle in (small(), hr.Shuffle(1)):
        batches = hr.open(paths, shuffle=shuffle, spec=spec)
        assert sorted(i for b in batches for i in b["id"].numpy().tolist()) == EVERY


def test_arrow(files):
    pyarrow = pytest.importorskip("pyarrow")
    for compression in ("none", "gzip"):
        table = pyarrow.table(hr.open(files(compression), shuffle=True))
        assert sorted(id for id, in table["id"].to_pylist()) == EVERY
        assert table["id"].to_pylist() != [[i] for i in EVERY]


def test_the_end(files):
    for compression in ("none", "gzip"):
        reader = hr.open(files(compression), shuffle=True)
        list(reader)
        with pytest.raises(hr.InvalidArgumentError, match="read to its end"):
            list(reader)
        reader = hr.open(files(compression), shuffle=True)
        reader.close()
        with pytest.raises(hr.InvalidArgumentError, match="closed"):
            next(reader)


def test_no_rows(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    for shuffle in (True, small()):
        assert list(hr.open(tmp_path / "a", shuffle=shuffle, epochs=None)) == []


@pytest.mark.parametrize("change", [
    {"seed": 8}, {"buffer": 5}, {"given": 10**6}, {"given": -1}, {"reader": 5},
    {"epoch": "x"}, {"more": 1}, {"reader": {"version": 1}},
])
def test_wrong_states(files, change):
    options = {"paths": files("gzip"), "shuffle": small()}
    reader = hr.open(**options)
    next(reader)
    with pytest.raises(hr.InvalidArgumentError):
        hr.open(**options).load_state_dict(reader.state_dict() | change)


@pytest.mark.parametrize("change, error", [
    ({"shuffle": 5}, TypeError), ({"shuffle": "x"}, TypeError),
    ({"batch_size": 0}, hr.InvalidArgumentError), ({"epochs": 0},
                                                   hr.InvalidArgumentError),
    ({"shard": (3, 2)}, hr.InvalidArgumentError), ({"columns": "id"}, TypeError),
    ({"compression": "lzma"}, hr.InvalidArgumentError),
    ({"on_row_error": "x"}, hr.InvalidArgumentError),
    ({"paths": "/missing/a"}, hr.NotFoundError),
])
@pytest.mark.parametrize("shuffle", [True, small()])
@pytest.mark.parametrize("is_found", [False, True])
def test_wrong_arguments(files, shuffle, is_found, change, error):
    """Whether or not the columns are found from the files, which checks options, too."""
    text = 'feature { name: "id" type: INT }'
    schema = None if is_found else hr.Schema.from_text(text)
    with pytest.raises(error):
        hr.open(**({"paths": files(), "shuffle": shuffle, "schema": schema} | change))


def test_a_missing_column_is_an_error(path):
    write_people(path, 20)
    for shuffle in (True, small()):
        with pytest.raises(hr.InvalidArgumentError, match="ip"):
            hr.open(path, shuffle=shuffle, columns=["ip"])
