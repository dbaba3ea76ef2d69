"""A shared library gives programs the public API, and nothing else.

usage: exports_test.py SHARED_LIBRARY STATIC_LIBRARY SOVERSION
"""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "headrace"
SHARED, STATIC, SOVERSION = sys.argv[1:4]

HEADERS = {path.name: path.read_text(encoding="utf-8")
           for path in INCLUDE.glob("*.h")}
C_FUNCTIONS = set(re.findall(r"\b(headrace_\w+)\(", re.sub(
    r"//.*", "", HEADERS["c.h"])))
CPP_TEXT = re.sub(r"//.*", "", "".join(
    text for name, text in HEADERS.items() if name != "c.h"))
# Names that a header declares, but not those that it only mentions.
TYPES = set(re.findall(
    r"\b(?:class|struct)\s+(?:\[\[nodiscard\]\]\s+)?(?:HEADRACE_EXPORT\s+)?(\w+)"
    r"[^;{()]*\{", re.sub(r"template <[^>]*>", "", CPP_TEXT)))
FUNCTIONS = set(re.findall(r"\b([A-Z]\w*)\(", CPP_TEXT))
PUBLIC_SPACES = {"tfds", "tfmd"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout


def names_in(text):
    """The demangled names that nm lists, without the section's letter."""
    for line in text.splitlines():
        symbol = re.match(r"[0-9a-f]+ ([A-Za-z]) (.*)", line)
        if symbol and symbol[1] in "TWVBDRu":
            yield symbol[2]


def owner(name):
    """Of headrace::tfds::Info::Find(...) [tfds], Info and Find; None for what is
    no name of headrace."""
    name = re.sub(r"^(vtable|typeinfo|typeinfo name) for ", "", name)
    name = re.sub(r"\[abi:\w+\]", "", name)
    found = re.search(r"(?:^|\s)headrace::([\w:~]+?)(?:$|[<(\[]|::operator)", name)
    if not found:
        return None
    parts = found[1].split("::")
    space = [parts.pop(0)] if parts[0] in PUBLIC_SPACES else []
    return space, parts[0], parts[1:]


def is_public(name):
    of = owner(name)
    if of is None:
        return False
    _, first, rest = of
    return first in TYPES if rest else first in TYPES | FUNCTIONS


class ExportsTest(unittest.TestCase):

    def test_the_c_functions_are_there(self):
        # The interface stays small enough to be read at once.
        self.assertLessEqual(len(C_FUNCTIONS), 27)
        exported = {name for name in names_in(run("nm", "-D", SHARED))
                    if not name.startswith("_Z")}
        self.assertEqual(exported, C_FUNCTIONS)

    def test_nothing_else_is(self):
        names = set(names_in(run("nm", "-DC", SHARED))) - C_FUNCTIONS
        self.assertGreater(len(names), 100)
        self.assertEqual([name for name in sorted(names)
                          if not is_public(name)], [])

    def test_all_of_the_cpp_api_is(self):
        """Whoever adds to a header marks it with HEADRACE_EXPORT."""
        exported = set(names_in(run("nm", "-DC", SHARED)))
        missing = set()
        for line in run("nm", "-C", "--defined-only", STATIC).splitlines():
            # Inline functions are weak, and every user has them.
            symbol = re.match(r"[0-9a-f]+ T (.*)", line)
            if symbol and is_public(symbol[1]) and symbol[1] not in exported:
                missing.add(symbol[1])
        self.assertEqual([name for name in sorted(missing)
                          if not is_internal(name)], [])

    def test_templates_that_the_library_instantiates_are(self):
        exported = "\n".join(names_in(run("nm", "-DC", SHARED)))
        made = {name for path in (ROOT / "src").rglob("*.cc")
                for name in re.findall(r"^template (?:class|struct) (\w+)<",
                                       path.read_text(encoding="utf-8"), re.M)}
        self.assertIn("Distribution", made & TYPES)
        for name in made & TYPES:
            self.assertIn(f"headrace::{name}<", exported)

    def test_the_soname_changes_when_the_abi_may(self):
        self.assertIn(f"Library soname: [libheadrace.so.{SOVERSION}]",
                      run("readelf", "--dynamic", SHARED))
        version = re.search(r"version: '(\d+)\.(\d+)\.",
                            (ROOT / "meson.build").read_text(encoding="utf-8"))
        self.assertEqual(SOVERSION, version[1] if version[1] != "0"
                         else f"0.{version[2]}")


def is_internal(name):
    """Members of classes that the library alone completes."""
    return re.search(r"::Impl::|\(anonymous namespace\)", name) is not None


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
