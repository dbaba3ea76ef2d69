"""Reads the frozen corpus: makes of each case what it says, and returns the result.

A case is a file `cases/KIND/NAME.json` of a generation, with the members "case" and
"result". add_generation.py stores the result that the build of then returned;
test_frozen.py compares what the build of now returns.
"""

import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil

import headrace as hr
import headrace.tfds
import numpy as np
import pyarrow as pa
import pyarrow.parquet

HERE = pathlib.Path(__file__).resolve().parent
MANIFEST = "manifest.json"
GENERATIONS = sorted(path.parent for path in HERE.glob(f"*/{MANIFEST}"))


def numbers_of(version):
    """Returns a version without what a candidate adds: 0.1.0 of 0.1.0rc1."""
    return re.match(r"[\d.]+", version)[0]


@contextlib.contextmanager
def inside(generation):
    """The names of files in cases and states are relative to their generation."""
    before = os.getcwd()
    os.chdir(generation)
    try:
        yield
    finally:
        os.chdir(before)


def files_of(generation):
    """The digests of all files of a generation but the manifest, by name."""
    return {
        str(path.relative_to(generation)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(generation.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def digest(parts):
    """A digest of byte strings, and of where each of them ends."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()


def plain(value):
    """A value in the types of JSON: bytes as hexadecimal digits, floats exactly."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    return value


# ---------------------------------------------------------------------- Indexes


def copy_with_index(case, folder, index):
    """Copies a data file, with the bytes `index` as its index beside it."""
    path = folder / pathlib.Path(case["data"]).name
    shutil.copyfile(case["data"], path)
    path.with_name(path.name + pathlib.Path(case["index"]).suffix).write_bytes(index)
    if "mtime_ns" in case:
        os.utime(path, ns=(case["mtime_ns"], case["mtime_ns"]))
    return path


def index_result(case, folder):
    index = pathlib.Path(case["index"]).read_bytes()
    path = copy_with_index(case, folder, index)
    rows = hr.Dataset(path, index="required", message="raw")
    payloads = rows.payloads(range(len(rows)))
    some = range(0, len(rows), 37)
    # One by one, in reverse: each from the nearest point.
    assert [rows.payloads([n])[0] for n in reversed(some)] == payloads[::37][::-1]
    return {
        "records": len(rows),
        "fingerprint": f"{rows.fingerprint:016x}",
        "offsets": [rows.origin(n).offset for n in some],
        "payloads": digest(payloads),
    }


# ----------------------------------------------------------------------- Orders


def order_result(case, folder):
    del folder
    results = []
    for arguments in case["orders"]:
        options = dict(arguments)
        size, seed, epoch = options.pop("n"), options.pop("seed"), options.pop("epoch")
        positions = positions_of(size)
        rows = hr.order(size, seed, epoch, positions, **options)
        results.append({
            "positions": len(positions),
            "first": rows[:4].tolist(),
            "rows": hashlib.sha256(rows.astype("<u8").tobytes()).hexdigest(),
        })
    return results


def positions_of(size):
    """The first and the last positions of an epoch, and some between."""
    if size <= 300:
        return np.arange(size, dtype=np.uint64)
    between = [size // 97 * step for step in range(1, 97)]
    return np.array([*range(128), *between, *range(size - 64, size)], np.uint64)


# ----------------------------------------------------------------------- States


def iterator(made, state=None):
    """Returns the reader that `made` describes, moved to the state if there is one."""
    options = {
        name: hr.Shuffle(**value)
        if name == "shuffle" and isinstance(value, dict) else value
        for name, value in made["options"].items()
    }
    if made["by"] == "mix":
        pairs = [(_dataset(paths), weight) for paths, weight in made["paths"]]
        found = hr.mix(pairs, **options)
    elif made["by"] == "batches":
        found = _dataset(made["paths"]).batches(**options)
    elif made["by"] == "tfds.batches":
        found = hr.tfds.Dataset(made["paths"]).batches(**options)
    elif made["by"] == "tfds.open":
        found = hr.tfds.open(made["paths"], **options)
    else:
        found = hr.open(made["paths"], **options)
    if state is not None:
        found.load_state_dict(state)
    return found


def _dataset(paths):
    return hr.Dataset(paths, spec="specs/id.json")


def rest_of(made, batches):
    """Returns the sizes of the next batches, and what identifies their rows."""
    sizes, rows = [], []
    for batch in itertools.islice(batches, made.get("most")):
        if made["column"] == "payload":
            ids = [hashlib.sha256(found).hexdigest()[:16] for found in batch.payloads()]
        else:
            ids = np.asarray(batch[made["column"]].numpy()).tolist()
        sizes.append(len(ids))
        rows += ids
    text = json.dumps(rows)
    return {
        "sizes": sizes, "first": rows[:6],
        "rows": hashlib.sha256(text.encode()).hexdigest(),
    }


def state_result(case, folder):
    del folder
    return rest_of(case["made"], iterator(case["made"], case["state"]))


# ------------------------------------------------------------------- Statistics


def stats_result(case, folder):
    stats = hr.Stats.load(case["state"])
    stats.save(folder / "saved")
    assert hr.Stats.load(folder / "saved") == stats
    return {
        "json": json.loads(stats.to_json()),
        "stats.pb": hashlib.sha256(stats.to_tfdv()).hexdigest(),
        "records_of_two": stats.merge(stats).num_records,
    }


# -------------------------------------------------------------- Arrow and Parquet


def arrow_result(case, folder):
    path = case["file"]
    if path.endswith(".parquet"):
        table = pyarrow.parquet.read_table(path)
    elif path.endswith(".arrows"):
        table = pa.ipc.open_stream(path).read_all()
    else:
        table = pa.ipc.open_file(path).read_all()
    table.validate(full=True)
    result = {"schema": schema_of(table.schema), "rows": table.num_rows,
              "values": values_of(table)}
    if case["has_messages"]:
        result["messages"] = digest(hr.encode(table))
    if case["has_messages"] and path.endswith(".parquet"):
        written = folder / "from_parquet.tfrecord"
        hr.from_parquet(path, written)
        rows = hr.Dataset(written, message="raw")
        result["from_parquet"] = digest(rows.payloads(range(len(rows))))
    return result


def schema_of(schema):
    return [[field.name, str(field.type), field.nullable] for field in schema]


def values_of(table):
    """A digest of each column's values."""
    found = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        array = column.combine_chunks()
        storage = array.storage if isinstance(array, pa.ExtensionArray) else array
        text = json.dumps(plain(storage.to_pylist()))
        found[name] = hashlib.sha256(text.encode()).hexdigest()
    return found


# ------------------------------------------------------------------------ Specs


def spec_result(case, folder):
    del folder
    text = pathlib.Path(case["spec"]).read_text(encoding="utf-8")
    result = {}
    if case["spec"].endswith(".json"):
        spec = hr.Spec.from_json(text)
        result["json"] = spec.to_json()
        assert hr.Spec.from_json(result["json"]) == spec
    else:
        spec = hr.Schema.from_text(text)
    plan = hr.Plan(spec)
    result["plan"] = str(plan).splitlines()
    result["schema"] = schema_of(pa.schema(plan))
    if "data" in case:
        batches = [pa.record_batch(batch) for batch in hr.open(case["data"], spec=spec)]
        result["values"] = values_of(pa.Table.from_batches(batches))
    return result


# The test of the C interface compares the files of "abi" (tests/package/abi_test.py).
RESULTS = {
    "arrow": arrow_result,
    "index": index_result,
    "order": order_result,
    "spec": spec_result,
    "state": state_result,
    "stats": stats_result,
}
