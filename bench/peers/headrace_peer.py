"""headrace's own Dataset on the TFRecord file itself; all CRCs are compared."""

import json

import passes
import random_rows


def open_dataset(job):
    import headrace
    what, _, mapped = job["way"].partition(", ")
    options = {"payloads": {"message": "raw"},
               "row": {"message": "raw"},
               "columns": {},
               "scalars": {"spec": headrace.Spec.from_json(
                   json.dumps(job["spec"]))}}[what]
    return headrace.Dataset(job["file"], mmap=bool(mapped), **options)


def prepare(job):
    import headrace
    import numpy
    dataset = random_rows.with_all_rows(job, open_dataset(job))
    if "mapped" in job["way"]:
        # The kernel maps a page when it is first touched, which happens once.
        for begin in range(0, job["rows"], job["batch"]):
            dataset[begin:begin + job["batch"]]

    def array(rows):
        return numpy.array(rows, numpy.uint64)

    def single(rows):
        return len([dataset[row] for row in rows])

    read, numbers = {
        "payloads": (lambda rows: len(dataset.payloads(rows)), array),
        "columns": (lambda rows: dataset.take(rows).num_rows, array),
        "row": (single, list),
        "scalars": (single, list),
    }[job["way"].partition(", ")[0]]
    return (f"headrace {headrace.__version__}",
            random_rows.passes_of(job, read, numbers))


if __name__ == "__main__":
    passes.main(prepare)
