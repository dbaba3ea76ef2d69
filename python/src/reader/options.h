// Python gives the options of a reader as a dict of names and values.

#ifndef HEADRACE_PYTHON_SRC_READER_OPTIONS_H_
#define HEADRACE_PYTHON_SRC_READER_OPTIONS_H_

#include <nanobind/nanobind.h>

#include <string>

#include "headrace/arrow.h"
#include "headrace/dataset.h"
#include "headrace/decoder.h"
#include "headrace/types.h"
#include "python/src/reader/core.h"
#include "src/read/reader/parts.h"

namespace headrace::python {

namespace nb = nanobind;

// hr.open documents these; paths, plan and callbacks are left as they are. An
// unknown name is a ValueError, a value of another type a TypeError, each with
// the option's name.
ReaderArguments ReaderArgumentsFrom(const nb::dict& options);
// hr.Dataset documents these.
DatasetOptions DatasetOptionsFrom(const nb::dict& options);
// What PyPlan::With documents.
DecodeOptions DecodeOptionsFrom(const nb::dict& options);
// hr.split documents these.
CutOptions CutOptionsFrom(const nb::dict& options);
ArrowOptions ArrowOptionsFrom(const nb::dict& options);

// It may also be "sequence_example", as in a spec; None stands for "auto".
MessageType MessageFrom(const nb::object& name);
// It is "none", "gzip", "zlib", "snappy", "zstd" or "auto".
Compression CompressionFrom(const std::string& name);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_OPTIONS_H_
