"""What is made of a batch lives as long as it is held, and no longer."""

import gc
import io
import itertools
import weakref
import zlib

import headrace as hr
import numpy as np
import pytest
import records
from memory import not_sanitized, resident
from records import blobs, floats, ints

arrow = pytest.importorskip("pyarrow", reason="holds on to Arrow arrays")

ROWS, BATCH = 2000, 50
SPEC = {
    "dense": hr.FixedLenFeature([4], int),
    "short": hr.FixedLenFeature([4], float, as_="float16"),
    "sparse": hr.VarLenFeature(int),
    "ragged": hr.RaggedFeature(float),
    "text": hr.FixedLenFeature([], bytes),
}


def record(i):
    return records.example({
        "dense": ints(i, i + 1, i + 2, i + 3),
        "short": floats(*[float(i % 50)] * 4),
        "sparse": ints(*range(i % 5)),
        "ragged": floats(*[float(i)] * (i % 3)),
        "text": blobs(b"%d-" % i + b"t" * (i % 40)),
    })


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("lifetime") / "x.tfrecord"
    path.write_bytes(records.framed(map(record, range(ROWS))))
    return path


def as_bytes(view):
    """All that can be read through a view, whatever it is."""
    if isinstance(view, arrow.Array):
        return repr(view.to_pylist()).encode()
    if isinstance(view, list):
        return repr(view).encode()
    return np.ascontiguousarray(view).tobytes()


def views_of(batch):
    """Views of all sorts; none of them is the batch."""
    return [
        batch["dense"].numpy(), batch["dense"], batch["dense"][:, 1:3],
        memoryview(batch["dense"]), np.from_dlpack(batch["dense"]),
        arrow.array(batch["dense"]).storage, memoryview(batch["short"]),
        batch["sparse"].indices.numpy(), batch["sparse"].dense_shape.numpy(),
        np.from_dlpack(batch["sparse"].values), arrow.array(batch["sparse"]),
        batch["ragged"].values.numpy(), memoryview(batch["ragged"].row_splits[0]),
        arrow.array(batch["ragged"]), arrow.array(batch["text"]),
        batch.origins["offset"],
    ]


def columns_of(batch):
    """The same of columns."""
    views = []
    for name in ("dense", "ragged", "text"):
        column = batch[name]
        views += [column.offsets.numpy(), np.from_dlpack(column.offsets)]
        views += [arrow.array(column)]
        if name != "text":
            views += [column.values.numpy(), memoryview(column.values)]
    views += [np.asarray(batch["text"]).tolist()]
    return views + arrow.record_batch(batch).columns


def batches_of(path, **options):
    """A generator that holds the only reference to its reader."""
    yield from hr.open(path, batch_size=BATCH, **options)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("spec, make", [(SPEC, views_of), (None, columns_of)])
@pytest.mark.parametrize("bytes_as", ["binary", "view"])
def test_views_outlive_batch_reader_and_generator(path, threads, spec, make, bytes_as):
    options = {"threads": threads, "spec": spec, "bytes_as": bytes_as}
    held = []
    for number, batch in enumerate(batches_of(path, **options)):
        if number % 3 == 0:
            views = make(batch)
            held.append((views, [zlib.crc32(as_bytes(view)) for view in views]))
            del views
        del batch
        if number % 10 == 0:
            gc.collect()
    assert len(held) == 14
    # Other readers would take memory that was given back too early.
    for _ in batches_of(path, **options):
        pass
    gc.collect()
    for number, (views, sums) in enumerate(held):
        assert [zlib.crc32(as_bytes(view)) for view in views] == sums
        if spec:
            first = number * 3 * BATCH
            assert views[0][:, 0].tolist() == list(range(first, first + BATCH))


