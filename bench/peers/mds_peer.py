"""MosaicML Streaming: the payloads as a column of uncompressed MDS shards of 64 MiB,
which LocalDataset reads one at a time. Nothing is parsed, no hash compared.
"""

import passes
import random_rows


def write(job, folder):
    from streaming import MDSWriter
    with MDSWriter(out=str(folder), columns={"payload": "bytes"}) as writer:
        for payload in random_rows.payloads(job):
            writer.write({"payload": payload})


def prepare(job):
    import streaming
    folder = random_rows.made(job, "mds", write)
    dataset = random_rows.with_all_rows(
        job, streaming.LocalDataset(str(folder)))
    return (f"mosaicml-streaming {streaming.__version__}",
            random_rows.passes_of(
                job, lambda rows: len([dataset[row] for row in rows])))


if __name__ == "__main__":
    passes.main(prepare)
