"""Whoever is given a bad record says the same of it: every malformed vector, and
every damaged file, goes through every way in."""

import functools
import gzip
import io
import json
import os
import pathlib
import subprocess

import headrace as hr
import pytest
import records

VECTORS = pathlib.Path(__file__).parents[1] / "vectors"
ROOT = VECTORS.parents[1]
PROGRAM = os.environ.get("HEADRACE", str(ROOT / "build/src/cli/headrace"))
needs_program = pytest.mark.skipif(
    not os.path.exists(PROGRAM),
    reason="the program headrace is not built; HEADRACE may name it")

GOOD = {
    "example": records.example({"good": records.ints(1)}),
    "sequence": records.sequence_example(
        {"good": records.ints(1)}, {"list": [records.ints(1)]}),
}
MESSAGES = list(GOOD)


def vectors(name):
    with gzip.open(VECTORS / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


@functools.cache
def malformed(message):
    """The payloads that golden cases call malformed, whatever was asked for."""
    golden = {"example": "example", "sequence": "sequence_example"}[message]
    found = {}
    for name in ("columns-catalogue", "columns-random", "tensors-catalogue",
                 "tensors-random"):
        for case in vectors(name):
            expected = case["expect"]
            if case["message"] == golden and expected.get("error") == "malformed":
                payload = bytes.fromhex(case["records"][expected["record"]])
                found[payload] = case["id"]
    assert len(found) > 20
    return found


def answer(call):
    """The class and the place of what is raised, or None."""
    try:
        call()
    except hr.HeadraceError as error:
        return error.code, error.record
    return None


def read(source, **options):
    return lambda: [batch.num_rows for batch in hr.open(source, **options)]


def array(payloads):
    arrow = pytest.importorskip("pyarrow", reason="has arrays of binary values")
    return arrow.array(payloads, arrow.binary_view())


def ask_all(payloads, path, message):
    """The ways in that look at every byte, by name."""
    data = records.framed(payloads)
    path.write_bytes(data)
    options = {"message": message}
    return {
        "open": answer(read(path, **options)),
        "open, threads": answer(read(path, threads=2, **options)),
        "open, mapped": answer(read(path, mmap=True, **options)),
        "open, file object": answer(read(io.BytesIO(data), **options)),
        "decode": answer(lambda: hr.decode(payloads, **options)),
        "decode, Arrow": answer(lambda: hr.decode(array(payloads), **options)),
        "infer_schema": answer(lambda: hr.infer_schema(path, **options)),
        "infer_spec": answer(lambda: hr.infer_spec(path, **options)),
    }


@pytest.mark.parametrize("message", MESSAGES)
def test_ways_in_that_look_at_every_byte(tmp_path, message):
    path, good = tmp_path / "x", GOOD[message]
    for bad, case in malformed(message).items():
        for payloads in ([bad], [good, bad, good]):
            expected = ("malformed", payloads.index(bad))
            for name, got in ask_all(payloads, path, message).items():
                assert got == expected, (case, name)


def specs(message):
    """A plan that asks for what the good record has, in its three forms."""
    feature = {"good": hr.VarLenFeature(hr.int64)}
    schema = 'feature { name: "good" type: INT }'
    if message == "sequence":
        schema += (' feature { name: "##SEQUENCE##" type: STRUCT struct_domain {'
                   ' feature { name: "list" type: INT } } }')
        spec = hr.Spec(feature, {"list": hr.VarLenFeature(hr.int64)})
    else:
        spec = hr.Spec(feature)
    return spec, hr.Schema.from_text(schema)


def ask_planned(payloads, path, message):
    """The ways in that are told what to read, and check no other values."""
    data = records.framed(payloads)
    path.write_bytes(data)
    spec, schema = specs(message)
    plan = hr.Plan(spec)
    parse = hr.parse_example if message == "example" else hr.parse_sequence_example
    of_schema = {"schema": schema, "message": message}
    return {
        "open, spec": answer(read(path, spec=spec)),
        "open, schema": answer(read(path, **of_schema)),
        "open, file object": answer(read(io.BytesIO(data), spec=plan)),
        "open, threads": answer(read(path, spec=plan, threads=2)),
        "decode, spec": answer(lambda: hr.decode(payloads, spec=spec)),
        "decode, schema": answer(lambda: hr.decode(payloads, **of_schema)),
        "decode, Arrow": answer(lambda: hr.decode(array(payloads), spec=plan)),
        "parse": answer(lambda: parse(payloads, plan)),
    }


@pytest.mark.parametrize("message", MESSAGES)
def test_ways_in_with_a_plan_agree(tmp_path, message):
    """A value outside of the plan is framed only (docs/semantics.md, E4); which
    of these it is, all of them say."""
    path, good, refused = tmp_path / "x", GOOD[message], 0
    for bad, case in malformed(message).items():
        answers = ask_planned([good, bad, good], path, message)
        assert len(set(answers.values())) == 1, (case, answers)
        assert answers["parse"] in (None, ("malformed", 1)), (case, answers)
        refused += answers["parse"] is not None
    assert refused > 10


def good_and_bad(path, message):
    """A file of each malformed record behind a good one; the numbers of the bad."""
    bad = list(malformed(message))
    path.write_bytes(records.framed(
        payload for one in bad for payload in (GOOD[message], one)))
    return path, list(range(1, 2 * len(bad), 2))


@pytest.mark.parametrize("message", MESSAGES)
def test_bad_rows_left_out_are_all_bad_rows(tmp_path, message):
    path, odd = good_and_bad(tmp_path / "x", message)
    reader = hr.open(path, message=message, on_row_error="skip")
    assert sum(batch.num_rows for batch in reader) == len(odd)
    rows = [row for row in reader.report.rows if row.code == "malformed"]
    assert [row.record for row in rows] == odd
    pytest.importorskip("polars", reason="the adapter needs it")
    lazy = hr.polars.scan_tfrecord(str(path), message=message, on_row_error="skip")
    assert lazy.collect().height == len(odd)


@pytest.mark.parametrize("message", MESSAGES)
@needs_program
def test_the_program_finds_the_same_rows(tmp_path, message):
    path, odd = good_and_bad(tmp_path / "x", message)
    done = subprocess.run(
        [PROGRAM, "validate", "--json", "--message", message, "--rejects",
         tmp_path / "rejects", path],
        capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    # Of those with the same fault some are listed, and a line counts all of them.
    found = [f for f in findings if f.get("class") == "malformed"]
    listed = [f["record"] for f in found if "record" in f]
    assert len(listed) > 3 and listed == sorted(set(listed) & set(odd))
    assert all(f["records"] > 1 for f in found if "record" not in f)
    assert findings[-1]["findings"] == len(odd)
    rejects = [p for batch in hr.open(tmp_path / "rejects", message="raw")
               for p in batch.payloads()]
    assert rejects == list(malformed(message))


@pytest.mark.parametrize("message", MESSAGES)
def test_consumers_of_streams_get_the_class(tmp_path, message):
    arrow = pytest.importorskip("pyarrow", reason="takes streams")
    path = tmp_path / "x"
    for bad in list(malformed(message))[::10]:
        path.write_bytes(records.framed([GOOD[message], bad]))
        with pytest.raises(Exception, match="record 1.*malformed"):
            arrow.table(hr.open(path, message=message))


# Damage.


def file_of(case):
    data = case["file"]
    if isinstance(data, dict):
        return (VECTORS / data["path"]).read_bytes()
    return bytes.fromhex(data)


def damaged():
    return [case for case in vectors("records") if "error" in case["expect"]
            and not isinstance(case["file"], dict)]


def code_of(source, **options):
    """The class of damage: of the error, or of the rest that "rescan" left out."""
    reader = None

    def read_all():
        nonlocal reader
        reader = hr.open(source, **options)
        for _ in reader:
            pass

    got = answer(read_all)
    if got:
        return got[0]
    rest = [region.reason for region in reader.report.regions if region.end is None]
    assert len(rest) <= 1 and (not rest or options["on_corrupt"] == "rescan")
    return rest[0] if rest else None


def test_damaged_files(tmp_path):
    path = tmp_path / "x"
    for case in damaged():
        data = file_of(case)
        path.write_bytes(data)
        options = {
            "compression": case["compression"], "on_corrupt": case["policy"],
            "message": "raw",
        }
        answers = {
            "open": code_of(path, **options),
            "mapped": code_of(path, mmap=True, **options),
            "threads": code_of(path, threads=3, **options),
            "file object": code_of(io.BytesIO(data), **options),
            "small batches": code_of(path, batch_size=1, **options),
        }
        if any(answers.values()):
            assert set(answers.values()) == {case["expect"]["error"]}, case["id"]


@needs_program
def test_damaged_files_in_the_program(tmp_path):
    path = tmp_path / "x"
    for case in damaged()[::12]:
        path.write_bytes(file_of(case))
        done = subprocess.run(
            [PROGRAM, "cat", "--format", "raw", "--compression",
             case["compression"], "--on-corrupt", case["policy"], path],
            capture_output=True)
        # Under "rescan" the rest of a damaged compressed file is left out.
        is_rest = (case["policy"], case["expect"]["error"]) == ("rescan", "decompress")
        assert done.returncode == (0 if is_rest else 1), case["id"]
        assert case["expect"]["error"] in done.stderr.decode(), case["id"]
