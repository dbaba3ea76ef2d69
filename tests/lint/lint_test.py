"""Lint finds what it is there to find."""

import pathlib
import sys
import tempfile
import unittest

import check_changes
import check_deprecations
import check_docs
import check_files
import check_headers
import check_history
import check_includes
import check_mutants
import check_python
import tree

sys.path.append(str(pathlib.Path(__file__).parents[2] / "docs/site"))
import check_links


class LintTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def expect_include(self, findings, path, name):
        """So many of a file at path that includes name."""
        with self.subTest(path=path, name=name):
            self.write(path, f"#include {name}\n")
            self.assertEqual(len(check_includes.check(self.root)), findings)
            (self.root / path).unlink()

    def test_every_file_of_tests_is_run(self):
        self.write("meson.build", "")
        self.write("tests/python/meson.build", "tests = [\n  'sub/test_a',\n]\n")
        self.write("tests/parts/integrations.sh",
                   'x=("$folder"/sub/test_{b*,c}.py)\ny=("$folder"/tf/test_*.py)\n')
        for name in ["sub/test_a", "sub/test_b1", "sub/test_c", "tf/test_d",
                     "sub/test_e", "test_a", "sub/other"]:
            self.write(f"tests/python/{name}.py", "")
        self.assertEqual(
            [finding.partition(":")[0]
             for finding in check_files.unrun_findings(self.root)],
            ["tests/python/sub/test_e.py", "tests/python/test_a.py"])

    def test_figures_are_those_of_the_history(self):
        for path, blocks in check_history.pages.PAGES.items():
            self.write(path, "".join(f"<!-- history: {name} -->\n<!-- end of history -->\n"
                                     for name in blocks))
        check_history.pages.write(self.root)
        self.assertEqual(check_history.check(self.root), [])
        page = self.root / "docs/performance.md"
        page.write_text(page.read_text().replace("no such figures", "figures"))
        self.write("docs/history/a.svg", "")
        self.assertEqual([finding.partition(":")[0]
                          for finding in check_history.check(self.root)],
                         ["docs/performance.md", "docs/history/a.svg"])
        self.write("bench/history/a.json", "{}")
        self.assertEqual(check_history.check(self.root),
                         ["bench/history/a.json: schema is missing"])

    def test_long_files_and_functions(self):
        self.write("src/read/long.cc", "// x\n" * 801)
        steps = "  Step();\n" * 79
        self.write("src/read/a.cc",
                   "void Long(int a,\n          int b) {\n" + steps + "}\n"
                   "namespace {\nvoid Short() {\n" + steps[10:] + "}\n}\n"
                   "constexpr int kTable[] = {\n" + "    1,\n" * 90 + "};\n")
        self.write("python/headrace/a.py",
                   "def long():\n" + "    step()\n" * 80 +
                   'def short():\n    """' + "Docs.\n" * 90 + '"""\n')
        self.assertEqual(
            sorted(finding.split(":")[0] for finding in check_files.check(self.root)),
            ["python/headrace/a.py", "src/read/a.cc", "src/read/long.cc"])

    def test_rooms_include_upwards(self):
        for path, name in [
                ("src/input/record/a.cc", '"src/input/source/window.h"'),
                ("src/input/record/a.cc", '"src/input/record/scanner.h"'),
                ("src/input/record/a.cc", '"wire/cursor.h"'),
                ("src/input/record/a.cc", '"headrace/status.h"'),
                ("src/input/record/a.cc", '"absl/strings/str_cat.h"'),
                ("src/input/source/a.cc", "<zlib.h>"),
                ("wire/a.h", '"wire/cursor.h"'),
                ("wire/a.h", '"hwy/highway.h"'),
                ("src/cli/a.cc", '"src/cli/text/table.h"'),
                ("src/cli/a.cc", '"headrace/reader.h"'),
                ("src/cli/a.cc", '"CLI/CLI.hpp"'),
                ("src/cli/a.cc", '"src/base/memory/arena.h"'),
                ("python/src/a.cc", '"src/exchange/json/json_lines.h"'),
                ("src/base/json/a.cc", '"wire/cursor.h"'),
                ("tests/record/a.cc", '"src/exchange/arrow/ipc.h"'),
                ("include/headrace/reader.h", '"headrace/status.h"'),
        ]:
            self.expect_include(0, path, name)

    def test_bad_includes(self):
        for path, name in [
                ("src/input/record/a.cc", '"src/decode/example/block.h"'),
                ("src/base/a.cc", '"src/input/source/window.h"'),
                ("src/input/record/a.cc", '"scanner.h"'),
                ("src/input/record/a.cc", '"src/input/record/../arrow/ipc.h"'),
                ("src/input/record/a.cc", '"include/headrace/status.h"'),
                ("src/input/record/a.cc", '"tests/support/hex.h"'),
                ("src/input/record/a.cc", '"src/cli/text/table.h"'),
                ("wire/a.h", '"src/base/memory/arena.h"'),
                ("wire/a.h", '"headrace/status.h"'),
                ("wire/a.h", '"absl/strings/str_cat.h"'),
                ("src/cli/a.cc", '"src/plan/spec/json_value.h"'),
                ("src/cli/a.cc", '"wire/cursor.h"'),
                ("python/src/a.cc", '"src/plan/spec/json_value.h"'),
                ("include/headrace/reader.h", '"src/base/memory/arena.h"'),
                ("include/headrace/reader.h", '"absl/strings/str_cat.h"'),
                ("include/headrace/reader.h", "<zlib.h>"),
        ]:
            self.expect_include(1, path, name)

    def test_private_names_in_public_headers(self):
        self.write("include/headrace/reader.h", "absl::Status Foo();\n")
        self.assertEqual(len(check_includes.check(self.root)), 1)
        self.write("include/headrace/reader.h", "// unlike absl::Status\n")
        self.assertEqual(check_includes.check(self.root), [])

    def test_unknown_room(self):
        self.write("src/shed/a.cc", "")
        self.assertEqual(len(check_includes.check(self.root)), 1)

    def test_public_headers_have_floors(self):
        for path, name in [
                ("src/input/record/a.cc", '"headrace/batch.h"'),
                ("include/headrace/status.h", '"headrace/reader.h"'),
                ("src/stats/count/a.cc", '"src/tfds/folder/leaves.h"'),
                ("include/headrace/a.h", "<string>"),
        ]:
            self.expect_include(1, path, name)

    def expect_import(self, findings, path, text):
        """So many of a module that has this text."""
        for name in ["__init__", "torch", "errors", "plan", "remote/__init__",
                     "remote/files", "stats/__init__", "adapters/torch/map_dataset"]:
            self.write(f"python/headrace/{name}.py", "")
        self.write(f"python/headrace/{path}", text)
        with self.subTest(path=path, text=text):
            self.assertEqual(len(check_python.check(self.root)), findings)

    def test_python_imports_downwards(self):
        for path, text in [
                ("remote/files.py", "from headrace.errors import a"),
                ("remote/files.py", "from headrace import _core, errors"),
                ("remote/files.py", "import os, headrace.errors"),
                ("adapters/torch/map_dataset.py", "from headrace.stats import stats"),
                ("adapters/torch/map_dataset.py", "import torch"),
                ("torch.py", "from headrace.adapters.torch.map_dataset import *"),
                ("__init__.py", "from headrace import torch as torch"),
        ]:
            self.expect_import(0, path, text + "\n")

    def test_python_imports_upwards(self):
        for path, text in [
                ("errors.py", "from headrace.remote.files import a"),
                ("errors.py", "from headrace.remote import files"),
                ("errors.py", "import headrace.remote.files"),
                ("errors.py", "from .remote import files"),
                ("remote/files.py", "from ..stats import stats"),
                ("errors.py", "def f():\n    from headrace.stats import stats"),
                ("errors.py", "if TYPE_CHECKING:\n    from headrace import stats"),
                ("stats/__init__.py", "import headrace"),
                ("adapters/torch/map_dataset.py", "import headrace.torch"),
                ("shed/a.py", ""),
                ("adapters/torch/map.py", ""),
        ]:
            self.expect_import(1, path, text + "\n")
            (self.root / "python/headrace" / path).unlink()

    def test_circles_of_python(self):
        self.write("python/headrace/plan.py", "from headrace import spec\n")
        self.write("python/headrace/spec.py", "from headrace import dtypes\n")
        self.write("python/headrace/dtypes.py", "")
        self.assertEqual(check_python.check(self.root), [])
        self.write("python/headrace/dtypes.py",
                   "def f():\n    from headrace.plan import Plan\n")
        (finding,) = check_python.check(self.root)
        self.assertIn("headrace.dtypes", finding)
        self.write("python/headrace/spec.py", "from headrace import dtypes, plan\n")
        self.assertEqual(len(check_python.check(self.root)), 2)

    def test_crowded_folders(self):
        for number in range(30):
            self.write(f"src/base/{number}.cc", "")
        self.assertEqual(check_python.check(self.root), [])
        self.write("src/base/meson.build", "")
        self.assertEqual(len(check_python.check(self.root)), 1)

    def test_guards(self):
        good = "#ifndef HEADRACE_SRC_BASE_A_H_\n#define HEADRACE_SRC_BASE_A_H_\n"
        self.write("src/base/a.h", good)
        self.assertEqual(check_files.check(self.root), [])
        self.write("src/base/b.h", good)
        self.assertEqual(len(check_files.check(self.root)), 1)

    def test_names(self):
        for name in ["utils.cc", "string_util.cc", "common.py", "misc.md"]:
            with self.subTest(name=name):
                self.write(f"docs/{name}", "")
                self.assertEqual(len(check_files.check(self.root)), 1)
                (self.root / "docs" / name).unlink()
        self.write("docs/commonly.md", "")
        self.assertEqual(check_files.check(self.root), [])

    def test_wire_knows_no_example(self):
        self.write("wire/a.cc", "// an Example\n")
        self.assertEqual(len(check_files.check(self.root)), 1)

    def test_actions_are_named_by_commits(self):
        self.write(".github/workflows/a.yml",
                   f"- uses: a/b@{'0a' * 20} # v1\n- uses: a/b@v1\n"
                   f"- uses: a/b@{'0a' * 19}\n")
        self.assertEqual(len(check_files.check(self.root)), 2)

    def test_versions_agree(self):
        self.write("meson.build", "  version: '0.2.0',\n")
        self.write(
            "include/headrace/version.h",
            "#ifndef HEADRACE_VERSION_H_\n#define HEADRACE_VERSION_H_\n"
            "#define HEADRACE_VERSION_MAJOR 0\n"
            "#define HEADRACE_VERSION_MINOR 1\n"
            "#define HEADRACE_VERSION_PATCH 0\n"
            "#define HEADRACE_VERSION_NUMBER 100\n"
            '#define HEADRACE_VERSION_STRING "0.1.0"\n#endif\n')
        self.assertEqual(len(check_files.check(self.root)), 3)
        self.write("meson.build", "  version: '0.1.0rc1',\n")
        self.write("debian/changelog", "headrace (0.1.0-1) unstable\n")
        self.assertEqual(len(check_files.check(self.root)), 2)
        self.write("debian/changelog", "headrace (0.1.0~rc1-1) unstable\n")
        self.assertEqual(len(check_files.check(self.root)), 1)

    def expect_docs(self, findings, text):
        self.write("docs/a.md", text)
        with self.subTest(text=text):
            self.assertEqual(len(check_docs.check(self.root)), findings)

    def test_links_of_pages(self):
        self.write("docs/b.md", "# B: C1, and `d`\n\n## E\n<a id=\"f\"></a>\n")
        for target in ["b.md", "b.md#b-c1-and-d", "b.md#e", "b.md#f", "#g-h",
                       "../docs", "https://example.org/x.md"]:
            self.expect_docs(0, f"# G h\n[x]({target})\n")
        for target in ["c.md", "b.md#g-h", "#e", "docs/b.md"]:
            self.expect_docs(1, f"# G h\n[x]({target})\n")
        self.expect_docs(0, "```\n[x](c.md)\n```\n")

    def test_paths_of_pages(self):
        self.write("src/a/b.cc", "")
        for path in ["src/a", "src/a/", "src/a/b.cc", "src/a/*.cc", "a/c.cc",
                     "src/x y"]:
            self.expect_docs(0, f"`{path}`\n")
        for path in ["src/b", "src/a/c.cc", "src/a/*.h"]:
            self.expect_docs(1, f"`{path}`\n")

    def test_rules_have_anchors(self):
        self.expect_docs(0, '| <a id="s1"></a>S1 | a rule |\n')
        self.write("src/plan/compile/a.cc", 'Bad("S1");\n')
        self.expect_docs(0, '| <a id="s1"></a>S1 | a rule |\n')
        self.expect_docs(1, "| S1 | a rule |\n")
        self.expect_docs(1, '| <a id="s2"></a>S1 | a rule |\n')
        self.expect_docs(1, '| <a id="s2"></a>S2 | a rule |\n')

    def deprecations(self, version, path, text):
        """What is wrong, without the places, if this file is planted."""
        self.write("meson.build", f"  version: '{version}',\n")
        self.write(path, text)
        found = check_deprecations.check(self.root)
        (self.root / path).unlink()
        for finding in found:
            self.assertTrue(finding.startswith(f"{path}:2: "), finding)
        return [finding.split(": ", 1)[1] for finding in found]

    # One of each kind, on line 2.
    PLANTED = [
        ("python/headrace/reading/a.py",
         'def old():\n    warn_deprecated("old()", "{}", "new()")\n'),
        ("python/headrace/a.py",
         "def f(old=None, new=1):\n    if old: warnings.warn_deprecated(\n"
         '        "old=", removed_in="{}", instead="new=")\n'),
        ("src/cli/text/deprecation.h",
         "inline constexpr auto kDeprecations = std::to_array<Deprecation>(\n"
         '    {{{{.verb = "head", .option = "--old", .removed_in = "{}",\n'
         '      .instead = "--new"}}}});\n'),
        ("include/headrace/a.h",
         '\nHEADRACE_DEPRECATED("{}", "New()") HEADRACE_EXPORT int Old();\n'),
        ("include/headrace/fuzzing/a.h",
         'enum A {{\n  kA HEADRACE_DEPRECATED(\n      "{}",\n      "kB"),\n}};\n'),
        ("include/headrace/c.h",
         '\nHEADRACE_DEPRECATED("{}", "b()")\nHEADRACE_EXPORT int a(void);\n'),
    ]

    def test_deprecations_end(self):
        for path, text in self.PLANTED:
            for removed_in, version, words in [
                    ("0.3.0", "0.1.0", None), ("0.3.0", "0.2.9", None),
                    ("1.0.0", "0.9.0", None), ("2.0.0", "1.9.0", None),
                    ("0.10.0", "0.9.0", None),
                    ("0.3.0", "0.3.0", "reached"), ("0.3.0", "0.4.1", "reached"),
                    ("0.3.0", "0.2.0rc1", None), ("0.3.0", "0.3.0rc1", "reached"),
                    ("0.0.9", "0.1.0", "reached"), ("0.9.0", "0.10.0", "reached"),
                    ("0.3.1", "0.1.0", "only a minor"), ("0.3", "0.1.0", "names a"),
                    ("1.3.0", "1.2.0", "only a major"), ("soon", "0.1.0", "names a")]:
                with self.subTest(path=path, removed_in=removed_in, version=version):
                    found = self.deprecations(version, path, text.format(removed_in))
                    self.assertEqual(len(found), words is not None, found)
                    self.assertIn(words or "", "".join(found))

    def test_deprecations_have_one_form(self):
        for path, text in [
                ("python/headrace/a.py", "\nwarnings.warn(a, DeprecationWarning)\n"),
                ("python/headrace/a.py", "\nwarn_deprecated(a, version, b)\n"),
                ("python/headrace/a.py", "\nwarn_deprecated(a)\n"),
                ("python/src/a.cc", "\nPyErr_WarnEx(PyExc_DeprecationWarning, a, 1);\n"),
                ("src/cli/a.h", '\nauto kDeprecations = {{"head", "--old", "0.3.0"}};\n'),
                ("src/cli/a.h", "\n{.verb = a, .removed_in = kNext, .instead = b}\n"),
                ("include/headrace/a.h", '\n[[deprecated("use b")]] void a();\n'),
                ("include/headrace/a.h", "\n__attribute__((deprecated)) void a();\n"),
                ("include/headrace/a.h", "\nHEADRACE_DEPRECATED(kNext, b) void a();\n")]:
            with self.subTest(path=path, text=text):
                self.assertEqual(len(self.deprecations("0.1.0", path, text)), 1)

    def test_what_deprecates_nothing(self):
        for path, text in [
                ("include/headrace/a.h", '// HEADRACE_DEPRECATED("0.0.9", "b")\n'),
                ("include/headrace/export.h",
                 "#define HEADRACE_DEPRECATED(a, b) \\\n  [[gnu::deprecated(a b)]]\n"),
                ("src/cli/a.cc", 'Complain(row.removed_in);\n// .removed_in = "0.0.9"\n'),
                ("src/cli/a.h", "constexpr std::array<Deprecation, 0> kDeprecations = {};\n"),
                ("python/headrace/a.py", '"""Calls warn_deprecated(a, "0.0.9", b)."""\n')]:
            with self.subTest(path=path, text=text):
                self.assertEqual(self.deprecations("0.1.0", path, text), [])

    def test_nothing_here_is_deprecated_too_long(self):
        self.assertEqual(check_deprecations.check(tree.ROOT), [])

    def test_changes_name_promises(self):
        self.write("docs/stability.md", "| `state`: a | b |\n| `c`: a | b |\n")
        for findings, text in [
                (0, "- a\n  b [state, c]\n- a [none]\n"),
                (0, "### A\n\nTouches `c`, `none`.\n\n- a\n- b [state]\n"),
                (1, "- a\n- b [c]\n"),
                (1, "- a [c] b\n"),
                (1, "- a [d, c]\n"),
                (2, "### A\n\nTouches `d`, `e`, `c`.\n\n- a\n"),
                (1, "### A\n\nTouches `c`.\n\n- a\n\n### B\n\n- a\n"),
                (0, "- a [c]\n\n## 0.1.0\n\n- a\n"),
        ]:
            with self.subTest(text=text):
                self.write("CHANGELOG.md", "# Changes\n\n## 0.2.0\n\n" + text)
                self.assertEqual(len(check_changes.check(self.root)), findings)

    def test_headers_alone(self):
        self.write("include/headrace/reader.h", "using Text = std::string;\n")
        # Once a compiler.
        self.assertEqual(len(check_headers.check(self.root)), 2)
        self.write("include/headrace/b.h", "using Number = int;\n")
        self.write("include/headrace/reader.h", '#include "headrace/b.h"\nNumber n();\n')
        self.assertEqual(check_headers.check(self.root), [])
        # A change below is seen through the header that was fine.
        self.write("include/headrace/b.h", "\n")
        self.assertEqual(len(check_headers.check(self.root)), 2)

    def test_mutants_fit(self):
        self.write("a.cc", "int a = 1;\n")
        self.write("tests/mutants/two.patch",
                   "# Two instead of one.\n# kills: test_a\n--- a/a.cc\n"
                   "+++ b/a.cc\n@@ -1 +1 @@\n-int a = 1;\n+int a = 2;\n")
        self.assertEqual(check_mutants.check(self.root), [])
        self.write("a.cc", "int a = 3;\n")
        self.assertEqual(len(check_mutants.check(self.root)), 1)

    def test_links_of_the_site(self):
        """check_links.py reads what ./dev docs has made."""
        self.write("a.html", '<a href="b.html#here"></a><a href="c.html"></a>')
        self.write("b.html", '<p id="here"><a href="#there">')
        self.write("c.html", '<img src="none.png"><a href="https://example.org">')
        self.assertEqual(list(check_links.findings(self.root.resolve())), [
            "b.html: nothing is at #there", "c.html: nothing is at none.png"])


if __name__ == "__main__":
    unittest.main()
