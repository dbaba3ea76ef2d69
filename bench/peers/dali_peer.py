"""NVIDIA DALI: fn.readers.tfrecord in a pipeline without a GPU.

It checks no CRC, needs an index of the file, and fills its last batch from the
beginning of the file.
"""

import os
import pathlib
import struct

import passes

RECORD_OVERHEAD = 16


def write_index(path, index):
    """Offset and size of every record, as DALI's tfrecord2idx writes them."""
    lines = []
    with open(path, "rb") as file:
        offset, end = 0, os.fstat(file.fileno()).st_size
        while offset < end:
            file.seek(offset)
            size = struct.unpack("<Q", file.read(8))[0] + RECORD_OVERHEAD
            lines.append(f"{offset} {size}\n")
            offset += size
    index.write_text("".join(lines), encoding="utf-8")


def feature(entry):
    from nvidia.dali import tfrecord
    dtype, zero = {"int64": (tfrecord.int64, 0),
                   "float": (tfrecord.float32, 0.0),
                   "bytes": (tfrecord.string, "")}[entry["dtype"]]
    if entry["kind"] == "fixed_len":
        return tfrecord.FixedLenFeature(entry["shape"], dtype, zero)
    return tfrecord.VarLenFeature(dtype, zero)


def prepare(job):
    from nvidia import dali
    spec, path, rows = job["spec"], job["file"], job["batch"]
    if passes.is_sequence(spec):
        raise ValueError("reads no SequenceExamples")
    if path.endswith(".gz"):
        raise ValueError("reads no compressed TFRecord")
    index = pathlib.Path(job["folder"]) / (pathlib.Path(path).name + ".idx")
    write_index(path, index)

    @dali.pipeline_def(batch_size=rows, num_threads=1, device_id=None,
                       prefetch_queue_depth=1)
    def reader():
        outputs = dali.fn.readers.tfrecord(
            path=[path], index_path=[str(index)], random_shuffle=False,
            prefetch_queue_depth=1,
            features={entry["name"]: feature(entry)
                      for entry in spec["features"]})
        return tuple(outputs[entry["name"]] for entry in spec["features"])

    pipeline = reader()
    pipeline.build()

    def one_pass():
        for _ in range(job["records"] // rows):
            pipeline.run()
        return job["records"]

    return f"DALI {dali.__version__}", one_pass


if __name__ == "__main__":
    passes.main(prepare)
