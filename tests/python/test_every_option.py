"""Every option of reading has an effect, or is refused, in every way to read."""

import dataclasses
import importlib.util
import json
import os
import pathlib
import subprocess

import fsspec
import headrace as hr
import headrace.reading.opening
import headrace.reading.progress
import pyarrow
import pytest
import records
from headrace.adapters.spark import options as spark_options
from headrace.options import taken_by
from headrace.reading.scan import Scan
from wire_bytes import blobs, elwc, example, field, frame, ints, sequence_example

# The cases below are of these: a new row of the table needs one.
OPTIONS = list(taken_by("reader"))
ROWS = 200
ID = {"id": hr.FixedLenFeature([], hr.int64)}
FOLDER = next((pathlib.Path(__file__).parents[1] / "vectors/tfds/labelled").iterdir())


class Wrong:
    """No option takes it."""


def seen(reader):
    """What a user sees of it."""
    with reader:
        batches = list(reader)
        tables = [pyarrow.record_batch(batch) for batch in batches]
        report = reader.report
    rows = [str(row) for table in tables for row in table.to_pylist()]
    return (
        rows, [table.num_rows for table in tables],
        tables[0].schema if tables else None,
        report.num_regions, report.num_rows, len(report.late), len(report.absent),
    )


def of_dataset(paths, **options):
    rows = hr.Dataset(paths, **options)[:]
    table = pyarrow.record_batch(rows)
    return [str(row) for row in table.to_pylist()], table.schema


def of_torch(paths, **options):
    return [{name: str(value) for name, value in batch.items()}
            for batch in hr.torch.Dataset(paths, **options)]


def of_map(paths, **options):
    rows = hr.torch.MapDataset(paths, **options)
    return [str(rows[i]) for i in range(len(rows))]


def of_polars(paths, **options):
    rows = hr.polars.scan_tfrecord(paths, **options).collect()
    return rows.schema, str(rows.to_dicts())


def of_lists(paths, **options):
    """Reads lists of Examples, whose contexts are the payloads."""
    if isinstance(options.get("spec"), dict):
        options["spec"] = hr.ElwcSpec(options["spec"], {})
    return seen(hr.open(paths, **{"message": "elwc", **options}))


def json_of(options):
    """Options of Python as those of C."""
    given = {**options, **(options.get("limits") or {})}
    given.pop("limits", None)
    if isinstance(given.get("spec"), dict):
        given["spec"] = json.loads(hr.Spec(given["spec"]).to_json())
    if isinstance(given.get("schema"), hr.Schema):
        given["schema"] = given["schema"].to_pbtxt()
    for name in ("shuffle", "filesystem", "allocator"):
        if name in given:
            given[name] = str(given[name])
    return json.dumps(given)


def of_c(way):
    def read(paths, **options):
        done = subprocess.run(
            [os.environ["HEADRACE_SURFACES"], way, paths, json_of(options)],
            capture_output=True, text=True, check=True)
        if "there is no option" in done.stdout:
            raise TypeError(f"has no option: {done.stdout}")
        return done.stdout

    return read


FLAGS = {"byte_range": "--range", "columns": "--features", "batch_size": "--batch"}
# The program has other options of these names: of its output, of several files.
OTHERS = {"compression", "schema", "limits"}


def of_program(paths, **options):
    folder = paths.parent
    out = folder / "out.arrow"
    out.unlink(missing_ok=True)
    program = os.environ["HEADRACE"]
    words = subprocess.run([program, "convert", "--help"], capture_output=True,
                           text=True, check=True).stdout.split()
    command = [program, "convert", paths, "-o", out]
    for name, value in options.items():
        flag = FLAGS.get(name, "--" + name.replace("_", "-"))
        if flag not in words or name in OTHERS:
            raise TypeError(f"has no option {flag}")
        if name == "spec":
            value = folder / "spec.json"
            value.write_text(hr.Spec(options[name]).to_json())
        command.append(flag)
        if isinstance(value, (list, tuple)):
            value = ("," if name == "columns" else ":").join(map(str, value))
        if value is not True:
            command.append(value)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if not out.exists():
        return done.returncode, done.stderr
    with pyarrow.ipc.open_file(out) as file:
        batches = map(file.get_batch, range(file.num_record_batches))
        rows = [(batch.num_rows, str(batch.to_pylist())) for batch in batches]
        return done.returncode, rows, file.schema


