"""A program built with -Dstats=false -Dtfds=false says what it leaves out."""

import os

from program import CliTest

STATS = "this build of headrace leaves out statistics (-Dstats=false)"
TFDS = ("this build of headrace leaves out folders of TensorFlow Datasets "
        "(-Dtfds=false)")


class LeavesTest(CliTest):

    def test_statistics(self):
        self.run_ok("gen", "--records", "5", "a.tfrecord")
        for arguments in (["stats", "a.tfrecord", "--json"],
                          ["schema", "--format", "pbtxt", "--domains",
                           "a.tfrecord"]):
            error = self.run_bad(2, *arguments)
            self.assertIn(STATS, error.err)
        self.assertNotIn("stats", self.run_ok("--help").out)

    def test_folders(self):
        os.mkdir(self.folder / "mnist")
        self.write("mnist/dataset_info.json", b"{}")
        for argument in "mnist", "mnist:train":
            for verb in "count", "head", "cat", "schema", "validate":
                self.assertIn(TFDS, self.run_bad(2, verb, argument).err)

    def test_the_rest_works(self):
        self.run_ok("gen", "--records", "5", "a.tfrecord")
        self.assertEqual(self.run_ok("count", "a.tfrecord").out, "5\n")
        self.assertIn("age", self.run_ok("schema", "a.tfrecord").out)
        self.assertIn("feature {", self.run_ok(
            "schema", "--format", "pbtxt", "a.tfrecord").out)
