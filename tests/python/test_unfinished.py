"""Writers that nobody closes: no file, and a warning that says how much is lost,
also at the end of the interpreter. Each in a process of its own."""

import os
import textwrap

import headrace as hr
import processes
import pytest
import records

PROLOGUE = """
import gc, os, sys, warnings
import headrace as hr
writer = hr.Writer(sys.argv[1])
writer.write({"a": 1})
writer.write({"a": 2})
"""
WAYS = {
    "dropped": "del writer; gc.collect(); print('goes on')",
    "at the end": "",
    "in a cycle": "keep = [writer]; keep.append(keep); del writer, keep",
    "in a module": "sys.keep = writer",
    "exit": "sys.exit(0)",
}
FLAGS = [[], ["-X", "dev"], ["-W", "error"], ["-X", "dev", "-W", "error"]]


def run(script, path, *flags):
    return processes.run(*flags, "-c", PROLOGUE + textwrap.dedent(script), path)


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@pytest.mark.parametrize("way", WAYS)
def test_a_warning_and_no_file(path, way, flags):
    done = run(WAYS[way], path, *flags)
    assert done.returncode == 0
    assert done.stderr.count("UnfinishedFileWarning") == 1, done.stderr
    assert f"{str(path)!r} was not closed" in done.stderr
    assert "its 2 records are lost" in done.stderr
    assert os.listdir(path.parent) == []


def test_after_an_exception_of_the_program(path):
    done = run("1 / 0", path)
    assert "ZeroDivisionError" in done.stderr
    assert "its 2 records are lost" in done.stderr
    assert os.listdir(path.parent) == []


def test_who_asks_not_to_be_told(path):
    assert run("", path, "-W", "ignore").stderr == ""


@pytest.mark.parametrize("script", [
    "writer.close()", "with writer: pass", "writer.close(); writer.close()",
    "warnings.simplefilter('error'); writer.close(); del writer; gc.collect()"])
def test_nothing_to_say_of_a_file_that_is_finished(path, script):
    for flags in FLAGS:
        done = run(script, path, *flags)
        assert (done.returncode, done.stderr) == (0, "")
        assert records.rows_of(hr.open(path)) == [{"a": [1]}, {"a": [2]}]


def test_an_error_inside_with_says_enough(path):
    done = run("""
        try:
            with writer:
                raise KeyError
        except KeyError:
            print("caught")
    """, path, "-X", "dev", "-W", "error")
    assert (done.stdout.split(), done.stderr) == (["caught"], "")
    assert os.listdir(path.parent) == []


def test_a_child_leaves_the_file_of_its_parent_alone(path):
    done = run("""
        child = os.fork()
        if child == 0:
            for call in (lambda: writer.write({"a": 3}), writer.close):
                try:
                    call()
                except RuntimeError as error:
                    assert "fork" in str(error)
                else:
                    sys.exit(1)
            del writer
            gc.collect()
            sys.exit(7)  # as any script ends
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        writer.write({"a": 3})
        writer.close()
    """, path, "-X", "dev", "-W", "error")
    assert (done.returncode, done.stderr) == (0, "")
    assert records.rows_of(hr.open(path)) == [{"a": [1]}, {"a": [2]}, {"a": [3]}]


def test_the_warning_is_one_of_resources():
    assert issubclass(hr.UnfinishedFileWarning, ResourceWarning)


def test_a_fork_takes_no_threads_along(path):
    if "ASAN_OPTIONS" in os.environ:
        pytest.skip("a fork while threads start hangs in AddressSanitizer itself")
    done = processes.run("-c", """
import os, sys
import headrace as hr
writer = hr.Writer(sys.argv[1], compression="gzip", block_bytes=4096, threads=4)
for i in range(1000):
    writer.write({"a": i})
child = os.fork()
if child == 0:
    del writer  # what its threads do goes on in the parent alone
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
for i in range(1000):
    writer.write({"a": i})
writer.close()
""", path)
    assert done.returncode == 0, done.stderr
    assert sum(batch.num_rows for batch in hr.open(path)) == 2000