@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize("source", ["path", "mmap", "object"])
def test_binary_views_outlive_their_reader(path, tmp_path, compression, source):
    data = records.compressed(path.read_bytes(), compression)
    copy = tmp_path / "x"
    copy.write_bytes(data)
    paths = io.BytesIO(data) if source == "object" else copy
    options = {"bytes_as": "view", "mmap": source == "mmap", "columns": ["text"]}
    with hr.open(paths, **options, batch_size=BATCH, threads=1) as reader:
        columns = [arrow.array(batch["text"]) for batch in reader]
    if source == "object":
        paths.seek(0)
    table = arrow.table(hr.open(paths, **options))
    assert columns[0].type == arrow.list_(arrow.binary_view())
    del reader, paths
    copy.unlink()
    gc.collect()
    words = [word for column in columns for [word] in column.to_pylist()]
    assert words == [b"%d-" % i + b"t" * (i % 40) for i in range(ROWS)]
    table.validate(full=True)
    assert table["text"].to_pylist() == [[word] for word in words]


def test_parsed_tensors_outlive_plan_and_records():
    held = []
    for _ in range(20):
        plan = hr.Plan(SPEC)
        tensors = hr.parse_example([record(i) for i in range(BATCH)], plan)
        held.append([tensors["dense"].numpy(), arrow.array(tensors["text"])])
        del plan, tensors
    gc.collect()
    for dense, text in held:
        assert dense[:, 3].tolist() == list(range(3, BATCH + 3))
        assert text.to_pylist()[7] == b"7-" + b"t" * 7


# Capsules.


class Given:
    """An object that gives the same capsules to everyone who asks."""

    def __init__(self, capsules):
        self.capsules = capsules

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsules

    def __dlpack__(self, **_):
        return self.capsules

    def __dlpack_device__(self):
        return (1, 0)


def test_a_capsule_is_consumed_once(path):
    batch = next(hr.open(path))
    given = Given(batch.__arrow_c_array__())
    assert arrow.record_batch(given).num_rows == batch.num_rows
    with pytest.raises(arrow.ArrowInvalid, match="released"):
        arrow.record_batch(given)
    tensor = next(hr.open(path, spec=SPEC))["dense"]
    given = Given(tensor.__dlpack__())
    first = np.from_dlpack(given)
    with pytest.raises(ValueError, match="PyCapsule"):
        np.from_dlpack(given)
    assert np.array_equal(first, tensor)
    given = Given(hr.open(path).__arrow_c_stream__())
    assert arrow.table(given).num_rows == ROWS
    with pytest.raises(arrow.ArrowInvalid, match="released"):
        arrow.table(given)


def test_headrace_refuses_a_consumed_capsule():
    array = arrow.array([record(1)], arrow.binary())
    given = Given(array.__arrow_c_array__())
    tensor = hr.parse_example(given, SPEC)["dense"]
    assert tensor.tolist() == [[1, 2, 3, 4]]
    consumed = Given(array.__arrow_c_array__())
    arrow.array(consumed)
    with pytest.raises(ValueError, match="consumed already"):
        hr.parse_example(consumed, SPEC)
    consumed = Given(hr.decode([record(1)]).__arrow_c_array__())
    arrow.record_batch(consumed)
    with pytest.raises(ValueError, match="consumed already"):
        hr.encode(consumed)


# A thousand times each: memory stays where it is.

