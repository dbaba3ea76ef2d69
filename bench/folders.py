#!/usr/bin/env python3
"""Folders of TFDS and lists of Examples: headrace beside the libraries that made them.

Each side runs in a process of its own, all on one core, in turn. Images stay encoded on
both sides. TensorFlow Datasets and TensorFlow Ranking need environments of their own
(tests/python/requirements-tfds.txt and -ranking.txt), which `--python tfds=PYTHON` and
`--python ranking=PYTHON` name; what is not installed is said. Needs headrace and numpy:

    PYTHONPATH=build/python python bench/folders.py
"""

import json
import os
import random
import statistics
import sys

import compare

# By case: each name in the table, the program of bench/peers, and its way.
CASES = {
    "robot": {
        "tf.data, batches of 256 steps": ("tfds", "steps"),
        "tf.data, a batch for each episode": ("tfds", "episodes"),
        "headrace, batches of 256 steps": ("headrace_tfds", "steps"),
        "headrace, batches of 16 episodes": ("headrace_tfds", "episodes"),
    },
    "scalars": {
        "tf.data, batches of 256": ("tfds", "rows"),
        "headrace, batches of 256": ("headrace_tfds", "rows"),
    },
    "elwc": {
        "tensorflow_ranking, batches of 32": ("ranking", "parse"),
        "headrace, batches of 32": ("headrace_elwc", "parse"),
    },
}
PROGRAMS = sorted({program for sides in CASES.values() for program, _ in sides.values()})
SHARDS = 4
CLASSES = {(): "scalar.Scalar", None: "text_feature.Text"}
# Features of the folder of scalars and small tensors: types and shapes; None is text.
SMALL = {
    **{f"f{i}": ("float32", ()) for i in range(8)},
    **{f"n{i}": ("int64", ()) for i in range(4)},
    "flag": ("bool", ()),
    "label": ("int32", ()),
    "name": ("string", None),
    "place": ("float32", (3,)),
    "matrix": ("float32", (2, 3)),
    "pixels": ("uint8", (16,)),
}


def node(dtype, shape):
    """A feature of features.json."""
    name = CLASSES.get(shape, "tensor_feature.Tensor")
    made = {"pythonClassName": f"tensorflow_datasets.core.features.{name}"}
    if shape is None:
        return {**made, "text": {}}
    dimensions = {"dimensions": list(map(str, shape))} if shape else {}
    return {**made, "tensor": {"dtype": dtype, "shape": dimensions,
                               "encoding": "none"}}


def values(rng, dtype, shape):
    if shape is None:
        return [b"name-%x" % rng.getrandbits(30)]
    count = 1
    for size in shape:
        count *= size
    if dtype == "float32":
        return [rng.random() for _ in range(count)]
    most = {"bool": 1, "uint8": 255, "int32": 99, "int64": 1 << 40}[dtype]
    return [rng.randint(0, most) for _ in range(count)]


