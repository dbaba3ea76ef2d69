"""hr.Dataset: rows by number are those that hr.open reads in order."""

import json
import multiprocessing
import os
import pickle
import sys
import textwrap
import threading

import headrace as hr
import numpy as np
import processes
import pytest
import records
from headrace import _core
from records import people, person, write_people
from row_values import plain, same

ROWS = 600


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three files of people, of 600 in all, with an empty one among them."""
    folder = tmp_path_factory.mktemp("people")
    rows = people(ROWS)
    parts = [rows[:250], [], rows[250:251], rows[251:]]
    for number, part in enumerate(parts):
        (folder / f"p{number}.tfrecord").write_bytes(
            records.framed(map(person, part)))
    return folder


@pytest.fixture(scope="module", params=["headers", "indexes", "mmap"])
def ds(request, folder):
    paths = f"{folder}/p?.tfrecord"
    if request.param == "headers":
        return hr.Dataset(paths)
    indexes = folder / "indexes"
    indexes.mkdir(exist_ok=True)
    hr.index(paths, directory=indexes)
    return hr.Dataset(paths, index=indexes, mmap=request.param == "mmap")


PEOPLE = people(ROWS)


# ------------------------------------------------------------------- Rows


def test_rows_are_those_of_a_reader(ds, folder):
    read = [row for batch in hr.open(f"{folder}/p?.tfrecord")
            for row in batch.to_pylist()]
    assert len(ds) == len(read) == ROWS
    assert [plain(ds[i]) for i in range(ROWS)] == read == PEOPLE
    assert [plain(row) for row in ds] == read
    assert [plain(row) for row in ds] == read  # again
    assert ds.columns == ["id", "score", "tags"]
    assert [os.path.basename(file) for file in ds.files] == [
        f"p{number}.tfrecord" for number in range(4)]


def test_types_of_columns(ds):
    for row in ds:
        assert row["id"].dtype == np.int64
        assert row["score"] is None or row["score"].dtype == np.float32
        assert row["tags"] is None or all(type(tag) is bytes for tag in row["tags"])
    row["id"][0] = 5  # it is a copy that may be written to
    assert ds[-1]["id"] == ROWS - 1


@pytest.mark.parametrize("key", [
    slice(None), slice(10, 20), slice(None, None, -7), slice(-5, None),
    slice(500, 10_000, 3), slice(5, 5),
    [5, 3, 5, 3], [0], [], (1, -1), [np.int8(3), 4], range(250, 252),
    np.array([599, 0, 250, 251]), np.array([-1, -600]), np.array([1, 2], np.uint8),
    np.arange(ROWS) % 3 == 0, [True] * ROWS,
    np.array([2, 1], dtype=object), np.arange(20)[::-3],
])
def test_batches_of_rows(ds, key):
    batch = ds[key]
    assert isinstance(batch, hr.Batch)
    if isinstance(key, slice):
        wanted = range(ROWS)[key]
    elif len(key) == ROWS:
        wanted = [i for i, chosen in enumerate(key) if chosen]
    else:
        wanted = [int(i) % ROWS for i in key]
    assert batch.to_pylist() == [PEOPLE[i] for i in wanted]


def test_take_and_getitems(ds):
    rows = np.random.default_rng(1).integers(-ROWS, ROWS, 1000)
    expected = [PEOPLE[row] for row in rows]
    assert ds.take(rows).to_pylist() == expected
    assert [plain(row) for row in ds.__getitems__(rows)] == expected
    assert [plain(row) for row in ds.__getitems__(rows.tolist())] == expected
    assert ds.payloads(rows[:50]) == [person(row) for row in expected[:50]]
    assert ds.__getitems__([]) == ds.payloads([]) == []


@pytest.mark.parametrize("key", [
    ROWS, -ROWS - 1, 2**63, 2**64, -(2**63), -(2**70), 10**30, np.uint64(2**64 - 1),
])
def test_rows_out_of_range(ds, key):
    assert issubclass(hr.NoSuchRowError, hr.InvalidArgumentError)
    for call in (
        lambda: ds[key], lambda: ds[[0, int(key)]], lambda: ds.take([key]),
        lambda: ds.__getitems__([key]), lambda: ds.payloads([key]),
        lambda: ds.origin(key),
    ):
        with pytest.raises(IndexError) as caught:
            call()
        assert isinstance(caught.value, hr.NoSuchRowError)
        text = f"there is no row {key}: there are 600 rows, counted from 0"
        assert text in str(caught.value)


@pytest.mark.parametrize("key", [
    np.ma.array([5, 6], mask=[0, 1]), np.ma.array([5, 6], mask=True),
    np.ma.array([True] * ROWS, mask=[0] * (ROWS - 1) + [1]),
    np.ma.array([5, 6], object, mask=[1, 0]),
])
def test_masked_rows(ds, key):
    for call in (ds.__getitem__, ds.take, ds.__getitems__, ds.payloads):
        with pytest.raises(hr.InvalidArgumentError, match="rows: some .* masked"):
            call(key)


def test_rows_of_which_none_is_masked(ds):
    key = np.ma.array([5, -1], mask=False)
    assert ds[key].to_pylist() == ds.take(key).to_pylist() == [PEOPLE[5], PEOPLE[-1]]
    with pytest.warns(UserWarning, match="masked"), pytest.raises(TypeError):
        ds[[0, np.ma.masked]]


@pytest.mark.parametrize("key", [
    "1", 1.0, None, [1.5], ["a"], [None], np.zeros((2, 2), int), [[1, 2]], {1},
    np.array([0.5]), np.array(["a"]),
])
def test_keys_of_another_type(ds, key):
    with pytest.raises(TypeError, match="expected|not"):
        ds[key]


def test_a_mask_of_another_length(ds):
    with pytest.raises(hr.InvalidArgumentError, match="a value for each of 600 rows"):
        ds[[True, False]]


def test_origins(ds):
    origins = [ds.origin(i) for i in (0, 249, 250, -1)]
    assert [origin.record for origin in origins] == [0, 249, 0, 348]
    assert [ds.files.index(origin.file) for origin in origins] == [0, 0, 2, 3]
    batch = ds[[249, 250]]
    assert batch.origins["offset"].tolist() == [origins[1].offset, 0]
    assert batch.origins["file"].tolist() == [0, 2]


def test_duplicates_of_files(path):
    rows = write_people(path, 10)
    ds = hr.Dataset([path, path, path])
    assert len(ds) == 30
    assert [plain(row) for row in ds] == rows * 3
    assert ds[[25, 5, 15]].to_pylist() == [rows[5]] * 3


def test_no_rows(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    ds = hr.Dataset([tmp_path / "a"] * 2)
    assert len(ds) == 0
    assert list(ds) == list(ds.batches(4, epochs=None, end="pad")) == []
    assert ds[:].num_rows == 0
    with pytest.raises(IndexError):
        ds[0]


def test_raw(folder):
    raw = hr.Dataset(f"{folder}/p?.tfrecord", message="raw")
    assert raw[7] == {"payload": person(PEOPLE[7])}
    assert raw.message == "raw"
    assert raw.payloads([9, 7]) == [person(PEOPLE[9]), person(PEOPLE[7])]
    with pytest.raises(hr.InvalidArgumentError, match="raw"):
        hr.Dataset(f"{folder}/p?.tfrecord", message="raw", columns=["id"])


def test_payloads_share_what_is_known_of_the_files(ds, monkeypatch):
    def opened_again(*_):
        raise AssertionError

    ds = pickle.loads(pickle.dumps(ds))
    assert ds[7]["id"] == [7]
    monkeypatch.setattr(_core, "Dataset", opened_again)
    assert ds.payloads([500, 7]) == [person(PEOPLE[500]), person(PEOPLE[7])]


# ------------------------------------------------------------------- Indexes, errors


def test_index_options(path, tmp_path):
    write_people(path, 20)
    with pytest.raises(hr.NotFoundError, match="has no index"):
        hr.Dataset(path, index="required")
    hr.index(path)
    assert len(hr.Dataset(path, index="required")) == 20
    (tmp_path / f"{path.name}.hri").write_bytes(b"HRI1")
    for index in ("auto", "required"):
        with pytest.raises(hr.BadIndexError):
            hr.Dataset(path, index=index)
    for index in (None, "none"):
        assert len(hr.Dataset(path, index=index)) == 20
    with pytest.raises(hr.InvalidArgumentError, match="folder"):
        hr.Dataset(path, index="atuo")
    with pytest.raises(TypeError, match="index"):
        hr.Dataset(path, index=5)


@pytest.mark.parametrize("compression", ["gzip", "zlib"])
def test_compressed_files(path, compression):
    write_people(path, 200)
    rows = [199, 0, 17, 18, 0]
    expected = hr.Dataset(path, message="raw")[rows].payloads()
    write_people(path, 200, compression=compression)
    for threads in (1, 3):
        assert hr.Dataset(path, message="raw", threads=threads)[rows].payloads() == expected
    hr.index(path)
    ds = hr.Dataset(path, message="raw", index="required")
    assert ds[rows].payloads() == expected
    shuffled = ds.batches(25, shuffle=hr.Shuffle(3, block=16, window=2))
    assert sorted(p for b in shuffled for p in b.payloads()) == sorted(
        ds[list(range(200))].payloads())


def test_snappy_has_no_places(path):
    with hr.Writer(path, compression="snappy") as writer:
        writer.write(b"a")
    with pytest.raises(hr.InvalidArgumentError, match="snappy"):
        hr.Dataset(path)


def test_inputs_that_many_cannot_read(path):
    write_people(path, 20)
    with open(path, "rb") as file:
        for paths in (file, [path, file], "-"):
            with pytest.raises(hr.InvalidArgumentError, match="standard input"):
                hr.Dataset(paths)
    with pytest.raises(hr.NotFoundError):
        hr.Dataset(f"{path}.missing")


@pytest.mark.parametrize("change", [
    {"verify": 1}, {"sample": "x"}, {"mmap": None, "progress": 1}, {"columns": "id"},
    {"storage_options": 5},
])
def test_arguments_of_another_type(path, change):
    write_people(path, 20)
    with pytest.raises(TypeError):
        hr.Dataset(path, **change)


@pytest.mark.parametrize("mmap", [False, True])
def test_damage_and_bad_rows(path, mmap):
    payloads = [person(row) for row in people(20)]
    payloads[5] = b"\xff"
    content = bytearray(records.framed(payloads))
    content[-5] ^= 1  # in the payload of the last
    path.write_bytes(content)
    ds = hr.Dataset(path, mmap=mmap, sample=3)
    with pytest.raises(hr.MalformedError) as caught:
        ds[5]
    assert (caught.value.record, caught.value.file) == (5, str(path))
    with pytest.raises(hr.ChecksumError) as caught:
        ds.take([1, 19])
    assert caught.value.record == 19
    assert ds[1]["id"] == [1]  # it can be used as before
    path.write_bytes(records.framed(payloads)[:-3])
    with pytest.raises(hr.TruncatedError):
        hr.Dataset(path)


@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_is_replaced_while_it_is_open(path, tmp_path, mmap):
    rows = write_people(path, 20)
    ds = hr.Dataset(path, mmap=mmap)
    assert plain(ds[3]) == rows[3]
    other = tmp_path / "other"
    write_people(other, 30, seed=5)
    os.replace(other, path)
    assert plain(ds[4]) == rows[4]  # the open file is still the old one
    fresh = pickle.loads(pickle.dumps(ds))
    with pytest.raises(hr.BadIndexError, match="changed"):
        fresh[3]
    assert len(fresh) == 20


def test_a_file_changes_before_it_is_read(path):
    write_people(path, 20)
    ds = hr.Dataset(path)
    write_people(path, 30, seed=5)
    with pytest.raises(hr.BadIndexError):
        ds[3]


def test_progress(path, monkeypatch):
    write_people(path, 20)
    shown = []

    class Bar:
        total = n = 0

        def __init__(self, **arguments):
            shown.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def update(self, more):
            self.n += more

    module = type(sys)("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", type(sys)("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    hr.Dataset(path)
    assert not shown
    hr.Dataset(path, progress=True)
    assert (shown[0].n, shown[0].total) == (path.stat().st_size,) * 2


# ------------------------------------------------------------------- Remote files


def test_remote_files(folder):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for file in folder.glob("p?.tfrecord"):
        memory.pipe(f"/dataset_test/{file.name}", file.read_bytes())
    try:
        ds = hr.Dataset("memory://dataset_test/p*.tfrecord")
        rows = np.random.default_rng(1).permutation(ROWS)
        assert [plain(row) for row in ds.__getitems__(rows)] == [
            PEOPLE[row] for row in rows]
        assert plain(ds[300]) == PEOPLE[300]
        assert ds.payloads([300]) == [person(PEOPLE[300])]
    finally:
        memory.rm("/dataset_test", recursive=True)
    with pytest.raises(hr.NotFoundError):
        hr.Dataset("memory://dataset_test/p*.tfrecord")


# ------------------------------------------------------------------- Threads, processes


def sum_of_ids(ds, seed):
    rows = np.random.default_rng(seed).integers(0, ROWS, 50)
    for row in rows.tolist():
        assert ds[row]["id"] == [row]
        assert ds[[row, 0]]["id"].values.numpy().tolist() == [row, 0]
        assert [r["id"][0] for r in ds.__getitems__([1, row])] == [1, row]
    return int(rows.sum())


def test_threads(ds):
    failed = []

    def work(seed):
        try:
            sum_of_ids(ds, seed)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(ds, method):
    expected = sum_of_ids(ds, 0)  # its files are open
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.starmap(sum_of_ids, [(ds, 0)] * 4) == [expected] * 4
    assert sum_of_ids(ds, 0) == expected


def test_a_child_of_a_fork_has_files_of_its_own(ds, folder):
    def files():
        return {os.readlink(f"/proc/self/fd/{fd}"): fd
                for fd in os.listdir("/proc/self/fd")
                if os.path.exists(f"/proc/self/fd/{fd}")}

    name = os.path.realpath(folder / "p0.tfrecord")
    ds[0]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            before = [f for f in files() if f == name]
            ok = ds[5]["id"] == [5] and len(before) <= 1
            batches = [b.num_rows for b in ds.batches(100)]
            os.write(write, b"ok" if ok and batches == [100] * 6 else b"no")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"ok"
    os.close(read)
    os.close(write)


@pytest.mark.parametrize("options", [
    {}, {"columns": ["tags", "id"]}, {"message": "raw"},
    {"spec": {"id": hr.FixedLenFeature([], hr.int64)}},
    {"spec": {"id": hr.FixedLenFeature([], hr.int64), "tags": hr.VarLenFeature(
        hr.bytes_)}, "columns": ["tags"]},
    {"schema": hr.Schema.from_text('feature { name: "id" type: INT }')},
    {"spec": hr.Plan({"id": hr.FixedLenFeature([], hr.int64)})},
])
def test_pickles(folder, options):
    ds = hr.Dataset(f"{folder}/p?.tfrecord", **options)
    saved = pickle.dumps(ds)
    assert len(saved) < 3000
    for again in (pickle.loads(saved), pickle.loads(pickle.dumps(pickle.loads(saved)))):
        assert len(again) == ROWS and again.fingerprint == ds.fingerprint
        assert all(same(again[i], ds[i]) for i in (0, 5, -1))
        assert str(again.plan) == str(ds.plan)


def test_pickles_do_not_grow_with_rows(path):
    path.write_bytes(records.framed([b""] * 100_000))
    assert len(pickle.dumps(hr.Dataset(path))) < 3000


def test_the_plan_of_a_reader(folder):
    paths = f"{folder}/p?.tfrecord"
    plan = hr.open(paths, columns=["id"]).plan
    ds = hr.Dataset(paths, spec=plan)
    assert plain(pickle.loads(pickle.dumps(ds))[7]) == {"id": [7]}
    plan = hr.open(paths, spec={"id": hr.FixedLenFeature([], hr.int64)}).plan
    ds = hr.Dataset(paths, spec=plan)
    with pytest.raises(hr.InvalidArgumentError, match="open it with the spec"):
        pickle.loads(pickle.dumps(ds))[7]


def test_it_outlives_nothing(folder):
    """The interpreter ends while a dataset has open files and an iterator."""
    script = textwrap.dedent("""
        import sys, headrace as hr
        ds = hr.Dataset(sys.argv[1])
        batches = ds.batches(10)
        batch, row = next(batches), ds[3]
        rows = iter(ds); next(rows)
        print(len(ds), batch.num_rows, row["id"])
    """)
    assert processes.printed_alone(
        "-c", script, folder / "p0.tfrecord") == "250 10 [3]\n"


def test_batches_outlive_it(folder):
    ds = hr.Dataset(f"{folder}/p?.tfrecord")
    batch = ds[5:8]
    del ds
    assert batch.to_pylist() == PEOPLE[5:8]
    assert json.dumps(batch["id"].tolist()) == "[[5], [6], [7]]"
