"""What Python says of records that hold another message, or lack what a spec names:
each thing once, on every way to read."""

import contextlib
import pickle
import struct
import warnings

import headrace as hr
import headrace.plan
import pytest
from headrace.reading.scan import Scan
from records import blobs, compressed, example, floats, frame, ints, sequence_example
from wire_bytes import elwc, field

ROWS = 600
PEOPLE = [
    example({"age": ints(i % 90), "name": blobs(b"n%d" % i), "score": floats(i / 2)})
    for i in range(ROWS)
]
EVENTS = [b"\x09" + struct.pack("<d", i) + field(3, b"brain.Event:2") for i in range(300)]
LISTS = [sequence_example({"age": ints(i)}, {"steps": [ints(1), ints(2)]})
         for i in range(ROWS)]
LATE_LISTS = PEOPLE[:150] + LISTS[:20]

AGE = {"age": hr.FixedLenFeature([], hr.int64, -1)}
MISSPELT = AGE | {"scor": hr.FixedLenFeature([], hr.float32, 0.0)}
RAGGED = AGE | {"scor": hr.RaggedFeature(hr.float32)}
ABSENT = AGE | {"zebra": hr.VarLenFeature(hr.bytes_)}


@pytest.fixture(autouse=True)
def no_plans_of_other_tests():
    """A plan tells each thing once."""
    headrace.plan._cache.clear()


def write(path, payloads, compression="none"):
    path.write_bytes(compressed(b"".join(map(frame, payloads)), compression))
    return path


