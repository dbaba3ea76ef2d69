"""hr.beam.ReadFromTFRecord: the batches, counters and errors."""

import os

import headrace as hr
import pytest

pa = pytest.importorskip("pyarrow", reason="Beam gets Arrow record batches")
beam = pytest.importorskip("apache_beam", reason="reads with Apache Beam")

import sample_data  # noqa: E402
from apache_beam.io.filesystem import FileMetadata  # noqa: E402
from apache_beam.io.localfilesystem import LocalFileSystem  # noqa: E402
from apache_beam.testing.util import assert_that, equal_to  # noqa: E402
from headrace.file_ranges import FileRanges  # noqa: E402
from written import SPEC, row, steps, three_files, write  # noqa: E402

MIRROR = "mirror://"


class MirrorFileSystem(LocalFileSystem):
    """Local files under URLs, so that they are read through Beam."""

    opened = []

    @classmethod
    def scheme(cls):
        return "mirror"

    def _list(self, path):
        for file in super()._list(path.removeprefix(MIRROR)):
            yield FileMetadata(MIRROR + file.path, file.size_in_bytes)

    def metadata(self, path):
        return FileMetadata(path, self.size(path))

    def open(self, path, *arguments, **options):
        self.opened.append(path)
        return super().open(path.removeprefix(MIRROR), *arguments, **options)

    def exists(self, path):
        return super().exists(path.removeprefix(MIRROR))

    def size(self, path):
        return super().size(path.removeprefix(MIRROR))


@pytest.fixture
def files(tmp_path):
    return three_files(tmp_path)


def pattern(files):
    return os.path.join(os.path.dirname(files[0]), "a-*")


def table_of(batches):
    """All batches as a table, in the order of their ids."""
    return pa.Table.from_batches(batches).sort_by("id")


def run(read, check):
    """Runs a pipeline that reads; its counters.

    `check` gets the batches, in a copy of itself that changes nothing here.
    """
    pipeline = beam.Pipeline(runner="BundleBasedDirectRunner")
    assert_that(pipeline | read, check)
    result = pipeline.run()
    result.wait_until_finish()
    return {
        counter.key.metric.name: counter.committed
        for counter in result.metrics().query()["counters"]
        if counter.key.metric.namespace == "headrace"
    }


def test_finds_the_columns_once(files):
    # The sample does not reach the last file, which has one more.
    with hr.Writer(files[2]) as writer:
        for number in range(800, 1000):
            writer.write({**row(number), "late": 1})
    schema = pa.schema([
        ("box", pa.list_(pa.float32())),
        ("id", pa.list_(pa.int64())),
        ("tags", pa.list_(pa.binary())),
    ])

    def check(batches):
        assert all(batch.schema == schema for batch in batches)
        rows = pa.Table.from_batches(batches).to_pylist()
        rows.sort(key=lambda row: row["id"])
        assert len(rows) == 1000
        for number in (0, 2, 999):
            assert rows[number] == {**row(number), "id": [number]}

    run(hr.beam.ReadFromTFRecord(pattern(files), sample=700), check)


@pytest.mark.parametrize("runner", ["DirectRunner", "FnApiRunner"])
def test_reads_tensors_with_a_spec_on_other_runners(files, runner):
    if runner == "FnApiRunner":
        runner = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"

    def check(batches):
        table = table_of(batches)
        assert table["id"].to_pylist() == list(range(1000))
        box = table["box"].combine_chunks().to_numpy_ndarray()
        assert box.shape == (1000, 2, 2) and box[999, 1, 1] == 999
        assert max(batch.num_rows for batch in batches) <= 1024

    with beam.Pipeline(runner=runner) as pipeline:
        read = hr.beam.ReadFromTFRecord(files, spec=SPEC)
        assert_that(pipeline | read, check)


