"""All that names the options of reading agrees with the table of the core: signatures,
types, pages, and what each surface says of a wrong value."""

import inspect
import json
import os
import pathlib
import re
import subprocess
import typing

import headrace as hr
import pytest
import records
from headrace import options
from headrace.adapters.spark import options as spark_options
from headrace.options import TABLE, limits_of, taken_by
from headrace.reading.scan import Scan

ROOT = pathlib.Path(__file__).parents[2]
# Of Python alone.
NOT_IN_C = {"drop_remainder", "epochs"}


def parameters(function, *others):
    found = dict(inspect.signature(function).parameters)
    return {name: parameter for name, parameter in found.items()
            if name not in {"self", "paths", *others} and name[0] != "_"
            and parameter.kind is not parameter.VAR_KEYWORD}


@pytest.mark.parametrize("taker, function, others", [
    ("reader", hr.open, []), ("dataset", hr.Dataset, []), ("split", hr.split, ["count"]),
])
def test_keywords_and_their_defaults(taker, function, others):
    found = parameters(function, *others)
    assert set(found) == set(taken_by(taker))
    assert {name: found[name].default for name in found} == {
        name: TABLE[name].default for name in found}


@pytest.mark.parametrize("function", [
    hr.parse_example, hr.parse_sequence_example, hr.parse_elwc, hr.decode])
def test_keywords_of_messages(function):
    assert set(taken_by("messages")) == set(TABLE) & set(parameters(function)) - {
        "spec", "schema", "message"}


def test_limits_that_have_no_effect():
    known = limits_of("reader")
    assert known == [name for name, row in TABLE.items() if row.kind == "limit"]
    assert set(known) - set(limits_of("stats")) == {"max_reported"}
    assert set(known) - set(limits_of("messages")) == {
        "max_inflated_bytes", "max_reported"}


@pytest.mark.parametrize("taker, given, own", [
    ("reader", options.ReadingOptions, set()),
    ("dataset", options.DatasetOptions, set()),
    ("folder", options.FolderOptions, set()),
    ("stats", options.StatsOptions, set()),
    ("part", options.PartOptions, set(parameters(Scan))),
])
def test_types_of_keywords(taker, given, own):
    assert set(typing.get_type_hints(given)) | own == set(taken_by(taker))
    assert not given.__required_keys__


def literals(hint):
    return [value for part in (hint, *typing.get_args(hint)) for value in (
        typing.get_args(part) if typing.get_origin(part) is typing.Literal else [])]


def test_names_of_values():
    hints = typing.get_type_hints(options.ReadingOptions)
    for name in taken_by("reader"):
        known = [value for value in TABLE[name].values if value != "sequence_example"]
        assert sorted(literals(hints[name])) == sorted(known), name


def test_signatures_have_these_types():
    hints = typing.get_type_hints(options.ReadingOptions)
    for function in (hr.open, hr.Dataset.__init__, hr.split):
        found = typing.get_type_hints(inspect.unwrap(function))
        for name in found.keys() & hints.keys():
            assert found[name] == hints[name], (function, name)


# Pages.


def rows_of_abi():
    text = (ROOT / "docs/abi.md").read_text()
    for line in re.findall(r"^\| `.*\|$", text, re.MULTILINE):
        names, _, default, takers = (cell.strip() for cell in line[1:-1].split("|"))
        names = re.findall(r"`(\w+)`", names)
        defaults = default.split(", ") if "," in default else [default] * len(names)
        for name, value in zip(names, defaults, strict=True):
            yield name, value.strip("`"), takers


def default_text(row):
    if row.name == "threads":
        return ["1"]  # of C and C++; Python has one per processor
    if row.kind == "limit":
        return [""]
    if row.default is None:
        return ["", "all", "any number"]
    if isinstance(row.default, bool):
        return [str(row.default).lower()]
    if isinstance(row.default, int) and row.default >= 1 << 20:
        return [f"{row.default >> 20} MiB"]
    return [json.dumps(row.default).strip("`"), str(row.default)]


