"""The samples in other languages print what the C++ reader has.

usage: samples_test.py HEADRACE LIBRARY READER_DIGEST [FILE...]

LIBRARY is the shared library. Without files, generated ones are read.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
INCLUDE = f"-I{ROOT / 'include'}"
HEADRACE, LIBRARY, READER_DIGEST = map(pathlib.Path, sys.argv[1:4])
FILES = sys.argv[4:]
# Not one that comes with another distribution of the language.
JAVA_HOME = next(pathlib.Path("/usr/lib/jvm").glob("java-17-openjdk-*"))
SHAPES = ["people", "movie", "floats", "ids", "hashes", "blobs", "criteo",
          "scalars", "ragged", "sequence"]


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True,
                          capture_output=True, **options)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


class SamplesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        # Programs look for the soname, compilers for the bare name.
        libdir = cls.work / "lib"
        libdir.mkdir()
        soname = re.search(r"soname: \[(.*)\]", run("readelf", "-d", LIBRARY))[1]
        for name in ("libheadrace.so", soname):
            shutil.copy(LIBRARY, libdir / name)
        cls.link = [f"-L{libdir}", "-lheadrace"]
        cls.env = {"PATH": "/usr/bin:/bin", "HOME": str(cls.work),
                   "LD_LIBRARY_PATH": f"{libdir}:{cls.work}",
                   "CGO_CFLAGS": INCLUDE, "CGO_LDFLAGS": " ".join(cls.link),
                   "GOFLAGS": "-mod=mod", "GO111MODULE": "off"}
        cls.files = FILES or [cls.generate(shape) for shape in SHAPES]
        cls.expected = [cls.digest_of(READER_DIGEST, file)
                        for file in cls.files]

    @classmethod
    def generate(cls, shape):
        path = cls.work / f"{shape}.tfrecord.gz"
        run(HEADRACE, "gen", "-o", path, "--shape", shape, "--records", "300")
        return path

    @classmethod
    def digest_of(cls, *command):
        return run(*command, env=cls.env)

    def expect_digests(self, *command):
        for file, expected in zip(self.files, self.expected, strict=True):
            self.assertEqual(self.digest_of(*command, file), expected, file)
        both = self.files[:2]
        self.assertEqual(self.digest_of(*command, both[0], both[0]),
                         self.digest_of(READER_DIGEST, both[0], both[0]))
        with self.assertRaisesRegex(RuntimeError, "digest: .*no/such.*not_found"):
            self.digest_of(*command, "no/such.tfrecord")

    def test_there_are_rows(self):
        for file, printed in zip(self.files, self.expected, strict=True):
            self.assertRegex(printed, r"^[1-9]\d* rows, digest [0-9a-f]{16}\n$")
        self.assertEqual(len(set(self.expected)), len(self.files))

    def test_c(self):
        run("cc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra",
            "-Werror", "-O2", INCLUDE, EXAMPLES / "c/digest.c", *self.link,
            "-o", self.work / "digest_c")
        self.expect_digests(self.work / "digest_c")

    def test_rust(self):
        run("/usr/bin/rustc", "-O", EXAMPLES / "rust/digest.rs",
            "-L", f"native={self.work / 'lib'}", "-o", self.work / "digest_rs")
        self.expect_digests(self.work / "digest_rs")

    def test_go(self):
        run("/usr/bin/go", "build", "-o", self.work / "digest_go",
            EXAMPLES / "go/digest.go", env=self.env)
        self.expect_digests(self.work / "digest_go")

    def test_java(self):
        run("cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", INCLUDE,
            f"-I{JAVA_HOME}/include", f"-I{JAVA_HOME}/include/linux",
            EXAMPLES / "java/digest_jni.c", *self.link,
            "-o", self.work / "libdigest_jni.so")
        run(JAVA_HOME / "bin/javac", "-d", self.work,
            EXAMPLES / "java/Digest.java")
        self.expect_digests(
            JAVA_HOME / "bin/java", f"-Djava.library.path={self.work}",
            "-cp", self.work, "Digest")

    def test_samples_are_short(self):
        for sample in EXAMPLES.glob("*/*"):
            lines = sample.read_text(encoding="utf-8").count("\n")
            self.assertLess(lines, 120, sample)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
