"""Tables of docs/performance.md, of the newest points that were measured well."""

import points
from points import compare_table

BATCH = 256

# A column of bench_decode has the rate of a side, or the ratio to the rate of a
# second side. Each entry is the title, the two sides and the number of decimals.
DECODE_COLUMNS = [
    ("headrace", "headrace", None, 2), ("no CRC", "no CRC", None, 2),
    ("Reader", "Reader", None, 2), ("libprotobuf", "libprotobuf", None, 3),
    ("ratio", "headrace", "libprotobuf", 2),
    ("ratio with fill", "headrace", "libprotobuf+fill", 2),
    ("byte loop", "byte loop", None, 2), ("memcpy", "memcpy", None, 2),
    ("CRC only", "CRC only", None, 2), ("framing", "framing", None, 2),
]
INFLATE_COLUMNS = [
    ("Reader", "Reader", None, 2), ("inflate", "inflate", None, 2),
    ("zlib", "zlib", None, 2), ("Reader times inflate", "Reader", "inflate", 2),
    ("Reader times zlib", "Reader", "zlib", 2),
]

# A reader of bench/compare.py beside which headrace's columns are put: the begin
# of its sides' names, and its title.
PEERS = [
    ("tf.data", "TensorFlow"), ("tfx_bsl, records", "tfx_bsl"), ("DALI", "DALI"),
    ("Parquet, snappy", "Parquet, snappy and dictionaries"),
    ("Parquet, plain", "Parquet, plain"),
]


def table(rows):
    head, *others = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *others])


def machine_text(point):
    machine = point.machine
    kind = "a virtual machine" if machine["virtual"] else "a machine"
    governor = (f", governor {machine['governor']}" if machine["governor"] else "")
    return (f"{machine['cpu']} (model {machine['family']}), {kind} with "
            f"{machine['cores']} cores and {machine['memory_gib']} GiB of memory"
            f"{governor}, Linux {machine['kernel']}")


def source_text(point):
    decode = point.content["decode"]
    return (f"Commit `{point.commit}`, measured on {point.content['date']}: "
            f"{machine_text(point)}, {decode['compiler']}, target {decode['target']}, "
            f"CRC by {decode['crc']}, libprotobuf {decode['protobuf']}.")


def newest(history, has):
    """The newest good point that `has` a part; without any, why, as text."""
    for point in reversed(history):
        if point.is_clean and has(point):
            return point
    if any(has(point) for point in history):
        return ("All points with these figures were measured on a busy machine or with "
                "uncommitted changes, so this part has no figures.")
    return "The [history](performance-history.md) has no such figures yet."


def decode_cell(shape, fast, slow, digits):
    if not {fast, slow or fast} <= shape["sides"].keys():
        return "-"
    if slow is None:
        return f"{points.rate(shape, fast).median:.{digits}f}"
    spread = points.ratio(shape, fast, slow)
    return (f"{spread.median:.{digits}f} "
            f"({spread.min:.{digits}f}..{spread.max:.{digits}f})")


def decode_table(shapes, columns):
    head = ["shape", *(title for title, *_ in columns), "cycles/feature"]
    rows = [[shape["shape"],
             *(decode_cell(shape, *column) for _, *column in columns),
             f"{cycles(shape, columns[0][1]):.0f}"] for shape in shapes]
    return table([head, *rows])


def cycles(shape, side):
    seconds = points.spread_of(shape["sides"][side]).median
    return seconds * shape["clock_ghz"] * 1e9 / shape["features"]


def usual_shapes(point):
    return [shape for shape in point.content["decode"]["shapes"]
            if shape["batch_size"] == BATCH]


def decode_block(history):
    """Text of the figures of bench_decode."""
    point = newest(history, usual_shapes)
    if isinstance(point, str):
        return point
    shapes = usual_shapes(point)
    rounds = len(next(iter(shapes[0]["sides"].values())))
    parts = [f"{source_text(point)} Medians of {rounds} rounds, and ranges of ratios."]
    for mib in sorted({shape["file_bytes"] >> 20 for shape in shapes}):
        of_size = [shape for shape in shapes if shape["file_bytes"] >> 20 == mib]
        decoded = [shape for shape in of_size if "headrace" in shape["sides"]]
        inflated = [shape for shape in of_size if "inflate" in shape["sides"]]
        if decoded:
            parts += [f"Files of {mib} MiB:", decode_table(decoded, DECODE_COLUMNS)]
        if inflated:
            parts += [f"Gzip files of {mib} MiB before compression:",
                      decode_table(inflated, INFLATE_COLUMNS)]
    return "\n\n".join(parts)


def times(slow, fast):
    """The ratio as people read it; a dash if a side has no times."""
    if slow is None or fast is None:
        return "-"
    value = slow / fast
    return f"{value:.{0 if value >= 100 else 1 if value >= 3 else 2}f}"


def versions_text(shapes):
    """The peers that ran, with their versions."""
    versions = dict.fromkeys(
        side["version"] for shape in shapes for side in shape["sides"].values()
        if isinstance(side, dict) and side["version"] is not None)
    return ", ".join(versions) or "no other reader ran"


def compare_block(history):
    """Text of the figures of bench/compare.py."""
    point = newest(history, lambda point: point.content["compare"] is not None)
    if isinstance(point, str):
        return point
    shapes = point.content["compare"]["shapes"]
    peers = [(begin, title) for begin, title in PEERS
             if any(points.fastest(shape, begin) for shape in shapes)]
    columns = [["shape", "headrace", *(title for _, title in peers)]]
    for shape in shapes:
        own = points.compared_seconds(shape, compare_table.COLUMNS)
        columns.append([shape["shape"], f"{shape['bytes'] / own / 1e6:.0f}",
                        *(times(points.fastest(shape, begin), own)
                          for begin, _ in peers)])
    parts = [f"{source_text(point)} Other readers: {versions_text(shapes)}.",
             table(columns)]
    if any(points.fastest(shape, "tf.data") for shape in shapes):
        parts += ["When it makes the tensors of a spec, as TensorFlow does, headrace is "
                  "faster than TensorFlow by these factors:", table([
                      [shape["shape"] for shape in shapes],
                      [times(points.fastest(shape, "tf.data"),
                             points.compared_seconds(shape, compare_table.TENSORS))
                       for shape in shapes]])]
    return "\n\n".join(parts)
