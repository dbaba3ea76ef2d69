"""hr.ray.read_tfrecords: the rows, how they are cut, and errors."""

import io
import gzip
import os
import pickle
import zipfile

import headrace as hr
import pytest

pa = pytest.importorskip("pyarrow", reason="Ray's blocks are Arrow tables")
ray = pytest.importorskip("ray", reason="reads with Ray")
pytest.importorskip("ray.data", reason="reads with Ray Data")

import sample_data  # noqa: E402
from large_file import digest, digest_of_one_reader, large_file  # noqa: E402, F401
from written import SPEC, row, steps, three_files, write  # noqa: E402
from headrace.adapters import ray as adapter  # noqa: E402
from headrace.file_ranges import FileRanges  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture
def files(tmp_path):
    # A feature without a value has no column.
    return three_files(tmp_path, lambda number: {**row(number), "unset": None})


def ids(dataset):
    return sorted(row["id"] for row in dataset.select_columns("id").iter_rows())


def tasks(*arguments, parallelism=1, **options):
    return adapter.TFRecordDatasource(*arguments, **options).get_read_tasks(parallelism)


def rows_of(task):
    return pa.concat_tables(task()).to_pylist()


def test_finds_the_columns_once_and_before_reading(files):
    dataset = hr.ray.read_tfrecords(files)
    schema = dataset.schema(fetch_if_missing=False).base_schema
    assert schema == pa.schema([
        ("box", pa.list_(pa.float32())),
        ("id", pa.list_(pa.int64())),
        ("tags", pa.list_(pa.binary())),
    ])
    rows = sorted(dataset.take_all(), key=lambda row: row["id"])
    assert len(rows) == 1000
    for number in (0, 2, 999):
        assert rows[number] == {**row(number), "id": [number]}


def test_reads_tensors_with_a_spec(files):
    dataset = hr.ray.read_tfrecords(os.path.dirname(files[0]) + "/a-*", spec=SPEC)
    batch = next(iter(dataset.iter_batches(batch_size=1000)))
    assert batch["box"].shape == (1000, 2, 2)
    assert sorted(batch["id"]) == list(range(1000))
    assert (batch["box"][:, 1, 1] == batch["id"]).all()
    assert [len(tags) for tags in batch["tags"]] == [i % 3 for i in batch["id"]]


def test_reads_the_columns_of_a_schema(files):
    schema = hr.infer_schema(files)
    dataset = hr.ray.read_tfrecords(files, schema=schema, columns=["tags", "id"])
    assert dataset.schema().names == ["tags", "id"]
    assert dataset.count() == 1000


@pytest.mark.parametrize("given", [{}, {"spec": SPEC}])
def test_decodes_only_the_columns_asked_for(files, given):
    (task,) = tasks(files[0], columns=["id"], **given)
    assert pa.concat_tables(task()).column_names == ["id"]
    with pytest.raises(hr.HeadraceError, match="no_such"):
        hr.ray.read_tfrecords(files, columns=["no_such"], **given)


def test_reads_sequence_examples(tmp_path):
    path = steps(tmp_path / "s.tfrecord")
    rows = hr.ray.read_tfrecords(path).take_all()
    rows.sort(key=lambda row: row["id"])
    assert [row["##SEQUENCE##"]["steps"] for row in rows[:3]] == [[], [[0]], [[0], [1]]]


def test_reads_payloads(files):
    dataset = hr.ray.read_tfrecords(files, message="raw")
    assert dataset.schema().names == ["payload"]
    payloads = [row["payload"] for row in dataset.iter_rows()]
    parsed = hr.parse_example(payloads, {"id": SPEC["id"]})["id"].numpy()
    assert sorted(parsed) == list(range(1000))


def test_adds_the_path(files):
    dataset = hr.ray.read_tfrecords(files, include_paths=True, spec=SPEC)
    by_id = {row["id"]: row["path"] for row in dataset.iter_rows()}
    assert [by_id[i] for i in (0, 499, 500, 800)] == [files[0], *files]
    with pytest.raises(hr.InvalidArgumentError, match="path"):
        path = {"path": hr.FixedLenFeature([], hr.int64, 0)}
        hr.ray.read_tfrecords(files, include_paths=True, spec=path)


