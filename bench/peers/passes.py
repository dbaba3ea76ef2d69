"""What every peer does: takes a job, makes passes over a file, says how long.

A job is a file of JSON with

    file      the TFRecord file; gzip when its name ends in .gz
    records   how many it has
    batch     rows of a batch
    spec      the features, as docs/formats/spec.md has them
    arrow     the same columns as an Arrow file
    folder    where files may be written; they stay for later rounds
    seconds   go on for about so long
    passes    but make so many at least
    way       one of the peer's ways to read

The answer is a line of JSON on standard output: "seconds", one a pass,
"cpu_share" and "version"; or "missing", the module that is not installed; or "fails", why.
"""

import json
import sys
import time


def is_sequence(spec):
    return spec.get("message") == "sequence_example"


def features(spec):
    """All features, those of feature lists last."""
    return spec["features"] + spec.get("sequence_features", [])


def reason(error):
    """One line, not too long for a table."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= 100 else text[:97] + "..."


def measure(one_pass, job):
    """Seconds of each pass, and how much of a core they had."""
    seconds = []
    one_pass()  # finds memory, traces functions, fills the page cache
    busy = time.process_time()
    while len(seconds) < job["passes"] or sum(seconds) < job["seconds"]:
        start = time.perf_counter()
        records = one_pass()
        seconds.append(time.perf_counter() - start)
        if records != job["records"]:
            raise ValueError(f"{records} records of {job['records']}")
    return seconds, (time.process_time() - busy) / sum(seconds)


def main(prepare):
    """prepare(job) imports the peer and gives (version, one_pass).

    one_pass() reads the file once and gives the number of records.
    """
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    try:
        version, one_pass = prepare(job)
        seconds, share = measure(one_pass, job)
        answer = {"version": version, "seconds": seconds, "cpu_share": share}
    except ImportError as error:
        # Without a name it is a library below the peer that is at fault.
        answer = {"missing": error.name} if error.name else {
            "fails": reason(error)}
    except Exception as error:  # Whatever a peer throws is its answer.
        answer = {"fails": reason(error)}
    # Peers print, too: the answer is the last line.
    print("\n" + json.dumps(answer), flush=True)
