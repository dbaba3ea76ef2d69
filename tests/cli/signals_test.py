"""Signals that end the program, and streams that are not blocking."""

import ctypes
import fcntl
import os
import signal
import subprocess
import threading
import time

import program
from program import CliTest, example
from wire_bytes import frame

ENDING = ["HUP", "INT", "QUIT", "TERM", "ALRM", "USR1", "USR2", "VTALRM",
          "PROF", "XCPU", "BUS"]
RECORDS = b"".join(frame(example(a=[i], b=["x" * 1000])) for i in range(2000))

# A shell starts jobs in the background with some signals ignored, nohup another,
# and programs inherit that; here they start with the default.
for name in ENDING:
    signal.signal(getattr(signal, "SIG" + name), signal.SIG_DFL)


class SignalsTest(CliTest):
    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "in")
        self.pipes = []

    def start(self, *args, **kwargs):
        process = subprocess.Popen(
            [program.PROGRAM, *args], cwd=self.folder,
            stdout=kwargs.pop("stdout", subprocess.DEVNULL),
            stderr=subprocess.PIPE, **kwargs)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def await_hidden(self, process, count=1):
        """Until so many temporary files are there."""
        end = time.monotonic() + 60
        while len(self.hidden()) < count:
            self.assertIsNone(process.poll(), "ended too early")
            self.assertLess(time.monotonic(), end, "no temporary file")
            time.sleep(0.002)

    def hidden(self):
        return [name for name in self.names() if name.startswith(".")]

    def expect_end(self, process, number, names=("in",)):
        self.assertEqual(process.wait(timeout=60), -number)
        while self.pipes:
            self.pipes.pop().close()
        self.assertEqual(self.names(), sorted(names))

    def end_hidden(self, process, number, names=("in",), count=1):
        """The signal comes while so many outputs are not complete."""
        self.await_hidden(process, count)
        process.send_signal(number)
        self.expect_end(process, number, names)

    def feed(self, process):
        """Records, after which the program waits for more."""
        pipe = open(self.folder / "in", "wb")
        pipe.write(RECORDS)
        pipe.flush()
        # What is unread must not wait for the next program.
        self.pipes.append(pipe)
        self.addCleanup(pipe.close)
        return process

    def convert(self, *args, **kwargs):
        return self.feed(self.start(
            "convert", "in", "--message", "example", "--sample", "10",
            "--features", "a", *args, **kwargs))

    def test_every_signal_that_ends(self):
        for name in ENDING:
            self.end_hidden(self.convert("-o", "out.arrow"),
                            getattr(signal, "SIG" + name))

    def test_every_output(self):
        for args, count in ((["--to", "arrow"], 1), (["--to", "csv"], 1),
                            (["--to", "arrow-stream"], 1),
                            (["--to", "jsonl"], 1), (["--to", "tfrecord"], 1),
                            (["--to", "tfrecord", "--shards", "5"], 5)):
            self.end_hidden(self.convert("-o", "out", *args), signal.SIGTERM,
                            count=count)

    def test_gen(self):
        self.end_hidden(self.start("gen", "--shape", "floats", "-o", "out",
                                   "--records", "100000000"), signal.SIGINT)

    def test_rejects_while_standard_output_is_full(self):
        # Each of the damaged records is a finding of its own.
        whole = frame(b"x")
        self.write("bad", (whole + whole[:-1] + b"\0") * 10000)
        read_end, write_end = os.pipe()
        process = self.start("validate", "bad", "--rejects", "out",
                             stdout=write_end)
        os.close(write_end)
        self.addCleanup(os.close, read_end)
        self.await_hidden(process)
        time.sleep(0.3)  # it is in write() now
        process.send_signal(signal.SIGHUP)
        self.expect_end(process, signal.SIGHUP, ["bad", "in"])

    def test_waiting_for_a_pipe_to_be_opened(self):
        self.write_records("x", [example(a=[1])])
        for args in (["convert", "in", "-o", "out.arrow"], ["count", "in"],
                     ["convert", "x", "-o", "in", "--to", "tfrecord"]):
            process = self.start(*args)
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            self.expect_end(process, signal.SIGINT, ["in", "x"])

    def test_what_was_there_is_untouched(self):
        self.write("out.arrow", b"old")
        self.end_hidden(self.convert("-o", "out.arrow"), signal.SIGINT,
                        ["in", "out.arrow"])
        self.assertEqual(self.read("out.arrow"), b"old")

    def test_two_signals_at_once(self):
        for _ in range(10):
            process = self.convert("-o", "out.arrow")
            self.await_hidden(process)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            ended = -process.wait(timeout=60)
            self.assertIn(ended, (signal.SIGINT, signal.SIGTERM))
            self.expect_end(process, ended)

    def test_whichever_thread_gets_it(self):
        libc = ctypes.CDLL(None)
        for index in range(3):
            process = self.convert("-o", "out.arrow", "--threads", "3")
            self.await_hidden(process)
            end = time.monotonic() + 60
            while len(os.listdir(f"/proc/{process.pid}/task")) < 3:
                self.assertLess(time.monotonic(), end, "no threads")
                time.sleep(0.002)
            threads = sorted(map(int, os.listdir(f"/proc/{process.pid}/task")))
            tgkill = 234 if os.uname().machine == "x86_64" else 131
            libc.syscall(tgkill, process.pid, threads[index],
                         int(signal.SIGTERM))
            self.expect_end(process, signal.SIGTERM)

    def test_ignored_signals_stay_ignored(self):
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = self.start(
            "convert", "in", "-o", "out.tfrecord", preexec_fn=ignore)
        with open(self.folder / "in", "wb") as pipe:
            pipe.write(RECORDS)
            pipe.flush()
            self.await_hidden(process)
            process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(self.read("out.tfrecord"), RECORDS)

    def test_a_shell_sees_128_and_the_number(self):
        script = ('"$0" convert in -o out.arrow & '
                  'sleep 0.2; kill -TERM $!; wait $!; echo $?')
        result = subprocess.run(["/bin/sh", "-c", script, program.PROGRAM],
                                cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, timeout=60,
                                check=True)
        self.assertEqual(result.stdout, b"143\n")
        self.assertEqual(self.names(), ["in"])


