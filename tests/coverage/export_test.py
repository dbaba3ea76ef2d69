"""The rules by which lines and branches count."""

import unittest

import export


def segment(line, column, count, starts=True, gap=False, has_count=True):
    return [line, column, count, has_count, starts, gap]


def branch(line, column, true, false):
    return [line, column, line, column + 1, true, false, 0, 0, 4]


def coverage_of(segments, branches=(), expansions=()):
    coverage = export.FileCoverage("a.cc")
    export.add_file({"segments": segments, "branches": branches,
                     "expansions": expansions}, coverage)
    return coverage


# A function of lines 1 to 4 whose line 3 is behind a condition in line 2.
SEGMENTS = [segment(1, 1, 5), segment(3, 5, 0), segment(3, 9, 5, starts=False),
            segment(4, 2, 0, starts=False, has_count=False)]


class LinesTest(unittest.TestCase):
    def test_a_line_takes_the_count_of_what_begins_in_it(self):
        # That of line 3 is the larger one, of what it goes on with.
        self.assertEqual(export.line_counts(SEGMENTS), {1: 5, 2: 5, 3: 5, 4: 5})

    def test_a_line_that_is_all_behind_a_condition_is_not_run(self):
        segments = [segment(1, 1, 5), segment(2, 12, 0),
                    segment(4, 3, 5, starts=False),
                    segment(5, 2, 0, starts=False, has_count=False)]
        coverage = coverage_of(segments)
        self.assertEqual(coverage.missed_lines(), [3, 4])

    def test_lines_outside_functions_do_not_count(self):
        segments = [segment(1, 1, 0),
                    segment(2, 2, 0, starts=False, has_count=False),
                    segment(9, 1, 3),
                    segment(9, 20, 0, starts=False, has_count=False)]
        self.assertEqual(export.line_counts(segments), {1: 0, 2: 0, 9: 3})

    def test_a_gap_does_not_make_its_line_run(self):
        segments = [segment(1, 1, 0), segment(2, 9, 7, gap=True),
                    segment(3, 1, 0, starts=False)]
        self.assertEqual(export.line_counts(segments)[2], 0)


class BranchesTest(unittest.TestCase):
    def test_instances_are_added(self):
        coverage = coverage_of(SEGMENTS, [branch(2, 7, 5, 0),
                                          branch(2, 7, 0, 5)])
        self.assertEqual(coverage.missed_branches(), [])

    def test_a_side_that_no_instance_takes_is_missed(self):
        coverage = coverage_of(SEGMENTS, [branch(2, 7, 5, 0),
                                          branch(2, 7, 1, 0)])
        self.assertEqual(coverage.missed_branches(), [(2, 7, "false")])

    def test_constants_are_no_branches(self):
        self.assertEqual(
            len(coverage_of(SEGMENTS, [branch(2, 7, 0, 0)]).branches), 0)

    def test_what_is_not_run_misses_both_sides(self):
        coverage = coverage_of(SEGMENTS, [branch(3, 6, 0, 0)])
        self.assertEqual(coverage.missed_branches(),
                         [(3, 6, "true"), (3, 6, "false")])

    def test_a_branch_of_a_macro_is_where_the_macro_is_used(self):
        coverage = coverage_of(SEGMENTS, expansions=[
            {"source_region": [2, 3, 2, 9, 5, 0, 1, 1],
             "branches": [branch(40, 1, 0, 5)]}])
        self.assertEqual(coverage.missed_branches(), [(2, 3, "true")])


class ExcludedTest(unittest.TestCase):
    # Lines 2 to 4 are not run.
    SEGMENTS = [segment(1, 1, 5), segment(1, 12, 0),
                segment(4, 9, 5, starts=False),
                segment(6, 2, 0, starts=False, has_count=False)]

    def exclude(self, *source):
        coverage = coverage_of(self.SEGMENTS, [branch(3, 6, 0, 0)])
        coverage.exclude("\n".join(source))
        return coverage

    def test_a_line_that_says_why_goes_with_those_around_it(self):
        coverage = self.exclude(
            "f() {", "if (x)", "y(", "z);  // not covered: no such x", "g();")
        self.assertEqual(coverage.excluded, [4])
        self.assertEqual(sorted(coverage.lines), [1, 5, 6])
        self.assertEqual(coverage.missed_branches(), [])

    def test_a_brace_alone_is_no_code(self):
        coverage = self.exclude("f() {", "if (x) {", "return y;", "  }", "g();", "});")
        self.assertEqual(coverage.missed_lines(), [2, 3])
        self.assertEqual(sorted(coverage.lines), [1, 2, 3, 5])

    def test_a_line_without_a_reason_counts(self):
        coverage = self.exclude("f() {", "if (x)", "y();  // not covered:")
        self.assertEqual(coverage.missed_lines(), [2, 3, 4])

    def test_a_line_that_has_run_must_not_say_so(self):
        coverage = self.exclude("f() {  // not covered: no such f")
        self.assertEqual(coverage.stale, [1])
        self.assertEqual(coverage.missed_lines(), [2, 3, 4])


if __name__ == "__main__":
    unittest.main()