SMALL = hr.Shuffle(1, buffer=1 << 20)
WAYS = {
    "plain": lambda paths, **o: seen(hr.open(paths, **o)),
    "one thread": lambda paths, **o: seen(hr.open(paths, **{"threads": 1, **o})),
    "shuffle": lambda paths, **o: seen(hr.open(paths, **{"shuffle": True, **o})),
    "buffer": lambda paths, **o: seen(hr.open(paths, **{"shuffle": SMALL, **o})),
    "shard": lambda paths, **o: seen(hr.open(paths, **{"shard": (0, 1), **o})),
    "dataset": of_dataset,
    "scan": lambda paths, **o: seen(Scan(paths, **o).open()),
    "stats": lambda paths, **o: hr.stats(paths, **o).to_json(),
    "infer_spec": lambda paths, **o: hr.infer_spec(paths, **o),
    "infer_schema": lambda paths, **o: hr.infer_schema(paths, **o).to_pbtxt(),
    "vocabulary_of": lambda paths, **o: vars(hr.vocabulary_of(paths, "id", **o)),
    "lists": of_lists,
}
if importlib.util.find_spec("torch"):
    WAYS |= {"torch": of_torch, "MapDataset": of_map}
if importlib.util.find_spec("polars"):
    WAYS["polars"] = of_polars
# These are other programs, which no value of Python reaches.
OUTSIDE = {"C": of_c("headrace_open"), "C dataset": of_c("headrace_dataset_open"),
           "program": of_program}
