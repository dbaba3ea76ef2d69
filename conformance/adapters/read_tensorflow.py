"""Answers for TensorFlow: tf.data's records and tf.io's tensors."""

import tensorflow as tf

import answering
import arrays
import tf_specs

COMPRESSIONS = {"none": "", "gzip": "GZIP", "zlib": "ZLIB"}


def records(question):
    answering.whole_files_only(question, COMPRESSIONS)
    with answering.file_of(question) as file:
        return answering.records(tf.data.TFRecordDataset(
            file.name, COMPRESSIONS[question["compression"]]
        ).as_numpy_iterator())


def tensors(question):
    if "schema" in question or question["message"] not in (
            "example", "sequence_example"):
        raise answering.Unsupported("schemas and lists of Examples")
    spec = question["spec"]
    serialized = tf.constant(answering.messages(question), tf.string,
                             [len(question["records"])])
    features = {f["name"]: tf_specs.of(f) for f in spec["features"]}
    if spec["message"] == "example":
        return arrays.tensors(tf.io.parse_example(serialized, features))
    lists = {f["name"]: tf_specs.of(f) for f in spec["sequence_features"]}
    return arrays.tensors(
        *tf.io.parse_sequence_example(serialized, features, lists))


if __name__ == "__main__":
    answering.run(f"TensorFlow {tf.__version__}",
                  {"records": records, "tensors": tensors})
