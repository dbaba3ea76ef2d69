"""Ctrl-C, fork, and the end of the interpreter: each in a process of its own."""

import os
import signal
import sys
import textwrap
import time

import headrace as hr
import processes
import pytest
import records

PROLOGUE = """
import gc, io, os, sys, threading, time, warnings
import headrace as hr
# Python 3.12 and later warn whoever forks with threads.
warnings.filterwarnings("ignore", "This process", DeprecationWarning)

class Slow(io.BytesIO):
    \"\"\"Waits now and then, from `wait_at` on.\"\"\"
    wait_at, pause = 0, 0.01
    def readinto(self, buffer):
        if self.tell() >= self.wait_at:
            print("waits", flush=True)
            time.sleep(self.pause)
        return super().readinto(memoryview(buffer)[:500])

def ids_of(batches):
    return [i for batch in batches for i in batch["id"].values.numpy().tolist()]
"""


def start(script, *arguments):
    return processes.start("-c", PROLOGUE + textwrap.dedent(script), *arguments)


def run(script, *arguments):
    """What a script prints; it ends well, in time, and says nothing else."""
    return processes.printed_alone(
        "-c", PROLOGUE + textwrap.dedent(script), *arguments, timeout=30).split()


def interrupt(process, wait_for="ready", after=0.5, timeout=20):
    """Sends SIGINT some time after the process has printed a word; what it prints
    and says then, and when it was sent."""
    try:
        while (line := process.stdout.readline().strip()) != wait_for:
            assert line, process.communicate()
        time.sleep(after)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        return *process.communicate(timeout=timeout), begin
    finally:
        process.kill()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.tfrecord"
    records.write_people(path, 1000)
    return path


# Ctrl-C.

INTERRUPTED = """
    path, threads = sys.argv[1], int(sys.argv[2])
    def table(reader):  # the error of the stream comes first, Ctrl-C behind it
        import pyarrow
        try:
            pyarrow.table(reader)
        except OSError:
            pass
    print("ready", flush=True)
    try:
        {call}
        print("went through")
    except KeyboardInterrupt:
        print("interrupted", time.monotonic())
"""


def assert_interrupts(call, path, threads, wait_for="ready"):
    """SIGINT while `call` runs is KeyboardInterrupt within 2 seconds."""
    process = start(INTERRUPTED.format(call=call), path, threads)
    out, errors, begin = interrupt(process, wait_for, after=0.2, timeout=10)
    assert process.returncode == 0, errors
    *_, word, when = out.split()
    assert (word, float(when) - begin < 2) == ("interrupted", True)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("call", [
    "list(hr.open(path, threads=threads))",
    "list(hr.open(path, threads=threads, message='raw'))",
    "import pyarrow; pyarrow.table(hr.open(path, threads=threads))",
])
def test_interrupt_while_a_pipe_gives_nothing(tmp_path, path, call, threads):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Open for both, so that nobody waits for a writer; some data, and no end.
    writer = os.open(pipe, os.O_RDWR)
    try:
        os.write(writer, path.read_bytes()[:5000])
        assert_interrupts(call, pipe, threads)
    finally:
        os.close(writer)


def test_interrupt_while_a_pipe_has_no_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert_interrupts("hr.open(path)", tmp_path / "pipe", 1)


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """A gzip file that takes minutes to read: the same member again and again."""
    path = tmp_path_factory.mktemp("endless") / "x.gz"
    record = records.example({"x": records.ints(*range(100))})
    member = records.compressed(records.frame(record) * 100_000, "gzip")
    path.write_bytes(member * 100)
    return path


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("call", [
    "hr.open(path, sample=0, threads=threads)",
    "for batch in hr.open(path, threads=threads, epochs=None): pass",
    "list(hr.open(path, message='raw', threads=threads, batch_size=2**62))",
    "hr.infer_schema(path, sample=0)",
])
def test_interrupt_while_much_is_read(endless, call, threads):
    assert_interrupts(call, endless, threads)


PREPARE = (
    "spec = {{'id': hr.FixedLenFeature([], int)}}; "
    "file = Slow(open(path, 'rb').read()); file.wait_at, file.pause = 3000, {}; "
    "reader = hr.open(file, threads=threads, spec=spec); "
)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("call", ["list(reader)", "table(reader)"])
@pytest.mark.parametrize("pause", [0.02, 1.5])
def test_interrupt_while_a_file_object_waits(path, call, threads, pause):
    assert_interrupts(PREPARE.format(pause) + call, path, threads, "waits")


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("where", ["alone", "in a function"])
def test_interrupt_of_a_stream_is_told_whole(endless, threads, where):
    """Whoever takes a stream raises its own error first; nothing is lost of it,
    and KeyboardInterrupt is raised as soon as Python code runs again."""
    pytest.importorskip("pyarrow", reason="takes streams")
    call = "pyarrow.table(hr.open(sys.argv[1], threads=int(sys.argv[2])))"
    script = {
        "alone": f"""
            import pyarrow
            print("ready", flush=True)
            {call}
        """,
        "in a function": f"""
            import pyarrow
            def read():
                try:
                    {call}
                except OSError as error:
                    assert "cancelled" in str(error), error
            print("ready", flush=True)
            try:
                read()
                print("went through")
            except KeyboardInterrupt:
                print("interrupted")
        """,
    }[where]
    process = start(script, endless, threads)
    out, errors, _ = interrupt(process)
    assert "lost sys.stderr" not in errors
    if where == "alone":
        assert process.returncode != 0
        # From 3.12 on no Python code may be left to raise it where the script ends.
        told = "KeyboardInterrupt" in errors
        assert told or (
            sys.version_info >= (3, 12) and "OSError: cancelled" in errors), errors
    else:
        assert (out.split(), errors) == (["interrupted"], "")


