"""TensorFlow Datasets: a folder through tf.data, images left encoded.

Batches are consumed inside the runtime, by a function that is traced once. Steps of
episodes are datasets in a dataset, which cannot be put into batches of episodes: they
become one stream of steps, or a batch for each episode, which is faster.
"""

import functools

import passes
import tensorflow_peer

# Memory for so many steps is taken in advance; an episode has up to 60.
MORE_THAN_AN_EPISODE = 64


def skipped(feature):
    """What leaves images encoded; None where there are none."""
    import tensorflow_datasets as tfds
    if isinstance(feature, tfds.features.Image):
        return tfds.decode.SkipDecoding()
    if isinstance(feature, tfds.features.Sequence):
        return skipped(feature.feature)
    if isinstance(feature, tfds.features.FeaturesDict):
        found = {name: skipped(child) for name, child in feature.items()}
        return {name: skip for name, skip in found.items() if skip} or None
    return None


def batches(job):
    import tensorflow_datasets as tfds
    builder = tfds.builder_from_directory(job["file"])
    config = tfds.ReadConfig(
        options=tensorflow_peer.one_thread(), interleave_cycle_length=1,
        try_autocache=False)
    rows = builder.as_dataset(split="train", read_config=config, shuffle_files=False,
                              decoders=skipped(builder.info.features))
    if job["way"] == "rows":
        return rows.batch(job["batch"])
    if job["way"] == "steps":
        return rows.flat_map(lambda episode: episode["steps"]).batch(job["batch"])
    return rows.flat_map(
        lambda episode: episode["steps"].batch(MORE_THAN_AN_EPISODE))


def prepare(job):
    import tensorflow as tf
    import tensorflow_datasets as tfds
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    found = batches(job).with_options(tensorflow_peer.one_thread())

    def rows(count, batch):
        if job["way"] == "episodes":
            return count + 1
        return count + tensorflow_peer.batch_rows(batch)

    count = tf.function(functools.partial(
        found.reduce, tf.constant(0, tf.int64), rows)).get_concrete_function()
    version = f"tensorflow_datasets {tfds.__version__}, tensorflow {tf.__version__}"
    return version, lambda: int(count())


if __name__ == "__main__":
    passes.main(prepare)
