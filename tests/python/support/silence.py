"""The matrix of silence: inputs of which something is left out, misread or
replaced, and the surfaces that must say so.

A `Case` writes its files and names what must be said of them. A `Surface` reads
them and returns all that it says: warnings, errors, standard error, findings. The
test files ask every surface about every case. A pair that need not be said is in
`REASONS`, with the reason.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import headrace as hr
import pytest
from wire_bytes import elwc, example, field, framed, ints, sequence_example

# What a surface is given.
COLUMNS = "columns"  # files, and it finds the columns
SPEC = "spec"  # files and a spec
RECORDS = "records"  # messages in memory, and it finds the columns
RECORDS_SPEC = "records and spec"  # messages in memory and a spec
BYTES = "bytes"  # files, and it parses no payload
PARQUET = "parquet"  # files of Parquet

_READS_FILES = {COLUMNS, SPEC, BYTES}
_PARSES = {COLUMNS, SPEC, RECORDS, RECORDS_SPEC}
_HAS_SPEC = {SPEC, RECORDS_SPEC}


@dataclasses.dataclass(frozen=True)
class Case:
    """An input, the surfaces that it is for, and what they must say of it."""

    name: str
    said: str  # a regular expression
    kinds: set[str]
    write: Callable[[Path], str]  # the files of a folder; returns the path to read
    # The features of the spec: a name of a feature class, and whether there is a
    # default.
    spec: dict = dataclasses.field(default_factory=lambda: {"age": ("fixed_len", True)})
    message: str = "auto"
    # What may not be said: the case is said to be another.
    not_said: str = r"(?!)"


@dataclasses.dataclass
class Files:
    """A case that has been written."""

    case: Case
    folder: Path
    path: str

    @property
    def spec(self) -> dict:
        """For Python."""
        makers = {
            "fixed_len": lambda default: hr.FixedLenFeature(
                [], hr.int64, default_value=0 if default else None),
            "var_len": lambda _: hr.VarLenFeature(hr.int64),
            "ragged": lambda _: hr.RaggedFeature(hr.int64),
        }
        return {name: makers[kind](default)
                for name, (kind, default) in self.case.spec.items()}

    @property
    def spec_file(self) -> str:
        """For the program, C++ and C."""
        features = []
        for name, (kind, default) in self.case.spec.items():
            features.append({"name": name, "kind": kind, "dtype": "int64"})
            if kind == "fixed_len":
                features[-1] |= {"shape": []} | ({"default": [0]} if default else {})
        path = self.folder / "spec.json"
        path.write_text(json.dumps({"features": features}))
        return str(path)

    @property
    def data(self) -> bytes:
        """All files one after another, for surfaces that read a pipe."""
        names = ([self.path] if os.path.isfile(self.path)
                 else sorted(map(str, self.folder.glob("*.tfrecord"))))
        return b"".join(Path(name).read_bytes() for name in names
                        if os.path.isfile(name))

    @property
    def records(self) -> list[bytes]:
        """The payloads of all files, for surfaces that take messages."""
        return _unframed(self.data)

    @property
    def url(self) -> str:
        """The same files in an object store, which has no links and no times."""
        store = fsspec.filesystem("memory")
        store.store.clear()
        for path in self.folder.iterdir():
            if path.is_file():
                store.pipe_file(f"/silence/{path.name}", path.read_bytes())
        end = "" if os.path.isdir(self.path) else f"/{Path(self.path).name}"
        return f"memory://silence{end}"


def _unframed(data: bytes) -> list[bytes]:
    payloads, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        payloads.append(data[at + 12:at + 12 + size])
        at += 16 + size
    return payloads


# Cases.


def _person(number: int, **more: int) -> bytes:
    return example({"age": ints(number % 100), "label": ints(number % 2),
                    **{name: ints(value) for name, value in more.items()}})


def _file(records: list[bytes]) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        path = folder / "data.tfrecord"
        path.write_bytes(framed(records))
        return str(path)

    return write


def _event(number: int) -> bytes:
    """A tensorflow.Event: a time, a step, and a version or a summary."""
    head = b"\x09" + struct.pack("<d", 1.6e9 + number)
    if number == 0:
        return head + field(3, b"brain.Event:2")
    value = field(1, field(1, b"loss") + b"\x15" + struct.pack("<f", 1 / number))
    return head + b"\x10" + bytes([number % 100]) + field(5, value)


def _scenario(number: int) -> bytes:
    """A Scenario of the Waymo Open Dataset: times, tracks and an id."""
    times = struct.pack("<11d", *(i / 10 for i in range(11)))
    state = b"\x11" + struct.pack("<d", number) + b"\x19" + struct.pack("<d", 2.5)
    track = b"\x08\x07\x10\x01" + field(3, state)
    return (field(5, b"scenario-%d" % number) + field(1, times) + field(2, track)
            + b"\x30\x04")


def _documents(number: int) -> bytes:
    documents = [{"score": ints(number + i), "age": ints(i)} for i in range(3)]
    return elwc(documents, {"query": ints(number)})


def _lists(number: int) -> bytes:
    return sequence_example({"age": ints(number)}, {"words": [ints(1), ints(2, 3)]})


def _three_shards(folder: Path) -> str:
    for shard in range(3):
        records = [] if shard == 1 else [_person(i) for i in range(50)]
        (folder / f"part-{shard:05}-of-00003.tfrecord").write_bytes(framed(records))
    return str(folder)


def _mixed_folder(folder: Path) -> str:
    for name in ["a.tfrecord", "data.bin"]:
        (folder / name).write_bytes(framed([_person(i) for i in range(20)]))
    return str(folder)


def _dangling_shard(folder: Path) -> str:
    (folder / "a.tfrecord").write_bytes(framed([_person(i) for i in range(20)]))
    (folder / "b.tfrecord").symlink_to(folder / "fetched-later")
    return str(folder)


def _stale_index(folder: Path) -> str:
    path = folder / "data.tfrecord"
    path.write_bytes(framed([_person(i) for i in range(50)]))
    hr.index(str(path))
    path.write_bytes(framed([_person(i) for i in range(70)]))
    os.utime(path, (1, 1))
    return str(path)


def _late_parquet(folder: Path) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"age": [1, 2]}), folder / "a.parquet")
    pq.write_table(pa.table({"age": [3], "late_one": [4]}), folder / "b.parquet")
    return str(folder / "*.parquet")


_PEOPLE = [_person(i) for i in range(300)]
_OTHER = r"another message|other message"

CASES = [
    Case("events", _OTHER, _PARSES, _file([_event(i) for i in range(300)])),
    # Its times are malformed features, so most surfaces fail at once.
    Case("scenarios", rf"{_OTHER}|malformed", _PARSES,
         _file([_scenario(i) for i in range(50)])),
    Case("lists of Examples", r"ExampleListWithContext|elwc", _PARSES,
         _file([_documents(i) for i in range(300)]), not_said=r"message\W{1,3}sequence"),
    Case("feature lists after 100 Examples", r"feature.lists|##SEQUENCE##", _PARSES,
         _file([_person(i) for i in range(150)] + [_lists(i) for i in range(50)])),
    Case("feature lists of all, read as Examples", r"feature.lists", _PARSES,
         _file([_lists(i) for i in range(50)]), message="example"),
    *(
        Case(f"misspelt {kind}", r"""['"]age_\\?['"].*did you mean \\?['"]age\\?['"]""",
             _HAS_SPEC, _file(_PEOPLE), spec={"age_": (kind, True)})
        for kind in ("fixed_len", "var_len", "ragged")
    ),
    Case("absent feature", r"""['"]zebra['"]""", _HAS_SPEC, _file(_PEOPLE),
         spec={"zebra": ("fixed_len", True), "age": ("fixed_len", True)}),
    Case("an Example spec over SequenceExamples", r"feature.lists", _HAS_SPEC,
         _file([sequence_example({}, {"words": [ints(1)]}) for _ in range(50)]),
         spec={"words": ("var_len", True)}),
    Case("late feature", r"late_one", {COLUMNS},
         _file([_person(i) for i in range(10_001)] + [_person(1, late_one=5)])),
    Case("empty shard", r"00001-of-00003.*(no records|empty|0 records)",
         _READS_FILES, _three_shards),
    Case("foreign name", r"data\.bin", _READS_FILES, _mixed_folder),
    Case("dangling link", r"b\.tfrecord", _READS_FILES, _dangling_shard),
    Case("stale index", r"stale|not (the index )?of this|index.*(old|other)",
         _READS_FILES, _stale_index),
    Case("late column of Parquet", r"late_one", {PARQUET}, _late_parquet),
]

