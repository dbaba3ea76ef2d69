"""Help, wrong options, exit codes, standard streams.

usage: usage_test.py HEADRACE
"""

import os
import pty
import signal
import socket
import subprocess
import time

import program
from program import CliTest, closed_pipe, example

VERBS = ["head", "cat", "count", "schema", "validate", "convert", "plan",
         "bench", "gen"]
# No help may name what does not exist yet.
LATER = ["stats", "index", "get", "--html"]


class HelpTest(CliTest):
    def test_the_program_names_all_verbs(self):
        for flag in ("--help", "-h"):
            text = self.run_ok(flag).out
            for verb in VERBS:
                self.assertRegex(text, rf"(?m)^  {verb} ")
            self.assertIn("Example:\n  headrace ", text)

    def test_every_verb_has_help_with_an_example(self):
        for verb in VERBS:
            for flag in ("--help", "-h"):
                result = self.run_ok(verb, flag)
                self.assertIn(f"Usage: headrace {verb} ", result.out)
                self.assertIn(f"Example:\n  headrace {verb} ", result.out)
                self.assertEqual(result.err, "")

    def test_help_fits_eighty_columns(self):
        for args in [["--help"]] + [[verb, "--help"] for verb in VERBS]:
            for line in self.run_ok(*args).lines:
                self.assertLessEqual(len(line), 80, line)

    def test_help_names_nothing_that_is_not_there(self):
        words = set()
        for args in [["--help"]] + [[verb, "--help"] for verb in VERBS]:
            text = self.run_ok(*args).out
            for mark in "|,.();:":
                text = text.replace(mark, " ")
            words |= set(text.split())
        self.assertEqual(words & set(LATER), set())

    def test_version_names_the_code_paths(self):
        text = self.run_ok("--version").out
        self.assertRegex(text, r"^headrace \d+\.\d+\.\d+\n")
        for word in ("SIMD targets", "CRC32C", "inflate"):
            self.assertIn(word, text)


class UsageTest(CliTest):
    def test_no_verb_is_help_and_an_error(self):
        result = self.run_program()
        self.assertEqual(result.code, 2)
        self.assertEqual(result.out, "")
        self.assertIn("Verbs:", result.err)

    def test_wrong_options_are_one_line_and_a_hint(self):
        self.write_records("x", [example(a=[1])])
        for args in (["nope"], ["stats", "x"], ["--nope"], ["cat"],
                     ["cat", "--nope", "x"], ["head", "-n", "x"],
                     ["head", "-n", "-1", "x"], ["head", "-n", "0x10", "x"],
                     ["head", "--format", "pdf", "x"], ["count", "x", "--max-bad"],
                     ["schema", "--format", "proto", "x"],
                     ["convert", "x"], ["convert", "--spec", "s", "x"],
                     ["validate", "--index", "x"],
                     ["validate", "--spec", "-", "x"], ["plan"],
                     ["plan", "--spec"], ["plan", "--spec", ""],
                     ["plan", "--spec", "-"], ["plan", "--spec", "s", "x"],
                     ["cat", "--on-corrupt", "maybe", "x"],
                     ["cat", "--message", "other", "x"],
                     ["cat", "--compression", "lz4", "x"],
                     ["gen", "-o", "y"], ["gen", "--shape", "z", "-o", "y"],
                     ["gen", "--shape", "people"]):
            result = self.run_bad(2, *args)
            self.assertEqual(len(result.err.splitlines()), 2, result.err)
            verb = f"{args[0]} " if args[0] in VERBS else ""
            self.assertEqual(result.err.splitlines()[1],
                             f"headrace: try headrace {verb}--help")
            self.assertEqual(result.out, "")
        self.assertEqual(self.names(), ["x"])

    def test_numbers_are_decimal(self):
        self.write_records("x", [example(a=[i]) for i in range(20)])
        result = self.run_ok("head", "-n", "010", "--format", "jsonl", "x")
        self.assertEqual(len(result.lines), 10)

    def test_the_last_of_two_equal_options_counts(self):
        self.write_records("x", [example(a=[i]) for i in range(20)])
        result = self.run_ok("head", "-n", "3", "-n", "5", "--format", "jsonl",
                             "x")
        self.assertEqual(len(result.lines), 5)


