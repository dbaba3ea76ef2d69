"""Folders of TFDS as FILE."""

import json
import pathlib
import shutil

from program import CliTest

VECTORS = pathlib.Path(__file__).parents[1] / "vectors/tfds"


class TfdsTest(CliTest):
    def folder_of(self, name):
        """A copy of a folder of the vectors, to change."""
        target = self.folder / name
        if not target.exists():
            shutil.copytree(VECTORS / name, target)
        return f"{name}/1.0.0"

    def change(self, path, old, new):
        file = self.folder / path
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new))

    # ---------------------------------------------------------------- Splits

    def test_all_splits_or_some(self):
        folder = self.folder_of("renamed")
        lines = self.run_ok("cat", folder).json
        self.assertEqual(len(lines), 30)
        for split, rows in [
            ("all", range(30)), ("train", range(23)), ("test", range(23, 30)),
            ("train[5:8]", range(5, 8)), ("train[5:14]", range(5, 14)),
            ("train[1shard]", range(6, 12)), ("train[-2:]", range(21, 23)),
            ("test+train[:1]", [*range(23, 30), 0]), ("train[2:2]", []),
        ]:
            found = self.run_ok("cat", f"{folder}:{split}").json
            self.assertEqual(found, [lines[row] for row in rows], split)
            self.assertEqual(
                self.run_ok("count", f"{folder}:{split}").lines[-1],
                str(len(found)), split)

    def test_bad_splits(self):
        folder = self.folder_of("renamed")
        for split, text in [
            ("trian", "did you mean \"train\"?"),
            ("train[5]", "is one bound"),
            ("train[:99]", "beyond the 23 records"),
            ("", "neither a name"),
        ]:
            for verb in "cat", "count", "head", "schema", "stats", "validate":
                error = self.run_bad(2, verb, f"{folder}:{split}")
                self.assertIn(text, error.err)
        error = self.run_bad(2, "cat", folder, "--range", "0:100")
        self.assertIn("--range", error.err)

    def test_paths_that_exist_win(self):
        folder = self.folder_of("renamed")
        record = self.read(f"{folder}/test/part-00000.tfrecord")
        self.write("x:train", record)
        self.assertEqual(len(self.run_ok("cat", "x:train").lines), 2)
        versions = self.run_ok("cat", "renamed:test").lines
        self.assertEqual(versions, self.run_ok("cat", f"{folder}:test").lines)

    def test_folders_beside_files(self):
        folder = self.folder_of("renamed")
        file = f"{folder}/test/part-00003.tfrecord"
        both = self.run_ok("cat", f"{folder}:train[3:9]", file).lines
        self.assertEqual(
            both, self.run_ok("cat", f"{folder}:train[3:9]").lines
            + self.run_ok("cat", file).lines)

    # ---------------------------------------------------------------- Verbs

    def test_head_shows_a_tree_with_labels(self):
        folder = self.folder_of("labelled")
        out = self.run_ok("head", "-n", "1", f"{folder}:train").out
        self.assertRegex(out, r'(?m)^  label +int64 +1 +\d "(cat|dog|emu)"$')
        self.assertRegex(out, r"(?m)^  inner/$")
        self.assertRegex(out, r"(?m)^    deep/$")
        self.assertRegex(out, r"(?m)^      label +int64 +1 +-1$")
        self.assertRegex(out, r'(?m)^    label +int64 +3 +\[1 "z", -1, -1\]$')

    def test_features_by_path(self):
        folder = self.folder_of("robot")
        out = self.run_ok("cat", f"{folder}:train").json[0]
        wanted = {key for key in out if key.startswith("steps/observation/")}
        for verb in (["head", "--format", "jsonl", "-n", "1"], ["get"]):
            tail = ["0"] if verb == ["get"] else []
            line = self.run_ok(*verb, f"{folder}:train", *tail,
                               "--features", "steps/observation").json[0]
            self.assertLessEqual(set(line), wanted)
            self.assertIn("steps/observation/depth/shape", line)
            error = self.run_bad(2, *verb, f"{folder}:train", *tail,
                                 "--features", "steps/acton")
            self.assertIn("did you mean \"steps/action\"?", error.err)

    def test_get_counts_over_the_split(self):
        folder = self.folder_of("renamed")
        lines = self.run_ok("cat", f"{folder}:test+train").lines
        found = self.run_ok("get", f"{folder}:test+train", "8", "0", "28:").lines
        self.assertEqual(found, [lines[8], lines[0], *lines[28:]])

    def test_schema_is_that_of_the_folder(self):
        folder = self.folder_of("labelled")
        out = self.run_ok("schema", folder).out
        self.assertIn("labelled 1.0.0", out)
        self.assertRegex(out, r"train +10 +1 ")
        self.assertIn("label: ClassLabel int64, 3 classes: cat, dog, emu", out)
        info = self.run_ok("schema", folder, "--json").json[0]
        self.assertEqual(info["labels"]["label"]["names"],
                         ["cat", "dog", "emu"])
        spec = self.run_ok("schema", folder, "--format", "spec").out
        self.write("spec.json", spec)
        names = [f["name"] for f in json.loads(spec)["features"]]
        self.assertIn("objects/tags", names)
        self.run_ok("validate", folder, "--spec", "spec.json")
        counted = self.run_ok("schema", folder, "--sample", "100").out
        self.assertIn("objects/tags/ragged_flat_values", counted)

    def test_stats_name_labels(self):
        folder = self.folder_of("labelled")
        out = self.run_ok("stats", f"{folder}:train").out
        self.assertRegex(out, r'"(cat|dog|emu)" \d+')
        self.assertRegex(out, r"(?m)^inner/ *$")
        self.run_ok("stats", folder, "--features", "inner/*", "--json")

    def test_convert(self):
        folder = self.folder_of("robot")
        self.run_ok("convert", f"{folder}:train", "-o", "a.arrow")
        self.run_ok("convert", f"{folder}:train", "-o", "b.arrow",
                    "--features", "steps/reward,episode_metadata")
        self.assertLess(len(self.read("b.arrow")), len(self.read("a.arrow")))
        self.run_ok("convert", f"{folder}:train[1:3]", "-o", "c.tfrecord")
        self.assertEqual(self.run_ok("cat", "c.tfrecord").lines,
                         self.run_ok("cat", f"{folder}:train[1:3]").lines)
        self.run_ok("convert", f"{folder}:train", "-o", "d.jsonl",
                    "--features", "steps/observation/touches")
        for line in (self.folder / "d.jsonl").read_text().splitlines():
            self.assertLessEqual(set(json.loads(line)), {
                "steps/observation/touches/ragged_flat_values",
                "steps/observation/touches/ragged_row_lengths_0"})

    def test_csv_has_columns_of_the_records(self):
        folder = self.folder_of("renamed")
        self.run_ok("convert", f"{folder}:train[:2]", "-o", "a.csv",
                    "--features", "x")
        self.assertRegex(self.read("a.csv"), rb"^x\r?\n-?\d+\r?\n")

    def test_index(self):
        folder = self.folder_of("renamed")
        lines = self.run_ok("get", f"{folder}:train", "3:20").lines
        self.run_ok("index", f"{folder}:train[:50%]+train")
        indexes = sorted((self.folder / folder).glob("*/*.hri"))
        self.assertEqual([path.parent.name for path in indexes], ["train"] * 4)
        found = self.run_ok("get", f"{folder}:train", "3:20").lines
        self.assertEqual(found, lines)

    def test_nothing_to_count(self):
        folder = self.folder_of("renamed")
        for verb in ["stats"], ["convert", "-o", "x.arrow"]:
            error = self.run_bad(2, *verb, f"{folder}:train[2:2]")
            self.assertIn("the splits have no records", error.err)

    # ---------------------------------------------------------------- Faults

    def test_validate(self):
        for name in ("labelled", "robot", "tensors", "ragged", "optional",
                     "scalars", "pictures", "nested_static", "renamed",
                     "old_features"):
            out = self.run_ok("validate", self.folder_of(name)).out
            self.assertIn("0 findings", out)

    def test_wrong_numbers_of_records(self):
        folder = self.folder_of("labelled")
        for number, found in [("9", "more than 9"), ("11", "10")]:
            self.change(f"{folder}/dataset_info.json", '"10"', f'"{number}"')
            validated = self.run_program("validate", "--json", folder)
            self.assertEqual(validated.code, 1, validated.err)
            finding = validated.json[0]
            self.assertEqual(finding["class"], "wrong_record_count")
            self.assertEqual(finding["found"], found)
            for verb in "cat", "count", "head", "stats":
                count = ["-n", "99"] if verb == "head" else []
                error = self.run_bad(1, verb, *count, folder)
                self.assertIn("wrong_record_count", error.err)
            # It concerns no record and no offset.
            said = self.run_program("validate", folder).out
            self.assertRegex(said, r"[^:]: wrong_record_count: ")
            self.change(f"{folder}/dataset_info.json", f'"{number}"', '"10"')

    def test_steps_that_do_not_agree(self):
        folder = self.folder_of("robot")
        self.change(f"{folder}/features.json", '"discount"', '"discounts"')
        found = self.run_program("validate", f"{folder}:train")
        self.assertEqual(found.code, 1, found.err)
        self.assertIn("wrong_count", found.out)
        self.assertIn("steps/discounts", found.out)

    def test_missing_files(self):
        folder = self.folder_of("renamed")
        (self.folder / folder / "train/part-00001.tfrecord").unlink()
        for verb in "cat", "count", "head", "stats", "validate":
            error = self.run_bad(3, verb, f"{folder}:train")
            self.assertIn("missing; the first is of split \"train\"", error.err)
        self.run_ok("cat", f"{folder}:train[:6]")

    def test_bad_metadata(self):
        folder = self.folder_of("labelled")
        self.change(f"{folder}/features.json", "BBoxFeature", "Own")
        error = self.run_bad(2, "validate", folder)
        self.assertIn("(F2)", error.err)
        self.run_ok("cat", folder)
        self.run_ok("convert", folder, "-o", "x.arrow", "--features", "label")
        self.change(f"{folder}/dataset_info.json",
                    "{DATASET}-{SPLIT}", "../{SPLIT}")
        error = self.run_bad(2, "cat", folder)
        self.assertIn("outside of the folder", error.err)
        self.write(f"{folder}/features.json", "[" * 10000)
        error = self.run_bad(2, "cat", folder)
        self.assertIn("features.json: bad_spec: line 1", error.err)

    def test_links_out_of_the_folder(self):
        folder = self.folder_of("renamed")
        (self.folder / folder / "test").rename(self.folder / "elsewhere")
        (self.folder / folder / "test").symlink_to(self.folder / "elsewhere")
        error = self.run_bad(2, "cat", f"{folder}:test")
        self.assertIn("outside_files", error.err)
        self.assertEqual(len(self.run_ok(
            "cat", f"{folder}:test", "--outside-files").lines), 7)
        self.run_ok("cat", f"{folder}:train")

    def test_configs(self):
        self.folder_of("labelled")
        for config in "de", "en":
            shutil.copytree(self.folder / "labelled/1.0.0",
                            self.folder / "d" / config / "1.0.0")
        error = self.run_bad(2, "cat", "d")
        self.assertIn("\"de\", \"en\"", error.err)
        self.run_ok("cat", "d/en:train")