# Of these nothing may be said: they show that a surface is silent where it should
# be.
GOOD = [
    Case("people", r"", _PARSES | {BYTES}, _file(_PEOPLE)),
    Case("Examples without features", r"", _PARSES | {BYTES},
         _file([b"\x0a\x00"] * 20), spec={}),
    Case("empty records", r"", _PARSES | {BYTES}, _file([b""] * 20), spec={}),
    Case("people in a folder", r"", _READS_FILES,
         lambda folder: str(Path(_file(_PEOPLE)(folder)).parent)),
]


# Surfaces.


@dataclasses.dataclass(frozen=True)
class Surface:
    """One way to read. `say` reads all, and may raise or warn."""

    name: str
    kind: str
    say: Callable[[Files], str | None]


@contextlib.contextmanager
def _standard_error():
    """Gives a function that returns what all processes write there."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield lambda: file.seek(0) or file.read().decode(errors="replace")
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _write_warning(message, category, *_, **__) -> None:
    """Workers that were forked write theirs, too."""
    if category.__module__.startswith("headrace"):
        os.write(2, f"{category.__name__}: {message}\n".encode())


def said_by(surface: Surface, files: Files) -> str:
    """All that it says, in one text."""
    with _standard_error() as written, warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _write_warning
        try:
            text = surface.say(files) or ""
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
        return f"{text}\n{written()}"


def _program(*arguments: str, data: bytes | None = None) -> str:
    """What the program says; its results are not. It reads `data` from a pipe."""
    done = subprocess.run([os.environ["HEADRACE"], *arguments], capture_output=True,
                          input=data, timeout=60,
                          env=os.environ | {"HEADRACE_PYTHON": sys.executable})
    # Findings are what validate is asked for.
    said = done.stderr + (done.stdout if arguments[0] == "validate" else b"")
    return said.decode(errors="replace")


# Ways of tests/silence/surfaces.cc, of which HEADRACE_SURFACES is the program.


def _way(name: str, kind: str) -> Surface:
    def say(files: Files) -> str:
        spec = files.spec_file if kind in _HAS_SPEC else ""
        done = subprocess.run(
            [os.environ["HEADRACE_SURFACES"], name, files.path, spec,
             files.case.message],
            capture_output=True, text=True, errors="replace", timeout=60, check=True)
        return done.stdout

    with_spec = ", spec" if kind == SPEC else ""
    return Surface(f"C++ {name}{with_spec}", kind, say)


LIBRARY = [
    *(_way(name, kind) for kind in (COLUMNS, SPEC)
      for name in ("Reader", "Reader, threads", "Dataset", "headrace_open",
                   "headrace_dataset_open")),
    _way("Decoder", RECORDS_SPEC),
    _way("RecordReader", BYTES),
]


def _message(files: Files) -> list[str]:
    return [] if files.case.message == "auto" else ["--message", files.case.message]


def _verb(
    verb: str, *options: str, kind: str = COLUMNS, piped: bool = False
) -> Surface:
    def say(files: Files) -> str:
        more = [option.replace("OUT", str(files.folder / "out")) for option in options]
        if kind == SPEC:
            more += ["--spec", files.spec_file]
        elif kind == COLUMNS:
            more += _message(files)
        if piped:
            return _program(verb, "-", *more, data=files.data)
        return _program(verb, files.path, *more)

    name = " ".join(["pipe to"] * piped + [verb, *options])
    return Surface(name + (", spec" if kind == SPEC else ""), kind, say)


def _get(files: Files) -> str:
    return _program("get", files.path, ":", *_message(files))


PROGRAM = [
    _verb("head"),
    _verb("cat"),
    _verb("schema"),
    _verb("schema", "--format", "spec"),
    _verb("stats"),
    _verb("stats", "--json"),
    _verb("validate"),
    _verb("validate", kind=SPEC),
    _verb("convert", "-o", "OUT.arrow"),
    _verb("convert", "-o", "OUT.arrow", "--threads", "2"),
    _verb("convert", "-o", "OUT.jsonl"),
    _verb("convert", "-o", "OUT.parquet"),
    _verb("convert", "-o", "OUT.csv"),
    _verb("convert", "-o", "OUT.arrow", kind=SPEC),
    _verb("convert", "-o", "OUT.parquet", kind=SPEC),
    _verb("bench"),
    *(
        _verb(*arguments, kind=kind, piped=True)
        for kind, *arguments in (
            (COLUMNS, "head"), (COLUMNS, "cat"), (COLUMNS, "schema"),
            (COLUMNS, "stats"), (COLUMNS, "validate"), (SPEC, "validate"),
            (COLUMNS, "convert", "-o", "OUT.arrow"), (SPEC, "convert", "-o", "OUT.arrow"),
            (BYTES, "count"), (BYTES, "convert", "-o", "OUT.tfrecord"),
        )
    ),
    Surface("get", COLUMNS, _get),
    _verb("count", kind=BYTES),
    _verb("index", kind=BYTES),
    _verb("split", kind=BYTES),
    _verb("convert", "-o", "OUT.tfrecord", kind=BYTES),
    _verb("shuffle", "-o", "OUT.tfrecord", kind=BYTES),
    Surface("convert of Parquet", PARQUET, lambda files: _program(
        "convert", *sorted(map(str, files.folder.glob("*.parquet"))), "-o",
        str(files.folder / "out.tfrecord"))),
]


class _Pipe(io.RawIOBase):
    """A file object that cannot seek."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        return self._file.readinto(buffer)


