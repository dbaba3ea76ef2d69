#!/usr/bin/env python3
"""Rooms include only rooms that stand above them.

The order is that of docs/design.md; it is what keeps the flow from bytes to
columns one-way.
"""

import re

import tree

ROOMS = ["base", "compression", "source", "record", "index", "spec",
         "schema/tfmd", "schema", "plan", "column", "infer", "decode", "census",
         "tensor", "order", "reader", "dataset", "arrow", "encode", "stats",
         "steps", "report", "tfds", "c"]
# The program's, which see none of those; "cli" is its root.
PROGRAM_ROOMS = ["cli/text", "cli/json", "cli", "cli/bench", "cli/verbs",
                 "cli/shuffle"]
INCLUDE = re.compile(r'\s*#\s*include\s+(["<])([^">]+)[">]')

# Users compile the public headers without these.
PRIVATE_HEADERS = re.compile(
    r"(absl/|hwy/|xxhash|xxh3|zlib\.h|zstd|snappy|igzip|isa-l|libdeflate"
    r"|flatbuffers/|nlohmann/|google/)")
PRIVATE_NAMES = re.compile(
    r"\b(absl::|hwy::|HWY_|XXH\w*|z_stream|ZSTD_|snappy::|isal_|libdeflate_"
    r"|flatbuffers::|nlohmann::|google::protobuf)")


def room_of(path):
    """The room that a file, or what an include names, belongs to."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return "/".join(parts[1:-1])
    if path.startswith("include/headrace/"):
        return "public"
    if parts[0] == "headrace":
        return "public"
    if parts[0] in ("wire", "python", "tests", "bench", "fuzz", "examples"):
        return parts[0]
    return None


def stands_above(other, room, rooms):
    return (other in rooms and room in rooms
            and rooms.index(other) < rooms.index(room))


def may_include(room, other):
    """Whether a file of room may include a file of the project's room other."""
    if room in ("tests", "bench", "fuzz") or room == other:
        return True
    if room in ("wire", "public"):
        return False
    if other == "public":
        return True
    if room in ("python", "examples"):
        return False
    if room in PROGRAM_ROOMS:
        return stands_above(other, room, PROGRAM_ROOMS)
    if other == "wire":
        return room != "base"
    return stands_above(other, room, ROOMS)


def complaint(path, room, quote, name):
    """What is wrong with one include, or None."""
    other = room_of(name)
    if other is not None:
        if not may_include(room, other):
            return f"{room} may not include {name}"
        if name.startswith("include/") or ".." in name.split("/"):
            return f"write the include of {name} from the root"
        return None
    if quote == '"' and "/" not in name and not PRIVATE_HEADERS.match(name):
        return f"write the include of {name} from the root"
    if room == "public" and PRIVATE_HEADERS.match(name):
        return f"a public header may not include {name}"
    if room == "wire" and "/" in name and not name.startswith("hwy/"):
        return f"wire may not include {name}"
    return None


def check(root):
    findings = []
    for path in tree.cpp_files(root):
        room = room_of(path.as_posix())
        if room is None or (path.parts[0] == "src"
                            and room not in ROOMS + PROGRAM_ROOMS):
            findings.append(f"{path}: not in a known room")
            continue
        text = (root / path).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            wrong = None
            if match:
                wrong = complaint(path, room, *match.groups())
            elif room == "public":
                name = PRIVATE_NAMES.search(line.split("//")[0])
                wrong = name and f"a public header may not use {name.group()}"
            if wrong:
                findings.append(f"{path}:{number}: {wrong}")
    return findings


if __name__ == "__main__":
    tree.main(check)
