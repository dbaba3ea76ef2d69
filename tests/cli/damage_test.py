"""Damaged files: policies, validate, repair."""

import gzip

from program import CliTest, example, sequence
from wire_bytes import frame, unframe

COUNT = 20
PAYLOADS = [example(a=[i], text=[f"record {i}"]) for i in range(COUNT)]
FRAMES = [frame(payload) for payload in PAYLOADS]
STARTS = [sum(map(len, FRAMES[:i])) for i in range(COUNT + 1)]


def flipped(*offsets):
    data = bytearray(b"".join(FRAMES))
    for offset in offsets:
        data[offset] ^= 0x10
    return bytes(data)


def ids(result):
    return [record["a"][0] for record in result.json]


def all_but(*records):
    return [i for i in range(COUNT) if i not in records]


class PolicyTest(CliTest):
    def test_a_flipped_payload(self):
        self.write("x", flipped(STARTS[5] + 14))
        result = self.run_bad(1, "cat", "--quiet", "x")
        self.assertEqual(ids(result), list(range(5)))
        self.assertIn(f"x: record 5 at offset {STARTS[5]}: payload_crc",
                      result.err)
        for policy in ("skip", "rescan"):
            result = self.run_ok("cat", "--on-corrupt", policy, "x")
            self.assertEqual(ids(result), all_but(5))
            self.assertIn(f"skipped x [{STARTS[5]}, {STARTS[6]}): payload_crc",
                          result.err)

    def test_a_flipped_header(self):
        self.write("x", flipped(STARTS[5] + 2))
        for policy in ("fail", "skip"):
            result = self.run_bad(1, "cat", "--quiet", "--on-corrupt", policy,
                                  "x")
            self.assertEqual(ids(result), list(range(5)))
            self.assertIn("header_crc", result.err)
        result = self.run_ok("cat", "--on-corrupt", "rescan", "x")
        self.assertEqual(ids(result), all_but(5))
        self.assertIn(f"[{STARTS[5]}, {STARTS[6]}): header_crc", result.err)

    def test_a_cut_tail(self):
        self.write("x", b"".join(FRAMES)[:STARTS[19] + 20])
        self.run_bad(1, "cat", "x")
        result = self.run_ok("cat", "--on-corrupt", "skip", "x")
        self.assertEqual(ids(result), all_but(19))
        self.assertIn("truncated_payload", result.err)

    def test_payload_crcs_can_be_left_unchecked(self):
        self.write("x", flipped(STARTS[6] - 1))  # only the CRC is wrong
        self.run_bad(1, "cat", "x")
        self.assertEqual(len(self.run_ok("cat", "--no-payload-crc",
                                         "x").lines), COUNT)
        self.write("y", flipped(STARTS[5] + 9))
        self.run_bad(1, "cat", "--no-payload-crc", "y")

    def test_mapped_files(self):
        self.write("x", flipped(STARTS[5] + 14))
        result = self.run_ok("cat", "--mmap", "--on-corrupt", "skip", "x")
        self.assertEqual(ids(result), all_but(5))
        self.assertIn("payload_crc", result.err)

    def test_max_bad(self):
        self.write("x", flipped(STARTS[5] + 14, STARTS[9] + 14))
        self.run_ok("cat", "--on-corrupt", "skip", "--max-bad", "2", "x")
        result = self.run_bad(1, "cat", "--quiet", "--on-corrupt", "skip",
                              "--max-bad", "1", "x")
        self.assertIn("too_many_bad", result.err)
        self.assertEqual(ids(result), [i for i in range(9) if i != 5])
        for to in ("arrow", "csv", "jsonl", "tfrecord"):
            args = ["convert", "x", "-o", "o", "--to", to, "--on-corrupt",
                    "skip", "--max-bad"]
            self.assertIn("too_many_bad", self.run_bad(1, *args, "1").err)
            self.assertEqual(self.names(), ["x"])
            self.run_ok(*args, "2")
            (self.folder / "o").unlink()

    def test_the_list_is_bounded(self):
        self.write("x", b"".join(
            frame(b"\x08\x01")[:-1] + b"\0" for _ in range(1500)))
        result = self.run_ok("cat", "--on-corrupt", "skip", "x")
        lines = result.err.splitlines()
        self.assertEqual(sum(": payload_crc" in line for line in lines), 1000)
        self.assertIn("... and 500 more", result.err)
        self.assertIn("1,500 damaged regions", lines[-1])

    def test_every_verb_takes_the_policies(self):
        self.write("x", flipped(STARTS[5] + 2))
        for args in (["head", "-n", "100"], ["cat"], ["count"], ["schema"],
                     ["convert", "-o", "o.arrow"], ["convert", "-o", "o.jsonl"],
                     ["convert", "-o", "o.csv", "--features", "a"]):
            self.run_bad(1, *args, "x")
            result = self.run_ok(*args, "--on-corrupt", "rescan", "x")
            self.assertIn("1 damaged region", result.err)


