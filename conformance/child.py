"""The reader that is judged: a child process that answers line by line."""

import json
import os
import resource
import selectors
import signal
import subprocess
import time

# No right answer to a vector comes near it.
LONGEST_ANSWER = 64 << 20
KEPT_OF_STDERR = 2000


class Failure(Exception):
    """There is no answer. `verdict` says of what sort, the text why."""

    def __init__(self, verdict, why):
        super().__init__(why)
        self.verdict = verdict


def _leave_no_core():
    """Readers that crash at many questions would fill the disk."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Child:
    """One process of the command. After a Failure it has ended.

    The pipes never block: a child that does not read, or that writes without
    end to stderr, costs its time limit and no more.
    """

    def __init__(self, command):
        # A session of its own, so that what the child starts ends with it.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, bufsize=0, start_new_session=True,
            preexec_fn=_leave_no_core)
        self._said = b""
        for pipe in (self._process.stdin, self._process.stdout,
                     self._process.stderr):
            os.set_blocking(pipe.fileno(), False)

    def ask(self, question, limit):
        """The answer to a question, an object; a Failure ends the child."""
        try:
            return self._parsed(self._exchange(question, limit), question)
        except Failure:
            self.end()
            raise

    def end(self):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout,
                     self._process.stderr):
            pipe.close()

    def _exchange(self, question, limit):
        """One line out and one line in, without its end."""
        unsent = memoryview(json.dumps(question).encode() + b"\n")
        answer = bytearray()
        until = time.monotonic() + limit
        with selectors.DefaultSelector() as pipes:
            pipes.register(self._process.stdin, selectors.EVENT_WRITE)
            pipes.register(self._process.stdout, selectors.EVENT_READ)
            pipes.register(self._process.stderr, selectors.EVENT_READ)
            while True:
                left = until - time.monotonic()
                if left <= 0:
                    raise Failure("hang", f"no answer in {limit:g} s")
                for key, _ in pipes.select(left):
                    if key.fileobj is self._process.stdin:
                        unsent = self._send(unsent)
                        if not unsent:
                            pipes.unregister(key.fileobj)
                    elif key.fileobj is self._process.stderr:
                        if not self._hear():
                            pipes.unregister(key.fileobj)
                    elif self._read(answer):
                        return bytes(answer[:answer.index(b"\n")])

    def _send(self, unsent):
        """What is left to send; nothing where the child no longer reads."""
        try:
            return unsent[os.write(self._process.stdin.fileno(), unsent):]
        except BlockingIOError:
            return unsent
        except BrokenPipeError:
            return unsent[:0]

    def _hear(self):
        """Keeps the end of what the child says on stderr; false at its end."""
        said = self._process.stderr.read(1 << 16)
        self._said = (self._said + (said or b""))[-KEPT_OF_STDERR:]
        return said != b""

    def _read(self, answer):
        """Appends to the answer; true when it has a whole line."""
        begin = len(answer)
        part = self._process.stdout.read(1 << 20)
        if part == b"":
            raise Failure("crash", self._how_it_ended())
        answer += part or b""
        if answer.find(b"\n", begin) >= 0:
            return True
        if len(answer) > LONGEST_ANSWER:
            raise Failure("rubbish",
                          f"a line longer than {LONGEST_ANSWER} bytes")
        return False

    def _how_it_ended(self):
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._hear()
        last = self._said.decode(errors="replace").strip().splitlines()[-1:]
        how = (f"signal {-status}" if status < 0 else f"exit status {status}")
        return ": ".join([how] + last)

    @staticmethod
    def _parsed(line, question):
        try:
            answer = json.loads(line)
        # Both are what Python's parser has for JSON that it does not take.
        except (ValueError, RecursionError) as error:
            raise Failure("rubbish", f"no JSON: {error}") from None
        if not isinstance(answer, dict):
            raise Failure("rubbish", "no JSON object")
        if answer.get("id") != question["id"]:
            raise Failure("rubbish", "the \"id\" is not that of the question")
        return answer
