"""What objects show of themselves, in one line and as tables of a notebook."""

import html.parser
import os
import pickle
import threading
import time
import unicodedata

import headrace as hr
import numpy
import pytest
import records
from headrace import _core
from records import blobs, floats, ints

HOSTILE = "<script>alert(1)</script>&\"'\u202e\n\0"
SPEC = {
    "age": hr.FixedLenFeature([], hr.int64, default_value=-1),
    "box": hr.FixedLenFeature([2], hr.float32),
    "tags": hr.RaggedFeature(hr.bytes_),
    "few": hr.VarLenFeature(hr.int64, column="ids"),
    "at": hr.SparseFeature("ids", "weights", hr.float32, 10),
    "half": hr.FixedLenFeature([2], hr.float32, column="box", as_=hr.float16),
}


def row(i):
    return records.example({
        "age": ints(i), "box": floats(i / 10, 2), "ids": ints(*range(i % 3)),
        "weights": floats(*range(i % 3)), "tags": blobs(*[b"new", b"beta"][:i % 3])})


class _Table(html.parser.HTMLParser):
    """The cells of the one table of a text, which is all that may be in it."""

    TAGS = {"div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.caption, self.rows, self.rest, self._open = "", [], "", []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        assert tag in self.TAGS and {name for name, _ in attrs} <= {
            "class", "scope", "style"}
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open[-1] == "caption":
            self.caption += data
        elif self._open[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        elif self._open[-1] != "style":
            self.rest += data


def table(value):
    return _Table(value._repr_html_())


@pytest.fixture
def path(path):
    path.write_bytes(records.framed([row(i) for i in range(9)]))
    return path


def test_batch_of_columns(path):
    batch = next(hr.open(path))
    assert repr(batch) == (
        "Batch(rows=9, features={'age': int64, 'box': float, 'ids': int64, "
        "'tags': bytes, 'weights': float})")
    shown = table(batch)
    assert shown.caption == "Batch of 9 rows, 5 features of Examples"
    assert shown.rows[0] == ["feature", "type", "shape", *(f"row {i}" for i in range(5))]
    assert shown.rows[1] == ["age", "int64", "1 value", "[0]", "[1]", "[2]", "[3]", "[4]"]
    assert shown.rows[2] == ["box", "float", "2 values", "[0.0, 2.0]", "[0.1, 2.0]",
                             "[0.2, 2.0]", "[0.3, 2.0]", "[0.4, 2.0]"]
    assert shown.rows[4] == ["tags", "bytes", "0 to 2 values", "[]", "['new']",
                             "['new', 'beta']", "[]", "['new']"]
    assert len(shown.rows) == 6 and shown.rest == ""


def test_batch_of_tensors(path):
    batch = next(hr.open(path, spec=SPEC))
    assert repr(batch) == (
        "Batch(rows=9, features={'age': int64, 'box': float32[2], 'tags': ragged bytes, "
        "'few': sparse int64, 'at': sparse float32, 'half': float16[2]})")
    cells = {name: [kind, shape, *values[1:3]]
             for name, kind, shape, *values in table(batch).rows[1:]}
    assert cells == {
        "age": ["int64", "(9,)", "1", "2"],
        "box": ["float32", "(9, 2)", "[0.1, 2.0]", "[0.2, 2.0]"],
        "tags": ["ragged bytes", "(9, None)", "['new']", "['new', 'beta']"],
        "few": ["sparse int64", "(9, 2)", "[0]", "[0, 1]"],
        "at": ["sparse float32", "(9, 10)", "[0.0]", "[0.0, 1.0]"],
        "half": ["float16", "(9, 2)", "[0.1, 2.0]", "[0.2, 2.0]"],
    }


def test_batch_of_a_sequence_example(path):
    message = records.sequence_example(
        {"viewer": ints(7)},
        {"film": [blobs(b"Up"), blobs(b"Heat", b"Ran")], "viewer": [ints(1), ints()]})
    batch = hr.decode([message] * 2, message="sequence")
    assert repr(batch) == (
        "Batch(rows=2, features={'viewer': int64, 'film': feature list of bytes, "
        "'viewer': feature list of int64})")
    shown = table(batch)
    assert shown.caption == "Batch of 2 rows, 3 features of SequenceExamples"
    assert shown.rows[2][:4] == ["film", "feature list of bytes", "2 steps",
                                 "[['Up'], ['Heat', 'Ran']]"]
    assert shown.rows[3][3] == "[[1], []]"
    lists = {"film": hr.VarLenFeature(hr.bytes_)}
    plan = hr.Plan(hr.Spec({}, lists))
    path.write_bytes(records.framed([message]))
    reader = hr.open(path, spec=plan)
    assert repr(reader) == (
        "Reader(files=1, message='sequence', features={'film': feature list of bytes})")
    assert table(next(reader)).rows[1][3] == "[['Up'], ['Heat', 'Ran']]"
    assert table(hr.Spec({}, lists)).rows[1:] == table(plan).rows[1:]


@pytest.mark.parametrize("name", ["age", "box", "tags", "few", "at", "half"])
def test_tensors(path, name):
    field = next(hr.open(path, spec=SPEC))[name]
    shown = table(field)
    assert shown.caption.startswith(f"{type(field).__name__} '{name}' of ")
    assert shown.rows[0] == ["row", "value"]
    assert [cells[0] for cells in shown.rows[1:]] == list("01234")
    assert shown.rest == "… 4 more rows"


def test_column_and_part(path):
    batch = hr.decode([records.example({"x": ints(*range(100))}), b""])
    shown = table(batch["x"])
    assert shown.caption == "Column 'x' of int64, 100 values, 1 null"
    assert shown.rows[1:] == [["0", "[0, 1, 2, 3, …]"], ["1", "null"]]
    assert shown.rest == ""
    shown = table(batch["x"].values)
    assert shown.caption == "Tensor of int64, (100,)"
    assert shown.rest == "… 95 more rows"


def test_kinds_without_values():
    batch = hr.decode([records.example({"x": records.UNSET})] * 3)
    assert repr(batch) == "Batch(rows=3, features={'x': null})"
    assert table(batch).rows[1] == ["x", "null", "all null", "null", "null", "null"]
    assert table(batch["x"]).rows[1:] == [[str(i), "null"] for i in range(3)]


def test_nothing():
    empty = hr.decode([])
    assert repr(empty) == "Batch(rows=0, features={})"
    assert table(empty).rows == [["feature", "type", "shape"]]
    tensors = hr.decode([], spec=SPEC)
    assert "'age': int64" in repr(tensors)
    assert [cells[0] for cells in table(tensors).rows[1:]] == list(SPEC)
    for field in tensors.values():
        assert table(field).rows == [["row", "value"]]
    assert table(hr.Spec({})).rows == [["feature", "reads as", "type", "with"]]
    assert repr(hr.Schema.from_text("")) == "Schema(features={})"
    assert table(hr.Schema.from_text("")).caption == "Schema of 0 features"


def test_raw(path):
    reader = hr.open(path, message="raw")
    assert repr(reader) == "Reader(files=1, message='raw', features={'payload': bytes})"
    assert table(reader).rows[1] == ["payload", "bytes"]
    shown = table(next(reader))
    assert shown.caption == "Batch of 9 rows, 1 feature of bytes"
    assert shown.rows[1][0] == "payload"


# Names and values that somebody chose to do harm.


def test_hostile_names(tmp_path):
    path = tmp_path / "<img src=x>.tfrecord"
    path.write_bytes(records.framed([records.example({HOSTILE: ints(1)})]))
    shown = "<script>alert(1)</script>&\"'\\u202e\\n\\x00"
    reader = hr.open(path)
    assert table(reader).rows[1][0] == shown
    assert "<img" in table(reader).caption
    batch = next(reader)
    schema = hr.infer_schema(path)
    spec = hr.Spec({HOSTILE: hr.VarLenFeature(hr.int64, column=HOSTILE)})
    things = [reader, batch, batch[HOSTILE], schema, spec, hr.Plan(spec),
              hr.Dataset(path), hr.Dataset(path, spec=spec)]
    for thing in things:
        assert shown in table(thing).caption.replace("\\'", "'") + table(thing).rows[1][0]
        for text in (repr(thing), thing._repr_html_()):
            assert text.isprintable()
        assert "<script" not in thing._repr_html_()


# What Unicode's DerivedCoreProperties.txt calls Default_Ignorable_Code_Point.
IGNORABLE = [
    0xAD, 0x34F, 0x61C, *range(0x115F, 0x1161), 0x17B4, 0x17B5, *range(0x180B, 0x1810),
    *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164,
    *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0, *range(0xFFF0, 0xFFF9),
    *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000),
]
BLANK = [0x2800, 0x16FE4, 0x1D159]


