// A Status becomes one of Python's exceptions.

#ifndef HEADRACE_PYTHON_SRC_ERROR_H_
#define HEADRACE_PYTHON_SRC_ERROR_H_

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "headrace/status.h"

namespace headrace::python {

namespace nb = nanobind;

// Each class of errors has an exception in headrace.errors. Holds the GIL.
nb::object ExceptionOf(const Status& error);

[[noreturn]] void Raise(const nb::object& exception);
[[noreturn]] void Raise(const Status& error);

// A TypeError: "WHAT: expected X, got T".
[[noreturn]] void RaiseWrongType(const std::string& what,
                                 const std::string& expected, nb::handle got);

inline void Check(const Status& status) {
  if (!status.ok()) Raise(status);
}

template <class T>
T Check(Result<T> result) {
  if (!result.ok()) Raise(result.status());
  return *std::move(result);
}

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_ERROR_H_
