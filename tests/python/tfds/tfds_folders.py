"""Folders that TensorFlow Datasets writes and reads."""

from __future__ import annotations

import pathlib
from typing import Any

import tensorflow as tf
import tensorflow_datasets as tfds

TEMPLATE = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"


def write(
    folder: pathlib.Path, features: Any, splits: dict[str, list[list[Any]]],
    name: str = "data",
) -> None:
    """Writes the examples of each shard of each split; a folder with its metadata.

    Args:
        folder: is made; its name is a version.
        features: the tfds.features.FeaturesDict.
        splits: what the features encode, as GeneratorBasedBuilder yields it.
    """
    folder.mkdir(parents=True)
    template = tfds.core.ShardedFileTemplate(
        data_dir=folder, dataset_name=name, filetype_suffix="tfrecord",
        template=TEMPLATE)
    infos = []
    for split, shards in splits.items():
        sizes = []
        of_split = template.replace(split=split)
        for number, examples in enumerate(shards):
            path = of_split.sharded_filepath(shard_index=number,
                                             num_shards=len(shards))
            with tf.io.TFRecordWriter(str(path)) as writer:
                for example in examples:
                    record = features.serialize_example(example)
                    sizes.append(len(record))
                    writer.write(record)
        infos.append(tfds.core.SplitInfo(
            name=split, shard_lengths=list(map(len, shards)), num_bytes=sum(sizes),
            filename_template=of_split))
    tfds.folder_dataset.write_metadata(
        data_dir=folder, features=features, split_infos=infos, check_data=False,
        filename_template=TEMPLATE, description="Random data.")


def read(folder: pathlib.Path, split: str, decoders: Any = None) -> Any:
    """The rows in the order of the files, as numpy."""
    config = tfds.ReadConfig(interleave_cycle_length=1, try_autocache=False)
    dataset = tfds.builder_from_directory(folder).as_dataset(
        split=split, read_config=config, decoders=decoders)
    return tfds.as_numpy(dataset)