def write_small(folder, records):
    """A folder of scalars and small tensors, as TensorFlow Datasets has them."""
    import headrace
    folder.mkdir(parents=True)
    rng = random.Random(1)
    lengths, size = [], 0
    for shard in range(SHARDS):
        path = folder / f"small-train.tfrecord-{shard:05}-of-{SHARDS:05}"
        lengths.append(records // SHARDS)
        with headrace.Writer(path) as writer:
            for _ in range(lengths[-1]):
                writer.write({name: values(rng, *of) for name, of in SMALL.items()})
        size += path.stat().st_size - 16 * lengths[-1]
    root = {"pythonClassName": "tensorflow_datasets.core.features.features_dict"
                               ".FeaturesDict",
            "featuresDict": {"features": {name: node(*of)
                                          for name, of in SMALL.items()}}}
    info = {"name": "small", "version": "1.0.0", "fileFormat": "tfrecord", "splits": [{
        "name": "train", "numBytes": str(size), "shardLengths": list(map(str, lengths)),
        "filepathTemplate": "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"}]}
    (folder / "features.json").write_text(json.dumps(root), encoding="utf-8")
    (folder / "dataset_info.json").write_text(json.dumps(info), encoding="utf-8")


class Data:
    """The files of a case: about `mib` of them.

    Attributes:
        path: the folder or file.
        bytes: with framing.
        records: by way, what a pass must count.
    """

    def __init__(self, case, headrace, folder, mib):
        self.path = folder / "small" / "1.0.0"
        records = max(SHARDS, (mib << 20) // 448 // SHARDS * SHARDS)
        if case == "scalars":
            write_small(self.path, records)
        elif case == "robot":
            self.path = folder / "robot" / "1.0.0"
            records = max(SHARDS, mib * 3)  # an episode has about a third of a MiB
            headrace.run("gen", "--quiet", "--shape", "robot", "--shards", SHARDS,
                         "--records", records, "-o", self.path)
        else:
            self.path = folder / "elwc.tfrecord"
            records = headrace.generate(self.path, ["--shape", "elwc"], mib << 20)
        files = [self.path] if self.path.is_file() else sorted(
            path for path in self.path.iterdir() if "tfrecord" in path.name)
        self.bytes = sum(path.stat().st_size for path in files)
        self.records = dict.fromkeys(("rows", "episodes", "parse"), records)
        if case == "robot":
            stats = json.loads(headrace.run("stats", "--json", "--quiet", *files))
            (reward,) = (feature for feature in stats["features"]
                         if feature["name"] == "steps/reward")
            self.records["steps"] = reward["float"]["count"]


def take(side, answer):
    if "seconds" not in answer:
        side["status"] = compare.trouble(answer)
        return
    side["seconds"] += answer["seconds"]
    side["version"] = answer["version"]
    side["cpu_share"] = min(answer["cpu_share"], side.get("cpu_share", 1))


def measure_case(case, options, folder):
    headrace = compare.Headrace(str(options.headrace))
    data = Data(case, headrace, folder, options.mib)
    sides = {name: {"name": name, "seconds": [], "status": "ok"}
             for name, (program, _) in CASES[case].items() if program in options.peers}
    for _ in range(options.rounds):
        for name, side in sides.items():
            if side["status"] != "ok":
                continue
            program, way = CASES[case][name]
            job = {"file": str(data.path), "records": data.records[way],
                   "batch": 32 if case == "elwc" else compare.BATCH, "way": way,
                   "folder": str(folder), "seconds": options.seconds, "passes": 2}
            python = options.python.get(program, sys.executable)
            take(side, compare.run_peer(python, program, job))
    return {"case": case, "bytes": data.bytes, "records": data.records,
            "sides": list(sides.values())}


def measure(options, folder):
    # Everything that is started inherits it.
    os.sched_setaffinity(0, {options.core})
    chosen = [case for case, sides in CASES.items()
              if any(program in options.peers for program, _ in sides.values())]
    return {"cases": [measure_case(case, options, folder) for case in chosen],
            "core": options.core,
            "headrace": compare.Headrace(str(options.headrace)).run(
                "--version").splitlines()}


def line(side, size, ours):
    if not side["seconds"]:
        return f"  {side['name']:<38}{side['status']}"
    rates = sorted(size / 1e6 / second for second in side["seconds"])
    middle = statistics.median(rates)
    text = (f"  {side['name']:<38}{middle:>9,.0f}  "
            f"({rates[0]:,.0f}..{rates[-1]:,.0f})")
    is_ours = side["name"].startswith("headrace")
    return text if is_ours or not ours else f"{text}  {ours / middle:.1f} x"


def text_of(result):
    """The ratio of a peer is that of headrace's slower way to it."""
    lines = []
    for case in result["cases"]:
        size = case["bytes"]
        ours = [size / 1e6 / statistics.median(side["seconds"])
                for side in case["sides"]
                if side["name"].startswith("headrace") and side["seconds"]]
        lines.append(f"  {case['case']:<38}{'MB/s':>9}")
        lines += [line(side, size, min(ours, default=0)) for side in case["sides"]]
    return "\n".join(lines)


def main():
    compare.run_comparison(__doc__.splitlines()[0], "folders", PROGRAMS, PROGRAMS,
                           mib=64, measure=measure, text_of=text_of)


if __name__ == "__main__":
    main()