def test_a_handler_of_signals_is_called_once_and_heard(endless):
    """What it raises comes out, also where it is no KeyboardInterrupt."""
    pytest.importorskip("pyarrow", reason="takes streams")
    process = start("""
        import pyarrow, signal
        calls = []
        def handler(*_):
            calls.append(1)
            raise LookupError("mine")
        signal.signal(signal.SIGINT, handler)
        def read():
            try:
                spec = {"x": hr.VarLenFeature(int)}
                pyarrow.table(hr.open(sys.argv[1], threads=1, spec=spec))
            except OSError as error:
                # Python looks for what is pending where something is called.
                assert "cancelled" in str(error), error
        print("ready", flush=True)
        try:
            read()
        except LookupError as error:
            print(error, len(calls))
    """, endless)
    out, errors, _ = interrupt(process)
    assert (process.returncode, out.split(), errors) == (0, ["mine", "1"], "")


@pytest.mark.parametrize("threads", [1, 4])
def test_an_exception_goes_past_a_reader_that_no_one_else_holds(path, threads):
    out = run("""
        class MyError(Exception):
            pass
        data = open(sys.argv[1], "rb").read()
        for damage in (False, True):
            file = io.BytesIO(data[:-1] if damage else data)
            try:
                for batch in hr.open(file, threads=int(sys.argv[2])):
                    if not damage:
                        raise MyError
            except Exception as error:
                print(type(error).__name__)
    """, path, threads)
    assert out == ["MyError", "TruncatedError"]


# Fork.


@pytest.mark.parametrize("source", ["path", "object"])
@pytest.mark.parametrize("threads", [1, 4])
def test_fork(path, source, threads):
    if threads > 1 and "ASAN_OPTIONS" in os.environ:
        pytest.skip("a fork while threads start hangs in AddressSanitizer itself")
    out = run("""
        path, source, threads = sys.argv[1:]
        file = path if source == "path" else io.BytesIO(open(path, "rb").read())
        reader = hr.open(file, batch_size=10, threads=int(threads))
        first = next(reader)
        child = os.fork()
        if child == 0:
            refused = 0
            for call in (lambda: next(reader), lambda: reader.report,
                         reader.state_dict, reader.__arrow_c_stream__):
                try:
                    call()
                except RuntimeError as error:
                    refused += "fork" in str(error)
            reader.close()
            assert ids_of([first]) == list(range(10))
            # A reader of its own is fine.
            assert ids_of(hr.open(path, threads=3)) == list(range(1000))
            sys.exit(40 + refused)  # as any script ends, with the reader alive
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(status, ids_of(reader) == list(range(10, 1000)))
    """, path, source, threads)
    assert out == ["44", "True"]


def test_a_forked_child_lets_go_of_a_reader(path):
    out = run("""
        reader = hr.open(sys.argv[1], batch_size=10, threads=4)
        next(reader)
        child = os.fork()
        if child == 0:
            del reader
            gc.collect()
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]),
              len(ids_of(reader)))
    """, path)
    assert out == ["7", "990"]


# The end.


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("keep", [
    "keep = reader", "cycle = [reader]; cycle.append(cycle); del reader",
    "sys.modules['keep'] = reader", "batch = next(reader)",
    "stream = reader.__arrow_c_stream__(); del reader",
])
def test_exit_with_an_unfinished_reader(path, threads, keep):
    out = run(f"""
        file = Slow(open(sys.argv[1], "rb").read())
        file.wait_at, file.pause = 20_000, 0.002
        spec = {{"id": hr.FixedLenFeature([], int)}}
        reader = hr.open(file, batch_size=10, threads={threads}, spec=spec)
        next(reader)
        {keep}
        print("ends", flush=True)
    """, path)
    assert "ends" in out


@pytest.mark.parametrize("threads", [1, 2])
def test_exit_while_a_daemon_thread_reads(path, threads):
    out = run("""
        file = Slow(open(sys.argv[1], "rb").read())
        file.wait_at, file.pause = 3000, 0.5
        spec = {"id": hr.FixedLenFeature([], int)}
        reader = hr.open(file, batch_size=10, threads=int(sys.argv[2]), spec=spec)
        threading.Thread(target=lambda: list(reader), daemon=True).start()
        time.sleep(0.2)
        print("ends", flush=True)
    """, path, threads)
    assert "ends" in out


def test_exit_says_nothing_of_what_is_still_held(path):
    out = run("""
        reader = hr.open(sys.argv[1], batch_size=10, threads=4)
        batch = next(reader)
        hr.mine = [reader, batch, batch["id"], batch["id"].values.numpy()]
        cycle = [hr.mine, batch]
        cycle.append(cycle)
        print("ends")
    """, path)
    assert out == ["ends"]


def test_exit_says_nothing_of_a_reader_of_a_file_object(path):
    run("""
        file = Slow(open(sys.argv[1], "rb").read())  # its class knows all globals
        reader = hr.open(file, threads=1)
        next(reader)
    """, path)
