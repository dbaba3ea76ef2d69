"""The wraps are well formed, and each dependency has one.

Nothing is downloaded: this finds slips of the pen, not a stale address.
"""

import configparser
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUBPROJECTS = ROOT / "subprojects"
# ISA-L and libdeflate are optional; threads come with the compiler.
WITHOUT_WRAP = {"libisal", "libdeflate", "threads"}
HASH = re.compile(r"[0-9a-f]{64}")


def wraps():
    for path in sorted(SUBPROJECTS.glob("*.wrap")):
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(path, encoding="utf-8")
        yield path.name, parser


def provided(parser):
    names = dict(parser["provide"])
    listed = names.pop("dependency_names", "") + "," + \
        names.pop("program_names", "")
    return {name.strip() for name in listed.split(",")} | set(names)


class WrapsTest(unittest.TestCase):

    def test_keys(self):
        for name, parser in wraps():
            with self.subTest(wrap=name):
                kind = parser.sections()[0]
                wrap = parser[kind]
                if kind == "wrap-git":
                    self.assertTrue(wrap["url"].startswith("https://"))
                    self.assertNotIn(wrap["revision"], ("HEAD", "main"))
                else:
                    self.assertEqual(kind, "wrap-file")
                    self.assertTrue(wrap["source_url"].startswith("https://"))
                    self.assertTrue(wrap["source_filename"])
                    self.assertRegex(wrap["source_hash"], HASH)
                    self.assertTrue(wrap["directory"])
                if "patch_url" in wrap:
                    self.assertTrue(wrap["patch_url"].startswith("https://"))
                    self.assertTrue(wrap["patch_filename"])
                    self.assertRegex(wrap["patch_hash"], HASH)

    def test_every_dependency_has_a_wrap(self):
        names = {name.lower()
                 for _, parser in wraps() for name in provided(parser)}
        for path in ROOT.glob("**/meson.build"):
            parts = path.relative_to(ROOT).parts
            if parts[0] == "subprojects" or parts[0].startswith("build"):
                continue
            for name in re.findall(r"\bdependency\('([^']+)'",
                                   path.read_text(encoding="utf-8")):
                if name not in WITHOUT_WRAP:
                    self.assertIn(name.lower(), names, path)

    def test_packagefiles(self):
        folders = {parser[parser.sections()[0]].get("patch_directory")
                   for _, parser in wraps()} - {None}
        self.assertEqual(
            folders,
            {path.name for path in (SUBPROJECTS / "packagefiles").iterdir()})
        for folder in folders:
            with self.subTest(folder=folder):
                build = SUBPROJECTS / "packagefiles" / folder / "meson.build"
                subprocess.run(["meson", "introspect", "--ast", str(build)],
                               check=True, stdout=subprocess.DEVNULL)
                # The variable that the wrap promises.
                self.assertIn("_dep = declare_dependency(",
                              build.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