def told(read):
    """Categories and texts of the warnings. Each names the line that called headrace:
    of this file, of torch's loader or of a thread that reads ahead."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read()
    for warning in caught:
        callers = (__file__, "torch", "concurrent/futures")
        assert any(caller in warning.filename for caller in callers)
    return [(w.category, str(w.message)) for w in caught]


def consume(reader):
    with contextlib.closing(reader):
        for _ in reader:
            pass


def by_map(path, spec, **options):
    torch = pytest.importorskip("torch")
    dataset = hr.torch.MapDataset(path, spec=spec, **options)
    for _ in torch.utils.data.DataLoader(dataset, batch_size=None):
        pass


def by_torch(path, spec, **options):
    torch = pytest.importorskip("torch")
    dataset = hr.torch.Dataset(path, spec=spec, **options)
    for _ in torch.utils.data.DataLoader(dataset, batch_size=None):
        pass


def payloads_of(path):
    return next(hr.open(path, message="raw", batch_size=ROWS)).payloads()


BUFFER = hr.Shuffle(7, buffer=1 << 20)
# Ways that give all rows, and know their end.
TO_THE_END = {
    "plain": lambda path, spec, **o: consume(hr.open(path, spec=spec, **o)),
    "threads": lambda path, spec, **o: consume(hr.open(path, spec=spec, threads=3, **o)),
    "epochs": lambda path, spec, **o: consume(hr.open(path, spec=spec, epochs=3, **o)),
    "shard": lambda path, spec, **o: consume(
        hr.open(path, spec=spec, shard=(1, 2), **o)),
    "shuffle": lambda path, spec, **o: consume(
        hr.open(path, spec=spec, shuffle=True, epochs=2, **o)),
    "buffer": lambda path, spec, **o: consume(
        hr.open(path, spec=spec, shuffle=BUFFER, epochs=2, **o)),
    "skip": lambda path, spec, **o: consume(
        hr.open(path, spec=spec, on_row_error="skip", **o)),
    "batches": lambda path, spec, **o: list(
        hr.Dataset(path, spec=spec, **o).batches(64, shuffle=True, end="uneven")),
    "prefetch": lambda path, spec, **o: list(
        hr.Dataset(path, spec=spec, **o).batches(64, end="uneven", prefetch=2)),
    "scan": lambda path, spec, **o: consume(
        pickle.loads(pickle.dumps(Scan(str(path), spec=spec, **o))).open()),
    "torch": by_torch,
}
LOOKING = TO_THE_END | {
    "take": lambda path, spec, **o: hr.Dataset(path, spec=spec, **o).take([5, 3]),
    "row": lambda path, spec, **o: hr.Dataset(path, spec=spec, **o)[0],
    "rows": lambda path, spec, **o: list(hr.Dataset(path, spec=spec, **o)),
    "map": by_map,
    "parse_example": lambda path, spec, **o: hr.parse_example(
        payloads_of(path), dict(spec), **o),
    "plan": lambda path, spec, **o: [
        hr.parse_example(payloads_of(path), plan, **o)
        for plan in [hr.Plan(spec)] for _ in range(2)],
    "decode": lambda path, spec, **o: hr.decode(payloads_of(path), spec=dict(spec), **o),
}


@pytest.mark.parametrize("way", LOOKING)
@pytest.mark.parametrize("spec", [MISSPELT, RAGGED], ids=["fixed", "ragged"])
def test_a_misspelt_feature_is_told_once_with_the_near_key(way, spec, path):
    write(path, PEOPLE)
    ((category, text),) = told(lambda: LOOKING[way](path, spec))
    assert category is hr.AbsentFeatureWarning
    assert 'has "scor"; did you mean "score"?' in text, text


@pytest.mark.parametrize("way", TO_THE_END)
def test_an_absent_feature_is_told_once_at_the_end(way, path):
    write(path, PEOPLE)
    found = told(lambda: TO_THE_END[way](path, ABSENT))
    part = "no record of this part" if way == "shard" else "no record"
    assert found == [
        (hr.AbsentFeatureWarning, part + ' has feature "zebra"')]


RARE = {"rare": hr.VarLenFeature(hr.int64)}


def write_rare(path):
    """The first record alone has the feature."""
    write(path, [example({"age": ints(1), "rare": ints(1)})] + PEOPLE[1:])


def test_what_a_rank_lacks_is_no_error(path):
    write_rare(path)
    dataset = hr.Dataset(path, spec=RARE, on_absent="error")
    ((category, text),) = told(lambda: list(
        dataset.batches(64, rank=1, world_size=2, end="uneven")))
    assert (category, text) == (
        hr.AbsentFeatureWarning, 'no record of this part has feature "rare"')
    # Of a whole dataset it is one.
    write(path, PEOPLE)
    with pytest.raises(hr.MissingFeatureError, match="rare"):
        list(hr.Dataset(path, spec=RARE, on_absent="error").batches(64))


def test_a_part_of_a_scan_is_judged_by_its_own_records(path):
    write_rare(path)
    half = path.stat().st_size // 2

    def read(begin, end, **options):
        scan = Scan(str(path), spec=RARE, **options)
        consume(scan.open([str(path)], byte_range=(begin, end), threads=1))

    assert told(lambda: read(0, half, on_absent="error")) == []
    with pytest.raises(hr.MissingFeatureError, match="rare"):
        read(half, None, on_absent="error")
    assert told(lambda: read(half, None)) == [
        (hr.AbsentFeatureWarning, 'no record of this part has feature "rare"')]


@pytest.mark.parametrize("way", LOOKING)
def test_ignore_says_nothing(way, path):
    write(path, PEOPLE)
    for spec in (MISSPELT, ABSENT):
        assert told(lambda: LOOKING[way](path, spec, on_absent="ignore")) == []


@pytest.mark.parametrize("way", LOOKING)
def test_error_raises_before_a_row(way, path):
    write(path, PEOPLE)
    for spec, name in ((MISSPELT, "scor"), (ABSENT, "zebra")):
        with pytest.raises(hr.MissingFeatureError) as raised:
            LOOKING[way](path, spec, on_absent="error")
        assert raised.value.feature == name
        assert raised.value.record is None
        assert told(lambda: LOOKING[way](path, AGE, on_absent="error")) == []


@pytest.mark.parametrize("way", LOOKING)
def test_other_values_are_refused(way, path):
    write(path, PEOPLE)
    with pytest.raises(hr.InvalidArgumentError, match="on_absent"):
        LOOKING[way](path, AGE, on_absent="warm")
    with pytest.raises(TypeError, match="on_absent"):
        LOOKING[way](path, AGE, on_absent=1)


def test_a_plan_that_has_failed_can_be_used_again():
    plan = hr.Plan(MISSPELT)
    for _ in range(2):
        with pytest.raises(hr.MissingFeatureError, match="scor"):
            hr.parse_example(PEOPLE[:3], plan, on_absent="error")
    good = example({"age": ints(1), "scor": floats(2)})
    assert hr.parse_example([good], plan, on_absent="error")["scor"].tolist() == [2]


def test_reports_have_what_is_absent(path):
    write(path, PEOPLE)
    expected = [hr.AbsentFeature("zebra", in_sequence=False, has_default=False)]
    for shuffle in (None, True, BUFFER):
        with hr.open(path, spec=ABSENT, shuffle=shuffle, on_absent="ignore") as reader:
            assert reader.report.absent == []
            list(reader)
            assert reader.report.absent == expected
    dataset = hr.Dataset(path, spec=ABSENT)
    assert dataset.absent == []
    dataset.take([1])
    assert dataset.absent == expected


def test_the_rest_of_an_epoch_says_nothing_of_absence(path):
    write(path, PEOPLE)
    for shuffle in (None, True, BUFFER):
        options = {"spec": ABSENT, "shuffle": shuffle, "batch_size": 64}
        first = hr.open(path, **options)
        next(first)
        state = first.state_dict()
        rest = hr.open(path, **options)
        rest.load_state_dict(state)
        assert told(lambda rest=rest: list(rest)) == []


def test_a_batch_is_not_lost_for_a_warning_that_is_an_error(path):
    write(path, PEOPLE)
    reader = hr.open(path, spec=MISSPELT, batch_size=ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(hr.AbsentFeatureWarning):
            next(reader)
    assert next(reader).num_rows == ROWS


def test_a_spec_of_examples_over_sequence_examples(path):
    lists = [sequence_example({}, {"age": [ints(1)]})] * 300
    write(path, lists)
    for way in LOOKING:
        with contextlib.suppress(pytest.skip.Exception):
            found = told(lambda way=way: LOOKING[way](path, AGE))
            assert found and found[0][0] is hr.AbsentFeatureWarning, way
            assert "SequenceExamples" in found[0][1], way


@pytest.mark.parametrize("kind", ["Dataset", "MapDataset"])
def test_of_several_workers_one_speaks(kind, path, capfd):
    torch = pytest.importorskip("torch")
    write(path, PEOPLE)
    dataset = getattr(hr.torch, kind)(path, spec=MISSPELT)
    for _ in torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=3):
        pass
    assert capfd.readouterr().err.count('did you mean "score"?') == 1


# Another message.

WITHOUT_SPEC = {
    "plain": lambda path: consume(hr.open(path)),
    "open": lambda path: hr.open(path).close(),
    "stream": lambda path: pytest.importorskip("pyarrow").table(hr.open(path)),
    "shuffle": lambda path: consume(hr.open(path, shuffle=True)),
    "buffer": lambda path: consume(hr.open(path, shuffle=BUFFER)),
    "dataset": lambda path: hr.Dataset(path).take([1]),
    "stats": lambda path: hr.stats(path),
    "infer_spec": lambda path: hr.infer_spec(path),
    "infer_schema": lambda path: hr.infer_schema(path),
    "decode": lambda path: hr.decode(payloads_of(path)),
    "scan": lambda path: Scan(str(path)),
}


@pytest.mark.parametrize("way", WITHOUT_SPEC)
def test_another_message_is_told(way, path):
    write(path, EVENTS)
    (found,) = set(told(lambda: WITHOUT_SPEC[way](path)))
    assert found[0] is hr.OtherMessageWarning
    assert 'message="raw" reads payloads' in found[1]
    # What is truly empty is no reason.
    write(path, [b"", b"\x0a\x00"] * 10)
    assert told(lambda: WITHOUT_SPEC[way](path)) == []


@pytest.mark.parametrize("way", LOOKING)
def test_another_message_is_an_error_for_a_spec(way, path):
    write(path, EVENTS)
    if way in ("parse_example", "plan", "decode"):
        (found,) = set(told(lambda: LOOKING[way](path, AGE)))
        assert found[0] is hr.OtherMessageWarning
        return
    with pytest.raises(hr.MalformedError, match="another message"):
        LOOKING[way](path, AGE)


# Feature lists.


@pytest.mark.parametrize("way", WITHOUT_SPEC)
def test_feature_lists_that_are_left_out_are_told(way, path):
    if way in ("open", "scan", "decode", "dataset"):
        return  # these do not read so far, or do not leave them out
    write(path, LATE_LISTS)
    ((category, text),) = told(lambda: WITHOUT_SPEC[way](path))
    assert category is hr.LateFeatureWarning
    # A reader knows which lists these are.
    assert '"##SEQUENCE##.steps" (int64, 20 rows)' in text or text == (
        "left out the feature lists of 20 records, which are read as Examples; "
        'message="sequence" reads them')


def test_decode_drops_no_feature_lists():
    assert hr.decode(LISTS[:5]).message == "sequence"
    assert list(hr.decode(LATE_LISTS).sequence) == ["steps"]
    (found,) = told(lambda: hr.decode(LISTS[:5], message="example"))
    assert found[0] is hr.LateFeatureWarning and "of 5 records" in found[1]


# Lists of Examples.


@pytest.mark.parametrize("payloads", [
    [elwc([{"n": ints(i)}, {"n": ints(2)}], {"q": ints(7)}) for i in range(20)],
    [elwc([{"f": floats(-1.5)}], {"q": ints(i)}) for i in range(20)],
], ids=["parse as others", "malformed as others"])
def test_lists_of_examples_are_read_as_such(payloads, path):
    write(path, payloads)
    for reader in (hr.open(path), hr.open(path, shuffle=True)):
        assert reader.message == "elwc"
        assert [batch.num_rows for batch in reader] == [20]
    assert hr.Dataset(path).message == "elwc"
    assert hr.decode(payloads).message == "elwc"
    assert isinstance(hr.infer_spec(path), hr.ElwcSpec)
    for refusing in (hr.stats, hr.infer_schema):
        with pytest.raises(hr.InvalidArgumentError, match="lists of Examples"):
            refusing(path)
    with pytest.raises(hr.BadSpecError, match="lists of Examples; give a spec"):
        Scan(str(path)).open()
