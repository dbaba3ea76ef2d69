"""headrace on a gzip file: its payloads, its tensors or its bytes.

A job's "index" is that of headrace.open, and "threads" is how many inflate and
decode.
"""

import json

import passes


def prepare(job):
    import headrace
    options = {"threads": job["threads"], "batch_size": job["batch"],
               "index": job["index"]}
    if job["way"] == "tensors":
        options["spec"] = headrace.Spec.from_json(json.dumps(job["spec"]))
    elif job["way"] == "payloads":
        options["message"] = "raw"

    def in_order():
        return sum(batch.num_rows
                   for batch in headrace.open(job["file"], **options))

    if job["way"] != "blocks":
        return f"headrace {headrace.__version__}", in_order
    dataset = headrace.Dataset(job["file"], threads=job["threads"],
                               index="required")
    shuffle = headrace.Shuffle(1, block=job["block"], window=4)

    def shuffled():
        return sum(batch.num_rows for batch in dataset.batches(
            job["batch"], shuffle=shuffle))

    return f"headrace {headrace.__version__}", shuffled


if __name__ == "__main__":
    passes.main(prepare)
