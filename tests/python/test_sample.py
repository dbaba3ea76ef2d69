"""Columns found from the data: how much is read for them, and what becomes of
features that the sample did not show."""

import contextlib
import io
import pickle
import warnings

import headrace as hr
import processes
import pytest
import records
from headrace.reading.scan import Scan

_IMAGES = [
    records.example({"image": records.blobs(bytes(100_000)), "id": records.ints(i)})
    for i in range(300)
]


@contextlib.contextmanager
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


class Counted(io.BytesIO):
    """Notes how much was read."""

    asked = 0

    def readinto(self, buffer):
        count = super().readinto(buffer)
        self.asked += count
        return count


@pytest.mark.parametrize("columns", [None, ["id"]])
@pytest.mark.parametrize("threads", [1, 3])
def test_no_more_is_read_than_the_sample(columns, threads):
    data = records.framed(_IMAGES)
    file = Counted(data)
    reader = hr.open(file, columns=columns, threads=threads)
    assert 16 << 20 <= file.asked < 17 << 20
    assert sum(batch.num_rows for batch in reader) == len(_IMAGES)
    assert file.asked == len(data)
    file = Counted(data)
    hr.open(file, sample_bytes=1, threads=threads)
    assert file.asked < 1 << 20


@pytest.fixture
def path(tmp_path):
    """Three records, of which the last has two features more."""
    path = tmp_path / "x.tfrecord"
    rows = [{"a": records.ints(i), "n": records.UNSET} for i in range(2)]
    late = {"a": records.ints(2), "n": records.floats(1), "late": records.ints(1)}
    path.write_bytes(records.framed(map(records.example, [*rows, late])))
    return path


_SHORT = [{"sample": 2}, {"sample_bytes": 1}]


@pytest.mark.parametrize("sample", _SHORT)
@pytest.mark.parametrize("threads", [1, 3])
def test_strict_columns(path, sample, threads):
    reader = hr.open(path, **sample, strict_columns=True, threads=threads)
    assert next(reader)["a"].to_list() == [[0], [1]]
    with pytest.raises(hr.WrongKindError) as caught:
        next(reader)
    error = caught.value
    assert (error.file, error.record) == (str(path), 2)
    assert (error.feature, error.expected, error.found) == (
        "late", "no such feature", "int64")
    skipping = hr.open(
        path, **sample, strict_columns=True, on_row_error="skip", threads=threads)
    (batch,) = skipping
    assert batch["a"].to_list() == [[0], [1]]
    assert [row.record for row in skipping.report.rows] == [2]
    assert skipping.report.late == []
    (batch,) = hr.open(path, strict_columns=True, threads=threads)
    assert batch.num_rows == 3


def test_strict_columns_of_a_selection(path):
    reader = hr.open(path, columns=["n"], sample=1, strict_columns=True)
    next(reader)
    with pytest.raises(hr.WrongKindError) as caught:
        next(reader)
    assert (caught.value.expected, caught.value.found) == ("null", "float")
    (batch,) = hr.open(path, columns=["a"], sample=1, strict_columns=True)
    assert batch.num_rows == 3


_TEXT = r'"late" \(int64, 1 row\), "n" \(float, 1 row\); strict_columns=True'


@pytest.mark.parametrize("sample", _SHORT)
@pytest.mark.parametrize("threads", [1, 3])
def test_the_end_of_reading_warns_of_late_features(path, sample, threads):
    reader = hr.open(path, **sample, threads=threads)
    with no_warning():
        next(reader)
    with pytest.warns(hr.LateFeatureWarning, match=_TEXT) as caught:
        assert list(reader) == []
    assert [warning.filename for warning in caught] == [__file__]
    # Said once.
    with no_warning():
        with pytest.raises(hr.InvalidArgumentError):
            list(reader)
        reader.close()


def test_all_surfaces_warn(path):
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.warns(hr.LateFeatureWarning, match=_TEXT):
        pyarrow.table(hr.open(path, sample=2))
    with pytest.warns(hr.LateFeatureWarning, match=_TEXT):
        list(hr.open(path, sample=2, epochs=2))
    endless = hr.open(path, sample=2, epochs=None)
    next(endless)
    with pytest.warns(hr.LateFeatureWarning, match=_TEXT):
        next(endless)
    # Who stops before the end has read the rows all the same.
    with pytest.warns(hr.LateFeatureWarning, match=_TEXT):
        with hr.open(path, sample=2) as reader:
            next(reader)


