// Saying what the sample of the data did not show.

#ifndef HEADRACE_PYTHON_SRC_LATE_H_
#define HEADRACE_PYTHON_SRC_LATE_H_

#include <nanobind/nanobind.h>

#include "headrace/reader.h"

namespace headrace::python {

namespace nb = nanobind;

// The features of report.late as the fields of LateFeature in reader.py. Both
// with the GIL held.
nb::list LateFeatures(const ReadReport& report);
// A LateFeatureWarning; throws where the program has made an error of it.
void WarnOfLate(const ReadReport& report);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_LATE_H_