class CountTest(CliTest):
    def test_one_bad_file_does_not_end_it(self):
        self.write_records("a", PAYLOADS)
        self.write_records("b", PAYLOADS[:3])
        self.write("bad", flipped(STARTS[5] + 2))
        self.write("cut", b"".join(FRAMES)[:-3])
        result = self.run_bad(1, "count", "a", "bad", "b", "cut")
        self.assertEqual(result.lines, [f"{COUNT}\ta", "3\tb", str(COUNT + 3)])
        self.assertEqual([line.split(":")[1].strip()
                          for line in result.err.splitlines()], ["bad", "cut"])
        result = self.run_bad(1, "count", "--json", "a", "bad", "b")
        (summary,) = result.json
        a, bad, b = summary["files"]
        self.assertEqual(a, {"path": "a", "records": COUNT,
                             "bytes": STARTS[-1], "compression": "none"})
        self.assertEqual(b["records"], 3)
        self.assertEqual(list(bad), ["path", "error"])
        self.assertEqual(
            (bad["error"]["class"], bad["error"]["record"],
             bad["error"]["offset"]), ("header_crc", 5, STARTS[5]))
        self.assertIn("CRC is wrong", bad["error"]["message"])
        self.assertEqual(summary["records"], COUNT + 3)
        self.assertEqual(summary["bytes"], STARTS[-1] + STARTS[3])

    def test_the_worst_decides_the_exit_code(self):
        self.write_records("a", PAYLOADS)
        self.write("bad", flipped(STARTS[5] + 2))
        self.make_socket("socket")
        result = self.run_bad(3, "count", "--json", "bad", "socket", "a")
        self.assertEqual(["error" in file for file in result.json[0]["files"]],
                         [True, True, False])
        self.assertEqual(result.json[0]["records"], COUNT)

    def test_the_only_file_has_no_total(self):
        self.write("bad", flipped(STARTS[5] + 2))
        self.assertEqual(self.run_bad(1, "count", "bad").out, "")
        (summary,) = self.run_bad(1, "count", "--json", "bad").json
        self.assertEqual(summary["records"], 0)

    def test_too_many_bad_ends_it(self):
        self.write("bad", flipped(STARTS[5] + 14, STARTS[9] + 14))
        result = self.run_bad(1, "count", "--verify", "--on-corrupt", "skip",
                              "--max-bad", "1", "bad", "bad")
        self.assertIn("2 damaged regions exceed --max-bad 1; first: bad "
                      f"[{STARTS[5]}, {STARTS[6]}): payload_crc", result.err)