def test_nothing_late_is_no_warning(path):
    with no_warning():
        for options in ({}, {"sample": 0}, {"columns": ["a"], "sample": 1}):
            with hr.open(path, **options) as reader:
                list(reader)
        with pytest.raises(ZeroDivisionError):
            with hr.open(path, sample=1) as reader:
                next(reader)
                raise ZeroDivisionError


def test_a_program_may_make_an_error_of_it(path):
    program = (
        "import headrace as hr, sys\n"
        "reader = hr.open(sys.argv[1], sample=2)\n"
        "next(reader)\n"
        "try:\n    next(reader)\n"
        "except hr.LateFeatureWarning:\n    print('raised')\n"
        "try:\n    import pyarrow\n"
        "except ImportError:\n    sys.exit()\n"
        "try:\n    pyarrow.table(hr.open(sys.argv[1], sample=2))\n"
        "except OSError as error:\n    assert 'LateFeatureWarning' in str(error)\n"
        "else:\n    sys.exit('no error')\n"
    )
    out = processes.printed("-W", "error::UserWarning", "-c", program, path)
    assert out == "raised\n"


# Rows by number.


def late(rows):
    return [hr.LateFeature("late", "int64", rows, False, False),
            hr.LateFeature("n", "float", rows, True, False)]


def test_a_dataset_warns_once_when_it_takes_late_features(path):
    ds = hr.Dataset(path, sample=2)
    with no_warning():
        assert list(ds[0]) == list(ds[[1]]) == ["a", "n"]
        assert ds.late == []
    with pytest.warns(hr.LateFeatureWarning, match=_TEXT) as caught:
        ds.take([0, 2])
    assert [warning.filename for warning in caught] == [__file__]
    with no_warning():
        ds[2]
        list(ds.batches(1))
        # Payloads have all features.
        assert len(ds.payloads([2])) == 1
    assert ds.late == late(3)


@pytest.mark.parametrize("take", [
    lambda ds: ds[2], lambda ds: ds[1:], lambda ds: ds.__getitems__([2]), list,
    lambda ds: list(ds.batches(3)), lambda ds: list(hr.mix([(ds, 1)], batch_size=3, steps=1)),
])
def test_all_surfaces_of_a_dataset_warn(path, take):
    ds = hr.Dataset(path, sample=2)
    with pytest.warns(hr.LateFeatureWarning, match='"late"') as caught:
        take(pickle.loads(pickle.dumps(ds)))
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(hr.LateFeatureWarning, match=_TEXT):
        take(ds)


def test_a_dataset_warns_of_nothing_else(path):
    with no_warning():
        list(hr.Dataset(path))
        selected = hr.Dataset(path, columns=["a"], sample=1)
        list(pickle.loads(pickle.dumps(selected)))
        list(hr.Dataset(path, message="raw"))
        list(hr.Dataset(path, spec={"a": hr.VarLenFeature(int)}))
        hr.Dataset(path, sample=2, strict_columns=True)[1]
        assert selected.late == []


def test_a_dataset_of_strict_columns(path):
    ds = hr.Dataset(path, sample=2, strict_columns=True)
    for dataset in (ds, pickle.loads(pickle.dumps(ds))):
        assert dataset.take([1, 0]).num_rows == 2
        with pytest.raises(hr.WrongKindError) as caught:
            dataset.take([1, 2])
        assert (caught.value.feature, caught.value.record) == ("late", 2)
        assert dataset.late == []


def test_shuffled_readers_know_late_features(path):
    with pytest.warns(hr.LateFeatureWarning, match=_TEXT):
        reader = hr.open(path, sample=2, shuffle=True)
        list(reader)
    assert reader.report.late == late(1)
    assert reader.report.num_late == 2
    with pytest.raises(hr.WrongKindError, match="late"):
        list(hr.open(path, sample=2, shuffle=True, strict_columns=True))
    buffered = {"shuffle": hr.Shuffle(0, buffer=1000), "strict_columns": True}
    with pytest.raises(hr.InvalidArgumentError, match="strict_columns"):
        hr.open(path, sample=2, **buffered)
    schema = hr.Schema.from_text('feature { name: "a" type: INT }')
    assert len(list(hr.open(path, schema=schema, **buffered))) == 1


def test_many_names_are_cut(tmp_path):
    path = tmp_path / "x.tfrecord"
    late = {f"f{i:03}": records.ints(i) for i in range(100)}
    path.write_bytes(records.framed(map(records.example, [{}, late])))
    with pytest.warns(hr.LateFeatureWarning, match='"f009".*100 values in all') as caught:
        list(hr.open(path, sample=1))
    assert "f010" not in str(caught[0].message)


