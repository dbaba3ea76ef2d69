"""Which files a folder or a glob stands for, and what is said of the others."""

import gzip
import os

from program import CliTest, example
from wire_bytes import framed, unframe

RECORDS = [example(a=[1]), example(a=[2])]
USUAL = ["a.tfrecord", "b.tfrec", "c.record", "d.TFRecord",
         "e.record-00000-of-00001", "f.tfrecord.gz-00000-of-00001",
         "part-r-00000"]


class FolderCase(CliTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.folder / "d")

    def put(self, *names):
        for name in names:
            self.write_records(f"d/{name}", RECORDS)

    def count(self, *args):
        result = self.run_ok("count", "--json", *args)
        return result.json[0]["records"], result.err


class FolderTest(FolderCase):
    def test_usual_names_are_read(self):
        self.put(*USUAL)
        self.assertEqual(self.count("d"), (2 * len(USUAL), ""))

    def test_others_are_named_with_the_reason(self):
        self.put("a.tfrecord", "x.bin")
        self.write("d/y.bin.gz", gzip.compress(framed(RECORDS)))
        self.write("d/README.md", "How to use it.\n")
        os.mkdir(self.folder / "d" / "more")
        for verb in (["count"], ["head"], ["cat"], ["schema"], ["stats"],
                     ["validate"], ["index"], ["get", "0"], ["split", "-n", "2"],
                     ["convert", "-o", "o.arrow"], ["convert", "-o", "o.tfrecord"],
                     ["shuffle", "-o", "o.tfrecord"], ["bench", "--seconds", "0.01"]):
            files = ["d", "0"] if verb[0] == "get" else ["d"]
            verb = [word for word in verb if word != "0"]
            err = self.run_ok(*verb, *files).err
            for text in (
                    "warning: left out of d/: more (a folder; subfolders are not "
                    "read)\n",
                    "warning: left out of d/: x.bin, y.bin.gz (TFRecord by the first "
                    "bytes, but not by the name)\n",
                    "headrace: left out of d/: README.md (text)\n"):
                self.assertEqual(err.count(text), 1, (verb, text, err))
            err = self.run_ok(*verb, "--quiet", *files).err
            self.assertIn("x.bin", err, verb)
            self.assertNotIn("README", err, verb)

    def test_a_folder_without_tfrecord_says_what_it_has(self):
        self.put("x.bin")
        err = self.run_bad(3, "count", "d").err
        self.assertIn("x.bin (TFRecord by the first bytes", err)

    def test_links_to_nothing_and_pipes_are_errors(self):
        self.put("a.tfrecord")
        os.symlink("away", self.folder / "d" / "b.tfrecord")
        for pattern in ("d", "d/*", "d/**"):
            err = self.run_bad(3, "cat", pattern).err
            self.assertIn("d/b.tfrecord: not_found: cannot read the target of the "
                          "link, away", err)
        os.remove(self.folder / "d" / "b.tfrecord")
        os.mkfifo(self.folder / "d" / "b.tfrecord")
        for pattern in ("d", "d/*", "d/**"):
            err = self.run_bad(3, "cat", pattern).err
            self.assertIn("d/b.tfrecord: io: is a pipe", err)

    def test_two_stars_are_any_depth(self):
        os.makedirs(self.folder / "d" / "e" / "f")
        self.put("a.tfrecord", "e/b.tfrecord", "e/f/c.tfrecord")
        self.assertEqual(self.count("d/**/*.tfrecord")[0], 6)
        self.assertEqual(self.count("d/**")[0], 6)
        self.assertIn("** stands for folders",
                      self.run_bad(2, "count", "d/x**").err)

    def test_globs_leave_indexes_out(self):
        self.put("a.tfrecord")
        self.run_ok("index", "d/a.tfrecord")
        self.run_ok("index", "--format", "dali", "d/a.tfrecord")
        self.assertEqual(self.count("d/*")[0], 2)
        self.assertIn("a headrace index",
                      self.run_bad(1, "count", "d/a.tfrecord.hri").err)


class ShardNamesTest(FolderCase):
    def test_convert_and_shuffle_name_shards_alike(self):
        self.put("in.tfrecord")
        for verb in ("convert", "shuffle"):
            for output in (["s.tfrecord@2.gz"], ["s.tfrecord.gz", "--shards", "2"]):
                os.mkdir(self.folder / "o")
                self.run_ok(verb, "d", "-o", f"o/{output[0]}", *output[1:])
                self.assertEqual(sorted(os.listdir(self.folder / "o")),
                                 ["s.tfrecord-00000-of-00002.gz",
                                  "s.tfrecord-00001-of-00002.gz"])
                self.assertEqual(self.count("o"), (2, ""))
                for name in os.listdir(self.folder / "o"):
                    gzip.decompress(self.read(f"o/{name}"))
                    os.remove(self.folder / "o" / name)
                os.rmdir(self.folder / "o")
            self.assertIn("shard set already",
                          self.run_bad(2, verb, "d", "-o", "s@2.tfrecord",
                                       "--shards", "2").err)


