"""hr.polars.scan_tfrecord: what a query gets, and what it makes be read."""

import os

import headrace as hr
import pytest
from written import write

pl = pytest.importorskip("polars", reason="reads with Polars")

from headrace.adapters import polars as adapter  # noqa: E402
from headrace.reading import scan as scans  # noqa: E402

SPEC = {
    "id": hr.FixedLenFeature([], hr.int64),
    "name": hr.FixedLenFeature([], hr.bytes_),
    "tags": hr.RaggedFeature(hr.int64),
}


def row(number):
    return {"id": number, "name": f"n{number}", "tags": [7] * (number % 3) or None}


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "a-0.tfrecord", tmp_path / "a-1.tfrecord.gz"]
    for path, numbers in zip(paths, (range(0, 700), range(700, 1000))):
        with hr.Writer(path) as writer:
            for number in numbers:
                writer.write({**row(number), "unset": None})
    return [str(path) for path in paths]


@pytest.fixture
def steps(tmp_path):
    path = str(tmp_path / "steps.tfrecord")
    with hr.Writer(path) as writer:
        for i in range(10):
            writer.write({"id": i, "other": 1.5}, {"a": [[i]] * i, "b": [[b"x"]]})
    return path


@pytest.fixture
def opened(monkeypatch):
    """The arguments of all readers that a scan opens."""
    calls = []

    def open_and_note(paths, **arguments):
        calls.append(arguments)
        return hr.open(paths, **arguments)

    monkeypatch.setattr(scans, "open", open_and_note)
    return calls


def test_finds_the_columns(files):
    frame = hr.polars.scan_tfrecord(os.path.dirname(files[0]) + "/a-*")
    assert frame.collect_schema() == {
        "id": pl.List(pl.Int64),
        "name": pl.List(pl.Binary),
        "tags": pl.List(pl.Int64),
    }
    rows = frame.collect().to_dicts()
    assert len(rows) == 1000
    tags = [None, [7], [7, 7]]
    for i in (0, 1, 2, 999):
        assert rows[i] == {"id": [i], "name": [b"n%d" % i], "tags": tags[i % 3]}


def test_reads_tensors_with_a_spec(files):
    frame = hr.polars.read_tfrecord(files, spec=SPEC, bytes_as="string")
    types = {"id": pl.Int64, "name": pl.String, "tags": pl.List(pl.Int64)}
    assert frame.schema == types
    assert frame["id"].to_list() == list(range(1000))
    assert frame["name"][-1] == "n999"
    assert frame["tags"].list.len().to_list() == [i % 3 for i in range(1000)]


def test_reads_the_columns_of_a_schema(files):
    schema = hr.infer_schema(files)
    frame = hr.polars.scan_tfrecord(files, schema=schema, columns=["tags", "id"])
    assert frame.collect().columns == ["tags", "id"]


def test_decodes_only_what_the_query_needs(files, opened):
    frame = hr.polars.scan_tfrecord(files, spec=SPEC)
    query = frame.filter(pl.col("id") >= 990).select("name")
    assert query.collect()["name"].to_list() == [b"n%d" % i for i in range(990, 1000)]
    assert sorted(opened[-1]["columns"]) == ["id", "name"]
    assert query.collect(engine="streaming").height == 10


def test_reads_no_more_rows_than_it_needs(files, opened):
    with open(files[1], "r+b") as file:
        file.truncate(100)
    frame = hr.polars.scan_tfrecord(files, spec=SPEC)
    assert frame.head(3).collect()["id"].to_list() == [0, 1, 2]
    assert opened[-1]["batch_size"] == 3
    # The limit comes before the filter.
    query = frame.head(5).filter(pl.col("id") > 2)
    assert query.collect()["id"].to_list() == [3, 4]
    query = frame.filter(pl.col("id") > 2).head(5)
    with pytest.raises(hr.CorruptDataError):
        query.collect()


def test_limits_within_a_batch(files):
    source = adapter._Source(scans.Scan(files, spec=SPEC), threads=1)
    for count in (0, 1, 99, 100, 101, 1000, 2000):
        frames = list(source.frames(None, None, count, 100))
        assert sum(frame.height for frame in frames) == min(count, 1000)
        assert all(frame.height <= 100 for frame in frames)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_counts_and_slices(files, engine):
    frame = hr.polars.scan_tfrecord(files)

    def ids(query):
        return query.collect(engine=engine)["id"].list.first().to_list()

    assert frame.select(pl.len()).collect(engine=engine).item() == 1000
    assert ids(frame.slice(698, 4)) == [698, 699, 700, 701]
    assert ids(frame.tail(2)) == [998, 999]
    assert ids(pl.concat([frame, frame]).tail(1)) == [999]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("spec", [None, SPEC])
def test_a_query_without_columns_has_all_rows(files, engine, spec):
    frame = hr.polars.scan_tfrecord(files, spec=spec)
    numbered = frame.with_row_index("n")
    assert numbered.select(pl.len()).collect(engine=engine).item() == 1000
    numbers = numbered.select("n").collect(engine=engine)
    assert numbers["n"].to_list() == list(range(1000))
    assert numbered.slice(690, 20).select(pl.len()).collect(engine=engine).item() == 20


