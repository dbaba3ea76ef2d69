// Python gives the options of a reader as a dict of names and values.

#ifndef HEADRACE_PYTHON_SRC_READER_OPTIONS_H_
#define HEADRACE_PYTHON_SRC_READER_OPTIONS_H_

#include <nanobind/nanobind.h>

#include "headrace/arrow.h"
#include "headrace/dataset.h"
#include "headrace/decoder.h"
#include "headrace/types.h"
#include "python/src/reader/core.h"
#include "src/read/reader/parts.h"

namespace headrace::python {

namespace nb = nanobind;

// Options is ReaderArguments, DatasetOptions, DecodeOptions, CutOptions or
// ArrowOptions: takes what the table of options says of its members, and leaves
// paths, plan and callbacks as they are. A value of another type is a
// TypeError, any other that is not allowed a ValueError, each with the option's
// name.
template <class Options>
Options OptionsFrom(const nb::dict& dict);

// It may also be "sequence_example", as in a spec; None stands for "auto".
MessageType MessageFrom(const nb::object& name);
Compression CompressionFrom(const nb::object& name);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_OPTIONS_H_