# These give their options to hr.open, and take some for themselves.
FORWARDING = {
    "tfds": lambda paths, **o: next(hr.tfds.open(FOLDER, **o)),
    "to_parquet": lambda paths, **o: hr.to_parquet(paths, "out.parquet", **o),
    "to_webdataset": lambda paths, **o: hr.to_webdataset(paths, "out.tar", **o),
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("way", WAYS | FORWARDING)
def test_no_way_takes_what_it_does_not_look_at(way, option, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records.write_people(path, 20)
    if way == "lists":
        path.write_bytes(b"".join(frame(as_list(payload)) for payload in PEOPLE[:20]))
    read = (WAYS | FORWARDING)[way]
    read(path)  # without the option all is well
    with pytest.raises((TypeError, ValueError)):
        read(path, **{option: Wrong()})


def person(i, **more):
    return example({"id": ints(i), **more})


def as_list(context):
    return field(1, example({"n": ints(1)})) + field(2, context)


def bad_payload(data):
    return data[:20] + bytes([data[20] ^ 1]) + data[21:]


PEOPLE = [person(i, tag=blobs(b"t%d" % i)) for i in range(ROWS)]
# The value of `id` is a text in one row; another feature comes late; one has a
# list that is cut.
MIXED = PEOPLE[:50] + [example({"id": blobs(b"x")})] + PEOPLE[50:]
LATE = PEOPLE[:100] + [person(7, late=ints(1))] + PEOPLE[100:]
ODD = PEOPLE[:50] + [person(50, odd=b"\x1a\x02\x0a\x05")] + PEOPLE[50:]


class Case:
    """An option, and what it makes a difference to."""

    def __init__(self, value, payloads=PEOPLE, change=lambda data: data, **base):
        self.value = value
        self.payloads = payloads
        self.change = change
        self.base = base


SCHEMA = """feature { name: "id" type: INT int_domain { is_categorical: true } }"""
GZIP = {"change": lambda data: records.compressed(data, "gzip")}
CASES = [
    ("spec", Case(ID)),
    ("schema", Case(hr.Schema.from_text(SCHEMA))),
    ("message", Case("raw")),
    ("columns", Case(["id"])),
    ("batch_size", Case(7)),
    ("shard", Case((0, 2), LATE, batch_size=32)),
    ("byte_range", Case((0, 2000), LATE)),
    ("sample", Case(1, LATE[100:])),
    ("sample_bytes", Case(1, LATE[100:])),
    ("strict_columns", Case(True, LATE, sample=10)),
    ("on_absent", Case("error", spec={"ids": hr.VarLenFeature(hr.int64)})),
    ("on_corrupt", Case("skip", change=bad_payload)),
    ("on_row_error", Case("skip", MIXED, spec=ID)),
    ("max_bad", Case(0, MIXED, spec=ID, on_row_error="skip")),
    ("max_bad", Case(0, change=bad_payload, on_corrupt="skip")),
    ("limits", Case({"max_record_bytes": 10})),
    ("compression", Case("gzip")),
    ("verify", Case(False, change=bad_payload)),
    ("verify_unselected", Case(True, ODD, spec=ID)),
    ("drop_remainder", Case(True, batch_size=64)),
    ("epochs", Case(2)),
    ("bytes_as", Case("string")),
    ("bytes_as", Case("string", spec={"tag": hr.VarLenFeature(hr.bytes_)})),
    ("filesystem", Case(fsspec.filesystem("memory"))),
    ("storage_options", Case({"anon": True})),
    ("shuffle", Case(hr.Shuffle(5))),
    ("progress", Case(True)),
    ("index", Case("required", **GZIP)),
    ("write_index", Case(True, **GZIP)),
    # Columns have no tensors: an allocator needs a spec.
    ("allocator", Case(records.Memory())),
]
# What has no effect on what is given is seen in another way, below.
UNSEEN = {"threads", "mmap"}
# What has no effect on some ways: tensors of torch and rows are no Arrow; a vocabulary
# has only the feature that it names, which the first record has.
NO_EFFECT = {("torch", "bytes_as"), ("MapDataset", "bytes_as"),
             ("vocabulary_of", "sample")}


def result(way, case, file, bars, **more):
    del bars[:]
    index = file.with_name(file.name + ".hri")
    index.unlink(missing_ok=True)
    try:
        shown = (WAYS | OUTSIDE)[way](file, **case.base, **more)
    except hr.HeadraceError as error:
        shown = type(error)
    return shown, len(bars) > 0, index.exists()


def refuses(error):
    text = str(error)
    return any(words in text for words in (
        "has no option", "unexpected keyword", "unknown option", "multiple values"))


@pytest.mark.parametrize("option, case", CASES)
@pytest.mark.parametrize("way", WAYS | OUTSIDE)
def test_every_option_has_an_effect_or_is_refused(
    way, option, case, tmp_path, monkeypatch
):
    bars = []

    class Bar:
        def __init__(self, **_):
            bars.append(self)
            self.n = 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def update(self, more):
            self.n += more

    monkeypatch.setattr(headrace.reading.progress, "_tqdm", lambda: Bar)
    payloads = case.payloads
    if way == "lists":
        payloads = map(as_list, payloads)
    data = case.change(b"".join(map(frame, payloads)))
    file = tmp_path / "file.tfrecord"
    file.write_bytes(data)
    try:
        base = result(way, case, file, bars)
        found = result(way, case, file, bars, **{option: case.value})
    except TypeError as error:
        assert refuses(error)
        return
    assert (found != base) == ((way, option) not in NO_EFFECT), option


SHUFFLES = {
    "seed": hr.Shuffle(2, block=8, window=2),
    "block": hr.Shuffle(1, block=9, window=2),
    "window": hr.Shuffle(1, block=8, window=3),
    "lanes": hr.Shuffle(1, block=8, window=2, lanes=2),
    "buffer": hr.Shuffle(1, buffer=2000),
}
SHUFFLED = {
    "open": lambda path, s: seen(hr.open(path, shuffle=s, batch_size=10)),
    "shard": lambda path, s: seen(hr.open(path, shuffle=s, batch_size=10, shard=(1, 2))),
    "batches": lambda path, s: list(map(str, (
        row for batch in hr.Dataset(path).batches(10, shuffle=s)
        for row in pyarrow.record_batch(batch).to_pylist()))),
    "mix": lambda path, s: list(map(str, (
        row for batch in hr.mix([(hr.Dataset(path), 1)], batch_size=10, shuffle=s, steps=20)
        for row in pyarrow.record_batch(batch).to_pylist()))),
    "tfds": lambda path, s: [
        str(batch[name]) for batch in hr.tfds.open(FOLDER, batch_size=2, shuffle=s)
        for name in batch],
}


def test_the_shuffles_are_all_fields():
    assert SHUFFLES.keys() == {field.name for field in dataclasses.fields(hr.Shuffle)}


@pytest.mark.parametrize("field", SHUFFLES)
@pytest.mark.parametrize("way", SHUFFLED)
def test_every_field_of_a_shuffle_has_an_effect_or_is_refused(way, field, tmp_path):
    path = tmp_path / "a.tfrecord"
    path.write_bytes(b"".join(map(frame, PEOPLE)))
    try:
        found = SHUFFLED[way](path, SHUFFLES[field])
    except hr.InvalidArgumentError as error:
        assert (way, field) in {("batches", "buffer"), ("mix", "buffer"), ("mix", "lanes")}
        assert field.removesuffix("s") in str(error)
        return
    base = SHUFFLED[way](path, hr.Shuffle(1, block=8, window=2))
    # The folder has fewer rows than a block.
    assert found != base or way == "tfds"


def test_the_cases_are_all_options():
    assert {option for option, _ in CASES} | UNSEEN == set(OPTIONS)


@pytest.mark.parametrize("way", ["plain", "shuffle", "buffer", "dataset", "scan"])
def test_mmap_maps(way, path, monkeypatch):
    records.write_people(path, 50_000)

    def is_mapped(**options):
        held = {
            "plain": lambda: hr.open(path, **options),
            "shuffle": lambda: hr.open(path, shuffle=True, **options),
            "buffer": lambda: hr.open(path, shuffle=SMALL, **options),
            "dataset": lambda: hr.Dataset(path, **options),
            "scan": lambda: Scan(path, **options).open(),
        }[way]()
        if way == "dataset":
            held[0]
        else:
            next(held)
        return str(path) in pathlib.Path("/proc/self/maps").read_text()

    assert not is_mapped()
    assert is_mapped(mmap=True)


def test_threads_of_shuffled_rows_are_those_of_the_dataset(path, monkeypatch):
    records.write_people(path, 20)
    given = []
    opened = headrace.reading.dataset._open

    def spy(names, plan, options, *more):
        given.append(options["threads"])
        return opened(names, plan, options, *more)

    monkeypatch.setattr(headrace.reading.dataset, "_open", spy)
    hr.open(path, shuffle=True, threads=3)
    assert given == [3]


STEPS = {"steps": hr.FixedLenSequenceFeature([], hr.int64, allow_missing=True)}
SEQUENCES = [sequence_example({"id": ints(1)}, {"steps": [ints(2), ints(3)]})] * 20
LISTS = [elwc([{"id": ints(1)}], {"query": ints(2)})] * 20
ELWC = ({"query": hr.VarLenFeature(hr.int64)}, {"id": hr.FixedLenFeature([], hr.int64, 0)})
SCHEMA_OF_ID = hr.Schema.from_text(SCHEMA)
MESSAGES = {
    "parse_example": lambda **o: hr.parse_example(PEOPLE, ID, **o),
    "parse_example, plan": lambda plan=hr.Plan(ID), **o: hr.parse_example(
        PEOPLE, plan, **o),
    "parse_sequence_example": lambda **o: hr.parse_sequence_example(
        SEQUENCES, ID, STEPS, **o),
    "parse_elwc": lambda **o: hr.parse_elwc(LISTS, *ELWC, **o),
    "decode": lambda **o: hr.decode(PEOPLE, **o),
    "decode, spec": lambda **o: hr.decode(PEOPLE, spec=ID, **o),
    "decode, schema": lambda **o: hr.decode(PEOPLE, schema=SCHEMA_OF_ID, **o),
}


@pytest.mark.parametrize("way", MESSAGES)
def test_limits_of_messages_have_an_effect_or_are_refused(way):
    parse = MESSAGES[way]
    parse()
    with pytest.raises(hr.CorruptDataError) as caught:
        parse(limits={"max_record_bytes": 2})
    assert (caught.value.code, caught.value.record) == ("too_large", 0)
    with pytest.raises(hr.LimitError, match="max_batch_bytes"):
        parse(limits={"max_batch_bytes": 100})
    parse()  # the limits of one call are not those of the next
    parse(limits={"max_record_bytes": 1000, "max_batch_bytes": 1 << 20})
    for name in ["max_inflated_bytes", "max_reported", "max_record_byte"]:
        with pytest.raises(hr.InvalidArgumentError, match="limits are max_record_bytes, "):
            parse(limits={name: 10})
    with pytest.raises(TypeError, match="limits"):
        parse(limits=10)


@pytest.mark.parametrize("way", ["stats", "infer_spec", "infer_schema"])
def test_who_gives_no_report_refuses_its_limit(way, path):
    records.write_people(path, 20)
    with pytest.raises(hr.InvalidArgumentError, match="max_reported"):
        WAYS[way](path, limits={"max_reported": 10})
    with pytest.raises(hr.CorruptDataError, match="too_large"):
        WAYS[way](path, limits={"max_record_bytes": 10})


@pytest.mark.parametrize("option", OPTIONS)
def test_folders_give_their_options_to_open(option, monkeypatch):
    given = {}

    def spy(paths, **options):
        given.update(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(headrace.reading.opening, "open", spy)
    value = {"shuffle": True, "batch_size": 7}.get(option, Wrong())
    try:
        hr.tfds.open(FOLDER, **{option: value})
    except KeyboardInterrupt:
        assert given[option] is value
    except TypeError as error:
        # Columns are paths of the folder, and looked at by it.
        assert "takes no" in str(error) or option == "columns"
    else:
        pytest.fail(f"{option} is not looked at")


def test_spark_parses_every_option_of_a_part():
    texts = {"flag": "true", "count": "7", "spec": "{}", "schema": "feature {}",
             "texts": "a, b", "dict": "{}", "limits": '{"max_reported": 7}'}
    for name, option in taken_by("part").items():
        if name == "filesystem":
            continue
        text = texts.get(option.kind, (option.values or ["auto"])[0])
        try:
            value = spark_options.parsed({name: text}, spark_options.READING)[name]
        except hr.BadSpecError:
            assert name == "spec"
            continue
        if option.is_core:
            hr._core.check_options({name: value})
