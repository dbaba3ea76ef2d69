"""Numbers of records in parts of a file: the true ones, or none."""

import gzip
import json
import os
import subprocess

import headrace as hr
import pytest

SPEC = {"id": hr.FixedLenFeature([], hr.int64)}
UNKNOWN = 2**64 - 1
BAD = range(0, 100, 20)


@pytest.fixture(params=["plain", "indexed", "gzip"])
def path(request, tmp_path):
    path = tmp_path / "a.tfrecord"
    with hr.Writer(path, mixed_kinds=True) as writer:
        for i in range(100):
            writer.write({"id": 0.5 if i in BAD else i})
    if request.param == "indexed":
        hr.index(path)
    if request.param == "gzip":  # of one member, which is read from its beginning
        data = path.read_bytes()
        path = tmp_path / "a.tfrecord.gz"
        path.write_bytes(gzip.compress(data))
    return path


def is_known(path):
    return path.suffix == ".gz" or path.with_suffix(".tfrecord.hri").exists()


@pytest.mark.parametrize("threads", [1, 2])
def test_of_errors(path, threads):
    numbers = []
    for shard in range(4):
        with pytest.raises(hr.WrongKindError) as caught:
            list(hr.open(path, spec=SPEC, shard=(shard, 4), threads=threads))
        numbers.append(caught.value.record)
        text = f"record {numbers[-1]} at offset" if numbers[-1] is not None else "offset"
        assert f"{path}: {text}" in str(caught.value) or numbers[-1] is None
    if path.suffix == ".gz":  # is dealt out by runs of 16
        assert all(number in BAD for number in numbers)
    else:
        assert numbers == ([0, 40, 60, 80] if is_known(path) else [0, None, None, None])


@pytest.mark.parametrize("shuffle", [None, hr.Shuffle(1, buffer=1 << 20)])
@pytest.mark.parametrize("threads", [1, 2])
def test_of_skipped_rows_and_origins(path, threads, shuffle):
    known = unknown = 0
    places = {}
    for batch in hr.open(path, message="raw"):
        origins = zip(*(batch.origins[name].tolist() for name in ("offset", "record")))
        places.update(origins)
    for shard in range(4):
        with hr.open(path, spec=SPEC, shard=(shard, 4), threads=threads,
                     on_row_error="skip", shuffle=shuffle) as reader:
            batches = list(reader)
        found = [(row.offset, row.record) for row in reader.report.rows]
        assert all(offset is not None for offset, _ in found)
        for batch in batches if shuffle is None else ():
            offsets, numbers = batch.origins["offset"], batch.origins["record"]
            found += [(offset, None if number == UNKNOWN else number)
                      for offset, number in zip(offsets.tolist(), numbers.tolist())]
        for offset, number in found:
            known, unknown = known + (number is not None), unknown + (number is None)
            assert number is None or number == places[offset]
    assert known + unknown == (100 if shuffle is None else len(BAD))
    assert (unknown == 0) == is_known(path)


@pytest.fixture
def damaged(tmp_path):
    """A file of which one payload is damaged and one later row bad, and the middle."""
    path = tmp_path / "damaged.tfrecord"
    with hr.Writer(path, mixed_kinds=True) as writer:
        for i in range(100):
            writer.write({"id": 0.5 if i == 90 else i})
    (batch,) = hr.open(path, message="raw", batch_size=100)
    offsets = batch.origins["offset"].tolist()
    data = bytearray(path.read_bytes())
    data[offsets[80] + 14] ^= 1
    path.write_bytes(data)
    return path, offsets


def test_of_damage(damaged):
    path, offsets = damaged
    part = {"spec": SPEC, "byte_range": (offsets[50], None)}
    with pytest.raises(hr.ChecksumError) as caught:
        list(hr.open(path, **part))
    assert (caught.value.record, caught.value.offset) == (None, offsets[80])
    assert f"{path}: at offset {offsets[80]}: payload_crc" in str(caught.value)
    for policy in ("skip", "rescan"):
        with hr.open(path, on_corrupt=policy, on_row_error="skip", **part) as reader:
            assert sum(batch.num_rows for batch in reader) == 48
        (row,) = reader.report.rows
        assert (row.record, row.offset) == (None, offsets[90])
        (region,) = reader.report.regions
        assert region.begin == offsets[80]
    # With an index all numbers are known; it knows of no damage.
    hr.index(path)
    with hr.open(path, on_corrupt="skip", on_row_error="skip", **part) as reader:
        list(reader)
    assert reader.report.rows[0].record == 90


@pytest.mark.skipif("HEADRACE" not in os.environ, reason="runs the program")
def test_of_lines_of_the_program(damaged, tmp_path):
    path, offsets = damaged
    spec = tmp_path / "spec.json"
    spec.write_text(hr.Spec(SPEC).to_json())

    def lines(*options):
        done = subprocess.run(
            [os.environ["HEADRACE"], "convert", path, "-o", tmp_path / "out.arrow",
             "--spec", spec, "--range", f"{offsets[50]}:", *options],
            capture_output=True, text=True, errors="replace")
        return done.stderr

    assert f"{path}: at offset {offsets[80]}: payload_crc" in lines()
    said = lines("--on-corrupt", "skip", "--on-row-error", "skip")
    assert f"at offset {offsets[90]}: wrong_kind" in said
    assert "record 89" not in said and "record 90" not in said, said


def test_of_states(path):
    arguments = {"spec": SPEC, "shard": (1, 2), "on_row_error": "skip", "batch_size": 3}

    def ids(reader):
        return [i for batch in reader for i in batch["id"].numpy().tolist()]

    reader = hr.open(path, **arguments)
    rows = ids(hr.open(path, **arguments))
    next(reader), next(reader)
    state = json.loads(json.dumps(reader.state_dict()))
    # Earlier versions counted from the beginning of the part.
    for record in (state["record"], 5) if path.suffix != ".gz" else (state["record"],):
        again = hr.open(path, **arguments)
        again.load_state_dict(state | {"record": record})
        assert ids(again) == rows[6:]


def test_of_statistics(path):
    size = 0
    for batch in hr.open(path, message="raw"):
        size = int(batch.origins["offset"][-1])
    stats = hr.stats(path, byte_range=(size // 2, None))
    first = json.loads(stats.to_json())["features"][0]["first"]
    assert first["record"] == (50 if is_known(path) else None)
    assert stats.features["id"].first.record == first["record"]
    assert "stats" in repr(stats).lower() and stats._repr_html_()
