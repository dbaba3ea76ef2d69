#!/usr/bin/env python3
"""Judges a reader of TFRecord files, in any language, by recorded vectors.

README.md beside this file says what the reader is asked and what it answers.
"""

import argparse
import collections
import fnmatch
import json
import pathlib
import sys
import zlib

from child import Child, Failure
import questions
import verdicts

HERE = pathlib.Path(__file__).resolve().parent
SHOWN_IDS = 5
GOOD = (verdicts.RIGHT, verdicts.UNSUPPORTED)
# The repository also has vectors of schemas, functions and others, about which
# no reader is asked.
VECTORS = ("records", "columns-*", "elwc", "tensors-*")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="Judges a reader of TFRecord files by recorded vectors. "
        "Exit status: 0 if all answers are right or \"unsupported\", 1 if "
        "not, 2 if it could not judge.",
        usage="%(prog)s [options] -- COMMAND...")
    parser.add_argument("--vectors", nargs="+", metavar="FILE",
                        help="files of vectors; default: those that come "
                        "with this program")
    parser.add_argument("--kinds", nargs="+", choices=list(verdicts.VALUES),
                        default=list(verdicts.VALUES),
                        help="kinds of questions to ask; default: all")
    parser.add_argument("--only", metavar="PATTERN", default="*",
                        help="ask only questions with such an id, like "
                        "'records/*/flip-*'")
    parser.add_argument("--json", metavar="OUT",
                        help="write every case and its verdict to this file")
    parser.add_argument("--limit", type=float, default=10, metavar="SECONDS",
                        help="time for one answer; default: 10")
    parser.add_argument("--start-limit", type=float, default=120,
                        metavar="SECONDS",
                        help="time for the reader to start; default: 120")
    parser.add_argument("command", nargs="+", metavar="COMMAND",
                        help="starts the reader")
    return parser.parse_args()


def default_vectors():
    """Those of the installation, or of the repository."""
    installed = HERE / "vectors"
    folder = installed if installed.is_dir() else HERE.parent / "tests/vectors"
    return sorted(path for name in VECTORS
                  for path in folder.glob(f"{name}.jsonl.gz"))


class Judge:
    """Asks the child, and starts another when it has ended.

    A reader that does not start, or not again, is a Failure.
    """

    def __init__(self, options):
        self._options = options
        self._child = None
        self.reader = None

    def start(self):
        """Starts the child, which says who it is."""
        self._child = Child(self._options.command)
        try:
            answer = self._child.ask({"id": "hello", "ask": "hello"},
                                     self._options.start_limit)
        except Failure:
            self._child = None
            raise
        self.reader = ascii(answer.get("reader", "unnamed"))[1:-1][:100]

    def verdict(self, question):
        """The verdict on one question, and a few words about it."""
        if self._child is None:
            self.start()
        try:
            answer = self._child.ask(question.line, self._options.limit)
            return verdicts.judge(question, answer)
        except Failure as failure:
            self._child = None
            return failure.verdict, str(failure)
        except RecursionError:
            return verdicts.RUBBISH, "lists too deep in one another"

    def end(self):
        if self._child is not None:
            self._child.end()


def judge_all(judge, asked):
    for question in asked:
        verdict, why = judge.verdict(question)
        yield {"id": question.line["id"], "ask": question.line["ask"],
               "family": question.family, "verdict": verdict, "why": why}


def print_table(reader, cases):
    """Counts by family, and the first ids of what is not right."""
    counts = collections.Counter(
        (case["ask"], case["family"], case["verdict"]) for case in cases)
    families = list(dict.fromkeys(
        (case["ask"], case["family"]) for case in cases))
    seen = [v for v in verdicts.ALL if any(key[2] == v for key in counts)]
    width = max([len(f"{ask}: {family}") for ask, family in families] + [9])
    print(reader)
    print(" " * width, *(f"{verdict:>17}" for verdict in seen))
    for ask, family in sorted(families):
        print(f"{ask + ': ' + family:{width}}",
              *(f"{counts[ask, family, v] or '':>17}" for v in seen))
    print(f"{'all':{width}}",
          *(f"{sum(c['verdict'] == v for c in cases):>17}" for v in seen))
    for verdict in seen:
        ids = [c["id"] for c in cases if c["verdict"] == verdict]
        if verdict not in GOOD:
            more = len(ids) - SHOWN_IDS
            print(f"{verdict}: {', '.join(ids[:SHOWN_IDS])}"
                  + (f" and {more} more" if more > 0 else ""))


def run(options):
    asked = [question for question in questions.read(
        options.vectors or default_vectors(), options.kinds)
        if fnmatch.fnmatchcase(question.line["id"], options.only)]
    if not asked:
        raise ValueError("they have no such questions")
    judge = Judge(options)
    try:
        judge.start()
        cases = list(judge_all(judge, asked))
    finally:
        judge.end()
    print_table(judge.reader, cases)
    if options.json:
        pathlib.Path(options.json).write_text(
            json.dumps({"reader": judge.reader, "cases": cases}, indent=1),
            encoding="utf-8")
    return 0 if all(case["verdict"] in GOOD for case in cases) else 1


def main():
    try:
        return run(parse_arguments())
    except Failure as failure:
        problem = f"the reader does not start: {failure.verdict}, {failure}"
    except OSError as error:
        problem = str(error)
    except (ValueError, KeyError, AttributeError, TypeError, EOFError,
            zlib.error) as error:
        problem = f"the vectors are not understood: {error!r}"
    print(f"judge: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