def test_frames_without_columns_have_their_height(files):
    source = adapter._Source(scans.Scan(files, spec=SPEC), threads=1)
    for count, predicate, rows in (
        (None, None, 1000), (701, None, 701), (None, pl.lit(False), 0),
        (None, pl.lit(True), 1000),
    ):
        frames = list(source.frames([], predicate, count, 100))
        assert {frame.width for frame in frames} == {0}
        assert sum(frame.height for frame in frames) == rows


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("given", ["spec", "schema", "found"])
def test_every_query_skips_the_same_rows(tmp_path, engine, given):
    path = str(tmp_path / "mixed.tfrecord")
    with hr.Writer(path, mixed_kinds=True) as writer:
        for i in range(100):
            record = {"id": i, "name": f"n{i}", "tags": i}
            if i % 10 == 3:
                record["name"] = 1.5 if given != "spec" else None
            if i % 20 == 7:
                record["tags"] = b"no number"
            writer.write(record)
    arguments = {
        "spec": {"spec": SPEC}, "found": {"sample": 3},
        "schema": {"schema": hr.infer_schema(path, sample=3)},
    }[given]
    frame = hr.polars.scan_tfrecord(path, on_row_error="skip", **arguments)
    good = [i for i in range(100) if i % 10 != 3 and i % 20 != 7]
    for query in (frame, frame.select("id"), frame.select("tags"),
                  frame.select("name"), frame.with_row_index("n").select("n")):
        assert query.collect(engine=engine).height == len(good)
    for query in (frame, frame.with_row_index("n")):
        assert query.select(pl.len()).collect(engine=engine).item() == len(good)
    ids = frame.select("id").collect(engine=engine)["id"].to_list()
    assert ids == [i if given == "spec" else [i] for i in good]
    assert frame.head(5).select("id").collect(engine=engine)["id"].to_list() == ids[:5]


def test_reads_sequence_examples(steps, opened):
    frame = hr.polars.scan_tfrecord(steps)
    assert frame.collect_schema().names() == ["id", "other", "##SEQUENCE##"]
    lists = frame.select(pl.col("##SEQUENCE##").struct.field("a"))
    assert lists.collect()["a"].to_list() == [[[i]] * i for i in range(10)]
    assert opened[-1]["columns"] == ["a", "b"]
    assert frame.select("id").collect()["id"].to_list() == [[i] for i in range(10)]
    assert opened[-1]["columns"] == ["id"]


def test_reads_payloads(files):
    frame = hr.polars.scan_tfrecord(files, message="raw")
    payloads = frame.select("payload").collect()["payload"].to_list()
    assert hr.parse_example(payloads, SPEC)["id"].numpy().tolist() == list(range(1000))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_an_error_of_a_query_says_where(files, engine):
    with hr.Writer(files[1]) as writer:
        writer.write(row(0))
        writer.write({"id": 1})
    frame = hr.polars.scan_tfrecord(files, spec=SPEC)
    with pytest.raises((hr.MissingFeatureError, pl.exceptions.ComputeError)) as caught:
        frame.collect(engine=engine)
    assert f"{files[1]}: record 1 at offset" in str(caught.value)
    assert "missing_feature" in str(caught.value)
    # It does not need the feature.
    assert frame.select("id").collect(engine=engine).height == 702
    skipping = hr.polars.scan_tfrecord(files, spec=SPEC, on_row_error="skip")
    assert skipping.collect(engine=engine).height == 701


def test_a_record_that_cannot_be_read_is_not_counted(files):
    with hr.Writer(files[1]) as writer:
        writer.write(b"\xff\xff")
    frame = hr.polars.scan_tfrecord(files, spec=SPEC)
    with pytest.raises((hr.MalformedError, pl.exceptions.ComputeError)):
        frame.select(pl.len()).collect()


def test_files_without_records(tmp_path):
    path = str(tmp_path / "none.tfrecord")
    hr.Writer(path).close()
    assert hr.polars.read_tfrecord(path).shape == (0, 0)
    assert hr.polars.read_tfrecord(path, spec=SPEC).shape == (0, 3)
    frame = hr.polars.scan_tfrecord(path)
    assert frame.select(pl.len()).collect().item() == 0


def test_views_of_bytes(files):
    frame = hr.polars.read_tfrecord(files, spec=SPEC, bytes_as="view", columns=["name"])
    assert frame["name"].to_list() == [b"n%d" % i for i in range(1000)]


@pytest.mark.parametrize("arguments, error", [
    ({"paths": "-"}, hr.InvalidArgumentError),
    ({"paths": "no/such"}, hr.NotFoundError),
    ({"columns": ["no_such"]}, hr.InvalidArgumentError),
    ({"columns": ["id", "unset"]}, hr.InvalidArgumentError),
    ({"columns": "id"}, TypeError),
    ({"columns": []}, ValueError),
    ({"epochs": 2}, TypeError),
    ({"bytes_as": "strings"}, ValueError),
    ({"spec": {"id": 1}}, TypeError),
])
def test_refuses_wrong_arguments_at_once(files, arguments, error):
    with pytest.raises(error):
        hr.polars.scan_tfrecord(**{"paths": files, **arguments})


@pytest.mark.parametrize("damaged", [0, 5, 15])
def test_damage_in_the_sample_is_no_missing_column(path, damaged):
    """The column "late" begins after the record that is damaged."""
    write(path, ({"id": i} if i < 18 else {"id": i, "late": i} for i in range(20)))
    content = bytearray(path.read_bytes())
    content[hr.Dataset(path).origin(damaged).offset + 14] ^= 1
    path.write_bytes(content)
    for name in ("id", "late"):
        with pytest.raises(hr.ChecksumError) as caught:
            hr.polars.scan_tfrecord(path).select(name).collect()
        assert caught.value.record == damaged
    scan = hr.polars.scan_tfrecord(path, on_corrupt="skip")
    assert scan.select("late").collect().height == 19
    # What comes after the sample is met by the query.
    if damaged:
        few = hr.polars.scan_tfrecord(path, sample=damaged)
        assert few.select("id").head(damaged).collect().height == damaged
        with pytest.raises(hr.ChecksumError):
            few.select("id").collect()
