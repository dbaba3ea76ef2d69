"""TensorFlow parses batches, their arrays become Arrow's, and pyarrow writes them."""

import os

import passes
import tensorflow_peer


def column(value):
    """The arrays are taken as they are; only bytes are made anew."""
    import pyarrow as pa
    import tensorflow as tf
    if isinstance(value, tf.RaggedTensor):
        splits = value.row_splits.numpy().astype("int32")
        return pa.ListArray.from_arrays(pa.array(splits), column(value.flat_values))
    array = value.numpy()
    kind = pa.binary() if array.dtype == object else None
    if array.ndim == 1:
        return pa.array(array, kind)
    return pa.FixedSizeListArray.from_arrays(
        pa.array(array.reshape(-1), kind), array[0].size)


def prepare(job):
    import pyarrow as pa
    import tensorflow as tf
    from pyarrow import parquet
    pa.set_cpu_count(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    path = os.path.join(job["folder"], "tensorflow.parquet")
    batches = tensorflow_peer.dataset({**job, "way": "map"}).with_options(
        tensorflow_peer.one_thread())

    def tables():
        for batch in batches:
            yield pa.table({name: column(value) for name, value in batch.items()})

    def one_pass():
        rows = waiting = 0
        writer, group = None, []

        def write():
            writer.write_table(pa.concat_tables(group), row_group_size=job["group"])

        for table in tables():
            writer = writer or parquet.ParquetWriter(path, table.schema)
            group.append(table)
            rows, waiting = rows + table.num_rows, waiting + table.num_rows
            if waiting >= job["group"]:
                write()
                waiting, group = 0, []
        if group:
            write()
        writer.close()
        return rows

    return f"tensorflow {tf.__version__}, pyarrow {pa.__version__}", one_pass


if __name__ == "__main__":
    passes.main(prepare)