# What a surface is given of the files.
_INPUTS: dict[str, Callable[[Files], Any]] = {
    "path": lambda files: files.path,
    "pipe": lambda files: _Pipe(files.data),
    "URL": lambda files: files.url,
}


def _read(
    open_, *, of: str = "path", spec: bool = False, **options
) -> Callable[[Files], None]:
    """Reads all batches of what `open_` gives."""

    def say(files: Files) -> None:
        more = dict(options)
        if spec:
            more["spec"] = files.spec
        elif files.case.message != "auto":
            more["message"] = files.case.message
        for _ in open_(_INPUTS[of](files), **more):
            pass

    return say


def both(name: str, open_, *, of: str = "path", **options) -> list[Surface]:
    """The surface without a spec, and with one."""
    if of != "path":
        name = f"{name} of a {of}"
    return [
        Surface(name, COLUMNS, _read(open_, of=of, **options)),
        Surface(f"{name}, spec", SPEC, _read(open_, of=of, spec=True, **options)),
    ]


def _shards(path: str, **options):
    for shard in range(2):
        yield from hr.open(path, shard=(shard, 2), **options)


def _dataset_rows(path: str, **options):
    dataset = hr.Dataset(path, **options)
    yield dataset.take(range(len(dataset)))


def _dataset_items(path: str, **options):
    dataset = hr.Dataset(path, **options)
    for row in range(len(dataset)):
        yield dataset[row]


