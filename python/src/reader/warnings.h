// Warns of data that was left out, and of features that are only in the plan or
// only in the data.

#ifndef HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
#define HEADRACE_PYTHON_SRC_READER_WARNINGS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "headrace/notice.h"
#include "headrace/reader.h"

namespace headrace::python {

namespace nb = nanobind;

// Return tuples of the fields of LateFeature and AbsentFeature in
// read_report.py. The GIL must be held here and below.
nb::list LateFeatures(const std::vector<LateFeature>& late);
nb::list AbsentFeatures(const std::vector<AbsentFeature>& absent);
// Warns of late features and of all notices in the report; throws if the
// program turns warnings into errors. `of_part`: only a part of the records was
// read.
void WarnOf(const ReadReport& report, bool of_part = false);
// Returns the text of the warning about these AbsentFeatures.
std::string AbsentTextOf(const nb::list& features, const nb::object& message,
                         bool of_part);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