def test_a_task_reads_consecutive_files(files):
    parts = tasks(files, spec=SPEC, parallelism=2)
    names = [list(task.metadata.input_files) for task in parts]
    assert names == [files[:1], files[1:]]
    assert [len(rows_of(task)) for task in parts] == [500, 500]
    assert [row["id"] for row in rows_of(parts[1])] == list(range(500, 1000))


def test_cuts_large_files_where_tasks_are_many(files, monkeypatch):
    monkeypatch.setattr(adapter, "_MIN_PART_BYTES", 4000)
    parts = tasks(files, spec=SPEC, parallelism=8)
    names = [task.metadata.input_files[0] for task in parts]
    # Compressed by headrace it can be cut, too.
    assert names.count(files[0]) > 1 and names.count(files[1]) > 1
    found = [[row["id"] for row in rows_of(task)] for task in parts]
    assert all(found)
    assert sum(found, []) == list(range(1000))
    dataset = hr.ray.read_tfrecords(files, spec=SPEC, override_num_blocks=8)
    assert ids(dataset) == list(range(1000))
    # As many blocks as files: none is cut.
    assert len(tasks(files, spec=SPEC, parallelism=3)) == 3
    searching = tasks(files, spec=SPEC, parallelism=8, on_corrupt="rescan")
    assert len(searching) == 3


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_cuts_a_file_that_others_compressed_by_its_index(files, monkeypatch, suffix):
    monkeypatch.setattr(adapter, "_MIN_PART_BYTES", 1)
    path = files[1].removesuffix(".gz") + suffix
    with gzip.open(files[1]) as file:
        content = file.read()
    with open(path, "wb") as file:
        file.write(gzip.compress(content))
    (task,) = tasks(path, spec=SPEC, parallelism=8)
    assert [row["id"] for row in rows_of(task)] == list(range(500, 800))
    hr.index(path)
    assert len(tasks(path, spec=SPEC, parallelism=8, index=None)) == 1
    parts = tasks(path, spec=SPEC, parallelism=8)
    assert len(parts) == 8
    assert [row["id"] for task in parts for row in rows_of(task)] == list(
        range(500, 800))


def test_cuts_remote_files(files, monkeypatch):
    fsspec = pytest.importorskip("fsspec", reason="reads from fsspec's memory://")
    monkeypatch.setattr(adapter, "_MIN_PART_BYTES", 4000)
    remote = fsspec.filesystem("memory")
    for path in files:
        remote.put_file(path, "/cut/" + os.path.basename(path))
    parts = tasks("memory://cut/a-*", spec=SPEC, parallelism=8)
    local = tasks(files, spec=SPEC, parallelism=8)
    plain = [0, 2]  # blocks of a remote file would take a request each
    assert [
        sum(task.metadata.input_files[0].endswith(f"a-{i}.tfrecord") for task in found)
        for found in (parts, local) for i in plain
    ] == [5, 2] * 2
    assert len(local) > len(parts) == 8
    found = [row["id"] for task in parts for row in rows_of(task)]
    assert found == list(range(1000))
    # Many files are not asked for their sizes.
    monkeypatch.setattr(adapter.files, "MOST_REMOTE_SIZES", 2)
    assert len(tasks("memory://cut/a-*", spec=SPEC, parallelism=8)) == 3
    remote.rm("/cut", recursive=True)


def test_a_job_over_one_large_file(large_file):  # noqa: F811
    dataset = hr.ray.read_tfrecords(large_file, message="raw")
    blocks = [ray.get(block) for block in dataset.to_arrow_refs()]
    # Ray cuts the blocks of a task further.
    assert len(blocks) >= len(tasks(large_file, message="raw", parallelism=8)) == 6
    payloads = pa.concat_tables(blocks)["payload"].to_pylist()
    assert digest(payloads) == digest_of_one_reader(large_file)


def test_relative_paths_are_those_of_the_caller(files, monkeypatch):
    monkeypatch.chdir(os.path.dirname(files[0]))
    (task,) = tasks("a-0.tfrecord", spec=SPEC)
    monkeypatch.chdir("/")
    assert list(task.metadata.input_files) == files[:1]
    assert len(rows_of(task)) == 500


RANGES = ((100, 300, 500), (0, 0, 300), (250, None, 300), (0, 150, 200))


