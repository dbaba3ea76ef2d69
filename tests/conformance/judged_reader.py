"""A slow reader of plain TFRecord files, and ways to be wrong about it.

usage: judged_reader.py FAULT [FOLDER]
"""

import base64
import json
import os
import signal
import struct
import sys
import time


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    rotated = crc >> 15 | crc << 17
    return struct.pack("<I", (rotated + 0xA282EAD8) & 0xFFFFFFFF)


def read(data):
    """Payloads, and whether the file ends where one does."""
    payloads, at = [], 0
    while at < len(data):
        header = data[at:at + 8]
        if data[at + 8:at + 12] != masked(header):
            return payloads, False
        end = at + 12 + struct.unpack("<Q", header)[0]
        payload = data[at + 12:end]
        if data[end:end + 4] != masked(payload):
            return payloads, False
        payloads.append(payload.hex())
        at = end + 4
    return payloads, True


def answered(question):
    if question["ask"] == "hello":
        return {"reader": "slow \n\x1b[1m"}
    if (question["ask"], question.get("policy"), question.get("compression")
            ) != ("records", "fail", "none"):
        return {"unsupported": "not this"}
    payloads, whole = read(base64.b64decode(question["file"]))
    return {"records": payloads} if whole else {
        "records": payloads, "error": "damaged"}


def flip(answer):
    answer["records"] = [
        f"{int(record[:2], 16) ^ 1:02x}{record[2:]}" if record else record
        for record in answer["records"]]


def drop(answer):
    answer.pop("error", None)
    answer["records"] = answer["records"][:-1]


def refuse(answer):
    answer["error"] = "no"


# What is written instead of the line of the answer.
LINES = {
    "rubbish": b"rubbish\n",
    "latin": b"\xff\xfe\n",
    "list": b"[]\n",
    "nothing": b"\n",
    "other_id": b'{"id": "other", "records": []}\n',
    "deep": b"[" * 100000 + b"\n",
    "digits": b'{"id": ' + b"9" * 10000 + b"}\n",
    "endless": b"x" * (80 << 20) + b"\n",
}


def write(line):
    sys.stdout.buffer.write(line)
    sys.stdout.flush()


def spoil(fault, question, answer):
    """Does what the fault does, or changes the answer."""
    if fault in ("flip", "drop", "refuse"):
        globals()[fault](answer)
    elif fault == "hang" or fault == "hang_once" and "cut-05" in question["id"]:
        time.sleep(1000)
    elif fault in ("die", "once"):
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "leave":
        print("it was too much", file=sys.stderr)
        sys.exit(3)
    elif fault == "close":
        os.close(1)
        time.sleep(1000)
    elif fault == "child":
        if os.fork() == 0:
            time.sleep(1000)
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "no_newline":
        write(json.dumps({"id": question["id"], **answer}).encode())
        time.sleep(1000)
    elif fault == "stderr":
        sys.stderr.write("x" * (1 << 20))
    elif fault == "empty_answer":
        answer.clear()
    elif fault == "number":
        answer.update(records=3)
    elif fault == "deep_value":
        write(b'{"id": "%s", "records": %s%s}\n' % (
            question["id"].encode(), b"[" * 900, b"]" * 900))


def main():
    fault = sys.argv[1]
    if fault == "early":
        write(b"Welcome\n")
    if fault == "no_start":
        sys.exit("no library")
    if fault == "once":
        os.mkdir(os.path.join(sys.argv[2], "started"))  # Fails the next time.
    for line in sys.stdin:
        question = json.loads(line)
        answer = answered(question)
        if "records" in answer:
            if fault in LINES:
                write(LINES[fault])
                continue
            spoil(fault, question, answer)
        write(json.dumps({"id": question["id"], **answer}).encode() + b"\n")
        if fault == "twice" and "records" in answer:
            write(json.dumps({"id": question["id"], **answer}).encode() + b"\n")


if __name__ == "__main__":
    main()