def _dataset_batches(path: str, **options):
    return hr.Dataset(path, **options).batches(10, shuffle=hr.Shuffle(1))


def _to_parquet(path: str, **options):
    hr.to_parquet(hr.open(path, **options), str(Path(path).parent / "out.parquet"))
    return ()


def _records(parse: Callable[[Files], object]) -> Callable[[Files], None]:
    return lambda files: parse(files) and None


def _stats_of_rows(files: Files) -> str | None:
    """Of many rows of a dataset, chosen at random: nearly all have what is said."""
    dataset = hr.Dataset(files.path, message="raw")
    hr.stats(dataset, sample=max(1, len(dataset) - 1), **message_of(files))


def message_of(files: Files) -> dict:
    return {} if files.case.message == "auto" else {"message": files.case.message}


PYTHON = [
    *both("open", hr.open),
    *both("open, one thread", hr.open, threads=1),
    *both("open, sharded", _shards),
    *both("open, shuffled", hr.open, shuffle=True),
    *both("open, shuffled by a buffer", hr.open, shuffle=hr.Shuffle(1, buffer=100)),
    *both("Dataset.take", _dataset_rows),
    *both("Dataset[i]", _dataset_items),
    *both("Dataset.batches", _dataset_batches),
    *both("open", hr.open, of="pipe"),
    *both("open", hr.open, of="URL"),
    *both("open, sharded,", _shards, of="URL"),
    *both("Dataset.take", _dataset_rows, of="URL"),
    *both("Dataset.batches", _dataset_batches, of="URL"),
    Surface("stats of a URL", COLUMNS, lambda files: hr.stats(
        files.url, **message_of(files)) and None),
    Surface("infer_spec of a URL", COLUMNS, lambda files: hr.infer_spec(
        files.url, **message_of(files)) and None),
    Surface("to_parquet", COLUMNS, _read(_to_parquet)),
    Surface("infer_spec", COLUMNS, lambda files: hr.infer_spec(
        files.path, **message_of(files)) and None),
    Surface("infer_schema", COLUMNS, lambda files: hr.infer_schema(
        files.path, **message_of(files)) and None),
    Surface("stats", COLUMNS, lambda files: hr.stats(
        files.path, **message_of(files)) and None),
    Surface("stats of rows", COLUMNS, _stats_of_rows),
    Surface("decode", RECORDS, lambda files: hr.decode(
        files.records, **message_of(files)) and None),
    Surface("parse_example", RECORDS_SPEC, lambda files: hr.parse_example(
        files.records, files.spec) and None),
    Surface("from_parquet", PARQUET, lambda files: hr.from_parquet(
        files.path, str(files.folder / "out.tfrecord")) and None),
]