def assert_flat(work, times=1000):
    """Repeating leaves no more than 2 MiB behind: 2 KiB a time, of 1000. What is
    looked for is larger: one batch is some 20 KiB. A leak grows in every round;
    pages that are half in use may grow in one.
    """
    for _ in range(times // 5):
        work()
    growth = []
    for _ in range(4):
        before = resident()
        for _ in range(times):
            work()
        growth.append(resident() - before)
        if growth[-1] < 2 << 20:
            return
    raise AssertionError(f"memory grew by {growth}")


def views_dropped(path):
    readers = (hr.open(path, batch_size=BATCH, threads=1, spec=SPEC)
               for _ in itertools.count())
    batches = itertools.chain.from_iterable(readers)
    return lambda: views_of(next(batches))


def capsules_never_consumed(path):
    reader = hr.open(path, batch_size=BATCH, threads=1, spec=SPEC)
    batch = next(reader)

    def work():
        batch.__arrow_c_array__()
        for _ in range(50):  # each is small
            batch.__arrow_c_schema__()
        batch["dense"].__dlpack__()
        batch["ragged"].__arrow_c_array__()
        Given(batch.__arrow_c_array__()).capsules[1]
    return work


def readers(use, threads=1):
    """Readers that are opened, used, and dropped."""
    def make(path):
        return lambda: use(hr.open(
            path, batch_size=BATCH, threads=threads, spec=SPEC))
    return make


def loops_that_fail(path):
    def work():
        with pytest.raises(ZeroDivisionError):
            for batch in hr.open(path, batch_size=BATCH, threads=1, spec=SPEC):
                views = views_of(batch)
                raise ZeroDivisionError(views)
    return work


def errors_kept_by_no_one(path):
    spec = {"dense": hr.FixedLenFeature([5], int)}

    def work():
        with pytest.raises(hr.WrongCountError):
            next(hr.open(path, threads=1, spec=spec))
        with pytest.raises(hr.BadSpecError):
            hr.open(path, spec={"a": hr.FixedLenFeature([-1], int)})
    return work


def file_objects_dropped(path):
    data = path.read_bytes()

    def work():
        next(hr.open(io.BytesIO(data), threads=2, batch_size=BATCH, spec=SPEC))
    return work


def parsing(path):
    serialized = [record(i) for i in range(BATCH)]
    in_arrow = arrow.array(serialized, arrow.binary())

    def work():
        hr.parse_example(serialized, SPEC)
        hr.parse_example(in_arrow, dict(SPEC))["text"].numpy()
        hr.decode(serialized)["sparse"].to_list()
    return work


@not_sanitized
@pytest.mark.parametrize("make, times", [
    pytest.param(views_dropped, 1000, id="views"),
    pytest.param(capsules_never_consumed, 1000, id="capsules"),
    pytest.param(readers(lambda r: (next(r), r.__arrow_c_stream__())), 1000,
                 id="streams never consumed"),
    pytest.param(readers(
        lambda r: arrow.RecordBatchReader.from_stream(r).read_next_batch(), 2), 300,
        id="streams left"),
    pytest.param(readers(lambda r: (next(r), next(r))), 1000, id="readers"),
    pytest.param(readers(lambda r: (next(r), next(r)), 4), 300, id="readers, threads"),
    pytest.param(loops_that_fail, 1000, id="loops"),
    pytest.param(errors_kept_by_no_one, 1000, id="errors"),
    pytest.param(file_objects_dropped, 300, id="objects"),
    pytest.param(parsing, 1000, id="parsing"),
])
def test_memory_is_flat(path, make, times):
    assert_flat(make(path), times)


@not_sanitized
def test_a_leak_would_be_noticed(path):
    kept = []
    readers = (hr.open(path, batch_size=BATCH, threads=1, spec=SPEC)
               for _ in itertools.count())
    batches = itertools.chain.from_iterable(readers)
    with pytest.raises(AssertionError, match="grew"):
        assert_flat(lambda: kept.append(next(batches)["dense"].numpy()), 300)


@pytest.mark.parametrize("threads", [1, 4])
def test_objects_are_let_go(path, threads):
    """The file object and what it holds go with the reader, not the batch."""
    class File(io.BytesIO):
        pass

    file = File(path.read_bytes())
    gone = weakref.ref(file)
    reader = hr.open(file, batch_size=BATCH, threads=threads)
    batch = next(reader)
    del file, reader
    gc.collect()
    assert gone() is None
    assert batch["dense"][0] == [0, 1, 2, 3]


def test_a_file_object_that_holds_its_reader_is_let_go(path):
    class File(io.BytesIO):
        pass

    file = File(path.read_bytes())
    file.reader = hr.open(file, threads=1)
    gone = weakref.ref(file)
    file.reader.close()
    del file
    gc.collect()
    assert gone() is None
