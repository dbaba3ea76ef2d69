// Saying which features columns and data do not share.

#ifndef HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
#define HEADRACE_PYTHON_SRC_READER_WARNINGS_H_

#include <nanobind/nanobind.h>

#include "headrace/reader.h"

namespace headrace::python {

namespace nb = nanobind;

// Features of the report as the fields of LateFeature and AbsentFeature in
// reader.py. All with the GIL held.
nb::list LateFeatures(const ReadReport& report);
nb::list AbsentFeatures(const ReadReport& report);
// A LateFeatureWarning and an AbsentFeatureWarning, as far as there are any;
// throws where the program has made an error of one.
void WarnOf(const ReadReport& report);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
