"""headrace.to_parquet of the tensors of a spec, on one thread."""

import passes


def prepare(job):
    import json
    import os

    import headrace
    import pyarrow
    pyarrow.set_cpu_count(1)
    path = os.path.join(job["folder"], "headrace.parquet")
    spec = headrace.Spec.from_json(json.dumps(job["spec"]))

    def one_pass():
        return headrace.to_parquet(job["file"], path, spec=spec, threads=1,
                                   row_group_size=job["group"]).num_rows

    return f"headrace {headrace.__version__}, pyarrow {pyarrow.__version__}", one_pass


if __name__ == "__main__":
    passes.main(prepare)
