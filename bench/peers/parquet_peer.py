"""pyarrow: the same columns, read back from Parquet on one thread.

What a user could convert the file to instead. Lists of one are scalars there,
as anybody would store them.
"""

import pathlib

import passes

WAYS = {
    "default": {},  # snappy and dictionaries
    "plain": {"compression": "none", "use_dictionary": False},
}


def unwrapped(column):
    """The values of a column whose rows are null or lists of one."""
    import pyarrow as pa
    import pyarrow.compute as pc
    if not pa.types.is_list(column.type):
        return column
    extremes = pc.min_max(pc.list_value_length(column)).as_py()
    if (extremes["min"], extremes["max"]) != (1, 1):
        return column
    return pc.list_element(column, 0)


def write_parquet(arrow, path, settings):
    import pyarrow as pa
    import pyarrow.parquet as pq
    with pa.ipc.open_file(arrow) as file:
        table = file.read_all()
    pq.write_table(
        pa.table({name: unwrapped(table[name]) for name in table.column_names}),
        path, **settings)


def prepare(job):
    import pyarrow as pa
    import pyarrow.parquet as pq
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    path = pathlib.Path(job["folder"]) / (
        f"{pathlib.Path(job['arrow']).stem}.{job['way']}.parquet")
    if not path.exists():
        write_parquet(job["arrow"], path, WAYS[job["way"]])
    return (f"pyarrow {pa.__version__}",
            lambda: pq.read_table(path, use_threads=False,
                                  pre_buffer=False).num_rows)


if __name__ == "__main__":
    passes.main(prepare)
