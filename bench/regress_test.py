"""What bench/regress.py makes of counts; it counts nothing here."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import regress


class CompareTest(unittest.TestCase):

    def wrong(self, baseline, now):
        return regress.compare(baseline, now)[1]

    def test_within(self):
        self.assertEqual(self.wrong({"a": 1000, "b": 1000},
                                    {"a": 1020, "b": 980}), [])

    def test_more_and_fewer(self):
        more, fewer = self.wrong({"a": 1000, "b": 1000},
                                 {"a": 1021, "b": 979})
        self.assertEqual(more, "a: 2.1% more instructions")
        self.assertIn("b: 2.1% fewer instructions", fewer)
        self.assertIn("--update", fewer)

    def test_other_cases(self):
        self.assertEqual(self.wrong({"a": 1}, {"b": 1}),
                         ["a: has a baseline, but is no case",
                          "b: has no baseline"])


class MainTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.baselines = pathlib.Path(folder.name) / "baselines.json"

    def run_main(self, *arguments, counts=None, valgrind="/usr/bin/valgrind"):
        """Exit code and output of a run that counts `counts`."""
        answers = {"--list": ["a", "b"], "--compiler": ["gcc-12"]}
        out = io.StringIO()
        with mock.patch.multiple(
                regress, BASELINES=self.baselines,
                ask=lambda program, option: answers[option],
                count_all=mock.Mock(side_effect=[counts])), \
                mock.patch("shutil.which", return_value=valgrind), \
                mock.patch.object(sys, "argv",
                                  ["regress", "--program", __file__,
                                   *arguments]), \
                contextlib.redirect_stdout(out):
            return regress.main() or 0, out.getvalue()

    def write(self, baselines):
        self.baselines.write_text(json.dumps(baselines), encoding="utf-8")

    def test_not_compared_is_said(self):
        self.write({"gcc-13": {"a": 1, "b": 1}})
        self.assertEqual(
            self.run_main(),
            (0, "regress: no baseline for gcc-12: 2 cases not compared\n"))
        self.assertEqual(
            self.run_main(valgrind=None),
            (0, "regress: no valgrind: 2 cases not compared\n"))

    def test_update_keeps_other_compilers(self):
        self.write({"gcc-13": {"a": 1, "b": 1}})
        self.assertEqual(
            self.run_main("--update", counts={"a": 5, "b": 6})[0], 0)
        self.assertEqual(json.loads(self.baselines.read_text()),
                         {"gcc-13": {"a": 1, "b": 1},
                          "gcc-12": {"a": 5, "b": 6}})

    def test_exit_code(self):
        self.write({"gcc-12": {"a": 1000, "b": 1000}})
        self.assertEqual(self.run_main(counts={"a": 1000, "b": 1001})[0], 0)
        self.assertEqual(self.run_main(counts={"a": 1000, "b": 1100})[0], 1)
        self.assertEqual(self.run_main(counts={"a": 1000, "b": 900})[0], 1)


if __name__ == "__main__":
    unittest.main()
