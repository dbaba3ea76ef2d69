"""bench/random_access.py runs, on a small file; its figures mean nothing here.

usage: random_access_test.py HEADRACE
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import random_access

HEADRACE = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAM = pathlib.Path(__file__).resolve().parent / "random_access.py"
PEERS = PROGRAM.parent / "peers"


class RandomAccessTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, *arguments):
        """The JSON, and what was printed."""
        out = self.folder / "out.json"
        run = subprocess.run(
            [sys.executable, PROGRAM, "--headrace", HEADRACE, "--mib", "1",
             "--rounds", "1", "--seconds", "0.01", "--records", "512",
             "--folder", self.folder, "--json", out, *arguments],
            check=True, capture_output=True, text=True)
        return json.loads(out.read_text()), run.stdout

    def test_headrace_alone(self):
        result, table = self.compare("--peers")
        own = [name for name, (program, _) in random_access.SIDES.items()
               if program == "headrace"]
        self.assertEqual([side["name"] for side in result["sides"]], own)
        for side in result["sides"]:
            self.assertEqual(side["status"], "ok")
            self.assertGreater(side["rates"][0], 0)
            self.assertIn(side["name"], table)
        self.assertEqual(result["ratios"], [])

    def test_peers_that_are_not_installed(self):
        # -S leaves nothing installed.
        python = self.folder / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n',
                          encoding="utf-8")
        python.chmod(0o755)
        result, table = self.compare("--python", f"mds={python}",
                                     "--python", f"array_record={python}")
        statuses = {side["name"]: side["status"] for side in result["sides"]}
        self.assertEqual(statuses["MDS, one payload"],
                         "not installed: streaming")
        self.assertEqual(statuses["ArrayRecord, one payload"],
                         "not installed: array_record")
        self.assertIn("not installed: streaming", table)

    def test_ratio_is_headrace_over_others_that_read_as_many(self):
        result = {"sides": [
            {"name": name, "rates": rates, "status": status}
            for name, rates, status in [
                ("headrace, 256 payloads", [30, 80], "ok"),
                ("headrace, one payload", [9, 8], "ok"),
                ("ArrayRecord, 256 payloads", [10, 20], "ok"),
                ("ArrayRecord, one payload", [], "fails: so"),
                ("MDS, one payload", [3, 4], "ok")]]}
        self.assertEqual(
            [(ratio["side"], ratio["beside"], ratio["times"])
             for ratio in random_access.ratios(result)],
            [("headrace, 256 payloads", "ArrayRecord, 256 payloads", [3, 4]),
             ("headrace, one payload", "MDS, one payload", [3, 2])])

    def test_rows_come_again_when_all_have_come(self):
        sys.path.append(str(PEERS))
        self.addCleanup(sys.path.remove, str(PEERS))
        import random_rows
        seen = []

        def read(rows):
            seen.append(rows)
            return len(rows)

        one_pass = random_rows.passes_of(
            {"rows": 35, "batch": 4, "records": 16}, read)
        self.assertEqual([one_pass() for _ in range(4)], [16] * 4)
        first = list(itertools.chain.from_iterable(seen[:8]))
        self.assertEqual(len(set(first)), 32)
        self.assertLess(max(first), 35)
        self.assertEqual(seen[8:], seen[:8])


if __name__ == "__main__":
    unittest.main()
