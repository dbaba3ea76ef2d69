"""headrace's own reader of folders of TFDS, on one thread."""

import passes


def prepare(job):
    import headrace
    options = {"rows": {"batch_size": job["batch"]},
               "steps": {"batch_size": job["batch"], "steps": True},
               "episodes": {"batch_size": 16}}[job["way"]]
    # Those of the episodes are not among what tf.data gives.
    columns = None if job["way"] == "rows" else ["steps"]

    def one_pass():
        return sum(batch.num_rows for batch in headrace.tfds.open(
            job["file"], "train", columns=columns, threads=1, **options))

    return f"headrace {headrace.__version__}", one_pass


if __name__ == "__main__":
    passes.main(prepare)
