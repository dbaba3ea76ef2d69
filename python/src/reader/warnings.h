// Warnings tell which features columns and data do not share.

#ifndef HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
#define HEADRACE_PYTHON_SRC_READER_WARNINGS_H_

#include <nanobind/nanobind.h>

#include <vector>

#include "headrace/reader.h"

namespace headrace::python {

namespace nb = nanobind;

// They have the fields of LateFeature and AbsentFeature in reader.py. The GIL
// must be held here and below.
nb::list LateFeatures(const std::vector<LateFeature>& late);
nb::list AbsentFeatures(const ReadReport& report);
// Issues a LateFeatureWarning and an AbsentFeatureWarning, if there are such
// features; throws where the program has made an error of one.
void WarnOf(const ReadReport& report);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