# Why a pair need not be said: patterns of surfaces and cases, and the reason.
REASONS = [
    (r"pipe to.*|.* of a pipe.*", "empty shard|foreign name|dangling link|stale index",
     "A pipe has no folder and no index."),
    (r".* of a URL.*", "dangling link|stale index",
     "A store has no links, and indexes are looked for beside local files alone."),
    (r"(?!.*, spec|stats|infer_schema)(open|Dataset|to_parquet|infer_spec|decode"
     r"|C\+\+ (Reader|Dataset|headrace)|polars|jax|torch|grain|ray\.read|beam|spark).*",
     "lists of Examples",
     "They are read as lists, so nothing is lost. `message` says so."),
    (r"(pipe to )?(head|cat|schema.*|stats.*|ray\.stats|validate|get|infer_.*|convert -o OUT.jsonl)",
     "late feature",
     "It has no sample: it shows or counts all features of a record."),
    ("(pipe to )?head", "feature lists after 100 Examples", "It shows the first records."),
    ("decode", "feature lists after 100 Examples",
     "It looks at all records first, and reads them as SequenceExamples."),
    (r"(?!validate).*", "empty shard",
     "A file without records is whole, so nothing is left out; validate notes it."),
    (r"(?!get|stats of rows|open, shuffled(?! by)|Dataset|C\+\+ (Dataset"
     r"|headrace_dataset)|torch\.(MapDataset|Dataset, shuffled)|grain).*", "stale index",
     "It reads the file in order, for which no index is needed."),
    (r"C\+\+ RecordReader", "foreign name|dangling link",
     "It reads one file, and says that a folder is none."),
    (r"(Dataset(\.take|\[i\])( of a URL)?|torch.MapDataset.*|grain.DataSource), spec"
     r"|parse_example",
     "absent feature",
     "Nobody knows which call is the last; `Dataset.absent` has the features."),
    (r"from_parquet|convert of Parquet", "late column of Parquet",
     "All columns of all files are written."),
]


def reason_of(surface: Surface, case: Case) -> str | None:
    """Why this surface need not speak of this case; None: it must."""
    for surfaces, cases, reason in REASONS:
        if re.fullmatch(surfaces, surface.name) and re.fullmatch(cases, case.name):
            return reason
    return None


def pairs(surfaces: list[Surface], cases: list[Case]) -> list[Any]:
    """The parameters of a test: each surface with the cases that are for it."""
    return [pytest.param(surface, case, id=f"{surface.name}-{case.name}")
            for surface in surfaces for case in cases if surface.kind in case.kinds]


def written(case: Case, folder: Path) -> Files:
    """The files of a case, in an empty folder."""
    return Files(case, folder, case.write(folder))


def check_said(surface: Surface, files: Files) -> None:
    """Fails unless it says what the case asks for. A surface that has a reason to be
    silent must be silent, so that reasons do not outlive what they excuse."""
    said = said_by(surface, files)
    spoken = re.search(files.case.said, said, re.DOTALL) is not None
    assert spoken == (reason_of(surface, files.case) is None), said
    assert not re.search(files.case.not_said, said), said


def tests_of(surfaces: list[Surface]) -> tuple[Callable, Callable]:
    """The two tests of a file: what its surfaces must say, and where they must not."""

    @pytest.mark.parametrize("surface, case", pairs(surfaces, CASES))
    def is_said(surface, case, tmp_path):
        check_said(surface, written(case, tmp_path))

    @pytest.mark.parametrize("surface, case", pairs(surfaces, GOOD))
    def is_not_said(surface, case, tmp_path):
        check_silent(surface, written(case, tmp_path))

    return is_said, is_not_said


def check_silent(surface: Surface, files: Files) -> None:
    """Fails if it complains of what is good."""
    said = said_by(surface, files)
    assert not re.search(r"(?i)warning|error|another message|did you mean", said), said
