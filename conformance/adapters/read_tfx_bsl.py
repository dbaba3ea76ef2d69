"""Answers for tfx_bsl: columns of messages, with a schema or without."""

import tfx_bsl
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.coders import example_coder, sequence_example_coder

import answering
import arrays

SEQUENCE = "##SEQUENCE##"


def schema_of(question):
    if "schema" not in question:
        return ()
    schema = text_format.Parse(question["schema"], schema_pb2.Schema())
    return (schema.SerializeToString(),)


def columns(question):
    schema = schema_of(question)
    if question["message"] == "example":
        decoder = example_coder.ExamplesToRecordBatchDecoder(*schema)
    else:
        decoder = sequence_example_coder.SequenceExamplesToRecordBatchDecoder(
            SEQUENCE, *schema)
    return arrays.columns(decoder.DecodeBatch(answering.messages(question)))


if __name__ == "__main__":
    answering.run(f"tfx_bsl {tfx_bsl.__version__}", {"columns": columns})