def test_counts_records_and_files(files):
    def check(batches):
        assert [batch.num_rows for batch in batches] == [100] * 10

    read = hr.beam.ReadFromTFRecord(files, spec=SPEC, batch_size=100)
    counters = run(read, check)
    wanted = {"files": 3, "records": 1000, "skipped_rows": 0, "skipped_regions": 0}
    assert counters == wanted


@pytest.mark.parametrize("options", [{"spec": SPEC}, {}])
def test_reads_ranges_of_records(files, options):
    names = (files[0], files[1], files[2], files[0])
    ranges = FileRanges(
        names, ((100, 300, 500), (250, None, 300), (0, 150, 200), (0, 0, 500))
    )
    rows = [*range(100, 300), *range(750, 800), *range(800, 950)]

    def check(batches):
        found = pa.Table.from_batches(batches)["id"].to_pylist()
        found = [i[0] if isinstance(i, list) else i for i in found]
        assert sorted(found) == rows

    counters = run(hr.beam.ReadFromTFRecord(ranges, **options), check)
    assert counters["records"] == len(rows)


def test_counts_what_it_skips(files):
    with hr.Writer(files[0]) as writer:
        writer.write({"id": 1, "box": [1.0, 2.0]})
        writer.write(row(7))
    data = bytearray(open(files[2], "rb").read())
    data[20] ^= 1
    open(files[2], "wb").write(data)

    def check(batches):
        ids = table_of(batches)["id"].to_pylist()
        assert ids == [7, *range(500, 800), *range(801, 1000)]

    options = {"on_row_error": "skip", "on_corrupt": "skip"}
    read = hr.beam.ReadFromTFRecord(files, spec=SPEC, **options)
    counters = run(read, check)
    assert (counters["records"], counters["files"]) == (500, 3)
    assert (counters["skipped_rows"], counters["skipped_regions"]) == (1, 1)


def test_decodes_only_the_columns_asked_for(files):
    def check(batches):
        assert {tuple(batch.schema.names) for batch in batches} == {("tags", "id")}

    columns = ["tags", "id"]
    schema = hr.infer_schema(files)
    run(hr.beam.ReadFromTFRecord(files, columns=columns, schema=schema), check)
    run(hr.beam.ReadFromTFRecord(files, columns=columns, spec=SPEC), check)


def test_reads_sequence_examples(tmp_path):
    path = steps(tmp_path / "s.tfrecord")

    def check(batches):
        (batch,) = batches
        found = batch["##SEQUENCE##"].field("steps").to_pylist()
        assert found[:3] == [[], [[0]], [[0], [1]]] and len(found) == 10

    run(hr.beam.ReadFromTFRecord(path), check)


def test_reads_through_the_file_systems_of_beam(files):
    MirrorFileSystem.opened.clear()
    urls = [MIRROR + path for path in files]

    def check(batches):
        ids = pa.Table.from_batches(batches)["id"].to_pylist()
        assert sorted(ids) == [[i] for i in range(1000)]

    read = hr.beam.ReadFromTFRecord(MIRROR + pattern(files))
    assert set(MirrorFileSystem.opened) == set(urls)
    counters = run(read, check)
    assert counters["records"] == 1000
    assert sorted(MirrorFileSystem.opened) == sorted(urls * 2)


@pytest.mark.parametrize("prefix", ["", MIRROR])
def test_an_error_keeps_its_class_and_says_where(files, prefix):
    with hr.Writer(files[1]) as writer:
        writer.write(row(0))
        writer.write({"id": 1, "box": [1.0, 2.0]})
    read = hr.beam.ReadFromTFRecord(prefix + pattern(files), spec=SPEC)
    with pytest.raises(hr.WrongCountError) as caught:
        run(read, lambda batches: None)
    assert f"{prefix}{files[1]}: record 1 at offset" in str(caught.value)
    assert "while running" in str(caught.value)
    cause = caught.value.__context__
    assert (cause.file, cause.record) == (prefix + files[1], 1)
    assert (cause.feature, cause.found) == ("box", "2")