def test_what_is_visible():
    seen = {c for c in range(2**16 * 17) if _core.is_visible(c)}
    assert not seen.intersection(IGNORABLE + BLANK)
    unseen_kinds = {"Cc", "Cs", "Co", "Zl", "Zp", "Zs"}
    known = set(IGNORABLE + BLANK)
    for code in range(2**16 * 17):
        kind = unicodedata.category(chr(code))
        if code == 0x20 or kind[0] in "LMNPS" and code not in known:
            assert code in seen, hex(code)
        elif kind in unseen_kinds:
            assert code not in seen, hex(code)
    assert not _core.is_visible(2**32 - 1) and not _core.is_visible(0x110000)


@pytest.mark.parametrize("code", [
    0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800, 0xFE0F, 0x200D,
    0xA0, 0xE0041,
])
def test_what_is_not_seen_is_escaped(code):
    hidden = chr(code)
    name = f"a{hidden}b"
    batch = hr.decode([records.example({name: blobs(hidden.encode() + b"x")})])
    spec = hr.Spec({name: hr.VarLenFeature(hr.int64)})
    escape = f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"
    short = f"\\x{code:02x}"
    for thing in (batch, batch[name], spec, hr.Plan(spec)):
        for text in (repr(thing), thing._repr_html_()):
            assert hidden not in text
    assert table(batch).rows[1][0] in (f"a{escape}b", f"a{short}b")
    assert hidden not in table(batch).rows[1][3]


