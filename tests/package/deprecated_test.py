"""Compilers warn of what HEADRACE_DEPRECATED marks, in C and C++, and of nothing else.

The headers deprecate nothing, so the declarations here are planted.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILERS = {"c": os.environ.get("CC", "cc"), "c++": os.environ.get("CXX", "c++")}

# These are valid C99 and C++20. `Old` and `kOld` are deprecated.
DECLARATIONS = """
#include "headrace/c.h"
HEADRACE_DEPRECATED("0.3.0", "New()") HEADRACE_EXPORT int Old(int x);
HEADRACE_EXPORT int New(int x);
enum Kind { kOld HEADRACE_DEPRECATED("0.4.0", "kNew") = 1, kNew };
"""
CXX_DECLARATIONS = DECLARATIONS + """
class HEADRACE_DEPRECATED("0.3.0", "Table") HEADRACE_EXPORT Columns {};
class HEADRACE_EXPORT Table {
 public:
  [[nodiscard]] HEADRACE_DEPRECATED("0.3.0", "size()") int count() const;
  [[nodiscard]] int size() const;
};
"""


class DeprecatedTest(unittest.TestCase):
    def warnings(self, language, standard, code):
        """The warnings that a compiler gives, as text."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "sample"
            source.write_text(code, encoding="utf-8")
            said = subprocess.run(
                [COMPILERS[language], f"-std={standard}", f"-x{language}", "-Wall",
                 "-Wextra", "-pedantic-errors", "-fsyntax-only",
                 f"-I{ROOT / 'include'}", str(source)],
                capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        return re.findall(r"warning: .*", said.stderr)

    def expect(self, language, standard, code, *texts):
        with self.subTest(language=language, code=code.splitlines()[-1]):
            found = self.warnings(language, standard, code)
            self.assertEqual({text for text in texts
                              if any(text in warning for warning in found)}, set(texts))
            self.assertEqual([warning for warning in found
                              if not any(text in warning for text in texts)], [])

    def test_in_c(self):
        for standard in ("c99", "c11"):
            self.expect("c", standard, DECLARATIONS +
                        "int F(int);\nint F(int x) { return New(x) + kNew; }\n")
            self.expect("c", standard, DECLARATIONS +
                        "int F(int);\nint F(int x) { return Old(x) + kOld; }\n",
                        "it will be removed in headrace 0.3.0; use New()",
                        "it will be removed in headrace 0.4.0; use kNew")

    def test_in_cxx(self):
        self.expect("c++", "c++20", CXX_DECLARATIONS +
                    "int F(Table t) { return New(1) + kNew + t.size(); }\n")
        self.expect("c++", "c++20", CXX_DECLARATIONS +
                    "int F(Table t, Columns) { return Old(1) + kOld + t.count(); }\n",
                    "it will be removed in headrace 0.3.0; use New()",
                    "it will be removed in headrace 0.4.0; use kNew",
                    "it will be removed in headrace 0.3.0; use Table",
                    "it will be removed in headrace 0.3.0; use size()")


if __name__ == "__main__":
    unittest.main()
