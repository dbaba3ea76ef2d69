"""The lists of `headrace gen --shape elwc`, in memory, and what to read of them."""

import struct

# Name, type and default.
CONTEXT = [("length", "int64", 0), ("query", "string", "")]
EXAMPLE = [("doc_id", "string", ""), ("relevance", "int64", 0),
           *((f"f{i:02}", "float32", 0.0) for i in range(15)),
           *((f"n{i}", "int64", 0) for i in range(3))]


def batches(job):
    """Lists of payloads; no checksum is compared."""
    with open(job["file"], "rb") as file:
        data = file.read()
    payloads, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        payloads.append(data[at + 12:at + 12 + length])
        at += length + 16
    return [payloads[i:i + job["batch"]] for i in range(0, len(payloads), job["batch"])]


def specs(io, types):
    """The two specs, of the features of a module such as tf.io."""
    return [{name: io.FixedLenFeature([], types[dtype], default)
             for name, dtype, default in part} for part in (CONTEXT, EXAMPLE)]
