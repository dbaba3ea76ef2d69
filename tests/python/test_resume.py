"""state_dict and load_state_dict: the next row is the very next one."""

import io
import json

import headrace as hr
import pytest
import records
from records import ids_of, write_people


def state_after(batches, **options):
    """The state after so many batches, by way of JSON."""
    reader = hr.open(**options)
    for _ in range(batches):
        next(reader)
    return json.loads(json.dumps(reader.state_dict()))


def resumed(state, **options):
    reader = hr.open(**options)
    reader.load_state_dict(state)
    return reader


@pytest.mark.parametrize("compression", records.COMPRESSIONS)
@pytest.mark.parametrize("threads", [1, 3])
def test_every_row(path, compression, threads):
    write_people(path, 40, compression=compression)
    options = {"paths": path, "batch_size": 1, "threads": threads}
    reader = hr.open(**options)
    for row in range(41):
        state = json.loads(json.dumps(reader.state_dict()))
        rest = resumed(state, **(options | {"batch_size": 7}))
        assert ids_of(rest) == list(range(row, 40))
        if row < 40:
            assert ids_of([next(reader)]) == [row]


def test_origins_and_errors_go_on(path):
    payloads = [records.person(row) for row in records.people(20)]
    payloads[15] = b"\xff"
    path.write_bytes(records.framed(payloads))
    options = {"paths": path, "batch_size": 5, "on_row_error": "skip"}
    rest = resumed(state_after(2, **options), **options)
    batch = next(rest)
    assert batch.origins["record"].tolist() == list(range(10, 15))
    assert ids_of(rest) == [16, 17, 18, 19]
    assert [row.record for row in rest.report.rows] == [15]
    strict = options | {"on_row_error": "fail", "sample": 5}
    rest = resumed(state_after(1, **strict), **strict)
    with pytest.raises(hr.MalformedError) as caught:
        list(rest)
    assert caught.value.record == 15


@pytest.mark.parametrize("threads", [1, 3])
def test_files_and_epochs(tmp_path, threads):
    paths = [tmp_path / f"{i}" for i in range(3)]
    for i, path in enumerate(paths):
        write_people(path, 5 + i, compression="gzip" if i == 1 else "none")
    every = [*range(5), *range(6), *range(7)] * 3
    options = {"paths": paths, "batch_size": 4, "threads": threads, "epochs": 3}
    sizes = [batch.num_rows for batch in hr.open(**options)]
    for batches in range(len(sizes) + 1):
        state = state_after(batches, **options)
        rest = ids_of(resumed(state, **options))
        assert rest == every[sum(sizes[:batches]):]


def test_shards_and_remainders(path):
    write_people(path, 100)
    for options in (
        {"shard": (1, 3), "batch_size": 5},
        {"batch_size": 32, "drop_remainder": True, "epochs": 2},
    ):
        options["paths"] = path
        batches = [ids_of([batch]) for batch in hr.open(**options)]
        for taken in range(len(batches) + 1):
            rest = resumed(state_after(taken, **options), **options)
            assert [ids_of([batch]) for batch in rest] == batches[taken:]


def test_damage_is_passed_over(path):
    frames = [bytearray(records.frame(records.person(row)))
              for row in records.people(30)]
    frames[4][14] ^= 1
    frames[9][3] ^= 1
    path.write_bytes(b"".join(frames))
    options = {"paths": path, "on_corrupt": "rescan", "batch_size": 1}
    every = ids_of(hr.open(**options))
    assert len(every) == 28
    for taken in range(29):
        rest = resumed(state_after(taken, **options), **options)
        assert ids_of(rest) == every[taken:]


def test_raw_specs_and_file_objects(path):
    write_people(path, 50)
    data = path.read_bytes()
    options = {"paths": path, "message": "raw", "batch_size": 20}
    rest = resumed(state_after(1, **options), **options)
    assert sum((batch.payloads() for batch in rest), []) == [
        records.person(row) for row in records.people(50)[20:]]
    spec = {"id": hr.FixedLenFeature([], int)}
    options = {"paths": path, "spec": spec, "batch_size": 20}
    rest = resumed(state_after(2, **options), **options)
    assert next(rest)["id"].tolist() == list(range(40, 50))
    state = state_after(1, paths=io.BytesIO(data), batch_size=20)
    rest = resumed(state, paths=io.BytesIO(data), batch_size=20)
    assert ids_of(rest) == list(range(20, 50))


def test_going_back_and_on_again(path):
    write_people(path, 30)
    reader = hr.open(path, batch_size=10, threads=2)
    start = reader.state_dict()
    next(reader)
    middle = reader.state_dict()
    assert ids_of(reader) == list(range(10, 30))
    reader.load_state_dict(middle)
    assert ids_of(reader) == list(range(10, 30))
    reader.load_state_dict(start)
    assert ids_of(reader) == list(range(30))


def test_a_changed_file(path, tmp_path):
    write_people(path, 30)
    state = state_after(2, paths=path, batch_size=10)
    write_people(path, 30, seed=2)  # records of other lengths
    with pytest.raises(hr.InvalidArgumentError):
        next(resumed(state, paths=path))
    write_people(path, 5)
    with pytest.raises(hr.InvalidArgumentError):
        next(resumed(state, paths=path))
    other = tmp_path / "other.tfrecord"
    write_people(other, 30)
    with pytest.raises(hr.InvalidArgumentError):
        resumed(state, paths=other)
    with pytest.raises(hr.InvalidArgumentError):
        resumed(state, paths=path, columns=["id"])
    spec = {"id": hr.FixedLenFeature([], int)}
    with pytest.raises(hr.InvalidArgumentError):
        resumed(state, paths=path, spec=spec)


@pytest.mark.parametrize("change", [
    {"version": 2}, {"plan": None}, {"epoch": -1}, {"epoch": "0"}, {"rows": "x"},
    {"rows": 2**64}, {"record": -1}, {"record": None}, {"offset": 1.0},
    {"file": -1}, {"file": "0"}, {"name": None}, {"recovered": 1},
    {"file": 2**40},
])
def test_what_is_no_state(path, change):
    write_people(path, 30)
    state = state_after(1, paths=path, batch_size=10)
    reader = hr.open(path, batch_size=10)
    next(reader)
    with pytest.raises(hr.InvalidArgumentError):
        reader.load_state_dict(state | change)
    for nothing in ({}, {"version": 1}):
        with pytest.raises(hr.InvalidArgumentError):
            reader.load_state_dict(nothing)
    for nothing in (None, 3, [state]):
        with pytest.raises(TypeError, match="a dict that state_dict"):
            reader.load_state_dict(nothing)
    assert ids_of([next(reader)]) == list(range(10, 20))  # it goes on