def test_the_page_of_c_has_the_table():
    found = {name: (default, takers) for name, default, takers in rows_of_abi()
             if re.search("[od]", takers.split("(")[0]) and name != "tensors"}
    of_c = {name for name, row in TABLE.items() if row.is_core} - NOT_IN_C
    del found["files"]  # of Spec.from_json in Python
    assert set(found) == of_c | {"spec", "schema"}
    for name, (default, takers) in found.items():
        row = TABLE[name]
        assert default in default_text(row), name
        # Rows without keywords of Python are for both.
        assert ("d" in takers.split("(")[0]) == (
            "dataset" in row.takers or not row.takers), name


def test_the_guide_of_spark_has_its_options():
    text = (ROOT / "docs/guides/spark.md").read_text()
    text = text[:text.index("## Writing")] if "## Writing" in text else text
    named = set(re.findall(r"`(\w+)`", text))
    assert set(spark_options.READING) <= named


# Surfaces.


@pytest.mark.parametrize("name, value", [
    ("threads", True), ("threads", 1.5), ("threads", -1), ("threads", "two"),
    ("max_bad", 2**64), ("sample", []), ("batch_size", 0), ("batch_size", "many"),
    ("verify", 1), ("mmap", "yes"), ("strict_columns", None), ("write_index", {}),
    ("on_corrupt", "skipp"), ("on_row_error", "x"), ("on_absent", 3),
    ("compression", "lzo"), ("message", "exampel"), ("bytes_as", "text"),
    ("columns", [1]), ("columns", []), ("shard", [2, 2]), ("shard", [[0, 2], 1]),
    ("byte_range", [2, 1]), ("byte_range", [None, 1]), ("index", 3),
    ("max_reported", "all"),
])
def test_c_says_what_python_says(name, value, path):
    records.write_people(path, 3)
    if isinstance(value, dict):
        value = Ellipsis  # what is no number, no text and no list
    python = {"limits": {name: value}} if TABLE[name].kind == "limit" else {name: value}
    said = ""
    try:
        hr.open(path, **python).close()
    except (TypeError, ValueError) as error:
        said = str(error).removeprefix("invalid_argument: ")
    if value is Ellipsis:
        assert said == f'"{name}" is a ellipsis; it takes true or false'
        return
    done = subprocess.run(
        [os.environ["HEADRACE_SURFACES"], "headrace_open", path,
         json.dumps({name: value})], capture_output=True, text=True, check=True)
    found = re.findall("^invalid_argument: (.*)$", done.stdout, re.MULTILINE)
    assert found == ([said] if said else []), (said, done.stdout)
    assert said or value is None


@pytest.mark.parametrize("flag, name, value", [
    ("--on-corrupt", "on_corrupt", "skipp"), ("--on-row-error", "on_row_error", "x"),
    ("--max-bad", "max_bad", "-1"), ("--threads", "threads", "two"),
    ("--message", "message", "exampel"), ("--on-absent", "on_absent", "w"),
])
def test_the_program_says_what_python_says(flag, name, value, path):
    records.write_people(path, 3)
    given = int(value) if value == "-1" else value
    with pytest.raises((TypeError, ValueError)) as caught:
        hr.open(path, **{name: given})
    said = str(caught.value).removeprefix("invalid_argument: ")
    done = subprocess.run(
        [os.environ["HEADRACE"], "convert", path, "-o", "x.arrow", flag, value],
        capture_output=True, text=True)
    assert done.returncode == 2
    # On a command line every value is a text.
    expected = said.replace(f'"{name}" is -1', f'"{name}" is "-1"')
    assert done.stderr.splitlines()[0] == "headrace: " + expected.replace(
        f'"{name}"', flag, 1)


def test_a_part_says_why_it_has_not_an_option(path):
    with pytest.raises(TypeError, match="max_bad.*each part would have a count"):
        Scan(path, max_bad=3)
