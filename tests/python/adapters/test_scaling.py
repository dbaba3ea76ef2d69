"""The time of n, 2n and 4n features: none of it grows with the square of n."""

import time

import headrace as hr
import pytest
import records

# Twice as many take about twice as long; of what grows with the square, four
# times as many take sixteen times as long.
SMALL, FACTOR, ALLOWED = 3000, 4, 9


def names(n):
    return [f"feature_{i:06}" for i in range(n)]


def record(n):
    return records.example({name: records.ints(1) for name in names(n)})


def file_of(folder, n):
    path = folder / str(n)
    if not path.exists():
        path.write_bytes(records.framed([record(n)]))
    return path


def spec_of(n):
    return {name: hr.FixedLenFeature([], hr.int64, 0) for name in names(n)}


def text_of(n):
    return "".join(f'feature {{ name: "{name}" type: INT }}\n' for name in names(n))


def write(folder, n):
    row = dict.fromkeys(names(n), 1)
    with hr.Writer(folder / "written") as writer:
        for _ in range(3):
            writer.write(row)


CALLS = {
    "open": lambda d, n: next(hr.open(file_of(d, n), threads=1)),
    "columns": lambda d, n: next(
        hr.open(file_of(d, n), columns=names(n)[::-1], threads=1)),
    "spec": lambda d, n: next(hr.open(file_of(d, n), spec=spec_of(n), threads=1)),
    "spec, columns": lambda d, n: next(
        hr.open(file_of(d, n), spec=spec_of(n), columns=names(n), threads=1)),
    "spec as JSON": lambda d, n: hr.Spec.from_json(hr.Spec(spec_of(n)).to_json()),
    "schema": lambda d, n: next(
        hr.open(file_of(d, n), schema=hr.Schema.from_text(text_of(n)), threads=1)),
    "schema, columns": lambda d, n: next(
        hr.open(file_of(d, n), schema=hr.Schema.from_text(text_of(n)),
                columns=names(n), threads=1)),
    "parse_example": lambda d, n: hr.parse_example([record(n)], spec_of(n)),
    "decode": lambda d, n: hr.decode([record(n)]),
    "infer_schema": lambda d, n: hr.infer_schema(file_of(d, n)).to_pbtxt(),
    "infer_spec": lambda d, n: hr.infer_spec(file_of(d, n)),
    "write": write,
    "encode": lambda d, n: hr.encode(hr.decode([record(n)])),
    "items": lambda d, n: dict(hr.decode([record(n)]).items()),
    "each name": lambda d, n: [
        batch[name] for batch in [hr.decode([record(n)])] for name in batch],
}


def seconds(call, folder, n):
    """Of this process alone, so that others on the machine count little."""
    least = float("inf")
    for _ in range(3):
        begin = time.process_time()
        call(folder, n)
        least = min(least, time.process_time() - begin)
    return least


@pytest.mark.parametrize("name", CALLS)
def test_twice_the_features_take_twice_the_time(tmp_path, name):
    call = CALLS[name]
    call(tmp_path, 10)
    for n in (SMALL, SMALL * FACTOR):
        file_of(tmp_path, n)
    for _ in range(3):  # a busy machine may spoil one
        ratio = seconds(call, tmp_path, SMALL * FACTOR) / seconds(call, tmp_path, SMALL)
        if ratio < ALLOWED:
            return
    pytest.fail(f"{FACTOR} times the features take {ratio:.1f} times as long")
