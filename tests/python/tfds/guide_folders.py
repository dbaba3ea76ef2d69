"""The folders of docs/guides/tfds.md, in the place where a guide runs."""

import json
import pathlib
import subprocess
import os
import struct
import zlib

import headrace as hr

CLASS = "tensorflow_datasets.core.features."


def png(side, grey):
    """A picture of one shade."""
    def chunk(kind, body):
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    rows = (b"\0" + bytes([grey]) * side) * side
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_mnist(folder):
    """A folder with the features of mnist: train has 40 rows, test 10."""
    folder.mkdir(parents=True)
    splits = []
    for split, lengths in (("train", [20, 20]), ("test", [10])):
        number = 0
        for shard, length in enumerate(lengths):
            name = f"mnist-{split}.tfrecord-{shard:05}-of-{len(lengths):05}"
            with hr.Writer(folder / name) as writer:
                for _ in range(length):
                    writer.write({"image": png(28, number), "label": number % 10})
                    number += 1
        splits.append({"name": split, "shardLengths": list(map(str, lengths)),
                       "numBytes": "1"})
    features = {
        "image": {"pythonClassName": CLASS + "image_feature.Image", "image": {
            "shape": {"dimensions": ["28", "28", "1"]}, "dtype": "uint8",
            "encodingFormat": "png"}},
        "label": {"pythonClassName": CLASS + "class_label_feature.ClassLabel",
                  "classLabel": {"numClasses": "10"}},
    }
    (folder / "label.labels.txt").write_text("\n".join(map(str, range(10))))
    (folder / "features.json").write_text(json.dumps({
        "pythonClassName": CLASS + "features_dict.FeaturesDict",
        "featuresDict": {"features": features}}))
    (folder / "dataset_info.json").write_text(json.dumps({
        "name": "mnist", "version": "3.0.1", "fileFormat": "tfrecord",
        "splits": splits}))


def write_robot(folder):
    """A folder of 40 episodes."""
    subprocess.run([os.environ["HEADRACE"], "gen", "--quiet", "--shape", "robot",
                    "--records", "40", "-o", str(folder)], check=True)


def write(place):
    """Both, where the guide names them."""
    write_mnist(pathlib.Path(place) / "mnist" / "3.0.1")
    write_robot(pathlib.Path(place) / "robot" / "1.0.0")
