"""tfx_bsl: its decoders over lists of records, one Arrow RecordBatch each.

The records come from TensorFlow, with both CRCs checked, or from framing in
plain Python, which checks none.
"""

import gzip
import importlib.metadata
import struct

import passes

READ_SIZE = 8 << 20
HEADER, FOOTER = 12, 4


def schema(spec):
    """A serialized Schema: name and type of every feature."""
    from tensorflow_metadata.proto.v0 import schema_pb2
    types = {"int64": schema_pb2.INT, "float": schema_pb2.FLOAT,
             "bytes": schema_pb2.BYTES}
    message = schema_pb2.Schema()
    for entry in spec["features"]:
        message.feature.add(name=entry["name"], type=types[entry["dtype"]])
    if passes.is_sequence(spec):
        struct_feature = message.feature.add(name="##SEQUENCE##",
                                             type=schema_pb2.STRUCT)
        for entry in spec["sequence_features"]:
            struct_feature.struct_domain.feature.add(
                name=entry["name"], type=types[entry["dtype"]])
    return message.SerializeToString()


def decoder(spec):
    if passes.is_sequence(spec):
        from tfx_bsl.coders import sequence_example_coder
        return sequence_example_coder.SequenceExamplesToRecordBatchDecoder(
            "##SEQUENCE##", schema(spec))
    from tfx_bsl.coders import example_coder
    return example_coder.ExamplesToRecordBatchDecoder(schema(spec))


def tensorflow_batches(job):
    import tensorflow_peer
    batches = tensorflow_peer.records(job).with_options(
        tensorflow_peer.one_thread())
    return lambda: (batch.tolist() for batch in batches.as_numpy_iterator())


def framed_batches(job):
    """Lists of records, without TensorFlow."""
    path, rows = job["file"], job["batch"]
    with (gzip.open(path) if path.endswith(".gz") else open(path, "rb",
                                                            0)) as file:
        batch, rest = [], b""
        while block := file.read(READ_SIZE):
            rest += block
            at = 0
            while at + HEADER <= len(rest):
                begin = at + HEADER
                end = begin + struct.unpack_from("<Q", rest, at)[0]
                if end + FOOTER > len(rest):
                    break
                batch.append(rest[begin:end])
                at = end + FOOTER
                if len(batch) == rows:
                    yield batch
                    batch = []
            rest = rest[at:]
    if batch:
        yield batch


def prepare(job):
    decode = decoder(job["spec"]).DecodeBatch
    if job["way"] == "checked":
        batches = tensorflow_batches(job)
    else:
        batches = lambda: framed_batches(job)
    return (f"tfx_bsl {importlib.metadata.version('tfx-bsl')}",
            lambda: sum(decode(batch).num_rows for batch in batches()))


if __name__ == "__main__":
    passes.main(prepare)
