"""Vectors as questions: what is asked, and what would be right."""

import base64
import dataclasses
import gzip
import json
import pathlib
import re

MISFITS = {
    "malformed": "malformed messages",
    "wrong_kind": "values of another kind",
    "wrong_count": "too many or too few values",
    "missing_feature": "a required feature is missing",
    "bad_partition": "ragged partitions that do not fit",
    "bad_sparse_index": "sparse indices that do not fit",
    "bad_spec": "contradictory specs and schemas",
}
# The first that fits the id of a file's case.
FILES = (
    ("gzip-|zlib-|snappy-|looks-like-zlib", "compressed, {}"),
    ("cut-", "cut short"),
    ("flip-", "one bit flipped"),
    ("del-", "one byte left out"),
    ("ins-", "one byte put in"),
    ("zeros-|ff-", "bytes 00 or FF in between"),
    ("length-", "a wrong length"),
    ("crc-", "a wrong checksum"),
    ("embedded-", "a record inside a payload"),
    ("text|binary|utf16|looks-", "no TFRecord file at all"),
    ("", "whole"),
)
# Ids of messages as writers make them; all other sound ones are odd.
ORDINARY = re.compile(r"[tGRvE]\d|v-|elwc|batch")


@dataclasses.dataclass(frozen=True)
class Question:
    """`line` is sent; `family` is the class of the input, for the table."""

    line: dict
    family: str
    expect: dict


def read(paths, kinds):
    """The questions of these kinds that the files of vectors hold."""
    for path in map(pathlib.Path, paths):
        stem = path.name.split(".")[0]
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                case = json.loads(line)
                for ask, fields, expect in _asked(case, path.parent):
                    if ask in kinds:
                        name = f"{ask}/{stem}/{case['id']}"
                        yield Question({"id": name, "ask": ask, **fields},
                                       _family(case), expect)


def _asked(case, folder):
    """Kind, fields and expectation of each question that a case is."""
    expect = case.get("expect")
    if "file" in case:
        data = case["file"]
        data = ((folder / data["path"]).read_bytes()
                if isinstance(data, dict) else bytes.fromhex(data))
        yield "records", {"file": _base64(data),
                          "compression": case["compression"],
                          "policy": case["policy"]}, expect
    elif "records" in case:
        fields = {"message": case["message"],
                  "records": [_base64(bytes.fromhex(record))
                              for record in case["records"]]}
        if "schema_pbtxt" in case:
            fields["schema"] = case["schema_pbtxt"]
        if "context_spec" in case or "spec" in case:
            yield "tensors", {**fields, "spec": _spec(case)}, expect
        elif "outputs" in expect or "stage" in expect:
            yield "tensors", fields, expect
        else:
            yield "columns", fields, expect
            if (case["message"] == "example" and "schema" not in fields
                    and expect.get("error") != "wrong_kind"):
                rows = len(case["records"])
                yield "examples", fields, _examples(expect, rows)


def _family(case):
    expect = case["expect"]
    if "file" in case:
        sound = "error" not in expect and not expect.get("skipped")
        name = next(name for ids, name in FILES if re.match(ids, case["id"]))
        return name.format("whole" if sound else "damaged")
    if "error" in expect:
        return MISFITS[expect["error"]]
    note = case.get("note", "")
    ordinary = (ORDINARY.match(case["id"]) or "wire:" not in note
                and note.startswith(("plain", "meaning", "random")))
    return "ordinary messages" if ordinary else "odd but valid encodings"


def _base64(data):
    return base64.b64encode(data).decode()


def _default(feature):
    """Its default as spec.md has it: floats as bits, bytes as base64."""
    def written(value):
        if feature["dtype"] == "float":
            return "0x" + value
        if feature["dtype"] == "bytes":
            return {"b64": _base64(bytes.fromhex(value))}
        return value

    value = feature["default"]
    return [written(v) for v in value] if isinstance(value, list) else (
        written(value))


def _features(features):
    return [{**feature, "default": _default(feature)} if "default" in feature
            else feature for feature in features]


def _spec(case):
    spec = {"message": case["message"]}
    for field, part in (("features", "spec"), ("features", "context_spec"),
                        ("sequence_features", "sequence_spec"),
                        ("example_features", "example_spec")):
        if part in case:
            spec[field] = _features(case[part])
    for field in ("list_size", "size_feature_name", "mask_feature_name"):
        if case.get(field) is not None:
            spec[field] = case[field]
    return spec


def _examples(expect, rows):
    """The columns row by row: what a reader of single messages gives."""
    if "error" in expect:
        return expect
    examples = [{} for _ in range(rows)]
    for column in expect["columns"]:
        kind = column["type"].removeprefix("list<").removesuffix(">")
        for example, values in zip(examples, column["values"]):
            if values is not None:
                example[column["name"]] = {kind: values}
    return {"examples": examples}
