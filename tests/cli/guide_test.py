"""The commands of README.md, docs/cli.md and docs/guides/schema.md print what these
pages show.

run_tests.py guide_test.py HEADRACE --update writes what they print into the pages.
"""

import difflib
import json
import pathlib
import re
import subprocess
import sys
import textwrap

import program
from program import CliTest

ROOT = pathlib.Path(__file__).parents[2]
FENCE = re.compile(r"```(textproto|console) ?(\S*)\n(.*?)```\n", re.DOTALL)
# From the first command to the last line that is indented.
INDENTED = re.compile(r"^    \$ .*\n(?:    .*\n|\n(?=    ))*", re.MULTILINE)
# What is different each time.
MEASURED = re.compile(r"in \d+\.\d\d s \(\d+\.\d [kMG]B/s\)")
# These need packages of Python or a server, or print nothing but times.
NOT_RUN = re.compile(r"s3://|\.parquet|\.tar\b|headrace bench")


def commands(block):
    """The command lines of a block, each with the lines shown after it."""
    found = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), ""))
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


class GuideTest(CliTest):
    def shown(self, block):
        """The block with what its commands print, as on a terminal."""
        folder = pathlib.Path(program.PROGRAM).resolve().parent
        text = ""
        for line, printed in commands(block):
            if not NOT_RUN.search(line):
                result = subprocess.run(
                    ["sh", "-c", line], cwd=self.folder, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, timeout=60,
                    env={"PATH": f"{folder}:/usr/bin:/bin"})
                found = result.stdout.decode()
                if MEASURED.sub("", found) != MEASURED.sub("", printed):
                    printed = found
            text += f"$ {line}\n{printed}"
        return text

    def check(self, name, pattern, expand, least):
        path = ROOT / name
        page = path.read_text()
        self.assertGreater(len(pattern.findall(page)), least)
        expanded = pattern.sub(expand, page)
        if UPDATE:
            path.write_text(expanded)
        difference = difflib.unified_diff(
            page.splitlines(), expanded.splitlines(), name, "printed", lineterm="")
        self.assertEqual(list(difference), [])

    def expand_fence(self, match):
        language, name, body = match.groups()
        if language == "textproto":
            self.write(name, body)
            return match.group(0)
        return f"```console\n{self.shown(body)}```\n"

    def test_schema(self):
        self.check("docs/guides/schema.md", FENCE, self.expand_fence, 10)

    def test_readme(self):
        self.check("README.md", FENCE, self.expand_fence, 0)

    def test_reference(self):
        for shape in ("--seed 1 train", "--seed 2 new", "people"):
            self.run_ok("gen", "--quiet", *f"{shape}.tfrecord".split())
        for shape, records, name in [("sequence", 100, "seq.tfrecord.gz"),
                                     ("criteo", 100_000, "criteo.tfrecord")]:
            self.run_ok("gen", "--quiet", "--shape", shape, "--records", records, name)
        people = bytearray((self.folder / "people.tfrecord").read_bytes())
        self.write("cut.tfrecord", people[:411])
        people[4950] ^= 1
        self.write("bad.tfrecord", people[:-3])
        age = {"name": "age", "kind": "fixed_len", "dtype": "int64"}
        self.write("strict.json", json.dumps({"features": [age | {"shape": []}]}))
        self.write("bad.json", json.dumps(
            {"features": [{"name": "a", "dtype": "int64", "shpe": []}]}))

        def expand(match):
            shown = self.shown(textwrap.dedent(match.group(0)))
            return textwrap.indent(shown, "    ")

        self.check("docs/cli.md", INDENTED, expand, 25)


UPDATE = "--update" in sys.argv
if UPDATE:
    sys.argv.remove("--update")