class StaleIndexTest(FolderCase):
    def test_a_replaced_file_loses_its_index(self):
        self.put("in.tfrecord")
        for verb in (["convert", "d", "-o", "d/x.tfrecord"],
                     ["shuffle", "d", "-o", "d/x.tfrecord"],
                     ["gen", "--shape", "floats", "--records", "3", "d/x.tfrecord"]):
            self.write_records("d/x.tfrecord", RECORDS * 9)
            self.run_ok("index", "d/x.tfrecord")
            self.run_ok("index", "--format", "dali", "d/x.tfrecord")
            self.assertIn("x.tfrecord.hri", os.listdir(self.folder / "d"))
            source = "d/in.tfrecord"
            err = self.run_ok(*[source if word == "d" else word
                                for word in verb]).err
            self.assertNotIn("x.tfrecord.hri", os.listdir(self.folder / "d"))
            self.assertIn("d/x.tfrecord.idx is an index of the old content of d/x.tfrecord",
                          err)
            os.remove(self.folder / "d" / "x.tfrecord.idx")
            os.remove(self.folder / "d" / "x.tfrecord")

    def test_what_headrace_did_not_write_stays(self):
        self.put("in.tfrecord")
        self.write("d/x.tfrecord.hri", "mine")
        err = self.run_ok("convert", "d/in.tfrecord", "-o", "d/x.tfrecord").err
        self.assertIn("d/x.tfrecord.hri is an index", err)
        self.assertEqual(self.read("d/x.tfrecord.hri"), b"mine")


class WaitingTest(FolderCase):
    """No name that headrace makes up leads it to wait, or out of the folder."""

    def test_indexes_that_are_pipes(self):
        self.put("a.tfrecord")
        for name in ("d/a.tfrecord.hri", "d/a.tfrecord.idx"):
            os.mkfifo(self.folder / name)
            for verb in (["get", "d/a.tfrecord", "0"],
                         ["index", "d/a.tfrecord"]
                         + (["--format", "dali"] if name.endswith("idx") else [])):
                result = self.run_program(*verb)
                self.assertIn(result.code, (2, 3), (name, verb, result.err))
                self.assertIn("pipe or a device", result.err)
            self.assertEqual(self.count("d"), (2, ""))
            os.remove(self.folder / name)

    def test_specs_that_are_pipes(self):
        self.put("a.tfrecord")
        os.mkfifo(self.folder / "spec")
        for option in ("--spec", "--schema"):
            err = self.run_bad(3, "validate", option, "spec", "d").err
            self.assertIn("spec: io: a pipe into which nobody writes", err)
        read, write = os.pipe()
        os.write(write, b'{"features": [{"name": "a", "kind": "var_len", '
                        b'"dtype": "int64"}]}')
        os.close(write)
        result = self.run_program("validate", "--spec", f"/dev/fd/{read}", "d",
                                  pass_fds=[read])
        os.close(read)
        self.assertEqual(result.code, 0, result.err)

    def test_indexes_are_not_written_through_links_out_of_the_folder(self):
        self.put("a.tfrecord")
        self.write("precious", "mine")
        os.symlink("../precious", self.folder / "d" / "a.tfrecord.hri")
        err = self.run_bad(3, "index", "d/a.tfrecord").err
        self.assertIn("a link to", err)
        self.run_program("convert", "d/a.tfrecord", "-o", "o.arrow", "--write-index")
        self.assertEqual(self.read("precious"), b"mine")
        os.remove(self.folder / "precious")
        self.run_bad(3, "index", "d/a.tfrecord")
        self.assertFalse((self.folder / "precious").exists())
        # A link that stays in the folder is one that its owner made.
        os.remove(self.folder / "d" / "a.tfrecord.hri")
        os.symlink("b.hri", self.folder / "d" / "a.tfrecord.hri")
        self.run_ok("index", "d/a.tfrecord")
        self.assertTrue((self.folder / "d" / "b.hri").exists())


class ValidateFilesTest(FolderCase):
    def test_an_empty_shard_is_noted(self):
        self.put("a.tfrecord")
        self.write("d/b.tfrecord", b"")
        result = self.run_ok("validate", "d")
        self.assertIn("note: d/b.tfrecord has no records, and others have some",
                      result.err)
        os.remove(self.folder / "d" / "a.tfrecord")
        self.assertNotIn("no records", self.run_ok("validate", "d").err)

    def test_a_shard_of_another_schema_is_counted(self):
        self.put("a.tfrecord")
        self.write_records("d/b.tfrecord", [example(a=["x"])] * 100)
        self.write("s.json", '{"features": [{"name": "a", "kind": "fixed_len", '
                             '"dtype": "int64", "shape": []}]}')
        result = self.run_program("validate", "--spec", "s.json", "d",
                                  "--rejects", "bad")
        self.assertEqual(result.code, 1)
        self.assertEqual(len(result.lines), 3, result.out)
        self.assertIn("d/b.tfrecord: record 0 at offset 0: wrong_kind", result.lines[0])
        self.assertEqual(result.lines[1],
                         'd/b.tfrecord: wrong_kind: feature "a": 100 records of this file in all')
        self.assertEqual(result.lines[2], "2 files, 102 records, 100 findings")
        self.assertEqual(len(unframe(self.read("bad"))), 100)
        found = self.run_program("validate", "--spec", "s.json", "--json", "d").json
        self.assertEqual([line.get("records") for line in found], [None, 100, 102])
        self.assertEqual(found[1]["feature"], "a")
        # Without a spec these are notes.
        err = self.run_ok("validate", "d").err
        self.assertEqual(err.count("note: d/b.tfrecord"), 2, err)
        self.assertIn("100 records of this file in all", err)
