"""Random batches: the tensors of TensorFlow, or an error where it has one.

Where the two differ docs/semantics.md says so, and the rule is applied to what
the messages mean; see documented_rules.py and wire_messages.py.
"""

import collections
import os
import random

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow", reason="compares with TensorFlow itself")

import headrace as hr  # noqa: E402
from documented_rules import damage  # noqa: E402
from random_features import (  # noqa: E402
    random_example,
    random_sequence_example,
    random_spec,
)
from tf_comparison import (  # noqa: E402
    HR_TYPES,
    TF_TYPES,
    Case,
    Oracle,
    attempt,
    canonical_where_needed,
    same,
)
from wire_messages import Wild  # noqa: E402

SEED = int(os.environ.get("HEADRACE_SEED", "1"))
CHUNKS = 20
SPECS = 20  # a chunk
BATCHES = 5  # a spec

seen: collections.Counter = collections.Counter()
chunks_done: set = set()


def random_case(rng):
    if rng.random() < 0.6:
        return Case(random_spec(rng, "example"))
    lists = random_spec(rng, "list", 0)
    return Case(random_spec(rng, "context", 0 if lists else 1), lists)


def random_batch(rng, case):
    """Messages, their bytes, the bytes for TensorFlow, and who is malformed."""
    faults = rng.choice((0, 0, 0, 0.05, 0.3))
    strict = rng.random() < 0.6
    messages, records, theirs = [], [], []
    for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 5, 8))):
        if case.lists is None:
            message = random_example(rng, case.features, faults)
        else:
            message = random_sequence_example(rng, case.features, case.lists, faults)
        wild = Wild(rng, strict)
        record = wild.encode(message)
        messages.append(message)
        records.append(record)
        theirs.append(canonical_where_needed(message, record, wild.rules))
        seen.update(wild.rules)
    malformed = set()
    if records and rng.random() < 0.05:
        index = rng.randrange(len(records))
        key = case.features[0].keys[0] if case.features else None
        rule, records[index] = damage(rng, records[index], key)
        seen[rule] += 1
        malformed.add(index)
        if rule.startswith("="):
            # TensorFlow sees it, too.
            specs = case.specs(tf.io, TF_TYPES)
            assert not isinstance(attempt(tf.io, [records[index]], specs), dict)
    return messages, records, theirs, malformed


def in_some_form(rng, records):
    """What parse_example takes for serialized messages."""
    form = rng.randrange(3)
    if form == 0:
        return tuple(records)
    if form == 1:
        return np.array([None, *records], object)[1:]
    return records


def check_batch(rng, case, specs):
    messages, records, theirs, malformed = random_batch(rng, case)
    oracle = Oracle(case, messages, theirs)
    ours = attempt(hr, in_some_form(rng, records), specs)
    try:
        if malformed or any(oracle.rules):
            assert isinstance(ours, hr.DataError), "a rule is broken"
            oracle.check_error(ours, malformed)
            seen[ours.code] += 1
            return
        wanted = oracle.run()
        if isinstance(ours, Exception) or isinstance(wanted, Exception):
            assert isinstance(ours, Exception), f"TensorFlow raises {wanted}"
            assert isinstance(wanted, Exception), f"headrace raises {ours}"
            oracle.check_error(ours, malformed)
            seen[ours.code] += 1
            return
        assert ours.keys() == wanted.keys()
        for name, value in ours.items():
            assert same(value, wanted[name]), (name, value, wanted[name])
        seen["equal"] += 1
    except AssertionError as error:
        shown = "\n".join(f"  {record.hex()}" for record in records)
        raise AssertionError(f"{error}\n{specs}\nrecords:\n{shown}") from error


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_batches(chunk):
    for number in range(SPECS):
        rng = random.Random(f"{SEED}, {chunk}, {number}")
        case = random_case(rng)
        if number % 2:
            specs = case.specs(tf.io, TF_TYPES)
        else:
            specs = case.specs(hr, HR_TYPES)
        for _ in range(BATCHES):
            check_batch(rng, case, specs)
    chunks_done.add(chunk)


def test_everything_was_seen():
    """Of the batches above enough were equal, and each rule was needed."""
    if len(chunks_done) < CHUNKS:
        pytest.skip("needs all of the tests above")
    assert seen["equal"] > CHUNKS * SPECS * BATCHES / 2, seen
    wanted = {
        "malformed", "wrong_kind", "wrong_count", "missing_feature",
        "bad_sparse_index", "bad_partition", "W2", "W5", "W6", "W4 groups",
        "W4 below the record", "W6 packed and not", "M2 unset last", "M3 entries",
        "M4",
    }
    assert not wanted - {name for name, count in seen.items() if count > 2}, seen
