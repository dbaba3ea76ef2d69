"""Points of the performance history are checked, drawn and made; none is measured."""

import contextlib
import copy
import io
import json
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import charts
import pages
import points
import record
import tables

MACHINE = {"cpu": "Some CPU", "family": "6.85", "cores": 2, "virtual": False,
           "memory_gib": 16, "governor": None, "kernel": "6.1"}
SECONDS = {"headrace": [0.5, 0.25, 0.5], "libprotobuf": [4.0, 4.0, 4.0]}


def case(name="ids", mib=4, sides=SECONDS):
    return {"shape": name, "file_bytes": mib << 20, "batch_size": 256, "records": 10,
            "features": 100, "clock_ghz": 3.0, "cpu_share": 1.0, "sides": sides}


def compared(sides):
    """The comparison of one shape: medians of the other readers, or their trouble."""
    own = dict.fromkeys(points.compare_table.OWN, 2.0)
    return {"batch": 256, "shapes": [{
        "shape": "ids", "records": 256, "bytes": 8_000_000, "sides": {
            name: seconds if isinstance(seconds, str) else
            {"version": "peer 1.0", "cpu_share": 1.0, "passes": 3,
             "seconds": dict.fromkeys(("median", "min", "max"), seconds)}
            for name, seconds in {**own, **sides}.items()}}]}


def point(day=1, **changes):
    """What the file of a commit of some day holds."""
    return {"schema": 1, "date": f"2030-01-{day:02}", "commit": f"{day:x}".rjust(40, "0"),
            "commit_date": f"2030-01-{day:02}T00:00:00Z", "dirty": False, "load": [],
            "flags": "buildtype=release", "machine": MACHINE,
            "decode": {"headrace": "1.0", "compiler": "gcc 12", "target": "AVX2",
                       "crc": "table", "protobuf": "3.21", "shapes": [case()]},
            "compare": None, **changes}


def with_decode(**changes):
    return {"decode": {**point()["decode"], **changes}}


class FormTest(unittest.TestCase):

    def finding(self, *path, value=None, without=False):
        """What is found when a field deep in a point has another value, or none."""
        content = copy.deepcopy(point(compare=compared({"DALI": 4.0})))
        holder = content
        for key in path[:-1]:
            holder = holder[key]
        if without:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value
        return points.content_finding(content)

    def test_good(self):
        self.assertIsNone(points.content_finding(point()))
        self.assertIsNone(points.content_finding(
            point(compare=compared({"DALI": "not installed", "tfx_bsl": 1.0}))))

    def test_other_schemas(self):
        self.assertEqual(self.finding("schema", value=2),
                         "schema is 2; this version reads 1")
        self.assertEqual(self.finding("schema", without=True), "schema is missing")
        self.assertEqual(points.content_finding([]), "schema is missing")

    def test_fields(self):
        self.assertEqual(self.finding("machine", "cpu", without=True),
                         "machine.cpu is missing")
        self.assertEqual(self.finding("machine", "host", value="x"),
                         "machine.host is not a field")
        self.assertEqual(self.finding("decode", "shapes", 0, "sides", without=True),
                         "decode.shapes[0].sides is missing")
        self.assertEqual(self.finding("machine", "cores", value=True),
                         "machine.cores is True, not of type int")
        self.assertEqual(self.finding("load", value="busy"), "load is not a list")
        self.assertEqual(self.finding("machine", value=[]), "machine is not an object")
        self.assertEqual(self.finding("flags", value="-I/home/me"),
                         "flags is '-I/home/me', which may be a path")

    def test_numbers(self):
        for value in 0, -1.0, float("nan"), float("inf"), "1", True:
            with self.subTest(value=value):
                self.assertIn("not a number above 0",
                              self.finding("decode", "shapes", 0, "clock_ghz",
                                           value=value))

    def test_values(self):
        self.assertIn("not a date", self.finding("date", value="2030-02-30"))
        self.assertIn("not a date", self.finding("commit_date", value="2030-01-01"))
        self.assertIn("40 hexadecimal", self.finding("commit", value="main"))
        self.assertEqual(self.finding("decode", "shapes", value=[]),
                         "decode.shapes is empty")
        self.assertIn("twice", self.finding("decode", "shapes", value=[case(), case()]))
        for sides in {"a": [1.0], "b": [1.0, 2.0]}, {"a": []}, {}:
            self.assertIn("rounds", self.finding("decode", "shapes", 0, "sides",
                                                 value=sides))
        self.assertIn("none, or one twice", self.finding("compare", "shapes", value=[]))
        self.assertIn("has no times of headrace, columns",
                      self.finding("compare", "shapes", 0, "sides",
                                   "headrace, columns", value="fails"))


