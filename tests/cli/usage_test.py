"""Help, wrong options, exit codes, standard streams."""

import os
import signal
import subprocess

import program
from program import CliTest, closed_pipe, example, sequence

VERBS = ["head", "cat", "count", "index", "schema", "validate", "convert",
         "shuffle", "plan", "bench", "gen", "split", "get", "stats",
         "vocabulary", "completion", "manual"]


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

    def test_help_is_a_verb_too(self):
        self.assertEqual(self.run_ok("help").out, self.run_ok("--help").out)
        for verb in VERBS:
            self.assertEqual(self.run_ok("help", verb).out,
                             self.run_ok(verb, "--help").out)
        self.assertIn('did you mean "count"?', self.run_bad(2, "help", "cuont").err)

    def test_version_names_the_code_paths(self):
        text = self.run_ok("--version").out
        self.assertEqual(self.run_ok("-V").out, text)
        self.assertRegex(text, r"^headrace \d+\.\d+\.\d+(rc\d+)?\n")
        for word in ("SIMD targets", "CRC32C", "inflate"):
            self.assertIn(word, text)


class UsageTest(CliTest):
    def test_a_file_may_have_the_name_of_a_verb(self):
        self.write_records("head", [example(a=[1])])
        self.assertEqual(self.run_ok("count", "head").out, "1\n")

    def test_no_verb_is_help_and_an_error(self):
        result = self.run_program()
        self.assertEqual(result.code, 2)
        self.assertEqual(result.out, "")
        self.assertIn("Verbs:", result.err)

    def refused(self, args):
        """The line of an error, which a hint follows."""
        result = self.run_bad(2, *args)
        line, hint = result.err.splitlines()
        verb = f"{args[0]} " if args[0] in VERBS else ""
        self.assertEqual(hint, f"headrace: try headrace {verb}--help")
        self.assertEqual(result.out, "")
        return line

    def test_wrong_options_are_one_line_and_a_hint(self):
        self.write_records("x", [example(a=[1])])
        for args in (["statistic", "x"], ["cat"], ["head", "-n", "x"],
                     ["head", "-n", "0x10", "x"],
                     ["head", "--format", "pdf", "x"],
                     ["schema", "--format", "proto", "x"],
                     ["convert", "x"], ["convert", "--spec", "s", "x"],
                     ["validate", "--index", "x"],
                     ["validate", "--spec", "-", "x"], ["plan"],
                     ["plan", "--spec"], ["plan", "--spec", ""],
                     ["cat", "--on-corrupt", "maybe", "x"],
                     ["cat", "--message", "other", "x"],
                     ["cat", "--compression", "lz4", "x"], ["gen", "y", "z"],
                     ["gen", "--shape", "z", "-o", "y"],
                     ["gen", "--shape", "people"]):
            self.refused(args)
        self.assertEqual(self.names(), ["x"])

    def test_errors_name_what_was_perhaps_meant(self):
        self.write_records("x", [example(age=[1])])
        for line, args in (
                ('unknown option --formt; did you mean "--format"?',
                 ["head", "--formt", "jsonl", "x"]),
                ('unknown option --formt; did you mean "--format"?',
                 ["head", "--formt=jsonl", "x"]),
                ("unknown option --zzz", ["head", "--zzz", "x"]),
                ('unknown option --versoin; did you mean "--version"?',
                 ["--versoin"]),
                ("unexpected argument \"x\"", ["plan", "--spec", "s", "x"]),
                ('unknown verb "haed"; did you mean "head"?', ["haed", "x"]),
                ("unknown verb \"zzz\"; the verbs are head, cat, count, split, index, "
                 "get, schema, stats, vocabulary, validate, convert, shuffle, "
                 "plan, bench, gen, completion, manual", ["zzz"]),
                ("--format is \"jsnl\"; did you "
                 "mean \"jsonl\"?", ["head", "--format", "jsnl", "x"]),
                ("--max-bad needs a number", ["count", "x", "--max-bad"]),
                ("--format needs a value: table|jsonl",
                 ["head", "x", "--format"]),
                ("--records is \"-3\"; it takes a whole number from 0 to "
                 "18446744073709551615",
                 ["gen", "y", "--records", "-3"]),
                ("--seconds is \"x\"; it takes a number of seconds, 0 or more",
                 ["bench", "x", "--seconds", "x"]),
                ("--spec needs the name of a file, got \"-\"",
                 ["plan", "--spec", "-"]),
                ("gen needs the name of a file to write: headrace gen "
                 "people.tfrecord", ["gen"]),
                ("gen writes one file: OUT or --output, not both",
                 ["gen", "y", "-o", "z"]),
                ("--verify checks payload CRCs, --no-payload-crc does not; "
                 "give one of them",
                 ["count", "--verify", "--no-payload-crc", "x"])):
            self.assertEqual(self.refused(args), "headrace: " + line)

    def test_unknown_features_are_usage_errors(self):
        self.write_records("x", [example(age=[1], name=["n"])])
        for args in (["head"], ["head", "--format", "jsonl"],
                     ["convert", "-o", "o.jsonl"], ["convert", "-o", "o.arrow"],
                     ["convert", "-o", "o.tfrecord"]):
            result = self.run_bad(2, *args, "x", "--features", "age,nmae")
            self.assertIn('"nmae"; did you mean "name"?', result.err)
            if args[-1] != "o.arrow":
                self.assertIn('did you mean "name"?', result.err)
        self.run_ok("head", "x", "--features", "age,name")
        self.assertEqual(self.names(), ["x"])

    def test_numbers_are_decimal_and_the_last_of_two_options_counts(self):
        self.write_records("x", [example(a=[i]) for i in range(20)])
        for args, lines in ((["-n", "010"], 10), (["-n", "3", "-n", "5"], 5)):
            result = self.run_ok("head", *args, "--format", "jsonl", "x")
            self.assertEqual(len(result.lines), lines)