def nonblocking_pipe():
    read_end, write_end = os.pipe()
    for end in (read_end, write_end):
        flags = fcntl.fcntl(end, fcntl.F_GETFL)
        fcntl.fcntl(end, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    return read_end, write_end


class NonBlockingTest(CliTest):
    """What another process may have made of a stream that it shares."""

    def setUp(self):
        super().setUp()
        self.write("big", RECORDS)
        self.lines = self.run_ok("cat", "big", "--quiet").bytes

    def read_slowly(self, *args):
        read_end, write_end = nonblocking_pipe()
        process = subprocess.Popen(
            [program.PROGRAM, *args], cwd=self.folder, stdout=write_end,
            stderr=subprocess.PIPE)
        os.close(write_end)
        text = b""
        while True:
            time.sleep(0.01)
            try:
                piece = os.read(read_end, 200_000)
            except BlockingIOError:
                continue
            if not piece:
                break
            text += piece
        os.close(read_end)
        error = process.stderr.read()
        process.stderr.close()
        self.assertEqual((process.wait(timeout=60), error), (0, b""))
        return text

    def test_standard_output(self):
        for args in (["cat", "big"],
                     ["convert", "big", "-o", "-", "--to", "jsonl"],
                     ["convert", "big", "-o", "/dev/stdout", "--to", "jsonl"]):
            self.assertEqual(self.read_slowly(*args, "--quiet"), self.lines)

    def test_standard_input(self):
        for data, args in (
                (RECORDS, ["cat", "-", "--quiet"]),
                (self.lines, ["convert", "--from", "jsonl", "--to", "jsonl",
                              "-", "-o", "-", "--quiet"])):
            read_end, write_end = nonblocking_pipe()
            process = subprocess.Popen(
                [program.PROGRAM, *args], cwd=self.folder, stdin=read_end,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            os.close(read_end)
            os.set_blocking(write_end, True)

            def feed(end=write_end, rest=data):
                while rest:
                    time.sleep(0.01)
                    rest = rest[os.write(end, rest[:300_000]):]
                os.close(end)
            feeder = threading.Thread(target=feed)
            feeder.start()
            out, error = process.communicate(timeout=60)
            feeder.join()
            self.assertEqual((process.returncode, error), (0, b""))
            self.assertEqual(out, self.lines)


class OutputLinksTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write_records("x", [example(a=[1])])

    def link(self, name, to):
        os.symlink(to, self.folder / name)

    def test_links_stay(self):
        (self.folder / "there").mkdir()
        self.write("there/old", b"old")
        for target in ("there/old", "there/new", str(self.folder / "abs")):
            for verb in (["convert", "x", "--to", "tfrecord"],
                         ["gen", "--shape", "people"]):
                self.link("link", "again")
                self.link("again", target)
                self.run_ok(*verb, "-o", "link")
                self.assertTrue((self.folder / "link").is_symlink())
                self.assertTrue((self.folder / "again").is_symlink())
                self.assertEqual(self.read("link"), self.read(target))
                self.run_ok("count", target)
                os.remove(self.folder / "link")
                os.remove(self.folder / "again")
        self.assertEqual(self.names(), ["abs", "there", "x"])

    def test_links_that_lead_nowhere(self):
        self.link("loop", "pool")
        self.link("pool", "loop")
        self.link("nofolder", "missing/out")
        for name, text in (("loop", "symbolic links"),
                           ("nofolder", "No such file")):
            result = self.run_bad(3, "convert", "x", "--to", "jsonl", "-o",
                                  name)
            self.assertIn(name, result.err)
            self.assertIn(text, result.err)
            self.assertTrue((self.folder / name).is_symlink())
        self.assertEqual(self.names(), ["loop", "nofolder", "pool", "x"])

    def test_dev_stdout(self):
        result = self.run_ok("convert", "x", "--to", "jsonl", "-o",
                             "/dev/stdout", "--quiet")
        self.assertEqual(result.json, [{"a": [1]}])
        with open(self.folder / "file", "wb") as out:
            result = self.run_program("convert", "x", "--to", "jsonl", "-o",
                                      "/dev/stdout", stdout=out)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(self.read("file"), b'{"a":[1]}\n')
        self.assertTrue(os.path.islink("/dev/stdout"))
