"""Folders of random features, written by TensorFlow Datasets, read by both.

HEADRACE_SEED chooses other folders, HEADRACE_TREES how many there are.
"""

import os
import random

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip("tensorflow_datasets", reason="compares with TensorFlow Datasets")

import headrace as hr  # noqa: E402
import random_trees  # noqa: E402
import tfds_folders  # noqa: E402
from tfds_rows import difference, of_headrace, of_tfds  # noqa: E402

SEED = int(os.environ.get("HEADRACE_SEED", "1"))
TREES = int(os.environ.get("HEADRACE_TREES", "40"))
CHUNKS = 10
# Of so many trees one may have what TensorFlow Datasets writes and cannot read.
UNREADABLE = 5
pytestmark = pytest.mark.filterwarnings("ignore")


class Folder:
    """One of random features and values.

    Attributes:
        rows: the values of each split.
    """

    def __init__(self, seed, path):
        rng = random.Random(seed)
        self.tree = random_trees.Maker(rng, seed % UNREADABLE != 0).tree()
        self.readable = all(leaf.readable for leaf in random_trees.leaves(self.tree))
        self.path = path / f"tree-{seed}" / "1.0.0"
        shards = {split: [random_trees.random_rows(self.tree, rng, rng.randint(0, 3))
                          for _ in range(rng.randint(1, 3))]
                  for split in ("train", "test")}
        # A split without records is not one that TensorFlow Datasets reads.
        shards["train"][0] += random_trees.random_rows(self.tree, rng, 1)
        shards["test"][0] += random_trees.random_rows(self.tree, rng, 1)
        self.rows = {split: sum(parts, []) for split, parts in shards.items()}
        tfds_folders.write(
            self.path, self.tree.feature(),
            {split: [list(map(self.tree.put, part)) for part in parts]
             for split, parts in shards.items()})

    def expected(self, split, columns=False):
        """What the rules say."""
        return [self.tree.read(row, 0, columns) for row in self.rows[split]]

    def theirs(self, split):
        """What TensorFlow Datasets gives; None where it fails and may."""
        decoders = random_trees.decoders(self.tree)
        try:
            return list(map(of_tfds, tfds_folders.read(self.path, split, decoders)))
        except Exception:
            if self.readable:
                raise
            return None


def same(ours, expected):
    assert len(ours) == len(expected)
    found = [difference(*pair) for pair in zip(ours, expected)]
    assert not any(found), found


@pytest.fixture(scope="module", params=range(CHUNKS))
def folders(request, tmp_path_factory):
    """A chunk of the folders."""
    first = SEED * 10_000
    place = tmp_path_factory.mktemp("folders")
    seeds = range(first + request.param, first + TREES, CHUNKS)
    return [Folder(seed, place) for seed in seeds]


def test_rows(folders):
    for folder in folders:
        for split in ("train", "test"):
            expected = folder.expected(split)
            theirs = folder.theirs(split)
            if theirs is not None:
                same(theirs, expected)
            dataset = hr.tfds.Dataset(folder.path, split)
            same([of_headrace(dataset[i]) for i in range(len(dataset))], expected)


def test_steps_as_columns(folders):
    for folder in folders:
        expected = folder.expected("train", columns=True)
        dataset = hr.tfds.Dataset(folder.path, "train", steps="columns")
        rows = dataset.__getitems__(range(len(dataset)))
        same(list(map(of_headrace, rows)), expected)


def test_rows_of_batches(folders):
    for folder in folders:
        batches = hr.tfds.open(folder.path, "train", batch_size=2)
        same([of_headrace(row) for batch in batches for row in batch.rows()],
             folder.expected("train"))


def test_a_row_does_not_depend_on_the_others_that_are_read(folders):
    for folder in folders:
        expected = folder.expected("train")
        dataset = hr.tfds.Dataset(folder.path, "train")
        rows = [*range(len(dataset)), *reversed(range(len(dataset)))]
        same(list(map(of_headrace, dataset.__getitems__(rows))),
             [expected[i] for i in rows])


def test_each_feature_alone(folders):
    for folder in folders:
        expected = folder.expected("train")
        for name, child in folder.tree.children.items():
            if not random_trees.leaves(child):
                continue  # an empty dict has nothing to be read
            dataset = hr.tfds.Dataset(folder.path, "train", columns=[name])
            same([of_headrace(dataset[i]) for i in range(len(dataset))],
                 [{name: row[name]} for row in expected])


def test_what_the_folder_says(folders):
    for folder in folders:
        info = hr.tfds.info(folder.path)
        assert {split: part.num_examples for split, part in info.splits.items()} == {
            split: len(rows) for split, rows in folder.rows.items()}
        named = {label.names for label in random_trees.leaves(folder.tree)
                 if isinstance(label, random_trees.Label) and label.names}
        found = {tuple(names) for names in info.labels.values() if names}
        assert found == named
