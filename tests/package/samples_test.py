"""What the public headers and the pages show compiles, without a warning.

usage: samples_test.py [COMPILER...]

A sample is what is indented in a comment of a header. Names that it does not
declare are those of PRELUDE. Samples of C++ are compiled together, so that this
takes seconds.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "headrace"
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
COMPILERS = sys.argv[1:] or [os.environ.get("CXX", "c++")]
# The C compiler of each.
OF_C = {"g++": "gcc", "c++": "cc", "clang++": "clang"}

PRELUDE = """
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

using namespace headrace;

template <class... Any>
void Use(const Any&...);

// What samples begin with.
extern Reader& reader;
extern const Plan& plan;
extern const std::vector<std::string>& paths;
extern const std::vector<std::string_view>& records;
extern const std::vector<std::string_view>& payloads;
extern const std::vector<int64_t> ids;
extern const std::string_view payload;
extern const std::string_view bytes_of_schema_pbtxt;
extern const Batch& episodes;
extern const Message& message;
"""


def samples(text):
    """The line and the code of each sample in the comments of a header."""
    found = None
    for number, line in enumerate(text.splitlines() + [""], 1):
        code = re.match(r" *//(?:   (.*))?$", line)
        if code and (code[1] is not None or found):
            found = found or (number, [])
            found[1].append(code[1] or "")
            continue
        # Lists of prose are indented, too.
        if found and not found[1][0].startswith("- "):
            yield found[0], "\n".join(found[1]) + "\n"
        found = None


def header_samples():
    for path in sorted(HEADERS.rglob("*.h")):
        for line, code in samples(path.read_text(encoding="utf-8")):
            yield path, line, code


def page_samples():
    """The C++ of README and the pages: page, line, code."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(r"```cpp\n(.*?)```", text, re.DOTALL):
            yield page, text.count("\n", 0, match.start(1)) + 1, match[1]


def is_file(code):
    """Whether the code is a file of its own, not a part of a function."""
    return "#include" in code


def function(number, path, line, code):
    name = f"Sample{number}"
    # The sample's own declarations hide those of the prelude. Where it falls
    # off its end, all went well.
    return (f"Status {name}();\nStatus {name}() {{\n{{\n"
            f'#line {line} "{path.relative_to(ROOT)}"\n{code}}}\n'
            "return {};\n}\n")


class SamplesTest(unittest.TestCase):
    maxDiff = None

    def compile(self, code, *command):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "sample"
            source.write_text(code, encoding="utf-8")
            said = subprocess.run(
                [*command, *WARNINGS, f"-I{ROOT / 'include'}", str(source)],
                capture_output=True, text=True)
            self.assertEqual((said.returncode, said.stderr), (0, ""))

    def for_each_compiler(self, code):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                self.compile(code, compiler, "-std=c++20", "-xc++")

    def test_of_headers(self):
        parts = [sample for sample in header_samples()
                 if not is_file(sample[2]) and sample[0].name != "c.h"]
        self.assertGreater(len(parts), 16)
        headers = sorted(HEADERS.glob("*.h"))
        self.for_each_compiler(
            "".join(f'#include "headrace/{path.name}"\n' for path in headers) +
            PRELUDE + "".join(function(i, *part) for i, part in enumerate(parts)))

    def test_of_headers_that_are_files(self):
        files = [sample for sample in header_samples() if is_file(sample[2])]
        self.assertEqual(len(files), 1)
        for _, _, code in files:
            self.for_each_compiler(code)

    def test_of_c(self):
        parts = [code for path, _, code in header_samples()
                 if path.name == "c.h"]
        self.assertEqual(len(parts), 1)
        for compiler in COMPILERS:
            with self.subTest(compiler):
                self.compile(
                    '#include "headrace/c.h"\n#include <stdio.h>\n'
                    f"void f(void);\nvoid f(void) {{\n{parts[0]}}}\n",
                    OF_C.get(compiler, "cc"), "-std=c99", "-xc")

    def test_of_pages(self):
        parts = []
        for page, line, code in page_samples():
            if is_file(code):
                with self.subTest(f"{page.name}:{line}"):
                    self.for_each_compiler(code)
            else:
                parts.append((page, line, code))
        self.assertGreaterEqual(len(parts), 1)
        headers = sorted(HEADERS.glob("*.h"))
        self.for_each_compiler(
            "".join(f'#include "headrace/{path.name}"\n' for path in headers) +
            PRELUDE + "".join(function(i, *part) for i, part in enumerate(parts)))

    def test_headers_leave_the_names_of_rooms_to_programs(self):
        rooms = sorted({path.name for path in (ROOT / "src").rglob("*")
                        if path.is_dir()}
                       # These are namespaces that users may use, and functions
                       # of POSIX.
                       - {"tfds", "tfmd", "cli", "read", "write"})
        self.assertIn("index", rooms)
        headers = sorted(path for path in HEADERS.glob("*.h"))
        own = "".join(f"static int {room} = 1;\n" for room in rooms
                      if room not in ("index", "base"))
        self.for_each_compiler(
            "#include <strings.h>\n" +
            "".join(f'#include "headrace/{path.name}"\n' for path in headers) +
            "using namespace headrace;\n" + own + "int main() {\n"
            'return index("abc", 98) != nullptr' +
            "".join(f" && {room} == 1" for room in rooms
                    if room not in ("index", "base")) + ";\n}\n")

    def test_an_input_is_returned_as_what_it_is(self):
        self.for_each_compiler("""
#include <memory>
#include "headrace/reader.h"
class MyInput : public headrace::InputFile {
 public:
  headrace::Result<size_t> Read(std::span<uint8_t>) override { return 0; }
};
headrace::OpenInput Opener() {
  return [](const std::string&) { return std::make_unique<MyInput>(); };
}
int main() { return Opener()("")->get() == nullptr; }
""")

    @unittest.skipUnless(any("clang" in name for name in COMPILERS),
                         "GCC has no such warning")
    def test_clang_sees_what_outlives_a_batch(self):
        for compiler in filter(lambda name: "clang" in name, COMPILERS):
            with self.assertRaisesRegex(AssertionError, "(?s)temporary.*destroyed"):
                self.compile("""
#include "headrace/reader.h"
headrace::Batch Make();
size_t Rows() {
  std::span<const headrace::Column> columns = Make().columns();
  return columns.size();
}
""", compiler, "-std=c++20", "-xc++")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