def test_names_that_are_long():
    name = "x" * 100_000
    batch = hr.decode([records.example({name: ints(1)})])
    for thing in (batch, batch[name], hr.Spec({name: hr.VarLenFeature(hr.int64)}),
                  hr.Plan({name: hr.VarLenFeature(hr.int64)})):
        assert len(thing._repr_html_()) < 2000
    assert len(repr(batch)) < 200


@pytest.mark.parametrize("value, text", [
    (b"", "''"),
    ("grün".encode(), "'grün'"),
    (b"a\x00\x1b[31m", r"'a\x00\x1b[31m'"),
    ("\u202eabc".encode(), r"'\u202eabc'"),
    (b"\xff\xd8\xff\xe0" + b"\0" * 5000,
     r"b'\xff\xd8\xff\xe0\x00\x00\x00\x00\x00\x00\x00\x00'… (5004 bytes)"),
    (b"\xff", r"b'\xff'"),
    (b"a" * 5000, f"'{'a' * 60}'… (5000 bytes)"),
    (b"a" * 59 + "ü".encode() * 99, f"'{'a' * 59}'… (257 bytes)"),
])
def test_bytes(value, text):
    batch = hr.decode([records.example({"x": blobs(value)})])
    assert table(batch).rows[1][3] == f"[{text}]"


def test_numbers():
    values = [0.1, float("nan"), float("inf"), -0.0]
    batch = hr.decode([records.example({"x": floats(*values), "i": ints(-2**63)})])
    assert table(batch).rows[1][3] == f"[{-2**63}]"
    assert table(batch).rows[2][3] == "[0.1, nan, inf, -0.0]"


# However much there is.


