"""An installed headrace can be found, linked and run by others.

usage: package_test.py BUILD_DIR PREFIX
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD_DIR, PREFIX = sys.argv[1:3]
HERE = pathlib.Path(__file__).resolve().parent
CXX = os.environ.get("CXX", "c++")
CC = os.environ.get("CC", "cc")


ROOT = HERE.parents[1]


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True,
                          text=True, stdout=subprocess.PIPE, **options).stdout


class PackageTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        run("meson", "install", "-C", BUILD_DIR, "--no-rebuild", "--quiet",
            "--destdir", cls.work / "dest")
        # Also shows that an installation can be moved.
        cls.prefix = cls.work / "moved"
        (cls.work / "dest" / PREFIX.lstrip("/")).rename(cls.prefix)
        cls.libdir = next(cls.prefix.rglob("headrace.pc")).parents[1]
        cls.env = {**os.environ, "LD_LIBRARY_PATH": str(cls.libdir),
                   "PKG_CONFIG_PATH": str(cls.libdir / "pkgconfig")}

    def expect_runs(self, program):
        self.assertEqual(run(program, env=self.env), "0.1.0rc1 not_found\n")

    def test_pkg_config(self):
        flags = run("pkg-config", "--cflags", "--libs", "headrace",
                    env=self.env).split()
        program = self.work / "by_pkg_config"
        run(CXX, "-std=c++20", HERE / "outside.cc", "-o", program, *flags)
        self.expect_runs(program)

    def test_c(self):
        flags = run("pkg-config", "--cflags", "--libs", "headrace",
                    env=self.env).split()
        # Programs that use headrace are not compiled by flags of others.
        self.assertEqual([flag for flag in flags if flag.startswith("-D")], [])
        program = self.work / "of_c"
        # A static library needs the runtime of C++; a shared one brings it.
        run(CC, "-std=c99", "-pedantic-errors", HERE / "outside.c", "-o",
            program, *flags, "-lstdc++")
        self.expect_runs(program)

    def compile(self, code, *flags):
        """What the compiler says of the code, which it only looks at."""
        source = self.work / "snippet.cc"
        source.write_text(code, encoding="utf-8")
        return subprocess.run(
            [CXX, "-fsyntax-only", f"-I{self.prefix}/include", *flags,
             str(source)], text=True, stderr=subprocess.PIPE).stderr

    def test_before_cpp20_the_first_error_says_so(self):
        for header in (self.prefix / "include/headrace").glob("*.h"):
            said = self.compile(f'#include "headrace/{header.name}"\n',
                                "-std=c++17").split("error: ")
            # Some need no C++20: they hold numbers, names or an interface
            # alone, or are C.
            if header.name not in ("arrow_c.h", "batch_allocator.h", "c.h",
                                   "export.h", "limits.h", "types.h", "variant.h",
                                   "version.h"):
                self.assertGreater(len(said), 1, header)
                self.assertIn("headrace needs C++20", said[1], header)

    def test_link_time_optimization_finds_nothing(self):
        flags = run("pkg-config", "--cflags", "--libs", "headrace",
                    env=self.env).split()
        program = self.work / "optimized"
        # Not split into parts, of whose number the linker would speak.
        said = run(CXX, "-std=c++20", "-O2", "-Wall", "-Wextra", "-flto",
                   *(["-flto-partition=none"] if "clang" not in CXX else []),
                   HERE / "outside.cc", "-o", program, *flags,
                   stderr=subprocess.STDOUT)
        self.assertEqual(said, "")
        self.expect_runs(program)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_cmake(self):
        build = self.work / "by_cmake"
        run("cmake", "-G", "Ninja", "-S", HERE, "-B", build,
            f"-DCMAKE_CXX_COMPILER={CXX}",
            # Which not every machine has.
            "-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=TRUE",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.env)
        run("cmake", "--build", build)
        self.expect_runs(build / "outside")
        self.expect_runs(build / "outside_c")

    def cmake_finds(self, version):
        folder = self.work / f"asks for {version}"
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(asks CXX)\n"
            "include(CMakePrintHelpers)\n"
            f"find_package(headrace {version} QUIET)\n"
            "cmake_print_variables(headrace_FOUND)\n"
            "cmake_print_variables(headrace_CONSIDERED_VERSIONS)\n"
            "if(headrace_FOUND)\n"
            "  get_target_property(links headrace::headrace "
            "INTERFACE_LINK_LIBRARIES)\n"
            "  cmake_print_variables(links)\nendif()\n", encoding="utf-8")
        return run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build",
                   f"-DCMAKE_CXX_COMPILER={CXX}",
                   f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.env,
                   stderr=subprocess.STDOUT)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_cmake_takes_its_own_series(self):
        for version in ("", "0", "0.1", "0.1.0"):
            said = self.cmake_finds(version)
            self.assertRegex(said, 'headrace_FOUND="(1|TRUE)"', version)
        # Of Abseil's flags programs get those of the linker alone.
        self.assertNotRegex(said, r"(?<!LINK_ONLY:)absl::")

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_cmake_refuses_another_series(self):
        for version in ("0.2", "1", "0.1.1"):
            said = self.cmake_finds(version)
            self.assertNotRegex(said, 'headrace_FOUND="(1|TRUE)"', version)

    def test_a_program_takes_what_it_uses(self):
        flags = run("pkg-config", "--cflags", "--libs", "headrace",
                    env=self.env).split()
        source = self.work / "status.cc"
        source.write_text(
            "#include <headrace/status.h>\nint main(int, char** argv) {\n"
            "return headrace::Status(headrace::ErrorCode::kIo, argv[0]).ok();\n"
            "}\n",
            encoding="utf-8")
        program = self.work / "of_status"
        run(CXX, "-std=c++20", "-O2", source, "-o", program, *flags)
        self.assertEqual(run(program, env=self.env), "")
        self.assertLess(program.stat().st_size, 300_000)

    def test_the_judge_has_its_vectors(self):
        folder = self.prefix / "share/headrace/conformance"
        self.assertEqual(list(folder.rglob("__pycache__")), [])
        said = run(folder / "judge.py", "--", sys.executable,
                   ROOT / "tests/conformance/judged_reader.py", "none")
        self.assertRegex(said, r"\nall +227 +3272\n")
        page = (folder / "README.md").read_text(encoding="utf-8")
        for link in re.findall(r"\]\((\S+)\)", page):
            self.assertTrue((folder / link).exists(), link)

    def test_every_header_is_there(self):
        source = ROOT / "include" / "headrace"
        installed = self.prefix / "include" / "headrace"
        self.assertEqual(
            {path.relative_to(installed) for path in installed.rglob("*.*")},
            {path.relative_to(source) for path in source.rglob("*.h")})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
