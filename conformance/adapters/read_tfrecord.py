"""Answers for the package tfrecord: records of files, and single Examples."""

import importlib.metadata

from tfrecord import example_pb2, reader

import answering
import arrays

COMPRESSIONS = {"none": None, "gzip": "gzip"}
KINDS = {"f": "float", "i": "int64"}


def records(question):
    answering.whole_files_only(question, COMPRESSIONS)
    with answering.file_of(question) as file:
        return answering.records(reader.tfrecord_iterator(
            file.name, compression_type=COMPRESSIONS[question["compression"]]))


def feature(value):
    # One value of bytes comes alone, several as an array of fixed width.
    if isinstance(value, bytes):
        return {"bytes": [value.hex()]}
    if value.dtype.kind == "S":
        return {"bytes": [item.hex() for item in value.tolist()]}
    return {KINDS[value.dtype.kind]: arrays.values(value)}


def examples(question):
    rows = []
    for record in answering.messages(question):
        example = example_pb2.Example()
        example.ParseFromString(record)
        features = reader.extract_feature_dict(example.features, None, {})
        rows.append({n: feature(v) for n, v in features.items()})
    return {"examples": rows}


if __name__ == "__main__":
    answering.run("tfrecord " + importlib.metadata.version("tfrecord"),
                  {"records": records, "examples": examples})
