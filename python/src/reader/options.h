// Converts options from a Python dict of names and values.

#ifndef HEADRACE_PYTHON_SRC_READER_OPTIONS_H_
#define HEADRACE_PYTHON_SRC_READER_OPTIONS_H_

#include <nanobind/nanobind.h>

#include "headrace/arrow.h"
#include "headrace/dataset.h"
#include "headrace/decoder.h"
#include "headrace/stats.h"
#include "headrace/types.h"
#include "python/src/reader/core.h"
#include "src/read/reader/parts.h"

namespace headrace::python {

namespace nb = nanobind;

// Returns ReaderArguments, DatasetOptions, DecodeOptions, CutOptions or
// ArrowOptions. Sets the members that the table of options lists from the dict;
// paths, plan and callbacks keep their defaults. Throws TypeError for a value
// of the wrong type and ValueError for one that is not allowed, both with the
// name of the option.
template <class Options>
Options OptionsFrom(const nb::dict& dict);

// The name may also be "sequence_example", as in a spec; None means "auto".
MessageType MessageFrom(const nb::object& name);
Compression CompressionFrom(const nb::object& name);

// counting_options in headrace/stats/__init__.py makes the dict.
StatsOptions StatsOptionsFrom(const nb::dict& options);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_OPTIONS_H_
