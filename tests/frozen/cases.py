"""The files of a generation, and the cases that are made of them.

Everything follows from fixed seeds. A file or case that a generation has is never
written again, so a new case gets a new name.
"""

import contextlib
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

import corpus
import headrace as hr
import pyarrow as pa
import xxhash

PROGRAM = pathlib.Path(os.environ["HEADRACE"]).resolve()
# The files of records that have indexes, by the name of the index's case.
INDEXED = {
    "plain": "people.tfrecord",
    "gzip": "text.tfrecord.gz",
    "zlib": "text.tfrecord.zz",
    "zstd": "text.tfrecord.zst",
    "blocked_gzip": "blocked.tfrecord.gz",
    "blocked_zstd": "blocked.tfrecord.zst",
    "sequence": "sequence.tfrecord",
    "empty": "empty.tfrecord",
}
# The time of the data file of the index that has one.
MTIME_NS = 1_700_000_000_123_456_789
EPISODES = "data/robot/1.0.0"


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory() as folder:
        yield pathlib.Path(folder)


def program(*arguments):
    # The program has pyarrow write Parquet, by this package.
    environment = {**os.environ, "HEADRACE_PYTHON": sys.executable,
                   "PYTHONPATH": str(pathlib.Path(hr.__file__).parents[1])}
    subprocess.run([PROGRAM, *arguments], check=True, env=environment,
                   stdout=subprocess.DEVNULL)


def put(name, make):
    """Writes a file with the bytes or text that `make` returns, unless it exists; if
    `make` returns None, it has written the file itself."""
    path = pathlib.Path(name)
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    content = make()
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def write_files():
    """Writes the files that the working directory, a generation, lacks."""
    write_data()
    write_episodes()
    for name, file in INDEXED.items():
        del name
        put(f"index/{file}.hri", lambda file=file: index_of(f"data/{file}"))
    put("index/timed/people.tfrecord.hri", timed_index)
    put("index/dali/people.tfrecord.idx", lambda: program(
        "index", "--quiet", "--format", "dali", "-o", "index/dali", "data/people.tfrecord"))
    for name, text in SPECS.items():
        put(f"specs/{name}", lambda text=text: text)
    write_stats()
    write_arrow()


# ---------------------------------------------------------------------- Records


def people():
    for i in range(120):
        row = {"id": i, "name": f"person {i}", "score": i / 8, "group": f"g{i % 3}",
               "box": [float(i), 0.5, -i / 2, 1e-3 * i], "tags": [b"tag %d" % j for j in range(i % 4)],
               "odd": [b"\xff\x00%d" % i]}
        if i % 7 == 0:
            del row["score"]
        yield row


