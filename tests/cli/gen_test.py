"""gen: sample data."""

import gzip
import hashlib
import json

from program import CliTest
from wire_bytes import unframe

# SHA-256 of 20 records of seed 0: the same on every machine, in every version.
DIGESTS = {
    "people": "01c5b5eb0dc2cd29",
    "movie": "f015fae59e0e9331",
    "floats": "d0b7416933c61531",
    "ids": "67d14839d1a79b9d",
    "hashes": "ed27491eb292815f",
    "blobs": "2a0e7ce041219044",
    "criteo": "606a42271191e9f7",
    "scalars": "f1a38a0c73c33e18",
    "ragged": "ee0d8f249d94fd87",
    "sequence": "4752a2f99a138fb0",
    "elwc": "d3f8c381dcdd395c",
}


# The same of the folder of 5 episodes in 2 files, over its files in order.
FOLDER_DIGEST = "d4aaa4e9693d597a"


class GenTest(CliTest):
    def gen(self, shape, *args, name="x", records=20):
        self.run_ok("gen", "--shape", shape, "--records", records, "-o", name,
                    *args)
        return self.read(name)

    def records(self, name):
        return self.run_ok("cat", "--quiet", name).json

    def test_a_seed_gives_the_same_bytes_everywhere(self):
        found = {shape: hashlib.sha256(self.gen(shape)).hexdigest()[:16]
                 for shape in DIGESTS}
        self.assertEqual(found, DIGESTS)

    def test_all_shapes_are_distinct_valid_records(self):
        for shape in DIGESTS:
            payloads = unframe(self.gen(shape))
            self.assertEqual(len(set(payloads)), 20, shape)
            message = ["--message", "elwc"] if shape == "elwc" else []
            self.run_ok("validate", *message, "x")
            self.run_ok("schema", *message, "x")

    def test_records_depend_on_seed_and_number_alone(self):
        short = self.gen("people", records=5)
        self.assertTrue(self.gen("people").startswith(short))
        self.assertFalse(self.gen("people", "--seed", "1").startswith(short))

    def test_people_have_all_that_is_special(self):
        self.gen("people", records=300)
        people = self.records("x")
        self.assertEqual([p["id"] for p in people], [[i] for i in range(300)])
        for key in ("age", "tags"):
            missing = sum(key not in p for p in people)
            self.assertTrue(0 < missing < 100, key)
        self.assertTrue(any(p["score"] is None for p in people))
        self.assertIn({"float": []}, [p["score"] for p in people])
        self.assertIn({"bytes": []}, [p.get("tags") for p in people])
        self.assertFalse(all(p["name"][0].isascii() for p in people))

    def test_keys_can_be_shuffled(self):
        sorted_payloads = unframe(self.gen("criteo"))
        shuffled = unframe(self.gen("criteo", "--shuffle-keys"))
        self.assertNotEqual(sorted_payloads, shuffled)
        self.assertEqual([len(p) for p in sorted_payloads],
                         [len(p) for p in shuffled])
        messages = self.records("x")
        self.gen("criteo")
        self.assertEqual(messages, self.records("x"))

    def test_compression(self):
        plain = self.gen("people", name="plain")
        for name, args in {"x.gz": [], "x.zst": [], "x.zz": [],
                           "y": ["--compression", "snappy"]}.items():
            self.assertNotEqual(self.gen("people", *args, name=name), plain)
            (count,) = self.run_ok("count", "--json", name).json
            self.assertEqual(count["bytes"], len(plain))
            self.assertNotEqual(count["files"][0]["compression"], "none")
        self.assertEqual(self.gen("people", "--compression", "none",
                                  name="z.gz"), plain)

    def test_levels_and_blocks(self):
        plain = self.gen("criteo", records=2000)
        sizes = {}
        for name in ("x.gz", "x.zz", "x.zst"):
            for level in (1, 9):
                stored = self.gen("criteo", "--level", level, name=name,
                                  records=2000)
                self.run_ok("convert", name, "-o", "y.tfrecord", "--quiet")
                self.assertEqual(self.read("y.tfrecord"), plain)
                sizes[name, level] = len(stored)
            self.assertLess(sizes[name, 9], sizes[name, 1], name)
        whole = self.gen("criteo", name="x.gz", records=2000)
        blocks = self.gen("criteo", "--block-size", "64K", name="x.gz",
                          records=2000)
        self.assertGreater(blocks.count(b"\xff\x10\x00HR\x0c\x00"),
                           4 * whole.count(b"\xff\x10\x00HR\x0c\x00"))
        self.assertEqual(gzip.decompress(blocks), plain)
        for threads in (0, 3):
            self.assertEqual(
                self.gen("criteo", "--block-size", "64K", "--threads", threads,
                         name="x.gz", records=2000), blocks)

    def test_levels_and_blocks_that_cannot_be(self):
        for name, option, value, words in (
                ("x.gz", "--level", 10, "gzip has levels 1 to 9, not 10"),
                ("x.gz", "--level", "six", "a level"),
                ("x.gz", "--level", -1, "a level"),
                ("x", "--level", 1, "the compression is none"),
                ("x.gz", "--block-size", "4095", "4 KiB to 1 GiB, not 4095"),
                ("x.gz", "--block-size", "1.5", "bytes"),
                ("x.gz", "--block-size", "2G", "4 KiB to 1 GiB")):
            result = self.run_program("gen", "--shape", "people", "-o", name,
                                      option, value)
            self.assertEqual(result.code, 2, (option, value, result.err))
            self.assertIn(words, result.err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_name_is_enough(self):
        plain = self.gen("people", records=1000)
        self.run_ok("gen", "y")
        self.assertEqual(self.read("y"), plain)
        shapes = self.run_ok("gen", "--shapes").lines
        self.assertEqual([line.split()[0] for line in shapes],
                         [*DIGESTS, "robot"])
        result = self.run_bad(2, "gen", "y", "--shape", "peple")
        self.assertIn('did you mean "people"?', result.err)

    def test_output(self):
        plain = self.gen("people")
        result = self.run_ok("gen", "--shape", "people", "--records", "20",
                             "-o", "-")
        self.assertEqual(result.bytes, plain)
        result = self.run_ok("gen", "--shape", "people", "--json", "-o", "x")
        self.assertEqual(json.loads(result.out), {
            "path": "x", "records": 1000, "bytes": len(self.read("x"))})
        self.run_ok("gen", "--shape", "people", "--records", "0", "-o", "x")
        self.assertEqual(self.read("x"), b"")
        self.run_bad(2, "gen", "--shape", "people", "--json", "-o", "-")
        self.run_bad(3, "gen", "--shape", "people", "-o", "no/such/folder")
        self.assertEqual(self.names(), ["x"])

    def gen_robot(self, *args, name="robot/1.0.0", records=5):
        self.run_ok("gen", "--shape", "robot", "--records", records, "-o", name,
                    *args)
        return {path.name: path.read_bytes()
                for path in sorted((self.folder / name).iterdir())}

    def test_a_folder_is_the_same_everywhere(self):
        files = self.gen_robot("--shards", 2)
        self.assertEqual(list(files), [
            "dataset_info.json", "features.json",
            "robot-train.tfrecord-00000-of-00002",
            "robot-train.tfrecord-00001-of-00002"])
        digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:16]
        self.assertEqual(digest, FOLDER_DIGEST)
        other = self.gen_robot("--shards", 2, "--seed", 1, name="other")
        self.assertEqual(other["features.json"], files["features.json"])
        self.assertNotEqual(other["robot-train.tfrecord-00000-of-00002"],
                            files["robot-train.tfrecord-00000-of-00002"])

    def test_what_a_folder_says_of_its_files(self):
        for records, shards in ((5, 2), (3, 4), (0, 1)):
            name = f"x-{records}"
            files = self.gen_robot("--shards", shards, name=name,
                                   records=records)
            (split,) = json.loads(files["dataset_info.json"])["splits"]
            self.assertEqual(split["name"], "train")
            payloads = [unframe(data) for name, data in files.items()
                        if "tfrecord" in name]
            self.assertEqual(split["shardLengths"],
                             [str(len(part)) for part in payloads])
            self.assertEqual(int(split["numBytes"]),
                             sum(len(p) for part in payloads for p in part))
            self.assertEqual(len(payloads), shards)
            self.assertEqual(sum(map(len, payloads)), records)

    def test_episodes(self):
        files = self.gen_robot("--shards", 1, records=20)
        self.write("x", files["robot-train.tfrecord-00000-of-00001"])
        ends = set()
        for i, episode in enumerate(self.records("x")):
            steps = len(episode["steps/observation/image"])
            self.assertTrue(20 <= steps <= 60)
            self.assertEqual(episode["episode_metadata/episode_id"], [i])
            for name, count in (("action", 7), ("observation/state", 7),
                                ("reward", 1), ("discount", 1), ("is_first", 1),
                                ("is_last", 1), ("is_terminal", 1),
                                ("language_instruction", 1)):
                self.assertEqual(len(episode[f"steps/{name}"]), steps * count)
            self.assertEqual(episode["steps/is_first"], [1] + [0] * (steps - 1))
            self.assertEqual(episode["steps/is_last"], [0] * (steps - 1) + [1])
            self.assertEqual(episode["steps/reward"],
                             list(map(float, episode["steps/is_terminal"])))
            self.assertEqual(sum(episode["steps/is_terminal"][:-1]), 0)
            ends.add(episode["steps/is_terminal"][-1])
            states, actions = (
                [[round(1024 * value) for value in values[7 * k:7 * k + 7]]
                 for k in range(steps)]
                for values in (episode["steps/observation/state"],
                               episode["steps/action"]))
            for k in range(steps - 1):
                self.assertEqual(
                    [s + a for s, a in zip(states[k], actions[k])], states[k + 1])
        self.assertEqual(ends, {0, 1})

    def test_folders_that_cannot_be(self):
        self.gen_robot(name="full", records=1)
        for args, code, words in (
                (["-o", "full"], 2, "full: holds files already"),
                (["-o", "-"], 2, "name one, such as robot/1.0.0"),
                (["-o", "x", "--compression", "gzip"], 2, "not compressed"),
                (["-o", "x", "--level", "3"], 2, "not compressed"),
                (["-o", "full/features.json/x"], 3, "cannot be made a folder"),
                (["-o", "x", "--shards", "100000"], 2, "at most 512")):
            result = self.run_program("gen", "--shape", "robot", *args)
            self.assertEqual(result.code, code, (args, result.err))
            self.assertIn(words, result.err)
        result = self.run_program("gen", "x", "--shards", "2")
        self.assertEqual(result.code, 2)
        self.assertIn("--shards is for a shape that is a folder", result.err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["full"])
