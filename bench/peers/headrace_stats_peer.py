"""The program's statistics of a set of files, or ("way": "decode") their columns."""

import json
import subprocess

import passes


def prepare(job):
    program = job["program"]
    count = [program, "stats", "--quiet", "--json", job["file"],
             "--threads", str(job["threads"])]

    def statistics():
        run = subprocess.run(count, check=True, capture_output=True)
        return json.loads(run.stdout)["records"]

    def decode():
        import headrace
        return sum(batch.num_rows for batch in headrace.open(
            job["file"], threads=job["threads"], batch_size=job["batch"]))

    version = subprocess.run([program, "--version"], check=True, text=True,
                             capture_output=True).stdout.splitlines()[0]
    return version, decode if job["way"] == "decode" else statistics


if __name__ == "__main__":
    passes.main(prepare)