def ranges_of(files):
    """Some rows of them, and their ids."""
    names = (files[0], files[1], files[1], files[2])
    rows = [*range(100, 300), *range(750, 800), *range(800, 950)]
    return FileRanges(names, RANGES), rows


def test_reads_ranges_of_records(files, monkeypatch):
    ranges, rows = ranges_of(files)
    assert ids(hr.ray.read_tfrecords(ranges, spec=SPEC)) == rows
    # Without a spec, and cut.
    monkeypatch.setattr(adapter, "_MIN_PART_BYTES", 1000)
    parts = [rows_of(task) for task in tasks(ranges, spec=SPEC, parallelism=7)]
    assert len(parts) == 7
    assert [row["id"] for part in parts for row in part] == rows
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    found = hr.ray.read_tfrecords(ranges, include_paths=True, override_num_blocks=3)
    assert sorted(row["id"][0] for row in found.iter_rows()) == rows
    assert {row["path"] for row in found.iter_rows()} == set(files)
    stats = hr.ray.stats(ranges, parts=3)
    assert stats.num_records == len(rows)
    assert stats.features["id"].int64.min == 100


def test_ranges_of_files_of_other_sizes_are_errors(files):
    ranges = FileRanges((files[0],), ((0, None, 501),))
    with pytest.raises(hr.WrongRecordCountError):
        hr.ray.read_tfrecords(ranges, spec=SPEC).materialize()


def test_small_files_are_not_cut(files):
    assert len(tasks(files, parallelism=100)) == 3


def test_makes_blocks_of_the_size_that_ray_wants(tmp_path):
    path = write(tmp_path / "long.tfrecord", map(row, range(3000)))
    context = ray.data.DataContext.get_current().copy()
    context.target_max_block_size = 1000
    source = adapter.TFRecordDatasource(path, spec=SPEC)
    (task,) = source.get_read_tasks(1, data_context=context)
    blocks = list(task())
    assert len(blocks) > 1 and sum(map(len, blocks)) == 3000
    (task,) = source.get_read_tasks(1, per_task_row_limit=7)
    assert sum(map(len, task())) == 7


def test_a_file_without_records_has_the_schema(tmp_path):
    path = write(tmp_path / "none.tfrecord", [])
    dataset = hr.ray.read_tfrecords(path, spec=SPEC)
    assert dataset.count() == 0
    (task,) = tasks(path, spec=SPEC)
    assert [table.column_names for table in task()] == [list(SPEC)]


def test_estimates_sizes(files):
    sizes = [os.path.getsize(path) for path in files]
    source = adapter.TFRecordDatasource(files)
    estimate = source.estimate_inmemory_data_size()
    # The second one is compressed.
    assert estimate > sum(sizes)
    assert estimate - (sizes[0] + sizes[2]) == adapter._INFLATION * sizes[1]
    (task,) = source.get_read_tasks(1)
    assert task.metadata.size_bytes == estimate
    assert task.metadata.num_rows is None


def test_an_error_of_a_task_keeps_class_and_fields(files):
    write(files[2], map(row, [800, 801]))
    with hr.Writer(files[0]) as writer:
        writer.write(row(0))
        writer.write({"id": 1, "box": [1.0, 2.0]})
    dataset = hr.ray.read_tfrecords(files, spec=SPEC)
    with pytest.raises(hr.WrongCountError) as caught:
        dataset.materialize()
    error = caught.value
    assert (error.file, error.record, error.feature) == (files[0], 1, "box")
    assert (error.code, error.expected, error.found) == ("wrong_count", "4 values", "2")


def test_damage_names_file_and_offset(files):
    data = bytearray(open(files[2], "rb").read())
    data[20] ^= 1
    open(files[2], "wb").write(data)
    dataset = hr.ray.read_tfrecords(files, spec=SPEC)
    with pytest.raises(hr.ChecksumError) as caught:
        dataset.materialize()
    assert (caught.value.file, caught.value.record) == (files[2], 0)
    skipping = hr.ray.read_tfrecords(files, spec=SPEC, on_corrupt="skip")
    assert ids(skipping) == [i for i in range(1000) if i != 800]


def test_skips_rows_and_says_so(files, caplog):
    with hr.Writer(files[0]) as writer:
        writer.write({"id": 1, "box": [1.0, 2.0]})
        writer.write(row(7))
    (task,) = tasks(files[:1], spec=SPEC, on_row_error="skip")
    assert [row["id"] for row in rows_of(task)] == [7]
    assert "skipped 1 rows and 0 damaged regions" in caplog.text