class FilesTest(CliTest):
    def test_missing_files_and_folders(self):
        (self.folder / "folder").mkdir()
        self.write_records("good", [example(a=[1])])
        for verb in ("head", "cat", "count", "schema", "validate", "bench"):
            for name in ("missing", "folder", "no*match", "set@3"):
                result = self.run_bad(3, verb, name)
                self.assertIn(name.split("*")[0].split("@")[0], result.err)
            self.run_bad(3, verb, "good", "missing")
        for to in ("arrow", "csv", "jsonl", "tfrecord"):
            for name in ("missing", "folder"):
                self.run_bad(3, "convert", name, "-o", "out", "--to", to)
        self.run_bad(3, "convert", "--from", "jsonl", "folder", "-o", "o.arrow")
        self.assertEqual(self.names(), ["folder", "good"])

    def test_what_cannot_be_opened(self):
        # Not even root opens a socket as a file.
        path = self.folder / "socket"
        with socket.socket(socket.AF_UNIX) as server:
            here = os.getcwd()
            os.chdir(self.folder)
            try:
                server.bind("socket")
            finally:
                os.chdir(here)
            for verb in ("head", "cat", "count", "schema", "validate",
                         "bench"):
                result = self.run_bad(3, verb, path)
                self.assertIn("socket", result.err)
        if os.geteuid() != 0:
            self.write("secret", b"")
            os.chmod(self.folder / "secret", 0)
            self.run_bad(3, "count", "secret")

    def test_an_empty_file_is_no_records(self):
        self.write("empty", b"")
        self.assertEqual(self.run_ok("cat", "empty").out, "")
        self.assertEqual(self.run_ok("head", "empty").out, "")
        self.assertEqual(self.run_ok("count", "empty").out, "0\n")
        self.assertIn("0 findings", self.run_ok("validate", "empty").out)
        self.assertIn("0 records", self.run_ok("schema", "empty").out)

    def test_globs_shards_and_standard_input(self):
        for i in range(3):
            self.write_records(f"s-0000{i}-of-00003", [example(a=[i])])
        for name in ("s@3", "s-*-of-00003", "s-0000[0-2]*"):
            result = self.run_ok("cat", "--quiet", name)
            self.assertEqual(result.json, [{"a": [i]} for i in range(3)])
        data = self.read("s-00001-of-00003")
        result = self.run_ok("cat", "--quiet", "s-00000-of-00003", "-",
                             stdin=data)
        self.assertEqual(result.json, [{"a": [0]}, {"a": [1]}])
        self.run_bad(2, "cat", "-", "-", stdin=data)

    def test_not_a_tfrecord(self):
        self.write("text", "hello, this is no TFRecord file\n")
        for verb in ("cat", "count", "schema", "validate"):
            self.assertEqual(self.run_program(verb, "text").code, 1)
        self.assertIn("not_tfrecord", self.run_bad(1, "cat", "text").err)


