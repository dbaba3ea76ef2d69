"""What depends on a terminal: escapes, colour, progress."""

import concurrent.futures
import json
import os
import pty
import re
import subprocess
import time

import program
from program import CliTest, example, sequence
from wire_bytes import frame

# Escape sequences, C1 controls, bidirectional overrides, a bell.
EVIL = "a\x1b[31mb\x9b2Jc\u202ed\u2066e\x07f"
FORBIDDEN = ["\x1b", "\x07", "\x9b", "\u202e", "\u2066"]


class TerminalCase(CliTest):
    def start(self, args, terminal=("stdin", "stdout", "stderr"), env=(),
              **streams):
        """The program with these streams on a terminal that shows colours, whose
        name stands for TTY."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        args = [os.ttyname(slave) if arg == "TTY" else arg for arg in args]
        variables = {**os.environ, "TERM": "xterm"}
        variables.pop("NO_COLOR", None)
        process = subprocess.Popen(
            [program.PROGRAM, *args], cwd=self.folder,
            env={**variables, **dict(env)},
            **dict.fromkeys(terminal, slave), **streams)
        os.close(slave)
        process.terminal = master
        return process

    def end(self, process, code=0):
        """What is on the terminal when the program has ended."""
        text = b""
        try:
            while piece := os.read(process.terminal, 65536):
                text += piece
        except OSError:  # Linux says so when the other end is closed
            pass
        self.assertEqual(process.wait(timeout=60), code, text)
        return text.decode("utf-8", "surrogateescape").replace("\r\n", "\n")

    def on_terminal(self, *args, code=0, env=()):
        return self.end(self.start(args, env=env), code)


class TerminalTest(TerminalCase):
    def test_nothing_from_a_file_drives_the_terminal(self):
        name = EVIL + ".tfrecord"
        record = example(**{EVIL: [EVIL], "b": [b"\xff\x1b[2J"]})
        self.write_records(name, [record, b"\xff"])
        self.write_records("good" + EVIL, [record])
        self.write("evil" + EVIL + ".json", json.dumps(
            {"message": "example", "features": [
                {"name": EVIL, "kind": "var_len", "dtype": "bytes"}]}))
        self.write("late" + EVIL, frame(example(c=[1])) * 10 +
                   frame(record) * 10)
        good, spec = "good" + EVIL, "evil" + EVIL + ".json"
        for args, code in (
                (["head", good], 0), (["head", "--format", "jsonl", good], 0),
                (["head", name], 1), (["head", "--features", EVIL + "x", good], 2),
                (["cat", good], 0), (["cat", "--format", "raw", name], 0),
                (["cat", name], 1), (["cat", "--message", "raw", good], 0),
                (["cat", "--on-row-error", "skip", name], 0),
                (["count", good, name], 0), (["count", "--json", good], 0),
                (["count", good, EVIL], 3), ([EVIL], 2), (["--" + EVIL], 2),
                (["cat", "--format", EVIL, good], 2),
                (["schema", good], 0), (["schema", "--json", good], 0),
                (["schema", "--format", "spec", good], 0),
                (["schema", "--format", "pbtxt", good], 0),
                (["schema", "--format", "arrow", good], 0),
                (["schema", "--format", "tf", good], 0),
                (["validate", name], 1), (["validate", "--json", name], 1),
                (["validate", "--spec", spec, name], 1),
                (["plan", "--spec", spec], 0),
                (["convert", good, "-o", "-", "--to", "csv"], 0),
                (["convert", good, "-o", "TTY", "--to", "csv"], 0),
                (["convert", good, "-o", "TTY", "--to", "jsonl"], 0),
                (["convert", good, "-o", "-", "--to", "jsonl"], 0),
                (["convert", good, "-o", "out" + EVIL, "--to", "jsonl",
                  "--json"], 0),
                (["convert", "late" + EVIL, "-o", "out.arrow", "--sample", "2",
                  "--json"], 0),
                (["vocabulary", good, "--feature", EVIL], 0),
                (["vocabulary", good, "--feature", EVIL, "-o", "TTY"], 0),
                (["vocabulary", good, "--feature", EVIL, "-o", "out" + EVIL,
                  "--json"], 0),
                (["vocabulary", good, "--feature", EVIL + "x"], 2),
                (["bench", good, "--seconds", "0", "--json"], 0),
                (["gen", "x" + EVIL, "--records", "2"], 0),
                (["gen", "x" + EVIL, "--records", "2", "--json"], 0)):
            text = self.on_terminal(*args, code=code, env={"NO_COLOR": "1"})
            self.assertTrue(text, args)
            # The program's own line of progress.
            text = text.replace("\r\x1b[K", "")
            for mark in FORBIDDEN:
                self.assertNotIn(mark, text, args)

    def test_pipes_get_names_and_data_as_they_are(self):
        self.write_records("good" + EVIL, [example(a=[EVIL])])
        result = self.run_ok("count", "good" + EVIL, "good" + EVIL)
        self.assertIn("1\tgood" + EVIL + "\n", result.out)
        result = self.run_ok("convert", "good" + EVIL, "-o", "-", "--to", "csv")
        self.assertIn(EVIL, result.out)
        result = self.run_ok("cat", "--format", "raw", "good" + EVIL)
        self.assertEqual(result.bytes, example(a=[EVIL]))

    def test_no_binary_data_on_a_terminal(self):
        self.write_records("x", [example(a=[1])])
        for args in (["convert", "x", "-o", "-", "--to", "arrow"],
                     ["convert", "x", "-o", "-", "--to", "arrow-stream"],
                     ["convert", "x", "-o", "-", "--to", "tfrecord"],
                     ["convert", "x", "-o", "TTY", "--to", "arrow"],
                     ["gen", "-"], ["gen", "TTY"]):
            text = self.on_terminal(*args, code=2)
            self.assertIn("terminal", text)
            self.assertEqual(len(text.splitlines()), 2)

    def test_colour_is_for_terminals(self):
        self.write_records("x", [example(a=["\x1b[31mred"])])
        self.assertIn("\x1b[1m", self.on_terminal("head", "x"))
        plain = self.on_terminal("head", "x", env={"NO_COLOR": "1"})
        self.assertNotIn("\x1b", plain)
        self.assertIn(r"\x1b[31mred", plain)
        self.assertNotIn("\x1b", self.run_ok("head", "x").out)


class ProgressTest(TerminalCase):
    def setUp(self):
        super().setUp()
        self.write_records("big", [example(a=["x" * 1000, str(i)])
                                   for i in range(300)])

    def feed(self, process, rounds):
        """Standard input comes bit by bit."""
        for _ in range(rounds):
            process.stdin.write(self.read("big"))
            process.stdin.flush()
            time.sleep(0.25)
        process.stdin.close()

    def slowly(self, *args, term="xterm"):
        """What is on a terminal that is standard error."""
        process = self.start(args, ["stderr"], {"TERM": term},
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.feed(process, 8)
        return self.end(process)

    def assert_erased(self, text):
        """People see the messages at the end, and nothing else."""
        shown = [re.sub(r".*\r\x1b\[K", "", line) for line in text.split("\n")]
        self.assertEqual(shown.pop(), "")
        for line in shown:
            self.assertRegex(line, r"^headrace: [^\r\x1b]+$")

    def test_every_long_verb_has_it(self):
        calls = (["count", "-"], ["cat", "-"], ["schema", "-"],
                 ["validate", "-"],
                 ["convert", "-", "-o", "o.jsonl"],
                 ["convert", "-", "-o", "-", "--to", "tfrecord"],
                 ["convert", "-", "-o", "o.arrow", "--sample", "10"])
        # Most of the time they wait.
        with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
            texts = pool.map(lambda args: self.slowly(*args), calls)
        for args, text in zip(calls, texts):
            self.assertRegex(
                text, rf"\r{args[0]}: [\d.]+ [kM]B, [\d.]+ [kM]B/s\x1b\[K")
            self.assert_erased(text)
            self.assertNotIn("left", text)
            # It is drawn five times a second, from the second second on.
            self.assertLess(text.count(args[0]), 20, text)

    def test_shuffle_has_it(self):
        text = self.slowly("shuffle", "-", "-o", "o.tfrecord")
        self.assertRegex(text, r"\rshuffle: [\d.]+ MB, [\d.]+ [kM]B/s\x1b\[K")
        self.assert_erased(text)

    def test_a_pipe_with_a_name_has_it(self):
        os.mkfifo(os.path.join(self.folder, "pipe"))
        process = self.start(["validate", "pipe"], ["stderr"],
                             stdout=subprocess.DEVNULL)
        with open(os.path.join(self.folder, "pipe"), "wb",
                  buffering=0) as process.stdin:
            self.feed(process, 8)
        text = self.end(process)
        self.assertRegex(text, r"\rvalidate: [\d.]+ MB, [\d.]+ [kM]B/s\x1b\[K")
        self.assert_erased(text)

    def test_messages_erase_it(self):
        process = self.start(["validate", "-"], ["stderr"],
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        process.stdin.write(frame(example(a=["x"], b=["x"], c=["x"])))
        for name in "abc":
            for _ in range(5):
                process.stdin.write(self.read("big"))
                process.stdin.flush()
                time.sleep(0.25)
            process.stdin.write(frame(example(**{name: [1]})))
        process.stdin.close()
        text = self.end(process)
        self.assertIn("\rvalidate: ", text)
        self.assertEqual(text.count("\r\x1b[Kheadrace: note: "), 3)
        self.assert_erased(text)

    def test_short_work_has_none(self):
        process = self.start(["count", "big"], ["stderr"],
                             stdout=subprocess.DEVNULL)
        self.assertEqual(self.end(process), "")

    def test_none_on_a_dumb_terminal_or_when_quiet(self):
        self.assertEqual(self.slowly("count", "-", term="dumb"), "")
        self.assertEqual(self.slowly("count", "-", term=""), "")
        self.assertEqual(self.slowly("count", "--quiet", "-"), "")

    def test_files_have_a_percentage_and_a_time(self):
        # More than a second of work, by writing to a reader that is slow.
        self.write("many", self.read("big") * 40)
        # Each of the damaged records is a finding of its own.
        whole = frame(b"x")
        self.write("bad", (whole + whole[:-1] + b"\0") * 50_000)
        for args, code in (
                (["cat", "many"], 0),
                (["validate", "bad"], 1),
                (["convert", "many", "-o", "-", "--to", "jsonl"], 0),
                (["gen", "--shape", "floats", "--records", "2000", "-"], 0)):
            process = self.start(args, ["stderr"], stdout=subprocess.PIPE)
            for _ in range(16):
                os.read(process.stdout.fileno(), 65536)
                time.sleep(0.1)
            while os.read(process.stdout.fileno(), 1 << 20):
                pass
            process.stdout.close()
            text = self.end(process, code)
            self.assertRegex(
                text, rf"\r{args[0]}: \d+%, [\d.]+ [kM]B/s, \d+:\d\d left\x1b")
            self.assert_erased(text)

    def test_bench_counts_its_time_down(self):
        text = self.end(self.start(["bench", "big", "--seconds", "1.8"],
                                   ["stderr"], stdout=subprocess.DEVNULL))
        self.assertRegex(text, r"\rbench: \d+%, [\d.]+ .B/s, 0:0\d left")

    def test_none_elsewhere(self):
        process = subprocess.Popen(
            [program.PROGRAM, "count", "-"], cwd=self.folder,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        self.feed(process, 6)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 0)


class LossesUnderQuietTest(CliTest):
    """--quiet silences notes, never losses."""

    def test_late_features(self):
        self.write_records("x", [example(a=[i]) for i in range(10)] +
                           [example(a=[1], late=[2])] * 7)
        for to in ("arrow", "csv"):
            args = ["convert", "x", "--sample", "5", "-o", "o", "--to", to]
            result = self.run_ok(*args, "--quiet")
            self.assertEqual(result.err, (
                "headrace: warning: left out features that the sample did not "
                "show, 7 times: \"late\"\n"))
            self.assertIn('"late" (int64) of 7 rows', self.run_ok(*args).err)
            self.run_bad(1, *args, "--quiet", "--strict-columns")
        lines = "".join(f'{{"a":[{i}]}}\n' for i in range(10))
        self.write("x.jsonl", lines + '{"late":[1]}\n')
        result = self.run_ok("convert", "x.jsonl", "--sample", "5", "-o",
                             "o.arrow", "--quiet")
        self.assertIn("\"late\"", result.err)

    def test_bench(self):
        self.write_records("x", [example(a=[1])] * 10000 + [example(late=[1])])
        result = self.run_ok("bench", "x", "--seconds", "0", "--json",
                             "--quiet")
        self.assertIn("\"late\"", result.err)
        self.assertEqual(result.json[0]["late_features"], [
            {"name": "late", "kind": "int64", "rows": 1}])
        result = self.run_ok("bench", "x", "--seconds", "0")
        self.assertIn('left out feature "late" (int64) of 1 row', result.err)

    def test_feature_lists_of_records_taken_for_examples(self):
        self.write_records("x", [example(a=[1])] * 100 +
                           [sequence({"k": [[1]]})] * 3)
        for args in (["cat"], ["head", "-n", "200"], ["schema"], ["validate"],
                     ["convert", "-o", "o.jsonl"],
                     ["convert", "-o", "o.tfrecord", "--features", "a"]):
            result = self.run_ok(*args, "x", "--quiet")
            self.assertIn("left out the feature lists of 3 records", result.err,
                          args)
            # So it is where Examples were asked for.
            chosen = self.run_ok(*args, "x", "--quiet", "--message", "example")
            self.assertEqual(chosen.err, result.err)
        # A copy loses nothing.
        copied = self.run_ok("convert", "-o", "o.tfrecord", "x", "--quiet")
        self.assertEqual(copied.err, "")
        self.assertEqual(self.read("o.tfrecord"), self.read("x"))

    def test_skipped_rows_and_regions(self):
        self.write("x", frame(example(a=[1])) + frame(b"\xff") +
                   frame(b"\xff")[:-1] + b"\0")
        for args in (["cat"], ["head"], ["schema"],
                     ["convert", "-o", "o.arrow"], ["convert", "-o", "o.jsonl"]):
            result = self.run_ok(*args, "x", "--quiet", "--on-corrupt", "skip",
                                 "--on-row-error", "skip")
            self.assertEqual(result.err, "headrace: skipped in all: 1 damaged "
                             "region, 1 bad row\n")