@pytest.fixture
def spec():
    return {
        "a": hr.FixedLenFeature([], int),
        "n": hr.FixedLenFeature([], float, 0.5),  # of one record
        "b": hr.FixedLenFeature([2], int, [7, 8]),  # of none
        "c": hr.VarLenFeature(float),  # of none, and seen to be empty
    }


_NO_B = (r'no record has feature "b": all rows have its default'
         r'(; no record has feature "c")?$')


@pytest.mark.parametrize("threads", [1, 3])
def test_a_default_that_all_rows_have_is_a_warning(path, spec, threads):
    reader = hr.open(path, spec=spec, threads=threads, batch_size=1)
    assert reader.report.absent == []
    with no_warning():
        next(reader)
        # So far "n" was in no record either.
        assert [absent.name for absent in reader.report.absent] == ["n", "b", "c"]
        next(reader)
        next(reader)
    with pytest.warns(hr.AbsentFeatureWarning, match=_NO_B) as caught:
        assert list(reader) == []
    assert [warning.filename for warning in caught] == [__file__]
    assert reader.report.absent == [
        hr.AbsentFeature("b", in_sequence=False, has_default=True),
        hr.AbsentFeature("c", in_sequence=False, has_default=False),
    ]


def test_who_did_not_read_all_knows_nothing_of_absence(path, spec):
    with no_warning():
        with hr.open(path, spec=spec, batch_size=1) as reader:
            next(reader)
            state = reader.state_dict()
        rest = hr.open(path, spec=spec, batch_size=1)
        rest.load_state_dict(state)
        assert len(list(rest)) == 2
        del spec["b"], spec["c"]
        assert len(list(hr.open(path, spec=spec))) == 1
        assert hr.decode([], spec=spec).num_rows == 0


def test_a_reader_of_a_part_knows_of_that_part(path, spec):
    with pytest.warns(hr.AbsentFeatureWarning, match="no record of this part has"):
        list(hr.open(path, spec=spec, shard=(0, 2)))


def test_a_stream_warns_of_absence(path, spec):
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.warns(hr.AbsentFeatureWarning, match=_NO_B):
        pyarrow.table(hr.open(path, spec=spec))


def test_a_feature_that_only_bad_rows_have_is_absent(tmp_path):
    path = tmp_path / "bad.tfrecord"
    good = records.example({"a": records.ints(1)})
    # The default of "b" was filled in before "a" was found to be missing.
    bad = records.example({"b": records.ints(3, 4, 5)}), records.example({})
    spec = {"a": hr.FixedLenFeature([], int), "b": hr.FixedLenFeature([2], int, [7, 8])}
    path.write_bytes(b"".join(map(records.frame, [*bad, good, *bad])))
    with pytest.warns(hr.AbsentFeatureWarning, match=_NO_B):
        (batch,) = hr.open(path, spec=spec, on_row_error="skip")
    assert batch["b"].tolist() == [[7, 8]]
    has = records.example({"a": records.ints(2), "b": records.ints(3, 4)})
    path.write_bytes(b"".join(map(records.frame, [bad[1], has, *bad])))
    with no_warning():
        (batch,) = hr.open(path, spec=spec, on_row_error="skip")
    assert batch["b"].tolist() == [[3, 4]]


def test_parts_of_a_scan_warn_of_late_features(path):
    """What engines' adapters read with: pickled, and opened once a part."""
    scan = pickle.loads(pickle.dumps(Scan(str(path), sample=2)))
    text = r'"late" \(int64, 1 row\), "n" \(float, 1 row\)'
    with pytest.warns(hr.LateFeatureWarning, match=text):
        (batch,) = scan.open()
    assert list(batch) == ["a"]
    with no_warning():
        # Of "n" there is no column, and in these records no value.
        unset = [records.example({"a": records.ints(1), "n": records.UNSET})] * 2
        path.with_name("y").write_bytes(records.framed(unset))
        list(scan.open([str(path.with_name("y"))]))
        # What is not selected is not missed.
        list(scan.open(columns=["a"]))
        list(Scan(str(path), sample=2, columns=["a"]).open())
        list(Scan(str(path)).open())
    strict = Scan(str(path), sample=2, strict_columns=True)
    with pytest.raises(hr.WrongKindError, match="late"):
        list(strict.open())


def test_polars_warns_of_late_features(path):
    pytest.importorskip("polars")
    with pytest.warns(hr.LateFeatureWarning, match='"late"'):
        hr.polars.read_tfrecord(str(path), sample=2)