def test_a_kind_that_the_sample_did_not_show_is_an_error(files):
    with hr.Writer(files[2]) as writer:
        writer.write({"id": 1.5})
    dataset = hr.ray.read_tfrecords(files, sample=100)
    with pytest.raises(hr.WrongKindError) as caught:
        dataset.materialize()
    assert (caught.value.file, caught.value.feature) == (files[2], "id")


def test_a_file_that_has_gone_is_an_error(files):
    dataset = hr.ray.read_tfrecords(files, spec=SPEC)
    os.remove(files[1])
    with pytest.raises(hr.NotFoundError) as caught:
        dataset.materialize()
    assert caught.value.file == files[1]


def test_reads_from_a_filesystem(files):
    fsspec = pytest.importorskip("fsspec", reason="reads from fsspec's zip")
    archive = os.path.join(os.path.dirname(files[0]), "all.zip")
    with zipfile.ZipFile(archive, "w") as out:
        for path in files:
            out.write(path, os.path.basename(path))
    zipped = fsspec.filesystem("zip", fo=archive)
    dataset = hr.ray.read_tfrecords("a-*", filesystem=zipped, spec=SPEC)
    assert ids(dataset) == list(range(1000))
    source = adapter.TFRecordDatasource("a-*", filesystem=zipped)
    sizes = [os.path.getsize(path) for path in files]
    sizes[1] *= adapter._INFLATION
    assert source.estimate_inmemory_data_size() == sum(sizes)


def test_passes_arguments_on_to_ray(files):
    dataset = hr.ray.read_tfrecords(
        files, spec=SPEC, concurrency=1, ray_remote_args={"num_cpus": 2}
    )
    assert ids(dataset) == list(range(1000))


@pytest.mark.parametrize("arguments, error", [
    ({"paths": "-"}, hr.InvalidArgumentError),
    ({"paths": io.BytesIO()}, hr.InvalidArgumentError),
    ({"paths": "no/such"}, hr.NotFoundError),
    ({"paths": []}, hr.InvalidArgumentError),
    ({"epochs": 2}, TypeError),
    ({"bytes_as": "view"}, hr.InvalidArgumentError),
    ({"on_corrupt": "ignore"}, ValueError),
    ({"columns": "id"}, TypeError),
    ({"columns": []}, ValueError),
    ({"spec": {"id": 1}}, TypeError),
    ({"spec": {"id": hr.FixedLenFeature([-2], int)}}, hr.BadSpecError),
    ({"spec": SPEC, "schema": hr.Schema.from_text("")}, TypeError),
])
def test_refuses_wrong_arguments_at_once(files, arguments, error):
    with pytest.raises(error):
        hr.ray.read_tfrecords(**{"paths": files, **arguments})


def test_a_datasource_can_be_pickled(files):
    source = pickle.loads(pickle.dumps(adapter.TFRecordDatasource(files)))
    assert len(rows_of(source.get_read_tasks(1)[0])) == 1000


@pytest.fixture
def in_order():
    options = ray.data.DataContext.get_current().execution_options
    options.preserve_order = True
    yield
    options.preserve_order = False


@sample_data.needed
@pytest.mark.parametrize("folder, schema", sample_data.CASES)
def test_real_files_give_the_expected_columns(in_order, folder, schema):
    given = sample_data.options(folder, schema)
    dataset = hr.ray.read_tfrecords(sample_data.paths(folder), **given)
    blocks = [ray.get(block) for block in dataset.to_arrow_refs()]
    sample_data.check(pa.concat_tables(blocks), folder, schema)


@sample_data.needed
def test_real_files_that_do_not_fit_their_schema_are_an_error():
    given = sample_data.options("chicago-taxi", "schema.pbtxt")
    paths = sample_data.paths("chicago-taxi")
    dataset = hr.ray.read_tfrecords(paths, **given)
    with pytest.raises(hr.WrongKindError) as caught:
        dataset.materialize()
    want = sample_data.expected("chicago-taxi")["columns"]["schema.pbtxt"]
    assert caught.value.feature in want["feature_is_one_of"]
    assert caught.value.file in paths
