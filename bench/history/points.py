"""A point of the performance history: one commit, measured on one machine.

Each file bench/history/DATE-COMMIT-MACHINE.json has one. It has the samples of
bench_decode as they were taken, and the medians and ranges of bench/compare.py,
whose samples would be a thousand times as many. Figures that follow from these
are not stored. Nothing in a file tells where the machine is: no host, no path.
"""

import datetime
import json
import math
import pathlib
import re
import statistics
import sys
import typing

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import compare_table  # noqa: E402

SCHEMA = 1
FOLDER = pathlib.Path("bench/history")

# Forms of values. A dict: these keys and no others; {str: form}: any keys; a
# list: any number of such values; a tuple: one of these words, or the last
# form; float: a finite number above 0; int: a whole one; others: the type.
MACHINE = {"cpu": str, "family": str, "cores": int, "virtual": bool,
           "memory_gib": int, "governor": (None, str), "kernel": str}
DECODE = {"headrace": str, "compiler": str, "target": str, "crc": str,
          "protobuf": str,
          "shapes": [{"shape": str, "file_bytes": int, "batch_size": int,
                      "records": int, "features": int, "clock_ghz": float,
                      "cpu_share": float, "sides": {str: [float]}}]}
SIDE = {"version": (None, str), "cpu_share": (None, float), "passes": int,
        "seconds": {"median": float, "min": float, "max": float}}
COMPARE = {"batch": int,
           "shapes": [{"shape": str, "records": int, "bytes": int,
                       "sides": {str: ("not installed", "fails", SIDE)}}]}
POINT = {"schema": int, "date": str, "commit": str, "commit_date": str,
         "dirty": bool, "load": [str], "flags": str, "machine": MACHINE,
         "decode": DECODE, "compare": (None, COMPARE)}


class HistoryError(Exception):
    """Some file of the history, or of the pages made from it, is not as it must be."""


class Spread(typing.NamedTuple):
    median: float
    min: float
    max: float


def spread_of(samples):
    return Spread(statistics.median(samples), min(samples), max(samples))


def form_finding(value, form, place):
    """Why a value has not the form, as text; None if it has."""
    if isinstance(form, tuple):
        *words, form = form
        return None if value in words else form_finding(value, form, place)
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return f"{place} is not an object"
        if str in form:
            form = dict.fromkeys(value, form[str])
        inner = f"{place}." if place else ""
        for key in [*form, *value]:
            if key not in value:
                return f"{inner}{key} is missing"
            if key not in form:
                return f"{inner}{key} is not a field"
        parts = [(value[key], form[key], inner + key) for key in form]
    elif isinstance(form, list):
        if not isinstance(value, list):
            return f"{place} is not a list"
        parts = [(item, form[0], f"{place}[{index}]")
                 for index, item in enumerate(value)]
    elif form is float:
        fits = (type(value) in (int, float) and math.isfinite(value)
                and value > 0)
        return None if fits else f"{place} is {value!r}, not a number above 0"
    elif form is str and type(value) is str and "/" in value:
        return f"{place} is {value!r}, which may be a path"
    else:
        return None if type(value) is form else (
            f"{place} is {value!r}, not of type {form.__name__}")
    return next(filter(None, (form_finding(*part) for part in parts)), None)


def decode_finding(decode):
    """Why shapes of bench_decode cannot be used, as text, or None."""
    if not decode["shapes"]:
        return "decode.shapes is empty"
    seen = set()
    for shape in decode["shapes"]:
        case = (shape["shape"], shape["file_bytes"] >> 20, shape["batch_size"])
        name = "decode: {} of {} MiB in batches of {}".format(*case)
        if case in seen:
            return f"{name} is there twice"
        seen.add(case)
        rounds = {len(samples) for samples in shape["sides"].values()}
        if len(rounds) != 1 or 0 in rounds:
            return f"{name}: sides have {sorted(rounds)} rounds, not as many each"
    return None


