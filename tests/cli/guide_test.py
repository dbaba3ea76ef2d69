"""docs/guides/schema.md: its files and commands give what it shows.

run_tests.py guide_test.py HEADRACE --update writes what they print into the page.
"""

import pathlib
import re
import subprocess
import sys

import program
from program import CliTest

GUIDE = pathlib.Path(__file__).parents[2] / "docs/guides/schema.md"
FENCE = re.compile(r"```(textproto|console) ?(\S*)\n(.*?)```\n", re.DOTALL)


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
    def run_line(self, line):
        """What a line prints, as on a terminal."""
        folder = pathlib.Path(program.PROGRAM).resolve().parent
        result = subprocess.run(
            ["sh", "-c", line], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=60,
            env={"PATH": f"{folder}:/usr/bin:/bin"})
        return result.stdout.decode()

    def expand(self, match):
        language, name, body = match.groups()
        if language == "textproto":
            self.write(name, body)
            return match.group(0)
        shown = "".join(f"$ {line}\n{self.run_line(line)}"
                        for line, _ in commands(body))
        return f"```console\n{shown}```\n"

    def test_the_page_shows_what_is_printed(self):
        page = GUIDE.read_text()
        self.assertGreater(len(FENCE.findall(page)), 10)
        expanded = FENCE.sub(self.expand, page)
        if UPDATE:
            GUIDE.write_text(expanded)
        self.assertMultiLineEqual(page, expanded)


UPDATE = "--update" in sys.argv
if UPDATE:
    sys.argv.remove("--update")
