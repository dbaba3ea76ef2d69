"""The judge gives every sort of reader its verdict, and outlives them all."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
JUDGE = ROOT / "conformance" / "judge.py"
READER = HERE / "judged_reader.py"
VECTORS = ROOT / "tests" / "vectors" / "records.jsonl.gz"
# Sound and damaged files, of which the slow reader reads only some.
SOME = "records/records/[ct]*-[0f]*"


def run(*arguments, command=()):
    return subprocess.run(
        [sys.executable, str(JUDGE), *arguments, "--", *command],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=250)


def judged(fault, *, only=SOME, limit="5"):
    """How the judge ended, its table, and the verdict on each case."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        ended = run("--vectors", str(VECTORS), "--only", only, "--limit", limit,
                    "--json", str(out),
                    command=[sys.executable, str(READER), fault, folder])
        cases = (json.loads(out.read_text(encoding="utf-8"))["cases"]
                 if out.exists() else [])
    return ended, {case["id"]: case for case in cases}


class JudgeTest(unittest.TestCase):

    def verdicts(self, fault, **options):
        """The verdicts on what the slow reader reads at all."""
        ended, cases = judged(fault, **options)
        self.assertEqual(ended.stderr, "")
        self.assertIn(ended.returncode, (0, 1))
        found = {case["verdict"] for case in cases.values()}
        self.assertEqual(ended.returncode,
                         0 if found <= {"right", "unsupported"} else 1)
        for verdict in found:
            self.assertIn(verdict, ended.stdout)
        return found - {"unsupported"}

    def test_a_right_reader(self):
        ended, cases = judged("none", only="*")
        self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertEqual(len(cases), 857)
        right = [c for c in cases.values() if c["verdict"] == "right"]
        self.assertEqual(len(right), 227)
        # What a reader calls itself cannot move the cursor of a terminal.
        self.assertTrue(ended.stdout.startswith("slow \\n\\x1b[1m\n"))

    def test_wrong_values(self):
        # A file without records has no bit to flip.
        self.assertEqual(self.verdicts("flip"), {"silently wrong", "right"})
        self.assertIn("lost records", self.verdicts("drop"))
        self.assertEqual(self.verdicts("refuse"),
                         {"rejects good data", "right"})

    def test_each_wrong_case_is_told_from_the_others(self):
        _, cases = judged("drop", only="records/records/three-fail")
        case = cases["records/records/three-fail"]
        self.assertEqual(case["verdict"], "lost records")
        self.assertEqual(case["why"], "2 of 3 records, and no error")

    def test_readers_that_end(self):
        one = "records/records/three-fail"
        self.assertEqual(
            self.verdicts("die", only="records/records/cut-0[1-5]*"), {"crash"})
        self.assertEqual(self.verdicts("close", only=one), {"crash"})
        for fault, why in (("die", "signal 9"),
                           ("leave", "exit status 3: it was too much")):
            _, cases = judged(fault, only=one)
            self.assertEqual((cases[one]["verdict"], cases[one]["why"]),
                             ("crash", why))

    def test_readers_that_hang(self):
        one = {"only": "records/records/three-fail", "limit": "0.5"}
        begin = time.monotonic()
        for fault in ("hang", "no_newline", "child"):
            self.assertEqual(self.verdicts(fault, **one), {"hang"}, fault)
        self.assertLess(time.monotonic() - begin, 60)

    def test_after_a_hang_the_next_case_has_another_child(self):
        _, cases = judged("hang_once", only="records/records/cut-0*-fail",
                          limit="2")
        self.assertEqual(
            [c["id"] for c in cases.values() if c["verdict"] != "right"],
            ["records/records/cut-05-fail"])

    def test_answers_that_are_none(self):
        for fault in ("rubbish", "latin", "list", "nothing", "other_id", "deep",
                      "digits", "empty_answer", "number"):
            self.assertEqual(
                self.verdicts(fault, only="records/records/three-fail"),
                {"rubbish"}, fault)
        one = {"only": "records/records/three-fail", "limit": "60"}
        self.assertEqual(self.verdicts("endless", **one), {"rubbish"})
        self.assertEqual(self.verdicts("deep_value", **one),
                         {"silently wrong"})

    def test_an_answer_too_many_is_not_taken_for_the_next(self):
        self.assertLessEqual(self.verdicts("twice"), {"right", "rubbish"})

    def test_a_flood_of_stderr_changes_nothing(self):
        self.assertEqual(self.verdicts("stderr"), {"right"})

    def test_readers_that_do_not_start(self):
        for fault, why in (("early", "rubbish"),
                           ("no_start", "exit status 1: no library")):
            ended, cases = judged(fault)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(why, ended.stderr)
            self.assertEqual((ended.stdout, cases), ("", {}))
        ended = run(command=["/no/such/program"])
        self.assertEqual(ended.returncode, 2)
        self.assertIn("/no/such/program", ended.stderr)

    def test_a_reader_that_does_not_start_again(self):
        ended, _ = judged("once")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("does not start: crash, exit status 1", ended.stderr)

    def test_vectors_that_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = VECTORS.read_bytes()
            for name, data in (("a.jsonl", b"x\n"), ("b.jsonl.gz", b"x\n"),
                               ("c.jsonl", b'{"file": 3}\n'),
                               ("d.jsonl", b"[]\n"), ("e.jsonl", b"\xff\n"),
                               ("f.jsonl", b""), ("g.jsonl.gz", whole[:500]),
                               ("h.jsonl.gz", whole[:99] + b"x" * 500)):
                path = pathlib.Path(folder) / name
                path.write_bytes(data)
                ended = run("--vectors", str(path), command=["true"])
                self.assertEqual(ended.returncode, 2, name)
                self.assertIn("judge: ", ended.stderr)
                self.assertNotIn("Traceback", ended.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
