"""Lists of Examples: the tensors of TensorFlow Ranking, or an error where it has one.

HEADRACE_SEED chooses other lists.
"""

import collections
import os
import random

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip("tensorflow_ranking", reason="compares with TensorFlow Ranking")

import headrace as hr  # noqa: E402
import tensorflow_ranking as tfr  # noqa: E402
import wire_bytes  # noqa: E402
from documented_rules import faults  # noqa: E402
from random_features import random_example, random_spec  # noqa: E402
from tf_comparison import HR_TYPES, TF_ERRORS, TF_TYPES, plain, same, tf  # noqa: E402
from wire_messages import canonical, random_item  # noqa: E402

SEED = int(os.environ.get("HEADRACE_SEED", "1"))
CHUNKS = 10
SPECS = 20  # a chunk
BATCHES = 3  # a spec
SIZES, MASK = "sizes of lists", "mask of lists"
pytestmark = pytest.mark.filterwarnings("ignore")

seen: collections.Counter = collections.Counter()


def indices_fit(feature, message):
    """Whether those of a sparse tensor are in range, and no place comes twice."""
    lists = [message.features[key].values if key in message.features else []
             for key in feature.keys[1:]]
    places = list(zip(*lists))
    return len(set(places)) == len(places) and all(
        index < size for values, size in zip(lists, feature.sizes) for index in values)


def fitting_example(rng, features):
    """One whose tensors TensorFlow says: it reads partitions and indices that do not
    fit in ways of its own, and puts what has one place in any order."""
    while True:
        message = random_example(rng, features, 0)
        if not faults(message, features, []) and all(
                indices_fit(feature, message) for feature in features
                if feature.cls == "SparseFeature"):
            return message


class Case:
    """Two specs, and how lists are cut and filled up."""

    def __init__(self, rng, message):
        self.message = message
        self.example = random_spec(rng, "example")
        # Names are apart: what holds for one that both have is our own.
        self.context = random_spec(rng, "context", 0)
        for feature in self.context:
            feature.name = f"context {feature.name}"
        self.list_size = rng.choice((None, None, 1, 2, 3, 6))
        for feature in self.example:
            self._make_usual(rng, feature)
        self.names = {name: value for name, value in
                      (("size_feature_name", SIZES), ("mask_feature_name", MASK))
                      if rng.random() < 0.7}

    def _make_usual(self, rng, feature):
        if feature.cls == "RaggedFeature" and self.list_size is None:
            # TensorFlow Ranking cannot put int64 splits into lists of any size.
            feature.splits = "int32"
        if feature.cls != "FixedLenFeature":
            return
        feature.shape = tuple(size or 1 for size in feature.shape)
        # Without a default no list may be shorter than another.
        if feature.default is not None or rng.random() < 0.8:
            feature.default = [random_item(rng, feature.kind)
                               for _ in range(feature.count)]

    def specs(self, library, types):
        return [{feature.name: feature.make(library, types) for feature in part}
                for part in (self.context, self.example)]

    def encode(self, context, examples):
        if self.message == "elwc":
            parts = [wire_bytes.field(1, example) for example in examples]
            return b"".join(parts) + wire_bytes.field(2, context)
        return wire_bytes.example({
            "serialized_context": wire_bytes.blobs(context),
            "serialized_examples": wire_bytes.blobs(*examples)})

    def batch(self, rng):
        records = []
        for _ in range(rng.randint(1, 4)):
            context, *examples = (
                canonical(fitting_example(rng, part))
                for part in [self.context, *[self.example] * rng.randint(0, 4)])
            records.append((context, examples))
        if self.message != "elwc" and not any(part for _, part in records):
            # TensorFlow Ranking makes lists of none then, we of one as of the others.
            records[0][1].append(canonical(fitting_example(rng, self.example)))
        return [self.encode(*record) for record in records]

    def theirs(self, records):
        context, example = self.specs(tf.io, TF_TYPES)
        parse = {"elwc": tfr.data.parse_from_example_list,
                 "example_in_example": tfr.data.parse_from_example_in_example}
        return parse[self.message](
            tf.constant(records), list_size=self.list_size,
            context_feature_spec=context, example_feature_spec=example, **self.names)

    def ours(self, records):
        return hr.parse_elwc(
            records, *self.specs(hr, HR_TYPES), list_size=self.list_size,
            message=self.message, **self.names)


def attempt(parse, records, errors):
    try:
        return {name: plain(value) for name, value in parse(records).items()}
    except errors as error:
        return error


def compare(case, records):
    theirs = attempt(case.theirs, records, TF_ERRORS)
    ours = attempt(case.ours, records, hr.HeadraceError)
    if not isinstance(theirs, dict):
        assert isinstance(ours, hr.DataError), f"{ours}, they say {theirs}"
        seen["error"] += 1
        return
    assert isinstance(ours, dict), ours
    if MASK in theirs and theirs[MASK][1].shape[1] == 0:
        # No list has an Example: theirs has no column then, beside tensors of one.
        theirs[MASK][1] = np.zeros_like(ours[MASK][1])
        seen["empty"] += 1
    assert sorted(ours) == sorted(theirs)
    for name, value in theirs.items():
        assert same(ours[name], value), (name, ours[name], value)
    seen["equal"] += 1


@pytest.mark.parametrize("message", ["elwc", "example_in_example"])
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_lists(chunk, message):
    for i in range(SPECS):
        rng = random.Random(f"{SEED} {chunk} {i} {message}")
        case = Case(rng, message)
        for _ in range(BATCHES):
            compare(case, case.batch(rng))


def test_all_was_seen():
    if seen:  # a test alone is no reason to fail
        assert min(seen[what] for what in ("error", "empty", "equal")) > 0, seen
