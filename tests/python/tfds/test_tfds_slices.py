"""Split expressions: which records TensorFlow Datasets reads for them.

HEADRACE_SEED chooses other expressions.
"""

import os
import random

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip("tensorflow_datasets", reason="compares with TensorFlow Datasets")

import headrace as hr  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow_datasets as tfds  # noqa: E402
import tfds_folders  # noqa: E402

SEED = int(os.environ.get("HEADRACE_SEED", "1"))
EXPRESSIONS = 200
LENGTHS = {"train": [5, 1, 9, 7], "test": [4, 4], "val-1": [3]}
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Each record has its number among all."""
    path = tmp_path_factory.mktemp("slices") / "data" / "1.0.0"
    numbers = iter(range(1000))
    tfds_folders.write(
        path, tfds.features.FeaturesDict({"n": np.int64}),
        {split: [[{"n": next(numbers)} for _ in range(length)] for length in lengths]
         for split, lengths in LENGTHS.items()})
    return path


def bound(rng, unit):
    if unit == "%":
        text = rng.choice((rng.randint(-102, 102), rng.randint(-100, 100),
                           round(rng.uniform(-100, 100), 1), 12.5, 50))
    else:
        text = rng.randint(*{"shard": (-5, 5), "": (-9, 9)}[unit])
    return f"{text}{unit}" if rng.random() < 0.9 else f"{text}"


def part(rng):
    name = rng.choice((*LENGTHS, *LENGTHS, "train", "train"))
    if rng.random() < 0.1:
        name = rng.choice(("all", "nosuch"))
    unit = rng.choice(("", "", "%", "%", "shard"))
    choice = rng.random()
    if choice < 0.15:
        return name
    if choice < 0.2:
        return f"{name}[{bound(rng, unit)}]"
    if choice < 0.23:
        odd = (":", "1:2:3", " 1:2", "1 :2", "a:b", "", "1.5:2", "1_0:", "+1:", "--1:",
               "1:2]", "1shard:2%", "1e1:", "\u0661:2", ".5%:", "5.%:")
        return f"{name}[{rng.choice(odd)}]"
    begin, end = (bound(rng, unit) if rng.random() < 0.7 else "" for _ in range(2))
    return f"{name}[{begin}:{end}]"


def expression(rng):
    parts = [part(rng) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    return rng.choice(("+", " + ", "+ ")).join(parts)


class Theirs:
    """What TensorFlow Datasets makes of an expression.

    Attributes:
        error: whether it is one.
        parts: a name and the first and last number of the records of each part.
    """

    def __init__(self, builder, text):
        self._builder, self._text = builder, text
        try:
            absolute = tfds.core.ReadInstruction.from_spec(text).to_absolute(
                builder.info.splits)
        except Exception:
            self.error, self.parts = True, []
            return
        self.error = False
        self.parts = []
        for part in absolute:
            size = sum(LENGTHS[part.splitname])
            end = size if part.to is None else part.to
            self.parts.append((part.splitname, part.from_ or 0, end))

    def ids(self):
        """The ids of these records, which follow from the lengths of files."""
        found = []
        for name, begin, end in self.parts:
            lengths = LENGTHS[name]
            all_of_it = [f"data-{name}.tfrecord-{i:05}-of-{len(lengths):05}__{n}"
                         for i, length in enumerate(lengths) for n in range(length)]
            found += all_of_it[begin:end]
        return found

    @property
    def is_read(self):
        """Whether it reads this: not a slice that ends before it begins, which is
        empty to headrace, nor nothing."""
        return self.parts and all(begin < end for _, begin, end in self.parts)

    def read(self):
        config = tfds.ReadConfig(interleave_cycle_length=1, try_autocache=False,
                                 add_tfds_id=True)
        rows = self._builder.as_dataset(split=self._text, read_config=config)
        return [(row["tfds_id"].decode(), int(row["n"])) for row in tfds.as_numpy(rows)]


def ours(folder, text):
    """Ids and numbers; None where the expression is an error."""
    try:
        dataset = hr.tfds.Dataset(folder, text)
    except hr.InvalidArgumentError:
        return None
    return [(dataset.id(i), int(dataset[i]["n"])) for i in range(len(dataset))]


def test_random_expressions(folder):
    rng = random.Random(SEED)
    builder = tfds.builder_from_directory(folder)
    found = {"errors": 0, "read": 0, "empty": 0}
    for _ in range(EXPRESSIONS):
        text = expression(rng)
        theirs, mine = Theirs(builder, text), ours(folder, text)
        # Python takes the digits of any script; headrace takes 0 to 9.
        assert (mine is None) == (theirs.error or not text.isascii()), text
        if mine is None:
            found["errors"] += 1
            continue
        assert [name for name, _ in mine] == theirs.ids(), text
        if theirs.is_read:
            assert mine == theirs.read(), text
        found["read" if theirs.is_read else "empty"] += 1
    assert min(found.values()) > EXPRESSIONS // 20, found


def test_readers_have_the_same_records(folder):
    rng = random.Random(SEED)
    compared = 0
    while compared < 20:
        text = expression(rng)
        expected = ours(folder, text)
        if expected is None:
            continue
        numbers = [int(n) for batch in hr.tfds.open(folder, text, batch_size=4)
                   for n in batch["n"].numpy()]
        assert numbers == [n for _, n in expected], text
        compared += 1
