"""bench/compare.py runs, on a small file; its figures mean nothing here.

usage: compare_test.py HEADRACE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import compare_table

HEADRACE = pathlib.Path(sys.argv.pop(1)).resolve()
COMPARE = pathlib.Path(__file__).resolve().parent / "compare.py"


class CompareTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, shape, *arguments):
        """The JSON of one shape, and what was printed."""
        out = self.folder / "out.json"
        run = subprocess.run(
            [sys.executable, COMPARE, shape, "--headrace", HEADRACE, "--mib",
             "1", "--rounds", "1", "--seconds", "0.01", "--passes", "1",
             "--folder", self.folder, "--json", out, *arguments],
            check=True, capture_output=True, text=True)
        return json.loads(out.read_text())["shapes"][0], run.stdout

    def test_parquet(self):
        for shape in "criteo", "sequence", "criteo-gzip":
            with self.subTest(shape=shape):
                result, table = self.compare(shape, "--peers", "parquet")
                self.assertEqual(result["records"] % 256, 0)
                self.assertEqual([side["status"] for side in result["sides"]],
                                 ["ok"] * 5)
                for side in result["sides"]:
                    self.assertIn(side["name"], table)
                    self.assertGreater(side["mb_per_s"]["best"], 0)

    def test_peer_that_is_not_installed(self):
        # -S leaves nothing installed.
        python = self.folder / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n',
                          encoding="utf-8")
        python.chmod(0o755)
        result, table = self.compare("floats", "--peers", "dali", "--python",
                                     f"dali={python}")
        side = result["sides"][-1]
        self.assertEqual(side["status"], "not installed: nvidia")
        self.assertNotIn("mb_per_s", side)
        self.assertIn(side["status"], table)

    def test_ratio_is_headrace_over_peer(self):
        result = {"bytes": 8_000_000, "records": 100, "sides": [
            {"name": name, "seconds": seconds, "status": "ok"}
            for name, seconds in [(compare_table.COLUMNS, [1, 2, 3]),
                                  (compare_table.TENSORS, [4]),
                                  ("a peer", [8])]]}
        for side in result["sides"]:
            compare_table.add_rates(side, result)
        compare_table.add_ratios(result)
        self.assertEqual(result["sides"][0]["mb_per_s"],
                         {"median": 4, "best": 8})
        self.assertEqual(result["sides"][2]["ratio"],
                         {"columns": 4, "tensors": 2})


if __name__ == "__main__":
    unittest.main()
