"""Writes folders of RLDS episodes, as tensorflow_datasets does."""

import json

import numpy as np

import headrace as hr


def node(dtype="float32", shape=(), encoding="none"):
    return {
        "pythonClassName": "tfds.Tensor",
        "tensor": {
            "dtype": dtype, "encoding": encoding,
            "shape": {"dimensions": [str(n) for n in shape]},
        },
    }


def names(**features):
    return {"pythonClassName": "tfds.FeaturesDict", "featuresDict": {"features": features}}


def lists(kind, feature):
    return {
        "pythonClassName": f"tfds.{kind}",
        "sequence": {"feature": feature, "length": "-1"},
    }


FEATURES = names(
    episode_id=node("int32"),
    steps=lists("Dataset", names(
        action=node(shape=[2]),
        number=node("int64"),
        observation=names(
            image={"pythonClassName": "tfds.Image", "image": {"shape": {}}},
            touches=lists("Sequence", node("int32")),
        ),
    )),
)


def write_folder(path, episodes, shards=2):
    """Episodes are lists of steps: (number, touches)."""
    counts = [len(episodes[i::shards]) for i in range(shards)]
    path.mkdir()
    (path / "features.json").write_text(json.dumps(FEATURES))
    (path / "dataset_info.json").write_text(json.dumps({
        "name": "robot", "version": "1.0.0",
        "splits": [{"name": "train", "shardLengths": [str(n) for n in counts]}],
    }))
    order = []
    for shard in range(shards):
        file = path / f"robot-train.tfrecord-{shard:05}-of-{shards:05}"
        with hr.Writer(file) as writer:
            for number in range(shard, len(episodes), shards):
                order.append(number)
                writer.write(record_of(number, episodes[number]))
    return order


def record_of(number, steps):
    numbers = np.array([n for n, _ in steps], np.int64)
    return {
        "episode_id": number,
        "steps/action": np.repeat(numbers, 2).astype(np.float32),
        "steps/number": numbers,
        "steps/observation/image": np.array(
            [b"image %d" % n for n in numbers], object
        ),
        "steps/observation/touches/ragged_flat_values": np.array(
            [t for _, touches in steps for t in touches], np.int64
        ),
        "steps/observation/touches/ragged_row_lengths_0": np.array(
            [len(touches) for _, touches in steps], np.int64
        ),
    }


def random_episodes(seed, count, most=7):
    random = np.random.default_rng(seed)
    numbers = iter(range(10**6))
    return [
        [
            (next(numbers), random.integers(0, 9, random.integers(0, 4)).tolist())
            for _ in range(random.integers(0, most))
        ]
        for _ in range(count)
    ]
