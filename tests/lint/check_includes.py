#!/usr/bin/env python3
"""Checks that files include only what stands above them.

Wings stand in an order, and so do the rooms of a wing: the order of docs/design.md,
which keeps the flow from bytes to columns one-way. A public header stands on the
floor of the wing that implements it: only that wing and those below it include it.
"""

import re

import tree

# From top to bottom. "" is the wing's own folder.
WINGS = {
    "base": ["", "text", "json", "memory"],
    "input": ["deflate", "compression", "blocks", "source", "crc32c", "record",
              "write", "index"],
    "plan": ["spec", "tfmd", "schema", "function", "compile",
             "infer"],
    "decode": ["column", "example", "census", "tensor/slab", "tensor",
               "explain"],
    "read": ["order", "files", "batch", "stream", "reader", "dataset"],
    "exchange": ["arrow", "encode", "json", "vocabulary"],
    "stats": ["sketch", "count", "report", "anomalies", "page"],
    "tfds": ["steps", "folder"],
    "c": [""],
}
# The program's, which includes the samples', and what INTERNAL lists.
PROGRAM_WINGS = {
    "sample": [""],
    "cli": ["text", "json", "process", "output", "", "bench", "verbs", "convert",
            "shuffle"],
}
# What the program and the Python package include besides public headers: these
# wings, and these headers of others.
SEAM_WINGS = ("base", "exchange")
SEAM = {
    "src/decode/census/block_census.h",
    "src/decode/example/wire_fields.h",
    "src/plan/infer/census.h",
    "src/plan/infer/grouping.h",
    "src/plan/infer/infer.h",
    "src/plan/infer/message_judge.h",
    "src/read/batch/batch_copy.h",
    "src/read/files/paths.h",
    "src/read/reader/build_info.h",
    "src/read/reader/byte_reader.h",
    "src/read/reader/given_options.h",
    "src/read/reader/option_table.h",
    "src/read/reader/parts.h",
    "src/read/stream/record_stream.h",
}
# The core includes no leaf, and leaves do not include one another.
LEAVES = ("stats", "tfds")

# The wing of each public header. Each header is in one.
PUBLIC = {
    "base": ["batch_allocator", "export", "limits", "output_file", "output_sink", "status", "types",
             "variant", "version"],
    "input": ["index", "input_file", "record_reader", "record_writer"],
    "plan": ["feature_spec", "message", "notice", "plan", "schema"],
    "decode": ["batch"],
    "read": ["dataset", "decoder", "order", "reader"],
    "exchange": ["arrow", "arrow_c", "example_encoder", "feature_kinds"],
    "stats": ["stats", "stats_report", "stats_summary"],
    "tfds": ["steps", "tfds"],
    "c": ["c"],
    # These stand alone, for fuzzers of other readers.
    "fuzzing": ["fuzzing", "fuzzing/messages", "fuzzing/random",
                "fuzzing/records", "fuzzing/text"],
}
WING_OF_HEADER = {f"headrace/{name}.h": wing
                  for wing, names in PUBLIC.items() for name in names}
ORDER = list(WINGS)
INCLUDE = re.compile(r'\s*#\s*include\s+(["<])([^">]+)[">]')

# Users compile the public headers without these.
PRIVATE_HEADERS = re.compile(
    r"(absl/|hwy/|xxhash|xxh3|zlib\.h|zstd|snappy|igzip|isa-l|libdeflate"
    r"|flatbuffers/|nlohmann/|google/)")
PRIVATE_NAMES = re.compile(
    r"\b(absl::|hwy::|HWY_|XXH\w*|z_stream|ZSTD_|snappy::|isal_|libdeflate_"
    r"|flatbuffers::|nlohmann::|google::protobuf)")


def place_of(path):
    """The wing and the room of a file, or of what an include names.

    The room is None outside of src. Both are None for files of others.
    """
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1], "/".join(parts[2:-1])
    if path.startswith("include/headrace/") or parts[0] == "headrace":
        return "public", None
    if parts[0] in ("wire", "python", "tests", "bench", "fuzz", "examples"):
        return parts[0], None
    return None, None


def is_known(wing, room):
    return room is None or room in {**WINGS, **PROGRAM_WINGS}.get(wing, ())


def stands_above(other, place, wings):
    """Whether one wing and room may be included by the other."""
    order = list(wings)
    if other[0] not in order or not is_known(*other):
        return False
    if other[0] == place[0]:
        rooms = wings[place[0]]
        return rooms.index(other[1]) <= rooms.index(place[1])
    if other[0] in LEAVES and place[0] in LEAVES:
        return False
    return order.index(other[0]) < order.index(place[0])


def may_include(place, other, name):
    """Whether a file at a place may include the project's header `name`."""
    wing = place[0]
    if wing in ("tests", "bench", "fuzz") or (place == other and wing != "public"):
        return True
    if wing == "wire":
        return False
    if other[0] == "public":
        floor = WING_OF_HEADER.get(name)
        return wing not in ORDER or (floor in ORDER and
                                     ORDER.index(floor) <= ORDER.index(wing))
    if wing in ("public", "examples"):
        return False
    if wing in ("python", "cli") and (other[0] in SEAM_WINGS or name in SEAM):
        return True
    if wing == "sample" and other[0] in ("base", "wire"):
        return True
    if wing == "python":
        return False
    if wing in PROGRAM_WINGS:
        return stands_above(other, place, PROGRAM_WINGS)
    if other[0] == "wire":
        return True
    return stands_above(other, place, WINGS)


def may_include_public(path, name):
    """Whether a public header may include another one."""
    own, floor = WING_OF_HEADER.get(path), WING_OF_HEADER.get(name)
    if own == floor:
        return True
    return own in ORDER and floor in ORDER and (
        ORDER.index(floor) < ORDER.index(own))


def complaint(path, place, quote, name):
    """What is wrong with one include, or None."""
    other = place_of(name)
    wing = place[0]
    if other[0] is not None:
        if wing == "public" and other[0] == "public":
            allowed = may_include_public(path.removeprefix("include/"), name)
        else:
            allowed = may_include(place, other, name)
        if not allowed:
            return f"{'/'.join(filter(None, place))} may not include {name}"
        if name.startswith("include/") or ".." in name.split("/"):
            return f"write the include of {name} from the root"
        return None
    if quote == '"' and "/" not in name and not PRIVATE_HEADERS.match(name):
        return f"write the include of {name} from the root"
    if wing == "public" and PRIVATE_HEADERS.match(name):
        return f"a public header may not include {name}"
    if wing == "wire" and "/" in name and not name.startswith("hwy/"):
        return f"wire may not include {name}"
    return None


def check(root):
    findings = []
    for path in tree.cpp_files(root):
        place = place_of(path.as_posix())
        if place[0] is None or not is_known(*place):
            findings.append(f"{path}: not in a known room")
            continue
        if place[0] == "public" and path.suffix == ".h" and (
                path.as_posix().removeprefix("include/") not in WING_OF_HEADER):
            findings.append(f"{path}: in no wing of check_includes.py")
        text = (root / path).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            wrong = None
            if match:
                wrong = complaint(path.as_posix(), place, *match.groups())
            elif place[0] == "public":
                name = PRIVATE_NAMES.search(line.split("//")[0])
                wrong = name and f"a public header may not use {name.group()}"
            if wrong:
                findings.append(f"{path}:{number}: {wrong}")
    return findings


if __name__ == "__main__":
    tree.main(check)