def test_many_columns_do_not_freeze_a_notebook():
    wide = {f"f{i}": ints(*range(50)) for i in range(10_000)}
    batch = hr.decode([records.example(wide)] * 20)
    begin = time.monotonic()
    shown, line = table(batch), repr(batch)
    assert time.monotonic() - begin < 2
    assert len(shown.rows) == 21 and shown.rest == "… 9,980 more features"
    assert line.endswith("'f1003': int64, ... 9,992 more})") and len(line) < 300
    spec = {name: hr.FixedLenFeature([], hr.int64) for name in wide}
    for thing in (hr.Spec(spec), hr.Plan(spec), hr.decode([], spec=hr.Plan(spec))):
        assert table(thing).rest == "… 9,980 more features"
        assert len(thing._repr_html_()) < 6000
    assert len(repr(hr.Plan(spec))) < 300


def test_long_rows_are_cut():
    batch = hr.decode([records.example({"x": ints(*range(100_000))})])
    assert len(batch["x"]._head(5, 5)[0]) == 5
    assert table(batch).rows[1][3] == "[0, 1, 2, 3, …]"
    spec = {"x": hr.FixedLenFeature([100, 1000], hr.int64)}
    batch = hr.decode([records.example({"x": ints(*range(100_000))})], spec=spec)
    nested = "[[0, 1, 2, 3, …], [1000, 1001, 1002, 1003, …], [2000"
    assert table(batch).rows[1][3].startswith(nested)
    assert len(batch._repr_html_()) < 1500
    assert all(len(cell) <= 120 for cells in table(batch).rows for cell in cells)


# Readers and datasets, of which showing something takes nothing.


def test_a_reader_is_not_read(path):
    reader = hr.open(path, spec=SPEC, batch_size=4)
    before = reader.state_dict()
    assert repr(reader) == (
        "Reader(files=1, message='example', features={'age': int64, 'box': float32, "
        "'tags': bytes, 'few': int64, 'at': float32, 'half': float32 as float16})")
    shown = table(reader)
    name = str(path) if len(str(path)) <= 60 else f"{str(path)[:59]}…"
    assert shown.caption == f"Reader of 1 file ({name}), 6 features of Examples"
    assert shown.rows[:3] == [
        ["feature", "reads as", "type", "with"],
        ["age", "FixedLenFeature", "int64", "shape=[], default_value=[-1]"],
        ["box", "FixedLenFeature", "float32", "shape=[2]"]]
    assert reader.state_dict() == before
    assert [batch.num_rows for batch in reader] == [4, 4, 1]
    assert repr(reader).startswith("Reader(files=1, ")  # at its end, too


def test_a_reader_that_is_closed(path):
    with hr.open(path) as reader:
        pass
    assert repr(reader).startswith("Reader(files=1, message='example', ")
    assert len(table(reader).rows) == 6


def test_a_reader_of_another_process(path):
    reader = hr.open(path)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, repr(reader).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10_000).decode() == repr(reader)
    os.close(read)
    os.close(write)


def test_a_reader_that_another_thread_uses(tmp_path):
    path = tmp_path / "pipe.tfrecord"
    os.mkfifo(path)
    data = records.framed([row(i) for i in range(9)])

    def give(wait):
        with open(path, "wb") as pipe:
            pipe.write(data)
            pipe.flush()
            wait.wait(20)

    wait = threading.Event()
    writer = threading.Thread(target=give, args=(wait,))
    writer.start()
    reader = hr.open(path, spec={"age": SPEC["age"]}, batch_size=100, threads=1)
    batches = []
    user = threading.Thread(target=lambda: batches.extend(reader))
    user.start()
    time.sleep(0.2)  # it waits for more now
    for _ in range(100):
        assert repr(reader).startswith("Reader(files=1, ") and table(reader).rows
    wait.set()
    user.join()
    writer.join()
    assert [batch.num_rows for batch in batches] == [9]


def test_readers_with_a_bar_and_shuffled_ones_have_names_of_users(path):
    assert repr(hr.open(path, progress=True)).startswith("Reader(")
    shuffled = hr.open(path, shuffle=True)
    assert repr(shuffled).startswith("ShuffledReader(files=1, message='example', ")
    assert table(shuffled).caption.startswith("ShuffledReader of 1 file (")


