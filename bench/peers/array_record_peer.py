"""ArrayRecord: the payloads in an uncompressed file with a group for each record, as
its documentation advises for random access. Nothing is parsed, no checksum compared.
"""

import importlib.metadata
import pathlib

import passes
import random_rows


def write(job, path):
    from array_record.python import array_record_module
    writer = array_record_module.ArrayRecordWriter(
        str(path), "group_size:1,uncompressed")
    for payload in random_rows.payloads(job):
        writer.write(payload)
    writer.close()


def prepare(job):
    from array_record.python import array_record_data_source
    path = pathlib.Path(job["folder"]) / "records.array_record"
    if not path.exists():
        write(job, path)
    source = array_record_data_source.ArrayRecordDataSource(str(path))
    if len(source) != job["rows"]:
        raise ValueError(f"{len(source)} records of {job['rows']}")
    read = {
        "batches": lambda rows: len(source.__getitems__(rows)),
        "single": lambda rows: len([source[row] for row in rows]),
    }[job["way"]]
    return (f"array_record {importlib.metadata.version('array_record')}",
            random_rows.passes_of(job, read))


if __name__ == "__main__":
    passes.main(prepare)