class FilesTest(CliTest):
    def test_missing_files_and_folders(self):
        (self.folder / "folder").mkdir()
        self.write_records("good", [example(a=[1])])
        for verb in ("head", "cat", "count", "index", "schema", "validate",
                     "bench"):
            for name in ("missing", "folder", "no*match", "set@3"):
                result = self.run_bad(3, verb, name)
                self.assertIn(name.split("*")[0].split("@")[0], result.err)
                self.assertEqual(result.out, "")
            self.run_bad(3, verb, "good", "missing")
        for to in ("arrow", "csv", "jsonl", "tfrecord"):
            for name in ("missing", "folder"):
                self.run_bad(3, "convert", name, "-o", "out", "--to", to)
        self.run_bad(3, "convert", "--from", "jsonl", "folder", "-o", "o.arrow")
        self.assertEqual(self.names(), ["folder", "good"])

    def test_what_cannot_be_opened(self):
        self.make_socket("socket")
        for verb in ("head", "cat", "count", "index", "schema", "validate",
                     "bench"):
            result = self.run_bad(3, verb, "socket")
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

    def test_a_folder_is_its_tfrecord_files(self):
        folder = self.folder / "data"
        (folder / "sub.tfrecord").mkdir(parents=True)
        taken = ["a.tfrecord", "b-00000-of-00002", "b-00001-of-00002",
                 "c.tfr", "d.tfrecords"]
        left = [".hidden.tfrecord", "_tmp.tfrecord", "README.md", "a.idx",
                "m.data-00000-of-00001", "x.tfrecord.idx",
                "sub.tfrecord/e.tfrecord"]
        for i, name in enumerate(taken):
            self.write_records(f"data/{name}", [example(a=[i])])
        for name in left:
            self.write(f"data/{name}", b"not read")
        for name in ("data", "data/"):
            result = self.run_ok("cat", name)
            self.assertEqual(result.json, [{"a": [i]} for i in range(5)])
        (count,) = self.run_ok("count", "--json", "data").json
        self.assertEqual([file["path"] for file in count["files"]],
                         [f"data/{name}" for name in taken])
        self.run_ok("convert", "data", "-o", "o.tfrecord")
        self.assertEqual(self.run_ok("count", "o.tfrecord").out, "5\n")
        (self.folder / "empty").mkdir()
        result = self.run_bad(3, "count", "data", "empty")
        self.assertIn("empty: not_found: a directory without TFRecord files",
                      result.err)

    def test_not_a_tfrecord(self):
        self.write("text", "hello, this is no TFRecord file\n")
        for verb in ("cat", "count", "index", "schema", "validate"):
            self.assertEqual(self.run_program(verb, "text").code, 1)
        self.assertIn("not_tfrecord", self.run_bad(1, "cat", "text").err)


class StreamsTest(CliTest):
    WRITING = [
        ["cat", "big"], ["head", "big"], ["schema", "big"], ["--help"],
        ["bench", "big", "--seconds", "0"], ["cat", "--format", "raw", "big"],
        ["convert", "big", "-o", "-", "--to", "arrow-stream"],
        ["convert", "big", "-o", "-", "--to", "jsonl"],
        ["convert", "big", "-o", "-", "--to", "tfrecord"],
        ["gen", "--shape", "people", "-o", "-"]]

    def setUp(self):
        super().setUp()
        # More than a pipe holds.
        self.write_records("big", [example(a=["x" * 1000, str(i)])
                                   for i in range(300)])

    def test_a_full_device(self):
        with open("/dev/full", "wb") as full:
            for args in (*self.WRITING, ["count", "big"], ["validate", "big"],
                         ["--version"],
                         ["convert", "big", "-o", "-", "--to", "csv",
                          "--features", "", "--on-row-error", "skip"]):
                result = self.run_program(*args, stdout=full)
                self.assertEqual(result.code, 3, args)
                self.assertIn("No space left", result.err)
        for to in ("arrow", "csv", "jsonl", "tfrecord"):
            result = self.run_program("convert", "big", "-o", "/dev/full",
                                      "--to", to, "--on-row-error", "skip")
            self.assertEqual(result.code, 3, to)

    def test_a_closed_pipe_ends_quietly(self):
        for args in (*self.WRITING, ["count", "big", "big"]):
            for sigpipe in (signal.SIG_DFL, signal.SIG_IGN):
                with closed_pipe() as pipe:
                    process = subprocess.run(
                        [program.PROGRAM, *args], cwd=self.folder,
                        stdout=pipe, stderr=subprocess.PIPE, check=False,
                        timeout=60, restore_signals=False,
                        preexec_fn=lambda s=sigpipe: signal.signal(
                            signal.SIGPIPE, s))
                self.assertEqual(process.returncode, 0, args)
                self.assertEqual(process.stderr, b"", args)

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

    def test_auto_says_that_records_are_sequences(self):
        self.write_records("seq", [sequence({"k": [[1]]}, a=[1])])
        line = ("headrace: the records have feature lists: reading them as "
                "--message sequence_example\n")
        for args in (["cat"], ["head"], ["schema"], ["validate"],
                     ["convert", "-o", "o.arrow"], ["convert", "-o", "o.jsonl"]):
            self.assertIn(line, self.run_ok(*args, "seq").err)
            self.assertNotIn("--message", self.run_ok(*args, "big").err)
            for name in ("sequence", "sequence_example"):
                result = self.run_ok(*args, "seq", "--message", name)
                self.assertNotIn(line, result.err)
