"""The build files keep their promises to those who configure them.

usage: configure_test.py SOURCE_DIR

Nothing is compiled: what would be installed is read off the configuration.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop()).resolve()
LITTLE = ["-Dtests=false", "-Dbenchmarks=false"]

PARENT = """
project('parent', 'cpp', default_options: ['cpp_std=c++20'])
executable('user', 'user.cc', dependencies: dependency('headrace'),
           install: true)
"""

# Run by Meson's own interpreter, which can read what Meson wrote.
PRINT_RPATHS = """
import pickle, sys
with open(sys.argv[1], 'rb') as file:
    for target in pickle.load(file).targets:
        print(target.fname, target.outdir, target.install_rpath)
"""


class ConfigureTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.build = self.work / "build"

    def configure(self, source, *options):
        return subprocess.run(
            ["meson", "setup", *options, str(self.build), str(source)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def expect_configures(self, source, *options):
        done = self.configure(source, *options)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_as_a_subproject_nothing_is_installed(self):
        (self.work / "meson.build").write_text(PARENT)
        (self.work / "user.cc").write_text("int main() {}\n")
        (self.work / "subprojects").mkdir()
        (self.work / "subprojects" / "headrace").symlink_to(SOURCE)
        self.expect_configures(self.work, "--force-fallback-for=headrace")
        plan = json.loads(subprocess.run(
            ["meson", "introspect", "--install-plan", str(self.build)],
            check=True, stdout=subprocess.PIPE).stdout)
        destinations = [what["destination"] for group in plan.values()
                        for what in group.values()]
        self.assertEqual(destinations, ["{bindir}/user"])

    def test_a_shared_librarys_program_does_without_it(self):
        self.expect_configures(
            SOURCE, *LITTLE, "-Ddefault_library=shared", "--prefix=/usr",
            "--libdir=lib/any", "--bindir=bin")
        script = self.work / "print_rpaths.py"
        script.write_text(PRINT_RPATHS)
        printed = subprocess.run(
            ["meson", "runpython", str(script),
             str(self.build / "meson-private" / "install.dat")],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertIn("src/cli/headrace bin \n", printed)

    def test_a_forced_fallback_is_taken(self):
        """Nothing is downloaded: that it is looked for is enough."""
        done = self.configure(SOURCE, *LITTLE, "--wrap-mode=nodownload",
                              "--force-fallback-for=snappy")
        self.assertIn("fallback subproject for the dependency snappy",
                      done.stdout)

    def said_for(self, machine, *options):
        """What is said when a cross file describes this machine."""
        machine = {"system": "linux", "cpu_family": "x86_64", "cpu": "any",
                   "endian": "little"} | machine
        cross = self.work / "cross.ini"
        cross.write_text(
            "[binaries]\ncpp = 'c++'\n[host_machine]\n"
            + "".join(f"{key} = '{value}'\n" for key, value in machine.items()))
        shutil.rmtree(self.build, ignore_errors=True)
        # That its libraries are then not found does not matter here.
        return self.configure(SOURCE, *LITTLE, "--wrap-mode=nodownload",
                              "--cross-file", str(cross), *options).stdout

    def test_what_is_not_supported_is_refused(self):
        self.assertIn("Problem encountered: headrace needs a little-endian machine",
                      self.said_for({"endian": "big"}))
        self.assertIn("Problem encountered: headrace does not support Windows",
                      self.said_for({"system": "windows"}))

    def test_what_is_untested_is_warned_of(self):
        warning = "WARNING: headrace is tested"
        self.assertNotIn(warning, self.said_for({}))
        self.assertRegex(self.said_for({"cpu_family": "riscv64"}),
                         f"{warning} .*not on riscv64")
        self.assertIn(f"{warning} on Linux only, not on freebsd",
                      self.said_for({"system": "freebsd"}))
        # The C library musl lacks the macro of glibc.
        (self.work / "features.h").write_text(
            "#include_next <features.h>\n#undef __GLIBC__\n")
        self.assertIn(f"{warning} with glibc only, not with musl",
                      self.said_for({}, f"-Dcpp_args=-I{self.work}"))

    def test_a_32_bit_python_is_refused(self):
        python = self.work / "python3"
        python.write_text(
            f"#!/bin/sh\nPYTHONPATH={self.work} "
            f"_PYTHON_SYSCONFIGDATA_NAME=bits32 exec {sys.executable} \"$@\"\n")
        python.chmod(0o755)
        variables = sysconfig.get_config_vars() | {"SIZEOF_VOID_P": 4}
        (self.work / "bits32.py").write_text(f"build_time_vars = {variables!r}\n")
        done = self.configure(SOURCE, *LITTLE, "-Dpython=enabled",
                              f"-Dpython_program={python}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("encountered: the Python package of headrace needs a 64-bit",
                      done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
