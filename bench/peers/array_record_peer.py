"""ArrayRecord: the payloads in an uncompressed file with a group for each record, as
its documentation advises for random access. Nothing is parsed, no checksum compared.
"""

import importlib.metadata

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
    path = random_rows.made(job, "records.array_record", write)
    source = random_rows.with_all_rows(
        job, array_record_data_source.ArrayRecordDataSource(str(path)))
    read = {
        "batches": lambda rows: len(source.__getitems__(rows)),
        "single": lambda rows: len([source[row] for row in rows]),
    }[job["way"]]
    return (f"array_record {importlib.metadata.version('array_record')}",
            random_rows.passes_of(job, read))


if __name__ == "__main__":
    passes.main(prepare)
