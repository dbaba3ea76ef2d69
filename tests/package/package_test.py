"""An installed headrace can be found, linked and run by others.

usage: package_test.py BUILD_DIR PREFIX
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD_DIR, PREFIX = sys.argv[1:3]
HERE = pathlib.Path(__file__).resolve().parent
CXX = os.environ.get("CXX", "c++")


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
        self.assertEqual(run(program, env=self.env), "0.1.0 not_found\n")

    def test_pkg_config(self):
        flags = run("pkg-config", "--cflags", "--libs", "headrace",
                    env=self.env).split()
        program = self.work / "by_pkg_config"
        run(CXX, "-std=c++20", HERE / "outside.cc", "-o", program, *flags)
        self.expect_runs(program)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_cmake(self):
        build = self.work / "by_cmake"
        run("cmake", "-S", HERE, "-B", build,
            f"-DCMAKE_CXX_COMPILER={CXX}",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.env)
        run("cmake", "--build", build)
        self.expect_runs(build / "outside")

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_cmake_refuses_another_series(self):
        (self.work / "later").mkdir()
        (self.work / "later" / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(later NONE)\n"
            "find_package(headrace 0.2 REQUIRED)\n", encoding="utf-8")
        with self.assertRaises(subprocess.CalledProcessError):
            run("cmake", "-S", self.work / "later", "-B", self.work / "l",
                f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.env,
                stderr=subprocess.DEVNULL)

    def test_every_header_is_there(self):
        source = HERE.parents[1] / "include" / "headrace"
        self.assertEqual(
            {path.name for path in (self.prefix / "include/headrace").iterdir()},
            {path.name for path in source.glob("*.h")})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