def test_with_a_spec_files_are_looked_for_when_the_pipeline_runs(tmp_path):
    read = hr.beam.ReadFromTFRecord(str(tmp_path / "later-*"), spec=SPEC)
    write(tmp_path / "later-0", map(row, range(3)))

    def check(batches):
        assert sum(map(len, batches)) == 3

    run(read, check)
    missing = hr.beam.ReadFromTFRecord(str(tmp_path / "none-*"), spec=SPEC)
    with pytest.raises(OSError, match="none-"):
        run(missing, lambda batches: None)


@pytest.mark.parametrize("arguments, error", [
    ({"file_pattern": "no/such-*"}, hr.NotFoundError),
    ({"file_pattern": "no/such"}, hr.NotFoundError),
    ({"file_pattern": MIRROR + "/no/such"}, hr.NotFoundError),
    ({"file_pattern": []}, hr.InvalidArgumentError),
    ({"file_pattern": [], "spec": SPEC}, hr.InvalidArgumentError),
    ({"batch_size": 0}, ValueError),
    ({"epochs": 2}, TypeError),
    ({"bytes_as": "view"}, hr.InvalidArgumentError),
    ({"columns": "id"}, TypeError),
    ({"columns": []}, ValueError),
    ({"columns": ["no_such"]}, hr.InvalidArgumentError),
    ({"columns": ["no_such"], "spec": SPEC}, hr.BadSpecError),
    ({"spec": {"id": hr.FixedLenFeature([-2], int)}}, hr.BadSpecError),
    ({"spec": SPEC, "schema": hr.Schema.from_text("")}, TypeError),
])
def test_refuses_wrong_arguments_at_once(files, arguments, error):
    with pytest.raises(error):
        hr.beam.ReadFromTFRecord(**{"file_pattern": files, **arguments})


def test_gives_record_batches_to_typed_steps(files):
    pipeline = beam.Pipeline(runner="BundleBasedDirectRunner")
    batches = pipeline | hr.beam.ReadFromTFRecord(files, spec=SPEC)
    assert batches.element_type is pa.RecordBatch
    with pytest.raises(beam.typehints.decorators.TypeCheckError):
        batches | beam.Map(lambda text: text).with_input_types(str)


@sample_data.needed
@pytest.mark.parametrize("folder, schema", sample_data.CASES)
def test_real_files_give_the_expected_columns(folder, schema):
    given = sample_data.options(folder, schema)
    # A batch a file, so that they can be put into order.
    sizes = [file["records"] for file in sample_data.expected(folder)["files"]]
    assert len(set(sizes)) == len(sizes)

    def check(batches):
        batches.sort(key=lambda batch: sizes.index(batch.num_rows))
        sample_data.check(pa.Table.from_batches(batches), folder, schema)

    paths = sample_data.paths(folder)
    counters = run(hr.beam.ReadFromTFRecord(paths, batch_size=20000, **given), check)
    assert counters["records"] == sum(sizes)


@sample_data.needed
def test_real_files_that_do_not_fit_their_schema_are_an_error():
    given = sample_data.options("chicago-taxi", "schema.pbtxt")
    paths = sample_data.paths("chicago-taxi")
    with pytest.raises(hr.WrongKindError) as caught:
        run(hr.beam.ReadFromTFRecord(paths, **given), lambda batches: None)
    want = sample_data.expected("chicago-taxi")["columns"]["schema.pbtxt"]
    assert caught.value.__context__.feature in want["feature_is_one_of"]


def test_beam_itself_reads_blocks(tmp_path):
    path = str(tmp_path / "x.tfrecord.gz")
    pytest.importorskip("google_crc32c", reason="Beam's checksums")
    payloads = [b"%d" % i * (i % 300) for i in range(2000)]
    with hr.Writer(path, compression="gzip", block_bytes=4096) as writer:
        for payload in payloads:
            writer.write(payload)
    with beam.Pipeline(runner="BundleBasedDirectRunner") as pipeline:
        read = pipeline | beam.io.ReadFromTFRecord(path)
        assert_that(read, equal_to(payloads))
