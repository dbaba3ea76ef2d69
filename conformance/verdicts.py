"""What an answer is worth, beside what would be right."""

import json

RIGHT = "right"
WRONG = "silently wrong"
LOST = "lost records"
REJECTED = "rejects good data"
CRASH = "crash"
HANG = "hang"
RUBBISH = "rubbish"
UNSUPPORTED = "unsupported"
ALL = (RIGHT, WRONG, LOST, REJECTED, CRASH, HANG, RUBBISH, UNSUPPORTED)

VALUES = {
    "records": ("records",),
    "examples": ("examples",),
    "columns": ("columns",),
    "tensors": ("outputs", "sequence_outputs", "sequence_lengths"),
}


def judge(question, answer):
    """The verdict, and a few words about it."""
    if "unsupported" in answer:
        return UNSUPPORTED, _words(answer["unsupported"])
    ask, expect = question.line["ask"], question.expect
    fields = VALUES[ask]
    failed = "error" in answer
    if not failed and fields[0] not in answer:
        return RUBBISH, f'neither "{fields[0]}" nor "error"'
    if ask == "records":
        return _judge_records(expect, answer.get("records"), failed, answer)
    if failed and "error" in expect:
        return RIGHT, _words(answer["error"])
    if failed:
        return REJECTED, _words(answer["error"])
    if "error" in expect:
        return WRONG, f"no error; it should be {expect['error']}"
    for field in fields:
        if _canonical(expect.get(field)) != _canonical(answer.get(field)):
            return WRONG, f'other "{field}"'
    return RIGHT, ""


def _judge_records(expect, got, failed, answer):
    want = expect["records"]
    if got is not None and not isinstance(got, list):
        return RUBBISH, '"records" is no list'
    if failed and "error" not in expect:
        return REJECTED, _words(answer["error"])
    # Many readers show nothing of a file that they refuse.
    if failed and (got is None or got == want[:len(got)]):
        return RIGHT, _words(answer["error"])
    if got == want and "error" not in expect:
        return RIGHT, ""
    if not failed and _is_part(got, want):
        return LOST, f"{len(got)} of {len(want)} records, and no error"
    return WRONG, f"other records than the {len(want)} right ones"


def _is_part(got, want):
    """Whether `got` is `want` with some left out."""
    rest = iter(want)
    return all(record in rest for record in got)


def _canonical(values):
    """Text that is equal for equal values: 1, 1.0 and true are not."""
    if isinstance(values, list) and values and isinstance(values[0], dict):
        # The order of columns is no fault, that of examples is.
        if "type" in values[0]:
            return sorted(json.dumps(v, sort_keys=True) for v in values)
    if values in (None, {}):
        return ""
    return json.dumps(values, sort_keys=True)


def _words(text):
    """The beginning of what a reader says, as one printable line."""
    return ascii(text)[:200]
