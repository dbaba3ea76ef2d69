"""TensorFlow: tf.data over TFRecordDataset, both CRCs checked, on one thread.

Batches are consumed inside the runtime, by a function that is traced once, so
that no Python loop slows it down; outputs stay tensors.
"""

import functools

import passes

READ_BUFFER = 8 << 20


def one_thread():
    """Options of a dataset that uses one thread and tunes nothing."""
    import tensorflow as tf
    options = tf.data.Options()
    options.autotune.enabled = False
    options.threading.private_threadpool_size = 1
    options.threading.max_intra_op_parallelism = 1
    return options


def records(job):
    """Batches of serialized messages."""
    import tensorflow as tf
    compression = "GZIP" if job["file"].endswith(".gz") else ""
    return tf.data.TFRecordDataset(
        job["file"], compression_type=compression,
        buffer_size=READ_BUFFER).batch(job["batch"])


def feature(entry):
    """What tf.io calls one feature of a spec."""
    import tensorflow as tf
    dtype = {"int64": tf.int64, "float": tf.float32,
             "bytes": tf.string}[entry["dtype"]]
    kind = entry["kind"]
    if kind == "fixed_len":
        default = entry.get("default")
        if default is not None:
            default = tf.reshape(tf.constant(default, dtype), entry["shape"])
        return tf.io.FixedLenFeature(entry["shape"], dtype, default)
    if kind == "fixed_len_sequence":
        return tf.io.FixedLenSequenceFeature(
            entry["shape"], dtype, entry.get("allow_missing", False))
    if kind == "var_len":
        return tf.io.VarLenFeature(dtype)
    if kind == "ragged":
        return tf.io.RaggedFeature(dtype)
    raise ValueError(f"no {kind} here")


def parser(spec):
    import tensorflow as tf
    context = {entry["name"]: feature(entry) for entry in spec["features"]}
    if not passes.is_sequence(spec):
        return lambda batch: tf.io.parse_example(batch, context)
    lists = {entry["name"]: feature(entry)
             for entry in spec["sequence_features"]}
    return lambda batch: tf.io.parse_sequence_example(batch, context, lists)


def dataset(job):
    import tensorflow as tf
    spec = job["spec"]
    if job["way"] == "map":
        return records(job).map(parser(spec))
    if passes.is_sequence(spec):
        raise ValueError("reads no SequenceExamples")
    return records(job).apply(tf.data.experimental.parse_example_dataset(
        {entry["name"]: feature(entry) for entry in spec["features"]}))


def batch_rows(batch):
    """Rows of one batch: those of any tensor in it."""
    import tensorflow as tf
    first = tf.nest.flatten(batch)[0]
    if isinstance(first, tf.SparseTensor):
        return first.dense_shape[0]
    if isinstance(first, tf.RaggedTensor):
        return first.nrows()
    return tf.shape(first, tf.int64)[0]


def prepare(job):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    batches = dataset(job).with_options(one_thread())
    count = tf.function(functools.partial(
        batches.reduce, tf.constant(0, tf.int64),
        lambda rows, batch: rows + batch_rows(batch))).get_concrete_function()
    return f"tensorflow {tf.__version__}", lambda: int(count())


if __name__ == "__main__":
    passes.main(prepare)
