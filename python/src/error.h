// Throws a Status as a Python exception, and calls the library without the GIL.

#ifndef HEADRACE_PYTHON_SRC_ERROR_H_
#define HEADRACE_PYTHON_SRC_ERROR_H_

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "headrace/status.h"

namespace headrace::python {

namespace nb = nanobind;

// Returns the exception of headrace.errors for an error. The GIL must be held.
nb::object ExceptionOf(const Status& error);

[[noreturn]] void Raise(const nb::object& exception);
[[noreturn]] void Raise(const Status& error);

// Throws a built-in exception of Python.
[[noreturn]] void Raise(PyObject* type, const std::string& text);
// Throws a TypeError: "WHAT: expected X, got T".
[[noreturn]] void RaiseWrongType(const std::string& what,
                                 const std::string& expected, nb::handle got);

// Takes over a new reference; throws the pending exception if it is null.
inline nb::object Stolen(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

inline void Check(const Status& status) {
  if (!status.ok()) Raise(status);
}

template <class T>
T Check(Result<T> result) {
  if (!result.ok()) Raise(result.status());
  return *std::move(result);
}

// Returns the result of `work`, which is called with the GIL released.
template <class Work>
auto WithoutGil(Work work) {
  const nb::gil_scoped_release release;
  return work();
}

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_ERROR_H_
