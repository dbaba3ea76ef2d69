#!/usr/bin/env python3
"""headrace.parse_example beside tf.io.parse_example, on one core.

Both parse the same list of serialized records to the same tensors, one after
the other in turn, in one process. Needs TensorFlow, headrace and numpy:

    PYTHONPATH=build/python python bench/python_parse.py
"""

import argparse
import os
import random
import statistics
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import headrace as hr
import numpy as np
import tensorflow as tf

RECORDS = 256


def example(features):
    return tf.train.Example(
        features=tf.train.Features(feature=features)
    ).SerializeToString()


def ints(values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def strings(values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def scalars(rng):
    """13 integers, 26 strings, 27 floats, one value each."""
    return example(
        {f"i{i}": ints([rng.randrange(1 << 20)]) for i in range(13)}
        | {f"s{i}": strings([b"%08x" % rng.getrandbits(32)]) for i in range(26)}
        | {f"f{i}": floats([rng.random()]) for i in range(27)}
    )


def scalar_spec(io):
    return (
        {f"i{i}": io.FixedLenFeature([], tf.int64) for i in range(13)}
        | {f"s{i}": io.FixedLenFeature([], tf.string) for i in range(26)}
        | {f"f{i}": io.FixedLenFeature([], tf.float32) for i in range(27)}
    )


def lists(rng):
    """8 lists of 64 to 192 small integers."""
    return example({
        f"ids{i}": ints([rng.randrange(50000) for _ in range(rng.randrange(64, 193))])
        for i in range(8)
    })


def ragged_spec(io):
    return {f"ids{i}": io.RaggedFeature(tf.int64) for i in range(8)}


def var_len_spec(io):
    return {f"ids{i}": io.VarLenFeature(tf.int64) for i in range(8)}


CASES = {
    "66 scalars": (scalars, scalar_spec),
    "8 int64 lists, ragged": (lists, ragged_spec),
    "8 int64 lists, sparse": (lists, var_len_spec),
}


def microseconds(parse, calls):
    start = time.perf_counter()
    for _ in range(calls):
        parse()
    return (time.perf_counter() - start) / calls * 1e6


def check_equal(ours, theirs):
    for name, tensor in theirs.items():
        ours_values = getattr(ours[name], "values", ours[name]).numpy()
        values = getattr(tensor, "flat_values", getattr(tensor, "values", tensor))
        np.testing.assert_array_equal(ours_values, values.numpy())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=20)
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    rng = random.Random(1)
    print(f"{'records':24} {'headrace us':>12} {'tf.io us':>10}  times (range)")
    for name, (make, spec_of) in CASES.items():
        records = [make(rng) for _ in range(RECORDS)]
        spec, tf_spec = spec_of(hr), spec_of(tf.io)
        tensor = tf.constant(records)

        def ours():
            return hr.parse_example(records, spec)

        def theirs():
            return tf.io.parse_example(tensor, tf_spec)

        check_equal(ours(), theirs())
        pairs = [
            (microseconds(ours, options.calls), microseconds(theirs, options.calls))
            for _ in range(options.rounds)
        ]
        ratios = [b / a for a, b in pairs]
        ours_us, theirs_us = (statistics.median(side) for side in zip(*pairs))
        print(f"{name:24} {ours_us:12.0f} {theirs_us:10.0f}  "
              f"{statistics.median(ratios):.1f} "
              f"({min(ratios):.1f} to {max(ratios):.1f})", flush=True)


if __name__ == "__main__":
    main()