class TreeTest(unittest.TestCase):
    """A tree with the pages and some points."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / points.FOLDER).mkdir(parents=True)
        for path, blocks in pages.PAGES.items():
            (self.root / path).parent.mkdir(exist_ok=True)
            (self.root / path).write_text("# Page\n" + "".join(
                f"<!-- history: {name} -->\n<!-- end of history -->\n\nBy hand.\n"
                for name in blocks))

    def add(self, content, name=None):
        path = self.root / points.FOLDER / (name or points.name_of(content))
        path.write_text(json.dumps(content))

    def written(self, path):
        pages.write(self.root)
        return (self.root / path).read_text()

    def test_no_points(self):
        self.assertIn("No point has been recorded yet.",
                      self.written("docs/performance-history.md"))
        text = self.written("docs/performance.md")
        self.assertEqual(text.count("has no such figures yet"), 2)
        self.assertEqual(text.count("By hand."), 2)
        self.assertEqual(pages.write(self.root), [])
        self.assertFalse((self.root / pages.COMPARED).exists())

    def test_tables(self):
        self.add(point(compare=compared({
            "tf.data, parse_example": 6.0, "tf.data, parse_example_dataset": 5.0,
            "tfx_bsl, records of tf.data": "not installed", "DALI (no CRC)": "fails",
            "Parquet, plain": 1.0})))
        text = self.written("docs/performance.md")
        self.assertIn("Commit `000000000000`, measured on 2030-01-01: Some CPU", text)
        self.assertIn("| ids | 0.01 | - | - | 0.001 | 8.00 (8.00..16.00) | - |", text)
        self.assertIn("| shape | headrace | TensorFlow | Parquet, plain |\n"
                      "|---|---|---|---|\n| ids | 4 | 2.50 | 0.50 |\n", text)
        self.assertIn("| ids |\n|---|\n| 2.50 |\n", text)
        self.assertIn("<title>TensorFlow: 2 MB/s</title>",
                      (self.root / pages.COMPARED).read_text())

    def test_only_good_points_are_in_tables(self):
        self.add(point(1, date="2030-02-01", **with_decode(compiler="gcc 1")))
        self.add(point(2, load=["busy"], **with_decode(compiler="gcc 2")))
        self.add(point(3, dirty=True, **with_decode(compiler="gcc 3")))
        text = self.written("docs/performance.md")
        self.assertIn("gcc 1,", text)
        self.assertNotRegex(text, "gcc [23],")
        history = self.written("docs/performance-history.md")
        self.assertIn("| gcc 2 | AVX2 | 3.21 | busy: busy; no other readers |", history)
        self.assertIn("| uncommitted changes; no other readers |", history)

    def test_no_good_point(self):
        self.add(point(load=["busy"]))
        self.assertIn("on a busy machine or with uncommitted changes",
                      self.written("docs/performance.md"))

    def lines(self, *contents):
        """How many lines each chart of these points has."""
        for content in contents:
            self.add(content)
        pages.write(self.root)
        return {path.name: (path.read_text().count("<polyline"),
                            path.read_text().count("<circle cx"))
                for path in (self.root / pages.CHARTS).glob("*.svg")}

    def test_a_line_joins_equal_points(self):
        self.assertEqual(self.lines(point(1), point(2), point(3)),
                         {"some-cpu-6-85-2c-memory.svg": (1, 4)})

    def test_no_line_joins_machines(self):
        other = {**MACHINE, "cores": 4}
        self.assertEqual(
            self.lines(point(1), point(2, machine=other), point(3),
                       point(4, machine=other)),
            {"some-cpu-6-85-2c-memory.svg": (1, 3),
             "some-cpu-6-85-4c-memory.svg": (1, 3)})

    def test_no_line_joins_set_ups_or_bad_points(self):
        for change in [with_decode(compiler="gcc 13"), with_decode(target="SSE4"),
                       with_decode(protobuf="6"), {"flags": "b_lto=True"},
                       {"machine": {**MACHINE, "governor": "powersave"}},
                       {"load": ["busy"]}, {"dirty": True}]:
            with self.subTest(change=change):
                self.assertEqual(self.lines(point(1), point(2, **change)),
                                 {"some-cpu-6-85-2c-memory.svg": (0, 3)})

    def test_files_of_other_machines_are_refused(self):
        self.add(point(machine={**MACHINE, "cores": 4}), points.name_of(point()))
        with self.assertRaisesRegex(points.HistoryError,
                                    "some-cpu-6-85-2c.json: holds what .*-4c.json"):
            pages.write(self.root)

    def test_errors_name_the_file(self):
        (self.root / points.FOLDER / "a.json").write_text("{")
        with self.assertRaisesRegex(points.HistoryError, "^bench/history/a.json: Exp"):
            pages.outputs(self.root)
        self.add(point(schema=7), "a.json")
        with self.assertRaisesRegex(points.HistoryError, "a.json: schema is 7"):
            pages.outputs(self.root)

    def test_pages_without_their_parts(self):
        page = self.root / "docs/performance.md"
        whole = page.read_text()
        for text in ["", whole.replace("history: compare", "history: other"),
                     whole.replace("<!-- end of history -->", "", 1), whole + whole]:
            page.write_text(text)
            with self.assertRaisesRegex(points.HistoryError, "docs/performance.md: has"):
                pages.outputs(self.root)

    def test_charts_of_no_point_go(self):
        stray = self.root / pages.CHARTS / "x-memory.svg"
        self.add(point())
        pages.write(self.root)
        stray.write_text("<svg/>")
        self.assertEqual(pages.write(self.root), [stray.relative_to(self.root)])
        self.assertFalse(stray.exists())


class ChartTest(unittest.TestCase):

    def test_round_up(self):
        for value, wanted in [(1, 1), (1.01, 2), (2.3, 2.5), (55, 80), (81, 100),
                              (0.75, 0.8), (0.3, 0.4)]:
            self.assertAlmostEqual(charts.round_up(value), wanted)

    def test_texts_are_escaped(self):
        mark = charts.Mark(0, 1, 1, 1, None, "<a&b>")
        svg = charts.over_time("t", {"<p>": {"s": [mark]}}, ["c"])
        self.assertIn("&lt;a&amp;b&gt;", svg)
        self.assertNotIn("<p>", svg)

    def test_as_many_series_as_colours(self):
        series = {str(i): [charts.Mark(0, 1, 1, 1, None, "")] for i in range(4)}
        with self.assertRaises(ValueError):
            charts.over_time("t", {"p": series}, ["c"])


class RecordTest(unittest.TestCase):

    def stopped(self, call, *arguments):
        with self.assertRaises(SystemExit) as stop:
            call(*arguments)
        return str(stop.exception)

    def test_machines(self):
        memory = "MemTotal:       16000000 kB\n"
        x86 = ("processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: A/B CPU\n"
               "flags\t\t: fpu hypervisor\n\nprocessor\t: 1\nmodel\t\t: 3\n")
        facts = record.machine_facts(x86, "performance", memory)
        self.assertEqual({**facts, "cores": 2, "kernel": "6.1"},
                         {"cpu": "A B CPU", "family": "26.2", "cores": 2,
                          "virtual": True, "memory_gib": 15, "kernel": "6.1",
                          "governor": "performance"})
        arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"
        facts = record.machine_facts(arm, None, memory)
        self.assertEqual((facts["family"], facts["virtual"]), ("0x41.0xd0c", False))
        self.assertIsNone(points.content_finding(point(machine=facts)))
        self.assertEqual(points.slug_of({**MACHINE, "cpu": "Intel(R) Xeon(R) @ 2GHz",
                                         "virtual": True}),
                         "intel-xeon-2ghz-6-85-2c-vm")

    def test_load(self):
        decode = {"shapes": [case(), {**case(), "cpu_share": 0.62}]}
        self.assertEqual(record.load_reasons(0, {"shapes": [case()]}, None), [])
        self.assertEqual(record.load_reasons(1.25, decode, None),
                         ["1.2 cores were in use before",
                          "bench_decode had 62% of a core"])
        compare = compared({"DALI": 1.0, "tf.data": "fails"})
        self.assertEqual(record.load_reasons(0, {"shapes": [case()]}, compare), [])
        compare["shapes"][0]["sides"]["DALI"]["cpu_share"] = 0.8
        self.assertEqual(record.load_reasons(0, {"shapes": [case()]}, compare),
                         ["a reader had 80% of the core"])

    def test_only_what_was_measured_is_kept(self):
        shape = {**case(), "sides": {name: {"seconds": seconds, "gb_per_s": {}}
                                     for name, seconds in SECONDS.items()}}
        decode = {**point()["decode"], "shapes": [shape]}
        self.assertEqual(record.short_decode(decode), point()["decode"])
        self.assertEqual(record.short_side({"status": "not installed: nvidia"}),
                         "not installed")
        self.assertEqual(record.short_side({"status": "fails: in /tmp/x"}), "fails")
        self.assertEqual(
            record.short_side({"status": "ok", "seconds": [3, 1, 2.00000001],
                               "version": "v", "cpu_share": 1, "mb_per_s": {}}),
            {"version": "v", "cpu_share": 1, "passes": 3,
             "seconds": {"median": 2, "min": 1, "max": 3}})

    def test_text(self):
        content = point(compare=compared({"DALI": 1.0}))
        text = record.text_of(content)
        self.assertEqual(json.loads(text), content)
        self.assertIn('"libprotobuf": [4.0, 4.0, 4.0]\n', text)

    def test_nothing_but_points_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "new" / "a.json"
            self.assertIn("not a point: flags is",
                          self.stopped(record.write, point(flags="-I/x"), path))
            self.assertFalse(path.exists())
            record.write(point(), path)
            self.assertEqual(json.loads(path.read_text()), point())

    def test_uncommitted_changes(self):
        answers = {"show": "a" * 40 + " 2030-01-01T01:00:00+02:00\n",
                   "status": " M src/a.cc\n"}
        with mock.patch.object(record, "output_of",
                               lambda git, verb, *rest: answers[verb]):
            self.assertRegex(self.stopped(record.git_facts, False),
                             r"(?s)uncommitted.*--allow-dirty.* M src/a.cc$")
            self.assertEqual(record.git_facts(True),
                             {"commit": "a" * 40, "dirty": True,
                              "commit_date": "2029-12-31T23:00:00Z"})
            answers["status"] = ""
            self.assertFalse(record.git_facts(False)["dirty"])

    def test_other_builds(self):
        options = {"buildtype": "debug", "b_sanitize": "none", "optimization": "3",
                   "b_lto": False, "b_ndebug": "true", "cpp_args": ["-mavx2"]}
        with mock.patch.object(record, "output_of", lambda *_: json.dumps(
                [{"name": name, "value": value} for name, value in options.items()])):
            self.assertIn("has buildtype=debug; points are of release",
                          self.stopped(record.flags_of, "build"))
            options["buildtype"] = "release"
            self.assertEqual(
                record.flags_of("build"), "buildtype=release optimization=3 "
                "b_lto=False b_ndebug=true -mavx2")

    def test_missing_readers(self):
        def tried(**peers):
            own = [{"name": name, "status": "ok", "seconds": [1]}
                   for name in points.compare_table.OWN]
            sides = own + [{"name": name, "status": status, "seconds": [1]}
                           for name, status in peers.items()]
            document = {"batch": 256, "shapes": [
                {"shape": "floats", "records": 1, "bytes": 1, "sides": sides}]}
            said = io.StringIO()
            with mock.patch.object(record, "run_for_json", lambda command: document), \
                    contextlib.redirect_stderr(said):
                record.check_peers("python")
            return said.getvalue()

        self.assertEqual(tried(a="ok", b="not installed: b"),
                         "bench-record: without b: not installed\n")
        self.assertIn("none of the other readers",
                      self.stopped(lambda: tried(a="not installed: a")))

    def test_failing_benchmarks(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(self.stopped(record.run_for_json, ["false"]),
                             "bench-record: false failed; no point was added")


class CasesTest(unittest.TestCase):

    def test_every_shape_of_the_comparison_has_words(self):
        compare = (pages.ROOT / "bench/compare.py").read_text(encoding="utf-8")
        shapes = re.search(r"^SHAPES = \{\n(.*?)^\}", compare, re.M | re.S)[1]
        self.assertEqual(set(re.findall(r'^    "([^"]+)":', shapes, re.M)),
                         set(pages.SHAPES))

    def test_every_peer_has_sides(self):
        compare = (pages.ROOT / "bench/compare.py").read_text(encoding="utf-8")
        for begin, _ in tables.PEERS:
            self.assertIn(f'    "{begin}', compare)


if __name__ == "__main__":
    unittest.main()
