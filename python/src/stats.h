// Converts the options of statistics from a Python dict.

#ifndef HEADRACE_PYTHON_SRC_STATS_H_
#define HEADRACE_PYTHON_SRC_STATS_H_

#include <nanobind/nanobind.h>

#include "headrace/stats.h"

namespace headrace::python {

namespace nb = nanobind;

// counting_options in headrace/stats/__init__.py makes the dict.
StatsOptions StatsOptionsFrom(const nb::dict& options);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_STATS_H_