def test_many_files_are_counted(path):
    reader = hr.open([path] * 3)
    assert repr(reader).startswith("Reader(files=3, ")
    assert ", …), 5 features" in table(reader).caption


@pytest.mark.parametrize("options", [{}, {"spec": SPEC}, {"columns": ["age"]},
                                     {"message": "raw"}])
def test_datasets(path, options):
    dataset = hr.Dataset(path, **options)
    assert repr(dataset).startswith("Dataset(rows=9, files=1, features={")
    assert table(dataset).caption.startswith("Dataset of 9 rows, 1 file (")
    assert len(table(dataset).rows) == 1 + len(dataset.columns)
    copy = pickle.loads(pickle.dumps(dataset))
    path.unlink()  # a copy that is not used opens nothing
    assert (repr(copy), copy._repr_html_()) == (repr(dataset), dataset._repr_html_())


def test_dataset_of_a_plan_that_is_lost(path):
    plan = hr.open(path, spec=SPEC).plan
    dataset = hr.Dataset(path, spec=plan)
    assert "'age': int64" in repr(dataset)
    copy = pickle.loads(pickle.dumps(dataset))
    assert repr(copy) == "Dataset(rows=9, files=1)"
    assert table(copy).rows == [["feature"]]


# Specs and schemas.


def test_spec():
    shown = table(hr.Spec({
        "a": hr.FixedLenFeature([], hr.int64, default_value=0),
        "b": hr.VarLenFeature(hr.bytes_, pad_to=2, truncate=True),
        "c": hr.SparseFeature(["i", "j"], "v", hr.float32, [3, 4]),
        "d": hr.RaggedFeature(hr.int64, "k", [hr.RaggedFeature.RowLengths("n")]),
    }))
    assert shown.caption == "Spec of 4 features of Examples"
    assert shown.rows[1:] == [
        ["a", "FixedLenFeature", "int64", "shape=[], default_value=0"],
        ["b", "VarLenFeature", "bytes", "pad_to=2, truncate=True"],
        ["c", "SparseFeature", "float32", "index_key=[i, j], value_key=v, size=[3, 4]"],
        ["d", "RaggedFeature", "int64",
         "value_key=k, partitions=[RaggedFeature.RowLengths(key='n')], row_splits_dtype=int32"]]


def test_schema():
    schema = hr.Schema.from_text("""
    feature { name: "a" type: INT shape { dim { size: 2 } dim { size: 3 } }
              presence { min_fraction: 1 min_count: 1 } }
    feature { name: "b" type: BYTES value_count { min: 1 max: 4 }
              presence { min_fraction: 0.25 } }
    feature { name: "c" type: FLOAT value_count { min: 1 max: 1 } }
    feature { name: "d" type: FLOAT value_count { max: 2 } }
    feature { name: "e" type: FLOAT value_count { min: 2 } }
    feature { name: "##SEQUENCE##" type: STRUCT
              struct_domain { feature { name: "f" type: INT } } }""")
    assert repr(schema) == (
        "Schema(features={'a': INT, 'b': BYTES, 'c': FLOAT, 'd': FLOAT, 'e': FLOAT, "
        "'##SEQUENCE##': STRUCT, '##SEQUENCE##.f': INT})")
    shown = table(schema)
    assert shown.caption == "Schema of 7 features"
    assert shown.rows[1:] == [
        ["a", "INT", "[2, 3]", "all"],
        ["b", "BYTES", "1 to 4 values", "at least 0.25 of all"],
        ["c", "FLOAT", "1 value", ""],
        ["d", "FLOAT", "at most 2 values", ""],
        ["e", "FLOAT", "at least 2 values", ""],
        ["##SEQUENCE##", "STRUCT", "", ""],
        ["##SEQUENCE##.f", "INT", "", ""]]


def test_values_of_other_types():
    from headrace import notebook

    assert notebook.value_text(numpy.float64(0.1)) == "0.1"
    assert notebook.value_text([numpy.array([1, 2]), None]) == "[[1, 2], null]"
    assert notebook.visible("a\u2066b\ud800") == "a\\u2066b\\ud800"
