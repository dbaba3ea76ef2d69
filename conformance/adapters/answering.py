"""What adapters in Python share: the loop, and the forms of answers."""

import base64
import json
import os
import sys
import tempfile


class Unsupported(Exception):
    """The reader has nothing for this question."""


def run(reader, answers):
    """Answers each line by the function for its kind of question."""
    # What libraries print must not get between the answers.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        question = json.loads(line)
        if question["ask"] == "hello":
            answer = {"reader": reader}
        else:
            answer = answered(answers.get(question["ask"]), question)
        line = json.dumps({"id": question["id"], **answer})
        print(line, file=out, flush=True)


def answered(function, question):
    if function is None:
        return {"unsupported": question["ask"]}
    try:
        return function(question)
    except Unsupported as why:
        return {"unsupported": str(why)}
    except Exception as error:  # Whatever a reader raises is its error.
        return {"error": f"{type(error).__name__}: {error}"[:1000]}


def messages(question):
    return [base64.b64decode(record) for record in question["records"]]


def whole_files_only(question, compressions):
    """Most readers stop at damage, and know some compressions."""
    if question["policy"] != "fail":
        raise Unsupported(f"policy {question['policy']}")
    if question["compression"] not in compressions:
        raise Unsupported(f"compression {question['compression']}")


def file_of(question):
    return file_holding(base64.b64decode(question["file"]))


def file_holding(data):
    """A file of these bytes, which is there as long as the object."""
    file = tempfile.NamedTemporaryFile(suffix=".tfrecord")
    file.write(data)
    file.flush()
    return file


def records(payloads):
    """What an iterator gives; where it fails, also the error."""
    taken = []
    try:
        for payload in payloads:
            taken.append(bytes(payload).hex())
    except Exception as error:  # As above.
        return {"records": taken, "error": f"{type(error).__name__}: {error}"}
    return {"records": taken}
