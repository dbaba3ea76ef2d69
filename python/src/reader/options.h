// The options of a reader as Python gives them: a dict of names and values.

#ifndef HEADRACE_PYTHON_SRC_READER_OPTIONS_H_
#define HEADRACE_PYTHON_SRC_READER_OPTIONS_H_

#include <nanobind/nanobind.h>

#include <string>

#include "headrace/arrow.h"
#include "headrace/types.h"
#include "python/src/reader/core.h"

namespace headrace::python {

namespace nb = nanobind;

// What hr.open documents; paths, plan and callbacks are left as they are. A
// ValueError for a name that is none, a TypeError for a value of another type,
// each with the option's name.
ReaderArguments ReaderArgumentsFrom(const nb::dict& options);
ArrowOptions ArrowOptionsFrom(const nb::dict& options);

// Also "sequence_example", as in a spec.
MessageType MessageFrom(const std::string& name);
// "none", "gzip", "zlib", "snappy", "zstd", "auto".
Compression CompressionFrom(const std::string& name);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_OPTIONS_H_