class ValidateTest(CliTest):
    def run_findings(self, *args, stdin=None):
        """Findings are the result, and no error."""
        result = self.run_program(*args, stdin=stdin)
        self.assertEqual((result.code, result.err), (1, ""))
        return result

    def test_the_message_has_one_name(self):
        self.write_records("x", [sequence({"k": [[1]]})])
        for name in ("auto", "sequence", "sequence_example"):
            *_, summary = self.run_ok("validate", "--json", "x", "--message",
                                      name).json
            self.assertEqual(summary["message"], "sequence_example")
        (census,) = self.run_ok("schema", "--json", "x").json
        self.assertEqual(census["message"], "sequence_example")

    def test_a_good_file(self):
        self.write_records("x", PAYLOADS)
        result = self.run_ok("validate", "x", "x")
        self.assertEqual(result.out, "2 files, 40 records, 0 findings\n")
        (summary,) = self.run_ok("validate", "--json", "x").json
        self.assertEqual(summary, {
            "files": 1, "message": "example", "records": COUNT,
            "bytes": STARTS[-1], "findings": 0, "notes": 0})

    def test_all_findings_are_listed(self):
        data = (flipped(STARTS[5] + 14, STARTS[9] + 2) + frame(b"\xff\xff") +
                FRAMES[0])
        self.write("x", data[:-3])
        result = self.run_findings("validate", "--json", "x")
        *findings, summary = result.json
        self.assertEqual(
            [(f["record"], f["offset"], f.get("end"), f["class"])
             for f in findings],
            [(5, STARTS[5], STARTS[6], "payload_crc"),
             (9, STARTS[9], STARTS[10], "header_crc"),
             (19, STARTS[20], None, "malformed"),
             (20, STARTS[20] + 18, len(data) - 3, "truncated_footer")])
        for finding in findings:
            self.assertEqual(finding["file"], "x")
            self.assertTrue(finding["message"])
        self.assertEqual(summary["findings"], 4)
        self.assertEqual(summary["records"], COUNT - 2 + 1)
        lines = self.run_findings("validate", "x").lines
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[0].startswith(
            f"x: record 5 [{STARTS[5]}, {STARTS[6]}): payload_crc: "), lines[0])
        self.assertIn("4 findings", lines[-1])

    def test_rejects_are_the_malformed_payloads(self):
        bad = [b"\xff\xff", b"\x0a\x05", b"\x0a\x02\x08"]
        self.write_records("x", [PAYLOADS[0], bad[0], PAYLOADS[1], *bad[1:]])
        self.run_findings("validate", "--rejects", "r", "x")
        self.assertEqual(unframe(self.read("r")), bad)
        self.run_ok("validate", "--message", "raw", "x")
        self.write_records("good", PAYLOADS)
        self.run_ok("validate", "--rejects", "none", "good")
        self.assertEqual(self.read("none"), b"")
        self.run_bad(2, "validate", "--rejects", "x", "x")
        self.run_bad(2, "validate", "--rejects", "-", "x")
        self.run_bad(3, "validate", "--rejects", "no/such/folder", "x")

    def test_many_records_by_the_block(self):
        records = [example(a=[i, i], b="text" * 20, c=[0.5] * 9)
                   for i in range(3000)]
        for i in range(100, 3000, 300):
            records[i] = b"\xff"
            records[i + 1] = example(a=["another kind"])
            records[i + 2] = example(a=[i], new=[i])
        data = bytearray(b"".join(map(frame, records)))
        data[len(data) // 2] ^= 1
        self.write("x", data)
        self.write_records("y", records)
        result = self.run_findings_and_notes("validate", "--json", "--rejects",
                                             "r", "x", "y")
        found = [f for f in result.json[:-1] if f["file"] == "y"]
        # Three are examples of all that the file has.
        self.assertEqual([f.get("record") for f in found], [100, 400, 700, None])
        self.assertEqual(found[-1]["records"], 10)
        self.assertEqual(result.json[-1]["notes"], 20)
        self.assertEqual(unframe(self.read("r")), [b"\xff"] * 20)

    def run_findings_and_notes(self, *args):
        result = self.run_program(*args)
        self.assertEqual(result.code, 1, result.err)
        return result

    def test_kind_conflicts_are_notes(self):
        self.write_records("x", [example(a=[1]), example(a=[0.5])] * 30)
        result = self.run_ok("validate", "x")
        self.assertIn("0 findings", result.out)
        self.assertIn("note: x: record 1 ", result.err)
        self.assertLess(len(result.err.splitlines()), 25)
        self.assertEqual(self.run_ok("validate", "--json", "x").json[-1]
                         ["notes"], 30)

    def test_a_cut_compressed_file(self):
        stored = gzip.compress(b"".join(FRAMES))
        self.write("cut.gz", stored[:-4])
        result = self.run_findings("validate", "--json", "cut.gz")
        self.assertEqual([f["class"] for f in result.json[:-1]],
                         ["decompress"])
        self.assertEqual(result.json[-1]["records"], COUNT)

    def test_the_other_files_are_checked_too(self):
        self.make_socket("socket")
        self.write("text", "this is plain text and nothing else\n")
        self.write("x", flipped(STARTS[5] + 14))
        result = self.run_bad(3, "validate", "--json", "socket", "text", "x")
        self.assertEqual([f["file"] for f in result.json[:-1]], ["text", "x"])
        self.assertIn("socket", result.err)

    def test_findings_of_the_first_records_stay_in_order(self):
        # These are read ahead to find out what the records are.
        self.write("x", frame(b"\xff") + flipped(STARTS[0] + 14) +
                   frame(b"\xff"))
        result = self.run_findings("validate", "--json", "x")
        self.assertEqual([f["class"] for f in result.json[:-1]],
                         ["malformed", "payload_crc", "malformed"])

    def test_standard_input(self):
        self.assertEqual(self.run_findings("validate", "--json", "-",
                                           stdin=flipped(3)).json[0]["file"],
                         "<stdin>")


class RepairTest(CliTest):
    def test_what_is_damaged_is_dropped_and_reported(self):
        self.write("x", flipped(STARTS[5] + 14, STARTS[9] + 2)[:-5])
        self.run_bad(1, "convert", "x", "-o", "y.tfrecord")
        self.assertEqual(self.names(), ["x"])
        result = self.run_ok("convert", "x", "-o", "y.tfrecord", "--repair")
        self.assertEqual(unframe(self.read("y.tfrecord")),
                         [PAYLOADS[i] for i in all_but(5, 9, 19)])
        for place in (f"[{STARTS[5]}, {STARTS[6]}): payload_crc",
                      f"[{STARTS[9]}, {STARTS[10]}): header_crc",
                      f"[{STARTS[19]}, {STARTS[20] - 5}): truncated_payload"):
            self.assertIn(place, result.err)
        self.run_ok("validate", "y.tfrecord")
        self.run_bad(1, "convert", "x", "-o", "z.tfrecord", "--repair",
                     "--max-bad", "2")

    def test_the_rest_of_a_cut_compressed_file_is_dropped(self):
        stored = gzip.compress(b"".join(FRAMES), mtime=0)
        self.write("cut.gz", stored[:len(stored) * 2 // 3])
        self.write_records("next", PAYLOADS[:2])
        self.run_bad(1, "convert", "cut.gz", "next", "-o", "y.tfrecord")
        result = self.run_ok("convert", "cut.gz", "next", "-o", "y.tfrecord",
                             "--repair")
        payloads = unframe(self.read("y.tfrecord"))
        self.assertEqual(payloads[-2:], PAYLOADS[:2])
        kept = payloads[:-2]
        self.assertGreater(len(kept), 0)
        self.assertEqual(kept, PAYLOADS[:len(kept)])
        self.assertIn(f"cut.gz [{STARTS[len(kept)]}, end of file): decompress",
                      result.err)
        self.run_bad(1, "convert", "cut.gz", "-o", "z.tfrecord", "--repair",
                     "--max-bad", "0")

    def test_malformed_messages_are_dropped_on_request_only(self):
        self.write_records("x", [PAYLOADS[0], b"\xff", PAYLOADS[1]])
        self.run_ok("convert", "x", "-o", "y.tfrecord", "--repair")
        self.assertEqual(self.read("y.tfrecord"), self.read("x"))
        self.run_ok("convert", "x", "-o", "y.tfrecord", "--repair",
                    "--on-row-error", "skip")
        self.assertEqual(unframe(self.read("y.tfrecord")), PAYLOADS[:2])