class StreamsTest(CliTest):
    def setUp(self):
        super().setUp()
        # More than a pipe holds.
        self.write_records("big", [example(a=["x" * 1000, str(i)])
                                   for i in range(300)])

    def test_a_full_device(self):
        with open("/dev/full", "wb") as full:
            for args in (["cat", "big"], ["head", "big"], ["count", "big"],
                         ["schema", "big"], ["validate", "big"], ["--help"],
                         ["bench", "big", "--seconds", "0"], ["--version"], ["cat", "--format", "raw", "big"],
                         ["convert", "big", "-o", "-", "--to", "arrow-stream"],
                         ["convert", "big", "-o", "-", "--to", "csv",
                          "--features", "", "--on-row-error", "skip"],
                         ["convert", "big", "-o", "-", "--to", "jsonl"],
                         ["convert", "big", "-o", "-", "--to", "tfrecord"],
                         ["gen", "--shape", "people", "-o", "-"]):
                result = self.run_program(*args, stdout=full)
                self.assertEqual(result.code, 3, args)
                self.assertIn("No space left", result.err)
        for to in ("arrow", "csv", "jsonl", "tfrecord"):
            result = self.run_program("convert", "big", "-o", "/dev/full",
                                      "--to", to, "--on-row-error", "skip")
            self.assertEqual(result.code, 3, to)

    def test_a_closed_pipe_ends_quietly(self):
        for args in (["cat", "big"], ["head", "big"], ["count", "big", "big"],
                     ["schema", "big"], ["--help"],
                     ["bench", "big", "--seconds", "0"],
                     ["cat", "--format", "raw", "big"],
                     ["convert", "big", "-o", "-", "--to", "arrow-stream"],
                     ["convert", "big", "-o", "-", "--to", "jsonl"],
                     ["convert", "big", "-o", "-", "--to", "tfrecord"],
                     ["gen", "--shape", "people", "-o", "-"]):
            for sigpipe in (signal.SIG_DFL, signal.SIG_IGN):
                with closed_pipe() as pipe:
                    process = subprocess.run(
                        [program.PROGRAM, *args], cwd=self.folder,
                        stdout=pipe, stderr=subprocess.PIPE, check=False,
                        timeout=60, restore_signals=False,
                        preexec_fn=lambda s=sigpipe: signal.signal(
                            signal.SIGPIPE, s))
                self.assertEqual(process.returncode, 0, args)
                notes = [line for line in process.stderr.splitlines()
                         if b"reading the records as" not in line]
                self.assertEqual(notes, [], args)

    def test_a_pipe_that_closes_on_the_way(self):
        process = subprocess.Popen([program.PROGRAM, "cat", "--quiet", "big"],
                                   cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.readline().startswith(b'{"a":'))
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 0)

    def test_a_closed_pipe_leaves_no_rejects(self):
        self.write_records("bad", [b"\xff"] * 10000)
        with closed_pipe() as pipe:
            result = self.run_program("validate", "bad", "--rejects", "r",
                                      stdout=pipe)
        self.assertEqual(result.code, 1)
        self.assertEqual(self.names(), ["bad", "big"])

    def test_closed_standard_streams(self):
        def run(args, fd):
            return subprocess.run(
                ["/bin/sh", "-c", f'exec "$0" "$@" {fd}', program.PROGRAM,
                 *args], cwd=self.folder, stderr=subprocess.PIPE, check=False,
                stdout=subprocess.PIPE, timeout=60)
        self.assertEqual(run(["count", "big"], ">&-").returncode, 3)
        self.assertEqual(run(["count", "-"], "<&-").returncode, 3)
        self.assertEqual(run(["count", "big"], "2>&-").returncode, 0)
        # The output must not get the number of a standard stream.
        self.assertEqual(run(["convert", "big", "-o", "o.jsonl"],
                             "<&- >&- 2>&-").returncode, 0)
        self.assertEqual(len(self.read("o.jsonl").splitlines()), 300)

    def test_quiet_is_quiet(self):
        for args in (["cat", "big"], ["head", "big"], ["schema", "big"],
                     ["validate", "big"], ["count", "big"],
                     ["bench", "big", "--seconds", "0"],
                     ["convert", "big", "-o", "x.arrow"],
                     ["gen", "--shape", "ids", "-o", "y"]):
            self.assertEqual(self.run_ok(*args, "--quiet").err, "")

    def test_auto_says_what_it_chose(self):
        self.assertIn("--message example", self.run_ok("cat", "big").err)
        self.assertEqual(self.run_ok("cat", "--message", "example", "big").err,
                         "")

    def on_terminal(self, *args, env=None):
        """What the program writes to a terminal, both streams."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [program.PROGRAM, *args], cwd=self.folder, stdin=slave,
            stdout=slave, stderr=slave,
            env={**os.environ, "TERM": "xterm", **(env or {})})
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not piece:
                break
            text += piece
        os.close(master)
        self.assertEqual(process.wait(timeout=60), 0)
        return text

    def test_colour_is_for_terminals(self):
        env = dict(os.environ)
        env.pop("NO_COLOR", None)
        self.write_records("x", [example(a=["\x1b[31mred"])])
        self.assertIn(b"\x1b[1m", self.on_terminal("head", "x", env=env))
        plain = self.on_terminal("head", "x", env={"NO_COLOR": "1"})
        self.assertNotIn(b"\x1b", plain)
        self.assertIn(rb"\x1b[31mred", plain)
        self.assertNotIn("\x1b", self.run_ok("head", "x").out)

    def test_progress_is_for_terminals(self):
        # Slow enough for progress to show: the pipe is fed bit by bit.
        data = self.read("big")
        for terminal in (True, False):
            master, slave = pty.openpty()
            process = subprocess.Popen(
                [program.PROGRAM, "count", "-"], cwd=self.folder,
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=slave if terminal else subprocess.PIPE)
            os.close(slave)
            for _ in range(4):
                process.stdin.write(data)
                process.stdin.flush()
                time.sleep(0.3)
            process.stdin.close()
            if terminal:
                self.assertIn(b"records", os.read(master, 65536))
            else:
                self.assertEqual(process.stderr.read(), b"")
                process.stderr.close()
            self.assertEqual(process.wait(timeout=60), 0)
            os.close(master)


if __name__ == "__main__":
    program.main()
