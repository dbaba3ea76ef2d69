"""TensorFlow Ranking: parse_from_example_list, as a function that is traced once."""

import elwc_lists
import passes


def prepare(job):
    import tensorflow as tf
    import tensorflow_ranking as tfr
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    types = {"int64": tf.int64, "string": tf.string, "float32": tf.float32}
    context, example = elwc_lists.specs(tf.io, types)
    lists = [tf.constant(batch) for batch in elwc_lists.batches(job)]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def parse(batch):
        return tfr.data.parse_from_example_list(
            batch, context_feature_spec=context, example_feature_spec=example)

    def one_pass():
        return sum(int(parse(batch)["length"].shape[0]) for batch in lists)

    return f"tensorflow_ranking 0.5.5, tensorflow {tf.__version__}", one_pass


if __name__ == "__main__":
    passes.main(prepare)