def compare_finding(compare):
    """Why shapes of bench/compare.py cannot be used, as text, or None."""
    names = [shape["shape"] for shape in compare["shapes"]]
    if not names or len(names) != len(set(names)):
        return f"compare.shapes are {names}: none, or one twice"
    return next((f"compare: {shape['shape']} has no times of {side}"
                 for shape in compare["shapes"] for side in compare_table.OWN
                 if not isinstance(shape["sides"].get(side), dict)), None)


def slug_of(machine):
    """The machine in a file's name; all that makes it another machine is in it."""
    words = [re.sub(r"\((r|tm)\)", "", machine["cpu"].lower()), machine["family"],
             f"{machine['cores']}c"] + ["vm"] * machine["virtual"]
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words)).strip("-")


def name_of(content):
    """The name of the file that has this content."""
    return (f"{content['date']}-{content['commit'][:12]}-"
            f"{slug_of(content['machine'])}.json")


def content_finding(content):
    """Why what a file holds is not a point, as text, or None."""
    if not isinstance(content, dict) or "schema" not in content:
        return "schema is missing"
    if content["schema"] != SCHEMA:
        return f"schema is {content['schema']!r}; this version reads {SCHEMA}"
    finding = form_finding(content, POINT, "")
    if finding:
        return finding
    for field, form in ("date", "%Y-%m-%d"), ("commit_date", "%Y-%m-%dT%H:%M:%SZ"):
        try:
            datetime.datetime.strptime(content[field], form)
        except ValueError:
            return f"{field} is {content[field]!r}, not a date as {form}"
    if not re.fullmatch("[0-9a-f]{40}", content["commit"]):
        return f"commit is {content['commit']!r}, not 40 hexadecimal digits"
    return decode_finding(content["decode"]) or (
        content["compare"] and compare_finding(content["compare"]))


class Point:
    """One file of the history, checked."""

    def __init__(self, content):
        self.content = content
        self.machine = content["machine"]
        self.slug = slug_of(self.machine)
        self.commit = content["commit"][:12]

    @property
    def is_clean(self):
        """False if something else ran, or if the commit has not all that was built."""
        return not self.content["load"] and not self.content["dirty"]

    @property
    def order(self):
        return (self.content["commit_date"], self.content["date"],
                self.content["commit"], self.slug)

    @property
    def series(self):
        """Only points that are equal in this may be joined by a line."""
        decode = self.content["decode"]
        return (self.slug, self.machine["governor"], self.content["flags"],
                decode["compiler"], decode["target"], decode["protobuf"])


def rate(shape, side):
    """10^9 bytes of file per second, of a shape of bench_decode."""
    return spread_of([shape["file_bytes"] / seconds / 1e9
                      for seconds in shape["sides"][side]])


def ratio(shape, fast, slow):
    """How many times faster `fast` is than `slow`, round by round."""
    sides = shape["sides"]
    return spread_of([slower / faster for faster, slower
                      in zip(sides[fast], sides[slow], strict=True)])


def compared_seconds(shape, side):
    """The median of a side of bench/compare.py; None if it has no times."""
    result = shape["sides"].get(side)
    return result["seconds"]["median"] if isinstance(result, dict) else None


def fastest(shape, begin):
    """The lowest median of the sides whose names begin so; None without any."""
    return min((seconds for side in shape["sides"] if side.startswith(begin)
                and (seconds := compared_seconds(shape, side)) is not None),
               default=None)


def read(path):
    """The point of a file. Raises HistoryError."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise HistoryError(f"{FOLDER / path.name}: {error}") from error
    finding = content_finding(content)
    if not finding and path.name != name_of(content):
        finding = (f"holds what {name_of(content)} should: another date, commit "
                   "or machine than its name says")
    if finding:
        raise HistoryError(f"{FOLDER / path.name}: {finding}")
    return Point(content)


def read_all(root):
    """All points below a root of the repository, by the date of their commits."""
    points = [read(path) for path in sorted((root / FOLDER).glob("*.json"))]
    return sorted(points, key=lambda point: point.order)
