// Warnings tell what was left out, and which features plans and data do not
// share.

#ifndef HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
#define HEADRACE_PYTHON_SRC_READER_WARNINGS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "headrace/notice.h"
#include "headrace/reader.h"

namespace headrace::python {

namespace nb = nanobind;

// They have the fields of LateFeature and AbsentFeature in read_report.py. The
// GIL must be held here and below.
nb::list LateFeatures(const std::vector<LateFeature>& late);
nb::list AbsentFeatures(const std::vector<AbsentFeature>& absent);
// Warns of late features and of all notices of the report; throws where the
// program has made an error of a warning. `of_part` says that some records were
// not read.
void WarnOf(const ReadReport& report, bool of_part = false);
// Gives the text that says so of some AbsentFeatures.
std::string AbsentTextOf(const nb::list& features, const nb::object& message,
                         bool of_part);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