def texts(count):
    """Text that compresses well, and still has many blocks of deflate."""
    chosen = random.Random(7)
    words = ["".join(chosen.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(64)]
    for i in range(count):
        text = " ".join(chosen.choices(words, k=8) + [f"line {i}"] * 40)
        yield {"id": i, "text": text}


def sequences():
    rows = range(60)
    steps = pa.array([[[float(i), j / 2] for j in range(i % 4)] for i in rows],
                     pa.list_(pa.list_(pa.float32())))
    words = pa.array([[[b"w%d" % j] * (j % 3) for j in range(i % 3)] for i in rows],
                     pa.list_(pa.list_(pa.binary())))
    return hr.encode(pa.table({
        "id": pa.array([[i] for i in rows], pa.list_(pa.int64())),
        "##SEQUENCE##": pa.StructArray.from_arrays([steps, words], ["steps", "words"]),
    }))


def written(rows, name, **options):
    """Returns the bytes of a file that `Writer` writes."""
    with scratch() as folder:
        with hr.Writer(folder / name, **options) as writer:
            for row in rows:
                writer.write(row)
        return (folder / name).read_bytes()


def deflated(data, window_bits):
    """One member or stream of many blocks of deflate, each of which is small."""
    packer = zlib.compressobj(9, zlib.DEFLATED, window_bits, 2)
    return packer.compress(data) + packer.flush()


def damaged(data):
    """The file with a wrong byte in the header of its record 30."""
    at = hr.Dataset("data/people.tfrecord").origin(30).offset + 8
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def write_data():
    plain = lambda: written(texts(560), "a.tfrecord")  # noqa: E731
    put("data/people.tfrecord", lambda: written(people(), "a.tfrecord"))
    put("data/more.tfrecord", lambda: written(list(people())[::-2], "a.tfrecord"))
    put("data/damaged.tfrecord",
        lambda: damaged(pathlib.Path("data/people.tfrecord").read_bytes()))
    put("data/empty.tfrecord", lambda: b"")
    put("data/sequence.tfrecord", lambda: written(sequences(), "a.tfrecord"))
    put("data/text.tfrecord.gz", lambda: deflated(plain(), 31))
    put("data/text.tfrecord.zz", lambda: deflated(plain(), 15))
    put("data/text.tfrecord.zst", lambda: written(texts(200), "a.tfrecord.zst"))
    for end in ("gz", "zst"):
        put(f"data/blocked.tfrecord.{end}", lambda end=end: written(
            texts(200), f"a.tfrecord.{end}", block_bytes=1 << 13))


def feature(**members):
    return {"pythonClassName": "tfds.Tensor",
            "tensor": {"encoding": "none", "shape": {"dimensions": []}, **members}}


def features(**members):
    return {"pythonClassName": "tfds.FeaturesDict", "featuresDict": {"features": members}}


def write_episodes():
    """A folder of TFDS with 12 episodes in two shards."""
    steps = features(
        action=feature(dtype="float32", shape={"dimensions": ["2"]}),
        number=feature(dtype="int64"))
    lists = {"pythonClassName": "tfds.Dataset", "sequence": {"feature": steps, "length": "-1"}}
    top = features(episode_id=feature(dtype="int32"), steps=lists)
    put(f"{EPISODES}/features.json", lambda: json.dumps(top, indent=1) + "\n")
    put(f"{EPISODES}/dataset_info.json", lambda: json.dumps({
        "name": "robot", "version": "1.0.0",
        "splits": [{"name": "train", "shardLengths": ["7", "5"]}]}, indent=1) + "\n")
    for shard, numbers in enumerate((range(7), range(7, 12))):
        episodes = [
            {"episode_id": n, "steps/number": [10 * n + i for i in range(n % 5)],
             "steps/action": [i / 4 for i in range(2 * (n % 5))]} for n in numbers]
        put(f"{EPISODES}/robot-train.tfrecord-{shard:05}-of-00002",
            lambda rows=episodes: written(rows, "a.tfrecord"))


# ---------------------------------------------------------------------- Indexes


def index_of(data, mtime_ns=None):
    """Returns the index of a file. A checkout does not keep the time of a file, so the
    index has one only if `mtime_ns` is given."""
    with scratch() as folder:
        path = folder / pathlib.Path(data).name
        path.write_bytes(pathlib.Path(data).read_bytes())
        if mtime_ns is not None:
            os.utime(path, ns=(mtime_ns, mtime_ns))
        [index] = hr.index(path, checkpoint_bytes=1 << 16)
        found = pathlib.Path(index).read_bytes()
    return found if mtime_ns is not None else without_time(found)


def without_time(index):
    """Returns the index as docs/formats/index.md has it for a time that is not known:
    flag 1 is not set, and the 8 bytes at 16 are 0."""
    flags, = struct.unpack_from("<H", index, 6)
    head = index[:6] + struct.pack("<H", flags & ~1) + index[8:16] + bytes(8) + index[24:64]
    return head + xxhash.xxh3_64(head).intdigest().to_bytes(8, "little") + index[72:]


def timed_index():
    return index_of("data/people.tfrecord", MTIME_NS)


# -------------------------------------------- Specs, statistics, Arrow and Parquet


def spec_text(features, **members):
    return json.dumps({"message": "example", **members, "features": features}, indent=1) + "\n"


ID = {"name": "id", "kind": "fixed_len", "dtype": "int64", "shape": []}
SPECS = {
    "id.json": spec_text([ID]),
    "people.json": spec_text([
        ID,
        {"name": "box", "kind": "fixed_len", "dtype": "float", "shape": [2, 2]},
        {"name": "score", "kind": "fixed_len", "dtype": "float", "shape": [],
         "default": ["0x7fc00001"]},
        {"name": "tags", "kind": "ragged", "dtype": "bytes"},
        {"name": "first_tags", "kind": "var_len", "dtype": "bytes", "column": "odd",
         "pad_to": 2, "truncate": True},
    ]),
    "kinds.json": spec_text([
        {"name": "points", "kind": "fixed_len_sequence", "dtype": "float", "shape": [3],
         "allow_missing": True, "default": "NaN"},
        {"name": "ids", "kind": "var_len", "dtype": "int64", "as": "int32"},
        {"name": "weights", "kind": "sparse", "dtype": "float", "size": [10, 20],
         "index_keys": ["row", "col"], "value_key": "weight", "check_indices": True},
        {"name": "words", "kind": "ragged", "dtype": "bytes", "value_key": "word",
         "partitions": [{"row_lengths": "per_line"}], "row_splits_dtype": "int64"},
        {"name": "depth", "kind": "ragged", "dtype": "bytes", "as": "float",
         "encoding": "zlib", "shape": [-1], "item_shape": [-1, 64]},
        {"name": "raw", "kind": "fixed_len", "dtype": "bytes", "shape": [],
         "default": {"b64": "/9j/"}},
    ]),
    "sequence.json": spec_text(
        [ID], message="sequence_example", sequence_features=[
            {"name": "steps", "kind": "fixed_len_sequence", "dtype": "float", "shape": [2]},
            {"name": "words", "kind": "ragged", "dtype": "bytes"}]),
    "lists.json": spec_text(
        [{"name": "query", "kind": "var_len", "dtype": "bytes"}], message="elwc",
        example_features=[{"name": "score", "kind": "fixed_len", "dtype": "float",
                           "shape": [], "default": [-1.0]}],
        list_size=4, size_feature_name="size", mask_feature_name="mask"),
    "people.pbtxt": """\
feature {
  name: "id"
  type: INT
  presence { min_fraction: 1 }
  shape { dim { size: 1 } }
}
feature {
  name: "name"
  type: BYTES
  presence { min_fraction: 1 }
  shape { dim { size: 1 } }
}
""",
}
SPEC_DATA = {"id.json": "people", "people.json": "people", "sequence.json": "sequence",
             "people.pbtxt": "people"}
# The data, and what is counted of them.
STATS = {
    "people": ("people", []),
    "by_group": ("people", ["--features", "id,score", "--by", "group"]),
    "sequence": ("sequence", []),
}


def write_stats():
    for name, (data, options) in STATS.items():
        for form, end in (("state", "state"), ("tfdv", "pb")):
            file = f"stats/{name}.{end}"
            put(file, lambda options=options, form=form, file=file, data=data: program(
                "stats", "--quiet", *options, "--format", form, "-o", file,
                f"data/{data}.tfrecord"))


ARROW = ["people.arrow", "people.arrows", "people.parquet", "sequence.arrow",
         "sequence.parquet", "tensors.arrow", "tensors.parquet"]


def write_arrow():
    for file in ARROW:
        name = file.split(".")[0]
        spec = ["--spec", "specs/people.json"] if name == "tensors" else []
        data = "sequence" if name == "sequence" else "people"
        put(f"arrow/{file}", lambda file=file, spec=spec, data=data: program(
            "convert", "--quiet", *spec, "-o", f"arrow/{file}", f"data/{data}.tfrecord"))


# ------------------------------------------------------------------------ Cases


ORDERS = {
    "small": [{"n": n, "seed": seed, "epoch": n % 4, "block": block, "window": window}
              for n in (1, 2, 10, 100, 257) for seed in (0, 2**64 - 1)
              for block, window in ((1, 1), (3, 2), (16, 4))],
    "table_and_network": [{"n": n, "seed": 7, "epoch": 2}
                          for n in (65535, 65536, 65537, 10**6, 10**9, 2**59, 2**64 - 1)],
    "blocks": [{"n": n, "seed": 11, "epoch": epoch, "block": block, "window": window}
               for n in (1000, 10**6 + 1) for epoch in (0, 2**32 - 1)
               for block, window in ((256, 16), (1000, 100), (7, 20000), (2**63, 1))],
    "lanes": [{"n": n, "seed": 5, "epoch": 1, "block": 64, "window": 8, "lanes": lanes,
               "turn": turn}
              for n in (1000, 10**6 + 1) for lanes, turn in ((2, 1), (8, 100), (3, 4096))],
}


def state(made, taken):
    """A state after `taken` batches. The reader that it was taken from goes on as one
    that is made of it."""
    batches = corpus.iterator(made)
    for _ in range(taken):
        next(batches)
    found = json.loads(json.dumps(batches.state_dict()))
    again = corpus.iterator(made, found)
    assert corpus.rest_of(made, batches) == corpus.rest_of(made, again)
    return {"made": made, "state": found}


def made(by, paths, column="id", most=None, **options):
    return {"by": by, "paths": paths, "column": column, "most": most, "options": options}


SHUFFLE = {"seed": 7, "block": 4, "window": 3}
PEOPLE, MORE = "data/people.tfrecord", "data/more.tfrecord"
ID_SPEC = {"spec": "specs/id.json"}
STATES = {
    "reader_at_the_start": (made("open", PEOPLE, batch_size=32, **ID_SPEC), 0),
    "reader": (made("open", [PEOPLE, MORE], batch_size=7, epochs=2, **ID_SPEC), 20),
    "reader_of_gzip": (
        made("open", "data/text.tfrecord.gz", batch_size=100, **ID_SPEC), 2),
    "reader_of_payloads": (
        made("open", PEOPLE, "payload", message="raw", batch_size=50), 1),
    "reader_after_damage": (
        made("open", "data/damaged.tfrecord", "payload", message="raw", batch_size=30,
             on_corrupt="rescan"), 2),
    "batches": (made("batches", [PEOPLE, MORE], batch_size=16), 3),
    "batches_shuffled": (
        made("batches", [PEOPLE, MORE], batch_size=16, shuffle={"seed": 7}, epochs=2), 12),
    "batches_of_blocks": (
        made("batches", PEOPLE, batch_size=9, shuffle=SHUFFLE, rank=1, world_size=3), 2),
    "batches_of_lanes": (
        made("batches", PEOPLE, batch_size=5, shuffle={**SHUFFLE, "lanes": 4}), 6),
    "batches_apart": (
        made("batches", PEOPLE, batch_size=50, end="uneven", epochs=3, rank=1,
             world_size=2, shuffle=SHUFFLE), 2),
    "batches_of_one_rank": (
        made("batches", PEOPLE, batch_size=50, end="uneven", epochs=3, rank=0,
             world_size=2), 5),
    "shuffled": (made("open", PEOPLE, batch_size=16, shuffle=SHUFFLE, **ID_SPEC), 2),
    "shuffled_in_a_buffer": (
        made("open", "data/text.tfrecord.gz", batch_size=32, epochs=2,
             shuffle={"seed": 7, "buffer": 40000}, **ID_SPEC), 12),
    "mix": (
        made("mix", [[PEOPLE, 0.7], [MORE, 0.3]], most=30, batch_size=8, seed=3), 10),
    "tfds_reader": (made("tfds.open", EPISODES, "episode_id", batch_size=2), 4),
    "tfds_shuffled": (
        made("tfds.open", EPISODES, "episode_id", batch_size=2, shuffle={"seed": 7}), 2),
    "tfds_batches": (
        made("tfds.batches", EPISODES, "episode_id", batch_size=2, shuffle={"seed": 7}), 2),
    "tfds_steps": (made("tfds.open", EPISODES, "number", steps=True, batch_size=4), 3),
    "tfds_steps_shuffled": (
        made("tfds.open", EPISODES, "number", steps=True, batch_size=3, episodes=4,
             shuffle={"seed": 7}), 2),
    "tfds_windows": (
        made("tfds.open", EPISODES, "number", window=2, batch_size=3, episodes=5), 2),
}


def cases():
    """Yields kind and name of each case, and a function that returns it."""
    for name, file in INDEXED.items():
        yield "index", name, lambda file=file: {
            "data": f"data/{file}", "index": f"index/{file}.hri"}
    yield "index", "timed", lambda: {
        "data": PEOPLE, "index": "index/timed/people.tfrecord.hri", "mtime_ns": MTIME_NS}
    yield "index", "dali", lambda: {
        "data": PEOPLE, "index": "index/dali/people.tfrecord.idx"}
    for name, orders in ORDERS.items():
        yield "order", name, lambda orders=orders: {"orders": orders}
    for name, (given, taken) in STATES.items():
        yield "state", name, lambda given=given, taken=taken: state(given, taken)
    for name in STATS:
        yield "stats", name, lambda name=name: {
            "state": f"stats/{name}.state", "stats.pb": f"stats/{name}.pb"}
    for file in ARROW:
        yield "arrow", file.replace(".", "_"), lambda file=file: {
            "file": f"arrow/{file}", "has_messages": not file.startswith("tensors")}
    for file in SPECS:
        data = {"data": f"data/{SPEC_DATA[file]}.tfrecord"} if file in SPEC_DATA else {}
        yield "spec", file.replace(".", "_"), lambda file=file, data=data: {
            "spec": f"specs/{file}", **data}
